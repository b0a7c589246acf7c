/* src/simulator/observe/batch.c - the counters of a batch of the measured part [run.batches]. A run has 20 of them, so
 * that one thread adds up all of the network. */
#include "observe/observe.h"
#include "port/port.h"
#include "ranks/ranks.h"

/* Returns the mean queue of a port since the last batch ended, in thousandths of a byte. */
static uint64_t queue_of(struct sim_engine *e, uint32_t link, uint64_t now_ps)
{
    sim_area area = weir_sim_port_area(&e->link[link], now_ps), part = area - e->batch_area[link];
    struct weir_port_count count = { .area_lo = (uint64_t)part, .area_hi = (uint64_t)(part >> 64) };
    e->batch_area[link] = area;
    return weir_account_mean_millibytes(&count, e->model->batch_ps, e->model->topo->link[link].rate_bps);
}

void weir_sim_batch(struct sim_engine *e, uint64_t now_ps)
{
    const struct weir_topology *topo = e->model->topo;
    static const struct weir_sim_options silent = { .threads = 1 };
    uint64_t arrived_bytes = 0, queue_millibytes = 0;
    int code;
    WEIR_ASSERT(now_ps == weir_account_batch_ps(&e->account));
    for (uint32_t h = 0; h < topo->host_count; h++)
        arrived_bytes += sim_is_mine(e, h) ? weir_host_stats(e->host[h].h)->rx_new_bytes : 0;
    for (uint32_t n = 0; n < topo->edge_count; n++) {
        const struct weir_node *node = &topo->node[topo->edge_node[n]];
        for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++)
            queue_millibytes += queue_of(e, l, now_ps);
    }
    weir_sim_ranks_sum(e, &arrived_bytes, 1);
    weir_sim_ranks_sum(e, &queue_millibytes, 1);
    weir_sim_ranks_counts(e);
    code = weir_account_batch(&e->account, e->callback_code == 0 && sim_is_first(e) ? e->options : &silent,
                              arrived_bytes, topo->edge_count > 0 ? queue_millibytes / topo->edge_count : 0);
    e->callback_code = e->callback_code != 0 ? e->callback_code : code;
    weir_sim_ranks_agree(e);
}
