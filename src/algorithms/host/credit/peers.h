/* src/algorithms/host/credit/peers.h - records of other hosts (peers) in a receiver-driven host. */
#ifndef WEIR_HOST_CREDIT_PEERS_H
#define WEIR_HOST_CREDIT_PEERS_H
#include "host/credit/records.h"

struct credit_peer *host_credit_peer(struct weir_host *h, uint32_t id);
void host_credit_watch(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer);
#endif
