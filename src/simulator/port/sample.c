/* src/simulator/port/sample.c - adds samples of the queues of one switch to the samples of its thread. Between two
 * events of a switch its queues only drain. Once they have, all samples up to its next event are equal, and are added
 * as a number: an idle second costs as much as an idle microsecond. */
#include "port/port.h"
#include "state/skip.h"

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

static bool sample_has_average(const struct sim_engine *e, uint64_t now_ps)
{
    return e->model->sample_average && now_ps > e->model->warmup_ps; /* the first has no interval */
}

/* Adds `times` equal samples of each port of a switch whose ports are all of time (sim_kind_is_time()), without
 * averages. @return the sum of their queues, bytes */
static uint64_t sample_by_time(struct weir_account_samples *s, const struct sim_link *link, const struct sim_link *end,
                               uint64_t now_ps, uint64_t times)
{
    uint64_t sum_bytes = 0, idle = 0;
    for (; link < end; link++) {
        uint64_t bytes;
        if (link->free_at_ps <= now_ps) { /* no queue: about half of all ports */
            idle++;
            continue;
        }
        bytes = (link->free_at_ps - now_ps) / link->ps_per_byte;
        weir_histogram_add_times(&s->port, bytes, times);
        sum_bytes += bytes;
    }
    weir_histogram_add_times(&s->port, 0, idle * times);
    return sum_bytes;
}

/* Adds the same of ports of any kind. average_millibytes: NULL = without averages; else these are added, too, and it is
 * set to their sum. @return as sample_by_time() */
static uint64_t sample_any(struct sim_thread *th, const struct sim_switch *sw, uint64_t now_ps, uint64_t times,
                           uint64_t *average_millibytes)
{
    struct sim_engine *e = th->engine;
    struct weir_account_samples *s = th->into;
    uint64_t sum_bytes = 0, idle = 0;
    for (uint32_t p = sw->first_out; p < sw->first_out + sw->out_count; p++) {
        const struct sim_link *link = &e->link[p];
        uint64_t bytes, millibytes;
        if (average_millibytes == NULL && sw->counted && sim_counted_is_idle(link, now_ps)) {
            idle++;
            continue;
        }
        bytes = sim_queue_bytes(link, weir_sim_port_backlog_ps(link, now_ps));
        weir_histogram_add_times(&s->port, bytes, times);
        sum_bytes += bytes;
        if (average_millibytes == NULL)
            continue;
        millibytes = sample_average(e, p, now_ps);
        weir_account_average(&s->port_average, &s->port_average_bytes, millibytes, times);
        *average_millibytes += millibytes;
    }
    weir_histogram_add_times(&s->port, 0, idle * times);
    return sum_bytes;
}

/* Adds `times` equal samples of a switch, of which the first is at now_ps. */
static void sample_add(struct sim_thread *th, const struct sim_switch *sw, uint64_t now_ps, uint64_t times)
{
    struct sim_engine *e = th->engine;
    bool average = sample_has_average(e, now_ps), first_hop = e->model->topo->node[sw->node].tier == 1;
    struct weir_account_samples *s = th->into;
    const struct sim_link *first = &e->link[sw->first_out];
    uint64_t sum_bytes, average_millibytes = 0;
    if (sw->by_time && !average)
        sum_bytes = sample_by_time(s, first, first + sw->out_count, now_ps, times);
    else
        sum_bytes = sample_any(th, sw, now_ps, times, average ? &average_millibytes : NULL);
    s->port_bytes += sum_bytes * times;
    if (!first_hop)
        return;
    weir_histogram_add_times(&s->tor, sum_bytes, times);
    s->tor_bytes += sum_bytes * times;
    if (average)
        weir_account_average(&s->tor_average, &s->tor_average_bytes, average_millibytes, times);
}

/* Tests whether all samples after now_ps are equal, up to the next event of the switch: no queue drains any more, and
 * with averages every queue is empty. */
static bool sample_is_steady(const struct sim_engine *e, const struct sim_switch *sw, uint64_t now_ps)
{
    for (uint32_t p = sw->first_out; p < sw->first_out + sw->out_count; p++) {
        const struct sim_link *link = &e->link[p];
        bool counted = sim_kind_is_counted(link->kind);
        if ((counted ? link->busy_until_ps : link->free_at_ps) > now_ps)
            return false;
        if (counted && e->model->sample_average && link->port->waiting_ps > 0)
            return false;
    }
    return true;
}

/* Adds `count` samples of a switch: at now_ps, and then one per sample interval. */
static void sample_queues(struct sim_thread *th, const struct sim_switch *sw, uint64_t now_ps, uint64_t count)
{
    for (; count > 0; count--, now_ps += th->engine->model->sample_ps) {
        sample_add(th, sw, now_ps, 1);
        if (count > 1 && sample_is_steady(th->engine, sw, now_ps)) {
            sample_add(th, sw, now_ps + th->engine->model->sample_ps, count - 1);
            return;
        }
    }
}

/* Tests whether no port of a switch has a queue at now_ps; then none has one until it is visited. */
static bool sample_is_quiet(const struct sim_engine *e, const struct sim_switch *sw, uint64_t now_ps)
{
    uint32_t p = sw->first_out;
    while (sw->by_time && p < sw->first_out + sw->out_count && e->link[p].free_at_ps <= now_ps)
        p++;
    return p == sw->first_out + sw->out_count;
}

void weir_sim_sample_switches(struct sim_thread *th, uint64_t now_ps, uint64_t count)
{
    struct sim_engine *e = th->engine;
    struct sim_switch **at = &th->loud;
    weir_histogram_add_times(&th->into->port, 0, th->quiet_ports * count);
    weir_histogram_add_times(&th->into->tor, 0, th->quiet_tors * count);
    while (*at != NULL) {
        struct sim_switch *sw = *at;
        WEIR_ASSERT(!sw->quiet);
        sample_queues(th, sw, now_ps, count);
        sw->quiet = !e->model->sample_average && sample_is_quiet(e, sw, now_ps);
        if (sw->quiet) {
            *at = sw->next_loud;
            th->quiet_ports += sw->out_count;
            th->quiet_tors += e->model->topo->node[sw->node].tier == 1;
        } else
            at = &sw->next_loud;
    }
}

/* Adds the samples before until_ps in a period that stands for many: sw->sample_ps is one of skip->sample. */
static void sample_planned(struct sim_thread *th, struct sim_switch *sw, const struct sim_skip *skip, uint64_t until_ps)
{
    size_t low = 0, high = skip->sample_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (skip->sample[middle].at_ps < sw->sample_ps)
            low = middle + 1;
        else
            high = middle;
    }
    WEIR_ASSERT(low < skip->sample_count && skip->sample[low].at_ps == sw->sample_ps);
    for (; low < skip->sample_count && skip->sample[low].at_ps < until_ps; low++)
        sample_add(th, sw, skip->sample[low].at_ps, skip->sample[low].times);
    sw->sample_ps = low < skip->sample_count ? skip->sample[low].at_ps : WEIR_NEVER;
}

void weir_sim_sample_switch(struct sim_thread *th, struct sim_switch *sw, uint64_t until_ps)
{
    uint64_t every_ps = th->engine->model->sample_ps, count = 1;
    WEIR_ASSERT(sw->sample_ps < until_ps);
    if (WEIR_UNLIKELY(th->engine->skip != NULL && th->engine->skip->phase == SIM_SKIP_REPEATS)) {
        sample_planned(th, sw, th->engine->skip, until_ps);
        return;
    }
    if (until_ps - sw->sample_ps > every_ps)
        count = (until_ps - 1 - sw->sample_ps) / every_ps + 1;
    sample_queues(th, sw, sw->sample_ps, count);
    sw->sample_ps += count * every_ps;
}
