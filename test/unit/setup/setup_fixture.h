/* test/unit/setup/setup_fixture.h - a scenario from text and the setup that comes of it. One at a time: the next, or tear_down(), gives
 * back the one before. */
#ifndef WEIR_TEST_SETUP_FIXTURE_H
#define WEIR_TEST_SETUP_FIXTURE_H
#include "test/unit/refusal.h"
#include "setup/setup.h"
#include "features/ecn/ecn.h"
#include <inttypes.h>
#include <string.h>

static struct weir_scenario scn;
static struct weir_setup setup;
static struct weir_err err;
static bool is_set_up;

static inline struct weir_ecn_config *ecn_of(const struct weir_scenario *s)
{
    return weir_scenario_feature(s, "ecn")->config;
}

static inline void tear_down(void)
{
    if (is_set_up)
        weir_setup_free(&setup);
    is_set_up = false;
    weir_scenario_free(&scn);
}

static inline int end(void **state)
{
    (void)state;
    tear_down();
    return 0;
}

static inline void parse(const char *file, const char *text)
{
    tear_down();
    if (weir_scenario_parse(&scn, file, text, strlen(text), NULL, 0, &err) != 0)
        fail_msg("%s:%" PRIu32 ": %s", err.file, err.line, err.text);
}

static inline const struct weir_model *is_accepted(void)
{
    if (weir_setup_init(&setup, &scn, &err) != 0)
        fail_msg("%s:%" PRIu32 ": %s (%s)", err.file, err.line, err.text, err.hint);
    is_set_up = true;
    return &setup.model;
}

/* What was parsed is refused, and nothing is left to free. */
static inline void is_refused(uint32_t line, enum weir_err_code code, const char *key)
{
    int answer = weir_setup_init(&setup, &scn, &err);
    is_set_up = answer == 0;
    assert_false(is_set_up);
    assert_refusal(&err, code, NULL, key);
    assert_int_equal(answer, code);
    assert_int_equal(err.line, line);
    assert_null(setup.topo.node);
    assert_null(setup.workload.listed);
    assert_null(setup.jobs.flow);
}
#endif
