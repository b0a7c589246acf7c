/* src/algorithms/host/common/timers.c - the timer heap of a host, and room for its entries. An entry has a time, a
 * kind, and the index of the record that it concerns. Each half of the end host defines its own kinds. */
#include "core/math.h"
#include "host/common/table.h"
#include "host/common/timers.h"

/* Moves a heap to more memory: room for `need` entries and a quarter more. A quarter, because each connection has an
 * entry, and memory per active flow is limited. used: entries at the front that are kept. @return false = no memory */
static bool heap_grow(struct weir_host *h, struct weir_heap *heap, uint32_t need, uint32_t used)
{
    uint32_t capacity = need < 16 ? 16 : need + need / 4;
    WEIR_ASSERT(used <= heap->capacity);
    struct weir_heap_entry *entry =
        host_widen(h, heap->entry, heap->capacity * sizeof(*entry), used * sizeof(*entry), capacity * sizeof(*entry));
    if (entry == NULL)
        return false;
    heap->entry = entry;
    heap->capacity = capacity;
    return true;
}

/* Makes room for `need` entries in total. @return false = no memory */
bool host_heap_room(struct weir_host *h, struct weir_heap *heap, uint32_t need)
{
    return need <= heap->capacity || heap_grow(h, heap, need, heap->count);
}

/* Makes room for `need` entries in total in the host's timer heap. @return false = no memory */
bool host_timers_room(struct weir_host *h, uint32_t need)
{
    struct weir_timers *timers = &h->timers;
    need = weir_timers_room(need);
    return need <= timers->heap.capacity || heap_grow(h, &timers->heap, need, timers->end);
}

/* Adds an entry to the timer heap, which must have room for it, and updates h->next_ps. */
void host_timer_push(struct weir_host *h, uint64_t at_ps, uint32_t index, uint32_t kind)
{
    WEIR_CHECK(kind < HOST_TIMER_KINDS);
    WEIR_CHECK(h->timers.heap.count + (h->timers.end - h->timers.first) < h->timers.heap.capacity);
    h->next_ps = weir_min_u64(h->next_ps, at_ps);
    weir_timers_set(&h->timers, at_ps, HOST_TIMER_ID(index, kind));
}
