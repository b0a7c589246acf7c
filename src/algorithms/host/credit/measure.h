/* src/algorithms/host/credit/measure.h - round trips to each peer as a receiver-driven host measures them
 * (weir_host_config.measured), and the time-outs that follow from them. */
#ifndef WEIR_HOST_CREDIT_MEASURE_H
#define WEIR_HOST_CREDIT_MEASURE_H
#include "host/common/reassembly.h"
#include "host/credit/records.h"

uint64_t host_credit_silence_ps(const struct host_credit *c, const struct credit_peer *peer);
uint64_t host_credit_answer_ps(const struct host_credit *c, const struct credit_peer *peer);
void host_credit_measure_grant(const struct host_credit *c, const struct credit_peer *peer, uint64_t now_ps,
                               uint32_t number, uint32_t pkt);
void host_credit_measure_data(struct weir_host *h, uint64_t now_ps, const struct credit_peer *peer,
                              const struct weir_pkt *pkt, enum host_arrival arrival);
void host_credit_measure_lost(const struct host_credit *c, const struct credit_peer *peer, const struct credit_rx *r,
                              uint64_t since_ps);
void host_credit_measure_expired(const struct host_credit *c, const struct credit_peer *peer);
void host_credit_measure_answer(const struct host_credit *c, const struct credit_peer *peer, struct credit_tx *t,
                                uint64_t now_ps);
void host_credit_adapt_begin(struct weir_host *h);
void host_credit_measure_forget(const struct host_credit *c, const struct credit_peer *peer);
#endif
