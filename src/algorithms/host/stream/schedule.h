/* src/algorithms/host/stream/schedule.h - host.nic_schedule: weighted: the start times of connections that wait for the
 * NIC. */
#ifndef WEIR_HOST_STREAM_SCHEDULE_H
#define WEIR_HOST_STREAM_SCHEDULE_H
#include "host/stream/connection.h"

void host_schedule_init(struct weir_host *h);
uint64_t host_schedule_start(const struct weir_host *h, uint32_t index, struct host_flow *f);
void host_schedule_sent(struct weir_host *h, uint32_t index, struct host_flow *f, uint32_t wire_bytes);
#endif
