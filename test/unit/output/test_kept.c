/* test/unit/output/test_kept.c - the sample of messages: the tail is whole, the rest is weighed, and no order matters. */
#include "test/unit/weir_test.h"
#include "core/rng.h"
#include "output/kept.h"
#include <string.h>

enum { MESSAGES = 20000, MOST = 1000 };

static struct weir_err err;
static struct weir_kept kept;
static struct weir_store_message row[MESSAGES];
static uint32_t rows;

static bool take(void *ctx, const struct weir_store_message *message)
{
    (void)ctx;
    row[rows++] = *message;
    return true;
}

/* A slowdown of 1 to 2, of one in a hundred up to 100. */
static struct weir_account_row message(uint32_t i)
{
    uint64_t draw = weir_rng_at(77, i), slow_ps = draw % 100 == 0 ? draw % 99000 : draw % 1000;
    return (struct weir_account_row){ .finish_ps = 5000 + i,
                                      .d = { .id = (uint64_t)i << 20, .end_ps = 1000 + slow_ps, .ideal_ps = 1000 } };
}

static void sample(uint32_t messages, uint32_t most, uint32_t step)
{
    assert_int_equal(weir_kept_init(&kept, most, &err), 0);
    rows = 0;
    for (uint64_t i = 0; i < messages; i++) {
        const struct weir_account_row m = message((uint32_t)(i * step % messages));
        weir_kept_add(&kept, &m);
    }
    assert_true(weir_kept_each(&kept, take, NULL));
}

static int teardown(void **state)
{
    (void)state;
    weir_kept_free(&kept);
    return 0;
}

static uint64_t slowdown(const struct weir_delivery *d)
{
    return d->end_ps - d->start_ps;
}

static void the_slowest_are_all_there(void **state)
{
    uint32_t above = 0, kept_above = 0;
    struct weir_store_kept about;
    (void)state;
    sample(MESSAGES, MOST, 1);
    about = weir_kept_about(&kept);
    assert_int_equal(about.messages, MESSAGES);
    assert_int_equal(about.slowest, MOST / 2);
    assert_int_equal(about.others, MOST / 2);
    for (uint32_t i = 0; i < MESSAGES; i++)
        above += slowdown(&(struct weir_delivery){ .end_ps = message(i).d.end_ps }) > about.slowest_from_ppm / 1000;
    for (uint32_t i = 0; i < rows; i++)
        kept_above += row[i].weight == 1 && slowdown(&row[i].d) > about.slowest_from_ppm / 1000;
    assert_in_range(above, 1, MOST / 2 - 1); /* those with exactly that slowdown fill the half */
    assert_int_equal(kept_above, above);
}

static void weights_add_up_to_all_messages(void **state)
{
    double sum = 0;
    uint32_t whole = 0;
    (void)state;
    sample(MESSAGES, MOST, 1);
    assert_int_equal(rows, MOST);
    for (uint32_t i = 0; i < rows; i++) {
        sum += row[i].weight;
        whole += row[i].weight == 1;
        assert_true(row[i].weight == 1 || row[i].weight == (MESSAGES - MOST / 2) / (MOST / 2.0));
    }
    assert_int_equal(whole, MOST / 2);
    assert_true(sum == MESSAGES);
}

static void order_does_not_matter(void **state)
{
    static struct weir_store_message first[MOST];
    (void)state;
    sample(MESSAGES, MOST, 1);
    memcpy(first, row, sizeof(first));
    weir_kept_free(&kept);
    sample(MESSAGES, MOST, 7919); /* another order: it and MESSAGES share no factor */
    assert_int_equal(rows, MOST);
    for (uint32_t i = 0; i < rows; i++) {
        assert_int_equal(row[i].d.id, first[i].d.id);
        assert_true(row[i].weight == first[i].weight);
        assert_true(i == 0 || row[i].d.id > row[i - 1].d.id); /* by the time of their end */
    }
}

/* The least slowdown such that `share` of all weights is at or below it. */
static uint64_t quantile(const uint64_t *value, const double *weight, uint32_t count, double share)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        double below = 0, sum = 0;
        for (uint32_t k = 0; k < count; k++) {
            sum += weight[k];
            below += value[k] <= value[i] ? weight[k] : 0;
        }
        if (below >= share * sum && value[i] < least)
            least = value[i];
    }
    return least;
}

static void a_quantile_in_the_tail_is_exact_and_the_median_near(void **state)
{
    enum { FEW = 4000 };
    static uint64_t all[FEW], some[FEW];
    static double one[FEW], weight[FEW];
    (void)state;
    sample(FEW, 400, 1);
    for (uint32_t i = 0; i < FEW; i++) {
        all[i] = message(i).d.end_ps;
        one[i] = 1;
    }
    for (uint32_t i = 0; i < rows; i++) {
        some[i] = row[i].d.end_ps;
        weight[i] = row[i].weight;
    }
    assert_int_equal(quantile(some, weight, rows, 0.99), quantile(all, one, FEW, 0.99));
    assert_in_range(quantile(some, weight, rows, 0.5), quantile(all, one, FEW, 0.4), quantile(all, one, FEW, 0.6));
}

static void few_messages_are_all_kept(void **state)
{
    (void)state;
    for (uint32_t count = 0; count < 5; count++) {
        sample(count, 4, 1);
        assert_int_equal(rows, count);
        for (uint32_t i = 0; i < rows; i++)
            assert_true(row[i].weight == 1);
        weir_kept_free(&kept);
    }
}

static void one_row_stands_for_all(void **state)
{
    (void)state;
    sample(MESSAGES, 1, 1);
    assert_int_equal(rows, 1);
    assert_true(row[0].weight == MESSAGES);
    assert_int_equal(weir_kept_about(&kept).slowest, 0);
}

static void replies_are_left_out_and_nothing_to_expect_is_not_slow(void **state)
{
    struct weir_account_row m = message(1);
    (void)state;
    assert_int_equal(weir_kept_init(&kept, 2, &err), 0);
    rows = 0;
    m.d.is_reply = true;
    weir_kept_add(&kept, &m);
    m.d.is_reply = false;
    m.d.ideal_ps = 0;
    weir_kept_add(&kept, &m);
    assert_true(weir_kept_each(&kept, take, NULL));
    assert_int_equal(rows, 1);
    assert_int_equal(weir_kept_about(&kept).messages, 1);
    assert_int_equal(weir_kept_about(&kept).slowest_from_ppm, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_slowest_are_all_there, teardown),
        cmocka_unit_test_teardown(weights_add_up_to_all_messages, teardown),
        cmocka_unit_test_teardown(order_does_not_matter, teardown),
        cmocka_unit_test_teardown(a_quantile_in_the_tail_is_exact_and_the_median_near, teardown),
        cmocka_unit_test_teardown(few_messages_are_all_kept, teardown),
        cmocka_unit_test_teardown(one_row_stands_for_all, teardown),
        cmocka_unit_test_teardown(replies_are_left_out_and_nothing_to_expect_is_not_slow, teardown),
    };
    return cmocka_run_group_tests_name("output/kept", tests, NULL, NULL);
}
