/* src/simulator/session/record.h - the calls of a session, kept in memory so that they can be saved. Some 15 bytes a
 * message: the row of the call, the members that it has as bits, then each as a number of as many bytes as it needs. */
#ifndef WEIR_SESSION_RECORD_H
#define WEIR_SESSION_RECORD_H
#include "session/call.h"
#include <weir/sim.h>

struct session_record {
    unsigned char *bytes;
    size_t length, room;
    uint64_t until_ps, times; /* calls of advance that are not in `bytes` yet; times 0 = none */
    bool no_memory;           /* a call is missing */
    bool is_foreign;          /* a message of a call-back was changed or cancelled from outside */
    char *scenario, *name;    /* copies of what the session was opened with */
    char **set;
};

/* Begins a record. text: of the scenario, length bytes. opts: as given. @return NULL = no memory */
struct session_record *session_record_new(const char *text, size_t length, const struct weir_sim_opts *opts);
void session_record_free(struct session_record *record); /* record: may be NULL */

/* Adds a call that was executed. Without memory, sets record->no_memory. record: NULL = nothing is recorded */
void session_record_call(struct session_record *record, enum weir_session_call call,
                         const struct weir_session_args *args);
/* Adds a call of advance, of which equal ones are counted. */
void session_record_advance(struct session_record *record, uint64_t until_ps);

/* Writes all calls as lines. */
void session_record_write(struct session_record *record, FILE *out);
#endif
