/* src/scenario/workload/ranks_check.c - checks graphs of ranks before a run. */
#include "core/assert.h"
#include "core/units.h"
#include "workload/cdf.h"
#include "workload/plan.h"
#include "workload/ranks_internal.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { LIST = 300 };    /* bytes of a cycle in a message: longer ones are cut */
#define SEEN UINT32_MAX /* a mark of nodes that a search has passed; no node waits for so many */

/* --- nodes --- */

static int check_peer(const struct weir_ranks *ranks, uint32_t rank, const struct weir_rank_node *node,
                      struct weir_err *err)
{
    const char *verb = node->op == WEIR_RANK_SEND ? "sends to" : "receives from";
    if (node->op == WEIR_RANK_RECV && node->peer == WEIR_RANK_ANY)
        return 0;
    if (node->peer >= ranks->ranks)
        return weir_ranks_fail(ranks, node->line, err, WEIR_E_RANGE, NULL,
                               "rank %" PRIu32 " %s rank %" PRIu32 ", and there are %" PRIu32 " ranks (0 to %" PRIu32
                               ")",
                               rank, verb, node->peer, ranks->ranks, ranks->ranks - 1);
    if (node->peer == rank)
        return weir_ranks_fail(ranks, node->line, err, WEIR_E_RANGE, NULL, "rank %" PRIu32 " %s itself", rank, verb);
    return 0;
}

static int check_compute(struct weir_ranks *ranks, uint32_t rank, const struct weir_rank_node *node,
                         struct weir_err *err)
{
    if (node->compute_ps > WEIR_TRAFFIC_TIME_MAX)
        return weir_ranks_fail(ranks, node->line, err, WEIR_E_RANGE, NULL,
                               "rank %" PRIu32 " computes for longer than 18000 s", rank);
    if (node->lane == WEIR_RANK_NO_LANE)
        return 0;
    if (node->lane >= WEIR_RANK_LANES_MAX)
        return weir_ranks_fail(ranks, node->line, err, WEIR_E_RANGE, NULL,
                               "rank %" PRIu32 " computes on processor %" PRIu32
                               ": a rank has %u processors at most, numbered from 0",
                               rank, node->lane, WEIR_RANK_LANES_MAX);
    if (node->lane >= ranks->lanes)
        ranks->lanes = node->lane + 1;
    return 0;
}

static int check_send(struct weir_ranks *ranks, uint32_t rank, const struct weir_rank_node *node, struct weir_err *err)
{
    WEIR_ASSERT(node->tag != WEIR_RANK_ANY_TAG);
    if (node->bytes == 0 || node->bytes > WEIR_CDF_SIZE_MAX)
        return weir_ranks_fail(ranks, node->line, err, WEIR_E_RANGE, NULL,
                               "rank %" PRIu32 " sends %" PRIu64 " B to rank %" PRIu32
                               ": a message has 1 byte to 1 TiB",
                               rank, node->bytes, node->peer);
    if (ranks->send_bytes > WEIR_RANK_BYTES_MAX - node->bytes)
        return weir_ranks_fail(ranks, node->line, err, WEIR_E_RANGE, NULL,
                               "the messages up to here have more than 2^56 bytes in all");
    ranks->send_bytes += node->bytes;
    ranks->send_count++;
    return 0;
}

int weir_ranks_check_nodes(struct weir_ranks *ranks, struct weir_err *err)
{
    int code = 0;
    WEIR_ASSERT(ranks->node_count <= WEIR_RANK_NODES_MAX);
    ranks->send_bytes = ranks->send_count = 0;
    ranks->sends_before = calloc((size_t)ranks->ranks + 1, sizeof(*ranks->sends_before));
    if (ranks->sends_before == NULL)
        return weir_fail_memory(err);
    for (uint32_t rank = 0; code == 0 && rank < ranks->ranks; rank++) {
        for (uint64_t n = ranks->first[rank]; code == 0 && n < ranks->first[rank + 1]; n++) {
            const struct weir_rank_node *node = &ranks->node[n];
            code = node->op == WEIR_RANK_COMPUTE ? check_compute(ranks, rank, node, err)
                                                 : check_peer(ranks, rank, node, err);
            if (code == 0 && node->op == WEIR_RANK_SEND)
                code = check_send(ranks, rank, node, err);
        }
        ranks->sends_before[rank + 1] = ranks->send_count;
    }
    return code;
}

/* --- cycles --- */

struct order {       /* memory for the order of a rank's nodes */
    uint32_t *left;  /* per node: number of nodes for which it still waits */
    uint32_t *ready; /* nodes that wait for nothing, in the order in which they were found; later scratch memory */
};

/* Sets before[n], for each node n with left[n] != 0, to such a node for which it waits. */
static void find_before(const struct weir_ranks *ranks, const struct weir_rank_node *node, uint32_t count,
                        const uint32_t *left, uint32_t *before)
{
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t i = 0; left[n] != 0 && i < node[n].next_count; i++)
            before[ranks->edge[node[n].next_first + i] & ~WEIR_RANK_AT_START] = n;
}

/* Writes "line 7 after line 9", or numbers of nodes in the rank if they have no lines. @return its length, uncut */
static size_t put_wait(const struct weir_ranks *ranks, const struct weir_rank_node *node, uint32_t later,
                       uint32_t earlier, char *text, size_t room)
{
    bool lines = node[later].line != 0 && node[earlier].line != 0;
    const char *what = !lines ? "node number" : ranks->line_is != NULL ? ranks->line_is : "line";
    int put = snprintf(text, room, "%s %" PRIu32 " after %s %" PRIu32, what, lines ? node[later].line : later, what,
                       lines ? node[earlier].line : earlier);
    return put > 0 ? (size_t)put : 0;
}

/* Reports a cycle of a rank. Every node n with left[n] != 0 waits for node before[n], which is such a node, too. So
 * going back from any of them ends in a cycle. left: is overwritten. @return WEIR_E_CONFLICT with err */
static int fail_cycle(const struct weir_ranks *ranks, uint32_t rank, uint32_t *left, const uint32_t *before,
                      struct weir_err *err)
{
    const struct weir_rank_node *node = &ranks->node[ranks->first[rank]];
    char list[LIST] = "";
    size_t used = 0;
    uint32_t n = 0, first;
    while (left[n] == 0)
        n++;
    for (; left[n] != SEEN; n = before[n])
        left[n] = SEEN;
    first = n;
    do {
        used += put_wait(ranks, node, n, before[n], list + used, sizeof(list) - used);
        n = before[n];
        if (n != first && used < sizeof(list))
            used += (size_t)snprintf(list + used, sizeof(list) - used, ", ");
    } while (n != first && used < sizeof(list));
    return weir_ranks_fail(ranks, node[first].line, err, WEIR_E_CONFLICT, "take one of these waits out",
                           "rank %" PRIu32 ": nodes wait for each other in a circle: %s%s", rank, list,
                           used >= sizeof(list) ? " .." : "");
}

/* Finds an order of a rank's nodes in which none waits for a later one. @return 0, or WEIR_E_CONFLICT with err */
static int order_rank(const struct weir_ranks *ranks, uint32_t rank, const struct order *order, struct weir_err *err)
{
    const struct weir_rank_node *node = &ranks->node[ranks->first[rank]];
    uint32_t count = (uint32_t)(ranks->first[rank + 1] - ranks->first[rank]), found = 0;
    for (uint32_t n = 0; n < count; n++) {
        order->left[n] = node[n].waits;
        if (node[n].waits == 0)
            order->ready[found++] = n;
    }
    for (uint32_t i = 0; i < found; i++) {
        const struct weir_rank_node *ended = &node[order->ready[i]];
        for (uint32_t k = 0; k < ended->next_count; k++) {
            uint32_t next = ranks->edge[ended->next_first + k] & ~WEIR_RANK_AT_START;
            WEIR_ASSERT(next < count && order->left[next] > 0);
            if (--order->left[next] == 0)
                order->ready[found++] = next;
        }
    }
    if (found == count)
        return 0;
    find_before(ranks, node, count, order->left, order->ready);
    return fail_cycle(ranks, rank, order->left, order->ready, err);
}

int weir_ranks_check_cycles(const struct weir_ranks *ranks, struct weir_err *err)
{
    struct order order;
    uint64_t most = weir_ranks_most_nodes(ranks);
    int code = 0;
    WEIR_ASSERT(most > 0);
    order.left = calloc(most, sizeof(*order.left));
    order.ready = calloc(most, sizeof(*order.ready));
    if (order.left != NULL && order.ready != NULL)
        for (uint32_t rank = 0; code == 0 && rank < ranks->ranks; rank++)
            code = order_rank(ranks, rank, &order, err);
    else
        code = weir_fail_memory(err);
    free(order.left);
    free(order.ready);
    return code;
}
