/* test/prop/test_dcpim.c - dcPIM where what must happen can be computed beforehand: the instants of SIRD's network, one message to the
 * picosecond, a link shared by channels, and messages that arrive once whatever is lost. Engine and oracle agree. */
#include "test/prop/deliveries.h"
#include "proto/dcpim/dcpim_core.h"

#define PROTOCOL(keys)                                                                                                 \
    "protocol: {name: dcpim" keys "}\n"                                                                                \
    "traffic: [{kind: permutation, size: 1 B}]\n"
#define RUN_ALL "run: {warmup: 0 us, measure: all}\n"
/* cRTT 4 * (3.2 ns + 1.375 us) = 5.5128 us; a round 7.16664 us */
#define STAR "topology: {kind: star, hosts: 6, host_link: 100 Gbps, host_delay: 1.375 us, bdp: 72 KB}\n"
#define PACKET_PS UINT64_C(120000)
#define CONTROL_PS UINT64_C(3200)
#define LINK_PS UINT64_C(1375000)
#define ROUND_PS UINT64_C(7166640)
#define START_PS UINT64_C(100000)

/* The sheet's formula by hand: 2 * (2 * 1.25 us + 2 * 0.5 us + 2 * (3.2 ns + 0.8 ns)). */
static void sirds_network_has_the_published_instants(void **state)
{
    (void)state;
    begin("topology: {kind: leaf-spine, hosts: 144, racks: 9, spines: 4, host_link: 100 Gbps, core_link: 400 Gbps, "
          "host_delay: 1.25 us, core_delay: 0.5 us}\n" PROTOCOL(", preset: sird") RUN_ALL);
    const struct weir_path *path = &rig.setup.model.host.path;
    const struct weir_dcpim_config *cfg = rig.setup.model.host.cc_config;
    assert_int_equal(path->control_rtt_ps, 7016000);
    assert_int_equal(path->bdp_bytes, 100000);
    assert_int_equal(path->wire_bytes, 1500);
    assert_false(rig.setup.model.ends_at_sender);
    assert_int_equal(rig.setup.model.classes, 3);
    struct weir_dcpim_times t = weir_dcpim_times(cfg, path->control_rtt_ps, PACKET_PS);
    assert_int_equal(t.round_ps, 9120800);
    assert_int_equal(t.epoch_ps, 36483200);
    assert_int_equal(t.channel_pkts, 76);
    end();
}

/* Of the published program, whose messages end where their ACK arrives. */
static void the_published_program_counts_at_the_sender(void **state)
{
    (void)state;
    begin(STAR PROTOCOL(", preset: published") RUN_ALL);
    assert_true(rig.setup.model.ends_at_sender);
    assert_int_equal(rig.setup.model.classes, 8);
    end();
}

/* A message of one packet: it does not wait for a round. The second one is one packet too long for that. */
static void a_short_message_goes_at_once(void **state)
{
    (void)state;
    begin(STAR PROTOCOL(", short: 1500 B") RUN_ALL);
    list(0, 3, 1460, START_PS);
    list(1, 4, 1461, START_PS);
    (void)run_both();
    /* behind the announcement */
    assert_int_equal(end_of(0), START_PS + CONTROL_PS + 2 * PACKET_PS + 2 * LINK_PS);
    assert_true(end_of(1) > 2 * ROUND_PS);
    end();
}

/* From a token at an instant to the end of its packet, over idle links. */
#define ROUND_TRIP_PS (2 * (CONTROL_PS + LINK_PS) + 2 * (PACKET_PS + LINK_PS))

/* Announced in round 0, requested at the beginning of round 1, accepted at that of round 2. All of the link is one prompt channel: tokens
 * leave from that instant on, a packet time apart. */
static void a_message_alone_takes_two_rounds_and_then_its_packets(void **state)
{
    (void)state;
    begin(STAR PROTOCOL(", short: 1500 B, channels: 1") RUN_ALL);
    list(0, 3, 40 * 1460, START_PS);
    (void)run_both();
    assert_int_equal(end_of(0), 2 * ROUND_PS + 39 * PACKET_PS + ROUND_TRIP_PS);
    end();
    begin(STAR PROTOCOL(", short: 1500 B, channels: 1, prompt: false") RUN_ALL); /* or they wait for the data phase */
    list(0, 3, 40 * 1460, START_PS);
    (void)run_both();
    assert_int_equal(end_of(0), 4 * ROUND_PS + 39 * PACKET_PS + ROUND_TRIP_PS);
    end();
}

/* A channel of four carries 59 packets in a data phase, so one is enough: a token each four packet times. 30 of them go before the data phase
 * begins, which starts the loop anew. */
static void a_channel_has_its_part_of_the_link(void **state)
{
    (void)state;
    begin(STAR PROTOCOL(", short: 1500 B") RUN_ALL);
    list(0, 3, 40 * 1460, START_PS);
    (void)run_both();
    assert_int_equal(2 * ROUND_PS / (4 * PACKET_PS), 29);
    assert_int_equal(end_of(0), 4 * ROUND_PS + 9 * 4 * PACKET_PS + ROUND_TRIP_PS);
    end();
}

/* Eight megabytes from each of four senders to one receiver, or from one sender to four: all of the link is used, but for the first two
 * rounds and a few packets. */
static void a_link_that_is_shared_does_not_rest(void **state)
{
    (void)state;
    for (uint32_t fan_out = 0; fan_out < 2; fan_out++) {
        uint64_t last_ps = 0;
        begin(STAR PROTOCOL("") "run: {warmup: 0 us, measure: all, seed: 3}\n");
        for (uint32_t i = 0; i < 4; i++)
            list(fan_out ? 0 : i, fan_out ? i + 1 : 5, 2000 * 1460, START_PS);
        struct weir_result r = run_both();
        for (uint32_t i = 0; i < seen_count; i++)
            last_ps = weir_max_u64(last_ps, seen[i].end_ps);
        uint64_t least_ps = 2 * ROUND_PS + 8000 * PACKET_PS;
        assert_in_range(last_ps, least_ps, least_ps + least_ps / 10);
        print_message("%s: %ju us of at least %ju, port queue up to %ju B\n", fan_out ? "fan out" : "fan in",
                      (uintmax_t)(last_ps / 1000000), (uintmax_t)(least_ps / 1000000),
                      (uintmax_t)r.port_queue.max_bytes);
        assert_in_range(r.port_queue.max_bytes, 0, 20 * 1500); /* tokens come at the link's rate */
        end();
    }
}

/* Each of 40 messages, short ones and long ones, arrives once, though one packet in 50 is lost, whichever it is. */
static void every_message_arrives_once_though_packets_are_lost(void **state)
{
    (void)state;
    begin(STAR PROTOCOL(", loss_timeout: 40 us") "fabric: {loss: 2%}\n" RUN_ALL);
    for (uint32_t src = 0; src < 5; src++)
        for (uint32_t i = 0; i < 8; i++)
            list(src, (src + 1 + i % 5) % 6, 1 + i * UINT64_C(30011), START_PS + i * WEIR_PS_PER_US);
    struct weir_result r = run_both();
    assert_true(r.retransmissions > 10);
    assert_true(r.timeouts > 10);
    for (uint32_t i = 0; i < seen_count; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_true(seen[i].id != seen[j].id);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sirds_network_has_the_published_instants),
        cmocka_unit_test(the_published_program_counts_at_the_sender),
        cmocka_unit_test(a_short_message_goes_at_once),
        cmocka_unit_test(a_message_alone_takes_two_rounds_and_then_its_packets),
        cmocka_unit_test(a_channel_has_its_part_of_the_link),
        cmocka_unit_test(a_link_that_is_shared_does_not_rest),
        cmocka_unit_test(every_message_arrives_once_though_packets_are_lost),
    };
    return cmocka_run_group_tests_name("prop/dcpim", tests, NULL, NULL);
}
