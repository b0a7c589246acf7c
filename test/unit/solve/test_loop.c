/* test/unit/solve/test_loop.c - the stability of the loop of a phantom queue: by hand, and in time. */
#include "test/unit/weir_test.h"
#include "solve/loop.h"
#include <math.h>

#define LN_100 4.605170185988092
#define PI 3.141592653589793

/* Relative. */
static void is_near(double value, double want, double tolerance)
{
    if (!(fabs(value - want) <= tolerance * fabs(want)))
        fail_msg("%.12g is not %.12g", value, want);
}

static const struct weir_loop one_round_trip = { .flow = { { 1, 0.5, 0.5 } }, .flows = 1, .ratio = 100, .rho = 1 };
static const struct weir_loop first_hop = { .flow = { { 1, 0.125, 0.125 } }, .flows = 1, .ratio = 100, .rho = 0.99 };
static const struct weir_loop last_hop = {
    .flow = { { 1, 0.375, 0.375 }, { 0.5, 0.125, 0.125 } }, .flows = 2, .ratio = 100, .rho = 0.99
};

/* e' = -c e(t - 1) is stable if c < pi / 2: p > 2 ln(100) / pi. It is in proportion to rho, and to ln(alpha / beta). */
static void rates_that_follow_at_once_have_pi_over_two(void **state)
{
    struct weir_loop loop = one_round_trip;
    double period;
    (void)state;
    is_near(weir_loop_limit(&loop, (double)INFINITY, &period), 2 * LN_100 / PI, 1e-12);
    is_near(period, 4, 1e-12);
    loop.rho = 0.5;
    is_near(weir_loop_limit(&loop, (double)INFINITY, NULL), LN_100 / PI, 1e-12);
    loop.ratio = 10;
    is_near(weir_loop_limit(&loop, (double)INFINITY, NULL), LN_100 / 2 / PI, 1e-12);
}

/* omega tan(omega d) = m / rtt: with m = pi / 4 at d = 1 it is pi / 4, and c = sqrt(2) omega. */
static void a_window_that_follows_in_a_round_trip_is_a_lag(void **state)
{
    struct weir_loop loop = one_round_trip;
    double period;
    (void)state;
    is_near(weir_loop_limit(&loop, PI / 4, &period), LN_100 / (sqrt(2) * PI / 4), 1e-12);
    is_near(period, 8, 1e-12);
    /* half the round trip with the same news is as twice the m */
    loop.flow[0] = (struct weir_loop_flow){ 0.5, 0.25, 0.25 };
    is_near(weir_loop_limit(&loop, PI / 4, &period), LN_100 / (sqrt(2) * PI / 2), 1e-12);
    is_near(period, 4, 1e-12);
}

/* cos(omega d1) + cos(omega d2) = 0 at pi / (d1 + d2), where the mean of the sines is cos((d1 - d2) omega / 2). */
static void flows_of_two_delays_are_a_mean(void **state)
{
    struct weir_loop loop = { .flow = { { 1, 0.375, 0.375 }, { 1, 0.25, 0 } }, .flows = 2, .ratio = 100, .rho = 1 };
    double period;
    (void)state;
    is_near(weir_loop_limit(&loop, (double)INFINITY, &period), LN_100 * sqrt(0.5) / PI, 1e-12);
    is_near(period, 2, 1e-12);
    loop.flow[1] = loop.flow[0]; /* two of a kind are as one */
    is_near(weir_loop_limit(&loop, (double)INFINITY, &period), LN_100 / (PI / 1.5), 1e-12);
    is_near(period, 3, 1e-12);
}

/* d1 = 1 and d2 = 0.01: at pi / 1.01 the gain is cos(0.495 pi / 1.01) / omega = 0.0098, at 3 pi / 1.01 it is
 * 0.00329 or less; between, at pi / 0.99, `along` is 0 */
static void of_several_crossings_the_largest_gain_decides(void **state)
{
    struct weir_loop loop = { .flow = { { 1, 0.5, 0.5 }, { 1, 0.01, 0 } }, .flows = 2, .ratio = 100, .rho = 1 };
    double omega = PI / 1.01;
    (void)state;
    is_near(weir_loop_limit(&loop, (double)INFINITY, NULL), LN_100 * cos(0.495 * omega) / omega, 1e-9);
    /* three flows whose fifth crossing, at 64.97, has the largest gain; the first has 0.01244: found apart, on a fine grid of omega */
    loop = (struct weir_loop){
        .flow = { { 1, 1, 0 }, { 1, 0.02, 0 }, { 1, 0.02, 0 } }, .flows = 3, .ratio = 100, .rho = 1
    };
    is_near(weir_loop_limit(&loop, (double)INFINITY, NULL), LN_100 * 0.014216437510888425, 1e-12);
}

/* Without a bound of bytes in flight, time says what the equation says: within 2 %, as steps and a search allow. */
static void paced_windows_have_the_limit_of_the_equation(void **state)
{
    static const double exponents[] = { 0.25, 1, 4 };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        double m = exponents[i], limit = weir_loop_limit(&first_hop, m, NULL);
        assert_true(weir_loop_decays(&first_hop, m, 1.02 * limit, false));
        assert_false(weir_loop_decays(&first_hop, m, 0.98 * limit, false));
        limit = weir_loop_limit(&last_hop, m, NULL);
        assert_true(weir_loop_decays(&last_hop, m, 1.02 * limit, false));
        assert_false(weir_loop_decays(&last_hop, m, 0.98 * limit, false));
    }
}

/* Computed apart from this program, with another form of the same model, on a grid of p. */
static void a_bound_of_bytes_in_flight_is_more_stable_where_m_is_small(void **state)
{
    static const struct {
        const struct weir_loop *loop;
        double m, grows, decays;
    } known[] = {
        { &first_hop, 1, 0.5, 0.75 }, { &first_hop, 4, 1.5, 1.75 }, { &last_hop, 0.25, 0.75, 1 },
        { &last_hop, 1, 0.75, 1 },    { &last_hop, 4, 1, 1.25 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        assert_false(weir_loop_decays(known[i].loop, known[i].m, known[i].grows, true));
        assert_true(weir_loop_decays(known[i].loop, known[i].m, known[i].decays, true));
    }
}

static void a_search_ends_at_its_bounds(void **state)
{
    struct weir_loop loop = first_hop;
    double least;
    (void)state;
    least = weir_loop_least(&loop, 1, false);
    assert_true(least < 1.02 * weir_loop_limit(&loop, 1, NULL) && least > 0.98 * weir_loop_limit(&loop, 1, NULL));
    loop.ratio = 1.01;
    assert_true(weir_loop_least(&loop, 1, true) <= WEIR_LOOP_P_MIN);
    loop.ratio = exp(300);
    assert_true(isinf(weir_loop_least(&loop, 1, false)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_that_follow_at_once_have_pi_over_two),
        cmocka_unit_test(a_window_that_follows_in_a_round_trip_is_a_lag),
        cmocka_unit_test(flows_of_two_delays_are_a_mean),
        cmocka_unit_test(of_several_crossings_the_largest_gain_decides),
        cmocka_unit_test(paced_windows_have_the_limit_of_the_equation),
        cmocka_unit_test(a_bound_of_bytes_in_flight_is_more_stable_where_m_is_small),
        cmocka_unit_test(a_search_ends_at_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
