/* src/transport/bpf/swift.bpf.c - Swift in the kernel's TCP: proto/swift, fed by TCP's round trips. Receivers do
 * not say how long they held an ACK, so its window for hosts never falls. */
#include "bpf/swift_law.h"
#include "bpf/tcp_law.h"

SEC(".struct_ops")
struct tcp_congestion_ops law = {
    .flags = TCP_CONG_NON_RESTRICTED,
    .init = (void *)law_start,
    .cong_control = (void *)law_control,
    .set_state = (void *)law_change,
    .ssthresh = (void *)law_ssthresh,
    .undo_cwnd = (void *)law_undo,
    .name = "weir_swift",
};
