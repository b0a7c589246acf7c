/* src/solver/solve/compare_stats.c - weir_compare_finish(): compares the rates of a run with the max-min shares, and
 * computes how long flows took to reach them. */
#include "core/math.h"
#include "solve/compare.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define NEAR 0.03 /* a flow's rate is right within this part of its share */
#define BAND 0.05 /* a flow has settled when its rate stays within this part of its share */

/* The window over which a flow's rate is the mean: at least WINDOW_S seconds, WINDOW_RTTS round trips and the time of
 * WINDOW_PKTS of the flow's packets (one packet is 0.25 %). But the window is at most WINDOW_PART of the time since the
 * last change. */
#define WINDOW_S 1e-3
#define WINDOW_PKTS 400.0
#define WINDOW_RTTS 50.0
#define WINDOW_PART 0.5

/* A flow has settled when its rate has been within BAND for SETTLE_RTTS round trips. This rate is a mean over
 * SETTLE_RTTS round trips, or over the time of SETTLE_PKTS of the flow's packets if that is longer. */
#define SETTLE_RTTS 5.0
#define SETTLE_PKTS 40.0

struct stats { /* state of weir_compare_finish() */
    const struct weir_compare *c;
    struct weir_compared *out;
    struct weir_shares now, old; /* shares at the end, and before the last change; old has no flows if no weight or
                                    path changed then */
    double *got, *error, *settle, *carried; /* got: rate of each flow, error: distance from its share, settle: times
                                               to settle; carried: load of each link */
    uint64_t since_ps;                      /* last time at which a weight or path changed, or a flow started or
                                               ended */
    uint32_t first;                         /* index of the first snapshot at or after since_ps; if there is none, of
                                               the last snapshot */
    double pkt_bits;                        /* payload of a full packet, in bits */
};

static double seconds(uint64_t ps)
{
    return (double)ps / (double)WEIR_PS_PER_S;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Returns the nearest-rank percentile: the least value v for which at least the fraction `part` of all values is <= v.
 * Returns INFINITY if count is 0. Sorts the values. */
static double percentile(double *value, uint32_t count, double part)
{
    if (count == 0)
        return INFINITY;
    qsort(value, count, sizeof(*value), by_value);
    double rank = ceil(part * count);
    return value[rank < 1 ? 0 : (uint32_t)rank - 1];
}

static uint32_t tag_of(const struct stats *s, uint32_t i)
{
    return s->now.flows.number[i] - 1;
}

/* Returns the mean rate of flow i between the snapshots `from` and `to`, in bit/s. */
static double rate_between(const struct stats *s, uint32_t i, uint32_t from, uint32_t to)
{
    uint64_t bytes = s->c->acked[to][tag_of(s, i)] - s->c->acked[from][tag_of(s, i)];
    return 8.0 * (double)bytes / seconds(s->c->at_ps[to] - s->c->at_ps[from]);
}

static uint32_t last_snapshot(const struct stats *s)
{
    return s->c->count - 1;
}

/* --- rates --- */

/* Returns the index of the snapshot at which the window of flow i begins. The window, over which its rate is the mean,
 * ends with the last snapshot. */
static uint32_t window_of(const struct stats *s, uint32_t i)
{
    double end_s = seconds(s->c->at_ps[last_snapshot(s)]), share = s->now.solution.rate[i];
    double window = fmax(WINDOW_S, WINDOW_RTTS * s->out->rtt_s);
    if (share > 0)
        window = fmax(window, WINDOW_PKTS * s->pkt_bits / share);
    window = fmin(window, WINDOW_PART * (end_s - seconds(s->since_ps)));
    uint32_t snapshot = last_snapshot(s) - 1;
    while (snapshot > 0 && end_s - seconds(s->c->at_ps[snapshot]) < window)
        snapshot--;
    return snapshot;
}

static double window_s(const struct stats *s, uint32_t from)
{
    return seconds(s->c->at_ps[last_snapshot(s)] - s->c->at_ps[from]);
}

static double error_of(double got, double share)
{
    return share > 0 ? fabs(got / share - 1) : got > 0 ? INFINITY : 0;
}

/* Sets out->rtt_s, the round trip, by Little's law: mean bytes in flight over the rate of acknowledged bytes. */
static void find_rtt(struct stats *s)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->now.flows.count; i++)
        sum += rate_between(s, i, s->first, last_snapshot(s));
    s->out->rtt_s = s->c->inflight_bytes / s->c->count * 8 / sum;
}

static void find_rates(struct stats *s)
{
    for (uint32_t i = 0; i < s->now.flows.count; i++) {
        uint32_t from = window_of(s, i);
        s->got[i] = rate_between(s, i, from, last_snapshot(s));
        s->error[i] = error_of(s->got[i], s->now.solution.rate[i]);
        s->out->within += s->error[i] <= NEAR;
        s->out->window_s = fmax(s->out->window_s, window_s(s, from));
    }
    s->out->flows = s->now.flows.count;
}

/* Sets the number of bottleneck links, and their least and mean utilisation. Utilisation is the load over the capacity
 * that acknowledgements leave. */
static void find_utilisation(struct stats *s)
{
    const struct weir_network *net = &s->now.solution.net;
    double sum = 0;
    s->out->utilisation_min = INFINITY;
    for (uint32_t i = 0; i < net->flow_count; i++)
        for (uint32_t k = net->first[i]; k < net->first[i + 1]; k++)
            s->carried[net->link[k]] += s->got[i] * (net->share != NULL ? net->share[k] : 1);
    for (uint32_t i = 0; i < net->flow_count; i++) {
        uint32_t link = s->now.solution.bottleneck[i];
        if (link == WEIR_MAXMIN_NONE || s->carried[link] < 0)
            continue;
        double part = s->carried[link] / net->capacity[link];
        s->carried[link] = -1; /* counted */
        s->out->links++;
        sum += part;
        if (part < s->out->utilisation_min) {
            s->out->utilisation_min = part;
            (void)weir_setup_link_name(s->c->setup, link, s->out->utilisation_link);
        }
    }
    s->out->utilisation_mean = s->out->links > 0 ? sum / s->out->links : INFINITY;
}

static void describe_miss(const struct stats *s, uint32_t i, struct weir_miss *to)
{
    const struct weir_network_flow *flow = &s->now.flows.flow[i];
    double share = s->now.solution.rate[i];
    *to = (struct weir_miss){ .flow = tag_of(s, i),
                              .src = flow->src,
                              .dst = flow->dst,
                              .weight = flow->weight,
                              .share_bps = share,
                              .got_bps = s->got[i],
                              .rtt_pkts = share * s->out->rtt_s / s->pkt_bits,
                              .window_pkts = share * window_s(s, window_of(s, i)) / s->pkt_bits };
    (void)weir_setup_link_name(s->c->setup, s->now.solution.bottleneck[i], to->bottleneck);
}

/* Lists the flows whose rates are farthest from their shares, up to WEIR_COMPARE_MISSES. Makes one pass over all flows
 * per entry, because the list is short. */
static void find_misses(struct stats *s)
{
    double below = INFINITY;
    uint32_t after = 0;
    while (s->out->miss_count < WEIR_COMPARE_MISSES) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < s->now.flows.count; i++) {
            bool later = s->error[i] < below || (s->error[i] == below && i >= after);
            if (s->error[i] > NEAR && later && (best == UINT32_MAX || s->error[i] > s->error[best]))
                best = i;
        }
        if (best == UINT32_MAX)
            return;
        describe_miss(s, best, &s->out->miss[s->out->miss_count++]);
        below = s->error[best];
        after = best + 1;
    }
}

/* --- times to settle --- */

static double old_rate(const struct stats *s, uint32_t i)
{
    return s->old.flows.count > 0 ? s->old.solution.rate[i] : 0;
}

static bool has_moved(const struct stats *s, uint32_t i)
{
    double share = s->now.solution.rate[i];
    return share > 0 && fabs(old_rate(s, i) - share) > BAND * share;
}

/* Returns the number of snapshot intervals in window_s seconds, rounded up, at least 1; 0 = the run after s->first is
 * shorter than that. */
static uint32_t span_of(const struct stats *s, double window_s)
{
    double snapshots = ceil(window_s / seconds(s->c->snapshot_ps) - 1e-9);
    return snapshots <= last_snapshot(s) - s->first ? (uint32_t)fmax(snapshots, 1) : 0;
}

/* State of the search for the time at which a flow settled. A flow's packets come in clumps, one per round trip, so a
 * mean over a few round trips depends on whether one clump more falls into it. Therefore the search uses a sliding mean
 * of sliding means, both over `span` snapshots: this weights 2 span snapshots by a triangle. */
struct settling {
    uint32_t span, good; /* good: number of consecutive means up to now that were within BAND */
    double sum;          /* of the last `span` sliding means */
    double at_s;         /* time to settle: the middle of the first mean of the first long enough series of good
                            means; INFINITY = not found so far */
};

static void settle_step(const struct stats *s, struct settling *to, uint32_t snapshot, bool right)
{
    uint32_t wanted = span_of(s, SETTLE_RTTS * s->out->rtt_s);
    to->good = right ? to->good + 1 : 0;
    if (to->good <= wanted || to->at_s != INFINITY)
        return;
    uint32_t mid = snapshot - to->good + 1 + to->span;
    to->at_s = seconds(s->c->at_ps[mid]) - seconds(s->since_ps);
}

/* Returns the mean of to->span sliding means, which begin at `snapshot`, `snapshot` + 1, and so on. Updates to->sum, so
 * it must be called for s->first, then for each following snapshot. mean_of: returns the sliding mean over `span`
 * snapshots that begins at `snapshot` */
static double next_mean(const struct stats *s, struct settling *to, uint32_t snapshot, uint32_t i,
                        double (*mean_of)(const struct stats *s, uint32_t i, uint32_t snapshot, uint32_t span))
{
    if (snapshot == s->first) {
        to->sum = 0;
        for (uint32_t k = 0; k < to->span; k++)
            to->sum += mean_of(s, i, snapshot + k, to->span);
    } else {
        to->sum += mean_of(s, i, snapshot + to->span - 1, to->span) - mean_of(s, i, snapshot - 1, to->span);
    }
    return to->sum / to->span;
}

static double settle(const struct stats *s, double window_s, uint32_t i, double goal,
                     double (*mean_of)(const struct stats *s, uint32_t i, uint32_t snapshot, uint32_t span))
{
    struct settling own = { .span = span_of(s, window_s), .at_s = INFINITY };
    if (own.span == 0 || span_of(s, 2 * window_s) == 0)
        return -1;
    for (uint32_t snapshot = s->first; snapshot + 2 * own.span <= last_snapshot(s) && own.at_s == INFINITY; snapshot++)
        settle_step(s, &own, snapshot, error_of(next_mean(s, &own, snapshot, i, mean_of), goal) <= BAND);
    return own.at_s;
}

static double mean_rate(const struct stats *s, uint32_t i, uint32_t snapshot, uint32_t span)
{
    return rate_between(s, i, snapshot, snapshot + span);
}

/* Returns the fraction of the change from old to new shares that the rates between `snapshot` and `snapshot + span`
 * have made; 1 = all of it. The changes of all flows that moved are added up. */
static double change_made(const struct stats *s, uint32_t unused, uint32_t snapshot, uint32_t span)
{
    double made = 0, way = 0;
    (void)unused;
    for (uint32_t i = 0; i < s->now.flows.count; i++) {
        if (!has_moved(s, i))
            continue;
        double from = old_rate(s, i), step = s->now.solution.rate[i] - from;
        double moved = rate_between(s, i, snapshot, snapshot + span) - from;
        made += step < 0 ? -moved : moved;
        way += fabs(step);
    }
    return made / way;
}

/* Returns the time to settle of flow i, in seconds after since_ps; INFINITY = not settled, -1 = the run is too
 * short. */
static double settle_of(const struct stats *s, uint32_t i)
{
    double share = s->now.solution.rate[i];
    return settle(s, fmax(SETTLE_RTTS * s->out->rtt_s, SETTLE_PKTS * s->pkt_bits / share), i, share, mean_rate);
}

static double settle_together(const struct stats *s)
{
    double at_s = settle(s, SETTLE_RTTS * s->out->rtt_s, 0, 1, change_made);
    return at_s < 0 ? INFINITY : at_s;
}

static void find_settling(struct stats *s)
{
    struct weir_compared *out = s->out;
    uint32_t settled = 0;
    for (uint32_t i = 0; i < s->now.flows.count; i++) {
        if (!has_moved(s, i))
            continue;
        out->moved++;
        double at_s = settle_of(s, i);
        if (at_s < 0)
            continue;
        s->settle[settled++] = at_s;
        out->settled += at_s < INFINITY;
        out->unsettled += at_s == INFINITY;
    }
    out->settle_p50_s = percentile(s->settle, settled, 0.5);
    out->settle_p99_s = percentile(s->settle, settled, 0.99);
    out->together_s = out->moved > 0 ? settle_together(s) : INFINITY;
    out->settle_p50_rtts = out->settle_p50_s / out->rtt_s;
    out->settle_p99_rtts = out->settle_p99_s / out->rtt_s;
    out->together_rtts = out->together_s / out->rtt_s;
}

/* --- the whole comparison --- */

static int find_shares(struct stats *s, struct weir_err *err)
{
    const struct weir_compare *c = s->c;
    bool by_change = c->changed_ps != 0 && s->since_ps == c->changed_ps;
    int code = weir_shares_find(&s->now, c->setup, c->end_ps, c->state, err);
    if (code == 0 && by_change)
        code = weir_shares_find(&s->old, c->setup, c->changed_ps - 1, c->state, err);
    s->out->solve_s = (double)s->now.solution.solve_ns / 1e9;
    return code;
}

static void compute(struct stats *s)
{
    while (s->first + 1 < s->c->count && s->c->at_ps[s->first + 1] <= s->since_ps)
        s->first++;
    if (s->c->at_ps[s->first] < s->since_ps && s->first + 1 < s->c->count)
        s->first++;
    find_rtt(s);
    find_rates(s);
    find_utilisation(s);
    find_misses(s);
    find_settling(s);
    s->out->error_p50 = percentile(s->error, s->out->flows, 0.5);
    s->out->error_p99 = percentile(s->error, s->out->flows, 0.99);
    s->out->error_max = s->out->flows > 0 ? s->error[s->out->flows - 1] : 0; /* sorted by percentile() */
}

int weir_compare_finish(const struct weir_compare *c, struct weir_compared *out, struct weir_err *err)
{
    struct stats s = { .c = c, .out = out, .since_ps = weir_max_u64(c->known_ps, c->seen_ps) };
    size_t room = c->flows;
    *out = (struct weir_compared){ .since_s = seconds(s.since_ps), .snapshot_s = seconds(c->snapshot_ps) };
    s.pkt_bits = 8.0 * c->setup->scn->framing.payload_bytes;
    if (c->count < 3)
        return weir_fail(err, WEIR_E_RUN, NULL, "a longer run.measure",
                         "run.compare: too little time since the last change, start or end of a flow");
    int code = find_shares(&s, err);
    s.got = calloc(room + 1, sizeof(*s.got));
    s.error = calloc(room + 1, sizeof(*s.error)); /* + 1: never of size 0 */
    s.settle = malloc(room * sizeof(*s.settle));
    s.carried = calloc(c->setup->topo.link_count, sizeof(*s.carried));
    if (code == 0 && (s.got == NULL || s.error == NULL || s.settle == NULL || s.carried == NULL))
        code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to compare flows with their shares");
    if (code == 0)
        compute(&s);
    free(s.got);
    free(s.error);
    free(s.settle);
    free(s.carried);
    weir_shares_free(&s.now);
    weir_shares_free(&s.old);
    return code;
}
