/* src/algorithms/host/stream/track.h - a table from a message's handle to its connection and its weight. */
#ifndef WEIR_HOST_STREAM_TRACK_H
#define WEIR_HOST_STREAM_TRACK_H
#include "host/stream/connection.h"

void host_track_init(struct weir_host *h);
uint32_t host_track_connection(const struct weir_host *h, uint32_t msg);
bool host_track_room(struct weir_host *h, uint32_t msg);
void host_track_wait(struct weir_host *h, uint32_t msg);
void host_track_begin(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);
bool host_track_waits(const struct weir_host *h, uint32_t msg);
bool host_track_try(struct weir_host *h, uint32_t msg);
bool host_track_tries(const struct weir_host *h, uint32_t msg);
void host_track_end(struct weir_host *h, uint32_t msg);
int host_track_set_priority(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint32_t priority);
uint64_t host_track_weight_q20(const struct weir_host *h, uint32_t msg);
uint8_t host_track_weight(const struct weir_host *h, uint32_t msg);
int host_track_set_weight(struct weir_host *h, uint64_t now_ps, uint32_t msg, uint64_t weight_q20);
int host_track_set_rate(struct weir_host *h, uint64_t now_ps, uint32_t msg, const struct weir_allotment *allotment);
bool host_track_flow(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out);
#endif
