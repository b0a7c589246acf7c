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

/* A wave of 19 batches: neighbours have a correlation of 0.951, and 0.9 is corrected for, by a factor of 19. */
static void a_resemblance_counts_up_to_its_bound(void **state)
{
    enum { WAVE = 19 };
    uint64_t value[WAVE];
    double mean = 0, squares = 0, products = 0;
    (void)state;
    for (uint32_t i = 0; i < WAVE; i++) {
        value[i] = (uint64_t)(1000000.5 + 500000 * sin(2 * acos(-1) * (i + 1) / (WAVE + 1)));
        mean += (double)value[i] / WAVE;
    }
    for (uint32_t i = 0; i < WAVE; i++) {
        squares += ((double)value[i] - mean) * ((double)value[i] - mean);
        products += i > 0 ? ((double)value[i] - mean) * ((double)value[i - 1] - mean) : 0;
    }
    assert_true(products / squares > 0.95);
    fill(WAVE, value, WAVE);
    assert_near(weir_mean_interval(list, WAVE, 1, WEIR_MEAN_GOODPUT).half_width, 2.101 * sqrt(19 * squares / 18 / 19));
}

/* Of slowdown the mean is by message: 3 messages of 2, one of 6 and one of 3 are 15 / 5. */
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
    assert_false(weir_mean_interval(list, 5, 1, WEIR_MEAN_SLOWDOWN).is_known); /* two batches of five: too few */
    list[4] = (struct weir_batch){ .messages = 1, .slowdown_ppm = 3000000 };
    i = weir_mean_interval(list, 5, 1, WEIR_MEAN_SLOWDOWN);
    assert_true(i.is_known);
    assert_near(i.mean, 3);
    /* errors (6 - 9) / 1 and (6 - 3) / 1, the others 0; 3 and -3 are not neighbours */
    assert_near(i.half_width, 2.776 * sqrt(2 * 3.0 * 3.0 / 4 / 5));
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
    return (struct weir_length){ .precision = precision, .least_queue = 1, .has_messages = true };
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

/* No message has ended, and then messages end in one batch of three: slowdown is not known, however little it varies.
 * Where no message will ever count, it is not waited for. */
static void a_run_waits_for_messages_and_bytes(void **state)
{
    static const uint64_t value[] = { 999, 1001 };
    struct weir_length length = length_of(0.05);
    (void)state;
    fill(WEIR_LENGTH_BATCHES, value, 2);
    for (uint32_t i = 0; i < WEIR_LENGTH_BATCHES; i++)
        if (i < 500 || i % 3 > 0)
            list[i].messages = list[i].slowdown_ppm = 0;
    assert_in_range(pass(&length, WEIR_LENGTH_BATCHES), 600, WEIR_LENGTH_BATCHES - 1);
    assert_true(length.verdict == WEIR_LENGTH_PRECISE && length.mean[WEIR_MEAN_SLOWDOWN].is_known);
    length = length_of(0.05);
    length.has_messages = false;
    assert_int_equal(pass(&length, WEIR_LENGTH_BATCHES), 125);
    for (uint32_t i = 0; i < 300; i++)
        list[i].arrived_bytes = list[i].started_bytes = 0;
    length = length_of(0.05);
    length.has_messages = false;
    assert_in_range(pass(&length, WEIR_LENGTH_BATCHES), 400, WEIR_LENGTH_BATCHES);
}

/* What was unfinished before the measured part is no growth, also where the warm-up is the given one alone. */
static void what_was_unfinished_before_is_no_growth(void **state)
{
    static const uint64_t value[] = { 999, 1001 };
    struct weir_batches b = { .length_ps = 1, .count = WEIR_LENGTH_BATCHES, .batch = list, .done = 100 };
    struct weir_length length = length_of(0.05);
    (void)state;
    fill(WEIR_LENGTH_BATCHES, value, 2);
    for (uint32_t i = 0; i < WEIR_LENGTH_BATCHES; i++)
        list[i].unfinished_bytes = 50000;
    b.unfinished_bytes = 50000;
    assert_int_equal(weir_length_after(&length, &b), WEIR_LENGTH_GOES_ON);
    assert_true(length.keeps_up && length.warmup == 0);
    length = length_of(0.05);
    b.unfinished_bytes = 0;
    assert_int_equal(weir_length_after(&length, &b), WEIR_LENGTH_GOES_ON);
    assert_false(length.keeps_up);
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

/* What is unfinished grows by 30 of 1000 bytes in each batch: found at the first check, said at eight times that. */
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

/* What is unfinished grows at the first check and then no more: no overload, though the means are not precise. */
static void growth_that_ends_is_no_overload(void **state)
{
    struct weir_length length = length_of(0.001);
    (void)state;
    fill(WEIR_LENGTH_BATCHES, (const uint64_t[]){ 1000 }, 1);
    for (uint32_t i = 0; i < WEIR_LENGTH_BATCHES; i++) {
        list[i].arrived_bytes = list[i].started_bytes = 1000 + i * 7919 % 1009;
        list[i].unfinished_bytes = 60 * (i < 100 ? i + 1 : 100);
    }
    (void)pass(&length, 100);
    assert_int_equal(length.growing, 100);
    length = length_of(0.001);
    assert_int_equal(pass(&length, WEIR_LENGTH_BATCHES), WEIR_LENGTH_BATCHES);
    assert_int_equal(length.verdict, WEIR_LENGTH_MOST_SEEN);
}

/* A step of what is unfinished is no growth, as large as it is: it has to grow from each quarter to the next. */
static void a_step_is_no_growth(void **state)
{
    struct weir_length length = length_of(0.05);
    (void)state;
    fill(WEIR_LENGTH_BATCHES, (const uint64_t[]){ 1000 }, 1);
    for (uint32_t i = 75; i < WEIR_LENGTH_BATCHES; i++)
        list[i].unfinished_bytes = 1000000;
    (void)pass(&length, 100);
    assert_int_equal(length.growing, 0);
}

/* A mean queue of 5 or 10 bytes is less than a packet, so it is precise enough, however much it varies. */
static void a_queue_counts_as_a_packet_at_least(void **state)
{
    struct weir_length length = length_of(0.05);
    double part;
    (void)state;
    fill(WEIR_LENGTH_BATCHES, (const uint64_t[]){ 999, 1001 }, 2);
    for (uint32_t i = 0; i < WEIR_LENGTH_BATCHES; i++)
        list[i].queue_millibytes = i * 7919 % 1009 < 500 ? 5000 : 10000;
    length.least_queue = 1460;
    assert_int_equal(pass(&length, WEIR_LENGTH_BATCHES), 125);
    (void)weir_length_widest(&length, &part);
    assert_true(part < 0.01);
    length = length_of(0.05);
    assert_true(pass(&length, WEIR_LENGTH_BATCHES) > 125);
    assert_int_equal(weir_length_widest(&length, &part), WEIR_MEAN_QUEUE);
}

/* Most of the longest run is warm-up: half of it is taken, and the means are those of the rest. */
static void the_warmup_is_half_of_the_longest_run_at_most(void **state)
{
    struct weir_length length = length_of(0.05);
    (void)state;
    fill(WEIR_LENGTH_BATCHES, (const uint64_t[]){ 999, 1001 }, 2);
    for (uint32_t i = 0; i < 1400; i++) /* ever less, so that no part of it looks steady */
        list[i].arrived_bytes = list[i].started_bytes = 1000 + 10 * (1400 - i);
    assert_int_equal(pass(&length, WEIR_LENGTH_BATCHES), WEIR_LENGTH_BATCHES);
    assert_int_equal(length.verdict, WEIR_LENGTH_MOST_SEEN);
    assert_true(length.warmup == WEIR_LENGTH_BATCHES / 2 && length.width == WEIR_LENGTH_BATCHES / 2 / WEIR_BATCHES);
    assert_true(length.mean[WEIR_MEAN_GOODPUT].mean > 0);
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

/* A bucket holds more than one value: its ends are those of the interval, so that the percentile itself is within. No
 * slowdown is below 1. */
static void a_percentile_is_within_its_interval(void **state)
{
    static const uint64_t value[] = { 1000000, 1003000, 2300000, 77700000 };
    (void)state;
    for (size_t v = 0; v < sizeof(value) / sizeof(value[0]); v++) {
        struct weir_batches *b = weir_batches_new(WEIR_BATCHES, 1, true);
        struct weir_range p50;
        assert_non_null(b);
        b->done = b->count;
        for (uint32_t i = 0; i < WEIR_BATCHES; i++) {
            weir_histogram_add_times(&b->slowdown[i], value[v], 10);
            weir_histogram_add(&b->slowdown[i], 100 * value[v]);
        }
        p50 = weir_quantile_range(b, 500000);
        assert_true(p50.is_known && p50.low >= 1);
        assert_true(p50.low <= (double)value[v] / 1e6 && p50.high >= (double)value[v] / 1e6);
        assert_true(p50.high < 1.01 * p50.low);
        weir_batches_free(b);
    }
}

/* Two messages in all: both ends would be the first one. Messages in half of the batches suffice. */
static void few_messages_have_no_percentile(void **state)
{
    struct weir_batches *b = weir_batches_new(WEIR_BATCHES, 1, true);
    (void)state;
    assert_non_null(b);
    b->done = b->count;
    weir_histogram_add(&b->slowdown[3], 1300000);
    weir_histogram_add(&b->slowdown[3], 1400000);
    assert_false(weir_quantile_range(b, 500000).is_known);
    for (uint32_t i = 0; i < WEIR_BATCHES / 2; i++)
        weir_histogram_add_times(&b->slowdown[i], 1300000, 100);
    assert_true(weir_quantile_range(b, 500000).is_known);
    weir_batches_free(b);
}

/* Goodput and queue have intervals without messages, slowdown does not; and a run that is not stable has none. Arrived
 * bytes are 1000 and 3000 in turn in 1 us: errors of 1000 B in 20 batches, 8 Gbps over 4 hosts. */
static void intervals_of_a_result(void **state)
{
    struct weir_batches *b = weir_batches_new(WEIR_BATCHES, 1000000, true);
    struct weir_result result = { .batches = b, .stable = true, .hosts = 4 };
    double half = 2.093 / sqrt(19);
    (void)state;
    assert_non_null(b);
    b->done = b->count;
    weir_result_intervals(&result);
    assert_false(result.intervals.has_means); /* nothing arrived */
    for (uint32_t i = 0; i < WEIR_BATCHES; i++)
        b->batch[i] = (struct weir_batch){ .arrived_bytes = i % 2 == 0 ? 1000 : 3000,
                                           .queue_millibytes = i % 2 == 0 ? 1000 : 3000 };
    weir_result_intervals(&result);
    assert_true(result.intervals.has_means && !result.intervals.has_slowdown && !result.intervals.has_p50);
    assert_true(fabs((double)result.intervals.goodput_bps - 2e9 * half) <= 1);
    assert_true(fabs((double)result.intervals.queue_millibytes - 1000 * half) <= 1);
    for (uint32_t i = 0; i < WEIR_BATCHES; i++) {
        b->batch[i].messages = 1;
        b->batch[i].slowdown_ppm = i % 2 == 0 ? 1000000 : 2000000;
    }
    weir_result_intervals(&result);
    assert_true(result.intervals.has_slowdown);
    assert_true(fabs((double)result.intervals.slowdown_ppb - 5e8 * half) <= 1);
    result.stable = false;
    weir_result_intervals(&result);
    assert_false(result.intervals.has_means || result.intervals.has_slowdown);
    weir_batches_free(b);
}

/* Two calls begin and end a batch; sums are differences, the queue is that of the batch. */
static void batches_are_differences(void **state)
{
    struct weir_batches *b = weir_batches_new(2, 10, false);
    (void)state;
    assert_non_null(b);
    weir_batches_pass(
        b, &(struct weir_batch){ .messages = 5, .arrived_bytes = 100, .queue_millibytes = 9, .unfinished_bytes = 6 });
    assert_true(b->begun && b->done == 0 && b->unfinished_bytes == 6);
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
        cmocka_unit_test(a_resemblance_counts_up_to_its_bound),
        cmocka_unit_test(slowdown_is_by_message),
        cmocka_unit_test(the_warmup_is_what_differs),
        cmocka_unit_test(no_warmup_where_nothing_varies),
        cmocka_unit_test(two_checks_find_means_that_are_precise),
        cmocka_unit_test(a_run_waits_for_messages_and_bytes),
        cmocka_unit_test(what_was_unfinished_before_is_no_growth),
        cmocka_unit_test(what_varies_ends_at_the_most),
        cmocka_unit_test(overload_is_said),
        cmocka_unit_test(growth_that_ends_is_no_overload),
        cmocka_unit_test(a_step_is_no_growth),
        cmocka_unit_test(a_queue_counts_as_a_packet_at_least),
        cmocka_unit_test(the_warmup_is_half_of_the_longest_run_at_most),
        cmocka_unit_test(a_run_that_does_not_keep_up_is_not_precise),
        cmocka_unit_test(a_percentile_has_ranks_around_it),
        cmocka_unit_test(a_percentile_is_within_its_interval),
        cmocka_unit_test(few_messages_have_no_percentile),
        cmocka_unit_test(intervals_of_a_result),
        cmocka_unit_test(batches_are_differences),
    };
    return cmocka_run_group_tests_name("means/means", tests, NULL, NULL);
}
