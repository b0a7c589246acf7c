/* test/unit/endpoint/test_path.c - a peer changes its address: with keys it is asked at the new one, and messages go on;
 * copies of its packets from elsewhere move nothing. In virtual time. */
#include "test/unit/endpoint/keyed_test.h"

enum { BIG = 2000000, STRANGER = 77 };

static struct weir_peer *at0, *at1; /* endpoint 1 at endpoint 0, and the other way */

static void connect_both(void)
{
    assert_int_equal(send_bytes(0, 1, "a", 1, 1), 0);
    run(1 * MS);
    release_all(1);
    seen_count[0] = seen_count[1] = 0;
    at0 = peer(0, 1);
    at1 = peer(1, 0);
}

/* Endpoint 0 is at another host from now on, as behind a NAT that has forgotten it: nobody has told it. */
static void move_to(uint32_t host)
{
    struct weir_net_addr addr = mem_addr(host, 4000);
    struct weir_net *old = shim[0].inner;
    mem_unplug(old);
    assert_int_equal(mem_plug(mem, &addr, &shim[0].inner), 0);
    old->driver->close(old);
}

static void check_at(uint32_t host)
{
    struct weir_net_addr addr = mem_addr(host, 4000);
    assert_memory_equal(&at1->addr, &addr, sizeof(addr));
    assert_int_equal(at1->state, EP_PEER_UP);
}

/* A large message each way. @return its bytes */
static unsigned char *begin_messages(void)
{
    unsigned char *big = noise(BIG, 9);
    struct iovec iov = { big, BIG };
    assert_int_equal(weir_send(ep[0], at0, &iov, 1, 5, NULL), 0);
    assert_int_equal(weir_send(ep[1], at1, &iov, 1, 6, NULL), 0);
    return big;
}

/* Each message arrived once, and was reported once. */
static void end_messages(unsigned char *big)
{
    for (uint32_t i = 0; i < 2; i++) {
        expect_count(i, 2);
        for (int k = 0; k < 2; k++) {
            assert_int_equal(seen[i][k].result, 0);
            if (seen[i][k].type == WEIR_EV_MESSAGE)
                assert_memory_equal(seen[i][k].data, big, BIG);
        }
        release_all(i);
        seen_count[i] = 0;
        assert_int_equal(stats(i).resets, 0);
    }
    free(big);
}

static void a_peer_moves_in_mid_message(void **state)
{
    struct sockaddr_storage sa;
    socklen_t len = sizeof(sa);
    unsigned char *big;
    struct weir_net_addr addr;
    (void)state;
    connect_both();
    big = begin_messages();
    run(300 * US);
    expect_count(1, 0);
    move_to(9);
    run(500 * MS);
    end_messages(big);
    check_at(9);
    assert_null(at1->path);
    assert_int_equal(weir_peer_address(at1, (struct sockaddr *)&sa, &len), 0);
    assert_int_equal(weir_net_addr_from(&addr, (struct sockaddr *)&sa, len), 0);
    assert_memory_equal(&addr, &at1->addr, sizeof(addr));
    assert_ptr_equal(ep_peer_find(ep[1], &addr), at1);
    assert_int_equal(stats(1).peers, 1);
}

static int count_events(uint32_t i, uint32_t type, int result)
{
    int count = 0;
    for (int k = 0; k < seen_count[i]; k++)
        count += seen[i][k].type == type && seen[i][k].result == result;
    return count;
}

/* Every 2 ms it is elsewhere, and the connection gets another secret meanwhile. */
static void a_peer_moves_often(void **state)
{
    unsigned char *big;
    (void)state;
    connect_both();
    ep[0]->keys->rekey_pkts = ep[1]->keys->rekey_pkts = 400;
    big = begin_messages();
    for (uint32_t host = 10; host < 40; host++) {
        run(2 * MS);
        move_to(host);
        assert_int_equal(call_bytes(0, 1, "x", 1, 8, MS), 0); /* so that something leaves from there */
    }
    run(900 * MS);
    check_at(39);
    assert_int_equal(count_events(0, WEIR_EV_SENT, 0) + count_events(1, WEIR_EV_SENT, 0), 2);
    assert_int_equal(count_events(0, WEIR_EV_MESSAGE, 0), 1);
    assert_int_equal(count_events(1, WEIR_EV_MESSAGE, 0), 1);
    release_all(0);
    release_all(1);
    seen_count[0] = seen_count[1] = 0;
    free(big);
    big = begin_messages();
    run(100 * MS);
    end_messages(big);
    assert_true(at1->seal->phase > 3);
}

/* --- somebody on the way, who keeps copies --- */

static unsigned char copy[64][1472];
static uint32_t copy_bytes[64], copies;

static void keep(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                 const unsigned char *bytes, uint32_t length)
{
    const uint32_t *of = ctx; /* a host: as sender; or, with bit 16, as receiver */
    struct weir_net_addr host = mem_addr(*of & 0xffff, 4000);
    if (copies == 64 || memcmp(*of >> 16 != 0 ? to : from, &host, sizeof(host)) != 0)
        return;
    memcpy(copy[copies], bytes, length);
    copy_bytes[copies++] = length;
}

static void inject(uint32_t from, uint32_t to, uint32_t i)
{
    struct weir_net_addr a = mem_addr(from, 4000), b = mem_addr(to, 4000);
    mem_inject(mem, &a, &b, copy[i], copy_bytes[i]);
}

static void copies_from_elsewhere_move_nothing(void **state)
{
    static uint32_t of = 1;
    unsigned char *big;
    (void)state;
    connect_both();
    copies = 0;
    mem_tap(mem, keep, &of);
    big = begin_messages();
    run(100 * MS);
    end_messages(big);
    mem_tap(mem, NULL, NULL);
    assert_int_equal(copies, 64);
    for (uint32_t i = 0; i < copies; i++)
        inject(STRANGER, 2, i);
    run(10 * MS);
    assert_int_equal(stats(1).repeated_packets + stats(1).late_packets, 64);
    assert_int_equal(mem_stats(mem)->answers, 0);
    assert_null(at1->path);
    check_at(1);
    expect_count(0, 0);
    expect_count(1, 0);
}

/* The original is lost, so the copy is the first. It is asked, and cannot answer; nor does the peer's own answer, from where the
 * peer is, move anything. */
static void a_copy_that_is_first_moves_nothing(void **state)
{
    static uint32_t of = 1, to_stranger = 1u << 16 | STRANGER;
    uint64_t from_bytes = 0, to_bytes = 0, before;
    (void)state;
    connect_both();
    before = mem_stats(mem)->answers;
    for (uint32_t n = 0; n < 20; n++) {
        copies = 0;
        shim[0].lose[WEIR_PKT_DATA] = 1;
        shim_write_area = keep;
        shim_area_ctx = &of;
        assert_int_equal(send_bytes(0, 1, "x", 1, 8), 0);
        run(2 * US);
        shim_write_area = NULL;
        assert_int_equal(copies, 1);
        mem_tap(mem, keep, &to_stranger);
        inject(STRANGER, 2, 0);
        from_bytes += copy_bytes[0];
        copies = 0;
        run(7 * US);
        mem_tap(mem, NULL, NULL);
        for (uint32_t i = 0; i < copies; i++) {
            assert_int_equal(copies, 1);
            assert_int_equal(weir_wire_type(copy[i], copy_bytes[i]), WEIR_WIRE_CHALLENGE);
            to_bytes += copy_bytes[i];
            inject(2, 1, i); /* passed on to the peer */
        }
        run(30 * MS);
        check_at(1);
    }
    assert_int_equal(mem_stats(mem)->answers - before, 20);
    assert_true(to_bytes <= from_bytes);
    assert_non_null(at1->path);
    assert_true(stats(1).refused_packets >= 20); /* the answers of the peer */
    expect_count(0, 20);
    expect_count(1, 20); /* each once */
    release_all(1);
    seen_count[0] = seen_count[1] = 0;
    move_to(9); /* the peer itself may, once half a second has passed */
    unsigned char *big = begin_messages();
    run(700 * MS);
    end_messages(big);
    check_at(9);
}

/* Whom the application knows by an address keeps it. */
static void an_address_of_another_peer_is_not_taken(void **state)
{
    struct weir_peer *other;
    (void)state;
    connect_both();
    assert_int_equal(peer_at(1, 9, &other), 0);
    move_to(9);
    assert_int_equal(send_bytes(0, 1, "x", 1, 8), 0);
    run(100 * MS);
    check_at(1);
    assert_int_equal(stats(1).messages_received, 2); /* it was heard all the same */
    assert_int_equal(weir_peer_put(ep[1], other), 0);
    run(800 * MS);
    check_at(9);
    expect(0, 0, WEIR_EV_SENT, 0, 8);
    release_all(1);
}

static void without_keys_a_move_ends_the_connection(void **state)
{
    unsigned char *big;
    (void)state;
    setup(state);
    connect_both();
    big = begin_messages();
    run(300 * US);
    move_to(9);
    run(900 * MS);
    expect(0, 0, WEIR_EV_SENT, -ECONNRESET, 5);
    check_at(1);
    free(big);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_peer_moves_in_mid_message, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_peer_moves_often, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(copies_from_elsewhere_move_nothing, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_copy_that_is_first_moves_nothing, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(an_address_of_another_peer_is_not_taken, keyed_setup, keyed_teardown),
    };
    const struct CMUnitTest always[] = { cmocka_unit_test_teardown(without_keys_a_move_ends_the_connection, teardown) };
    int failed = cmocka_run_group_tests_name("endpoint/path, without keys", always, NULL, NULL);
    if (weir_crypto_ready())
        failed += cmocka_run_group_tests_name("endpoint/path", tests, NULL, NULL);
    return failed;
}
