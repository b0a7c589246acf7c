/* test/unit/features/test_pfc_core.c - accounts, thresholds and headroom of PFC by hand-computed numbers. */
#include "test/unit/weir_test.h"
#include "features/pfc/pfc_core.h"

#define GBPS UINT64_C(1000000000)

static struct weir_pfc_model model;
static struct weir_pfc_pool pool;
static struct weir_pfc_in in;
static struct weir_pfc_account account;

static int setup(void **state)
{
    (void)state;
    model = (struct weir_pfc_model){ .lossless = 1, .reserve_bytes = 4096, .resume_offset_bytes = 3072 };
    pool = (struct weir_pfc_pool){ .size_bytes = 80000 };
    in = (struct weir_pfc_in){ .headroom_bytes = 5000, .shift = 3 };
    account = (struct weir_pfc_account){ 0 };
    return 0;
}

static void expect(uint64_t bytes, uint64_t headroom_bytes, uint64_t pool_bytes)
{
    assert_int_equal(account.bytes, bytes);
    assert_int_equal(account.headroom_bytes, headroom_bytes);
    assert_int_equal(pool.used_bytes, pool_bytes);
}

static bool arrive(uint32_t bytes)
{
    bool pause;
    assert_true(weir_pfc_admits(&model, &pool, &in, &account, bytes));
    weir_pfc_accept(&model, &pool, &in, &account, bytes);
    pause = weir_pfc_must_pause(&model, &pool, &in, &account);
    account.paused |= pause;
    return pause;
}

static bool leave(uint32_t bytes)
{
    bool resume;
    weir_pfc_release(&model, &pool, &account, bytes);
    resume = weir_pfc_may_resume(&model, &pool, &in, &account);
    account.paused &= !resume;
    return resume;
}

static void static_thresholds_pause_above_and_resume_below(void **state)
{
    (void)state;
    model.is_static = true;
    model.xoff_bytes = 3000;
    model.xon_bytes = 2000;
    in.headroom_bytes = 1500;
    assert_false(arrive(1500));
    assert_false(arrive(1500)); /* at xoff, not above */
    assert_true(arrive(1));
    assert_false(arrive(1499)); /* told already */
    expect(4500, 0, 0);
    assert_false(weir_pfc_admits(&model, &pool, &in, &account, 1)); /* xoff and headroom are full */
    assert_false(leave(1500));
    assert_false(leave(1000)); /* at xon, not below */
    assert_true(leave(1));
    assert_false(leave(1999));
    expect(0, 0, 0);
}

/* Threshold: 80000 / 8 at first, one eighth of what is free. */
static void bytes_go_to_reserve_then_pool_then_headroom(void **state)
{
    (void)state;
    assert_int_equal(weir_pfc_threshold(&pool, &in), 10000);
    assert_false(arrive(4096)); /* the reserve costs the pool nothing */
    expect(4096, 0, 0);
    assert_false(arrive(4000));
    expect(8096, 0, 4000);
    assert_false(arrive(4000));
    expect(12096, 0, 8000); /* free 72000: the threshold is 9000 */
    assert_true(arrive(1000));
    expect(13096, 0, 9000); /* 9000 shared is not above 9000; now 8875 is the threshold, and 9000 is */
    assert_false(arrive(3000));
    expect(13096, 3000, 9000);
    assert_true(weir_pfc_admits(&model, &pool, &in, &account, 2000));
    assert_false(weir_pfc_admits(&model, &pool, &in, &account, 2001));
    assert_false(leave(2000)); /* headroom first */
    expect(13096, 1000, 9000);
    assert_false(leave(2000));
    expect(12096, 0, 8000); /* 8000 + 3072 is above 9000 */
    assert_false(leave(1750));
    expect(10346, 0, 6250); /* 9322 above 73750 / 8 = 9218 */
    assert_true(leave(93));
    expect(10253, 0, 6157); /* 9229 is not above 73843 / 8 = 9230 */
    assert_false(leave(6157 + 1000));
    expect(3096, 0, 0);
}

static void an_account_with_nothing_shared_resumes(void **state)
{
    (void)state;
    pool.used_bytes = 80000;  /* by others */
    assert_true(arrive(100)); /* 0 shared is not below a threshold of 0 */
    assert_true(arrive(4000) == false);
    expect(100, 4000, 80000); /* what the reserve cannot take whole goes to the headroom */
    assert_true(leave(4000)); /* headroom is empty, nothing is shared */
    expect(100, 0, 80000);
}

/* A cable whose two directions are alike. */
static const struct weir_pfc_cable *alike(uint64_t gbps, uint64_t delay_ps)
{
    static struct weir_pfc_cable cable;
    cable = (struct weir_pfc_cable){ gbps * GBPS, delay_ps, gbps * GBPS, delay_ps };
    return &cable;
}

/* 3 us back and 1 us here at 100 Gb/s are 50000 bytes; what our frame waits for takes ten times as long on a link of 10 Gb/s, and
 * 1622 * 100 / 30 bytes' time on one of 30. */
static void headroom_counts_the_link_back_at_its_own_rate_and_delay(void **state)
{
    struct weir_pfc_cable cable = { 100 * GBPS, 1000000, 10 * GBPS, 3000000 };
    (void)state;
    assert_int_equal(weir_pfc_headroom_bytes(&cable, 1538, 1538, 1), 2 * 1538 - 1 + 10 * (1538 + 84) + 50000);
    cable.back_rate_bps = 30 * GBPS;
    assert_int_equal(weir_pfc_headroom_bytes(&cable, 1538, 1538, 1), 2 * 1538 - 1 + 5407 + 50000);
    cable.back_rate_bps = 400 * GBPS;
    assert_int_equal(weir_pfc_headroom_bytes(&cable, 1538, 1538, 1), 2 * 1538 - 1 + 406 + 50000);
}

static void headroom_covers_all_that_can_arrive_after_the_threshold(void **state)
{
    (void)state;
    /* 1 us twice at 100 Gb/s: 25000 bytes */
    assert_int_equal(weir_pfc_headroom_bytes(alike(100, 1000000), 1538, 1538, 1), 3 * 1538 - 1 + 84 + 25000);
    assert_int_equal(weir_pfc_headroom_bytes(alike(100, 1000000), 1538, 0, 1), 2 * 1538 - 1 + 84 + 25000);
    assert_int_equal(weir_pfc_headroom_bytes(alike(100, 1000001), 1538, 0, 2), 2 * 1538 - 1 + 168 + 25001);
    assert_int_equal(weir_pfc_headroom_bytes(alike(400, 1500000), 1082, 1082, 2), 3 * 1082 - 1 + 168 + 150000);
    model.mtu_bytes = 1538;
    in = weir_pfc_in_of(&model, alike(100, 1000000), 100 * GBPS);
    assert_int_equal(in.headroom_bytes, 3 * 1538 - 1 + 168 + 25000);
    model.fixed_headroom = true;
    model.headroom_bytes = 777;
    in = weir_pfc_in_of(&model, alike(100, 1000000), 100 * GBPS);
    assert_int_equal(in.headroom_bytes, 777);
    model.lossless = 0xe;
    assert_int_equal(weir_pfc_in_bytes(&model, &in), 3 * (777 + 4096));
}

static void shift_falls_by_one_for_each_doubling_of_the_rate(void **state)
{
    static const struct {
        uint64_t gbps;
        uint32_t shift;
    } rows[] = { { 10, 3 }, { 25, 3 }, { 49, 3 }, { 50, 2 }, { 100, 1 }, { 200, 0 }, { 800, 0 } };
    (void)state;
    model.alpha_shift = 3;
    model.mtu_bytes = 1084;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(weir_pfc_in_of(&model, alike(rows[i].gbps, 1), 25 * GBPS).shift, rows[i].shift);
}

static void a_host_may_not_send_in_a_paused_class(void **state)
{
    (void)state;
    assert_int_equal(weir_closed_at_host(0, 1), 0);
    assert_int_equal(weir_closed_at_host(1, 1), UINT32_MAX);
    assert_int_equal(weir_closed_at_host(2, 3), 2);
    assert_int_equal(weir_closed_at_host(6, 3), 0xfffffffe);
    assert_int_equal(weir_control_frame_ps(100 * GBPS), 6720);
    assert_int_equal(weir_control_frame_ps(56 * GBPS), 12000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(static_thresholds_pause_above_and_resume_below, setup),
        cmocka_unit_test_setup(bytes_go_to_reserve_then_pool_then_headroom, setup),
        cmocka_unit_test_setup(an_account_with_nothing_shared_resumes, setup),
        cmocka_unit_test_setup(headroom_counts_the_link_back_at_its_own_rate_and_delay, setup),
        cmocka_unit_test_setup(headroom_covers_all_that_can_arrive_after_the_threshold, setup),
        cmocka_unit_test_setup(shift_falls_by_one_for_each_doubling_of_the_rate, setup),
        cmocka_unit_test_setup(a_host_may_not_send_in_a_paused_class, setup),
    };
    return cmocka_run_group_tests_name("features/pfc_core", tests, NULL, NULL);
}
