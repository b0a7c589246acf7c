/* test/unit/features/test_setup_limits.c - what the set-up of switch features accepts one below a limit, at it and one above; and that
 * a probability or a time of 0 leaves a feature out, and one of 1 does not. */
#include "test/unit/limit_bench.h"
#include "core/cable.h"
#include "core/feature.h"
#include "features/codel/codel.h"
#include "features/delay_variation/delay_variation.h"
#include "features/ecn/ecn.h"
#include "features/loss/loss.h"
#include "features/maxqd/maxqd_core.h"
#include "features/rcp/rcp.h"

static const struct weir_fabric_env plain = { .is_set = true };

/* Whether the feature's set-up refuses this config. */
static uint64_t refuses(const struct weir_feature *feature, const void *cfg, const struct weir_fabric_env *env)
{
    static uint64_t model[64];
    struct weir_feature_plan plan = { .on = false };
    struct weir_err err;
    assert_true(feature->model_bytes <= sizeof(model));
    return feature->setup(cfg, env, model, &plan, &err) != 0;
}

static uint64_t codel_target(int at)
{
    const struct weir_codel_config cfg = { .target_ps = limit_off(1000, at), .interval_ps = 1000 };
    return refuses(&weir_codel_feature, &cfg, &plain);
}

static uint64_t ecn_ramp(uint64_t kmin_bytes, uint32_t kmin_milli, uint32_t kmax_milli)
{
    const struct weir_ecn_config cfg = { .threshold = { .bytes = UINT64_MAX },
                                         .kmin = { .bytes = kmin_bytes, .bdp_milli = kmin_milli },
                                         .kmax = { .bytes = 1000, .bdp_milli = kmax_milli } };
    return refuses(&weir_ecn_feature, &cfg, &plain);
}

static uint64_t ecn_bytes(int at)
{
    return ecn_ramp(limit_off(1000, at), 0, 0);
}

static uint64_t ecn_bdps(int at)
{
    return ecn_ramp(1000, (uint32_t)(5 + at), 5);
}

static uint64_t ecn_bytes_and_bdps(int at)
{
    return ecn_ramp(limit_off(1000, at), 0, 5);
}

static uint64_t rcp_period(int at)
{
    const struct weir_rcp_port_config cfg = { .period_ps = limit_off(10000000, at), .gamma_ppm = 1000000 };
    const struct weir_fabric_env env = { .needs = WEIR_NEED_RCP, .base_rtt_ps = 10000000 };
    return refuses(&weir_rcp_feature, &cfg, &env);
}

/* Whether frames may be late: bit 0 by the plan, bit 1 by a port of it. */
static uint64_t variation_of(int at)
{
    const struct weir_delay_variation_config cfg = { .up_to_ps = limit_off(1, at) };
    struct weir_delay_variation_model model;
    struct weir_delay_variation_port port;
    const struct weir_here here = { .model = &model, .port = &port };
    struct weir_feature_plan plan = { .on = false };
    struct weir_err err;
    assert_int_equal(weir_delay_variation_feature.setup(&cfg, &plain, &model, &plan, &err), 0);
    return plan.on +
           2u * weir_delay_variation_feature.port_init(&here, &(struct weir_fabric_port){ .link = 4, .cable = 4 });
}

/* Whether frames may be lost: 1 by the plan, 2 at a port whose link loses, by itself, with 5 ppb; and ten times what the port
 * loses with at first. */
static uint64_t loss_of(const struct weir_loss_config *cfg, const struct weir_fabric_env *env)
{
    struct weir_loss_model model;
    struct weir_loss_port port;
    const struct weir_here here = { .model = &model, .port = &port };
    struct weir_feature_plan plan = { .on = false };
    struct weir_err err;
    assert_int_equal(weir_loss_feature.setup(cfg, env, &model, &plan, &err), 0);
    uint32_t answer = plan.on;
    answer +=
        2u * weir_loss_feature.port_init(&here, &(struct weir_fabric_port){ .link = 4, .cable = 4, .loss_ppb = 5 });
    return answer + 10 * port.first_ppb;
}

static uint64_t loss_by_key(int at) /* 0 is as if nothing were given: the link's own loss counts */
{
    const struct weir_loss_config cfg = { .loss_ppb = (uint32_t)(1 + at) };
    return loss_of(&cfg, &plain);
}

static uint64_t loss_by_item(int at)
{
    const struct weir_loss_config cfg = { .count = 1, .item = { { .loss_ppb = (uint32_t)(1 + at) } } };
    return loss_of(&cfg, &plain);
}

static uint64_t loss_by_step(int at) /* of the cable, later; the list says 0 for all */
{
    const struct weir_loss_step step = { .cable = 4, .loss_ppb = (uint32_t)(1 + at), .at_ps = 9 };
    const struct weir_fabric_env env = { .loss = &step, .loss_count = 1 };
    const struct weir_loss_config cfg = { .count = 1 };
    return loss_of(&cfg, &env);
}

static uint64_t loss_of_no_step(int at) /* 0, 1 and 2 of them, of another cable */
{
    const struct weir_loss_step step[2] = { { .cable = 6, .loss_ppb = 5 }, { .cable = 6, .loss_ppb = 5, .at_ps = 9 } };
    const struct weir_fabric_env env = { .loss = step, .loss_count = (uint32_t)(1 + at) };
    const struct weir_loss_config cfg = { .count = 1 };
    return loss_of(&cfg, &env);
}

static uint64_t maxqd_forgets(int at) /* 2^-32 of the old value, and no more */
{
    return weir_maxqd_keep_q32(limit_off(UINT64_C(32) << 32, at), WEIR_LOG2E_Q32);
}

static const struct limit_row rows[] = {
    LIMIT(codel_target, 0, 0, 1),       LIMIT(ecn_bytes, 0, 0, 1),      LIMIT(ecn_bdps, 0, 0, 1),
    LIMIT(ecn_bytes_and_bdps, 0, 0, 1), LIMIT(rcp_period, 0, 0, 1),     LIMIT(variation_of, 0, 3, 3),
    LIMIT(loss_by_key, 52, 13, 23),     LIMIT(loss_by_item, 0, 13, 23), LIMIT(loss_by_step, 1, 3, 3),
    LIMIT(loss_of_no_step, 0, 1, 1),    LIMIT(maxqd_forgets, 1, 0, 0),
};

static void answers_change_at_the_limit(void **state)
{
    (void)state;
    limit_rows_hold(rows, sizeof(rows) / sizeof(rows[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers_change_at_the_limit) };
    return cmocka_run_group_tests_name("features/setup_limits", tests, NULL, NULL);
}
