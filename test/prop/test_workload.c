/* test/prop/test_workload.c - what holds for many draws: means, rates, shapes, order, and no crash on torn input. */
#include "test/unit/workload/workload_fixture.h"
#include <math.h>
#include <stdlib.h>

/* 2^20 evenly spaced draws: the mean without chance. Cutting to whole bytes takes half a byte off the true mean. */
static void even_draws_have_the_true_mean_of_every_distribution(void **state)
{
    (void)state;
    for (const struct weir_cdf_info *info = weir_cdf_infos; info->name != NULL; info++) {
        struct weir_cdf cdf;
        const char *text = NULL;
        uint64_t sum = 0, last = 0;
        assert_non_null(weir_cdf_find(info->name, &text));
        assert_int_equal(weir_cdf_parse(&cdf, info->file, text, info->log_linear, &fix_err), 0);
        for (uint64_t i = 0; i < 1u << 20; i++) {
            uint64_t bytes = weir_cdf_sample(&cdf, i << 44 | UINT64_C(1) << 43);
            assert_true(bytes >= last); /* a larger draw is never a smaller message */
            assert_in_range(bytes, cdf.point[0].bytes, cdf.point[cdf.count - 1].bytes);
            last = bytes;
            sum += bytes;
        }
        double mean = (double)sum / (1u << 20), want = (double)cdf.mean_millibytes / 1000;
        assert_true(mean < want * 1.0005);
        assert_true(mean > want * 0.9995 - 0.6);
        weir_cdf_free(&cdf);
    }
}

/* Half a percent is two standard errors or more of a million draws where the deviation is below 2.5 means. */
static void a_million_random_draws_have_the_true_mean_where_the_variance_allows(void **state)
{
    static const char *const names[] = {
        "wkc",         "websearch",        "websearch-packets", "webserver-xpass", "cachefollower-xpass",
        "fb-keyvalue", "fb-cachefollower", "fb-webserver"
    };
    uint64_t key = weir_rng_key(42, 0, WEIR_RNG_TEST, 0);
    (void)state;
    for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
        struct weir_cdf cdf;
        const char *text = NULL;
        uint64_t sum = 0;
        const struct weir_cdf_info *info = weir_cdf_find(names[n], &text);
        assert_int_equal(weir_cdf_parse(&cdf, info->file, text, info->log_linear, &fix_err), 0);
        for (uint64_t i = 0; i < 1000000; i++)
            sum += weir_cdf_sample(&cdf, weir_rng_at(key, i));
        double ratio = (double)sum / 1000 / (double)cdf.mean_millibytes;
        print_message("%s: mean of 10^6 draws %.5f of the true one\n", names[n], ratio);
        assert_true(ratio > 0.995 && ratio < 1.005);
        weir_cdf_free(&cdf);
    }
}

/* How often each part of the range is hit: a million draws in 64 parts. */
static void draws_fill_the_range_as_the_cdf_says(void **state)
{
    uint64_t key = weir_rng_key(7, 0, WEIR_RNG_TEST, 0), limit[64];
    uint32_t hits[65] = { 0 };
    struct weir_cdf cdf;
    const char *text = NULL;
    double chi_square = 0;
    (void)state;
    assert_non_null(weir_cdf_find("wkb", &text));
    assert_int_equal(weir_cdf_parse(&cdf, "wkb", text, 1, &fix_err), 0);
    for (uint64_t i = 0; i < 64; i++)
        limit[i] = weir_cdf_sample(&cdf, i << 58);
    for (uint64_t n = 0; n < 1000000; n++) {
        uint64_t bytes = weir_cdf_sample(&cdf, weir_rng_at(key, n));
        uint32_t part = 0;
        while (part < 63 && bytes >= limit[part + 1])
            part++;
        hits[part]++;
    }
    for (uint32_t i = 32; i < 64; i++) /* where sizes are large enough that cutting to bytes moves nobody */
        chi_square += (hits[i] - 15625.0) * (hits[i] - 15625.0) / 15625.0;
    print_message("chi-square of 32 parts: %.1f\n", chi_square);
    assert_true(chi_square < 75); /* 31 degrees: p = 2 * 10^-5 */
    weir_cdf_free(&cdf);
}

/* Arrivals of 144 hosts for 10 ms at 233.6 ns: 6.16 million. */
static void poisson_arrivals_have_their_rate_and_shape(void **state)
{
    double count = 0, sum = 0, squares = 0, beyond = 0;
    uint32_t to[144] = { 0 };
    (void)state;
    fix_limits.end_ps = 10 * WEIR_PS_PER_MS;
    fix_add(POISSON(.sizes = "1460 B", .load_ppm = 500000));
    fix_build();
    for (uint32_t host = 0; host < 144; host++) {
        struct weir_source src;
        struct weir_message m;
        uint64_t last_ps = 0;
        for (weir_source_init(&src, &fix_wl, host); weir_source_next_ps(&src) != WEIR_NEVER;) {
            weir_source_take(&src, &m);
            double gap = (double)(m.start_ps - last_ps) / 233600;
            assert_true(m.start_ps >= last_ps && m.start_ps < fix_limits.end_ps);
            last_ps = m.start_ps;
            count++, sum += gap, squares += gap * gap, beyond += gap > 3;
            to[m.dst]++;
        }
    }
    double expected = 144 * 10e9 / 233600, mean = sum / count, variance = squares / count - mean * mean;
    print_message("arrivals %.5f of expected, mean gap %.5f, variance %.5f, beyond 3 means %.5f of e^-3\n",
                  count / expected, mean, variance, beyond / count / exp(-3));
    assert_true(fabs(count / expected - 1) < 0.002); /* five deviations of a count: 5 / sqrt(6.16e6) */
    assert_true(fabs(mean - 1) < 0.002);
    assert_true(fabs(variance - 1) < 0.005); /* the exponential's variance is the square of its mean */
    assert_true(fabs(beyond / count / exp(-3) - 1) < 0.01);
    for (uint32_t h = 0; h < 144; h++)
        assert_true(fabs(to[h] / (expected / 144) - 1) < 0.03); /* 42800 each, deviation 207: six of them */
}

/* Offered bytes of the example in SIRD's evaluation, background and incast, against 50 Gb/s per host. */
static void background_and_incast_offer_the_load_together(void **state)
{
    double bytes[2] = { 0 };
    (void)state;
    fix_limits.end_ps = 200 * WEIR_PS_PER_MS;
    fix_add(POISSON(.sizes = "wkc", .load_ppm = 500000));
    fix_add(INCAST(.share_ppm = 70000));
    fix_build();
    for (uint32_t host = 0; host < 144; host++) {
        struct weir_source src;
        struct weir_message m;
        for (weir_source_init(&src, &fix_wl, host); weir_source_next_ps(&src) != WEIR_NEVER;) {
            weir_source_take(&src, &m);
            bytes[m.item] += (double)m.bytes;
        }
    }
    double full = 50e9 / 8 * 0.2 * 144;
    print_message("background %.5f of 0.93, incast %.5f of 0.07\n", bytes[0] / full / 0.93, bytes[1] / full / 0.07);
    assert_true(fabs(bytes[0] / full - 0.93) < 0.93 * 0.04); /* 67000 messages, deviation 2.4 means: four of them */
    assert_true(fabs(bytes[1] / full - 0.07) < 0.07 * 0.002);
}

/* Any text may be refused, but it must be refused or be good to draw from; the sanitizers watch. */
static void torn_distributions_are_refused_or_sound(void **state)
{
    static const char alphabet[] = "0123456789,.,\n\n#e- xs";
    uint64_t key = weir_rng_key(3, 0, WEIR_RNG_TEST, 0), n = 0, sound = 0;
    char text[64];
    (void)state;
    for (uint32_t i = 0; i < 200000; i++) {
        struct weir_cdf cdf;
        uint32_t length = weir_rng_below(weir_rng_at(key, n++), 40), at = 0;
        if (i % 2 == 0)
            at = (uint32_t)snprintf(text, sizeof(text), "%u,0\n", weir_rng_below(weir_rng_at(key, n++), 9));
        for (; at < length; at++)
            text[at] = alphabet[weir_rng_below(weir_rng_at(key, n++), sizeof(alphabet) - 1)];
        (void)snprintf(text + at, sizeof(text) - at, "%s", i % 4 < 2 ? "\n999999999,1\n" : "");
        if (weir_cdf_parse(&cdf, "torn", text, (int)(i % 3) - 1, &fix_err) != 0)
            continue;
        sound++;
        for (uint32_t k = 0; k < 10; k++)
            assert_in_range(weir_cdf_sample(&cdf, weir_rng_at(key, n++)), 1, WEIR_CDF_SIZE_MAX);
        weir_cdf_free(&cdf);
    }
    print_message("%llu of 200000 were sound\n", (unsigned long long)sound);
    assert_true(sound > 100);
}

#define PROP_TEST(name) cmocka_unit_test_setup_teardown(name, fix_setup, fix_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROP_TEST(even_draws_have_the_true_mean_of_every_distribution),
        PROP_TEST(a_million_random_draws_have_the_true_mean_where_the_variance_allows),
        PROP_TEST(draws_fill_the_range_as_the_cdf_says),
        PROP_TEST(poisson_arrivals_have_their_rate_and_shape),
        PROP_TEST(background_and_incast_offer_the_load_together),
        PROP_TEST(torn_distributions_are_refused_or_sound),
    };
    return cmocka_run_group_tests_name("prop/workload", tests, NULL, NULL);
}
