/* src/results/output/trace_json.h - a run as a timeline: JSON in the Trace Event Format of Chrome, which
 * ui.perfetto.dev and chrome://tracing open.
 *
 * Every host and switch is a process, with numbers from 1 on in the order of nodes; two more are "network" and "jobs".
 * Slices: messages, at their senders, from start to last byte; where messages of a host overlap they are on several
 * tracks, so that no two of a track do. Jobs and coflows have a track each. Counters: queues of ports, where they
 * changed, and sums of the network, among them packets dropped and lost by cause. Instants: control frames, as PFC's,
 * at the port they stop. Times are microseconds with six decimals, exact to the picosecond. Events are in the order in
 * which they became known, not in that of their times. */
#ifndef WEIR_OUTPUT_TRACE_JSON_H
#define WEIR_OUTPUT_TRACE_JSON_H
#include "model/account.h"
#include "text/json.h"

struct weir_trace_tracks; /* of one host */
struct weir_trace {
    FILE *file; /* the caller's */
    const struct weir_model *model;
    uint64_t cap_bytes, bytes; /* most that may be written; written */
    uint64_t ended_ps;         /* the time of the first event that was too much; WEIR_NEVER = there is none */
    uint64_t left_out;         /* events from then on */
    struct weir_trace_tracks *host;
    uint64_t *port_bytes; /* of each link: the queue last reported */
    uint64_t *lost_pkts;  /* of each cause: the packets last reported */
    bool *named;          /* of each process: its name is in the file */
    FILE *event_file;     /* the event being made: event_bytes of event */
    char *event;
    size_t event_bytes;
    struct weir_json json; /* into event_file */
};

#define WEIR_TRACE_CAP_MIN_BYTES 1000u

/**
 * Takes memory for the tracks, queues and names of a trace.
 * @param model      lent until weir_trace_free()
 * @param cap_bytes  of the file, WEIR_TRACE_CAP_MIN_BYTES or more
 * @return 0, or WEIR_E_MEMORY with err; then there is nothing to free
 */
int weir_trace_init(struct weir_trace *t, const struct weir_model *model, uint64_t cap_bytes, struct weir_err *err);

/* Writes what comes before the events; file is set by then. As with all functions here, a failed write is found when
 * the file is closed. */
void weir_trace_begin(struct weir_trace *t);

/* Writes messages, control frames or what a snapshot shows; for struct weir_sim_options. ctx: a struct weir_trace *.
 * What would exceed the cap, and all after it, is left out and counted. Returns 0, WEIR_E_FILE or WEIR_E_MEMORY. */
int weir_trace_rows(void *ctx, const struct weir_account_row *row, size_t count);
int weir_trace_control(void *ctx, const struct weir_control_row *row, size_t count);
int weir_trace_snapshot(void *ctx, const struct weir_snapshot *snapshot);

/* Writes jobs, and the end of the file, which is JSON from then on. Returns 0, WEIR_E_FILE or WEIR_E_MEMORY. */
int weir_trace_end(struct weir_trace *t, const struct weir_result *result);

/* Frees what weir_trace_init() made; harmless on zeros. */
void weir_trace_free(struct weir_trace *t);
#endif
