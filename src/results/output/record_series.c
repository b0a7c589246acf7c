/* src/results/output/record_series.c - writes snapshots of the network as series. Snapshots are kept in memory with
 * their cumulative counts. A rate is the difference between two adjacent kept snapshots over the time between them. So
 * a series is thinned out by removing every second snapshot: its rates are then over longer intervals. */
#include "core/math.h"
#include "output/record.h"
#include "output/series.h"
#include "param/suggest.h"
#include "workload/jobs.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define EVERY_PS (10 * WEIR_PS_PER_US) /* first interval if the length of the run is not known */

enum { NAME_MAX_BYTES = 160, HINT = 512 };

/* Indices of the values of a kept snapshot. The first SLOT_COUNT values are of the whole network. After them follow:
 * arrived bytes of each host, held credit of each host, the queue of each port, and FLOW_SLOTS values for each flow. */
enum slot {
    SLOT_AT,
    SLOT_ARRIVED,
    SLOT_MARKS,
    SLOT_DROPS,
    SLOT_RETRANSMISSIONS,
    SLOT_UNFINISHED,
    SLOT_TOR_SUM,
    SLOT_TOR_MAX,
    SLOT_PORT_MAX,
    SLOT_HELD,
    SLOT_IN_FLIGHT,
    SLOT_FREE,
    SLOT_COUNT
};
enum flow_slot { FLOW_SENT, FLOW_ACKED, FLOW_RATE, FLOW_WINDOW, FLOW_SLOTS };

enum kind { KIND_GBPS, KIND_PER_S, KIND_LEVEL, KIND_PER_HOST, KIND_PER_TOR, KIND_RATE };

/* Series of the whole network. */
static const struct row {
    const char *name, *unit;
    enum kind kind;
    enum slot slot;
    bool of_credit;
} rows[] = {
    { "goodput", "Gbps", KIND_GBPS, SLOT_ARRIVED, false },
    { "tor_queue_max", "bytes", KIND_LEVEL, SLOT_TOR_MAX, false },
    { "tor_queue_mean", "bytes", KIND_PER_TOR, SLOT_TOR_SUM, false },
    { "port_queue_max", "bytes", KIND_LEVEL, SLOT_PORT_MAX, false },
    { "unfinished", "bytes", KIND_LEVEL, SLOT_UNFINISHED, false },
    { "marks", "per second", KIND_PER_S, SLOT_MARKS, false },
    { "drops", "per second", KIND_PER_S, SLOT_DROPS, false },
    { "retransmissions", "per second", KIND_PER_S, SLOT_RETRANSMISSIONS, false },
    { "credit_at_senders", "bytes", KIND_PER_HOST, SLOT_HELD, true },
    { "credit_in_flight", "bytes", KIND_PER_HOST, SLOT_IN_FLIGHT, true },
    { "credit_at_receivers", "bytes", KIND_PER_HOST, SLOT_FREE, true },
};
#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

const struct weir_series_name weir_series_of_element[] = {
    [WEIR_SERIES_HOST_GOODPUT] = { "host_goodput", "Gbps" },
    [WEIR_SERIES_HOST_CREDIT] = { "host_credit_held", "bytes" },
    [WEIR_SERIES_PORT_QUEUE] = { "port_queue", "bytes" },
    [WEIR_SERIES_FLOW_SENT] = { "flow_sent", "Gbps" },
    [WEIR_SERIES_FLOW_GOODPUT] = { "flow_goodput", "Gbps" },
    [WEIR_SERIES_FLOW_RATE] = { "flow_rate", "Gbps" },
    [WEIR_SERIES_FLOW_WINDOW] = { "flow_window", "bytes" },
    [WEIR_SERIES_OF_ELEMENTS] = { NULL, NULL },
};

/* Adds a name to the suggestions. Returns true if it equals the requested name, near->asked. */
static bool is_name(struct weir_suggest *near, const char *name)
{
    weir_suggest_add(near, name);
    return strcmp(near->asked, name) == 0;
}

static int fail_name(const struct weir_suggest *near, const struct weir_tok *name, const char *what,
                     struct weir_err *err)
{
    char hint[HINT];
    weir_suggest_hint(near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, name, hint, "%.80s: a run has no such %s", near->asked, what);
}

int weir_series_need(const struct weir_tok *name, const char **unit, bool *of_network, struct weir_err *err)
{
    struct weir_suggest near;
    *unit = NULL;
    weir_suggest_init(&near, name->text);
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (is_name(&near, rows[i].name))
            *unit = rows[i].unit;
    *of_network = *unit != NULL;
    for (const struct weir_series_name *s = weir_series_of_element; s->name != NULL; s++)
        if (is_name(&near, s->name))
            *unit = s->unit;
    return *unit != NULL ? 0 : fail_name(&near, name, "series", err);
}

int weir_histogram_need(const struct weir_tok *name, const char **unit, struct weir_err *err)
{
    struct weir_suggest near;
    *unit = NULL;
    weir_suggest_init(&near, name->text);
    for (const struct weir_series_name *h = weir_histogram_names; h->name != NULL; h++)
        if (is_name(&near, h->name))
            *unit = h->unit;
    return *unit != NULL ? 0 : fail_name(&near, name, "histogram", err);
}

static int add_series(struct weir_record *rec, const char *name, const char *unit, const char *element, enum kind kind,
                      uint32_t slot, struct weir_err *err)
{
    struct weir_record_series *to = &rec->series[rec->series_count++];
    to->kind = kind;
    to->index = slot;
    return weir_store_series(rec->store, rec->run, name, unit, element, &to->id, err);
}

static int add_of_element(struct weir_record *rec, enum weir_series_of_element which, const char *element,
                          enum kind kind, uint32_t slot, struct weir_err *err)
{
    const struct weir_series_name *series = &weir_series_of_element[which];
    return add_series(rec, series->name, series->unit, element, kind, slot, err);
}

static int add_hosts(struct weir_record *rec, bool has_credit, struct weir_err *err)
{
    char name[NAME_MAX_BYTES];
    int code = 0;
    for (uint32_t h = 0; h < rec->hosts && code == 0; h++) {
        weir_topology_node_name(&rec->setup->topo, h, name, sizeof(name));
        code = add_of_element(rec, WEIR_SERIES_HOST_GOODPUT, name, KIND_GBPS, SLOT_COUNT + h, err);
        if (code == 0 && has_credit)
            code = add_of_element(rec, WEIR_SERIES_HOST_CREDIT, name, KIND_LEVEL, SLOT_COUNT + rec->hosts + h, err);
    }
    return code;
}

static int add_ports(struct weir_record *rec, struct weir_err *err)
{
    char name[WEIR_LINK_NAME];
    int code = 0;
    for (uint32_t l = 0; l < rec->ports && code == 0; l++) {
        weir_topology_link_name(&rec->setup->topo, l, name, sizeof(name));
        code = add_of_element(rec, WEIR_SERIES_PORT_QUEUE, name, KIND_LEVEL, SLOT_COUNT + 2 * rec->hosts + l, err);
    }
    return code;
}

static uint32_t flow_base(const struct weir_record *rec)
{
    return SLOT_COUNT + 2 * rec->hosts + rec->ports;
}

struct flow_ends {
    uint32_t src, dst; /* equal: the flow will not start */
};

/* Finds source and destination of each tagged flow, by tag - 1: of the flows of lists that will start, and of all flows
 * of jobs. ends[] must be zeros on entry; the entry of a flow that will not start stays zeros. */
static void find_ends(const struct weir_workload *wl, struct flow_ends ends[WEIR_RECORD_FLOWS])
{
    struct flow_ends *of_jobs = ends + wl->tag_count - (wl->jobs != NULL ? wl->jobs->flow_count : 0);
    for (uint32_t h = 0; h < wl->hosts; h++)
        for (uint64_t i = wl->listed_first[h]; i < wl->listed_first[h + 1]; i++)
            if (wl->listed[i].tag != 0)
                ends[wl->listed[i].tag - 1] = (struct flow_ends){ h, wl->listed[i].dst };
    for (uint32_t f = 0; wl->jobs != NULL && f < wl->jobs->flow_count; f++)
        of_jobs[f] = (struct flow_ends){ wl->jobs->flow[f].src, wl->jobs->flow[f].dst };
}

/* Adds the series of one flow. Only sender-driven protocols have acknowledgements, a rate and a window. */
static int add_flow(struct weir_record *rec, const char *element, uint32_t slot, bool has_credit, struct weir_err *err)
{
    int code = add_of_element(rec, WEIR_SERIES_FLOW_SENT, element, KIND_GBPS, slot + FLOW_SENT, err);
    if (code != 0 || has_credit)
        return code;
    code = add_of_element(rec, WEIR_SERIES_FLOW_GOODPUT, element, KIND_GBPS, slot + FLOW_ACKED, err);
    if (code == 0)
        code = add_of_element(rec, WEIR_SERIES_FLOW_RATE, element, KIND_RATE, slot + FLOW_RATE, err);
    if (code == 0)
        code = add_of_element(rec, WEIR_SERIES_FLOW_WINDOW, element, KIND_LEVEL, slot + FLOW_WINDOW, err);
    return code;
}

static int add_flows(struct weir_record *rec, bool has_credit, struct weir_err *err)
{
    struct flow_ends ends[WEIR_RECORD_FLOWS] = { 0 };
    char element[NAME_MAX_BYTES];
    int code = 0;
    if (rec->flows > 0)
        find_ends(&rec->setup->workload, ends);
    for (uint32_t f = 0; f < rec->flows && code == 0; f++) {
        uint32_t slot = flow_base(rec) + FLOW_SLOTS * f;
        if (ends[f].src == ends[f].dst)
            continue;
        (void)snprintf(element, sizeof(element), "flow %" PRIu32 " (h%" PRIu32 " - h%" PRIu32 ")", f, ends[f].src,
                       ends[f].dst);
        code = add_flow(rec, element, slot, has_credit, err);
    }
    return code;
}

uint64_t weir_record_distance_ps(const struct weir_model *model, uint64_t asked_ps)
{
    uint64_t length_ps = model->until_done ? 0 : model->warmup_ps + model->measure_ps;
    uint64_t distance_ps = asked_ps != 0 ? asked_ps : model->until_done ? EVERY_PS : length_ps / 1000;
    return weir_max_u64(distance_ps, WEIR_PS_PER_NS);
}

int weir_record_series_begin(struct weir_record *rec, uint64_t asked_ps, struct weir_err *err)
{
    const struct weir_topology *topo = &rec->setup->topo;
    bool has_credit = weir_host_has_credit(&rec->setup->model.host);
    int code = 0;
    rec->hosts = topo->host_count <= WEIR_SNAPSHOT_HOSTS ? topo->host_count : 0;
    rec->ports = rec->hosts > 0 && topo->link_count <= WEIR_RECORD_PORTS ? topo->link_count : 0;
    if (rec->setup->workload.tag_count <= WEIR_RECORD_FLOWS)
        rec->flows = rec->setup->workload.tag_count;
    rec->width = flow_base(rec) + FLOW_SLOTS * rec->flows;
    rec->series = calloc(ROW_COUNT + rec->width, sizeof(*rec->series));
    rec->kept = malloc((size_t)WEIR_RECORD_POINTS * rec->width * sizeof(*rec->kept));
    if (rec->series == NULL || rec->kept == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory for series");
    rec->snapshot_ps = rec->interval_ps = weir_record_distance_ps(&rec->setup->model, asked_ps);
    for (size_t i = 0; i < ROW_COUNT && code == 0; i++)
        if (has_credit || !rows[i].of_credit)
            code = add_series(rec, rows[i].name, rows[i].unit, NULL, rows[i].kind, rows[i].slot, err);
    if (code == 0)
        code = add_hosts(rec, has_credit, err);
    if (code == 0)
        code = add_ports(rec, err);
    return code != 0 ? code : add_flows(rec, has_credit, err);
}

/* Returns the rate of a flow in bit/s: its pacing rate, or cwnd / base RTT if the law does not pace it. */
static uint64_t flow_bps(const struct weir_record *rec, const struct weir_host_flow *flow)
{
    if (flow->rate_bps != WEIR_RATE_OPEN)
        return flow->rate_bps;
    return weir_mul_div_u64((uint64_t)flow->cwnd_bytes * 8, WEIR_PS_PER_S, rec->setup->base_rtt_ps);
}

static void keep_snapshot(struct weir_record *rec, const struct weir_snapshot *snapshot)
{
    uint64_t *to = rec->kept + (size_t)rec->snapshot_count++ * rec->width;
    to[SLOT_AT] = snapshot->at_ps;
    to[SLOT_ARRIVED] = snapshot->arrived_bytes;
    to[SLOT_MARKS] = snapshot->marks;
    to[SLOT_DROPS] = snapshot->drops;
    to[SLOT_RETRANSMISSIONS] = snapshot->retransmissions;
    to[SLOT_UNFINISHED] = snapshot->unfinished_bytes;
    to[SLOT_TOR_SUM] = snapshot->tor_queue_sum_bytes;
    to[SLOT_TOR_MAX] = snapshot->tor_queue_max_bytes;
    to[SLOT_PORT_MAX] = snapshot->port_queue_max_bytes;
    to[SLOT_HELD] = snapshot->credit_held_bytes;
    to[SLOT_IN_FLIGHT] = snapshot->credit_in_flight_bytes;
    to[SLOT_FREE] = snapshot->credit_free_bytes;
    to += SLOT_COUNT;
    for (uint32_t h = 0; h < rec->hosts; h++) {
        to[h] = snapshot->host[h].arrived_bytes;
        to[rec->hosts + h] = snapshot->host[h].credit_held_bytes;
    }
    for (uint32_t l = 0; l < rec->ports; l++)
        to[2 * rec->hosts + l] = snapshot->port_queue_bytes[l];
    to += 2 * (size_t)rec->hosts + rec->ports;
    for (uint32_t f = 0; f < rec->flows; f++, to += FLOW_SLOTS) {
        to[FLOW_SENT] = snapshot->flow[f].now.sent_bytes;
        to[FLOW_ACKED] = snapshot->flow[f].now.acked_bytes;
        to[FLOW_RATE] = flow_bps(rec, &snapshot->flow[f].now);
        to[FLOW_WINDOW] = snapshot->flow[f].now.cwnd_bytes;
    }
}

/* Computes the value of a series at a kept snapshot, in the unit of the series. before: the kept snapshot before it;
 * NULL = there is none, and counts began at 0 when the run began. */
static double value_of(const struct weir_record *rec, const struct weir_record_series *s, const uint64_t *snapshot,
                       const uint64_t *before)
{
    const struct weir_topology *topo = &rec->setup->topo;
    uint64_t was = before != NULL ? before[s->index] : 0, since_ps = before != NULL ? before[SLOT_AT] : 0;
    double level = (double)snapshot[s->index], rise = (double)(snapshot[s->index] - was);
    double interval_ps = (double)(snapshot[SLOT_AT] - since_ps);
    switch ((enum kind)s->kind) {
    case KIND_GBPS: /* of one host, or the mean over all hosts */
        return rise * 8 * 1000 / interval_ps / (s->index == SLOT_ARRIVED ? topo->host_count : 1);
    case KIND_PER_S:
        return rise * (double)WEIR_PS_PER_S / interval_ps;
    case KIND_PER_HOST:
        return level / topo->host_count;
    case KIND_PER_TOR:
        return topo->edge_count > 0 ? level / topo->edge_count : 0; /* hosts may be joined without a switch */
    case KIND_RATE:                                                 /* kept in bit/s */
        return level / 1e9;
    case KIND_LEVEL:
        break;
    }
    return level;
}

static int write_points(struct weir_record *rec, uint32_t from)
{
    struct weir_store_point *to = NULL;
    size_t filled = 0;
    for (uint32_t i = from; i < rec->snapshot_count; i++) {
        const uint64_t *snapshot = rec->kept + (size_t)i * rec->width, *before = i > 0 ? snapshot - rec->width : NULL;
        for (uint32_t k = 0; k < rec->series_count; k++) {
            if (to == NULL && (to = weir_writer_points(rec->writer)) == NULL)
                return WEIR_E_FILE;
            to[filled++] = (struct weir_store_point){ rec->series[k].id, snapshot[SLOT_AT],
                                                      value_of(rec, &rec->series[k], snapshot, before) };
            if (filled == WEIR_WRITER_BATCH_POINTS) {
                weir_writer_push(rec->writer, filled);
                to = NULL;
                filled = 0;
            }
        }
    }
    if (to != NULL)
        weir_writer_push(rec->writer, filled);
    return 0;
}

/* Removes every second snapshot, doubles the interval and writes all points anew. Of snapshots at I, 2I, 3I, .. the
 * snapshots at 2I, 4I, .. stay. Returns 0 or WEIR_E_FILE. */
static int thin_out(struct weir_record *rec)
{
    size_t bytes = rec->width * sizeof(*rec->kept);
    rec->snapshot_count /= 2;
    rec->interval_ps *= 2;
    for (uint32_t i = 0; i < rec->snapshot_count; i++)
        memmove(rec->kept + (size_t)i * rec->width, rec->kept + (2 * (size_t)i + 1) * rec->width, bytes);
    if (!weir_writer_clear_points(rec->writer))
        return WEIR_E_FILE;
    return write_points(rec, 0);
}

/* Keeps a snapshot and writes its points if its time is a multiple of rec->interval_ps. Also keeps a snapshot whose
 * time is not a multiple of rec->snapshot_ps: it is the last one, at the end of the run. Ignores a snapshot that is not
 * later than the latest kept one, as the last one may be (see struct weir_sim_options.snapshot). */
int weir_record_snapshot(void *ctx, const struct weir_snapshot *snapshot)
{
    struct weir_record *rec = ctx;
    uint64_t latest_ps =
        rec->snapshot_count > 0 ? rec->kept[(size_t)(rec->snapshot_count - 1) * rec->width + SLOT_AT] : 0;
    bool is_regular = snapshot->at_ps % rec->snapshot_ps == 0;
    int code = 0;
    if (snapshot->at_ps <= latest_ps || (is_regular && snapshot->at_ps % rec->interval_ps != 0))
        return 0;
    if (rec->snapshot_count == WEIR_RECORD_POINTS) {
        code = thin_out(rec);
        if (code != 0 || (is_regular && snapshot->at_ps % rec->interval_ps != 0))
            return code;
    }
    keep_snapshot(rec, snapshot);
    return write_points(rec, rec->snapshot_count - 1);
}
