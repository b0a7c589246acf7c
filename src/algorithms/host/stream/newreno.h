/* src/algorithms/host/stream/newreno.h - loss recovery of TCP without SACK (NewReno). */
#ifndef WEIR_HOST_STREAM_NEWRENO_H
#define WEIR_HOST_STREAM_NEWRENO_H
#include "host/stream/tcp.h"

void host_newreno_advance(struct weir_host *h, struct host_flow *f, struct host_tcp *tcp, uint32_t advance);
bool host_newreno_duplicate(struct weir_host *h, uint64_t now_ps, struct host_flow *f, struct host_tcp *tcp,
                            uint32_t ack);
void host_newreno_timeout(struct weir_host *h, uint32_t index, struct host_flow *f);
void host_newreno_clear(struct weir_host *h, uint32_t index);
#endif
