/* src/results/output/calls.c - see calls.h. */
#include "output/calls.h"
#include "core/assert.h"
#include "core/err.h"
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_FIRST = 64 };

static uint64_t key_of(const struct weir_delivery *d)
{
    return d->is_reply ? d->call : d->id;
}

/* Returns the first slot that a key may be in. The multiplier is 2^64 over the golden ratio. */
static size_t home_of(const struct weir_calls *calls, uint64_t key)
{
    return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (calls->capacity - 1);
}

/* Returns the slot with a key, or the empty slot where the key belongs. */
static struct weir_call *find(const struct weir_calls *calls, uint64_t key)
{
    size_t i = home_of(calls, key);
    while (calls->slot[i].order != 0 && key_of(&calls->slot[i].d) != key)
        i = (i + 1) & (calls->capacity - 1);
    return &calls->slot[i];
}

/* Doubles the table, so that at most half of the slots are in use. */
static int grow(struct weir_calls *calls)
{
    struct weir_calls bigger = *calls;
    bigger.capacity = calls->capacity == 0 ? CAPACITY_FIRST : 2 * calls->capacity;
    bigger.slot = calloc(bigger.capacity, sizeof(*bigger.slot));
    if (bigger.slot == NULL)
        return WEIR_E_MEMORY;
    for (size_t i = 0; i < calls->capacity; i++)
        if (calls->slot[i].order != 0)
            *find(&bigger, key_of(&calls->slot[i].d)) = calls->slot[i];
    free(calls->slot);
    *calls = bigger;
    return 0;
}

/* Empties a slot, and stores the entries behind it anew, for a search ends at an empty slot. */
static void take(struct weir_calls *calls, struct weir_call *at)
{
    size_t i = (size_t)(at - calls->slot);
    at->order = 0;
    calls->count--;
    for (;;) {
        struct weir_call moved;
        i = (i + 1) & (calls->capacity - 1);
        if (calls->slot[i].order == 0)
            return;
        moved = calls->slot[i];
        calls->slot[i].order = 0;
        *find(calls, key_of(&moved.d)) = moved;
    }
}

int weir_calls_pair(struct weir_calls *calls, const struct weir_delivery *d, struct weir_delivery *other, bool *found)
{
    struct weir_call *at;
    if (2 * (calls->count + 1) > calls->capacity && grow(calls) != 0)
        return WEIR_E_MEMORY;
    at = find(calls, key_of(d));
    *found = at->order != 0;
    if (*found) {
        WEIR_ASSERT(at->d.is_reply != d->is_reply);
        *other = at->d;
        take(calls, at);
        return 0;
    }
    *at = (struct weir_call){ .order = ++calls->stored, .d = *d };
    calls->count++;
    return 0;
}

/* Orders slots; empty ones come last. */
static int compare(const void *a, const void *b)
{
    const struct weir_call *x = a, *y = b;
    if (x->order == 0 || y->order == 0)
        return (x->order == 0) - (y->order == 0);
    return x->order < y->order ? -1 : x->order > y->order;
}

void weir_calls_sort(struct weir_calls *calls)
{
    if (calls->count > 0)
        qsort(calls->slot, calls->capacity, sizeof(*calls->slot), compare);
}

void weir_calls_free(struct weir_calls *calls)
{
    free(calls->slot);
    *calls = (struct weir_calls){ 0 };
}
