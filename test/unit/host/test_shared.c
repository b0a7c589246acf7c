/* test/unit/host/test_shared.c - laws with one state per destination, and receiver halves with one state per host. Times: a packet of
 * 1100 B takes 88 ns of the link, 880 ns at 10 Gb/s. */
#include "pair.h"
#include "core/credit.h"

enum { RATE_PS = 880000, ARRIVES_PS = 88000 + 5000000 }; /* the first packet, at host 1 */

static struct weir_cc_ops ops;
static uint64_t first_rate_bps;
static uint32_t first_cwnd_bytes, starts, heard, begun, ended, told;
static struct weir_notice notice;
static uint64_t notice_at_ps; /* the receiver half speaks then; WEIR_NEVER = as soon as it is asked */

static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = first_rate_bps, .timer_ps = WEIR_NEVER, .cwnd_bytes = first_cwnd_bytes };
}

static void law_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    (void)cc, (void)config, (void)now_ps;
    starts++;
}

static void law_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *n)
{
    (void)config;
    notice = *n;
    heard++;
    cc->rate_bps = n->value;
}

static struct pair *law_reset(void)
{
    struct pair *p = pair_reset();
    ops = (struct weir_cc_ops){ .name = "law",
                                .state_bytes = sizeof(struct weir_cc),
                                .init = law_init,
                                .on_start = law_on_start,
                                .on_notice = law_on_notice,
                                .per_peer = true };
    first_rate_bps = 10000000000;
    first_cwnd_bytes = 100 * PAIR_MSS;
    starts = heard = begun = ended = told = 0;
    notice_at_ps = WEIR_NEVER;
    p->cfg.cc = &ops;
    return p;
}

static void messages_to_one_host_leave_one_after_another_at_one_rate(void **state)
{
    struct pair *p = law_reset();
    (void)state;
    pair_start(p);
    pair_send(p, 0, 5 * PAIR_MSS);
    pair_send(p, 1, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
    assert_int_equal(p->logged, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(p->log[i].msg, i >= 5);
        assert_int_equal(p->log[i].sent_ps, i * (uint64_t)RATE_PS);
    }
    assert_int_equal(weir_host_stats(p->host[0])->connections, 2);
}

/* Software begins with a message when the one before has left: its last packet ends 88 ns after it began. */
static void the_overhead_of_messages_to_one_host_does_not_overlap(void **state)
{
    struct pair *p = law_reset();
    (void)state;
    p->cfg.params.overhead_ps = 2 * PAIR_US;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_send(p, 1, 2 * PAIR_MSS);
    pair_send(p, 2, PAIR_MSS);
    pair_run(p, 50 * PAIR_US);
    p->now_ps = 50 * PAIR_US;
    pair_send(p, 3, 2 * PAIR_MSS);
    pair_run(p, 52500000); /* one of its packets has left */
    pair_send(p, 4, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 5);
    const uint64_t want_ps[] = { 2000000, 2880000, 3760000, 5848000, 6728000, 8816000, 52000000, 52880000, 54968000 };
    for (uint32_t i = 0; i < 9; i++)
        assert_int_equal(p->log[i].sent_ps, want_ps[i]);
}

/* A notice brings the line's rate while software works: what was held stays held. */
static void a_faster_rate_does_not_shorten_the_overhead(void **state)
{
    struct pair *p = law_reset();
    struct weir_pkt pkt = {
        .kind = WEIR_PKT_NOTICE, .conn = WEIR_PKT_NO_CONN, .src = 1, .dst = 0, .seq = 7, .value = UINT64_C(50000000000)
    };
    (void)state;
    p->cfg.params.overhead_ps = 2 * PAIR_US;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    weir_host_rx(p->host[0], 0, &pkt, 1);
    assert_int_equal(heard, 1);
    assert_int_equal(weir_host_next_ps(p->host[0]), 2 * PAIR_US);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->log[0].sent_ps, 2 * PAIR_US);
}

static void all_connections_to_a_host_share_its_window(void **state)
{
    struct pair *p = law_reset();
    (void)state;
    first_rate_bps = WEIR_RATE_OPEN;
    first_cwnd_bytes = 4 * PAIR_MSS;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_send(p, 1, 3 * PAIR_MSS);
    pair_run(p, ARRIVES_PS);
    assert_int_equal(p->logged, 4);
    assert_int_equal(p->log[3].msg, 1);
    assert_int_equal(p->log[3].sent_ps, 3 * 88000);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
    assert_int_equal(p->log[4].sent_ps, ARRIVES_PS + 8000 + 5000000); /* the first ACK is there */
}

static void a_message_starts_the_law_where_no_other_is_under_way(void **state)
{
    struct pair *p = law_reset();
    (void)state;
    pair_start(p);
    pair_send(p, 0, 2 * PAIR_MSS);
    pair_send(p, 1, 2 * PAIR_MSS);
    assert_int_equal(starts, 1);
    pair_run(p, WEIR_NEVER);
    pair_send(p, 2, PAIR_MSS);
    assert_int_equal(starts, 2);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 3);
}

static struct weir_pkt notice_of_host_1(uint64_t rate_bps)
{
    return (struct weir_pkt){ .value = rate_bps,
                              .conn = WEIR_PKT_NO_CONN,
                              .msg = 99,
                              .seq = 7,
                              .src = 1,
                              .dst = 0,
                              .wire_bytes = PAIR_ACK,
                              .kind = WEIR_PKT_NOTICE };
}

/* It holds for the messages that come. */
static void a_notice_reaches_the_law_of_a_host_never_sent_to(void **state)
{
    struct pair *p = law_reset();
    struct weir_pkt pkt = notice_of_host_1(20000000000);
    (void)state;
    pair_start(p);
    weir_host_rx(p->host[0], 0, &pkt, 1);
    assert_int_equal(heard, 1);
    assert_int_equal(notice.kind, 7);
    assert_int_equal(notice.source, 99);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(p->log[2].sent_ps, 2 * RATE_PS / 2);
}

static void a_notice_without_a_connection_needs_a_law_per_destination(void **state)
{
    struct pair *p = law_reset();
    struct weir_pkt pkt = notice_of_host_1(1);
    (void)state;
    ops.per_peer = false;
    pair_start(p);
    weir_host_rx(p->host[0], 0, &pkt, 1);
    assert_int_equal(heard, 0);
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts, 1);
    pkt.seq = WEIR_NOTICE_WEIGHT; /* of the world's own */
    weir_host_rx(p->host[0], 0, &pkt, 1);
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts, 2);
}

/* --- the receiver half --- */

struct half {
    uint64_t line_bps;
    uint32_t arriving, most, pkts;
};

static void half_init(void *rx, const void *config, const struct weir_path *path)
{
    (void)config;
    assert_int_equal(((struct half *)rx)->line_bps, 0);
    ((struct half *)rx)->line_bps = path->rate_bps;
}

static void half_begin(void *rx, const void *config, const struct weir_rx_event *event)
{
    struct half *half = rx;
    (void)config;
    assert_int_equal(event->src, 0);
    assert_int_equal(half->line_bps, 100000000000);
    half->arriving++;
    half->most = half->arriving > half->most ? half->arriving : half->most;
    begun |= 1u << event->msg;
}

static void half_end(void *rx, const void *config, const struct weir_rx_event *event)
{
    struct half *half = rx;
    (void)config;
    half->arriving--;
    ended |= 1u << event->msg;
}

static void half_data(void *rx, const void *config, const struct weir_data *data, struct weir_echo *echo)
{
    struct half *half = rx;
    (void)config, (void)echo;
    assert_int_equal(data->src, 0);
    assert_true(half->arriving > 0); /* a message begins before its first packet, and ends after its last */
    half->pkts++;
}

static bool half_notice(void *rx, const void *config, uint64_t now_ps, struct weir_notice *out)
{
    (void)rx, (void)config;
    if (told > 0 || (notice_at_ps != WEIR_NEVER && now_ps < notice_at_ps))
        return false;
    told++;
    *out = (struct weir_notice){ .now_ps = now_ps, .value = 50000000000, .kind = 3, .source = 4, .dst = 0 };
    return true;
}

static uint64_t half_next_ps(const void *rx, const void *config)
{
    (void)rx, (void)config;
    return told == 0 ? notice_at_ps : WEIR_NEVER;
}

static struct pair *half_reset(void)
{
    struct pair *p = law_reset();
    ops.rx_bytes = sizeof(struct half);
    ops.rx_init = half_init;
    ops.rx_begin = half_begin;
    ops.rx_end = half_end;
    ops.rx_data = half_data;
    ops.rx_notice = half_notice;
    ops.rx_next_ps = half_next_ps;
    first_rate_bps = WEIR_RATE_OPEN;
    return p;
}

static struct half *half_of(const struct pair *p)
{
    return host_stream_of(p->host[1])->rx_law;
}

static enum pair_fate data_twice(struct pair *p, const struct weir_pkt *pkt)
{
    (void)p;
    return pkt->kind == WEIR_PKT_DATA ? PAIR_TWICE : PAIR_PASS;
}

/* Copies that come when all is here begin nothing. */
static void messages_begin_and_end_once_at_a_host(void **state)
{
    struct pair *p = half_reset();
    (void)state;
    ops.rx_data = NULL;
    p->fate = data_twice;
    pair_start(p);
    pair_send(p, 0, 2 * PAIR_MSS);
    pair_send(p, 1, PAIR_MSS);
    pair_send(p, 2, 1);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 3);
    assert_int_equal(begun, 7);
    assert_int_equal(ended, 7);
    assert_int_equal(half_of(p)->arriving, 0);
    assert_int_equal(half_of(p)->most, 1);
}

static uint32_t asked, heads_read;
static const struct weir_sender_group all_groups[3] = { { .id = 1 }, { .id = 2 }, { .id = 3 } };

static struct weir_head head_of(void *ctx, uint32_t src, uint32_t msg)
{
    (void)ctx;
    assert_int_equal(src, 0);
    asked++;
    return (struct weir_head){ .group = &all_groups[msg], .tenant = 5 + msg };
}

static uint32_t half_heads(const void *config)
{
    (void)config;
    return WEIR_HEAD_GROUP;
}

static void half_begin_head(void *rx, const void *config, const struct weir_rx_event *event)
{
    half_begin(rx, config, event);
    assert_ptr_equal(event->head.group, ops.rx_heads != NULL ? &all_groups[event->msg] : NULL);
    assert_int_equal(event->head.tenant, ops.rx_heads != NULL ? 5 + event->msg : 0);
    heads_read += event->head.group != NULL;
}

static void half_end_head(void *rx, const void *config, const struct weir_rx_event *event)
{
    half_end(rx, config, event);
    assert_null(event->head.group);
    assert_int_equal(event->head.tenant, ops.rx_heads != NULL ? 5 + event->msg : 0);
}

/* The message is of the connection's latest: 0 of two packets, then 1 and 2 of one. */
static void half_data_head(void *rx, const void *config, const struct weir_data *data, struct weir_echo *echo)
{
    (void)rx, (void)config, (void)echo;
    assert_true(ops.rx_heads != NULL ? data->tenant >= 5 && data->tenant <= 7 : data->tenant == 0);
}

/* Once per message, whatever is sent twice. The tenant comes with every packet and with the end, too. A law that reads none gets none, and the world is not asked. */
static void the_head_of_a_message_comes_with_its_beginning(void **state)
{
    (void)state;
    for (uint32_t reads = 0; reads < 2; reads++) {
        struct pair *p = half_reset();
        asked = heads_read = 0;
        ops.rx_begin = half_begin_head;
        ops.rx_end = half_end_head;
        ops.rx_data = half_data_head;
        ops.rx_heads = reads ? half_heads : NULL;
        p->head = head_of;
        p->fate = data_twice;
        pair_start(p);
        pair_send(p, 0, 2 * PAIR_MSS);
        pair_send(p, 1, PAIR_MSS);
        pair_send(p, 2, 1);
        pair_run(p, WEIR_NEVER);
        pair_assert_done(p, 3);
        assert_int_equal(asked, 3 * reads);
        assert_int_equal(heads_read, 3 * reads);
    }
}

static void the_half_sees_all_packets_and_its_notice_names_no_connection(void **state)
{
    struct pair *p = half_reset();
    (void)state;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(half_of(p)->pkts, 3);
    assert_int_equal(heard, 1);
    assert_int_equal(notice.value, 50000000000);
    assert_int_equal(notice.now_ps, ARRIVES_PS + 8000 + 5000000); /* left at once, before the ACK */
    assert_int_equal(weir_host_stats(p->host[1])->tx_notice_pkts, 1);
}

static void the_half_speaks_when_its_time_has_come(void **state)
{
    struct pair *p = half_reset();
    (void)state;
    notice_at_ps = 100 * PAIR_US;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(heard, 1);
    assert_int_equal(notice.now_ps, 100 * PAIR_US + 8000 + 5000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_to_one_host_leave_one_after_another_at_one_rate),
        cmocka_unit_test(the_overhead_of_messages_to_one_host_does_not_overlap),
        cmocka_unit_test(a_faster_rate_does_not_shorten_the_overhead),
        cmocka_unit_test(all_connections_to_a_host_share_its_window),
        cmocka_unit_test(a_message_starts_the_law_where_no_other_is_under_way),
        cmocka_unit_test(a_notice_reaches_the_law_of_a_host_never_sent_to),
        cmocka_unit_test(a_notice_without_a_connection_needs_a_law_per_destination),
        cmocka_unit_test(messages_begin_and_end_once_at_a_host),
        cmocka_unit_test(the_head_of_a_message_comes_with_its_beginning),
        cmocka_unit_test(the_half_sees_all_packets_and_its_notice_names_no_connection),
        cmocka_unit_test(the_half_speaks_when_its_time_has_come),
    };
    return cmocka_run_group_tests_name("host/shared", tests, NULL, NULL);
}
