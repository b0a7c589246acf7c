/* src/algorithms/proto/homa/homa_parts.h - the functions of Homa that homa.c puts into the ops table. core/credit_ops.h
 * says when the host calls them. */
#ifndef WEIR_PROTO_HOMA_PARTS_H
#define WEIR_PROTO_HOMA_PARTS_H
#include "core/credit.h"

struct weir_data;

/* sender.c */
void homa_tx_message(const void *config, void *host, void *peer, void *tx, uint64_t now_ps);
void homa_tx_again(const void *config, void *host, void *peer, void *tx);
void homa_tx_credit(const void *config, void *host, void *peer, void *tx, const struct weir_credit *credit);
bool homa_tx_next(const void *config, void *host, uint64_t now_ps, struct weir_send *out);
void homa_tx_sent(const void *config, void *host, void *peer, void *tx);
void homa_tx_pause(const void *config, void *host, uint32_t class_mask);
void homa_tx_resume(const void *config, void *host, void *peer);
bool homa_tx_ready(const void *host);
void homa_tx_done(const void *config, void *host, void *peer, void *tx);
void homa_control_next(const void *config, void *host, struct weir_own_pkt *out);

/* receiver.c */
void homa_peer_init(const void *config, void *host, void *peer);
void homa_rx_message(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
bool homa_rx_packet(const void *config, void *host, void *peer, void *rx, const struct weir_data *data);
void homa_rx_again(const void *config, void *host, void *peer, void *rx);
void homa_rx_lost(const void *config, void *host, void *peer, void *rx, uint32_t pkts, uint64_t now_ps);
bool homa_rx_silent(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
uint64_t homa_rx_next_ps(const void *config, const void *host, uint64_t now_ps);
bool homa_rx_next(const void *config, void *host, uint64_t now_ps, struct weir_grant *out);
void homa_rx_granted(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps);
void homa_rx_done(const void *config, void *host, void *peer, void *rx);
void homa_control(const void *config, void *host, const struct weir_own_pkt *control);
#endif
