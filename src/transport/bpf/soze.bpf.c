/* src/transport/bpf/soze.bpf.c - Soze in the kernel's TCP: proto/soze, fed by TCP's ACKs and by the delays that
 * switches write into the option of option.h. */
#include "bpf/soze_law.h"
#include "bpf/tcp_law.h"
#include "bpf/tcp_option.h"
#include "bpf/tcp_weights.h"

SEC(".struct_ops")
struct tcp_congestion_ops law = {
    .flags = TCP_CONG_NON_RESTRICTED,
    .init = (void *)law_start,
    .cong_control = (void *)law_control,
    .set_state = (void *)law_change,
    .ssthresh = (void *)law_ssthresh,
    .undo_cwnd = (void *)law_undo,
    .name = "weir_soze",
};
