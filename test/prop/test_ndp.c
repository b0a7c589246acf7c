/* test/prop/test_ndp.c - NDP where what must happen can be computed beforehand: senders that share a receiver get equal parts of its
 * downlink, which never rests; and every message arrives once whatever packets are lost. Engine and oracle agree. */
#include "test/prop/deliveries.h"

/* 5.76 us of round trip; packets of 1458 B, 1538 B on the wire, 123040 ps at 100 Gb/s. */
#define STAR(protocol, fabric)                                                                                         \
    "topology: {kind: star, hosts: 5, host_link: 100 Gbps, host_delay: 1.375 us, bdp: 72 KB}\n"                        \
    "protocol: {name: ndp" protocol "}\n" fabric                                                                       \
    "traffic: [{kind: permutation, size: 1 B}]\nrun: {warmup: 0 us, measure: all}\n"
#define PACKET_PS UINT64_C(123040)
#define LINK_PS UINT64_C(1375000)
#define START_PS UINT64_C(100000)

/* A message alone takes its packets one after another, over two links. */
static void one_sender_has_the_whole_link(void **state)
{
    (void)state;
    begin(STAR("", ""));
    list(0, 3, 1000 * 1458, START_PS);
    (void)run_both();
    assert_int_equal(end_of(0), START_PS + 1001 * PACKET_PS + 2 * LINK_PS);
    end();
}

/* Both windows fill the downlink, and pulls alternate: 2000 packets one after another, and nobody is ahead by more than one. */
static void two_senders_share_a_receiver_equally(void **state)
{
    (void)state;
    begin(STAR("", ""));
    list(0, 3, 1000 * 1458, START_PS);
    list(1, 3, 1000 * 1458, START_PS);
    struct weir_result r = run_both();
    assert_int_equal(end_of(1), START_PS + 2001 * PACKET_PS + 2 * LINK_PS);
    assert_int_equal(end_of(0), end_of(1) - PACKET_PS);
    /* Windows of 49 packets come together, and one of them waits. While they leave their hosts the first pulls arrive, after 46.8
     * packet times. */
    assert_in_range(r.port_queue.max_bytes, 49 * 1538, 53 * 1538);
    end();
}

/* Of three messages to a receiver each pulls a third, though two share an uplink. Those two are behind by what the uplink took
 * longer for their windows: half a window of 49 packets each. */
static void messages_share_and_not_senders(void **state)
{
    (void)state;
    begin(STAR("", ""));
    list(0, 3, 500 * 1458, START_PS);
    list(0, 3, 500 * 1458, START_PS);
    list(1, 3, 500 * 1458, START_PS);
    (void)run_both();
    assert_in_range(end_of(1), START_PS + (1501 - 49 - 3) * PACKET_PS + 2 * LINK_PS,
                    START_PS + (1501 - 49 + 3) * PACKET_PS + 2 * LINK_PS);
    end();
}

/* Each of 32 messages arrives once, though one packet in 50 is lost, whichever it is. */
static void every_message_arrives_once_though_packets_are_lost(void **state)
{
    (void)state;
    begin(STAR(", loss_timeout: 40 us", "fabric: {loss: 2%}\n"));
    for (uint32_t src = 0; src < 4; src++)
        for (uint32_t i = 0; i < 8; i++)
            list(src, (src + 1 + i % 4) % 5, 1 + i * UINT64_C(30011), START_PS + i * WEIR_PS_PER_US);
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
        cmocka_unit_test(one_sender_has_the_whole_link),
        cmocka_unit_test(two_senders_share_a_receiver_equally),
        cmocka_unit_test(messages_share_and_not_senders),
        cmocka_unit_test(every_message_arrives_once_though_packets_are_lost),
    };
    return cmocka_run_group_tests_name("prop/ndp", tests, NULL, NULL);
}
