/* test/unit/features/test_phantom.c - the virtual queue of a port, by hand and against long double, and what it writes into packets. */
#include "test/unit/weir_test.h"
#include "core/feature.h"
#include "core/hook_coupled.h"
#include "features/phantom/phantom_core.h"
#include <math.h>
#include <string.h>

#define NS UINT64_C(1000) /* ps */
#define Q20(value) ((uint64_t)(value) << 20)

static struct weir_phantom_model model;
static struct weir_phantom_port port;

/* 100 Gb/s, 80 ps per byte, and a base round trip of 65536 bytes, so that nothing is rounded. */
static int setup(void **state)
{
    (void)state;
    model = (struct weir_phantom_model){ .base_rtt_ps = UINT64_C(65536) * 80,
                                         .queue_max_ps = UINT64_C(65536) * 80,
                                         .cap_q20 = Q20(10000 * NS),
                                         .unit_ps = 10 * NS,
                                         .slack_bytes = 1000,
                                         .rho_q20 = 3 << 18,
                                         .rho_min_q20 = 1 << 19,
                                         .into_acks = true };
    port = weir_phantom_port_of(&model, 100000000000, 1);
    return 0;
}

/* A packet of 1000 B starts. @return the virtual queue, ps */
static uint64_t start(uint64_t now_ps, uint64_t queue_bytes)
{
    weir_phantom_start(&model, &port, now_ps, queue_bytes, 1000);
    assert_int_equal(port.v_q20 & 0xfffff, 0);
    return port.v_q20 >> 20;
}

static uint64_t read_ps(uint64_t now_ps, uint64_t queue_bytes)
{
    return weir_phantom_v_q20(&model, &port, now_ps, queue_bytes, 0) >> 20;
}

/* 1000 B are 80 ns; three quarters of the time drain. Idle from 240 ns on it is empty 160 ns later, and no less than empty. */
static void the_virtual_queue_grows_by_what_starts_and_drains_at_rho(void **state)
{
    (void)state;
    assert_int_equal(start(0, 0), 80 * NS);
    assert_int_equal(start(80 * NS, 0), 100 * NS);
    assert_int_equal(start(160 * NS, 0), 120 * NS);
    assert_int_equal(read_ps(200 * NS, 0), 90 * NS);
    assert_int_equal(read_ps(320 * NS - 4, 0), 3);
    assert_int_equal(read_ps(320 * NS, 0), 0);
    assert_int_equal(read_ps(320 * NS + 4, 0), 0);
    assert_int_equal(start(1000 * NS, 0), 0); /* 120 + 80 ns less 630 */
    assert_int_equal(start(1000 * NS, 0), 80 * NS);
    assert_int_equal(start(UINT64_C(1) << 60, 0), 0);
}

/* From the slack on by a quarter over a base round trip: half of it at 32768 bytes more. */
static void rho_falls_with_the_real_queue(void **state)
{
    static const struct {
        uint64_t queue_bytes, rho_q20;
    } row[] = { { 0, 786432 },
                { 999, 786432 },
                { 1000, 786432 },
                { 1001, 786428 },
                { 1000 + 32768, 655360 },
                { 1000 + 65535, 524292 },
                { 1000 + 65536, 524288 },
                { 1000 + 65537, 524288 },
                { UINT64_C(1) << 40, 524288 } };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        assert_int_equal(weir_phantom_rho_q20(&model, &port, row[i].queue_bytes), row[i].rho_q20);
    (void)start(0, 0);
    assert_int_equal(start(80 * NS, 1000 + 32768), 80 * NS + 30 * NS); /* 80 less 5/8 of 80 */
    assert_int_equal(read_ps(160 * NS, 1000 + 65536), 70 * NS);        /* half of 80 less */
}

static void the_virtual_queue_ends_at_the_cap(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 124; i++)
        assert_int_equal(start(0, 0), (i + 1) * 80 * NS);
    assert_int_equal(start(0, 0), 10000 * NS);
    assert_int_equal(start(0, 0), 10000 * NS);
    assert_int_equal(start(4, 0), 10000 * NS); /* the packet is more than what drained */
    assert_int_equal(read_ps(8, 0), 10000 * NS - 3);
}

/* The real queue is a part of what is reported, up to queue_max; and of what lets the drain fall, up to a base round trip. */
static void the_real_queue_counts_up_to_a_limit(void **state)
{
    (void)state;
    (void)start(0, 0); /* 80 ns are 8 units */
    assert_int_equal(weir_phantom_units(&model, &port, port.v_q20, 0), 8);
    assert_int_equal(weir_phantom_units(&model, &port, port.v_q20, 124), 8); /* 89.92 ns */
    assert_int_equal(weir_phantom_units(&model, &port, port.v_q20, 125), 9); /* 90 ns */
    assert_int_equal(weir_phantom_units(&model, &port, port.v_q20, 65535), 532);
    assert_int_equal(weir_phantom_units(&model, &port, port.v_q20, 65536), 532); /* 5242.88 ns and 80 */
    assert_int_equal(weir_phantom_units(&model, &port, port.v_q20, 70000), 532);
    assert_int_equal(weir_phantom_units(&model, &port, port.v_q20, 1 << 30), 532);
    model.queue_max_ps = UINT64_C(1250) * 80;
    port = weir_phantom_port_of(&model, 100000000000, 1);
    (void)start(0, 0);
    assert_int_equal(weir_phantom_units(&model, &port, port.v_q20, 1249), 17); /* 99.92 ns and 80 */
    assert_int_equal(weir_phantom_units(&model, &port, port.v_q20, 1250), 18);
    assert_int_equal(weir_phantom_units(&model, &port, port.v_q20, 1375), 18); /* 190 ns, if it counted */
    assert_int_equal(weir_phantom_rho_q20(&model, &port, 1000 + 65535), 524292);
    assert_int_equal(weir_phantom_rho_q20(&model, &port, 1000 + 65536), 524288);
}

/* What is divided by is a byte at least, and what counts of a real queue, too. */
static void a_base_round_trip_below_a_byte_counts_as_one(void **state)
{
    static const uint64_t bytes[][2] = {
        { 0, 1 }, { 79, 1 }, { 80, 1 }, { 159, 1 }, { 160, 2 }, { 240, 3 }
    }; /* of ps */
    (void)state;
    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
        model.base_rtt_ps = bytes[i][0];
        model.queue_max_ps = UINT64_C(80) * 1000;
        port = weir_phantom_port_of(&model, 100000000000, 1);
        assert_int_equal(port.level_bytes, bytes[i][1]);
        assert_int_equal(port.counted_bytes, 1000);
        assert_int_equal(port.ps_per_byte_q20, Q20(80));
        model.base_rtt_ps = UINT64_C(80) * 1000;
        model.queue_max_ps = bytes[i][0];
        port = weir_phantom_port_of(&model, 100000000000, 1);
        assert_int_equal(port.level_bytes, 1000);
        assert_int_equal(port.counted_bytes, bytes[i][1]);
    }
}

/* Rates without whole picoseconds per byte, random times and queues: rho is rounded, and so is each sum. */
static void the_fixed_point_errs_by_a_millionth_of_the_time(void **state)
{
    static const uint64_t rates[] = { 25000000000, 99999999977, 400000000000, 7000000000, 123456789 };
    uint64_t x = 88172645463325252u; /* fixed: a failure repeats */
    long double worst = 0;
    (void)state;
    model.rho_q20 = 1038090; /* 0.99 */
    model.rho_min_q20 = 734003;
    model.base_rtt_ps = 7345 * NS;
    model.cap_q20 = Q20(80000 * NS);
    for (uint32_t r = 0; r < sizeof(rates) / sizeof(rates[0]); r++) {
        long double v = 0, byte_ps = 8e12L / (long double)rates[r];
        long double level = floorl((long double)model.base_rtt_ps / byte_ps);
        uint64_t now_ps = 0;
        port = weir_phantom_port_of(&model, rates[r], 0);
        for (int i = 0; i < 100000; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            uint32_t bytes = 64 + (uint32_t)(x & 0x1fff),
                     queue = (x >> 20 & 3) == 0 ? (uint32_t)(x >> 30) & 0x3ffff : 0;
            uint64_t dt_ps = (uint64_t)(bytes * byte_ps * (1.2L * (long double)(x >> 40 & 0xff) / 128));
            now_ps += dt_ps;
            long double over = queue > model.slack_bytes ? fminl(queue - (long double)model.slack_bytes, level) : 0;
            v = fmaxl(0, v + bytes * byte_ps - (0.99L - 0.29L * over / level) * (long double)dt_ps);
            v = fminl(v, 80000 * NS);
            weir_phantom_start(&model, &port, now_ps, queue, bytes);
            long double off = fabsl((long double)port.v_q20 / 1048576 - v);
            /* a sum of bytes is rounded by less than 0.01 ps */
            worst = fmaxl(worst, (off - 0.01L) / (long double)(dt_ps + 1));
            v = (long double)port.v_q20 / 1048576; /* so that errors of one step are seen */
        }
    }
    print_message("largest error %.3Lg of the time\n", worst);
    assert_true(worst < 1.5e-6L);
}

/* --- the hook --- */

enum { PORTS = 3 };
static _Alignas(16) unsigned char ports[PORTS * 64];
static uint64_t waiting_bytes[PORTS];

static struct weir_phantom_port *at(uint32_t index)
{
    struct weir_here here = { .ports = ports };
    assert_true(weir_port_stride(sizeof(struct weir_phantom_port)) <= 64);
    return weir_port_state(&here, index, sizeof(struct weir_phantom_port));
}

static bool make(uint32_t index, bool from_host)
{
    struct weir_here here = { .model = &model, .port = at(index), .ports = ports, .waiting_bytes = waiting_bytes };
    struct weir_fabric_port how = { .rate_bps = 100000000000, .index = index, .from_host = from_host };
    return weir_phantom_feature.port_init(&here, &how);
}

static int setup_ports(void **state)
{
    (void)setup(state);
    memset(ports, 0, sizeof(ports));
    for (uint32_t i = 0; i < PORTS; i++) {
        waiting_bytes[i] = 0;
        assert_true(make(i, false));
    }
    return 0;
}

/* A packet of 1000 B starts at a port. @return its delay afterwards */
static uint32_t leave(uint32_t index, uint64_t now_ps, uint32_t in_port, struct weir_pkt *pkt)
{
    struct weir_here here = { .model = &model, .port = at(index), .ports = ports, .waiting_bytes = waiting_bytes };
    struct weir_start s = { .pkt = pkt, .now_ps = now_ps, .in_port = in_port };
    pkt->wire_bytes = 1000;
    assert_int_equal(weir_phantom_feature.on_start(&here, &s), 0);
    return pkt->qdelay;
}

/* DATA leaves by port 1; its ACK comes by the cable of port 1 and leaves by port 0. */
static void an_ack_gets_the_delay_of_the_port_its_data_left_by(void **state)
{
    struct weir_pkt data = { .kind = WEIR_PKT_DATA }, ack = { .kind = WEIR_PKT_ACK }, other = { .kind = WEIR_PKT_ACK };
    (void)state;
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(leave(1, 0, 0, &data), 0); /* 400 ns; DATA carries nothing */
    waiting_bytes[1] = 125;
    waiting_bytes[2] = 50000;
    assert_int_equal(leave(0, 80 * NS, 1, &ack), 35); /* 400 less 60, and 10 ns that wait */
    assert_int_equal(ack.qdelay, 35);
    ack.qdelay = 34; /* of a switch before: the longer one counts */
    assert_int_equal(leave(0, 80 * NS, 1, &ack), 35);
    ack.qdelay = 36;
    assert_int_equal(leave(0, 80 * NS, 1, &ack), 36);
    ack.qdelay = 0;
    waiting_bytes[1] = 1000 + 32768; /* 2701.44 ns, and its virtual queue drains at 5/8 */
    assert_int_equal(leave(0, 80 * NS, 1, &ack), 305);
    assert_int_equal(leave(0, 80 * NS, WEIR_PORT_NONE, &other), 0); /* it was made here */
    assert_int_equal(at(0)->v_q20, Q20(340 * NS));                  /* five packets less three quarters of 80 ns */
    assert_int_equal(at(1)->v_q20, Q20(400 * NS));                  /* to read is not to change */
}

static void data_gets_the_delay_of_its_port_with_itself(void **state)
{
    struct weir_pkt data = { .kind = WEIR_PKT_DATA }, ack = { .kind = WEIR_PKT_ACK };
    (void)state;
    model.into_acks = false;
    assert_int_equal(leave(1, 0, 0, &data), 8);
    data.qdelay = 0;
    waiting_bytes[1] = 250;
    assert_int_equal(leave(1, 80 * NS, 0, &data), 12); /* 80 + 80 less 60, and 20 that wait */
    assert_int_equal(leave(1, 80 * NS, 0, &ack), 0);
    assert_int_equal(at(1)->v_q20, Q20(180 * NS)); /* ACKs drain the link, too */
}

static void packets_of_other_laws_keep_their_field(void **state)
{
    struct weir_pkt ack = { .kind = WEIR_PKT_ACK, .conn = 1u << WEIR_PKT_CONN_BITS };
    (void)state;
    model.foreign_laws = 2;
    (void)leave(1, 0, 0, &ack);
    assert_int_equal(leave(0, 0, 1, &ack), 0);
    model.foreign_laws = 1;
    assert_int_equal(leave(0, 0, 1, &ack), 8);
}

static void ports_of_hosts_have_no_virtual_queue(void **state)
{
    (void)state;
    assert_false(make(0, true));
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_virtual_queue_grows_by_what_starts_and_drains_at_rho),
        TEST(rho_falls_with_the_real_queue),
        TEST(the_virtual_queue_ends_at_the_cap),
        TEST(the_real_queue_counts_up_to_a_limit),
        TEST(a_base_round_trip_below_a_byte_counts_as_one),
        TEST(the_fixed_point_errs_by_a_millionth_of_the_time),
        cmocka_unit_test_setup(an_ack_gets_the_delay_of_the_port_its_data_left_by, setup_ports),
        cmocka_unit_test_setup(data_gets_the_delay_of_its_port_with_itself, setup_ports),
        cmocka_unit_test_setup(packets_of_other_laws_keep_their_field, setup_ports),
        cmocka_unit_test_setup(ports_of_hosts_have_no_virtual_queue, setup_ports),
    };
    return cmocka_run_group_tests_name("features/phantom", tests, NULL, NULL);
}
