/* test/unit/output/test_links_csv.c - volumes of links, letter for letter. */
#include "core/feature.h"
#include "test/unit/weir_test.h"
#include "output/links_csv.h"
#include <stdlib.h>
#include <string.h>

/* Two hosts and a switch, whose names need quoting. */
static char names[3][WEIR_NODE_NAME] = { "a", "b,\"c\"", "s" };
static struct weir_node nodes[3] = { { .first_out = 0, .out_count = 1 },
                                     { .first_out = 1, .out_count = 1 },
                                     { .first_out = 2, .out_count = 2 } };
static struct weir_link links[4] = { { .src = 0, .dst = 2, .rate_bps = 10000000000 },
                                     { .src = 1, .dst = 2, .rate_bps = 10000000000 },
                                     { .src = 2, .dst = 0, .rate_bps = 10000000000 },
                                     { .src = 2, .dst = 1, .rate_bps = 40000000000 } };
static const struct weir_topology topo = {
    .host_count = 2, .switch_count = 1, .node_count = 3, .link_count = 4, .node = nodes, .link = links, .name = names
};
/* 1 ms of 10 Gb/s are 1,250,000 bytes. The last queue is 1000 bytes (200 ns at 40 Gb/s) all the time: A = 2 b T. */
static struct weir_port_count counts[4] = { { .bytes = 1250000, .marks = 1, .drops = 2, .losses = 3 },
                                            { .bytes = 625000 },
                                            { .bytes = 0 },
                                            { .bytes = 3333333, .area_lo = UINT64_C(2) * 200000 * 1000000000 } };
static const struct weir_result result = { .sim_ps = 1000000000, .measured_ps = 1000000000, .link = counts };

static void a_line_has_names_bytes_and_the_share_of_the_rate(void **state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    (void)state;
    assert_non_null(file);
    assert_int_equal(weir_links_csv(file, &topo, &result), 0);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(text, "link,from,to,rate_bps,bytes,share,marks,drops,losses,mean_queue_bytes\n"
                              "0,\"a\",\"s\",10000000000,1250000,1.000000,1,2,3,0.000\n"
                              "1,\"b,\"\"c\"\"\",\"s\",10000000000,625000,0.500000,0,0,0,0.000\n"
                              "2,\"s\",\"a\",10000000000,0,0.000000,0,0,0,0.000\n"
                              "3,\"s\",\"b,\"\"c\"\"\",40000000000,3333333,0.666666,0,0,0,1000.000\n");
    free(text);
}

/* Their sum is that of drops and losses. */
static void a_line_has_a_column_for_each_cause(void **state)
{
    static const struct weir_rule rules[] = { { "random", "loss", WEIR_FATE_LOST, "why" }, { 0 } };
    static const struct weir_feature lossy = { .name = "loss", .rules = rules };
    static struct weir_feature_on on[] = { { .row = &lossy } };
    static const struct weir_features features = { .on = on, .count = 1, .room = 1 };
    struct weir_result with = result;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    (void)state;
    with.causes = weir_causes_new(&features, 1, 4);
    assert_non_null(file);
    assert_non_null(with.causes);
    with.causes->of_link[WEIR_CAUSE_NO_ROUTE] = 2;
    with.causes->of_link[WEIR_CAUSES_OF_WORLD] = 3;
    assert_int_equal(weir_links_csv(file, &topo, &with), 0);
    assert_int_equal(fclose(file), 0);
    assert_non_null(strstr(text, ",losses,mean_queue_bytes,switch.memory,switch.no-route,loss.random\n"
                                 "0,\"a\",\"s\",10000000000,1250000,1.000000,1,2,3,0.000,0,2,3\n"
                                 "1,\"b,\"\"c\"\"\",\"s\",10000000000,625000,0.500000,0,0,0,0.000,0,0,0\n"));
    weir_causes_free(with.causes);
    free(text);
}

static void a_run_of_no_length_has_no_shares(void **state)
{
    const struct weir_result none = { .link = counts };
    FILE *file = fopen("/dev/null", "w");
    (void)state;
    assert_non_null(file);
    assert_int_equal(weir_links_csv(file, &topo, &none), 0);
    (void)fclose(file);
}

static void an_unwritable_file_is_an_error(void **state)
{
    FILE *full = fopen("/dev/full", "w");
    (void)state;
    if (full == NULL)
        skip();
    (void)setvbuf(full, NULL, _IONBF, 0);
    assert_int_equal(weir_links_csv(full, &topo, &result), WEIR_E_FILE);
    (void)fclose(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_names_bytes_and_the_share_of_the_rate),
        cmocka_unit_test(a_line_has_a_column_for_each_cause),
        cmocka_unit_test(a_run_of_no_length_has_no_shares),
        cmocka_unit_test(an_unwritable_file_is_an_error),
    };
    return cmocka_run_group_tests_name("output/links_csv", tests, NULL, NULL);
}
