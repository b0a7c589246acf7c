/* test/unit/model/test_result.c - from counters to what a user reads, by hand: two hosts at 10 Gb/s on one switch, 10 us measured. */
#include "test/unit/sim_fixture.h"
#include "measure/digest.h"

enum { LINKS = 4, HOSTS = 2, MEASURED_PS = 10000000 }; /* links: host 0, host 1, to host 0, to host 1 */

static struct weir_account acc;
static struct weir_arena arena;
static struct weir_port_count port[LINKS];
static uint64_t acked[HOSTS], arrived[HOSTS];
static struct weir_host_stats hosts;
static struct weir_account_samples samples;
static struct weir_account_totals totals;

static int begin(void **state)
{
    memset(port, 0, sizeof(port));
    memset(acked, 0, sizeof(acked));
    memset(arrived, 0, sizeof(arrived));
    memset(&samples, 0, sizeof(samples));
    hosts = (struct weir_host_stats){ 0 };
    totals = (struct weir_account_totals){ .port = port,
                                           .acked_measured = acked,
                                           .arrived_measured = arrived,
                                           .hosts = &hosts,
                                           .samples = &samples,
                                           .end_ps = 15000000 };
    fix_result = (struct weir_result){ 0 };
    return fix_begin(state);
}

static int end(void **state)
{
    weir_account_free(&acc);
    weir_arena_free(&arena);
    return fix_end(state);
}

#define ENDLESS "traffic: [{kind: poisson, sizes: 1 KB, load: 50%}]\n"
#define MEASURED "run: {warmup: 5 us, measure: 10 us}\n"

static void make_with(const char *text, bool detail)
{
    struct weir_sim_options options = { .detail = detail };
    struct weir_mem mem = { .grow = weir_arena_take, .ctx = &arena };
    arena = (struct weir_arena){ 0 };
    assert_int_equal(weir_account_init(&acc, fix_model(text), &options, 1, &mem, &fix_err), 0);
}

static void make(const char *text)
{
    make_with(text, false);
}

static const struct weir_result *conclude(void)
{
    weir_account_result(&acc, &totals, &fix_result);
    return &fix_result;
}

/* Mean work m means A = 2 T m: 800 ps, one byte, is 1.6e10 here. Two switch ports, one first-hop switch. */
static void mean_queues_come_from_the_areas_of_switch_ports(void **state)
{
    const struct weir_result *r;
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    port[0].area_lo = UINT64_C(999999999999); /* a host's NIC: in neither mean */
    port[2].area_lo = UINT64_C(16000000000);
    port[3].area_lo = 3 * UINT64_C(16000000000);
    r = conclude();
    assert_int_equal(r->measured_ps, MEASURED_PS);
    assert_int_equal(r->tor_queue.mean_millibytes, 4000);
    assert_int_equal(r->port_queue.mean_millibytes, 2000);
}

/* A = 2^64 over 10 us: 922337203685.4776 ps of work, 1152921504.606 bytes on one port of two. */
static void areas_beyond_64_bits_are_divided_in_full(void **state)
{
    const struct weir_result *r;
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    port[2].area_hi = 1;
    r = conclude();
    assert_int_equal(r->tor_queue.mean_millibytes, UINT64_C(1152921504606));
    assert_int_equal(r->port_queue.mean_millibytes, UINT64_C(576460752303));
}

static void maxima_and_percentiles_are_passed_on(void **state)
{
    const struct weir_result *r;
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    for (uint64_t i = 1; i <= 100; i++)
        weir_histogram_add(&samples.tor, i);
    weir_histogram_add(&samples.port, 7);
    totals.tor_max_bytes = 3000;
    totals.port_max_bytes = 2000;
    totals.port_max_link = 3;
    r = conclude();
    assert_int_equal(r->fullest_port, 3);
    assert_int_equal(r->tor_queue.p99_bytes, 99);
    assert_int_equal(r->port_queue.p99_bytes, 7);
    assert_int_equal(r->tor_queue.max_bytes, 3000);
    assert_int_equal(r->port_queue.max_bytes, 2000);
    assert_int_equal(r->tor_queue.sampled_max_bytes, 100);
    assert_int_equal(r->port_queue.sampled_max_bytes, 7);
}

/* Of equal shares the first link counts. */
static void the_fullest_link_has_the_greatest_share(void **state)
{
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    port[1].bytes = port[2].bytes = 1000;
    port[0].bytes = 900;
    assert_int_equal(conclude()->fullest_link, 1);
    assert_int_equal(fix_result.link_share_ppm,
                     weir_account_share_ppm(1000, fix_setup.topo.link[1].rate_bps, fix_result.sim_ps));
    assert_int_equal(weir_account_share_ppm(1000, 8000000000, 1000000), 1000000); /* 1 us at 1 byte/ns */
    assert_int_equal(weir_account_share_ppm(1001, 8000000000, 1000000), 1001000);
    assert_int_equal(weir_account_share_ppm(1, 8000000000, 999), 0);
    assert_int_equal(weir_account_share_ppm(1, 8000000000, 1000), 1000000);
}

/* What the samples say counts, whatever is in the areas and maxima, and these are not in the digest of queues. */
static void sampled_statistics_are_of_the_samples_alone(void **state)
{
    const struct weir_result *r;
    (void)state;
    make(STAR("2") ENDLESS "run: {warmup: 5 us, measure: 10 us, statistics: sampled}\n");
    port[2].area_lo = UINT64_C(16000000000);
    totals.tor_max_bytes = 3000;
    totals.port_max_bytes = 2000;
    assert_true(conclude()->sampled);
    assert_int_equal(fix_result.tor_queue.mean_millibytes, 0);
    for (uint64_t i = 1; i <= 3; i++)
        weir_histogram_add(&samples.tor, i);
    weir_histogram_add_times(&samples.port, 7, 8);
    samples.tor_bytes = 7;
    samples.port_bytes = 9;
    r = conclude();
    assert_int_equal(r->tor_queue.mean_millibytes, 2333);
    assert_int_equal(r->port_queue.mean_millibytes, 1125);
    assert_int_equal(r->tor_queue.max_bytes, 0);
    assert_int_equal(r->port_queue.max_bytes, 0);
    assert_int_equal(r->tor_queue.sampled_max_bytes, 3);
    assert_int_equal(r->port_queue.sampled_max_bytes, 7);
    assert_int_equal(r->queues_digest, 0);
}

/* A batch has the samples since the last call; one without any has a mean of 0. */
static void the_queue_of_a_batch_is_of_its_samples(void **state)
{
    (void)state;
    make(STAR("2") ENDLESS "run: {warmup: 5 us, measure: 20 us, statistics: sampled}\n");
    assert_non_null(acc.batches);
    assert_int_equal(weir_account_batch_queue(&acc, 0, 0), 0);
    assert_int_equal(weir_account_batch_queue(&acc, 100, 3), 33333);
    assert_int_equal(weir_account_batch_queue(&acc, 100, 3), 0);
    assert_int_equal(weir_account_batch_queue(&acc, 104, 4), 4000);
}

static void batches_shorter_than_a_sample_are_not_kept(void **state)
{
    (void)state;
    make(STAR("2") ENDLESS "run: {warmup: 5 us, measure: 19999 ns, statistics: sampled}\n");
    assert_null(acc.batches);
}

static void averages_are_reported_only_if_sampled(void **state)
{
    const struct weir_result *r;
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    assert_false(conclude()->has_sampled);
    weir_account_average(&samples.tor_average, &samples.tor_average_bytes, 9000, 1);
    for (uint64_t bytes = 1; bytes <= 4; bytes++)
        weir_account_average(&samples.port_average, &samples.port_average_bytes, 1000 * bytes, 1);
    r = conclude();
    assert_true(r->has_sampled);
    assert_int_equal(r->tor_queue_sampled.mean_millibytes, 9000);
    assert_int_equal(r->port_queue_sampled.mean_millibytes, 2500);
    assert_int_equal(r->port_queue_sampled.p99_bytes, 4);
    assert_int_equal(r->port_queue_sampled.max_bytes, 4);
}

/* Two hosts, ten samples: 20 values. */
static void credit_is_a_mean_per_host(void **state)
{
    const struct weir_result *r;
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    assert_false(conclude()->has_credit);
    samples.credit =
        (struct weir_account_credit){ .outstanding_bytes = 50000, .held_bytes = 20000, .free_bytes = 100019 };
    samples.credit_count = 10;
    r = conclude();
    assert_true(r->has_credit);
    assert_int_equal(r->credit_held_bytes, 1000);
    assert_int_equal(r->credit_in_flight_bytes, 1500);
    assert_int_equal(r->credit_free_bytes, 5000);
}

static void samples_of_threads_add_up(void **state)
{
    static struct weir_account_samples from;
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    memset(&from, 0, sizeof(from));
    weir_histogram_add(&samples.tor, 1);
    weir_histogram_add(&from.tor, 2);
    weir_histogram_add(&from.port, 3);
    samples.tor_bytes = 1;
    from.tor_bytes = 2;
    from.port_bytes = 3;
    weir_account_average(&from.tor_average, &from.tor_average_bytes, 4000, 1);
    weir_account_average(&from.port_average, &from.port_average_bytes, 5000, 1);
    from.credit = (struct weir_account_credit){ .outstanding_bytes = -6, .held_bytes = 7, .free_bytes = 8 };
    samples.credit = (struct weir_account_credit){ .outstanding_bytes = 10, .held_bytes = 10, .free_bytes = 10 };
    samples.credit_count = from.credit_count = 1; /* of the same instant */
    weir_account_samples_merge(&samples, &from);
    assert_int_equal(samples.tor.total, 2);
    assert_int_equal(samples.port.max, 3);
    assert_int_equal(samples.tor_bytes, 3);
    assert_int_equal(samples.port_bytes, 3);
    assert_int_equal(samples.tor_average_bytes, 4);
    assert_int_equal(samples.port_average_bytes, 5);
    assert_int_equal(samples.credit.outstanding_bytes, 4);
    assert_int_equal(samples.credit.held_bytes, 17);
    assert_int_equal(samples.credit.free_bytes, 18);
    assert_int_equal(samples.credit_count, 1);
    from.credit_count = 4;
    weir_account_samples_move(&samples, &from); /* of other instants of the same thread */
    assert_int_equal(samples.tor_bytes, 5);
    assert_int_equal(samples.port_bytes, 6);
    assert_int_equal(samples.credit_count, 5);
    assert_int_equal(from.tor_bytes, 0);
    assert_int_equal(from.port_bytes, 0);
}

/* A message of 1000 B (bin of 1000 .. 1777) that took twice its ideal; and what was sampled of queues. */
static void a_detail_is_passed_on_with_its_queues(void **state)
{
    struct weir_delivery d = { .bytes = 1000,
                               .start_ps = 6000000,
                               .end_ps = 7000000,
                               .ideal_ps = 500000,
                               .payload_ps = 250000,
                               .measured = true };
    struct weir_detail *detail;
    (void)state;
    make_with(STAR("2") ENDLESS MEASURED, true);
    weir_recorder_delivery(&acc.shard[0].recorder, &d);
    weir_histogram_add(&samples.tor, 5);
    weir_histogram_add(&samples.port, 6);
    detail = conclude()->detail;
    assert_non_null(detail);
    assert_null(acc.shard[0].recorder.detail);
    assert_int_equal(weir_detail_quantile(detail, WEIR_SLOWDOWN_IDEAL, 12, 500000), 2000000);
    assert_int_equal(weir_detail_quantile(detail, WEIR_SLOWDOWN_PAYLOAD, 12, 500000), 4000000);
    assert_int_equal(detail->tor_queue.max, 5);
    assert_int_equal(detail->port_queue.max, 6);
}

/* 10000 bytes in 10 us are 8 Gb/s, 4 for each of two hosts. */
static void rates_are_per_host_over_the_measured_part(void **state)
{
    const struct weir_result *r;
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    acc.shard[0].started_measured_bytes = 10000;
    arrived[0] = 9000;
    arrived[1] = 900;
    acc.shard[0].recorder.delivered_measured_bytes = 5000;
    r = conclude();
    assert_int_equal(r->offered_bps, UINT64_C(4000000000));
    assert_int_equal(r->goodput_bps, UINT64_C(3960000000));
    assert_int_equal(r->completed_bps, UINT64_C(2000000000));
    assert_true(r->stable); /* 99 % */
}

static const struct weir_result *with_arrived(uint64_t bytes, uint64_t unfinished_end_bytes)
{
    acc.shard[0].started_measured_bytes = 100000;
    arrived[0] = bytes;
    totals.unfinished_start_bytes = 5000;
    totals.unfinished_end_bytes = unfinished_end_bytes;
    return conclude();
}

static void a_run_is_unstable_when_less_than_98_percent_arrive(void **state)
{
    const struct weir_result *r;
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    r = with_arrived(97999, 5000);
    assert_false(r->stable);
    assert_string_equal(r->unstable_why, "less than 98 % of the offered bytes arrived in the measured part");
}

static void a_run_is_unstable_when_the_backlog_grows_by_more_than_a_tenth(void **state)
{
    const struct weir_result *r;
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    r = with_arrived(98000, 15001);
    assert_false(r->stable);
    assert_string_equal(r->unstable_why, "unfinished bytes grew by more than a tenth of the offered bytes");
}

static void a_run_at_both_limits_is_stable(void **state)
{
    const struct weir_result *r;
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    r = with_arrived(98000, 15000);
    assert_true(r->stable);
    assert_null(r->unstable_why);
}

static void traffic_that_ends_is_stable_whatever_arrived(void **state)
{
    (void)state;
    make(STAR("2") PERM("1 KB") MEASURED);
    assert_true(with_arrived(0, 100000)->stable);
}

/* Jain: (3 + 1)^2 / (2 (9 + 1)) = 0.8. */
static void fairness_is_over_the_hosts_that_sent(void **state)
{
    struct weir_message m = { .bytes = 10, .dst = 1 };
    uint32_t handle;
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    acked[0] = 3000;
    acked[1] = 1000;
    assert_int_equal(conclude()->jain_ppm, 0); /* nobody */
    assert_int_equal(weir_account_start(&acc.host[0], &m, &handle), 0);
    assert_int_equal(conclude()->jain_ppm, 1000000); /* one alone is fair */
    m = (struct weir_message){ .bytes = 10, .src = 1 };
    assert_int_equal(weir_account_start(&acc.host[1], &m, &handle), 0);
    assert_int_equal(conclude()->jain_ppm, 800000);
}

static void counters_and_digest_are_sums_over_links(void **state)
{
    const struct weir_result *r;
    uint64_t digest = 77, queues;
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    port[0] = (struct weir_port_count){ .bytes = 1538, .losses = 2, .marks = 1, .area_lo = 5 };
    port[3] = (struct weir_port_count){ .bytes = 84, .drops = 3, .losses = 1, .marks = 4, .area_lo = 6, .area_hi = 9 };
    acc.shard[0].digest = 77;
    hosts = (struct weir_host_stats){ .retransmissions = 11,
                                      .duplicates = 10, /* with control packets */
                                      .rx_again_pkts = 9,
                                      .timeouts = 12,
                                      .connections = 13,
                                      .grown_bytes = 14 };
    digest += weir_digest_port(0, 2, 1, 1538) + weir_digest_port(1, 0, 0, 0) + weir_digest_port(2, 0, 0, 0) +
              weir_digest_port(3, 4, 4, 84);
    queues = weir_digest_queue(0, 5) + weir_digest_queue(1, 0) + weir_digest_queue(2, 0) +
             weir_digest_queue(3, 6); /* the area modulo 2^64 */
    r = conclude();
    assert_int_equal(r->drops, 3);
    assert_int_equal(r->losses, 3);
    assert_int_equal(r->marks, 5);
    assert_int_equal(r->receiver_marks, 4); /* port 3 leads to host 1, port 0 to the switch */
    assert_int_equal(r->retransmissions, 11);
    assert_int_equal(r->duplicates, 9);
    assert_int_equal(r->timeouts, 12);
    assert_int_equal(r->connections, 13);
    assert_int_equal(r->flow_bytes, 14);
    assert_int_equal(r->digest, digest);
    assert_int_equal(r->queues_digest, queues);
}

/* Laws 0 and 2 have their data in class 1, law 1 in class 0. */
#define POISSON(more) "  - {kind: poisson, sizes: 1 KB, load: 20%" more "}\n"
#define LAWS                                                                                                           \
    "fabric: {priorities: 2}\ntraffic:\n" POISSON("") POISSON(", protocol: cubic, class: 0")                           \
        POISSON(", protocol: newreno")

static struct weir_account_law_totals law[WEIR_LAWS_MAX];

static void make_laws(const char *text)
{
    make(text);
    memset(law, 0, sizeof(law));
    totals.law = law;
}

static const struct weir_result *conclude_again(void)
{
    weir_result_free(&fix_result);
    fix_result = (struct weir_result){ 0 };
    return conclude();
}

static void samples_that_one_law_lost_are_lost_samples(void **state)
{
    (void)state;
    make_laws(STAR("2") LAWS MEASURED);
    assert_false(conclude()->samples_lost);
    weir_samples_add(&acc.shard[0].law[1].slowdown[2], 1000000, 1);
    acc.shard[0].law[1].slowdown[2].failed = true;
    assert_true(conclude_again()->samples_lost);
}

/* 12500 bytes go over a link in 10 us. Law 0 has both hosts and gets 10000 of 25000 bytes, law 1 has one and gets 5000 of
 * 12500: both get the same share, 0.4. If all that law 1 has to send are 5000 bytes, it gets all of it:
 * (0.4 + 1)^2 / (2 (0.16 + 1)) = 0.844828. */
static void fairness_across_laws_is_of_what_each_could_get(void **state)
{
    struct weir_message m = { .bytes = 1000000, .dst = 1 };
    const struct weir_result *r;
    uint32_t handle;
    (void)state;
    make_laws(STAR("2") LAWS MEASURED);
    assert_int_equal(conclude()->laws_jain_ppm, 0); /* nobody sends */
    assert_int_equal(weir_account_start(&acc.host[0], &m, &handle), 0);
    law[0].base_new_bytes = 3000; /* arrived before */
    law[0].hosts.rx_new_bytes = 13000;
    assert_int_equal(conclude_again()->laws_jain_ppm, 0); /* one law alone */
    m = (struct weir_message){ .bytes = 1000000, .src = 1 };
    assert_int_equal(weir_account_start(&acc.host[1], &m, &handle), 0);
    m = (struct weir_message){ .bytes = 5000, .dst = 1, .item = 1 };
    assert_int_equal(weir_account_start(&acc.host[0], &m, &handle), 0);
    law[1].hosts.rx_new_bytes = 5000;
    r = conclude_again();
    assert_int_equal(r->law[0].senders, 2);
    assert_int_equal(r->law[0].demand_bytes, 25000);
    assert_int_equal(r->law[0].goodput_bps, UINT64_C(4000000000)); /* per host */
    assert_int_equal(r->law[0].demand_bps, UINT64_C(10000000000));
    assert_int_equal(r->law[1].senders, 1);
    assert_int_equal(r->law[1].demand_bytes, 5000);
    assert_int_equal(r->law[2].senders, 0);
    assert_int_equal(r->laws_jain_ppm, 844828);
    m.bytes = 1000000;
    assert_int_equal(weir_account_start(&acc.host[0], &m, &handle), 0);
    r = conclude_again();
    assert_int_equal(r->law[1].demand_bytes, 12500);
    assert_int_equal(r->laws_jain_ppm, 1000000);
}

/* What is asked is not what has arrived already: of 5000 bytes 3000 came before the measured part. */
static void demand_is_what_had_not_arrived_before(void **state)
{
    struct weir_message m = { .bytes = 5000, .dst = 1 };
    uint32_t handle;
    (void)state;
    make_laws(STAR("2") LAWS MEASURED);
    assert_int_equal(weir_account_start(&acc.host[0], &m, &handle), 0);
    law[0].base_new_bytes = law[0].hosts.rx_new_bytes = 3000;
    assert_int_equal(conclude()->law[0].demand_bytes, 2000);
}

static void a_class_is_its_laws_together(void **state)
{
    struct weir_message m = { .bytes = 1000, .dst = 1 };
    const struct weir_result *r;
    uint32_t handle;
    (void)state;
    make_laws(STAR("2") LAWS MEASURED);
    for (uint32_t k = 0; k < 3; k++) {
        m.item = k;
        assert_int_equal(weir_account_start(&acc.host[0], &m, &handle), 0);
        law[k] = (struct weir_account_law_totals){
            .drops = 1u << k, .data_drops = k, .hosts = { .retransmissions = 10u << k, .timeouts = k, .marked_pkts = 7 }
        };
        weir_samples_add(&acc.shard[0].law[k].slowdown[0], 1000000 * (k + 1), k);
    }
    r = conclude();
    assert_int_equal(r->class_count, 2);
    assert_int_equal(r->of_class[0].class_id, 0);
    assert_int_equal(r->of_class[0].laws, 1u << 1);
    assert_int_equal(r->of_class[0].drops, 2);
    assert_int_equal(r->of_class[0].slowdown[WEIR_GROUP_ALL].max, 2000000);
    assert_int_equal(r->of_class[1].class_id, 1);
    assert_int_equal(r->of_class[1].laws, 1u << 0 | 1u << 2);
    assert_int_equal(r->of_class[1].messages_started, 2);
    assert_int_equal(r->of_class[1].senders, 1);
    assert_int_equal(r->of_class[1].drops, 5);
    assert_int_equal(r->of_class[1].data_drops, 2);
    assert_int_equal(r->of_class[1].marks, 14);
    assert_int_equal(r->of_class[1].retransmissions, 50);
    assert_int_equal(r->of_class[1].timeouts, 2);
    assert_int_equal(r->of_class[1].slowdown[WEIR_GROUP_ALL].count, 2);
    assert_int_equal(r->of_class[1].slowdown[WEIR_GROUP_ALL].p50, 2000000); /* of 1 and 3 */
    assert_int_equal(r->law[2].slowdown[WEIR_GROUP_ALL].max, 3000000);
}

static void laws_of_one_class_have_no_results_by_class(void **state)
{
    (void)state;
    make_laws(STAR("2") "traffic:\n" POISSON("") POISSON(", protocol: cubic") MEASURED);
    assert_int_equal(conclude()->law_count, 2);
    assert_int_equal(fix_result.class_count, 0);
    assert_null(fix_result.of_class);
}

static void a_run_that_ends_before_its_measured_part_has_no_rates(void **state)
{
    const struct weir_result *r;
    (void)state;
    make(STAR("2") ENDLESS MEASURED);
    port[2].area_lo = 1000;
    totals.end_ps = 5000000; /* the end of the warm-up */
    r = conclude();
    assert_int_equal(r->sim_ps, 5000000);
    assert_int_equal(r->measured_ps, 0);
    assert_int_equal(r->goodput_bps, 0);
    assert_int_equal(r->tor_queue.mean_millibytes, 0);
    assert_true(r->stable);
}

#define RESULT_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RESULT_TEST(mean_queues_come_from_the_areas_of_switch_ports),
        RESULT_TEST(areas_beyond_64_bits_are_divided_in_full),
        RESULT_TEST(maxima_and_percentiles_are_passed_on),
        RESULT_TEST(the_fullest_link_has_the_greatest_share),
        RESULT_TEST(sampled_statistics_are_of_the_samples_alone),
        RESULT_TEST(the_queue_of_a_batch_is_of_its_samples),
        RESULT_TEST(batches_shorter_than_a_sample_are_not_kept),
        RESULT_TEST(averages_are_reported_only_if_sampled),
        RESULT_TEST(credit_is_a_mean_per_host),
        RESULT_TEST(samples_of_threads_add_up),
        RESULT_TEST(a_detail_is_passed_on_with_its_queues),
        RESULT_TEST(rates_are_per_host_over_the_measured_part),
        RESULT_TEST(a_run_is_unstable_when_less_than_98_percent_arrive),
        RESULT_TEST(a_run_is_unstable_when_the_backlog_grows_by_more_than_a_tenth),
        RESULT_TEST(a_run_at_both_limits_is_stable),
        RESULT_TEST(traffic_that_ends_is_stable_whatever_arrived),
        RESULT_TEST(fairness_is_over_the_hosts_that_sent),
        RESULT_TEST(counters_and_digest_are_sums_over_links),
        RESULT_TEST(samples_that_one_law_lost_are_lost_samples),
        RESULT_TEST(fairness_across_laws_is_of_what_each_could_get),
        RESULT_TEST(demand_is_what_had_not_arrived_before),
        RESULT_TEST(a_class_is_its_laws_together),
        RESULT_TEST(laws_of_one_class_have_no_results_by_class),
        RESULT_TEST(a_run_that_ends_before_its_measured_part_has_no_rates),
    };
    return cmocka_run_group_tests_name("model/result", tests, NULL, NULL);
}
