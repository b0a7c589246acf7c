/* src/transport/bpf/swift.bpf.c - Swift in the kernel's TCP: proto/swift, fed by TCP's round trips. Receivers do
 * not say how long they held an ACK, so its window for hosts never falls. */
#include "bpf/kernel.h"
#include "proto/swift/swift_core.h"

struct law_state {
    union {
        struct weir_cc cc;
        struct weir_swift swift;
    };
};

struct law_config {
    struct weir_swift_config swift;
};

static __always_inline void law_begin(struct law_state *s, const struct law_config *config,
                                      const struct weir_path *path, uint64_t start_bytes)
{
    weir_swift_init(&s->cc, &config->swift, path);
    (void)start_bytes; /* its own first window */
}

static __always_inline void law_base(struct law_state *s, uint64_t base_rtt_ps)
{
    (void)s, (void)base_rtt_ps; /* its targets are set when a flow begins */
}

static __always_inline void law_ack(struct law_state *s, const struct law_config *config, const struct weir_ack *ack)
{
    weir_swift_on_ack(&s->cc, &config->swift, ack);
}

static __always_inline void law_loss(struct law_state *s, const struct law_config *config, const struct weir_loss *loss)
{
    weir_swift_on_loss(&s->cc, &config->swift, loss);
}

static __always_inline void law_weight(struct law_state *s, const struct law_config *config, uint64_t weight_q20)
{
    (void)s, (void)config, (void)weight_q20; /* all flows weigh the same */
}

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
