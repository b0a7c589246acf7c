/* test/unit/reproduce/test_spec.c - one item of `tables`. */
#include "test/unit/refusal.h"
#include "test/unit/reproduce/reproduce_test.h"

#define TABLE(fields)                                                                                                  \
    AXES "figures:\n  - {name: f, title: F, sweeps: [{who: all, load: all}],\n     tables: [{" fields "}]}\n"

static void defaults(void **state)
{
    const struct weir_table_spec *spec;
    (void)state;
    assert_int_equal(load(TABLE("name: t, title: T, value: slowdown.all.p50")), 0);
    spec = &test_exp.figure[0].table[0];
    assert_int_equal(spec->reading_count, 1);
    assert_string_equal(spec->reading[0].path, "slowdown.all.p50");
    assert_string_equal(spec->reading[0].label, "");
    assert_int_equal(spec->over, WEIR_AXIS_NONE);
    assert_int_equal(spec->base_axis, WEIR_AXIS_NONE);
    assert_int_equal(spec->best_axis, WEIR_AXIS_NONE);
    assert_int_equal(spec->average, WEIR_AXIS_NONE);
    assert_int_equal(spec->reading[0].divide, 1);
    assert_int_equal(spec->reading[0].digits, 2);
    assert_int_equal(spec->reading[0].per, WEIR_AXIS_NONE);
    assert_false(spec->reduction || spec->columns);
    assert_int_equal(spec->unstable, WEIR_UNSTABLE_OUT);
    assert_int_equal(spec->band_ppm, 0);
    assert_false(spec->peak);
    assert_null(spec->published_file);
}

static void everything_said(void **state)
{
    const struct weir_table_spec *spec;
    (void)state;
    put("p.csv", "metric,value\nm,1\n");
    assert_int_equal(load(TABLE("name: t, title: T, unit: KB, note: N, values: {p50: slowdown.all.p50, p99: "
                                "slowdown.all.p99}, over: load,\n"
                                "      where: {load: 90}, relative_to: {who: them}, unstable: growing, growth: 2,\n"
                                "      band: 3%, divide: 1000, digits: 1, peak: true,\n"
                                "      published: {file: p.csv, metric: m}")),
                     0);
    spec = &test_exp.figure[0].table[0];
    assert_int_equal(spec->reading_count, 2);
    assert_string_equal(spec->reading[1].label, "p99");
    assert_int_equal(spec->over, 1);
    assert_true(spec->filters[1]);
    assert_int_equal(spec->where[1], 2);
    assert_int_equal(spec->base_axis, 0);
    assert_int_equal(spec->base_value, 1);
    assert_int_equal(spec->unstable, WEIR_UNSTABLE_GROWING);
    assert_int_equal(spec->growth_ppm, 2000000);
    assert_int_equal(spec->band_ppm, 30000);
    assert_true(spec->peak);
    assert_string_equal(spec->published_metric, "m");
    assert_non_null(spec->published);
}

static void of_a_table_and_of_its_readings(void **state)
{
    const struct weir_table_spec *spec;
    (void)state;
    assert_int_equal(load(TABLE("name: t, title: T, average: load, reduction_to: {who: us}, columns: true, divide: 10, "
                                "digits: 1,\n      values: {a: drops, b: {path: losses, divide: 1000, per: load}, c: "
                                "{series: tor_queue_max}}")),
                     0);
    spec = &test_exp.figure[0].table[0];
    assert_int_equal(spec->reading_count, 3);
    assert_int_equal(spec->average, 1);
    assert_true(spec->reduction && spec->columns);
    assert_int_equal(spec->base_value, 0);
    assert_int_equal(spec->reading[0].divide, 10);
    assert_int_equal(spec->reading[1].divide, 1000);
    assert_int_equal(spec->reading[1].per, 1);
    assert_int_equal(spec->reading[1].digits, 1);
    assert_string_equal(spec->reading[1].path, "losses");
    assert_string_equal(spec->reading[2].series->name, "tor_queue_max");
}

static void the_best_and_the_mean(void **state)
{
    const struct weir_table_spec *spec;
    (void)state;
    assert_int_equal(
        load(TABLE("name: t, title: T, value: 'quantile:tor_queue:99.9', best: {who: greatest}, mean: [load]")), 0);
    spec = &test_exp.figure[0].table[0];
    assert_int_equal(spec->best_axis, 0);
    assert_true(spec->best_is_most && spec->fold == WEIR_CASES_MEAN && spec->folds[1] && !spec->folds[0]);
    assert_int_equal(load(TABLE("name: t, title: T, value: 'quantile:tor_queue:100', best: {who: least}")), 0);
    assert_true(!test_exp.figure[0].table[0].best_is_most);
    assert_int_equal(test_exp.figure[0].table[0].fold, WEIR_CASES_APART);
    assert_int_equal(load(TABLE("name: t, title: T, value: drops, most: [load, who]")), 0);
    spec = &test_exp.figure[0].table[0];
    assert_true(spec->fold == WEIR_CASES_MOST && spec->folds[0] && spec->folds[1]);
}

/* Of a quotient no effect is 1, of a reduction 0, of what is not relative nobody knows. */
static void a_band_tells_an_effect_from_none(void **state)
{
    const struct weir_table_spec *spec;
    (void)state;
    put("p.csv", "metric,who,value\nm,US,1\n");
    assert_int_equal(load(TABLE("name: t, title: T, value: drops, published: {file: p.csv, metric: m}, band: 3%,\n"
                                "      resolution: 3%, fitted: F, missed: M")),
                     0);
    spec = &test_exp.figure[0].table[0];
    assert_false(spec->has_no_effect);
    assert_null(spec->no_band);
    assert_string_equal(spec->fitted, "F");
    assert_string_equal(spec->missed, "M");
    assert_int_equal(load(TABLE("name: t, title: T, value: drops, published: {file: p.csv, metric: m}, band: 3%,\n"
                                "      no_effect: -47.5")),
                     0);
    spec = &test_exp.figure[0].table[0];
    assert_true(spec->has_no_effect && spec->no_effect == -47.5);
    assert_int_equal(load(TABLE("name: t, title: T, value: jain, published: {file: p.csv, metric: m}, band: 3%,\n"
                                "      no_effect: none")),
                     0);
    assert_false(test_exp.figure[0].table[0].has_no_effect);
    assert_int_equal(load(TABLE("name: t, title: T, value: drops, relative_to: {who: us}, no_effect: none")), 0);
    assert_false(test_exp.figure[0].table[0].has_no_effect);
    assert_int_equal(load(TABLE("name: t, title: T, value: drops, published: {file: p.csv, metric: m},\n"
                                "      relative_to: {who: us}, no_band: nobody printed it")),
                     0);
    spec = &test_exp.figure[0].table[0];
    assert_true(spec->has_no_effect && spec->no_effect == 1 && spec->band_ppm == 0);
    assert_string_equal(spec->no_band, "nobody printed it");
    assert_int_equal(load(TABLE("name: t, title: T, value: drops, reduction_to: {who: us}")), 0);
    spec = &test_exp.figure[0].table[0];
    assert_true(spec->has_no_effect && spec->no_effect == 0);
    assert_int_equal(load(TABLE("name: t, title: T, value: {each: jobs, fold: less}, relative_to: {who: us}")), 0);
    spec = &test_exp.figure[0].table[0];
    assert_true(spec->has_no_effect && spec->no_effect == 0);
    put("p.csv", "metric,who,value\nm,US,1\nm,UP,2\n"); /* which no run produces */
    assert_int_equal(load(TABLE("name: t, title: T, value: drops, published: {file: p.csv, metric: m}, band: 3%")),
                     WEIR_E_UNKNOWN);
    assert_refusal(&test_err, WEIR_E_UNKNOWN, NULL, "UP");
    assert_non_null(strstr(test_err.file, "/p.csv"));
    assert_int_equal(test_err.line, 3);
}

/* where: the text in the item at which the refusal points */
static void unknown(const char *text, const char *item, const char *where, const char *key)
{
    assert_int_equal(load(text), WEIR_E_UNKNOWN);
    assert_refusal(&test_err, WEIR_E_UNKNOWN, NULL, key);
    assert_int_equal(test_err.col, strlen("     tables: [{") + (size_t)(strstr(item, where) - item) + 1);
}
#define UNKNOWN(item, where, key) unknown(TABLE(item), item, where, key)

/* Found when the file is read, so that no run is made for a table of dashes. */
static void a_number_that_no_run_gives_is_refused_at_its_place(void **state)
{
    (void)state;
    UNKNOWN("name: t, title: T, value: goodput_gps", "goodput", "goodput_gps");
    assert_non_null(strstr(test_err.hint, "'goodput_gbps'"));
    UNKNOWN("name: t, title: T, value: slowdown.all.p90", "slowdown", "slowdown.all.p90");
    UNKNOWN("name: t, title: T, values: {a: drops, b: {path: slowdown.E.p99}}", "slowdown", "slowdown.E.p99");
    UNKNOWN("name: t, title: T, value: {series: flow_speed, read: max}", "flow_speed", "flow_speed");
    UNKNOWN("name: t, title: T, value: 'growth:queue'", "'growth", "queue");
    UNKNOWN("name: t, title: T, value: 'quantile:tor:99'", "'quantile", "tor");
}

static void an_older_name_is_the_present_one(void **state)
{
    (void)state;
    assert_int_equal(load(TABLE("name: t, title: T, values: {a: unfinished, b: {path: goodput}}")), 0);
    assert_string_equal(test_exp.figure[0].table[0].reading[0].path, "unfinished.messages");
    assert_string_equal(test_exp.figure[0].table[0].reading[1].path, "goodput_gbps");
}

static void a_unit_that_does_not_fit_the_number_is_refused(void **state)
{
    static const char *const wrong[] = {
        TABLE("name: t, title: T, unit: us, value: goodput_gbps"),
        TABLE("name: t, title: T, unit: KB, value: drops"),
        TABLE("name: t, title: T, unit: MB, values: {a: tor_queue_bytes.max, b: completion_us.all.p99}"),
        TABLE("name: t, title: T, unit: Gbps of payload, value: slowdown.all.p99"),
        TABLE("name: t, title: T, unit: GB, value: goodput_gbps"),
        TABLE("name: t, title: T, unit: Mbps, value: tor_queue_bytes.p99"),
        TABLE("name: t, title: T, unit: Mbps, value: goodput_gbps"),
        TABLE("name: t, title: T, unit: ms, value: completion_us.all.p99"),
        TABLE("name: t, title: T, unit: ns, value: completion_us.all.p99"),
        TABLE("name: t, title: T, unit: us, value: {series: port_queue_max}"),
        TABLE("name: t, title: T, unit: KB, divide: 1000, value: completion_us.all.p99"),
        TABLE("name: t, title: T, unit: Gbps, divide: 1000, value: tor_queue_bytes.max"),
        TABLE("name: t, title: T, unit: Gbps, value: packet_hops_per_s"),
        TABLE("name: t, title: T, unit: Gbps, value: 'quantile:tor_queue:99'"),
        TABLE("name: t, title: T, unit: Gbps, value: {series: tor_queue_max}"),
        TABLE("name: t, title: T, unit: Gbps, value: {series: flow_rate, read: variation}"),
        TABLE("name: t, title: T, unit: us, value: 'growth:tor_queue_mean'"),
        TABLE("name: t, title: T, unit: us, value: {series: flow_rate, read: below, of: fair}"),
    };
    static const char *const right[] = {
        TABLE("name: t, title: T, unit: ms, divide: 1000, value: completion_us.all.p99"),
        TABLE("name: t, title: T, unit: KB per host, divide: 1000, value: tor_queue_bytes.max"),
        TABLE("name: t, title: T, unit: round trips, value: completion_us.all.p99"),
        TABLE("name: t, title: T, unit: s, value: drops, relative_to: {who: us}"),
        TABLE("name: t, title: T, unit: us, divide: 1000000, value: {series: flow_rate, read: below, of: fair}"),
        TABLE("name: t, title: T, unit: us, divide: 12500, value: {series: port_queue_max}"),
        TABLE("name: t, title: T, unit: KB, divide: 250, value: credit_bytes.at_senders"),
        TABLE("name: t, title: T, unit: GB, divide: 1000000000, value: tor_queue_bytes.max"),
        TABLE("name: t, title: T, unit: kB, divide: 1000, value: 'quantile:tor_queue:99'"),
        TABLE("name: t, title: T, unit: Gb/s, value: {series: flow_rate, read: max}"),
        TABLE("name: t, title: T, value: 'growth:tor_queue_mean'"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(load(wrong[i]), WEIR_E_UNIT);
        assert_refusal(&test_err, WEIR_E_UNIT, NULL, "unit");
        assert_true(test_err.line > 0 && test_err.col > 0);
    }
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
        assert_int_equal(load(right[i]), 0);
}

static void growth_is_of_a_series_of_the_whole_network(void **state)
{
    (void)state;
    assert_int_equal(load(TABLE("name: t, title: T, value: 'growth:port_queue'")), WEIR_E_CONFLICT);
    assert_refusal(&test_err, WEIR_E_CONFLICT, NULL, "growth:port_queue: each host, port or flow has one");
    assert_int_equal(load(TABLE("name: t, title: T, value: 'growth:host_goodput'")), WEIR_E_CONFLICT);
    assert_int_equal(load(TABLE("name: t, title: T, value: 'growth:goodput'")), 0);
}

/* When the experiment is read: hours may lie between that and the tables. */
static void published_numbers_are_read_at_once(void **state)
{
    static const char text[] =
        TABLE("name: t, title: T, value: drops, band: 1%,\n      published: {file: p.csv, metric: m}");
    (void)state;
    assert_int_equal(load(text), WEIR_E_FILE);
    assert_refusal(&test_err, WEIR_E_FILE, NULL, "/p.csv: cannot be read: No such file or directory");
    assert_non_null(strstr(test_err.file, "/experiment.yaml"));
    assert_int_equal(test_err.line, 8);
    assert_string_equal(test_err.hint, "");
    put("p.csv", "metric,value\nm,many\n");
    assert_int_equal(load(text), WEIR_E_SYNTAX);
    assert_non_null(strstr(test_err.file, "/p.csv"));
    assert_int_equal(test_err.line, 2);
    put("p.csv", "metric,value\nmean,1\nmean,2\nmost,3\n");
    assert_int_equal(load(text), WEIR_E_UNKNOWN);
    assert_refusal(&test_err, WEIR_E_UNKNOWN, NULL, "m");
    assert_int_equal(test_err.line, 8);
}

static void refusals(void **state)
{
    static const struct refusal bad[] = {
        { TABLE("name: t, title: T"), WEIR_E_SYNTAX, 7, "value" },
        { TABLE("name: t, value: drops"), WEIR_E_SYNTAX, 7, "title" },
        { TABLE("name: t, title: T, value: drops, unstable: maybe"), WEIR_E_UNKNOWN, 7, "unstable" },
        { TABLE("name: t, title: T, value: drops, over: laod"), WEIR_E_UNKNOWN, 7, "laod" },
        { TABLE("name: t, title: T, value: drops, divide: 0"), WEIR_E_RANGE, 7, "divide" },
        { TABLE("name: t, title: T, value: drops, relative_to: {who: all}"), WEIR_E_UNKNOWN, 7, "all" },
        { TABLE("name: t, title: T, value: drops, relative_to: {who: us, load: 50}"), WEIR_E_SYNTAX, 7, "relative_to" },
        { TABLE("name: t, title: T, value: drops, published: {file: p.csv}"), WEIR_E_SYNTAX, 7, "metric" },
        { TABLE("name: t, title: T, value: drops, peak: yes"), WEIR_E_SYNTAX, 7, "peak" },
        { TABLE("name: t, title: T, value: [x]"), WEIR_E_SYNTAX, 7, "value" },
        { TABLE("name: t, title: T, value: drops, over: load, average: load"), WEIR_E_CONFLICT, 7, "average" },
        { TABLE("name: t, title: T, value: drops, relative_to: {who: us}, reduction_to: {who: us}"), WEIR_E_CONFLICT, 7,
          "reduction_to" },
        { TABLE("name: t, title: T, value: drops, relative_of: {who: us}, relative_to: {who: us}"), WEIR_E_CONFLICT, 7,
          "relative_of" },
        { TABLE("name: t, title: T, value: drops, reduction_of: {who: him}"), WEIR_E_UNKNOWN, 7, "him" },
        { TABLE("name: t, title: T, value: drops, relative_of: us"), WEIR_E_SYNTAX, 7, "relative_of" },
        { TABLE("name: t, title: T, value: drops, relative_of: {load: 50}, over: load"), WEIR_E_CONFLICT, 7,
          "relative_of" },
        { TABLE("name: t, title: T, value: drops, relative_of: {who: us}, best: {load: least}"), WEIR_E_CONFLICT, 7,
          "best" },
        { TABLE("name: t, title: T, value: drops, relative_of: {who: us}, order: {who: [us, them]}"), WEIR_E_CONFLICT,
          7, "order" },
        { TABLE("name: t, title: T, value: {each: jobs}, relative_of: {who: us}"), WEIR_E_CONFLICT, 7, "relative_of" },
        { TABLE("name: t, title: T, value: {path: drops, by: drips}"), WEIR_E_UNKNOWN, 7, "drips" },
        { TABLE("name: t, title: T, value: drops, columns: true, published: {file: p.csv, metric: m}"), WEIR_E_CONFLICT,
          7, "columns" },
        { TABLE("name: t, title: T, value: drops, best: {who: most}"), WEIR_E_UNKNOWN, 7, "who: most" },
        { TABLE("name: t, title: T, value: drops, best: {how: least}"), WEIR_E_UNKNOWN, 7, "how" },
        { TABLE("name: t, title: T, value: drops, best: {who: least, load: least}"), WEIR_E_SYNTAX, 7, "best" },
        { TABLE("name: t, title: T, value: drops, over: load, best: {load: least}"), WEIR_E_CONFLICT, 7, "best" },
        { TABLE("name: t, title: T, value: drops, average: load, best: {load: least}"), WEIR_E_CONFLICT, 7, "best" },
        { TABLE("name: t, title: T, value: drops, mean: []"), WEIR_E_SYNTAX, 7, "mean" },
        { TABLE("name: t, title: T, value: drops, mean: load"), WEIR_E_SYNTAX, 7, "mean" },
        { TABLE("name: t, title: T, value: drops, mean: [laod]"), WEIR_E_UNKNOWN, 7, "laod" },
        { TABLE("name: t, title: T, value: drops, mean: [load], over: load"), WEIR_E_CONFLICT, 7, "mean" },
        { TABLE("name: t, title: T, value: drops, mean: [load], average: load"), WEIR_E_CONFLICT, 7, "mean" },
        { TABLE("name: t, title: T, value: drops, mean: [who], best: {who: least}"), WEIR_E_CONFLICT, 7, "mean" },
        { TABLE("name: t, title: T, value: drops, mean: [who], relative_to: {who: us}"), WEIR_E_CONFLICT, 7, "mean" },
        { TABLE("name: t, title: T, value: {each: jobs}, mean: [who]"), WEIR_E_CONFLICT, 7, "mean" },
        { TABLE("name: t, title: T, value: drops, median: []"), WEIR_E_SYNTAX, 7, "median" },
        { TABLE("name: t, title: T, value: drops, median: [load], over: load"), WEIR_E_CONFLICT, 7, "median" },
        { TABLE("name: t, title: T, value: drops, median: [load], mean: [who]"), WEIR_E_CONFLICT, 7, "median" },
        { TABLE("name: t, title: T, value: {each: jobs}, median: [who]"), WEIR_E_CONFLICT, 7, "median" },
        { TABLE("name: t, title: T, value: drops, most: []"), WEIR_E_SYNTAX, 7, "most" },
        { TABLE("name: t, title: T, value: drops, most: load"), WEIR_E_SYNTAX, 7, "most" },
        { TABLE("name: t, title: T, value: drops, most: [laod]"), WEIR_E_UNKNOWN, 7, "laod" },
        { TABLE("name: t, title: T, value: drops, most: [load], over: load"), WEIR_E_CONFLICT, 7, "most" },
        { TABLE("name: t, title: T, value: drops, most: [who], relative_to: {who: us}"), WEIR_E_CONFLICT, 7, "most" },
        { TABLE("name: t, title: T, value: drops, most: [load], mean: [who]"), WEIR_E_CONFLICT, 7, "mean" },
        { TABLE("name: t, title: T, value: drops, most: [load], median: [who]"), WEIR_E_CONFLICT, 7, "median" },
        { TABLE("name: t, title: T, value: {each: jobs}, most: [who]"), WEIR_E_CONFLICT, 7, "most" },
        { TABLE("name: t, title: T, value: drops, order: who"), WEIR_E_SYNTAX, 7, "order" },
        { TABLE("name: t, title: T, value: drops, order: {who: [us]}"), WEIR_E_SYNTAX, 7, "order" },
        { TABLE("name: t, title: T, value: drops, order: {who: us}"), WEIR_E_SYNTAX, 7, "order" },
        { TABLE("name: t, title: T, value: drops, order: {who: [us, []]}"), WEIR_E_SYNTAX, 7, "order" },
        { TABLE("name: t, title: T, value: drops, order: {who: [us, [him]]}"), WEIR_E_UNKNOWN, 7, "him" },
        { TABLE("name: t, title: T, value: drops, order: {whom: [us, them]}"), WEIR_E_UNKNOWN, 7, "whom" },
        { TABLE("name: t, title: T, value: drops, order: {who: [us, him]}"), WEIR_E_UNKNOWN, 7, "him" },
        { TABLE("name: t, title: T, value: drops, order: {who: [us, them]}, over: who"), WEIR_E_CONFLICT, 7, "order" },
        { TABLE("name: t, title: T, value: drops, order: {who: [us, them]}, mean: [who]"), WEIR_E_CONFLICT, 7, "mean" },
        { TABLE("name: t, title: T, value: drops, less: who"), WEIR_E_SYNTAX, 7, "less" },
        { TABLE("name: t, title: T, value: drops, less: laod"), WEIR_E_UNKNOWN, 7, "laod" },
        { TABLE("name: t, title: T, value: {each: jobs}, best: {who: least}"), WEIR_E_CONFLICT, 7, "best" },
        { TABLE("name: t, title: T, value: 'quantile:tor_queue'"), WEIR_E_SYNTAX, 7, "quantile:tor_queue" },
        { TABLE("name: t, title: T, value: 'quantile::9'"), WEIR_E_SYNTAX, 7, "quantile::9" },
        { TABLE("name: t, title: T, value: 'quantile:tor_queue:101'"), WEIR_E_SYNTAX, 7, "quantile:tor_queue:101" },
        { TABLE("name: t, title: T, value: 'quantile:tor_queue:100.5'"), WEIR_E_SYNTAX, 7, "quantile:tor_queue:100.5" },
        { TABLE("name: t, title: T, value: {path: 'quantile:tor_queue:1 %'}"), WEIR_E_SYNTAX, 7,
          "quantile:tor_queue:1 %" },
        { TABLE("name: t, title: T, value: drops, digits: 7"), WEIR_E_RANGE, 7, "digits" },
        { TABLE("name: t, title: T, value: drops, band: 3%"), WEIR_E_CONFLICT, 7, "band" },
        { TABLE("name: t, title: T, value: drops, no_effect: some"), WEIR_E_RANGE, 7, "no_effect" },
        { TABLE("name: t, title: T, value: jain, published: {file: q.csv, metric: m}, band: 1%"), WEIR_E_SYNTAX, 7,
          "ratio" },
        { TABLE("name: t, title: T, value: drops, main: {where: none, reason: R}"), WEIR_E_CONFLICT, 7, "main" },
        { TABLE("name: t, title: T, value: drops, published: {file: q.csv, metric: m}, main: {where: none}, band: 1%"),
          WEIR_E_SYNTAX, 7, "reason" },
        { TABLE("name: t, title: T, values: {a: drops}, published: {file: q.csv, metric: m}, "
                "main: {value: b, reason: R}, band: 1%"),
          WEIR_E_UNKNOWN, 7, "b" },
        { TABLE("name: t, title: T, value: drops, published: {file: q.csv, metric: m}, main: {reason: R}, band: 1%"),
          WEIR_E_SYNTAX, 7, "where" },
        { TABLE("name: t, title: T, value: drops, published: {file: q.csv, metric: m}, main: {where: all, reason: R}, "
                "band: 1%"),
          WEIR_E_SYNTAX, 7, "where" },
        { TABLE("name: t, title: T, value: drops, published: {file: q.csv, metric: m}, main: {where: {hwo: us}, "
                "reason: R}, band: 1%"),
          WEIR_E_UNKNOWN, 7, "hwo" },
        { TABLE("name: t, title: T, value: drops, published: {file: q.csv, metric: m}"), WEIR_E_SYNTAX, 7, "table t" },
        { TABLE("name: t, title: T, value: drops, published: {file: q.csv, metric: m}, band: 0%"), WEIR_E_RANGE, 7,
          "band: 0" },
        { TABLE("name: t, title: T, value: drops, published: {file: q.csv, metric: m}, band: 1%, no_band: R"),
          WEIR_E_CONFLICT, 7, "band" },
        { TABLE("name: t, title: T, value: drops, published: {file: q.csv, metric: m}, band: 1%, resolution: 1.1%"),
          WEIR_E_RANGE, 7, "band: below" },
    };
    (void)state;
    put("q.csv", "metric,value\nm,1\n");
    REFUSED(bad, load);
    assert_int_equal(unlink(in_dir("q.csv")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(defaults, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(everything_said, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(of_a_table_and_of_its_readings, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(growth_is_of_a_series_of_the_whole_network, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(the_best_and_the_mean, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(a_band_tells_an_effect_from_none, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(a_number_that_no_run_gives_is_refused_at_its_place, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(an_older_name_is_the_present_one, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(a_unit_that_does_not_fit_the_number_is_refused, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(published_numbers_are_read_at_once, begin_dir, end_dir),
        cmocka_unit_test_setup_teardown(refusals, begin_dir, end_dir),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
