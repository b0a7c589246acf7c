/* src/simulator/port/sample.c - adds a sample of the queues of one switch to the samples of its thread. */
#include "port/port.h"

/* Returns the mean queue of a port since its last sample, in thousandths of a byte, and starts the next interval at
 * now_ps. port: number of the link that the port feeds */
static uint64_t sample_average(struct sim_engine *e, uint32_t port, uint64_t now_ps)
{
    sim_area now = weir_sim_port_area(&e->link[port], now_ps), area = now - e->sample_area[port];
    struct weir_port_count part = { .area_lo = (uint64_t)area, .area_hi = (uint64_t)(area >> 64) };
    WEIR_ASSERT(area >> 127 == 0); /* A never decreases */
    e->sample_area[port] = now;
    return weir_account_mean_millibytes(&part, e->model->sample_ps, e->link[port].rate_bps);
}

void weir_sim_sample_queues(struct sim_thread *th, const struct sim_switch *sw, uint64_t now_ps)
{
    struct sim_engine *e = th->engine;
    bool average = e->model->sample_average && now_ps > e->model->warmup_ps; /* the first has no interval */
    struct weir_account_samples *s = &th->samples;
    bool first_hop = e->model->topo->node[sw->node].tier == 1;
    uint64_t sum_bytes = 0, average_millibytes = 0, idle = 0;
    for (uint32_t p = sw->first_out; p < sw->first_out + sw->out_count; p++) {
        if (!average && sw->by_time && e->link[p].free_at_ps <= now_ps) { /* no queue: about half of all ports */
            idle++;
            continue;
        }
        uint64_t bytes = sim_queue_bytes(&e->link[p], weir_sim_port_backlog_ps(&e->link[p], now_ps)), millibytes;
        weir_histogram_add(&s->port, bytes);
        sum_bytes += bytes;
        if (!average)
            continue;
        millibytes = sample_average(e, p, now_ps);
        weir_account_average(&s->port_average, &s->port_average_bytes, millibytes);
        average_millibytes += millibytes;
    }
    weir_histogram_add_zeros(&s->port, idle);
    if (first_hop)
        weir_histogram_add(&s->tor, sum_bytes);
    if (first_hop && average)
        weir_account_average(&s->tor_average, &s->tor_average_bytes, average_millibytes);
}

void weir_sim_sample_switch(struct sim_thread *th, struct sim_switch *sw)
{
    WEIR_ASSERT(sw->sample_ps != WEIR_NEVER);
    weir_sim_sample_queues(th, sw, sw->sample_ps);
    sw->sample_ps += th->engine->model->sample_ps;
}
