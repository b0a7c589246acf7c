/* src/scenario/program/graph_run.c - graphs of ranks in a run. Each rank counts for each node what it still waits for.
 * Nodes that wait for nothing any more begin at that instant, the lowest number first. */
#include "program/graph_run.h"
#include "core/assert.h"
#include "core/math.h"
#include "program/graph_match.h"
#include <stdlib.h>
#include <string.h>

#define NONE WEIR_MATCH_NONE
#define AT_START UINT64_MAX /* user of the timer at which a rank begins */

struct lane {             /* nodes of a rank that compute one after the other */
    uint32_t first, last; /* nodes that wait for the lane, linked by graph_state.next; first NONE = none does */
    bool busy;
};

struct graph_rank { /* used by the thread of its host alone */
    struct weir_match match;
    struct weir_heap ready; /* nodes that can begin, by number */
    uint64_t left;          /* nodes that have not ended */
    uint64_t arrived;       /* messages that have arrived */
    uint64_t end_ps;        /* of the node that ended last */
};

struct graph_sums {                  /* of all ranks */
    uint64_t ended, arrived, end_ps; /* nodes that have ended; messages that have arrived; when the last node ended */
};

struct graph_state {
    const struct weir_program *program;
    const struct weir_ranks *ranks;
    struct graph_rank *rank;
    uint32_t *waits; /* by node: what it still waits for */
    uint32_t *next;  /* by node: the next one that waits for its lane */
    struct lane *lane;
    struct graph_sums others; /* what ranks of other processes did; zeros if there is one process */
};

struct call { /* a rank that acts now */
    struct graph_state *s;
    struct weir_rank_visit *visit;
    struct graph_rank *rank;
    uint64_t first; /* its first node */
};

static void graph_free(void *state)
{
    struct graph_state *s = state;
    for (uint32_t r = 0; s->rank != NULL && r < s->program->ranks; r++) {
        weir_match_free(&s->rank[r].match);
        free(s->rank[r].ready.entry);
    }
    free(s->rank);
    free(s->waits);
    free(s->next);
    free(s->lane);
    free(s);
}

static void *graph_init(const struct weir_program *program)
{
    const struct weir_ranks *ranks = program->what;
    struct graph_state *s = calloc(1, sizeof(*s));
    size_t lanes = (size_t)ranks->ranks * ranks->lanes;
    if (s == NULL)
        return NULL;
    *s = (struct graph_state){ .program = program, .ranks = ranks };
    s->rank = calloc(ranks->ranks, sizeof(*s->rank));
    s->waits = calloc(ranks->node_count + 1, sizeof(*s->waits));
    s->next = calloc(ranks->node_count + 1, sizeof(*s->next));
    s->lane = calloc(lanes + 1, sizeof(*s->lane));
    if (s->rank == NULL || s->waits == NULL || s->next == NULL || s->lane == NULL) {
        graph_free(s);
        return NULL;
    }
    for (uint64_t i = 0; i < ranks->node_count; i++)
        s->waits[i] = ranks->node[i].waits;
    for (size_t i = 0; i < lanes; i++)
        s->lane[i].first = NONE;
    for (uint32_t r = 0; r < ranks->ranks; r++)
        s->rank[r].left = ranks->first[r + 1] - ranks->first[r];
    return s;
}

static struct call call_of(struct graph_state *s, struct weir_rank_visit *visit)
{
    WEIR_ASSERT(visit->rank < s->ranks->ranks);
    return (struct call){ s, visit, &s->rank[visit->rank], s->ranks->first[visit->rank] };
}

/* --- nodes --- */

static void make_ready(const struct call *c, uint32_t node)
{
    struct weir_heap *heap = &c->rank->ready;
    if (heap->count == heap->capacity) {
        uint32_t room = heap->capacity == 0 ? 8 : 2 * heap->capacity;
        struct weir_heap_entry *larger = realloc(heap->entry, room * sizeof(*larger));
        c->visit->failed |= larger == NULL;
        if (larger == NULL)
            return;
        heap->entry = larger;
        heap->capacity = room;
    }
    weir_heap_push(heap, 0, node);
}

/* Passes on that a node has begun, or has ended: those behind it wait for one thing less. */
static void pass_on(const struct call *c, uint32_t node, bool begun)
{
    const struct weir_ranks *ranks = c->s->ranks;
    const struct weir_rank_node *n = &ranks->node[c->first + node];
    for (uint64_t i = n->next_first; i < n->next_first + n->next_count; i++) {
        uint32_t later = ranks->edge[i] & ~WEIR_RANK_AT_START;
        if (((ranks->edge[i] & WEIR_RANK_AT_START) != 0) != begun)
            continue;
        WEIR_ASSERT(c->s->waits[c->first + later] > 0);
        if (--c->s->waits[c->first + later] == 0)
            make_ready(c, later);
    }
}

static void end_node(const struct call *c, uint32_t node)
{
    WEIR_ASSERT(c->rank->left > 0);
    c->rank->left--;
    c->rank->end_ps = c->visit->now_ps;
    pass_on(c, node, false);
}

/* Begins to compute; a node that takes no time ends at once. @return true = it takes time */
static bool begin_compute(const struct call *c, uint32_t node)
{
    uint64_t compute_ps = c->s->ranks->node[c->first + node].compute_ps;
    pass_on(c, node, true);
    if (compute_ps > 0)
        weir_rank_timer(c->visit, c->visit->now_ps + compute_ps, node);
    else
        end_node(c, node);
    return compute_ps > 0;
}

static struct lane *lane_of(const struct call *c, uint32_t lane)
{
    WEIR_ASSERT(lane < c->s->ranks->lanes);
    return &c->s->lane[(size_t)c->visit->rank * c->s->ranks->lanes + lane];
}

/* Lets the nodes that wait for a lane compute, as long as it is free. */
static void serve_lane(const struct call *c, struct lane *lane)
{
    while (!lane->busy && lane->first != NONE) {
        uint32_t node = lane->first;
        lane->first = c->s->next[c->first + node];
        lane->busy = begin_compute(c, node);
    }
}

static void join_lane(const struct call *c, struct lane *lane, uint32_t node)
{
    c->s->next[c->first + node] = NONE;
    if (lane->first == NONE)
        lane->first = node;
    else
        c->s->next[c->first + lane->last] = node;
    lane->last = node;
    serve_lane(c, lane);
}

static void begin_receive(const struct call *c, uint32_t node, const struct weir_rank_node *n)
{
    pass_on(c, node, true);
    if (weir_match_received(&c->rank->match, n->peer, n->tag))
        end_node(c, node);
    else
        c->visit->failed |= !weir_match_keep_receive(&c->rank->match, node, n->peer, n->tag, c->visit->now_ps);
}

static void begin_node(const struct call *c, uint32_t node)
{
    const struct weir_rank_node *n = &c->s->ranks->node[c->first + node];
    switch ((enum weir_rank_op)n->op) {
    case WEIR_RANK_COMPUTE:
        if (n->lane == WEIR_RANK_NO_LANE)
            (void)begin_compute(c, node);
        else
            join_lane(c, lane_of(c, n->lane), node);
        break;
    case WEIR_RANK_SEND:
        weir_rank_send(c->visit, n->peer, n->bytes, node);
        pass_on(c, node, true);
        break;
    case WEIR_RANK_RECV:
        begin_receive(c, node, n);
        break;
    }
}

/* Begins all nodes that can, the lowest number first, with those that can because of these. */
static void begin_ready(const struct call *c)
{
    while (c->rank->ready.count > 0) {
        uint32_t node = (uint32_t)c->rank->ready.entry[0].id;
        weir_heap_pop(&c->rank->ready);
        begin_node(c, node);
    }
}

/* --- what happens to a rank: struct weir_program_ops --- */

static void graph_start(void *state, struct weir_rank_visit *visit)
{
    const struct call c = call_of(state, visit);
    if (c.rank->left > 0)
        weir_rank_timer(visit, visit->program->start_ps, AT_START);
}

static void graph_timer(void *state, struct weir_rank_visit *visit, uint64_t user)
{
    const struct call c = call_of(state, visit);
    uint32_t nodes = (uint32_t)(c.s->ranks->first[visit->rank + 1] - c.first), lane;
    if (user == AT_START) {
        for (uint32_t i = 0; i < nodes; i++)
            if (c.s->ranks->node[c.first + i].waits == 0)
                make_ready(&c, i);
    } else {
        WEIR_ASSERT(user < nodes && c.s->ranks->node[c.first + user].op == WEIR_RANK_COMPUTE);
        lane = c.s->ranks->node[c.first + user].lane;
        end_node(&c, (uint32_t)user);
        if (lane != WEIR_RANK_NO_LANE) {
            lane_of(&c, lane)->busy = false;
            serve_lane(&c, lane_of(&c, lane));
        }
    }
    begin_ready(&c);
}

static void graph_arrived(void *state, struct weir_rank_visit *visit, uint32_t from, uint64_t user)
{
    const struct call c = call_of(state, visit);
    const struct weir_rank_node *send = &c.s->ranks->node[c.s->ranks->first[from] + user];
    uint32_t node = weir_match_arrived(&c.rank->match, from, send->tag);
    WEIR_ASSERT(send->op == WEIR_RANK_SEND && send->peer == visit->rank);
    c.rank->arrived++;
    if (node == NONE) {
        visit->failed |= !weir_match_keep_message(&c.rank->match, from, send->tag, visit->now_ps);
        return;
    }
    end_node(&c, node);
    begin_ready(&c);
}

static void graph_known(void *state, struct weir_rank_visit *visit, uint64_t user)
{
    const struct call c = call_of(state, visit);
    WEIR_ASSERT(c.s->ranks->node[c.first + user].op == WEIR_RANK_SEND);
    end_node(&c, (uint32_t)user);
    begin_ready(&c);
}

static void merge_sums(void *sum, const void *of, size_t bytes)
{
    struct graph_sums *to = sum;
    const struct graph_sums *from = of;
    WEIR_ASSERT(bytes == sizeof(*to));
    to->ended += from->ended;
    to->arrived += from->arrived;
    to->end_ps = weir_max_u64(to->end_ps, from->end_ps);
}

static struct graph_sums sums_of(const struct graph_state *s)
{
    struct graph_sums sums = s->others;
    for (uint32_t r = 0; r < s->ranks->ranks; r++) {
        sums.ended += s->ranks->first[r + 1] - s->ranks->first[r] - s->rank[r].left;
        sums.arrived += s->rank[r].arrived;
        sums.end_ps = weir_max_u64(sums.end_ps, s->rank[r].end_ps);
    }
    WEIR_ASSERT(sums.arrived <= s->ranks->send_count && sums.ended <= s->ranks->node_count);
    return sums;
}

static void graph_fold(void *state, const struct weir_program_merge *merge)
{
    struct graph_state *s = state;
    const struct graph_sums own = sums_of(s);
    WEIR_ASSERT(s->others.ended == 0); /* it is called once */
    struct graph_sums all = own;
    merge->merge(merge->ctx, &all, sizeof(all), merge_sums);
    s->others = (struct graph_sums){ all.ended - own.ended, all.arrived - own.arrived, all.end_ps };
}

static void graph_result(const void *state, struct weir_job_result *out)
{
    const struct graph_state *s = state;
    const struct graph_sums sums = sums_of(s);
    uint64_t left = s->ranks->node_count - sums.ended, arrived = sums.arrived;
    uint64_t end_ps = weir_max_u64(s->program->start_ps, sums.end_ps);
    *out = (struct weir_job_result){ .name = s->program->name,
                                     .start_ps = s->program->start_ps,
                                     .end_ps = left == 0 ? end_ps : WEIR_NEVER,
                                     .flows = (uint32_t)weir_min_u64(s->ranks->send_count, UINT32_MAX),
                                     .ended = (uint32_t)weir_min_u64(arrived, UINT32_MAX) };
}

const struct weir_program_ops weir_rank_graph_program = { .init = graph_init,
                                                          .free = graph_free,
                                                          .start = graph_start,
                                                          .timer = graph_timer,
                                                          .arrived = graph_arrived,
                                                          .known = graph_known,
                                                          .fold = graph_fold,
                                                          .result = graph_result,
                                                          .size = weir_rank_graph_size };
