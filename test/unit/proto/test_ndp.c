/* test/unit/proto/test_ndp.c - drives the protocol by hand: packets of 1000 bytes of payload, 1080 on the wire, at 10 Gb/s. */
#include "core/credit_ops.h"
#include "test/unit/proto/law_bench.h"
#include "proto/ndp/ndp.h"

enum { MSS = 1000, MSGS = 3 };
#define PACKET_PS (1080 * UINT64_C(800))

static struct weir_ndp_config cfg;
static struct weir_ndp_host host;
static struct weir_ndp_tx tx[MSGS];
static struct weir_ndp_rx rx[MSGS];
static char peer[MSGS];
static const struct weir_credit_ops *const ndp = &weir_ndp_ops;

/* A window of four packets. */
static int setup(void **state)
{
    const struct weir_limits limits = {
        .path = { .base_rtt_ps = 8000000, .rate_bps = 10000000000, .bdp_bytes = 10000, .mss_bytes = MSS },
        .framing = { MSS, 60, 20, 84, 84 },
        .ps_per_kbyte = 800000,
    };
    (void)state;
    cfg = (struct weir_ndp_config){ .window = { .bytes = 4999 }, .loss_ps = 2 * WEIR_PS_PER_MS };
    memset(&host, 0xff, sizeof(host));
    memset(tx, 0, sizeof(tx));
    memset(rx, 0, sizeof(rx));
    ndp->init(&cfg, &host, &limits);
    return 0;
}

static struct weir_ndp_tx *message(uint32_t i, uint32_t pkts)
{
    tx[i].msg = (struct weir_tx_msg){ .pkts = pkts, .next_wire_bytes = 1080, .order = i };
    ndp->tx_message(&cfg, &host, &peer[i], &tx[i], 0);
    return &tx[i];
}

/* The message whose packet leaves; MSGS = none may. */
static uint32_t send(void)
{
    struct weir_send out;
    bool ready = ndp->tx_ready(&host);
    assert_int_equal(ndp->tx_next(&cfg, &host, 0, &out), ready);
    if (!ready)
        return MSGS;
    struct weir_ndp_tx *m = out.tx;
    assert_int_equal(out.class_id, 1);
    assert_ptr_equal(out.peer, &peer[m - tx]);
    if (++m->msg.next == m->msg.pkts)
        m->msg.next_wire_bytes = 0;
    ndp->tx_sent(&cfg, &host, out.peer, m);
    return (uint32_t)(m - tx);
}

static void pull(uint32_t i, uint32_t sequence)
{
    ndp->tx_credit(&cfg, &host, &peer[i], &tx[i], &(struct weir_credit){ .pkts = 1, .sequence = sequence });
}

static void a_window_goes_at_once_and_the_rest_is_pulled(void **state)
{
    (void)state;
    assert_int_equal(message(0, 7)->msg.unsched_pkts, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(send(), 0);
    assert_int_equal(send(), MSGS);
    pull(0, 1);
    assert_int_equal(send(), 0);
    assert_int_equal(send(), MSGS);
    pull(0, 3); /* the second one was lost: the third makes up for it */
    assert_int_equal(send(), 0);
    pull(0, 2); /* or was late */
    assert_int_equal(send(), 0);
    assert_int_equal(send(), MSGS);
    pull(0, 4); /* nothing is left to send */
    assert_int_equal(send(), MSGS);
}

static void a_short_message_goes_whole(void **state)
{
    (void)state;
    assert_int_equal(message(0, 3)->msg.unsched_pkts, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(send(), 0);
    assert_int_equal(send(), MSGS);
}

static void messages_take_turns(void **state)
{
    static const uint32_t want[] = { 0, 1, 2, 0, 2, 0, 2, 0, MSGS };
    (void)state;
    (void)message(0, 9);
    (void)message(1, 1);
    (void)message(2, 3);
    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
        assert_int_equal(send(), want[i]);
}

/* A pull for a message that is over changes nothing; one that goes again needs a pull as well. */
static void a_message_that_is_over_sends_no_more(void **state)
{
    (void)state;
    (void)message(0, 9);
    (void)message(1, 9);
    ndp->tx_done(&cfg, &host, &peer[0], &tx[0]);
    ndp->tx_credit(&cfg, &host, &peer[0], NULL, &(struct weir_credit){ .pkts = 1, .sequence = 9 });
    for (int i = 0; i < 4; i++)
        assert_int_equal(send(), 1);
    assert_int_equal(send(), MSGS);
    tx[1].msg.again_pkts = 1;
    ndp->tx_again(&cfg, &host, &peer[1], &tx[1]);
    assert_int_equal(send(), MSGS);
    pull(1, 1);
    assert_int_equal(send(), 1);
}

/* Another's turn does not come earlier for it. */
static void a_message_that_ends_in_the_middle_leaves_the_order_as_it_was(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MSGS; i++)
        (void)message(i, 9);
    ndp->tx_done(&cfg, &host, &peer[1], &tx[1]);
    assert_int_equal(send(), 0);
    assert_int_equal(send(), 2);
    assert_int_equal(send(), 0);
}

/* Pulls are modulo 2^32. */
static void counts_of_pulls_go_round(void **state)
{
    (void)state;
    (void)message(0, 9);
    for (int i = 0; i < 4; i++)
        assert_int_equal(send(), 0);
    tx[0].pulled = UINT32_MAX;
    pull(0, 1);
    assert_int_equal(send(), 0);
    assert_int_equal(send(), 0);
    assert_int_equal(send(), MSGS);
}

static void arriving(uint32_t i, uint32_t pkts)
{
    rx[i].msg = (struct weir_rx_msg){ .pkts = pkts, .unsched_pkts = 4, .granted = 4, .order = i };
    rx[i].msg.grant_wire_bytes = pkts > 4 ? 1080 : 0;
    ndp->rx_message(&cfg, &host, &peer[i], &rx[i], 0);
}

static bool data(uint32_t i, uint32_t flags)
{
    const struct weir_data d = { .flags = flags };
    return ndp->rx_packet(&cfg, &host, &peer[i], &rx[i], &d);
}

/* A pull leaves at an instant. @return the message; MSGS = none is due */
static uint32_t pull_at(uint64_t now_ps, uint32_t sequence)
{
    struct weir_grant out;
    if (ndp->rx_next_ps(&cfg, &host, now_ps) > now_ps)
        return MSGS;
    assert_true(ndp->rx_next(&cfg, &host, now_ps, &out));
    struct weir_ndp_rx *m = out.rx;
    assert_int_equal(out.pkts, 1);
    assert_int_equal(out.class_id, 1);
    assert_int_equal(out.sequence, sequence);
    assert_ptr_equal(out.peer, &peer[m - rx]);
    if (++m->msg.granted == m->msg.pkts)
        m->msg.grant_wire_bytes = 0;
    ndp->rx_granted(&cfg, &host, &out, now_ps);
    return (uint32_t)(m - rx);
}

/* One pull per packet that arrived, one per packet time. */
static void pulls_are_paced_by_the_link(void **state)
{
    (void)state;
    arriving(0, 9);
    assert_true(ndp->rx_next_ps(&cfg, &host, 5) == WEIR_NEVER);
    assert_true(data(0, WEIR_DATA_PAYLOAD));
    assert_true(data(0, WEIR_DATA_PAYLOAD | WEIR_DATA_KNOWN));
    assert_false(data(0, 0)); /* a request: pulls nothing */
    assert_int_equal(pull_at(5, 1), 0);
    assert_true(ndp->rx_next_ps(&cfg, &host, 6) == 5 + PACKET_PS);
    assert_int_equal(pull_at(4 + PACKET_PS, 2), MSGS);
    assert_int_equal(pull_at(5 + PACKET_PS, 2), 0);
    assert_true(ndp->rx_next_ps(&cfg, &host, 9 * PACKET_PS) == WEIR_NEVER);
    assert_true(data(0, WEIR_DATA_PAYLOAD)); /* after a rest the pace begins anew */
    assert_int_equal(pull_at(9 * PACKET_PS, 3), 0);
    assert_true(data(0, WEIR_DATA_PAYLOAD));
    assert_true(ndp->rx_next_ps(&cfg, &host, 9 * PACKET_PS) == 10 * PACKET_PS);
}

static void pulls_go_round_the_messages(void **state)
{
    (void)state;
    arriving(0, 9);
    arriving(1, 6);
    for (int i = 0; i < 4; i++)
        (void)data(0, WEIR_DATA_PAYLOAD);
    for (int i = 0; i < 4; i++)
        (void)data(1, WEIR_DATA_PAYLOAD);
    assert_int_equal(pull_at(0, 1), 0);
    assert_int_equal(pull_at(PACKET_PS, 1), 1);
    assert_int_equal(pull_at(2 * PACKET_PS, 2), 0);
    assert_int_equal(pull_at(3 * PACKET_PS, 2), 1); /* its last one */
    assert_int_equal(pull_at(4 * PACKET_PS, 3), 0);
    ndp->rx_done(&cfg, &host, &peer[0], &rx[0]);
    assert_true(ndp->rx_next_ps(&cfg, &host, 0) == WEIR_NEVER);
}

/* All that was due is to be pulled again: the message may have a whole window of pulls. */
static void silence_begins_a_window_anew(void **state)
{
    (void)state;
    arriving(0, 4);
    assert_true(ndp->rx_silent(&cfg, &host, &peer[0], &rx[0], 7));
    assert_true(ndp->rx_next_ps(&cfg, &host, 7) == WEIR_NEVER); /* until the host says what is lost */
    rx[0].msg.granted = 0;
    rx[0].msg.grant_wire_bytes = 1080;
    ndp->rx_again(&cfg, &host, &peer[0], &rx[0]);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(pull_at(7 + i * PACKET_PS, i + 1), 0);
    assert_int_equal(pull_at(7 + 4 * PACKET_PS, 0), MSGS);
    assert_true(ndp->rx_silent(&cfg, &host, &peer[0], &rx[0], WEIR_PS_PER_MS));
}

/* Others come before it. */
static void a_message_that_waits_for_its_turn_is_not_lost(void **state)
{
    (void)state;
    arriving(0, 9);
    (void)data(0, WEIR_DATA_PAYLOAD);
    assert_false(ndp->rx_silent(&cfg, &host, &peer[0], &rx[0], WEIR_PS_PER_MS));
    assert_int_equal(pull_at(WEIR_PS_PER_MS, 1), 0);
    assert_int_equal(pull_at(2 * WEIR_PS_PER_MS, 0), MSGS);
}

/* Pulls went for packets that had come already, and what they brought was lost: nothing is due, and yet it must go on. */
static void silence_goes_on_where_nothing_is_due(void **state)
{
    (void)state;
    arriving(0, 9);
    rx[0].msg.cum = rx[0].msg.granted;
    assert_true(ndp->rx_silent(&cfg, &host, &peer[0], &rx[0], WEIR_PS_PER_MS));
    assert_int_equal(pull_at(WEIR_PS_PER_MS, 1), 0);
}

static void keys_that_do_not_fit_are_refused(void **state)
{
    const struct weir_path path = { .base_rtt_ps = WEIR_PS_PER_MS, .mss_bytes = MSS };
    (void)state;
    assert_null(law_check(weir_ndp_check, &cfg, &path));
    cfg.loss_ps--;
    assert_non_null(law_check(weir_ndp_check, &cfg, &path));
    cfg.loss_ps = 0;
    assert_null(law_check(weir_ndp_check, &cfg, &path));
    cfg.window.bytes = MSS - 1;
    assert_non_null(law_check(weir_ndp_check, &cfg, &path));
    cfg.window.bytes = UINT64_C(8193) * MSS - 1;
    assert_null(law_check(weir_ndp_check, &cfg, &path));
    cfg.window.bytes++;
    assert_non_null(law_check(weir_ndp_check, &cfg, &path));
    assert_int_equal(ndp->control_class(&cfg), 0);
    assert_int_equal(ndp->data_class(&cfg), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_window_goes_at_once_and_the_rest_is_pulled, setup),
        cmocka_unit_test_setup(a_short_message_goes_whole, setup),
        cmocka_unit_test_setup(messages_take_turns, setup),
        cmocka_unit_test_setup(a_message_that_is_over_sends_no_more, setup),
        cmocka_unit_test_setup(a_message_that_ends_in_the_middle_leaves_the_order_as_it_was, setup),
        cmocka_unit_test_setup(counts_of_pulls_go_round, setup),
        cmocka_unit_test_setup(pulls_are_paced_by_the_link, setup),
        cmocka_unit_test_setup(pulls_go_round_the_messages, setup),
        cmocka_unit_test_setup(silence_begins_a_window_anew, setup),
        cmocka_unit_test_setup(a_message_that_waits_for_its_turn_is_not_lost, setup),
        cmocka_unit_test_setup(silence_goes_on_where_nothing_is_due, setup),
        cmocka_unit_test_setup(keys_that_do_not_fit_are_refused, setup),
    };
    return cmocka_run_group_tests_name("proto/ndp", tests, NULL, NULL);
}
