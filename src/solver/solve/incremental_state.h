/* src/solver/solve/incremental_state.h - the state of incremental.h, for the files that keep it: incremental_flows.c
 * has the flows, incremental_levels.c keeps links in balance. */
#ifndef WEIR_SOLVE_INCREMENTAL_STATE_H
#define WEIR_SOLVE_INCREMENTAL_STATE_H
#include "core/heap.h"
#include "solve/filling.h"
#include "solve/incremental.h"

struct inc_entry { /* a flow at a link */
    uint32_t flow, use;
};

struct inc_use { /* a link of a flow, and the flow's place among the entries of that link */
    uint32_t link, entry;
};

struct inc_seen {         /* a flow at the link that is computed */
    double limit;         /* level of its lowest other link; INFINITY = it has no other */
    double part;          /* weight times share */
    uint32_t flow, other; /* other: that link; WEIR_MAXMIN_NONE = none */
};

struct inc_link {
    double capacity;
    double highest; /* its highest level since all its flows counted for it */
    /* load: rates of its flows; weight: their weights; held: weights of those that it holds. Parts count as such */
    struct weir_sum load, weight, held;
    double free_part;        /* part of held that could rise: the other links of these flows are higher */
    double within;           /* how far it may be out of balance; at most that of the state, see inc_set_within() */
    double need;             /* how exact the links have to be that hold its other flows, likewise */
    double here;             /* what another link holds of it, while that is added up; else 0 */
    struct inc_entry *entry; /* count of room; the first held_count are of flows that it holds */
    uint32_t count, room, held_count;
    bool touched, queued; /* queued: in struct weir_incremental.out */
};

struct inc_flow {
    double weight, rate;
    uint32_t first, count; /* its uses */
    uint32_t holder;       /* WEIR_MAXMIN_NONE = no link has computed its rate yet, or it has none */
    bool moved, removed;
};

struct weir_incremental {
    double within;
    struct inc_link *link;
    double *level; /* per link; INFINITY = it limits no flow */
    uint32_t link_count;
    struct inc_flow *flow; /* flow_count of flow_room; live: those that were not removed */
    uint32_t flow_count, flow_room, live;
    struct inc_use *use; /* uses of use_room, in the order of flows; removed_uses: of flows that are gone */
    double *share;       /* per use; NULL = 1 for all */
    uint32_t uses, use_room, removed_uses;
    struct inc_seen *seen; /* per entry of the link that is computed */
    uint32_t seen_room;
    struct weir_heap out; /* links out of balance, by level; those of before may be in balance again */
    uint32_t *touched;    /* links whose load or flows have changed since they were last tested */
    uint32_t touched_count;
    uint32_t *other; /* links with something in `here` */
    uint32_t other_count;
    struct weir_incremental_moved *moved; /* since the change began; room for all flows */
    uint32_t moved_count;
    uint64_t steps; /* since the change began */
};

/* Returns the part of its flow on a use. */
static inline double inc_share(const struct weir_incremental *inc, uint32_t use)
{
    return inc->share != NULL ? inc->share[use] : 1;
}

/* Gives a flow a holder and a rate. Its links are touched. */
void inc_put(struct weir_incremental *inc, uint32_t f, uint32_t holder, double rate);
/* Gives a flow a holder and a rate, where nothing of its rate is on its links. */
void inc_reset(struct weir_incremental *inc, uint32_t f, uint32_t holder, double rate);
/* Gives a flow that was added its first rate and holder: those of the lowest of its links. */
void inc_admit(struct weir_incremental *inc, uint32_t f);
/* Marks a link to be tested by inc_balance(). */
void inc_touch(struct weir_incremental *inc, uint32_t link);
/* Brings all links that were touched, and those that follow, into balance; if that is more work than solving anew,
 * solves anew. @return 0, or WEIR_E_MEMORY with err */
int inc_balance(struct weir_incremental *inc, bool *solved, struct weir_err *err);
/* Fills inc->seen with the flows of a link, in the order of its entries. */
void inc_see(struct weir_incremental *inc, uint32_t link);
/* Solves anew, and sets all rates, holders and levels. @return 0, or a code with err, as weir_maxmin_solve() */
int inc_solve(struct weir_incremental *inc, struct weir_err *err);

/* ---- incremental_within.c ---- */

/* Sets how exact a link has to be, and has those that hold its other flows as exact as it needs them. The link has its
 * level, and inc_see() has seen its flows. */
void inc_set_within(struct weir_incremental *inc, uint32_t link);
/* Sets how exact all links have to be, when they are in balance. */
void inc_set_all_within(struct weir_incremental *inc);
/* Sets the part of what a link holds that could rise, by its weight. */
void inc_set_free(struct inc_link *l, double free_weight);
#endif
