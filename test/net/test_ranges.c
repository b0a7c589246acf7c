/* test/net/test_ranges.c - how often a packet is sent again that was not lost, between endpoints in virtual time. DATA and ACKs are
 * lost with the same probability. */
#include "test/unit/weir_test.h"
#include "driver/fault.h"
#include "test/net/mem.h"
#include "test/unit/endpoint/internals.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define START_NS UINT64_C(7000000000)
#define LINE_BPS UINT64_C(10000000000)
enum { PORT = 4000, DELAY_NS = 50000, LEN = 1000000 };

static struct mem *mem;
static struct weir_net *port[2], *net[2]; /* of the memory; with faults */
static struct weir_ep *ep[2];             /* 0 sends */
static uint64_t ended, delivered, failed;
static uint64_t messages = 30; /* option --messages */

static void open_two(const char *cc, uint32_t loss_ppm)
{
    struct weir_opts opts = {
        .size = sizeof(opts), .cc = cc, .rate_bps = LINE_BPS, .base_rtt_ns = 110 * US, .rx_bytes = 64 << 20
    };
    mem = mem_new(
        &(struct mem_config){ .delay_ns = DELAY_NS, .rate_bps = LINE_BPS, .mark_bytes = 100000, .start_ns = START_NS });
    assert_non_null(mem);
    ended = delivered = failed = 0;
    for (uint32_t i = 0; i < 2; i++) {
        struct weir_fault_config faults = { .out.loss_ppm = loss_ppm, .seed = 1 + i };
        struct weir_net_addr addr = mem_addr(i + 1, PORT);
        struct weir_err err;
        assert_int_equal(mem_plug(mem, &addr, &port[i]), 0);
        assert_int_equal(weir_fault_wrap(&net[i], port[i], &faults, &err), 0);
        int code = weir_ep_open_net(&ep[i], &opts, net[i], i + 1, &err);
        if (code != 0)
            fail_msg("%s: %s", cc, err.text);
    }
}

static void close_two(void)
{
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(weir_close(ep[i]), 0);
    mem_free(mem);
}

static void take(uint32_t i)
{
    static struct weir_event event[16];
    int n;
    while ((n = weir_poll(ep[i], event, 16, 0)) > 0) {
        for (int k = 0; k < n; k++) {
            ended += event[k].type == WEIR_EV_SENT;
            failed += event[k].result != 0;
            delivered += event[k].type == WEIR_EV_MESSAGE;
            weir_release(ep[i], event[k].lease);
        }
    }
}

static void run_until_ended(uint64_t count)
{
    while (ended < count) {
        uint64_t next_ns = UINT64_MAX;
        for (uint32_t i = 0; i < 2; i++)
            take(i);
        for (uint32_t i = 0; i < 2 && ended < count; i++)
            next_ns = weir_min_u64(next_ns, weir_min_u64(weir_deadline(ep[i]), mem_next_ns(port[i])));
        if (ended < count)
            mem_advance(mem, next_ns);
    }
}

/* Sends all messages, one after the other. */
static void send_all(void)
{
    struct weir_net_addr to = mem_addr(2, PORT);
    struct sockaddr_storage sa;
    socklen_t length = weir_net_addr_to(&to, &sa);
    struct weir_peer *peer;
    unsigned char *data = calloc(1, LEN);
    struct iovec iov = { data, LEN };
    assert_non_null(data);
    assert_int_equal(weir_peer_get(ep[0], (struct sockaddr *)&sa, length, &peer), 0);
    for (uint64_t m = 0; m < messages; m++) {
        assert_int_equal(weir_send(ep[0], peer, &iov, 1, m, NULL), 0);
        run_until_ended(m + 1);
    }
    free(data);
}

/* A time-out may send one packet that was not lost: the ACK of the last one was. */
static void each_lost_packet_is_sent_again_once(void **state)
{
    static const char *const laws[] = {
        "aimd", "cubic", "dart", "dcqcn", "dctcp", "newreno", "soze", "swift", "timely"
    };
    static const uint32_t losses_ppm[] = { 10000, 50000 };
    (void)state;
    for (size_t k = 0; k < sizeof(laws) / sizeof(laws[0]); k++) {
        for (size_t l = 0; l < sizeof(losses_ppm) / sizeof(losses_ppm[0]); l++) {
            open_two(laws[k], losses_ppm[l]);
            send_all();
            struct weir_stats s = { .size = sizeof(s) };
            assert_int_equal(weir_stats(ep[0], &s), 0);
            uint64_t lost = weir_fault_stats(net[0])->out.lost;
            print_message("%s, %" PRIu32 " %%: %" PRIu64 " packets lost, %" PRIu64
                          " sent again (%.3f per lost one), %" PRIu64 " time-outs, %" PRIu64 " ms\n",
                          laws[k], losses_ppm[l] / 10000, lost, s.retransmissions,
                          (double)s.retransmissions / (double)lost, s.timeouts, (mem_now_ns(mem) - START_NS) / MS);
            assert_true(s.retransmissions <= lost + s.timeouts);
            assert_int_equal(failed, 0);
            assert_int_equal(delivered, messages);
            close_two();
        }
    }
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--messages") == 0)
        messages = strtoull(argv[2], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_lost_packet_is_sent_again_once),
    };
    return cmocka_run_group_tests_name("net/ranges", tests, NULL, NULL);
}
