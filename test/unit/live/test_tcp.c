/* test/unit/live/test_tcp.c - two TCP transports in one process talk over loopback; both are polled without waiting, a bounded
 * number of times. */
#include "test/unit/refusal.h"
#include "live/live.h"
#include "core/units.h"
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TURNS = 100000 };
#define TURN_NS 1000000 /* longest wait of one side for the other's kernel */

static const struct weir_transport *const tcp = &weir_live_tcp;
static struct weir_live_args server_args, client_args;
static void *server, *client, *peer;
static struct weir_err err;
static struct sockaddr_storage addr;
static socklen_t addr_len;

static void open_all(uint32_t connections)
{
    const struct weir_live_args common = { .timeout_ps = 5 * WEIR_PS_PER_S,
                                           .spin_ps = WEIR_PS_PER_US,
                                           .transport = WEIR_LIVE_TCP,
                                           .tcp_connections = connections };
    server_args = client_args = common;
    server_args.bind = "127.0.0.1:0";
    server_args.listens = true;
    assert_int_equal(tcp->open(&server, &server_args, &err), 0);
    assert_int_equal(tcp->open(&client, &client_args, &err), 0);
    addr_len = sizeof(addr);
    assert_int_equal(tcp->address(server, (struct sockaddr *)&addr, &addr_len), 0);
    assert_int_equal(tcp->peer(client, (struct sockaddr *)&addr, addr_len, &peer), 0);
}

static int setup(void **state)
{
    (void)state;
    open_all(1);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (client != NULL)
        tcp->close(client);
    if (server != NULL)
        tcp->close(server);
    client = server = NULL;
    return 0;
}

/* The next event of one side; the other side only moves bytes, and must have none. */
static struct weir_event next_event(void *who, void *other)
{
    struct weir_event event = { 0 };
    for (int i = 0; i < TURNS; i++) {
        if (tcp->poll(who, &event, 1, TURN_NS) == 1)
            return event;
        if (other != NULL && tcp->poll(other, NULL, 0, 0) < 0)
            break;
    }
    fail_msg("no event came");
    return event;
}

static void a_message_is_acknowledged_when_it_is_there(void **state)
{
    char data[] = "hello";
    struct weir_event event;
    (void)state;
    assert_int_equal(tcp->send(client, peer, &(struct iovec){ data, 5 }, 42, NULL), 0);
    event = next_event(server, client);
    assert_int_equal(event.type, WEIR_EV_MESSAGE);
    assert_int_equal(event.len, 5);
    assert_memory_equal(event.data, "hello", 5);
    tcp->release(server, event.lease);
    event = next_event(client, server);
    assert_int_equal(event.type, WEIR_EV_SENT);
    assert_int_equal(event.result, 0);
    assert_int_equal(event.user_data, 42);
}

static void a_call_gets_its_reply_and_only_one(void **state)
{
    char data[] = "question", answer[] = "answer";
    struct weir_event event;
    uint64_t rpc;
    (void)state;
    assert_int_equal(tcp->call(client, peer, &(struct iovec){ data, 8 }, 7), 0);
    event = next_event(server, client);
    assert_int_equal(event.type, WEIR_EV_CALL);
    rpc = event.rpc;
    tcp->release(server, event.lease);
    assert_int_equal(tcp->reply(server, rpc, &(struct iovec){ answer, 6 }, 9), 0);
    assert_int_equal(tcp->reply(server, rpc, &(struct iovec){ answer, 6 }, 9), -ENOENT);
    event = next_event(server, client);
    assert_int_equal(event.type, WEIR_EV_REPLIED);
    assert_int_equal(event.user_data, 9);
    event = next_event(client, server);
    assert_int_equal(event.type, WEIR_EV_REPLY);
    assert_int_equal(event.user_data, 7);
    assert_int_equal(event.len, 6);
    assert_memory_equal(event.data, "answer", 6);
    tcp->release(client, event.lease);
}

static void empty_and_large_messages_arrive_whole_and_in_order(void **state)
{
    static unsigned char large[3000000];
    const size_t size[] = { 0, sizeof(large), 0, 1, 65536 };
    uint64_t sum = 0, seen = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(large); i++)
        large[i] = (unsigned char)(i * 31 + (i >> 12));
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(tcp->send(client, peer, &(struct iovec){ large, size[i] }, i, NULL), 0);
    for (size_t i = 0; i < 5; i++) {
        struct weir_event event = next_event(server, client);
        assert_int_equal(event.len, size[i]);
        assert_true(event.len == 0 || memcmp(event.data, large, event.len) == 0);
        tcp->release(server, event.lease);
    }
    for (; seen < 5; seen++)
        sum += next_event(client, server).user_data;
    assert_int_equal(sum, 0 + 1 + 2 + 3 + 4);
}

static void several_connections_share_the_messages(void **state)
{
    struct weir_stats stats;
    char data[] = "x";
    (void)state;
    open_all(3);
    for (uint64_t i = 0; i < 9; i++)
        assert_int_equal(tcp->send(client, peer, &(struct iovec){ data, 1 }, i, NULL), 0);
    for (int i = 0; i < 9; i++)
        tcp->release(server, next_event(server, client).lease);
    for (int i = 0; i < 9; i++)
        assert_int_equal(next_event(client, server).type, WEIR_EV_SENT);
    tcp->stats(client, &stats);
    assert_int_equal(stats.peers, 3);
    assert_int_equal(stats.ops_pending, 0);
    assert_int_equal(stats.bytes_sent, 9);
}

static void a_cancelled_call_ends_once(void **state)
{
    char data[] = "question";
    struct weir_event event;
    (void)state;
    assert_int_equal(tcp->call(client, peer, &(struct iovec){ data, 8 }, 7), 0);
    assert_int_equal(tcp->cancel(client, 7), 1);
    assert_int_equal(tcp->cancel(client, 7), 0);
    event = next_event(client, NULL);
    assert_int_equal(event.result, -ECANCELED);
    event = next_event(server, client);
    tcp->release(server, event.lease);
    assert_int_equal(tcp->reply(server, event.rpc, &(struct iovec){ data, 8 }, 0), 0);
    assert_int_equal(tcp->send(client, peer, &(struct iovec){ data, 8 }, 8, NULL), 0);
    event = next_event(client, server); /* the late reply was swallowed: this is of the message */
    assert_int_equal(event.type, WEIR_EV_SENT);
    assert_int_equal(event.user_data, 8);
}

static void a_caller_that_is_gone_gets_no_reply(void **state)
{
    char data[] = "question";
    struct weir_event event;
    (void)state;
    assert_int_equal(tcp->call(client, peer, &(struct iovec){ data, 8 }, 7), 0);
    event = next_event(server, client);
    assert_int_equal(event.type, WEIR_EV_CALL);
    tcp->close(client); /* the caller goes first: its call is forgotten on both sides */
    client = NULL;
    for (int i = 0; i < 10; i++)
        assert_int_equal(tcp->poll(server, NULL, 0, TURN_NS), 0);
    assert_int_equal(tcp->reply(server, event.rpc, &(struct iovec){ data, 8 }, 0), -ENOENT);
    tcp->release(server, event.lease);
}

static void nobody_there_is_said(void **state)
{
    char data[] = "x";
    struct weir_event event;
    (void)state;
    tcp->close(server);
    server = NULL;
    assert_int_equal(tcp->send(client, peer, &(struct iovec){ data, 1 }, 5, NULL), 0);
    event = next_event(client, NULL);
    assert_int_equal(event.type, WEIR_EV_SENT);
    assert_int_equal(event.result, -EHOSTUNREACH);
    assert_int_equal(event.user_data, 5);
}

static void what_is_no_frame_ends_the_connection(void **state)
{
    static const unsigned char hostile[3][16] = {
        "GET / HTTP/1.1\r",                                    /* no kind of ours */
        { 1, 0, 0, 0, 0x40, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1 }, /* a byte more than 1 GiB */
        { 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9 },    /* the end of a message that never began */
    };
    struct weir_stats stats;
    char end;
    (void)state;
    for (int i = 0; i < 3; i++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(connect(fd, (struct sockaddr *)&addr, addr_len), 0);
        assert_int_equal(write(fd, hostile[i], 16), 16);
        for (int turn = 0; turn < TURNS && recv(fd, &end, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN; turn++)
            assert_int_equal(tcp->poll(server, NULL, 0, TURN_NS), 0);
        tcp->stats(server, &stats);
        assert_int_equal(stats.peers, 0);
        assert_int_equal(stats.rx_bytes_held, 0);
        (void)close(fd);
    }
}

static void shutting_down_ends_what_has_begun_and_takes_nothing_new(void **state)
{
    static unsigned char large[2000000];
    struct weir_event event;
    struct weir_stats stats;
    (void)state;
    assert_int_equal(tcp->send(client, peer, &(struct iovec){ large, sizeof(large) }, 1, NULL), 0);
    do { /* until the first of its bytes are there */
        assert_int_equal(tcp->poll(client, NULL, 0, 0), 0);
        assert_int_equal(tcp->poll(server, NULL, 0, TURN_NS), 0);
        tcp->stats(server, &stats);
    } while (stats.rx_bytes_held == 0);
    tcp->shut_down(server);
    event = next_event(server, client);
    assert_int_equal(event.len, sizeof(large));
    tcp->release(server, event.lease);
    event = next_event(client, server);
    assert_int_equal(event.result, 0);
    assert_int_equal(tcp->send(client, peer, &(struct iovec){ large, 10 }, 2, NULL), 0);
    assert_int_equal(tcp->poll(server, &event, 1, TURN_NS), 0);
    tcp->stats(server, &stats);
    assert_int_equal(stats.ops_pending, 0);
}

/* What the user said, also if it is 1; without that what a device knows, which is no rate in the case of loopback. */
static void limits_are_the_users_else_the_devices(void **state)
{
    static const uint64_t rate_bps[][2] = { { 0, UINT64_C(10000000000) }, { 1, 1 }, { 2, 2 } };
    static const uint32_t mtu[] = { 1, 69, 9000 };
    struct weir_limits_info limits;
    (void)state;
    server_args.rtt_ps = 8 * WEIR_PS_PER_S;
    for (int i = 0; i < 3; i++) {
        server_args.rate_bps = rate_bps[i][0];
        server_args.mtu = mtu[i];
        tcp->limits(server, &limits);
        assert_int_equal(limits.rate_bps, rate_bps[i][1]);
        assert_int_equal(limits.bdp_bytes, rate_bps[i][1]); /* 8 s of it */
        assert_int_equal(limits.mtu, mtu[i]);
        assert_int_equal(limits.payload_bytes, (uint32_t)(mtu[i] - 68));
    }
    server_args.mtu = 0;
    tcp->limits(server, &limits);
    assert_in_range(limits.mtu, 576, 1500);
}

static void the_kernels_refusal_is_a_sentence(void **state)
{
    const struct weir_live_args args = { .tcp_cc = "no-such-thing", .transport = WEIR_LIVE_TCP };
    struct weir_live_args taken = server_args;
    char bind[32];
    void *other;
    (void)state;
    assert_int_equal(tcp->open(&other, &args, &err), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, "", "--tcp-cc");
    weir_live_address_text((struct sockaddr *)&addr, addr_len, bind, sizeof(bind));
    taken.bind = bind;
    assert_int_equal(tcp->open(&other, &taken, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "Address already in use");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_message_is_acknowledged_when_it_is_there, setup, teardown),
        cmocka_unit_test_setup_teardown(a_call_gets_its_reply_and_only_one, setup, teardown),
        cmocka_unit_test_setup_teardown(empty_and_large_messages_arrive_whole_and_in_order, setup, teardown),
        cmocka_unit_test_teardown(several_connections_share_the_messages, teardown),
        cmocka_unit_test_setup_teardown(a_cancelled_call_ends_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_caller_that_is_gone_gets_no_reply, setup, teardown),
        cmocka_unit_test_setup_teardown(nobody_there_is_said, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_frame_ends_the_connection, setup, teardown),
        cmocka_unit_test_setup_teardown(shutting_down_ends_what_has_begun_and_takes_nothing_new, setup, teardown),
        cmocka_unit_test_setup_teardown(limits_are_the_users_else_the_devices, setup, teardown),
        cmocka_unit_test_setup_teardown(the_kernels_refusal_is_a_sentence, setup, teardown),
    };
    return cmocka_run_group_tests_name("live/tcp", tests, NULL, NULL);
}
