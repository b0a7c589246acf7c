/* test/unit/session/test_result.c - results of a session that goes on: those of a run that ends there, the same on any
 * number of threads, and asking for them changes nothing. test/cli/session.py compares the last one with `weir run`. */
#include "core/math.h"
#include "core/rng.h"
#include "test/unit/session/save_test.h"

enum { HOSTS = 8, LIST = 80, METRICS = 256 };

#define HEAD                                                                                                           \
    "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 100 Gbps, "           \
    "host_delay: 1 us, core_delay: 1 us}\n"
#define TRAFFIC "traffic: [{kind: session, sizes: 30 KB}]\n"

struct numbers { /* a copy of a result */
    struct weir_sim_metric metric[METRICS];
    char name[METRICS][96];
    long count;
};

static void take(struct weir_sim *sim, struct numbers *n)
{
    const struct weir_sim_metric *metric = NULL;
    n->count = weir_sim_result(sim, &metric);
    if (n->count < 0)
        fail_msg("%s", weir_sim_error(sim)->text);
    assert_in_range(n->count, 50, METRICS);
    for (long i = 0; i < n->count; i++) {
        n->metric[i] = metric[i];
        (void)snprintf(n->name[i], sizeof(n->name[i]), "%s", metric[i].name); /* it is lent */
        n->metric[i].name = n->name[i];
    }
}

static const struct weir_sim_metric *find(const struct numbers *n, const char *name)
{
    for (long i = 0; i < n->count; i++)
        if (strcmp(n->metric[i].name, name) == 0)
            return &n->metric[i];
    fail_msg("no metric %s", name);
    return NULL;
}

static void assert_same(const struct numbers *a, const struct numbers *b, const char *what)
{
    assert_int_equal(a->count, b->count);
    for (long i = 0; i < a->count; i++)
        if (a->metric[i].whole != b->metric[i].whole || a->metric[i].applies != b->metric[i].applies)
            fail_msg("%s: %s is %" PRIu64 " and %" PRIu64, what, a->metric[i].name, a->metric[i].whole,
                     b->metric[i].whole);
}

static struct weir_sim *open_with_list(const char *text, uint32_t threads)
{
    const struct weir_sim_opts opts = { .size = sizeof(opts), .threads = threads, .check = 1 };
    struct weir_sim *sim = open_session(text, &opts);
    for (uint32_t i = 0; i < LIST; i++) {
        uint64_t x = weir_rng_at(41, i);
        const struct weir_sim_message m = { .size = sizeof(m),
                                            .src = i % HOSTS,
                                            .dst = (uint32_t)(i + 1 + x % (HOSTS - 1)) % HOSTS,
                                            .bytes = 1 + (x >> 8) % 60000,
                                            .start_ps = i * US };
        assert_int_equal(weir_sim_inject(sim, &m, NULL), 0);
    }
    return sim;
}

static void advance_to(struct weir_sim *sim, uint64_t until_ps)
{
    while (advance(sim, until_ps, NULL) > 0)
        ;
}

static bool run_all;

/* Takes intervals away: a run that goes on has no batches that are all over. */
static void forget_intervals(struct numbers *n)
{
    for (long i = 0; i < n->count; i++)
        if (strncmp(n->metric[i].name, "intervals.", strlen("intervals.")) == 0)
            n->metric[i].whole = 0, n->metric[i].applies = 0;
}

/* At 50 us the numbers are those of a run that ends then: goodput, slowdowns, queues, and what has not ended. */
static void a_result_in_between_is_that_of_a_run_that_ends_there(void **state)
{
    static const char *const law[] = { "dctcp", "hpcc", "sird", "rocc", "ndp", "homa" };
    (void)state;
    for (size_t l = 0; l < (run_all ? sizeof(law) / sizeof(law[0]) : 3); l++) {
        static struct numbers ended, between, again;
        char text[1024];
        struct weir_sim *sim;
        uint64_t digest[3];
        (void)snprintf(text, sizeof(text), HEAD "protocol: %s\n" TRAFFIC "run: {warmup: 10 us, measure: 40 us}\n",
                       law[l]);
        sim = open_with_list(text, 1);
        advance_to(sim, 50 * US);
        assert_int_equal(weir_sim_end(sim), 0);
        take(sim, &ended);
        (void)close_session(sim);
        forget_intervals(&ended);
        assert_true(find(&ended, "goodput_gbps")->whole > 0 && find(&ended, "unfinished.messages")->whole > 0);
        for (uint32_t threads = 1; threads <= 3; threads++) {
            (void)snprintf(text, sizeof(text), HEAD "protocol: %s\n" TRAFFIC "run: {warmup: 10 us, measure: 90 us}\n",
                           law[l]);
            sim = open_with_list(text, threads);
            advance_to(sim, 50 * US);
            take(sim, &between);
            take(sim, &again);
            assert_same(&between, &again, law[l]);
            assert_same(&between, &ended, law[l]);
            advance_to(sim, 300 * US);
            digest[threads - 1] = close_session(sim);
        }
        assert_true(digest[0] == digest[1] && digest[0] == digest[2]);
    }
}

/* The batches are over 19 ps before the planned end, as 20 of them do not fill the measured part: a result in between
 * has no intervals, and leaves them to the result at the end. */
static void intervals_come_at_the_end(void **state)
{
    static const char text[] = HEAD "protocol: dctcp\n" TRAFFIC "run: {warmup: 10 us, measure: 40000019 ps}\n";
    static struct numbers n;
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        struct weir_sim *sim = open_with_list(text, threads);
        advance_to(sim, 50 * US + 10);
        for (int i = 0; i < 2; i++) {
            take(sim, &n);
            assert_false(find(&n, "intervals.goodput_gbps")->applies);
        }
        advance_to(sim, 50 * US + 19);
        assert_int_equal(weir_sim_end(sim), 0);
        take(sim, &n);
        assert_true(find(&n, "intervals.goodput_gbps")->applies);
        (void)close_session(sim);
    }
}

/* Asks for a result now and then, or never. @return the digest */
static uint64_t ask(uint32_t threads, bool often, struct numbers *last)
{
    struct weir_sim *sim =
        open_with_list(HEAD "protocol: dctcp\n" TRAFFIC "run: {warmup: 0 us, measure: all}\n", threads);
    for (uint64_t at_ps = 7 * US; at_ps < 140 * US; at_ps += 7 * US) {
        advance_to(sim, at_ps);
        if (often)
            take(sim, last);
    }
    advance_to(sim, WEIR_SIM_NEVER);
    assert_int_equal(weir_sim_end(sim), 0);
    assert_int_equal(weir_sim_end(sim), 0);
    take(sim, last);
    return close_session(sim);
}

static void asking_changes_nothing(void **state)
{
    static struct numbers first, other;
    uint64_t digest = ask(1, false, &first);
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        assert_int_equal(ask(threads, true, &other), digest);
        assert_same(&first, &other, "at the end");
    }
    assert_int_equal(find(&first, "messages_completed")->whole, LIST);
    assert_string_equal(find(&first, "goodput_gbps")->unit, "Gbps");
    assert_int_equal(find(&first, "goodput_gbps")->digits, 9);
}

/* One message of 1460 B: it ends after 2 frames of 1538 B at 800 ps per byte and 2 delays of 2 us, its least time. */
static void numbers_by_hand(void **state)
{
    struct weir_sim *sim = open_session(PAIR_TEXT, NULL);
    const struct weir_sim_message m = { .size = sizeof(m), .src = 0, .dst = 1, .bytes = 1460 };
    static struct numbers n;
    const struct weir_sim_metric *slowdown;
    (void)state;
    assert_int_equal(weir_sim_inject(sim, &m, NULL), 0);
    advance_to(sim, 6460800);
    take(sim, &n); /* it ends at this instant, which has not happened */
    assert_int_equal(find(&n, "slowdown.all.p50")->applies, 0);
    assert_true(find(&n, "slowdown.all.p50")->value != find(&n, "slowdown.all.p50")->value); /* NaN */
    assert_int_equal(find(&n, "unfinished.messages")->whole, 1);
    advance_to(sim, 40 * US);
    take(sim, &n);
    slowdown = find(&n, "slowdown.all.p50");
    assert_true(slowdown->applies == 1 && slowdown->value == 1.0);
    assert_int_equal(find(&n, "unfinished.messages")->whole, 0);
    (void)close_session(sim);
}

static void nothing_is_given_after_the_end(void **state)
{
    const struct weir_sim_opts opts = { .size = sizeof(opts), .record = 1, .events = WEIR_SIM_COMPLETED };
    const struct weir_sim_message m = { .size = sizeof(m), .src = 0, .dst = 1, .bytes = 1460 };
    struct weir_sim *sim = open_session(PAIR_TEXT, &opts), *again = NULL;
    struct weir_sim_counts counts = { .size = sizeof(counts) };
    const struct weir_sim_metric *metric;
    uint64_t digest;
    (void)state;
    assert_int_equal(weir_sim_inject(sim, &m, NULL), 0);
    assert_int_equal(weir_sim_advance(sim, WEIR_SIM_NEVER, NULL), 1);
    assert_int_equal(weir_sim_result(sim, &metric), WEIR_SIM_E_CALL); /* nodes may have gone on */
    assert_int_equal(weir_sim_end(sim), 0);
    assert_int_equal(weir_sim_counts(sim, &counts), 0);
    digest = counts.digest;
    assert_true(counts.over == 1 && counts.messages_completed == 1);
    assert_int_equal(weir_sim_inject(sim, &m, NULL), WEIR_SIM_E_OVER);
    assert_int_equal(weir_sim_at(sim, 90 * US, 0), WEIR_SIM_E_OVER);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 0);
    save(sim); /* the end is a call, too */
    assert_int_equal(weir_sim_restore(saved, NULL, &again, NULL), 0);
    assert_int_equal(weir_sim_inject(again, &m, NULL), WEIR_SIM_E_OVER);
    assert_int_equal(close_session(again), digest);
    assert_int_equal(close_session(sim), digest);
}

/* Events that were not handed out before the end still are: of a message that had arrived, and of one on its way. */
static void an_end_loses_no_event(void **state)
{
    struct weir_sim_message m = { .size = sizeof(m), .src = 0, .dst = 1, .bytes = 1460 };
    struct weir_sim *sim = open_session(PAIR_TEXT, NULL);
    const struct weir_sim_event *event = NULL;
    (void)state;
    assert_int_equal(weir_sim_inject(sim, &m, NULL), 0);
    m.src = 2, m.start_ps = US; /* arrives 1 us later, less than the reaction, and than what is in between */
    assert_int_equal(weir_sim_inject(sim, &m, NULL), 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, &event), 1);
    assert_int_equal(event->at_ps, 6460800);
    assert_int_equal(weir_sim_end(sim), 0); /* hosts go on to the floor: a reaction, 2 us */
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, &event), 1);
    assert_int_equal(event->at_ps, 6460800 + 1230400); /* behind the first at the switch */
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, &event), 0);
    (void)close_session(sim);
}

static void on_event(void *ctx, const struct weir_sim_event *event, uint32_t here)
{
    struct weir_sim *sim = *(struct weir_sim **)ctx;
    const struct weir_sim_metric *metric;
    (void)event, (void)here;
    assert_int_equal(weir_sim_result(sim, &metric), WEIR_SIM_E_CALL);
    assert_int_equal(weir_sim_end(sim), WEIR_SIM_E_CALL);
}

static void not_in_a_call_back(void **state)
{
    struct weir_sim *sim = NULL;
    const struct weir_sim_opts opts = { .size = sizeof(opts), .on_event = on_event, .ctx = &sim };
    const struct weir_sim_message m = { .size = sizeof(m), .src = 0, .dst = 1, .bytes = 1460 };
    (void)state;
    sim = open_session(PAIR_TEXT, &opts);
    assert_int_equal(weir_sim_inject(sim, &m, NULL), 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
    (void)close_session(sim);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_in_between_is_that_of_a_run_that_ends_there),
        cmocka_unit_test(intervals_come_at_the_end),
        cmocka_unit_test(asking_changes_nothing),
        cmocka_unit_test(numbers_by_hand),
        cmocka_unit_test(nothing_is_given_after_the_end),
        cmocka_unit_test(an_end_loses_no_event),
        cmocka_unit_test(not_in_a_call_back),
    };
    run_all = argc > 1 && strcmp(argv[1], "--all") == 0;
    return cmocka_run_group_tests_name("session/result", tests, make_folder, remove_folder);
}
