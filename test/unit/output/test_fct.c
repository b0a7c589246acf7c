/* test/unit/output/test_fct.c - lines of completion times, with ideals computed by hand. */
#include "test/unit/weir_test.h"
#include "output/fct.h"
#include "setup/setup.h"
#include <stdlib.h>
#include <string.h>

/* Host 0 on switch 0, hosts 2 on switch 1: 1 us, 100 Gb/s to the switches, 2 us, 40 Gb/s between them. Packets of 1000 bytes with 48 of headers. */
static const char text_of[] =
    "topology: {kind: dumbbell, hosts: 4, host_link: 100 Gbps, core_link: 40 Gbps, host_delay: 1 us,\n"
    "           core_delay: 2 us}\n"
    "framing: {preset: hpcc}\n"
    "protocol: dctcp\n"
    "traffic:\n"
    "  - {kind: permutation, size: 1000 B}\n"
    "  - {kind: incast, fan_in: 2, size: 1000 B, period: 1 ms}\n"
    "run: {warmup: 1 ms, measure: 9 ms}\n";

static struct weir_scenario scn;
static struct weir_setup set_up;
static struct weir_fct fct;
static struct weir_err err;

static void begin(const char *text)
{
    if (weir_scenario_parse(&scn, "test.yaml", text, strlen(text), NULL, 0, &err) != 0 ||
        weir_setup_init(&set_up, &scn, &err) != 0 || weir_fct_init(&fct, &set_up.model, &err) != 0)
        fail_msg("%s: %s", err.text, err.hint);
}

static int setup(void **state)
{
    (void)state;
    begin(text_of);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    weir_fct_free(&fct);
    weir_setup_free(&set_up);
    weir_scenario_free(&scn);
    return 0;
}

/* Across: 2 * (1 + 2 + 1) us; 1000 B take 80 ns at 100 Gb/s, twice, and 200 ns at 40 Gb/s. */
static void the_ideal_is_that_of_the_public_simulator(void **state)
{
    (void)state;
    assert_int_equal(weir_fct_ideal_ns(&fct, 0, 0, 2, 1000),
                     8000 + 80 + 200 + 80 + 209);                          /* 1048 B at 40 Gb/s: 209.6 ns */
    assert_int_equal(weir_fct_ideal_ns(&fct, 0, 0, 2, 2500), 8360 + 528);  /* 2500 + 3 * 48 = 2644 B: 528.8 ns */
    assert_int_equal(weir_fct_ideal_ns(&fct, 0, 0, 1, 1), 4000 + 160 + 3); /* 49 B at 100 Gb/s: 3.92 ns */
    assert_int_equal(weir_fct_ideal_ns(&fct, 0, 0, 2, UINT64_C(1) << 40), 8360 + 230457637184u);
}

#define NICS(file, nics)                                                                                               \
    "topology: {kind: file, file: examples/networks/" file ".yaml}\nhost: {nics: " nics "}\n"                          \
    "framing: {preset: hpcc}\nprotocol: dctcp\ntraffic: [{kind: permutation, size: 1000 B}]\n"                         \
    "run: {warmup: 1 ms, measure: 9 ms}\n"

/* Two planes: 2 * (1 + 1) us, 80 ns at 100 Gb/s twice; 1048 B at 100 Gb/s take 83.8 ns, at both planes' 200 half of that.
 * In a server: 2 * (25 + 25) ns, 3.3 ns at 2400 Gb/s twice, and 3.5 ns. */
static void of_several_nics_those_count_that_a_message_takes(void **state)
{
    (void)teardown(state);
    begin(NICS("two-nics", "flow-hash"));
    assert_int_equal(weir_fct_ideal_ns(&fct, 0, 0, 1, 1000), 4000 + 2 * 80 + 83);
    (void)teardown(state);
    begin(NICS("two-nics", "rail"));
    assert_int_equal(weir_fct_ideal_ns(&fct, 0, 0, 1, 1000), 4000 + 2 * 80 + 83);
    (void)teardown(state);
    begin(NICS("two-nics", "spray"));
    assert_int_equal(weir_fct_ideal_ns(&fct, 0, 0, 1, 1000), 4000 + 2 * 80 + 41);
    (void)teardown(state);
    begin(NICS("servers", "flow-hash"));
    assert_int_equal(weir_fct_ideal_ns(&fct, 0, 0, 1, 1000), 100 + 2 * 3 + 3);
    assert_int_equal(weir_fct_ideal_ns(&fct, 0, 0, 4, 1000), 4000 + 2 * 80 + 83); /* by the leaf of their rail */
}

static void a_line_has_addresses_ports_and_times(void **state)
{
    const struct weir_account_row rows[] = {
        { .finish_ps = 1000500999,
          .d = { .src = 0, .dst = 2, .bytes = 1000, .start_ps = 999999, .end_ps = 1000000000, .item = 0 } },
        { .finish_ps = 2000000000, .d = { .src = 0, .dst = 1, .bytes = 1, .start_ps = 1000000000, .item = 1 } },
        { .finish_ps = 2000000001, .d = { .src = 3, .dst = 0, .bytes = 1000, .start_ps = 1, .item = 0 } },
        { .finish_ps = 10000000000, .d = { .src = 3, .dst = 0, .bytes = 1000, .item = 0 } }, /* cut by the end */
    };
    char *text = NULL;
    size_t size = 0;
    (void)state;
    fct.file = open_memstream(&text, &size);
    assert_non_null(fct.file);
    assert_int_equal(weir_fct_rows(&fct, rows, 4), 0);
    assert_int_equal(fclose(fct.file), 0);
    assert_string_equal(text, "0b000001 0b000201 10000 100 1000 999 999501 8569\n"
                              "0b000001 0b000101 10001 200 1 1000000 1000000 4163\n"
                              "0b000301 0b000001 10000 100 1000 0 2000000 8569\n");
    free(text);
}

static void an_unwritable_file_is_an_error(void **state)
{
    const struct weir_account_row row = { .d = { .dst = 1, .bytes = 1 } };
    (void)state;
    fct.file = fopen("/dev/full", "w");
    if (fct.file == NULL)
        skip();
    (void)setvbuf(fct.file, NULL, _IONBF, 0);
    assert_int_equal(weir_fct_rows(&fct, &row, 1), WEIR_E_FILE);
    (void)fclose(fct.file);
}

/* Hosts of a topology in HPCC's form have ids there. */
static void addresses_are_of_the_ids_in_the_topologys_file(void **state)
{
    static uint32_t id[] = { 5, 6, 300, 301 };
    const struct weir_account_row row = { .finish_ps = 2000000000,
                                          .d = { .src = 2, .dst = 0, .bytes = 1, .start_ps = 1000000000, .item = 0 } };
    char *text = NULL;
    size_t size = 0;
    (void)state;
    set_up.topo.host_id = id;
    fct.file = open_memstream(&text, &size);
    assert_non_null(fct.file);
    assert_int_equal(weir_fct_rows(&fct, &row, 1), 0);
    assert_int_equal(fclose(fct.file), 0);
    set_up.topo.host_id = NULL;
    assert_memory_equal(text, "0b012c01 0b000501 ", 18);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_ideal_is_that_of_the_public_simulator, setup, teardown),
        cmocka_unit_test_setup_teardown(of_several_nics_those_count_that_a_message_takes, setup, teardown),
        cmocka_unit_test_setup_teardown(a_line_has_addresses_ports_and_times, setup, teardown),
        cmocka_unit_test_setup_teardown(addresses_are_of_the_ids_in_the_topologys_file, setup, teardown),
        cmocka_unit_test_setup_teardown(an_unwritable_file_is_an_error, setup, teardown),
    };
    return cmocka_run_group_tests_name("output/fct", tests, NULL, NULL);
}
