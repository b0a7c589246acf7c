/* test/unit/features/test_rpm.c - RPM event by event: what becomes of each, and which ACK reports it. */
#include "core/feature.h"
#include "core/hook_coupled.h"
#include "test/unit/refusal.h"
#include "features/rpm/rpm_core.h"
#include <stdlib.h>
#include <string.h>

enum { SRC = 7, DST = 3, CONN = 5, PORTS = 2, CELLS = 64 };
#define MS WEIR_PS_PER_MS
#define T0 (77 * MS)

static struct weir_rpm_model model;
static struct weir_rpm_port ports[PORTS];
_Static_assert(sizeof(struct weir_rpm_port) % 16 == 0, "as the simulator lays them out");
static struct weir_rpm_node *node;
static uint8_t ack_flags;

static int setup(void **state)
{
    (void)state;
    model = (struct weir_rpm_model){ .expiry_ps = WEIR_PS_PER_S, .entries = CELLS, .count_max = UINT8_MAX };
    memset(ports, 0, sizeof(ports));
    node = calloc(1, sizeof(*node) + CELLS * sizeof(node->cell[0]));
    ack_flags = 0;
    return node == NULL;
}

static int teardown(void **state)
{
    (void)state;
    free(node);
    return 0;
}

static struct weir_here here_of(uint32_t p)
{
    return (struct weir_here){ .model = &model, .node = node, .port = &ports[p], .ports = ports };
}

/* Would DATA of a connection be marked at port p? @return true = it is, and the cell has nothing to do with it */
static bool event_of(uint32_t p, uint32_t conn, uint64_t now_ps)
{
    const struct weir_pkt pkt = { .flags = WEIR_PKT_ECT, .src = SRC, .dst = DST, .kind = WEIR_PKT_DATA, .conn = conn };
    const struct weir_here here = here_of(p);
    return (weir_rpm_feature.on_mark(&here, &(struct weir_mark){ .pkt = &pkt, .now_ps = now_ps }) & WEIR_TAKE) == 0;
}

/* Its ACK comes by the cable of port p. @return true = it gets ECE */
static bool ack_of(uint32_t p, uint32_t conn, uint64_t now_ps)
{
    const struct weir_pkt pkt = { .flags = ack_flags, .src = DST, .dst = SRC, .kind = WEIR_PKT_ACK, .conn = conn };
    const struct weir_here here = here_of(p);
    return weir_rpm_feature.on_arrive(&here, &pkt, now_ps) == WEIR_ECHO;
}

static bool event(uint64_t now_ps)
{
    return event_of(0, CONN, now_ps);
}

static bool ack(uint64_t now_ps)
{
    return ack_of(1, CONN, now_ps);
}

static struct weir_rpm_port sum(void)
{
    struct weir_rpm_port s = { .events = 0 };
    for (uint32_t p = 0; p < PORTS; p++) {
        s.events += ports[p].events;
        s.marked += ports[p].marked;
        s.saturated += ports[p].saturated;
        s.expired += ports[p].expired;
        s.forward += ports[p].forward;
        s.left += ports[p].left;
    }
    return s;
}

/* Ends the run, and compares what has become of the events. */
static void ends(uint64_t end_ps, struct weir_rpm_port wanted)
{
    const struct weir_here here = here_of(0);
    struct weir_rpm_port s;
    assert_null(weir_rpm_feature.broken(&here, PORTS));
    for (uint32_t p = 0; p < PORTS; p++) {
        const struct weir_here each = here_of(p);
        weir_rpm_feature.on_end(&each, end_ps);
    }
    assert_null(weir_rpm_feature.broken(&here, PORTS));
    s = sum();
    assert_int_equal(s.marked, wanted.marked);
    assert_int_equal(s.left, wanted.left);
    assert_int_equal(s.saturated, wanted.saturated);
    assert_int_equal(s.expired, wanted.expired);
    assert_int_equal(s.forward, wanted.forward);
    assert_int_equal(s.events, wanted.marked + wanted.left + wanted.saturated + wanted.expired + wanted.forward);
}

static void an_event_before_any_ack_marks_its_packet(void **state)
{
    (void)state;
    assert_true(event(T0));
    assert_false(ack(T0 + 1)); /* and leaves no count */
    assert_false(event(T0 + 2));
    assert_true(ack(T0 + 3));
    ends(T0 + 4, (struct weir_rpm_port){ .forward = 1, .marked = 1 });
}

static void each_event_marks_one_ack(void **state)
{
    (void)state;
    assert_false(ack(T0));
    for (uint32_t i = 1; i <= 3; i++)
        assert_false(event(T0 + i));
    for (uint32_t i = 0; i < 3; i++)
        assert_true(ack(T0 + 10 + i));
    assert_false(ack(T0 + 20));
    ends(T0 + 30, (struct weir_rpm_port){ .marked = 3 });
}

/* R5: an ACK that arrives at t sees only events before t, whatever order they come in. */
static void an_ack_does_not_see_events_of_its_own_instant(void **state)
{
    (void)state;
    assert_false(ack(T0));
    assert_false(event(T0 + 100));
    assert_false(ack(T0 + 100));
    assert_true(ack(T0 + 101));
    assert_false(ack(T0 + 102));
    /* one of before, two of now: two ACKs at this instant share the one */
    assert_false(event(T0 + 200));
    assert_false(event(T0 + 300));
    assert_false(event(T0 + 300));
    assert_true(ack(T0 + 300));
    assert_false(ack(T0 + 300));
    assert_false(event(T0 + 300));
    assert_true(ack(T0 + 301));
    assert_true(ack(T0 + 301));
    assert_true(ack(T0 + 302));
    assert_false(ack(T0 + 303));
    ends(T0 + 400, (struct weir_rpm_port){ .marked = 5 });
}

/* The instant of the last event is kept modulo 2^48 ps. */
static void an_ack_282_seconds_later_is_not_of_the_same_instant(void **state)
{
    uint64_t turn_ps = UINT64_C(1) << 48;
    (void)state;
    model.expiry_ps = 100 * WEIR_PS_PER_S;
    assert_false(ack(T0));
    for (uint32_t i = 0; i < 5; i++)
        assert_false(event(T0 + 1));
    assert_true(ack(T0 + 90 * WEIR_PS_PER_S));
    assert_true(ack(T0 + 180 * WEIR_PS_PER_S));
    assert_true(ack(T0 + 270 * WEIR_PS_PER_S));
    assert_true(ack(T0 + 1 + turn_ps));
    ends(T0 + 2 + turn_ps, (struct weir_rpm_port){ .marked = 4, .left = 1 });
}

static void a_count_of_eight_bits_holds_255_and_a_bit_holds_one(void **state)
{
    static const struct {
        enum weir_rpm_counter counter;
        uint32_t most;
    } row[] = { { WEIR_RPM_8_BIT, 255 }, { WEIR_RPM_BIT, 1 } };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        memset(ports, 0, sizeof(ports));
        memset(node, 0, sizeof(*node) + CELLS * sizeof(node->cell[0]));
        model.count_max = row[i].most;
        assert_false(ack(T0));
        for (uint32_t k = 0; k < row[i].most; k++)
            assert_false(event(T0 + 1));
        assert_int_equal(sum().saturated, 0);
        for (uint32_t k = 0; k < 10; k++)
            assert_false(event(T0 + 1)); /* lost, and not marked forward */
        for (uint32_t k = 0; k < row[i].most; k++)
            assert_true(ack(T0 + 2));
        assert_false(ack(T0 + 2));
        ends(T0 + 3, (struct weir_rpm_port){ .marked = row[i].most, .saturated = 10 });
    }
}

static void a_cell_expires_without_acks(void **state)
{
    (void)state;
    assert_false(ack(T0));
    assert_false(event(T0 + 1));
    assert_true(ack(T0 + WEIR_PS_PER_S - 1)); /* just in time, and it counts from here */
    assert_false(event(T0 + 2 * WEIR_PS_PER_S - 2));
    assert_false(ack(T0 + 2 * WEIR_PS_PER_S - 1)); /* too late; but it begins a new life of the cell */
    assert_int_equal(sum().expired, 1);
    assert_false(event(T0 + 2 * WEIR_PS_PER_S));
    assert_true(event(T0 + 3 * WEIR_PS_PER_S - 1)); /* ack_seen went with the cell, and the count */
    ends(T0 + 4 * WEIR_PS_PER_S, (struct weir_rpm_port){ .marked = 1, .expired = 2, .forward = 1 });
}

/* Events do not keep a cell: when a flow's ACKs come another way from now on, its packets are marked. */
static void events_alone_do_not_keep_a_cell(void **state)
{
    (void)state;
    assert_false(ack(T0));
    for (uint32_t i = 1; i < 10; i++)
        assert_false(event(T0 + i * WEIR_PS_PER_S / 10));
    assert_true(event(T0 + WEIR_PS_PER_S));
    assert_true(event(T0 + WEIR_PS_PER_S + 1));
    ends(T0 + WEIR_PS_PER_S + 2, (struct weir_rpm_port){ .expired = 9, .forward = 2 });
}

static void counts_that_the_end_finds_are_left_or_expired(void **state)
{
    (void)state;
    assert_false(ack(T0));
    assert_false(event(T0 + 1));
    assert_false(event(T0 + 2));
    ends(T0 + WEIR_PS_PER_S - 1, (struct weir_rpm_port){ .left = 2 });
    memset(ports, 0, sizeof(ports));
    node->ended = false;
    assert_false(ack(T0));
    assert_false(event(T0 + 1));
    ends(T0 + WEIR_PS_PER_S, (struct weir_rpm_port){ .expired = 1 });
}

/* A run to the last delivery ends before the last ACKs. */
static void an_end_before_the_last_ack_expires_nothing(void **state)
{
    (void)state;
    assert_false(ack(T0));
    assert_false(event(T0 + 1));
    ends(T0 - 5 * WEIR_PS_PER_S / 100, (struct weir_rpm_port){ .left = 1 });
}

static void an_ack_with_ece_spends_a_count_all_the_same(void **state)
{
    (void)state;
    ack_flags = WEIR_PKT_ECE;
    assert_false(ack(T0)); /* and is seen */
    assert_false(event(T0 + 1));
    assert_true(ack(T0 + 2));
    ack_flags = 0;
    assert_false(ack(T0 + 3));
    ends(T0 + 4, (struct weir_rpm_port){ .marked = 1 });
}

static void flows_have_cells_of_their_own_and_those_of_one_cell_share_it(void **state)
{
    uint32_t other = CONN + 1, same = CONN + 1;
    (void)state;
    while (weir_rpm_index(SRC, DST, other, CELLS) == weir_rpm_index(SRC, DST, CONN, CELLS))
        other++;
    while (weir_rpm_index(SRC, DST, same, CELLS) != weir_rpm_index(SRC, DST, CONN, CELLS))
        same++;
    assert_int_not_equal(weir_rpm_index(SRC, DST, CONN, 1u << 24), weir_rpm_index(DST, SRC, CONN, 1u << 24));
    assert_false(ack(T0));
    assert_false(event(T0 + 1));
    assert_false(ack_of(1, other, T0 + 2));
    assert_true(ack_of(0, same, T0 + 3)); /* whatever port it comes by */
    assert_false(ack(T0 + 4));
    ends(T0 + 5, (struct weir_rpm_port){ .marked = 1 });
}

/* The count of port p is spent by ACKs that come in by its cable, of any flow. */
static void a_port_has_a_cell_of_its_own(void **state)
{
    (void)state;
    model.entries = 0;
    assert_false(ack_of(1, CONN, T0));
    assert_true(event_of(0, CONN, T0 + 1)); /* no ACK came over this cable */
    assert_false(ack_of(0, CONN + 1, T0 + 2));
    assert_false(event_of(0, CONN, T0 + 3));
    assert_false(ack_of(1, CONN, T0 + 4));
    assert_true(ack_of(0, CONN + 2, T0 + 5));
    assert_false(event_of(0, CONN, T0 + 6));
    ends(T0 + 7, (struct weir_rpm_port){ .forward = 1, .marked = 1, .left = 1 });
}

static void every_event_is_accounted_for_and_a_lost_one_is_found(void **state)
{
    const struct weir_here here = here_of(1);
    (void)state;
    assert_false(ack(T0));
    assert_false(event(T0 + 1));
    assert_null(weir_rpm_feature.broken(&here, PORTS));
    ports[1].marked++;
    assert_string_equal(weir_rpm_feature.broken(&here, PORTS),
                        "RPM: events are not marked ACKs + left + saturated + expired + marked forward");
    ports[1].marked--;
    node->cell[weir_rpm_index(SRC, DST, CONN, CELLS)].count = 0;
    assert_non_null(weir_rpm_feature.broken(&here, PORTS));
}

/* ---- set-up ---- */

enum { SWITCHES = 3 };

static bool has_ring; /* three switches in a ring, else in a row; the first and the last have a host */

static uint32_t ports_of(const struct weir_fabric_env *env, uint32_t sw)
{
    (void)env;
    return sw == 1 ? 2 : 2 + has_ring;
}

static void port_of(const struct weir_fabric_env *env, uint32_t sw, uint32_t index, struct weir_fabric_port *out)
{
    (void)env;
    *out = (struct weir_fabric_port){ .index = index, .to_host = sw != 1 && index == 0 };
}

static const struct weir_fabric_network network = { .ports = ports_of, .port = port_of };

static void set_up_finds_protocols_without_ecn_and_ways_that_differ(void **state)
{
    struct weir_rpm_config cfg = { .mode = 1, .entries = 100, .expiry_ps = WEIR_PS_PER_S };
    struct weir_fabric_env env = {
        .is_set = true, .protocol = "timely", .switch_count = SWITCHES, .network = &network
    };
    struct weir_feature_plan plan = { 0 };
    struct weir_err err;
    (void)state;
    assert_int_equal(weir_rpm_feature.setup(&cfg, &env, &model, &plan, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, NULL, "RPM");
    env.has_ecn = true;
    assert_int_equal(weir_rpm_feature.setup(&cfg, &env, &model, &plan, &err), 0);
    assert_true(plan.on && plan.warning == NULL);
    assert_int_equal(plan.node_bytes, sizeof(struct weir_rpm_node) + 100 * sizeof(struct weir_rpm_cell));
    has_ring = true;
    assert_int_equal(weir_rpm_feature.setup(&cfg, &env, &model, &plan, &err), 0);
    assert_non_null(plan.warning);
    plan = (struct weir_feature_plan){ 0 };
    env.routes_symmetric = true;
    assert_int_equal(weir_rpm_feature.setup(&cfg, &env, &model, &plan, &err), 0);
    assert_null(plan.warning);
    env.nics_spread = true;
    assert_int_equal(weir_rpm_feature.setup(&cfg, &env, &model, &plan, &err), 0);
    assert_non_null(plan.warning);
    env.nics_spread = false;
    plan = (struct weir_feature_plan){ 0 };
    cfg.cells = WEIR_RPM_PER_PORT;
    cfg.counter = WEIR_RPM_BIT;
    assert_int_equal(weir_rpm_feature.setup(&cfg, &env, &model, &plan, &err), 0);
    assert_int_equal(model.entries, 0);
    assert_int_equal(model.count_max, 1);
    cfg.mode = 0;
    assert_int_equal(weir_rpm_feature.setup(&cfg, &env, &model, &plan, &err), 0);
    assert_false(plan.on);
}

static void hosts_go_without(void **state)
{
    const struct weir_here here = here_of(0);
    (void)state;
    assert_false(weir_rpm_feature.port_init(&here, &(struct weir_fabric_port){ .from_host = true }));
    assert_true(weir_rpm_feature.port_init(&here, &(struct weir_fabric_port){ .to_host = true }));
    assert_int_equal(weir_rpm_feature.arrive_kinds, WEIR_PKT_KIND_BIT(WEIR_PKT_ACK));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_event_before_any_ack_marks_its_packet),
        TEST(each_event_marks_one_ack),
        TEST(an_ack_does_not_see_events_of_its_own_instant),
        TEST(an_ack_282_seconds_later_is_not_of_the_same_instant),
        TEST(a_count_of_eight_bits_holds_255_and_a_bit_holds_one),
        TEST(a_cell_expires_without_acks),
        TEST(events_alone_do_not_keep_a_cell),
        TEST(counts_that_the_end_finds_are_left_or_expired),
        TEST(an_end_before_the_last_ack_expires_nothing),
        TEST(an_ack_with_ece_spends_a_count_all_the_same),
        TEST(flows_have_cells_of_their_own_and_those_of_one_cell_share_it),
        TEST(a_port_has_a_cell_of_its_own),
        TEST(every_event_is_accounted_for_and_a_lost_one_is_found),
        TEST(set_up_finds_protocols_without_ecn_and_ways_that_differ),
        TEST(hosts_go_without),
    };
    return cmocka_run_group_tests_name("features/rpm", tests, NULL, NULL);
}
