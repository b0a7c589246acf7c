/* src/results/output/calls.h - pairs messages with their replies. The rows of both pass by in the order in which their
 * senders know of the delivery, so either may be first. */
#ifndef WEIR_OUTPUT_CALLS_H
#define WEIR_OUTPUT_CALLS_H
#include "measure/result.h"
#include <stddef.h>

struct weir_call {          /* a message that waits for its reply, or a reply that waits for its message */
    uint64_t order;         /* counts what was stored, from 1; 0 = the slot is empty */
    struct weir_delivery d; /* its key is the id of the message: d.call of a reply, else d.id */
};

struct weir_calls { /* a hash table with linear probing; zeros = empty */
    struct weir_call *slot;
    size_t capacity, count; /* capacity: a power of two, or 0 */
    uint64_t stored;        /* messages and replies stored so far */
};

/* Finds the counterpart of *d: the reply to a message, or the message of a reply. If it is in the table, moves it to
 * *other and sets *found; else stores *d. @return 0, or WEIR_E_MEMORY */
int weir_calls_pair(struct weir_calls *calls, const struct weir_delivery *d, struct weir_delivery *other, bool *found);

/* Sorts what is left by the order in which it was stored; it is then in slot[0 .. count). Called last: the table can
 * then only be freed. */
void weir_calls_sort(struct weir_calls *calls);

void weir_calls_free(struct weir_calls *calls);
#endif
