/* test/unit/features/test_codel.c - CoDel packet by packet: when the first event comes, when the next ones do, what
 * ends them. */
#include "core/feature.h"
#include "test/unit/refusal.h"
#include "features/codel/codel_core.h"

enum { MTU = 1538, DEEP = 1000000 };
#define MS WEIR_PS_PER_MS
#define US WEIR_PS_PER_US

static struct weir_codel_model model;
static struct weir_codel_port port;
static uint8_t flags;

static int setup(void **state)
{
    (void)state;
    model = (struct weir_codel_model){ .target_ps = MS, .interval_ps = 20 * MS, .mtu_bytes = MTU };
    port = (struct weir_codel_port){ .queue = { { 0 } } };
    flags = WEIR_PKT_ECT;
    return 0;
}

/* A packet that waited for sojourn is to leave at now. */
static uint32_t leaves(uint64_t now_ps, uint64_t sojourn_ps, uint64_t queue_bytes)
{
    struct weir_pkt pkt = { .flags = flags };
    const struct weir_here here = { .model = &model, .port = &port };
    return weir_codel_feature.on_dequeue(
        &here, &(struct weir_dequeue){
                   .pkt = &pkt, .now_ps = now_ps, .joined_ps = now_ps - sojourn_ps, .queue_bytes = queue_bytes });
}

/* Packets that waited for 2 ms leave every microsecond from `from` on: the instants of the first five events, to the microsecond. */
static void fires_at(uint64_t from_ps, const uint64_t wanted_us[5], uint32_t answer)
{
    uint32_t events = 0;
    for (uint64_t t = from_ps; events < 5; t += US) {
        uint32_t is = leaves(t, 2 * MS, DEEP);
        assert_true(t < from_ps + 80 * MS);
        if (is == 0)
            continue;
        assert_int_equal(is, answer);
        assert_int_equal((t - from_ps) / US, wanted_us[events]);
        events++;
    }
}

/* 20, + 20/sqrt 2 = 14.1421, + 20/sqrt 3 = 11.5470, + 10, + 20/sqrt 5 = 8.9443 ms; an event at `next` itself is not past it. */
static void p4_acts_after_an_interval_and_then_at_interval_over_root_count(void **state)
{
    static const uint64_t at_us[5] = { 20001, 34143, 45690, 55690, 64634 };
    (void)state;
    fires_at(77 * MS, at_us, WEIR_MARK | WEIR_RULE(1));
    assert_int_equal(port.marks, 5);
    assert_int_equal(port.drops, 0);
}

/* The same without the first root: count is 1 when the state begins. */
static void the_rfc_acts_after_an_interval_and_after_the_next(void **state)
{
    static const uint64_t at_us[5] = { 20000, 40000, 54143, 65690, 75690 };
    (void)state;
    model.variant = WEIR_CODEL_RFC8289;
    fires_at(77 * MS, at_us, WEIR_MARK | WEIR_RULE(1));
}

static void one_packet_below_target_ends_the_dropping_state(void **state)
{
    (void)state;
    for (int rfc = 0; rfc < 2; rfc++) {
        port = (struct weir_codel_port){ .queue = { { 0 } } };
        model.variant = rfc ? WEIR_CODEL_RFC8289 : WEIR_CODEL_P4;
        assert_int_equal(leaves(10 * MS, 2 * MS, DEEP), 0);
        assert_int_equal(leaves(31 * MS, 2 * MS, DEEP), WEIR_MARK | WEIR_RULE(1));
        assert_int_equal(leaves(80 * MS, MS - 1, DEEP), 0);
        assert_int_equal(leaves(81 * MS, MS, DEEP), 0); /* the target itself is late: an interval begins */
        assert_int_equal(leaves(100 * MS, MS, DEEP), 0);
        assert_int_equal(leaves(102 * MS, MS, DEEP), WEIR_MARK | WEIR_RULE(1));
    }
}

static void a_packet_without_ect_is_dropped(void **state)
{
    (void)state;
    flags = 0;
    assert_int_equal(leaves(10 * MS, 2 * MS, DEEP), 0);
    assert_int_equal(leaves(31 * MS, 2 * MS, DEEP), WEIR_DROP);
    assert_int_equal(port.drops, 1);
}

/* RFC 8289, section 5.5: after the first drop the next packet goes, whatever it met; then one drop per step, several at one instant
 * if the steps lie behind. */
static void the_rfc_drops_in_a_loop_at_one_instant(void **state)
{
    (void)state;
    model.variant = WEIR_CODEL_RFC8289;
    flags = 0;
    assert_int_equal(leaves(10 * MS, 2 * MS, DEEP), 0);
    assert_int_equal(leaves(30 * MS, 2 * MS, DEEP), WEIR_DROP); /* drop_next = 50 */
    assert_int_equal(leaves(30 * MS, 2 * MS, DEEP), 0);
    assert_int_equal(leaves(49 * MS, 2 * MS, DEEP), 0);
    assert_int_equal(leaves(70 * MS, 2 * MS, DEEP), WEIR_DROP); /* count 2: drop_next = 64.142 */
    assert_int_equal(leaves(70 * MS, 2 * MS, DEEP), WEIR_DROP); /* count 3: drop_next = 75.689 */
    assert_int_equal(leaves(70 * MS, 2 * MS, DEEP), 0);
    assert_int_equal(leaves(76 * MS, 2 * MS, DEEP), WEIR_DROP); /* count 4 .. */
    assert_int_equal(leaves(76 * MS, MS / 2, DEEP), 0); /* .. and the packet behind it was in time: it is over */
    assert_false(port.queue[0].dropping);
    assert_int_equal(port.queue[0].count, 4);
}

static void a_queue_that_runs_empty_ends_the_loop(void **state)
{
    (void)state;
    model.variant = WEIR_CODEL_RFC8289;
    flags = 0;
    (void)leaves(10 * MS, 2 * MS, DEEP);
    (void)leaves(30 * MS, 2 * MS, DEEP);
    (void)leaves(30 * MS, 2 * MS, DEEP);
    model.mtu_bytes = 0; /* else the last packet never counts */
    assert_int_equal(leaves(51 * MS, 2 * MS, 1), WEIR_DROP);
    assert_true(port.queue[0].dropping);
    assert_int_equal(leaves(51 * MS, 2 * MS, 0), 0); /* nothing behind it */
    assert_false(port.queue[0].dropping);
}

static void the_rfc_leaves_the_last_packet_alone(void **state)
{
    (void)state;
    model.variant = WEIR_CODEL_RFC8289;
    (void)leaves(10 * MS, 2 * MS, DEEP);
    assert_int_equal(leaves(40 * MS, 2 * MS, MTU), 0);
    assert_int_equal(leaves(41 * MS, 2 * MS, MTU + 1), 0); /* the interval begins anew */
    assert_int_equal(leaves(61 * MS, 2 * MS, MTU + 1), WEIR_MARK | WEIR_RULE(1));
}

/* Within 16 intervals of drop_next the count goes on from what the last stretch added. */
static void the_rfc_resumes_its_count_within_16_intervals(void **state)
{
    static const struct {
        uint64_t again_ms;
        uint32_t count;
    } row[] = { { 300, 3 }, { 3000, 1 } };
    (void)state;
    model.variant = WEIR_CODEL_RFC8289;
    for (int i = 0; i < 2; i++) {
        port = (struct weir_codel_port){ .queue = { { 0 } } };
        (void)leaves(10 * MS, 2 * MS, DEEP);
        assert_int_equal(leaves(30 * MS, 2 * MS, DEEP), WEIR_MARK | WEIR_RULE(1)); /* count 1 */
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(leaves(100 * MS, 2 * MS, DEEP), WEIR_MARK | WEIR_RULE(1)); /* 2, 3, 4 */
        assert_int_equal(leaves(101 * MS, 0, DEEP), 0);
        assert_int_equal(leaves(row[i].again_ms * MS - 20 * MS, 2 * MS, DEEP), 0);
        assert_int_equal(leaves(row[i].again_ms * MS, 2 * MS, DEEP), WEIR_MARK | WEIR_RULE(1));
        assert_int_equal(port.queue[0].count, row[i].count); /* 4 - 1, or from the beginning */
    }
}

static void classes_have_states_of_their_own(void **state)
{
    struct weir_pkt pkt = { .flags = WEIR_PKT_ECT };
    const struct weir_here here = { .model = &model, .port = &port };
    struct weir_dequeue d = { .pkt = &pkt, .now_ps = 10 * MS, .joined_ps = 8 * MS, .queue_bytes = DEEP, .class_id = 1 };
    (void)state;
    assert_int_equal(weir_codel_feature.on_dequeue(&here, &d), 0);
    assert_int_equal(leaves(31 * MS, 2 * MS, DEEP), 0); /* of class 0 the first */
    d.now_ps = 31 * MS;
    d.joined_ps = 29 * MS;
    assert_int_equal(weir_codel_feature.on_dequeue(&here, &d), WEIR_MARK | WEIR_RULE(1));
}

static void steps_are_the_interval_over_the_root_of_the_count(void **state)
{
    static const uint64_t wanted_ps[] = { 20000000000, 14142135623, 11547005383, 10000000000, 8944271909 };
    (void)state;
    for (uint32_t count = 1; count <= 5; count++)
        assert_in_range(weir_codel_step_ps(20 * MS, count), wanted_ps[count - 1] - 20, wanted_ps[count - 1]);
    assert_in_range(weir_codel_step_ps(20 * MS, 1 << 16), 78125000 - 10, 78125000);
    assert_int_equal(weir_codel_root(UINT64_MAX), UINT32_MAX);
    assert_int_equal(weir_codel_root(24), 4);
    assert_int_equal(weir_codel_root(25), 5);
}

static void target_above_interval_is_refused_and_ports_are_chosen(void **state)
{
    struct weir_codel_config cfg = { .target_ps = 2 * MS, .interval_ps = MS };
    const struct weir_fabric_port nic = { .from_host = true }, leaf = { .from_host = false };
    const struct weir_here here = { .model = &model, .port = &port };
    struct weir_feature_plan plan = { 0 };
    struct weir_err err;
    (void)state;
    assert_int_equal(weir_codel_feature.check(&cfg, NULL, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "target");
    cfg.target_ps = MS;
    assert_int_equal(weir_codel_feature.setup(&cfg, &(struct weir_fabric_env){ .is_set = true }, &model, &plan, &err),
                     0);
    assert_true(plan.on && plan.offers == WEIR_NEED_ECN);
    for (model.at = WEIR_AT_SWITCHES; model.at <= WEIR_AT_ALL; model.at++) {
        assert_int_equal(weir_codel_feature.port_init(&here, &nic), model.at != WEIR_AT_SWITCHES);
        assert_int_equal(weir_codel_feature.port_init(&here, &leaf), model.at != WEIR_AT_NICS);
    }
    cfg.variant = WEIR_CODEL_OFF;
    assert_int_equal(weir_codel_feature.setup(&cfg, &(struct weir_fabric_env){ .is_set = true }, &model, &plan, &err),
                     0);
    assert_false(plan.on);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(p4_acts_after_an_interval_and_then_at_interval_over_root_count, setup),
        cmocka_unit_test_setup(the_rfc_acts_after_an_interval_and_after_the_next, setup),
        cmocka_unit_test_setup(one_packet_below_target_ends_the_dropping_state, setup),
        cmocka_unit_test_setup(a_packet_without_ect_is_dropped, setup),
        cmocka_unit_test_setup(the_rfc_drops_in_a_loop_at_one_instant, setup),
        cmocka_unit_test_setup(a_queue_that_runs_empty_ends_the_loop, setup),
        cmocka_unit_test_setup(the_rfc_leaves_the_last_packet_alone, setup),
        cmocka_unit_test_setup(the_rfc_resumes_its_count_within_16_intervals, setup),
        cmocka_unit_test_setup(classes_have_states_of_their_own, setup),
        cmocka_unit_test_setup(steps_are_the_interval_over_the_root_of_the_count, setup),
        cmocka_unit_test_setup(target_above_interval_is_refused_and_ports_are_chosen, setup),
    };
    return cmocka_run_group_tests_name("features/codel", tests, NULL, NULL);
}
