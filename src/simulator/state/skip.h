/* src/simulator/state/skip.h - what the search for a state that repeats has found so far: run.skip, doc/skip.md. Thread
 * 0 writes it between barriers. */
#ifndef WEIR_STATE_SKIP_H
#define WEIR_STATE_SKIP_H
#include "core/state.h"
#include "measure/skipped.h"

/* A sample of the period that stands for all skipped ones: `times` samples of the run fall on this phase of it. */
struct sim_skip_sample {
    uint64_t at_ps, times;
};

enum sim_skip_phase {
    SIM_SKIP_WAITS,   /* until the next try */
    SIM_SKIP_SEEKS,   /* a state is kept, and compared at each cut */
    SIM_SKIP_NOTES,   /* it has come back, and laws are noted for one period */
    SIM_SKIP_REPEATS, /* it has come back once more, and the period that stands for the others runs */
};

struct sim_skip {
    uint64_t next_ps; /* the next cut: an instant at which all threads meet; WEIR_NEVER = there is none any more */
    enum sim_skip_phase phase;
    uint32_t probe;           /* the host before whose arrivals windows are cut */
    uint32_t failures;        /* tries without success since the last success */
    uint64_t messages;        /* begun and ended when the last try began */
    uint32_t shorts;          /* likewise: states that repeat, but not often enough before something else comes */
    uint64_t cuts, most_cuts; /* of this try: so far, at most */
    uint64_t kept_at;         /* number of the cut at which the state was kept last */
    bool is_whole;            /* the state is that of the whole network, else of the probe alone */
    bool is_kept;             /* in this try, a state that could come back */
    uint64_t began_ps;        /* of this try */
    uint64_t kept_ps, kept_bytes, kept_hops; /* when the state was kept; new payload and packet-hops by then */
    uint64_t outside_ps;                     /* then: the next instant at which something comes from outside */
    uint64_t period_ps;                      /* after which the state of the probe, or of all, has come back */
    uint64_t periods;                        /* REPEATS: how many follow from kept_ps on, that which runs included */
    uint64_t cost;                           /* of tries since the last success, in instructions, roughly */
    struct weir_state state;
    struct sim_skip_sample *sample; /* REPEATS: sample_count of them, in order of time */
    size_t sample_count, sample_room;
    struct weir_skipped skipped;
};
#endif
