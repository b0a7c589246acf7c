/* test/unit/output/test_trace_json.c - the timeline of a run; that it is JSON is shown by test/cli/files.sh, which parses one. */
#include "test/unit/topology/topology_fixture.h"
#include "output/trace_json.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct weir_topology topo;
static struct weir_model model;
static struct weir_trace trace;
static struct weir_result result;
static struct weir_err err;
static char *text;
static size_t text_size;

static void begin(uint64_t cap_bytes)
{
    free(text);
    text = NULL;
    assert_int_equal(weir_trace_init(&trace, &model, cap_bytes, &err), 0);
    trace.file = open_memstream(&text, &text_size);
    assert_non_null(trace.file);
    weir_trace_begin(&trace);
}

/* @return events left out */
static uint64_t end(void)
{
    uint64_t left_out;
    assert_int_equal(weir_trace_end(&trace, &result), 0);
    left_out = trace.left_out;
    assert_int_equal(fclose(trace.file), 0);
    assert_in_range(text_size, 1, trace.cap_bytes);
    weir_trace_free(&trace);
    return left_out;
}

static int setup(void **state)
{
    (void)state;
    build_alike(&topo, WEIR_STAR, 2);
    model = (struct weir_model){ .topo = &topo };
    result = (struct weir_result){ .sim_ps = 5000000 };
    begin(1000000);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    weir_topology_free(&topo);
    return 0;
}

#define HEAD                                                                                                           \
    "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"                                                               \
    "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 4, \"tid\": 0, \"ts\": 0, \"args\": {\"name\": "             \
    "\"network\"}}"
#define NAME(pid, name)                                                                                                \
    ",\n{\"ph\": \"M\", \"name\": \"process_name\", \"ts\": 0.000000, \"pid\": " #pid                                  \
    ", \"tid\": 0, \"args\": {\"name\": \"" name "\"}}"
#define TRACK(pid, tid, name)                                                                                          \
    ",\n{\"ph\": \"M\", \"name\": \"thread_name\", \"ts\": 0.000000, \"pid\": " #pid ", \"tid\": " #tid                \
    ", \"args\": {\"name\": \"" name "\"}}"

static void assert_events(const char *must)
{
    const char *at = strstr(text, must);
    assert_memory_equal(text, HEAD, sizeof(HEAD) - 1);
    if (at == NULL)
        fail_msg("no %s\nin %s", must, text);
    assert_memory_equal(text + sizeof(HEAD) - 1, must, strlen(must));
    assert_memory_equal(text + sizeof(HEAD) - 1 + strlen(must), "\n], \"otherData\": {\"program\": \"weir ", 34);
    assert_string_equal(text + text_size - 3, "}}\n");
}

static struct weir_account_row message(uint64_t start_ps, uint64_t end_ps)
{
    return (struct weir_account_row){ .finish_ps = end_ps + 100,
                                      .d = { .id = 7,
                                             .bytes = 1460,
                                             .dst = 1,
                                             .start_ps = start_ps,
                                             .end_ps = end_ps,
                                             .ideal_ps = 2000001,
                                             .marks = 3,
                                             .retransmissions = 4 } };
}

static void a_message_is_a_slice_exact_to_the_picosecond(void **state)
{
    const struct weir_account_row row = message(1000001, 3500003);
    (void)state;
    assert_int_equal(weir_trace_rows(&trace, &row, 1), 0);
    assert_int_equal(end(), 0);
    assert_events(NAME(1, "host 0")
                      TRACK(1, 1, "messages 1") ",\n{\"ph\": \"X\", \"name\": \"to host 1\", \"ts\": 1.000001, "
                                                "\"pid\": 1, \"tid\": 1, \"dur\": 2.500002, \"cat\": \"message\", "
                                                "\"args\": {\"id\": 7, \"bytes\": 1460, \"ideal_us\": 2.000001, "
                                                "\"marks\": 3, \"retransmissions\": 4}}");
}

/* Random messages in the order in which they finish: those of a track follow each other. */
static void no_two_messages_of_a_track_overlap(void **state)
{
    enum { COUNT = 2000, TRACKS = 64 };
    static struct weir_account_row row[COUNT];
    uint64_t x = 88172645463325252u, last_ps[TRACKS] = { 0 }, tracks = 0, slices = 0, all_ps = 0;
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        all_ps += 1000000 + x % 1000000;
        row[i] = message(all_ps - x / 7 % 9000000 % all_ps, all_ps);
    }
    assert_int_equal(weir_trace_rows(&trace, row, COUNT), 0);
    result.sim_ps = all_ps;
    (void)end();
    for (const char *at = text; (at = strstr(at, "\"to host 1\"")) != NULL; at++, slices++) {
        uint64_t us, ps, tid, dur_us, dur_ps;
        assert_int_equal(sscanf(at,
                                "\"to host 1\", \"ts\": %" SCNu64 ".%" SCNu64 ", \"pid\": 1, \"tid\": %" SCNu64
                                ", \"dur\": %" SCNu64 ".%" SCNu64,
                                &us, &ps, &tid, &dur_us, &dur_ps),
                         5);
        assert_in_range(tid, 1, TRACKS - 1);
        tracks = tid > tracks ? tid : tracks;
        assert_in_range(us * 1000000 + ps, last_ps[tid], UINT64_MAX);
        last_ps[tid] = (us + dur_us) * 1000000 + ps + dur_ps;
    }
    assert_int_equal(slices, COUNT);
    assert_in_range(tracks, 2, 12); /* at most about as many as overlap */
}

/* To the picosecond: what begins when another ends is on its track, what begins before it ends is not. */
static void a_track_is_free_when_its_message_ends(void **state)
{
    const struct weir_account_row row[] = { message(0, 1000), message(1000, 2000), message(1999, 3000) };
    static const uint32_t track[] = { 1, 1, 2 };
    const char *at = NULL;
    (void)state;
    assert_int_equal(weir_trace_rows(&trace, row, 3), 0);
    (void)end();
    at = text;
    for (uint32_t i = 0; i < 3; i++) {
        char must[64];
        at = strstr(at + 1, "\"to host 1\"");
        assert_non_null(at);
        (void)snprintf(must, sizeof(must), "\"tid\": %" PRIu32 ",", track[i]);
        assert_ptr_equal(strstr(at, "\"tid\""), strstr(at, must));
    }
}

static void queues_are_counters_where_they_changed(void **state)
{
    uint64_t bytes[4] = { 0, 0, 5000, 0 };
    (void)state;
    assert_int_equal(topo.link_count, 4);
    assert_int_equal(weir_trace_snapshot(&trace, &(struct weir_snapshot){ .at_ps = 1000000,
                                                                          .unfinished_bytes = 8,
                                                                          .port_queue_max_bytes = 5000,
                                                                          .port_queue_bytes = bytes }),
                     0);
    assert_int_equal(
        weir_trace_snapshot(&trace, &(struct weir_snapshot){ .at_ps = 2000000, .port_queue_bytes = bytes }), 0);
    assert_int_equal(end(), 0);
    assert_events(
        ",\n{\"ph\": \"C\", \"name\": \"not yet delivered\", \"ts\": 1.000000, \"pid\": 4, \"args\": {\"bytes\": 8}}"
        ",\n{\"ph\": \"C\", \"name\": \"longest queue of a port\", \"ts\": 1.000000, \"pid\": 4, \"args\": {\"bytes\": "
        "5000}}" NAME(3, "switch 0") ",\n{\"ph\": \"C\", \"name\": \"queue switch 0 > host 0\", \"ts\": 1.000000, "
                                     "\"pid\": 3, \"args\": {\"bytes\": 5000}}"
                                     ",\n{\"ph\": \"C\", \"name\": \"not yet delivered\", \"ts\": 2.000000, \"pid\": "
                                     "4, \"args\": {\"bytes\": 0}}"
                                     ",\n{\"ph\": \"C\", \"name\": \"longest queue of a port\", \"ts\": 2.000000, "
                                     "\"pid\": 4, \"args\": {\"bytes\": 0}}");
}

static void drops_by_cause_are_counters_where_they_grew(void **state)
{
    uint64_t bytes[4] = { 0 }, lost[WEIR_CAUSES_OF_WORLD] = { [WEIR_CAUSE_MEMORY] = 7 };
    struct weir_snapshot snapshot = { .at_ps = 1000000, .port_queue_bytes = bytes, .lost_by_cause = lost };
    const char *first;
    (void)state;
    assert_int_equal(weir_trace_snapshot(&trace, &snapshot), 0);
    snapshot.at_ps = 2000000;
    assert_int_equal(weir_trace_snapshot(&trace, &snapshot), 0);
    assert_int_equal(end(), 0);
    first = strstr(text, "{\"ph\": \"C\", \"name\": \"dropped: switch.memory\", \"ts\": 1.000000, \"pid\": 4, "
                         "\"args\": {\"packets\": 7}}");
    assert_non_null(first);
    assert_null(strstr(strstr(first, "dropped") + 1, "dropped"));
}

static void pauses_are_instants_and_jobs_slices(void **state)
{
    const struct weir_control_row row[] = { { .at_ps = 1, .link = 2, .class_id = 3, .code = 1 },
                                            { .at_ps = 2, .link = 2, .class_id = 3 } };
    struct weir_job_result job[] = { { .name = "q1", .start_ps = 0, .end_ps = 4000000 },
                                     { .name = "late", .start_ps = 6000000 } };
    struct weir_coflow_result coflow = { .job = "q1", .name = "shuffle", .start_ps = 1000000, .end_ps = WEIR_NEVER };
    struct weir_job_results jobs = { .job = job, .coflow = &coflow, .job_count = 2, .coflow_count = 1 };
    (void)state;
    result.jobs = &jobs;
    assert_int_equal(weir_trace_control(&trace, row, 2), 0);
    assert_int_equal(end(), 0);
    assert_events(NAME(
        3,
        "switch 0") ",\n{\"ph\": \"i\", \"name\": \"pause\", \"ts\": 0.000001, \"pid\": 3, \"tid\": 0, \"s\": \"p\", "
                    "\"cat\": \"control\", "
                    "\"args\": {\"port\": \"switch 0 > host 0\", \"class\": 3}}"
                    ",\n{\"ph\": \"i\", \"name\": \"resume\", \"ts\": 0.000002, \"pid\": 3, \"tid\": 0, \"s\": \"p\", "
                    "\"cat\": \"control\", "
                    "\"args\": {\"port\": \"switch 0 > host 0\", \"class\": 3}}" NAME(5, "jobs") TRACK(
                        5, 1, "q1") ",\n{\"ph\": \"X\", \"name\": \"q1\", \"ts\": 0.000000, \"pid\": 5, \"tid\": "
                                    "1, \"dur\": 4.000000, \"cat\": \"job\", \"args\": {\"ended\": true}}" TRACK(
                                        5, 3, "q1: shuffle") ",\n{\"ph\": \"X\", \"name\": \"q1: shuffle\", \"ts\": "
                                                             "1.000000, \"pid\": 5, \"tid\": 3, \"dur\": 4.000000, "
                                                             "\"cat\": \"coflow\", \"args\": {\"ended\": false}}");
}

static void a_file_ends_before_its_cap_and_counts_what_is_left_out(void **state)
{
    const struct weir_account_row row[] = { message(0, 2000000), message(2000000, 4000000), message(4000000, 4500000) };
    (void)state;
    (void)end();
    for (uint64_t cap_bytes = WEIR_TRACE_CAP_MIN_BYTES; cap_bytes < 1400; cap_bytes += 7) {
        uint64_t slices = 0, left_out;
        begin(cap_bytes);
        assert_int_equal(weir_trace_rows(&trace, row, 3), 0);
        left_out = end();
        for (const char *at = text; (at = strstr(at, "to host 1")) != NULL; at++)
            slices++;
        assert_int_equal(slices + left_out, 3);
        assert_non_null(strstr(text, left_out == 1   ? "\"events_left_out\": 1}}"
                                     : left_out == 2 ? "\"events_left_out\": 2}}"
                                                     : "\"events_left_out\": 0}}"));
    }
}

static void an_unwritable_file_is_an_error(void **state)
{
    const struct weir_account_row row = message(0, 1);
    FILE *memory = trace.file;
    (void)state;
    trace.file = fopen("/dev/full", "w");
    if (trace.file == NULL)
        skip();
    (void)setvbuf(trace.file, NULL, _IONBF, 0);
    assert_int_equal(weir_trace_rows(&trace, &row, 1), WEIR_E_FILE);
    assert_int_equal(weir_trace_end(&trace, &result), WEIR_E_FILE);
    (void)fclose(trace.file);
    (void)fclose(memory);
    weir_trace_free(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_message_is_a_slice_exact_to_the_picosecond, setup, teardown),
        cmocka_unit_test_setup_teardown(no_two_messages_of_a_track_overlap, setup, teardown),
        cmocka_unit_test_setup_teardown(a_track_is_free_when_its_message_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(queues_are_counters_where_they_changed, setup, teardown),
        cmocka_unit_test_setup_teardown(drops_by_cause_are_counters_where_they_grew, setup, teardown),
        cmocka_unit_test_setup_teardown(pauses_are_instants_and_jobs_slices, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_ends_before_its_cap_and_counts_what_is_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(an_unwritable_file_is_an_error, setup, teardown),
    };
    return cmocka_run_group_tests_name("output/trace_json", tests, NULL, NULL);
}
