/* test/twin/replay.h - tapes what the hosts of a simulation are called with and answer, and plays it to fresh hosts: every packet
 * that arrives goes through src/transport/wire first, so that a host hears what one behind a network would. Whatever
 * comes out (packets, deliveries, when it wants to be called next) must be what was taped, in the same order. */
#ifndef WEIR_TEST_REPLAY_H
#define WEIR_TEST_REPLAY_H
#include "test/oracle/oracle.h"

struct replay_tape {
    struct weir_oracle_note *note;
    uint64_t count, capacity;
};

struct replay_tally {
    uint64_t calls;    /* of host.h */
    uint64_t arrived;  /* packets: written, read, compared with what was written */
    uint64_t payloads; /* of those, with payload; under the checksum: every second packet */
    uint64_t raised;   /* of those, DATA with a queueing delay, which travels in the area of switches */
    uint64_t tokens;   /* of those, DATA that switches may still deflect */
    uint64_t spent;    /* of those, DATA with less tokens than its host gave it */
    uint64_t notices;  /* of those, NOTICEs */
    uint64_t records;  /* of those, records of switches; each is compared when a host gives it back */
    uint64_t left;     /* packets that came out, each compared */
    uint64_t told;     /* messages delivered, finished, packets sent again: compared */
};

/* Runs the model on the oracle. @return 0, or its error */
int replay_record(const struct weir_model *model, struct replay_tape *tape, struct weir_err *err);
void replay_free(struct replay_tape *tape);

/**
 * Plays a tape to fresh hosts, until something differs.
 * @param change  what to do to each packet between decoding and weir_host_rx(); NULL = nothing
 * @param differs  256 bytes: what was different, in words
 * @return true if nothing was
 */
bool replay_run(const struct weir_model *model, const struct replay_tape *tape, void (*change)(struct weir_pkt *pkt),
                struct replay_tally *tally, char *differs);
#endif
