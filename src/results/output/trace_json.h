/* src/results/output/trace_json.h - writes a run as a timeline: JSON in the Trace Event Format of Chrome, which
 * ui.perfetto.dev and chrome://tracing open.
 *
 * Every host and switch is a process, numbered from 1 in the order of nodes; two more are "network" and "jobs".
 * - Slices: each message is a slice of its sender, from its start to the arrival of its last byte. Messages of a host
 *   that overlap in time are on different tracks. Each job and each coflow has a track of its own.
 * - Counters: the queue of a port, at each snapshot at which it has changed; numbers of the whole network; packets
 *   dropped and lost by cause.
 * - Instants: control frames, such as those of PFC, at the node whose port they pause or resume.
 *
 * Times are microseconds with six decimals, exact to the picosecond. Events are not sorted by time: a message is
 * written when its delivery is known. */
#ifndef WEIR_OUTPUT_TRACE_JSON_H
#define WEIR_OUTPUT_TRACE_JSON_H
#include "model/account.h"
#include "text/json.h"

struct weir_trace_tracks; /* of one host */
struct weir_trace {
    FILE *file; /* the caller's */
    const struct weir_model *model;
    uint64_t cap_bytes, bytes; /* most bytes that may be written; bytes written so far */
    uint64_t ended_ps;         /* time of the first event that did not fit under cap_bytes; WEIR_NEVER = all fit */
    uint64_t left_out; /* events left out: that one and all after it; a later message or snapshot counts as one event */
    struct weir_trace_tracks *host; /* for each host */
    uint64_t *port_bytes;           /* for each link: the queue last written */
    uint64_t *lost_pkts;            /* for each cause: the packets last written */
    bool *named;                    /* for each process: its name is in the file */
    FILE *event_file;               /* writes the present event to memory: event_bytes bytes at event */
    char *event;
    size_t event_bytes;
    struct weir_json json; /* writes to event_file */
};

#define WEIR_TRACE_CAP_MIN_BYTES 1000u

/**
 * Allocates the memory of a trace. The caller sets t->file afterwards.
 * @param model      lent until weir_trace_free()
 * @param cap_bytes  the most bytes that the file may have, WEIR_TRACE_CAP_MIN_BYTES or more
 * @return 0, or WEIR_E_MEMORY with err; then there is nothing to free
 */
int weir_trace_init(struct weir_trace *t, const struct weir_model *model, uint64_t cap_bytes, struct weir_err *err);

/* Writes the head of the file. t->file must be set. Does not report a failed write: the caller finds it when it closes
 * the file. */
void weir_trace_begin(struct weir_trace *t);

/* The next three functions are callbacks of struct weir_sim_options; ctx is a struct weir_trace *. The first event that
 * would exceed cap_bytes, and all events after it, are left out and counted. Each function returns 0, WEIR_E_FILE or
 * WEIR_E_MEMORY. */

/* Writes a slice for each delivered message, also for replies. */
int weir_trace_rows(void *ctx, const struct weir_account_row *row, size_t count);
/* Writes an instant for each control frame. */
int weir_trace_control(void *ctx, const struct weir_control_row *row, size_t count);
/* Writes the counters of a snapshot. */
int weir_trace_snapshot(void *ctx, const struct weir_snapshot *snapshot);

/* Writes the slices of jobs and coflows, as far as they fit under cap_bytes, and the end of the file. Without this call
 * the file is no valid JSON. Returns 0, WEIR_E_FILE or WEIR_E_MEMORY. */
int weir_trace_end(struct weir_trace *t, const struct weir_result *result);

/* Frees the memory of weir_trace_init(). t may be all zeros. Does not close t->file. */
void weir_trace_free(struct weir_trace *t);
#endif
