/* test/unit/output/test_record.c - looks become series, rows messages, results histograms and metrics: exact numbers. */
#include "test/unit/store/store_fixture.h"
#include "output/record.h"
#include "model/account.h"

/* 4 hosts at 10 Gb/s on one switch, 1 + 2 ms: a look every 3 us. */
static const char scenario[] = "name: small\n"
                               "topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}\n"
                               "protocol: dctcp\n"
                               "traffic: [{kind: poisson, sizes: 10 KB, load: 30%, stop: 3 ms}]\n";
static struct weir_scenario scn;
static struct weir_setup *made;
static struct weir_record rec;
static struct weir_record_options args;
static struct weir_store *store;

static void begin_with(const char *text)
{
    made = malloc(sizeof(*made));
    assert_non_null(made);
    assert_done(weir_scenario_parse(&scn, "small.yaml", text, strlen(text), NULL, 0, &err));
    assert_done(weir_setup_init(made, &scn, &err));
    args.output = file;
    args.threads = 1;
    assert_done(weir_record_open(&rec, &args, made, &err));
}

static void begin(const char *run)
{
    char text[512];
    (void)snprintf(text, sizeof(text), "%s%s", scenario, run);
    begin_with(text);
}

/* Closes the record, opens the file. */
static void look_at_file(void)
{
    weir_record_close(&rec);
    assert_done(weir_store_open_read(&store, file, NULL, &err));
}

static void finish(const char *status)
{
    assert_done(weir_record_stop(&rec, &err));
    assert_done(weir_record_finish(&rec, status, NULL, &err));
    look_at_file();
}

static int teardown(void **state)
{
    weir_store_close(store);
    store = NULL;
    weir_record_close(&rec);
    weir_setup_free(made);
    weir_scenario_free(&scn);
    free(made);
    args = (struct weir_record_options){ 0 };
    return fixture_teardown(state);
}

/* n looks `step` apart; by each the hosts had received 1000, 2000, 3000 and 4000 bytes more, and one more packet was marked. */
static void snapshot_on(uint64_t first, uint64_t n, uint64_t step_ps)
{
    for (uint64_t i = first; i < first + n; i++) {
        struct weir_snapshot_host host[4];
        uint64_t port[8];
        struct weir_snapshot snapshot = { .at_ps = i * step_ps,
                                          .arrived_bytes = 10000 * i,
                                          .marks = i,
                                          .unfinished_bytes = 100 + i,
                                          .tor_queue_sum_bytes = 7 * i,
                                          .tor_queue_max_bytes = 6 * i,
                                          .port_queue_max_bytes = 5 * i,
                                          .host = host,
                                          .port_queue_bytes = port };
        for (uint32_t h = 0; h < 4; h++)
            host[h] = (struct weir_snapshot_host){ .arrived_bytes = (h + UINT64_C(1)) * 1000 * i };
        for (uint32_t l = 0; l < 8; l++)
            port[l] = l + i;
        assert_done(weir_record_snapshot(&rec, &snapshot));
    }
}

static void a_run_is_described(void **state)
{
    struct weir_override set = { .text = "run.seed=1" };
    (void)state;
    args.label = "first";
    args.sweep = "sird/fig6/wka/50";
    args.set = &set;
    args.set_count = 1;
    begin("run: {warmup: 1 ms, measure: 2 ms}\n");
    finish("done");
    assert_holds(store, "(SELECT name = 'small' AND label = 'first' AND status = 'done' AND protocol = 'dctcp' AND"
                        " preset = 'rfc8257' AND settings = 'run.seed=1' AND experiment = 'sird' AND figure = 'fig6'"
                        " AND point = 'wka/50' AND started_utc LIKE '20__-__-__T__:__:__Z' AND digest IS NULL"
                        " AND length(commit_id) >= 7 AND length(machine) > 5 FROM run)");
    assert_holds(store, "(SELECT scenario LIKE '%threshold: 1 BDP # 8244 B%' FROM run)");
}

static void what_changed_a_run_is_a_setting(void **state)
{
    (void)state;
    begin("");
    rec.changes = "500 us cut \"leaf 0\" - b\n1 ms mend host 3\n";
    finish("done");
    assert_holds(store,
                 "(SELECT scenario LIKE 'timeline: \"500 us cut \\\"leaf 0\\\" - b; 1 ms mend host 3\"' || char(10) ||"
                 " 'name: \"small\"' || char(10) || '%' FROM run)");
}

static void a_run_that_nothing_changed_keeps_its_scenario(void **state)
{
    (void)state;
    begin("");
    rec.changes = "";
    finish("done");
    assert_holds(store, "(SELECT scenario LIKE 'name: \"small\"%' FROM run)");
}

static void without_a_label_the_point_or_the_name_serves(void **state)
{
    (void)state;
    begin("");
    finish("done");
    assert_holds(store, "(SELECT label = 'small' AND experiment IS NULL AND settings = '' FROM run)");
    weir_store_close(store);
    store = NULL;
    weir_setup_free(made);
    weir_scenario_free(&scn);
    free(made);
    args.sweep = "a/b/c";
    begin("");
    finish("done");
    assert_holds(store, "(SELECT label = 'c' FROM run WHERE id = 2)");
}

static void series_are_named_and_placed(void **state)
{
    (void)state;
    begin("run: {warmup: 1 ms, measure: 2 ms}\n");
    assert_int_equal(rec.snapshot_ps, 3000000);
    finish("done");
    assert_holds(store, "(SELECT group_concat(name) = 'goodput,tor_queue_max,tor_queue_mean,port_queue_max,unfinished,"
                        "marks,drops,retransmissions' FROM (SELECT name FROM series WHERE place IS NULL ORDER BY id))");
    assert_int_equal(ask(store, "SELECT count(*) FROM series WHERE name = 'host_goodput'"), 4);
    assert_holds(store, "(SELECT group_concat(place) = 'host 0 > switch 0,host 1 > switch 0,host 2 > switch 0,"
                        "host 3 > switch 0,switch 0 > host 0,switch 0 > host 1,switch 0 > host 2,switch 0 > host 3'"
                        " FROM (SELECT place FROM series WHERE name = 'port_queue' ORDER BY id))");
}

#define VALUES(name, place)                                                                                            \
    "(SELECT group_concat((t_ps / 1000000) || ' ' || value) FROM (SELECT t_ps, value FROM point JOIN series ON "       \
    "series "                                                                                                          \
    "= id WHERE name = '" name "' AND place IS " place " ORDER BY t_ps))"

static void rates_are_of_the_interval_and_levels_of_the_instant(void **state)
{
    (void)state;
    begin("run: {warmup: 1 ms, measure: 2 ms}\n");
    snapshot_on(1, 2, 4000000); /* not asked for so: two looks 4 us apart are irregular, and kept */
    finish("done");
    assert_holds(store, VALUES("goodput", "NULL") " = '4 5.0,8 5.0'"); /* 10000 bytes in 4 us over 4 hosts */
    assert_holds(store, VALUES("host_goodput", "'host 3'") " = '4 8.0,8 8.0'");
    assert_holds(store, VALUES("marks", "NULL") " = '4 250000.0,8 250000.0'");
    assert_holds(store, VALUES("unfinished", "NULL") " = '4 101.0,8 102.0'");
    assert_holds(store, VALUES("tor_queue_max", "NULL") " = '4 6.0,8 12.0'");
    assert_holds(store, VALUES("tor_queue_mean", "NULL") " = '4 7.0,8 14.0'"); /* one switch */
    assert_holds(store, VALUES("port_queue", "'switch 0 > host 3'") " = '4 8.0,8 9.0'");
}

/* Flows 0 and 1 of a list, of which the first and a third do not start. Without a pace the window counts, per base round trip. */
static void begin_list_of(const char *protocol, uint32_t flows)
{
    char text[640], path[sizeof(folder) + 16];
    FILE *list;
    (void)snprintf(path, sizeof(path), "%s/list.csv", folder);
    list = fopen(path, "w");
    assert_non_null(list);
    (void)fprintf(list, "1,2,5 KB,9 s\n");
    for (uint32_t i = 1; i < flows; i++)
        (void)fprintf(list, "3,0,5 KB,%u us\n", i);
    assert_int_equal(fclose(list), 0);
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}\nprotocol: %s\n"
                   "traffic: [{kind: flows, file: %s}]\nrun: {warmup: 0 us, measure: 4 ms}\n",
                   protocol, path);
    begin_with(text);
}

static void begin_list(uint32_t flows)
{
    begin_list_of("dctcp", flows);
}

static void each_flow_has_its_series(void **state)
{
    struct weir_snapshot_host host[4] = { 0 };
    uint64_t port[8] = { 0 };
    struct weir_snapshot_flow flow[2] = { { .now = { .rate_bps = WEIR_RATE_OPEN } } };
    struct weir_snapshot snapshot = { .host = host, .port_queue_bytes = port, .flow = flow };
    (void)state;
    begin_list(2);
    snapshot.at_ps = 4000000;
    flow[1].now = (struct weir_host_flow){
        .sent_bytes = 4000, .acked_bytes = 3000, .rate_bps = UINT64_C(2500000000), .cwnd_bytes = 777
    };
    assert_done(weir_record_snapshot(&rec, &snapshot));
    snapshot.at_ps = 8000000;
    flow[1].now.sent_bytes = 8500;
    flow[1].now.acked_bytes = 5000;
    flow[1].now.rate_bps = WEIR_RATE_OPEN;
    flow[1].now.cwnd_bytes = (uint32_t)(rec.setup->base_rtt_ps / 100); /* 80 bits in 1 ns: 80 Gbps */
    assert_done(weir_record_snapshot(&rec, &snapshot));
    finish("done");
    assert_int_equal(ask(store, "SELECT count(*) FROM series WHERE name LIKE 'flow%' AND place = 'flow 1 (h3 - h0)'"),
                     4);
    assert_int_equal(ask(store, "SELECT count(*) FROM series WHERE name LIKE 'flow%'"), 4); /* flow 0 does not start */
    assert_holds(store, VALUES("flow_sent", "'flow 1 (h3 - h0)'") " = '4 8.0,8 9.0'");
    assert_holds(store, VALUES("flow_goodput", "'flow 1 (h3 - h0)'") " = '4 6.0,8 4.0'");
    assert_holds(store, VALUES("flow_rate", "'flow 1 (h3 - h0)'") " LIKE '4 2.5,8 80.0%'");
    assert_holds(store, VALUES("flow_window", "'flow 1 (h3 - h0)'") " LIKE '4 777.0,8 %'");
}

static void a_flow_of_a_receiver_driven_protocol_has_only_what_it_sent(void **state)
{
    struct weir_snapshot_host host[4] = { 0 };
    uint64_t port[8] = { 0 };
    struct weir_snapshot_flow flow[2] = { 0 };
    struct weir_snapshot snapshot = { .host = host, .port_queue_bytes = port, .flow = flow };
    (void)state;
    begin_list_of("sird", 2);
    snapshot.at_ps = 4000000;
    flow[1].now.sent_bytes = 3000;
    assert_done(weir_record_snapshot(&rec, &snapshot));
    finish("done");
    assert_int_equal(ask(store, "SELECT count(*) FROM series WHERE name LIKE 'flow%'"), 1);
    assert_holds(store, VALUES("flow_sent", "'flow 1 (h3 - h0)'") " = '4 6.0'");
}

static void more_than_64_flows_have_none(void **state)
{
    (void)state;
    begin_list(64);
    assert_int_equal(rec.flows, 64);
    finish("done");
    weir_store_close(store);
    store = NULL;
    weir_setup_free(made);
    weir_scenario_free(&scn);
    free(made);
    begin_list(65);
    assert_int_equal(rec.flows, 0);
    finish("done");
    assert_int_equal(ask(store, "SELECT count(*) FROM series WHERE run = 2 AND name LIKE 'flow%'"), 0);
}

static void a_long_run_keeps_every_second_point_and_then_every_fourth(void **state)
{
    (void)state;
    begin("run: {warmup: 0 ms, measure: all}\n");
    assert_int_equal(rec.snapshot_ps, 10000000);
    snapshot_on(1, 9000, 10000000);
    assert_int_equal(rec.interval_ps, 40000000);
    snapshot_on(9000, 1, 10000000);                                        /* the last look repeats a regular one .. */
    assert_done(weir_record_snapshot(&rec, &(struct weir_snapshot){ 0 })); /* .. or is of an earlier instant */
    finish("done");
    assert_int_equal(ask(store, "SELECT count(*) FROM point JOIN series ON series = id WHERE name = 'marks'"), 2250);
    assert_int_equal(ask(store, "SELECT count(DISTINCT value) FROM point JOIN series ON series = id"
                                " WHERE name = 'marks'"),
                     1); /* 100000 per second, over each interval */
    assert_holds(store, "(SELECT min(t_ps) = 40000000 AND max(t_ps) = 90000000000 AND min(value) = 100000.0 FROM point"
                        " JOIN series ON series = id WHERE name = 'marks')");
}

static void messages_arrive_unless_they_are_not_wanted(void **state)
{
    static struct weir_account_row row[5000];
    (void)state;
    for (uint32_t i = 0; i < 5000; i++)
        row[i] = (struct weir_account_row){ .finish_ps = i, .d = { .id = i, .bytes = 1, .end_ps = i } };
    begin("");
    assert_done(weir_record_rows(&rec, row, 5000));
    finish("interrupted");
    assert_int_equal(ask(store, "SELECT count(*) FROM message WHERE key = (1 << 40) + id"), 5000);
    assert_holds(store, "(SELECT status = 'interrupted' FROM run)");
    weir_store_close(store);
    store = NULL;
    weir_setup_free(made);
    weir_scenario_free(&scn);
    free(made);
    args.no_messages = true;
    begin("");
    assert_done(weir_record_rows(&rec, row, 5000));
    finish("done");
    assert_int_equal(ask(store, "SELECT count(*) FROM message WHERE run = 2"), 0);
}

static void a_sample_is_written_at_the_end_with_what_it_is_of(void **state)
{
    static struct weir_account_row row[5000];
    (void)state;
    for (uint32_t i = 0; i < 5000; i++)
        row[i] = (struct weir_account_row){ .finish_ps = i, .d = { .id = i, .bytes = 1, .end_ps = i, .ideal_ps = 1 } };
    args.keep_messages = 4500; /* more than a batch of the writer holds */
    begin("");
    assert_done(weir_record_rows(&rec, row, 3000));
    assert_done(weir_record_rows(&rec, row + 3000, 2000));
    finish("done");
    assert_int_equal(ask(store, "SELECT count(*) FROM message"), 4500);
    assert_holds(store, "(SELECT total(weight) BETWEEN 4999.999 AND 5000.001 FROM message)");
    assert_holds(store, "(SELECT min(id) = 2750 AND count(*) = 2250 FROM message WHERE weight = 1)");
    assert_holds(store, "(SELECT group_concat(id) = (SELECT group_concat(id) FROM (SELECT id FROM message ORDER BY id))"
                        " FROM (SELECT id FROM message ORDER BY key))");
    assert_holds(store, "(SELECT most = 4500 AND messages = 5000 AND slowest = 2250 AND others = 2250 FROM kept)");
}

static void results_become_metrics_sizes_and_histograms(void **state)
{
    struct weir_result result = { .digest = 0xabc, .sim_ps = 3000000000, .wall_ns = 2500000000, .stable = true };
    struct weir_job_result job = { .name = "q1", .end_ps = 5 };
    struct weir_job_results jobs = { .job = &job, .job_count = 1 };
    struct weir_findings findings = {
        .row = { { .kind = WEIR_FINDING_OVERLOADED, .number = { 1220000, 1, 1 }, .link = "a > b" },
                 { .kind = WEIR_FINDING_LEFT_OUT, .number = { 3 } } },
        .count = 2
    };
    struct weir_report report = { .scenario = "small", .result = &result, .findings = &findings };
    (void)state;
    begin("");
    result.jobs = &jobs;
    result.detail = weir_detail_new();
    assert_non_null(result.detail);
    weir_detail_add(result.detail, 1000, 1500000, 2000000);
    weir_detail_add(result.detail, 1000, 1500000, 2000000);
    for (uint64_t i = 0; i < 4000; i++)
        weir_histogram_add(&result.detail->port_queue, i * i);
    assert_done(weir_record_stop(&rec, &err));
    assert_done(weir_record_finish(&rec, "done", &report, &err));
    weir_detail_free(result.detail);
    look_at_file();
    assert_holds(store, "(SELECT digest = '0000000000000abc' AND sim_s = 0.003 AND wall_s = 2.5 AND json LIKE '{%}'"
                        " || char(10) FROM run)");
    assert_holds(store, "(SELECT value = 0.003 FROM metric WHERE name = 'sim_s')");
    assert_holds(store, "(SELECT value = 1 FROM metric WHERE name = 'stable')");
    assert_holds(store, "(SELECT value IS NULL FROM metric WHERE name = 'slowdown.all.p99')");
    assert_int_equal(ask(store, "SELECT count(*) FROM metric WHERE name = 'scenario'"), 0);
    assert_holds(store, "(SELECT name = 'q1' AND end_ps = 5 FROM job)");
    assert_holds(store, "(SELECT group_concat(number || ' ' || kind) = '0 overloaded,1 left_out' FROM finding)");
    assert_holds(store, "(SELECT place = 'a > b' AND text LIKE '% 122 %' AND json_extract(numbers, '$.offered') = 1.22"
                        " FROM finding WHERE number = 0)");
    assert_holds(store, "(SELECT place IS NULL AND numbers = '{\"messages\": 3}' FROM finding WHERE number = 1)");
    assert_holds(store, "(SELECT count = 2 AND lo_bytes = 1000 AND hi_bytes = 1778 AND p99 BETWEEN 1.49 AND 1.51"
                        " FROM by_size WHERE denominator = 'ideal')");
    assert_holds(store, "(SELECT lo <= 2.0 AND hi > 2.0 AND count = 2 AND unit = 'ratio' FROM histogram"
                        " WHERE name = 'slowdown_payload')");
    assert_holds(store, "(SELECT count(*) BETWEEN 200 AND 400 AND sum(count) = 4000 AND min(lo) = 0.0 FROM histogram"
                        " WHERE name = 'port_queue')");
    assert_int_equal(ask(store, "SELECT count(*) FROM histogram WHERE name = 'tor_queue'"), 0); /* no samples */
}

static void a_refused_run_leaves_no_trace(void **state)
{
    (void)state;
    begin("");
    assert_done(weir_record_stop(&rec, &err));
    weir_record_forget(&rec);
    weir_record_close(&rec);
    assert_int_equal(fixture_files(false), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_is_described),
        TEST(what_changed_a_run_is_a_setting),
        TEST(a_run_that_nothing_changed_keeps_its_scenario),
        TEST(without_a_label_the_point_or_the_name_serves),
        TEST(series_are_named_and_placed),
        TEST(rates_are_of_the_interval_and_levels_of_the_instant),
        TEST(each_flow_has_its_series),
        TEST(a_flow_of_a_receiver_driven_protocol_has_only_what_it_sent),
        TEST(more_than_64_flows_have_none),
        TEST(a_long_run_keeps_every_second_point_and_then_every_fourth),
        TEST(messages_arrive_unless_they_are_not_wanted),
        TEST(a_sample_is_written_at_the_end_with_what_it_is_of),
        TEST(results_become_metrics_sizes_and_histograms),
        TEST(a_refused_run_leaves_no_trace),
    };
    return cmocka_run_group_tests_name("output/record", tests, NULL, NULL);
}
