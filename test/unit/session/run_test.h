/* test/unit/session/run_test.h - a run whose scenario says all beforehand, beside which a session is tried. */
#ifndef WEIR_TEST_RUN_TEST_H
#define WEIR_TEST_RUN_TEST_H
#include "test/unit/session/session_test.h"
#include "engine/sim.h"
#include "setup/setup.h"
#include <inttypes.h>
#include <stdlib.h>

struct run {
    struct weir_scenario scn;
    struct weir_setup setup;
    uint64_t digest;
};

static inline struct run *run_text(const char *text)
{
    struct run *r = calloc(1, sizeof(*r));
    struct weir_err err = { 0 };
    struct weir_result result = { 0 };
    const struct weir_sim_options options = { .threads = 1, .check = true };
    assert_non_null(r);
    if (weir_scenario_parse(&r->scn, "test.yaml", text, strlen(text), NULL, 0, &err) != 0 ||
        weir_setup_init(&r->setup, &r->scn, &err) != 0 || weir_sim_run(&r->setup.model, &options, &result, &err) != 0)
        fail_msg("%s:%" PRIu32 ": %s\n%s", err.file, err.line, err.text, text);
    r->digest = result.digest;
    weir_result_free(&result);
    return r;
}

static inline void free_run(struct run *r)
{
    weir_setup_free(&r->setup);
    weir_scenario_free(&r->scn);
    free(r);
}
#endif
