/* src/scenario/workload/ranks_progress.c - checks that all nodes of a graph end. It is executed without time: nodes
 * begin in any order, and a message is there as soon as its send has begun. That is exact if it is known which receive
 * takes which message, as each node then waits for a fixed set of others. */
#include "core/assert.h"
#include "workload/ranks_internal.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIST = 300 }; /* bytes of a circle in a message: longer ones are cut */

#define BEGUN (1u << 31)
#define ARRIVED (1u << 30) /* of a receive: its message is there */
#define LEFT (ARRIVED - 1) /* number of nodes for which a node still waits */

struct position { /* a node: its rank, and its number in the rank */
    uint32_t rank, number;
};

struct progress {
    const struct weir_ranks *ranks;
    const struct weir_takers *takers;
    uint32_t *state; /* by node: BEGUN, ARRIVED, and LEFT */
    union {
        struct position *ready; /* nodes that wait for nothing, in a stack */
        uint64_t *before;       /* by node, once nothing is ready: a node for which it waits */
    } memory;
    uint64_t ready_count, ended;
};

static uint64_t index_of(const struct weir_ranks *ranks, struct position at)
{
    WEIR_ASSERT(at.number < ranks->first[at.rank + 1] - ranks->first[at.rank]);
    return ranks->first[at.rank] + at.number;
}

/* Returns the receive that takes the message of a send. */
static struct position taker_of(const struct progress *p, uint64_t send)
{
    return (struct position){ p->ranks->node[send].peer, p->takers->receive[send] };
}

/* Lets those go on that wait for the beginning of a node, or for its end. */
static void release(struct progress *p, struct position at, bool begun)
{
    const struct weir_rank_node *node = &p->ranks->node[index_of(p->ranks, at)];
    for (uint32_t i = 0; i < node->next_count; i++) {
        uint32_t edge = p->ranks->edge[node->next_first + i];
        struct position later = { at.rank, edge & ~WEIR_RANK_AT_START };
        if (((edge & WEIR_RANK_AT_START) != 0) == begun && (--p->state[index_of(p->ranks, later)] & LEFT) == 0)
            p->memory.ready[p->ready_count++] = later;
    }
    p->ended += !begun;
}

static void begin(struct progress *p, struct position at)
{
    uint64_t n = index_of(p->ranks, at);
    uint32_t op = p->ranks->node[n].op;
    WEIR_ASSERT((p->state[n] & (BEGUN | LEFT)) == 0);
    p->state[n] |= BEGUN;
    release(p, at, true);
    if (op != WEIR_RANK_RECV || (p->state[n] & ARRIVED) != 0)
        release(p, at, false);
    if (op == WEIR_RANK_SEND) {
        struct position taker = taker_of(p, n);
        uint32_t *state = &p->state[index_of(p->ranks, taker)];
        *state |= ARRIVED;
        if ((*state & BEGUN) != 0)
            release(p, taker, false);
    }
}

/* Begins nodes until none is ready. */
static void execute(struct progress *p)
{
    for (uint32_t rank = 0; rank < p->ranks->ranks; rank++)
        for (uint64_t n = p->ranks->first[rank]; n < p->ranks->first[rank + 1]; n++) {
            p->state[n] = p->ranks->node[n].waits;
            WEIR_ASSERT(p->state[n] <= LEFT);
            if (p->state[n] == 0)
                p->memory.ready[p->ready_count++] = (struct position){ rank, (uint32_t)(n - p->ranks->first[rank]) };
        }
    while (p->ready_count > 0)
        begin(p, p->memory.ready[--p->ready_count]);
}

static bool has_ended(const struct progress *p, uint64_t n)
{
    uint32_t needed = p->ranks->node[n].op == WEIR_RANK_RECV ? BEGUN | ARRIVED : BEGUN;
    return (p->state[n] & needed) == needed;
}

/* Sets for each node that has not ended a node for which it waits. */
static void find_before(struct progress *p)
{
    const struct weir_ranks *ranks = p->ranks;
    for (uint32_t rank = 0; rank < ranks->ranks; rank++)
        for (uint64_t n = ranks->first[rank]; n < ranks->first[rank + 1]; n++) {
            const struct weir_rank_node *node = &ranks->node[n];
            if (node->op == WEIR_RANK_SEND && (p->state[n] & BEGUN) == 0) {
                uint64_t taker = index_of(ranks, taker_of(p, n));
                if ((p->state[taker] & BEGUN) != 0)
                    p->memory.before[taker] = n;
            }
            for (uint32_t i = 0; i < node->next_count; i++) {
                uint32_t edge = ranks->edge[node->next_first + i];
                bool done = (edge & WEIR_RANK_AT_START) != 0 ? (p->state[n] & BEGUN) != 0 : has_ended(p, n);
                if (!done)
                    p->memory.before[ranks->first[rank] + (edge & ~WEIR_RANK_AT_START)] = n;
            }
        }
}

/* Writes "rank 0 line 7" for a node. @return its length, uncut */
static size_t put_node(const struct weir_ranks *ranks, uint64_t n, char *text, size_t room)
{
    uint32_t low = 0, high = ranks->ranks - 1, line = ranks->node[n].line;
    const char *what = line == 0 ? "node number" : ranks->line_is != NULL ? ranks->line_is : "line";
    while (low < high) { /* the last rank that begins at n or before, and has nodes */
        uint32_t middle = low + (high - low + 1) / 2;
        if (ranks->first[middle] <= n)
            low = middle;
        else
            high = middle - 1;
    }
    int put = snprintf(text, room, "rank %" PRIu32 " %s %" PRIu64, low, what, line != 0 ? line : n - ranks->first[low]);
    return put > 0 ? (size_t)put : 0;
}

/* Reports a circle: going back from a node that has not ended leads into one. @return WEIR_E_CONFLICT with err */
static int fail_circle(struct progress *p, struct weir_err *err)
{
    uint64_t *before = p->memory.before, n = 0, first, last;
    char list[LIST] = "";
    size_t used = 0;
    find_before(p);
    while (has_ended(p, n))
        n++;
    first = n;
    for (uint64_t step = 0; step < p->ranks->node_count; step++)
        first = before[first]; /* far enough to be in a circle */
    last = first;
    do {
        used += put_node(p->ranks, last, list + used, sizeof(list) - used);
        last = before[last];
        if (used < sizeof(list))
            used += (size_t)snprintf(list + used, sizeof(list) - used, last != first ? ", after " : "");
    } while (last != first && used < sizeof(list));
    return weir_ranks_fail(p->ranks, p->ranks->node[first].line, err, WEIR_E_CONFLICT,
                           "a receive ends once the send of its message has begun",
                           "ranks wait for each other's messages in a circle: %s%s", list,
                           used >= sizeof(list) ? " .." : "");
}

int weir_ranks_check_progress(const struct weir_ranks *ranks, const struct weir_takers *takers, struct weir_err *err)
{
    struct progress p = { .ranks = ranks, .takers = takers };
    int code = 0;
    WEIR_ASSERT(takers->known);
    _Static_assert(sizeof(struct position) == sizeof(uint64_t), "they share memory");
    p.state = calloc(ranks->node_count, sizeof(*p.state));
    p.memory.before = calloc(ranks->node_count, sizeof(*p.memory.before));
    if (p.state != NULL && p.memory.before != NULL) {
        execute(&p);
        WEIR_ASSERT(p.ended <= ranks->node_count);
        if (p.ended < ranks->node_count)
            code = fail_circle(&p, err);
    } else {
        code = weir_fail_memory(err);
    }
    free(p.state);
    free(p.memory.before);
    return code;
}
