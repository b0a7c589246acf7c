/* test/unit/engine/test_skip_state.c - the state of the whole network that run.skip: exact compares and moves (doc/skip.md): each field of
 * links, ports, hosts and threads is changed once, and seen or moved on. Fields of a host's own record: test/unit/host/test_state.c. */
#include "test/unit/sim_fixture.h"
#include "engine/skip.h"
#include "state/fifo.h"

#define PERIODS UINT64_C(10)
#define STEP UINT64_C(5)

/* Two hosts send to each other for 100 us, with queueing delays in packets. Each has a frame on the wire then. */
static struct sim_engine *begin(void)
{
    struct sim_thread *th;
    fix_options.causes = fix_options.links = true;
    th = fix_make("protocol: soze\n" STAR("2") PERM("10 MB") "run: {warmup: 0 us, measure: 100 us, skip: exact}\n");
    assert_null(fix_engine.skip->skipped.never);
    fix_engine.skip->next_ps = WEIR_NEVER; /* the test makes all passes */
    assert_int_equal(weir_sim_engine_go(&fix_engine, &fix_err), 0);
    assert_int_equal(fix_engine.end_ps, 100000000);
    assert_ptr_equal(th->engine, &fix_engine);
    fix_engine.skip->is_whole = true;
    return &fix_engine;
}

static void pass(struct sim_engine *e, enum weir_state_pass which, uint64_t period_ps)
{
    struct weir_state *s = &e->skip->state;
    weir_state_begin(s, which, e->end_ps);
    if (which == WEIR_STATE_MOVE) {
        s->periods = PERIODS;
        s->period_ps = period_ps;
    }
    weir_sim_skip_state(e);
    assert_null(s->unready);
}

static bool is_back(struct sim_engine *e)
{
    pass(e, WEIR_STATE_TEST, 0);
    return weir_state_is_equal(&e->skip->state);
}

/* Changes a field that must be equal, and changes it back. */
static void matters(struct sim_engine *e, const char *name, uint64_t *field)
{
    bool back;
    pass(e, WEIR_STATE_KEEP, 0);
    assert_true(is_back(e));
    *field += 1;
    back = is_back(e);
    *field -= 1;
    if (back)
        fail_msg("%s does not matter", name);
}

/* Lets a field grow by 5 in a period, and moves it on by 10 periods. */
static void is_moved(struct sim_engine *e, const char *name, uint64_t *field)
{
    uint64_t was = *field;
    pass(e, WEIR_STATE_KEEP, 0);
    *field += STEP;
    pass(e, WEIR_STATE_MOVE, 0);
    if (*field != was + STEP + PERIODS * STEP)
        fail_msg("%s went on by %" PRIu64, name, *field - was);
    *field = was;
}

/* The same of a count, which need not be equal. */
static void goes_on(struct sim_engine *e, const char *name, uint64_t *field)
{
    bool back;
    pass(e, WEIR_STATE_KEEP, 0);
    *field += STEP;
    back = is_back(e);
    *field -= STEP;
    if (!back)
        fail_msg("%s must be equal", name);
    is_moved(e, name, field);
}

#define MATTERS(e, record, field) matters(e, #field, &(record)->field)
#define GOES_ON(e, record, field) goes_on(e, #field, &(record)->field)

static void every_field_of_a_link_is_given(void **state)
{
    struct sim_engine *e = begin();
    uint32_t busy = 0, ports = 0;
    (void)state;
    for (uint32_t i = 0; i < fix_setup.model.topo->link_count; i++) {
        struct sim_link *link = &e->link[i];
        uint64_t area = (uint64_t)link->area;
        if (link->free_at_ps > e->end_ps) {
            MATTERS(e, link, free_at_ps);
            busy++;
        }
        is_moved(e, "free_at_ps", &link->free_at_ps);
        GOES_ON(e, link, bytes);
        GOES_ON(e, link, marks);
        GOES_ON(e, link, drops);
        GOES_ON(e, link, losses);
        GOES_ON(e, link, unrouted);
        pass(e, WEIR_STATE_KEEP, 0);
        link->area += STEP;
        assert_true(is_back(e));
        pass(e, WEIR_STATE_MOVE, 0);
        assert_int_equal((uint64_t)link->area, area + STEP + PERIODS * STEP);
        link->area -= STEP + PERIODS * STEP;
        if (link->port == NULL)
            continue;
        ports++;
        GOES_ON(e, link->port, offered);
        GOES_ON(e, link->port, begun);
        assert_int_equal(link->port->chain.state_count, 1); /* its filtered delay comes first */
        matters(e, "the state of a feature", link->port->chain.state[0].here.port);
    }
    assert_int_equal(busy, 4);
    assert_int_equal(ports, 2);
}

/* A link that was busy until now is as one that was never used. */
static void a_link_that_is_free_is_free(void **state)
{
    struct sim_engine *e = begin();
    struct sim_link *link = &e->link[0];
    (void)state;
    link->free_at_ps = e->end_ps;
    pass(e, WEIR_STATE_KEEP, 0);
    link->free_at_ps = 1;
    assert_true(is_back(e));
    link->free_at_ps = e->end_ps + 1;
    assert_false(is_back(e));
}

static void packets_on_a_link_are_given(void **state)
{
    struct sim_engine *e = begin();
    struct sim_link *in = e->host[1].in;
    struct weir_pkt *first = in->read[SIM_LANE_FIRST];
    (void)state;
    assert_ptr_not_equal(first, in->write[SIM_LANE_FIRST]);
    pass(e, WEIR_STATE_KEEP, 0);
    first->hash++;
    assert_false(is_back(e));
    first->hash--;
    in->read[SIM_LANE_FIRST] = in->write[SIM_LANE_FIRST]; /* none of them */
    assert_false(is_back(e));
    in->read[SIM_LANE_FIRST] = first;
    assert_true(is_back(e));
}

static void every_field_of_a_host_is_given(void **state)
{
    struct sim_engine *e = begin();
    (void)state;
    for (uint32_t h = 0; h < 2; h++) {
        struct sim_host *host = &e->host[h];
        const struct weir_pkt *first = host->in->read[SIM_LANE_FIRST];
        assert_true(host->nic_ps != WEIR_NEVER && first != NULL);
        MATTERS(e, host, nic_ps);
        is_moved(e, "nic_ps", &host->nic_ps);
        pass(e, WEIR_STATE_KEEP, 0);
        weir_host_rx(host->h, e->end_ps, first, 1); /* its own record */
        assert_false(is_back(e));
    }
}

/* A host's timer is no part of what is compared, as the host's own are, and stays with them. */
static void timers_are_moved(void **state)
{
    struct sim_engine *e = begin();
    uint64_t timer_ps = e->host[0].timer_ps, next_ps = weir_host_next_ps(e->host[0].h);
    (void)state;
    assert_int_equal(timer_ps, next_ps);
    e->host[1].timer_ps = WEIR_NEVER;
    pass(e, WEIR_STATE_KEEP, 0);
    e->host[0].timer_ps++;
    assert_true(is_back(e));
    e->host[0].timer_ps--;
    pass(e, WEIR_STATE_MOVE, 7);
    assert_int_equal(e->host[0].timer_ps, timer_ps + 7 * PERIODS);
    assert_int_equal(weir_host_next_ps(e->host[0].h), next_ps + 7 * PERIODS);
    assert_int_equal(e->host[1].timer_ps, WEIR_NEVER);
}

static void every_count_is_given(void **state)
{
    struct sim_engine *e = begin();
    struct sim_thread *th = &e->thread[0];
    struct weir_account_shard *shard = &e->account.shard[0];
    (void)state;
    MATTERS(e, shard, started);
    MATTERS(e, shard, delivered);
    MATTERS(e, shard, lost);
    MATTERS(e, shard, finished);
    MATTERS(e, shard, unasked);
    MATTERS(e, shard, digest);
    MATTERS(e, th, noted);
    GOES_ON(e, th, hops);
    GOES_ON(e, th, stale);
    GOES_ON(e, th, injected);
    GOES_ON(e, th, absorbed);
    GOES_ON(e, th, ended);
    assert_true(e->cause_count > 0);
    for (uint32_t c = 0; c < e->cause_count; c++) {
        goes_on(e, "decided", &th->decided[c]);
        for (uint32_t k = 0; k < WEIR_LOST_KINDS; k++)
            for (uint32_t i = 0; i < WEIR_CLASSES_MAX; i++)
                goes_on(e, "lost", &th->lost[c][k][i]);
    }
    for (size_t i = 0; i < (size_t)fix_setup.model.topo->link_count * e->cause_count; i++)
        goes_on(e, "fates_at", &e->fates_at[i]);
}

/* While a period is sought, the state is that of one host and of the link to it. */
static void the_state_of_the_probe_is_a_host_and_its_link(void **state)
{
    struct sim_engine *e = begin();
    (void)state;
    for (uint32_t probe = 0; probe < 2; probe++) {
        uint32_t other = 1 - probe;
        e->skip->probe = probe;
        for (int whole = 0; whole < 2; whole++) {
            e->skip->is_whole = whole;
            MATTERS(e, &e->host[probe], nic_ps);
            MATTERS(e, e->host[probe].in, free_at_ps);
            pass(e, WEIR_STATE_KEEP, 0);
            e->host[other].nic_ps++;
            assert_int_equal(is_back(e), !whole);
            e->host[other].nic_ps--;
            e->host[other].in->free_at_ps++;
            assert_int_equal(is_back(e), !whole);
            e->host[other].in->free_at_ps--;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_field_of_a_link_is_given, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(a_link_that_is_free_is_free, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(packets_on_a_link_are_given, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(every_field_of_a_host_is_given, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(timers_are_moved, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(every_count_is_given, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(the_state_of_the_probe_is_a_host_and_its_link, fix_begin, fix_end),
    };
    return cmocka_run_group_tests_name("engine/skip_state", tests, NULL, NULL);
}
