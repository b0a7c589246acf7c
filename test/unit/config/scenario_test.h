/* test/unit/config/scenario_test.h - a scenario from text, for the tests of what is accepted and of what is refused. */
#ifndef WEIR_TEST_SCENARIO_TEST_H
#define WEIR_TEST_SCENARIO_TEST_H
#include "test/unit/refusal.h"
#include "config/scenario.h"
#include "features/ecn/ecn.h"
#include "test/unit/config/fake_registry.h"
#include <string.h>

#define TRAFFIC "traffic: [{kind: poisson, sizes: wkc, load: 50%}]\n"

static struct weir_scenario scn;
static struct weir_err err;
static struct weir_override sets[4];
static uint32_t set_count;

static inline struct weir_ecn_config *ecn_of(const struct weir_scenario *s)
{
    return weir_scenario_feature(s, "ecn")->config;
}

static inline int setup(void **state)
{
    (void)state;
    set_count = 0;
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    weir_scenario_free(&scn);
    return 0;
}

static inline void override(const char *text)
{
    sets[set_count++].text = text;
}

static inline int parse(const char *text)
{
    weir_scenario_free(&scn);
    return weir_scenario_parse(&scn, "dir/incast.yaml", text, strlen(text), sets, set_count, &err);
}

static inline void accepts(const char *text)
{
    if (parse(text) != 0)
        fail_msg("%s:%u:%u: %s (%s)", err.file, err.line, err.col, err.text, err.hint);
}

/* From the file itself. */
static inline void refuses(const char *text, enum weir_err_code code, uint32_t line, uint32_t col, const char *key)
{
    int answer = parse(text);
    assert_refusal(&err, code, NULL, key);
    assert_int_equal(answer, code);
    assert_string_equal(err.file, "dir/incast.yaml");
    assert_int_equal(err.line, line);
    assert_int_equal(err.col, col);
    assert_null(scn.text); /* nothing is left to free */
    assert_null(scn.strings);
}
#endif
