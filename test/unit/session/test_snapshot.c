/* test/unit/session/test_snapshot.c - snapshots of a session: queues, rates and bytes by hand, the same on any number of
 * threads, and refused where nodes may have gone on. */
#include "core/math.h"
#include "core/rng.h"
#include "test/unit/session/save_test.h"

static struct weir_sim_snapshot take(struct weir_sim *sim)
{
    struct weir_sim_snapshot s = { .size = sizeof(s) };
    if (weir_sim_snapshot(sim, &s) != 0)
        fail_msg("%s", weir_sim_error(sim)->text);
    assert_int_equal(s.at_ps, weir_sim_now(sim));
    return s;
}

static const struct weir_sim_link *link_of(const struct weir_sim_snapshot *s, uint32_t src, uint32_t dst)
{
    for (uint32_t i = 0; i < s->link_count; i++)
        if (s->link[i].src == src && s->link[i].dst == dst)
            return &s->link[i];
    fail_msg("no link from %u to %u", src, dst);
    return NULL;
}

static void inject(struct weir_sim *sim, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t start_ps)
{
    const struct weir_sim_message m = {
        .size = sizeof(m), .src = src, .dst = dst, .bytes = bytes, .start_ps = start_ps
    };
    if (weir_sim_inject(sim, &m, NULL) != 0)
        fail_msg("%s", weir_sim_error(sim)->text);
}

/* ---- by hand ---- */

enum { WIRE = 1538, SWITCH = 3 };
#define FRAME_PS UINT64_C(1230400) /* 1538 B at 10 Gb/s, 800 ps per byte */

/* Hosts 0 and 2 send three packets each to host 1. They reach the switch, 2 us away, when one, two and three frames have
 * been sent: two frames at each of these instants, and the port sends one in between. */
static void queues_and_rates_by_hand(void **state)
{
    struct weir_sim *sim = open_session(PAIR_TEXT, NULL);
    struct weir_sim_snapshot s = take(sim);
    const struct weir_sim_link *link;
    (void)state;
    assert_true(s.link_count == 6 && s.host_count == 3 && s.since_ps == 0);
    inject(sim, 0, 1, 4380, 0);
    inject(sim, 2, 1, 4380, 0);
    inject(sim, 2, 0, 77, 500 * US);
    s = take(sim); /* nothing has happened */
    assert_true(s.host[2].waiting_messages == 2 && s.host[2].waiting_bytes == 4380 + 77 &&
                s.host[2].open_messages == 0);

    assert_int_equal(advance(sim, 2 * US, NULL), 0); /* of the second frame 2 us - FRAME_PS have been sent */
    s = take(sim);
    link = link_of(&s, 0, SWITCH);
    assert_int_equal(link->bytes, 2 * WIRE);
    assert_int_equal(link->queue_bytes, 2 * WIRE - 2 * US / 800);
    assert_int_equal(link->sent_bps, UINT64_C(10000000000));
    assert_int_equal(link->rate_bps, UINT64_C(10000000000));
    assert_true(s.host[0].open_messages == 1 && s.host[0].unsent_pkts == 1 && s.host[0].waiting_messages == 0);
    assert_true(s.host[2].waiting_messages == 1 && s.host[2].waiting_bytes == 77);

    assert_int_equal(advance(sim, 2 * US + 2 * FRAME_PS, NULL), 0); /* one has left, the next two are not there yet */
    s = take(sim);
    link = link_of(&s, SWITCH, 1);
    assert_true(link->bytes == 2 * WIRE && link->queue_bytes == WIRE);
    assert_int_equal(s.since_ps, 2 * US);
    /* 1538 B in the 2 * FRAME_PS since the last snapshot, in the second of which the port was busy: half its rate */
    assert_int_equal(link->sent_bps, UINT64_C(5000000000));

    assert_int_equal(advance(sim, 5 * US, NULL), 0); /* 539.2 ns later: 674 B more have left */
    s = take(sim);
    link = link_of(&s, SWITCH, 1);
    assert_true(link->bytes == 4 * WIRE && link->queue_bytes == 3 * WIRE - 674);
    assert_int_equal(link->sent_bps, UINT64_C(10000000000));
    link = link_of(&s, 0, SWITCH);
    assert_true(link->bytes == 3 * WIRE && link->queue_bytes == 0);
    assert_int_equal(s.host[0].unsent_pkts, 0);
    assert_int_equal(s.host[1].arrived_bytes, 0);

    while (advance(sim, 400 * US, NULL) > 0)
        ;
    s = take(sim);
    assert_true(s.host[1].arrived_bytes == 8760 && s.host[0].acked_bytes == 4380 && s.host[0].open_messages == 0);
    assert_true(link_of(&s, SWITCH, 1)->queue_bytes == 0 && link_of(&s, SWITCH, 1)->bytes == 6 * WIRE);
    (void)close_session(sim);
}

static void names_of_nodes(void **state)
{
    struct weir_sim *sim = open_session(PAIR_TEXT, NULL);
    char name[8];
    (void)state;
    assert_int_equal(weir_sim_node_name(sim, 2, name, sizeof(name)), 0);
    assert_string_equal(name, "host 2");
    assert_int_equal(weir_sim_node_name(sim, SWITCH, name, sizeof(name)), 0);
    assert_string_equal(name, "switch "); /* cut off */
    assert_int_equal(weir_sim_node_name(sim, 4, name, sizeof(name)), WEIR_SIM_E_ARGUMENT);
    assert_string_equal(weir_sim_error(sim)->text, "node 4: the topology has nodes 0 to 3");
    (void)close_session(sim);
}

/* ---- exact ---- */

#define LEAF_HEAD                                                                                                      \
    "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 100 Gbps, core_link: 100 Gbps, "           \
    "host_delay: 1 us, core_delay: 1 us}\n"
#define TAIL "traffic: [{kind: session, sizes: 30 KB}]\nrun: {warmup: 0 us, measure: all}\n"

/* Hashes all numbers of a snapshot. */
static uint64_t hash_of(uint64_t hash, const struct weir_sim_snapshot *s)
{
    const uint64_t *word = (const uint64_t *)s->link, *end = (const uint64_t *)(s->link + s->link_count);
    for (; word < end; word++)
        hash = weir_mix_u64(hash ^ *word) + 1;
    end = (const uint64_t *)(s->host + s->host_count);
    for (word = (const uint64_t *)s->host; word < end; word++)
        hash = weir_mix_u64(hash ^ *word) + 1;
    return hash;
}

/* Drives an incast and other messages, with snapshots at timers that were set before. @return a hash of all */
static uint64_t drive(const char *text, uint32_t threads, uint64_t *longest_bytes)
{
    const struct weir_sim_opts opts = { .size = sizeof(opts), .threads = threads, .check = 1 };
    struct weir_sim *sim = open_session(text, &opts);
    const struct weir_sim_event *event = NULL;
    uint64_t hash = 0;
    for (uint32_t i = 0; i < 30; i++)
        inject(sim, i % 8, i % 3 == 0 || i % 8 == 5 ? (i + 3) % 8 : 5, 60000, i * UINT64_C(700000));
    for (uint32_t i = 1; i < 40; i++)
        assert_int_equal(weir_sim_at(sim, i * UINT64_C(1730001), i), 0);
    while (advance(sim, WEIR_SIM_NEVER, &event) > 0) {
        struct weir_sim_snapshot s = { .size = sizeof(s) };
        hash = weir_mix_u64(hash ^ event->at_ps);
        if (event->kind != WEIR_SIM_TIMER)
            continue;
        s = take(sim);
        hash = hash_of(hash, &s);
        for (uint32_t l = 0; l < s.link_count; l++)
            *longest_bytes = weir_max_u64(*longest_bytes, s.link[l].queue_bytes);
    }
    return hash ^ close_session(sim);
}

static bool run_all;

static void snapshots_do_not_depend_on_threads(void **state)
{
    static const char *const law[] = {
        "dctcp", "rocc",   "{name: dctcp}\nfabric: {pfc: {kind: static, xoff: 30 KB}}",         "hpcc", "sird",
        "homa",  "timely", "{name: newreno}\nfabric: {codel: {target: 5 us, interval: 50 us}}", "rcp"
    };
    (void)state;
    for (size_t l = 0; l < (run_all ? sizeof(law) / sizeof(law[0]) : 4); l++) {
        char text[1024];
        uint64_t hash, longest_bytes = 0;
        (void)snprintf(text, sizeof(text), LEAF_HEAD "protocol: %s\n" TAIL, law[l]);
        hash = drive(text, 1, &longest_bytes);
        assert_true(longest_bytes > 5000);
        for (uint32_t threads = 2; threads <= 3; threads++)
            if (drive(text, threads, &longest_bytes) != hash)
                fail_msg("%s: %u threads give other snapshots", law[l], threads);
    }
}

/* ---- refused ---- */

enum { WINDOW_PS = (1 << 24) - 1 }; /* the longest window: 16.8 us */

static void nodes_that_may_have_gone_on(void **state)
{
    struct weir_sim *sim = open_session(PAIR_TEXT, NULL);
    struct weir_sim_snapshot s = { .size = sizeof(s) };
    uint64_t event_ps;
    (void)state;
    inject(sim, 0, 1, 1460, 0);
    inject(sim, 2, 1, 1460, 100 * US);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
    event_ps = weir_sim_now(sim);
    assert_int_equal(weir_sim_snapshot(sim, &s), WEIR_SIM_E_CALL);
    assert_string_equal(weir_sim_error(sim)->text, "nodes may have gone on beyond 6460800 ps, up to 23238015 ps");
    assert_int_equal(advance(sim, event_ps + WINDOW_PS - 1, NULL), 0);
    assert_int_equal(weir_sim_snapshot(sim, &s), WEIR_SIM_E_CALL);
    assert_int_equal(advance(sim, event_ps + WINDOW_PS, NULL), 0);
    (void)take(sim);
    assert_int_equal(weir_sim_at(sim, 107 * US, 1), 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1); /* the second message, 539 ns before the timer */
    assert_int_equal(weir_sim_snapshot(sim, &s), WEIR_SIM_E_CALL);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1); /* the timer, which was known */
    (void)take(sim);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 0);
    assert_int_equal(weir_sim_snapshot(sim, &s), WEIR_SIM_E_CALL);
    s.size = 12;
    assert_int_equal(weir_sim_snapshot(sim, &s), WEIR_SIM_E_ARGUMENT);
    assert_string_equal(weir_sim_error(sim)->text, "snapshot.size is 12");
    (void)close_session(sim);
}

static void on_event(void *ctx, const struct weir_sim_event *event, uint32_t here)
{
    struct weir_sim_snapshot s = { .size = sizeof(s) };
    (void)event, (void)here;
    assert_int_equal(weir_sim_snapshot(*(struct weir_sim **)ctx, &s), WEIR_SIM_E_CALL);
}

static void not_in_a_call_back(void **state)
{
    struct weir_sim *sim = NULL;
    const struct weir_sim_opts opts = { .size = sizeof(opts), .on_event = on_event, .ctx = &sim };
    (void)state;
    sim = open_session(PAIR_TEXT, &opts);
    inject(sim, 0, 1, 1460, 0);
    assert_int_equal(advance(sim, WEIR_SIM_NEVER, NULL), 1);
    (void)close_session(sim);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_and_rates_by_hand),
        cmocka_unit_test(names_of_nodes),
        cmocka_unit_test(snapshots_do_not_depend_on_threads),
        cmocka_unit_test(nodes_that_may_have_gone_on),
        cmocka_unit_test(not_in_a_call_back),
    };
    run_all = argc > 1 && strcmp(argv[1], "--all") == 0;
    return cmocka_run_group_tests_name("session/snapshot", tests, NULL, NULL);
}
