/* test/unit/setup/test_traces.c - a scenario that names traces: they are read, and become programs of the run. */
#include "test/unit/setup/file_fixture.h"
#include "program/program.h"

#define HEAD                                                                                                           \
    "topology: {kind: star, hosts: 4, host_link: 100 Gbps}\nprotocol: dctcp\nrun: {warmup: 0 us, measure: all}\n" /* 3 */

/* Parses a scenario; a %d in its traffic names the file, which has this trace. */
static void make(const char *traffic, const char *trace)
{
    char text[1024], list[512];
    file_set(trace);
    (void)snprintf(list, sizeof(list), traffic, fileno(file));
    (void)snprintf(text, sizeof(text), "%straffic: [%s]\n", HEAD, list);
    parse("s.yaml", text);
}

static const char trace[] = "num_ranks 2\nrank 0 {\nsend 0b to 1\nsend 500b to 1\n}\nrank 1 {\nrecv 500b from 0\n"
                            "recv 0b from 0\n}\n";

static void a_trace_becomes_the_program_of_its_item(void **state)
{
    (void)state;
    make("{kind: permutation, size: 1 KB}, {kind: goal, file: /dev/fd/%d, ranks: 1..3, start: 5 us, name: mine}",
         trace);
    const struct weir_model *m = is_accepted();
    assert_non_null(m->programs);
    assert_int_equal(m->programs->count, 1);
    const struct weir_program *program = &m->programs->program[m->programs->of_item[1]];
    assert_int_equal(program->ranks, 2);
    assert_int_equal(program->host_of[1], 2);
    assert_int_equal(program->messages, 2);
    assert_int_equal(program->bytes, 501);
    assert_string_equal(program->name, "mine");
    assert_int_equal(setup.note[1].empty, 1);
    assert_int_equal(setup.note[0].empty, 0);
    assert_int_equal(setup.workload.finite_messages, 4 + 2);
}

static void without_a_trace_there_is_no_graph(void **state)
{
    (void)state;
    parse("s.yaml", HEAD "traffic: [{kind: permutation, size: 1 KB}]\n");
    assert_null(is_accepted()->programs);
    assert_null(setup.graph);
}

static void what_is_wrong_points_to_the_item_or_the_file(void **state)
{
    (void)state;
    parse("s.yaml", HEAD "traffic:\n  - {kind: chakra}\n");
    assert_int_equal(weir_setup_init(&setup, &scn, &err), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "s.yaml:5:5", "file");
    make("{kind: goal, file: /dev/fd/%d, ranks: 1..1}", trace);
    assert_int_equal(weir_setup_init(&setup, &scn, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "s.yaml:4:11", "ranks");
    make("{kind: goal, file: /dev/fd/%d, stop: 1 ms}", trace);
    assert_int_equal(weir_setup_init(&setup, &scn, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "s.yaml:4:11", "stop");
}

/* A key of another kind has no effect, and a warning says so. */
static void keys_of_other_kinds_have_no_effect(void **state)
{
    (void)state;
    make("{kind: goal, file: /dev/fd/%d, dependencies: all, groups: x.json, bytes: 5 B}", trace);
    assert_int_equal(scn.warning_count, 1);
    assert_true(refusal_names(scn.warning[0].text, "dependencies") && refusal_names(scn.warning[0].text, "groups"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_trace_becomes_the_program_of_its_item, begin_file, end_file),
        cmocka_unit_test_teardown(without_a_trace_there_is_no_graph, end),
        cmocka_unit_test_setup_teardown(what_is_wrong_points_to_the_item_or_the_file, begin_file, end_file),
        cmocka_unit_test_setup_teardown(keys_of_other_kinds_have_no_effect, begin_file, end_file),
    };
    return cmocka_run_group_tests_name("setup/traces", tests, NULL, NULL);
}
