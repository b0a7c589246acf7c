/* src/results/output/trace_json.c - see trace_json.h. Each event is first written to memory, so that its size is known
 * before it is written to the file. */
#include "output/trace_json.h"
#include "text/version.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { US_DIGITS = 6, END_BYTES = 200 }; /* decimals of a microsecond; room for the end of the file */

struct weir_trace_tracks {
    uint64_t *end_ps; /* for each track: the end of its last message */
    uint32_t count, capacity;
};

static uint32_t process_of(uint32_t node)
{
    return node + 1;
}

static uint32_t network_process(const struct weir_trace *t)
{
    return t->model->topo->node_count + 1;
}

static uint32_t jobs_process(const struct weir_trace *t)
{
    return t->model->topo->node_count + 2;
}

/* --- one event --- */

static struct weir_json *event_begin(struct weir_trace *t, const char *phase, const char *name, uint64_t at_ps,
                                     uint32_t process)
{
    rewind(t->event_file);
    (void)fputs(",\n", t->event_file);
    t->json = (struct weir_json){ .out = t->event_file, .depth = 2, .first = true };
    weir_json_open(&t->json, NULL);
    weir_json_string(&t->json, "ph", phase);
    weir_json_string(&t->json, "name", name);
    weir_json_decimal(&t->json, "ts", at_ps, US_DIGITS);
    weir_json_u64(&t->json, "pid", process);
    return &t->json;
}

/* Ends the present event and writes it to the file. The first event that would exceed the cap, and every event after
 * it, is counted in t->left_out instead. at_ps: the time of the event. Returns 0, WEIR_E_FILE or WEIR_E_MEMORY. */
static int event_end(struct weir_trace *t, uint64_t at_ps)
{
    weir_json_close(&t->json);
    if (fflush(t->event_file) != 0 || ferror(t->event_file))
        return WEIR_E_MEMORY;
    if (t->ended_ps == WEIR_NEVER && t->bytes + t->event_bytes + END_BYTES > t->cap_bytes)
        t->ended_ps = at_ps;
    if (t->ended_ps != WEIR_NEVER) {
        t->left_out++;
        return 0;
    }
    t->bytes += t->event_bytes;
    return fwrite(t->event, 1, t->event_bytes, t->file) == t->event_bytes ? 0 : WEIR_E_FILE;
}

/* Writes an event that names a process or a track. what: "process_name" or "thread_name" */
static int put_name(struct weir_trace *t, const char *what, const char *name, uint32_t process, uint32_t track,
                    uint64_t at_ps)
{
    struct weir_json *json = event_begin(t, "M", what, 0, process);
    weir_json_u64(json, "tid", track);
    weir_json_open(json, "args");
    weir_json_string(json, "name", name);
    weir_json_close(json);
    return event_end(t, at_ps);
}

/* Writes the name of a process, unless this was done before. Called before the events of the process are written. */
static int name_process(struct weir_trace *t, uint32_t process, uint64_t at_ps)
{
    char name[WEIR_NODE_NAME];
    if (t->named[process])
        return 0;
    t->named[process] = true;
    if (process == network_process(t))
        return put_name(t, "process_name", "network", process, 0, at_ps);
    if (process == jobs_process(t))
        return put_name(t, "process_name", "jobs", process, 0, at_ps);
    weir_topology_node_name(t->model->topo, process - 1, name, sizeof(name));
    return put_name(t, "process_name", name, process, 0, at_ps);
}

/* --- messages --- */

/* Finds the first track of a host on which the last message ends at start_ps or earlier; adds a track if there is none.
 * Returns the number of the track, 1 or more; 0 = no memory. */
static uint32_t find_track(struct weir_trace_tracks *tracks, uint64_t start_ps)
{
    for (uint32_t i = 0; i < tracks->count; i++)
        if (tracks->end_ps[i] <= start_ps)
            return i + 1;
    if (tracks->count == tracks->capacity) {
        uint32_t capacity = tracks->capacity == 0 ? 4 : 2 * tracks->capacity;
        uint64_t *bigger = realloc(tracks->end_ps, capacity * sizeof(*bigger));
        if (bigger == NULL)
            return 0;
        tracks->end_ps = bigger;
        tracks->capacity = capacity;
    }
    tracks->end_ps[tracks->count++] = 0;
    return tracks->count;
}

static int put_message(struct weir_trace *t, const struct weir_delivery *d)
{
    struct weir_trace_tracks *tracks = &t->host[d->src];
    uint32_t before = tracks->count, track = find_track(tracks, d->start_ps);
    char to[WEIR_NODE_NAME], name[WEIR_NODE_NAME + 16];
    struct weir_json *json;
    int code = name_process(t, process_of(d->src), d->end_ps);
    if (track == 0)
        return WEIR_E_MEMORY;
    tracks->end_ps[track - 1] = d->end_ps;
    if (code == 0 && tracks->count > before) {
        (void)snprintf(name, sizeof(name), "messages %" PRIu32, track);
        code = put_name(t, "thread_name", name, process_of(d->src), track, d->end_ps);
    }
    if (code != 0)
        return code;
    weir_topology_node_name(t->model->topo, d->dst, to, sizeof(to));
    (void)snprintf(name, sizeof(name), "to %s", to);
    json = event_begin(t, "X", name, d->start_ps, process_of(d->src));
    weir_json_u64(json, "tid", track);
    weir_json_decimal(json, "dur", d->end_ps - d->start_ps, US_DIGITS);
    weir_json_string(json, "cat", "message");
    weir_json_open(json, "args");
    weir_json_u64(json, "id", d->id);
    weir_json_u64(json, "bytes", d->bytes);
    weir_json_decimal(json, "ideal_us", d->ideal_ps, US_DIGITS);
    weir_json_u64(json, "marks", d->marks);
    weir_json_u64(json, "retransmissions", d->retransmissions);
    weir_json_close(json);
    return event_end(t, d->end_ps);
}

int weir_trace_rows(void *ctx, const struct weir_account_row *row, size_t count)
{
    struct weir_trace *t = ctx;
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        if (t->ended_ps == WEIR_NEVER)
            code = put_message(t, &row[i].d);
        else
            t->left_out++;
    }
    return code;
}

/* --- pauses --- */

static int put_control(struct weir_trace *t, const struct weir_control_row *row)
{
    uint32_t process = process_of(t->model->topo->link[row->link].src);
    char link[WEIR_LINK_NAME];
    struct weir_json *json;
    int code = name_process(t, process, row->at_ps);
    if (code != 0)
        return code;
    weir_topology_link_name(t->model->topo, row->link, link, sizeof(link));
    json = event_begin(t, "i", row->code != 0 ? "pause" : "resume", row->at_ps, process);
    weir_json_u64(json, "tid", 0);
    weir_json_string(json, "s", "p");
    weir_json_string(json, "cat", "control");
    weir_json_open(json, "args");
    weir_json_string(json, "port", link);
    weir_json_u64(json, "class", row->class_id);
    weir_json_close(json);
    return event_end(t, row->at_ps);
}

int weir_trace_control(void *ctx, const struct weir_control_row *row, size_t count)
{
    struct weir_trace *t = ctx;
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        if (t->ended_ps == WEIR_NEVER)
            code = put_control(t, &row[i]);
        else
            t->left_out++;
    }
    return code;
}

/* --- queues --- */

/* Writes the value of a counter at time at_ps. unit: the key of the value in the JSON */
static int put_counter(struct weir_trace *t, const char *name, uint64_t at_ps, uint32_t process, const char *unit,
                       uint64_t value)
{
    int code = name_process(t, process, at_ps);
    struct weir_json *json;
    if (code != 0)
        return code;
    json = event_begin(t, "C", name, at_ps, process);
    weir_json_open(json, "args");
    weir_json_u64(json, unit, value);
    weir_json_close(json);
    return event_end(t, at_ps);
}

/* Writes a counter such as "dropped: codel.sojourn" for each cause whose count has changed since it was last written.
 * lost: packets dropped or lost since the run began, by number of the cause */
static int put_lost(struct weir_trace *t, uint64_t at_ps, const uint64_t *lost)
{
    const struct weir_features *features = &t->model->features;
    int code = 0;
    for (uint32_t i = 1; i < weir_features_cause(features, features->count) && code == 0; i++) {
        const struct weir_cause cause = weir_cause_of(features, i);
        char name[128];
        if (t->lost_pkts[i] == lost[i] || !weir_fate_ends(cause.rule->fate))
            continue;
        t->lost_pkts[i] = lost[i];
        (void)snprintf(name, sizeof(name), "%s: %s.%s", weir_fate_verbs[cause.rule->fate], cause.feature,
                       cause.rule->name);
        code = put_counter(t, name, at_ps, network_process(t), "packets", lost[i]);
    }
    return code;
}

static int put_queue(struct weir_trace *t, uint32_t link, uint64_t at_ps, uint64_t bytes)
{
    char name[WEIR_LINK_NAME + 16], of[WEIR_LINK_NAME];
    if (t->port_bytes[link] == bytes)
        return 0;
    t->port_bytes[link] = bytes;
    weir_topology_link_name(t->model->topo, link, of, sizeof(of));
    (void)snprintf(name, sizeof(name), "queue %s", of);
    return put_counter(t, name, at_ps, process_of(t->model->topo->link[link].src), "bytes", bytes);
}

int weir_trace_snapshot(void *ctx, const struct weir_snapshot *snapshot)
{
    struct weir_trace *t = ctx;
    uint32_t network = network_process(t);
    uint64_t at_ps = snapshot->at_ps;
    int code;
    if (t->ended_ps != WEIR_NEVER) {
        t->left_out++;
        return 0;
    }
    code = put_counter(t, "not yet delivered", at_ps, network, "bytes", snapshot->unfinished_bytes);
    if (code == 0)
        code = put_counter(t, "longest queue of a port", at_ps, network, "bytes", snapshot->port_queue_max_bytes);
    if (code == 0 && snapshot->lost_by_cause != NULL)
        code = put_lost(t, at_ps, snapshot->lost_by_cause);
    for (uint32_t l = 0; code == 0 && snapshot->port_queue_bytes != NULL && l < t->model->topo->link_count; l++)
        code = put_queue(t, l, at_ps, snapshot->port_queue_bytes[l]);
    return code;
}

/* --- jobs --- */

/* Writes the slice of a job or coflow and the name of its track. Writes nothing if the job or coflow starts at
 * run_end_ps or later. end_ps: its end; WEIR_NEVER = unfinished: the slice ends with the run */
static int put_job(struct weir_trace *t, const char *name, const char *category, uint32_t track, uint64_t start_ps,
                   uint64_t end_ps, uint64_t run_end_ps)
{
    bool ended = end_ps != WEIR_NEVER;
    struct weir_json *json;
    int code;
    if (start_ps >= run_end_ps)
        return 0;
    code = put_name(t, "thread_name", name, jobs_process(t), track, start_ps);
    if (code != 0)
        return code;
    json = event_begin(t, "X", name, start_ps, jobs_process(t));
    weir_json_u64(json, "tid", track);
    weir_json_decimal(json, "dur", (ended ? end_ps : run_end_ps) - start_ps, US_DIGITS);
    weir_json_string(json, "cat", category);
    weir_json_open(json, "args");
    weir_json_bool(json, "ended", ended);
    weir_json_close(json);
    return event_end(t, start_ps);
}

static int put_jobs(struct weir_trace *t, const struct weir_job_results *jobs, uint64_t run_end_ps)
{
    char name[2 * WEIR_TEXT_MAX];
    int code = name_process(t, jobs_process(t), 0);
    for (uint32_t j = 0; code == 0 && j < jobs->job_count; j++)
        code = put_job(t, jobs->job[j].name, "job", 1 + j, jobs->job[j].start_ps, jobs->job[j].end_ps, run_end_ps);
    for (uint32_t c = 0; code == 0 && c < jobs->coflow_count; c++) {
        const struct weir_coflow_result *coflow = &jobs->coflow[c];
        (void)snprintf(name, sizeof(name), "%s: %s", coflow->job, coflow->name);
        code = put_job(t, name, "coflow", 1 + jobs->job_count + c, coflow->start_ps, coflow->end_ps, run_end_ps);
    }
    return code;
}

/* --- the file --- */

int weir_trace_init(struct weir_trace *t, const struct weir_model *model, uint64_t cap_bytes, struct weir_err *err)
{
    const struct weir_topology *topo = model->topo;
    *t = (struct weir_trace){ .model = model, .cap_bytes = cap_bytes, .ended_ps = WEIR_NEVER };
    t->host = calloc(topo->host_count, sizeof(*t->host));
    t->port_bytes = calloc(topo->link_count, sizeof(*t->port_bytes));
    t->lost_pkts = calloc(weir_features_cause(&model->features, model->features.count), sizeof(*t->lost_pkts));
    t->named = calloc(topo->node_count + 3, sizeof(*t->named));
    t->event_file = open_memstream(&t->event, &t->event_bytes);
    if (t->host != NULL && t->port_bytes != NULL && t->lost_pkts != NULL && t->named != NULL && t->event_file != NULL)
        return 0;
    weir_trace_free(t);
    return weir_fail_memory(err);
}

/* Writes the head of the file and a first event, the name of the process "network". So each later event can begin with
 * a comma. */
void weir_trace_begin(struct weir_trace *t)
{
    int n = fprintf(t->file,
                    "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
                    "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": %" PRIu32
                    ", \"tid\": 0, \"ts\": 0, \"args\": {\"name\": \"network\"}}",
                    network_process(t));
    t->named[network_process(t)] = true;
    t->bytes += n > 0 ? (uint64_t)n : 0;
}

int weir_trace_end(struct weir_trace *t, const struct weir_result *result)
{
    int code = result->jobs != NULL ? put_jobs(t, result->jobs, result->sim_ps) : 0;
    if (code != 0)
        return code;
    return fprintf(t->file,
                   "\n], \"otherData\": {\"program\": \"weir " WEIR_VERSION "\", \"events_left_out\": %" PRIu64 "}}\n",
                   t->left_out) > 0
               ? 0
               : WEIR_E_FILE;
}

void weir_trace_free(struct weir_trace *t)
{
    for (uint32_t h = 0; t->host != NULL && h < t->model->topo->host_count; h++)
        free(t->host[h].end_ps);
    free(t->host);
    free(t->port_bytes);
    free(t->lost_pkts);
    free(t->named);
    if (t->event_file != NULL)
        (void)fclose(t->event_file);
    free(t->event);
    *t = (struct weir_trace){ 0 };
}
