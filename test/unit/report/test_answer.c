/* test/unit/report/test_answer.c - the verdict of a page, and the remarks in its dot plots. */
#include "test/unit/report/report_fixture.h"
#include "report/answer.h"
#include "report/doubts.h"
#include "report/heading.h"
#include "report/runs_open.h"

static struct weir_err err;
static int next;

static int begin(void **state)
{
    assert_int_equal(make_sample(state), 0);
    change("DELETE FROM run; DELETE FROM metric; DELETE FROM series; DELETE FROM point; DELETE FROM by_size; "
           "DELETE FROM histogram");
    next = 1;
    return 0;
}

/* Adds a run whose slowdown has this 99th percentile; its goodput is that of every run. */
static void put(const char *law, const char *status, int seed, double p99)
{
    char sql[1024];
    (void)snprintf(sql, sizeof(sql),
                   "INSERT INTO run (id, name, label, status, started_utc, protocol, seed, scenario, json) VALUES (%d, "
                   "'n<1>', '%s', '%s', '', '%s', %d, 'protocol: {name: %s}' || char(10) || 'run: {seed: %d}', "
                   "json_object('verdict', "
                   "'stable', 'stable', "
                   "json('true'), 'topology', 'star', 'hosts', 9, 'slowdown', json_object('all', json_object('p99', "
                   "%g, 'count', 9)), 'messages_measured', 1000, 'messages_started', 1000, 'messages_completed', 1000, "
                   "'goodput_gbps', 40));"
                   "INSERT INTO metric VALUES (%d, 'slowdown.all.p99', %g), (%d, 'goodput_gbps', 40)",
                   next, law, status, law, seed, law, seed, p99, next, p99, next);
    change(sql);
    next++;
}

static void put_seeds(const char *law, double a, double b, double c)
{
    put(law, "done", 1, a);
    put(law, "done", 2, b);
    put(law, "done", 3, c);
}

/* Returns the sentences, and behind them the remarks of the first number: "|best|no difference|". */
static char *answer(void)
{
    const char *const path[] = { sample };
    struct weir_answer answer;
    struct weir_runs runs;
    struct memory m;
    enum weir_dot_kind kind;
    memory_open(&m);
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, NULL, &err), 0);
    const struct weir_group group = { runs.run, runs.count };
    assert_int_equal(weir_answer_make(&answer, &group, 7, &err), 0);
    weir_answer_sentences(m.file, &answer, "");
    for (uint32_t metric = 0; answer.c != NULL && metric < answer.c->metric_count; metric++)
        for (uint32_t l = 0; strcmp(answer.c->metric[metric].name, "slowdown.all.p99") == 0 && l < answer.c->law_count;
             l++)
            (void)fprintf(m.file, "|%s", weir_answer_remark(&answer, metric, l, &kind));
    weir_answer_free(&answer);
    weir_runs_close(&runs);
    return memory_text(&m);
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in: %s", part, text);
}

/* b - a is 1, 1.1 and 0.9: 1 +- 4.303 * 0.1 / sqrt(3) = 0.248. */
static void the_best_is_named_with_its_interval_and_the_next(void **state)
{
    char *text;
    (void)state;
    put_seeds("a", 2, 2.2, 2.1);
    put_seeds("b", 3, 3.3, 3);
    put_seeds("c", 9, 9, 9);
    text = answer();
    has(text, "<strong>a is best</strong> by p99 slowdown: <strong>2.10&nbsp;\xc2\xb1&nbsp;0.25</strong>. Next is b, "
              "higher by 1.00&nbsp;\xc2\xb1&nbsp;0.25, paired by seed.");
    has(text,
        " Other numbers of a: no different from the best by <em>goodput per host</em>. No run is in doubt.</p>\n");
    has(text, "|best||");
    free(text);
}

static void what_the_seeds_do_not_tell_is_no_difference(void **state)
{
    char *text;
    (void)state;
    put_seeds("a", 2, 2.2, 2.1);
    put_seeds("b", 2.1, 2.1, 2.2);
    text = answer();
    has(text,
        "<strong>No difference</strong> in p99 slowdown between a and b, paired by seed (3 seeds). Other numbers of a: "
        "no different from the best by <em>goodput per host</em>.");
    has(text, "|no difference|no difference");
    free(text);
    put_seeds("c", 9, 9.5, 9.1); /* now one differs, so that there is a best */
    text = answer();
    has(text, "<strong>a is best</strong>");
    has(text, "No difference from it: b. Next is c, higher by ");
    has(text, "|best|no difference|");
    free(text);
}

static void one_seed_has_no_interval(void **state)
{
    char *text;
    (void)state;
    put("a", "done", 1, 2);
    put("b", "done", 1, 3);
    text = answer();
    has(text, "<strong>2</strong>. Next is b, higher by 1. ");
    has(text, "One seed, so there are no intervals.");
    has(text, "|best|");
    free(text);
}

/* A law in doubt is not best, and has no place among those that follow the best. */
static void runs_in_doubt_and_missing_ones_are_counted(void **state)
{
    char *text;
    (void)state;
    put_seeds("a", 2, 2.2, 2.1);
    put_seeds("b", 3, 3.3, 3);
    put("c", "failed", 1, 1);
    change("UPDATE run SET json = json_set(json, '$.verdict', 'unstable', '$.stable', json('false')) WHERE id = 2");
    text = answer();
    has(text, "<strong>b is best</strong>");
    has(text, " Next is a, lower by 1.000, in doubt.");
    has(text, " <span class=\"bad\">1 of 7 runs is in doubt, 1 of 7 is not done</span>: <a href=\"#why7\">all "
              "findings</a>.");
    has(text, "||best|no run done"); /* the dot of a is hollow */
    free(text);
}

#define DOUBT                                                                                                          \
    "UPDATE run SET json = json_set(json, '$.verdict', 'unstable', '$.findings', json('[{\"kind\": \"behind\", "       \
    "\"text\": \"why\"}]')"

/* Without a law that can be relied on nothing is best: what would be, why not, and what its number leaves out. */
static void what_is_in_doubt_is_not_called_best(void **state)
{
    char *text;
    (void)state;
    put_seeds("a", 2, 2.2, 2.1);
    put_seeds("b", 3, 3.3, 3);
    change(DOUBT ", '$.unfinished', json('{\"messages\": 1648}'))");
    text = answer();
    has(text,
        "<strong>None can be called best</strong>: a has the lowest p99 slowdown, <strong>2.100</strong> (next is b, "
        "3.100), but its runs do not keep up; 1648 unfinished messages of a run are left out of it. <span");
    assert_null(strstr(text, "Other numbers"));
    free(text);
    change(
        "UPDATE run SET json = json_remove(json_set(json, '$.verdict', 'stable'), '$.unfinished') WHERE id IN (2, 3)");
    text = answer();
    has(text, ", but 1 of its 3 runs does not keep up; 549 unfinished messages of a run are left out of it. <span");
    free(text);
}

static void a_best_law_with_missing_runs_is_none(void **state)
{
    char *text;
    (void)state;
    put("a", "done", 1, 2);
    put("a", "failed", 2, 2);
    put("b", "done", 1, 3);
    change(DOUBT ") WHERE protocol = 'b'");
    text = answer();
    has(text, "<strong>None can be called best</strong>: a (#1) has the lowest p99 slowdown, <strong>2</strong> (next "
              "is b, 3), "
              "but only 1 of its 2 runs is done.");
    free(text);
}

/* p99 of the size group A is that of all messages: it is not one more number. With one other value it is. */
static void a_size_group_that_repeats_all_messages_says_nothing(void **state)
{
    char *text;
    (void)state;
    put_seeds("a", 2, 2.2, 2.1);
    put_seeds("b", 3, 3.3, 3);
    change("UPDATE run SET json = json_set(json, '$.slowdown.A', json_extract(json, '$.slowdown.all'))");
    text = answer();
    assert_null(strstr(text, "group A"));
    free(text);
    change("UPDATE run SET json = json_set(json, '$.slowdown.A.p99', 9) WHERE id = 6");
    text = answer();
    has(text, "<em>p99 slowdown of group A</em>");
    free(text);
}

/* The note below the figures has the edges of the groups that are drawn, and no others. */
static void the_note_has_the_sizes_of_the_groups(void **state)
{
    const char *const path[] = { sample };
    struct weir_answer answer;
    struct weir_runs runs;
    struct memory m;
    (void)state;
    put_seeds("a", 2, 2.2, 2.1);
    put_seeds("b", 3, 3.3, 3);
    change("UPDATE run SET scenario = scenario || char(10) || '  group_a: 1 KB' || char(10) || '  group_b: 2 KB' || "
           "char(10) || '  group_c: 3 KB', json = json_set(json, '$.slowdown.A', json('{\"p99\": 9}'), "
           "'$.slowdown.D', json('{\"p99\": 8}'))");
    change(
        "UPDATE run SET scenario = replace(scenario, 'run: {seed: ' || seed || '}', 'run:' || char(10) || '  seed: ' "
        "|| seed)");
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, NULL, &err), 0);
    assert_int_equal(weir_answer_make(&answer, &(struct weir_group){ runs.run, runs.count }, 7, &err), 0);
    memory_open(&m);
    assert_int_equal(weir_answer_note(m.file, &answer, &err), 0);
    has(memory_text(&m), " says otherwise. Size groups: A below 1 KB, D from 3 KB.</p>");
    free(m.text);
    weir_answer_free(&answer);
    weir_runs_close(&runs);
}

/* Returns the lines about runs that are in doubt or not done. */
static char *doubts(void)
{
    const char *const path[] = { sample };
    struct weir_runs runs;
    char *text;
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, NULL, &err), 0);
    assert_int_equal(weir_doubts_lines(&text, &(struct weir_group){ runs.run, runs.count }, &err), 0);
    weir_runs_close(&runs);
    return text;
}

static void lines_are(const char *want)
{
    char *text = doubts();
    assert_string_equal(text, want);
    free(text);
}

static void each_reason_for_doubt_is_a_line_with_what_helps(void **state)
{
    (void)state;
    put_seeds("a", 2, 2.2, 2.1);
    put_seeds("b", 3, 3.3, 3);
    lines_are("");
    put("c", "failed", 1, 1);
    lines_are("1 of 7 runs is not done: failed (c).\n");
    change(
        "UPDATE run SET json = json_set(json, '$.verdict', 'too_short', '$.findings', json('[{\"kind\": \"too_short\", "
        "\"measure_s\": 0.015, \"text\": \"short\"}]')) WHERE id = 2");
    lines_are("1 of 7 runs is too short (a): run.measure=30 ms settles it.\n1 of 7 runs is not done: failed (c).\n");
    change(DOUBT ") WHERE protocol = 'b'");
    lines_are("1 of 7 runs is too short (a): run.measure=30 ms settles it.\n3 of 7 runs do not keep up (b): lower the "
              "load. b, "
              "seed 1: why.\n1 of 7 runs is not done: failed (c).\n");
    change("DELETE FROM run WHERE status = 'failed'");
    change(DOUBT ")");
    lines_are("6 of 6 runs do not keep up (both sets): lower the load. a, seed 1: why.\n");
}

/* Endless flows have no slowdown: nothing else of the run is in doubt. */
static void endless_flows_alone_are_not_in_doubt(void **state)
{
    (void)state;
    put("a", "done", 1, 2);
    change("UPDATE run SET json = json_set(json, '$.verdict', 'stable', '$.slowdown', NULL, '$.findings', "
           "json('[{\"kind\": \"beyond\", \"text\": \"why\"}]'))");
    lines_are("1 of 1 run has endless flows (a): read goodput, fairness and queues. a, seed 1: no message that counts "
              "was complete in the measured part.\n"); /* the table has a slowdown */
    change("DELETE FROM metric WHERE name = 'slowdown.all.p99'");
    lines_are("");
}

/* The verdict doubts what the lines doubt, no more: by goodput one is best. */
static void endless_flows_alone_are_compared_by_goodput(void **state)
{
    char *text;
    (void)state;
    put("a", "done", 1, 2);
    put("b", "done", 1, 3);
    change("UPDATE run SET json = json_set(json, '$.slowdown', NULL, '$.findings', "
           "json('[{\"kind\": \"beyond\", \"text\": \"why\"}]')); "
           "DELETE FROM metric WHERE name = 'slowdown.all.p99'; "
           "UPDATE metric SET value = 41 WHERE run = 2 AND name = 'goodput_gbps'; "
           "UPDATE run SET json = json_set(json, '$.goodput_gbps', 41) WHERE id = 2");
    text = answer();
    has(text, "<strong>b is best</strong> by goodput per host (Gbps): <strong>41</strong>. Next is a, lower by 1. ");
    has(text, " No run is in doubt.</p>\n");
    free(text);
}

static void of_many_sets_in_doubt_four_are_named(void **state)
{
    char law[2] = "a";
    (void)state;
    for (; law[0] <= 'g'; law[0]++)
        put(law, "done", 1, 2);
    change(DOUBT ") WHERE id <= 5");
    lines_are("5 of 7 runs do not keep up (a, b, c, d and 1 more set): lower the load. a, seed 1: why.\n");
    change(DOUBT ") WHERE id <= 6");
    lines_are("6 of 7 runs do not keep up (a, b, c, d and 2 more sets): lower the load. a, seed 1: why.\n");
    change(DOUBT ")");
    lines_are("7 of 7 runs do not keep up (all 7 sets): lower the load. a, seed 1: why.\n");
}

static void a_single_set_is_not_compared(void **state)
{
    char *text;
    (void)state;
    put("a", "done", 1, 2);
    text = answer();
    assert_string_equal(text, "<p class=\"verdict\"> The run is not in doubt.</p>\n");
    free(text);
}

/* Loads cannot be compared: the least load is always best. */
static void sets_of_different_traffic_are_not_compared(void **state)
{
    char *text;
    (void)state;
    put("a", "done", 1, 2);
    put("b", "done", 1, 3);
    change(
        "UPDATE run SET scenario = 'traffic:' || char(10) || '  - {kind: poisson, load: ' || id || '0%}' || char(10)");
    text = answer();
    assert_string_equal(text, "<p class=\"verdict\">The sets have different traffic or are many, so none is called "
                              "best. No run is in doubt.</p>\n");
    free(text);
}

static void title_is(const char *want)
{
    const char *const path[] = { sample };
    struct weir_runs runs;
    char title[128];
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, NULL, &err), 0);
    weir_heading_title(title, sizeof(title), &runs);
    weir_runs_close(&runs);
    assert_string_equal(title, want);
}

static void the_title_asks_what_was_asked(void **state)
{
    char label[2] = "b";
    (void)state;
    put("a", "done", 1, 2);
    title_is("n<1>: a");
    put("a", "done", 2, 2);
    title_is("n<1>: a");
    for (; label[0] <= 'd'; label[0]++)
        put(label, "done", 1, 2);
    title_is("n<1>: a, b, c or d?");
    put("e", "done", 1, 2);
    title_is("n<1>: which of 5 laws?");
    change(
        "INSERT INTO run (id, name, label, status, started_utc, protocol, seed, scenario, json) SELECT 99, name, 'f', "
        "status, '', protocol, seed, scenario || '#', json FROM run WHERE label = 'e'");
    title_is("n<1>: which of 6 sets?");
    change("DELETE FROM run WHERE label = 'f'");
    change("UPDATE run SET protocol = 'x' WHERE protocol > 'b'");
    title_is("n<1>: a, b or x? 5 sets");
    change("UPDATE run SET name = 'other' WHERE id = 1");
    title_is("6 runs");
    change("UPDATE run SET experiment = 'e', figure = 'f' || (id = 2)");
    title_is("e: 6 runs");
}

static void the_lead_has_what_all_runs_share(void **state)
{
    const char *const path[] = { sample };
    struct weir_runs runs;
    struct memory m;
    (void)state;
    put("a", "done", 1, 2);
    put("a", "done", 2, 2);
    put("b", "done", 1, 2);
    memory_open(&m);
    assert_int_equal(weir_runs_open(&runs, path, 1, NULL, NULL, &err), 0);
    weir_heading_lead(m.file, &runs);
    weir_runs_close(&runs);
    assert_string_equal(memory_text(&m), "3 runs: 2 sets of up to 2 seeds; star, 9 hosts. Simulated packet by packet "
                                         "with Weir; from a.db.");
    free(m.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_best_is_named_with_its_interval_and_the_next, begin, remove_sample),
        cmocka_unit_test_setup_teardown(what_the_seeds_do_not_tell_is_no_difference, begin, remove_sample),
        cmocka_unit_test_setup_teardown(one_seed_has_no_interval, begin, remove_sample),
        cmocka_unit_test_setup_teardown(runs_in_doubt_and_missing_ones_are_counted, begin, remove_sample),
        cmocka_unit_test_setup_teardown(what_is_in_doubt_is_not_called_best, begin, remove_sample),
        cmocka_unit_test_setup_teardown(a_best_law_with_missing_runs_is_none, begin, remove_sample),
        cmocka_unit_test_setup_teardown(a_size_group_that_repeats_all_messages_says_nothing, begin, remove_sample),
        cmocka_unit_test_setup_teardown(each_reason_for_doubt_is_a_line_with_what_helps, begin, remove_sample),
        cmocka_unit_test_setup_teardown(endless_flows_alone_are_not_in_doubt, begin, remove_sample),
        cmocka_unit_test_setup_teardown(endless_flows_alone_are_compared_by_goodput, begin, remove_sample),
        cmocka_unit_test_setup_teardown(the_note_has_the_sizes_of_the_groups, begin, remove_sample),
        cmocka_unit_test_setup_teardown(of_many_sets_in_doubt_four_are_named, begin, remove_sample),
        cmocka_unit_test_setup_teardown(a_single_set_is_not_compared, begin, remove_sample),
        cmocka_unit_test_setup_teardown(sets_of_different_traffic_are_not_compared, begin, remove_sample),
        cmocka_unit_test_setup_teardown(the_title_asks_what_was_asked, begin, remove_sample),
        cmocka_unit_test_setup_teardown(the_lead_has_what_all_runs_share, begin, remove_sample),
    };
    return cmocka_run_group_tests_name("report/answer", tests, NULL, NULL);
}
