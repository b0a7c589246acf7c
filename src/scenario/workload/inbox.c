/* src/scenario/workload/inbox.c - see inbox.h. */
#include "workload/inbox.h"
#include <stdlib.h>

static bool inbox_room(struct weir_inbox *inbox)
{
    struct weir_heap *heap = &inbox->waiting;
    uint32_t room = heap->capacity == 0 ? 16 : 2 * heap->capacity;
    struct weir_heap_entry *larger;
    if (heap->count < heap->capacity)
        return true;
    if (heap->capacity > UINT32_MAX / 2)
        return false;
    larger = realloc(heap->entry, room * sizeof(*larger));
    if (larger == NULL)
        return false;
    heap->entry = larger;
    heap->capacity = room;
    return true;
}

/* Returns a row that is not in use. */
static uint32_t inbox_new_row(struct weir_inbox *inbox)
{
    uint32_t row = inbox->used, k = 31 - (uint32_t)__builtin_clz(row / 64 + 1);
    if (inbox->free_head != 0) {
        row = inbox->free_head - 1;
        inbox->free_head = weir_inbox_row(inbox, row)->next_free;
        return row;
    }
    if (k >= WEIR_INBOX_BLOCKS)
        return WEIR_INBOX_FULL;
    if (inbox->block[k] == NULL)
        inbox->block[k] = calloc((size_t)64 << k, sizeof(*inbox->block[k]));
    if (inbox->block[k] == NULL)
        return WEIR_INBOX_FULL;
    inbox->used++;
    return row;
}

bool weir_inbox_mirror(struct weir_inbox *inbox, uint32_t row, const struct weir_inbox_row *from)
{
    uint32_t k = 31 - (uint32_t)__builtin_clz(row / 64 + 1);
    WEIR_ASSERT(k < WEIR_INBOX_BLOCKS && !from->waits);
    if (inbox->block[k] == NULL)
        inbox->block[k] = calloc((size_t)64 << k, sizeof(*inbox->block[k]));
    if (inbox->block[k] == NULL)
        return false;
    *weir_inbox_row(inbox, row) = *from;
    return true;
}

uint32_t weir_inbox_put(struct weir_inbox *inbox, uint64_t start_ps, bool is_late, const struct weir_inbox_row *from)
{
    uint32_t row = inbox_room(inbox) ? inbox_new_row(inbox) : WEIR_INBOX_FULL, epoch;
    struct weir_inbox_row *r;
    uint64_t order;
    if (row == WEIR_INBOX_FULL)
        return WEIR_INBOX_FULL;
    r = weir_inbox_row(inbox, row);
    epoch = r->epoch;
    *r = *from;
    r->start_ps = start_ps;
    r->epoch = epoch;
    r->waits = true;
    r->is_cancelled = false;
    order = (uint64_t)is_late << 31 | (inbox->puts[is_late]++ & 0x7fffffffu);
    weir_heap_push(&inbox->waiting, start_ps, order << 32 | row);
    return row;
}

/* Gives cancelled rows back, as long as one is first: the first that waits is always one that will be taken. */
static void inbox_skip(struct weir_inbox *inbox)
{
    while (inbox->waiting.count > 0) {
        uint32_t row = (uint32_t)inbox->waiting.entry[0].id;
        if (!weir_inbox_row(inbox, row)->is_cancelled)
            return;
        weir_heap_pop(&inbox->waiting);
        weir_inbox_row(inbox, row)->waits = false;
        weir_inbox_give(inbox, row);
    }
}

uint32_t weir_inbox_take(struct weir_inbox *inbox)
{
    uint32_t row = (uint32_t)inbox->waiting.entry[0].id;
    WEIR_ASSERT(!weir_inbox_row(inbox, row)->is_cancelled);
    weir_heap_pop(&inbox->waiting);
    weir_inbox_row(inbox, row)->waits = false;
    inbox_skip(inbox);
    return row;
}

void weir_inbox_cancel(struct weir_inbox *inbox, uint32_t row)
{
    WEIR_ASSERT(weir_inbox_row(inbox, row)->waits);
    weir_inbox_row(inbox, row)->is_cancelled = true;
    inbox_skip(inbox);
}

void weir_inbox_give(struct weir_inbox *inbox, uint32_t row)
{
    struct weir_inbox_row *r = weir_inbox_row(inbox, row);
    WEIR_ASSERT(row < inbox->used && !r->waits);
    r->next_free = inbox->free_head;
    r->epoch++;
    inbox->free_head = row + 1;
}

void weir_inbox_free(struct weir_inbox *inbox)
{
    for (uint32_t k = 0; k < WEIR_INBOX_BLOCKS; k++)
        free(inbox->block[k]);
    free(inbox->waiting.entry);
    *inbox = (struct weir_inbox){ 0 };
}
