/* test/unit/endpoint/test_spray.c - endpoints that send from several ports: which packets do, whose they are at the peer, and what RESETs to
 * further ports mean. In virtual time. */
#include "test/unit/endpoint/keyed_test.h"

enum { FIRST = 4000, BIG = 1500000, UNSCHEDULED = 30 * MSS, TYPES = 64, COPY_BYTES = 1472 };

static struct {                              /* what left, by type */
    uint32_t packets[TYPES], further[TYPES]; /* further: of those, from another port than the first */
    uint32_t from_port[WEIR_NET_PORTS_MAX];  /* DATA of endpoint 0 by port, from FIRST on */
    uint32_t to_further;                     /* datagrams to a port that is nobody's first */
    unsigned char data[COPY_BYTES];          /* the latest DATA of endpoint 0 */
    uint32_t data_bytes;
} seen_on_wire;

static void look(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                 const unsigned char *bytes, uint32_t length)
{
    uint32_t type = bytes[1] & (TYPES - 1);
    (void)ctx;
    seen_on_wire.packets[type]++;
    seen_on_wire.further[type] += from->port != FIRST;
    seen_on_wire.to_further += to->port != FIRST;
    if ((type != WEIR_PKT_DATA && type != WEIR_WIRE_STREAM) || from->ip[3] != 1)
        return;
    assert_in_range(from->port, FIRST, FIRST + WEIR_NET_PORTS_MAX - 1);
    seen_on_wire.from_port[from->port - FIRST]++;
    assert_true(length <= COPY_BYTES);
    memcpy(seen_on_wire.data, bytes, length);
    seen_on_wire.data_bytes = length;
}

/* Endpoints 0 and 1 with so many ports. */
static void start_with(uint32_t ports0, uint32_t ports1)
{
    memset(&seen_on_wire, 0, sizeof(seen_on_wire));
    opts[0].spray_ports = ports0;
    opts[1].spray_ports = ports1;
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(start(i), 0);
    mem_tap(mem, look, NULL);
}

/* A message of BIG bytes arrives as it is, and nothing is lost or refused. */
static void pass_big(uint32_t from, uint32_t to)
{
    unsigned char *big = noise(BIG, 3);
    seen_count[from] = seen_count[to] = 0;
    assert_int_equal(send_bytes(from, to, big, BIG, 1), 0);
    run(50 * MS);
    expect_count(from, 1);
    expect(from, 0, WEIR_EV_SENT, 0, 1);
    expect_count(to, 1);
    assert_int_equal(seen[to][0].len, BIG);
    assert_memory_equal(seen[to][0].data, big, BIG);
    release_all(to);
    free(big);
    assert_int_equal(stats(to).refused_packets, 0);
    assert_int_equal(stats(from).refused_packets, 0);
    assert_int_equal(stats(from).retransmissions, 0);
}

/* All ports are used, and none for much more than its share. @return packets in all */
static uint32_t check_shares(uint32_t ports)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < WEIR_NET_PORTS_MAX; i++)
        all += seen_on_wire.from_port[i];
    for (uint32_t i = 0; i < WEIR_NET_PORTS_MAX; i++)
        assert_in_range(seen_on_wire.from_port[i], i < ports ? all / ports / 3 : 0, i < ports ? 3 * all / ports : 0);
    return all;
}

static void packets_of_a_message_leave_from_all_ports(void **state)
{
    (void)state;
    begin();
    start_with(8, 1);
    pass_big(0, 1);
    assert_true(check_shares(8) > BIG / MSS);
    for (uint32_t type = WEIR_WIRE_HELLO; type < TYPES; type++)
        assert_int_equal(seen_on_wire.further[type], 0);
    assert_true(seen_on_wire.packets[WEIR_WIRE_OPEN] > 0);
    assert_int_equal(seen_on_wire.further[WEIR_PKT_CREDIT], 0); /* the peer has one port .. */
    assert_int_equal(seen_on_wire.to_further, 0);               /* .. and answers to the first of ours */
    assert_int_equal(peer(1, 0)->addr.port, FIRST);
    assert_int_equal(peer(1, 0)->ports, 8);
    assert_int_equal(peer(0, 1)->ports, 1);
}

/* A run of one port passes through the kernel as one: a batch has one port for each eight packets, not one for each. */
static void a_batch_leaves_in_runs(void **state)
{
    (void)state;
    begin();
    start_with(64, 64);
    pass_big(0, 1);
    pass_big(1, 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_false(shim[i].unsorted);
        assert_false(shim[i].torn);
        assert_in_range(shim[i].ports_most, 2, 8);
    }
}

static void one_port_is_the_first(void **state)
{
    (void)state;
    begin();
    start_with(0, 1);
    pass_big(0, 1);
    assert_true(check_shares(1) > BIG / MSS);
    assert_int_equal(ep[0]->opts.spray_ports, 1);
}

static void both_ends_may_have_several_ports(void **state)
{
    (void)state;
    begin();
    start_with(4, 2);
    pass_big(0, 1);
    pass_big(1, 0);
    check_shares(4);
    assert_in_range(seen_on_wire.further[WEIR_PKT_CREDIT], 1, seen_on_wire.packets[WEIR_PKT_CREDIT] - 1);
    assert_int_equal(seen_on_wire.to_further, 0);
}

static void sender_driven_protocols_spray_data_and_acks(void **state)
{
    static const char *const laws[] = { "dctcp", "cubic", "newreno", "swift", "timely", "dcqcn", "soze", "aimd" };
    (void)state;
    for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
        begin();
        opts[0].cc = opts[1].cc = laws[i];
        start_with(4, 4);
        pass_big(0, 1);
        check_shares(4);
        assert_in_range(seen_on_wire.further[WEIR_PKT_ACK], 1, seen_on_wire.packets[WEIR_PKT_ACK] - 1);
        (void)teardown(NULL);
    }
    begin();
}

static void receiver_driven_protocols_spray(void **state)
{
    static const char *const laws[] = { "homa", "ndp" };
    (void)state;
    for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
        begin();
        opts[0].cc = opts[1].cc = laws[i];
        start_with(4, 4);
        pass_big(0, 1);
        check_shares(4);
        (void)teardown(NULL);
    }
    begin();
}

/* A copy of the latest DATA, which is a duplicate wherever it is taken, from a port of host `host`. */
static void inject(uint32_t host, uint16_t port)
{
    const struct weir_net_addr from = mem_addr(host, port), to = mem_addr(2, FIRST);
    mem_tap(mem, NULL, NULL);
    mem_inject(mem, &from, &to, seen_on_wire.data, seen_on_wire.data_bytes);
    mem_tap(mem, look, NULL);
    run(1 * MS);
}

static void a_right_token_from_another_address_is_refused(void **state)
{
    const struct {
        uint32_t host;
        uint16_t port;
        bool taken;
    } row[] = { { 1, FIRST - 1, false }, { 1, FIRST, true },  { 1, FIRST + 7, true }, { 1, FIRST + 8, false },
                { 9, FIRST + 7, false }, { 9, FIRST, false }, { 3, FIRST, false } };
    (void)state;
    begin();
    start_with(8, 1);
    pass_big(0, 1);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct weir_stats before = stats(1), after;
        uint32_t resets = seen_on_wire.packets[WEIR_WIRE_RESET];
        inject(row[i].host, row[i].port);
        after = stats(1);
        assert_int_equal(after.refused_packets - before.refused_packets, !row[i].taken);
        assert_int_equal(seen_on_wire.packets[WEIR_WIRE_RESET] - resets, !row[i].taken);
        assert_int_equal(after.packets_received - before.packets_received, 1);
        assert_int_equal(after.resets, 0);
    }
}

/* The token decides between two peers at neighbouring ports. */
static void the_ports_of_two_peers_may_overlap(void **state)
{
    struct weir_net_addr near = mem_addr(1, FIRST + 3);
    struct weir_peer *other;
    (void)state;
    begin();
    start_with(8, 1);
    pass_big(0, 1);
    other = ep_peer_make(ep[1], &near);
    assert_non_null(other);
    ep[1]->rx_peer = NULL;
    for (uint16_t i = 0; i < 8; i++) {
        uint64_t refused = stats(1).refused_packets;
        inject(1, FIRST + i);
        assert_int_equal(stats(1).refused_packets, refused);
        assert_ptr_equal(ep[1]->rx_peer, peer(1, 0));
        ep[1]->rx_peer = i % 2 == 0 ? other : NULL;
    }
}

/* READY is lost: endpoint 1 is connected before 0 is, and does not use its further ports until it hears of 0. */
static void nobody_sprays_before_the_peer_is_connected(void **state)
{
    unsigned char *some = noise(UNSCHEDULED, 4);
    struct iovec iov = { some, UNSCHEDULED };
    (void)state;
    begin();
    start_with(4, 4);
    shim[1].lose[WEIR_WIRE_READY] = 1;
    assert_int_equal(weir_send(ep[1], peer(1, 0), &iov, 1, 2, NULL), 0);
    assert_int_equal(send_bytes(0, 1, "a", 1, 1), 0);
    shim[1].lose[WEIR_WIRE_HELLO] = 1; /* so that 0 begins */
    run(15 * MS);
    assert_int_equal(peer(1, 0)->state, EP_PEER_UP);
    assert_int_equal(peer(0, 1)->state, EP_PEER_OPEN);
    assert_int_equal(seen_on_wire.packets[WEIR_PKT_DATA], 31); /* with its header */
    assert_int_equal(seen_on_wire.further[WEIR_PKT_DATA], 0);
    run(200 * MS);
    assert_int_equal(stats(0).resets + stats(1).resets, 0);
    assert_int_equal(seen_on_wire.packets[WEIR_WIRE_RESET], 0);
    expect_count(0, 2);
    assert_true(seen_on_wire.further[WEIR_PKT_DATA] > 0); /* those that were sent again */
    release_all(0);
    free(some);
}

/* A RESET of endpoint 1 to a port of endpoint 0. */
static void reset(uint16_t port, uint64_t token)
{
    const struct weir_net_addr from = mem_addr(2, FIRST), to = mem_addr(1, port);
    const struct weir_wire_handshake packet = { .type = WEIR_WIRE_RESET, .token = token };
    unsigned char bytes[64];
    uint32_t length = weir_wire_encode_handshake(&packet, bytes, sizeof(bytes));
    mem_inject(mem, &from, &to, bytes, length);
    run(1 * MS);
}

static void a_reset_to_a_further_port_ends_the_spraying_alone(void **state)
{
    (void)state;
    begin();
    start_with(4, 1);
    pass_big(0, 1);
    reset(FIRST + 3, peer(0, 1)->tx_token ^ UINT64_C(1) << 40); /* of no connection */
    memset(seen_on_wire.from_port, 0, sizeof(seen_on_wire.from_port));
    seen_count[0] = seen_count[1] = 0;
    assert_int_equal(stats(0).refused_packets, 1);
    reset(FIRST + 3, peer(0, 1)->tx_token);
    assert_int_equal(seen_on_wire.packets[WEIR_WIRE_PING],
                     1); /* is it the port that 1 does not know, or the connection? */
    assert_int_equal(seen_on_wire.packets[WEIR_WIRE_PONG], 1);
    reset(FIRST + 1, peer(0, 1)->tx_token);
    assert_int_equal(seen_on_wire.packets[WEIR_WIRE_PING], 1); /* once */
    assert_int_equal(stats(0).resets, 0);
    assert_int_equal(send_bytes(0, 1, "0123456789", 10, 7), 0);
    run(10 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 7);
    assert_int_equal(check_shares(1), 1);
    reset(FIRST, peer(0, 1)->tx_token);
    assert_int_equal(stats(0).resets, 1);
}

/* It is restarted: whatever port its RESETs come to, the sender hears of it within a round trip. */
static void a_peer_that_was_restarted_is_noticed_at_once(void **state)
{
    (void)state;
    begin();
    start_with(64, 1);
    pass_big(0, 1);
    kill_ep(1);
    assert_int_equal(start(1), 0);
    seen_count[0] = 0;
    for (uint32_t i = 0; i < 64 && seen_count[0] == 0; i++) {
        unsigned char *some = noise(2 * MSS, 5);
        assert_int_equal(send_bytes(0, 1, some, 2 * MSS, 1), 0);
        run(1 * MS);
        free(some);
        assert_true(seen_count[0] > 0 && seen[0][0].result == -ECONNRESET);
    }
}

/* The driver has no room now and then: sealed packets wait as they were sealed, and in their places. */
static void sealed_packets_wait_in_their_places(void **state)
{
    unsigned char *big;
    (void)state;
    if (!weir_crypto_ready())
        skip();
    big = noise(BIG, 6);
    begin();
    for (uint32_t i = 0; i < EPS; i++) {
        opts[i].protection = "aead";
        opts[i].key_file = write_keys(i, KEY_A);
    }
    start_with(8, 8);
    assert_int_equal(start(2), 0);
    for (uint32_t to = 1; to < 3; to++) /* two peers: a packet in another's place would go to the wrong one */
        assert_int_equal(send_bytes(0, to, big, BIG, 1), 0);
    for (uint32_t i = 0; i < 400; i++) {
        shim[0].no_room = i % 3 == 1;
        run(20 * US);
    }
    shim[0].no_room = false;
    run(50 * MS);
    for (uint32_t to = 1; to < 3; to++) {
        expect(0, (int)to - 1, WEIR_EV_SENT, 0, 1);
        expect_count(to, 1);
        assert_memory_equal(seen[to][0].data, big, BIG);
        release_all(to);
        assert_int_equal(stats(to).refused_packets, 0);
    }
    free(big);
    check_shares(8);
    assert_int_equal(seen_on_wire.packets[WEIR_WIRE_CHALLENGE], 0); /* no port of the peer is another address */
    assert_int_equal(stats(0).refused_packets, 0);
}

static void skip_without_keys(void)
{
    if (!weir_crypto_ready())
        skip();
}

static void with_keys_all_ports_are_the_peers(void **state)
{
    static const char *const protections[] = { "mac", "aead" };
    (void)state;
    skip_without_keys();
    for (size_t k = 0; k < 2; k++) {
        begin();
        for (uint32_t i = 0; i < EPS; i++) {
            opts[i].protection = protections[k];
            opts[i].key_file = write_keys(i, KEY_A);
        }
        start_with(8, 4);
        pass_big(0, 1);
        pass_big(1, 0);
        check_shares(8);
        assert_int_equal(seen_on_wire.packets[WEIR_WIRE_CHALLENGE], 0);
        (void)teardown(NULL);
    }
    begin();
}

/* With keys a peer that sprays may move: its first port is asked at the new address, whatever port showed it. */
static void a_peer_that_sprays_may_move(void **state)
{
    struct weir_net_addr now = mem_addr(9, FIRST);
    unsigned char *big = noise(BIG, 8);
    struct weir_net *old;
    (void)state;
    skip_without_keys();
    begin();
    for (uint32_t i = 0; i < EPS; i++) {
        opts[i].protection = "mac";
        opts[i].key_file = write_keys(i, KEY_A);
    }
    start_with(8, 8);
    assert_int_equal(send_bytes(0, 1, big, BIG, 1), 0);
    run(500 * US);
    expect_count(0, 0);
    old = shim[0].inner;
    mem_unplug(old);
    assert_int_equal(mem_plug(mem, &now, &shim[0].inner), 0);
    old->driver->close(old);
    run(500 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    expect_count(1, 1);
    assert_memory_equal(seen[1][0].data, big, BIG);
    release_all(1);
    free(big);
    assert_memory_equal(&seen[1][0].peer->addr, &now, sizeof(now));
    assert_int_equal(seen_on_wire.to_further, 0);
    assert_in_range(seen_on_wire.packets[WEIR_WIRE_CHALLENGE], 1, 2);
}

static int keyed_end(void **state)
{
    (void)remove_keys(state);
    return teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(packets_of_a_message_leave_from_all_ports, teardown),
        cmocka_unit_test_teardown(a_batch_leaves_in_runs, teardown),
        cmocka_unit_test_teardown(one_port_is_the_first, teardown),
        cmocka_unit_test_teardown(both_ends_may_have_several_ports, teardown),
        cmocka_unit_test_teardown(sender_driven_protocols_spray_data_and_acks, teardown),
        cmocka_unit_test_teardown(receiver_driven_protocols_spray, teardown),
        cmocka_unit_test_teardown(a_right_token_from_another_address_is_refused, teardown),
        cmocka_unit_test_teardown(the_ports_of_two_peers_may_overlap, teardown),
        cmocka_unit_test_teardown(nobody_sprays_before_the_peer_is_connected, teardown),
        cmocka_unit_test_teardown(a_reset_to_a_further_port_ends_the_spraying_alone, teardown),
        cmocka_unit_test_teardown(a_peer_that_was_restarted_is_noticed_at_once, teardown),
        cmocka_unit_test_teardown(sealed_packets_wait_in_their_places, keyed_end),
        cmocka_unit_test_teardown(with_keys_all_ports_are_the_peers, keyed_end),
        cmocka_unit_test_teardown(a_peer_that_sprays_may_move, keyed_end),
    };
    return cmocka_run_group_tests_name("endpoint/spray", tests, NULL, NULL);
}
