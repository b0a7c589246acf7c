/* src/transport/bpf/law_replay.h - replays the events of a law in the kernel through the same law in this process, and
 * compares the answers. */
#ifndef WEIR_BPF_LAW_REPLAY_H
#define WEIR_BPF_LAW_REPLAY_H
#include "bpf/tcp.h"
#include "core/err.h"
#include <stdio.h>

#define WEIR_REPLAY_STATE_BYTES 256u

struct weir_replay_law { /* a law as tcp_law.h has it; state: WEIR_REPLAY_STATE_BYTES, first member struct weir_cc */
    const char *name;
    void (*begin)(void *state, const void *config, const struct weir_tcp_event *event);
    void (*base)(void *state, uint64_t base_rtt_ps);
    void (*ack)(void *state, const void *config, const struct weir_ack *ack);
    void (*loss)(void *state, const void *config, const struct weir_loss *loss);
    void (*weight)(void *state, const void *config, uint64_t weight_q20);
};
extern const struct weir_replay_law weir_replay_dctcp, weir_replay_soze, weir_replay_swift, weir_replay_timely;

struct weir_replay; /* flows by their number */

struct weir_replay_result {
    uint64_t events, flows;
    uint64_t different;          /* events whose answer was another one here */
    uint64_t skipped;            /* events of flows whose beginning was not seen, or after a gap */
    uint64_t gaps;               /* how often events of a flow were lost */
    struct weir_tcp_event first; /* first event that differs */
    struct weir_cc here;         /* answer here to that event */
};

/* Makes an empty replay of a law. config: the law's keys, which must outlive it. @return NULL = no memory, or no such
 * law */
struct weir_replay *weir_replay_new(const char *law, const void *config);
void weir_replay_free(struct weir_replay *replay);

/* Replays one event. @return 0, or WEIR_E_MEMORY */
int weir_replay_event(struct weir_replay *replay, const struct weir_tcp_event *event);
const struct weir_replay_result *weir_replay_result(const struct weir_replay *replay);

/* Reads the ring buffer of a law that is loaded for a time, and replays its events.
 * @param stop  ends it when it is not 0
 * @param csv   gets one line per event; NULL = none
 * @return 0, or a code with err */
int weir_replay_kernel(const char *law, uint64_t for_ps, const volatile int *stop, FILE *csv,
                       struct weir_replay_result *result, struct weir_err *err);

/* Called for each entry of the audit log. */
typedef void weir_audit_row(void *context, const struct weir_tcp_weight_event *event);

/* Reads the audit log of weights of a law that is loaded, for a time; first what was logged before. stop: ends it
 * when it is not 0. @return 0, or a code with err */
int weir_audit_kernel(const char *law, uint64_t for_ps, const volatile int *stop, weir_audit_row *row, void *context,
                      struct weir_err *err);
#endif
