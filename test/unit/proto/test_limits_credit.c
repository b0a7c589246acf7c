/* test/unit/proto/test_limits_credit.c - the decisions of receivers at their limits: Dart, and the laws that send by credit. */
#include "test/unit/limit_bench.h"
#include "proto/dart/dart_core.h"
#include "proto/dcpim/dcpim_core.h"
#include "proto/expresspass/expresspass_core.h"
#include "proto/homa/homa.h"
#include "proto/sird/sird_core.h"

/* --- Dart --- */

enum { SOFT_PS = 500, KEY = 6 };
static const struct weir_dart_config dart = { .t_soft_ps = SOFT_PS, .dcqcn = { .cnp_interval_ps = 50 } };
static struct weir_dart_rx rx;

static void dart_empty(void)
{
    rx = (struct weir_dart_rx){ .cnp_ps = WEIR_NEVER, .soft_ps = WEIR_NEVER, .window_ps = 100, .bucket_ps = NOW };
    rx.bucket = 1;
    rx.full_bytes = 1000;
}

static struct weir_dart_sender *dart_sender(void)
{
    dart_empty();
    return weir_dart_add(&rx, &dart, KEY, NOW);
}

static uint64_t dart_code_is_halved(int at) /* quotients of nearly 2 in Q10, and of 2 */
{
    return weir_dart_code(limit_off(2047, at));
}

static uint64_t dart_has_room(int at)
{
    dart_empty();
    rx.senders = (uint32_t)(192 + at);
    return weir_dart_add(&rx, &dart, KEY, NOW) != NULL;
}

static uint64_t dart_group_is_old(int at) /* the groups that are left */
{
    dart_empty();
    rx.groups = 1;
    rx.group[0] = (struct weir_dart_group){ .id = 1, .left = 1, .read_ps = NOW };
    (void)weir_dart_group(&rx, &dart, 2, limit_off(NOW + SOFT_PS, at));
    return rx.groups;
}

static uint64_t dart_announcement_is_old(int at) /* of two messages one was announced */
{
    const uint64_t now_ps = limit_off(NOW + SOFT_PS, at);
    struct weir_dart_sender s = { .messages = 2, .announced = 1, .announced_ps = NOW, .last_ps = now_ps };
    (void)weir_dart_is_silent(&s, SOFT_PS, now_ps);
    return s.messages;
}

static uint64_t dart_is_silent(int at)
{
    struct weir_dart_sender s = { .messages = 1, .last_ps = NOW };
    return weir_dart_is_silent(&s, SOFT_PS, limit_off(NOW + SOFT_PS, at));
}

static uint64_t dart_next_check(int at) /* of no, one and two announced messages, 10 ps before the last packet */
{
    struct weir_dart_sender *s = dart_sender();
    s->announced = (uint16_t)(1 + at);
    s->messages = 3;
    s->announced_ps = NOW - 10;
    weir_dart_expire(&rx, &dart, NOW);
    return rx.soft_ps - NOW;
}

static uint64_t dart_mark_is_old(int at)
{
    dart_empty();
    rx.mark_ps = NOW;
    return weir_dart_state(&rx, limit_off(NOW + 100, at));
}

static uint64_t dart_is_full(int at)
{
    dart_empty();
    rx.mark_ps = NOW;
    rx.window_bytes = limit_off(1000, at);
    return weir_dart_state(&rx, NOW);
}

static uint64_t dart_mark_counts(int at) /* a window of 100 ps after the set has changed */
{
    const struct weir_data data = { .now_ps = NOW, .flags = WEIR_DATA_CE | WEIR_DATA_KNOWN };
    struct weir_echo echo = { 0 };
    dart_empty();
    rx.changed_ps = limit_off(NOW - 100, -at);
    weir_dart_rx_data(&rx, &dart, &data, &echo);
    return rx.mark_ps;
}

/* Whether there is a CNP at NOW for a sender that may get one from end_ps on, where one is looked for from cnp_ps on. */
static uint64_t dart_cnp(uint64_t end_ps, uint64_t cnp_ps)
{
    struct weir_dart_sender *s = dart_sender();
    struct weir_notice out;
    s->marked = true;
    s->cnp_end_ps = end_ps;
    rx.cnp_ps = cnp_ps;
    return weir_dart_rx_notice(&rx, &dart, NOW, &out);
}

static uint64_t dart_cnp_is_due(int at)
{
    return dart_cnp(limit_off(NOW, at), 0);
}

static uint64_t dart_looks_for_cnps(int at)
{
    return dart_cnp(0, limit_off(NOW, at));
}

static uint64_t dart_looks_for_silence(int at) /* when it looks again: an empty set needs no look */
{
    struct weir_notice out;
    dart_empty();
    rx.soft_ps = limit_off(NOW, at);
    (void)weir_dart_rx_notice(&rx, &dart, NOW, &out);
    return rx.soft_ps;
}

/* --- dcPIM --- */

static const struct weir_dcpim_config dcpim = { .rounds = 3 };

static uint64_t dcpim_last_round(int at) /* three rounds of 1 ps in an epoch of 10 */
{
    const struct weir_dcpim_times t = { .round_ps = 1, .match_ps = 3, .epoch_ps = 10 };
    return weir_dcpim_round_at(&t, limit_off(3, at));
}

/* Three rounds of 10 ps in an epoch of 100. */
static uint64_t dcpim_half(uint64_t now_ps)
{
    const struct weir_dcpim_times t = { .round_ps = 10, .match_ps = 30, .epoch_ps = 100 };
    return weir_dcpim_half_at(&dcpim, &t, now_ps);
}

static uint64_t dcpim_half_of_no_round(int at)
{
    return dcpim_half((uint64_t)(3 + at) * 10);
}

static uint64_t dcpim_half_is_over(int at)
{
    return dcpim_half(limit_off(5, at));
}

static uint64_t dcpim_level(int at)
{
    return weir_dcpim_size_level((uint32_t)(10 + at), 10);
}

/* --- ExpressPass --- */

static const struct weir_expresspass_config expresspass = { .alpha_ppm = 1000000,
                                                            .w_max_ppm = 500000,
                                                            .target_ppm = 1000000,
                                                            .rtt_gain_ppm = 1000000,
                                                            .credit_min_bytes = 84,
                                                            .credit_max_bytes = 84,
                                                            .short_pkts = 10 };

static uint64_t expresspass_short(int at)
{
    struct weir_expresspass_flow f = { 0 };
    weir_expresspass_begin(&expresspass, &f, 1000, (uint32_t)(10 + at), NOW);
    return f.rate;
}

static uint64_t expresspass_once_per_rtt(int at) /* the credits that are still counted */
{
    struct weir_expresspass_flow f = { .rtt_ps = 500, .updated_ps = NOW, .total = 3, .rate = 1 };
    weir_expresspass_feedback(&expresspass, &f, 1000000000, limit_off(NOW + 500, at));
    return f.total;
}

/* Of three credits two were lost where 2 / 3 and a bit may be; three, where all may be; one, where a third less a bit may be. */
static uint64_t expresspass_target(int at)
{
    static const struct {
        uint32_t dropped, target_ppb;
    } of[] = { { 2, 666666667 }, { 3, 1000000000 }, { 1, 333333333 } };
    struct weir_expresspass_flow f = { .rtt_ps = 500, .total = 3, .dropped = of[at + 1].dropped };
    f.rate = 1000000000 - of[at + 1].target_ppb;
    weir_expresspass_feedback(&expresspass, &f, 1000000000, NOW);
    return f.may_grow;
}

static uint64_t expresspass_time_unit(int at) /* a 1024th of a round trip, at least 1 ps */
{
    return weir_expresspass_time_shift(limit_off(1024, at));
}

static uint64_t expresspass_rtt(int at)
{
    struct weir_expresspass_flow f = { .rtt_ps = 100 };
    weir_expresspass_sample(&expresspass, &f, 0, limit_off(100, at), 0);
    return f.rtt_ps;
}

static uint64_t expresspass_overtaken(int at) /* the credits that are counted: half of 4096 is ahead, half behind */
{
    struct weir_expresspass_flow f = { 0 };
    uint32_t expected = 0;
    weir_expresspass_count(&f, &expected, (uint32_t)(2047 + at) << WEIR_EXPRESSPASS_TIME_BITS);
    return f.total;
}

/* --- Homa and SIRD --- */

static uint64_t homa_cutoff(int at)
{
    const struct weir_homa_config cfg = { .unsched_levels = 2, .cutoffs = { .bytes = { 1000 }, .count = 1 } };
    return weir_homa_unsched_level(&cfg, limit_off(1000, at));
}

static uint64_t sird_step(int at) /* a step of 0 is computed: 3000 * 3000 / 10^6 */
{
    const struct weir_sird_aimd_rule rule = { .packet_bytes = 3000 };
    const struct weir_sird_aimd a = { .step_bytes = (uint32_t)(1 + at), .window_pkts = 1, .least_bytes = 1000000 };
    return weir_sird_aimd_step(&a, &rule);
}

static uint64_t sird_ns2_admits(int at) /* a packet of 1000 B within a BDP of 5000 */
{
    const struct weir_sird_config cfg = { .bucket_test = WEIR_SIRD_NS2 };
    const struct weir_sird_host h = { .rule = { .most_bytes = 5000 } };
    const struct weir_sird_peer p = { .outstanding_bytes = (uint32_t)(4000 + at), .aimd = { .least_bytes = 9000 } };
    return weir_sird_admits(&cfg, &h, &p, 1000);
}

static uint64_t sird_csn(enum weir_sird_rule rule, int at)
{
    const struct weir_sird_config cfg = { .csn_rule = rule, .sthr = { .bytes = 1000 } };
    const struct weir_sird_host h = { .held_bytes = (uint32_t)(1000 + at), .tx_msgs = 2 };
    return weir_sird_csn(&cfg, &h, true, 0);
}

static uint64_t sird_paper_csn(int at)
{
    return sird_csn(WEIR_SIRD_PAPER, at);
}

static uint64_t sird_ns2_csn(int at)
{
    return sird_csn(WEIR_SIRD_NS2, at);
}

static uint64_t sird_believes(int at)
{
    const struct weir_sird_config cfg = { .unsched_accounting = WEIR_SIRD_IGNORED };
    const struct weir_sird_peer p = { .granted_total = UINT32_MAX };
    return weir_sird_believable(&cfg, &p, UINT32_MAX + (uint32_t)at);
}

static const struct limit_row rows[] = {
    LIMIT(dart_code_is_halved, 1023, 1024, 1025),
    LIMIT(dart_has_room, 1, 0, 0),
    LIMIT(dart_group_is_old, 1, 0, 0),
    LIMIT(dart_announcement_is_old, 2, 1, 1),
    LIMIT(dart_is_silent, 0, 1, 1),
    LIMIT(dart_next_check, SOFT_PS, SOFT_PS - 10, SOFT_PS - 10),
    LIMIT(dart_mark_is_old, WEIR_DART_ELSEWHERE, WEIR_DART_NONE, WEIR_DART_NONE),
    LIMIT(dart_is_full, WEIR_DART_ELSEWHERE, WEIR_DART_RECEIVER, WEIR_DART_RECEIVER),
    LIMIT(dart_mark_counts, 0, 0, NOW),
    LIMIT(dart_cnp_is_due, 1, 1, 0),
    LIMIT(dart_looks_for_cnps, 1, 1, 0),
    LIMIT(dart_looks_for_silence, WEIR_NEVER, WEIR_NEVER, NOW + 1),
    LIMIT(dcpim_last_round, 2, 3, 10),
    LIMIT(dcpim_half_of_no_round, 25, WEIR_NEVER, WEIR_NEVER),
    LIMIT(dcpim_half_is_over, 5, 5, WEIR_NEVER),
    LIMIT(dcpim_level, 1, 1, 2),
    LIMIT(expresspass_short, 900, 1000, 1000),
    LIMIT(expresspass_once_per_rtt, 3, 0, 0),
    LIMIT(expresspass_target, 1, 1, 0),
    LIMIT(expresspass_time_unit, 0, 0, 0),
    LIMIT(expresspass_rtt, 99, 100, 101),
    LIMIT(expresspass_overtaken, 2047, 2048, 0),
    LIMIT(homa_cutoff, 0, 0, 1),
    LIMIT(sird_step, 9, 1, 2),
    LIMIT(sird_ns2_admits, 1, 1, 0),
    LIMIT(sird_paper_csn, 0, 1, 1),
    LIMIT(sird_ns2_csn, 0, 0, 1),
    LIMIT(sird_believes, 1, 1, 0),
};

static void answers_change_at_the_limit(void **state)
{
    (void)state;
    limit_rows_hold(rows, sizeof(rows) / sizeof(rows[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers_change_at_the_limit) };
    return cmocka_run_group_tests_name("proto/limits_credit", tests, NULL, NULL);
}
