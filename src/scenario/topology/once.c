/* src/scenario/topology/once.c - see once.h. An open hash table of sequences, which doubles when it is half full. */
#include "topology/once.h"
#include "core/assert.h"
#include "core/rng.h"
#include <stdlib.h>
#include <string.h>

static uint32_t hash_of(const uint32_t *number, uint32_t count)
{
    uint32_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = weir_mix_u32(hash ^ number[i]);
    return hash;
}

/* Returns the slot of a sequence, or the free one where it belongs. There is a free one. */
static struct weir_once_slot *find(const struct weir_once *once, const uint32_t *number, uint32_t count)
{
    uint32_t at = hash_of(number, count) & (once->slots - 1);
    while (once->slot[at].count != 0 && (once->slot[at].count != count || memcmp(&once->number[once->slot[at].first],
                                                                                 number, count * sizeof(*number)) != 0))
        at = (at + 1) & (once->slots - 1);
    return &once->slot[at];
}

/* Doubles the hash table. @return false = no memory, and the table is as before */
static bool grow_slots(struct weir_once *once)
{
    struct weir_once old = *once;
    once->slots = old.slots == 0 ? 64 : 2 * old.slots;
    once->slot = calloc(once->slots, sizeof(*once->slot));
    if (once->slot == NULL) {
        *once = old;
        return false;
    }
    for (uint32_t i = 0; i < old.slots; i++)
        if (old.slot[i].count != 0)
            *find(once, &old.number[old.slot[i].first], old.slot[i].count) = old.slot[i];
    free(old.slot);
    return true;
}

/* Makes room for `count` more numbers. @return false = no memory */
static bool grow_numbers(struct weir_once *once, uint32_t count)
{
    uint32_t room = once->room == 0 ? 1024 : once->room;
    uint32_t *bigger;
    if (count <= once->room - once->used)
        return true;
    while (room - once->used < count)
        room *= 2;
    bigger = realloc(once->number, room * sizeof(*bigger));
    if (bigger == NULL)
        return false;
    once->number = bigger;
    once->room = room;
    return true;
}

struct weir_once_slot *weir_once_intern(struct weir_once *once, const uint32_t *number, uint32_t count, bool *is_new)
{
    struct weir_once_slot *slot;
    WEIR_ASSERT(count > 0);
    if (2 * once->filled >= once->slots && !grow_slots(once))
        return NULL;
    slot = find(once, number, count);
    *is_new = slot->count == 0;
    if (!*is_new)
        return slot;
    if (!grow_numbers(once, count))
        return NULL;
    memcpy(&once->number[once->used], number, count * sizeof(*number));
    *slot = (struct weir_once_slot){ .first = once->used, .count = count };
    once->used += count;
    once->filled++;
    return slot;
}

void weir_once_free(struct weir_once *once)
{
    free(once->number);
    free(once->slot);
    *once = (struct weir_once){ 0 };
}
