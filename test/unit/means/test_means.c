/* test/unit/means/test_means.c - intervals by batch means, the warm-up by MSER-5, and when a run of unknown length may
 * end, on batches by hand. */
#include "test/unit/weir_test.h"
#include "means/interval.h"
#include "means/length.h"
#include "measure/result.h"
#include <math.h>
#include <string.h>

static struct weir_batch list[WEIR_LENGTH_BATCHES];

/* Fills list[] with `count` batches whose arrived bytes are value[i % values]. */
static void fill(uint32_t count, const uint64_t *value, uint32_t values)
{
    memset(list, 0, sizeof(list));
    for (uint32_t i = 0; i < count; i++)
        list[i] = (struct weir_batch){ .messages = 1,
                                       .slowdown_ppm = 2000000,
                                       .arrived_bytes = value[i % values],
                                       .started_bytes = value[i % values],
                                       .queue_millibytes = 5000 };
}

static void assert_near(double is, double must)
{
    if (!(fabs(is - must) <= 1e-9 * fabs(must)))
        fail_msg("%.15g, must be %.15g", is, must);
}

/* 1, 2, 3, 4, 10: mean 4, errors -3, -2, -1, 0, 6, squares 50, products 6 + 2 = 8: a resemblance of 0.16. */
static void an_interval_by_hand(void **state)
{
    static const uint64_t value[] = { 1, 2, 3, 4, 10 };
    struct weir_interval i;
    (void)state;
    fill(5, value, 5);
    i = weir_mean_interval(list, 5, 1, WEIR_MEAN_GOODPUT);
    assert_true(i.is_known);
    assert_near(i.mean, 4);
    assert_near(i.half_width, 2.776 * sqrt(50 * (1.16 / 0.84) / 4 / 5));
}

/* Errors -2, 2, -2, 2, -2, 2 resemble their neighbours in nothing, so no correction narrows them; and of widths of 2
 * there is no error at all. */
static void what_alternates_is_not_narrowed(void **state)
{
    static const uint64_t value[] = { 1, 5 };
    (void)state;
    fill(12, value, 2);
    assert_near(weir_mean_interval(list, 6, 1, WEIR_MEAN_GOODPUT).half_width, 2.571 * sqrt(24.0 / 5 / 6));
    assert_true(weir_mean_interval(list, 6, 2, WEIR_MEAN_GOODPUT).half_width == 0);
    assert_near(weir_mean_interval(list, 6, 2, WEIR_MEAN_GOODPUT).mean, 3);
}

/* Ten batches that come in equal pairs: five wide ones have the same errors, fewer degrees, and no resemblance. */
static void the_widest_of_the_widths_counts(void **state)
{
    static const uint64_t value[] = { 1, 1, 9, 9, 1, 1, 9, 9, 5, 5 }; /* mean 5; errors of pairs -4, 4, -4, 4, 0 */
    double narrow, wide = 2.776 * sqrt(64.0 / 4 / 5);
    (void)state;
    fill(10, value, 10);
    narrow = 2.262 * sqrt(128.0 / 9 / 10); /* neighbours: 64 in pairs - 48 between them = 16, a resemblance of 0.125 */
    narrow *= sqrt(1.125 / 0.875);
    assert_true(wide > narrow);
    assert_near(weir_mean_interval(list, 10, 1, WEIR_MEAN_GOODPUT).half_width, wide);
}

/* Of slowdown the mean is by message: 3 messages of 2 and 1 of 6 are 12 / 4. */
static void slowdown_is_by_message(void **state)
{
    static const uint64_t value[] = { 0 };
    struct weir_interval i;
    (void)state;
    fill(5, value, 1);
    memset(list, 0, sizeof(list));
    assert_false(weir_mean_interval(list, 5, 1, WEIR_MEAN_SLOWDOWN).is_known);
    list[1] = (struct weir_batch){ .messages = 3, .slowdown_ppm = 6000000 };
    list[3] = (struct weir_batch){ .messages = 1, .slowdown_ppm = 6000000 };
    i = weir_mean_interval(list, 5, 1, WEIR_MEAN_SLOWDOWN);
    assert_near(i.mean, 3);
    /* errors (6 - 9) / 0.8 and (6 - 3) / 0.8, the others 0 */
    assert_near(i.half_width, 2.776 * sqrt(2 * 3.75 * 3.75 / 4 / 5));
}

/* 30 batches of 100 and 170 of 10, 20, 10, 20, ..: groups of five average 100, then 14 and 16. */
static void the_warmup_is_what_differs(void **state)
{
    static const uint64_t low[] = { 10, 20 };
    (void)state;
    fill(200, low, 2);
    assert_int_equal(weir_mean_warmup(list, 200, WEIR_MEAN_GOODPUT), 0);
    for (uint32_t i = 0; i < 30; i++)
        list[i].arrived_bytes = 100;
    assert_int_equal(weir_mean_warmup(list, 200, WEIR_MEAN_GOODPUT), 30);
    assert_int_equal(weir_mean_warmup(list, 200, WEIR_MEAN_QUEUE), 0); /* nothing varies: none is dropped */
    for (uint32_t i = 30; i < 120; i++)
        list[i].arrived_bytes = 100;
    assert_true(weir_mean_warmup(list, 200, WEIR_MEAN_GOODPUT) == UINT32_MAX);
}

/* Equal groups are equal, whatever rounding makes of their squares: 300.2 bytes per batch, and slowdowns of 1.1. */
static void no_warmup_where_nothing_varies(void **state)
{
    static const uint64_t value[] = { 300, 301, 300, 300, 300 };
    (void)state;
    for (uint32_t count = 100; count <= WEIR_LENGTH_BATCHES; count += count / 4) {
        fill(count, value, 5);
        for (uint32_t i = 0; i < count; i++) {
            list[i].messages = 1 + i % 7;
            list[i].slowdown_ppm = list[i].messages * 1100000;
        }
        assert_int_equal(weir_mean_warmup(list, count, WEIR_MEAN_GOODPUT), 0);
        assert_int_equal(weir_mean_warmup(list, count, WEIR_MEAN_SLOWDOWN), 0);
    }
}

static struct weir_length length_of(double precision)
{
    return (struct weir_length){ .precision = precision, .least_queue = 1 };
}

/* Passes batches one by one until the length is known. Returns how many. */
static uint32_t pass(struct weir_length *length, uint32_t most)
{
    struct weir_batches b = { .length_ps = 1, .count = WEIR_LENGTH_BATCHES, .batch = list, .begun = true };
    while (b.done < most) {
        b.done++;
        if (weir_length_after(length, &b) != WEIR_LENGTH_GOES_ON)
            break;
    }
    return b.done;
}

/* Checks are at 100, 125, 156, .. batches; two in a row must find the means precise. */
static void two_checks_find_means_that_are_precise(void **state)
{
    static const uint64_t value[] = { 999, 1001 };
    struct weir_length length = length_of(0.05);
    (void)state;
    fill(WEIR_LENGTH_BATCHES, value, 2);
    assert_int_equal(pass(&length, WEIR_LENGTH_BATCHES), 125);
    assert_int_equal(length.verdict, WEIR_LENGTH_PRECISE);
    assert_int_equal(length.warmup + WEIR_BATCHES * length.width, 125);
    assert_true(length.mean[WEIR_MEAN_SLOWDOWN].mean == 2 && length.mean[WEIR_MEAN_QUEUE].mean == 5);
}

static void what_varies_ends_at_the_most(void **state)
{
    struct weir_length length = length_of(0.001);
    double part;
    (void)state;
    fill(WEIR_LENGTH_BATCHES, (const uint64_t[]){ 1000 }, 1);
    for (uint32_t i = 0; i < WEIR_LENGTH_BATCHES; i++) /* no period that a width would hide */
        list[i].arrived_bytes = list[i].started_bytes = 1000 + i * 7919 % 1009;
    assert_int_equal(pass(&length, WEIR_LENGTH_BATCHES), WEIR_LENGTH_BATCHES);
    assert_int_equal(length.verdict, WEIR_LENGTH_MOST_SEEN);
    assert_true(length.keeps_up);
    assert_int_equal(weir_length_widest(&length, &part), WEIR_MEAN_GOODPUT);
    assert_true(part > 0.001 && part < 0.1);
    assert_true(length.warmup + WEIR_BATCHES * length.width == WEIR_LENGTH_BATCHES && length.warmup < 1020);
}

/* What is unfinished grows by 30 of 1000 bytes in each batch: found at the first check, and said at eight times that. */
static void overload_is_said(void **state)
{
    struct weir_length length = length_of(0.05);
    uint32_t seen;
    (void)state;
    fill(WEIR_LENGTH_BATCHES, (const uint64_t[]){ 1000 }, 1);
    for (uint32_t i = 0; i < WEIR_LENGTH_BATCHES; i++) {
        list[i].started_bytes = 1030;
        list[i].unfinished_bytes = UINT64_C(30) * (i + 1);
    }
    seen = pass(&length, WEIR_LENGTH_BATCHES);
    assert_int_equal(length.verdict, WEIR_LENGTH_OVERLOAD);
    assert_int_equal(length.growing, 100);
    assert_in_range(seen, 800, 1000);
}

/* Less than 98 % of what started arrived: no interval helps, though what is unfinished does not grow steadily. */
static void a_run_that_does_not_keep_up_is_not_precise(void **state)
{
    struct weir_length length = length_of(0.05);
    (void)state;
    fill(WEIR_LENGTH_BATCHES, (const uint64_t[]){ 1000 }, 1);
    for (uint32_t i = 0; i < WEIR_LENGTH_BATCHES; i++)
        list[i].started_bytes = 1021;
    assert_int_equal(pass(&length, WEIR_LENGTH_BATCHES), WEIR_LENGTH_BATCHES);
    assert_true(length.verdict == WEIR_LENGTH_MOST_SEEN && !length.keeps_up);
    length = length_of(0.05);
    for (uint32_t i = 0; i < WEIR_LENGTH_BATCHES; i++)
        list[i].started_bytes = 1020;
    assert_true(pass(&length, WEIR_LENGTH_BATCHES) < WEIR_LENGTH_BATCHES && length.keeps_up);
}

/* 20 batches with 100 messages each, of slowdown 1 to 100: nothing varies, so the ends are the percentile itself. One
 * batch of other messages moves them apart. */
static void a_percentile_has_ranks_around_it(void **state)
{
    struct weir_batches *b = weir_batches_new(WEIR_BATCHES, 1, true);
    struct weir_range p50, wide;
    (void)state;
    assert_non_null(b);
    assert_false(weir_quantile_range(b, 500000).is_known); /* none is over */
    b->done = b->count;
    assert_false(weir_quantile_range(b, 500000).is_known); /* and there is no message */
    for (uint32_t i = 0; i < WEIR_BATCHES; i++)
        for (uint64_t m = 1; m <= 100; m++)
            weir_histogram_add(&b->slowdown[i], m * 1000000);
    p50 = weir_quantile_range(b, 500000);
    assert_true(p50.is_known);
    assert_true(fabs(p50.low - 50) < 0.3 && fabs(p50.high - 50) < 0.3);
    for (uint64_t m = 1; m <= 100; m++)
        weir_histogram_add(&b->slowdown[7], 90000000);
    wide = weir_quantile_range(b, 500000);
    assert_true(wide.low < p50.low && wide.high > p50.high && wide.high < 90);
    assert_false(weir_quantile_range(b, 999900).is_known); /* the largest message would be the end */
    weir_batches_free(b);
}

/* Two calls begin and end a batch; sums are differences, the queue is that of the batch. */
static void batches_are_differences(void **state)
{
    struct weir_batches *b = weir_batches_new(2, 10, false);
    (void)state;
    assert_non_null(b);
    weir_batches_pass(b, &(struct weir_batch){ .messages = 5, .arrived_bytes = 100, .queue_millibytes = 9 });
    assert_true(b->begun && b->done == 0);
    weir_batches_pass(
        b, &(struct weir_batch){
               .messages = 8, .slowdown_ppm = 3, .arrived_bytes = 150, .queue_millibytes = 7, .unfinished_bytes = 4 });
    assert_int_equal(b->done, 1);
    assert_true(b->batch[0].messages == 3 && b->batch[0].slowdown_ppm == 3 && b->batch[0].arrived_bytes == 50);
    assert_true(b->batch[0].queue_millibytes == 7 && b->batch[0].unfinished_bytes == 4);
    weir_batches_free(b);
    weir_batches_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_by_hand),
        cmocka_unit_test(what_alternates_is_not_narrowed),
        cmocka_unit_test(the_widest_of_the_widths_counts),
        cmocka_unit_test(slowdown_is_by_message),
        cmocka_unit_test(the_warmup_is_what_differs),
        cmocka_unit_test(no_warmup_where_nothing_varies),
        cmocka_unit_test(two_checks_find_means_that_are_precise),
        cmocka_unit_test(what_varies_ends_at_the_most),
        cmocka_unit_test(overload_is_said),
        cmocka_unit_test(a_run_that_does_not_keep_up_is_not_precise),
        cmocka_unit_test(a_percentile_has_ranks_around_it),
        cmocka_unit_test(batches_are_differences),
    };
    return cmocka_run_group_tests_name("means/means", tests, NULL, NULL);
}
