/* src/transport/bpf/swift_law.h - swift as the programs of tcp_law.h call it, and the replay of replay_law.h. */
#ifndef WEIR_BPF_SWIFT_LAW_H
#define WEIR_BPF_SWIFT_LAW_H
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

static inline void law_begin(struct law_state *s, const struct law_config *config, const struct weir_path *path,
                             uint64_t start_bytes)
{
    weir_swift_init(&s->cc, &config->swift, path);
    (void)start_bytes; /* its own first window */
}

static inline void law_base(struct law_state *s, uint64_t base_rtt_ps)
{
    (void)s, (void)base_rtt_ps; /* its targets are set when a flow begins */
}

static inline void law_ack(struct law_state *s, const struct law_config *config, const struct weir_ack *ack)
{
    weir_swift_on_ack(&s->cc, &config->swift, ack);
}

static inline void law_loss(struct law_state *s, const struct law_config *config, const struct weir_loss *loss)
{
    weir_swift_on_loss(&s->cc, &config->swift, loss);
}

static inline void law_weight(struct law_state *s, const struct law_config *config, uint64_t weight_q20)
{
    (void)s, (void)config, (void)weight_q20; /* all flows weigh the same */
}
#endif
