/* test/unit/driver/test_udp.c - the UDP driver over the loopback device, and what it does when the kernel refuses:
 * sendmsg() and sendmmsg() are wrapped (see meson.build): they count what they are given, and fail as told. */
#define _GNU_SOURCE
#include "test/unit/refusal.h"
#include "driver/net.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_NS UINT64_C(20000000000) /* for a datagram that must come */
enum { ROOM = 256 };

struct got {
    uint32_t length;
    uint8_t ecn, first, last;
    struct weir_net_addr from, to;
};

static struct { /* messages given, and what is to be said: 0 = go on, -errno, n = take n messages at most */
    int script[8];
    uint32_t scripted, at, messages;
} kernel;

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *msg, int flags);
int __wrap_sendmmsg(int fd, struct mmsghdr *msgs, unsigned count, int flags);
int __real_sendmmsg(int fd, struct mmsghdr *msgs, unsigned count, int flags);

/* @return what is said of the next call; < 0: errno is set */
static int next_say(unsigned count)
{
    int say = kernel.at < kernel.scripted ? kernel.script[kernel.at++] : 0;
    kernel.messages += count;
    if (say < 0)
        errno = -say;
    return say;
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags)
{
    return next_say(1) < 0 ? -1 : __real_sendmsg(fd, msg, flags);
}

int __wrap_sendmmsg(int fd, struct mmsghdr *msgs, unsigned count, int flags)
{
    int say = next_say(count);
    if (say < 0)
        return -1;
    return __real_sendmmsg(fd, msgs, say > 0 && (unsigned)say < count ? (unsigned)say : count, flags);
}

static void kernel_says(uint32_t count, const int *script)
{
    memset(&kernel, 0, sizeof(kernel));
    memcpy(kernel.script, script, count * sizeof(*script));
    kernel.scripted = count;
}
#define KERNEL_SAYS(...) kernel_says(sizeof((const int[]){ __VA_ARGS__ }) / sizeof(int), (const int[]){ __VA_ARGS__ })

/* @return NULL: this machine has no such address */
static struct weir_net *try_open_at(const char *bind_to)
{
    struct weir_net_config cfg = { .mtu = 1500 };
    struct weir_err err = { 0 };
    struct weir_net *net;
    assert_int_equal(weir_net_addr_parse(bind_to, &cfg.bind), 0);
    int status = weir_net_udp.open(&net, &cfg, &err);
    if (status == -EADDRNOTAVAIL || status == -EAFNOSUPPORT)
        return NULL;
    assert_string_equal(err.text, "");
    assert_int_equal(status, 0);
    return net;
}

static struct weir_net *open_at(const char *bind_to)
{
    struct weir_net *net = try_open_at(bind_to);
    if (net == NULL) {
        fail_msg("%s: no such address", bind_to);
        abort(); /* not reached, which the analyzer does not know */
    }
    return net;
}

struct pair {
    struct weir_net *a, *b;
};

static struct pair open_pair(void)
{
    struct pair p = { open_at("127.0.0.1:0"), open_at("127.0.0.1:0") };
    KERNEL_SAYS(0);
    return p;
}

static void close_pair(struct pair p)
{
    p.a->driver->close(p.a);
    p.b->driver->close(p.b);
}

/* Receives exactly want datagrams, at most at_once per call, and looks that no more have come. */
static void receive(struct weir_net *net, struct got *got, uint32_t want, uint32_t at_once)
{
    struct weir_net_in in[WEIR_NET_BATCH];
    uint64_t until_ns = net->now_ns(net) + PATIENCE_NS;
    uint32_t have = 0;
    while (have < want) {
        int n = net->driver->recv(net, in, at_once);
        assert_in_range(n, 0, at_once);
        for (int i = 0; i < n && have < ROOM; i++, have++)
            got[have] = (struct got){ in[i].length,
                                      in[i].ecn,
                                      in[i].length > 0 ? in[i].bytes[0] : 0,
                                      in[i].length > 0 ? in[i].bytes[in[i].length - 1] : 0,
                                      in[i].from,
                                      in[i].to };
        assert_true(have <= want && net->now_ns(net) < until_ns);
        if (n == 0)
            assert_int_equal(net->driver->wait(net, until_ns, -1), 0);
    }
    assert_int_equal(net->driver->recv(net, in, at_once), 0);
}

static unsigned char bytes[65535];

/* head_bytes of the number i, then body_bytes of 200 + i. */
static struct weir_net_out datagram(const struct weir_net_addr *to, uint32_t i, uint16_t head_bytes,
                                    uint16_t body_bytes)
{
    static unsigned char heads[WEIR_NET_BATCH][64], bodies[WEIR_NET_BATCH][2048];
    memset(heads[i], (int)i, sizeof(heads[i]));
    memset(bodies[i], (int)(200 + i), sizeof(bodies[i]));
    return (struct weir_net_out){
        .to = to, .head = heads[i], .body = bodies[i], .head_bytes = head_bytes, .body_bytes = body_bytes
    };
}

static uint32_t same_size(struct weir_net_out *out, const struct weir_net_addr *to, uint32_t count, uint16_t body_bytes)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = datagram(to, i, 40, body_bytes);
    return count;
}

static void a_datagram_arrives_as_it_was_sent(void **state)
{
    struct pair p = open_pair();
    struct got got[1];
    struct weir_net_out out = datagram(&p.b->local, 7, 40, 100);
    (void)state;
    assert_string_equal(p.a->driver->name, "udp");
    assert_int_equal(p.a->mtu, 1500);
    assert_int_equal(p.a->driver->send(p.a, &out, 1), 1);
    receive(p.b, got, 1, WEIR_NET_BATCH);
    assert_int_equal(got[0].length, 140);
    assert_int_equal(got[0].first, 7);
    assert_int_equal(got[0].last, 207);
    assert_int_equal(got[0].ecn, WEIR_NET_NOT_ECT);
    assert_memory_equal(&got[0].from, &p.a->local, sizeof(p.a->local));
    close_pair(p);
}

static void see_ecn(struct weir_net *a, struct weir_net *b)
{
    struct weir_net_out out[4];
    struct got got[4];
    for (uint32_t i = 0; i < 4; i++) {
        out[i] = datagram(&b->local, i, 40, 0);
        out[i].ecn = (uint8_t)i;
        out[i].class_id = (uint8_t)(3 - i);
    }
    assert_int_equal(a->driver->send(a, out, 4), 4);
    receive(b, got, 4, WEIR_NET_BATCH);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(got[i].first, i);
        assert_int_equal(got[i].ecn, i);
    }
}

static void ecn_bits_are_received(void **state)
{
    struct pair p = open_pair();
    (void)state;
    see_ecn(p.a, p.b);
    assert_int_equal(kernel.messages, 4); /* what differs in ECN never goes as one */
    close_pair(p);
}

static void ipv6_loopback_works(void **state)
{
    struct pair p = { try_open_at("[::1]:0"), try_open_at("[::1]:0") };
    struct weir_net_out out[WEIR_NET_BATCH];
    struct got got[ROOM];
    (void)state;
    if (p.a == NULL || p.b == NULL) {
        print_message("no IPv6 loopback address here: not tested\n");
        skip();
    }
    see_ecn(p.a, p.b);
    same_size(out, &p.b->local, 64, 900);
    for (uint32_t i = 0; i < 64; i++)
        out[i].ecn = WEIR_NET_CE;
    KERNEL_SAYS(0);
    assert_int_equal(p.a->driver->send(p.a, out, 64), 64);
    assert_int_equal(kernel.messages, 1);
    receive(p.b, got, 64, WEIR_NET_BATCH);
    for (uint32_t i = 0; i < 64; i++)
        assert_true(got[i].first == i && got[i].length == 940 && got[i].ecn == WEIR_NET_CE);
    assert_memory_equal(&got[63].from, &p.a->local, sizeof(p.a->local));
    close_pair(p);
}

static void dscp_is_the_class(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out = datagram(&p.b->local, 0, 40, 0);
    char control[64], data[64];
    struct iovec iov = { data, sizeof(data) };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control) };
    (void)state;
    out.class_id = 1;
    out.ecn = WEIR_NET_ECT0;
    assert_int_equal(p.a->driver->send(p.a, &out, 1), 1);
    assert_int_equal(p.b->driver->wait(p.b, p.b->now_ns(p.b) + PATIENCE_NS, -1), 0);
    assert_int_equal(recvmsg(p.b->fd, &msg, 0), 40);
    assert_int_equal(CMSG_FIRSTHDR(&msg)->cmsg_type, IP_TOS);
    assert_int_equal(*CMSG_DATA(CMSG_FIRSTHDR(&msg)), 0x82); /* CS4, ECT(0) */
    close_pair(p);
}

static void a_batch_goes_as_one_and_arrives_whole_and_in_order(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out[WEIR_NET_BATCH];
    struct got got[ROOM];
    (void)state;
    same_size(out, &p.b->local, 64, 960); /* 64 * 1000 = 64000 <= 65000 */
    out[63].body_bytes = 1;
    assert_int_equal(p.a->driver->send(p.a, out, 64), 64);
    assert_int_equal(kernel.messages, 1);
    receive(p.b, got, 64, WEIR_NET_BATCH);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(got[i].length, i < 63 ? 1000 : 41);
        assert_int_equal(got[i].first, i);
        assert_int_equal(got[i].last, (uint8_t)(200 + i));
    }
    assert_int_equal(p.a->stats.syscalls, 1);
    close_pair(p);
}

static void each_call_of_the_kernel_is_counted(void **state)
{
    struct pair p = open_pair();
    struct weir_net_trouble trouble;
    uint64_t before = p.a->stats.syscalls;
    (void)state;
    assert_int_equal(p.a->driver->troubles(p.a, &trouble, 1), 0);
    assert_int_equal(p.a->stats.syscalls, before + 1);
    assert_int_equal(p.a->driver->wait(p.a, 0, -1), 0);
    assert_int_equal(p.a->stats.syscalls, before + 2);
    close_pair(p);
}

static void the_rest_of_a_batch_comes_with_the_next_calls(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out[WEIR_NET_BATCH];
    struct weir_net_in in[1];
    struct got got[ROOM];
    (void)state;
    same_size(out, &p.b->local, 64, 0);
    assert_int_equal(p.a->driver->send(p.a, out, 64), 64);
    assert_int_equal(p.b->driver->wait(p.b, p.b->now_ns(p.b) + PATIENCE_NS, -1), 0);
    assert_int_equal(p.b->driver->recv(p.b, in, 0), 0);
    assert_int_equal(p.b->driver->recv(p.b, in, 1), 1);
    assert_int_equal(in[0].bytes[0], 0);
    if (p.b->stats.syscalls == 2 && recv(p.b->fd, bytes, sizeof(bytes), MSG_PEEK | MSG_DONTWAIT) < 0)
        assert_int_equal(p.b->driver->wait(p.b, UINT64_MAX, -1), 0); /* all of it is in the driver: must not sleep */
    receive(p.b, got, 63, 10);
    for (uint32_t i = 0; i < 63; i++)
        assert_int_equal(got[i].first, i + 1);
    close_pair(p);
}

/* @return messages that the kernel was given for these; all arrive in order */
static uint32_t messages_for(struct pair p, struct weir_net_out *out, uint32_t count)
{
    struct got got[ROOM];
    KERNEL_SAYS(0);
    assert_int_equal(p.a->driver->send(p.a, out, count), count);
    receive(p.b, got, count, WEIR_NET_BATCH);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(got[i].first, i);
        assert_int_equal(got[i].length, out[i].head_bytes + out[i].body_bytes);
        assert_int_equal(got[i].ecn, out[i].ecn);
    }
    return kernel.messages;
}

static void runs_end_where_something_differs(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out[WEIR_NET_BATCH];
    struct weir_net_addr copy = p.b->local, source = p.a->local, other = source;
    (void)state;
    same_size(out, &p.b->local, 6, 100);
    out[2].to = &copy; /* the same by value */
    assert_int_equal(messages_for(p, out, 6), 1);
    out[3].ecn = WEIR_NET_ECT0; /* 0 1 2 | 3 | 4 5 */
    assert_int_equal(messages_for(p, out, 6), 3);
    out[3].ecn = 0;
    out[1].class_id = 1; /* 0 | 1 | 2 .. 5 */
    assert_int_equal(messages_for(p, out, 6), 3);
    out[1].class_id = 0;
    for (uint32_t i = 0; i < 6; i++)
        out[i].from = &source;
    assert_int_equal(messages_for(p, out, 6), 1);
    other.ip[3] = 2;      /* 127.0.0.2 */
    out[4].from = &other; /* 0 .. 3 | 4 | 5 */
    assert_int_equal(messages_for(p, out, 6), 3);
    for (uint32_t i = 0; i < 6; i++)
        out[i].from = NULL;
    out[2].body_bytes = 50; /* 0 1 2 | 3 4 5 */
    assert_int_equal(messages_for(p, out, 6), 2);
    out[2].body_bytes = 150; /* 0 1 | 2 3 | 4 5 */
    assert_int_equal(messages_for(p, out, 6), 3);
    assert_int_equal(messages_for(p, out, same_size(out, &p.b->local, 64, 1432)),
                     2); /* 44 * 1472 = 64768, 45 are too many */
    close_pair(p);
}

/* Switches write into each datagram, and would see a run as one. */
static void an_endpoint_may_demand_that_datagrams_go_one_by_one(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out[WEIR_NET_BATCH];
    (void)state;
    same_size(out, &p.b->local, 6, 100);
    p.a->one_by_one = true;
    assert_int_equal(messages_for(p, out, 6), 6);
    p.a->one_by_one = false;
    assert_int_equal(messages_for(p, out, 6), 1);
    close_pair(p);
}

static void an_empty_datagram_is_delivered(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out[3] = { datagram(&p.b->local, 1, 0, 0), datagram(&p.b->local, 2, 0, 0),
                                   datagram(&p.b->local, 3, 4, 0) };
    struct got got[3];
    (void)state;
    assert_int_equal(p.a->driver->send(p.a, out, 3), 3);
    assert_int_equal(kernel.messages, 3);
    receive(p.b, got, 3, WEIR_NET_BATCH);
    assert_int_equal(got[0].length, 0);
    assert_int_equal(got[1].length, 0);
    assert_int_equal(got[2].length, 4);
    close_pair(p);
}

static void only_the_oversized_datagram_of_a_batch_is_dropped(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out[3] = { datagram(&p.b->local, 1, 40, 9), datagram(&p.b->local, 2, 40, 0),
                                   datagram(&p.b->local, 3, 40, 9) };
    struct got got[2];
    (void)state;
    out[1].body = bytes;
    out[1].body_bytes = 65468; /* 65508: one more than IPv4 carries */
    assert_int_equal(p.a->driver->send(p.a, out, 3), 3);
    receive(p.b, got, 2, WEIR_NET_BATCH);
    assert_int_equal(got[0].first, 1);
    assert_int_equal(got[1].first, 3);
    assert_int_equal(p.a->stats.failed, 1);
    assert_int_equal(p.a->stats.blocked, 0);
    close_pair(p);
}

/* One that listens at any address is written to at `at`, by runs too, and answers from there. */
static void answers_from(const char *any, const char *at, const char *client)
{
    struct pair p = { try_open_at(client), try_open_at(any) };
    struct weir_net_out out[4];
    struct got got[4];
    struct weir_net_addr here;
    if (p.a == NULL || p.b == NULL)
        return; /* no IPv6 here */
    assert_int_equal(weir_net_addr_parse(at, &here), 0);
    here.port = p.b->local.port;
    KERNEL_SAYS(0);
    assert_int_equal(p.a->driver->send(p.a, out, same_size(out, &here, 4, 1000)), 4);
    receive(p.b, got, 4, WEIR_NET_BATCH);
    for (uint32_t i = 0; i < 4; i++) {
        assert_memory_equal(&got[i].to, &here, sizeof(here));
        out[i] = datagram(&got[i].from, i, 40, 1000);
        out[i].from = &here;
        out[i].ecn = WEIR_NET_ECT0;
    }
    assert_int_equal(p.b->driver->send(p.b, out, 4), 4);
    receive(p.a, got, 4, WEIR_NET_BATCH);
    for (uint32_t i = 0; i < 4; i++) {
        assert_memory_equal(&got[i].from, &here, sizeof(here));
        assert_int_equal(got[i].ecn, WEIR_NET_ECT0);
        assert_int_equal(got[i].to.family, 0); /* a.local is all there is */
    }
    close_pair(p);
}

static void any_address_answers_from_the_one_it_was_written_to(void **state)
{
    (void)state;
    answers_from("0.0.0.0:0", "127.0.0.3", "127.0.0.1:0");
    answers_from("[::]:0", "::1", "[::1]:0");
}

static void another_family_is_dropped(void **state)
{
    struct pair p = open_pair();
    struct weir_net_addr six;
    struct weir_net_out out = datagram(&six, 1, 40, 9);
    (void)state;
    assert_int_equal(weir_net_addr_parse("[::1]:9", &six), 0);
    assert_int_equal(p.a->driver->send(p.a, &out, 1), 1);
    assert_int_equal(p.a->stats.failed, 1);
    close_pair(p);
}

static void without_room_the_unsent_rest_is_returned(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out[WEIR_NET_BATCH];
    struct got got[3];
    (void)state;
    same_size(out, &p.b->local, 6, 100);
    out[3].body_bytes = 500; /* 0 1 2 | 3 4 | 5 with out[4] shorter: 3 4 end a run */
    KERNEL_SAYS(-ENOBUFS);
    assert_int_equal(p.a->driver->send(p.a, out, 6), 0);
    KERNEL_SAYS(1, -EAGAIN);
    assert_int_equal(p.a->driver->send(p.a, out, 6), 3);
    assert_int_equal(p.a->stats.blocked, 2);
    receive(p.b, got, 3, WEIR_NET_BATCH);
    assert_int_equal(p.a->driver->wait(p.a, UINT64_MAX, -1), 0); /* there is room: must not sleep */
    assert_int_equal(p.a->stats.failed, 0);
    close_pair(p);
}

static void a_device_that_refuses_runs_gets_datagrams(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out[WEIR_NET_BATCH];
    struct got got[ROOM];
    (void)state;
    same_size(out, &p.b->local, 8, 100);
    KERNEL_SAYS(-EIO);
    assert_int_equal(p.a->driver->send(p.a, out, 8), 8);
    assert_int_equal(kernel.messages, 1 + 8);
    receive(p.b, got, 8, WEIR_NET_BATCH);
    assert_int_equal(messages_for(p, out, 8), 8); /* from now on */
    assert_int_equal(p.a->stats.failed, 0);
    close_pair(p);
}

static void a_run_refused_goes_one_by_one(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out[WEIR_NET_BATCH];
    struct got got[ROOM];
    (void)state;
    same_size(out, &p.b->local, 6, 100);
    out[2].body_bytes = 50;                          /* 0 1 2 | 3 4 5 */
    KERNEL_SAYS(-EMSGSIZE, 1, -EMSGSIZE, -EMSGSIZE); /* the run; 0 passes; 1 is at fault, and so it is once more */
    assert_int_equal(p.a->driver->send(p.a, out, 6), 6);
    assert_int_equal(kernel.messages, 2 + 3 + 2 + 2 + 1 + 1); /* .., 0 1 2, 1 2 twice, 2, the other run */
    assert_int_equal(p.a->stats.failed, 1);
    receive(p.b, got, 5, WEIR_NET_BATCH);
    assert_int_equal(got[0].first, 0);
    assert_int_equal(got[1].first, 2);
    assert_int_equal(got[4].first, 5);
    same_size(out, &p.b->local, 6, 100);
    assert_int_equal(messages_for(p, out, 6), 1); /* runs are still tried */
    close_pair(p);
}

static void errors_of_one_datagram_are_not_fatal(void **state)
{
    static const int errors[] = { ECONNREFUSED, EPERM, EHOSTUNREACH, ENETUNREACH, EMSGSIZE, EINVAL };
    struct pair p = open_pair();
    struct weir_net_out out = datagram(&p.b->local, 1, 40, 0);
    (void)state;
    for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
        KERNEL_SAYS(-EINTR, -errors[i], -errors[i]); /* the first may be the report on an earlier datagram */
        assert_int_equal(p.a->driver->send(p.a, &out, 1), 1);
        assert_int_equal(p.a->stats.failed, i + 1);
    }
    KERNEL_SAYS(-ENODEV);
    assert_int_equal(p.a->driver->send(p.a, &out, 1), -EIO);
    out.from = &p.a->local; /* its own source: the device of that one has gone, and no other datagram's */
    KERNEL_SAYS(-ENODEV);
    assert_int_equal(p.a->driver->send(p.a, &out, 1), 1);
    assert_int_equal(p.a->stats.failed, sizeof(errors) / sizeof(*errors) + 1);
    KERNEL_SAYS(-EBADF);
    assert_int_equal(p.a->driver->send(p.a, &out, 1), -EIO);
    close_pair(p);
}

static void a_report_is_read_and_costs_no_datagram(void **state)
{
    struct pair p = open_pair();
    struct weir_net_trouble t[2];
    struct weir_net_addr nobody;
    struct weir_net_out out;
    struct got got[ROOM];
    struct weir_net *gone = open_at("127.0.0.1:0");
    (void)state;
    nobody = gone->local;
    gone->driver->close(gone);
    KERNEL_SAYS(0);
    out = datagram(&nobody, 7, 40, 100);
    assert_int_equal(p.a->driver->send(p.a, &out, 1), 1);
    while (!p.a->troubled) /* its answer has come by the next call: loopback is done within the call */
        out = datagram(&p.b->local, 1, 40, 0), assert_int_equal(p.a->driver->send(p.a, &out, 1), 1);
    assert_int_equal(p.a->stats.failed, 0);
    assert_int_equal(p.a->driver->troubles(p.a, t, 2), 1);
    assert_int_equal(t[0].error, ECONNREFUSED);
    assert_false(t[0].local);
    assert_memory_equal(&t[0].to, &nobody, sizeof(nobody));
    assert_true(t[0].quoted_bytes == WEIR_NET_QUOTE);
    receive(p.b, got, 1, WEIR_NET_BATCH); /* the one during which the report came */
    close_pair(p);
}

/* Waits until a datagram and a report are there. The kernel may deliver them after send() has returned. */
static void await_both(const struct weir_net *net)
{
    struct pollfd fd = { .fd = net->fd, .events = POLLIN };
    do
        assert_int_equal(poll(&fd, 1, PATIENCE_NS / 1000000), 1);
    while ((fd.revents & (POLLIN | POLLERR)) != (POLLIN | POLLERR));
}

/* The kernel returns a report before the datagrams that wait: they came first, and are received first. */
static void a_report_does_not_hide_what_came_before_it(void **state)
{
    struct pair p = open_pair();
    struct weir_net_trouble t[2];
    struct weir_net_addr nobody;
    struct weir_net_out out = datagram(&p.a->local, 3, 40, 100);
    struct weir_net_in in[1];
    struct weir_net *gone = open_at("127.0.0.1:0");
    (void)state;
    nobody = gone->local;
    gone->driver->close(gone);
    KERNEL_SAYS(0);
    assert_int_equal(p.b->driver->send(p.b, &out, 1), 1);
    out = datagram(&nobody, 7, 40, 100);
    assert_int_equal(p.a->driver->send(p.a, &out, 1), 1);
    await_both(p.a);
    assert_int_equal(p.a->driver->recv(p.a, in, 1), 1);
    assert_int_equal(in[0].bytes[0], 3);
    assert_true(p.a->troubled);
    assert_int_equal(p.a->driver->troubles(p.a, t, 2), 1);
    close_pair(p);
}

static void a_wait_ends_at_its_deadline_by_a_datagram_or_a_wake(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out = datagram(&p.b->local, 1, 40, 0);
    struct weir_net_in in[1];
    int wake[2];
    uint64_t until_ns = p.b->now_ns(p.b) + 1000003;
    (void)state;
    assert_int_equal(p.b->driver->wait(p.b, until_ns, -1), 0);
    assert_true(p.b->now_ns(p.b) >= until_ns);
    assert_int_equal(pipe(wake), 0);
    assert_int_equal(write(wake[1], "x", 1), 1);
    assert_int_equal(p.b->driver->wait(p.b, UINT64_MAX, wake[0]), 0);
    assert_int_equal(p.b->driver->recv(p.b, in, 1), 0);
    assert_int_equal(p.a->driver->send(p.a, &out, 1), 1);
    assert_int_equal(p.b->driver->wait(p.b, UINT64_MAX, -1), 0);
    assert_int_equal(p.b->driver->recv(p.b, in, 1), 1);
    assert_int_equal(close(wake[0]), 0);
    assert_int_equal(close(wake[1]), 0);
    close_pair(p);
}

/* Opening with this fails with status. */
static void refuses(const struct weir_net_config *cfg, int status, enum weir_err_code code, const char *key)
{
    struct weir_net *net = (struct weir_net *)bytes;
    struct weir_err err = { 0 };
    assert_int_equal(weir_net_udp.open(&net, cfg, &err), status);
    assert_null(net);
    assert_refusal(&err, code, "", key);
}

static void errors_of_open_are_sentences(void **state)
{
    struct weir_net *net = open_at("127.0.0.1:0");
    struct weir_net_config cfg = { .bind = net->local };
    char address[64];
    (void)state;
    weir_net_addr_print(&net->local, address, sizeof(address));
    refuses(&cfg, -EADDRINUSE, WEIR_E_CONFLICT, address);
    cfg.bind.port = 0;
    cfg.mtu = 100;
    refuses(&cfg, -EINVAL, WEIR_E_RANGE, "MTU");
    cfg.mtu = 9001;
    refuses(&cfg, -EINVAL, WEIR_E_RANGE, "MTU");
    cfg.mtu = 0;
    cfg.device = "nosuchdevice";
    refuses(&cfg, -ENODEV, WEIR_E_UNKNOWN, "nosuchdevice");
    cfg.device = NULL;
    assert_int_equal(weir_net_addr_parse("203.0.113.77:5", &cfg.bind), 0); /* of RFC 5737: nobody's */
    refuses(&cfg, -EADDRNOTAVAIL, WEIR_E_UNKNOWN, "203.0.113.77:5");
    net->driver->close(net);
}

static void a_port_can_be_shared(void **state)
{
    struct weir_net_config cfg = { .shared = true, .rate_bps = 5 };
    struct weir_err err = { 0 };
    struct weir_net *one, *two;
    (void)state;
    assert_int_equal(weir_net_addr_parse("127.0.0.1:0", &cfg.bind), 0);
    assert_int_equal(weir_net_udp.open(&one, &cfg, &err), 0);
    cfg.bind = one->local;
    assert_int_equal(weir_net_udp.open(&two, &cfg, &err), 0);
    assert_int_equal(two->local.port, one->local.port);
    assert_int_equal(one->rate_bps, 5);
    cfg.shared = false;
    assert_int_equal(weir_net_udp.open(&(struct weir_net *){ NULL }, &cfg, &err), -EADDRINUSE);
    close_pair((struct pair){ one, two });
}

enum { TAG = 0xbeef, LAST = 0x1234, NEXT = 0x8001 };

/* Sends a datagram of this content from a, then takes it out of b. @return 0: of the peers' queue, 1: of the strangers' */
static int queue_of(struct pair p, uint32_t length)
{
    struct weir_net_out out = { .to = &p.b->local, .head = bytes, .head_bytes = (uint16_t)length };
    uint64_t until_ns = p.b->now_ns(p.b) + PATIENCE_NS;
    struct weir_net_in in;
    assert_int_equal(p.a->driver->send(p.a, &out, 1), 1);
    for (;;) {
        bool strange = p.b->driver->recv_strangers(p.b, &in, 1) == 1;
        if (strange || p.b->driver->recv(p.b, &in, 1) == 1) {
            assert_int_equal(in.length, length);
            assert_memory_equal(&in.from, &p.a->local, sizeof(in.from));
            assert_int_equal(in.bytes[length > 0 ? length - 1 : 0] == bytes[length > 0 ? length - 1 : 0] || length == 0,
                             1);
            return strange;
        }
        assert_true(p.b->now_ns(p.b) < until_ns);
        assert_int_equal(p.b->driver->wait(p.b, until_ns, -1), 0);
    }
}

/* A datagram of one of many kinds: every first byte with every low bits of a type, every length that may be too short, a
 * tag with one bit wrong; and areas of every length. */
static uint32_t make_datagram(uint32_t n, bool *is_strange)
{
    uint32_t kind = n < 1024 ? 0 : (n - 1024) % 8, slots = n < 1024 ? 0 : (n - 1024) / 8 % 32, round = (n - 1024) / 256;
    uint32_t at = kind == 0 ? 10 : 14 + 16 * slots, length = at + 2 + n % 30, tag = n % 2 == 0 ? TAG : LAST;
    memset(bytes, 0x55, sizeof(bytes));
    bytes[0] = (unsigned char)(n < 1024 ? n % 256 : 0x40);
    bytes[1] = (unsigned char)(n < 1024 ? n / 256 : 0);
    bytes[2] = (unsigned char)(kind << 5 | slots);
    *is_strange = (bytes[0] & 1) != 0 && (bytes[1] & 1) == 0;
    if (n >= 1024 && round == 1)
        length = n % 3 == 0 ? at + 1 : at; /* the tag is cut off */
    else if (n >= 1024 && round > 1)
        tag ^= 1u << round % 16;
    *is_strange |= n >= 1024 && round > 0;
    bytes[at] = (unsigned char)(tag >> 8);
    bytes[at + 1] = (unsigned char)tag;
    return length;
}

/* The kernel's program and weir_net_is_stranger() agree, and are right. */
static void sees_strangers(const char *at)
{
    struct pair p = { try_open_at(at), try_open_at(at) };
    if (p.a == NULL || p.b == NULL)
        return; /* no IPv6 here */
    KERNEL_SAYS(0);
    assert_int_equal(p.b->driver->guard(p.b, TAG, LAST), 0);
    for (uint32_t n = 0; n < 1024 + 256 * 18; n++) {
        bool strange;
        uint32_t length = make_datagram(n, &strange);
        assert_int_equal(weir_net_is_stranger(bytes, length, TAG, LAST), strange);
        if (n % 8 == 0 || n >= 1024) /* of first bytes some are enough for the kernel */
            assert_int_equal(queue_of(p, length), strange);
    }
    for (uint32_t length = 1; length < 12; length++) { /* too short for a tag, whatever they are */
        memset(bytes, 0, sizeof(bytes));
        assert_true(weir_net_is_stranger(bytes, length, TAG, LAST));
        assert_int_equal(queue_of(p, length), 1);
    }
    close_pair(p);
}

static int queue_of_tag(struct pair p, uint32_t tag)
{
    memset(bytes, 0, 49);
    bytes[0] = 0x40;
    bytes[10] = (unsigned char)(tag >> 8);
    bytes[11] = (unsigned char)tag;
    return queue_of(p, 49);
}

/* Datagrams of peers that wait already stay where they are, and none is lost. */
static void the_tags_of_an_open_port_change(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out = { .to = &p.b->local, .head = bytes, .head_bytes = 49 };
    struct weir_net_in in[4];
    uint64_t until_ns = p.b->now_ns(p.b) + PATIENCE_NS;
    int got = 0;
    (void)state;
    assert_int_equal(p.b->driver->guard(p.b, TAG, LAST), 0);
    assert_int_equal(queue_of_tag(p, LAST), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(p.a->driver->send(p.a, &out, 1), 1);
    assert_int_equal(p.b->driver->guard(p.b, NEXT, TAG), 0);
    while (got < 3 && p.b->now_ns(p.b) < until_ns)
        got += p.b->driver->recv(p.b, in, 4);
    assert_int_equal(got, 3);
    assert_int_equal(queue_of_tag(p, NEXT), 0);
    assert_int_equal(queue_of_tag(p, TAG), 0);
    assert_int_equal(queue_of_tag(p, LAST), 1);
    assert_int_equal(p.b->driver->guard(p.b, LAST, NEXT), 0);
    assert_int_equal(queue_of_tag(p, TAG), 1);
    assert_int_equal(queue_of_tag(p, LAST), 0);
    close_pair(p);
}

static void strangers_have_a_queue_of_their_own(void **state)
{
    (void)state;
    sees_strangers("127.0.0.1:0");
    sees_strangers("[::1]:0");
}

/* More strangers than any queue holds: none is in the peers', and whoever is a peer finds room there. */
static void a_flood_of_strangers_fills_their_queue_only(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out[32];
    struct weir_net_in in[WEIR_NET_BATCH];
    uint32_t strangers = 0, peers = 0;
    (void)state;
    assert_int_equal(p.b->driver->guard(p.b, TAG, LAST), 0);
    memset(bytes, 0x20, 1400); /* behind an area of kind 1 a token with another tag */
    for (uint32_t n = 0; n < 32; n++)
        out[n] = (struct weir_net_out){ .to = &p.b->local, .head = bytes, .head_bytes = 1400 };
    for (uint32_t n = 0; n < 500; n++)
        assert_int_equal(p.a->driver->send(p.a, out, 32), 32);
    bytes[14] = TAG >> 8;
    bytes[15] = TAG & 0xff;
    for (uint32_t n = 0; n < 20; n++)
        assert_int_equal(p.a->driver->send(p.a, out, 1), 1);
    for (int got = 1; got > 0; strangers += (uint32_t)got) {
        got = p.b->driver->recv_strangers(p.b, in, WEIR_NET_STRANGERS);
        assert_in_range(got, 0, WEIR_NET_STRANGERS);
    }
    while (peers < 20) {
        int got = p.b->driver->recv(p.b, in, WEIR_NET_BATCH);
        for (int i = 0; i < got; i++)
            assert_int_equal(in[i].bytes[14], TAG >> 8);
        peers += (uint32_t)got;
    }
    assert_int_equal(peers, 20);
    assert_int_equal(p.b->driver->recv(p.b, in, WEIR_NET_BATCH), 0);
    assert_in_range(strangers, 10, 128); /* 128 KiB with what the kernel keeps beside each */
    close_pair(p);
}

/* A wait ends for strangers, unless they are told to wait. */
static void strangers_end_a_wait_unless_they_have_to_wait(void **state)
{
    struct pair p = open_pair();
    struct weir_net_out out = { .to = &p.b->local, .head = "x", .head_bytes = 1 };
    struct weir_net_in in;
    uint64_t until_ns;
    (void)state;
    assert_int_equal(p.b->driver->guard(p.b, TAG, LAST), 0);
    assert_int_equal(p.a->driver->send(p.a, &out, 1), 1);
    assert_int_equal(p.b->driver->wait(p.b, UINT64_MAX, -1), 0);
    p.b->strangers_wait = true;
    until_ns = p.b->now_ns(p.b) + 2000000;
    assert_int_equal(p.b->driver->wait(p.b, until_ns, -1), 0);
    assert_true(p.b->now_ns(p.b) >= until_ns);
    assert_int_equal(p.b->driver->recv(p.b, &in, 1), 0);
    assert_int_equal(p.b->driver->recv_strangers(p.b, &in, 1), 1);
    close_pair(p);
}

/* Whoever shares a port has no second queue, and cannot share one that is not shared. */
static void a_guarded_port_is_not_shared(void **state)
{
    struct weir_net_config cfg = { .shared = true };
    struct weir_err err = { 0 };
    struct weir_net *one = open_at("127.0.0.1:0"), *two;
    (void)state;
    assert_int_equal(one->driver->guard(one, TAG, LAST), 0);
    cfg.bind = one->local;
    refuses(&cfg, -EADDRINUSE, WEIR_E_CONFLICT, "127.0.0.1");
    cfg.shared = false;
    refuses(&cfg, -EADDRINUSE, WEIR_E_CONFLICT, "127.0.0.1");
    one->driver->close(one);
    cfg.shared = true;
    assert_int_equal(weir_net_udp.open(&two, &cfg, &err), 0); /* nothing is left of it */
    assert_int_equal(two->driver->guard(two, TAG, LAST), -ENOTSUP);
    two->driver->close(two);
}

/* @return what an endpoint takes that is not told; 0: this machine has no such address */
static uint32_t mtu_at(const char *bind_to)
{
    struct weir_net_config cfg = { 0 };
    struct weir_err err = { 0 };
    struct weir_net *net;
    assert_int_equal(weir_net_addr_parse(bind_to, &cfg.bind), 0);
    if (weir_net_udp.open(&net, &cfg, &err) != 0)
        return 0;
    uint32_t mtu = net->mtu;
    net->driver->close(net);
    return mtu;
}

/* Whoever listens at any address has the MTU of the default route's device; the loopback device's own is 65536. */
static void loopback_and_any_address_take_the_same_mtu(void **state)
{
    (void)state;
    assert_in_range(mtu_at("127.0.0.1:0"), 1, 9000);
    assert_int_equal(mtu_at("127.0.0.1:0"), mtu_at(":0"));
    if (mtu_at("[::1]:0") != 0)
        assert_int_equal(mtu_at("[::1]:0"), mtu_at("[::]:0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_datagram_arrives_as_it_was_sent),
        cmocka_unit_test(ecn_bits_are_received),
        cmocka_unit_test(ipv6_loopback_works),
        cmocka_unit_test(dscp_is_the_class),
        cmocka_unit_test(a_batch_goes_as_one_and_arrives_whole_and_in_order),
        cmocka_unit_test(each_call_of_the_kernel_is_counted),
        cmocka_unit_test(the_rest_of_a_batch_comes_with_the_next_calls),
        cmocka_unit_test(runs_end_where_something_differs),
        cmocka_unit_test(an_endpoint_may_demand_that_datagrams_go_one_by_one),
        cmocka_unit_test(an_empty_datagram_is_delivered),
        cmocka_unit_test(only_the_oversized_datagram_of_a_batch_is_dropped),
        cmocka_unit_test(any_address_answers_from_the_one_it_was_written_to),
        cmocka_unit_test(another_family_is_dropped),
        cmocka_unit_test(without_room_the_unsent_rest_is_returned),
        cmocka_unit_test(a_device_that_refuses_runs_gets_datagrams),
        cmocka_unit_test(a_run_refused_goes_one_by_one),
        cmocka_unit_test(errors_of_one_datagram_are_not_fatal),
        cmocka_unit_test(a_report_is_read_and_costs_no_datagram),
        cmocka_unit_test(a_report_does_not_hide_what_came_before_it),
        cmocka_unit_test(a_wait_ends_at_its_deadline_by_a_datagram_or_a_wake),
        cmocka_unit_test(errors_of_open_are_sentences),
        cmocka_unit_test(a_port_can_be_shared),
        cmocka_unit_test(strangers_have_a_queue_of_their_own),
        cmocka_unit_test(a_flood_of_strangers_fills_their_queue_only),
        cmocka_unit_test(the_tags_of_an_open_port_change),
        cmocka_unit_test(strangers_end_a_wait_unless_they_have_to_wait),
        cmocka_unit_test(a_guarded_port_is_not_shared),
        cmocka_unit_test(loopback_and_any_address_take_the_same_mtu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
