/* src/transport/bpf/swift.bpf.c - Swift in the kernel's TCP: proto/swift, fed by TCP's round trips. Receivers do
 * not say how long they held an ACK, so its window for hosts never falls. */
#include "bpf/swift_law.h"
#include "bpf/tcp_law.h"

LAW_OPS("weir_swift", 0);
