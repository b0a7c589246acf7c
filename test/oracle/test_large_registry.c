/* test/oracle/test_large_registry.c - registries of one row more than the product has, 33 and 65 switch features: whatever goes through the rows has room for all of
 * them, and engine and oracle agree on a run that has every one. The program is linked statically and brings tables of its own. */
#include "core/feature.h" /* its struct weir_features keeps its name */
#define weir_features product_features
#define weir_protocols product_protocols
#include "core/hook_coupled.h"
#include "registry.c"
#undef weir_features
#undef weir_protocols
#include "test/unit/weir_test.h"
#include "config/help.h"
#include "config/recommended.h"
#include "setup/setup.h"
#include "test/oracle/oracle.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 65, /* of this test */ NAME = 16, LINES = 100, CONFIG_BYTES = 4000, TEXT = 16384 };

const struct weir_feature *weir_features[ROWS_MAX + 1];
struct weir_protocol weir_protocols[2]; /* the first is the one that every scenario has */

/* --- made rows: each counts packets, and does nothing else --- */

struct made_config {
    uint64_t size_bytes;
};

struct made_port { /* as large as a row likes: nothing limits the state of a port with a timer */
    uint64_t joined, started;
    uint64_t steps[64];
};

static const struct weir_param made_params[] = {
    WEIR_PARAM_NAMED("size", struct made_config, size_bytes, WEIR_KIND_SIZE, 1, 1000, 1, "only to be set"),
    { .key = NULL },
};

static int made_setup(const void *config, const struct weir_fabric_env *env, void *model,
                      struct weir_feature_plan *plan, struct weir_err *err)
{
    (void)err;
    *(struct made_config *)model = *(const struct made_config *)config;
    plan->on = env->is_set;
    plan->period_ps = env->nics_pull ? 3 * WEIR_PS_PER_US : 0;
    return 0;
}

static uint32_t made_on_join(const struct weir_here *here, const struct weir_join *join)
{
    (void)join;
    ((struct made_port *)here->port)->joined += ((const struct made_config *)here->model)->size_bytes;
    return 0;
}

static uint32_t made_on_start(const struct weir_here *here, struct weir_start *start)
{
    (void)start;
    ((struct made_port *)here->port)->started++;
    return 0;
}

static uint32_t made_on_timer(const struct weir_here *here, const struct weir_timer *timer)
{
    ((struct made_port *)here->port)->steps[63] = timer->queue_bytes;
    return 0;
}

static bool made_is_idle(const struct weir_here *here, const struct weir_held *most)
{
    (void)here;
    return most->sum_bytes < 3000;
}

static void made_set_held(const struct weir_here *here, const struct weir_held *held)
{
    (void)here, (void)held;
}

static const struct weir_feature_counter made_counters[] = {
    WEIR_COUNTER(struct made_port, joined, "joined", "joined"),
    WEIR_COUNTER(struct made_port, started, "started", "started"),
    { 0 },
};

static struct weir_feature made[ROWS_MAX];
static char made_name[ROWS_MAX][NAME];

/* The product's rows, and made ones behind them up to `rows`. */
static void make_registry(uint32_t rows, bool coupled)
{
    uint32_t n = 0;
    for (; product_features[n] != NULL; n++)
        weir_features[n] = product_features[n];
    assert_in_range(rows, n + 1, ROWS_MAX);
    for (; n < rows; n++) {
        (void)snprintf(made_name[n], NAME, "made-%u", (unsigned)n);
        made[n] = (struct weir_feature){ .name = made_name[n],
                                         .hint = "counts packets",
                                         .section = made_name[n],
                                         .section_enables = true,
                                         .params = made_params,
                                         .config_bytes = sizeof(struct made_config),
                                         .model_bytes = sizeof(struct made_config),
                                         .setup = made_setup,
                                         .port_bytes = sizeof(struct made_port),
                                         .counters = made_counters,
                                         .on_join = made_on_join,
                                         .on_start = made_on_start };
        if (coupled) {
            made[n].when = WEIR_WHEN_COUPLED;
            made[n].on_timer = made_on_timer;
            made[n].is_idle = made_is_idle;
            made[n].set_held = made_set_held;
        }
        weir_features[n] = &made[n];
    }
    weir_features[n] = NULL;
}

/* --- a protocol whose struct and whose list of recommendations are large --- */

struct large_config {
    struct weir_dctcp_config dctcp; /* first: its functions read it */
    unsigned char more[CONFIG_BYTES];
};

static char line[LINES][2 * NAME];
static const char *recommends[LINES + 1];

static void make_protocol(void)
{
    for (uint32_t i = 0; i < LINES; i++) {
        (void)snprintf(line[i], sizeof(line[i]), "fabric.key-%u: 1", (unsigned)i);
        recommends[i] = line[i];
    }
    weir_protocols[0] = product_protocols[0];
    assert_string_equal(weir_protocols[0].name, "dctcp");
    weir_protocols[0].config_bytes = sizeof(struct large_config);
    weir_protocols[0].recommends = recommends;
}

/* --- --- */

static struct weir_scenario scn;
static struct weir_setup setup;

/* A scenario with every made row, called in the reverse of the registry's order. */
static void load(uint32_t rows, bool coupled)
{
    static char text[TEXT];
    struct weir_err err = { 0 };
    size_t used = (size_t)snprintf(text, TEXT,
                                   "topology: {kind: star, hosts: 4}\ntraffic: [{kind: permutation, size: 30 KB}]\n"
                                   "run: {warmup: 0 us, measure: all}\nhost: {nic_queue: %s}\nfabric:\n"
                                   "  ecn: {threshold: 10 KB}\n  order: [ecn",
                                   coupled ? "pull" : "unlimited");
    for (uint32_t i = rows; made_name[i - 1][0] != '\0'; i--)
        used += (size_t)snprintf(text + used, TEXT - used, ", made-%u", (unsigned)i - 1);
    used += (size_t)snprintf(text + used, TEXT - used, "]\n");
    for (uint32_t i = rows; made_name[i - 1][0] != '\0'; i--)
        used += (size_t)snprintf(text + used, TEXT - used, "  made-%u: {size: %u B}\n", (unsigned)i - 1, (unsigned)i);
    if (weir_scenario_parse(&scn, "large.yaml", text, used, NULL, 0, &err) != 0 ||
        weir_setup_init(&setup, &scn, &err) != 0)
        fail_msg("%u:%u: %s", (unsigned)err.line, (unsigned)err.col, err.text);
}

static uint32_t product_rows(void)
{
    uint32_t n = 0;
    while (product_features[n] != NULL)
        n++;
    return n;
}

static void run(uint32_t rows, bool coupled)
{
    const struct weir_sim_options options = { .threads = 2, .check = true };
    struct weir_result is = { 0 }, must = { 0 };
    struct weir_err err = { 0 };
    uint32_t own = rows - product_rows();
    make_registry(rows, coupled);
    load(rows, coupled);
    assert_int_equal(setup.model.features.count, own + 1);
    assert_ptr_equal(setup.model.features.on[1].row, weir_features[rows - 1]);
    assert_int_equal(weir_oracle_run(&setup.model, &options, &must, &err), 0);
    if (weir_sim_run(&setup.model, &options, &is, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(is.digest, must.digest);
    assert_int_equal(is.queues_digest, must.queues_digest);
    assert_int_equal(is.feature_counts, 2 * own);
    assert_int_equal(must.feature_counts, 2 * own);
    for (uint32_t i = 0; i < own; i++) {
        const struct weir_feature_count *joined = &is.feature_count[2 * i], *started = joined + 1;
        assert_string_equal(joined->feature, made_name[rows - 1 - i]);
        assert_true(started->value > 0);
        assert_int_equal(joined->value, must.feature_count[2 * i].value);
        assert_int_equal(started->value, must.feature_count[2 * i + 1].value);
        assert_int_equal(joined->value % (rows - i), 0); /* each has a model of its own */
    }
    weir_result_free(&is);
    weir_result_free(&must);
    weir_setup_free(&setup);
    weir_scenario_free(&scn);
}

static void a_registry_of_any_size_runs_as_the_oracle_does(void **state)
{
    uint32_t rows[] = { 1, 33, ROWS_MAX };
    (void)state;
    while (product_features[rows[0] - 1] != NULL)
        rows[0]++;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        run(rows[i], false);
        run(rows[i], true);
    }
}

static void help_names_every_row_and_every_line(void **state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    assert_non_null(out);
    make_registry(ROWS_MAX, false);
    weir_help_scenario(out, WEIR_HELP_MARKDOWN);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "`fabric.made-32`"));
    assert_non_null(strstr(text, "`fabric.made-64`"));
    free(text);
    assert_string_equal(weir_recommended_line(&weir_protocols[0], NULL, LINES - 1), "fabric.key-99: 1");
    assert_null(weir_recommended_line(&weir_protocols[0], NULL, LINES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_registry_of_any_size_runs_as_the_oracle_does),
        cmocka_unit_test(help_names_every_row_and_every_line),
    };
    make_protocol();
    return cmocka_run_group_tests_name("oracle/large_registry", tests, NULL, NULL);
}
