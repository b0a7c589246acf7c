/* test/oracle/oracle.h - the model of src/simulator/engine, computed the textbook way: one global heap of events, and one plain switch
 * (src/simulator/switch) for each node. Both are written from doc/model.md alone, so that they share no mistake with the engine. Shared is
 * what the model takes as given: host/, routes, workload, the hooks of features, the bookkeeping of messages (model/account.h). */
#ifndef WEIR_TEST_ORACLE_H
#define WEIR_TEST_ORACLE_H
#include "core/telemetry.h"
#include "engine/sim.h"
#include <string.h>

/**
 * Runs a model to its end, on one thread.
 * @param options  threads, progress and diagnosis are not obeyed; rows are told once, at the end
 * @param result   as weir_sim_run() fills it, without memory figures
 * @return 0, or a code with err: WEIR_E_MEMORY, WEIR_E_RUN (an invariant failed under check)
 */
int weir_oracle_run(const struct weir_model *model, const struct weir_sim_options *options, struct weir_result *result,
                    struct weir_err *err);

/* What passes the edge of a host: calls of host.h, and what comes of each before it returns. */
enum weir_oracle_edge {
    WEIR_EDGE_SEND,
    WEIR_EDGE_RX, /* of one packet */
    WEIR_EDGE_TX,
    WEIR_EDGE_OUT, /* one packet */
    WEIR_EDGE_HOP, /* a telemetry record of the packet before: RX, OUT */
    WEIR_EDGE_DELIVERED,
    WEIR_EDGE_FINISHED,
    WEIR_EDGE_RETRANSMITTED,
    WEIR_EDGE_END, /* the call returns */
};

struct weir_oracle_note { /* unused fields are 0 and nothing is padding, so that notes are compared byte by byte */
    uint64_t at_ps;
    uint64_t value; /* SEND: bytes; END: weir_host_next_ps(); HOP: first half of struct weir_telemetry */
    uint32_t host;
    uint32_t edge;  /* enum weir_oracle_edge */
    uint32_t peer;  /* SEND: dst; DELIVERED: src; HOP: tx_low */
    uint32_t msg;   /* HOP: queue_bytes */
    uint32_t count; /* TX: max; DELIVERED: marks; END: weir_host_ready() */
    uint32_t zero;
    struct weir_pkt pkt; /* RX, OUT */
};
/* Returns the note of a record, and the record of a note. */
static inline struct weir_oracle_note weir_oracle_hop_note(const struct weir_telemetry *hop)
{
    struct weir_oracle_note note = { .edge = WEIR_EDGE_HOP, .peer = hop->tx_low, .msg = hop->queue_bytes };
    memcpy(&note.value, hop, sizeof(note.value));
    return note;
}

static inline struct weir_telemetry weir_oracle_hop_of(const struct weir_oracle_note *note)
{
    struct weir_telemetry hop;
    memcpy(&hop, &note->value, sizeof(note->value));
    hop.tx_low = note->peer;
    hop.queue_bytes = note->msg;
    return hop;
}
_Static_assert(sizeof(struct weir_oracle_note) == 40 + sizeof(struct weir_pkt), "no padding");

struct weir_oracle_tape { /* who is told of every note, in the order of the run */
    void (*note)(void *ctx, const struct weir_oracle_note *note);
    void *ctx;
};

/* The same run, taped. */
int weir_oracle_run_taped(const struct weir_model *model, const struct weir_sim_options *options,
                          const struct weir_oracle_tape *tape, struct weir_result *result, struct weir_err *err);
#endif
