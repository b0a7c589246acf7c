/* src/results/output/kept.c - see kept.h. A message that is not among the slowest, or is no longer, is offered to the
 * others. So in the end the others are the messages with the least hashes of all that are not among the slowest.
 * A new message is written to a row that is free. The message that is not kept then leaves its row free. */
#include "output/kept.h"
#include "core/assert.h"
#include "core/math.h"
#include "core/rng.h"
#include <stdlib.h>

#define PPM UINT64_C(1000000)

static bool entry_before(const struct weir_kept_entry *a, const struct weir_kept_entry *b)
{
    return a->key != b->key ? a->key < b->key : a->id < b->id;
}

static void heap_push(struct weir_kept_heap *heap, struct weir_kept_entry entry)
{
    uint32_t at = heap->count++;
    WEIR_ASSERT(at < heap->most);
    for (; at > 0 && entry_before(&entry, &heap->entry[(at - 1) / 2]); at = (at - 1) / 2)
        heap->entry[at] = heap->entry[(at - 1) / 2];
    heap->entry[at] = entry;
}

/* Replaces the first entry, which has the least key. */
static void heap_replace(struct weir_kept_heap *heap, struct weir_kept_entry entry)
{
    uint32_t at = 0, child;
    WEIR_ASSERT(heap->count > 0);
    while ((child = 2 * at + 1) < heap->count) {
        if (child + 1 < heap->count && entry_before(&heap->entry[child + 1], &heap->entry[child]))
            child++;
        if (!entry_before(&heap->entry[child], &entry))
            break;
        heap->entry[at] = heap->entry[child];
        at = child;
    }
    heap->entry[at] = entry;
}

int weir_kept_init(struct weir_kept *kept, uint32_t most, struct weir_err *err)
{
    WEIR_ASSERT(most >= 1 && most <= WEIR_KEPT_MAX);
    *kept = (struct weir_kept){ .most = most, .slowest.most = most / 2, .others.most = most - most / 2 };
    kept->row = calloc((size_t)most + 1, sizeof(*kept->row));
    kept->slowest.entry = calloc((size_t)kept->slowest.most + 1, sizeof(*kept->slowest.entry));
    kept->others.entry = calloc(kept->others.most, sizeof(*kept->others.entry));
    if (kept->row != NULL && kept->slowest.entry != NULL && kept->others.entry != NULL)
        return 0;
    weir_kept_free(kept);
    return weir_fail(err, WEIR_E_MEMORY, NULL, "a smaller N needs less",
                     "--keep-messages %u: not enough memory for so many messages", (unsigned)most);
}

/* Offers a message to the others. Returns the row that is free then. */
static uint32_t offer_other(struct weir_kept *kept, uint64_t id, uint32_t row)
{
    struct weir_kept_heap *others = &kept->others;
    struct weir_kept_entry entry = { ~weir_rng_key(0, id, WEIR_RNG_SAMPLE, 0), id, row };
    uint32_t left;
    if (others->count < others->most) {
        heap_push(others, entry);
        return kept->slowest.count + others->count;
    }
    if (entry_before(&entry, &others->entry[0]))
        return row;
    left = others->entry[0].row;
    heap_replace(others, entry);
    return left;
}

void weir_kept_add(struct weir_kept *kept, const struct weir_account_row *row)
{
    struct weir_kept_heap *slowest = &kept->slowest;
    const struct weir_delivery *d = &row->d;
    struct weir_kept_entry entry = { .id = d->id, .row = kept->free_row };
    if (d->is_reply)
        return;
    WEIR_ASSERT(d->end_ps >= d->start_ps);
    kept->messages++;
    kept->row[entry.row] = *row;
    entry.key = d->ideal_ps > 0 ? weir_mul_div_u64(d->end_ps - d->start_ps, PPM, d->ideal_ps) : 0;
    if (slowest->count < slowest->most) {
        heap_push(slowest, entry);
        kept->free_row = slowest->count;
        return;
    }
    if (slowest->count > 0 && entry_before(&slowest->entry[0], &entry)) {
        struct weir_kept_entry left = slowest->entry[0];
        heap_replace(slowest, entry);
        entry = left;
    }
    kept->free_row = offer_other(kept, entry.id, entry.row);
}

/* Returns how many messages a row of the others stands for. */
static double weight_of_others(const struct weir_kept *kept)
{
    uint64_t messages = kept->messages - kept->slowest.count;
    return kept->others.count > 0 ? (double)messages / kept->others.count : 1;
}

struct weir_store_kept weir_kept_about(const struct weir_kept *kept)
{
    return (struct weir_store_kept){ .most = kept->most,
                                     .messages = kept->messages,
                                     .slowest = kept->slowest.count,
                                     .others = kept->others.count,
                                     .slowest_from_ppm = kept->slowest_from_ppm,
                                     .weight = weight_of_others(kept) };
}

static int compare_entries(const void *a, const void *b)
{
    return entry_before(a, b) ? -1 : entry_before(b, a);
}

static void sort_by_end(const struct weir_kept *kept, struct weir_kept_heap *heap)
{
    for (uint32_t i = 0; i < heap->count; i++)
        heap->entry[i].key = kept->row[heap->entry[i].row].finish_ps;
    qsort(heap->entry, heap->count, sizeof(*heap->entry), compare_entries);
}

bool weir_kept_each(struct weir_kept *kept, bool (*take)(void *ctx, const struct weir_store_message *message),
                    void *ctx)
{
    const struct weir_kept_heap *slowest = &kept->slowest, *others = &kept->others;
    uint32_t s = 0, o = 0;
    kept->slowest_from_ppm = slowest->count > 0 ? slowest->entry[0].key : 0;
    sort_by_end(kept, &kept->slowest);
    sort_by_end(kept, &kept->others);
    while (s < slowest->count || o < others->count) {
        bool is_slowest =
            o == others->count || (s < slowest->count && entry_before(&slowest->entry[s], &others->entry[o]));
        const struct weir_kept_entry *entry = is_slowest ? &slowest->entry[s++] : &others->entry[o++];
        const struct weir_store_message message = { kept->row[entry->row].d, is_slowest ? 1 : weight_of_others(kept) };
        if (!take(ctx, &message))
            return false;
    }
    return true;
}

void weir_kept_free(struct weir_kept *kept)
{
    free(kept->row);
    free(kept->slowest.entry);
    free(kept->others.entry);
    *kept = (struct weir_kept){ 0 };
}
