/* test/unit/features/test_credit_gate.c - the gate for credit against departures computed by hand, and what set-up
 * refuses. */
#include "core/feature.h"
#include "core/gate.h"
#include "test/unit/weir_test.h"
#include "core/cc.h"
#include "features/credit_gate/credit_gate_core.h"
#include "test/unit/refusal.h"

static struct weir_credit_gate_model model;
static struct weir_credit_gate_port gate;
static struct weir_here here;
static const struct weir_gate *hooks;

static int setup(void **state)
{
    (void)state;
    hooks = weir_credit_gate_feature.gate;
    model = (struct weir_credit_gate_model){
        .class_id = 0, .credit_bytes = 84, .data_bytes = 1538, .depth_bytes = 168, .queue_bytes = 672
    };
    return 0;
}

static void begin(uint64_t rate_bps, uint64_t in_rate_bps)
{
    const struct weir_fabric_port port = { .rate_bps = rate_bps, .in_rate_bps = in_rate_bps };
    gate = (struct weir_credit_gate_port){ .passed = 0 };
    here = (struct weir_here){ .model = &model, .port = &gate };
    assert_true(weir_credit_gate_feature.port_init(&here, &port));
}

/* Packets of this size come together to an idle port. @return how many the gate admits; out: when they start */
static uint32_t together(uint32_t count, uint32_t bytes, uint64_t ps_per_byte, uint64_t *out)
{
    uint64_t waiting_bytes = 0, free_ps = 0;
    uint32_t admitted = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (hooks->admits(&here, waiting_bytes, bytes) != 0)
            continue;
        waiting_bytes += bytes;
        admitted++;
    }
    for (uint32_t i = 0; i < admitted; i++) {
        out[i] = weir_max_u64(free_ps, hooks->opens_ps(&here, bytes));
        hooks->passed(&here, bytes, out[i]);
        free_ps = out[i] + bytes * ps_per_byte;
    }
    return admitted;
}

/* The queue holds 8 * 84 B. The bucket's 168 B let two go, one after the other at 80 ps per byte. Tokens for 84 B take
 * (84 + 1538) * 80 ps. */
static void of_12_credits_at_once_4_are_dropped_and_the_rest_leave_at_the_rate_of_data(void **state)
{
    uint64_t at_ps[12];
    (void)state;
    begin(100000000000, 100000000000);
    assert_int_equal(together(12, 84, 80, at_ps), 8);
    assert_int_equal(gate.dropped, 4);
    assert_int_equal(gate.passed, 8);
    assert_int_equal(at_ps[0], 0);
    assert_int_equal(at_ps[1], 6720);
    for (uint32_t i = 2; i < 8; i++)
        assert_int_equal(at_ps[i], (i - 1) * UINT64_C(129760));
}

/* 3 B of credit for 4 B of data at 7 Gb/s: a byte's tokens take 7 / 3 * 8000 / 7 ps = 8000 / 3. */
static void what_is_left_of_a_picosecond_is_not_forgotten(void **state)
{
    (void)state;
    model =
        (struct weir_credit_gate_model){ .credit_bytes = 3, .data_bytes = 4, .depth_bytes = 168, .queue_bytes = 672 };
    begin(7000000000, 7000000000);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t at_ps = hooks->opens_ps(&here, 1);
        assert_int_equal(at_ps, i < 168 ? 0 : ((i - 167) * 8000 + 2) / 3);
        hooks->passed(&here, 1, at_ps);
    }
    model.depth_bytes = 1;
    begin(7000000000, 7000000000);
    hooks->passed(&here, 1, 0);
    assert_int_equal(hooks->opens_ps(&here, 1), 2667); /* the first picosecond after 8000 / 3 */
}

static void tokens_are_saved_up_to_the_depth_of_the_bucket(void **state)
{
    (void)state;
    begin(100000000000, 100000000000);
    hooks->passed(&here, 84, 1000000); /* long idle: no more than a full bucket */
    assert_int_equal(gate.full_ps, 1000000 + 129760);
    assert_int_equal(hooks->opens_ps(&here, 84), 1000000);
    assert_int_equal(hooks->opens_ps(&here, 168), 1000000 + 129760);
    assert_int_equal(hooks->opens_ps(&here, 200), 1000000 + 129760); /* larger than the bucket: a full one does */
    hooks->passed(&here, 84, 1064880);                               /* half of the tokens are back */
    assert_int_equal(gate.full_ps, 1000000 + 2 * 129760);
    hooks->passed(&here, 84, 9000000); /* and idle again */
    assert_int_equal(gate.full_ps, 9000000 + 129760);
}

/* 92 B of 168 leave 76: the next of 76 may go at once, one of 77 waits for 1 B, 1544.76 ps. */
static void sizes_are_counted_to_the_byte(void **state)
{
    (void)state;
    begin(100000000000, 100000000000);
    hooks->passed(&here, 92, 5000000);
    assert_int_equal(hooks->opens_ps(&here, 76), 5000000);
    assert_int_equal(hooks->opens_ps(&here, 77), 5000000 + 1545);
}

static void the_slower_direction_of_a_cable_decides(void **state)
{
    (void)state;
    begin(100000000000, 10000000000);
    hooks->passed(&here, 84, 0);
    assert_int_equal(gate.full_ps, 1297600);
    begin(10000000000, 100000000000);
    hooks->passed(&here, 84, 0);
    assert_int_equal(gate.full_ps, 1297600);
    assert_int_equal(hooks->classes(&here), 1);
    model.class_id = 2;
    assert_int_equal(hooks->classes(&here), 4);
}

/* At the slowest and the fastest link, with the most uneven shares: nothing overflows. */
static void extremes_fit(void **state)
{
    (void)state;
    model = (struct weir_credit_gate_model){ .credit_bytes = WEIR_WIRE_MAX_BYTES,
                                             .data_bytes = WEIR_WIRE_MAX_BYTES,
                                             .depth_bytes = WEIR_CREDIT_GATE_DEPTH_MAX,
                                             .queue_bytes = 1 << 20 };
    begin(WEIR_RATE_MAX_BPS, WEIR_RATE_MAX_BPS);
    hooks->passed(&here, WEIR_WIRE_MAX_BYTES, 0); /* 2 ps a byte */
    assert_int_equal(gate.full_ps, 2 * WEIR_WIRE_MAX_BYTES);
    model.credit_bytes = 1;
    begin(WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS);
    hooks->passed(&here, WEIR_WIRE_MAX_BYTES, 0); /* 8 us a byte, 9729 times */
    assert_int_equal(gate.full_ps, UINT64_C(9729) * 8 * WEIR_PS_PER_US * WEIR_WIRE_MAX_BYTES);
    assert_int_equal(hooks->opens_ps(&here, 1), 0);
}

/* ---- set-up ---- */

static const struct weir_tok there = { .file = "f.yaml", .line = 3, .col = 5 },
                             fabric = { .file = "f.yaml", .line = 9, .col = 1 };
static struct weir_fabric_env env;
static struct weir_credit_gate_config cfg;
static struct weir_feature_plan plan;

/* Every switch has one host and `to_switches` ports to switches. */
static uint32_t to_switches;

static uint32_t ports_of(const struct weir_fabric_env *e, uint32_t sw)
{
    (void)e, (void)sw;
    return 1 + to_switches;
}

static void describe_port(const struct weir_fabric_env *e, uint32_t sw, uint32_t index, struct weir_fabric_port *out)
{
    (void)e, (void)sw;
    *out = (struct weir_fabric_port){ .index = index, .to_host = index == 0 };
}

static const struct weir_fabric_network network = { .ports = ports_of, .port = describe_port };

static int setup_config(void **state)
{
    (void)state;
    env = (struct weir_fabric_env){ .where = &there,
                                    .where_fabric = &fabric,
                                    .is_set = true,
                                    .protocol = "some",
                                    .needs = WEIR_NEED_GATE,
                                    .mtu_bytes = 1538,
                                    .classes = 2,
                                    .data_class = 1,
                                    .routes_symmetric = true,
                                    .switch_count = 2,
                                    .network = &network };
    cfg = (struct weir_credit_gate_config){ .credit_bytes = 84, .depth_bytes = 168, .queue_bytes = 672 };
    plan = (struct weir_feature_plan){ .on = false };
    return 0;
}

static int set_up(struct weir_err *err)
{
    return weir_credit_gate_feature.setup(&cfg, &env, &model, &plan, err);
}

static void it_is_on_where_the_protocol_needs_it(void **state)
{
    struct weir_err err;
    (void)state;
    assert_int_equal(set_up(&err), 0);
    assert_true(plan.on);
    assert_int_equal(plan.offers, WEIR_NEED_GATE);
    assert_int_equal(model.data_bytes, 1538);
    assert_int_equal(model.credit_bytes, 84);
    assert_int_equal(model.depth_bytes, 168);
    assert_int_equal(model.queue_bytes, 672);
    plan = (struct weir_feature_plan){ .on = false };
    env.needs = 0;
    assert_int_equal(set_up(&err), 0);
    assert_false(plan.on);
    env.needs = WEIR_NEED_GATE;
    cfg.mode = WEIR_CREDIT_GATE_OFF;
    assert_int_equal(set_up(&err), 0);
    assert_false(plan.on);
}

static void what_does_not_go_with_it_is_refused(void **state)
{
    struct weir_err err;
    (void)state;
    env.needs = 0; /* another protocol */
    cfg.mode = WEIR_CREDIT_GATE_ON;
    set_up(&err);
    assert_refusal(&err, WEIR_E_CONFLICT, "f.yaml:3:5", "fabric.credit_gate");
    env.needs = WEIR_NEED_GATE;
    env.nics_pull = true;
    set_up(&err);
    assert_refusal(&err, WEIR_E_CONFLICT, "f.yaml:3:5", "fabric.credit_gate");
    env.nics_pull = false;
    env.classes = 1;
    set_up(&err);
    assert_refusal(&err, WEIR_E_CONFLICT, "f.yaml:9:1", "fabric.credit_gate");
    env.classes = 2;
    cfg.class_id = 1; /* that of data */
    set_up(&err);
    assert_refusal(&err, WEIR_E_CONFLICT, "f.yaml:3:5", "class");
    cfg.class_id = 2; /* there is none */
    set_up(&err);
    assert_refusal(&err, WEIR_E_CONFLICT, "f.yaml:3:5", "class");
    cfg.class_id = 0;
    cfg.queue_bytes = 83;
    set_up(&err);
    assert_refusal(&err, WEIR_E_CONFLICT, "f.yaml:3:5", "queue");
}

static void data_has_to_come_back_the_way_its_credit_went(void **state)
{
    struct weir_err err;
    (void)state;
    env.routes_symmetric = false;
    to_switches = 2; /* two switches, two cables between them */
    assert_int_equal(set_up(&err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "f.yaml:9:1", "routing");
    to_switches = 1; /* one cable: there is no other way */
    assert_int_equal(set_up(&err), 0);
    env.routes_spray = true;
    assert_int_equal(set_up(&err), 0);
    env.routes_symmetric = env.nics_spread = true; /* credit by one NIC, data by another */
    assert_int_equal(set_up(&err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "f.yaml:9:1", "one NIC");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(of_12_credits_at_once_4_are_dropped_and_the_rest_leave_at_the_rate_of_data, setup),
        cmocka_unit_test_setup(what_is_left_of_a_picosecond_is_not_forgotten, setup),
        cmocka_unit_test_setup(tokens_are_saved_up_to_the_depth_of_the_bucket, setup),
        cmocka_unit_test_setup(sizes_are_counted_to_the_byte, setup),
        cmocka_unit_test_setup(the_slower_direction_of_a_cable_decides, setup),
        cmocka_unit_test_setup(extremes_fit, setup),
        cmocka_unit_test_setup(it_is_on_where_the_protocol_needs_it, setup_config),
        cmocka_unit_test_setup(what_does_not_go_with_it_is_refused, setup_config),
        cmocka_unit_test_setup(data_has_to_come_back_the_way_its_credit_went, setup_config),
    };
    return cmocka_run_group_tests_name("features/credit_gate", tests, NULL, NULL);
}
