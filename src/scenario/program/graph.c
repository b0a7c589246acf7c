/* src/scenario/program/graph.c - see graph.h. */
#include "program/graph.h"
#include "core/assert.h"
#include "program/graph_run.h"
#include "program/hosts.h"

enum { SIZES = 1024 }; /* most messages whose sizes count, spread over all messages */

/* Returns the rank that sends message number k of all, in the order of ranks. */
static uint32_t sender_of(const struct weir_ranks *ranks, uint64_t k)
{
    uint32_t low = 0, high = ranks->ranks - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (ranks->sends_before[middle + 1] > k)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

uint64_t weir_rank_graph_size(const struct weir_program *program, uint32_t n)
{
    const struct weir_ranks *ranks = program->what;
    uint64_t k = n * (ranks->send_count / SIZES + 1), left, i;
    uint32_t rank;
    if (k >= ranks->send_count)
        return 0;
    rank = sender_of(ranks, k);
    left = k - ranks->sends_before[rank];
    for (i = ranks->first[rank]; ranks->node[i].op != WEIR_RANK_SEND || left-- > 0; i++)
        WEIR_CHECK(i + 1 < ranks->first[rank + 1]);
    return ranks->node[i].bytes;
}

int weir_rank_graph_build(struct weir_program *program, const struct weir_ranks *ranks,
                          const struct weir_traffic_config *item, uint32_t index, const struct weir_programs_from *from,
                          struct weir_err *err)
{
    WEIR_ASSERT(ranks->ranks > 0 && ranks->draft == NULL);
    *program = (struct weir_program){ .ops = &weir_rank_graph_program, .what = ranks, .item = index };
    program->messages = ranks->send_count;
    program->bytes = ranks->send_bytes;
    program->results = 1;
    program->name = item->name[0] != '\0' ? item->name : weir_traffic_kinds[item->kind];
    program->start_ps = item->start_ps;
    return weir_program_assign_hosts(program, item, ranks->ranks, from, err);
}
