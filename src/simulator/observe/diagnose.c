/* src/simulator/observe/diagnose.c - explains a stall. With ranks, each says what hangs at its nodes, and rank 0
 * which ports wait for each other in a circle. */
#include "observe/observe.h"
#include "coupled/coupled.h"
#include "ranks/ranks.h"
#include <inttypes.h>
#include <stdlib.h>

static void diagnose_message(const struct sim_engine *e, uint32_t h, const struct weir_host_pending *p, FILE *out)
{
    const struct weir_account_msg *m = weir_account_msg(&e->account.host[h], p->msg);
    struct weir_route_path path;
    char from[WEIR_NODE_NAME], to[WEIR_NODE_NAME];
    weir_topology_node_name(e->model->topo, h, from, sizeof(from));
    weir_topology_node_name(e->model->topo, p->dst, to, sizeof(to));
    (void)fprintf(out, "  %s -> %s: %" PRIu64 " bytes, started at %" PRIu64 " ps; ", from, to, m->bytes, m->start_ps);
    if (p->conn == UINT32_MAX)
        (void)fprintf(out, "waits for a connection\n");
    else
        (void)fprintf(out,
                      "%" PRIu64 " packets unacknowledged, %" PRIu64 " not sent yet, %" PRIu32 " timeouts in a row\n",
                      p->unacked_pkts, p->left_pkts, p->timeouts);
    if (!weir_route_path(sim_lead(e)->routes, e->model->topo, h, p->dst, p->hash, &path))
        (void)fprintf(out, "    no way leads there now: every cable towards it is down\n");
}

static void diagnose_link(const struct sim_engine *e, const struct sim_link *link, FILE *out)
{
    char from[WEIR_NODE_NAME], to[WEIR_NODE_NAME];
    weir_topology_node_name(e->model->topo, link->src, from, sizeof(from));
    weir_topology_node_name(e->model->topo, link->dst, to, sizeof(to));
    (void)fprintf(out, "  link from %s to %s: %" PRIu64 " dropped, %" PRIu64 " lost, %" PRIu64 " without a route\n",
                  from, to, link->drops, link->losses, link->unrouted);
}

/* Prints messages that have not ended, links that dropped or lost packets, and paused ports, each up to a limit. */
static void diagnose(const struct sim_engine *e, FILE *out)
{
    enum { SHOWN = 10 };
    uint64_t shown = 0, pending = 0;
    if (sim_is_first(e))
        (void)fprintf(out, "stalled: nothing new has arrived since " WEIR_US_FORMAT "\n",
                      WEIR_US_NUMBERS(e->last_new_ps));
    for (uint32_t h = 0; h < e->model->topo->host_count; h++) {
        struct weir_host_pending p;
        for (uint64_t cursor = 0; sim_is_mine(e, h) && weir_host_next_pending(e->host[h].h, &cursor, &p); pending++)
            if (shown < SHOWN && ++shown > 0)
                diagnose_message(e, h, &p, out);
    }
    (void)fprintf(out, "  %" PRIu64 " messages hang%s\n", pending,
                  pending > shown ? "; the first ones are listed" : "");
    for (uint32_t i = 0; i < e->model->topo->link_count; i++) {
        const struct sim_link *link = &e->link[i];
        if (link->drops + link->losses + link->unrouted > 0 && shown++ < UINT64_C(2) * SHOWN)
            diagnose_link(e, link, out);
    }
    weir_sim_coupled_diagnose(e, out);
}

void weir_sim_explain(const struct sim_engine *e)
{
    struct weir_buffer rows = { 0 };
    char *text = NULL;
    size_t bytes = 0;
    FILE *own = open_memstream(&text, &bytes);
    if (own != NULL) {
        diagnose(e, own);
        (void)fclose(own);
    }
    weir_buffer_put(&rows, text, own != NULL ? bytes : 0);
    weir_sim_ranks_append(e, &rows);
    if (e->options->diagnosis != NULL && rows.bytes > 0)
        (void)fwrite(rows.data, 1, rows.bytes, e->options->diagnosis);
    weir_sim_coupled_circle(e, sim_is_first(e) ? e->options->diagnosis : NULL);
    weir_buffer_free(&rows);
    free(text);
}
