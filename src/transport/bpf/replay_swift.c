/* src/transport/bpf/replay_swift.c - swift for the replay of the kernel's events. */
#include "bpf/swift_law.h"
#define LAW_NAME swift
#include "bpf/replay_law.h"
