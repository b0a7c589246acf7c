/* src/transport/bpf/replay_dctcp.c - dctcp for the replay of the kernel's events. */
#include "bpf/dctcp_law.h"
#define LAW_NAME dctcp
#include "bpf/replay_law.h"
