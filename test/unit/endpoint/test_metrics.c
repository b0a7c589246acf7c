/* test/unit/endpoint/test_metrics.c - counters as OpenMetrics text. test/cli/metrics.py reads it by the format's rules. */
#include "test/unit/endpoint/endpoint_test.h"
#include <inttypes.h>
#include <stdio.h>

static char text[16384];

static const char *metrics(uint32_t i)
{
    int length = weir_metrics_text(ep[i], text, sizeof(text));
    assert_in_range(length, 1, sizeof(text) - 1);
    assert_int_equal(strlen(text), length);
    return text;
}

/* A sample stands in a line of its own. */
static void has(const char *in, const char *sample, uint64_t value)
{
    char line[128];
    (void)snprintf(line, sizeof(line), "\n%s %" PRIu64 "\n", sample, value);
    if (strstr(in, line) == NULL)
        fail_msg("no line '%s %" PRIu64 "'", sample, value);
}

static void every_counter_has_its_value(void **state)
{
    const char *found;
    struct weir_stats s;
    uint32_t samples = 0;
    (void)state;
    assert_int_equal(send_bytes(0, 1, "twelve bytes", 12, 1), 0);
    assert_int_equal(call_bytes(0, 1, "x", 1, 2, 0), 0);
    run(1 * MS);
    s = stats(1);
    found = metrics(1);
    has(found, "weir_peers", 1);
    has(found, "weir_messages_received_total", 2);
    has(found, "weir_received_bytes_total", 13);
    has(found, "weir_rx_held_bytes", s.rx_bytes_held);
    has(found, "weir_packets_received_total", s.packets_received);
    has(found, "weir_packets_sent_total", s.packets_sent);
    has(found, "weir_late_packets_total", 0);
    has(metrics(0), "weir_messages_sent_total", 2);
    has(text, "weir_ops_pending", 1);
    has(text, "weir_sent_bytes_total", 13);
    assert_string_equal(text + strlen(text) - 6, "# EOF\n");
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
        samples += *line != '#';
    assert_int_equal(samples, 2 + (sizeof(s) - offsetof(struct weir_stats, ops_pending)) / sizeof(uint64_t));
    release_all(1);
}

static void a_text_is_cut_to_its_room(void **state)
{
    char small[32];
    int whole = weir_metrics_text(ep[0], NULL, 0);
    (void)state;
    assert_int_equal(weir_metrics_text(ep[0], NULL, 1), -EINVAL);
    assert_int_equal(weir_metrics_text(ep[0], text, sizeof(text)), whole);
    memset(small, 'x', sizeof(small));
    assert_int_equal(weir_metrics_text(ep[0], small, 20), whole);
    assert_int_equal(strlen(small), 19);
    assert_memory_equal(small, text, 19);
    assert_int_equal(small[20], 'x');
    assert_int_equal(weir_metrics_text(ep[0], small, 1), whole);
    assert_string_equal(small, "");
    assert_int_equal(weir_metrics_text(ep[0], text, (size_t)whole), whole); /* one byte less than it takes */
    assert_int_equal(strlen(text), whole - 1);
    assert_int_equal(weir_metrics_text(ep[0], text, (size_t)whole + 1), whole);
    assert_int_equal(strlen(text), whole);
}

static void a_shard_has_its_number(void **state)
{
    (void)state;
    assert_null(strstr(metrics(0), "shard=\""));
    ep[0]->net->steered = true;
    ep[0]->net->shard = 21;
    assert_non_null(strstr(metrics(0), "\",shard=\"21\"} 1\n"));
    ep[0]->net->steered = false;
}

/* No law has such a name, but the format's rule is kept. */
static void a_label_is_quoted(void **state)
{
    (void)state;
    memcpy(ep[0]->law, "a\"b\\c\nd", 8);
    assert_non_null(strstr(metrics(0), "\nweir_endpoint_info{address=\"10.0.0.1:4000\",protocol=\"a\\\"b\\\\c\\nd\","
                                       "protection=\"none\",version=\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_counter_has_its_value, setup, teardown),
        cmocka_unit_test_setup_teardown(a_text_is_cut_to_its_room, setup, teardown),
        cmocka_unit_test_setup_teardown(a_shard_has_its_number, setup, teardown),
        cmocka_unit_test_setup_teardown(a_label_is_quoted, setup, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/metrics", tests, NULL, NULL);
}
