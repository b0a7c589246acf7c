/* src/transport/bpf/timely_law.h - timely as the programs of tcp_law.h call it, and the replay of replay_law.h. */
#ifndef WEIR_BPF_TIMELY_LAW_H
#define WEIR_BPF_TIMELY_LAW_H
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

static inline void law_begin(struct law_state *s, const struct law_config *config, const struct weir_path *path,
                             uint64_t start_bytes)
{
    weir_timely_init(&s->cc, &config->timely, path);
    (void)start_bytes; /* its own first rate */
}

static inline void law_base(struct law_state *s, uint64_t base_rtt_ps)
{
    (void)s, (void)base_rtt_ps; /* its thresholds are keys */
}

static inline void law_ack(struct law_state *s, const struct law_config *config, const struct weir_ack *ack)
{
    weir_timely_on_ack(&s->cc, &config->timely, ack);
}

static inline void law_loss(struct law_state *s, const struct law_config *config, const struct weir_loss *loss)
{
    (void)s, (void)config, (void)loss; /* round trips are its only signal */
}

static inline void law_weight(struct law_state *s, const struct law_config *config, uint64_t weight_q20)
{
    (void)s, (void)config, (void)weight_q20; /* all flows weigh the same */
}
#endif
