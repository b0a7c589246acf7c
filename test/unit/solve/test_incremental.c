/* test/unit/solve/test_incremental.c - changes whose shares can be worked out by hand, and what is kept at a link. */
#include "test/unit/refusal.h"
#include "test/unit/solve/solve_fixture.h"
#include "solve/incremental.h"

#define EXACT 1e-9

static struct fixture x;
static struct weir_incremental *inc;
static struct weir_incremental_effect effect;

static void begin(double within)
{
    struct weir_err err = { 0 };
    inc = weir_incremental_new(&x.p, within, &err);
    if (inc == NULL)
        fail_msg("%s", err.text);
}

static int end(void **state)
{
    (void)state;
    weir_incremental_free(inc);
    inc = NULL;
    return 0;
}

static void add(double weight, uint32_t count, const uint32_t *link)
{
    struct weir_err err;
    assert_int_equal(weir_incremental_add(inc, weight, link, NULL, count, &effect, &err), 0);
}

static void take_away(uint32_t f)
{
    struct weir_err err;
    assert_int_equal(weir_incremental_remove(inc, f, &effect, &err), 0);
}

static void weigh(uint32_t f, double weight)
{
    struct weir_err err;
    assert_int_equal(weir_incremental_weigh(inc, f, weight, &effect, &err), 0);
}

static void has_rates(uint32_t count, const double *rate)
{
    for (uint32_t f = 0; f < count; f++)
        is_near(weir_incremental_rate(inc, f), rate[f], 1e-12);
}

static void did(uint32_t flows, double largest)
{
    assert_int_equal(effect.flows, flows);
    is_near(effect.largest, largest, 1e-12);
}

/* Flow 0 of weight 3 on link 0, flows 1 to 3 on both, flows 4 and 5 on link 1; each link has 100. */
static void two_links(void)
{
    links(&x, 2, (const double[]){ 100, 100 });
    flow(&x, 3);
    use(&x, 0, 1);
    for (uint32_t f = 1; f < 6; f++) {
        flow(&x, 1);
        if (f < 4)
            use(&x, 0, 1);
        use(&x, 1, 1);
    }
}

static void flows_come_go_and_weigh_less(void **state)
{
    (void)state;
    two_links();
    begin(EXACT);
    has_rates(6, (const double[]){ 50, 50. / 3, 50. / 3, 50. / 3, 25, 25 });
    take_away(4); /* flow 5 has what link 0 leaves of link 1 */
    has_rates(6, (const double[]){ 50, 50. / 3, 50. / 3, 50. / 3, 0, 50 });
    did(2, 0.5);
    weigh(0, 1); /* both links are full at 25 per weight */
    has_rates(6, (const double[]){ 25, 25, 25, 25, 0, 25 });
    did(5, 0.5);
    add(2, 1, (const uint32_t[]){ 1 }); /* link 1 is full at 100 / 6, link 0 leaves flow 0 the rest */
    has_rates(7, (const double[]){ 50, 50. / 3, 50. / 3, 50. / 3, 0, 50. / 3, 100. / 3 });
    did(6, 0.5);
    assert_int_equal(weir_incremental_holder(inc, 0), 0);
    assert_int_equal(weir_incremental_holder(inc, 1), 1);
    assert_false(effect.solved);
}

static void a_link_that_was_not_full_takes_over(void **state)
{
    (void)state;
    links(&x, 2, (const double[]){ 10, 100 });
    for (uint32_t f = 0; f < 2; f++) {
        flow(&x, 1);
        use(&x, 0, 1);
        use(&x, 1, 1);
    }
    begin(EXACT);
    add(1, 1, (const uint32_t[]){ 1 });
    has_rates(3, (const double[]){ 5, 5, 90 });
    did(1, 0);
    for (uint32_t i = 0; i < 23; i++)
        add(1, 1, (const uint32_t[]){ 1 });
    has_rates(4, (const double[]){ 100. / 26, 100. / 26, 100. / 26, 100. / 26 }); /* below the 5 of link 0 */
    assert_int_equal(weir_incremental_holder(inc, 0), 1);
    for (uint32_t f = 3; f < 26; f++)
        take_away(f);
    has_rates(3, (const double[]){ 5, 5, 90 });
    assert_int_equal(weir_incremental_holder(inc, 0), 0);
}

/* `count` flows of weight 1 on a link of as much. */
static void many_at_one_link(uint32_t count, double within)
{
    links(&x, 1, (const double[]){ count });
    for (uint32_t f = 0; f < count; f++) {
        flow(&x, 1);
        use(&x, 0, 1);
    }
    begin(within);
}

/* One flow of 130, 129 and 128 leaves 1/129, 1/128 and 1/127 of what the others have: they may keep 1/128. */
static void what_moves_a_rate_by_no_more_than_within_is_kept(void **state)
{
    (void)state;
    for (uint32_t count = 130; count >= 128; count--) {
        many_at_one_link(count, 1. / 128);
        take_away(0);
        assert_int_equal(effect.flows, count == 128 ? 128 : 1);
        is_near(weir_incremental_rate(inc, 1), count == 128 ? 128. / 127 : 1, 1e-12);
        (void)end(state);
    }
}

static void what_is_kept_adds_up_and_goes_on(void **state)
{
    (void)state;
    many_at_one_link(300, 0.01);
    for (uint32_t f = 0; f < 2; f++) { /* 1 of 299, 2 of 298 */
        take_away(f);
        did(1, 0);
    }
    take_away(2); /* 3 of 297 is more than 0.01 */
    did(298, 1 - 297. / 300);
    is_near(weir_incremental_rate(inc, 299), 300. / 297, 1e-12);
    take_away(3);
    did(1, 0);
    add(1, 1, (const uint32_t[]){ 0 }); /* a flow that comes needs a level: the link has all that it kept */
    is_near(weir_incremental_rate(inc, 299), 300. / 297, 1e-12);
    is_near(weir_incremental_rate(inc, 300), 300. / 297, 1e-12);
}

/* Link 1 has 10 more than the flows of link 0 take: 0.1 % of those is 10 % of the flow that has the rest. */
static void a_link_is_more_exact_where_another_amplifies_it(void **state)
{
    (void)state;
    links(&x, 2, (const double[]){ 1000, 1010 });
    for (uint32_t f = 0; f < 1000; f++) {
        flow(&x, 1);
        use(&x, 0, 1);
        use(&x, 1, 1);
    }
    flow(&x, 1);
    use(&x, 1, 1);
    begin(0.005);
    is_near(weir_incremental_rate(inc, 1000), 10, 1e-12);
    take_away(0); /* 1 of 999 is less than 0.005, but link 1 would give it to flow 1000, which has 10 */
    is_near(weir_incremental_rate(inc, 1), 1000. / 999, 1e-12);
    is_near(weir_incremental_rate(inc, 1000), 10, 1e-12);
}

static void flows_without_a_way_have_nothing(void **state)
{
    (void)state;
    links(&x, 2, (const double[]){ 0, 100 });
    flow(&x, 1);
    cap(&x, 0);
    begin(EXACT);
    add(1, 0, NULL);
    did(0, 0);
    add(1, 2, (const uint32_t[]){ 0, 1 });
    add(1, 1, (const uint32_t[]){ 1 });
    has_rates(4, (const double[]){ 0, 0, 0, 100 });
    weigh(1, 5);
    weigh(2, 5);
    take_away(1);
    take_away(2);
    assert_int_equal(weir_incremental_holder(inc, 0), WEIR_MAXMIN_NONE);
    has_rates(4, (const double[]){ 0, 0, 0, 100 });
}

static void parts_may_come_later(void **state)
{
    struct weir_err err;
    (void)state;
    links(&x, 2, (const double[]){ 100, 100 });
    flow(&x, 1);
    use(&x, 0, 1);
    begin(EXACT);
    assert_int_equal(weir_incremental_add(inc, 1, (const uint32_t[]){ 0, 1, 1 }, (const double[]){ 0.5, 0.25, 0.25 }, 3,
                                          &effect, &err),
                     0);
    has_rates(2, (const double[]){ 200. / 3, 200. / 3 });
    take_away(0);
    has_rates(2, (const double[]){ 0, 200 });
}

static void numbers_are_not_used_again_and_room_is(void **state)
{
    struct weir_incremental_list list;
    struct weir_err err;
    (void)state;
    two_links();
    begin(EXACT);
    for (uint32_t f = 6; f < 1000; f++) {
        add(1, 2, (const uint32_t[]){ 0, 1 });
        take_away(f);
        assert_false(weir_incremental_has(inc, f));
    }
    assert_false(weir_incremental_has(inc, 1000));
    has_rates(6, (const double[]){ 50, 50. / 3, 50. / 3, 50. / 3, 25, 25 });
    assert_int_equal(weir_incremental_list(inc, &list, &err), 0);
    assert_int_equal(list.problem.flow_count, 6);
    for (uint32_t f = 0; f <= 6; f++)
        assert_int_equal(list.problem.first[f], x.p.first[f]);
    for (uint32_t u = 0; u < x.p.first[6]; u++)
        assert_int_equal(list.problem.link[u], x.p.link[u]);
    weir_incremental_list_free(&list);
}

static void a_difference_from_solving_anew_is_found(void **state)
{
    struct weir_incremental_difference difference;
    struct weir_err err;
    (void)state;
    many_at_one_link(200, 0.01);
    take_away(0);
    assert_int_equal(weir_incremental_compare(inc, &difference, &err), 0);
    is_near(difference.largest, 1 - 199. / 200, 1e-12);
    assert_in_range(difference.flow, 1, 199);
}

static void refuses_new(double within, const char *key)
{
    struct weir_err err = { 0 };
    assert_null(weir_incremental_new(&x.p, within, &err));
    assert_refusal(&err, WEIR_E_RANGE, "", key);
}

static void refuses_flow(double weight, uint32_t link, double share, const char *key)
{
    struct weir_err err = { 0 };
    assert_int_equal(weir_incremental_add(inc, weight, &link, &share, 1, &effect, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", key);
}

static void what_cannot_be_is_refused(void **state)
{
    struct weir_err err = { 0 };
    (void)state;
    two_links();
    refuses_new(9e-10, "within");
    refuses_new(0.011, "within");
    refuses_new(NAN, "within");
    x.weight[2] = 0;
    refuses_new(EXACT, "weight");
    two_links();
    cap(&x, 10);
    refuses_new(EXACT, "cap");
    two_links();
    begin(EXACT);
    refuses_flow(0, 1, 1, "weight");
    refuses_flow(2e9, 1, 1, "weight");
    refuses_flow(1, 2, 1, "link");
    refuses_flow(1, 1, 1.1, "share");
    refuses_flow(1, 1, 0, "share");
    assert_int_equal(weir_incremental_weigh(inc, 1, NAN, &effect, &err), WEIR_E_RANGE);
    assert_int_equal(weir_incremental_weigh(inc, 1, 0, &effect, &err), WEIR_E_RANGE);
    has_rates(6, (const double[]){ 50, 50. / 3, 50. / 3, 50. / 3, 25, 25 });
}

#define TEST(f) cmocka_unit_test_teardown(f, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(flows_come_go_and_weigh_less),
        TEST(a_link_that_was_not_full_takes_over),
        TEST(what_moves_a_rate_by_no_more_than_within_is_kept),
        TEST(what_is_kept_adds_up_and_goes_on),
        TEST(a_link_is_more_exact_where_another_amplifies_it),
        TEST(flows_without_a_way_have_nothing),
        TEST(parts_may_come_later),
        TEST(numbers_are_not_used_again_and_room_is),
        TEST(a_difference_from_solving_anew_is_found),
        TEST(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
