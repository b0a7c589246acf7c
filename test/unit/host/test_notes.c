/* test/unit/host/test_notes.c - calls of a law that are noted for run.skip: exact: which windows count as the same answer, and what ends
 * the notes (doc/skip.md). Whole periods are replayed in test_state.c. */
#include "core/state.h"
#include "pair.h"

static int32_t step_bytes; /* by which each ACK changes the window */
static uint64_t rate_bps, timer_ps;

static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = 10 * PAIR_MSS };
}

static void law_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)config, (void)ack;
    cc->cwnd_bytes += (uint32_t)step_bytes;
    cc->rate_bps += rate_bps;
    cc->timer_ps = timer_ps == 0 ? WEIR_NEVER : ack->now_ps + timer_ps;
}

static void law_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *notice)
{
    (void)cc, (void)config, (void)notice;
}

static const struct weir_cc_ops ops = { .name = "law",
                                        .state_bytes = sizeof(struct weir_cc),
                                        .needs = WEIR_NEED_WEIGHTS,
                                        .init = law_init,
                                        .on_ack = law_on_ack,
                                        .on_notice = law_on_notice };

/* A message on the way, with its calls noted from now on. */
static struct host_flow *begin(struct pair **out)
{
    struct pair *p = *out = pair_reset();
    p->cfg.cc = &ops;
    p->cfg.track = true;
    pair_start(p);
    pair_send(p, 0, 1000 * PAIR_MSS);
    step_bytes = 0;
    rate_bps = timer_ps = 0;
    pair_run(p, 50 * PAIR_US);
    return host_flow_at(p->host[0], 0);
}

static struct host_notes *notes_of(const struct pair *p)
{
    return host_stream_of(p->host[0])->notes;
}

/* The law is called with so many bytes in flight before and after. */
static void ack(struct pair *p, struct host_flow *f, uint32_t before, uint32_t after)
{
    struct weir_ack event = { .now_ps = p->now_ps, .acked_bytes = before - after, .inflight_bytes = after };
    host_notes_ack(notes_of(p), f, &event);
}

/* At each level of bytes in flight, one packet apart, the window was asked, unless nothing is in flight. */
static void windows_are_alike_if_they_admit_the_same_packets(void **state)
{
    static const struct {
        uint32_t cwnd, from, to, least, most;
    } rows[] = {
        { 5000, 2000, 4000, 5000, UINT32_MAX }, /* and one more, had there been time */
        { 4999, 2000, 4000, 4000, 4999 },       /* and no more */
        { 4000, 2000, 4000, 4000, 4999 },       { 5000, 4000, 4000, 5000, UINT32_MAX }, /* nothing was sent */
        { 4999, 4000, 4000, 0, 4999 },          { 900, 4000, 4000, 0, 4999 },
        { 500, 0, 0, 0, UINT32_MAX }, /* with nothing in flight any window admits a packet */
        { 1000, 0, 0, 0, UINT32_MAX },          { 500, 0, 1000, 0, 1999 },
        { 2000, 0, 1000, 2000, UINT32_MAX },    { 2000, 0, 2000, 2000, 2999 },
        { 1999, 1000, 1000, 0, 1999 },          { 2999, 1000, 2000, 2000, 2999 },
    };
    struct pair *p;
    struct host_flow *f = begin(&p);
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        for (int called = 0; called < 2; called++) {
            const struct host_windows *w;
            host_cc(p->host[0], f)->cwnd_bytes = called ? 77 : rows[i].cwnd;
            f->inflight_bytes = called ? rows[i].from + 1000 : rows[i].from;
            assert_true(weir_host_note(p->host[0], true));
            if (called) {
                host_cc(p->host[0], f)->cwnd_bytes = rows[i].cwnd;
                ack(p, f, rows[i].from + 1000, rows[i].from);
            }
            f->inflight_bytes = rows[i].to;
            assert_true(weir_host_note(p->host[0], false));
            w = called ? &((struct host_noted *)host_ring_at(&notes_of(p)->call, 0, sizeof(struct host_noted)))->window
                       : &notes_of(p)->flow[0].window;
            if (w->least_bytes != rows[i].least || w->most_bytes != rows[i].most)
                fail_msg("row %u, called %d: windows of %u .. %u", (unsigned)i, called, w->least_bytes, w->most_bytes);
        }
    }
}

struct answers { /* of the law, when it is called again */
    int32_t step_bytes;
    uint64_t rate_bps, timer_ps;
};

/* 4 packets are in flight and one is acknowledged, under windows of 5 before and after; then the law is called again with other answers.
 * @return periods of 10 that are like the noted one */
static uint64_t replayed(struct answers noted, struct answers again)
{
    struct pair *p;
    struct host_flow *f = begin(&p);
    struct weir_cc *cc = host_cc(p->host[0], f);
    uint64_t periods;
    f->inflight_bytes = 4000;
    cc->cwnd_bytes = 5000;
    assert_true(weir_host_note(p->host[0], true));
    cc->timer_ps = noted.timer_ps == 0 ? WEIR_NEVER : p->now_ps + noted.timer_ps;
    ack(p, f, 4000, 3000);
    f->inflight_bytes = 3000;
    assert_true(weir_host_note(p->host[0], false));
    step_bytes = again.step_bytes;
    rate_bps = again.rate_bps;
    timer_ps = again.timer_ps;
    periods = weir_host_replay(p->host[0], 1, 10, PAIR_US, false);
    assert_int_equal(cc->cwnd_bytes, 5000); /* the calls were made to a copy */
    return periods;
}

static void replay_ends_at_the_first_other_answer(void **state)
{
    const struct answers same = { 0 }, timed = { .timer_ps = 7 };
    (void)state;
    assert_int_equal(replayed(same, same), 10);
    assert_int_equal(replayed(timed, timed), 10);
    assert_int_equal(replayed(same, timed), 0);
    assert_int_equal(replayed(timed, (struct answers){ .timer_ps = 8 }), 0);
    assert_int_equal(replayed(same, (struct answers){ .rate_bps = 1 }), 0); /* any rate but 2^64 - 1 is a rate */
    assert_int_equal(replayed(same, (struct answers){ .step_bytes = 1 }), 10);
    /* 4000 would do after the call, but 4 packets are in flight before the next one, and 5000 admitted a fifth */
    assert_int_equal(replayed(same, (struct answers){ .step_bytes = -500 }), 1);
    assert_int_equal(replayed(same, (struct answers){ .step_bytes = -1000 }), 1);
    assert_int_equal(replayed(same, (struct answers){ .step_bytes = -1001 }), 0);
}

/* A notice to the law, of the world or of the network: the calls that were noted are not all. */
static void notices_end_the_notes(void **state)
{
    struct pair *p;
    struct weir_pkt notice = { .kind = WEIR_PKT_NOTICE, .src = 1, .dst = 0, .conn = 0, .value = 5 };
    (void)state;
    for (int packet = 0; packet < 2; packet++) {
        struct host_flow *f = begin(&p);
        assert_true(f->inflight_bytes > 1000);
        assert_true(weir_host_note(p->host[0], true));
        assert_false(notes_of(p)->other);
        if (packet)
            weir_host_rx(p->host[0], p->now_ps, &notice, 1);
        else
            assert_int_equal(weir_host_weight(p->host[0], p->now_ps, 0, UINT64_C(2) << 20), 0);
        assert_true(notes_of(p)->other);
        ack(p, f, 1000, 0); /* of what follows nothing is noted: packets may have been lost meanwhile */
        assert_int_equal(notes_of(p)->call.count, 0);
        assert_true(weir_host_note(p->host[0], false));
        assert_int_equal(weir_host_replay(p->host[0], 1, 10, PAIR_US, false), 0);
    }
    assert_int_equal(weir_host_stats(p->host[0])->rx_notice_pkts, 1);
}

/* Without notes neither is noted. */
static void nothing_is_noted_before_or_after(void **state)
{
    struct pair *p;
    struct host_flow *f = begin(&p);
    (void)state;
    assert_int_equal(weir_host_weight(p->host[0], p->now_ps, 0, UINT64_C(2) << 20), 0);
    assert_null(notes_of(p));
    assert_int_equal(weir_host_replay(p->host[0], 1, 10, PAIR_US, false), 0);
    assert_true(weir_host_note(p->host[0], true));
    assert_true(weir_host_note(p->host[0], false));
    assert_int_equal(weir_host_weight(p->host[0], p->now_ps, 0, UINT64_C(3) << 20), 0);
    assert_false(notes_of(p)->other);
    assert_int_equal(weir_host_replay(p->host[0], 1, 10, PAIR_US, false),
                     10); /* nothing was called, and nothing will be */
    assert_int_equal(f->flags & HOST_BUSY, HOST_BUSY);
}

/* DATA with a queueing delay has an extended field; any other one of them gives no state. */
static void delays_are_the_only_field_of_data_that_is_given(void **state)
{
    static const char why[] = "fields of packets beyond the basic ones give no state";
    (void)state;
    for (int other = 0; other < 6; other++) {
        struct pair *p = pair_reset();
        struct weir_host_config *cfg = &p->cfg;
        cfg->cc = &ops;
        cfg->qdelay_unit_ps = 4000;
        cfg->wrr = other == 1;
        cfg->tokens = other == 2 ? 1 : 0;
        cfg->lanes = other == 3 ? 2 : 0;
        cfg->params.short_bytes = other == 4 ? 1000 : 0;
        cfg->params.mark_bytes = other == 5 ? 1000 : 0;
        pair_start(p);
        if (other == 0)
            assert_null(weir_host_state_why(p->host[0]));
        else
            assert_string_equal(weir_host_state_why(p->host[0]), why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_are_alike_if_they_admit_the_same_packets),
        cmocka_unit_test(replay_ends_at_the_first_other_answer),
        cmocka_unit_test(notices_end_the_notes),
        cmocka_unit_test(nothing_is_noted_before_or_after),
        cmocka_unit_test(delays_are_the_only_field_of_data_that_is_given),
    };
    return cmocka_run_group_tests_name("host/notes", tests, NULL, NULL);
}
