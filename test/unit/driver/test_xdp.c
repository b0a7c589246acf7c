/* test/unit/driver/test_xdp.c - the AF_XDP driver on a veth pair in namespaces of our own, against itself and against
 * the UDP driver. The calls of the kernel's socket are wrapped (see meson.build), to see what goes through it. */
#define _GNU_SOURCE
#include "test/unit/refusal.h"
#include "driver/net.h"
#include "driver/xsk.h"
#include "test/unit/driver/veth.h"
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define PATIENCE_NS UINT64_C(20000000000) /* for a datagram that must come */

static struct veth v;
static uint32_t kernel_sent, kernel_received; /* messages */
static unsigned char body[WEIR_NET_BATCH][2048];

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __real_sendmsg(int fd, const struct msghdr *msg, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags);
ssize_t __real_recvmsg(int fd, struct msghdr *msg, int flags);
int __wrap_sendmmsg(int fd, struct mmsghdr *msgs, unsigned count, int flags);
int __real_sendmmsg(int fd, struct mmsghdr *msgs, unsigned count, int flags);
int __wrap_recvmmsg(int fd, struct mmsghdr *msgs, unsigned count, int flags, struct timespec *timeout);
int __real_recvmmsg(int fd, struct mmsghdr *msgs, unsigned count, int flags, struct timespec *timeout);

ssize_t __wrap_sendmsg(int fd, const struct msghdr *msg, int flags)
{
    ssize_t n = __real_sendmsg(fd, msg, flags);
    kernel_sent += n >= 0;
    return n;
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *msg, int flags)
{
    ssize_t n = __real_recvmsg(fd, msg, flags);
    kernel_received += n >= 0;
    return n;
}

int __wrap_sendmmsg(int fd, struct mmsghdr *msgs, unsigned count, int flags)
{
    int n = __real_sendmmsg(fd, msgs, count, flags);
    kernel_sent += n > 0 ? (uint32_t)n : 0;
    return n;
}

int __wrap_recvmmsg(int fd, struct mmsghdr *msgs, unsigned count, int flags, struct timespec *timeout)
{
    int n = __real_recvmmsg(fd, msgs, count, flags, timeout);
    kernel_received += n > 0 ? (uint32_t)n : 0;
    return n;
}

/* Neighbours that are known from the first, so that nothing depends on how fast they are found. */
static int set_up(void **state)
{
    (void)state;
    kernel_sent = kernel_received = 0;
    if (!veth_open(&v, 1500)) {
        print_message("%s: not tested\n", v.why);
        return 0;
    }
    (void)veth_run("ip neigh add 10.77.0.2 lladdr 02:00:00:00:77:02 dev wv0 nud permanent");
    (void)veth_enter(&v, 1);
    (void)veth_run("ip neigh add 10.77.0.1 lladdr 02:00:00:00:77:01 dev wv1 nud permanent");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    veth_close(&v);
    return 0;
}

/* Opens a driver in namespace i; skips the test if there is no XDP here. */
static struct weir_net *open_in(int i, const struct weir_net_driver *driver)
{
    struct weir_net_config cfg = { 0 };
    struct weir_err err = { 0 };
    struct weir_net *net = NULL;
    if (v.why[0] != '\0')
        skip();
    assert_true(veth_enter(&v, i));
    assert_int_equal(weir_net_addr_parse(i == 0 ? "10.77.0.1:0" : "10.77.0.2:0", &cfg.bind), 0);
    int status = driver->open(&net, &cfg, &err);
    if (status == -ENOTSUP || status == -EPERM) {
        print_message("%s (%s): not tested\n", err.text, err.hint);
        skip();
    }
    assert_string_equal(err.text, "");
    assert_int_equal(status, 0);
    return net;
}

static void send_batch(struct weir_net *from, struct weir_net *to, uint32_t count, uint16_t body_bytes)
{
    struct weir_net_out out[WEIR_NET_BATCH];
    unsigned char head[WEIR_NET_BATCH];
    uint32_t sent = 0;
    for (uint32_t i = 0; i < count; i++) {
        head[i] = (unsigned char)i;
        memset(body[i], (int)(100 + i), sizeof(body[i]));
        out[i] = (struct weir_net_out){ .to = &to->local,
                                        .head = &head[i],
                                        .body = body[i],
                                        .head_bytes = 1,
                                        .body_bytes = body_bytes,
                                        .ecn = (uint8_t)(i % 4) };
    }
    while (sent < count) {
        int n = from->driver->send(from, out + sent, count - sent);
        assert_in_range(n, 1, count - sent);
        sent += (uint32_t)n;
    }
}

/* What send_batch() sent, each once; one of each batch may have gone through the kernel and be overtaken. */
static void receive_batch(struct weir_net *from, struct weir_net *to, uint32_t count, uint32_t length)
{
    struct weir_net_in in[WEIR_NET_BATCH];
    bool seen[WEIR_NET_BATCH] = { false };
    uint64_t until_ns = to->now_ns(to) + PATIENCE_NS;
    for (uint32_t have = 0; have < count;) {
        int n = to->driver->recv(to, in, WEIR_NET_BATCH);
        assert_in_range(n, 0, count - have);
        for (int i = 0; i < n; i++, have++) {
            uint32_t number = in[i].bytes[0];
            assert_true(number < count && !seen[number]);
            seen[number] = true;
            assert_int_equal(in[i].length, length);
            assert_int_equal(in[i].ecn, number % 4);
            assert_memory_equal(in[i].bytes + 1, body[number], length - 1);
            assert_memory_equal(&in[i].from, &from->local, sizeof(from->local));
        }
        assert_true(to->now_ns(to) < until_ns);
        if (n == 0)
            assert_int_equal(to->driver->wait(to, until_ns, -1), 0);
    }
}

static void batches_bypass_the_kernel(void **state)
{
    struct weir_net *a = open_in(0, &weir_net_xdp), *b = open_in(1, &weir_net_xdp);
    (void)state;
    assert_string_equal(a->driver->name, "xdp");
    assert_int_equal(a->mtu, 1500);
    send_batch(a, b, 64, 1471); /* 1472 is the most that fits */
    receive_batch(a, b, 64, 1472);
    assert_int_equal(kernel_sent, 1); /* the first one to a destination */
    assert_int_equal(kernel_received, 0);
    for (uint32_t round = 0; round < 100; round++) { /* more than there are frames: they come back */
        send_batch(a, b, 64, 7);
        receive_batch(a, b, 64, 8);
        send_batch(b, a, 64, 1471);
        receive_batch(b, a, 64, 1472);
    }
    assert_int_equal(kernel_received, 0);
    assert_int_equal(a->stats.failed + a->stats.cut + a->stats.corrupt, 0);
    a->driver->close(a);
    b->driver->close(b);
}

static void xdp_and_udp_drivers_interoperate(void **state)
{
    struct weir_net *a = open_in(0, &weir_net_xdp), *b = open_in(1, &weir_net_udp);
    (void)state;
    send_batch(a, b, 64, 1000); /* the kernel drops what has a wrong checksum */
    receive_batch(a, b, 64, 1001);
    assert_int_equal(kernel_sent, 1);
    kernel_received = 0;
    send_batch(b, a, 64, 1000); /* checksums that the kernel leaves to hardware */
    receive_batch(b, a, 64, 1001);
    assert_int_equal(kernel_received, 0);
    assert_int_equal(a->stats.corrupt, 0);
    a->driver->close(a);
    b->driver->close(b);
}

static void an_unknown_neighbour_is_reached_through_the_kernel(void **state)
{
    struct weir_net *a = open_in(0, &weir_net_xdp), *b = open_in(1, &weir_net_udp);
    (void)state;
    assert_true(veth_enter(&v, 0));
    assert_int_equal(veth_run("ip neigh del 10.77.0.2 dev wv0"), 0);
    send_batch(a, b, 32, 100);
    receive_batch(a, b, 32, 101);
    assert_true(kernel_sent >= 1);
    send_batch(a, a, 4, 100); /* to itself: not behind the device */
    receive_batch(a, a, 4, 101);
    a->driver->close(a);
    b->driver->close(b);
}

static void an_oversized_datagram_is_dropped(void **state)
{
    struct weir_net *a = open_in(0, &weir_net_xdp), *b = open_in(1, &weir_net_xdp);
    (void)state;
    send_batch(a, b, 2, 1472); /* 1473: one byte too many */
    assert_int_equal(a->stats.failed, 2);
    a->driver->close(a);
    b->driver->close(b);
}

static void a_wait_ends_at_its_deadline_by_a_datagram_or_a_wake(void **state)
{
    struct weir_net *a = open_in(0, &weir_net_xdp), *b = open_in(1, &weir_net_xdp);
    struct pollfd fd = { .fd = b->fd, .events = POLLIN };
    uint64_t until_ns = b->now_ns(b) + 1000003;
    int wake[2];
    (void)state;
    assert_int_equal(b->driver->wait(b, until_ns, -1), 0);
    assert_true(b->now_ns(b) >= until_ns);
    assert_int_equal(pipe(wake), 0);
    assert_int_equal(write(wake[1], "x", 1), 1);
    assert_int_equal(b->driver->wait(b, UINT64_MAX, wake[0]), 0);
    send_batch(a, b, 2, 50);
    assert_int_equal(b->driver->wait(b, UINT64_MAX, -1), 0);
    assert_int_equal(poll(&fd, 1, -1), 1);
    receive_batch(a, b, 2, 51);
    assert_int_equal(close(wake[0]), 0);
    assert_int_equal(close(wake[1]), 0);
    a->driver->close(a);
    b->driver->close(b);
}

static void a_device_is_for_one_endpoint_at_a_time(void **state)
{
    struct weir_net *a = open_in(0, &weir_net_xdp), *second;
    struct weir_net_config cfg = { .device = "wv0" }; /* any address: that of the device */
    struct weir_err err = { 0 };
    (void)state;
    assert_int_equal(weir_net_xdp.open(&second, &cfg, &err), -EADDRINUSE);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "wv0");
    cfg.bind = a->local;
    assert_int_equal(weir_net_xdp.open(&second, &cfg, &err), -EADDRINUSE);
    assert_false(refusal_names(err.text, "wv0")); /* the port is */
    cfg.bind = (struct weir_net_addr){ 0 };
    a->driver->close(a);
    assert_int_equal(weir_net_xdp.open(&second, &cfg, &err), 0);
    assert_int_equal(second->local.ip[3], 1);
    second->driver->close(second);
}

static void unsupported_options_are_reported(void **state)
{
    static const struct {
        const char *bind;
        enum weir_err_code code;
        const char *key;
        struct weir_net_config cfg;
        int status;
    } rows[] = {
        { "[::1]:0", WEIR_E_CONFLICT, "xdp", { .mtu = 0 }, -ENOTSUP },
        { "127.0.0.1:0", WEIR_E_CONFLICT, "xdp", { .shared = true }, -ENOTSUP },
        { "127.0.0.1:0", WEIR_E_CONFLICT, "xdp", { .ports = 2 }, -ENOTSUP },
        { ":0", WEIR_E_CONFLICT, "xdp", { .mtu = 0 }, -ENOTSUP },
        { "127.0.0.1:0", WEIR_E_CONFLICT, "xdp", { .mtu = 3501 }, -ENOTSUP },
        { ":0", WEIR_E_UNKNOWN, "nosuchdevice", { .device = "nosuchdevice" }, -ENODEV },
        { "127.0.0.1:0", WEIR_E_CONFLICT, "Ethernet", { .mtu = 0 }, -ENOTSUP },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct weir_net_config cfg = rows[i].cfg;
        struct weir_err err = { 0 };
        struct weir_net *net;
        assert_int_equal(weir_net_addr_parse(rows[i].bind, &cfg.bind), 0);
        assert_int_equal(weir_net_xdp.open(&net, &cfg, &err), rows[i].status);
        assert_null(net);
        assert_refusal(&err, rows[i].code, "", rows[i].key);
    }
}

/* Neither a socket nor the kernel's share of it is needed for that. */
static void a_closed_socket_has_given_its_frames_back(void **state)
{
    struct weir_xsk x = { .size = { .rx_frames = 4, .tx_frames = 4, .frame_bytes = 4096 }, .fd = -1 };
    unsigned char there[8];
    const size_t bytes = 8 * (size_t)4096;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_true(memory != MAP_FAILED);
    x.memory = memory;
    assert_int_equal(mincore(memory, bytes, there), 0);
    weir_xsk_close(&x);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(mincore((char *)memory + (size_t)i * 4096, 4096, there), -1);
        assert_int_equal(errno, ENOMEM);
    }
    assert_null(x.memory);
    assert_int_equal(x.fd, -1);
    weir_xsk_close(&x); /* nothing is left to give back */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(batches_bypass_the_kernel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(xdp_and_udp_drivers_interoperate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_unknown_neighbour_is_reached_through_the_kernel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_oversized_datagram_is_dropped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wait_ends_at_its_deadline_by_a_datagram_or_a_wake, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_device_is_for_one_endpoint_at_a_time, set_up, tear_down),
        cmocka_unit_test(unsupported_options_are_reported),
        cmocka_unit_test(a_closed_socket_has_given_its_frames_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
