/* test/unit/output/test_report.c - a made-up result, as a table and as JSON. */
#include "core/feature.h"
#include "test/unit/weir_test.h"
#include "output/report.h"
#include "core/units.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static struct weir_result res;
static struct weir_feature_count counted[8];
static struct weir_report report;
static struct weir_findings findings;
static struct weir_findings_run planned;
static char *text;
static size_t text_size;

static int setup(void **state)
{
    (void)state;
    res = (struct weir_result){
        .feature_count = counted,
        .digest = 0xabc,
        .sim_ps = 70000000000,
        .measured_ps = 50000000000,
        .wall_ns = 1230000000,
        .setup_ns = 50000000,
        .packet_hops = 50700000,
        .peak_rss_bytes = 123456789,
        .threads = 2,
        .hosts = 144,
        .host_rate_bps = 100000000000,
        .offered_bps = 50000000000,
        .goodput_bps = 49873000000,
        .completed_bps = 49000000000,
        .stable = true,
        .messages_started = 12345,
        .messages_completed = 12300,
        .messages_measured = 9001,
        .drops = 3,
        .losses = 4,
        .marks = 5678,
        .source_marks = 77,
        .short_pkts = 3,
        .short_marked_pkts = 2,
        .retransmissions = 7,
        .timeouts = 1,
        .tor_queue = { 123456789, 400100, 1200000, 1100000 },
        .port_queue = { 1200, 0, 500000, 390000 },
        .jain_ppm = 998765,
        .peak_packets = 1000,
        .peak_fifo_bytes = 64000,
        .flow_bytes = 25600,
        .connections = 100,
    };
    res.slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_ALL] =
        (struct weir_dist){ 9001, 1234567891, 1100000, 2345678, 150123456, 99999400, 0, 0 };
    res.slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_D] = (struct weir_dist){ 1, 1000000000, 1, 2, 3, 4, 0, 0 };
    report = (struct weir_report){
        .version = "0.1.0",
        .scenario = "wkc",
        .protocol = "dctcp",
        .topology = "leaf-spine",
        .seed = 1,
        .host_rate_bps = 100000000000,
        .load_bps = 50000000000,
        .bdp_bytes = 97500,
        .base_rtt_ps = 7800000,
        .group_edge = { 1460, 97500, 780000 },
        .result = &res,
        .findings = &findings,
    };
    planned = (struct weir_findings_run){ .planned_ps = 70000000000, .endless = true };
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return 0;
}

static void print(void (*to)(FILE *, const struct weir_report *))
{
    FILE *out = open_memstream(&text, &text_size);
    assert_non_null(out);
    findings = (struct weir_findings){ 0 };
    weir_findings_result(&findings, &planned, &res);
    to(out, &report);
    assert_int_equal(fclose(out), 0);
}

static void assert_has(const char *part)
{
    if (strstr(text, part) == NULL) {
        print_error("missing: %s\nin:\n%s", part, text);
        fail();
    }
}

static void table_says_what_was_run(void **state)
{
    (void)state;
    print(weir_report_table);
    assert_has("network     leaf-spine, 144 hosts at 100.0 Gbps, base RTT 7.800 us, BDP 97,500 B\n");
    assert_has("load        50.0 % of the host links\n");
    assert_has("digest      0000000000000abc\n");
    assert_has("simulated   70.00 ms, of which 50.00 ms measured\n");
    assert_has("wall time   1.230 s + 50.00 ms set-up, 2 threads\n");
    assert_has("speed       50.7 M packet-hops, 41.2 M/s, 56.91 ms simulated per second\n");
    assert_has("goodput     49.87 Gbps per host, offered 50.00 Gbps (99.7 % delivered)\n");
    assert_has("fairness    0.9988 (Jain");
    assert_has("stable      yes\n");
    assert_has("packets     5,678 marked, 3 dropped, 4 lost on the wire, 7 sent again\n");
    free(text);
    res.duplicates = 5;
    print(weir_report_table);
    assert_has("packets     5,678 marked, 3 dropped, 4 lost on the wire, 7 sent again, 5 needlessly\n");
}

/* In the table what is not 0, in JSON all that the run could have; classes where ports have some. */
static void drops_and_losses_are_shown_by_cause(void **state)
{
    static const struct weir_rule rules[] = { { "random", "loss", WEIR_FATE_LOST, "why" }, { 0 } };
    static const struct weir_feature lossy = { .name = "loss", .rules = rules };
    static struct weir_feature_on on[] = { { .row = &lossy } };
    static const struct weir_features features = { .on = on, .count = 1, .room = 1 };
    (void)state;
    res.causes = weir_causes_new(&features, 2, 0);
    assert_non_null(res.causes);
    res.causes->row[WEIR_CAUSE_MEMORY].pkts[WEIR_LOST_DATA][1] = 2;
    res.causes->row[WEIR_CAUSE_MEMORY].pkts[WEIR_LOST_ACK][0] = 1;
    res.causes->row[WEIR_CAUSES_OF_WORLD].pkts[WEIR_LOST_CREDIT][0] = 4;
    print(weir_report_table);
    assert_has("7 sent again\n"
               "  dropped   3 by switch.memory: 2 data, 1 ACK (class 0: 1, class 1: 2)\n"
               "  lost      4 by loss.random: 4 credits (class 0)\n"
               "timeouts ");
    free(text);
    print(weir_report_json);
    assert_has("\"drops_by_cause\": {\"switch.memory\": {\"data\": 2, \"ack\": 1, \"credit\": 0, \"control\": 0, "
               "\"by_class\": {\"0\": 1, \"1\": 2}}, \"switch.no-route\": {\"data\": 0,");
    assert_has("\"losses_by_cause\": {\"loss.random\": {\"data\": 0, \"ack\": 0, \"credit\": 4,");
    free(text);
    weir_causes_free(res.causes);
    res.causes = weir_causes_new(&features, 1, 0);
    assert_non_null(res.causes);
    print(weir_report_json);
    assert_null(strstr(text, "by_class"));
    weir_causes_free(res.causes);
}

/* Two flows of 1 GB begin in 50 ms; what hosts cannot send in that time is no rate. */
static void endless_flows_offer_no_rate(void **state)
{
    (void)state;
    res.offered_bps = 100000000001;
    print(weir_report_table);
    assert_has("goodput     49.87 Gbps per host, offered more than hosts can send\n");
    free(text);
    print(weir_report_json);
    assert_has("\"offered_gbps\": null");
    free(text);
    res.offered_bps = 100000000000;
    print(weir_report_json);
    assert_has("\"offered_gbps\": 100");
}

/* Keys that were left to the run. */
static void a_list_of_sizes_is_shown_as_the_run_used_it(void **state)
{
    (void)state;
    report.sizes_key = "cutoffs";
    report.sizes = (struct weir_size_list){ { 2756, 28058 }, 2 };
    print(weir_report_table);
    assert_has("protocol    dctcp\ncutoffs     2,756 B, 28,058 B\nload");
    free(text);
    print(weir_report_json);
    assert_has("\"cutoffs\": [2756, 28058],");
    free(text);
    report.sizes.count = 0;
    print(weir_report_table);
    assert_has("protocol    dctcp\nload");
}

static void table_spells_out_the_groups_and_aligns_the_points(void **state)
{
    (void)state;
    print(weir_report_table);
    assert_has("all                                      9,001     1.235     1.100     2.346   150.1      99.999\n");
    assert_has("A  below 1,460 B                             0         -         -         -         -         -\n");
    assert_has("B  1,460 - 97,499 B ");
    assert_has("C  97,500 - 779,999 B ");
    assert_has("D  from 780,000 B ");
    assert_has("first-hop switch, in all              123 KB    400 KB   1.20 MB\n");
    assert_has("switch port                           1.20 B       0 B    500 KB\n");
}

static struct weir_job_result some_job = { .name = "q1",
                                           .start_ps = 1000000,
                                           .end_ps = 4000000,
                                           .flows = 3,
                                           .ended = 3 },
                              other_job = { .name = "q2", .end_ps = WEIR_NEVER, .flows = 2, .ended = 1 };
static struct weir_coflow_result some_coflow = { "q1", "shuffle", 1000000, 3500000, 4000000, 3, 3 };

static void table_lists_jobs_and_coflows(void **state)
{
    struct weir_job_result job[] = { some_job, other_job };
    struct weir_job_results jobs = { job, &some_coflow, 2, 1 };
    (void)state;
    res.jobs = &jobs;
    print(weir_report_table);
    assert_has("job, its coflows                         flows     ended       start  completion      spread\n"
               "q1                                           3         3    1.000 us    3.000 us\n"
               "q2                                           2         1        0 ps  unfinished\n"
               "q1 / shuffle                                 3         3    1.000 us    3.000 us    500.0 ns\n");
}

static void table_has_at_most_thirty_lines_of_them(void **state)
{
    struct weir_job_result job[40];
    struct weir_job_results jobs = { job, &some_coflow, 40, 1 };
    (void)state;
    for (int i = 0; i < 40; i++)
        job[i] = some_job;
    res.jobs = &jobs;
    print(weir_report_table);
    assert_has("\n11 more in the result file and with --json\n");
    assert_null(strstr(text, "shuffle"));
}

static void json_lists_jobs_and_coflows(void **state)
{
    struct weir_job_result job[] = { some_job, other_job };
    struct weir_job_results jobs = { job, &some_coflow, 2, 1 };
    (void)state;
    print(weir_report_json);
    assert_has("\"jobs\": null,\n  \"coflows\": null");
    free(text);
    res.jobs = &jobs;
    print(weir_report_json);
    assert_has(
        "\"jobs\": [{\"name\": \"q1\", \"start_s\": 0.000001000000, \"completion_s\": 0.000003000000, \"flows\": 3, "
        "\"flows_ended\": 3}, {\"name\": \"q2\", \"start_s\": 0.000000000000, \"completion_s\": null, \"flows\": 2, "
        "\"flows_ended\": 1}],\n");
    assert_has("\"coflows\": [{\"job\": \"q1\", \"name\": \"shuffle\", \"start_s\": 0.000001000000, \"completion_s\": "
               "0.000003000000, \"spread_s\": 0.000000500000, \"flows\": 3, \"flows_ended\": 3}],\n");
}

static void table_is_at_most_100_columns(void **state)
{
    (void)state;
    res.slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_ALL] =
        (struct weir_dist){ 999999999, 99999000000000, 99999000000, 99999000000, 99999000000, 99999000000, 0, 0 };
    print(weir_report_table);
    for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
        assert_in_range(strcspn(line, "\n"), 0, 100);
}

static void a_group_between_equal_edges_has_no_size(void **state)
{
    (void)state;
    report.group_edge[1] = 1000; /* a BDP below the MSS */
    print(weir_report_table);
    assert_has("B  no size ");
    assert_has("C  1,460 - 779,999 B ");
}

/* 90 % arrived; most that waits has waited for long. */
static void make_unstable(void)
{
    res.stable = false;
    res.unstable_why = "less than 98 % arrived";
    res.offered_bytes = 1000000000;
    res.arrived_bytes = 900000000;
    res.unfinished = (struct weir_unfinished){ .messages = 45,
                                               .bytes = 100000000,
                                               .counted = { 44, 0, 0, 40, 4 },
                                               .late_bytes = 75000000,
                                               .longest_bytes = 30000000,
                                               .needed_ps = 9000000000,
                                               .slowest_ppm = 171000000 };
}

static void numbers_of_an_unstable_run_are_shown_and_flagged(void **state)
{
    (void)state;
    make_unstable();
    print(weir_report_table);
    assert_has("stable      no\n"
               "  note      90.0 % of what was offered arrived, and 75.0 % of what waits has taken more than twice\n"
               "            its usual time: the network does not keep up; slowdown and queues grow with the length\n"
               "            of the run, so lower the load\n"
               "  note      45 of 12,345 messages unfinished, left out of slowdown: a lower bound; one has taken\n"
               "            171.0 times its least time so far\n");
    assert_has("queue, may still be growing ");
    assert_has("slowdown (1 = ideal), lower bound     messages");
    assert_has("all                                      9,001     1.235     1.100     2.346   150.1      99.999\n");
    assert_has("switch port                           1.20 B       0 B    500 KB\n");
}

static void json_has_verdict_and_findings_with_their_numbers(void **state)
{
    (void)state;
    make_unstable();
    print(weir_report_json);
    assert_has(
        "\"verdict\": \"unstable\",\n  \"findings\": [{\"kind\": \"behind\", \"place\": null, \"arrived\": 0.900000, "
        "\"late\": 0.750000, \"overloaded\": 0, \"text\": \"90.0 % of what was offered arrived, and ");
    assert_has("}, {\"kind\": \"unfinished\", \"place\": null, \"messages\": 45, \"started\": 12345, \"counted\": 44, "
               "\"slowest\": 171.000000, \"ends\": 0, \"text\": \"45 of 12,345 messages");
    assert_has("\"unfinished\": {\"messages\": 45, \"bytes\": 100000000, \"all\": 44, \"A\": 0, \"B\": 0, \"C\": 40, "
               "\"D\": 4},");
}

/* What began in the warm-up arrives in the measured part. */
static void more_than_all_delivered_is_explained(void **state)
{
    (void)state;
    res.goodput_bps = 52000000000;
    print(weir_report_table);
    assert_has("offered 50.00 Gbps (104.0 % delivered, some of it from the warm-up)\n");
}

static void a_run_cut_short_in_its_warmup_measured_nothing(void **state)
{
    (void)state;
    res.measured_ps = 0;
    res.interrupted = true;
    print(weir_report_table);
    assert_has("of which 0 ps measured (interrupted)\n");
    assert_has("goodput     nothing was measured\n");
}

static void json_has_exact_decimals(void **state)
{
    (void)state;
    print(weir_report_json);
    assert_has("\"digest\": \"0000000000000abc\"");
    assert_has("\"sim_s\": 0.070000000000");
    assert_has("\"wall_s\": 1.230000000");
    assert_has("\"packet_hops_per_s\": 41219512");
    assert_has("\"goodput_gbps\": 49.873000000");
    assert_has("\"unstable_why\": null,\n  \"verdict\": \"stable\",\n  \"findings\": [],\n");
    assert_has(
        "\"tor_queue_bytes\": {\"mean\": 123456.789, \"p99\": 400100, \"max\": 1200000, \"sampled_max\": 1100000}");
    assert_has("\"slowdown\": {\"all\": {\"count\": 9001, \"mean\": 1.234567891, \"p50\": 1.100000, \"p95\": 2.345678, "
               "\"p99\": 150.123456, \"p999\": 99.999400}, \"A\": {\"count\": 0, \"mean\": null, ");
    assert_has("\"source_marks\": 77");
    assert_has("\"marked_short_share\": 0.666666666");
    assert_has("\"stable\": true,\n");
    assert_has("\"jain\": 0.998765,\n");
    assert_has("\"features\": {}\n}\n");
    assert_has("\"bytes_per_packet\": 64");
    assert_has("\"bytes_per_flow\": 256");
}

static void json_says_null_where_nothing_applies(void **state)
{
    (void)state;
    res = (struct weir_result){ .hosts = 2, .threads = 1, .feature_count = counted };
    res.unstable_why = "nothing arrived";
    print(weir_report_json);
    assert_has("\"packet_hops_per_s\": null");
    assert_has("\"goodput_gbps\": null");
    assert_has("\"unstable_why\": \"nothing arrived\"");
    assert_has("\"port_queue_bytes\": null");
    assert_has("\"bytes_per_flow\": null");
    assert_has("\"tor_queue_bytes_sampled\": null");
    assert_has("\"port_queue_bytes_sampled\": null");
    assert_has("\"credit_bytes\": null");
    assert_has("\"marked_short_share\": null");
    assert_has("\"jain\": null");
}

static void json_keeps_the_numbers_of_an_unstable_run(void **state)
{
    (void)state;
    res.stable = false;
    print(weir_report_json);
    assert_has("\"stable\": false");
    assert_has("\"p95\": 2.345678");
    assert_has("\"max\": 1200000");
}

/* Table and JSON say so, and show the largest sample in place of the maximum. */
static void a_run_by_samples_alone_says_so(void **state)
{
    (void)state;
    print(weir_report_table);
    assert_null(strstr(text, "statistics"));
    assert_has("1.20 MB\n");
    free(text);
    print(weir_report_json);
    assert_has("\"statistics\": \"exact\"");
    free(text);
    res.sampled = true;
    res.tor_queue.max_bytes = res.port_queue.max_bytes = 0;
    print(weir_report_table);
    assert_has("\nstatistics  sampled: ");
    assert_has("largest\nfirst-hop");
    assert_has("1.10 MB\n");
    free(text);
    print(weir_report_json);
    assert_has("\"statistics\": \"sampled\"");
    assert_has("\"max\": null, \"sampled_max\": 1100000}");
}

static void averages_and_credit_are_shown_where_there_are_any(void **state)
{
    (void)state;
    print(weir_report_table);
    assert_null(strstr(text, "credit"));
    assert_null(strstr(text, "of averages"));
    free(text);
    res.has_sampled = res.has_credit = true;
    res.tor_queue_sampled = (struct weir_queue_stats){ 123456789, 300200, 900000, 0 };
    res.port_queue_sampled = (struct weir_queue_stats){ 1200, 3, 400000, 0 };
    res.credit_held_bytes = 51000;
    res.credit_in_flight_bytes = 72000;
    res.credit_free_bytes = 23400;
    print(weir_report_table);
    assert_has("credit      51.0 KB at senders, 72.0 KB in flight, 23.4 KB at receivers (mean per host)\n");
    assert_has("first-hop switch, of averages         123 KB    300 KB    900 KB\n");
    assert_has("switch port, of averages              1.20 B       3 B    400 KB\n");
    free(text);
    print(weir_report_json);
    assert_has("\"tor_queue_bytes_sampled\": {\"mean\": 123456.789, \"p99\": 300200, \"max\": 900000}");
    assert_has("\"port_queue_bytes_sampled\": {\"mean\": 1.200, \"p99\": 3, \"max\": 400000}");
    assert_has("\"credit_bytes\": {\"at_senders\": 51000, \"in_flight\": 72000, \"at_receivers\": 23400}");
}

/* A sum, a hidden one, times with their share, the longest of them, and drops: with and without a place. */
static const struct weir_feature_counter made_up[] = {
    { .name = "pauses", .hint = "pauses" },
    { .name = "arrived" },
    { .name = "paused", .hint = "paused", .how = WEIR_COUNT_SUM_PS },
    { .name = "longest", .hint = "longest", .how = WEIR_COUNT_MOST_PS, .where = WEIR_COUNT_AT_PORT },
    { .name = "lost", .hint = "lost for lack of room", .where = WEIR_COUNT_AT_IN_LINK },
    { .name = "marks", .hint = "marks" }, /* of another feature */
};

static void count(uint64_t pauses, uint64_t arrived, uint64_t paused_ps, uint64_t longest_ps, uint64_t lost)
{
    const uint64_t value[] = { pauses, arrived, paused_ps, longest_ps, lost };
    for (uint32_t i = 0; i < 5; i++)
        res.feature_count[i] = (struct weir_feature_count){ .feature = "pfc",
                                                            .counter = &made_up[i],
                                                            .value = value[i],
                                                            .lanes = 10,
                                                            .link = i >= 3 && value[i] > 0 ? i - 3 : UINT32_MAX };
    res.feature_count[5] = (struct weir_feature_count){ .feature = "red", .counter = &made_up[5], .value = 9 };
    res.feature_counts = 6;
}

static void a_ratio_is_of_the_sum_before_it_and_null_without_a_divisor(void **state)
{
    static const struct weir_feature_counter links = { .name = "links" },
                                             ratio = { .name = "dilation", .how = WEIR_COUNT_RATIO };
    (void)state;
    res.feature_count[0] = (struct weir_feature_count){ .feature = "f", .counter = &links, .value = 9 };
    res.feature_count[1] = (struct weir_feature_count){ .feature = "f", .counter = &ratio };
    res.feature_counts = 2;
    print(weir_report_json);
    assert_has("\"f\": {\"links\": 9, \"dilation\": null}");
    free(text);
    res.feature_count[1].value = 8;
    print(weir_report_json);
    assert_has("\"f\": {\"links\": 9, \"dilation\": 1.125000000}");
}

static void what_features_count_is_shown_where_there_are_any(void **state)
{
    struct weir_topology topo;
    struct weir_err err;
    const struct weir_tok nowhere = { 0 };
    const struct weir_topology_config star = { .kind = WEIR_STAR,
                                               .hosts = 2,
                                               .host_link_bps = 1000000000,
                                               .core_link_bps = 1000000000,
                                               .host_delay_ps = 1000,
                                               .core_delay_ps = 1000 };
    (void)state;
    assert_int_equal(weir_topology_build(&topo, &star, &nowhere, &err), 0);
    print(weir_report_table);
    assert_null(strstr(text, "pfc"));
    free(text);
    print(weir_report_json);
    assert_has("\"features\": {}");
    free(text);
    count(0, 0, 0, 0, 0);
    report.topo = &topo;
    print(weir_report_table);
    assert_has("pfc         0 pauses\nred         9 marks\n");
    assert_null(strstr(text, "paused"));
    free(text);
    count(1234, 1233, 7000000000, 23400000, 3); /* of 10 lanes in 70 ms: 1 % */
    print(weir_report_table);
    assert_has("pfc         1,234 pauses\n"
               "            paused 1.0 % of the time of all ports, longest 23.40 us at host 0 > switch 0\n"
               "            3 lost for lack of room, came by host 1 > switch 0\n"
               "red         9 marks\n");
    free(text);
    print(weir_report_json);
    assert_has("\"features\": {\"pfc\": {\"pauses\": 1234, \"arrived\": 1233, \"paused_s\": 0.007000000000, "
               "\"paused_share\": 0.010000000, \"longest_s\": 0.000023400000, \"longest_port\": \"host 0 > switch 0\", "
               "\"lost\": 3, \"lost_port\": \"host 1 > switch 0\"}, \"red\": {\"marks\": 9}}");
    weir_topology_free(&topo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(table_says_what_was_run, setup, teardown),
        cmocka_unit_test_setup_teardown(drops_and_losses_are_shown_by_cause, setup, teardown),
        cmocka_unit_test_setup_teardown(endless_flows_offer_no_rate, setup, teardown),
        cmocka_unit_test_setup_teardown(a_list_of_sizes_is_shown_as_the_run_used_it, setup, teardown),
        cmocka_unit_test_setup_teardown(table_spells_out_the_groups_and_aligns_the_points, setup, teardown),
        cmocka_unit_test_setup_teardown(table_lists_jobs_and_coflows, setup, teardown),
        cmocka_unit_test_setup_teardown(table_has_at_most_thirty_lines_of_them, setup, teardown),
        cmocka_unit_test_setup_teardown(json_lists_jobs_and_coflows, setup, teardown),
        cmocka_unit_test_setup_teardown(table_is_at_most_100_columns, setup, teardown),
        cmocka_unit_test_setup_teardown(a_group_between_equal_edges_has_no_size, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_of_an_unstable_run_are_shown_and_flagged, setup, teardown),
        cmocka_unit_test_setup_teardown(json_has_verdict_and_findings_with_their_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(more_than_all_delivered_is_explained, setup, teardown),
        cmocka_unit_test_setup_teardown(a_run_cut_short_in_its_warmup_measured_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(json_has_exact_decimals, setup, teardown),
        cmocka_unit_test_setup_teardown(json_says_null_where_nothing_applies, setup, teardown),
        cmocka_unit_test_setup_teardown(a_run_by_samples_alone_says_so, setup, teardown),
        cmocka_unit_test_setup_teardown(averages_and_credit_are_shown_where_there_are_any, setup, teardown),
        cmocka_unit_test_setup_teardown(what_features_count_is_shown_where_there_are_any, setup, teardown),
        cmocka_unit_test_setup_teardown(a_ratio_is_of_the_sum_before_it_and_null_without_a_divisor, setup, teardown),
        cmocka_unit_test_setup_teardown(json_keeps_the_numbers_of_an_unstable_run, setup, teardown),
    };
    return cmocka_run_group_tests_name("output/report", tests, NULL, NULL);
}
