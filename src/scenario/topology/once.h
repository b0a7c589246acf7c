/* src/scenario/topology/once.h - sequences of 32-bit numbers that are stored once: equal ones share their place. The
 * lists behind routes are stored so (layers.c). */
#ifndef WEIR_TOPOLOGY_ONCE_H
#define WEIR_TOPOLOGY_ONCE_H
#include <stdbool.h>
#include <stdint.h>

struct weir_once_slot {    /* of the hash table */
    uint32_t first, count; /* the sequence: where it begins in number[], and its numbers; count 0 = the slot is free */
    uint32_t value;        /* the caller's, 0 at first */
};

struct weir_once {    /* zeros = empty */
    uint32_t *number; /* all sequences, end to end; owned */
    uint32_t used, room;
    struct weir_once_slot *slot; /* an open hash table, at most half full */
    uint32_t slots, filled;      /* slots: a power of two */
};

/**
 * Finds a sequence, and stores it if it is new.
 * @param number   `count` numbers, above 0
 * @param is_new  set to whether it was not there before
 * @return its slot, valid until the next call; NULL = no memory
 */
struct weir_once_slot *weir_once_intern(struct weir_once *once, const uint32_t *number, uint32_t count, bool *is_new);
void weir_once_free(struct weir_once *once);
#endif
