/* test/unit/output/test_findings.c - made-up results: what is found, in which order, with what verdict, and in which words. */
#include "core/feature.h"
#include "features/cables/cables.h"
#include "test/unit/weir_test.h"
#include "core/units.h"
#include "output/findings.h"
#include <string.h>

static struct weir_result res;
static struct weir_findings found;
static struct weir_findings_run run;
static struct weir_job_result job[3];
static struct weir_job_results jobs = { .job = job, .job_count = 3 };

/* 1 ms of 2 measured; all that was offered arrived, and every message ended. */
static int setup(void **state)
{
    (void)state;
    res = (struct weir_result){
        .sim_ps = 2 * WEIR_PS_PER_MS,
        .measured_ps = WEIR_PS_PER_MS,
        .offered_bytes = 1000000,
        .arrived_bytes = 1000000,
        .stable = true,
        .messages_started = 535,
        .messages_completed = 535,
        .messages_measured = 230,
    };
    res.slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_ALL] = (struct weir_dist){ .count = 230, .p99 = 12000000 };
    run = (struct weir_findings_run){ .planned_ps = 2 * WEIR_PS_PER_MS,
                                      .stall_ps = 100 * WEIR_PS_PER_MS,
                                      .endless = true };
    found = (struct weir_findings){ 0 };
    return 0;
}

static void assert_text(uint32_t i, enum weir_finding_kind kind, const char *must)
{
    char text[WEIR_FINDING_TEXT];
    assert_true(i < found.count);
    assert_int_equal(found.row[i].kind, kind);
    weir_finding_text(&found.row[i], text);
    assert_string_equal(text, must);
}

static void find(enum weir_verdict verdict, uint32_t count)
{
    weir_findings_result(&found, &run, &res);
    assert_int_equal(found.verdict, verdict);
    assert_int_equal(found.count, count);
}

static void unfinished(uint64_t messages, uint64_t needed_ps)
{
    res.unfinished = (struct weir_unfinished){ .messages = messages,
                                               .bytes = 1000000 * messages,
                                               .longest_bytes = 30000000,
                                               .needed_ps = needed_ps,
                                               .slowest_ppm = 7200000 };
    res.unfinished.counted[WEIR_GROUP_ALL] = messages;
    res.messages_completed = res.messages_started - messages;
}

static void a_run_that_ended_lacks_nothing(void **state)
{
    (void)state;
    find(WEIR_VERDICT_STABLE, 0);
}

static const struct weir_rule rules[] = { { "headroom", "pfc.admission", WEIR_FATE_DROPPED, "why" },
                                          { "random", "loss", WEIR_FATE_LOST, "why" },
                                          { 0 } };
static const struct weir_feature pause = { .name = "pause", .rules = rules };
static struct weir_feature_on on[] = { { .row = &pause } };
static const struct weir_features features = { .on = on, .count = 1, .room = 1 };

static void drops_of_acks_or_credits_alone_are_no_drops_of_data(void **state)
{
    (void)state;
    res.causes = weir_causes_new(&features, 2, 0);
    assert_non_null(res.causes);
    find(WEIR_VERDICT_STABLE, 0);
    res.causes->row[WEIR_CAUSE_MEMORY].pkts[WEIR_LOST_ACK][0] = 39486;
    res.causes->row[WEIR_CAUSES_OF_WORLD + 1].pkts[WEIR_LOST_DATA][0] = 5; /* lost on the wire */
    find(WEIR_VERDICT_STABLE, 1);
    assert_text(0, WEIR_FINDING_NO_DATA, "no data was dropped, only 39,486 ACKs");
    found.count = 0;
    res.causes->row[WEIR_CAUSE_NO_ROUTE].pkts[WEIR_LOST_CREDIT][0] = 1;
    res.causes->row[WEIR_CAUSE_NO_ROUTE].pkts[WEIR_LOST_CONTROL][0] = 2;
    find(WEIR_VERDICT_STABLE, 1);
    assert_text(0, WEIR_FINDING_NO_DATA, "no data was dropped, only 39,486 ACKs, 1 credit, 2 control packets");
    found.count = 0;
    res.causes->row[WEIR_CAUSE_MEMORY].pkts[WEIR_LOST_DATA][1] = 1;
    find(WEIR_VERDICT_STABLE, 0);
    weir_causes_free(res.causes);
}

/* A feature whose first rules are those of failed cables, and a packet that has no way left: no setting would keep these. */
static void data_dropped_by_a_failure_is_no_such_finding(void **state)
{
    static struct weir_feature_on cuts[] = { { .row = &weir_cables_feature } };
    static const struct weir_features failing = { .on = cuts, .count = 1, .room = 1 };
    (void)state;
    res.causes = weir_causes_new(&failing, 2, 0);
    assert_non_null(res.causes);
    run.lossless = 2;
    for (uint32_t rule = 0; rule < WEIR_CUT_RULES; rule++)
        res.causes->row[WEIR_CAUSES_OF_WORLD + rule].pkts[WEIR_LOST_DATA][1] = 20;
    res.causes->row[WEIR_CAUSE_NO_ROUTE].pkts[WEIR_LOST_DATA][1] = 20;
    find(WEIR_VERDICT_STABLE, 0);
    weir_causes_free(res.causes);
}

static void data_dropped_in_a_lossless_class_is_a_finding(void **state)
{
    (void)state;
    res.causes = weir_causes_new(&features, 2, 0);
    assert_non_null(res.causes);
    res.causes->row[WEIR_CAUSES_OF_WORLD].pkts[WEIR_LOST_DATA][1] = 20;
    find(WEIR_VERDICT_STABLE, 0); /* no class is lossless */
    run.lossless = 2;
    find(WEIR_VERDICT_STABLE, 1);
    assert_text(0, WEIR_FINDING_LOSSLESS,
                "20 packets of data dropped in lossless classes, by pause.headroom; look at fabric.pfc.headroom and "
                "fabric.buffer");
    found.count = 0;
    res.causes->row[WEIR_CAUSE_MEMORY].pkts[WEIR_LOST_DATA][1] = 3;
    res.causes->row[WEIR_CAUSE_MEMORY].pkts[WEIR_LOST_DATA][0] = 100; /* of a class that is not */
    find(WEIR_VERDICT_STABLE, 1);
    assert_text(0, WEIR_FINDING_LOSSLESS,
                "23 packets of data dropped in lossless classes, 20 of them by pause.headroom; look at "
                "fabric.pfc.headroom and fabric.buffer");
    weir_causes_free(res.causes);
}

/* What comes from lost ACKs, and less than one in a hundred, is no finding. Its key depends on what makes packets count as lost. */
static void data_that_was_sent_again_needlessly_is_a_finding(void **state)
{
    (void)state;
    run.timer_key = "host.rto_min";
    run.order_key = "host.reorder";
    run.ack_every = 2;
    res.retransmissions = 10000;
    res.duplicates = 100;
    res.timeouts = 3;
    find(WEIR_VERDICT_STABLE, 0); /* causes are not known */
    res.causes = weir_causes_new(&features, 2, 0);
    assert_non_null(res.causes);
    find(WEIR_VERDICT_STABLE, 1);
    assert_text(0, WEIR_FINDING_NEEDLESS,
                "100 of 10,000 packets sent again had arrived: the timer is too short; raise host.rto_min");
    found.count = 0;
    res.duplicates = 99;
    find(WEIR_VERDICT_STABLE, 0);
    res.duplicates = 102;
    res.causes->row[WEIR_CAUSES_OF_WORLD + 1].pkts[WEIR_LOST_ACK][0] = 1; /* on the wire */
    find(WEIR_VERDICT_STABLE, 1);
    found.count = 0;
    res.causes->row[WEIR_CAUSES_OF_WORLD + 1].pkts[WEIR_LOST_ACK][0] = 2;
    find(WEIR_VERDICT_STABLE, 0);
    res.retransmissions = res.duplicates = 5; /* two ACKs lost explain four of them */
    res.timeouts = 0;
    run.resends_known = true;
    find(WEIR_VERDICT_STABLE, 1);
    assert_text(0, WEIR_FINDING_NEEDLESS,
                "5 of 5 packets sent again had arrived: no timer ran out, so they were late and not lost; raise "
                "host.reorder");
    found.count = 0;
    res.causes->row[WEIR_CAUSES_OF_WORLD + 1].pkts[WEIR_LOST_DATA][1] = 1; /* NewReno then repeats what is there */
    find(WEIR_VERDICT_STABLE, 0);
    run.resends_known = false;
    res.timeouts = 1;
    run.timer_key = NULL;
    find(WEIR_VERDICT_STABLE, 1);
    assert_text(0, WEIR_FINDING_NEEDLESS, "5 of 5 packets sent again had arrived: the timer is too short");
    weir_causes_free(res.causes);
}

static void a_limit_of_a_feature_that_was_reached_is_a_finding(void **state)
{
    static const struct weir_feature_counter counter[] = { { .name = "drops", .hint = "dropped" },
                                                           { .name = "full",
                                                             .finding = "fields were full; use larger ones" },
                                                           { .name = "short", .finding = "fields were short" } };
    struct weir_feature_count count[] = { { .feature = "a", .counter = &counter[0], .value = 9999 },
                                          { .feature = "a", .counter = &counter[1] },
                                          { .feature = "b", .counter = &counter[2] } };
    (void)state;
    res.feature_count = count;
    res.feature_counts = 3;
    find(WEIR_VERDICT_STABLE, 0); /* a counter without a sentence is none */
    count[1].value = 1234;
    count[2].value = 1233;
    find(WEIR_VERDICT_STABLE, 1);
    assert_text(0, WEIR_FINDING_SATURATED, "1,234 fields were full; use larger ones");
    res.feature_count = NULL;
    res.feature_counts = 0;
}

static void a_run_with_unfinished_messages_is_never_plainly_stable(void **state)
{
    (void)state;
    unfinished(1, 0);
    find(WEIR_VERDICT_SO_FAR, 1);
    assert_text(0, WEIR_FINDING_UNFINISHED, "1 of 535 messages unfinished, left out of slowdown: a lower bound");
}

static void the_slowest_is_told_where_it_is_slower_than_p99(void **state)
{
    (void)state;
    unfinished(75, 0);
    res.unfinished.slowest_ppm = 31400000;
    run.endless = false;
    find(WEIR_VERDICT_SO_FAR, 1);
    assert_text(0, WEIR_FINDING_UNFINISHED,
                "75 of 535 messages unfinished, left out of slowdown: a lower bound; one has taken 31.4 times its "
                "least time so "
                "far; measure: all waits for the last");
}

/* A fifth is missing: ten times what may be. The longest message takes 8 times this run, so the rest may grow as much; a third of that
 * is left after a warm-up: 27 ms. */
static void a_short_run_is_told_how_long_to_be(void **state)
{
    (void)state;
    unfinished(75, 16 * WEIR_PS_PER_MS);
    res.stable = false;
    res.arrived_bytes = 796000;
    find(WEIR_VERDICT_SHORT, 2);
    assert_int_equal(found.row[0].number[3], 30 * WEIR_PS_PER_MS);
    assert_text(
        0, WEIR_FINDING_SHORT,
        "79.6 % of what was offered arrived: the run is shorter than its longest messages take (30.0 MB: about 16 ms); "
        "measure at least 30 ms, after a warm-up of 20 ms");
}

static void after_a_long_warmup_more_of_the_same_helps(void **state)
{
    (void)state;
    unfinished(75, 16 * WEIR_PS_PER_MS);
    res.sim_ps = 40 * WEIR_PS_PER_MS;
    res.measured_ps = 20 * WEIR_PS_PER_MS;
    res.stable = false;
    res.arrived_bytes = 930000;
    find(WEIR_VERDICT_SHORT, 2);
    assert_text(0, WEIR_FINDING_SHORT,
                "93.0 % of what was offered arrived: the run is not much longer than its longest messages take (30.0 "
                "MB: about 16 "
                "ms); measure at least 80 ms");
}

/* 3 % is missing: 12 ms / 2 % * 3 % = 18 ms, and with a warm-up that is long enough a third of that. But the 12 ms were too short. */
static void nobody_is_told_to_measure_less(void **state)
{
    (void)state;
    unfinished(75, 3 * WEIR_PS_PER_MS);
    res.sim_ps = 14 * WEIR_PS_PER_MS;
    res.measured_ps = 12 * WEIR_PS_PER_MS;
    res.stable = false;
    res.arrived_bytes = 970000;
    find(WEIR_VERDICT_SHORT, 2);
    assert_int_equal(found.row[0].number[3], 15 * WEIR_PS_PER_MS);
    assert_int_equal(found.row[0].number[4], 3 * WEIR_PS_PER_MS);
}

/* Less than 98 % is missing only as the messages that wait grow: a tenth is what may be. */
static void growth_alone_makes_a_run_short_too(void **state)
{
    (void)state;
    unfinished(75, 3 * WEIR_PS_PER_MS / 2);
    res.stable = false;
    res.grown_bytes = 450000;
    find(WEIR_VERDICT_SHORT, 2);
    assert_int_equal(found.row[0].number[3], 3 * WEIR_PS_PER_MS / 2); /* 4.5 ms / 3 */
}

static void a_run_whose_messages_are_late_is_unstable(void **state)
{
    (void)state;
    unfinished(75, 16 * WEIR_PS_PER_MS);
    res.unfinished.late_bytes = res.unfinished.bytes / 2 + 1;
    res.stable = false;
    res.arrived_bytes = 910000;
    find(WEIR_VERDICT_UNSTABLE, 2);
    assert_text(0, WEIR_FINDING_BEHIND,
                "91.0 % of what was offered arrived, and 50.0 % of what waits has taken more than twice its usual "
                "time: the network "
                "does not keep up; slowdown and queues grow with the length of the run, so lower the load");
    found = (struct weir_findings){ 0 };
    res.arrived_bytes = 990000;
    res.grown_bytes = 230000;
    find(WEIR_VERDICT_UNSTABLE, 2);
    assert_int_equal(found.row[0].kind, WEIR_FINDING_GROWING);
}

static void overloaded_links_are_named_and_to_blame(void **state)
{
    struct weir_topology topo;
    struct weir_err err;
    const struct weir_topology_config cfg = { .kind = WEIR_LEAF_SPINE,
                                              .hosts = 4,
                                              .racks = 2,
                                              .spines = 2,
                                              .host_link_bps = 1000000000,
                                              .core_link_bps = 1000000000,
                                              .host_delay_ps = 1000,
                                              .core_delay_ps = 1000 };
    struct weir_offered offered = { .count = 1, .fits_ppm = 492000 };
    (void)state;
    assert_int_equal(weir_topology_build(&topo, &cfg, &(struct weir_tok){ 0 }, &err), 0);
    offered.row[0] = (struct weir_offered_class){
        .from_tier = 1, .to_tier = 2, .links = 4, .nodes = 2, .worst = topo.node[4].first_out + 2, .worst_ppm = 1220400
    };
    weir_findings_offered(&found, &offered, &topo);
    assert_text(0, WEIR_FINDING_OVERLOADED,
                "4 uplinks of 2 switches are offered 122 % of their rate, headers included (most: leaf 0 > spine 0); a "
                "load of 49.2 % "
                "of the host links would just fit");
    unfinished(75, 16 * WEIR_PS_PER_MS); /* none is late yet: the run is unstable for all that */
    res.stable = false;
    res.arrived_bytes = 910000;
    find(WEIR_VERDICT_UNSTABLE, 3);
    assert_text(1, WEIR_FINDING_BEHIND,
                "91.0 % of what was offered arrived: with links that are offered more than their rate, slowdown and "
                "queues grow with "
                "the length of the run");
    found = (struct weir_findings){ 0 };
    offered.row[0].nodes = 1;
    offered.row[0].links = 2;
    offered.fits_ppm = 0;
    weir_findings_offered(&found, &offered, &topo);
    assert_text(0, WEIR_FINDING_OVERLOADED,
                "2 uplinks of leaf 0 are offered 122 % of their rate, headers included (most: leaf 0 > spine 0)");
    found = (struct weir_findings){ 0 };
    offered.row[0].links = 1;
    weir_findings_offered(&found, &offered, &topo);
    assert_text(0, WEIR_FINDING_OVERLOADED, "the link leaf 0 > spine 0 is offered 122 % of its rate, headers included");
    found = (struct weir_findings){ 0 };
    offered.row[0] = (struct weir_offered_class){
        .from_tier = 1, .to_tier = 0, .links = 4, .nodes = 4, .worst = topo.node[4].first_out, .worst_ppm = 1220400
    };
    weir_findings_offered(&found, &offered, &topo);
    assert_text(0, WEIR_FINDING_OVERLOADED,
                "the links to 4 hosts are offered 122 % of their rate, headers included (most: leaf 0 > host 0)");
    weir_topology_free(&topo);
}

static void a_run_that_was_cut_off_says_where(void **state)
{
    (void)state;
    res.interrupted = true;
    res.sim_ps = 3 * WEIR_PS_PER_MS / 2;
    res.measured_ps = WEIR_PS_PER_MS / 2;
    find(WEIR_VERDICT_CUT, 1);
    assert_text(0, WEIR_FINDING_CUT,
                "the run was interrupted after 1.500 ms of 2.000 ms: all numbers are of that part");
    found = (struct weir_findings){ 0 };
    res.measured_ps = 0;
    unfinished(4, 1);
    find(WEIR_VERDICT_UNMEASURED, 1);
    assert_text(
        0, WEIR_FINDING_UNMEASURED,
        "the run was interrupted after 1.500 ms of 2.000 ms, in its warm-up: only counts of the whole run are known");
    found = (struct weir_findings){ 0 };
    res.interrupted = false;
    find(WEIR_VERDICT_UNMEASURED, 1);
    assert_text(
        0, WEIR_FINDING_UNMEASURED,
        "the run ended by itself after 1.500 ms of 2.000 ms, in its warm-up: only counts of the whole run are known");
}

static void a_stalled_run_says_what_to_look_for(void **state)
{
    (void)state;
    res.stalled = true;
    unfinished(3, 1);
    run.planned_ps = 0;
    find(WEIR_VERDICT_STALLED, 2);
    assert_int_equal(found.row[0].kind, WEIR_FINDING_STALLED);
    assert_int_equal(found.row[1].kind, WEIR_FINDING_UNFINISHED);
}

/* It was told to wait for all already. */
static void a_run_to_the_last_message_is_not_told_to_be_one(void **state)
{
    (void)state;
    unfinished(2, 0);
    res.interrupted = true;
    run.planned_ps = 0;
    run.endless = false;
    find(WEIR_VERDICT_CUT, 2);
    assert_text(1, WEIR_FINDING_UNFINISHED, "2 of 535 messages unfinished, left out of slowdown: a lower bound");
}

static void endless_flows_are_no_missing_messages(void **state)
{
    (void)state;
    res.messages_started = 2;
    unfinished(2, 0);
    res.unfinished.beyond = 2;
    res.slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_ALL].count = 0;
    find(WEIR_VERDICT_SO_FAR, 1);
    assert_text(0, WEIR_FINDING_BEYOND,
                "2 of 2 messages need ten times this run or more, even alone: slowdown is without them; read goodput, "
                "fairness and queues");
}

/* 8 messages of 10 GB beside an incast that goes on: next to nothing arrived of what was offered, and no length is advised. */
static void endless_flows_that_fill_a_queue_are_not_stable(void **state)
{
    (void)state;
    unfinished(2, 0);
    res.unfinished.beyond = 2;
    res.stable = false;
    res.growth = (struct weir_growth){ .grows = true, .link = 3, .mean_bytes = { 10000, 30000, 50000, 70000 } };
    find(WEIR_VERDICT_GROWS, 2);
    assert_text(0, WEIR_FINDING_QUEUE,
                "the queue of a port grew in every quarter of the measured part: 10.0 KB, 30.0 KB, 50.0 KB, 70.0 KB; "
                "endless flows fill it, and queues grow with the length of the run");
    assert_string_equal(weir_verdict_key(found.verdict), "queue_grows");
}

static void endless_flows_beside_others_ask_for_no_length(void **state)
{
    (void)state;
    unfinished(10, 2 * WEIR_PS_PER_MS);
    res.unfinished.beyond = 8;
    res.stable = false;
    res.offered_bytes = 80000000000;
    find(WEIR_VERDICT_SHORT, 2);
    assert_int_equal(found.row[0].kind, WEIR_FINDING_BEYOND);
    assert_text(1, WEIR_FINDING_UNFINISHED, "2 of 535 messages unfinished, left out of slowdown: a lower bound");
}

static void jobs_and_messages_that_do_not_count_are_told(void **state)
{
    (void)state;
    job[0] = job[1] = job[2] = (struct weir_job_result){ .end_ps = 1 };
    job[1].end_ps = WEIR_NEVER;
    res.jobs = &jobs;
    res.messages_measured = 240;
    res.samples_lost = true;
    find(WEIR_VERDICT_STABLE, 3);
    assert_text(0, WEIR_FINDING_JOBS, "1 of 3 jobs unfinished: no completion time of it");
    assert_text(1, WEIR_FINDING_LEFT_OUT,
                "10 messages are of traffic that does not count in slowdown (traffic.measured; incasts beside "
                "other traffic)");
    assert_text(2, WEIR_FINDING_SAMPLES, "memory ran out for samples: percentiles are of the earlier messages only");
}

static void no_slowdown_at_all_is_told_with_what_helps(void **state)
{
    (void)state;
    res.slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_ALL].count = 0;
    unfinished(16, 3900000000);
    find(WEIR_VERDICT_SO_FAR, 2);
    assert_text(1, WEIR_FINDING_EMPTY,
                "no message that counts in slowdown ended in the measured part; measure at least 4 ms");
    found = (struct weir_findings){ 0 };
    unfinished(16, WEIR_PS_PER_MS); /* as long as this run measured, and they had not ended */
    find(WEIR_VERDICT_SO_FAR, 2);
    assert_text(1, WEIR_FINDING_EMPTY,
                "no message that counts in slowdown ended in the measured part; measure at least 1.5 ms");
    found = (struct weir_findings){ 0 };
    res.messages_started = 0;
    res.unfinished = (struct weir_unfinished){ 0 };
    find(WEIR_VERDICT_UNMEASURED, 1);
    assert_text(0, WEIR_FINDING_EMPTY, "no message started: there is nothing to measure");
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_run_that_ended_lacks_nothing),
        TEST(drops_of_acks_or_credits_alone_are_no_drops_of_data),
        TEST(data_dropped_by_a_failure_is_no_such_finding),
        TEST(data_dropped_in_a_lossless_class_is_a_finding),
        TEST(data_that_was_sent_again_needlessly_is_a_finding),
        TEST(a_limit_of_a_feature_that_was_reached_is_a_finding),
        TEST(a_run_with_unfinished_messages_is_never_plainly_stable),
        TEST(the_slowest_is_told_where_it_is_slower_than_p99),
        TEST(a_short_run_is_told_how_long_to_be),
        TEST(after_a_long_warmup_more_of_the_same_helps),
        TEST(nobody_is_told_to_measure_less),
        TEST(growth_alone_makes_a_run_short_too),
        TEST(a_run_whose_messages_are_late_is_unstable),
        TEST(overloaded_links_are_named_and_to_blame),
        TEST(a_run_that_was_cut_off_says_where),
        TEST(a_stalled_run_says_what_to_look_for),
        TEST(a_run_to_the_last_message_is_not_told_to_be_one),
        TEST(endless_flows_are_no_missing_messages),
        TEST(endless_flows_beside_others_ask_for_no_length),
        TEST(endless_flows_that_fill_a_queue_are_not_stable),
        TEST(jobs_and_messages_that_do_not_count_are_told),
        TEST(no_slowdown_at_all_is_told_with_what_helps),
    };
    return cmocka_run_group_tests_name("output/findings", tests, NULL, NULL);
}
