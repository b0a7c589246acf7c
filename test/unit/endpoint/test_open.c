/* test/unit/endpoint/test_open.c - weir_open() on the real driver, on loopback: what it refuses, and that two endpoints
 * meet. */
#include "test/unit/weir_test.h"
#include "test/unit/endpoint/internals.h"
#include <weir/weir.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
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
    struct weir_stats s = { .size = sizeof(s) };
    assert_int_equal(weir_stats(a, &s), 0);
    assert_true(s.send_syscalls > 0 && s.send_syscalls <= s.packets_sent && s.send_syscalls < s.syscalls);
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

/* The clock of b goes ahead by two minutes, so a's tag is one of long ago, as an ex-peer's: a call of a is served, and then a has the
 * tag of now. A flood with the tag of long ago fills the queue of strangers only. */
static void the_tag_of_two_minutes_ago_fills_no_queue_of_peers(void **state)
{
    enum { FLOOD = 3000, QUEUE_MAX = 128 };
    struct weir_ep *a = open_here(), *b = open_here();
    struct weir_stats before = { .size = sizeof(before) }, after = before;
    unsigned char bytes[1400] = { WEIR_WIRE_VERSION << 4 };
    struct sockaddr_in addr;
    socklen_t len = sizeof(addr);
    struct weir_peer *peer;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    (void)state;
    assert_int_equal(weir_address(b, (struct sockaddr *)&addr, &len), 0);
    assert_int_equal(weir_peer_get(a, (struct sockaddr *)&addr, len, &peer), 0);
    call_and_reply(a, b, peer);
    bytes[10] = (unsigned char)(b->tag.present >> 8);
    bytes[11] = (unsigned char)b->tag.present;
    b->opened_ns -= UINT64_C(120000000000);
    call_and_reply(a, b, peer);
    call_and_reply(a, b, peer);
    assert_false(weir_tag_is_valid(&b->tag, (uint64_t)bytes[10] << 8 | bytes[11]));
    assert_int_equal(peer->tx_token & 0xffff, b->tag.present);
    assert_int_equal(weir_stats(b, &before), 0);
    for (int i = 0; i < FLOOD; i++)
        assert_int_equal(sendto(fd, bytes, sizeof(bytes), 0, (struct sockaddr *)&addr, len), sizeof(bytes));
    for (int i = 0; i < 20; i++)
        call_and_reply(a, b, peer);
    assert_int_equal(weir_stats(b, &after), 0);
    assert_int_equal(after.messages_received - before.messages_received, 20);
    assert_in_range(after.stranger_packets - before.stranger_packets, 1, QUEUE_MAX);
    assert_int_equal(after.resets, 0);
    assert_int_equal(close(fd), 0);
    assert_int_equal(weir_close(a), 0);
    assert_int_equal(weir_close(b), 0);
}

/* The DONE of a reply lies behind other packets of its peer, and the kernel reports that nobody has its port any more. */
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

/* What a child of fork() gets from an endpoint of its parent. Returns the number of the first wrong answer; 0 = none. */
static int child_of(struct weir_ep *mine, struct weir_peer *p)
{
    struct sockaddr_storage sa;
    socklen_t len = sizeof(sa);
    struct weir_event event;
    struct iovec iov = { (void *)(uintptr_t) "x", 1 };
    if (weir_poll(mine, &event, 1, 0) != -ECHILD || weir_poll(mine, NULL, 0, 0) != -ECHILD)
        return 1;
    if (weir_send(mine, p, &iov, 1, 1, NULL) != -ECHILD || weir_call(mine, p, &iov, 1, 1, NULL) != -ECHILD)
        return 2;
    if (weir_reply(mine, 1, &iov, 1, 1, NULL) != -ECHILD || weir_recv_into(mine, NULL, &sa, 0, 1, 1) != -ECHILD)
        return 3;
    if (weir_rekey(mine, "keys") != -ECHILD)
        return 9;
    if (weir_set_weight(mine, 1, 1) != -ECHILD || weir_peer_set_weight(mine, p, 1) != -ECHILD)
        return 8;
    if (weir_cancel(mine, 1) != -ECHILD || weir_shutdown(mine) != -ECHILD || weir_peer_put(mine, p) != -ECHILD)
        return 4;
    if (weir_peer_address(p, (struct sockaddr *)&sa, &len) != 0)
        return 5;
    if (weir_peer_get(mine, (struct sockaddr *)&sa, len, &p) != -ECHILD)
        return 6;
    return weir_close(mine) == 0 ? 0 : 7;
}

static void a_child_of_fork_changes_nothing(void **state)
{
    struct weir_ep *e[2];
    struct weir_opts o = { .size = sizeof(o), .bind = "127.0.0.1:0" };
    struct sockaddr_storage sa;
    socklen_t len = sizeof(sa);
    struct weir_peer *p;
    struct weir_event event;
    struct iovec iov = { (void *)(uintptr_t) "x", 1 };
    int status;
    pid_t pid;
    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(weir_open(&e[i], &o), 0);
    assert_int_equal(weir_address(e[1], (struct sockaddr *)&sa, &len), 0);
    assert_int_equal(weir_peer_get(e[0], (struct sockaddr *)&sa, len, &p), 0);
    for (uint64_t sent = 1; sent <= 2; sent++) {
        assert_int_equal(weir_send(e[0], p, &iov, 1, sent, NULL), 0);
        while (weir_poll(e[0], &event, 1, 0) == 0)
            (void)weir_poll(e[1], NULL, 0, 0);
        assert_int_equal(event.result, 0);
        assert_int_equal(event.user_data, sent);
        if (sent == 2)
            break;
        pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            _exit(child_of(e[0], p));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
    {
        struct weir_stats s = { .size = sizeof(s) };
        assert_int_equal(weir_stats(e[1], &s), 0);
        assert_int_equal(s.handshakes, 1); /* the connection is the same */
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(weir_close(e[i]), 0);
}

/* Sends a message without end to an address. Does not return. */
static void send_for_ever(const struct sockaddr *to, socklen_t len)
{
    static unsigned char bytes[40000000];
    struct weir_opts o = { .size = sizeof(o), .bind = "127.0.0.1:0" };
    struct iovec iov = { bytes, sizeof(bytes) };
    struct weir_event event;
    struct weir_peer *p;
    struct weir_ep *e;
    if (weir_open(&e, &o) == 0 && weir_peer_get(e, to, len, &p) == 0)
        while (weir_send(e, p, &iov, 1, 1, NULL) == 0 || weir_poll(e, &event, 1, -1) >= 0)
            (void)weir_poll(e, &event, 1, 0);
    _exit(1);
}

/* The kernel of a process that was killed says that nobody has its port, so its messages hold no memory. */
static void a_sender_that_is_killed_holds_no_memory(void **state)
{
    struct weir_opts o = { .size = sizeof(o), .bind = "127.0.0.1:0", .peer_timeout_ns = UINT64_C(86400000000000) };
    struct weir_stats s = { .size = sizeof(s) };
    struct sockaddr_storage sa;
    socklen_t len = sizeof(sa);
    struct weir_event event;
    struct weir_ep *e;
    int status;
    pid_t pid;
    (void)state;
    assert_int_equal(weir_open(&e, &o), 0);
    assert_int_equal(weir_address(e, (struct sockaddr *)&sa, &len), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        send_for_ever((struct sockaddr *)&sa, len);
    do {
        (void)weir_poll(e, &event, 0, 0);
        assert_int_equal(weir_stats(e, &s), 0);
    } while (s.messages_arriving == 0);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    while (s.messages_arriving > 0) {
        int n = weir_poll(e, &event, 1, 0);
        if (n == 1)
            weir_release(e, event.lease);
        assert_int_equal(weir_stats(e, &s), 0);
    }
    assert_int_equal(weir_close(e), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_of_open_is_a_sentence),
        cmocka_unit_test(a_call_and_its_reply_over_loopback),
        cmocka_unit_test(a_flood_over_loopback_leaves_calls_alone),
        cmocka_unit_test(the_tag_of_two_minutes_ago_fills_no_queue_of_peers),
        cmocka_unit_test(what_a_peer_sent_before_it_closed_counts),
        cmocka_unit_test(any_address_of_a_host_can_be_called),
        cmocka_unit_test(a_port_in_use_is_reported),
        cmocka_unit_test(a_child_of_fork_changes_nothing),
        cmocka_unit_test(a_sender_that_is_killed_holds_no_memory),
        cmocka_unit_test(running_out_of_file_descriptors_is_reported),
    };
    return cmocka_run_group_tests_name("endpoint/open", tests, NULL, NULL);
}
