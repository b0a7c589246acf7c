/* test/unit/raw/test_raw.c - ports on a veth pair in namespaces of our own: every frame arrives as it was, both ways,
 * by each kind of port and between them; what a ring drops is counted; a device is what it was after the end, also when
 * the process was killed. */
#define _GNU_SOURCE
#include "test/unit/refusal.h"
#include "raw/raw.h"
#include "test/unit/driver/veth.h"
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

enum { PATIENCE_MS = 20000, LONGEST = 1514, SHORTEST = 60 };

static struct veth v;
static struct weir_err err;

static int set_up(void **state)
{
    (void)state;
    if (!veth_open(&v, 1500)) {
        print_message("%s: not tested\n", v.why);
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        assert_true(veth_enter(&v, i));
        assert_int_equal(veth_run(i == 0 ? "ip address flush dev wv0" : "ip address flush dev wv1"), 0);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    veth_close(&v);
    return 0;
}

static bool open_port(struct weir_raw **raw, int i, enum weir_raw_kind kind, uint32_t ring_frames)
{
    const struct weir_raw_options options = { .kind = kind, .ring_frames = ring_frames };
    struct weir_raw_device device;
    assert_true(veth_enter(&v, i));
    if (weir_raw_device_read(&device, i == 0 ? "wv0" : "wv1", &err) != 0 ||
        weir_raw_open(raw, &device, &options, &err) != 0) {
        print_message("%s: not tested\n", err.text);
        *raw = NULL;
    }
    return *raw != NULL;
}

/* Fills a frame that no other has the bytes of. Its protocol is one for experiments. */
static void fill(unsigned char *bytes, uint32_t length, uint32_t number)
{
    static const unsigned char head[14] = { 2, 0, 0, 0, 0x77, 9, 2, 0, 0, 0, 0x77, 8, 0x88, 0xb5 };
    memcpy(bytes, head, sizeof(head));
    for (uint32_t i = sizeof(head); i < length; i++)
        bytes[i] = (unsigned char)(i * 7 + number * 31 + (number >> 8));
}

/* Takes the next frame of the protocol for experiments; kernels send others of their own. */
static void take(struct weir_raw *raw, unsigned char *bytes, uint32_t *length)
{
    struct pollfd ready = { .fd = weir_raw_fd(raw), .events = POLLIN };
    struct weir_raw_frame frame;
    for (;;) {
        if (weir_raw_rx(raw, &frame, 1) == 1) {
            if (frame.bytes[12] != 0x88 || frame.bytes[13] != 0xb5)
                continue;
            memcpy(bytes, frame.bytes, frame.length);
            *length = frame.length;
            return;
        }
        assert_int_equal(poll(&ready, 1, PATIENCE_MS), 1);
    }
}

static void exchange(enum weir_raw_kind first, enum weir_raw_kind second)
{
    static unsigned char sent[2048], got[2048];
    struct weir_raw *port[2] = { NULL };
    uint32_t length, frames = 0;
    bool both = open_port(&port[0], 0, first, 0) && open_port(&port[1], 1, second, 0);
    for (uint32_t bytes = SHORTEST; both && bytes <= LONGEST; bytes++) {
        for (int from = 0; from < 2; from++) {
            fill(sent, bytes, bytes + (uint32_t)from);
            assert_true(weir_raw_tx(port[from], sent, bytes));
            weir_raw_kick(port[from]);
            take(port[1 - from], got, &length);
            assert_int_equal(length, bytes);
            assert_memory_equal(got, sent, bytes);
        }
        frames++;
    }
    for (int i = 0; i < 2 && both; i++) {
        const struct weir_raw_stats *stats = weir_raw_stats(port[i]);
        assert_int_equal(weir_raw_kind(port[i]), i == 0 ? first : second);
        assert_int_equal(stats->tx_frames, frames);
        assert_true(stats->rx_frames >= frames);
        assert_int_equal(stats->rx_lost, 0);
        assert_int_equal(stats->tx_full, 0);
        assert_int_equal(stats->tx_failed, 0);
    }
    for (int i = 0; i < 2; i++)
        weir_raw_close(port[i]);
}

static void frames_of_each_length_arrive_as_they_were(void **state)
{
    (void)state;
    if (v.why[0] != '\0')
        skip();
    exchange(WEIR_RAW_XDP, WEIR_RAW_XDP);
    exchange(WEIR_RAW_TPACKET, WEIR_RAW_TPACKET);
    exchange(WEIR_RAW_XDP, WEIR_RAW_TPACKET);
    exchange(WEIR_RAW_TPACKET, WEIR_RAW_XDP);
}

/* A ring of 64 frames that nobody reads takes 64, and the kernel counts each one more. */
static void what_finds_the_ring_full_is_counted(void **state)
{
    enum { RING = 64, SENT = 200 };
    static unsigned char sent[2048], got[2048];
    (void)state;
    if (v.why[0] != '\0')
        skip();
    for (enum weir_raw_kind kind = WEIR_RAW_XDP; kind <= WEIR_RAW_TPACKET; kind++) {
        struct weir_raw *from, *to = NULL;
        uint32_t length, count = 0;
        bool both = open_port(&from, 0, WEIR_RAW_TPACKET, 0) && open_port(&to, 1, kind, RING);
        for (uint32_t i = 0; both && i < SENT; i++) {
            fill(sent, 100, i);
            assert_true(weir_raw_tx(from, sent, 100));
            weir_raw_kick(from);
        }
        while (both && weir_raw_stats(to)->rx_lost + weir_raw_stats(to)->rx_frames < SENT) {
            if (weir_raw_stats(to)->rx_lost < SENT - RING)
                continue; /* still on the way; nothing is read before */
            take(to, got, &length);
            count++;
        }
        if (both)
            assert_true(count <= RING && count + weir_raw_stats(to)->rx_lost >= SENT);
        weir_raw_close(from);
        weir_raw_close(to);
    }
}

static void a_full_ring_for_sending_says_so(void **state)
{
    static unsigned char sent[2048];
    struct weir_raw_device device;
    (void)state;
    if (v.why[0] != '\0')
        skip();
    for (enum weir_raw_kind kind = WEIR_RAW_XDP; kind <= WEIR_RAW_TPACKET; kind++) {
        struct weir_raw *raw;
        if (!open_port(&raw, 0, kind, 64))
            continue;
        fill(sent, 60, 1);
        for (uint32_t i = 0; i < 1000; i++) /* it sends when the ring is full, so there is always room */
            assert_true(weir_raw_tx(raw, sent, 60));
        assert_int_equal(weir_raw_stats(raw)->tx_full, 0);
        weir_raw_close(raw);
    }
    assert_int_equal(weir_raw_device_read(&device, "wv0", &err), 0);
    assert_true(device.is_up);
}

static void a_device_is_what_it_was(void **state)
{
    struct weir_raw_device before, after;
    struct weir_raw *raw;
    (void)state;
    if (v.why[0] != '\0')
        skip();
    assert_true(veth_enter(&v, 0));
    assert_int_equal(veth_run("ip link set wv0 down"), 0);
    assert_int_equal(weir_raw_device_read(&before, "wv0", &err), 0);
    assert_false(before.is_up);
    assert_int_equal(before.mtu_bytes, 1500);
    if (!open_port(&raw, 0, WEIR_RAW_AUTO, 0))
        skip();
    assert_int_equal(weir_raw_device_read(&after, "wv0", &err), 0);
    assert_true(after.is_up && !after.gro && !after.lro);
    weir_raw_close(raw);
    assert_int_equal(weir_raw_device_read(&after, "wv0", &err), 0);
    assert_memory_equal(&after, &before, sizeof(after));
}

/* Prints nothing of an XDP program: `ip` shows one as "prog/xdp". */
static bool has_program(void)
{
    return veth_run("ip -d link show wv0 type xdp") == 0 && system("ip link show wv0 | grep -q prog/xdp") == 0;
}

static void a_killed_process_leaves_no_program(void **state)
{
    struct weir_raw *raw = NULL;
    int pipes[2], status;
    char ready = 0;
    (void)state;
    if (v.why[0] != '\0' || !open_port(&raw, 0, WEIR_RAW_XDP, 0))
        skip();
    assert_true(has_program());
    weir_raw_close(raw);
    assert_false(has_program());
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        ready = (char)open_port(&raw, 0, WEIR_RAW_XDP, 0);
        (void)!write(pipes[1], &ready, 1);
        (void)pause();
        _exit(1);
    }
    assert_int_equal(read(pipes[0], &ready, 1), 1);
    assert_int_equal(ready, 1);
    assert_true(has_program());
    (void)kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(has_program());
    assert_true(open_port(&raw, 0, WEIR_RAW_XDP, 0));
    weir_raw_close(raw);
    (void)close(pipes[0]);
    (void)close(pipes[1]);
}

static void devices_of_this_machine_are_refused(void **state)
{
    const struct weir_raw_options xdp = { .kind = WEIR_RAW_XDP };
    struct weir_raw_device device;
    struct weir_raw *raw;
    (void)state;
    assert_int_not_equal(weir_raw_device_read(&device, "nodev0", &err), 0);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "nodev0");
    assert_int_not_equal(weir_raw_device_read(&device, "lo", &err), 0);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "loopback");
    if (v.why[0] != '\0')
        skip();
    assert_true(veth_enter(&v, 0));
    assert_int_equal(veth_run("ip address add 10.99.0.1/24 dev wv0"), 0);
    assert_int_not_equal(weir_raw_device_read(&device, "wv0", &err), 0);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "10.99.0.1");
    assert_int_equal(veth_run("ip route add default via 10.99.0.2"), 0);
    assert_int_not_equal(weir_raw_device_read(&device, "wv0", &err), 0);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "default route");
    assert_int_equal(veth_run("ip address flush dev wv0"), 0);
    assert_int_equal(veth_run("ip link set wv0 mtu 3501"), 0);
    assert_int_equal(weir_raw_device_read(&device, "wv0", &err), 0);
    assert_int_not_equal(weir_raw_open(&raw, &device, &xdp, &err), 0);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "3501");
    assert_int_equal(veth_run("ip link set wv0 mtu 9217"), 0);
    assert_int_equal(weir_raw_device_read(&device, "wv0", &err), 0);
    assert_int_not_equal(weir_raw_open(&raw, &device, &(struct weir_raw_options){ 0 }, &err), 0);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "9217");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(frames_of_each_length_arrive_as_they_were, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_finds_the_ring_full_is_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_ring_for_sending_says_so, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_device_is_what_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_killed_process_leaves_no_program, set_up, tear_down),
        cmocka_unit_test_setup_teardown(devices_of_this_machine_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("raw/raw", tests, NULL, NULL);
}
