/* src/solver/solve/compare.c - the parts of a comparison before and during a run: refusals, start rates, snapshots of
 * all flows. */
#include "solve/compare.h"
#include "core/cc.h"
#include "core/cable.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SNAPSHOTS_BYTES_MAX (UINT64_C(2) << 30) /* memory of all snapshots; with more flows they are farther apart */

/* --- before the run --- */

static int check_traffic(const struct weir_scenario *scn, const char *key, struct weir_err *err)
{
    for (uint32_t i = 0; i < scn->traffic_count; i++) {
        uint32_t kind = scn->traffic[i].kind;
        bool split = scn->traffic[i].connections == WEIR_CONNECTIONS_WEIGHT;
        if (kind != WEIR_TRAFFIC_FLOWS && kind != WEIR_TRAFFIC_JOBS && kind != WEIR_TRAFFIC_PAIRS)
            return weir_fail(err, WEIR_E_CONFLICT, &scn->where_traffic[i], "kinds flows, jobs and pairs have",
                             "%s: traffic[%" PRIu32 "] is of kind %s, whose messages have no shares of their own", key,
                             i, weir_traffic_kinds[kind]);
        if (split)
            return weir_fail(err, WEIR_E_CONFLICT, &scn->where_traffic[i], "connections: one",
                             "%s: traffic[%" PRIu32 "] sends a flow over several connections", key, i);
    }
    return 0;
}

static int check_start(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    if (scn->run.start != WEIR_START_ALLOCATION)
        return 0;
    for (uint32_t k = 0; k < s->law_count; k++)
        if ((weir_host_needs(&s->law[k]) & WEIR_NEED_WEIGHTS) == 0)
            return weir_fail(err, WEIR_E_CONFLICT, &scn->where_run, "set protocol.name: soze, or leave run.start out",
                             "run.start: protocol %s takes no rate to begin with",
                             weir_scenario_law(s->scn, k).protocol->name);
    return check_traffic(scn, "run.start", err);
}

static int check_compare(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    if (scn->run.compare != WEIR_COMPARE_ALLOCATION)
        return 0;
    for (uint32_t k = 0; k < s->law_count; k++)
        if (s->law[k].cc == NULL || (weir_host_needs(&s->law[k]) & WEIR_NEED_NO_ACKS) != 0)
            return weir_fail(err, WEIR_E_CONFLICT, &scn->where_run,
                             "a sender-driven protocol, for example soze or dctcp",
                             "run.compare: flows of protocol %s are not followed one by one",
                             weir_scenario_law(s->scn, k).protocol->name);
    if (s->model.until_done)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_run, "for example run.measure: 4 ms",
                         "run.compare: shares are of flows that last, and with run.measure: all none does");
    if (s->jobs.tick_ps != 0)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_run, "a policy that sets weights once, as given",
                         "run.compare: a policy sets weights as it goes, which no solver knows");
    return check_traffic(scn, "run.compare", err);
}

static int find_start(struct weir_compare *c, struct weir_err *err)
{
    const struct weir_framing *f = &c->setup->scn->framing;
    double wire = (double)weir_framing_wire(f, f->payload_bytes) / f->payload_bytes;
    struct weir_shares shares;
    int code = weir_shares_find(&shares, c->setup, WEIR_NEVER, NULL, err);
    if (code != 0)
        return code;
    c->start = calloc(c->flows, sizeof(*c->start));
    if (c->start == NULL)
        code =
            weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the start rates of %" PRIu32 " flows", c->flows);
    if (code == 0)
        code = weir_shares_allot(&shares, wire, c->start, err);
    weir_shares_free(&shares);
    return code;
}

/* Sets c->changed_ps to the time of the last change of a weight or a path that the scenario gives. Sets c->known_ps to
 * that time or to the last start of a flow, whichever is later. Times at or after the end of the run do not count. */
static void find_known(struct weir_compare *c)
{
    const struct weir_workload *wl = &c->setup->workload;
    const struct weir_jobs *jobs = wl->jobs;
    const struct weir_model *m = &c->setup->model;
    for (uint64_t i = 0; i < wl->listed_first[wl->hosts]; i++)
        if (wl->listed[i].start_ps < c->end_ps)
            c->known_ps = weir_max_u64(c->known_ps, wl->listed[i].start_ps);
    for (uint32_t f = 0; jobs != NULL && f < jobs->flow_count; f++) /* snapshots show the starts of flows that wait */
        if (jobs->flow[f].after_count == 0 && jobs->flow[f].start_ps < c->end_ps)
            c->known_ps = weir_max_u64(c->known_ps, jobs->flow[f].start_ps);
    for (uint32_t i = 0; jobs != NULL && i < jobs->change_count; i++)
        if (jobs->change[i].at_ps < c->end_ps)
            c->changed_ps = weir_max_u64(c->changed_ps, jobs->change[i].at_ps);
    for (uint32_t i = 0; i < m->event_count; i++) /* shares are those of the cables that routes know */
        if (m->event[i].at_ps + m->reroute_delay_ps < c->end_ps)
            c->changed_ps = weir_max_u64(c->changed_ps, m->event[i].at_ps + m->reroute_delay_ps);
    for (uint32_t i = 0; i < m->rate_count; i++)
        if (m->rate[i].at_ps < c->end_ps)
            c->changed_ps = weir_max_u64(c->changed_ps, m->rate[i].at_ps);
    c->known_ps = weir_max_u64(c->known_ps, c->changed_ps);
}

static int begin_snapshots(struct weir_compare *c, struct weir_err *err)
{
    const struct weir_model *m = &c->setup->model;
    c->end_ps = m->warmup_ps + m->measure_ps;
    find_known(c);
    uint64_t snapshots = weir_max_u64(2, SNAPSHOTS_BYTES_MAX / (sizeof(**c->acked) * weir_max_u64(1, c->flows)));
    c->snapshot_ps = weir_max_u64(c->setup->base_rtt_ps, (c->end_ps - c->known_ps) / snapshots);
    c->state = calloc(c->flows, sizeof(*c->state));
    if (c->state == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for snapshots of %" PRIu32 " flows", c->flows);
    weir_setup_track(c->setup);
    return 0;
}

int weir_compare_init(struct weir_compare *c, struct weir_setup *setup, struct weir_err *err)
{
    const struct weir_run_config *run = &setup->scn->run;
    *c = (struct weir_compare){ .setup = setup, .flows = setup->workload.tag_count };
    int code = check_start(setup, err);
    if (code == 0)
        code = check_compare(setup, err);
    if (code == 0 && run->start == WEIR_START_ALLOCATION)
        code = find_start(c, err);
    if (code == 0 && run->compare == WEIR_COMPARE_ALLOCATION)
        code = begin_snapshots(c, err);
    if (code != 0) {
        weir_compare_free(c);
        return code;
    }
    setup->workload.start = c->start;
    if (c->start != NULL)
        weir_setup_track(setup);
    return 0;
}

/* --- during the run --- */

static void forget_snapshots(struct weir_compare *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        free(c->acked[i]);
    c->count = 0;
    c->inflight_bytes = 0;
}

static bool room_for_snapshot(struct weir_compare *c)
{
    uint32_t room = c->room == 0 ? 256 : 2 * c->room;
    if (c->count < c->room)
        return true;
    uint64_t **acked = realloc(c->acked, room * sizeof(*acked));
    if (acked != NULL)
        c->acked = acked;
    uint64_t *at_ps = realloc(c->at_ps, room * sizeof(*at_ps));
    if (at_ps != NULL)
        c->at_ps = at_ps;
    if (acked != NULL && at_ps != NULL)
        c->room = room;
    return c->count < c->room;
}

static int keep_snapshot(struct weir_compare *c, const struct weir_snapshot *snapshot)
{
    uint64_t *acked = room_for_snapshot(c) ? malloc(c->flows * sizeof(*acked)) : NULL;
    if (acked == NULL)
        return WEIR_E_MEMORY;
    for (uint32_t f = 0; f < c->flows; f++) {
        const struct weir_host_flow *now = &snapshot->flow[f].now;
        acked[f] = now->acked_bytes;
        c->inflight_bytes += (double)(now->sent_bytes - now->acked_bytes);
    }
    c->acked[c->count] = acked;
    c->at_ps[c->count++] = snapshot->at_ps;
    return 0;
}

/* Keeps a snapshot only if it is needed. Snapshots before the last one that showed a start or an end of a flow are
 * discarded; so are those before the last one at or before known_ps. */
int weir_compare_snapshot(struct weir_compare *c, const struct weir_snapshot *snapshot)
{
    bool changed = false;
    for (uint32_t f = 0; f < c->flows; f++) {
        changed |= snapshot->flow[f].state != c->state[f];
        c->state[f] = snapshot->flow[f].state;
    }
    if (changed) {
        c->seen_ps = c->before_ps;
        forget_snapshots(c);
    }
    c->before_ps = snapshot->at_ps;
    return snapshot->at_ps + c->snapshot_ps <= c->known_ps ? 0 : keep_snapshot(c, snapshot);
}

void weir_compare_free(struct weir_compare *c)
{
    forget_snapshots(c);
    free(c->acked);
    free(c->at_ps);
    free(c->state);
    free(c->start);
    *c = (struct weir_compare){ 0 };
}
