/* src/algorithms/host/stream/telemetry.h - telemetry records that ACKs carry back to the sender. */
#ifndef WEIR_HOST_STREAM_TELEMETRY_H
#define WEIR_HOST_STREAM_TELEMETRY_H
#include "host/stream/state.h"

struct host_hops { /* telemetry records of an answer in the queue */
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
};

bool host_hops_push(struct weir_host *h);
void host_hops_put(struct weir_host *h, uint32_t index, struct weir_pkt *ack);
void host_hops_keep(struct weir_host *h, uint32_t index);
void host_answer_leaves(struct weir_host *h, uint64_t now_ps, struct weir_pkt *answer);
#endif
