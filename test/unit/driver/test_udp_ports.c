/* test/unit/driver/test_udp_ports.c - the UDP driver with several ports, over the loopback device: which port a datagram leaves from, free
 * ports and taken ones, and what comes back to further ports. sendmsg() is wrapped (see meson.build): it fails as told. */
#define _GNU_SOURCE
#include "test/unit/refusal.h"
#include "driver/net.h"
#include "wire/wire.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define PATIENCE_NS UINT64_C(20000000000) /* for a datagram that must come */

static int fails; /* errno of the next sendmsg(); 0 = none */

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *msg, int flags);

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags)
{
    if (fails == 0)
        return __real_sendmsg(fd, msg, flags);
    errno = fails;
    fails = 0;
    return -1;
}

static int try_open(struct weir_net **net, const char *bind_to, uint32_t ports, struct weir_err *err)
{
    struct weir_net_config cfg = { .mtu = 1500, .ports = ports };
    *err = (struct weir_err){ 0 };
    assert_int_equal(weir_net_addr_parse(bind_to, &cfg.bind), 0);
    return weir_net_udp.open(net, &cfg, err);
}

static struct weir_net *open_at(const char *bind_to, uint32_t ports)
{
    struct weir_err err;
    struct weir_net *net = NULL;
    assert_int_equal(try_open(&net, bind_to, ports, &err), 0);
    assert_string_equal(err.text, "");
    assert_non_null(net);
    return net;
}

static void finish(struct weir_net *a, struct weir_net *b)
{
    a->driver->close(a);
    b->driver->close(b);
}

static struct weir_net_addr port_of(const struct weir_net *net, uint32_t port)
{
    struct weir_net_addr addr = net->local;
    addr.port = (uint16_t)(addr.port + port);
    return addr;
}

static uint32_t receive(struct weir_net *net, struct weir_net_in *in, uint32_t want)
{
    uint64_t until_ns = net->now_ns(net) + PATIENCE_NS;
    int n;
    while ((n = net->driver->recv(net, in, want)) == 0 && net->now_ns(net) < until_ns)
        assert_int_equal(net->driver->wait(net, until_ns, -1), 0);
    return (uint32_t)n;
}

/* A call for each port that several datagrams leave from, as one run. */
static void each_datagram_leaves_from_its_port(void **state)
{
    struct weir_net *a = open_at("127.0.0.1:0", 64), *b = open_at("127.0.0.1:0", 1);
    static const uint8_t ports[] = { 0, 0, 1, 1, 1, 5, 63, 62, 62, 0 };
    static unsigned char bytes[sizeof(ports)][100];
    struct weir_net_out out[sizeof(ports)];
    struct weir_net_in in[WEIR_NET_BATCH];
    (void)state;
    for (size_t i = 0; i < sizeof(ports); i++) {
        bytes[i][0] = (unsigned char)i;
        out[i] = (struct weir_net_out){ .to = &b->local, .head = bytes[i], .head_bytes = 100, .port = ports[i] };
    }
    assert_int_equal(a->driver->send(a, out, sizeof(ports)), sizeof(ports));
    assert_int_equal(a->stats.sends, 6);
    for (uint32_t got = 0, n = 0; got < sizeof(ports); got += n) {
        n = receive(b, in, WEIR_NET_BATCH);
        assert_true(n > 0);
        for (uint32_t i = 0; i < n; i++) {
            struct weir_net_addr from = port_of(a, ports[in[i].bytes[0]]);
            assert_memory_equal(&in[i].from, &from, sizeof(from));
            assert_int_equal(in[i].length, 100);
            assert_int_equal(in[i].port, 0);
        }
    }
    finish(a, b);
}

static void free_ports_are_consecutive_and_nobody_elses(void **state)
{
    struct weir_net *net[10];
    (void)state;
    for (uint32_t i = 0; i < 10; i++) { /* of so many some meet ports that are taken */
        net[i] = open_at("127.0.0.1:0", 32);
        assert_in_range(net[i]->local.port, 1, 65535 - 31);
        for (uint32_t k = 0; k < i; k++)
            assert_true(net[k]->local.port + 31 < net[i]->local.port || net[i]->local.port + 31 < net[k]->local.port);
    }
    for (uint32_t i = 0; i < 10; i++)
        net[i]->driver->close(net[i]);
}

/* Writes an address of this process alone, so that nobody else takes its ports. */
static const char *here(uint16_t port)
{
    static char text[64];
    unsigned pid = (unsigned)getpid();
    (void)snprintf(text, sizeof(text), "127.%u.%u.%u:%u", 64 + (pid >> 14) % 64, (pid >> 7) % 128, 1 + pid % 128, port);
    return text;
}

static void ports_that_are_taken_are_refused_with_their_number(void **state)
{
    struct weir_net *held = open_at(here(5002), 2), *net;
    struct weir_err err;
    (void)state;
    for (uint16_t port = 5002; port < 5004; port++) /* as the first */
        assert_int_equal(try_open(&net, here(port), 1, &err), -EADDRINUSE);
    assert_int_equal(try_open(&net, here(5000), 64, &err), -EADDRINUSE);
    assert_null(net);
    assert_string_equal(err.text, "packets are to leave from 64 ports, and another program has port 5002 of them");
    net = open_at(here(5000), 2); /* nothing is left of it */
    finish(held, net);
    net = open_at(here(5001), 3);
    net->driver->close(net);
}

static void no_port_is_above_the_last(void **state)
{
    struct weir_net *net;
    struct weir_err err;
    (void)state;
    assert_int_equal(try_open(&net, here(65500), 37, &err), -EINVAL);
    assert_string_equal(err.text, "packets are to leave from 37 ports from 65500 on, and the last port is 65535");
    net = open_at(here(65500), 36);
    net->driver->close(net);
}

static void inject(struct weir_net *from, const struct weir_net_addr *to, const struct weir_wire_handshake *packet)
{
    unsigned char bytes[64];
    struct weir_net_out out = { .to = to, .head = bytes };
    out.head_bytes = (uint16_t)weir_wire_encode_handshake(packet, bytes, sizeof(bytes));
    assert_true(out.head_bytes > 0);
    assert_int_equal(from->driver->send(from, &out, 1), 1);
}

/* A flood of others wakes nobody: RESET, sent last, is the first and only one to be received. */
static void further_ports_receive_resets_alone(void **state)
{
    struct weir_net *a = open_at("127.0.0.1:0", 4), *b = open_at("127.0.0.1:0", 1);
    const struct weir_wire_handshake ping = { .type = WEIR_WIRE_PING, .counter = 1 },
                                     versions = { .type = WEIR_WIRE_VERSIONS },
                                     reset = { .type = WEIR_WIRE_RESET, .token = 7 };
    struct weir_wire_handshake got;
    struct weir_net_addr at[4];
    struct weir_net_in in[WEIR_NET_STRANGERS];
    uint64_t until_ns = a->now_ns(a) + PATIENCE_NS;
    (void)state;
    assert_int_equal(a->driver->guard(a, 1, 2), 0);
    for (uint32_t i = 0; i < 4; i++)
        at[i] = port_of(a, i);
    for (uint32_t i = 1; i < 4; i++) {
        inject(b, &at[i], &ping);
        inject(b, &at[i], &versions);
    }
    assert_int_equal(a->driver->recv_strangers(a, in, WEIR_NET_STRANGERS), 0);
    for (uint32_t port = 1; port < 4; port++) {
        inject(b, &at[port], &reset);
        inject(b, &at[port], &ping);
        assert_int_equal(a->driver->wait(a, until_ns, -1), 0);
        assert_int_equal(a->driver->recv_strangers(a, in, WEIR_NET_STRANGERS), 1);
        assert_int_equal(in[0].port, port);
        assert_memory_equal(&in[0].from, &b->local, sizeof(b->local));
        assert_int_equal(weir_wire_decode_handshake(in[0].bytes, in[0].length, &got), WEIR_WIRE_OK);
        assert_int_equal(got.type, WEIR_WIRE_RESET);
        assert_int_equal(a->driver->recv_strangers(a, in, WEIR_NET_STRANGERS), 0);
    }
    inject(b, &at[0], &reset); /* the first port has its own queues */
    assert_int_equal(a->driver->wait(a, until_ns, -1), 0);
    assert_int_equal(a->driver->recv_strangers(a, in, WEIR_NET_STRANGERS), 1);
    assert_int_equal(in[0].port, 0);
    assert_true(a->now_ns(a) < until_ns);
    finish(a, b);
}

/* Nobody has the port: the kernel tells the socket that sent. */
static void reports_come_to_the_port_that_sent(void **state)
{
    struct weir_net *a = open_at("127.0.0.1:0", 4), *b = open_at("127.0.0.1:0", 1);
    struct weir_net_addr nobody = b->local;
    struct weir_net_trouble t[4];
    struct weir_net_in in[WEIR_NET_STRANGERS];
    unsigned char bytes[32] = { 0 };
    uint64_t until_ns = a->now_ns(a) + PATIENCE_NS;
    (void)state;
    assert_int_equal(a->driver->guard(a, 1, 2), 0);
    b->driver->close(b);
    for (uint8_t port = 0; port < 4; port++) {
        struct weir_net_out out = { .to = &nobody, .head = bytes, .head_bytes = sizeof(bytes), .port = port };
        a->troubled = false;
        assert_int_equal(a->driver->send(a, &out, 1), 1);
        while (!a->troubled && a->now_ns(a) < until_ns) {
            assert_int_equal(a->driver->wait(a, until_ns, -1), 0);
            assert_int_equal(a->driver->recv_strangers(a, in, WEIR_NET_STRANGERS), 0);
        }
        assert_true(a->troubled);
        assert_int_equal(a->driver->troubles(a, t, 4), 1);
        assert_int_equal(t[0].error, ECONNREFUSED);
        assert_memory_equal(&t[0].to, &nobody, sizeof(nobody));
        assert_int_equal(a->driver->recv_strangers(a, in, WEIR_NET_STRANGERS), 0);
        assert_int_equal(a->driver->wait(a, 1, -1), 0); /* nothing more wakes it */
        assert_true(a->strangers_none);
    }
    a->driver->close(a);
}

static void a_port_without_room_is_waited_for(void **state)
{
    struct weir_net *a = open_at("127.0.0.1:0", 4), *b = open_at("127.0.0.1:0", 1);
    unsigned char bytes[32] = { 0 };
    const struct weir_net_out out[] = { { .to = &b->local, .head = bytes, .head_bytes = sizeof(bytes), .port = 3 } };
    (void)state;
    fails = EAGAIN;
    assert_int_equal(a->driver->send(a, out, 1), 0);
    assert_int_equal(a->driver->wait(a, UINT64_MAX, -1), 0); /* there is room: must not sleep */
    assert_int_equal(a->driver->send(a, out, 1), 1);
    finish(a, b);
}

static void ipv6_has_further_ports_too(void **state)
{
    struct weir_net *a, *b;
    struct weir_net_in in[1];
    struct weir_err err;
    unsigned char bytes[32] = { 0 };
    (void)state;
    if (try_open(&a, "[::1]:0", 4, &err) != 0) {
        print_message("no IPv6 loopback address here: not tested\n");
        skip();
    }
    b = open_at("[::1]:0", 1);
    struct weir_net_out out = { .to = &b->local, .head = bytes, .head_bytes = sizeof(bytes), .port = 2 };
    struct weir_net_addr from = port_of(a, 2);
    assert_int_equal(a->driver->send(a, &out, 1), 1);
    assert_int_equal(receive(b, in, 1), 1);
    assert_memory_equal(&in[0].from, &from, sizeof(from));
    finish(a, b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_datagram_leaves_from_its_port),
        cmocka_unit_test(free_ports_are_consecutive_and_nobody_elses),
        cmocka_unit_test(ports_that_are_taken_are_refused_with_their_number),
        cmocka_unit_test(no_port_is_above_the_last),
        cmocka_unit_test(further_ports_receive_resets_alone),
        cmocka_unit_test(reports_come_to_the_port_that_sent),
        cmocka_unit_test(a_port_without_room_is_waited_for),
        cmocka_unit_test(ipv6_has_further_ports_too),
    };
    return cmocka_run_group_tests_name("driver/udp_ports", tests, NULL, NULL);
}
