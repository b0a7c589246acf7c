/* test/unit/session/test_session.c - sessions (include/weir/sim.h): the same messages give the digest of `weir run`
 * however they are given, and what a program is told does not depend on the number of threads. */
#include "test/unit/session/session_test.h"
#include "engine/sim.h"
#include "registry.h"
#include "setup/setup.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 16 };

/* ---- scenarios and their messages ---- */

struct world {
    char text[TEXT], session[TEXT]; /* the scenario, and the same with traffic of kind session */
    struct weir_message *message;   /* of all hosts, by (start, sender) */
    size_t messages;
    uint64_t digest; /* of the run */
    uint64_t end_ps; /* WEIR_NEVER = when all is done */
};

static int by_start(const void *a, const void *b)
{
    const struct weir_message *x = a, *y = b;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id; /* of one sender in the order in which it draws them */
}

static void draw_messages(struct world *w, const struct weir_workload *wl)
{
    size_t room = 1024;
    w->message = malloc(room * sizeof(*w->message));
    for (uint32_t h = 0; h < wl->hosts; h++) {
        struct weir_source source;
        weir_source_init(&source, wl, h);
        while (weir_source_next_ps(&source) < w->end_ps) {
            if (w->messages == room)
                w->message = realloc(w->message, (room *= 2) * sizeof(*w->message));
            assert_non_null(w->message);
            weir_source_take(&source, &w->message[w->messages++]);
        }
    }
    assert_non_null(w->message);
    qsort(w->message, w->messages, sizeof(*w->message), by_start);
}

/* Writes the scenario with one item of kind session instead of its traffic. */
static void make_session(struct world *w, const char *item)
{
    char *traffic = strstr(w->text, "\ntraffic:"), *after = traffic != NULL ? traffic + 1 : NULL;
    assert_non_null(traffic);
    do
        after = strchr(after, '\n') + 1;
    while (*after == ' ' || *after == '#' || *after == '-');
    assert_in_range(snprintf(w->session, TEXT, "%.*s\ntraffic: [{kind: session%s}]\n%s", (int)(traffic - w->text),
                             w->text, item, after),
                    1, TEXT - 1);
}

/* Runs the text as `weir run` does, and draws its messages. */
static void make_world(struct world *w, const char *name, const char *item)
{
    static struct weir_scenario scn;
    static struct weir_setup setup;
    struct weir_err err = { 0 };
    struct weir_result result = { 0 };
    const struct weir_sim_options options = { .threads = 1 };
    if (weir_scenario_parse(&scn, name, w->text, strlen(w->text), NULL, 0, &err) != 0 ||
        weir_setup_init(&setup, &scn, &err) != 0)
        fail_msg("%s:%" PRIu32 ": %s", err.file, err.line, err.text);
    w->end_ps = setup.model.until_done ? WEIR_NEVER : setup.model.warmup_ps + setup.model.measure_ps;
    draw_messages(w, &setup.workload);
    assert_int_equal(weir_sim_run(&setup.model, &options, &result, &err), 0);
    w->digest = result.digest;
    weir_result_free(&result);
    weir_setup_free(&setup);
    weir_scenario_free(&scn);
    make_session(w, item);
}

static struct world *read_world(const char *path, const char *item)
{
    struct world *w = calloc(1, sizeof(*w));
    FILE *file = fopen(path, "r");
    assert_non_null(w);
    assert_non_null(file);
    w->text[fread(w->text, 1, TEXT - 1, file)] = '\0';
    (void)fclose(file);
    make_world(w, path, item);
    return w;
}

static void free_world(struct world *w)
{
    free(w->message);
    free(w);
}

/* ---- ways to run a session ---- */

static void inject(struct weir_sim *sim, const struct weir_message *m)
{
    const struct weir_sim_message message = { .size = sizeof(message),
                                              .src = m->src,
                                              .dst = m->dst,
                                              .bytes = m->bytes,
                                              .start_ps = m->start_ps,
                                              .user = m->id,
                                              .weight = (double)m->weight_q20 / (double)WEIR_WEIGHT_ONE };
    if (weir_sim_inject(sim, &message, NULL) != 0)
        fail_msg("%s", weir_sim_error(sim)->text);
}

static uint64_t all_at_once(const struct world *w, uint32_t threads)
{
    const struct weir_sim_opts opts = { .size = sizeof(opts), .threads = threads, .check = 1 };
    struct weir_sim *sim = open_session(w->session, &opts);
    long count;
    for (size_t i = 0; i < w->messages; i++)
        inject(sim, &w->message[i]);
    do
        count = advance(sim, WEIR_SIM_NEVER, NULL);
    while (count > 0);
    return close_session(sim);
}

/* Messages are given a little before they start, at random instants. */
static uint64_t in_pieces(const struct world *w, uint32_t threads, uint64_t key)
{
    const struct weir_sim_opts opts = { .size = sizeof(opts), .threads = threads };
    struct weir_sim *sim = open_session(w->session, &opts);
    size_t next = 0;
    for (uint64_t step = 0; next < w->messages; step++) {
        uint64_t until_ps = weir_sim_now(sim) + weir_rng_below(weir_rng_at(key, step), (uint32_t)(40 * US));
        for (; next < w->messages && w->message[next].start_ps < until_ps + weir_sim_reaction(sim); next++)
            inject(sim, &w->message[next]);
        while (advance(sim, until_ps, NULL) > 0)
            ;
    }
    while (advance(sim, WEIR_SIM_NEVER, NULL) > 0)
        ;
    return close_session(sim);
}

/* ---- the same digest as `weir run` ---- */

/* In `check` a few that are short; all that have neither jobs, replies nor groups with --all, as `./dev soak` wants. */
static bool run_all;

/* Both ways on 1, 2 and 3 threads with --all; in `check` each number of threads has one way, and of the next scenario the other. */
static void check_digests(const char *path, const char *item, uint32_t scenario)
{
    struct world *w = read_world(path, item);
    for (uint32_t threads = 1; threads <= 3; threads++)
        for (uint32_t pieces = 0; pieces < 2; pieces++) {
            uint64_t digest;
            if (!run_all && (scenario + threads) % 2 == pieces)
                continue;
            digest = pieces ? in_pieces(w, threads, threads) : all_at_once(w, threads);
            if (digest != w->digest)
                fail_msg("%s, %u threads: digest %016" PRIx64 ", %s %016" PRIx64 "\n", path, threads, w->digest,
                         pieces ? "in pieces" : "at once", digest);
        }
    assert_true(w->messages > 10);
    free_world(w);
}

static void messages_of_golden_scenarios(void **state)
{
    static const char *const name[] = { "ndp",         "rpm",      "priq",     "priorities", "sird-loss",
                                        "hpcc",        "codel",    "dcpim",    "dcqcn-pfc",  "deflect",
                                        "expresspass", "fat-tree", "fncc",     "leaf-spine", "newreno",
                                        "rcp",         "rocc",     "sird-ns2", "swift",      "timely" };
    (void)state;
    for (size_t i = 0; i < (run_all ? sizeof(name) / sizeof(name[0]) : 3); i++) {
        char path[128];
        (void)snprintf(path, sizeof(path), "test/golden/%s.yaml", name[i]);
        check_digests(path, "", (uint32_t)i);
    }
}

/* ---- programs that react ---- */

#define HEAD_STAR "topology: {kind: star, hosts: 8, host_link: 100 Gbps, host_delay: 1 us}\n"
#define HEAD_LEAF                                                                                                      \
    "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 200 Gbps, "           \
    "host_delay: 1 us, core_delay: 1 us}\n"
#define HEAD_DUMBBELL                                                                                                  \
    "topology: {kind: dumbbell, hosts: 8, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 1 us, core_delay: 3 "  \
    "us}\n"
#define HEAD_TREE "topology: {kind: fat-tree, k: 4, host_link: 100 Gbps, core_link: 100 Gbps}\n"
#define TAIL "traffic: [{kind: session, sizes: 30 KB}]\nrun: {warmup: 0 us, measure: all}\n"

enum { RING = 8, STEPS = 2 * (RING - 1), RING_BYTES = 30000 };

struct ring { /* an all-reduce: each host passes on what it gets, STEPS times */
    struct weir_sim *sim;
    bool in_visits; /* answers are given in call-backs, at the instant of the event */
    uint64_t events, calls, hash;
    int refused; /* by call-backs */
};

static int ring_send(struct ring *r, uint32_t host, uint64_t step, uint64_t start_ps)
{
    const struct weir_sim_message m = { .size = sizeof(m),
                                        .src = host,
                                        .dst = (host + 1) % RING,
                                        .bytes = RING_BYTES,
                                        .start_ps = start_ps,
                                        .user = step };
    return weir_sim_inject(r->sim, &m, NULL);
}

static void ring_visit(void *ctx, const struct weir_sim_event *event, uint32_t here)
{
    struct ring *r = ctx;
    if (event->kind == WEIR_SIM_DELIVERED && r->in_visits && event->user + 1 < STEPS &&
        ring_send(r, here, event->user + 1, event->at_ps) != 0)
        __atomic_fetch_add(&r->refused, 1, __ATOMIC_RELAXED);
}

static void ring_note(struct ring *r, const struct weir_sim_event *e)
{
    r->hash = weir_mix_u64(r->hash ^ e->at_ps);
    r->hash = weir_mix_u64(r->hash ^ e->user << 32 ^ (uint64_t)e->src << 16 ^ e->dst << 8 ^ e->kind);
    r->events++;
}

/* Runs a ring. @return its digest */
static uint64_t run_ring(struct ring *r, const char *text, uint32_t threads)
{
    const struct weir_sim_opts opts = { .size = sizeof(opts),
                                        .threads = threads,
                                        .events = WEIR_SIM_DELIVERED | WEIR_SIM_COMPLETED,
                                        .check = 1,
                                        .on_event = ring_visit,
                                        .ctx = r };
    const struct weir_sim_event *event = NULL;
    long count;
    r->sim = open_session(text, &opts);
    for (uint32_t h = 0; h < RING; h++)
        assert_int_equal(ring_send(r, h, 0, 0), 0);
    while ((count = advance(r->sim, WEIR_SIM_NEVER, &event)) > 0) {
        r->calls++;
        for (long i = 0; i < count; i++) {
            assert_true(event[i].at_ps == event[0].at_ps && event[i].at_ps == weir_sim_now(r->sim));
            ring_note(r, &event[i]);
            if (event[i].kind == WEIR_SIM_DELIVERED && !r->in_visits && event[i].user + 1 < STEPS)
                assert_int_equal(ring_send(r, event[i].dst, event[i].user + 1, weir_sim_floor(r->sim)), 0);
        }
    }
    assert_int_equal(r->refused, 0);
    return close_session(r->sim);
}

static void check_ring(const char *head, const char *law, bool in_visits)
{
    char text[1024];
    struct ring first = { .in_visits = in_visits };
    uint64_t digest;
    (void)snprintf(text, sizeof(text), "%sprotocol: %s\n%s", head, law, TAIL);
    digest = run_ring(&first, text, 1);
    assert_true(first.events >= (uint64_t)RING * STEPS);
    for (uint32_t threads = 2; threads <= 3; threads++) {
        struct ring again = { .in_visits = in_visits };
        uint64_t other = run_ring(&again, text, threads);
        if (other != digest || again.hash != first.hash || again.events != first.events || again.calls != first.calls)
            fail_msg("%s, %u threads: digest %016" PRIx64 " and %016" PRIx64 ", events %" PRIu64 " and %" PRIu64
                     ", calls %" PRIu64 " and %" PRIu64,
                     law, threads, digest, other, first.events, again.events, first.calls, again.calls);
    }
}

static void a_ring_is_the_same_on_any_number_of_threads(void **state)
{
    static const char *const head[] = { HEAD_STAR, HEAD_LEAF, HEAD_DUMBBELL, HEAD_TREE };
    static const char *const picked[] = { "dctcp", "ndp", "hpcc", "dart" }; /* in `check` */
    (void)state;
    for (size_t h = 0; h < sizeof(head) / sizeof(head[0]); h++)
        for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++) {
            bool is_picked = strcmp(p->name, picked[h]) == 0;
            if (strcmp(p->name, "none") == 0 || (!run_all && !is_picked)) /* no session may have `none` */
                continue;
            check_ring(head[h], p->name, false);
            check_ring(head[h], p->name, true);
        }
}

/* An answer in the visit comes at the event; one from outside a reaction later. So it ends later, by as much per step. */
static void an_answer_from_outside_comes_a_reaction_later(void **state)
{
    struct ring outside = { .in_visits = false }, inside = { .in_visits = true };
    char text[512];
    (void)state;
    (void)snprintf(text, sizeof(text), "%sprotocol: ndp\n%s", HEAD_STAR, TAIL);
    (void)run_ring(&outside, text, 1);
    (void)run_ring(&inside, text, 1);
    assert_true(inside.calls > 0 && outside.calls > 0);
    assert_true(inside.hash != outside.hash);
}

#define RUN_DONE "run: {warmup: 0 us, measure: all}\n"

/* ---- times ---- */

#define PAIR_TEXT                                                                                                      \
    "topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 2 us}\nprotocol: dctcp\n"                        \
    "framing: {payload: 1460 B, header: 58 B, ack_wire: 84 B}\n"                                                       \
    "traffic: [{kind: session}]\nrun: {warmup: 0 us, measure: all}\n"
/* Of a message of 1460 B: 1538 B at 800 ps each over two links, and two delays. */
#define FRAME_PS UINT64_C(1230400)
#define DELAY_PS (2 * US)
#define ONE_PS (2 * FRAME_PS + 2 * DELAY_PS)

static struct weir_sim *open_pair(uint32_t events, weir_sim_event_fn fn, void *ctx)
{
    const struct weir_sim_opts opts = {
        .size = sizeof(opts), .events = events, .check = 1, .on_event = fn, .ctx = ctx
    };
    return open_session(PAIR_TEXT, &opts);
}

static void on_nothing(void *ctx, const struct weir_sim_event *event, uint32_t here)
{
    (void)ctx, (void)event, (void)here;
}

static int give(struct weir_sim *sim, uint32_t src, uint32_t dst, uint64_t start_ps, uint64_t *id)
{
    const struct weir_sim_message m = {
        .size = sizeof(m), .src = src, .dst = dst, .bytes = 1460, .start_ps = start_ps, .user = 7
    };
    return weir_sim_inject(sim, &m, id);
}

static void times_of_a_lone_message(void **state)
{
    struct weir_sim *sim = open_pair(WEIR_SIM_DELIVERED | WEIR_SIM_COMPLETED, NULL, NULL);
    const struct weir_sim_event *event = NULL;
    uint64_t id = 0;
    (void)state;
    assert_int_equal(weir_sim_hosts(sim), 3);
    assert_int_equal(weir_sim_reaction(sim), DELAY_PS);
    assert_int_equal(give(sim, 0, 1, 5 * US, &id), 0);
    assert_int_equal(advance(sim, 5 * US + ONE_PS, &event), 0); /* what is at until_ps is not before it */
    assert_int_equal(weir_sim_now(sim), 5 * US + ONE_PS);
    assert_int_equal(advance(sim, 5 * US + ONE_PS + 1, &event), 1);
    assert_int_equal(event->at_ps, 5 * US + ONE_PS);
    assert_int_equal(event->kind, WEIR_SIM_DELIVERED);
    assert_int_equal(event->id, id);
    assert_int_equal(event->user, 7);
    assert_int_equal(event->start_ps, 5 * US);
    assert_int_equal(event->bytes, 1460);
    assert_int_equal(weir_sim_floor(sim), 5 * US + ONE_PS + DELAY_PS);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, &event), 1);
    assert_int_equal(event->kind, WEIR_SIM_COMPLETED);
    assert_int_equal(event->at_ps, 5 * US + ONE_PS + 2 * (DELAY_PS + 84 * UINT64_C(800)));
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, &event), 0);
    assert_int_equal(weir_sim_floor(sim), 5 * US + ONE_PS + 2 * (DELAY_PS + 84 * UINT64_C(800)) + DELAY_PS);
    (void)close_session(sim);
}

static void timers_stop_before_what_happens_then(void **state)
{
    struct weir_sim *sim = open_pair(0, NULL, NULL);
    const struct weir_sim_event *event = NULL;
    (void)state;
    assert_int_equal(give(sim, 0, 1, 0, NULL), 0);
    assert_int_equal(weir_sim_at(sim, ONE_PS, 11), 0);
    assert_int_equal(weir_sim_at(sim, ONE_PS, 12), 0);
    assert_int_equal(weir_sim_at(sim, ONE_PS - 1, 10), 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, &event), 1);
    assert_int_equal(event->user, 10);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, &event), 2);
    assert_true(event[0].user == 11 && event[1].user == 12 && event[0].src == UINT32_MAX);
    assert_int_equal(weir_sim_floor(sim), ONE_PS);
    assert_int_equal(give(sim, 2, 1, ONE_PS, NULL), 0); /* at the instant of the timer, not a reaction later */
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, &event), 1);
    assert_true(event->kind == WEIR_SIM_DELIVERED && event->at_ps == ONE_PS && event->src == 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, &event), 1);
    assert_true(event->at_ps == 2 * ONE_PS && event->src == 2);
    assert_int_equal(advance(sim, 40 * US, &event), 0);
    assert_int_equal(weir_sim_now(sim), 40 * US);
    (void)close_session(sim);
}

struct clock_ctx {
    struct weir_sim *sim;
    uint32_t rings, sent;
};

/* Each time the clock of a host rings, it sends a message and sets the clock again. */
static void on_ring(void *ctx, const struct weir_sim_event *event, uint32_t here)
{
    struct clock_ctx *c = ctx;
    if (event->kind != WEIR_SIM_TIMER)
        return;
    c->rings++;
    c->sent += give(c->sim, here, 1, event->at_ps, NULL) == 0;
    if (c->rings < 5)
        assert_int_equal(weir_sim_host_at(c->sim, here, event->at_ps + 10 * US, 0), 0);
}

static void timers_of_hosts(void **state)
{
    struct clock_ctx c = { 0 };
    const struct weir_sim_event *event = NULL;
    uint64_t at_ps = 3 * US;
    long count;
    (void)state;
    c.sim = open_pair(WEIR_SIM_DELIVERED, on_ring, &c);
    assert_int_equal(weir_sim_host_at(c.sim, 2, at_ps, 1), 0);
    for (; (count = advance(c.sim, WEIR_SIM_NEVER, &event)) > 0; at_ps += 10 * US) {
        assert_int_equal(count, 1);
        assert_int_equal(event->start_ps, at_ps);
        assert_int_equal(event->at_ps, at_ps + ONE_PS);
    }
    assert_int_equal(at_ps, 53 * US);
    assert_true(c.rings == 5 && c.sent == 5);
    (void)close_session(c.sim);
}

static void cancelled_messages_do_not_start(void **state)
{
    struct weir_sim *sim = open_pair(0, NULL, NULL);
    struct weir_sim_counts counts = { .size = sizeof(counts) };
    uint64_t first, second, third;
    (void)state;
    assert_int_equal(give(sim, 0, 1, 10 * US, &first), 0);
    assert_int_equal(give(sim, 0, 1, 20 * US, &second), 0);
    assert_int_equal(give(sim, 0, 2, 30 * US, &third), 0);
    assert_int_equal(weir_sim_cancel(sim, first), 0);
    assert_int_equal(weir_sim_cancel(sim, first), WEIR_SIM_E_STARTED);
    assert_int_equal(weir_sim_cancel(sim, third), 0);
    assert_int_equal(advance(sim, 21 * US, NULL), 0);
    assert_int_equal(weir_sim_cancel(sim, second), WEIR_SIM_E_STARTED);
    assert_int_equal(weir_sim_cancel(sim, 999), WEIR_SIM_E_ARGUMENT);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
    assert_int_equal(weir_sim_counts(sim, &counts), 0);
    assert_int_equal(counts.messages_started, 1);
    assert_int_equal(give(sim, 0, 1, 90 * US, &first), 0); /* rows are used again, with other ids */
    assert_int_not_equal(first, third);
    (void)close_session(sim);
}

/* A caller that was built with another header says how large its struct is: what it has no room for it does not get. */
static void counts_go_as_far_as_the_caller_has_room(void **state)
{
    struct weir_sim *sim = open_pair(0, NULL, NULL);
    struct weir_sim_counts counts = { .size = sizeof(counts.size) - 1 };
    (void)state;
    assert_int_equal(give(sim, 0, 1, 10 * US, NULL), 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
    assert_int_equal(weir_sim_counts(sim, &counts), WEIR_SIM_E_ARGUMENT);
    assert_string_equal(weir_sim_error(sim)->text, "counts.size is 3");
    counts.size = sizeof(counts.size);
    counts.messages_started = 77;
    assert_int_equal(weir_sim_counts(sim, &counts), 0);
    assert_int_equal(counts.messages_started, 77);
    counts.size = sizeof(counts) + 8;
    assert_int_equal(weir_sim_counts(sim, &counts), 0);
    assert_int_equal(counts.messages_started, 1);
    assert_int_equal(counts.size, sizeof(counts) + 8);
    (void)close_session(sim);
}

/* A run that has an end hands out all that comes before it. */
static void an_end_loses_no_event(void **state)
{
    static const char text[] =
        "topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 2 us}\nprotocol: dctcp\n"
        "framing: {payload: 1460 B, header: 58 B, ack_wire: 84 B}\n"
        "traffic: [{kind: session}]\nrun: {warmup: 0 us, measure: 50 us}\n";
    struct weir_sim *sim = open_session(text, NULL);
    struct weir_sim_counts counts = { .size = sizeof(counts) };
    const struct weir_sim_event *event = NULL;
    (void)state;
    assert_int_equal(give(sim, 0, 1, 50 * US - ONE_PS - 1, NULL), 0); /* ends before, at and after the end */
    assert_int_equal(give(sim, 2, 1, 50 * US, NULL), 0);
    assert_int_equal(weir_sim_at(sim, 50 * US - 2, 1), 0);
    assert_int_equal(weir_sim_at(sim, 50 * US, 2), 0);
    assert_int_equal(advance(sim, 100 * US, &event), 1);
    assert_int_equal(event->kind, WEIR_SIM_TIMER);
    assert_int_equal(advance(sim, 100 * US, &event), 1);
    assert_int_equal(event->at_ps, 50 * US - 1);
    assert_int_equal(advance(sim, 100 * US, &event), 0);
    assert_int_equal(weir_sim_now(sim), 50 * US);
    assert_int_equal(weir_sim_counts(sim, &counts), 0);
    assert_int_equal(counts.over, 1);
    assert_int_equal(give(sim, 0, 1, 60 * US, NULL), WEIR_SIM_E_OVER);
    assert_string_equal(weir_sim_error(sim)->text, "the run is over");
    (void)close_session(sim);
}

/* Gives a round of messages, and the next when all is done, for laws whose hosts have timers left then. @return digest */
static uint64_t rounds(const char *text, uint32_t threads, uint64_t *floor_ps)
{
    const struct weir_sim_opts opts = { .size = sizeof(opts), .threads = threads, .check = 1 };
    struct weir_sim *sim = open_session(text, &opts);
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t h = 0; h < RING; h++) {
            const struct weir_sim_message m = { .size = sizeof(m),
                                                .src = h,
                                                .dst = (h + 1 + round) % RING,
                                                .bytes = 5000 + 700 * h,
                                                .start_ps = weir_sim_floor(sim) };
            assert_int_equal(weir_sim_inject(sim, &m, NULL), 0);
        }
        while (advance(sim, WEIR_SIM_NEVER, NULL) > 0)
            ;
        *floor_ps = *floor_ps * 31 + weir_sim_floor(sim);
        assert_true(weir_sim_floor(sim) < weir_sim_now(sim) + 20 * US); /* not beyond timers that change nothing */
    }
    return close_session(sim);
}

static void what_is_given_after_all_is_done_is_exact(void **state)
{
    static const char *const law[] = { "dctcp", "dcqcn", "sird", "timely", "ndp", "cubic" };
    (void)state;
    for (size_t l = 0; l < sizeof(law) / sizeof(law[0]); l++) {
        char text[1024];
        uint64_t first_ps = 0, digest;
        (void)snprintf(text, sizeof(text), "%sprotocol: %s\n%s", HEAD_LEAF, law[l], TAIL);
        digest = rounds(text, 1, &first_ps);
        for (uint32_t threads = 2; threads <= 3; threads++) {
            uint64_t floor_ps = 0;
            assert_int_equal(rounds(text, threads, &floor_ps), digest);
            assert_int_equal(floor_ps, first_ps);
        }
    }
}

/* A cable fails while nothing is due but the answer of the program: what is given before takes the routes of before. */
#define HEAD_FAILS                                                                                                     \
    "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 100 Gbps, "           \
    "host_delay: 1 us, core_delay: 1 us}\nprotocol: ndp\n"                                                             \
    "fabric: {reroute_delay: 1 us, events: [{at: 400 us, link: 'leaf 0 - spine 0', action: down}]}\n"

static void a_pause_crosses_no_boundary(void **state)
{
    static const char text[] = HEAD_FAILS TAIL;
    struct weir_message list[RING];
    uint64_t digest[3];
    (void)state;
    for (uint32_t h = 0; h < RING; h++) /* the last are given when the first have arrived */
        list[h] = (struct weir_message){ .src = h % 4,
                                         .dst = 4 + h % 4,
                                         .bytes = 20000,
                                         .start_ps = (h < 4 ? 0 : 200 + 10 * h) * (uint64_t)US,
                                         .weight_q20 = WEIR_WEIGHT_ONE };
    for (uint32_t way = 0; way < 3; way++) {
        const struct weir_sim_opts opts = { .size = sizeof(opts), .threads = way == 2 ? 2 : 1 };
        struct weir_sim *sim = open_session(text, &opts);
        for (uint32_t h = 0; h < (way == 0 ? RING : 4); h++)
            inject(sim, &list[h]);
        while (way > 0 && advance(sim, WEIR_SIM_NEVER, NULL) > 0)
            ;
        for (uint32_t h = 4; way > 0 && h < RING; h++)
            inject(sim, &list[h]);
        while (advance(sim, WEIR_SIM_NEVER, NULL) > 0)
            ;
        digest[way] = close_session(sim);
    }
    assert_int_equal(digest[0], digest[1]);
    assert_int_equal(digest[0], digest[2]);
}

/* Other traffic of the scenario ends later than what the program gives: the floor is after both. */
static void the_floor_is_after_other_traffic(void **state)
{
    uint64_t floor_ps[4], digest[4];
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        const struct weir_sim_opts opts = { .size = sizeof(opts), .threads = threads, .check = 1 };
        struct weir_sim *sim = open_session(
            HEAD_LEAF "protocol: dctcp\ntraffic: [{kind: session}, {kind: permutation, size: 300 KB, start: 90 "
                      "us}]\n" RUN_DONE,
            &opts);
        assert_int_equal(give(sim, 0, 1, 0, NULL), 0);
        assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
        assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 0);
        floor_ps[threads] = weir_sim_floor(sim);
        assert_true(floor_ps[threads] > 110 * US);
        assert_int_equal(give(sim, 0, 1, weir_sim_floor(sim), NULL), 0);
        assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
        digest[threads] = close_session(sim);
        assert_true(floor_ps[threads] == floor_ps[1] && digest[threads] == digest[1]);
    }
}

/* Whether a message that starts before the floor has started yet depends on threads, so nobody can take it back. */
static void before_the_floor_nothing_is_taken_back(void **state)
{
    struct weir_sim *sim = open_pair(0, NULL, NULL);
    uint64_t early, late;
    (void)state;
    assert_int_equal(give(sim, 0, 1, 0, NULL), 0);
    assert_int_equal(give(sim, 2, 1, ONE_PS + DELAY_PS - 1, &early), 0);
    assert_int_equal(give(sim, 2, 1, ONE_PS + DELAY_PS, &late), 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
    assert_int_equal(weir_sim_floor(sim), ONE_PS + DELAY_PS);
    assert_true(weir_sim_cancel(sim, early) == WEIR_SIM_E_PAST || weir_sim_cancel(sim, early) == WEIR_SIM_E_STARTED);
    assert_int_equal(weir_sim_cancel(sim, late), 0);
    (void)close_session(sim);
}

/* In a call-back another session is driven; then the first one's rules hold again. */
static void on_nested(void *ctx, const struct weir_sim_event *event, uint32_t here)
{
    struct weir_sim *sim = *(struct weir_sim **)ctx, *other = open_pair(WEIR_SIM_DELIVERED, on_nothing, NULL);
    assert_int_equal(give(other, 0, 1, 0, NULL), 0);
    assert_int_equal(advance(other, WEIR_SIM_NEVER, NULL), 1);
    (void)close_session(other);
    assert_int_equal(give(sim, (here + 1) % 3, (here + 2) % 3, event->at_ps, NULL), WEIR_SIM_E_CALL);
}

static void a_call_back_may_drive_another_session(void **state)
{
    struct weir_sim *sim = NULL;
    (void)state;
    sim = open_pair(WEIR_SIM_DELIVERED, on_nested, &sim);
    assert_int_equal(give(sim, 0, 1, 0, NULL), 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
    (void)close_session(sim);
}

static void ids_are_not_used_twice(void **state)
{
    struct weir_sim *sim = open_pair(0, NULL, NULL);
    uint64_t first = 0, id;
    (void)state;
    for (uint32_t i = 0; i < 600; i++) {
        assert_int_equal(give(sim, 0, 1, weir_sim_floor(sim), i == 0 ? &first : &id), 0);
        assert_true(i == 0 || id != first);
        assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
        assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 0);
    }
    assert_int_equal(weir_sim_cancel(sim, first), WEIR_SIM_E_STARTED);
    (void)close_session(sim);
}

/* An idle network may wait for long: that is no stall, and takes no time. */
static void idle_for_an_hour(void **state)
{
    struct weir_sim *sim = open_pair(0, NULL, NULL);
    const struct weir_sim_event *event = NULL;
    uint64_t hour_ps = UINT64_C(3600) * 1000000 * US;
    (void)state;
    assert_int_equal(give(sim, 0, 1, 0, NULL), 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, &event), 1);
    assert_int_equal(advance(sim, hour_ps, &event), 0);
    assert_int_equal(give(sim, 0, 1, hour_ps, NULL), 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, &event), 1);
    assert_int_equal(event->at_ps, hour_ps + ONE_PS);
    assert_int_equal(give(sim, 1, 2, 2 * hour_ps, NULL), 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, &event), 1);
    (void)close_session(sim);
}

/* ---- what is refused ---- */

static void check_refusal(struct weir_sim *sim, struct weir_sim_message m, int code, const char *text)
{
    m.size = m.size == 0 ? sizeof(m) : m.size;
    assert_int_equal(weir_sim_inject(sim, &m, NULL), code);
    assert_string_equal(weir_sim_error(sim)->text, text);
    assert_int_equal(weir_sim_error(sim)->code, code);
}

static void messages_that_are_refused(void **state)
{
    struct weir_sim *sim = open_pair(0, NULL, NULL);
    const struct weir_sim_message good = { .size = sizeof(good), .src = 0, .dst = 1, .bytes = 1, .start_ps = 10 * US };
    struct weir_sim_message m = good;
    (void)state;
    assert_int_equal(advance(sim, 10 * US, NULL), 0);
    m.start_ps--;
    check_refusal(sim, m, WEIR_SIM_E_PAST,
                  "9999999 ps is in the past: nothing before 10000000 ps can be changed any more");
    m = good, m.src = 3;
    check_refusal(sim, m, WEIR_SIM_E_ARGUMENT, "host 3: the topology has hosts 0 to 2");
    m = good, m.dst = 3;
    check_refusal(sim, m, WEIR_SIM_E_ARGUMENT, "host 3: the topology has hosts 0 to 2");
    m = good, m.dst = 0;
    check_refusal(sim, m, WEIR_SIM_E_ARGUMENT, "a message from host 0 to itself");
    m = good, m.bytes = 0;
    check_refusal(sim, m, WEIR_SIM_E_ARGUMENT, "0 bytes: a message has 1 to 1099511627776");
    m = good, m.bytes = (UINT64_C(1) << 40) + 1;
    check_refusal(sim, m, WEIR_SIM_E_ARGUMENT, "1099511627777 bytes: a message has 1 to 1099511627776");
    m = good, m.item = 1;
    check_refusal(sim, m, WEIR_SIM_E_ARGUMENT, "item 1: the scenario has 1 of kind session");
    m = good, m.weight = 2;
    check_refusal(sim, m, WEIR_SIM_E_ARGUMENT, "weight 2: the item of kind session says no weights");
    m = good, m.weight = -1;
    check_refusal(sim, m, WEIR_SIM_E_ARGUMENT, "weight -1: must be from 0.001 to 1000000");
    m = good, m.start_ps = UINT64_C(1) << 62;
    check_refusal(sim, m, WEIR_SIM_E_ARGUMENT, "4611686018427387904 ps: times are below 2^62 ps");
    m = good, m.size = 4;
    check_refusal(sim, m, WEIR_SIM_E_ARGUMENT, "message.size is 4");
    assert_int_equal(weir_sim_advance(sim, 10 * US - 1, NULL), WEIR_SIM_E_PAST);
    assert_int_equal(weir_sim_inject(sim, &good, NULL), 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
    (void)close_session(sim);
}

static void on_misuse(void *ctx, const struct weir_sim_event *event, uint32_t here)
{
    struct weir_sim *sim = *(struct weir_sim **)ctx;
    struct weir_sim_counts counts = { .size = sizeof(counts) };
    assert_int_equal(give(sim, here == 0 ? 1 : 0, 2, event->at_ps, NULL), WEIR_SIM_E_CALL);
    assert_int_equal(give(sim, here, 2, event->at_ps - 1, NULL), WEIR_SIM_E_PAST);
    assert_int_equal(weir_sim_at(sim, event->at_ps, 0), WEIR_SIM_E_CALL);
    assert_int_equal(weir_sim_advance(sim, WEIR_SIM_NEVER, NULL), WEIR_SIM_E_CALL);
    assert_int_equal(weir_sim_counts(sim, &counts), WEIR_SIM_E_CALL);
    assert_int_equal(weir_sim_floor(sim), event->at_ps);
}

static void calls_that_call_backs_may_not_make(void **state)
{
    struct weir_sim *sim = NULL;
    (void)state;
    sim = open_pair(WEIR_SIM_DELIVERED, on_misuse, &sim);
    assert_int_equal(give(sim, 0, 1, 0, NULL), 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 0);
    (void)close_session(sim);
}

static void check_no_session(const char *text, const struct weir_sim_opts *opts, uint32_t line, const char *sentence)
{
    bool is_opts = strncmp(sentence, "opts.", 5) == 0;
    struct weir_sim_error error = { 0 };
    assert_null(weir_sim_open(text, strlen(text), opts, &error));
    assert_string_equal(error.text, sentence);
    assert_int_equal(error.line, line);
    assert_int_equal(error.code, is_opts ? WEIR_SIM_E_ARGUMENT : WEIR_SIM_E_SCENARIO);
}

static void scenarios_that_are_refused(void **state)
{
    const struct weir_sim_opts many = { .size = sizeof(many), .threads = 99 },
                               events = { .size = sizeof(many), .events = 8 },
                               far = { .size = sizeof(many), .reaction_ps = UINT64_C(1) << 62 };
    static struct weir_scenario scn;
    static struct weir_setup setup;
    struct weir_err err = { 0 };
    (void)state;
    check_no_session(HEAD_STAR "protocol: dctcp\ntraffic: [{kind: permutation, size: 1 KB}]\n", NULL, 1,
                     "traffic: a session needs an item of kind session, to which its messages belong");
    check_no_session(HEAD_STAR "protocol: dctpc\n" TAIL, NULL, 2, "unknown protocol 'dctpc'");
    check_no_session(PAIR_TEXT, &many, 0, "99 threads: must be 1 to 64");
    check_no_session(PAIR_TEXT, &far, 0, "opts.reaction_ps = 4611686018427387904: times are below 2^62 ps");
    check_no_session(PAIR_TEXT, &events, 0, "opts.events = 8: bits of enum weir_sim_event_kind, up to 7");
    check_no_session(HEAD_STAR "protocol: none\n" TAIL, NULL, 2,
                     "protocol none acknowledges nothing: a session would never know that a message is lost");
    check_no_session("topology: {kind: star, hosts: 3}\nprotocol: dctcp\ntraffic: [{kind: session, load: 10%}]\n", NULL,
                     3, "load has no meaning for kind session");
    assert_int_equal(weir_scenario_parse(&scn, "test.yaml", PAIR_TEXT, strlen(PAIR_TEXT), NULL, 0, &err), 0);
    assert_int_equal(weir_setup_init(&setup, &scn, &err), WEIR_E_CONFLICT);
    assert_string_equal(err.text, "traffic: messages of kind session come from a program, and nobody gives any here");
    weir_scenario_free(&scn);
    assert_int_equal(weir_sim_close(NULL, NULL, NULL), 0);
}

#define OF_SOZE "{kind: pairs, count: 3, size: 20 KB, protocol: {name: soze}}, "

/* A law that ignores weights is refused if its messages have some, whatever else it sends; a range of 1 alone is none.
 */
static void weights_that_a_law_ignores(void **state)
{
    static const char sentence[] =
        "protocol dctcp does not know weights, and flows have them (a column or key weight, a policy, or a change)";
    static const char of_two[] = "protocol dctcp does not know weights, and flows have them (a column or key weight, "
                                 "a policy, or a change); the run has dctcp and soze";
    static const char *const plain[] = {
        HEAD_STAR "protocol: dctcp\ntraffic: [{kind: session, weights: 1..1}]\n",
        HEAD_STAR "protocol: dctcp\ntraffic: [" OF_SOZE "{kind: session, weights: 1}]\n",
    };
    const struct weir_sim_opts opts = { .size = sizeof(opts) };
    (void)state;
    check_no_session(HEAD_STAR "protocol: dctcp\ntraffic: [{kind: session, weights: 1..4}]\n", NULL, 2, sentence);
    check_no_session(HEAD_STAR "protocol: dctcp\ntraffic: [" OF_SOZE "{kind: session, weights: 1..4}]\n", NULL, 2,
                     of_two);
    check_no_session(HEAD_STAR "protocol: dctcp\ntraffic: [" OF_SOZE
                               "{kind: pairs, count: 2, size: 10 KB}, {kind: session, weights: 1..4}]\n",
                     NULL, 2, of_two);
    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
        (void)close_session(open_session(plain[i], &opts));
}

/* Sessions that end early, with messages on their way or not started. */
static void sessions_that_are_closed_early(void **state)
{
    uint64_t digest[4];
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) { /* at the first event, with much on its way */
        const struct weir_sim_opts opts = { .size = sizeof(opts), .threads = threads };
        struct weir_sim *sim = open_session(HEAD_LEAF "protocol: dctcp\n" TAIL, &opts);
        for (uint32_t h = 0; h < RING; h++)
            assert_int_equal(give(sim, h, (h + 3) % RING, h * UINT64_C(300000), NULL), 0);
        assert_true(advance(sim, WEIR_SIM_NEVER, NULL) > 0);
        digest[threads] = close_session(sim);
        assert_int_equal(digest[threads], digest[1]);
    }
    for (uint32_t threads = 1; threads <= 3; threads++) {
        const struct weir_sim_opts opts = { .size = sizeof(opts), .threads = threads };
        struct weir_sim *sim = open_session(PAIR_TEXT, &opts);
        (void)close_session(sim); /* nothing was done */
        sim = open_session(PAIR_TEXT, &opts);
        assert_int_equal(give(sim, 0, 1, 0, NULL), 0);
        (void)close_session(sim); /* not advanced */
        sim = open_session(PAIR_TEXT, &opts);
        assert_int_equal(give(sim, 0, 1, 0, NULL), 0);
        assert_int_equal(give(sim, 1, 2, 900 * US, NULL), 0);
        assert_int_equal(advance(sim, 3 * US, NULL), 0);
        (void)close_session(sim); /* on its way */
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_golden_scenarios),
        cmocka_unit_test(a_ring_is_the_same_on_any_number_of_threads),
        cmocka_unit_test(an_answer_from_outside_comes_a_reaction_later),
        cmocka_unit_test(times_of_a_lone_message),
        cmocka_unit_test(timers_stop_before_what_happens_then),
        cmocka_unit_test(timers_of_hosts),
        cmocka_unit_test(cancelled_messages_do_not_start),
        cmocka_unit_test(counts_go_as_far_as_the_caller_has_room),
        cmocka_unit_test(an_end_loses_no_event),
        cmocka_unit_test(what_is_given_after_all_is_done_is_exact),
        cmocka_unit_test(a_pause_crosses_no_boundary),
        cmocka_unit_test(the_floor_is_after_other_traffic),
        cmocka_unit_test(before_the_floor_nothing_is_taken_back),
        cmocka_unit_test(a_call_back_may_drive_another_session),
        cmocka_unit_test(ids_are_not_used_twice),
        cmocka_unit_test(idle_for_an_hour),
        cmocka_unit_test(messages_that_are_refused),
        cmocka_unit_test(calls_that_call_backs_may_not_make),
        cmocka_unit_test(scenarios_that_are_refused),
        cmocka_unit_test(weights_that_a_law_ignores),
        cmocka_unit_test(sessions_that_are_closed_early),
    };
    run_all = argc > 1 && strcmp(argv[1], "--all") == 0;
    return cmocka_run_group_tests_name("session/session", tests, NULL, NULL);
}
