/* test/unit/endpoint/test_open.c - weir_open() on the real driver, on loopback: what it refuses, and that two endpoints
 * meet. */
#include "test/unit/weir_test.h"
#include <weir/weir.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void an_error_of_open_is_a_sentence(void **state)
{
    static const struct {
        struct weir_opts opts;
        const char *text;
    } wrong[] = {
        { { .size = sizeof(struct weir_opts), .bind = "here" }, "bind: 'here' is no address" },
        { { .size = sizeof(struct weir_opts), .driver = "rdma" }, "unknown driver 'rdma'" },
        { { .size = 0, .bind = "here" }, "opts.size is not set" },
    };
    struct weir_ep *ep;
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(weir_open(&ep, &wrong[i].opts), -EINVAL);
        assert_null(ep);
        assert_ptr_equal(strstr(weir_open_error(), wrong[i].text), weir_open_error());
    }
    assert_int_equal(weir_open(&ep, NULL), 0);
    assert_string_equal(weir_open_error(), "");
    assert_int_equal(weir_close(ep), 0);
}

static struct weir_ep *open_here(void)
{
    struct weir_opts opts = { .size = sizeof(opts), .bind = "127.0.0.1:0" };
    struct weir_ep *ep;
    assert_int_equal(weir_open(&ep, &opts), 0);
    return ep;
}

static struct weir_event next(struct weir_ep *ep, struct weir_ep *other, uint32_t type)
{
    struct weir_event event, dropped;
    for (;;) {
        if (weir_poll(ep, &event, 1, 0) == 1 && event.type == type)
            return event;
        (void)weir_poll(other, &dropped, 0, 0); /* progress, no events */
    }
}

static void a_call_and_its_reply_over_loopback(void **state)
{
    struct weir_ep *a = open_here(), *b = open_here();
    struct sockaddr_in addr;
    socklen_t len = sizeof(addr);
    struct weir_peer *peer;
    struct iovec ping = { "ping", 4 }, pong = { "pong", 4 };
    (void)state;
    assert_int_equal(weir_address(b, (struct sockaddr *)&addr, &len), 0);
    assert_int_equal(weir_peer_get(a, (struct sockaddr *)&addr, len, &peer), 0);
    assert_int_equal(weir_call(a, peer, &ping, 1, 7, NULL), 0);
    struct weir_event call = next(b, a, WEIR_EV_CALL);
    assert_memory_equal(call.data, "ping", 4);
    weir_release(b, call.lease);
    assert_int_equal(weir_reply(b, call.rpc, &pong, 1, 0, NULL), 0);
    struct weir_event reply = next(a, b, WEIR_EV_REPLY);
    assert_int_equal(reply.user_data, 7);
    assert_memory_equal(reply.data, "pong", 4);
    weir_release(a, reply.lease);
    assert_int_equal(weir_close(a), 0);
    assert_int_equal(weir_close(b), 0);
}

static void call_and_reply(struct weir_ep *a, struct weir_ep *b, struct weir_peer *peer)
{
    struct iovec ping = { "ping", 4 };
    assert_int_equal(weir_call(a, peer, &ping, 1, 7, NULL), 0);
    struct weir_event call = next(b, a, WEIR_EV_CALL);
    weir_release(b, call.lease);
    assert_int_equal(weir_reply(b, call.rpc, NULL, 0, 0, NULL), 0);
    assert_int_equal(next(a, b, WEIR_EV_REPLY).result, 0);
}

/* 3000 datagrams with a token of nobody's, more than any queue holds, wait when a peer calls. */
static void a_flood_over_loopback_leaves_calls_alone(void **state)
{
    enum { FLOOD = 3000, QUEUE_MAX = 128 }; /* 128 KiB with what the kernel keeps beside a datagram */
    struct weir_ep *a = open_here(), *b = open_here();
    struct weir_stats before = { .size = sizeof(before) }, after = before;
    struct sockaddr_in addr;
    socklen_t len = sizeof(addr);
    struct weir_peer *peer;
    unsigned char strange[1400] = { 0x20 };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct pollfd readable = { .fd = weir_fd(b), .events = POLLIN };
    (void)state;
    assert_int_equal(weir_address(b, (struct sockaddr *)&addr, &len), 0);
    assert_int_equal(weir_peer_get(a, (struct sockaddr *)&addr, len, &peer), 0);
    call_and_reply(a, b, peer);
    assert_int_equal(weir_stats(b, &before), 0);
    assert_in_range(before.stranger_packets, 2, 200); /* HELLO and OPEN, repeated if this process had to wait */
    for (int i = 0; i < FLOOD; i++)
        assert_int_equal(sendto(fd, strange, sizeof(strange), 0, (struct sockaddr *)&addr, len), sizeof(strange));
    assert_int_equal(poll(&readable, 1, 10000), 1); /* strangers wake, too */
    for (int i = 0; i < 20; i++)
        call_and_reply(a, b, peer);
    assert_int_equal(weir_stats(b, &after), 0);
    assert_int_equal(after.messages_received - before.messages_received, 20);
    assert_in_range(after.stranger_packets - before.stranger_packets, 1, QUEUE_MAX);
    assert_true(after.refused_packets + after.checksum_errors > before.refused_packets + before.checksum_errors);
    assert_int_equal(after.resets, 0);
    assert_int_equal(close(fd), 0);
    assert_int_equal(weir_close(a), 0);
    assert_int_equal(weir_close(b), 0);
}

/* The DONE of a reply lies behind other packets of its peer, and the RESET with which that closes is in the queue of strangers. */
static void what_a_peer_sent_before_it_closed_counts(void **state)
{
    struct weir_ep *a = open_here(), *b = open_here();
    struct sockaddr_in addr;
    socklen_t len = sizeof(addr);
    struct weir_peer *peer;
    struct iovec ping = { "ping", 4 };
    struct weir_event event;
    (void)state;
    assert_int_equal(weir_address(b, (struct sockaddr *)&addr, &len), 0);
    assert_int_equal(weir_peer_get(a, (struct sockaddr *)&addr, len, &peer), 0);
    call_and_reply(a, b, peer);
    assert_int_equal(next(b, a, WEIR_EV_REPLIED).result, 0);
    assert_int_equal(weir_call(a, peer, &ping, 1, 8, NULL), 0);
    struct weir_event call = next(b, a, WEIR_EV_CALL);
    weir_release(b, call.lease);
    assert_int_equal(weir_reply(b, call.rpc, NULL, 0, 9, NULL), 0);
    (void)weir_poll(b, &event, 0, 0); /* it leaves; from now on b does not look */
    do {
        while (weir_poll(a, &event, 1, 0) != 1)
            continue;
    } while (event.type != WEIR_EV_REPLY);
    for (uint64_t i = 0; i < 8; i++)
        assert_int_equal(weir_send(a, peer, &ping, 1, i, NULL), 0);
    assert_int_equal(weir_close(a), 0);
    do {
        while (weir_poll(b, &event, 1, 0) != 1)
            continue;
        if (event.lease != NULL)
            weir_release(b, event.lease);
    } while (event.type != WEIR_EV_REPLIED);
    assert_int_equal(event.user_data, 9);
    assert_int_equal(event.result, 0);
    assert_int_equal(weir_close(b), 0);
}

static void any_address_of_a_host_can_be_called(void **state)
{
    struct weir_opts opts = { .size = sizeof(opts), .bind = "127.0.0.1:0", .mtu = 1280 }; /* of any device */
    struct weir_ep *a, *b;
    struct sockaddr_in addr;
    socklen_t len = sizeof(addr);
    struct weir_peer *peer;
    char much[20000] = { 0 };
    struct iovec all = { much, sizeof(much) };
    (void)state;
    assert_int_equal(weir_open(&a, &opts), 0);
    opts.bind = NULL;
    assert_int_equal(weir_open(&b, &opts), 0);
    assert_int_equal(weir_address(b, (struct sockaddr *)&addr, &len), 0);
    assert_int_equal(inet_pton(AF_INET, "127.0.0.3", &addr.sin_addr), 1);
    assert_int_equal(weir_peer_get(a, (struct sockaddr *)&addr, len, &peer), 0);
    assert_int_equal(weir_call(a, peer, &all, 1, 7, NULL), 0);
    struct weir_event call = next(b, a, WEIR_EV_CALL);
    assert_int_equal(call.len, sizeof(much));
    assert_int_equal(weir_reply(b, call.rpc, &all, 1, 0, NULL), 0);
    weir_release(b, call.lease);
    struct weir_event reply = next(a, b, WEIR_EV_REPLY);
    assert_int_equal(reply.result, 0);
    assert_int_equal(reply.len, sizeof(much));
    weir_release(a, reply.lease);
    assert_int_equal(weir_close(a), 0);
    assert_int_equal(weir_close(b), 0);
}

static void a_port_in_use_is_reported(void **state)
{
    struct weir_ep *a = open_here(), *b;
    struct sockaddr_in addr;
    socklen_t len = sizeof(addr);
    char text[32];
    (void)state;
    assert_int_equal(weir_address(a, (struct sockaddr *)&addr, &len), 0);
    (void)snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(addr.sin_port));
    struct weir_opts opts = { .size = sizeof(opts), .bind = text };
    assert_int_equal(weir_open(&b, &opts), -EADDRINUSE);
    assert_true(weir_open_error()[0] != '\0');
    assert_int_equal(weir_close(a), 0);
}

static void running_out_of_file_descriptors_is_reported(void **state)
{
    struct weir_opts opts = { .size = sizeof(opts), .bind = "127.0.0.1:0" };
    int lowest = dup(0);
    struct rlimit before, few;
    struct weir_ep *ep;
    (void)state;
    assert_int_equal(close(lowest), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    for (int more = 0; more < 5; more++) {
        few = (struct rlimit){ .rlim_cur = (rlim_t)(lowest + more), .rlim_max = before.rlim_max };
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
        int code = weir_open(&ep, &opts);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
        assert_int_equal(code, -EMFILE);
        assert_non_null(strstr(weir_open_error(), "Too many open files"));
    }
    assert_int_equal(dup(0), lowest); /* nothing was left open */
    assert_int_equal(close(lowest), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_of_open_is_a_sentence),
        cmocka_unit_test(a_call_and_its_reply_over_loopback),
        cmocka_unit_test(a_flood_over_loopback_leaves_calls_alone),
        cmocka_unit_test(what_a_peer_sent_before_it_closed_counts),
        cmocka_unit_test(any_address_of_a_host_can_be_called),
        cmocka_unit_test(a_port_in_use_is_reported),
        cmocka_unit_test(running_out_of_file_descriptors_is_reported),
    };
    return cmocka_run_group_tests_name("endpoint/open", tests, NULL, NULL);
}
