/* test/unit/solve/test_maxmin.c - networks whose shares can be worked out by hand. */
#include "test/unit/refusal.h"
#include "test/unit/solve/solve_fixture.h"
#include <string.h>

static struct fixture x;

static void a_link_is_shared_by_weight(void **state)
{
    (void)state;
    links(&x, 1, (const double[]){ 100 });
    for (uint32_t f = 0; f < 4; f++) {
        flow(&x, f + 1);
        use(&x, 0, 1);
    }
    solve(&x);
    for (uint32_t f = 0; f < 4; f++)
        has(&x, f, 10 * (f + 1), 0);
}

static void a_lone_flow_gets_its_narrowest_link(void **state)
{
    (void)state;
    links(&x, 3, (const double[]){ 100, 25, 40 });
    flow(&x, 0.001);
    for (uint32_t l = 0; l < 3; l++)
        use(&x, l, 1);
    solve(&x);
    has(&x, 0, 25, 1);
}

/* Weights 3, 2 and 1: the first two meet on one link and have the same rate per weight; the third takes what the second leaves on
 * the other. */
static void two_links_and_three_weights(void **state)
{
    (void)state;
    links(&x, 2, (const double[]){ 100, 100 });
    flow(&x, 3);
    use(&x, 0, 1);
    flow(&x, 2);
    use(&x, 0, 1);
    use(&x, 1, 1);
    flow(&x, 1);
    use(&x, 1, 1);
    solve(&x);
    has(&x, 0, 60, 0);
    has(&x, 1, 40, 0);
    has(&x, 2, 60, 1);
}

/* Flow 0 on link 0, flows 1 to 3 on both, flows 4 and 5 on link 1; as the first weight grows, the bottleneck of the middle ones
 * moves from link 1 to link 0. */
static void the_bottleneck_moves_with_a_weight(void **state)
{
    static const double first[] = { 40, 40, 50, 400. / 7, 62.5 }, middle[] = { 20, 20, 50. / 3, 100. / 7, 12.5 },
                        last[] = { 20, 20, 25, 200. / 7, 31.25 };
    (void)state;
    for (uint32_t w = 1; w <= 5; w++) {
        links(&x, 2, (const double[]){ 100, 100 });
        flow(&x, w);
        use(&x, 0, 1);
        for (uint32_t f = 1; f < 6; f++) {
            flow(&x, 1);
            if (f < 4)
                use(&x, 0, 1);
            use(&x, 1, 1);
        }
        solve(&x);
        has(&x, 0, first[w - 1], 0);
        for (uint32_t f = 1; f < 6; f++)
            is_near(x.rate[f], f < 4 ? middle[w - 1] : last[w - 1], 1e-12);
        if (w != 2) /* there both links are full at once, and either may be named */
            assert_int_equal(x.bottleneck[2], w == 1 ? 1 : 0);
        assert_int_equal(x.bottleneck[5], w == 2 ? x.bottleneck[5] : 1);
    }
}

static void a_parking_lot(void **state)
{
    static const double capacity[] = { 60, 30, 100 };
    (void)state;
    links(&x, 3, capacity);
    flow(&x, 1);
    for (uint32_t l = 0; l < 3; l++)
        use(&x, l, 1);
    for (uint32_t l = 0; l < 3; l++) {
        flow(&x, 1);
        use(&x, l, 1);
    }
    solve(&x);
    has(&x, 0, 15, 1);
    has(&x, 1, 45, 0);
    has(&x, 2, 15, 1);
    has(&x, 3, 85, 2);
}

static void a_cap_leaves_the_rest_to_the_others(void **state)
{
    (void)state;
    links(&x, 1, (const double[]){ 100 });
    flow(&x, 5);
    use(&x, 0, 1);
    cap(&x, 10);
    flow(&x, 1);
    use(&x, 0, 1);
    flow(&x, 2);
    use(&x, 0, 1);
    cap(&x, 80); /* more than it gets */
    flow(&x, 1);
    use(&x, 0, 1);
    cap(&x, 0);
    flow(&x, 1); /* crosses nothing */
    cap(&x, 7);
    solve(&x);
    has(&x, 0, 10, WEIR_MAXMIN_NONE);
    has(&x, 1, 30, 0);
    has(&x, 2, 60, 0);
    has(&x, 3, 0, WEIR_MAXMIN_NONE);
    has(&x, 4, 7, WEIR_MAXMIN_NONE);
}

static void parts_of_a_link_count_as_parts(void **state)
{
    (void)state;
    links(&x, 3, (const double[]){ 100, 100, 10 });
    x.p.share = x.share;
    flow(&x, 1); /* half over each of the first two */
    use(&x, 0, 0.5);
    use(&x, 1, 0.5);
    flow(&x, 1);
    use(&x, 0, 1);
    flow(&x, 2); /* a quarter over the third, the rest over the second */
    use(&x, 1, 0.75);
    use(&x, 2, 0.25);
    solve(&x); /* link 2 holds at 20 per weight, link 0 at 100 / 1.5, link 1 is never full */
    has(&x, 2, 40, 2);
    has(&x, 0, 200. / 3, 0);
    has(&x, 1, 200. / 3, 0);
}

static void a_link_without_capacity_stops_its_flows_only(void **state)
{
    (void)state;
    links(&x, 2, (const double[]){ 0, 100 });
    flow(&x, 1);
    use(&x, 0, 1);
    use(&x, 1, 1);
    flow(&x, 1);
    use(&x, 1, 1);
    solve(&x);
    has(&x, 0, 0, 0);
    has(&x, 1, 100, 1);
}

/* A thousand heavy flows come off the second link at a billionth of its level, and one that weighs 10^9 times less remains: what the
 * heavy ones added must be gone to the last digit. */
static void weights_may_be_far_apart(void **state)
{
    (void)state;
    links(&x, 2, (const double[]){ 1, 2 });
    for (uint32_t f = 0; f < 1000; f++) {
        flow(&x, 1e6 + 1. / 3 * f);
        use(&x, 0, 1);
        use(&x, 1, 1);
    }
    flow(&x, 1e-3);
    use(&x, 1, 1);
    flow(&x, 3e-3);
    use(&x, 1, 1);
    solve(&x);
    has(&x, 1000, 0.25, 1);
    has(&x, 1001, 0.75, 1);
}

static void nothing_to_do_is_no_error(void **state)
{
    struct weir_err err;
    (void)state;
    links(&x, 0, NULL);
    assert_int_equal(weir_maxmin_solve(&x.p, x.rate, NULL, &err), 0);
}

static void one_flow(double weight, double capacity, double share)
{
    links(&x, 1, &capacity);
    x.p.share = x.share;
    flow(&x, weight);
    use(&x, 0, share);
}

static void refuses(const char *key)
{
    struct weir_err err = { 0 };
    assert_int_equal(weir_maxmin_solve(&x.p, x.rate, NULL, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", key);
}

static void what_is_no_problem_is_refused(void **state)
{
    static const double weight[] = { 0, -1, NAN, INFINITY, 1e-10, 2e9 }, capacity[] = { -1, NAN, INFINITY },
                        share[] = { 0, -0.5, 1.01, NAN };
    (void)state;
    for (size_t i = 0; i < sizeof(weight) / sizeof(weight[0]); i++) {
        one_flow(weight[i], 1, 1);
        refuses("weight");
    }
    for (size_t i = 0; i < sizeof(capacity) / sizeof(capacity[0]); i++) {
        one_flow(1, capacity[i], 1);
        refuses("capacity");
    }
    for (size_t i = 0; i < sizeof(share) / sizeof(share[0]); i++) {
        one_flow(1, 1, share[i]);
        refuses("");
    }
    one_flow(1, 1, 1);
    x.link[0] = 1;
    refuses("");
    one_flow(1, 1, 1);
    cap(&x, NAN);
    refuses("cap");
    one_flow(1, 1, 1);
    flow(&x, 1);
    refuses("");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_is_shared_by_weight),
        cmocka_unit_test(a_lone_flow_gets_its_narrowest_link),
        cmocka_unit_test(two_links_and_three_weights),
        cmocka_unit_test(the_bottleneck_moves_with_a_weight),
        cmocka_unit_test(a_parking_lot),
        cmocka_unit_test(a_cap_leaves_the_rest_to_the_others),
        cmocka_unit_test(parts_of_a_link_count_as_parts),
        cmocka_unit_test(a_link_without_capacity_stops_its_flows_only),
        cmocka_unit_test(weights_may_be_far_apart),
        cmocka_unit_test(nothing_to_do_is_no_error),
        cmocka_unit_test(what_is_no_problem_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
