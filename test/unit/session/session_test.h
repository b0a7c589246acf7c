/* test/unit/session/session_test.h - sessions in tests: each call must succeed, or the test fails with the error's
 * text. */
#ifndef WEIR_TEST_SESSION_TEST_H
#define WEIR_TEST_SESSION_TEST_H
#include "test/unit/weir_test.h"
#include "weir/sim.h"
#include <string.h>

#define US UINT64_C(1000000)

static inline struct weir_sim *open_session(const char *text, const struct weir_sim_opts *opts)
{
    struct weir_sim_error error = { 0 };
    struct weir_sim *sim = weir_sim_open(text, strlen(text), opts, &error);
    if (sim == NULL)
        fail_msg("%s:%u:%u: %s (%s)", error.file, error.line, error.column, error.text, error.hint);
    return sim;
}

/* Opens a session that has invariants verified. */
static inline struct weir_sim *open_checked(const char *text, uint32_t threads)
{
    const struct weir_sim_opts opts = { .size = sizeof(opts), .threads = threads, .check = 1 };
    return open_session(text, &opts);
}

static inline void done(struct weir_sim *sim, int code)
{
    if (code != 0)
        fail_msg("%s", weir_sim_error(sim)->text);
}

static inline long advance(struct weir_sim *sim, uint64_t until_ps, const struct weir_sim_event **events)
{
    long count = weir_sim_advance(sim, until_ps, events);
    if (count < 0)
        fail_msg("%s", weir_sim_error(sim)->text);
    return count;
}

/* Closes a session. @return its digest */
static inline uint64_t close_session(struct weir_sim *sim)
{
    struct weir_sim_counts counts = { .size = sizeof(counts) };
    struct weir_sim_error error = { 0 };
    if (weir_sim_close(sim, &counts, &error) != 0)
        fail_msg("%s", error.text);
    return counts.digest;
}
#endif
