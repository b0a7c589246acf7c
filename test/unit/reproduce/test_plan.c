/* test/unit/reproduce/test_plan.c - which runs, with which settings, how long, in which order. */
#include "test/unit/refusal.h"
#include "test/unit/reproduce/reproduce_test.h"
#include "reproduce/plan.h"
#include <string.h>

static struct weir_experiment ex;
static struct weir_plan plan;
static struct weir_err err;

static int teardown(void **state)
{
    (void)state;
    weir_experiment_free(&ex);
    return 0;
}

static int make(const char *name, const char *figure, const char *protocol, uint64_t scale_ppm)
{
    struct weir_plan_request request = { .figure = &figure,
                                         .figure_count = figure != NULL,
                                         .protocol = &protocol,
                                         .protocol_count = protocol != NULL,
                                         .scale_ppm = scale_ppm };
    assert_int_equal(weir_experiment_load(&ex, name, &err), 0);
    return weir_plan_make(&plan, &ex, &request, &err);
}

static const struct weir_point *find(const char *name)
{
    for (uint32_t i = 0; i < plan.point_count; i++)
        if (strcmp(plan.point[i].name, name) == 0)
            return &plan.point[i];
    fail_msg("no point %s", name);
    return NULL;
}

static void assert_settings(const struct weir_point *p, uint32_t count, const char *const *set)
{
    assert_int_equal(p->set_count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_string_equal(p->set[i].text, set[i]);
}

static void points_are_numbered_and_can_be_chosen(void **state)
{
    static const struct weir_span some[] = { { 2, 3 }, { 3, 4 } }, beyond = { 8, 9 };
    struct weir_plan_request request = { .scale_ppm = 1000000, .only = some, .only_count = 2 };
    (void)state;
    assert_int_equal(make("test/cli/tiny/", NULL, NULL, 1000000), 0);
    for (uint32_t i = 0; i < plan.point_count; i++)
        assert_int_equal(plan.point[i].number, i + 1);
    assert_int_equal(weir_plan_make(&plan, &ex, &request, &err), 0);
    assert_int_equal(plan.point_count, 3);
    for (uint32_t i = 0; i < plan.point_count; i++)
        assert_int_equal(plan.point[i].number, i + 2);
    assert_string_equal(plan.point[0].name, "dctcp-small-30");
    request.only = &beyond;
    request.only_count = 1;
    assert_int_equal(weir_plan_make(&plan, &ex, &request, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "test/cli/tiny/experiment.yaml", "point 9");
}

static void settings_of_all_points_come_first(void **state)
{
    static const char *const set[] = { "run.measure=1 ms", "a.b=0.5 BDP", "run.seed=2" };
    struct weir_plan_request request = { .scale_ppm = 1000000 };
    (void)state;
    put("experiment.yaml", "scenario: s.yaml\nset: {run.measure: 1 ms}\nseeds: 2\naxes:\n"
                           "  - {name: mark, set: {a.b: $}, values: [0.5 BDP]}\n");
    assert_int_equal(weir_experiment_load(&ex, test_dir, &err), 0);
    assert_int_equal(weir_plan_make(&plan, &ex, &request, &err), 0);
    assert_int_equal(plan.point_count, 2);
    assert_string_equal(plan.point[1].name, "0.5_BDP-2");
    assert_string_equal(plan.point[1].scenario, "s.yaml");
    assert_settings(&plan.point[1], 3, set);
    weir_experiment_free(&ex);
}

static void settings_of_the_command_come_last(void **state)
{
    static const char *const given[] = { "run.measure=2 ms", "a.b=1 BDP" };
    static const char *const set[] = { "run.measure=1 ms", "a.b=0.5 BDP", "run.measure=2 ms", "a.b=1 BDP" };
    struct weir_plan_request request = { .scale_ppm = 1000000, .set = given, .set_count = 2 };
    (void)state;
    put("experiment.yaml", "scenario: s.yaml\nset: {run.measure: 1 ms}\naxes:\n"
                           "  - {name: mark, set: {a.b: $}, values: [0.5 BDP]}\n");
    assert_int_equal(weir_experiment_load(&ex, test_dir, &err), 0);
    assert_int_equal(weir_plan_make(&plan, &ex, &request, &err), 0);
    assert_int_equal(plan.point_count, 1);
    assert_settings(&plan.point[0], 4, set);
    weir_experiment_free(&ex);
}

static void combinations_with_what_is_not_built_set_aside(void **state)
{
    (void)state;
    assert_int_equal(make("test/cli/tiny/", NULL, NULL, 1000000), 0);
    assert_int_equal(plan.point_count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(plan.point[i].state, i < 4 ? WEIR_POINT_PENDING : WEIR_POINT_NOT_BUILT);
        assert_int_equal(plan.point[i].wanted, i < 4);
    }
    assert_null(plan.point[3].not_built);
    assert_string_equal(plan.point[4].not_built, "telepathy");
    assert_int_equal(plan.missing_count, 1);
    assert_string_equal(plan.missing[0].protocol, "telepathy");
    assert_string_equal(plan.point[0].name, "dctcp-small-10");
    assert_string_equal(plan.point[3].name, "dctcp-large-30");
    /* 600 us / 0.1, half of it measured */
    assert_settings(find("dctcp-large-10"), 4,
                    (const char *const[]){ "traffic[0].sizes=100 KB", "traffic[0].load=10%", "run.warmup=3000 us",
                                           "run.measure=3000 us" });
}

static void what_is_not_built_is_wanted_only_by_name(void **state)
{
    (void)state;
    assert_int_equal(make("test/cli/tiny/", NULL, "telepathy", 1000000), 0);
    assert_int_equal(plan.missing_count, 1);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(plan.point[i].wanted, i >= 4);
    assert_null(weir_plan_next(&plan));
    weir_experiment_free(&ex);
    assert_int_equal(make("test/cli/tiny/", NULL, "dctcp", 1000000), 0);
    assert_int_equal(plan.missing_count, 0);
    assert_false(find("telepathy-small-10")->wanted);
}

static void a_scaled_run_keeps_its_least_part(void **state)
{
    (void)state;
    assert_int_equal(make("test/cli/tiny/", NULL, NULL, 10000), 0); /* 600 us / 0.3 / 2 is 1 ms; a hundredth is 10 us */
    assert_string_equal(find("dctcp-small-30")->set[1].text, "run.warmup=10 us");
    assert_string_equal(find("dctcp-small-30")->set[2].text, "run.measure=100 us");
    assert_string_equal(find("dctcp-large-30")->set[3].text, "run.measure=10 us");
}

static void warm_up_and_measured_part_have_scales_of_their_own(void **state)
{
    struct weir_plan_request request = { .scale_ppm = 200000, .measure_ppm = 1000000 };
    (void)state;
    assert_int_equal(weir_experiment_load(&ex, "test/cli/tiny/", &err), 0);
    assert_int_equal(weir_plan_make(&plan, &ex, &request, &err), 0);
    assert_settings(find("dctcp-large-10"), 4,
                    (const char *const[]){ "traffic[0].sizes=100 KB", "traffic[0].load=10%", "run.warmup=600 us",
                                           "run.measure=3000 us" });
    assert_int_equal(find("dctcp-large-10")->length_us, 3600);
    assert_int_equal(find("dctcp-large-10")->measure_us, 3000);
}

static void without_a_length_the_scenario_says_how_long(void **state)
{
    (void)state;
    assert_int_equal(make("test/cli/tiny/", "fail", NULL, 1000000), 0);
    assert_settings(find("dctcp-stalls"), 0, NULL);
    assert_string_equal(find("dctcp-stalls")->scenario, "stall.yaml");
}

static void sird_has_the_published_lengths(void **state)
{
    (void)state;
    assert_int_equal(make("sird", "tables", "dctcp", 1000000), 0);
    assert_settings(find("dctcp-balanced-wkc-95"), 6,
                    (const char *const[]){ "protocol.name=dctcp", "protocol.preset=ns2", "traffic[0].sizes=wkc",
                                           "traffic[0].load=95%", "run.warmup=473684 us", "run.measure=52632 us" });
    assert_settings(find("dctcp-core-wka-28"), 7,
                    (const char *const[]){ "protocol.name=dctcp", "protocol.preset=ns2", "topology.core_link=200 Gbps",
                                           "traffic[0].sizes=wka", "traffic[0].load=28%", "run.warmup=144643 us",
                                           "run.measure=16071 us" });
    assert_string_equal(find("dctcp-incast-wkb-50")->scenario, "incast.yaml");
}

static void one_protocol_wants_no_other(void **state)
{
    uint32_t wanted = 0;
    (void)state;
    assert_int_equal(make("sird", "tables", "dctcp", 1000000), 0);
    for (uint32_t i = 0; i < plan.point_count; i++)
        wanted += plan.point[i].wanted;
    assert_int_equal(wanted, 72); /* 3 configurations, 3 workloads, 8 loads */
    assert_int_equal(plan.missing_count, 0);
}

static uint32_t arena_wanted(const char *protocol)
{
    uint32_t wanted = 0;
    assert_int_equal(make("arena", "soze", protocol, 1000000), 0);
    for (uint32_t i = 0; i < plan.point_count; i++)
        wanted += plan.point[i].wanted;
    weir_experiment_free(&ex);
    return wanted;
}

/* Figure soze: four tests with three seeds. The preset phantom is a column of the protocol soze. */
static void a_column_is_wanted_by_its_label(void **state)
{
    (void)state;
    assert_int_equal(arena_wanted("phantom"), 12);
    assert_int_equal(arena_wanted("soze"), 24);
    assert_int_equal(arena_wanted("dctcp"), 6);
    assert_int_equal(make("arena", "soze", "phantoms", 1000000), WEIR_E_UNKNOWN);
    assert_string_equal(err.hint, "did you mean 'phantom'?");
}

static void scaled_down_sird_warms_up_long_enough(void **state)
{
    (void)state;
    assert_int_equal(make("sird", "tables", "dctcp", 10000), 0);
    assert_string_equal(find("dctcp-balanced-wkc-95")->set[4].text, "run.warmup=20000 us");
    assert_string_equal(find("dctcp-balanced-wkc-95")->set[5].text, "run.measure=20000 us");
    assert_string_equal(find("dctcp-balanced-wka-95")->set[5].text, "run.measure=2000 us");
}

static void labels_of_other_axes_in_a_setting(void **state)
{
    (void)state;
    assert_int_equal(make("fncc", "fig10_fast", "dcqcn", 1000000), 0);
    assert_settings(find("join-400-dcqcn"), 4,
                    (const char *const[]){ "topology.host_link=400 Gbps", "topology.core_link=400 Gbps",
                                           "protocol.name=dcqcn", "protocol.preset=paper-400g" });
}

static void a_label_of_an_axis_that_is_not_there(void **state)
{
    struct weir_plan_request request = { .scale_ppm = 1000000 };
    (void)state;
    assert_int_equal(load("title: T\naxes:\n  - {name: a, scenario: s.yaml, set: {x: 'p-${b}'}, values: [1]}\n"
                          "  - {name: b, values: [2]}\n"
                          "figures:\n  - {name: f, title: F, sweeps: [{a: 1}]}\n"
                          "  - {name: g, title: G, sweeps: [{a: 1, b: 2}]}\n"),
                     0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, "", "${b}");
    request.figure = &(const char *const){ "g" };
    request.figure_count = 1;
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), 0);
    assert_settings(&plan.point[0], 1, (const char *const[]){ "x=p-2" });
    assert_non_null(strstr(plan.point[0].set[0].where.file, "/experiment.yaml"));
    assert_int_equal(plan.point[0].set[0].where.line, 3);
}

/* fncc says that all of its figures are to be run, sird does not. */
static void figures_when_none_is_named(void **state)
{
    uint32_t on_request = 0;
    (void)state;
    assert_int_equal(make("fncc", NULL, "hpcc", 1000000), 0);
    for (uint32_t f = 0; f < ex.figure_count; f++)
        on_request += ex.figure[f].on_request;
    assert_int_equal(plan.figure_count, ex.figure_count - on_request);
    assert_true(plan.figure_count > 1);
    weir_experiment_free(&ex);
    assert_int_equal(make("sird", NULL, "dctcp", 1000000), 0);
    assert_int_equal(plan.figure_count, 1);
}

static void a_figure_on_request_waits_to_be_named(void **state)
{
    struct weir_plan_request request = { .scale_ppm = 1000000 };
    (void)state;
    assert_int_equal(load("title: T\nall_figures: true\naxes:\n  - {name: a, scenario: s.yaml, values: [1, 2]}\n"
                          "figures:\n  - {name: f, title: F, sweeps: [{a: 1}]}\n"
                          "  - {name: g, title: G, on_request: true, sweeps: [{a: 2}]}\n"),
                     0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), 0);
    assert_int_equal(plan.figure_count, 1);
    assert_string_equal(plan.figure[0]->name, "f");
    request.figure = &(const char *const){ "g" };
    request.figure_count = 1;
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), 0);
    assert_int_equal(plan.figure_count, 1);
    assert_string_equal(plan.figure[0]->name, "g");
    request.figure_count = 0;
    assert_int_equal(load("title: T\naxes:\n  - {name: a, scenario: s.yaml, values: [1]}\n"
                          "figures:\n  - {name: g, title: G, on_request: true, sweeps: [{a: 1}]}\n"),
                     0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "on request");
}

/* 6 ms at a tenth of the load, which cost once and twice as much; then as the scenario says, without a word in experiment.yaml. */
static void a_point_weighs_what_is_simulated(void **state)
{
    (void)state;
    assert_int_equal(make("test/cli/tiny/", NULL, NULL, 1000000), 0);
    for (uint32_t i = 0; i < 4; i++)
        weir_plan_weigh(&plan.point[i], 6000000000);
    assert_int_equal(find("dctcp-small-10")->weight, 601);
    assert_int_equal(find("dctcp-large-10")->weight, 1201);
    weir_experiment_free(&ex);
    assert_int_equal(make("test/cli/tiny/", "stop", NULL, 1000000), 0);
    weir_plan_weigh(&plan.point[0], 2000000000);
    weir_plan_weigh(&plan.point[1], 90000000000000000);
    assert_string_equal(weir_plan_next(&plan)->name, "dctcp-endless-30");
}

static void the_longest_goes_first(void **state)
{
    static const char *const order[] = { "dctcp-large-10", "dctcp-large-30", "dctcp-small-10", "dctcp-small-30" };
    (void)state;
    assert_int_equal(make("test/cli/tiny/", NULL, NULL, 1000000), 0);
    for (uint32_t i = 0; i < 4; i++)
        weir_plan_weigh(&plan.point[i], plan.point[i].value[2] == 0 ? 6000000000 : 2000000000);
    for (int i = 0; i < 4; i++) {
        struct weir_point *p = weir_plan_next(&plan);
        assert_non_null(p);
        assert_string_equal(p->name, order[i]);
        p->state = WEIR_POINT_RUNNING;
    }
    assert_null(weir_plan_next(&plan));
}

#define LONG "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"

static void what_cannot_be_a_point_is_refused_with_its_figure(void **state)
{
    static const char text[] = "title: T\naxes:\n  - {name: a, scenario: s.yaml, values: [" LONG "]}\n"
                               "  - {name: b, values: [" LONG "]}\n  - {name: c, values: [" LONG "]}\n"
                               "  - {name: d, values: [" LONG "]}\nfigures:\n"
                               "  - {name: f, title: F, sweeps: [{a: all, b: all, c: all}]}\n"
                               "  - {name: g, title: G, sweeps: [{a: all, b: all, c: all, d: all}]}\n"
                               "  - {name: h, title: H, sweeps: [{b: all}]}\n";
    struct weir_plan_request request = { .figure = &(const char *const){ "f" }, .figure_count = 1, .scale_ppm = 1 };
    (void)state;
    assert_int_equal(load(text), 0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), 0);
    request.figure = &(const char *const){ "g" };
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, NULL, "point");
    assert_int_equal(err.line, 9);
    request.figure = &(const char *const){ "h" };
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, NULL, "scenario");
    assert_int_equal(err.line, 10);
}

static void unknown_names_are_refused(void **state)
{
    (void)state;
    assert_int_equal(make("sird", "fig99", NULL, 1000000), WEIR_E_UNKNOWN);
    assert_non_null(strstr(err.hint, "'fig9'"));
    weir_experiment_free(&ex);
    assert_int_equal(make("sird", NULL, "homa2", 1000000), WEIR_E_UNKNOWN);
    assert_non_null(strstr(err.hint, "'homa'"));
}

/* Four runs, whichever of the two figures asks for them; together they are the same four. */
static void figures_may_be_of_the_same_runs(void **state)
{
    static const char text[] =
        AXES "all_figures: true\nfigures:\n  - {name: f, title: F, sweeps: [{who: all, load: all}]}\n"
             "  - {name: g, title: G, runs: f, tables: [{name: t, title: T, value: drops}]}\n";
    struct weir_plan_request request = { .scale_ppm = 1000000 };
    (void)state;
    assert_int_equal(load(text), 0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), 0);
    assert_int_equal(plan.figure_count, 2);
    assert_int_equal(plan.point_count, 4);
    request.figure = &(const char *const){ "g" };
    request.figure_count = 1;
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), 0);
    assert_string_equal(plan.figure[0]->name, "g");
    assert_int_equal(plan.point_count, 4);
    assert_string_equal(plan.point[0].figure->name, "f");
}

/* Both directions: of a value that comes before the other's axis, and behind it. The point's own settings are in the axes' order. */
static void settings_may_depend_on_a_label_of_another_axis(void **state)
{
    static const char text[] =
        "title: T\naxes:\n"
        "  - {name: a, scenario: s.yaml, set: {k.a: $}, values: [{label: x, with: {p: {k.b: 1}}}, y]}\n"
        "  - {name: b, values: [{label: p, set: {k.b: 2}}, {label: q, with: {y: {k.c: $}}}]}\n"
        "figures: [{name: f, title: F, sweeps: [{a: all, b: all}]}]\n";
    struct weir_plan_request request = { .scale_ppm = 1000000 };
    (void)state;
    assert_int_equal(load(text), 0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), 0);
    assert_settings(find("x-p"), 3, (const char *const[]){ "k.a=x", "k.b=1", "k.b=2" });
    assert_settings(find("x-q"), 1, (const char *const[]){ "k.a=x" });
    assert_settings(find("y-p"), 2, (const char *const[]){ "k.a=y", "k.b=2" });
    assert_settings(find("y-q"), 2, (const char *const[]){ "k.a=y", "k.c=q" });
}

/* Of another figure's runs a table with `where` wants its own only; with that figure all of them are wanted. */
static void runs_of_another_figure_are_wanted_where_a_table_is_about_them(void **state)
{
    static const char text[] =
        AXES "figures:\n  - {name: f, title: F, sweeps: [{who: all, load: all}]}\n"
             "  - {name: g, title: G, runs: f, tables: [{name: t, title: T, value: drops, where: {load: 50, who: us}},"
             " {name: u, title: U, value: drops, where: {load: 90, who: them}}]}\n";
    static const char *const both[] = { "g", "f" };
    struct weir_plan_request request = { .figure = both, .figure_count = 1, .scale_ppm = 1000000 };
    (void)state;
    assert_int_equal(load(text), 0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), 0);
    assert_int_equal(plan.point_count, 4);
    assert_true(plan.point[0].wanted && !plan.point[1].wanted && !plan.point[2].wanted && plan.point[3].wanted);
    request.figure_count = 2;
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), 0);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(plan.point[i].wanted);
}

/* Of another figure's runs a table with `over` wants those of its `maxima`. */
static void a_largest_number_wants_the_points_of_maxima(void **state)
{
    static const char text[] = AXES
        "figures:\n  - {name: f, title: F, sweeps: [{who: all, load: all}], maxima: [{load: 90}, {who: us}]}\n"
        "  - {name: g, title: G, runs: f, tables: [{name: t, title: T, value: drops, over: load, unstable: keep}]}\n";
    static const char *const one[] = { "g" };
    struct weir_plan_request request = { .figure = one, .figure_count = 1, .scale_ppm = 1000000 };
    (void)state;
    assert_int_equal(load(text), 0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &err), 0);
    assert_int_equal(plan.point_count, 4);
    assert_true(plan.point[0].wanted && plan.point[1].wanted && !plan.point[2].wanted && plan.point[3].wanted);
}

#define TEST(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(points_are_numbered_and_can_be_chosen),
        cmocka_unit_test_setup_teardown(settings_of_all_points_come_first, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(settings_of_the_command_come_last, begin_dir, end_dir),
        TEST(combinations_with_what_is_not_built_set_aside),
        TEST(what_is_not_built_is_wanted_only_by_name),
        TEST(a_scaled_run_keeps_its_least_part),
        TEST(warm_up_and_measured_part_have_scales_of_their_own),
        TEST(without_a_length_the_scenario_says_how_long),
        TEST(sird_has_the_published_lengths),
        TEST(one_protocol_wants_no_other),
        TEST(a_column_is_wanted_by_its_label),
        TEST(scaled_down_sird_warms_up_long_enough),
        TEST(labels_of_other_axes_in_a_setting),
        cmocka_unit_test_setup_teardown(a_label_of_an_axis_that_is_not_there, begin_dir, end_dir),
        TEST(figures_when_none_is_named),
        cmocka_unit_test_setup_teardown(a_figure_on_request_waits_to_be_named, begin_dir, end_dir),
        TEST(a_point_weighs_what_is_simulated),
        TEST(the_longest_goes_first),
        cmocka_unit_test_setup_teardown(figures_may_be_of_the_same_runs, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(settings_may_depend_on_a_label_of_another_axis, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(runs_of_another_figure_are_wanted_where_a_table_is_about_them, begin_dir,
                                        end_dir),
        cmocka_unit_test_setup_teardown(a_largest_number_wants_the_points_of_maxima, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(what_cannot_be_a_point_is_refused_with_its_figure, begin_dir, end_dir),
        TEST(unknown_names_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
