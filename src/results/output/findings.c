/* src/results/output/findings.c - computes the findings and the verdict of a run. Their texts are in
 * findings_text.c. */
#include "output/findings.h"
#include "core/feature_counter.h"
#include "core/math.h"
#include "core/units.h"
#include <string.h>

#define PPM UINT64_C(1000000)
/* Limits of a stable run as shares of the offered bytes, [run.unstable]. */
#define MISSING_PPM 20000u /* bytes that may be missing */
#define GROWN_PPM 100000u  /* bytes by which the unfinished bytes may grow */
/* Least needless share of the packets sent again for a finding. Where packets are dropped a few are needless in any
 * case: the last ACK before a timeout was on its way. Where nothing is lost all are, and one suffices. */
#define NEEDLESS_PPM 10000u

static struct weir_finding *add(struct weir_findings *f, enum weir_finding_kind kind)
{
    struct weir_finding *row = &f->row[f->count];
    WEIR_ASSERT(f->count < WEIR_FINDINGS_MAX);
    f->count++;
    *row = (struct weir_finding){ .kind = kind };
    return row;
}

/* Returns part / whole in millionths; 0 if whole is 0. */
static uint64_t share_ppm(uint64_t part, uint64_t whole)
{
    return whole > 0 ? weir_mul_div_u64(part, PPM, whole) : 0;
}

void weir_findings_offered(struct weir_findings *f, const struct weir_offered *offered,
                           const struct weir_topology *topo)
{
    for (uint32_t i = 0; i < offered->count; i++) {
        const struct weir_offered_class *c = &offered->row[i];
        struct weir_finding *row = add(f, WEIR_FINDING_OVERLOADED);
        row->number[0] = c->worst_ppm;
        row->number[1] = c->links;
        row->number[2] = c->nodes;
        row->number[3] = c->from_tier;
        row->number[4] = c->to_tier;
        row->number[5] = i == 0 ? offered->fits_ppm : 0;
        weir_topology_link_name(topo, c->worst, row->link, sizeof(row->link));
    }
}

uint64_t weir_finding_rounded_up(uint64_t ps)
{
    static const uint64_t step[] = { 10, 15, 20, 30, 40, 50, 60, 80 };
    for (uint64_t ten = 1;; ten *= 10)
        for (uint32_t i = 0; i < sizeof(step) / sizeof(step[0]); i++)
            if (step[i] * ten >= ps || ten > UINT64_MAX / 1000)
                return step[i] * ten;
}

/* Tests whether the warm-up is too short: shorter than unfinished.needed_ps, the time that the longest messages take.
 * Until these can end, more messages start than end. */
static bool warmup_is_short(const struct weir_result *r)
{
    return r->sim_ps - r->measured_ps < r->unfinished.needed_ps;
}

/* Estimates the least measured part, in ps, with which the run would be stable. Bytes are missing because messages are
 * under way at the end of the run. Until the run is as long as its longest message takes, these bytes grow at most in
 * proportion to the length; then they stay the same. From there on, their share of the offered bytes is inversely
 * proportional to the length. The estimate is the length at which this share is at most MISSING_PPM, and the share of
 * the growth at most GROWN_PPM. After a warm-up that is long enough, fewer bytes are missing: only the difference
 * between the start and the end of the measured part. That was about a third in runs of the web search workload at 60 %
 * load on 64 hosts. So the estimate is divided by 3 if the present warm-up is too short, since the finding then
 * suggests a longer warm-up. The result is rounded up, and is at least measured_ps and unfinished.needed_ps. */
static uint64_t needed_ps(const struct weir_result *r)
{
    uint64_t missing_bytes = r->offered_bytes - weir_min_u64(r->arrived_bytes, r->offered_bytes);
    uint64_t missing_ppm = share_ppm(missing_bytes, r->offered_bytes),
             grown_ppm = share_ppm(r->grown_bytes, r->offered_bytes);
    uint64_t times_ppm = weir_max_u64(missing_ppm * PPM / MISSING_PPM, grown_ppm * PPM / GROWN_PPM);
    uint64_t length_ps = weir_mul_div_u64(r->measured_ps, times_ppm, PPM);
    if (r->unfinished.needed_ps > r->sim_ps)
        length_ps = weir_mul_div_u64(length_ps, r->unfinished.needed_ps, r->sim_ps);
    if (warmup_is_short(r))
        length_ps /= 3;
    return weir_finding_rounded_up(weir_max_u64(weir_max_u64(length_ps, r->measured_ps), r->unfinished.needed_ps));
}

/* Tests whether an unstable run is only too short: at most half of its unfinished bytes belong to late messages
 * [run.unfinished]. */
static bool is_short(const struct weir_result *r)
{
    return r->unfinished.late_bytes <= r->unfinished.bytes / 2;
}

static bool is_overloaded(const struct weir_findings *f)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->row[i].kind == WEIR_FINDING_OVERLOADED)
            return true;
    return false;
}

static void add_short(struct weir_findings *f, const struct weir_result *r)
{
    struct weir_finding *row = add(f, WEIR_FINDING_SHORT);
    row->number[0] = share_ppm(r->arrived_bytes, r->offered_bytes);
    row->number[1] = r->unfinished.longest_bytes;
    row->number[2] = r->unfinished.needed_ps;
    row->number[3] = needed_ps(r);
    row->number[4] = warmup_is_short(r) ? weir_finding_rounded_up(r->unfinished.needed_ps) : 0;
    row->number[5] = r->sim_ps;
}

static void add_behind(struct weir_findings *f, const struct weir_result *r)
{
    bool missing = share_ppm(r->arrived_bytes, r->offered_bytes) < PPM - MISSING_PPM;
    struct weir_finding *row = add(f, missing ? WEIR_FINDING_BEHIND : WEIR_FINDING_GROWING);
    row->number[0] =
        missing ? share_ppm(r->arrived_bytes, r->offered_bytes) : share_ppm(r->grown_bytes, r->offered_bytes);
    row->number[1] = share_ppm(r->unfinished.late_bytes, r->unfinished.bytes);
    row->number[2] = is_overloaded(f);
}

static void add_queue(struct weir_findings *f, const struct weir_findings_run *run, const struct weir_growth *growth)
{
    struct weir_finding *row = add(f, WEIR_FINDING_QUEUE);
    for (uint32_t q = 0; q < WEIR_QUARTERS; q++)
        row->number[q] = growth->mean_bytes[q];
    if (run->topo != NULL)
        weir_topology_link_name(run->topo, growth->link, row->link, sizeof(row->link));
}

static void add_unfinished(struct weir_findings *f, const struct weir_findings_run *run, const struct weir_result *r)
{
    const struct weir_unfinished *u = &r->unfinished;
    struct weir_finding *row;
    if (u->beyond > 0) {
        row = add(f, WEIR_FINDING_BEYOND);
        row->number[0] = u->beyond;
        row->number[1] = r->messages_started;
    }
    if (u->messages == u->beyond)
        return;
    row = add(f, WEIR_FINDING_UNFINISHED);
    row->number[0] = u->messages - u->beyond;
    row->number[1] = r->messages_started;
    row->number[2] = weir_min_u64(u->counted[WEIR_GROUP_ALL], u->messages - u->beyond);
    if (u->slowest_ppm > r->slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_ALL].p99)
        row->number[3] = u->slowest_ppm;
    row->number[4] = run->endless || run->planned_ps == 0 ? 0 : 1;
}

static void add_jobs(struct weir_findings *f, const struct weir_findings_run *run, const struct weir_job_results *jobs)
{
    uint64_t left = 0;
    struct weir_finding *row;
    for (uint32_t j = 0; jobs != NULL && j < jobs->job_count; j++)
        left += jobs->job[j].end_ps == WEIR_NEVER;
    if (left == 0)
        return;
    row = add(f, WEIR_FINDING_JOBS);
    row->number[0] = left;
    row->number[1] = jobs->job_count;
    row->number[2] = run->endless || run->planned_ps == 0 ? 0 : 1;
}

/* Adds findings about what slowdown lacks: unfinished messages and jobs, messages lost with their host, messages of
 * traffic that does not count, and lost samples. Also if it has no message at all. */
static void add_missing(struct weir_findings *f, const struct weir_findings_run *run, const struct weir_result *r)
{
    uint64_t counted = r->slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_ALL].count;
    add_unfinished(f, run, r);
    if (r->messages_lost > 0) {
        struct weir_finding *row = add(f, WEIR_FINDING_HOST_LOST);
        row->number[0] = r->messages_lost;
        row->number[1] = r->messages_started;
    }
    add_jobs(f, run, r->jobs);
    if (counted == 0 && (r->messages_started == 0 || r->messages_started > r->unfinished.beyond)) {
        struct weir_finding *row = add(f, WEIR_FINDING_EMPTY);
        row->number[0] = r->messages_started;
        if (r->unfinished.needed_ps > 0) /* no message that counts ended in measured_ps: suggest more than that */
            row->number[1] = weir_finding_rounded_up(weir_max_u64(r->unfinished.needed_ps, r->measured_ps + 1));
    } else if (counted > 0 && r->messages_measured > counted) {
        add(f, WEIR_FINDING_LEFT_OUT)->number[0] = r->messages_measured - counted;
    }
    if (r->samples_lost)
        add(f, WEIR_FINDING_SAMPLES);
}

/* Adds a finding if data of lossless classes was dropped, with the cause that dropped most of this data. Drops by a
 * failure do not count. lossless: bit c is set if class c is lossless. */
static void add_lossless(struct weir_findings *f, uint8_t lossless, const struct weir_causes *causes)
{
    uint64_t all = 0, most = 0;
    struct weir_cause cause = { NULL, NULL, false };
    struct weir_finding *row;
    for (uint32_t i = 0; i < causes->count; i++) {
        const struct weir_cause_count *count = &causes->row[i];
        uint64_t pkts = 0;
        if (count->cause.by_failure)
            continue;
        for (uint32_t c = 0; c < WEIR_CLASSES_MAX && count->cause.rule->fate == WEIR_FATE_DROPPED; c++)
            pkts += (lossless >> c & 1) != 0 ? count->pkts[WEIR_LOST_DATA][c] : 0;
        all += pkts;
        cause = pkts > most ? count->cause : cause;
        most = weir_max_u64(most, pkts);
    }
    if (all == 0)
        return;
    row = add(f, WEIR_FINDING_LOSSLESS);
    row->number[0] = all;
    row->number[1] = most;
    row->cause = cause;
}

/* Adds a finding if ACKs or credit were dropped but no data. Without this finding a reader might think that the drops
 * were data. */
static void add_no_data(struct weir_findings *f, const struct weir_causes *causes)
{
    uint64_t acks = weir_causes_kind(causes, WEIR_FATE_DROPPED, WEIR_LOST_ACK),
             credits = weir_causes_kind(causes, WEIR_FATE_DROPPED, WEIR_LOST_CREDIT);
    struct weir_finding *row;
    if (acks + credits == 0 || weir_causes_kind(causes, WEIR_FATE_DROPPED, WEIR_LOST_DATA) > 0)
        return;
    row = add(f, WEIR_FINDING_NO_DATA);
    row->number[0] = acks;
    row->number[1] = credits;
    row->number[2] = weir_causes_kind(causes, WEIR_FATE_DROPPED, WEIR_LOST_CONTROL);
}

/* Adds a finding if data was sent again that had arrived, and the cause is when senders count packets as lost. Packets
 * whose ACK was dropped or lost are no such data: their senders could not know. NewReno has no SACK, so after a loss it
 * sends again what has arrived. */
static void add_needless(struct weir_findings *f, const struct weir_findings_run *run, const struct weir_result *r)
{
    uint64_t lost[WEIR_LOST_KINDS], needless = r->duplicates;
    for (uint32_t k = 0; k < WEIR_LOST_KINDS; k++)
        lost[k] = weir_causes_kind(r->causes, WEIR_FATE_DROPPED, (enum weir_lost_kind)k) +
                  weir_causes_kind(r->causes, WEIR_FATE_LOST, (enum weir_lost_kind)k);
    needless -= weir_min_u64(needless, lost[WEIR_LOST_ACK] * weir_max_u64(run->ack_every, 1));
    if (needless == 0 || share_ppm(needless, r->retransmissions) < NEEDLESS_PPM)
        return;
    if (run->resends_known && lost[WEIR_LOST_DATA] > 0)
        return;
    struct weir_finding *row = add(f, WEIR_FINDING_NEEDLESS);
    row->number[0] = r->duplicates;
    row->number[1] = r->retransmissions;
    row->number[2] = r->timeouts;
    row->key = r->timeouts > 0 ? run->timer_key : run->order_key;
}

/* Adds a finding if a counter that is a finding is above 0. Of several counters the largest is in it. */
static void add_saturated(struct weir_findings *f, const struct weir_result *r)
{
    const struct weir_feature_count *most = NULL;
    for (uint32_t i = 0; i < r->feature_counts; i++) {
        const struct weir_feature_count *count = &r->feature_count[i];
        if (count->counter->finding != NULL && count->value > (most != NULL ? most->value : 0))
            most = count;
    }
    if (most == NULL)
        return;
    struct weir_finding *row = add(f, WEIR_FINDING_SATURATED);
    row->number[0] = most->value;
    row->count = most;
}

/* Adds a finding if the run stalled, and a finding if the run was interrupted or measured nothing. A run that goes on
 * until all messages have ended may end in its warm-up. */
static void add_end(struct weir_findings *f, const struct weir_findings_run *run, const struct weir_result *r)
{
    if (r->stalled)
        add(f, WEIR_FINDING_STALLED)->number[0] = run->stall_ps;
    if (r->interrupted || r->measured_ps == 0) {
        struct weir_finding *row = add(f, r->measured_ps == 0 ? WEIR_FINDING_UNMEASURED : WEIR_FINDING_CUT);
        row->number[0] = r->sim_ps;
        row->number[1] = run->planned_ps;
        row->number[2] = r->interrupted;
    }
}

static enum weir_verdict verdict(const struct weir_findings *f, const struct weir_result *r)
{
    if (r->stalled)
        return WEIR_VERDICT_STALLED;
    if (r->measured_ps == 0 || r->messages_started == 0)
        return WEIR_VERDICT_UNMEASURED;
    if (r->interrupted)
        return WEIR_VERDICT_CUT;
    if (r->growth.grows)
        return WEIR_VERDICT_GROWS;
    if (!r->stable)
        return !is_overloaded(f) && is_short(r) ? WEIR_VERDICT_SHORT : WEIR_VERDICT_UNSTABLE;
    return r->unfinished.messages > 0 ? WEIR_VERDICT_SO_FAR : WEIR_VERDICT_STABLE;
}

/* Sorts findings by kind, in place and stably. The findings from before the run are first in the array, but their kind
 * belongs in the middle. */
static void sort(struct weir_findings *f)
{
    for (uint32_t i = 1; i < f->count; i++) {
        struct weir_finding row = f->row[i];
        uint32_t at = i;
        for (; at > 0 && f->row[at - 1].kind > row.kind; at--)
            f->row[at] = f->row[at - 1];
        f->row[at] = row;
    }
}

void weir_findings_result(struct weir_findings *f, const struct weir_findings_run *run, const struct weir_result *r)
{
    f->verdict = verdict(f, r);
    add_end(f, run, r);
    if (f->verdict == WEIR_VERDICT_SHORT && r->unfinished.beyond == 0) /* else endless flows offered most bytes */
        add_short(f, r);
    else if (f->verdict == WEIR_VERDICT_UNSTABLE)
        add_behind(f, r);
    if (r->growth.grows)
        add_queue(f, run, &r->growth);
    if (r->measured_ps > 0)
        add_missing(f, run, r);
    if (r->causes != NULL) {
        add_lossless(f, run->lossless, r->causes);
        add_no_data(f, r->causes);
        add_needless(f, run, r);
    }
    add_saturated(f, r);
    sort(f);
}
