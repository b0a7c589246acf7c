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

/* Returns the mean queue of a first-hop switch since the last batch ended, in thousandths of a byte: from areas. */
static uint64_t exact_queue(struct sim_engine *e, uint64_t now_ps)
{
    const struct weir_topology *topo = e->model->topo;
    uint64_t millibytes = 0;
    for (uint32_t n = 0; n < topo->edge_count; n++) {
        const struct weir_node *node = &topo->node[topo->edge_node[n]];
        for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++)
            millibytes += queue_of(e, l, now_ps);
    }
    weir_sim_ranks_sum(e, &millibytes, 1);
    return topo->edge_count > 0 ? millibytes / topo->edge_count : 0;
}

/* Returns the same from the samples before now_ps, of which switches may not have taken the last ones yet. */
static uint64_t sampled_queue(struct sim_engine *e, uint64_t now_ps)
{
    uint64_t bytes = 0, samples = 0;
    for (uint32_t t = e->first; t < e->first + e->own; t++) {
        weir_sim_sample_rest(&e->thread[t], now_ps);
        bytes += e->thread[t].samples.tor_bytes;
        samples += e->thread[t].samples.tor.total;
    }
    weir_sim_ranks_sum(e, &bytes, 1);
    weir_sim_ranks_sum(e, &samples, 1);
    return weir_account_batch_queue(&e->account, bytes, samples);
}

void weir_sim_batch(struct sim_engine *e, uint64_t now_ps)
{
    static const struct weir_sim_options silent = { .threads = 1 };
    uint64_t arrived_bytes = 0, queue_millibytes;
    int code;
    WEIR_ASSERT(now_ps == weir_account_batch_ps(&e->account));
    for (uint32_t h = 0; h < e->model->topo->host_count; h++)
        arrived_bytes += sim_is_mine(e, h) ? weir_host_stats(e->host[h].h)->rx_new_bytes : 0;
    queue_millibytes = e->model->sampled ? sampled_queue(e, now_ps) : exact_queue(e, now_ps);
    weir_sim_ranks_sum(e, &arrived_bytes, 1);
    weir_sim_ranks_counts(e);
    code = weir_account_batch(&e->account, e->callback_code == 0 && sim_is_first(e) ? e->options : &silent,
                              arrived_bytes, queue_millibytes);
    e->callback_code = e->callback_code != 0 ? e->callback_code : code;
    weir_sim_ranks_agree(e);
}
