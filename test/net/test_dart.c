/* test/net/test_dart.c - direct apportioning between endpoints: the receiver counts its senders, its ACKs carry the count n,
 * and each sends at line / n. In virtual time, at a link of 10 Gb/s whose queue has no limit. */
#include "test/unit/weir_test.h"
#include "test/net/mem.h"
#include "test/unit/endpoint/internals.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define US UINT64_C(1000)
#define START_NS UINT64_C(7000000000)
enum { SENDERS_MAX = 4, LEN = 40 << 20, PORT = 4000, DELAY_NS = 5000, LINE_BPMS = 1250000 };

static struct mem *mem;
static struct weir_ep *ep[SENDERS_MAX + 1]; /* 0 receives */
static struct weir_net *net[SENDERS_MAX + 1];
static uint32_t count;                       /* of senders */
static uint64_t with_tokens, without_tokens; /* packets of messages */
static uint64_t wire_bytes[SENDERS_MAX], rtt_most_ns, rtt_sum_ns, rtts;

static void tap(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to, const unsigned char *bytes,
                uint32_t length)
{
    struct weir_wire_head head;
    uint64_t now_ps = (mem_now_ns(mem) - START_NS) * 1000;
    (void)ctx, (void)to;
    if (weir_wire_decode(bytes, length, &ep[0]->host_config.framing, &head) != WEIR_WIRE_OK)
        return;
    if (head.stream) {
        assert_int_equal(head.area_kind, WEIR_WIRE_AREA_64NS);
        assert_int_equal(head.slot_count, 0);
        assert_int_equal(head.signal, WEIR_WIRE_SIGNAL(0, 0, WEIR_WIRE_SIGNAL_TOKENS(head.signal), 0));
        if (head.signal != 0) {
            assert_int_equal(WEIR_WIRE_SIGNAL_TOKENS(head.signal), 4);
            assert_int_equal(head.pkt.flags & WEIR_PKT_RETX, 0);
            with_tokens++;
        } else
            without_tokens++;
    } else
        assert_int_equal(head.area_kind, WEIR_WIRE_AREA_NONE);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_net_addr sender = mem_addr(i + 2, PORT);
        if (head.stream && memcmp(from, &sender, sizeof(sender)) == 0)
            wire_bytes[i] += length + MEM_FRAME_BYTES;
    }
    if (head.pkt.kind != WEIR_PKT_ACK || head.pkt.sent_ps == 0)
        return;
    uint64_t rtt_ns = (now_ps - head.pkt.sent_ps) / 1000 + DELAY_NS; /* its way back is idle */
    rtt_most_ns = rtt_ns > rtt_most_ns ? rtt_ns : rtt_most_ns;
    rtt_sum_ns += rtt_ns;
    rtts++;
}

static void open_all(uint32_t senders)
{
    struct weir_opts opts = {
        .size = sizeof(opts), .cc = "dart", .rate_bps = UINT64_C(10000000000), .base_rtt_ns = 13 * US
    };
    mem = mem_new(&(struct mem_config){ .delay_ns = DELAY_NS, .rate_bps = opts.rate_bps, .start_ns = START_NS });
    assert_non_null(mem);
    count = senders;
    for (uint32_t i = 0; i <= senders; i++) {
        struct weir_net_addr addr = mem_addr(i + 1, PORT);
        struct weir_err err;
        assert_int_equal(mem_plug(mem, &addr, &net[i]), 0);
        assert_int_equal(weir_ep_open_net(&ep[i], &opts, net[i], i + 1, &err), 0);
    }
    mem_tap(mem, tap, NULL);
}

static void run_until(uint64_t end_ns)
{
    struct weir_event event[16];
    while (mem_now_ns(mem) < end_ns) {
        uint64_t next_ns = end_ns;
        for (uint32_t i = 0; i <= count; i++)
            while (weir_poll(ep[i], event, 16, 0) > 0)
                continue;
        for (uint32_t i = 0; i <= count; i++) {
            uint64_t at_ns = weir_deadline(ep[i]) < mem_next_ns(net[i]) ? weir_deadline(ep[i]) : mem_next_ns(net[i]);
            next_ns = at_ns < next_ns ? at_ns : next_ns;
        }
        mem_advance(mem, next_ns);
    }
}

/* Each sender begins a message of so many bytes. */
static void begin_messages(const void *data, size_t length_bytes)
{
    struct weir_net_addr to = mem_addr(1, PORT);
    struct sockaddr_storage sa;
    socklen_t length = weir_net_addr_to(&to, &sa);
    struct iovec iov = { (void *)(uintptr_t)data, length_bytes };
    for (uint32_t i = 1; i <= count; i++) {
        struct weir_peer *peer;
        assert_int_equal(weir_peer_get(ep[i], (struct sockaddr *)&sa, length, &peer), 0);
        assert_int_equal(weir_send(ep[i], peer, &iov, 1, i, NULL), 0);
    }
}

static void close_all(void)
{
    for (uint32_t i = 0; i <= count; i++)
        assert_int_equal(weir_close(ep[i]), 0);
    mem_free(mem);
}

static void senders_share(uint32_t senders, const void *data)
{
    uint64_t from_ns = START_NS + 2000 * US;
    open_all(senders);
    begin_messages(data, LEN);
    run_until(from_ns);
    memset(wire_bytes, 0, sizeof(wire_bytes));
    rtt_most_ns = rtt_sum_ns = rtts = 0;
    run_until(from_ns + 5000 * US);
    print_message("%" PRIu32 " sender%s: %" PRIu64 " ACKs, round trips %" PRIu64 ".%" PRIu64 " us in the mean, %" PRIu64
                  " us at most; shares",
                  senders, senders > 1 ? "s" : "", rtts, rtt_sum_ns / rtts / US, rtt_sum_ns / rtts % US / 100,
                  rtt_most_ns / US);
    for (uint32_t i = 0; i < senders; i++)
        print_message(" %" PRIu64 " of 1000", wire_bytes[i] * 1000 / (5 * (uint64_t)LINE_BPMS));
    print_message("\n");
    for (uint32_t i = 0; i < senders; i++)
        assert_in_range(wire_bytes[i] * senders, (uint64_t)5 * LINE_BPMS * 98 / 100,
                        (uint64_t)5 * LINE_BPMS * 102 / 100);
    close_all();
}

static void each_of_n_senders_has_an_nth_of_the_line(void **state)
{
    unsigned char *data = calloc(1, LEN);
    (void)state;
    assert_non_null(data);
    senders_share(1, data);
    senders_share(2, data);
    senders_share(4, data);
    free(data);
}

/* Messages of up to 16 KB have four tokens in each packet, longer ones none. */
static void short_messages_carry_tokens(void **state)
{
    static const struct {
        size_t length_bytes;
        uint64_t with, without; /* packets of 1413 bytes, with 16 of the endpoint's header */
    } rows[] = { { 100, 1, 0 }, { 15999, 12, 0 }, { 16000, 12, 0 }, { 16001, 0, 12 }, { 40000, 0, 29 } };
    unsigned char *data = calloc(1, LEN);
    (void)state;
    assert_non_null(data);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        open_all(1);
        with_tokens = without_tokens = 0;
        begin_messages(data, rows[i].length_bytes);
        run_until(START_NS + 2000 * US);
        assert_int_equal(with_tokens, rows[i].with);
        assert_int_equal(without_tokens, rows[i].without);
        close_all();
    }
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_of_n_senders_has_an_nth_of_the_line),
                                        cmocka_unit_test(short_messages_carry_tokens) };
    return cmocka_run_group_tests_name("net/dart", tests, NULL, NULL);
}
