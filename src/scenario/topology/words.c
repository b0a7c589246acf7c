/* src/scenario/topology/words.c - see words.h. An open hash table of sequences, which doubles when it is half full. */
#include "topology/words.h"
#include "core/assert.h"
#include "core/rng.h"
#include <stdlib.h>
#include <string.h>

static uint32_t hash_of(const uint32_t *word, uint32_t count)
{
    uint32_t hash = count;
    for (uint32_t i = 0; i < count; i++)
        hash = weir_mix_u32(hash ^ word[i]);
    return hash;
}

/* Returns the slot of a sequence, or the free one where it belongs. There is a free one. */
static struct weir_words_slot *find(const struct weir_words *words, const uint32_t *word, uint32_t count)
{
    uint32_t at = hash_of(word, count) & (words->slots - 1);
    while (words->slot[at].count != 0 && (words->slot[at].count != count || memcmp(&words->word[words->slot[at].first],
                                                                                   word, count * sizeof(*word)) != 0))
        at = (at + 1) & (words->slots - 1);
    return &words->slot[at];
}

/* Doubles the hash table. @return false = no memory, and the table is as before */
static bool grow_slots(struct weir_words *words)
{
    struct weir_words old = *words;
    words->slots = old.slots == 0 ? 64 : 2 * old.slots;
    words->slot = calloc(words->slots, sizeof(*words->slot));
    if (words->slot == NULL) {
        *words = old;
        return false;
    }
    for (uint32_t i = 0; i < old.slots; i++)
        if (old.slot[i].count != 0)
            *find(words, &old.word[old.slot[i].first], old.slot[i].count) = old.slot[i];
    free(old.slot);
    return true;
}

/* Makes room for `count` more words. @return false = no memory */
static bool grow_words(struct weir_words *words, uint32_t count)
{
    uint32_t room = words->room == 0 ? 1024 : words->room;
    uint32_t *bigger;
    if (count <= words->room - words->used)
        return true;
    while (room - words->used < count)
        room *= 2;
    bigger = realloc(words->word, room * sizeof(*bigger));
    if (bigger == NULL)
        return false;
    words->word = bigger;
    words->room = room;
    return true;
}

struct weir_words_slot *weir_words_intern(struct weir_words *words, const uint32_t *word, uint32_t count, bool *is_new)
{
    struct weir_words_slot *slot;
    WEIR_ASSERT(count > 0);
    if (2 * words->filled >= words->slots && !grow_slots(words))
        return NULL;
    slot = find(words, word, count);
    *is_new = slot->count == 0;
    if (!*is_new)
        return slot;
    if (!grow_words(words, count))
        return NULL;
    memcpy(&words->word[words->used], word, count * sizeof(*word));
    *slot = (struct weir_words_slot){ .first = words->used, .count = count };
    words->used += count;
    words->filled++;
    return slot;
}

void weir_words_free(struct weir_words *words)
{
    free(words->word);
    free(words->slot);
    *words = (struct weir_words){ 0 };
}
