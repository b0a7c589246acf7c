/* src/algorithms/host/common/table.h - functions that make tables, pools, numbers, maps, rings and arrays grow. All
 * memory comes from the world (struct weir_mem) and is zeroed. Where the world has no more, functions return NULL or
 * false, and nothing has changed. */
#ifndef WEIR_HOST_COMMON_TABLE_H
#define WEIR_HOST_COMMON_TABLE_H
#include "host/common/state.h"

void *host_grow(struct weir_host *h, size_t bytes);
void *host_widen(struct weir_host *h, void *old, size_t old_bytes, size_t used_bytes, size_t bytes);
void *host_table_add(struct weir_host *h, struct host_table *t, uint32_t shift, uint32_t *index);
void *host_pool_take(struct weir_host *h, struct host_table *t, uint32_t shift, uint32_t *index);
void host_pool_give(struct host_table *t, void *record, uint32_t index);
uint16_t *host_number_slot(struct weir_host *h, struct host_numbers *n, uint32_t id);
bool host_map_put(struct weir_host *h, struct host_map *map, uint32_t tag, uint32_t index);
void host_map_remove(struct host_map *map, uint32_t tag, uint32_t index);
bool host_ring_grow(struct weir_host *h, struct host_ring *ring, uint32_t stride, uint32_t need, uint32_t most);
void *host_ring_entry(struct weir_host *h, struct host_ring *ring, uint32_t i, uint32_t stride, uint32_t most);
void host_packets_drop(struct host_ring *packets, struct host_ring *parallel, uint32_t stride, uint32_t dst);

/* Makes room for `need` entries in total. most: largest number of entries; stride: size of an entry. @return false =
 * the ring must grow, but need > most or there is no memory; nothing has changed */
static inline bool host_ring_room(struct weir_host *h, struct host_ring *ring, uint32_t stride, uint32_t need,
                                  uint32_t most)
{
    return WEIR_LIKELY(need <= ring->capacity) || host_ring_grow(h, ring, stride, need, most);
}
#endif
