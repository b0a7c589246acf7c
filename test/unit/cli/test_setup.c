/* test/unit/cli/test_setup.c - what only sections together can get wrong: code, place, sentence and hint of every refusal; and how sizes,
 * thresholds and tolerances come out in the model. Base RTT of the star: 2 (1538 + 84) * 800 + 8000000 ps = 10595200, BDP 13244 B. */
#include "test/unit/weir_test.h"
#include "cli/setup.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct weir_scenario scn;
static struct weir_setup setup;
static struct weir_err err;
static bool is_set_up;

static int begin(void **state)
{
    (void)state;
    is_set_up = false;
    memset(&scn, 0, sizeof(scn));
    return 0;
}

static int end(void **state)
{
    (void)state;
    if (is_set_up)
        weir_setup_free(&setup);
    weir_scenario_free(&scn);
    return 0;
}

static void read(const char *text)
{
    if (weir_scenario_parse(&scn, "dir/a.yaml", text, strlen(text), NULL, 0, &err) != 0)
        fail_msg("%s:%" PRIu32 ": %s", err.file, err.line, err.text);
}

static void is_refused(enum weir_err_code code, uint32_t line, const char *text, const char *hint)
{
    int answer = weir_setup_init(&setup, &scn, &err);
    is_set_up = answer == 0;
    assert_int_equal(answer, code);
    assert_string_equal(err.text, text);
    assert_int_equal(err.code, code);
    assert_string_equal(err.hint, hint);
    assert_int_equal(err.line, line);
    assert_string_equal(err.file, line != 0 ? "dir/a.yaml" : "");
    assert_null(setup.topo.node); /* nothing is left to free */
    assert_null(setup.workload.listed);
}

static void refuses(const char *text, enum weir_err_code code, uint32_t line, const char *message, const char *hint)
{
    read(text);
    is_refused(code, line, message, hint);
}

static const struct weir_model *accepts(const char *text)
{
    read(text);
    if (weir_setup_init(&setup, &scn, &err) != 0)
        fail_msg("%s:%" PRIu32 ": %s", err.file, err.line, err.text);
    is_set_up = true;
    return &setup.model;
}

#define STAR "topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 2 us}\n" /* line 1 */
#define LEAVES "topology: {kind: leaf-spine, hosts: 4, racks: 2, spines: 2}\n"
#define PERM "traffic: [{kind: permutation, size: 1 KB}]\n"
#define RUN "run: {warmup: 0 us, measure: 1 ms}\n"

/* --- fabric --- */

static void alpha_without_a_limited_buffer_is_refused(void **state)
{
    (void)state;
    refuses(STAR "fabric: {alpha: 1}\n" PERM RUN, WEIR_E_CONFLICT, 2,
            "fabric: alpha shares out a limited buffer, and the buffer is unlimited",
            "set fabric.buffer, for example 16 MB");
}

/* What bytes alone can tell is refused by config/; here a BDP has become bytes. */
static void a_ramp_that_falls_once_the_bdp_is_known_is_refused(void **state)
{
    (void)state;
    refuses(STAR "fabric:\n  priorities: 2\n  ecn: {kmin: 1 BDP, kmax: 13243 B}\n" PERM RUN, WEIR_E_CONFLICT, 4,
            "ecn: a ramp needs kmin and kmax, and kmin may not be above kmax",
            "for example ecn: {kmin: 100 KB, kmax: 400 KB, pmax: 20%}");
}

static void half_a_ramp_is_refused_whoever_made_the_scenario(void **state)
{
    static const char *const text = "ecn: a ramp needs kmin and kmax, and kmin may not be above kmax";
    static const char *const hint = "for example ecn: {kmin: 100 KB, kmax: 400 KB, pmax: 20%}";
    (void)state;
    read(STAR "fabric: {ecn: {kmin: 1 KB, kmax: 2 KB}}\n" PERM RUN);
    scn.ecn.kmax = (struct weir_size){ .bytes = UINT64_MAX };
    is_refused(WEIR_E_CONFLICT, 2, text, hint);
    scn.ecn.kmax = (struct weir_size){ .bytes = 2000 };
    scn.ecn.kmin = (struct weir_size){ .bytes = UINT64_MAX };
    is_refused(WEIR_E_CONFLICT, 2, text, hint);
}

static void a_threshold_in_bdp_becomes_bytes_and_marks_as_a_ramp_of_no_width(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(STAR "fabric: {ecn: {threshold: 1.5 BDP, where: core}}\n" PERM RUN);
    assert_int_equal(setup.base_rtt_ps, 10595200);
    assert_int_equal(setup.bdp_bytes, 13244);
    assert_int_equal(m->mark.kmin_bytes, 19866);
    assert_int_equal(m->mark.kmax_bytes, 19866);
    assert_int_equal(m->ecn_where, WEIR_ECN_CORE);
    assert_int_equal(m->group_edge[0], 1460);
    assert_int_equal(m->group_edge[1], 13244);
    assert_int_equal(m->group_edge[2], 8 * 13244);
}

static void alpha_is_rounded_down_to_1024ths_but_never_to_off(void **state)
{
    (void)state;
    assert_int_equal(accepts(STAR "fabric: {buffer: 1 MB, alpha: 0.5}\n" PERM RUN)->buffer.alpha_q10, 512);
    (void)end(NULL);
    (void)begin(NULL);
    assert_int_equal(accepts(STAR "fabric: {buffer: 1 MB, alpha: 0.000001}\n" PERM RUN)->buffer.alpha_q10, 1);
    (void)end(NULL);
    (void)begin(NULL);
    assert_int_equal(accepts(STAR "fabric: {buffer: 1 MB}\n" PERM RUN)->buffer.alpha_q10, 0);
}

/* --- events --- */

static void a_cable_that_is_not_there_is_refused(void **state)
{
    static const char *const hint = "the two ends of a cable as in 'leaf 0 - spine 1' or 'host 3 - leaf 0'";
    static const struct {
        const char *link, *text;
    } row[] = {
        { "leaf 0 - leaf 1", "events[0]: there is no cable 'leaf 0 - leaf 1'" }, /* both exist, no cable between them */
        { "leaf 0 - spine 2", "events[0]: there is no cable 'leaf 0 - spine 2'" },
        { "host 3 - leaf 0", "events[0]: there is no cable 'host 3 - leaf 0'" },
        { "leaf 0", "events[0]: there is no cable 'leaf 0'" },
        { "leaf 0-spine 1", "events[0]: there is no cable 'leaf 0-spine 1'" },
        { "- ", "events[0]: there is no cable '- '" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char text[512];
        (void)snprintf(text, sizeof(text), LEAVES "fabric:\n  events:\n    - {at: 1 us, link: '%s'}\n" PERM RUN,
                       row[i].link);
        refuses(text, WEIR_E_UNKNOWN, 4, row[i].text, hint);
        (void)end(NULL);
        (void)begin(NULL);
    }
}

static void two_events_of_a_cable_at_once_are_refused_from_whichever_end(void **state)
{
    (void)state;
    refuses(LEAVES "fabric:\n  events:\n    - {at: 1 us, link: leaf 0 - spine 1}\n    - {at: 2 us, link: leaf 0 - "
                   "spine 1, action: up}\n"
                   "    - {at: 1 us, link: spine 1 - leaf 0, action: up}\n" PERM RUN,
            WEIR_E_CONFLICT, 6, "events[2]: 'spine 1 - leaf 0' has another event at the same time", "");
}

static void events_are_sorted_by_time_and_named_by_the_lower_link(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(LEAVES "fabric:\n  events:\n    - {at: 2 us, link: spine 1 - leaf 0, action: up}\n"
                       "    - {at: 2 us, link: leaf 0 - host 0}\n    - {at: 1 us, link: leaf 0 - spine 1}\n" PERM RUN);
    assert_int_equal(m->event_count, 3);
    assert_int_equal(m->event[0].at_ps, 1000000);
    assert_false(m->event[0].up);
    assert_int_equal(m->event[1].link, 0); /* host 0's */
    assert_int_equal(m->event[2].link, m->event[0].link);
    assert_true(m->event[2].up);
    assert_true(m->event[0].link < m->topo->link[m->event[0].link].reverse);
}

/* --- protocol and host --- */

static void a_protocol_that_needs_marks_is_refused_where_nobody_marks(void **state)
{
    (void)state;
    refuses(STAR "protocol:\n  name: dctcp\nfabric: {ecn: {threshold: off}}\n" PERM RUN, WEIR_E_CONFLICT, 3,
            "protocol dctcp needs ECN marking, and the fabric does not mark",
            "set fabric: {ecn: {threshold: 1 BDP}} or another threshold");
}

static void a_protocol_refuses_what_does_not_fit_the_path(void **state)
{
    (void)state;
    refuses(STAR "protocol: {name: dctcp, init_cwnd: 1459 B}\n" PERM RUN, WEIR_E_CONFLICT, 2,
            "protocol dctcp: init_cwnd is less than one packet", "");
}

static void timeouts_out_of_order_are_refused(void **state)
{
    static const char *const hint = "rto_min <= rto_init <= rto_max; without a preset they are 1 ms, 5 ms and 1 s";
    static const struct {
        const char *host, *text;
    } row[] = {
        { "{rto_min: 2 ms, rto_max: 1999999999 ps}", "host: rto_min is above rto_max" },
        { "{rto_min: 6 ms}", "host: rto_min is above rto_init" },
        { "{rto_init: 999 us}", "host: rto_min is above rto_init" },
        { "{rto_max: 2 ms}", "host: rto_init is above rto_max" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char text[512];
        (void)snprintf(text, sizeof(text), STAR "host: %s\n" PERM RUN, row[i].host);
        refuses(text, WEIR_E_CONFLICT, 0, row[i].text, hint);
        (void)end(NULL);
        (void)begin(NULL);
    }
    (void)accepts(STAR "host: {rto_min: 2 ms, rto_init: 2 ms, rto_max: 2 ms}\n" PERM RUN);
}

/* The rows of `framing` keep frames below this; a scenario from elsewhere is held to it too. */
static void frames_beyond_the_largest_are_refused(void **state)
{
    static const char *const hint = "jumbo frames have a payload of up to about 8900 B";
    (void)state;
    read(STAR PERM RUN);
    scn.framing.payload_bytes = 9651; /* + 58 + 20 = 9729 */
    is_refused(WEIR_E_RANGE, 0, "framing: a full packet takes 9729 B on the wire; at most 9728 B are possible", hint);
    scn.framing.payload_bytes = 9650;
    assert_int_equal(weir_setup_init(&setup, &scn, &err), 0);
    is_set_up = true;
}

static void spraying_tolerates_a_bdp_of_reordering_and_flows_three_packets(void **state)
{
    static const struct {
        const char *text;
        uint32_t pkts;
        enum weir_host_hash hash;
    } row[] = {
        { STAR PERM RUN, 3, WEIR_HASH_FLOW },
        { STAR "fabric: {routing: symmetric}\n" PERM RUN, 3, WEIR_HASH_SYMMETRIC },
        { STAR "fabric: {routing: spray}\n" PERM RUN, 9, WEIR_HASH_PACKET }, /* 13244 / 1460 */
        { STAR "host: {reorder: 17}\nfabric: {routing: spray}\n" PERM RUN, 17, WEIR_HASH_PACKET },
        { STAR "framing: {payload: 9000 B}\nfabric: {routing: spray}\n" PERM RUN, 3,
          WEIR_HASH_PACKET }, /* 2 would be less */
        { "topology: {kind: star, hosts: 3, host_delay: 1 ms}\nfabric: {routing: spray}\n" PERM RUN,
          WEIR_HOST_WINDOW_PKTS / 4, WEIR_HASH_PACKET },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const struct weir_model *m = accepts(row[i].text);
        assert_int_equal(m->host.params.reorder_pkts, row[i].pkts);
        assert_int_equal(m->host.hash, row[i].hash);
        (void)end(NULL);
        (void)begin(NULL);
    }
}

/* --- traffic and run --- */

static void messages_of_many_packets_are_refused_without_acknowledgements(void **state)
{
    static const char *const hint = "use sizes of one packet, for example sizes: 1460 B";
    (void)state;
    refuses(STAR "protocol: none\ntraffic: [{kind: permutation, size: 1461 B}]\n" RUN, WEIR_E_CONFLICT, 2,
            "protocol none sends single packets of up to 1460 B, and the traffic has messages of up to 1461 B", hint);
    (void)end(NULL);
    (void)begin(NULL);
    refuses(STAR "protocol:\n  name: none\ntraffic: [{kind: poisson, sizes: 2 KB, load: 10%}]\n" RUN, WEIR_E_CONFLICT,
            3, "protocol none sends single packets of up to 1460 B, and the traffic has messages of up to 2000 B",
            hint);
    (void)end(NULL);
    (void)begin(NULL);
    (void)accepts(
        STAR
        "protocol: none\ntraffic: [{kind: permutation, size: 1460 B}, {kind: poisson, sizes: 1 B, load: 10%}]\n" RUN);
}

static void waiting_for_the_end_of_endless_traffic_is_refused(void **state)
{
    static const char *const hint = "say stop, or a time for run.measure";
    (void)state;
    refuses(STAR "traffic:\n  - {kind: permutation, size: 1 KB}\n  - {kind: poisson, sizes: 1 KB, load: 10%}\n"
                 "run: {measure: all}\n",
            WEIR_E_CONFLICT, 4, "poisson traffic without an end: the run would never finish", hint);
    (void)end(NULL);
    (void)begin(NULL);
    refuses(STAR "traffic:\n  - {kind: incast, fan_in: 2, size: 1 KB, load: 10%}\nrun: {measure: all}\n",
            WEIR_E_CONFLICT, 3, "incast traffic without an end: the run would never finish", hint);
}

static void measure_all_takes_traffic_that_ends(void **state)
{
    const struct weir_model *m;
    (void)state;
    m = accepts(STAR "traffic: [{kind: poisson, sizes: 1 KB, load: 10%, stop: 1 ms}]\nrun: {measure: all}\n");
    assert_true(m->until_done);
    assert_int_equal(m->measure_ps, 0);
}

static void errors_of_the_rooms_below_are_passed_on(void **state)
{
    (void)state;
    read("topology: {kind: leaf-spine, hosts: 5, racks: 2}\n" PERM RUN);
    assert_int_equal(weir_setup_init(&setup, &scn, &err), WEIR_E_CONFLICT);
    assert_int_equal(err.line, 1);
    (void)end(NULL);
    (void)begin(NULL);
    read(STAR "traffic: [{kind: poisson, sizes: nowhere, load: 10%}]\n" RUN);
    assert_int_equal(weir_setup_init(&setup, &scn, &err), WEIR_E_UNKNOWN);
    assert_int_equal(err.line, 2);
    assert_null(setup.topo.node);
}

/* Slowdown tables are about what is not incast, unless there is nothing else. */
static void incast_is_background_only_when_alone(void **state)
{
    (void)state;
    assert_int_equal(
        accepts(
            STAR
            "traffic: [{kind: incast, fan_in: 2, size: 1 KB, load: 5%}, {kind: poisson, sizes: 1 KB, load: 5%}]\n" RUN)
            ->background_items,
        2);
    (void)end(NULL);
    (void)begin(NULL);
    assert_int_equal(accepts(STAR "traffic: [{kind: incast, fan_in: 2, size: 1 KB, load: 5%}]\n" RUN)->background_items,
                     1);
}

static void the_payload_rate_is_the_slower_of_host_and_core(void **state)
{
    (void)state;
    assert_int_equal(accepts("topology: {kind: dumbbell, hosts: 4, host_link: 25 Gbps, core_link: 10 Gbps}\n" PERM RUN)
                         ->payload_rate_bps,
                     UINT64_C(10000000000));
    (void)end(NULL);
    (void)begin(NULL);
    assert_int_equal(accepts("topology: {kind: dumbbell, hosts: 4, host_link: 25 Gbps, core_link: 100 Gbps}\n" PERM RUN)
                         ->payload_rate_bps,
                     UINT64_C(25000000000));
}

#define SETUP_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SETUP_TEST(alpha_without_a_limited_buffer_is_refused),
        SETUP_TEST(a_ramp_that_falls_once_the_bdp_is_known_is_refused),
        SETUP_TEST(half_a_ramp_is_refused_whoever_made_the_scenario),
        SETUP_TEST(a_threshold_in_bdp_becomes_bytes_and_marks_as_a_ramp_of_no_width),
        SETUP_TEST(alpha_is_rounded_down_to_1024ths_but_never_to_off),
        SETUP_TEST(a_cable_that_is_not_there_is_refused),
        SETUP_TEST(two_events_of_a_cable_at_once_are_refused_from_whichever_end),
        SETUP_TEST(events_are_sorted_by_time_and_named_by_the_lower_link),
        SETUP_TEST(a_protocol_that_needs_marks_is_refused_where_nobody_marks),
        SETUP_TEST(a_protocol_refuses_what_does_not_fit_the_path),
        SETUP_TEST(timeouts_out_of_order_are_refused),
        SETUP_TEST(frames_beyond_the_largest_are_refused),
        SETUP_TEST(spraying_tolerates_a_bdp_of_reordering_and_flows_three_packets),
        SETUP_TEST(messages_of_many_packets_are_refused_without_acknowledgements),
        SETUP_TEST(waiting_for_the_end_of_endless_traffic_is_refused),
        SETUP_TEST(measure_all_takes_traffic_that_ends),
        SETUP_TEST(errors_of_the_rooms_below_are_passed_on),
        SETUP_TEST(incast_is_background_only_when_alone),
        SETUP_TEST(the_payload_rate_is_the_slower_of_host_and_core),
    };
    return cmocka_run_group_tests_name("cli/setup", tests, NULL, NULL);
}
