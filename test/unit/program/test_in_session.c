/* test/unit/program/test_in_session.c - collective operations in a session: they go on beside the messages of a program, its timers and its
 * answers, and the digest is that of a run with the same messages in a list. */
#include "test/unit/program/program_fixture.h"
#include "test/unit/setup/file_fixture.h"
#include "weir/sim.h"

enum { MESSAGES = 40, HOSTS = 6 };
#define US UINT64_C(1000000)
#define SCENARIO(item)                                                                                                 \
    STAR(6)                                                                                                            \
    "protocol: %s\ntraffic:\n  - {" item "}\n"                                                                         \
    "  - {kind: collective, bytes: 60 KB, steps: 3, compute: 10 us}\n" RUN_ALL

struct heard { /* what a session reports of its own messages and timers, counted */
    uint32_t delivered, timers;
};

static void on_event(void *ctx, const struct weir_sim_event *event, uint32_t here)
{
    struct heard *heard = ctx;
    (void)here;
    if (event->kind == WEIR_SIM_COMPLETED)
        return;
    (void)__atomic_add_fetch(event->kind == WEIR_SIM_TIMER ? &heard->timers : &heard->delivered, 1, __ATOMIC_RELAXED);
}

static struct weir_sim_message message(uint32_t i)
{
    return (struct weir_sim_message){ .size = sizeof(struct weir_sim_message),
                                      .src = i % HOSTS,
                                      .dst = (i + 1 + i / HOSTS % (HOSTS - 1)) % HOSTS,
                                      .bytes = 5000 + 100 * i,
                                      .start_ps = i * 2 * US };
}

/* Gives all messages, with a timer of each host. @return the digest */
static uint64_t run_session(const char *law, uint32_t threads)
{
    struct weir_sim_counts counts = { .size = sizeof(counts) };
    struct weir_sim_error error;
    struct heard heard = { 0 };
    struct weir_sim_opts opts = {
        .size = sizeof(opts), .threads = threads, .check = 1, .on_event = on_event, .ctx = &heard
    };
    const struct weir_sim_event *event;
    uint32_t stops = 0;
    char text[512];
    struct weir_sim *sim;
    (void)snprintf(text, sizeof(text), SCENARIO("kind: session, sizes: 6 KB"), law);
    sim = weir_sim_open(text, strlen(text), &opts, &error);
    if (sim == NULL)
        fail_msg("%s", error.text);
    for (uint32_t i = 0; i < MESSAGES; i++) {
        struct weir_sim_message m = message(i);
        assert_int_equal(weir_sim_inject(sim, &m, NULL), 0);
    }
    for (uint32_t h = 0; h < HOSTS; h++)
        assert_int_equal(weir_sim_host_at(sim, h, 30 * US + h, h), 0);
    while (weir_sim_advance(sim, WEIR_SIM_NEVER, &event) > 0)
        stops++;
    assert_int_equal(weir_sim_close(sim, &counts, &error), 0);
    assert_int_equal(heard.delivered, MESSAGES); /* and nothing of the collective */
    assert_int_equal(heard.timers, HOSTS);
    assert_int_equal(counts.messages_completed, MESSAGES + 3 * 10 * HOSTS);
    assert_true(stops > 1);
    return counts.digest;
}

static void a_session_beside_operations_has_the_digest_of_a_list(void **state)
{
    static const char *const law[] = { "dctcp", "sird", "ndp" };
    (void)state;
    for (size_t l = 0; l < 3; l++) {
        char text[512], rows[64 * MESSAGES];
        size_t length = 0;
        struct weir_result want;
        for (uint32_t i = 0; i < MESSAGES; i++) {
            struct weir_sim_message m = message(i);
            length += (size_t)snprintf(rows + length, sizeof(rows) - length, "%u,%u,%u B,%u us\n", m.src, m.dst,
                                       (unsigned)m.bytes, (unsigned)(m.start_ps / US));
        }
        file_set(rows);
        (void)snprintf(text, sizeof(text), SCENARIO("kind: flows, file: '%d'"), law[l], fileno(file));
        want = run_text(text, 1);
        for (uint32_t threads = 1; threads <= 3; threads++)
            assert_int_equal(run_session(law[l], threads), want.digest);
        weir_result_free(&want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_session_beside_operations_has_the_digest_of_a_list, begin_file, end_file),
    };
    return cmocka_run_group_tests_name("program/in_session", tests, NULL, NULL);
}
