/* test/oracle/jobs_case.c - random jobs on top of a scenario: flows that wait for others, here and elsewhere, weights that change at
 * given times and at ticks; and a law that obeys every weight it is told. */
#include "core/rng.h"
#include "test/oracle/hash_law.h"
#include "test/oracle/twin.h"
#include "workload/jobs.h"

enum { FLOWS_MAX = 48 }; /* of a job */

static void weigh_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)config;
    hash_law_hear((struct hash_law *)cc, ack->acked_bytes);
}

static void weigh_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *notice)
{
    (void)config;
    hash_law_hear((struct hash_law *)cc, notice->value ^ (uint64_t)notice->kind << 48 ^ notice->now_ps);
}

static const struct weir_cc_ops weigh = { .name = "weigh",
                                          .state_bytes = sizeof(struct hash_law),
                                          .needs = WEIR_NEED_WEIGHTS,
                                          .init = hash_law_init,
                                          .on_ack = weigh_on_ack,
                                          .on_loss = hash_law_on_loss,
                                          .on_notice = weigh_on_notice };

struct make {
    struct weir_jobs *jobs;
    struct weir_rng rng;
    uint32_t hosts, bytes_max;
    uint64_t span_ps;
    struct weir_err err;
};

static uint32_t below(struct make *m, uint32_t n)
{
    return weir_rng_below(weir_rng_next(&m->rng), n);
}

static void must(const struct make *m, int code)
{
    if (code != 0)
        (void)fprintf(stderr, "    jobs: %s\n", m->err.text);
    WEIR_ASSERT(code == 0);
}

struct plan {                  /* of a job: its flows in the order in which they could end */
    uint32_t place[FLOWS_MAX]; /* -> number within the job */
    uint32_t src[FLOWS_MAX], dst[FLOWS_MAX], after[FLOWS_MAX][3], after_count[FLOWS_MAX];
};

/* Half of those that wait start where one of those they wait for ends. */
static void plan_flow(struct make *m, struct plan *p, uint32_t i)
{
    p->after_count[i] = i == 0 ? 0 : below(m, 4);
    p->src[i] = below(m, m->hosts);
    for (uint32_t k = 0; k < p->after_count[i]; k++) {
        uint32_t other = below(m, i);
        p->after[i][k] = other;
        if (k == 0 && below(m, 2) == 0)
            p->src[i] = p->dst[other];
    }
    p->dst[i] = (p->src[i] + 1 + below(m, m->hosts - 1)) % m->hosts;
}

/* Compute times are often 0, starts often the same, so that much happens at one instant. */
static void add_flow(struct make *m, const struct plan *p, uint32_t i, uint32_t first, uint32_t coflows, bool changes)
{
    uint64_t some_ps = m->span_ps / 40 * below(m, 20), bytes = 1 + below(m, 1 + below(m, m->bytes_max));
    uint32_t eighths = 1 + below(m, 64), coflow = below(m, coflows);
    struct weir_job_flow flow = { .bytes = bytes,
                                  .weight_q20 = (WEIR_WEIGHT_ONE >> 3) * eighths,
                                  .src = p->src[i],
                                  .dst = p->dst[i],
                                  .coflow = m->jobs->coflow_count - 1 - coflow };
    if (p->after_count[i] == 0)
        flow.start_ps = some_ps;
    else if (below(m, 2) == 0)
        flow.start_ps = below(m, 20000000);
    must(m, weir_jobs_add_flow(m->jobs, &flow, "flow", &m->err));
    for (uint32_t k = 0; k < p->after_count[i]; k++)
        must(m, weir_jobs_add_after(m->jobs, first + p->place[p->after[i][k]], &m->err));
    for (uint32_t k = 1, n = changes ? below(m, 4) : 0; k <= n; k++) {
        struct weir_job_change c = { .at_ps = m->span_ps / 4 * k, .weight_q20 = 1049 + below(m, 10u << 20) };
        must(m, weir_jobs_add_change(m->jobs, &c, &m->err));
    }
}

static void add_job(struct make *m)
{
    struct weir_job job = { .name = "job", .policy = below(m, WEIR_POLICY_ALTRUISTIC + 1), .sum_q20 = WEIR_WEIGHT_ONE };
    uint32_t first = m->jobs->flow_count, count = 1 + below(m, FLOWS_MAX), coflows = 1 + below(m, 4), at[FLOWS_MAX];
    bool ticks = job.policy == WEIR_POLICY_CONSTANT_SUM || job.policy == WEIR_POLICY_EQUAL_PROGRESS ||
                 job.policy == WEIR_POLICY_ALTRUISTIC;
    struct plan p;
    must(m, weir_jobs_add(m->jobs, &job, &m->err));
    for (uint32_t i = 0; i < coflows; i++)
        must(m, weir_jobs_add_coflow(m->jobs, "coflow", &m->err));
    for (uint32_t i = 0; i < count; i++) { /* a random order of the numbers, so that flows also wait for higher ones */
        uint32_t j = below(m, i + 1);
        at[i] = at[j];
        at[j] = i;
    }
    for (uint32_t i = 0; i < count; i++)
        p.place[at[i]] = i;
    for (uint32_t i = 0; i < count; i++)
        plan_flow(m, &p, i);
    for (uint32_t i = 0; i < count; i++)
        add_flow(m, &p, at[i], first, coflows, !ticks);
}

void twin_jobs(struct weir_setup *s, uint64_t seed, struct weir_jobs *jobs)
{
    struct weir_model *model = &s->model;
    bool acks = model->host.credit != NULL || (model->host.cc->needs & WEIR_NEED_NO_ACKS) == 0;
    struct make m = { .jobs = jobs,
                      .rng = { .key = weir_rng_key(seed, 3, WEIR_RNG_TEST, 0) },
                      .hosts = s->topo.host_count,
                      .bytes_max = acks ? 60000 : 100,
                      .span_ps = model->until_done ? 400000000 : model->warmup_ps + model->measure_ps };
    uint64_t notify = below(&m, 2), notify_ps = below(&m, 20000000);
    *jobs = (struct weir_jobs){ .notify_ps = notify * notify_ps, .tick_ps = 1000000 + below(&m, 100000000) };
    for (uint32_t i = 0, n = 1 + below(&m, 6); i < n; i++)
        add_job(&m);
    must(&m, weir_jobs_finish(jobs, m.hosts, NULL, &m.err));
    s->workload.jobs = jobs;
    s->model.restart_count = 0; /* flows would wait for messages that are lost */
    s->workload.tag_count += jobs->flow_count;
    for (uint32_t f = 0; f < jobs->flow_count; f++) /* as if they were of an item that may have replies */
        s->workload.finite_messages += s->workload.reply_bytes[jobs->flow[f].item] > 0 ? 2 : 1;
    s->workload.weighted |= weir_jobs_weighted(jobs);
    model->host.track = true;
    if (acks && model->host.credit == NULL && below(&m, 4) != 0)
        model->host.cc = &weigh;
}
