/* src/scenario/config/jobs_cm.c - reads htsim's connection matrix as one job: a flow with a trigger waits for the flows
 * that fire it. The flows that each flow waits for must be known before the run. So oneshot and multishot triggers are
 * allowed only if one flow fires them: with several, the first to end would decide. A flow ends when its last byte
 * arrives, also for send_done_trigger, for which htsim waits until the acknowledgement. */
#include "config/jobs_read.h"
#include "workload/cm.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct firing { /* a flow that fires a trigger when it ends */
    uint32_t trigger, flow;
};

struct triggers { /* which flows fire and which wait for each trigger */
    struct weir_jobs_reader *r;
    const struct weir_cm *cm;
    const char *file;
    struct firing *firing; /* count entries, sorted by trigger and then by flow */
    uint32_t count;
    uint32_t *waiting; /* number of flows that each entry of cm->trigger starts */
};

static int by_trigger(const void *a, const void *b)
{
    const struct firing *x = a, *y = b;
    if (x->trigger != y->trigger)
        return x->trigger < y->trigger ? -1 : 1;
    return (x->flow > y->flow) - (x->flow < y->flow);
}

static void gather(struct triggers *t)
{
    for (uint32_t f = 0; f < t->cm->flow_count; f++) {
        const struct weir_cm_flow *flow = &t->cm->flow[f];
        const struct weir_cm_trigger *trigger = weir_cm_find(t->cm, flow->trigger);
        if (flow->send_done != 0)
            t->firing[t->count++] = (struct firing){ flow->send_done, f };
        if (flow->recv_done != 0)
            t->firing[t->count++] = (struct firing){ flow->recv_done, f };
        if (trigger != NULL)
            t->waiting[trigger - t->cm->trigger]++;
    }
    qsort(t->firing, t->count, sizeof(*t->firing), by_trigger);
}

/* Returns the first entry of t->firing with this trigger; sets *count to the number of such entries, which may be 0. */
static const struct firing *find(const struct triggers *t, uint32_t trigger, uint32_t *count)
{
    uint32_t low = 0, high = t->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->firing[middle].trigger < trigger)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < t->count && t->firing[low + *count].trigger == trigger)
        (*count)++;
    return &t->firing[low];
}

/* Refuses a trigger unless it fires exactly when all flows that fire it have ended, and then starts all flows that wait
 * for it. fired: entries in t->firing. @return 0, or WEIR_E_CONFLICT with err */
static int check_trigger(const struct triggers *t, const struct weir_cm_trigger *trigger, uint32_t fired)
{
    struct weir_tok tok = { .file = t->file, .line = trigger->line };
    bool barrier = trigger->shot == WEIR_CM_BARRIER;
    if (fired == 0)
        return weir_fail(t->r->err, WEIR_E_CONFLICT, &tok, "a flow fires it by send_done_trigger or recv_done_trigger",
                         "trigger %" PRIu32 ": no flow fires it, and flows wait for it", trigger->id);
    if (barrier && trigger->count != fired)
        return weir_fail(t->r->err, WEIR_E_CONFLICT, &tok, "a barrier's count is the number of flows that fire it",
                         "trigger %" PRIu32 ": a barrier of %" PRIu32 ", and %" PRIu32 " flows fire it", trigger->id,
                         trigger->count, fired);
    if (!barrier && fired > 1)
        return weir_fail(t->r->err, WEIR_E_CONFLICT, &tok, "barrier waits for all of them",
                         "trigger %" PRIu32 ": %" PRIu32 " flows fire it, and which ends first is not known before "
                         "the run",
                         trigger->id, fired);
    if (trigger->shot == WEIR_CM_MULTISHOT && t->waiting[trigger - t->cm->trigger] > 1)
        return weir_fail(t->r->err, WEIR_E_CONFLICT, &tok, "oneshot starts all of them",
                         "trigger %" PRIu32 ": it is fired once, and starts one of %" PRIu32 " flows", trigger->id,
                         t->waiting[trigger - t->cm->trigger]);
    return 0;
}

static int add_waits(const struct triggers *t, uint32_t id, uint32_t line, uint32_t first)
{
    const struct weir_cm_trigger *trigger = weir_cm_find(t->cm, id);
    struct weir_tok tok = { .file = t->file, .line = line };
    uint32_t count;
    const struct firing *firing = find(t, id, &count);
    int code;
    if (trigger == NULL)
        return weir_fail(t->r->err, WEIR_E_UNKNOWN, &tok, "trigger id 4 oneshot, on a line of its own",
                         "trigger %" PRIu32 ": no line describes it", id);
    code = check_trigger(t, trigger, count);
    for (uint32_t i = 0; code == 0 && i < count; i++)
        if (i == 0 || firing[i].flow != firing[i - 1].flow)
            code = weir_jobs_add_after(t->r->jobs, first + firing[i].flow, t->r->err);
    return code;
}

static int add_flow(const struct triggers *t, const struct weir_cm_flow *flow, uint32_t first)
{
    struct weir_jobs_reader *r = t->r;
    struct weir_tok tok = { .file = t->file, .line = flow->line };
    struct weir_job_flow made = { .bytes = flow->bytes,
                                  .weight_q20 = WEIR_WEIGHT_ONE,
                                  .start_ps = flow->start_ps + (flow->trigger == 0 ? r->start_ps : 0),
                                  .src = flow->src,
                                  .dst = flow->dst,
                                  .coflow = r->jobs->coflow_count - 1,
                                  .item = r->item };
    char name[32];
    int code;
    (void)snprintf(name, sizeof(name), "line %" PRIu32, flow->line);
    code = weir_jobs_add_flow(r->jobs, &made, name, r->err);
    if (code == 0)
        code = weir_jobs_keep_position(r, r->jobs->flow_count - 1, &tok);
    return code == 0 && flow->trigger != 0 ? add_waits(t, flow->trigger, flow->line, first) : code;
}

static int add_job(const struct triggers *t)
{
    struct weir_jobs_reader *r = t->r;
    const char *slash = strrchr(t->file, '/'), *base = slash != NULL ? slash + 1 : t->file;
    char name[WEIR_JOB_NAME];
    struct weir_job job = { .name = name,
                            .policy = r->policy_said != 0 ? r->policy_said - 1 : WEIR_POLICY_GIVEN,
                            .sum_q20 = WEIR_WEIGHT_ONE };
    uint32_t first = r->jobs->flow_count;
    int code;
    (void)snprintf(name, sizeof(name), "%.60s", base);
    code = weir_jobs_add(r->jobs, &job, r->err);
    if (code == 0)
        code = weir_jobs_add_coflow(r->jobs, name, r->err);
    for (uint32_t f = 0; code == 0 && f < t->cm->flow_count; f++)
        code = add_flow(t, &t->cm->flow[f], first);
    return code;
}

int weir_jobs_read_cm(struct weir_jobs_reader *r, const struct weir_traffic_config *item, const char *text)
{
    struct weir_cm cm;
    struct triggers t = { .r = r, .cm = &cm, .file = item->file };
    int code = weir_cm_read(&cm, text, item, r->item, r->limits, r->err);
    if (code != 0)
        return code;
    t.firing = calloc(2 * (size_t)cm.flow_count + 1, sizeof(*t.firing));
    t.waiting = calloc(cm.trigger_count + (size_t)1, sizeof(*t.waiting));
    if (t.firing == NULL || t.waiting == NULL) {
        code = weir_fail_memory(r->err);
    } else {
        gather(&t);
        code = add_job(&t);
    }
    free(t.firing);
    free(t.waiting);
    weir_cm_free(&cm);
    return code;
}
