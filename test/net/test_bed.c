/* test/net/test_bed.c - protocols that need something of switches, between endpoints at the switch of real frames: ExpressPass, whose credit
 * ports hold back, and Homa, whose packets have priorities. In virtual time, at 200 Mb/s: a byte takes 40 ns, a full packet of
 * 1538 B 61.52 us, a credit of 115 B 4.6 us, and a gate lets one through per 1653 byte times, 66.12 us. */
#include "test/unit/weir_test.h"
#include "core/units.h"
#include "test/net/bed.h"
#include "test/unit/endpoint/internals.h"
#include <inttypes.h>

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)
#define STAR(hosts)                                                                                                    \
    "topology: {kind: star, hosts: " hosts ", host_link: 200 Mbps, host_delay: 10 us}\n"                               \
    "traffic: [{kind: permutation, size: 1 KB}]\n"
#define GATED STAR("3") "protocol: {name: expresspass, preset: udp}\n"
enum { RATE_BPS = 200000000, FULL = 1538, CREDIT = 115, MESSAGE = 4 << 20 };

static const struct bed_config gated = {
    .fabric = GATED, .cc = "expresspass", .path = "gate", .rate_bps = RATE_BPS, .base_rtt_ns = 1 * MS
};

/* Two senders begin at once; counts are of what a host sent by two times. @return the longest queue before the receiver */
static uint64_t two_to_one(const struct bed_config *cfg, uint64_t *data_bps)
{
    struct bed *b = bed_new(cfg);
    uint64_t before[2], share[2], longest, dropped;
    bed_send(b, 0, 2, MESSAGE, 0);
    bed_send(b, 1, 2, MESSAGE, 1);
    bed_run(b, 100 * MS);
    for (uint32_t i = 0; i < 2; i++)
        before[i] = bed_from(b, i)->of_class[1].frames;
    bed_run(b, 300 * MS);
    for (uint32_t i = 0; i < 2; i++)
        share[i] = (bed_from(b, i)->of_class[1].frames - before[i]) * FULL * 8 * 5; /* a second is five times as long */
    longest = bed_to(b, 2)->queue_max_bytes;
    assert_true(share[0] * 3 > share[1] && share[1] * 3 > share[0]);
    bed_run(b, 3000 * MS);
    dropped = bed_from(b, 2)->drops;
    print_message("  every %4" PRIu64 " us: %" PRIu64 " and %" PRIu64 " kb/s, longest queue %" PRIu64 " B, of %" PRIu64
                  " credits %" PRIu64 " dropped, ended at %" PRIu64 " and %" PRIu64 " ms\n",
                  cfg->every_ns / US, share[0] / 1000, share[1] / 1000, longest,
                  bed_from(b, 2)->of_class[0].frames + bed_from(b, 2)->drops, dropped, bed_ended_ns(b, 0) / MS,
                  bed_ended_ns(b, 1) / MS);
    assert_int_equal(bed_arrived(b), 2);
    assert_int_equal(bed_sent(b), 2);
    assert_true(bed_to(b, 2)->drops == 0 && bed_from(b, 0)->drops == 0 && bed_from(b, 1)->drops == 0);
    assert_true(dropped > 0);
    *data_bps = share[0] + share[1];
    bed_free(b);
    return longest;
}

/* Data is at most 1538 of 1653 bytes of the link. No more than 3 + S / (1653 byte times) packets wait (doc/expresspass.md). S is
 * what credit waits at the gate of the receiver, eight times that, behind one packet. */
static void the_gate_lets_through_what_the_link_carries(void **state)
{
    uint64_t bps;
    (void)state;
    assert_in_range(two_to_one(&gated, &bps), 1, (3 + 8 + 1) * FULL);
    assert_in_range(bps, RATE_BPS / 100 * 85, (uint64_t)RATE_BPS * FULL / (FULL + CREDIT) * 101 / 100);
}

/* Processes that run each 250 us: three or four credits are late together, and are made up for. What waits is longer by the data
 * of 250 us of each sender, four packets. */
static void hosts_that_are_late_make_up_for_it(void **state)
{
    struct bed_config cfg = gated;
    uint64_t bps;
    (void)state;
    cfg.every_ns = 250 * US;
    assert_in_range(two_to_one(&cfg, &bps), 1, (3 + 8 + 1 + 2 * 4) * FULL);
    assert_true(bps > RATE_BPS / 2);
}

/* Without a gate in the network nothing drops credit, and both senders go at full rate: data queues. */
static void without_the_gate_data_queues(void **state)
{
    struct bed_config cfg = gated;
    struct bed *b;
    (void)state;
    cfg.fabric = STAR("3") "protocol: {name: cubic}\n";
    b = bed_new(&cfg);
    bed_send(b, 0, 2, MESSAGE, 0);
    bed_send(b, 1, 2, MESSAGE, 1);
    bed_run(b, 1000 * MS);
    assert_int_equal(bed_arrived(b), 2);
    assert_true(bed_to(b, 2)->queue_max_bytes > 1000000);
    bed_free(b);
}

/* Two long messages to one host, and short ones. A short one is of level 0, granted packets of 4 and below. */
static uint64_t short_beside_long(const char *fabric, uint64_t *classes)
{
    const struct bed_config cfg = { .fabric = fabric, .cc = "homa", .rate_bps = RATE_BPS, .base_rtt_ns = 1 * MS };
    enum { SHORT = 20 };
    struct bed *b = bed_new(&cfg);
    uint64_t most_ns = 0;
    bed_send(b, 0, 3, MESSAGE, 40);
    bed_send(b, 1, 3, MESSAGE, 41);
    bed_send(b, 2, 3, 1000, 42); /* connects */
    bed_run(b, 20 * MS);
    for (uint32_t i = 0; i < SHORT; i++) {
        bed_send(b, 2, 3, 1000, i);
        bed_run(b, (20 + 10 * (i + 1)) * MS);
        assert_true(bed_ended_ns(b, i) > 0);
        most_ns = weir_max_u64(most_ns, bed_ended_ns(b, i) - (20 + 10 * i) * MS);
    }
    bed_run(b, 2000 * MS);
    assert_int_equal(bed_arrived(b), SHORT + 3);
    assert_int_equal(bed_sent(b), SHORT + 3);
    *classes = 0;
    for (uint32_t k = 0; k < WEIR_CLASSES_MAX; k++)
        *classes |= (uint64_t)(bed_to(b, 3)->of_class[k].frames > 0) << k;
    print_message("  %" PRIu64 " us at most for a short message, longest queue %" PRIu64 " B\n", most_ns / US,
                  bed_to(b, 3)->queue_max_bytes);
    bed_free(b);
    return most_ns;
}

/* Two packets of 1 KB, 1116 B on the wire, and DONE take 94 us, and 40 us on four cables. With priorities there is one full
 * packet before it at the switch, at most. */
static void homas_short_messages_overtake_long_ones(void **state)
{
    uint64_t classes, with, without;
    (void)state;
    with = short_beside_long(STAR("4") "protocol: {name: homa}\nfabric: {priorities: 8}\n", &classes);
    assert_true((classes & 0xf) != 0 && (classes & 0xf0) != 0 && (classes & (classes - 1)) != 0);
    assert_in_range(with, 134 * US, 134 * US + 62 * US + 10 * US);
    without = short_beside_long(STAR("4") "protocol: {name: cubic}\n", &classes);
    assert_int_equal(classes, 1);
    assert_true(without > 3 * with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gate_lets_through_what_the_link_carries),
        cmocka_unit_test(hosts_that_are_late_make_up_for_it),
        cmocka_unit_test(without_the_gate_data_queues),
        cmocka_unit_test(homas_short_messages_overtake_long_ones),
    };
    return cmocka_run_group_tests_name("net/bed", tests, NULL, NULL);
}
