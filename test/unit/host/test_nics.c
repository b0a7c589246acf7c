/* test/unit/host/test_nics.c - a host with several NICs: a shell around its transports. The test is the world: it takes packets from
 * transports and says by which NIC they arrive. */
#include "pair.h"

enum { TRANSPORTS = 3 };

static struct weir_host_config transport[TRANSPORTS];
static struct weir_host_nics nics;
static uint32_t of[2]; /* the transport of the pair at each end */

static uint32_t of_pair(const void *ctx, uint32_t self, uint32_t peer)
{
    assert_ptr_equal(ctx, &nics);
    assert_int_equal(self, 1 - peer);
    return of[self];
}

static uint32_t count_of(const void *ctx, uint32_t self)
{
    assert_ptr_equal(ctx, &nics);
    return self == 0 ? 2 : TRANSPORTS; /* host 0 has two NICs */
}

/* rail: messages one after the other; else the pair's */
static struct pair *begin(bool rail)
{
    struct pair *p = pair_reset();
    for (uint32_t t = 0; t < TRANSPORTS; t++)
        transport[t] = p->cfg;
    nics = (struct weir_host_nics){ .transport = transport,
                                    .count = TRANSPORTS,
                                    .of_pair = rail ? NULL : of_pair,
                                    .count_of = count_of,
                                    .ctx = &nics };
    p->cfg.nics = &nics;
    pair_start(p);
    return p;
}

static void send(struct pair *p, uint32_t msg)
{
    assert_int_equal(weir_host_send(p->host[0], p->now_ps, 1, msg, PAIR_MSS), 0);
}

static struct weir_pkt take(struct pair *p, uint32_t host, uint32_t from)
{
    struct weir_pkt pkt;
    for (uint32_t t = 0; t < TRANSPORTS; t++)
        assert_int_equal(weir_host_nics_ready(p->host[host], t), t == from);
    assert_true(weir_host_ready(p->host[host]));
    assert_int_equal(weir_host_nics_tx(p->host[host], from, p->now_ps, &pkt), 1);
    assert_false(weir_host_ready(p->host[host]));
    return pkt;
}

static void arrive(struct pair *p, uint32_t host, uint32_t nic, const struct weir_pkt *pkt)
{
    p->now_ps += PAIR_US;
    weir_host_nics_arrive(p->host[host], nic);
    assert_false(weir_host_rx_free(p->host[host], p->now_ps, pkt, NULL));
}

static void messages_take_rails_one_after_the_other(void **state)
{
    static const uint32_t rails[] = { 0, 1, 0, 1 };
    struct pair *p = begin(true);
    (void)state;
    for (uint32_t m = 0; m < 4; m++) {
        struct weir_pkt pkt, ack;
        send(p, m);
        pkt = take(p, 0, rails[m]);
        arrive(p, 1, rails[m], &pkt);
        assert_int_equal(p->delivered[m], 1);
        ack = take(p, 1, rails[m]); /* of the transport of the NIC by which DATA came */
        arrive(p, 0, rails[m], &ack);
        assert_int_equal(p->finished[m], 1);
    }
    assert_int_equal(weir_host_stats(p->host[0])->tx_data_pkts, 4); /* of all transports */
    assert_int_equal(weir_host_stats(p->host[1])->rx_new_bytes, 4 * PAIR_MSS);
}

static void what_arrives_by_another_rail_is_of_no_connection(void **state)
{
    struct pair *p = begin(true);
    struct weir_pkt pkt, ack;
    (void)state;
    send(p, 0);
    pkt = take(p, 0, 0);
    arrive(p, 1, 2, &pkt); /* a new connection of transport 2 */
    ack = take(p, 1, 2);
    arrive(p, 0, 1, &ack); /* transport 1 has none */
    assert_int_equal(p->finished[0], 0);
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts, 1);
}

static void a_pair_has_a_transport_at_each_end_whatever_the_nic(void **state)
{
    struct pair *p = begin(false);
    struct weir_pkt pkt, ack;
    (void)state;
    of[0] = 1, of[1] = 2;
    send(p, 0);
    pkt = take(p, 0, 1);
    arrive(p, 1, 0, &pkt);
    ack = take(p, 1, 2);
    arrive(p, 0, 0, &ack);
    assert_int_equal(p->finished[0], 1);
}

static void a_pause_is_of_one_transport(void **state)
{
    struct pair *p = begin(true);
    struct weir_pkt pkt;
    (void)state;
    send(p, 0);
    send(p, 1);
    weir_host_nics_pause(p->host[0], 0, 1u << 0);
    assert_false(weir_host_nics_ready(p->host[0], 0));
    assert_true(weir_host_nics_ready(p->host[0], 1));
    assert_int_equal(weir_host_nics_tx(p->host[0], 0, p->now_ps, &pkt), 0);
    assert_int_equal(weir_host_nics_tx(p->host[0], 1, p->now_ps, &pkt), 1);
    assert_int_equal(pkt.msg, 1);
    assert_false(weir_host_ready(p->host[0]));
    weir_host_nics_pause(p->host[0], 0, 0);
    assert_true(weir_host_ready(p->host[0]));
}

/* Each transport has a timeout of its own; the shell is due at the first, and runs all that are due. */
static void timers_of_all_transports_run(void **state)
{
    struct pair *p = begin(true);
    struct weir_pkt pkt;
    (void)state;
    send(p, 0);
    pkt = take(p, 0, 0);
    p->now_ps = 10 * PAIR_US;
    send(p, 1);
    pkt = take(p, 0, 1);
    assert_int_equal(weir_host_next_ps(p->host[0]), 1000 * PAIR_US);
    p->now_ps = 1010 * PAIR_US;
    assert_int_equal(weir_host_tx(p->host[0], p->now_ps, NULL, 0), 0);
    assert_true(weir_host_next_ps(p->host[0]) > p->now_ps);
    for (uint32_t t = 0; t < 2; t++) {
        assert_int_equal(weir_host_nics_tx(p->host[0], t, p->now_ps, &pkt), 1);
        assert_int_equal(pkt.msg, t);
        assert_true(pkt.flags & WEIR_PKT_RETX);
    }
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_take_rails_one_after_the_other),
        cmocka_unit_test(what_arrives_by_another_rail_is_of_no_connection),
        cmocka_unit_test(a_pair_has_a_transport_at_each_end_whatever_the_nic),
        cmocka_unit_test(a_pause_is_of_one_transport),
        cmocka_unit_test(timers_of_all_transports_run),
    };
    return cmocka_run_group_tests_name("host/nics", tests, NULL, NULL);
}
