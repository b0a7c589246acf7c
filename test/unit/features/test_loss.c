/* test/unit/features/test_loss.c - random loss: one draw per frame that starts, by link and count. */
#include "core/feature.h"
#include "test/unit/weir_test.h"
#include "core/rng.h"
#include "features/loss/loss.h"

static uint32_t lost(uint32_t link, uint32_t loss_ppb, uint64_t frames)
{
    const struct weir_loss_model m = { .loss_ppb = loss_ppb };
    struct weir_loss_port p;
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

static void loss_is_on_above_probability_0(void **state)
{
    struct weir_loss_config cfg = { .loss_ppb = 0 };
    struct weir_loss_model m;
    struct weir_feature_plan plan = { 0 };
    (void)state;
    assert_int_equal(weir_loss_feature.setup(&cfg, NULL, &m, &plan, NULL), 0);
    assert_false(plan.on);
    cfg.loss_ppb = 7;
    assert_int_equal(weir_loss_feature.setup(&cfg, NULL, &m, &plan, NULL), 0);
    assert_true(plan.on);
    assert_int_equal(m.loss_ppb, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(frames_are_lost_with_the_probability_asked_for),
                                        cmocka_unit_test(loss_is_on_above_probability_0) };
    return cmocka_run_group_tests_name("features/loss", tests, NULL, NULL);
}
