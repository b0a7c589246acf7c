/* test/unit/solve/test_gap.c - rates that are not max-min fair, and by how much. */
#include "test/unit/solve/solve_fixture.h"

static struct fixture x;

/* Two flows of weights 1 and 2 on one link of 100; the second also crosses one of 1000. */
static double gap_of(double first, double second)
{
    struct weir_err err;
    double gap;
    links(&x, 2, (const double[]){ 90, 1000 });
    flow(&x, 1);
    use(&x, 0, 1);
    flow(&x, 2);
    use(&x, 0, 1);
    use(&x, 1, 1);
    x.rate[0] = first;
    x.rate[1] = second;
    assert_int_equal(weir_maxmin_gap(&x.p, x.rate, &gap, &err), 0);
    return gap;
}

static void the_allocation_itself_has_none(void **state)
{
    (void)state;
    assert_true(gap_of(30, 60) <= 0);
}

static void room_that_is_left_shows(void **state)
{
    (void)state;
    is_near(gap_of(27, 54), 0.1, 1e-12); /* 81 of 90 */
}

static void too_much_shows(void **state)
{
    (void)state;
    is_near(gap_of(33, 66), 0.1, 1e-12); /* 99 of 90 */
}

static void a_flow_that_is_behind_shows(void **state)
{
    (void)state;
    is_near(gap_of(40, 50), 0.375, 1e-12); /* 25 per weight where the other has 40 */
}

static void a_cap_holds_a_flow(void **state)
{
    struct weir_err err;
    double gap;
    (void)state;
    (void)gap_of(50, 40);
    x.p.cap = x.cap;
    x.cap[1] = 40;
    x.rate[0] = 50;
    assert_int_equal(weir_maxmin_gap(&x.p, x.rate, &gap, &err), 0);
    assert_true(gap <= 0);
    x.cap[1] = 32; /* exceeded by a quarter */
    assert_int_equal(weir_maxmin_gap(&x.p, x.rate, &gap, &err), 0);
    is_near(gap, 0.25, 1e-12);
}

static void use_of_what_is_not_there_is_infinitely_wrong(void **state)
{
    struct weir_err err;
    double gap;
    (void)state;
    links(&x, 1, (const double[]){ 0 });
    flow(&x, 1);
    use(&x, 0, 1);
    x.rate[0] = 1;
    assert_int_equal(weir_maxmin_gap(&x.p, x.rate, &gap, &err), 0);
    assert_true(isinf(gap));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_allocation_itself_has_none),
        cmocka_unit_test(room_that_is_left_shows),
        cmocka_unit_test(too_much_shows),
        cmocka_unit_test(a_flow_that_is_behind_shows),
        cmocka_unit_test(a_cap_holds_a_flow),
        cmocka_unit_test(use_of_what_is_not_there_is_infinitely_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
