/* src/scenario/workload/ranks_build.c - builds and frees graphs of ranks. Edges of a rank are kept as pairs until the
 * next rank begins. Then they become ranges of struct weir_ranks.edge, and the memory of the pairs is used again. */
#include "core/assert.h"
#include "core/math.h"
#include "workload/ranks_internal.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { SENTENCE = 480 };

struct pair {       /* an edge of the last rank: number of the later node, and number of the earlier node */
    uint32_t later; /* perhaps with WEIR_RANK_AT_START */
    uint32_t earlier;
};

struct weir_ranks_draft {
    uint64_t first_room, node_room, edge_room, pair_room; /* capacities, in entries */
    uint64_t pair_count;
    struct pair *pair;
};

/* Gives an array memory for `want` entries, by doubling. array: pointer to the pointer to its first entry, which may
 * move; room: its capacity in entries. @return false = no memory; then the array stays valid */
static bool make_room(void *array, uint64_t *room, uint64_t want, size_t size)
{
    void **at = array;
    uint64_t more = weir_max_u64(*room, 16);
    void *larger;
    while (more < want)
        more *= 2; /* below 2^32: all counts have bounds */
    if (*room >= want)
        return true;
    larger = realloc(*at, more * size);
    if (larger == NULL)
        return false;
    *at = larger;
    *room = more;
    return true;
}

int weir_ranks_fail(const struct weir_ranks *ranks, uint32_t line, struct weir_err *err, enum weir_err_code code,
                    const char *hint, const char *format, ...)
{
    bool named = ranks->line_is != NULL && line != 0;
    char text[SENTENCE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (named)
        return weir_fail(err, code, NULL, hint, "%s %" PRIu32 ": %s", ranks->line_is, line, text);
    return weir_fail(err, code, &(struct weir_tok){ .line = ranks->line_is == NULL ? line : 0 }, hint, "%s", text);
}

uint32_t weir_ranks_last_count(const struct weir_ranks *ranks)
{
    return ranks->ranks == 0 ? 0 : (uint32_t)(ranks->node_count - ranks->first[ranks->ranks - 1]);
}

/* Checks the edges of the last rank, and counts them per earlier node. @return 0, or WEIR_E_UNKNOWN with err */
static int count_edges(struct weir_ranks *ranks, struct weir_rank_node *node, uint32_t count, struct weir_err *err)
{
    const struct weir_ranks_draft *draft = ranks->draft;
    for (uint64_t i = 0; i < draft->pair_count; i++) {
        uint32_t later = draft->pair[i].later & ~WEIR_RANK_AT_START, earlier = draft->pair[i].earlier;
        if (later >= count || earlier >= count)
            return weir_fail(err, WEIR_E_UNKNOWN, NULL, NULL,
                             "rank %u: node number %u waits for node number %u, and the rank has %u nodes",
                             ranks->ranks - 1, later, earlier, count);
        WEIR_ASSERT(node != NULL); /* there are `count` of them */
        node[earlier].next_count++;
        node[later].waits++;
    }
    return 0;
}

/* Turns the pairs of the last rank into ranges of ranks->edge, in the order in which they were added. @return 0, or a
 * code with err */
static int close_rank(struct weir_ranks *ranks, struct weir_err *err)
{
    struct weir_ranks_draft *draft = ranks->draft;
    uint32_t count = weir_ranks_last_count(ranks);
    struct weir_rank_node *node;
    int code;
    if (count == 0 && draft->pair_count == 0)
        return 0;
    node = ranks->node != NULL ? &ranks->node[ranks->node_count - count] : NULL;
    code = count_edges(ranks, node, count, err);
    if (code != 0 || node == NULL)
        return code;
    if (!make_room(&ranks->edge, &draft->edge_room, ranks->edge_count + draft->pair_count, sizeof(*ranks->edge)))
        return weir_fail_memory(err);
    for (uint32_t n = 0; n < count; n++) {
        node[n].next_first = ranks->edge_count;
        ranks->edge_count += node[n].next_count;
        node[n].next_count = 0;
    }
    for (uint64_t i = 0; i < draft->pair_count; i++) {
        struct weir_rank_node *earlier = &node[draft->pair[i].earlier];
        ranks->edge[earlier->next_first + earlier->next_count++] = draft->pair[i].later;
    }
    draft->pair_count = 0;
    WEIR_ASSERT(ranks->edge_count <= WEIR_RANK_EDGES_MAX);
    return 0;
}

int weir_ranks_begin(struct weir_ranks *ranks, struct weir_err *err)
{
    int code = 0;
    WEIR_ASSERT(ranks->ranks == 0 || ranks->draft != NULL); /* not finished */
    if (ranks->draft == NULL)
        ranks->draft = calloc(1, sizeof(*ranks->draft));
    if (ranks->draft == NULL)
        return weir_fail_memory(err);
    if (ranks->ranks == WEIR_RANKS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "more than %u ranks", WEIR_RANKS_MAX);
    if (ranks->ranks > 0)
        code = close_rank(ranks, err);
    if (code != 0)
        return code;
    if (!make_room(&ranks->first, &ranks->draft->first_room, (uint64_t)ranks->ranks + 2, sizeof(*ranks->first)))
        return weir_fail_memory(err);
    ranks->first[ranks->ranks++] = ranks->node_count;
    ranks->first[ranks->ranks] = ranks->node_count;
    return 0;
}

int weir_ranks_add(struct weir_ranks *ranks, const struct weir_rank_node *node, struct weir_err *err)
{
    struct weir_rank_node *added;
    WEIR_ASSERT(ranks->draft != NULL && ranks->ranks > 0);
    WEIR_ASSERT(node->op <= WEIR_RANK_RECV);
    if (ranks->node_count == WEIR_RANK_NODES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "more than %u nodes in all", WEIR_RANK_NODES_MAX);
    if (!make_room(&ranks->node, &ranks->draft->node_room, ranks->node_count + 1, sizeof(*ranks->node)))
        return weir_fail_memory(err);
    added = &ranks->node[ranks->node_count++];
    *added = *node;
    added->waits = added->next_count = 0;
    added->next_first = 0;
    ranks->first[ranks->ranks] = ranks->node_count;
    return 0;
}

int weir_ranks_after(struct weir_ranks *ranks, uint32_t later, uint32_t earlier, bool at_start, struct weir_err *err)
{
    struct weir_ranks_draft *draft = ranks->draft;
    WEIR_ASSERT(draft != NULL && ranks->ranks > 0);
    WEIR_ASSERT(later < WEIR_RANK_AT_START);
    if (ranks->edge_count + draft->pair_count == WEIR_RANK_EDGES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "nodes wait for more than %u others in all",
                         WEIR_RANK_EDGES_MAX);
    if (!make_room(&draft->pair, &draft->pair_room, draft->pair_count + 1, sizeof(*draft->pair)))
        return weir_fail_memory(err);
    draft->pair[draft->pair_count++] = (struct pair){ later | (at_start ? WEIR_RANK_AT_START : 0), earlier };
    return 0;
}

static void free_draft(struct weir_ranks *ranks)
{
    if (ranks->draft != NULL)
        free(ranks->draft->pair);
    free(ranks->draft);
    ranks->draft = NULL;
}

/* Checks what ranks receive from each other, and that all nodes end, as far as that is known. @return 0, or a code with
 * err */
static int check_messages(const struct weir_ranks *ranks, struct weir_err *err)
{
    struct weir_takers takers = { .receive = calloc(ranks->node_count, sizeof(*takers.receive)) }; /* not of size 0 */
    int code;
    if (takers.receive == NULL)
        return weir_fail_memory(err);
    code = weir_ranks_check_messages(ranks, &takers, err);
    if (code == 0 && takers.known)
        code = weir_ranks_check_progress(ranks, &takers, err);
    free(takers.receive);
    return code;
}

int weir_ranks_finish(struct weir_ranks *ranks, struct weir_err *err)
{
    int code;
    WEIR_ASSERT(ranks->ranks == 0 || ranks->draft != NULL); /* not finished */
    code = ranks->ranks > 0 ? close_rank(ranks, err) : 0;
    if (code == 0 && ranks->node_count == 0)
        code = weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "there is nothing that a rank does");
    if (code == 0)
        code = weir_ranks_check_nodes(ranks, err);
    if (code == 0)
        code = weir_ranks_check_cycles(ranks, err);
    if (code == 0)
        code = check_messages(ranks, err);
    if (code == 0)
        free_draft(ranks);
    return code;
}

void weir_ranks_free(struct weir_ranks *ranks)
{
    free_draft(ranks);
    free(ranks->first);
    free(ranks->node);
    free(ranks->edge);
    free(ranks->sends_before);
    *ranks = (struct weir_ranks){ 0 };
}
