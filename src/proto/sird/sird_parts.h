/* src/proto/sird/sird_parts.h - the halves of the protocol that sird.c puts into the table; see core/credit.h. */
#ifndef WEIR_PROTO_SIRD_PARTS_H
#define WEIR_PROTO_SIRD_PARTS_H
#include "proto/sird/sird_core.h"

/* sender.c */
void sird_tx_message(const void *config, void *host, void *peer, void *tx, uint64_t now_ps);
void sird_tx_again(const void *config, void *host, void *peer, void *tx);
void sird_tx_credit(const void *config, void *host, void *peer, void *tx, const struct weir_credit *credit);
bool sird_tx_next(const void *config, void *host, uint64_t now_ps, struct weir_send *out);
void sird_tx_sent(const void *config, void *host, void *peer, void *tx);
void sird_tx_pause(const void *config, void *host, uint32_t class_mask);
void sird_tx_resume(const void *config, void *host, void *peer);
void sird_tx_done(const void *config, void *host, void *peer, void *tx);
uint32_t sird_tx_settle(const struct weir_sird_config *cfg, struct weir_sird_host *h, struct weir_sird_peer *p);
bool sird_tx_ready(const void *host);
uint8_t sird_data_class(const void *config);

/* receiver.c */
bool sird_rx_packet(const void *config, void *host, void *peer, void *rx, const struct weir_data *data);
void sird_rx_message(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
void sird_rx_again(const void *config, void *host, void *peer, void *rx);
bool sird_rx_next(const void *config, void *host, uint64_t now_ps, struct weir_grant *out);
void sird_rx_granted(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps);
void sird_rx_done(const void *config, void *host, void *peer, void *rx);
int64_t sird_rx_settle(const struct weir_sird_config *cfg, struct weir_sird_host *h, struct weir_sird_peer *p);
uint64_t sird_rx_next_ps(const void *config, const void *host, uint64_t now_ps);

/* control.c */
bool sird_peer_check(const void *config, void *host, void *peer, uint64_t now_ps);
void sird_control(const void *config, void *host, const struct weir_own_pkt *control);
void sird_control_next(const void *config, void *host, struct weir_own_pkt *out);

/* Records what a packet's sender reports to have spent, which is news only if it has changed. Unscheduled DATA goes on
 * and on without spending anything, and must not hide that credit lies unused. */
static inline void weir_sird_note_spent(struct weir_sird_peer *p, uint64_t now_ps, uint32_t spent_total)
{
    if (spent_total == p->reported_total)
        return;
    p->reported_total = spent_total;
    if (p->changed_ps != WEIR_NEVER)
        p->changed_ps = now_ps;
}

/* Begins a peer's silence, if it owes us something from now on and did not before. */
static inline void weir_sird_owed(struct weir_sird_peer *p, uint64_t now_ps)
{
    if (p->changed_ps == WEIR_NEVER)
        p->changed_ps = now_ps;
}

/* Tests whether a reported total can be true. If only credited bytes count, no sender can have spent more than it was
 * granted; one that claims so would make us forget what is out. */
static inline bool weir_sird_believable(const struct weir_sird_config *cfg, const struct weir_sird_peer *p,
                                        uint32_t spent_total)
{
    return cfg->unsched_accounting == WEIR_SIRD_CHARGED || (int32_t)(spent_total - p->granted_total) <= 0;
}
#endif
