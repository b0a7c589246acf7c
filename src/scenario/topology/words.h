/* src/scenario/topology/words.h - sequences of 32-bit words that are stored once: equal ones share their place. The
 * lists behind routes are stored so (layers.c). */
#ifndef WEIR_TOPOLOGY_WORDS_H
#define WEIR_TOPOLOGY_WORDS_H
#include <stdbool.h>
#include <stdint.h>

struct weir_words_slot {   /* of the hash table */
    uint32_t first, count; /* the sequence: where it begins in word[], and its words; count 0 = the slot is free */
    uint32_t value;        /* the caller's, 0 at first */
};

struct weir_words { /* zeros = empty */
    uint32_t *word; /* all sequences, end to end; owned */
    uint32_t used, room;
    struct weir_words_slot *slot; /* an open hash table, at most half full */
    uint32_t slots, filled;       /* slots: a power of two */
};

/**
 * Finds a sequence, and stores it if it is new.
 * @param word   `count` words, above 0
 * @param is_new  set to whether it was not there before
 * @return its slot, valid until the next call; NULL = no memory
 */
struct weir_words_slot *weir_words_intern(struct weir_words *words, const uint32_t *word, uint32_t count, bool *is_new);
void weir_words_free(struct weir_words *words);
#endif
