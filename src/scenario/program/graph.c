/* src/scenario/program/graph.c - see graph.h. */
#include "program/graph.h"
#include "core/assert.h"
#include "program/graph_run.h"
#include "program/hosts.h"

enum { SIZES = 1024 }; /* most messages whose sizes count, spread over all nodes */

uint64_t weir_rank_graph_size(const struct weir_program *program, uint32_t n)
{
    const struct weir_ranks *ranks = program->what;
    uint64_t stride = ranks->node_count / SIZES + 1;
    WEIR_ASSERT(ranks->node_count > 0);
    for (uint64_t sends = 0, i = 0; i < ranks->node_count; i++) {
        if (ranks->node[i].op == WEIR_RANK_SEND && sends++ == n * stride)
            return ranks->node[i].bytes;
    }
    return 0;
}

int weir_rank_graph_build(struct weir_program *program, const struct weir_ranks *ranks,
                          const struct weir_traffic_config *item, uint32_t index, uint32_t hosts, uint64_t seed,
                          struct weir_err *err)
{
    WEIR_ASSERT(ranks->ranks > 0 && ranks->draft == NULL);
    *program = (struct weir_program){ .ops = &weir_rank_graph_program, .what = ranks, .item = index };
    program->messages = ranks->send_count;
    program->bytes = ranks->send_bytes;
    program->results = 1;
    program->name = item->name[0] != '\0' ? item->name : weir_traffic_kinds[item->kind];
    program->start_ps = item->start_ps;
    return weir_program_assign_hosts(program, item, ranks->ranks, hosts, seed, err);
}
