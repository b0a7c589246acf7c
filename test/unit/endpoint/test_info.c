/* test/unit/endpoint/test_info.c - what the endpoint tells of itself, also to callers of another version. */
#include "test/unit/endpoint/endpoint_test.h"
#include <netinet/in.h>

static void addresses_of_the_endpoint_and_its_peers_are_returned(void **state)
{
    struct sockaddr_in addr;
    socklen_t len = sizeof(addr) - 1;
    (void)state;
    assert_int_equal(weir_address(ep[0], (struct sockaddr *)&addr, &len), -EINVAL);
    len = sizeof(addr);
    assert_int_equal(weir_address(ep[0], (struct sockaddr *)&addr, &len), 0);
    assert_int_equal(ntohl(addr.sin_addr.s_addr), 0x0a000001);
    assert_int_equal(ntohs(addr.sin_port), 4000);
    assert_int_equal(weir_peer_address(peer(0, 2), (struct sockaddr *)&addr, &len), 0);
    assert_int_equal(ntohl(addr.sin_addr.s_addr), 0x0a000003);
    len = sizeof(addr) + 5;
    assert_int_equal(weir_peer_address(peer(0, 2), (struct sockaddr *)&addr, &len), 0);
    assert_int_equal(len, sizeof(addr));
    assert_int_equal(weir_address(ep[0], NULL, &len), -EINVAL);
    assert_int_equal(weir_address(ep[0], (struct sockaddr *)&addr, NULL), -EINVAL);
    assert_int_equal(weir_peer_address(peer(0, 2), NULL, &len), -EINVAL);
    assert_int_equal(weir_peer_address(peer(0, 2), (struct sockaddr *)&addr, NULL), -EINVAL);
}

static void a_peer_has_one_entry_and_keeps_its_context(void **state)
{
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_port = htons(1) };
    struct sockaddr_in four = { .sin_family = AF_INET };
    struct weir_peer *p = peer(0, 1), *q;
    (void)state;
    assert_ptr_equal(peer(0, 1), p);
    assert_true(peer(0, 2) != p);
    assert_null(weir_peer_context(p));
    weir_peer_set_context(p, &six);
    assert_ptr_equal(weir_peer_context(p), &six);
    assert_int_equal(weir_peer_get(ep[0], (struct sockaddr *)&six, sizeof(six), &q), -EINVAL);   /* we are IPv4 */
    assert_int_equal(weir_peer_get(ep[0], (struct sockaddr *)&four, sizeof(four), &q), -EINVAL); /* no port */
    assert_int_equal(weir_peer_get(ep[0], (struct sockaddr *)&four, 3, &q), -EINVAL);
    assert_int_equal(weir_peer_get(ep[0], NULL, sizeof(four), &q), -EINVAL);
    assert_null(q);
    six.sin6_addr = (struct in6_addr){ .s6_addr = { [10] = 0xff, 0xff, 10, 0, 0, 2 } };
    six.sin6_port = htons(4000);
    assert_int_equal(weir_peer_get(ep[0], (struct sockaddr *)&six, sizeof(six), &q), 0); /* IPv4 after all */
    assert_ptr_equal(q, p);
    four = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(1) }; /* any address: nobody's */
    assert_int_equal(weir_peer_get(ep[0], (struct sockaddr *)&four, sizeof(four), &q), -EINVAL);
}

static void structs_of_other_versions_are_filled_up_to_their_size(void **state)
{
    struct {
        struct weir_stats stats;
        uint64_t more;
    } newer;
    struct weir_stats older;
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    memset(&older, 0xee, sizeof(older));
    older.size = offsetof(struct weir_stats, events_pending);
    assert_int_equal(weir_stats(ep[0], &older), 0);
    assert_int_equal(older.size, offsetof(struct weir_stats, events_pending));
    assert_int_equal(older.ops_pending, 1);
    assert_true(older.events_pending == UINT64_C(0xeeeeeeeeeeeeeeee)); /* not ours */
    memset(&newer, 0xee, sizeof(newer));
    newer.stats.size = sizeof(newer);
    assert_int_equal(weir_stats(ep[0], &newer.stats), 0);
    assert_int_equal(newer.stats.ops_pending, 1);
    assert_int_equal(newer.more, 0);
    older.size = 3;
    assert_int_equal(weir_stats(ep[0], &older), -EINVAL);
}

static void every_result_has_a_sentence(void **state)
{
    static const int results[] = { -EAGAIN,       -ECANCELED,  -ETIMEDOUT,     -ECONNRESET,  -EHOSTUNREACH, -EMSGSIZE,
                                   -ECONNREFUSED, -ECHILD,     -EPROTO,        -ENOENT,      -EINVAL,       -ENOMEM,
                                   -ENOSPC,       -EADDRINUSE, -EADDRNOTAVAIL, -ENODEV,      -ENOBUFS,      -EPERM,
                                   -ENOTSUP,      -EINTR,      -EIO,           -ECONNABORTED };
    (void)state;
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        assert_string_not_equal(weir_strerror(results[i]), weir_strerror(-9999));
        assert_int_equal(WEIR_APP_ERROR_OF(results[i]), 0);
    }
    assert_string_equal(weir_strerror(-WEIR_APP_ERROR - 1), weir_strerror(-WEIR_APP_ERROR - WEIR_APP_ERROR_MAX));
    assert_string_not_equal(weir_strerror(-WEIR_APP_ERROR - 1), weir_strerror(-9999));
    assert_string_equal(weir_strerror(-WEIR_APP_ERROR), weir_strerror(-9999)); /* no error of an application */
    assert_string_equal(weir_strerror(-WEIR_APP_ERROR - WEIR_APP_ERROR_MAX - 1), weir_strerror(-9999));
    assert_string_equal(weir_strerror(0), "done");
    assert_string_equal(weir_strerror(3), "done"); /* a count */
    assert_int_equal(weir_abi_version(), WEIR_ABI_VERSION);
    assert_true(weir_version()[0] != '\0');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(addresses_of_the_endpoint_and_its_peers_are_returned, setup, teardown),
        cmocka_unit_test_setup_teardown(a_peer_has_one_entry_and_keeps_its_context, setup, teardown),
        cmocka_unit_test_setup_teardown(structs_of_other_versions_are_filled_up_to_their_size, setup, teardown),
        cmocka_unit_test(every_result_has_a_sentence),
    };
    return cmocka_run_group_tests_name("endpoint/info", tests, NULL, NULL);
}
