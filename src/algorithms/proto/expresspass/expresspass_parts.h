/* src/algorithms/proto/expresspass/expresspass_parts.h - functions that the files of ExpressPass share.
 * core/credit_ops.h says when the host calls those of the ops table. */
#ifndef WEIR_PROTO_EXPRESSPASS_EXPRESSPASS_PARTS_H
#define WEIR_PROTO_EXPRESSPASS_EXPRESSPASS_PARTS_H
#include "core/credit.h"
#include "core/head.h"

struct weir_data;
struct weir_expresspass_host;
struct weir_expresspass_peer;
struct weir_expresspass_rx;
struct weir_expresspass_tx;

enum { EXPRESSPASS_CREDIT_CLASS, EXPRESSPASS_DATA_CLASS };

/* timers.c */
void expresspass_set_timer(struct weir_expresspass_host *h, struct weir_expresspass_tx *m, uint64_t at_ps);
void expresspass_open_at(struct weir_expresspass_host *h, struct weir_expresspass_peer *p, uint64_t at_ps);

/* sender.c */
void expresspass_peer_init(const void *config, void *host, void *peer);
void expresspass_peer_forget(const void *config, void *host, void *peer);
void expresspass_control(const void *config, void *host, const struct weir_own_pkt *control);
void expresspass_tx_reply(const void *config, void *tx, enum weir_reply reply);
void expresspass_tx_message(const void *config, void *host, void *peer, void *tx, uint64_t now_ps);
void expresspass_tx_again(const void *config, void *host, void *peer, void *tx);
void expresspass_tx_credit(const void *config, void *host, void *peer, void *tx, const struct weir_credit *credit);
bool expresspass_tx_next(const void *config, void *host, uint64_t now_ps, struct weir_send *out);
void expresspass_tx_sent(const void *config, void *host, void *peer, void *tx);
bool expresspass_tx_ready(const void *host);
uint64_t expresspass_tx_next_ps(const void *config, const void *host);
void expresspass_tx_time(const void *config, void *host, uint64_t now_ps);
bool expresspass_tx_silent(const void *config, void *host, void *peer, void *tx, uint64_t now_ps);
void expresspass_tx_done(const void *config, void *host, void *peer, void *tx);
/* Handles a reply from a peer that has ended: frees a connection to the peer. */
void expresspass_replied(struct weir_expresspass_host *h, struct weir_expresspass_peer *p);
/* Writes the next waiting request or stop to *out, and removes it from h->controls, which must not be empty. */
void expresspass_tx_control_next(struct weir_expresspass_host *h, struct weir_own_pkt *out);

/* receiver.c */
void expresspass_rx_stop(struct weir_expresspass_host *h, struct weir_expresspass_rx *r);
void expresspass_rx_reply(const void *config, void *rx, enum weir_reply reply);
void expresspass_rx_message(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
bool expresspass_rx_packet(const void *config, void *host, void *peer, void *rx, const struct weir_data *data);
void expresspass_rx_again(const void *config, void *host, void *peer, void *rx);
uint64_t expresspass_rx_next_ps(const void *config, const void *host, uint64_t now_ps);
bool expresspass_rx_next(const void *config, void *host, uint64_t now_ps, struct weir_grant *out);
void expresspass_rx_granted(const void *config, void *host, const struct weir_grant *grant, uint64_t now_ps);
bool expresspass_rx_silent(const void *config, void *host, void *peer, void *rx, uint64_t now_ps);
void expresspass_rx_done(const void *config, void *host, void *peer, void *rx);
/* Writes the next waiting credit to *out, and removes it from h->leaving, which must not be empty. */
void expresspass_rx_credit_next(struct weir_expresspass_host *h, struct weir_own_pkt *out);
#endif
