/* test/unit/session/test_groups.c - groups of senders that a session announces, for protocols that read them (dart). */
#include "test/unit/session/run_test.h"
#include "session/session.h"

#define NETWORK                                                                                                        \
    "topology: {kind: star, hosts: 9, host_link: 100 Gbps, host_delay: 1 us}\n"                                        \
    "run: {warmup: 0 us, measure: all}\n"
#define INCAST                                                                                                         \
    "traffic: [{kind: incast, from: 0..6, to: 7, fan_in: 7, size: 40 KB, jitter: 3 us, period: 100 us, stop: 1 ms}]\n"
#define SESSION "traffic: [{kind: session, groups: [4, 0..6, 0..6/2]}]\n"

/* Gives the messages of an incast to a session. @return its digest */
static uint64_t give(const struct run *r, const char *text, uint32_t threads, uint32_t group)
{
    struct weir_sim *sim = open_checked(text, threads);
    const struct weir_workload *wl = &r->setup.workload;
    for (uint32_t src = 0; src < wl->hosts; src++)
        for (uint64_t i = wl->listed_first[src]; i < wl->listed_first[src + 1]; i++) {
            const struct weir_sim_message m = { .size = sizeof(m),
                                                .src = src,
                                                .dst = wl->listed[i].dst,
                                                .bytes = wl->listed[i].bytes,
                                                .start_ps = wl->listed[i].start_ps,
                                                .group = group };
            done(sim, weir_sim_inject(sim, &m, NULL));
        }
    while (advance(sim, WEIR_SIM_NEVER, NULL) > 0)
        ;
    return close_session(sim);
}

/* Events of an incast are 100 us apart: all of one group have begun when the next begins. */
static void announced_groups_have_the_digest_of_an_incast(void **state)
{
    struct run *r = run_text("protocol: dart\n" NETWORK INCAST);
    (void)state;
    assert_int_equal(r->setup.workload.finite_messages, 63);
    for (uint32_t threads = 1; threads <= 3; threads++)
        assert_int_equal(give(r, "protocol: dart\n" NETWORK SESSION, threads, 2), r->digest);
    assert_true(give(r, "protocol: dart\n" NETWORK SESSION, 1, 0) != r->digest); /* they matter */
    free_run(r);
}

static void a_law_that_reads_no_groups_has_them_for_nothing(void **state)
{
    struct run *r = run_text("protocol: dctcp\n" NETWORK INCAST);
    (void)state;
    assert_int_equal(give(r, "protocol: dctcp\n" NETWORK SESSION, 1, 2), r->digest);
    free_run(r);
}

static const struct refused_message {
    uint32_t src, dst, item, group;
    const char *text;
} refused_messages[] = {
    { 0, 7, 0, 4, "group 4: the item of kind session has 3" },
    { 0, 7, 1, 1, "group 1: the item of kind session has 0" },
    { 7, 8, 0, 2, "group 2: host 7 is none of its senders" },
    { 1, 8, 0, 3, "group 3: host 1 is none of its senders" },
    { 0, 6, 0, 3, "group 3: host 6 is one of its senders, and receives" },
    { 8, 7, 2, 1, "group 1: host 8 is none of its senders" }, /* the first of its item, not of all */
};

static void groups_that_are_refused(void **state)
{
    static const char text[] = "protocol: dart\n" NETWORK
                               "traffic: [{kind: session, groups: [4, 0..6, 0..6/2]}, {kind: session}, {kind: session, "
                               "groups: 3}]\n";
    struct weir_sim *sim = open_checked(text, 1);
    struct weir_sim_message m = { .size = sizeof(m), .bytes = 1000 };
    (void)state;
    for (size_t i = 0; i < sizeof(refused_messages) / sizeof(*refused_messages); i++) {
        const struct refused_message *r = &refused_messages[i];
        m.src = r->src, m.dst = r->dst, m.item = r->item, m.group = r->group;
        assert_int_equal(weir_sim_inject(sim, &m, NULL), WEIR_SIM_E_ARGUMENT);
        assert_string_equal(weir_sim_error(sim)->text, r->text);
    }
    m.src = 3, m.dst = 4, m.item = 2, m.group = 1;
    done(sim, weir_sim_inject(sim, &m, NULL));
    m.size = offsetof(struct weir_sim_message, group); /* of a program that was compiled before there were groups */
    m.src = 7;
    done(sim, weir_sim_inject(sim, &m, NULL));
    (void)close_session(sim);
}

static const struct refused_text {
    const char *protocol, *groups, *text;
    uint32_t line;
} refused_texts[] = {
    { "dart", "[0..6, 0..9]", "groups = 0..9: the topology has 9 hosts (0 to 8)", 4 },
    { "dart", "[0..6, x]", "groups = x: no range of hosts", 4 },
    { "dart", "[0..6/0]", "groups = 0..6/0: no step from host to host", 4 },
    { "dart", "\"0..6,,1\"", "groups: a group has no senders", 4 },
    { "dart", "\"0..6,\"", "groups: a group has no senders", 4 },
    { "dart", "[[0, 1], 2]", "groups: a list of single values belongs here", 4 },
    { "dart\nframing: {payload: 17 B, header: 58 B, ack_wire: 84 B}", "[0..7]",
      "protocol dart: a look-ahead list of 8 senders takes 18 B, and a first packet has 17 B", 1 },
};

static void announcements_that_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused_texts) / sizeof(*refused_texts); i++) {
        const struct refused_text *r = &refused_texts[i];
        struct weir_sim_error error = { 0 };
        char text[1024];
        (void)snprintf(text, sizeof(text), "protocol: %s\n" NETWORK "traffic: [{kind: session, groups: %s}]\n",
                       r->protocol, r->groups);
        assert_null(weir_sim_open(text, strlen(text), NULL, &error));
        assert_string_equal(error.text, r->text);
        assert_int_equal(error.line, r->line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(announced_groups_have_the_digest_of_an_incast),
        cmocka_unit_test(a_law_that_reads_no_groups_has_them_for_nothing),
        cmocka_unit_test(groups_that_are_refused),
        cmocka_unit_test(announcements_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
