/* test/unit/features/test_delay_variation.c - by how much frames are late, by hand. */
#include "test/unit/weir_test.h"
#include "core/feature.h"
#include "core/math.h"
#include "core/rng.h"
#include "features/delay_variation/delay_variation.h"
#include <string.h>

static struct weir_delay_variation_model model;
static struct weir_delay_variation_port port;
static const struct weir_here here = { .model = &model, .port = &port };

static bool set_up(uint64_t up_to_ps, uint32_t link)
{
    model = (struct weir_delay_variation_model){ .count = 1, .item = { { UINT32_MAX, up_to_ps } } };
    port = (struct weir_delay_variation_port){ 0 };
    return weir_delay_variation_feature.port_init(&here, &(struct weir_fabric_port){ .seed = 7, .link = link });
}

static uint64_t late_ps(uint64_t start_ps, uint64_t tx_ps, uint64_t begun)
{
    struct weir_start start = { .now_ps = start_ps, .tx_ps = tx_ps, .begun = begun };
    assert_int_equal(weir_delay_variation_feature.on_start(&here, &start), 0);
    return start.late_ps;
}

static void a_lone_frame_is_late_by_its_draw(void **state)
{
    uint64_t sum_ps = 0, least_ps = UINT64_MAX, most_ps = 0;
    (void)state;
    assert_true(set_up(999, 3));
    for (uint64_t i = 0; i < 20000; i++) { /* a frame each 10000 ps, of 10 ps: none is in the way of the next */
        uint64_t late = late_ps(i * 10000, 10, i);
        assert_int_equal(late, weir_mul_hi_u64(weir_rng_at(weir_rng_key(7, 3, WEIR_RNG_LINK_DELAY, 0), i), 1000));
        sum_ps += late;
        least_ps = weir_min_u64(least_ps, late);
        most_ps = weir_max_u64(most_ps, late);
    }
    assert_int_equal(least_ps, 0);
    assert_int_equal(most_ps, 999);            /* the limit itself is reached */
    assert_in_range(sum_ps / 20000, 490, 509); /* 499.5, standard error 2.04 */
}

/* A frame that would arrive closer behind the one before than its time on the wire waits for that. */
static void frames_stay_in_order_and_apart(void **state)
{
    static const struct {
        uint64_t last_ps, start_ps, tx_ps, late_ps;
    } rows[] = {
        /* with a draw of 500 the frame would end at 1600 */
        { 1499, 1000, 100, 500 }, { 1500, 1000, 100, 500 }, { 1501, 1000, 100, 501 },
        { 1600, 1000, 100, 600 }, { 1999, 1000, 100, 999 }, { 0, 1000, 100, 500 },
    };
    (void)state;
    assert_true(set_up(999, 3));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t n = 0;
        while (weir_mul_hi_u64(weir_rng_at(port.key, n), 1000) != 500)
            n++;
        port.last_ps = rows[i].last_ps;
        assert_int_equal(late_ps(rows[i].start_ps, rows[i].tx_ps, n), rows[i].late_ps);
        assert_int_equal(port.last_ps, rows[i].start_ps + rows[i].tx_ps + rows[i].late_ps);
    }
}

/* Frames back to back: the lateness grows to the largest draw so far, since none may overtake. */
static void a_busy_link_is_as_late_as_its_latest_frame(void **state)
{
    uint64_t most_ps = 0;
    (void)state;
    assert_true(set_up(5000, 9));
    for (uint64_t i = 0; i < 1000; i++) {
        most_ps = weir_max_u64(most_ps, weir_mul_hi_u64(weir_rng_at(port.key, i), 5001));
        assert_int_equal(late_ps(i * 100, 100, i), most_ps);
    }
}

static void the_last_item_for_a_cable_holds_and_a_fixed_cable_is_left_out(void **state)
{
    (void)state;
    model =
        (struct weir_delay_variation_model){ .count = 4, .item = { { UINT32_MAX, 5 }, { 4, 7 }, { 4, 9 }, { 6, 0 } } };
    for (uint32_t cable = 2; cable <= 6; cable += 2) {
        static const uint64_t up_to_ps[] = { 5, 9, 0 };
        port = (struct weir_delay_variation_port){ 0 };
        assert_int_equal(
            weir_delay_variation_feature.port_init(&here, &(struct weir_fabric_port){ .link = cable, .cable = cable }),
            up_to_ps[cable / 2 - 1] > 0);
        assert_int_equal(port.up_to_ps, up_to_ps[cable / 2 - 1]);
        assert_int_equal(weir_late_most_ps(model.item, model.count, cable), up_to_ps[cable / 2 - 1]);
    }
    assert_int_equal(weir_late_most_ps(NULL, 0, 4), 0);
}

static uint32_t cable_4(const struct weir_fabric_env *env, const char *name)
{
    (void)env;
    return strcmp(name, "leaf 0 - spine 1") == 0 ? 4 : UINT32_MAX;
}

static void it_is_on_if_some_cable_varies_and_refuses_an_unknown_one(void **state)
{
    static const struct weir_fabric_network network = { .cable = cable_4 };
    static const struct weir_fabric_env env = { .network = &network };
    struct weir_delay_variation_config cfg = { 0 };
    struct weir_feature_plan plan = { 0 };
    struct weir_err err = { 0 };
    (void)state;
    assert_int_equal(weir_delay_variation_feature.setup(&cfg, &env, &model, &plan, &err), 0);
    assert_false(plan.on);
    cfg.count = 1;
    strcpy(cfg.item[0].cable, "leaf 0 - spine 1");
    assert_int_equal(weir_delay_variation_feature.setup(&cfg, &env, &model, &plan, &err), 0);
    assert_false(plan.on);
    cfg.item[0].up_to_ps = 1;
    assert_int_equal(weir_delay_variation_feature.setup(&cfg, &env, &model, &plan, &err), 0);
    assert_true(plan.on);
    assert_int_equal(plan.late_count, 2);
    assert_int_equal(weir_late_most_ps(plan.late, plan.late_count, 4), 1);
    strcpy(cfg.item[0].cable, "leaf 0 - spine 7");
    assert_int_equal(weir_delay_variation_feature.setup(&cfg, &env, &model, &plan, &err), WEIR_E_UNKNOWN);
    assert_string_equal(err.text, "delay_variation[0]: there is no cable 'leaf 0 - spine 7'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_frame_is_late_by_its_draw),
        cmocka_unit_test(frames_stay_in_order_and_apart),
        cmocka_unit_test(a_busy_link_is_as_late_as_its_latest_frame),
        cmocka_unit_test(the_last_item_for_a_cable_holds_and_a_fixed_cable_is_left_out),
        cmocka_unit_test(it_is_on_if_some_cable_varies_and_refuses_an_unknown_one),
    };
    return cmocka_run_group_tests_name("features/delay_variation", tests, NULL, NULL);
}
