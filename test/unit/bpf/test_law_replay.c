/* test/unit/bpf/test_law_replay.c - events of a law that ran here are equal when replayed; one changed number is seen, and only there. */
#include "test/unit/weir_test.h"
#include "bpf/law_keys.h"
#include "bpf/law_replay.h"
#include "core/rng.h"
#include <string.h>

enum { EVENTS = 400, FLOWS = 3 };

static struct weir_law_loaded loaded;
static struct weir_tcp_event event[EVENTS];

/* Makes random events of some flows, with the answers of the law itself as its kernel program would give them. */
static void make(const struct weir_replay_law *law)
{
    static _Alignas(8) unsigned char flow[FLOWS][WEIR_REPLAY_STATE_BYTES];
    struct weir_rng rng = { .key = 53 };
    struct weir_err err;
    uint64_t sequence[FLOWS] = { 0 }, base_ps[FLOWS] = { 0 }, acked[FLOWS] = { 0 }, now_ps = WEIR_PS_PER_S;
    assert_int_equal(
        weir_law_keys_read(&(struct weir_law_options){ .text = law->name, .port_bps = UINT64_C(1000000000) }, &loaded,
                           &err),
        0);
    memset(flow, 0, sizeof(flow));
    for (uint32_t i = 0; i < EVENTS; i++) {
        uint32_t f = (uint32_t)weir_rng_below(weir_rng_next(&rng), FLOWS),
                 draw = (uint32_t)weir_rng_below(weir_rng_next(&rng), 40);
        struct weir_tcp_event *e = &event[i];
        uint64_t rtt_ps = (50 + weir_rng_below(weir_rng_next(&rng), 400)) * WEIR_PS_PER_US;
        *e = (struct weir_tcp_event){ .flow = 7 + f, .sequence = ++sequence[f], .weight_milli = 1000 };
        now_ps += weir_rng_below(weir_rng_next(&rng), 100) * WEIR_PS_PER_US;
        bool begins = base_ps[f] == 0;
        if (base_ps[f] == 0 || rtt_ps < base_ps[f]) {
            base_ps[f] = rtt_ps;
            law->base(flow[f], rtt_ps);
        }
        e->base_rtt_ps = base_ps[f];
        if (begins) {
            e->kind = WEIR_TCP_BEGIN;
            e->start_bytes = 14480;
            e->path = (struct weir_path){
                .base_rtt_ps = rtt_ps, .rate_bps = 1000000000, .mss_bytes = 1440, .wire_bytes = 1514
            };
            law->begin(flow[f], loaded.keys.config, e);
        } else if (draw == 0) {
            e->kind = WEIR_TCP_LOSS;
            e->loss = (struct weir_loss){
                .now_ps = now_ps, .lost_seq = acked[f], .next_seq = acked[f] + 14400, .lost_bytes = 1440
            };
            law->loss(flow[f], loaded.keys.config, &e->loss);
        } else if (draw == 1) {
            e->kind = WEIR_TCP_WEIGHT;
            e->weight_milli = 1 + (uint32_t)weir_rng_below(weir_rng_next(&rng), 9000);
            law->weight(flow[f], loaded.keys.config, ((uint64_t)e->weight_milli << 20) / 1000);
        } else {
            e->kind = WEIR_TCP_ACK;
            acked[f] += 2880;
            e->ack = (struct weir_ack){ .now_ps = now_ps,
                                        .rtt_ps = rtt_ps,
                                        .acked_seq = acked[f],
                                        .next_seq = acked[f] + 14400,
                                        .acked_bytes = 2880,
                                        .marked_bytes = draw == 2 ? 1440 : 0 };
            if (strcmp(law->name, "soze") == 0)
                e->ack.qdelay_max_ps = rtt_ps / 2;
            law->ack(flow[f], loaded.keys.config, &e->ack);
        }
        memcpy(&e->answer, flow[f], sizeof(e->answer));
    }
}

static struct weir_replay_result replay(const char *law, uint32_t from)
{
    struct weir_replay *r = weir_replay_new(law, loaded.keys.config);
    struct weir_replay_result result;
    assert_non_null(r);
    for (uint32_t i = from; i < EVENTS; i++)
        assert_int_equal(weir_replay_event(r, &event[i]), 0);
    result = *weir_replay_result(r);
    weir_replay_free(r);
    return result;
}

static void a_replay_sees_what_differs_and_nothing_else(void **state)
{
    static const struct weir_replay_law *const laws[] = { &weir_replay_dctcp, &weir_replay_soze, &weir_replay_swift,
                                                          &weir_replay_timely };
    (void)state;
    for (size_t i = 0; i < sizeof(laws) / sizeof(*laws); i++) {
        make(laws[i]);
        struct weir_replay_result r = replay(laws[i]->name, 0);
        assert_int_equal(r.events, EVENTS);
        assert_int_equal(r.flows, FLOWS);
        assert_int_equal(r.different, 0);
        assert_int_equal(r.skipped, 0);
        event[200].answer.rate_bps++; /* an answer: one differs */
        r = replay(laws[i]->name, 0);
        assert_int_equal(r.different, 1);
        assert_int_equal(r.first.flow, event[200].flow);
        assert_int_equal(r.here.rate_bps + 1, r.first.answer.rate_bps);
        event[200].answer.rate_bps--;
    }
}

/* A lost event would make all later answers differ. */
static void after_a_gap_a_flow_is_skipped(void **state)
{
    uint32_t later = 0;
    (void)state;
    make(&weir_replay_soze);
    for (uint32_t i = 101; i < EVENTS; i++)
        later += event[i].flow == event[100].flow;
    for (uint32_t i = 100; i + 1 < EVENTS; i++)
        event[i] = event[i + 1];
    event[EVENTS - 1].flow = 1; /* of a flow whose beginning was not seen */
    struct weir_replay_result r = replay("soze", 0);
    assert_int_equal(r.different, 0);
    assert_int_equal(r.gaps, 1);
    assert_int_equal(r.skipped, later + 1);
}

static void flows_whose_beginning_was_not_seen_are_skipped(void **state)
{
    uint32_t begins = 0;
    (void)state;
    make(&weir_replay_soze);
    for (uint32_t i = 10; i < EVENTS; i++)
        begins += event[i].kind == WEIR_TCP_BEGIN;
    struct weir_replay_result r = replay("soze", 10);
    assert_int_equal(r.flows, begins);
    assert_true(r.skipped > 0);
    assert_int_equal(r.different, 0);
    assert_null(weir_replay_new("fncc", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_replay_sees_what_differs_and_nothing_else),
                                        cmocka_unit_test(after_a_gap_a_flow_is_skipped),
                                        cmocka_unit_test(flows_whose_beginning_was_not_seen_are_skipped) };
    return cmocka_run_group_tests_name("bpf/law_replay", tests, NULL, NULL);
}
