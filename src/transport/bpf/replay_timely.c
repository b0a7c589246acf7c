/* src/transport/bpf/replay_timely.c - timely for the replay of the kernel's events. */
#include "bpf/timely_law.h"
#define LAW_NAME timely
#include "bpf/replay_law.h"
