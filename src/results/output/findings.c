/* src/results/output/findings.c - finds what a result lacks. The sentences are in findings_text.c. */
#include "output/findings.h"
#include "core/math.h"
#include "core/units.h"

#define PPM UINT64_C(1000000)
#define MISSING_PPM 20000u /* what [run.unstable] of doc/model.md lets be missing, of what was offered .. */
#define GROWN_PPM 100000u  /* .. and what waits grow by */

static struct weir_finding *add(struct weir_findings *f, enum weir_finding_kind kind)
{
    struct weir_finding *row = &f->row[f->count];
    WEIR_ASSERT(f->count < WEIR_FINDINGS_MAX);
    f->count++;
    *row = (struct weir_finding){ .kind = kind };
    return row;
}

/* Returns part of whole in millionths; 0 where whole is 0. */
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

/* Returns the least of 1, 1.5, 2, 3, 4, 5, 6, 8 times a power of ten that is not below ps: a length that a person would
 * write. */
static uint64_t rounded_up(uint64_t ps)
{
    static const uint64_t step[] = { 10, 15, 20, 30, 40, 50, 60, 80 };
    for (uint64_t ten = 1;; ten *= 10)
        for (uint32_t i = 0; i < sizeof(step) / sizeof(step[0]); i++)
            if (step[i] * ten >= ps || ten > UINT64_MAX / 1000)
                return step[i] * ten;
}

/* Tests whether the warm-up is too short: until the longest messages have had their time, more starts than ends. */
static bool warmup_is_short(const struct weir_result *r)
{
    return r->sim_ps - r->measured_ps < r->unfinished.needed_ps;
}

/* Estimates how long to measure, from what is missing: messages under way at the end. They no longer get more once a
 * run is as long as its longest message takes, and until then grow with its length at most. From there on their share
 * of what was offered falls as 1 / length, down to what is let be missing. After a warm-up that long, only the
 * difference between start and end is missing: about a third, in runs of the web search at 60 % on 64 hosts. No run is
 * long enough that is shorter than its longest message, or than the one that was too short. */
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
    return rounded_up(weir_max_u64(weir_max_u64(length_ps, r->measured_ps), r->unfinished.needed_ps));
}

/* Tests whether the length of the run is at fault: then messages that wait have not been under way for longer than
 * messages of their sizes are. */
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
    row->number[4] = warmup_is_short(r) ? rounded_up(r->unfinished.needed_ps) : 0;
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

/* Adds what slowdown does not have: messages that had not ended, and those that do not count in it. */
static void add_missing(struct weir_findings *f, const struct weir_findings_run *run, const struct weir_result *r)
{
    uint64_t counted = r->slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_ALL].count;
    add_unfinished(f, run, r);
    add_jobs(f, run, r->jobs);
    if (counted == 0 && (r->messages_started == 0 || r->messages_started > r->unfinished.beyond)) {
        struct weir_finding *row = add(f, WEIR_FINDING_EMPTY);
        row->number[0] = r->messages_started;
        if (r->unfinished.needed_ps > 0) /* in this part none ended: whatever the estimate is, it was too short */
            row->number[1] = rounded_up(weir_max_u64(r->unfinished.needed_ps, r->measured_ps + 1));
    } else if (counted > 0 && r->messages_measured > counted) {
        add(f, WEIR_FINDING_LEFT_OUT)->number[0] = r->messages_measured - counted;
    }
    if (r->samples_lost)
        add(f, WEIR_FINDING_SAMPLES);
}

/* Adds data that was dropped in spite of a promise not to. */
static void add_lossless(struct weir_findings *f, uint8_t lossless, const struct weir_causes *causes)
{
    uint64_t all = 0, most = 0;
    struct weir_cause cause = { NULL, NULL };
    struct weir_finding *row;
    for (uint32_t i = 0; i < causes->count; i++) {
        const struct weir_cause_count *count = &causes->row[i];
        uint64_t pkts = 0;
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

/* Adds drops that cost no data: a reader would take them for lost messages. */
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

/* Adds what ended the run before its time: a stall, or an interruption. */
static void add_end(struct weir_findings *f, const struct weir_findings_run *run, const struct weir_result *r)
{
    if (r->stalled)
        add(f, WEIR_FINDING_STALLED)->number[0] = run->stall_ps;
    if (r->interrupted || r->measured_ps == 0) {
        struct weir_finding *row = add(f, r->measured_ps == 0 ? WEIR_FINDING_UNMEASURED : WEIR_FINDING_CUT);
        row->number[0] = r->sim_ps;
        row->number[1] = run->planned_ps;
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
    if (!r->stable)
        return !is_overloaded(f) && is_short(r) ? WEIR_VERDICT_SHORT : WEIR_VERDICT_UNSTABLE;
    return r->unfinished.messages > 0 ? WEIR_VERDICT_SO_FAR : WEIR_VERDICT_STABLE;
}

/* Sorts findings by kind, in place: those from before the run have kinds in the middle. */
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
    if (f->verdict == WEIR_VERDICT_SHORT && r->unfinished.beyond == 0) /* else most that was offered is theirs */
        add_short(f, r);
    else if (f->verdict == WEIR_VERDICT_UNSTABLE)
        add_behind(f, r);
    if (r->measured_ps > 0)
        add_missing(f, run, r);
    if (r->causes != NULL) {
        add_lossless(f, run->lossless, r->causes);
        add_no_data(f, r->causes);
    }
    sort(f);
}
