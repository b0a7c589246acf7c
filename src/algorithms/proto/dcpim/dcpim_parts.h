/* src/algorithms/proto/dcpim/dcpim_parts.h - functions that the files of dcPIM share. core/credit_ops.h says when the
 * host calls those of the ops table. */
#ifndef WEIR_PROTO_DCPIM_PARTS_H
#define WEIR_PROTO_DCPIM_PARTS_H
#include "core/credit.h"
#include "proto/dcpim/dcpim_offer.h"

struct weir_data;
struct weir_dcpim_config;
struct weir_dcpim_host;
struct weir_dcpim_peer;

enum { WEIR_DCPIM_CONTROL_CLASS, WEIR_DCPIM_SHORT_CLASS, WEIR_DCPIM_LONG_CLASS };

/* dcpim.c */
void dcpim_send(struct weir_dcpim_host *h, struct weir_dcpim_peer *p, enum weir_dcpim_control kind,
                const struct weir_dcpim_offer *offer);
uint64_t dcpim_order(struct weir_dcpim_host *h, const struct weir_dcpim_config *cfg,
                     const struct weir_dcpim_offer *offer, uint32_t *tie);

/* match.c: the receiver half, round by round */
void dcpim_round(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h);
void dcpim_granted(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h, struct weir_dcpim_peer *p,
                   const struct weir_dcpim_offer *offer, uint64_t now_ps);
void dcpim_released(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h, struct weir_dcpim_peer *p,
                    const struct weir_dcpim_offer *offer);
void dcpim_forget_match(struct weir_dcpim_host *h, struct weir_dcpim_peer *p);
bool dcpim_in_rounds(const struct weir_dcpim_host *h);
void dcpim_wake_round(struct weir_dcpim_host *h, uint64_t now_ps);

/* tokens.c: the receiver half, packet by packet */
void dcpim_rx_message(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
bool dcpim_rx_packet(const void *config, void *host, void *peer, void *rx, const struct weir_data *data);
void dcpim_rx_again(const void *config, void *host, void *peer, void *rx);
bool dcpim_rx_silent(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
uint64_t dcpim_rx_next_ps(const void *config, const void *host, uint64_t now_ps);
bool dcpim_rx_next(const void *config, void *host, uint64_t now_ps, struct weir_grant *out);
void dcpim_rx_granted(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps);
void dcpim_rx_done(const void *config, void *host, void *peer, void *rx);
void dcpim_next_loop(struct weir_dcpim_host *h);

/* sender.c */
void dcpim_tx_message(const void *config, void *host, void *peer, void *tx, uint64_t now_ps);
void dcpim_tx_again(const void *config, void *host, void *peer, void *tx);
void dcpim_tx_credit(const void *config, void *host, void *peer, void *tx, const struct weir_credit *credit);
bool dcpim_tx_next(const void *config, void *host, uint64_t now_ps, struct weir_send *out);
void dcpim_tx_pause(const void *config, void *host, uint32_t class_mask);
void dcpim_tx_resume(const void *config, void *host, void *peer);
bool dcpim_tx_ready(const void *host);
uint64_t dcpim_tx_next_ps(const void *config, const void *host);
void dcpim_tx_time(const void *config, void *host, uint64_t now_ps);
void dcpim_tx_done(const void *config, void *host, void *peer, void *tx);
void dcpim_requested(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h, struct weir_dcpim_peer *p,
                     const struct weir_dcpim_offer *offer, uint64_t now_ps);
void dcpim_accepted(const struct weir_dcpim_config *cfg, struct weir_dcpim_host *h, struct weir_dcpim_peer *p,
                    const struct weir_dcpim_offer *offer, uint64_t now_ps);
#endif
