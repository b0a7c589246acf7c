/* src/algorithms/host/common/timers.h - the timer heap of a host, and room for its entries. An entry has a time, a
 * kind, and the index of the record that it concerns. Each half of the end host defines its own kinds. */
#ifndef WEIR_HOST_COMMON_TIMERS_H
#define WEIR_HOST_COMMON_TIMERS_H
#include "host/common/state.h"

#define HOST_TIMER_KINDS 4u /* most kinds of one half: the low two bits of an entry's id */
#define HOST_TIMER_ID(index, kind) ((uint64_t)(index)*HOST_TIMER_KINDS + (kind))
#define HOST_TIMER_INDEX(id) ((uint32_t)((id) / HOST_TIMER_KINDS))
#define HOST_TIMER_KIND(id) ((uint32_t)((id) % HOST_TIMER_KINDS))

bool host_heap_room(struct weir_host *h, struct weir_heap *heap, uint32_t need);
bool host_timers_room(struct weir_host *h, uint32_t need);
void host_timer_push(struct weir_host *h, uint64_t at_ps, uint32_t index, uint32_t kind);
#endif
