/* src/scenario/model/result.c - computes the numbers of a result from counts. Integers only: the same bits
 * everywhere. */
#include "core/math.h"
#include "means/means.h"
#include "measure/digest.h"
#include "model/account.h"
#include "model/nics.h"
#include "program/run.h"
#include "workload/jobs.h"
#include <stdlib.h>

__extension__ typedef unsigned __int128 result_u128; /* sums of ps^2 over a run */

uint64_t weir_account_mean_millibytes(const struct weir_port_count *part, uint64_t duration_ps, uint64_t rate_bps)
{
    result_u128 area = (result_u128)part->area_hi << 64 | part->area_lo;
    uint64_t work_fs = (uint64_t)(area * 500 / duration_ps); /* A * 1000 / 2T: fits below five hours of queue */
    return weir_mul_div_u64(work_fs, rate_bps, 8 * WEIR_PS_PER_S);
}

static void result_queues(const struct weir_account *acc, const struct weir_account_totals *totals,
                          struct weir_result *result)
{
    const struct weir_topology *topo = acc->model->topo;
    uint64_t tor_sum = 0, port_sum = 0, ports = 0;
    for (uint32_t n = topo->host_count; n < topo->node_count && result->measured_ps > 0; n++) {
        uint64_t node_sum = 0;
        for (uint32_t i = topo->node[n].first_out; i < topo->node[n].first_out + topo->node[n].out_count; i++)
            node_sum += weir_account_mean_millibytes(&totals->port[i], result->measured_ps, topo->link[i].rate_bps);
        ports += topo->node[n].out_count;
        port_sum += node_sum;
        tor_sum += topo->node[n].tier == 1 ? node_sum : 0;
    }
    result->tor_queue =
        (struct weir_queue_stats){ .mean_millibytes = topo->edge_count > 0 ? tor_sum / topo->edge_count : 0,
                                   .max_bytes = totals->tor_max_bytes };
    result->port_queue = (struct weir_queue_stats){ .mean_millibytes = ports > 0 ? port_sum / ports : 0,
                                                    .max_bytes = totals->port_max_bytes };
    result->fullest_port = totals->port_max_bytes > 0 ? totals->port_max_link : 0;
}

/* Adds what is known of a queue from its samples: all of it with statistics: sampled. */
static void result_of_samples(struct weir_queue_stats *q, const struct weir_histogram *h, uint64_t sum_bytes,
                              bool sampled)
{
    q->p99_bytes = weir_histogram_quantile(h, 990000);
    q->sampled_max_bytes = h->max;
    if (!sampled)
        return;
    q->mean_millibytes = h->total > 0 ? weir_mul_div_u64(sum_bytes, 1000, h->total) : 0;
    q->max_bytes = 0;
}

static struct weir_queue_stats result_averages(const struct weir_histogram *h, uint64_t sum_bytes)
{
    return (struct weir_queue_stats){ .mean_millibytes = h->total > 0 ? weir_mul_div_u64(sum_bytes, 1000, h->total) : 0,
                                      .p99_bytes = weir_histogram_quantile(h, 990000),
                                      .max_bytes = h->max };
}

static void result_samples(const struct weir_account *acc, const struct weir_account_samples *s,
                           struct weir_result *result)
{
    uint64_t values = s->credit_count * acc->model->topo->host_count;
    result->sampled = acc->model->sampled;
    result_of_samples(&result->tor_queue, &s->tor, s->tor_bytes, result->sampled);
    result_of_samples(&result->port_queue, &s->port, s->port_bytes, result->sampled);
    if (result->sampled)
        result->fullest_port = 0; /* no more known than its length */
    result->has_sampled = s->port_average.total > 0;
    result->tor_queue_sampled = result_averages(&s->tor_average, s->tor_average_bytes);
    result->port_queue_sampled = result_averages(&s->port_average, s->port_average_bytes);
    result->has_credit = values > 0;
    if (values == 0)
        return;
    result->credit_held_bytes = s->credit.held_bytes / values;
    result->credit_in_flight_bytes = weir_account_credit_in_flight(&s->credit) / values;
    result->credit_free_bytes = s->credit.free_bytes / values;
}

/* Moves the detail of the recorder into the result, and adds the samples of queues to it. */
static void result_detail(struct weir_recorder *merged, const struct weir_account_samples *s,
                          struct weir_result *result)
{
    result->detail = merged->detail;
    merged->detail = NULL;
    if (result->detail == NULL)
        return;
    result->detail->tor_queue = s->tor;
    result->detail->port_queue = s->port;
}

uint64_t weir_account_rate_bps(uint64_t bytes, uint64_t duration_ps, uint32_t hosts)
{
    if (duration_ps == 0 || hosts == 0)
        return 0;
    return weir_mul_div_u64(bytes, 8 * WEIR_PS_PER_S, duration_ps) / hosts;
}

/* Decides whether the run kept up with its load [run.unstable]. It did if at least 98 % of the offered bytes arrived,
 * and unfinished bytes grew by no more than a tenth of the offered bytes. Some runs are stable by definition: the load
 * ends by itself, the run lasts until all is delivered, or nothing was offered. */
static void result_stability(const struct weir_account *acc, const struct weir_account_totals *totals,
                             uint64_t offered_bytes, uint64_t arrived_bytes, struct weir_result *result)
{
    result->stable = true;
    if (acc->model->until_done || !acc->model->workload->endless || offered_bytes == 0)
        return;
    if (arrived_bytes < offered_bytes / 100 * 98)
        result->unstable_why = "less than 98 % of the offered bytes arrived in the measured part";
    else if (totals->unfinished_end_bytes > totals->unfinished_start_bytes + offered_bytes / 10)
        result->unstable_why = "unfinished bytes grew by more than a tenth of the offered bytes";
    result->stable = result->unstable_why == NULL;
}

/* Computes the fairness of hosts. Without memory, sets out_of_memory. */
static uint64_t result_jain_ppm(struct weir_account *acc, const struct weir_account_totals *totals)
{
    uint64_t *rate = malloc(acc->model->topo->host_count * sizeof(*rate)), ppm;
    uint32_t n = 0;
    if (rate == NULL) {
        acc->shard[0].out_of_memory = true;
        return 0;
    }
    for (uint32_t h = 0; h < acc->model->topo->host_count; h++)
        if (acc->host[h].offers)
            rate[n++] = totals->acked_measured[h];
    ppm = weir_jain_ppm(rate, n);
    free(rate);
    return ppm;
}

uint64_t weir_account_share_ppm(uint64_t bytes, uint64_t rate_bps, uint64_t duration_ps)
{
    uint64_t most_bytes = weir_mul_div_u64(duration_ps, rate_bps, 8 * WEIR_PS_PER_S);
    return most_bytes > 0 ? weir_mul_div_u64(bytes, 1000000, most_bytes) : 0;
}

static void result_links(const struct weir_account *acc, const struct weir_account_totals *totals,
                         struct weir_result *result)
{
    const struct weir_topology *topo = acc->model->topo;
    for (uint32_t i = 0; i < topo->link_count; i++) {
        const struct weir_port_count *p = &totals->port[i];
        uint64_t share_ppm = weir_account_share_ppm(p->bytes, topo->link[i].rate_bps, result->sim_ps);
        if (share_ppm > result->link_share_ppm) {
            result->link_share_ppm = share_ppm;
            result->fullest_link = i;
        }
        result->drops += p->drops;
        result->losses += p->losses;
        result->marks += p->marks;
        result->receiver_marks += topo->link[i].dst < topo->host_count ? p->marks : 0;
        result->digest += weir_digest_port(i, p->drops + p->losses, p->marks, p->bytes);
        result->queues_digest += acc->model->sampled ? 0 : weir_digest_queue(i, p->area_lo);
    }
}

static void result_coflow(const struct weir_account_flow *at, struct weir_coflow_result *c)
{
    c->flows++;
    if (at->state == 0)
        return;
    c->start_ps = weir_min_u64(c->start_ps, at->start_ps);
    if (at->end_ps == WEIR_NEVER)
        return;
    c->ended++;
    c->first_end_ps = weir_min_u64(c->first_end_ps, at->end_ps);
    c->end_ps = c->ended == 1 ? at->end_ps : weir_max_u64(c->end_ps, at->end_ps);
}

/* Fills the results of coflows and jobs from the progress of their flows. at: progress of the first flow of the jobs;
 * that of the others follows */
static void result_flows(const struct weir_jobs *jobs, const struct weir_account_flow *at, struct weir_job_results *to)
{
    for (uint32_t c = 0; c < jobs->coflow_count; c++)
        to->coflow[c] = (struct weir_coflow_result){ .job = jobs->job[jobs->coflow[c].job].name,
                                                     .name = jobs->coflow[c].name,
                                                     .start_ps = WEIR_NEVER,
                                                     .first_end_ps = WEIR_NEVER,
                                                     .end_ps = WEIR_NEVER };
    for (uint32_t f = 0; f < jobs->flow_count; f++) {
        struct weir_job_result *job = &to->job[jobs->flow[f].job];
        job->flows++;
        if (at[f].state != 0 && at[f].end_ps != WEIR_NEVER) {
            job->ended++;
            job->end_ps = weir_max_u64(job->end_ps, at[f].end_ps);
        }
        result_coflow(&at[f], &to->coflow[jobs->flow[f].coflow]);
    }
}

static void result_jobs(struct weir_account *acc, struct weir_result *result)
{
    const struct weir_workload *wl = acc->model->workload;
    const struct weir_jobs *jobs = wl->jobs, none = { 0 };
    uint32_t collectives = acc->programs != NULL ? weir_programs_results(acc->programs->programs) : 0;
    struct weir_job_results *to;
    if (jobs == NULL && collectives == 0)
        return;
    jobs = jobs != NULL ? jobs : &none;
    to = result->jobs = weir_job_results_new(jobs->job_count + collectives, jobs->coflow_count);
    if (to == NULL) {
        acc->shard[0].out_of_memory = true;
        return;
    }
    if (acc->programs != NULL)
        weir_programs_result(acc->programs, to->job + jobs->job_count);
    if (wl->jobs != NULL)
        result_flows(jobs, acc->flow + wl->tag_count - jobs->flow_count, to);
    for (uint32_t j = 0; j < jobs->job_count; j++) {
        to->job[j].name = jobs->job[j].name;
        to->job[j].start_ps = jobs->job[j].start_ps;
        if (to->job[j].ended < to->job[j].flows)
            to->job[j].end_ps = WEIR_NEVER;
    }
    for (uint32_t c = 0; c < to->coflow_count; c++)
        if (to->coflow[c].ended < to->coflow[c].flows)
            to->coflow[c].end_ps = WEIR_NEVER;
    if (!weir_jobs_summarise(to, &result->jobs_all))
        acc->shard[0].out_of_memory = true;
}

void weir_account_result(struct weir_account *acc, const struct weir_account_totals *totals, struct weir_result *result)
{
    const struct weir_model *model = acc->model;
    uint64_t offered = 0, arrived = 0, completed;
    result->sim_ps = totals->end_ps;
    result->measured_ps = totals->end_ps > model->warmup_ps ? totals->end_ps - model->warmup_ps : 0;
    result->hosts = model->topo->host_count;
    result->restarts = model->restart_count;
    for (uint32_t i = 0; i < acc->shard_count; i++) {
        struct weir_account_shard *s = &acc->shard[i];
        offered += s->started_measured_bytes;
        result->messages_started += s->started;
        result->messages_completed += s->delivered;
        result->messages_lost += s->lost;
        result->lost_bytes += s->lost_bytes;
        result->digest += s->digest;
        if (i > 0)
            weir_recorder_merge(&acc->shard[0].recorder, &s->recorder);
    }
    completed = acc->shard[0].recorder.delivered_measured_bytes;
    result->messages_measured = acc->shard[0].recorder.delivered_measured;
    result->short_pkts = acc->shard[0].recorder.short_pkts;
    result->short_marked_pkts = acc->shard[0].recorder.short_marked_pkts;
    for (uint32_t h = 0; h < result->hosts; h++)
        arrived += totals->arrived_measured[h];
    result->host_rate_bps =
        acc->model->nics != NULL ? weir_nics_most_bps(acc->model->nics) : acc->model->host.path.rate_bps;
    result->offered_bps = weir_account_rate_bps(offered, result->measured_ps, result->hosts);
    result->goodput_bps = weir_account_rate_bps(arrived, result->measured_ps, result->hosts);
    result->completed_bps = weir_account_rate_bps(completed, result->measured_ps, result->hosts);
    result->retransmissions = totals->hosts->retransmissions;
    result->duplicates = totals->hosts->rx_again_pkts;
    result->timeouts = totals->hosts->timeouts;
    result->source_marks = totals->hosts->source_marked_pkts;
    result->connections = totals->hosts->connections;
    result->flow_bytes = totals->hosts->grown_bytes;
    result->jain_ppm = result_jain_ppm(acc, totals);
    result_links(acc, totals, result);
    result_queues(acc, totals, result);
    result_samples(acc, totals->samples, result);
    result_stability(acc, totals, offered, arrived, result);
    result_jobs(acc, result);
    result->offered_bytes = offered;
    result->arrived_bytes = arrived;
    result->grown_bytes =
        totals->unfinished_end_bytes - weir_min_u64(totals->unfinished_start_bytes, totals->unfinished_end_bytes);
    weir_result_slowdown(result, &acc->shard[0].recorder);
    weir_account_parts(acc, totals, result);
    weir_account_unfinished(acc, result);
    weir_account_growth(acc, totals, result);
    weir_account_recovery(acc, totals, result);
    result_detail(&acc->shard[0].recorder, totals->samples, result);
    if (acc->batches != NULL && acc->batches->done == acc->batches->count) {
        result->batches = acc->batches;
        acc->batches = NULL;
    }
    weir_result_intervals(result);
}
