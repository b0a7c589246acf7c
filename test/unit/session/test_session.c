/* test/unit/session/test_session.c - sessions (include/weir/sim.h): the same messages give the digest of `weir run`
 * however they are given, and what a program is told does not depend on the number of threads. */
#include "test/unit/weir_test.h"
#include "engine/sim.h"
#include "setup/setup.h"
#include "weir/sim.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 16, US = 1000000 };

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

static struct weir_sim *open_session(const char *text, const struct weir_sim_opts *opts)
{
    struct weir_sim_error error = { 0 };
    struct weir_sim *sim = weir_sim_open(text, strlen(text), opts, &error);
    if (sim == NULL)
        fail_msg("%s:%u:%u: %s (%s)", error.file, error.line, error.column, error.text, error.hint);
    return sim;
}

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

/* Closes a session. @return its digest */
static uint64_t close_session(struct weir_sim *sim)
{
    struct weir_sim_counts counts = { .size = sizeof(counts) };
    struct weir_sim_error error = { 0 };
    if (weir_sim_close(sim, &counts, &error) != 0)
        fail_msg("%s", error.text);
    return counts.digest;
}

static long advance(struct weir_sim *sim, uint64_t until_ps, const struct weir_sim_event **events)
{
    long count = weir_sim_advance(sim, until_ps, events);
    if (count < 0)
        fail_msg("%s", weir_sim_error(sim)->text);
    return count;
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
        uint64_t until_ps = weir_sim_now(sim) + weir_rng_below(weir_rng_at(key, step), 40 * US);
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

static void check_digests(const char *path, const char *item)
{
    struct world *w = read_world(path, item);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        uint64_t once = all_at_once(w, threads), pieces = in_pieces(w, threads, threads);
        if (once != w->digest || pieces != w->digest)
            print_message("%s, %u threads: digest %016" PRIx64 ", at once %016" PRIx64 ", in pieces %016" PRIx64 "\n", path, threads,
                     w->digest, once, pieces);
    }
    assert_true(w->messages > 10);
    free_world(w);
}

static void messages_of_golden_scenarios(void **state)
{
    static const char *const name[] = { "codel", "dcpim", "dcqcn-pfc", "deflect", "expresspass",
                                        "fat-tree", "fncc",  "hpcc",   "lanes", "leaf-spine", "ndp",    "newreno",
                                        "priorities", "priq", "rcp",   "rocc",  "rpm",       "sird-loss", "sird-ns2",
                                        "swift",    "timely" };
    (void)state;
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
        char path[128];
        (void)snprintf(path, sizeof(path), "test/golden/%s.yaml", name[i]);
        check_digests(path, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_golden_scenarios),
    };
    return cmocka_run_group_tests_name("session/session", tests, NULL, NULL);
}
