/* src/transport/bpf/replay_soze.c - soze for the replay of the kernel's events. */
#include "bpf/soze_law.h"
#define LAW_NAME soze
#include "bpf/replay_law.h"
