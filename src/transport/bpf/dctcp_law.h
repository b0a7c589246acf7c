/* src/transport/bpf/dctcp_law.h - dctcp as the programs of tcp_law.h call it, and the replay of replay_law.h. */
#ifndef WEIR_BPF_DCTCP_LAW_H
#define WEIR_BPF_DCTCP_LAW_H
#include "proto/dctcp/dctcp_core.h"

struct law_state {
    union {
        struct weir_cc cc;
        struct weir_dctcp dctcp;
    };
};

struct law_config {
    struct weir_dctcp_config dctcp;
};

static inline void law_begin(struct law_state *s, const struct law_config *config, const struct weir_path *path,
                             uint64_t start_bytes)
{
    weir_dctcp_init(&s->cc, &config->dctcp, path);
    s->cc.cwnd_bytes = weir_clamp_u32(start_bytes, path->mss_bytes, WEIR_CWND_MAX_BYTES);
}

static inline void law_base(struct law_state *s, uint64_t base_rtt_ps)
{
    (void)s, (void)base_rtt_ps; /* marks are its only signal */
}

static inline void law_ack(struct law_state *s, const struct law_config *config, const struct weir_ack *ack)
{
    weir_dctcp_on_ack(&s->cc, &config->dctcp, ack);
}

static inline void law_loss(struct law_state *s, const struct law_config *config, const struct weir_loss *loss)
{
    weir_dctcp_on_loss(&s->cc, &config->dctcp, loss);
}

static inline void law_weight(struct law_state *s, const struct law_config *config, uint64_t weight_q20)
{
    (void)s, (void)config, (void)weight_q20; /* all flows weigh the same */
}
#endif
