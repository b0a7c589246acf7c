/* test/net/test_records.c - laws that read records of switches, between endpoints in virtual time. The network's one switch writes
 * them as doc/wire.md has it: HPCC's into DATA, FNCC's into ACKs. */
#include "test/unit/weir_test.h"
#include "test/net/mem.h"
#include "test/unit/endpoint/internals.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define START_NS UINT64_C(7000000000)
#define LINE_BPS UINT64_C(10000000000)
enum { SENDERS = 2, ENDS = SENDERS + 1, PORT = 4000, DELAY_NS = 5000, EVENTS = 4096 };

static struct mem *mem;
static struct weir_ep *ep[ENDS]; /* 0 receives */
static struct weir_net *net[ENDS];
static bool acks;                                /* the records are FNCC's */
static uint64_t queue_most_bytes, rx_most_bytes; /* at the link to host 0; held by its endpoint */
static uint64_t written, noise;
static uint64_t ended, failed, delivered, last_ns, bad;
static int last_result;

/* Writes the next record of a packet with slots: byte 3 of the signal counts them. */
static void stamp(void *ctx, unsigned char *bytes, uint32_t length, const struct mem_hop *hop,
                  const struct mem_hop *back)
{
    int type = weir_wire_type(bytes, length);
    uint32_t slots = bytes[2] & 31u;
    (void)ctx;
    if (bytes[2] >> 5 == 0 || (type != WEIR_WIRE_STREAM && type != WEIR_PKT_ACK) || bytes[6] >= slots)
        return;
    const struct mem_hop *of = type == WEIR_PKT_ACK ? back : hop;
    struct weir_wire_slot slot = { .time_ns = of->time_ns & ((UINT64_C(1) << 40) - 1),
                                   .sent_bytes = of->sent_bytes & ((UINT64_C(1) << 40) - 1),
                                   .rate_100k = (uint32_t)(of->rate_bps / 100000),
                                   .queue_bytes = (uint32_t)weir_min_u64(of->queue_bytes, (1u << 24) - 1) };
    assert_int_equal(type == WEIR_PKT_ACK, acks);
    weir_wire_put_slot(&slot, bytes + 8 + bytes[6] * WEIR_WIRE_SLOT_BYTES);
    bytes[6]++;
    written++;
    if (mem_now_ns(mem) > START_NS + MS)
        queue_most_bytes = weir_max_u64(queue_most_bytes, of->queue_bytes);
}

/* Whatever an attacker writes: all of the area is random. */
static void scribble(void *ctx, unsigned char *bytes, uint32_t length, const struct mem_hop *hop,
                     const struct mem_hop *back)
{
    (void)ctx, (void)hop, (void)back;
    uint32_t area = bytes[2] >> 5 != 0 ? WEIR_WIRE_AREA_BYTES(bytes[2] & 31u) : 0;
    assert_true(length >= 4 + area);
    for (uint32_t i = 0; i < area; i++)
        bytes[4 + i] = (unsigned char)weir_mix_u64(noise++);
    written += area > 0;
}

static void open_all(const char *cc, mem_switch_fn *writes, uint64_t queue_bytes, uint64_t mark_bytes)
{
    struct weir_opts opts = {
        .size = sizeof(opts), .cc = cc, .rate_bps = LINE_BPS, .base_rtt_ns = 13 * US, .rx_bytes = 64 << 20
    };
    mem = mem_new(&(struct mem_config){ .delay_ns = DELAY_NS,
                                        .rate_bps = LINE_BPS,
                                        .queue_bytes = queue_bytes,
                                        .mark_bytes = mark_bytes,
                                        .start_ns = START_NS });
    assert_non_null(mem);
    acks = strncmp(cc, "fncc", 4) == 0;
    queue_most_bytes = rx_most_bytes = written = ended = failed = delivered = last_ns = bad = 0;
    for (uint32_t i = 0; i < ENDS; i++) {
        struct weir_net_addr addr = mem_addr(i + 1, PORT);
        struct weir_err err;
        assert_int_equal(mem_plug(mem, &addr, &net[i]), 0);
        int code = weir_ep_open_net(&ep[i], &opts, net[i], i + 1, &err);
        if (code != 0)
            fail_msg("%s: %s", cc, err.text);
    }
    if (writes != NULL)
        mem_switch(mem, writes, NULL);
}

static void close_all(void)
{
    for (uint32_t i = 0; i < ENDS; i++)
        assert_int_equal(weir_close(ep[i]), 0);
    mem_free(mem);
}

static void take(uint32_t i)
{
    static struct weir_event event[16];
    int n;
    while ((n = weir_poll(ep[i], event, 16, 0)) > 0) {
        for (int k = 0; k < n; k++) {
            if (event[k].type == WEIR_EV_SENT) {
                ended++;
                failed += event[k].result != 0;
                last_result = event[k].result;
                last_ns = mem_now_ns(mem) - START_NS;
            } else if (event[k].type == WEIR_EV_MESSAGE) {
                delivered++;
                for (size_t at = 0; at < event[k].len; at++)
                    bad += ((const unsigned char *)event[k].data)[at] != (unsigned char)(at * 7 + at / 256);
                weir_release(ep[i], event[k].lease);
            }
        }
    }
    if (i == 0) {
        struct weir_stats s = { .size = sizeof(s) };
        assert_int_equal(weir_stats(ep[0], &s), 0);
        rx_most_bytes = weir_max_u64(rx_most_bytes, s.rx_bytes_held);
    }
}

static void run_until(uint64_t end_ns, uint64_t ops)
{
    while (mem_now_ns(mem) < end_ns && ended < ops) {
        uint64_t next_ns = end_ns;
        for (uint32_t i = 0; i < ENDS; i++)
            take(i);
        for (uint32_t i = 0; i < ENDS; i++)
            next_ns = weir_min_u64(next_ns, weir_min_u64(weir_deadline(ep[i]), mem_next_ns(net[i])));
        mem_advance(mem, next_ns);
    }
}

static struct weir_peer *receiver(uint32_t from)
{
    struct weir_net_addr to = mem_addr(1, PORT);
    struct sockaddr_storage sa;
    socklen_t length = weir_net_addr_to(&to, &sa);
    struct weir_peer *peer;
    assert_int_equal(weir_peer_get(ep[from], (struct sockaddr *)&sa, length, &peer), 0);
    return peer;
}

static unsigned char *pattern(size_t len)
{
    unsigned char *data = malloc(len);
    assert_non_null(data);
    for (size_t at = 0; at < len; at++)
        data[at] = (unsigned char)(at * 7 + at / 256);
    return data;
}

static void send_to(uint32_t from, const unsigned char *data, size_t len)
{
    struct iovec iov = { (void *)(uintptr_t)data, len };
    assert_int_equal(weir_send(ep[from], receiver(from), &iov, 1, from, NULL), 0);
}

static const char *const laws[] = { "hpcc", "fncc" };

/* Two senders, 12.5 MB each: 20 ms of a line of 10 Gb/s, with frames. The queue of HPCC stands below the BDP of 16 KB. */
static void two_senders_fill_the_line_and_no_queue(void **state)
{
    enum { LEN = 12500000 };
    unsigned char *data = pattern(LEN);
    (void)state;
    for (size_t k = 0; k < sizeof(laws) / sizeof(laws[0]); k++) {
        open_all(laws[k], stamp, 0, 0);
        for (uint32_t i = 1; i <= SENDERS; i++)
            send_to(i, data, LEN);
        run_until(START_NS + 100 * MS, SENDERS);
        print_message("%s: %" PRIu64 " records; two messages of 12.5 MB in %" PRIu64 " us, at most %" PRIu64
                      " bytes wait\n",
                      laws[k], written, last_ns / US, queue_most_bytes);
        assert_int_equal(delivered, SENDERS);
        assert_int_equal(failed + bad, 0);
        assert_true(written > 2 * LEN / 1500);
        assert_in_range(last_ns, 20 * MS, 26 * MS);
        assert_true(queue_most_bytes < 65536);
        close_all();
    }
    free(data);
}

/* On a path without records the first ACK says so, of a message of any length. */
static void without_records_operations_end_after_a_round_trip(void **state)
{
    unsigned char *data = pattern(1000000);
    (void)state;
    for (size_t k = 0; k < sizeof(laws) / sizeof(laws[0]); k++) {
        for (size_t len = 1; len <= 1000000; len *= 1000000) {
            open_all(laws[k], NULL, 0, 0);
            send_to(1, data, len);
            send_to(1, data, len);
            run_until(START_NS + MS, 2);
            assert_int_equal(ended, 2);
            assert_int_equal(failed, 2);
            assert_int_equal(last_result, -ENOTSUP);
            assert_in_range(last_ns, 30 * US, 60 * US); /* the handshake's two round trips, and one */
            char must[200];
            (void)snprintf(must, sizeof(must),
                           "no switch on the way to 10.0.0.1:4000 writes the records that '%s' needs: use a protocol "
                           "that needs none",
                           laws[k]);
            assert_string_equal(weir_peer_error(receiver(1)), must);
            ended = 0; /* later ones end so, too */
            send_to(1, data, len);
            run_until(START_NS + 2 * MS, 1);
            assert_int_equal(last_result, -ENOTSUP);
            close_all();
        }
    }
    free(data);
}

/* Random areas for a whole run, with marks and losses: everything arrives, and memory stays within its limits. */
static void a_random_area_stops_nothing(void **state)
{
    static const char *const all[] = { "hpcc", "fncc", "soze", "aimd" };
    enum { MESSAGES = 200, LEN = 200000 };
    unsigned char *data = pattern(LEN);
    (void)state;
    for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
        open_all(all[k], scribble, 100000, 30000);
        for (uint32_t m = 0; m < MESSAGES; m++)
            send_to(1 + m % SENDERS, data, (size_t)(weir_mix_u64(m) % LEN));
        run_until(START_NS + 100000 * MS, MESSAGES);
        print_message("%s: %" PRIu64 " areas, %" PRIu64 " lost, in %" PRIu64 " ms\n", all[k], written,
                      mem_stats(mem)->dropped_queue, last_ns / MS);
        assert_true(written > 10000);
        assert_int_equal(ended, MESSAGES);
        assert_int_equal(failed + bad, 0);
        take(0);
        assert_int_equal(delivered, MESSAGES);
        assert_true(rx_most_bytes <= 64 << 20);
        struct weir_stats s = { .size = sizeof(s) };
        assert_int_equal(weir_stats(ep[0], &s), 0);
        assert_int_equal(s.rx_bytes_held, ep[0]->msg_block_bytes);
        close_all();
    }
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_senders_fill_the_line_and_no_queue),
        cmocka_unit_test(without_records_operations_end_after_a_round_trip),
        cmocka_unit_test(a_random_area_stops_nothing),
    };
    return cmocka_run_group_tests_name("net/records", tests, NULL, NULL);
}
