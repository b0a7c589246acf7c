/* src/scenario/workload/plan.h - messages known before the run: incast, permutation, flow lists. Collected in any
 * order, then sorted into weir_workload.listed. And what else the files of this room share. Internal to workload/. */
#ifndef WEIR_WORKLOAD_PLAN_H
#define WEIR_WORKLOAD_PLAN_H
#include "core/units.h"
#include "workload/jobs.h"
#include "workload/workload.h"

#define WEIR_LISTED_MAX (UINT64_C(1) << 25)           /* messages; 40 bytes each in the end */
#define WEIR_TAGS_MAX (1u << 30)                      /* flows in lists; those of jobs come on top */
#define WEIR_TRAFFIC_TIME_MAX (18000 * WEIR_PS_PER_S) /* start, stop, period: in femtoseconds they still fit 64 bits */
#define WEIR_GAP_MAX_FS (UINT64_C(1) << 58)           /* 288 s: times 44.4 = -ln(2^-64) it still fits 64 bits */
#define WEIR_LOAD_ONE_PPT (UINT64_C(1000000) * 1000000) /* loads are in 10^-12: the product of two fractions in ppm */

struct weir_planned {
    struct weir_listed what;
    uint32_t src;
    uint64_t order; /* as added: the last thing to sort by */
};

struct weir_announced { /* a sender in the list of a group */
    uint32_t group, sender;
};

struct weir_plan {
    struct weir_planned *row; /* count of them, room for more */
    uint64_t count, room;
    struct weir_announced *announced; /* announced_count of them, in any order of groups; none unless groups is set */
    uint64_t announced_count, announced_room;
    uint32_t tags;   /* given to flows so far, whether they will start or not */
    uint32_t group;  /* the latest group; they count from 1 */
    bool has_groups; /* limits->groups */
};

/* Adds a message. @return 0, or a code with err: no memory, or more than WEIR_LISTED_MAX messages */
int weir_plan_add(struct weir_plan *plan, uint32_t src, const struct weir_listed *what, struct weir_err *err);

/* Puts a sender into the list of a group, 1 .. plan->group, once per message of it. Where there are no groups it does
 * nothing.
 * @return 0, or WEIR_E_MEMORY with err */
int weir_plan_announce(struct weir_plan *plan, uint32_t group, uint32_t sender, struct weir_err *err);

/* Frees what a plan holds. */
void weir_plan_free(struct weir_plan *plan);

/* Returns when the item's messages stop: the earlier of its own stop and the end of the run. */
static inline uint64_t weir_item_until_ps(const struct weir_traffic_config *item, uint64_t end_ps)
{
    return item->stop_ps < end_ps ? item->stop_ps : end_ps;
}

struct weir_incast { /* an item of that kind, checked */
    const struct weir_traffic_config *item;
    const struct weir_workload_limits *limits;
    struct weir_host_range from, to; /* fan_in hosts at least are in from for every target in to */
    uint64_t period_fs;              /* above 0; with poisson arrivals at most WEIR_GAP_MAX_FS */
    uint32_t index;                  /* of the item */
};

/* Plans every event of an incast item up to its end: event k = 1, 2, .. at start + k * period, or after random gaps. */
int weir_plan_incast(struct weir_plan *plan, const struct weir_incast *incast, struct weir_err *err);

/* Plans one message from each host to its image under a random cyclic permutation. */
int weir_plan_permutation(struct weir_plan *plan, const struct weir_traffic_config *item, uint32_t index,
                          const struct weir_workload_limits *limits, struct weir_err *err);

/* Plans the flows of the item's file, as far as they start in [start, stop). Each gets the next tag, also those that do
 * not. */
int weir_plan_flows(struct weir_plan *plan, const struct weir_traffic_config *item, uint32_t index,
                    const struct weir_workload_limits *limits, struct weir_err *err);

/* Counts the messages of poisson item `item` that host `host` will start; only if the item stops. Walks them all. */
uint64_t weir_source_count(const struct weir_workload *wl, uint32_t host, uint32_t item);

/* Sorts the plan by (src, start, item, order) into wl->listed and wl->listed_first, makes the lists of groups, sets how
 * many tags there are and whether weights differ; empties the plan. */
int weir_plan_finish(struct weir_plan *plan, struct weir_workload *wl, struct weir_err *err);

/* --- weir_workload_build(): what its steps share; in items.c --- */

struct weir_build { /* what the steps hand on to each other */
    struct weir_workload *wl;
    const struct weir_workload_limits *limits;
    const struct weir_tok *where; /* of the items; may be NULL */
    struct weir_err *err;
    struct weir_plan plan;
    uint64_t load_ppt[WEIR_TRAFFIC_MAX]; /* what each item offers, in 10^-12 of the host link; 0 = a list, no load */
};

struct weir_percent { /* a fraction as text: "7.5 %" */
    char text[32];
};

/* Prints 10^-12 parts of 1 as a percentage, without zeros at its end. */
struct weir_percent weir_percent_of(uint64_t ppt);

/* Returns the position of item i, for messages; NULL = unknown. */
static inline const struct weir_tok *weir_build_where(const struct weir_build *b, uint32_t i)
{
    return b->where != NULL ? &b->where[i] : NULL;
}

/* Asks whether the flows are those that jobs are made of: taken as a whole. */
static inline bool weir_item_is_graph(const struct weir_traffic_config *item)
{
    return item->kind == WEIR_TRAFFIC_JOBS || item->kind == WEIR_TRAFFIC_PAIRS;
}

/* Refuses an item that is not complete, or has keys that its kind does not use. @return 0, or a code with b->err */
int weir_build_check_item(const struct weir_build *b, uint32_t i);

/* Finds what each item offers, b->load_ppt, and refuses a total load of 100 % or more. Items are checked before.
 * @return 0, or a code with b->err */
int weir_build_loads(struct weir_build *b);
#endif
