/* src/transport/bpf/soze_law.h - soze as the programs of tcp_law.h call it, and the replay of replay_law.h. */
#ifndef WEIR_BPF_SOZE_LAW_H
#define WEIR_BPF_SOZE_LAW_H
#include "proto/soze/soze_core.h"

#define LAW_READS_DELAY

struct law_state {
    union {
        struct weir_cc cc;
        struct weir_soze soze;
    };
};

struct law_config {
    struct weir_soze_config soze;
};

static inline void law_begin(struct law_state *s, const struct law_config *config, const struct weir_path *path,
                             uint64_t start_bytes)
{
    weir_soze_init(&s->cc, &config->soze, path);
    weir_soze_begin(&s->soze, &config->soze, weir_max_u64(start_bytes, 1) << WEIR_SOZE_WINDOW_FRAC_BITS);
}

static inline void law_base(struct law_state *s, uint64_t base_rtt_ps)
{
    s->soze.base_rtt_ps = base_rtt_ps;
}

static inline void law_ack(struct law_state *s, const struct law_config *config, const struct weir_ack *ack)
{
    weir_soze_on_ack(&s->cc, &config->soze, ack);
}

static inline void law_loss(struct law_state *s, const struct law_config *config, const struct weir_loss *loss)
{
    (void)s, (void)config, (void)loss; /* delays are its only signal */
}

static inline void law_weight(struct law_state *s, const struct law_config *config, uint64_t weight_q20)
{
    weir_soze_reweigh(&s->soze, &config->soze, weight_q20);
}
#endif
