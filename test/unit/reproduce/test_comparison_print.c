/* test/unit/reproduce/test_comparison_print.c - the table and its sentences: what is marked, what is left out, how wide it is. */
#include "test/unit/weir_test.h"
#include "reproduce/comparison_print.h"
#include "test/unit/refusal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LAWS = 5, SEEDS = 3 };

static struct weir_comparison c;
static struct weir_comparison_run run[LAWS][SEEDS];
static struct weir_comparison_keys keys;
static const char *const preset[LAWS] = { "rfc8257", "paper", NULL, "paper", "sigcomm2020" };
static const char *protocol[LAWS];
static struct weir_comparison_page page = { .comparison = &c,
                                            .keys = &keys,
                                            .scenario = "x",
                                            .preset = preset,
                                            .protocol = protocol,
                                            .first_seed = 7,
                                            .group_bytes = { 1460, 100000, 800000 },
                                            .out = "x.db",
                                            .version = "0",
                                            .commit = "0" };
static char *text;

static uint32_t metric(const char *name)
{
    uint32_t m = 0;
    while (strcmp(c.metric[m].name, name) != 0)
        m++;
    return m;
}

static void put(uint32_t law, const char *name, double value, double step)
{
    for (uint32_t s = 0; s < SEEDS; s++)
        run[law][s].value[metric(name)] = value + s * step;
}

static int begin(void **state)
{
    static const char *const name[LAWS] = { "dctcp", "expresspass", "soze", "sird", "swift" };
    (void)state;
    c = (struct weir_comparison){ .law_count = LAWS, .seed_count = SEEDS, .baseline = WEIR_COMPARISON_NONE };
    weir_comparison_usual(&c);
    keys = (struct weir_comparison_keys){ .count = 0 };
    page.given_count = 0;
    for (uint32_t l = 0; l < LAWS; l++) {
        c.law[l] = (struct weir_comparison_law){ .name = name[l], .run = run[l] };
        protocol[l] = name[l];
        for (uint32_t s = 0; s < SEEDS; s++) {
            run[l][s] = (struct weir_comparison_run){ .is_done = true };
            for (uint32_t m = 0; m < WEIR_COMPARISON_METRICS_MAX; m++)
                run[l][s].value[m] = NAN;
        }
        put(l, "slowdown.all.p50", 1 + l / 100.0, 0.001);
        put(l, "slowdown.all.p99", 20 + l, 0.5);
        put(l, "slowdown.B.p99", 100 + l, 0);
        put(l, "slowdown.C.p99", 200 + l, 0);
        put(l, "slowdown.D.p99", 12345 + l, 1000);
        put(l, "goodput_gbps", 50 - l, 0.1);
        put(l, "tor_queue_bytes.p99", 123456000, 1000 * (1 + l));
        put(l, "tor_queue_bytes.max", 1234567000, 1000000);
        put(l, "drops", 0, 0);
        put(l, "unfinished.messages", 100 * l, 1);
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return 0;
}

static void print(void (*function)(FILE *out, const struct weir_comparison_page *page))
{
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    weir_comparison_solve(&c);
    function(out, &page);
    assert_int_equal(fclose(out), 0);
}

static void no_line_is_longer_than_100_columns(void)
{
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
        if (strcspn(line, "\n") > 100)
            fail_msg("%zu columns: %.*s", strcspn(line, "\n"), (int)strcspn(line, "\n"), line);
}

static void says(const char *what)
{
    if (strstr(text, what) == NULL)
        fail_msg("no '%s' in\n%s", what, text);
}

static void says_not(const char *what)
{
    if (strstr(text, what) != NULL)
        fail_msg("'%s' in\n%s", what, text);
}

static void the_table_has_a_law_a_line_and_marks_the_best(void **state)
{
    (void)state;
    print(weir_comparison_print);
    no_line_is_longer_than_100_columns();
    says("x: 5 laws, seeds 7 to 9");
    says("\ndctcp           1.00*");
    says("\nexpresspass     1.01 ");
    says("* best, ~ within its interval of the best\n");
    says("123458~");
    says("B 1460 to 99999 B, D from 800000 B");
    says_not("group A"); /* nobody has messages of it */
    says_not("group C"); /* only the smallest and the largest are shown */
    says_not("pauses");  /* no law has PFC */
    says_not("!");
    says("p99 slowdown: dctcp is best, 20.5 +- 1.24;");
    says("swift +4.00 +- 0");
    says("ToR queue, max (KB)");
    says_not("drops:"); /* shown, and not judged */
}

static void a_law_in_doubt_is_marked_with_the_reason(void **state)
{
    (void)state;
    strcpy(run[0][1].doubt, "two of nine messages are missing");
    run[3][2].is_done = false;
    print(weir_comparison_print);
    no_line_is_longer_than_100_columns();
    says("dctcp !");
    says("sird !");
    says("! dctcp: 1 of 3 runs: two of nine messages are missing\n");
    says("! sird: 2 of 3 runs are there\n");
    says("p99 slowdown: expresspass is best,");
    says("dctcp (!) -1.00, in doubt; soze");
    says("best only where no other law has a number, and without intervals\n");
    says("\nsoze            1.02     22.5 "); /* with an interval below, and the one in doubt without */
    says("\ndctcp !         1.00     20.5      100    13345     50.1   123457   1235567       0         1\nexpresspass "
         " ");
}

/* Three laws of which neither is better than another: a line says so, in place of numbers. */
static void laws_that_seeds_do_not_tell_apart_have_one_line(void **state)
{
    (void)state;
    c.law_count = 3;
    for (uint32_t l = 0; l < 3; l++) {
        put(l, "slowdown.all.p99", 20, 0);
        put(l, "goodput_gbps", 50, 0.1);
        run[l][l].value[metric("slowdown.all.p99")] += 0.5;
    }
    run[1][2].value[metric("goodput_gbps")] = NAN;
    print(weir_comparison_print);
    no_line_is_longer_than_100_columns();
    says("\np99 slowdown: no difference between dctcp, expresspass and soze (paired by seed, 3 seeds)\n");
    says("goodput per host (Gbps): dctcp is best, "); /* two seeds have no interval */
    free(text);
    c.law_count = 2; /* and two of three laws that do differ */
    c.baseline = 1;
    run[1][2].value[metric("goodput_gbps")] = 50.2;
    print(weir_comparison_print);
    says("\np99 slowdown: no difference between dctcp and expresspass (paired by seed, 3 seeds)\n");
    free(text);
    c.law_count = 3;
    c.baseline = WEIR_COMPARISON_NONE;
    put(2, "slowdown.all.p99", 30, 1);
    print(weir_comparison_print);
    says("expresspass +0 +- 1.24, no difference; soze");
    free(text);
    strcpy(run[1][0].doubt, "short"); /* what is in doubt is not said to be alike */
    print(weir_comparison_print);
    says("expresspass (!) +0, in doubt; soze");
}

static void a_mean_over_fewer_seeds_is_named(void **state)
{
    (void)state;
    run[2][1].value[metric("slowdown.B.p99")] = NAN;
    run[2][1].value[metric("slowdown.C.p99")] = NAN; /* not shown */
    print(weir_comparison_print);
    says("\nsoze: p99 slowdown of group B is the mean over 2 of 3 runs, the others have none\n");
    says_not("group C");
    no_line_is_longer_than_100_columns();
}

static void where_every_law_is_in_doubt_that_is_stated_once(void **state)
{
    (void)state;
    for (uint32_t l = 0; l < LAWS; l++)
        strcpy(run[l][0].doubt, "unstable");
    print(weir_comparison_print);
    says("! in doubt: every law");
    says("swift !");
    says_not("(!)");
    says_not("+-0");
    says("p99 slowdown: dctcp is best, 20.5; expresspass +1.00, in doubt;");
}

static void without_three_seeds_there_are_no_intervals(void **state)
{
    (void)state;
    c.seed_count = 2;
    print(weir_comparison_print);
    says_not("+-");
    says_not("within");
    says("three seeds or more would give intervals");
    says("swift +4.00");
}

/* Two laws with the same numbers: neither is better, with however few seeds. */
static void equal_laws_are_both_best(void **state)
{
    (void)state;
    c.seed_count = 1;
    for (uint32_t m = 0; m < c.metric_count; m++)
        run[1][0].value[m] = run[0][0].value[m];
    print(weir_comparison_print);
    says("\ndctcp         1.00*");
    says("\nexpresspass   1.00*");
    says("p99 slowdown: dctcp is best, 20.0; expresspass the same;");
    free(text);
    strcpy(run[1][0].doubt, "unstable");
    print(weir_comparison_print);
    says("\nexpresspass !   1.00 ");
}

static void that_seeds_change_nothing_is_stated(void **state)
{
    (void)state;
    print(weir_comparison_print);
    says_not("every seed gave");
    free(text);
    for (uint32_t l = 0; l < LAWS; l++)
        for (uint32_t s = 1; s < SEEDS; s++)
            run[l][s] = run[l][0];
    print(weir_comparison_print);
    says("every seed gave the same numbers");
}

static void a_baseline_is_named_beside_the_best(void **state)
{
    (void)state;
    c.baseline = 4;
    print(weir_comparison_print);
    no_line_is_longer_than_100_columns();
    says("differences from swift");
    says("p99 slowdown: dctcp is best, 20.5 +- 1.24. From swift: dctcp -4.00");
}

static void keys_have_a_column_for_the_file_and_for_each_law(void **state)
{
    (void)state;
    print(weir_comparison_print_keys);
    says("no key differs from the file");
    free(text);
    keys.count = 1;
    keys.key[0] = (struct weir_comparison_key){ "fabric.pfc.kind", { "off", "off", "off", "dynamic", "off", "off" } };
    print(weir_comparison_print_keys);
    no_line_is_longer_than_100_columns();
    says("key                    the file     dctcp        expresspass  soze         sird         swift\n");
    says("fabric.pfc.kind        off          off          off          dynamic      off          off\n");
    says("protocol.preset                     rfc8257      paper        -            paper        sigcomm2020\n");
}

static void keys_of_laws_that_were_set_are_stated(void **state)
{
    static const struct weir_comparison_given given[] = { { .law = 3, .text = "protocol.B=2 BDP" },
                                                          { .law = WEIR_COMPARISON_NONE, .text = "protocol.g=1" } };
    (void)state;
    page.given = given;
    page.given_count = 2;
    print(weir_comparison_print_keys);
    says("\nset for sird: protocol.B=2 BDP\nset for all laws: protocol.g=1\n");
    free(text);
    print(weir_comparison_json);
    says("\"set\": [{\"law\": \"sird\", \"key\": \"protocol.B=2 BDP\"}, {\"law\": null, \"key\": \"protocol.g=1\"}]");
}

static void a_variant_has_its_protocol_next_to_its_name(void **state)
{
    static const struct weir_comparison_given given[] = { { .law = 3, .text = "protocol.g=0.02" },
                                                          { .law = 3, .text = "protocol.gain=2" } };
    (void)state;
    page.given = given;
    page.given_count = 2;
    c.law[3].name = "a123456789b123456789c123456789d";
    protocol[3] = "dctcp";
    keys.count = 1;
    keys.key[0] = (struct weir_comparison_key){ "protocol.g", { "1", "2", "-", "-", "0.02", "-" } };
    print(weir_comparison_print_keys);
    no_line_is_longer_than_100_columns();
    says("key                    the file                        dctcp\n");
    says("key                    a123456789b123456789c123456789d swift\n");
    says("protocol.name          dctcp                           swift\n");
    says("protocol.g             0.02                            -\n");
    says("\nset for a123456789b123456789c123456789d: protocol.gain=2\n");
    assert_null(strstr(text, "protocol.g=0.02")); /* its line says so */
    free(text);
    print(weir_comparison_json);
    says("\"a123456789b123456789c123456789d\": {\"protocol\": \"dctcp\", \"preset\": \"paper\"");
    free(text);
    print(weir_comparison_print);
    says("\na123456789b123456789c123456789d  ");
}

static void named_metrics_are_compared_in_their_order(void **state)
{
    struct weir_err err;
    (void)state;
    assert_int_equal(weir_comparison_choose(&c, "messages_started,tor_max,features.codel.marks", &err), 0);
    assert_int_equal(c.metric_count, 3);
    assert_string_equal(c.metric[1].name, "tor_queue_bytes.max"); /* what it was called once */
    for (uint32_t l = 0; l < LAWS; l++)
        for (uint32_t s = 0; s < SEEDS; s++) {
            run[l][s].value[0] = 10;
            run[l][s].value[1] = 2500 - l;
            run[l][s].value[2] = 3;
        }
    print(weir_comparison_print);
    says("\nlaw                            ToR KB  features.codel\n");
    says("             messages_started     max           marks\n");
    says("dctcp                      10   2.50                3\n");
    says("ToR queue, max (KB): swift is best");
    says_not("messages started:");
    assert_int_equal(weir_comparison_choose(&c, "drops,drop", &err), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, "--metrics", "drop");
    assert_int_equal(weir_comparison_choose(&c, "goodput,goodput_gbps", &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "--metrics", "goodput_gbps");
    assert_int_equal(weir_comparison_choose(&c, "", &err), WEIR_E_UNKNOWN);
}

static void what_was_asked_for_is_shown_with_its_unit(void **state)
{
    struct weir_err err;
    (void)state;
    assert_int_equal(weir_comparison_choose(&c,
                                            "peak_rss_bytes,unfinished.bytes,completion_us.C.p99,slowdown.C.p99,drops,"
                                            "features.pfc.paused_share",
                                            &err),
                     0);
    assert_string_equal(c.metric[4].less,
                        "features.credit-gate.dropped"); /* one name is one number, asked for or not */
    for (uint32_t l = 0; l < LAWS; l++)
        for (uint32_t s = 0; s < SEEDS; s++) {
            for (uint32_t m = 0; m < 5; m++)
                run[l][s].value[m] = 30000 + l;
            run[l][s].value[5] = NAN;
        }
    print(weir_comparison_print);
    says("  peak_rss_bytes (KB)  bytes (KB)");
    says("  paused_share\n");
    says("\nsize groups: C ");
    says_not(", C ");
}

static void json_has_every_run_and_every_difference(void **state)
{
    (void)state;
    strcpy(run[2][1].doubt, "unstable");
    keys.count = 1;
    keys.key[0] = (struct weir_comparison_key){ "fabric.pfc.kind", { "off", "off", "off", "dynamic", "off", "off" } };
    print(weir_comparison_json);
    says("\"first_seed\": 7");
    says("\"fabric.pfc.kind\": {\"file\": \"off\"");
    says("\"slowdown.all.p99\": {\"title\": \"p99 slowdown\", \"unit\": \"ratio\", \"better\": \"least\", \"best\": "
         "\"dctcp\", \"best_is_doubtful\": false, \"base\": \"dctcp\"");
    says("\"exceeds_interval\": true");
    says("\"soze\": {\"mean\": 1.021, \"half_width\": null, \"seeds\": 3, \"difference\": {\"mean\": 0.02, "
         "\"half_width\": null, \"seeds\": 3, \"exceeds_interval\": false}}");
    says("\"advice\": null,");
    says("\"slowdown.A.p99\": {\"title\": \"p99 slowdown of group A\", \"unit\": \"ratio\", \"better\": \"least\", "
         "\"best\": null");
    says("{\"seed\": 8, \"done\": true, \"doubt\": \"unstable\", \"fullest_port\": null, \"fullest_link\": null, "
         "\"slowdown.all.p50\": 1.021,");
    says("\"drops\": {\"title\": \"packets dropped by switches\", \"unit\": \"count\", \"better\": null, \"laws\"");
}

static void runs_without_exact_statistics_are_counted(void **state)
{
    (void)state;
    print(weir_comparison_print);
    says_not("statistics");
    free(text);
    run[1][0].is_sampled = run[2][1].is_sampled = true;
    run[2][1].is_done = false;
    print(weir_comparison_print);
    says("1 of 14 runs have run.statistics: sampled.");
    no_line_is_longer_than_100_columns();
}

static void name_fullest(uint32_t law, uint32_t seed, int kind, const char *name, double value)
{
    (void)snprintf(run[law][seed].fullest[kind], sizeof(run[law][seed].fullest[kind]), "%s", name);
    run[law][seed].fullest_value[kind] = value;
}

static void the_fullest_port_and_link_of_all_runs_are_named(void **state)
{
    (void)state;
    print(weir_comparison_print);
    says_not("fullest"); /* as of a file of an older Weir */
    free(text);
    name_fullest(1, 2, WEIR_FULLEST_PORT, "leaf 2 > host 17", 812345);
    print(weir_comparison_print);
    says("\nfullest port: leaf 2 > host 17, up to 812 KB queued (expresspass, seed 9)\n\ndifferences");
    says_not("fullest link");
    free(text);
    name_fullest(0, 0, WEIR_FULLEST_PORT, "leaf 0 > host 1", 7000);
    name_fullest(4, 1, WEIR_FULLEST_LINK, "host 3 > leaf 0", 0.934);
    name_fullest(2, 0, WEIR_FULLEST_LINK, "host 3 > leaf 0", 0.5);
    print(weir_comparison_print);
    says("\nfullest port: leaf 2 > host 17, up to 812 KB queued (expresspass, seed 9); the fullest in 1 of 2\n"
         "    runs\n");
    says("\nfullest link: host 3 > leaf 0, given 93 % of what it can carry (swift, seed 8); the fullest in all 2\n"
         "    runs\n");
    no_line_is_longer_than_100_columns();
    free(text);
    run[1][2].is_done = false;
    print(weir_comparison_print);
    says("\nfullest port: leaf 0 > host 1, up to 7.00 KB queued (dctcp, seed 7)\n");
    free(text);
    print(weir_comparison_json);
    says("\"doubt\": null, \"fullest_port\": null, \"fullest_link\": \"host 3 > leaf 0\", ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_table_has_a_law_a_line_and_marks_the_best),
        TEST(a_law_in_doubt_is_marked_with_the_reason),
        TEST(laws_that_seeds_do_not_tell_apart_have_one_line),
        TEST(a_mean_over_fewer_seeds_is_named),
        TEST(where_every_law_is_in_doubt_that_is_stated_once),
        TEST(without_three_seeds_there_are_no_intervals),
        TEST(equal_laws_are_both_best),
        TEST(that_seeds_change_nothing_is_stated),
        TEST(a_baseline_is_named_beside_the_best),
        TEST(keys_have_a_column_for_the_file_and_for_each_law),
        TEST(keys_of_laws_that_were_set_are_stated),
        TEST(a_variant_has_its_protocol_next_to_its_name),
        TEST(named_metrics_are_compared_in_their_order),
        TEST(what_was_asked_for_is_shown_with_its_unit),
        TEST(json_has_every_run_and_every_difference),
        TEST(runs_without_exact_statistics_are_counted),
        TEST(the_fullest_port_and_link_of_all_runs_are_named),
    };
    return cmocka_run_group_tests_name("reproduce/comparison_print", tests, NULL, NULL);
}
