/* test/unit/output/test_metrics.c - what holds of every number that a run gives, and how one is found and written. */
#include "test/unit/weir_test.h"
#include "measure/metrics.h"
#include "output/metrics.h"
#include "solve/compare.h"
#include "test/unit/refusal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t text_size;

static int teardown(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return 0;
}

struct seen {
    char name[1024][96];
    size_t count;
};

static void keep(void *ctx, const struct weir_metric *row)
{
    struct seen *seen = ctx;
    assert_in_range(seen->count, 0, 1023);
    (void)snprintf(seen->name[seen->count++], sizeof(seen->name[0]), "%s", row->name);
}

static void every_name_is_there_once_and_objects_are_in_one_piece(void **state)
{
    static struct seen seen;
    (void)state;
    seen.count = 0;
    weir_metrics_each(keep, &seen);
    assert_true(seen.count > 200);
    for (size_t i = 0; i < seen.count; i++) {
        size_t first = strcspn(seen.name[i], ".") + 1;
        bool left = false;
        for (size_t k = i + 1; k < seen.count; k++) {
            bool same = strncmp(seen.name[i], seen.name[k], first) == 0;
            assert_string_not_equal(seen.name[i], seen.name[k]);
            assert_false(same && left && seen.name[i][first - 1] == '.');
            left |= !same;
        }
    }
}

/* The names of numbers with a unit say which: as an end, or within where they are older than this rule. */
static void need_unit(void *ctx, const struct weir_metric *row)
{
    static const char *const part[WEIR_METRIC_UNITS] = { [WEIR_METRIC_BYTES] = "bytes",
                                                         [WEIR_METRIC_SECONDS] = "_s",
                                                         [WEIR_METRIC_MICROSECONDS] = "_us",
                                                         [WEIR_METRIC_GBPS] = "gbps",
                                                         [WEIR_METRIC_PER_SECOND] = "per_s" };
    (void)ctx;
    if (part[row->unit] != NULL && strstr(row->name, part[row->unit]) == NULL)
        fail_msg("%s does not name its unit, %s", row->name, weir_metric_unit_names[row->unit]);
    assert_non_null(row->title);
    assert_true((row->line == NULL) == (row->phrase == NULL));
    assert_non_null(weir_metric_unit_names[row->unit]);
}

static void a_name_has_its_unit_in_it(void **state)
{
    (void)state;
    weir_metrics_each(need_unit, NULL);
}

static void every_number_is_found_by_its_name(void **state)
{
    static struct seen seen;
    struct weir_metric row;
    (void)state;
    seen.count = 0;
    weir_metrics_each(keep, &seen);
    for (size_t i = 0; i < seen.count; i++) {
        assert_true(weir_metric_find(seen.name[i], &row));
        assert_string_equal(row.name, seen.name[i]);
    }
    assert_true(weir_metric_find("features.pfc.paused_share", &row));
    assert_int_equal(row.unit, WEIR_METRIC_RATIO);
    assert_true(weir_metric_find("laws[3].slowdown.A.p99", &row));
    assert_null(row.head[1]);
    assert_true(weir_metric_find("classes[0].data_drops", &row));
    assert_false(weir_metric_find("laws[4].goodput_gbps", &row));
    assert_false(weir_metric_find("laws[N].goodput_gbps", &row));
    assert_false(weir_metric_find("slowdown", &row));
    assert_false(weir_metric_find("", &row));
}

static void an_old_name_is_understood(void **state)
{
    struct weir_metric row;
    (void)state;
    assert_true(weir_metric_find("tor_max", &row));
    assert_string_equal(row.name, "tor_queue_bytes.max");
    assert_true(weir_metric_find("unfinished", &row));
    assert_string_equal(row.name, "unfinished.messages");
}

static void an_unknown_name_is_refused_with_the_nearest(void **state)
{
    const struct weir_tok near = { .text = "goodput_gps", .file = "a.yaml", .line = 3, .col = 9 };
    const struct weir_tok far = { .text = "happiness", .file = "a.yaml", .line = 4, .col = 9 };
    struct weir_metric row;
    struct weir_err err;
    (void)state;
    assert_int_equal(weir_metric_need(&near, &row, &err), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, "a.yaml:3:9", "goodput_gps");
    assert_non_null(strstr(err.hint, "'goodput_gbps'"));
    assert_int_equal(weir_metric_need(&far, &row, &err), WEIR_E_UNKNOWN);
    assert_non_null(strstr(err.hint, "weir list metrics"));
}

static const struct weir_metric rows[] = {
    { .name = "a", .offset = offsetof(struct weir_result, drops), .line = "one", .phrase = "gone", .title = "" },
    { .name = "b.c", .offset = offsetof(struct weir_result, goodput_bps), .digits = 9, .title = "" },
    { .name = "b.d.e", .offset = offsetof(struct weir_result, stable), .type = WEIR_METRIC_BOOL, .title = "" },
    { .name = "b.d.f",
      .offset = offsetof(struct weir_result, hosts),
      .type = WEIR_METRIC_U32,
      .line = "one",
      .phrase = "there",
      .title = "" },
    { .name = "g.h", .needs = offsetof(struct weir_result, timeouts), .line = "two", .phrase = "", .title = "" },
    { .name = NULL },
};

static void dots_are_objects_and_what_does_not_apply_is_null(void **state)
{
    struct weir_result res = { .drops = 3, .goodput_bps = 1500000000, .stable = true, .hosts = 12345 };
    FILE *out = open_memstream(&text, &text_size);
    struct weir_json json = { .out = out };
    (void)state;
    weir_json_open(&json, NULL);
    weir_metrics_json(&json, rows, &res, NULL);
    weir_metrics_json(&json, rows, &res, "a");
    weir_json_close(&json);
    weir_metrics_line(out, rows, &res, "one");
    weir_metrics_line(out, rows, &res, "two");
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, "{\n  \"a\": 3,\n  \"b\": {\"c\": 1.500000000, \"d\": {\"e\": true, \"f\": 12345}},\n"
                              "  \"g\": null,\n  \"a\": 3\n}\n"
                              "one         3 gone, 12,345 there\n");
}

static void an_infinity_of_the_solver_is_null(void **state)
{
    struct weir_compared c = { .flows = 2, .error_p50 = 0.25, .settle_p50_s = INFINITY };
    FILE *out = open_memstream(&text, &text_size);
    struct weir_json json = { .out = out };
    (void)state;
    weir_json_open(&json, NULL);
    weir_metrics_json_within(&json, weir_compared_metrics, &c, "allocation.");
    weir_json_close(&json);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "\"flows\": 2,"));
    assert_non_null(strstr(text, "\"error_p50\": 0.25,"));
    assert_non_null(strstr(text, "\"settle_s_p50\": null,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_there_once_and_objects_are_in_one_piece),
        cmocka_unit_test(a_name_has_its_unit_in_it),
        cmocka_unit_test(every_number_is_found_by_its_name),
        cmocka_unit_test(an_old_name_is_understood),
        cmocka_unit_test(an_unknown_name_is_refused_with_the_nearest),
        cmocka_unit_test_teardown(dots_are_objects_and_what_does_not_apply_is_null, teardown),
        cmocka_unit_test_teardown(an_infinity_of_the_solver_is_null, teardown),
    };
    return cmocka_run_group_tests_name("output/metrics", tests, NULL, NULL);
}
