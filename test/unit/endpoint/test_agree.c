/* test/unit/endpoint/test_agree.c - handshakes of keys that wait to be confirmed, while somebody replays OPENs that he has
 * recorded. */
#include "test/unit/endpoint/keyed_test.h"

enum { KEPT = 8 };

struct kept {
    uint32_t length;
    unsigned char bytes[WEIR_WIRE_OPEN_BYTES];
};
static struct kept kept[KEPT];
static uint32_t kept_count;

/* Keeps each OPEN once. */
static void keep(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                 const unsigned char *bytes, uint32_t length)
{
    (void)ctx, (void)from, (void)to;
    if (weir_wire_type(bytes, length) != WEIR_WIRE_OPEN || kept_count == KEPT)
        return;
    if (kept_count > 0 && memcmp(kept[kept_count - 1].bytes, bytes, length) == 0)
        return;
    memcpy(kept[kept_count].bytes, bytes, length);
    kept[kept_count++].length = length;
}

/* Endpoint 0 begins so many handshakes, and its process dies before it gets READY. Their OPENs are kept. */
static void keep_opens(uint32_t count)
{
    kept_count = 0;
    mem_tap(mem, keep, NULL);
    for (uint32_t i = 0; i < count; i++) {
        shim[1].lose[WEIR_WIRE_READY] = 100;
        assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
        run(1 * MS);
        kill_ep(0);
        assert_int_equal(start(0), 0);
    }
    shim[1].lose[WEIR_WIRE_READY] = 0;
    assert_int_equal(kept_count, count);
    mem_tap(mem, NULL, NULL);
}

static void replay(uint32_t i)
{
    struct weir_net_addr a = mem_addr(1, 4000), b = mem_addr(2, 4000);
    mem_inject(mem, &a, &b, kept[i].bytes, kept[i].length);
}

static uint32_t count_pending(const struct weir_peer *p)
{
    uint32_t count = 0;
    for (const struct ep_pending *at = p->pending; at != NULL; at = at->next)
        count++;
    return count;
}

/* READY leaves 15 us after HELLO, and is confirmed 25 us after it. Each replay arrives in between. */
static void a_replayed_open_displaces_no_handshake_that_is_alive(void **state)
{
    (void)state;
    keep_opens(3);
    assert_int_equal(send_bytes(0, 1, "new", 3, 6), 0);
    run(12 * US);
    for (uint32_t i = 0; i < 3; i++)
        replay(i);
    run(9 * US);
    assert_int_equal(count_pending(peer(1, 0)), 4);
    run(1 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, 0, 6);
    expect_count(1, 1);
    assert_int_equal(count_pending(peer(1, 0)), 0);
    for (uint32_t i = 0; i < 3; i++)
        replay(i);
    run(1 * MS);
    assert_int_equal(peer(1, 0)->state, EP_PEER_UP);
    assert_int_equal(stats(0).resets + stats(1).resets, 0);
    release_all(1);
}

/* Five recorded ones fill all places for a second: a handshake that begins then waits no longer than that. */
static void replays_take_four_places_for_a_second(void **state)
{
    (void)state;
    keep_opens(5);
    ep_agree_settle(ep[1], peer(1, 0));
    for (uint32_t i = 0; i < 5; i++)
        replay(i);
    run(6 * US);
    assert_int_equal(count_pending(peer(1, 0)), EP_PENDING_MAX);
    assert_int_equal(send_bytes(0, 1, "new", 3, 6), 0);
    run(800 * MS);
    expect_count(0, 0);
    run(1200 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, 0, 6);
    expect_count(1, 1);
    release_all(1);
}

/* The connection of its token is over. */
static void an_open_of_the_last_connection_takes_no_place(void **state)
{
    (void)state;
    kept_count = 0;
    mem_tap(mem, keep, NULL);
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    release_all(1);
    mem_tap(mem, NULL, NULL);
    assert_int_equal(weir_close(ep[0]), 0);
    ep[0] = NULL;
    run(1 * MS);
    assert_int_equal(peer(1, 0)->state, EP_PEER_IDLE);
    replay(0);
    run(1 * MS);
    assert_null(peer(1, 0)->pending);
    assert_int_equal(start(0), 0);
}

static int patient_setup(void **state)
{
    const char *const all[EPS] = { "aead", "aead", "aead" }, *const keys[EPS] = { KEY_A, KEY_A, KEY_A };
    (void)state;
    begin_keyed(all, keys);
    for (uint32_t i = 0; i < EPS; i++)
        opts[i].peer_timeout_ns = 4 * SECOND;
    start_all();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_replayed_open_displaces_no_handshake_that_is_alive, keyed_setup,
                                        keyed_teardown),
        cmocka_unit_test_setup_teardown(replays_take_four_places_for_a_second, patient_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(an_open_of_the_last_connection_takes_no_place, keyed_setup, keyed_teardown),
    };
    return weir_crypto_ready() ? cmocka_run_group_tests_name("endpoint/agree", tests, NULL, NULL) : 0;
}
