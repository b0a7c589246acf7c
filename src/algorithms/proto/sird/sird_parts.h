/* src/algorithms/proto/sird/sird_parts.h - the functions of SIRD that sird.c puts into the ops table, and those that
 * its files share. core/credit_ops.h says when the host calls them. */
#ifndef WEIR_PROTO_SIRD_PARTS_H
#define WEIR_PROTO_SIRD_PARTS_H
#include "core/credit.h"

struct weir_data;
struct weir_sird_config;
struct weir_sird_host;
struct weir_sird_peer;

/* sender.c */
void sird_tx_message(const void *config, void *host, void *peer, void *tx, uint64_t now_ps);
void sird_tx_again(const void *config, void *host, void *peer, void *tx);
void sird_tx_priority(const void *config, void *host, void *peer, void *tx, uint32_t priority);
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
void sird_rx_lost(const void *config, void *host, void *peer, void *rx, uint32_t pkts, uint64_t now_ps);
bool sird_rx_next(const void *config, void *host, uint64_t now_ps, struct weir_grant *out);
void sird_rx_granted(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps);
void sird_rx_done(const void *config, void *host, void *peer, void *rx);
int64_t sird_rx_settle(const struct weir_sird_config *cfg, struct weir_sird_host *h, struct weir_sird_peer *p,
                       uint64_t now_ps);
void sird_adapt(const void *config, void *host, uint64_t bdp_bytes);
void sird_peer_adapt(const void *config, void *host, void *peer);
uint64_t sird_rx_next_ps(const void *config, const void *host, uint64_t now_ps);

/* control.c */
bool sird_peer_check(const void *config, void *host, void *peer, uint64_t now_ps);
void sird_control(const void *config, void *host, const struct weir_own_pkt *control);
void sird_control_next(const void *config, void *host, struct weir_own_pkt *out);
#endif
