/* src/transport/bpf/timely.bpf.c - TIMELY in the kernel's TCP: proto/timely, fed by TCP's round trips. */
#include "bpf/kernel.h"
#include "proto/timely/timely_core.h"

struct law_state {
    union {
        struct weir_cc cc;
        struct weir_timely timely;
    };
};

struct law_config {
    struct weir_timely_config timely;
};

static __always_inline void law_begin(struct law_state *s, const struct law_config *config,
                                      const struct weir_path *path, uint64_t start_bytes)
{
    weir_timely_init(&s->cc, &config->timely, path);
    (void)start_bytes; /* its own first rate */
}

static __always_inline void law_base(struct law_state *s, uint64_t base_rtt_ps)
{
    (void)s, (void)base_rtt_ps; /* its thresholds are keys */
}

static __always_inline void law_ack(struct law_state *s, const struct law_config *config, const struct weir_ack *ack)
{
    weir_timely_on_ack(&s->cc, &config->timely, ack);
}

static __always_inline void law_loss(struct law_state *s, const struct law_config *config, const struct weir_loss *loss)
{
    (void)s, (void)config, (void)loss; /* round trips are its only signal */
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
    .name = "weir_timely",
};
