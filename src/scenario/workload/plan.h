/* src/scenario/workload/plan.h - the plan: messages that are known before the run (incast, permutation, flow lists),
 * collected in any order and then sorted into weir_workload.listed. Also other declarations that the files of workload/
 * share. For this room; readers of jobs in config/ use the limits of times. */
#ifndef WEIR_WORKLOAD_PLAN_H
#define WEIR_WORKLOAD_PLAN_H
#include "core/units.h"
#include "workload/jobs.h"
#include "workload/workload.h"

#define WEIR_LISTED_MAX (UINT64_C(1) << 25) /* most messages; each takes 40 bytes in weir_workload.listed */
#define WEIR_TAGS_MAX (1u << 30)            /* most flows in lists; flows of jobs are not counted */
/* Largest start, stop and period. In femtoseconds it still fits 64 bits. */
#define WEIR_TRAFFIC_TIME_MAX (18000 * WEIR_PS_PER_S)
/* Largest mean gap, 288 s. Times 44.4 = -ln(2^-64) it still fits 64 bits. */
#define WEIR_GAP_MAX_FS (UINT64_C(1) << 58)
/* A load of 1. Loads are in 10^-12, because they are products of two fractions in ppm. */
#define WEIR_LOAD_ONE_PPT (UINT64_C(1000000) * 1000000)

struct weir_planned { /* a message in a plan */
    struct weir_listed what;
    uint32_t src;
    uint64_t order; /* number in the order of weir_plan_add(): the last sort key */
};

struct weir_announced { /* an entry of a group's list of senders */
    uint32_t group, sender;
};

struct weir_plan {            /* the messages planned so far; all zero but has_groups = empty */
    struct weir_planned *row; /* count messages; room: capacity of the array */
    uint64_t count, room;
    /* announced_count entries, in the order of weir_plan_announce(); none unless has_groups */
    struct weir_announced *announced;
    uint64_t announced_count, announced_room;
    uint32_t tags;   /* tags given to messages of flow lists so far, also to messages that do not start */
    uint32_t group;  /* largest number of a group so far; groups count from 1 */
    bool has_groups; /* weir_workload_limits.groups: messages have groups */
};

/* Adds a message of host src to the plan. @return 0, or a code with err: no memory, or more than WEIR_LISTED_MAX
 * messages */
int weir_plan_add(struct weir_plan *plan, uint32_t src, const struct weir_listed *what, struct weir_err *err);

/* Adds a sender to the list of a group, 1 .. plan->group. Called once per message of the sender in that group. Does
 * nothing unless plan->has_groups. @return 0, or WEIR_E_MEMORY with err */
int weir_plan_announce(struct weir_plan *plan, uint32_t group, uint32_t sender, struct weir_err *err);

/* Frees the memory of a plan and empties it. */
void weir_plan_free(struct weir_plan *plan);

/* Returns the time from which on no message of the item starts: its key `stop` or the end of the run, whichever is
 * earlier. */
static inline uint64_t weir_item_until_ps(const struct weir_traffic_config *item, uint64_t end_ps)
{
    return item->stop_ps < end_ps ? item->stop_ps : end_ps;
}

struct weir_incast { /* a checked incast item */
    const struct weir_traffic_config *item;
    const struct weir_workload_limits *limits;
    struct weir_host_range from, to; /* `from` has at least fan_in hosts besides each target in `to` */
    uint64_t period_fs; /* period in femtoseconds, above 0; with poisson arrivals at most WEIR_GAP_MAX_FS */
    uint32_t index;     /* index of the item in `traffic` */
};

/* Plans every event of an incast item before its stop and the end of the run. Event k = 1, 2, .. is at start + k *
 * period; with poisson arrivals the events follow after random gaps. @return 0, or a code with err */
int weir_plan_incast(struct weir_plan *plan, const struct weir_incast *incast, struct weir_err *err);

/* Plans one message from each host to its image under a random cyclic permutation. Plans nothing if the item starts at
 * or after its stop or the end of the run. index: of the item. @return 0, or a code with err */
int weir_plan_permutation(struct weir_plan *plan, const struct weir_traffic_config *item, uint32_t index,
                          const struct weir_workload_limits *limits, struct weir_err *err);

/* Plans the flows of the item's file that start in [start, stop) and before the end of the run. Every message of a flow
 * gets the next tag, also if the flow does not start. index: of the item. @return 0, or a code with err */
int weir_plan_flows(struct weir_plan *plan, const struct weir_traffic_config *item, uint32_t index,
                    const struct weir_workload_limits *limits, struct weir_err *err);

/* Counts the messages of the poisson item with index `item` that host `host` will start, by drawing all their start
 * times. The item must stop, or the run must end. */
uint64_t weir_source_count(const struct weir_workload *wl, uint32_t host, uint32_t item);

/* Sorts the plan by (src, start, item, order) into wl->listed and wl->listed_first, and builds the lists of groups.
 * Sets finite_messages and tag_count, and `weighted` if a weight is not 1. On success the plan is empty. @return 0, or
 * WEIR_E_MEMORY with err */
int weir_plan_finish(struct weir_plan *plan, struct weir_workload *wl, struct weir_err *err);

/* --- declarations shared by the steps of weir_workload_build(); functions in items.c --- */

struct weir_build { /* state of weir_workload_build(), passed from step to step */
    struct weir_workload *wl;
    const struct weir_workload_limits *limits;
    const struct weir_tok *where; /* positions of the items; may be NULL */
    struct weir_err *err;
    struct weir_plan plan;
    uint64_t load_ppt[WEIR_TRAFFIC_MAX]; /* load of each item, in 10^-12 of the host link; 0 = the kind has no load */
};

struct weir_percent { /* a percentage as text: "7.5 %" */
    char text[32];
};

/* Returns ppt, in 10^-12, as a percentage with at most four decimals, without trailing zeros. */
struct weir_percent weir_percent_of(uint64_t ppt);

/* Returns the position of item i, for messages; NULL = not known. */
static inline const struct weir_tok *weir_build_where(const struct weir_build *b, uint32_t i)
{
    return b->where != NULL ? &b->where[i] : NULL;
}

/* Tests whether the flows of an item are in struct weir_jobs and not in the plan: kinds jobs and pairs. */
static inline bool weir_item_is_graph(const struct weir_traffic_config *item)
{
    return item->kind == WEIR_TRAFFIC_JOBS || item->kind == WEIR_TRAFFIC_PAIRS;
}

/* Tests whether an item sends until its stop or the end of the run: kinds poisson, incast and cbr. */
static inline bool weir_item_lasts(const struct weir_traffic_config *item)
{
    return item->kind == WEIR_TRAFFIC_POISSON || item->kind == WEIR_TRAFFIC_INCAST || item->kind == WEIR_TRAFFIC_CBR;
}

/* Checks item i: refuses a missing key, a key that its kind does not use, and values that do not fit each other.
 * @return 0, or a code with b->err */
int weir_build_check_item(const struct weir_build *b, uint32_t i);

/* Computes b->load_ppt, the load of each item, and refuses a total load of 100 % or more. The items must have been
 * checked by weir_build_check_item(). @return 0, or a code with b->err */
int weir_build_loads(struct weir_build *b);

/* Reads a range of hosts, "7" or "0..9"; an empty text means all hosts. key: its name, for messages. @return 0, or a
 * code with b->err */
int weir_build_range(const struct weir_build *b, uint32_t i, const char *key, const char *text,
                     struct weir_host_range *range);
/* Reads a range that may have a step, "0..1023/8"; else as weir_build_range(). */
int weir_build_range_step(const struct weir_build *b, uint32_t i, const char *key, const char *text,
                          struct weir_host_range *range);

/* Reads the groups of senders that item i announces, of kind session: "0..7, 8..62/2". @return 0, or a code with
 * b->err */
int weir_build_groups(struct weir_build *b, uint32_t i);

/* Reads an item's key `weights`, as "1..10", or one weight; empty = 1. @return 0, or WEIR_E_RANGE with err */
int weir_plan_weights(const struct weir_traffic_config *item, uint64_t *low_q20, uint64_t *high_q20,
                      struct weir_err *err);
#endif
