/* src/algorithms/host/credit/grant.h - CREDIT packets of a receiver, and recovery of lost packets. */
#ifndef WEIR_HOST_CREDIT_GRANT_H
#define WEIR_HOST_CREDIT_GRANT_H
#include "host/credit/records.h"

void host_credit_grant(struct weir_host *h, uint64_t now_ps);
void host_credit_grants(struct weir_host *h, uint64_t now_ps);
bool host_credit_recover(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer);
#endif
