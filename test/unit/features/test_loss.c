/* test/unit/features/test_loss.c - random loss: one draw per frame that starts, by link and count. */
#include "core/feature.h"
#include "test/unit/weir_test.h"
#include "core/rng.h"
#include "features/loss/loss.h"

static uint32_t lost(uint32_t link, uint32_t loss_ppb, uint64_t frames)
{
    const struct weir_loss_model m = { .given = true, .loss_ppb = loss_ppb };
    struct weir_loss_port p = { 0 };
    const struct weir_here here = { .model = &m, .port = &p };
    const struct weir_fabric_port port = { .link = link, .seed = 5 };
    uint32_t n = 0;
    assert_true(weir_loss_feature.port_init(&here, &port));
    for (struct weir_start s = { 0 }; s.begun < frames; s.begun++) {
        uint32_t answer = weir_loss_feature.on_start(&here, &s);
        assert_int_equal(answer == WEIR_LOSE, weir_rng_hits(weir_rng_at(p.key, s.begun), loss_ppb));
        n += answer == WEIR_LOSE;
    }
    return n;
}

static void frames_are_lost_with_the_probability_asked_for(void **state)
{
    (void)state;
    assert_int_equal(lost(3, 1000000000, 1000), 1000);
    assert_in_range(lost(3, 10000000, 100000), 900, 1100);                      /* 1 %: 1000 +- 3 times 31 */
    assert_int_not_equal(lost(3, 10000000, 100000), lost(4, 10000000, 100000)); /* links draw apart */
}

/* Returns the probability by which the port of a link loses what starts at now_ps. */
static uint32_t loss_at(const struct weir_loss_model *m, struct weir_loss_port *p, uint64_t now_ps)
{
    const struct weir_here here = { .model = m, .port = p };
    struct weir_start s = { .now_ps = now_ps };
    (void)weir_loss_feature.on_start(&here, &s);
    return p->loss_ppb;
}

static void the_last_item_and_the_last_step_hold(void **state)
{
    static const struct weir_loss_step step[] = { { 100, 4, 7 }, { 150, 3, 9 }, { 200, 4, 0 } };
    struct weir_loss_model m = {
        .given = true, .count = 3, .item = { { UINT32_MAX, 1 }, { 4, 2 }, { 5, 3 } }, .step = step, .step_count = 3
    };
    struct weir_loss_port p = { 0 };
    const struct weir_here here = { .model = &m, .port = &p };
    (void)state;
    assert_true(weir_loss_feature.port_init(&here, &(struct weir_fabric_port){ .link = 4, .cable = 4, .loss_ppb = 8 }));
    assert_int_equal(loss_at(&m, &p, 0), 2);
    assert_int_equal(loss_at(&m, &p, 99), 2);
    assert_int_equal(loss_at(&m, &p, 100), 7);
    assert_int_equal(loss_at(&m, &p, 199), 7);
    assert_int_equal(loss_at(&m, &p, 200), 0);
    assert_int_equal(loss_at(&m, &p, 50), 2); /* a lane may be asked later about an earlier start */
}

static void a_port_that_never_loses_is_left_out_and_a_file_may_say_what_is_lost(void **state)
{
    struct weir_loss_model m = { .given = true, .count = 1, .item = { { 5, 3 } } };
    struct weir_loss_port p = { 0 };
    const struct weir_here here = { .model = &m, .port = &p };
    (void)state;
    assert_false(
        weir_loss_feature.port_init(&here, &(struct weir_fabric_port){ .link = 4, .cable = 4, .loss_ppb = 8 }));
    m = (struct weir_loss_model){ .given = false };
    assert_true(weir_loss_feature.port_init(&here, &(struct weir_fabric_port){ .link = 4, .cable = 4, .loss_ppb = 8 }));
    assert_int_equal(loss_at(&m, &p, 0), 8);
}

static void loss_is_on_above_probability_0(void **state)
{
    static const struct weir_fabric_env env = { .links_lose = false }, lossy = { .links_lose = true };
    struct weir_loss_config cfg = { .loss_ppb = 0 };
    struct weir_loss_model m;
    struct weir_feature_plan plan = { 0 };
    (void)state;
    assert_int_equal(weir_loss_feature.setup(&cfg, &lossy, &m, &plan, NULL), 0);
    assert_true(plan.on);
    assert_int_equal(weir_loss_feature.setup(&cfg, &env, &m, &plan, NULL), 0);
    assert_false(plan.on);
    cfg.loss_ppb = 7;
    assert_int_equal(weir_loss_feature.setup(&cfg, &env, &m, &plan, NULL), 0);
    assert_true(plan.on);
    assert_int_equal(m.loss_ppb, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(frames_are_lost_with_the_probability_asked_for),
                                        cmocka_unit_test(the_last_item_and_the_last_step_hold),
                                        cmocka_unit_test(
                                            a_port_that_never_loses_is_left_out_and_a_file_may_say_what_is_lost),
                                        cmocka_unit_test(loss_is_on_above_probability_0) };
    return cmocka_run_group_tests_name("features/loss", tests, NULL, NULL);
}
