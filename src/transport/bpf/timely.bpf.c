/* src/transport/bpf/timely.bpf.c - TIMELY in the kernel's TCP: proto/timely, fed by TCP's round trips. */
#include "bpf/timely_law.h"
#include "bpf/tcp_law.h"

LAW_OPS("weir_timely", 0);
