/* src/scenario/workload/inbox.h - messages of one host that were not known before the run: a program announces them
 * while the run goes on (traffic of kind session). A source (workload.h) merges them with its other messages. */
#ifndef WEIR_WORKLOAD_INBOX_H
#define WEIR_WORKLOAD_INBOX_H
#include "core/heap.h"
#include "core/units.h"

#define WEIR_INBOX_BLOCKS 26u      /* block k holds 64 << k rows */
#define WEIR_INBOX_FULL UINT32_MAX /* no row: no memory, or 2^32 rows are in use */
#define WEIR_INBOX_NO_NUMBER UINT32_MAX
#define WEIR_INBOX_NO_ITEM UINT8_MAX /* item of timers and changes that a session gives: they are of no traffic */
#define WEIR_INBOX_TIMER UINT32_MAX  /* dst of a row that is a timer of the host: no message starts */

struct weir_inbox_row {
    uint64_t bytes, weight_q20;
    uint64_t start_ps;
    uint64_t user;            /* of the program, which events of this message have */
    uint32_t dst, group;      /* group: as in struct weir_message */
    uint32_t next_free;       /* of a free row: the next one, plus 1; 0 = none. Of a change: as change_head */
    uint32_t change_head;     /* of a message: the first of its changes that wait, plus 1; 0 = none */
    uint32_t epoch;           /* how often the row was given back */
    uint32_t handle;          /* of a message that has started: its number at its host */
    uint32_t number;          /* of the program's message, in the order of calls; or WEIR_INBOX_NO_NUMBER */
    uint8_t item;             /* of the scenario */
    bool waits, is_cancelled; /* in the heap; its message must not start */
    bool is_change; /* with WEIR_INBOX_TIMER: the message that `user` names gets the weight weight_q20, and no timer is
                       due */
    bool is_listed; /* of a change: `user` is the id of a message of the scenario's own traffic, not of an inbox */
};

/* Rows do not move, so other threads may read them. A row is in use until weir_inbox_give(). */
struct weir_inbox {
    struct weir_heap waiting; /* messages that have not started, by (start, is_late, order of calls, row) */
    struct weir_inbox_row *block[WEIR_INBOX_BLOCKS];
    uint32_t used, free_head; /* rows ever used; the first free row, plus 1 */
    uint32_t puts[2];         /* by is_late: number of the next row in the order of calls; wraps around, see below */
};

/* Returns a row. */
static inline struct weir_inbox_row *weir_inbox_row(const struct weir_inbox *inbox, uint32_t row)
{
    uint32_t k = 31 - (uint32_t)__builtin_clz(row / 64 + 1);
    return &inbox->block[k][row - 64 * ((1u << k) - 1)];
}

/**
 * Adds a row that is due at start_ps. Of equal times those that are not late come first, then the order of calls
 * decides. It does so up to 2^31 rows of each kind; after that the count begins again.
 * @param is_late  of a call-back: whether the others of its instant have been put already depends on threads
 * @return the number of the row, or WEIR_INBOX_FULL
 */
uint32_t weir_inbox_put(struct weir_inbox *inbox, uint64_t start_ps, bool is_late, const struct weir_inbox_row *from);

/* Keeps a copy of a row of an inbox that another process has, under its number there. @return false = no memory */
bool weir_inbox_mirror(struct weir_inbox *inbox, uint32_t row, const struct weir_inbox_row *from);

/* Takes the row that is due first out of the waiting ones; there must be one. It stays in use. @return its number */
uint32_t weir_inbox_take(struct weir_inbox *inbox);

/* Cancels a waiting row: it is never taken. */
void weir_inbox_cancel(struct weir_inbox *inbox, uint32_t row);

/* Returns when the first waiting row is due; WEIR_NEVER = none waits. */
static inline uint64_t weir_inbox_next_ps(const struct weir_inbox *inbox)
{
    return inbox->waiting.count > 0 ? inbox->waiting.entry[0].at_ps : WEIR_NEVER;
}

/* Gives a row back that is in use and does not wait. */
void weir_inbox_give(struct weir_inbox *inbox, uint32_t row);
/* Frees all memory of an inbox, and empties it. */
void weir_inbox_free(struct weir_inbox *inbox);
#endif
