/* src/scenario/trace/collective.c - see collective.h. In step s of a ring, member i sends part i - s to the next one.
 * It receives part i - s - 1 from the one before, and sends that in step s + 1. An all-gather of n members has n - 1
 * steps, and so has a reduce-scatter. An all-reduce is both. */
#include "trace/collective.h"
#include "core/assert.h"
#include "core/math.h"

const char *const trace_op_names[TRACE_OPS] = {
    [TRACE_ALL_REDUCE] = "all-reduce",
    [TRACE_REDUCE] = "reduce",
    [TRACE_ALL_GATHER] = "all-gather",
    [TRACE_GATHER] = "gather",
    [TRACE_SCATTER] = "scatter",
    [TRACE_BROADCAST] = "broadcast",
    [TRACE_ALL_TO_ALL] = "all-to-all",
    [TRACE_REDUCE_SCATTER] = "reduce-scatter",
    [TRACE_REDUCE_SCATTER_BLOCK] = "reduce-scatter-block",
    [TRACE_BARRIER] = "barrier",
};

struct work { /* one member's nodes, while they are added */
    struct trace_reader *r;
    const struct trace_collective *c;
    uint32_t index, first; /* of the member; of the node behind which all begin */
};

uint64_t weir_trace_part(uint64_t bytes, uint32_t i, uint32_t n)
{
    WEIR_ASSERT(n > 0 && i < n);
    return weir_max_u64(1, bytes / n + (i < bytes % n));
}

/* Returns the rank of the member that is `distance` members behind this one in the ring. */
static uint32_t member(const struct work *w, uint32_t distance)
{
    return w->c->group.member[((uint64_t)w->index + distance) % w->c->group.count];
}

/* Adds a node that takes no time: others meet there. *node: gets its number. @return 0, or a code with err */
static int add_join(const struct work *w, uint32_t *node)
{
    struct weir_rank_node join = { .op = WEIR_RANK_COMPUTE, .lane = WEIR_RANK_NO_LANE, .line = w->c->line };
    *node = weir_ranks_last_count(w->r->ranks);
    return weir_trace_add(w->r, &join);
}

/* Adds a send or receive behind the node `behind`. step: differs from that of other messages between these two members
 * in this collective. *node: gets its number. @return 0, or a code with err */
static int add_end(const struct work *w, uint32_t op, uint32_t peer, uint64_t bytes, uint32_t step, uint32_t behind,
                   uint32_t *node)
{
    struct weir_rank_node end = { .op = op,
                                  .peer = peer,
                                  .bytes = bytes,
                                  .tag = UINT64_C(1) << 63 | (uint64_t)w->c->number << 32 | step,
                                  .lane = WEIR_RANK_NO_LANE,
                                  .line = w->c->line };
    int code;
    WEIR_ASSERT(w->c->number < UINT32_C(1) << 31);
    *node = weir_ranks_last_count(w->r->ranks);
    code = weir_trace_add(w->r, &end);
    return code != 0 ? code : weir_ranks_after(w->r->ranks, *node, behind, false, w->r->err);
}

/* Adds the steps of a ring. */
static int add_ring(const struct work *w)
{
    uint32_t n = w->c->group.count, op = w->c->op;
    uint32_t steps = op == TRACE_ALL_REDUCE ? 2 * (n - 1) : n - 1, sent, received = w->first;
    int code = 0;
    for (uint32_t s = 0; code == 0 && s < steps; s++) {
        uint32_t out = (w->index + 2 * n - s % n) % n, in = (out + n - 1) % n; /* n <= 2^20 */
        code = add_end(w, WEIR_RANK_SEND, member(w, 1), weir_trace_part(w->c->bytes, out, n), s, received, &sent);
        if (code == 0)
            code = add_end(w, WEIR_RANK_RECV, member(w, n - 1), weir_trace_part(w->c->bytes, in, n), s, w->first,
                           &received);
    }
    return code;
}

/* Adds a message to and one from each other member: first the next one of the ring, then the one behind it, .. */
static int add_direct(const struct work *w)
{
    uint32_t n = w->c->group.count, node;
    int code = 0;
    for (uint32_t k = 1; code == 0 && k < n; k++) {
        uint32_t to = (w->index + k) % n;
        code = add_end(w, WEIR_RANK_SEND, member(w, k), weir_trace_part(w->c->bytes, to, n), 0, w->first, &node);
        if (code == 0)
            code = add_end(w, WEIR_RANK_RECV, member(w, n - k), weir_trace_part(w->c->bytes, w->index, n), 0, w->first,
                           &node);
    }
    return code;
}

/* Adds a chain: a broadcast goes from the first member to the last one, a reduce the other way. */
static int add_chain(const struct work *w)
{
    uint32_t n = w->c->group.count, index = w->index, received = w->first, sent;
    bool out = w->c->op == TRACE_BROADCAST;
    int code = 0;
    if (out ? index > 0 : index + 1 < n)
        code = add_end(w, WEIR_RANK_RECV, member(w, out ? n - 1 : 1), w->c->bytes, 0, w->first, &received);
    if (code == 0 && (out ? index + 1 < n : index > 0))
        code = add_end(w, WEIR_RANK_SEND, member(w, out ? 1 : n - 1), w->c->bytes, 0, received, &sent);
    return code;
}

/* Adds the messages between the first member and all others: to it in a gather, from it in a scatter. */
static int add_star(const struct work *w)
{
    uint32_t n = w->c->group.count, node;
    bool in = w->c->op == TRACE_GATHER;
    int code = 0;
    if (w->index > 0)
        return add_end(w, in ? WEIR_RANK_SEND : WEIR_RANK_RECV, w->c->group.member[0],
                       weir_trace_part(w->c->bytes, w->index, n), 0, w->first, &node);
    for (uint32_t k = 1; code == 0 && k < n; k++)
        code = add_end(w, in ? WEIR_RANK_RECV : WEIR_RANK_SEND, member(w, k), weir_trace_part(w->c->bytes, k, n), 0,
                       w->first, &node);
    return code;
}

int weir_trace_collective(struct trace_reader *r, const struct trace_collective *c, uint32_t index,
                          struct trace_span *span)
{
    struct work w = { .r = r, .c = c, .index = index };
    int code = add_join(&w, &w.first);
    WEIR_ASSERT(c->op < TRACE_OPS && index < c->group.count);
    WEIR_ASSERT(c->group.count <= WEIR_RANKS_MAX);
    span->first = w.first;
    if (code == 0 && c->group.count > 1)
        code = c->op == TRACE_ALL_TO_ALL                           ? add_direct(&w)
               : c->op == TRACE_BROADCAST || c->op == TRACE_REDUCE ? add_chain(&w)
               : c->op == TRACE_GATHER || c->op == TRACE_SCATTER   ? add_star(&w)
                                                                   : add_ring(&w);
    if (code == 0)
        code = add_join(&w, &span->last);
    for (uint32_t n = span->first + (span->first + 1 < span->last); code == 0 && n < span->last; n++)
        code = weir_ranks_after(r->ranks, span->last, n, false, r->err);
    return code;
}
