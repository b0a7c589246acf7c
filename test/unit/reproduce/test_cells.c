/* test/unit/reproduce/test_cells.c - the largest over an axis, quotients, unstable runs, deviations, verdicts. */
#include "test/unit/reproduce/reproduce_test.h"
#include "reproduce/cells.h"
#include "reproduce/scoreboard.h"
#include "reproduce/stats.h"
#include <math.h>

#define TABLE(fields)                                                                                                  \
    AXES "figures:\n  - {name: f, title: F, sweeps: [{who: all, load: all}],\n     tables: [{name: t, title: "         \
         "T, " fields "}]}\n"
#define PUBLISHED ", published: {file: p.csv, metric: m}, band: 10%"

static struct weir_plan plan;
static struct weir_cells cells;

/* The four runs: us-50, us-90, them-50, them-90. */
static struct {
    double number, stable, growth;
} run[4];

static struct weir_value read_run(const struct weir_point *p, const struct weir_reading *reading)
{
    const char *path = reading->path;
    size_t i = (size_t)(p - plan.point);
    double number = strcmp(path, "stable") == 0        ? run[i].stable
                    : strncmp(path, "growth:", 7) == 0 ? run[i].growth
                    : strcmp(path, "marks") == 0       ? run[i].growth
                                                       : run[i].number;
    return (struct weir_value){ .state = number < 0 ? WEIR_VALUE_NONE : WEIR_VALUE_NUMBER, .lo = number, .hi = number };
}

static void set_run(int i, double number, double stable, double growth)
{
    run[i].number = number;
    run[i].stable = stable;
    run[i].growth = growth;
    plan.point[i].state = WEIR_POINT_DONE;
}

static void make(const char *text, const char *csv, uint64_t scale_ppm)
{
    struct weir_plan_request request = { .scale_ppm = scale_ppm };
    put("p.csv", csv);
    assert_int_equal(load(text), 0);
    assert_int_equal(weir_plan_make(&plan, &test_exp, &request, &test_err), 0);
    assert_int_equal(plan.point_count, 4);
    set_run(0, 10, 1, 1);
    set_run(1, 20, 1, 1);
    set_run(2, 40, 1, 1);
    set_run(3, 50, 0, 2);
}

static void fill(void)
{
    const struct weir_measured measured = { .read = read_run };
    assert_int_equal(weir_cells_make(&cells, &plan, plan.figure[0], &plan.figure[0]->table[0], &measured, &test_err),
                     0);
}

static void the_largest_of_a_row(void **state)
{
    (void)state;
    make(TABLE("value: drops, over: load, unstable: keep" PUBLISHED), "metric,who,value\nm,US,19\nm,THEM,60\n",
         1000000);
    fill();
    assert_int_equal(cells.count, 2);
    assert_true(cells.varies[0] && !cells.varies[1]);
    assert_true(cells.cell[0].measured.lo == 20 && cells.cell[0].published.lo == 19);
    assert_string_equal(cells.cell[0].at->name, "us-90");
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_WITHIN); /* 5.3 % */
    assert_true(cells.cell[0].deviation_percent > 5.26 && cells.cell[0].deviation_percent < 5.27);
    assert_true(cells.cell[1].measured.lo == 50 && cells.cell[1].at_unstable);
    assert_int_equal(cells.cell[1].verdict, WEIR_CELL_OUTSIDE); /* -16.7 % */
}

static void unstable_runs_do_not_count_where_a_stable_one_does(void **state)
{
    (void)state;
    make(TABLE("value: drops, over: load, unstable: out"), "", 1000000);
    fill();
    assert_true(cells.cell[1].measured.state == WEIR_VALUE_NUMBER && cells.cell[1].measured.lo == 40);
    set_run(2, 40, 0, 1);
    fill();
    assert_true(cells.cell[1].measured.state == WEIR_VALUE_UNSTABLE && cells.cell[1].measured.lo == 50);
}

static void a_table_of_another_figures_runs_has_its_cells(void **state)
{
    const struct weir_measured measured = { .read = read_run };
    (void)state;
    make(AXES "all_figures: true\nfigures:\n  - {name: f, title: F, sweeps: [{who: all, load: all}]}\n"
              "  - {name: g, title: G, runs: f, tables: [{name: t, title: T, value: drops, unstable: keep}]}\n",
         "", 1000000);
    assert_int_equal(weir_cells_make(&cells, &plan, plan.figure[1], &plan.figure[1]->table[0], &measured, &test_err),
                     0);
    assert_int_equal(cells.count, 4);
    assert_true(cells.cell[2].measured.lo == 40);
}

/* A maximum needs the loads of `maxima`: 90 and, of us, 50. Another one counts once it has run. */
static void a_largest_number_needs_the_points_of_maxima(void **state)
{
    (void)state;
    make(AXES "figures:\n  - {name: f, title: F, sweeps: [{who: all, load: all}], maxima: [{load: 90}, {who: us, load: "
              "50}],\n"
              "     tables: [{name: t, title: T, value: drops, over: load, unstable: keep" PUBLISHED "},\n"
              "       {name: u, title: U, value: drops, unstable: keep}]}\n",
         "metric,who,value\nm,US,19\nm,THEM,50\n", 1000000);
    plan.point[0].state = plan.point[2].state = WEIR_POINT_PENDING;
    fill();
    assert_int_equal(cells.count, 2);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_SHOWN);
    assert_int_equal(cells.cell[1].verdict, WEIR_CELL_WITHIN);
    assert_true(cells.cell[1].runs == 1 && cells.cell[1].measured.lo == 50);
    set_run(2, 70, 1, 1);
    fill();
    assert_true(cells.cell[1].runs == 2 && cells.cell[1].measured.lo == 70);
    assert_int_equal(cells.cell[1].verdict, WEIR_CELL_OUTSIDE);
    const struct weir_measured measured = { .read = read_run }; /* a table without `over` has a row of every point */
    assert_int_equal(weir_cells_make(&cells, &plan, plan.figure[0], &plan.figure[0]->table[1], &measured, &test_err),
                     0);
    assert_int_equal(cells.count, 4);
}

static void growing_queues_make_a_cell_unstable(void **state)
{
    (void)state;
    make(TABLE("value: drops, over: load, unstable: growing" PUBLISHED), "metric,who,value\nm,THEM,unstable\n",
         1000000);
    fill();
    assert_int_equal(cells.cell[1].measured.state, WEIR_VALUE_UNSTABLE);
    assert_int_equal(cells.cell[1].verdict, WEIR_CELL_WITHIN); /* unstable in print as well */
    set_run(3, 50, 0, 1.4);
    fill();
    assert_true(cells.cell[1].measured.state == WEIR_VALUE_NUMBER && cells.cell[1].measured.lo == 50);
    assert_int_equal(cells.cell[1].verdict, WEIR_CELL_OUTSIDE);
    assert_false(cells.cell[1].has_deviation);
}

static void quotients_on_both_sides(void **state)
{
    (void)state;
    make(TABLE("value: drops, where: {load: 50}, relative_to: {who: them}" PUBLISHED),
         "metric,who,value\nm,US,1\nm,THEM,5\n", 1000000);
    fill();
    assert_int_equal(cells.count, 1);
    assert_true(cells.cell[0].measured.lo == 0.25 && cells.cell[0].published.lo == 0.2);
    assert_true(cells.cell[0].deviation_percent > 24.99 && cells.cell[0].deviation_percent < 25.01);
    set_run(2, 40, 0, 1);
    fill();
    assert_int_equal(cells.cell[0].measured.state, WEIR_VALUE_UNSTABLE);
    plan.point[2].state = WEIR_POINT_FAILED;
    fill();
    assert_int_equal(cells.cell[0].measured.state, WEIR_VALUE_MISSING);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_NONE);
}

static void a_published_quotient_stands_alone(void **state)
{
    (void)state;
    make(TABLE("value: drops, where: {load: 50}, relative_to: {who: them}" PUBLISHED), "metric,who,value\nm,US,0.25\n",
         1000000);
    fill();
    assert_true(cells.cell[0].published.lo == 0.25);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_WITHIN);
}

/* 0.25 of them; 10 % of a published 0.95 holds 1, too, of 0.9 it does not quite. */
static void a_cell_that_no_effect_would_pass_is_weak(void **state)
{
    (void)state;
    make(TABLE("value: drops, where: {load: 50}, relative_to: {who: them}" PUBLISHED), "metric,who,value\nm,US,0.95\n",
         1000000);
    set_run(0, 40, 1, 1);
    fill();
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_WEAK);
    set_run(0, 10, 1, 1);
    fill();
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_OUTSIDE);
    make(TABLE("value: drops, where: {load: 50}, relative_to: {who: them}" PUBLISHED), "metric,who,value\nm,US,0.9\n",
         1000000);
    set_run(0, 38, 1, 1);
    fill();
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_WITHIN);
    make(TABLE("value: drops, where: {load: 50}, reduction_to: {who: them}" PUBLISHED), "metric,who,value\nm,US,9\n",
         1000000);
    set_run(0, 38, 1, 1);
    fill();
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_WEAK); /* 5 points; 0 is 9 points away */
    make(TABLE("value: drops, where: {load: 50}, no_effect: 41" PUBLISHED), "metric,who,value\nm,THEM,40\n", 1000000);
    fill();
    assert_int_equal(cells.cell[1].verdict, WEIR_CELL_WEAK);
}

static void incomplete_and_shortened_rows_are_shown_but_not_judged(void **state)
{
    static const char csv[] = "metric,who,value\nm,US,99\n";
    (void)state;
    make(TABLE("value: drops, over: load, unstable: keep, peak: true" PUBLISHED), csv, 200000);
    fill();
    assert_false(cells.comparable);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_SHOWN);
    make(TABLE("value: drops, over: load, unstable: keep, peak: true" PUBLISHED), csv, 1000000);
    plan.point[1].state = WEIR_POINT_FAILED;
    fill();
    assert_true(cells.comparable);
    assert_int_equal(cells.cell[0].runs, 2);
    assert_int_equal(cells.cell[0].runs_done, 1);
    assert_true(cells.cell[0].measured.lo == 10);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_SHOWN);
}

/* A path that no result has, perhaps. What one of the runs lacks is another matter. */
static void nothing_to_measure_is_outside(void **state)
{
    (void)state;
    make(TABLE("value: drops, over: load, unstable: keep" PUBLISHED), "metric,who,value\nm,US,99\n", 1000000);
    set_run(0, -1, 1, 1);
    set_run(1, -1, 1, 1);
    set_run(2, -1, 1, 1);
    set_run(3, -1, 1, 1);
    fill();
    assert_int_equal(cells.cell[0].measured.state, WEIR_VALUE_NONE);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_OUTSIDE);
    assert_false(cells.cell[0].has_deviation);
    assert_int_equal(cells.cell[1].verdict, WEIR_CELL_NONE); /* nor was anything published */
    plan.point[1].state = WEIR_POINT_FAILED;
    fill();
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_NONE);
    make(TABLE("value: drops, over: load, unstable: keep, peak: true" PUBLISHED), "metric,who,value\nm,US,99\n",
         200000);
    set_run(0, -1, 1, 1);
    set_run(1, -1, 1, 1);
    fill();
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_NONE);
}

/* us 10 and 20, them 40 and 50, the last unstable. */
static void numbers_are_compared_with_the_best_of_an_axis(void **state)
{
    (void)state;
    make(TABLE("value: drops, best: {who: least}" PUBLISHED), "metric,who,load,value\nm,THEM,50,4.2\nm,US,50,1.2\n",
         1000000);
    fill();
    assert_int_equal(cells.count, 4);
    assert_true(cells.cell[0].measured.lo == 1 && cells.cell[2].measured.lo == 4);
    assert_int_equal(cells.cell[2].verdict, WEIR_CELL_WITHIN); /* -4.8 % of a number that is a quotient in print too */
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_OUTSIDE);
    assert_int_equal(cells.cell[3].measured.state, WEIR_VALUE_UNSTABLE);
    assert_true(cells.cell[1].measured.lo == 1);
    set_run(0, 10, 0, 1); /* what is unstable is not the best */
    fill();
    assert_int_equal(cells.cell[0].measured.state, WEIR_VALUE_UNSTABLE);
    assert_true(cells.cell[2].measured.lo == 1);
    plan.point[0].state = WEIR_POINT_FAILED; /* then who is best is not known */
    fill();
    assert_true(cells.cell[2].runs == 2 && cells.cell[2].runs_done == 1);
    assert_int_equal(cells.cell[2].verdict, WEIR_CELL_SHOWN);
    make(TABLE("value: drops, best: {who: greatest}"), "", 1000000);
    fill();
    assert_true(cells.cell[0].measured.lo == 0.25 && cells.cell[2].measured.lo == 1);
    assert_true(cells.cell[1].measured.lo == 1); /* 20, for 50 is unstable */
}

static void the_mean_of_cases_is_of_the_stable_ones(void **state)
{
    (void)state;
    make(TABLE("value: drops, mean: [load]" PUBLISHED),
         "metric,who,load,value\nm,US,50,12\nm,US,90,20\nm,THEM,50,unstable\n", 1000000);
    fill();
    assert_int_equal(cells.count, 2);
    assert_true(cells.varies[0] && !cells.varies[1]);
    assert_true(cells.cell[0].measured.lo == 15 && cells.cell[0].cases == 2 && cells.cell[0].cases_of == 2);
    assert_true(cells.cell[0].published.lo == 16 &&
                cells.cell[0].published.hi == 16); /* no row of its own: of the cases' */
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_WITHIN);
    assert_true(cells.cell[1].measured.lo == 40 && cells.cell[1].cases == 1 && cells.cell[1].cases_of == 2);
    assert_int_equal(cells.cell[1].published.state, WEIR_VALUE_NONE);
    assert_true(cells.cell[1].runs == 2 && cells.cell[1].runs_done == 2);
    set_run(2, 40, 0, 1);
    fill();
    assert_int_equal(cells.cell[1].measured.state, WEIR_VALUE_UNSTABLE);
    plan.point[2].state = plan.point[3].state = WEIR_POINT_FAILED;
    fill();
    assert_int_equal(cells.cell[1].measured.state, WEIR_VALUE_MISSING);
    make(TABLE("value: drops, over: load, unstable: keep, mean: [who]"), "", 1000000); /* cases of two runs each */
    fill();
    assert_int_equal(cells.count, 1);
    assert_true(cells.cell[0].measured.lo == 35 && cells.cell[0].cases == 2 && cells.cell[0].cases_of == 2);
    assert_true(cells.cell[0].runs == 4 && cells.cell[0].runs_done == 4);
}

static void the_median_of_cases_has_their_ends(void **state)
{
    (void)state;
    make(TABLE("value: drops, median: [load], unstable: keep" PUBLISHED), "metric,who,value\nm,US,15\n", 1000000);
    fill();
    assert_int_equal(cells.count, 2);
    assert_true(cells.cell[0].measured.lo == 15 && cells.cell[0].least == 10 && cells.cell[0].most == 20);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_WITHIN);
    assert_int_equal(cells.cell[1].cases, 2);
    make(TABLE("value: drops, median: [who, load], unstable: keep"), "", 1000000);
    set_run(3, 900, 1, 1); /* of 10, 20, 40, 900 the mean is 242.5 */
    fill();
    assert_int_equal(cells.count, 1);
    assert_true(cells.cell[0].measured.lo == 30 && cells.cell[0].least == 10 && cells.cell[0].most == 900);
    set_run(0, -1, 1, 1); /* of three the one in the middle */
    fill();
    assert_true(cells.cell[0].measured.lo == 40 && cells.cell[0].cases == 3 && cells.cell[0].cases_of == 4);
}

/* us 10 and 20, them 40 and 50, the last unstable: its number does not count, although it is larger. */
static void the_largest_of_cases_is_of_the_stable_ones(void **state)
{
    (void)state;
    make(TABLE("value: drops, most: [load]" PUBLISHED),
         "metric,who,load,value\nm,US,50,12..30\nm,US,90,20\nm,THEM,50,unstable\n", 1000000);
    fill();
    assert_int_equal(cells.count, 2);
    assert_true(cells.varies[0] && !cells.varies[1]);
    assert_true(cells.cell[0].measured.lo == 20 && cells.cell[0].measured.hi == 20);
    assert_true(cells.cell[0].cases == 2 && cells.cell[0].cases_of == 2);
    assert_true(cells.cell[0].published.lo == 20 && cells.cell[0].published.hi == 30); /* of the cases' */
    assert_int_equal(cells.cell[0].class, WEIR_CLASS_VARIANT);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_WITHIN);
    assert_true(cells.cell[1].measured.lo == 40 && cells.cell[1].cases == 1 && cells.cell[1].cases_of == 2);
    assert_int_equal(cells.cell[1].published.state, WEIR_VALUE_NONE);
    set_run(2, 40, 0, 1); /* no stable one is left */
    fill();
    assert_int_equal(cells.cell[1].measured.state, WEIR_VALUE_UNSTABLE);
    make(TABLE("value: drops, over: load, unstable: keep, most: [who]" PUBLISHED), "metric,value\nm,48\n", 1000000);
    set_run(0, 60, 1, 1); /* the first case is the largest, and its first run */
    fill();
    assert_int_equal(cells.count, 1);
    assert_true(cells.cell[0].measured.lo == 60 && cells.cell[0].published.lo == 48 && cells.cell[0].runs == 4);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_OUTSIDE);
}

static void the_largest_with_a_missing_case_is_not_tried(void **state)
{
    (void)state;
    make(TABLE("value: drops, most: [load], unstable: keep" PUBLISHED), "metric,who,value\nm,US,20\n", 1000000);
    fill();
    assert_int_equal(weir_board_kind_of(&cells.cell[0]), WEIR_BOARD_WITHIN);
    plan.point[0].state = WEIR_POINT_PENDING; /* the smaller one: the number is the same */
    fill();
    assert_true(cells.cell[0].measured.lo == 20 && cells.cell[0].cases == 1 && cells.cell[0].cases_of == 2);
    assert_true(cells.cell[0].runs == 2 && cells.cell[0].runs_done == 1);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_SHOWN);
    assert_int_equal(weir_board_kind_of(&cells.cell[0]), WEIR_BOARD_UNTRIED);
    plan.point[1].state = WEIR_POINT_FAILED;
    fill();
    assert_int_equal(cells.cell[0].measured.state, WEIR_VALUE_MISSING);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_NONE);
}

/* them over us: 40 / 10 and 60 / 20. */
static void the_largest_comes_after_best_and_relative_of_and_before_relative_to(void **state)
{
    (void)state;
    make(TABLE("value: drops, best: {who: least}, most: [load]"), "", 1000000);
    set_run(3, 60, 1, 1);
    fill();
    assert_int_equal(cells.count, 2);
    assert_true(cells.cell[0].measured.lo == 1 && cells.cell[1].measured.lo == 4);
    make(TABLE("value: drops, relative_of: {who: them}, most: [load]"), "", 1000000);
    set_run(3, 60, 1, 1);
    fill();
    assert_int_equal(cells.count, 1);
    assert_true(cells.cell[0].measured.lo == 4 && cells.cell[0].runs == 4);
    make(TABLE("value: drops, relative_to: {who: us}, most: [load]"), "", 1000000);
    set_run(3, 60, 1, 1);
    fill();
    assert_int_equal(cells.count, 1);
    assert_true(cells.cell[0].measured.lo == 3 && cells.cell[0].runs == 4); /* 60 / 20 */
    make(TABLE("value: drops, reduction_of: {who: them}, most: [load]"), "", 1000000);
    set_run(3, 60, 1, 1);
    fill();
    assert_true(cells.cell[0].measured.lo == -200); /* of -300 and -200 */
}

/* No case is above 20, which a mechanism without effect would keep as well. */
static void a_bound_of_the_largest_quotient_is_weak_or_exceeded(void **state)
{
    (void)state;
    make(TABLE("value: drops, relative_of: {who: them}, most: [load], unstable: keep" PUBLISHED),
         "metric,value\nm,0..20\n", 1000000);
    fill();
    assert_true(cells.cell[0].measured.lo == 4 && cells.cell[0].deviation_percent == 0);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_WEAK);
    set_run(3, 460, 1, 1); /* one case of two: 23 */
    fill();
    assert_true(cells.cell[0].measured.lo == 23);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_OUTSIDE);
}

static void an_order_is_kept_in_so_many_of_a_hundred_cases(void **state)
{
    (void)state;
    make(TABLE("value: drops, order: {who: [us, them]}, mean: [load], unstable: keep"), "", 1000000);
    fill();
    assert_int_equal(cells.count, 1);
    assert_true(cells.cell[0].measured.lo == 100 && cells.cell[0].cases == 2); /* 10 before 40, 20 before 50 */
    set_run(2, 10, 1, 1);                                                      /* at the same time is not before */
    fill();
    assert_true(cells.cell[0].measured.lo == 50);
    set_run(1, -1, 1, 1); /* never: after all others */
    fill();
    assert_true(cells.cell[0].measured.lo == 0);
    set_run(1, 20, 1, 1);
    set_run(3, -1, 1, 1);
    fill();
    assert_true(cells.cell[0].measured.lo == 50);
    plan.point[3].state = WEIR_POINT_PENDING; /* not run: no case */
    fill();
    assert_true(cells.cell[0].cases == 1 && cells.cell[0].runs == 4 && cells.cell[0].runs_done == 3);
    make(TABLE("value: drops, order: {who: [them, us]}"), "", 1000000);
    fill();
    assert_int_equal(cells.count, 2); /* a case each, at 50 and at 90 */
    assert_true(cells.cell[0].measured.lo == 0 && cells.varies[1] && !cells.varies[0]);
}

static void a_label_is_subtracted_after_the_division(void **state)
{
    (void)state;
    make(TABLE("value: drops, divide: 10, less: load"), "", 1000000);
    fill();
    assert_true(cells.cell[0].measured.lo == 1 - 50 && cells.cell[1].measured.lo == 2 - 90);
}

/* At load 50 "us" has 10 and "them" 40, at 90 they have 20 and 50: reductions of 75 and 60 %. */
static void a_reduction_of_each_other_comes_before_the_mean(void **state)
{
    (void)state;
    make(TABLE("value: drops, unstable: keep, reduction_of: {who: us}, mean: [who, load]" PUBLISHED),
         "metric,who,value\nm,,70\n", 1000000);
    fill();
    assert_int_equal(cells.count, 1);
    assert_true(cells.cell[0].measured.lo == 67.5 && cells.cell[0].published.lo == 70);
    assert_true(cells.cell[0].cases == 2 && cells.cell[0].runs == 4 && cells.cell[0].runs_done == 4);
    assert_true(cells.cell[0].deviation_percent == -2.5); /* in points */
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_WITHIN);
    plan.point[0].state = WEIR_POINT_PENDING; /* the number that is divided is missing at load 50 */
    fill();
    assert_true(cells.cell[0].measured.lo == 60 && cells.cell[0].cases == 1 && cells.cell[0].runs_done == 3);
}

static void the_number_at_a_label_is_divided_by_each_other(void **state)
{
    (void)state;
    make(TABLE("value: drops, unstable: keep, relative_of: {who: us}" PUBLISHED), "metric,who,value\nm,THEM,0.3\n",
         1000000);
    fill();
    assert_int_equal(cells.count, 2); /* of "them" alone */
    assert_true(cells.cell[0].measured.lo == 0.25 && cells.cell[1].measured.lo == 0.4);
    assert_true(cells.cell[0].published.lo == 0.3 && cells.cell[0].averaged == 0);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_OUTSIDE);
}

/* 10 over 40 is less than 20 over 50. */
/* An experiment with the four runs a, b, c, d, whose numbers are 10, 20, 40, 50, and a table with this order. */
static const char *in_order(const char *order)
{
    static char text[512];
    (void)snprintf(text, sizeof(text),
                   "title: T\naxes:\n  - {name: who, scenario: s.yaml, values: [a, b, c, d]}\nfigures:\n"
                   "  - {name: f, title: F, sweeps: [{who: all}],\n"
                   "     tables: [{name: t, title: T, value: drops, unstable: keep, order: {who: %s}}]}\n",
                   order);
    return text;
}

/* Each of a list is compared with each of the next one, and not with its like. */
static void a_list_has_no_order_of_its_own(void **state)
{
    static const struct {
        const char *order;
        double holds;
    } rows[] = {
        { "[a, [b, c, d]]", 100 },   { "[a, [d, c, b]]", 100 }, { "[[b, a], [d, c]]", 100 },
        { "[[a, c], [b, d]]", 0 }, /* b is below c, of the list before */
        { "[[a, b, c], d]", 100 },   { "[b, [a, c, d]]", 0 },   { "[[a, b, d], c]", 0 },
        { "[a, [b], [c], d]", 100 }, { "[a, [c], [b], d]", 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        make(in_order(rows[i].order), "", 1000000);
        fill();
        assert_int_equal(cells.count, 1);
        assert_int_equal(cells.cell[0].runs, 4);
        assert_true(cells.cell[0].measured.lo == rows[i].holds);
    }
    assert_int_equal(load(in_order("[[a, b, c, d]]")), WEIR_E_SYNTAX);
    make(in_order("[a, [b, c, d]]"), "", 1000000);
    set_run(0, 20, 1, 1); /* equal is not below, whichever of the list it is */
    fill();
    assert_true(cells.cell[0].measured.lo == 0);
    set_run(0, 19, 1, 1);
    set_run(2, -1, 1, 1); /* never is later than all others */
    fill();
    assert_true(cells.cell[0].measured.lo == 100);
}

static void quotients_have_an_order(void **state)
{
    (void)state;
    make(TABLE("value: drops, unstable: keep, relative_of: {who: us}, order: {load: [50, 90]}"), "", 1000000);
    fill();
    assert_int_equal(cells.count, 1);
    assert_true(cells.cell[0].measured.lo == 100 && cells.cell[0].runs == 4);
    set_run(0, 20, 1, 1);
    fill();
    assert_true(cells.cell[0].measured.lo == 0);
}

static void a_number_is_divided_by_another_of_its_run(void **state)
{
    (void)state;
    make(TABLE("value: {path: drops, by: marks}, unstable: keep"), "", 1000000);
    set_run(3, 50, 1, 4);
    fill();
    assert_true(cells.cell[0].measured.lo == 10 && cells.cell[3].measured.lo == 12.5);
    set_run(3, 50, 1, 0); /* no quotient */
    fill();
    assert_int_equal(cells.cell[3].measured.state, WEIR_VALUE_NONE);
}

/* The quotient of two means, each of its own stable cases; what was published of it stands alone. */
static void means_of_what_is_compared_with_the_best_are_divided(void **state)
{
    (void)state;
    make(TABLE("value: drops, best: {who: least}, mean: [load], relative_to: {who: us}" PUBLISHED),
         "metric,who,value\nm,THEM,4\n", 1000000);
    set_run(3, 60, 1, 1);
    fill();
    assert_int_equal(cells.count, 1);
    assert_true(cells.cell[0].measured.lo == 3.5 && cells.cell[0].published.lo == 4); /* (4 + 3) / 2 over 1 */
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_OUTSIDE);
}

/* Runs that nobody asked for this time: no row of their own, but a row that has one of them lacks the others. */
static void what_was_not_asked_for_is_shown_if_it_is_there(void **state)
{
    (void)state;
    make(TABLE("value: drops, over: load, unstable: keep" PUBLISHED), "metric,who,value\nm,US,99\nm,THEM,99\n",
         1000000);
    for (int i = 0; i < 4; i++) {
        plan.point[i].wanted = false;
        plan.point[i].state = i == 2 ? WEIR_POINT_DONE : WEIR_POINT_PENDING;
    }
    fill();
    assert_int_equal(cells.count, 1);
    assert_true(cells.varies[0]);
    assert_true(cells.cell[0].value[0] == 1 && cells.cell[0].measured.lo == 40);
    assert_int_equal(cells.cell[0].runs, 2);
    assert_int_equal(cells.cell[0].runs_done, 1);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_SHOWN);
}

/* The quotient of a run with one of a protocol that is not there names that protocol; so does the row of that run. */
static void what_is_not_built_is_named(void **state)
{
    (void)state;
    make(TABLE("value: drops, where: {load: 50}, relative_to: {who: them}" PUBLISHED), "metric,who,value\nm,US,0.2\n",
         1000000);
    plan.point[2].state = WEIR_POINT_NOT_BUILT;
    plan.point[2].not_built = "telepathy";
    fill();
    assert_int_equal(cells.count, 1);
    assert_string_equal(cells.cell[0].not_built, "telepathy");
    assert_int_equal(cells.cell[0].measured.state, WEIR_VALUE_MISSING);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_NONE);
    make(TABLE("value: drops, where: {load: 50}, unstable: keep"), "", 1000000);
    plan.point[2].state = WEIR_POINT_NOT_BUILT;
    plan.point[2].not_built = "telepathy";
    fill();
    assert_int_equal(cells.count, 2);
    assert_null(cells.cell[0].not_built);
    assert_string_equal(cells.cell[1].not_built, "telepathy");
    plan.point[2].wanted = false;
    fill();
    assert_int_equal(cells.count, 1);
}

static void units_and_several_readings(void **state)
{
    (void)state;
    make(TABLE("values: {a: drops, b: losses}, divide: 10, unstable: keep"), "", 1000000);
    set_run(0, -1, 1, 1);
    fill();
    assert_int_equal(cells.count, 8);
    assert_int_equal(cells.cell[0].measured.state, WEIR_VALUE_NONE);
    assert_true(cells.cell[2].measured.lo == 2 && cells.cell[3].reading == 1);
    assert_int_equal(cells.cell[2].published.state, WEIR_VALUE_NONE);
}

static void the_mean_over_an_axis(void **state)
{
    (void)state;
    make(TABLE("value: drops, average: load, unstable: keep" PUBLISHED), "metric,who,value\nm,US,15\nm,THEM,40\n",
         1000000);
    fill();
    assert_int_equal(cells.count, 2);
    assert_true(cells.cell[0].measured.lo == 15 && cells.cell[0].least == 10 && cells.cell[0].most == 20);
    assert_int_equal(cells.cell[0].averaged, 2);
    assert_true(cells.cell[0].number[0] == 10 && cells.cell[0].number[1] == 20);
    assert_null(cells.cell[0].at);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_WITHIN);
    assert_true(cells.cell[1].measured.lo == 45 && cells.cell[1].at_unstable);
    assert_true(cells.cell[0].unstable == 0 && cells.cell[1].unstable == 1);
    plan.point[1].state = WEIR_POINT_FAILED;
    set_run(2, -1, 1, 1);
    fill();
    assert_true(cells.cell[0].measured.lo == 10 && cells.cell[0].averaged == 1 && cells.cell[0].runs_done == 1);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_SHOWN);
    assert_true(cells.cell[1].measured.lo == 50 && cells.cell[1].averaged == 1 && cells.cell[1].runs_done == 2);
    assert_true(cells.cell[0].number[0] == 10 && isnan(cells.cell[0].number[1])); /* not done */
    assert_true(isnan(cells.cell[1].number[0]) && cells.cell[1].number[1] == 50); /* has none */
}

/* 10, 20, 40, 50: squares 400 + 100 + 100 + 400; half a width is 3.182 sqrt(1000 / 3 / 4). */
static void a_mean_of_three_runs_or_more_has_an_interval(void **state)
{
    static const char text[] =
        "title: X\naxes: [{name: seed, scenario: s.yaml, set: {run.seed: $}, values: [1, 2, 3, 4]}]\n"
        "figures: [{name: f, title: F, sweeps: [{seed: all}],\n"
        "  tables: [{name: t, title: T, value: drops, average: seed, unstable: keep}]}]\n";
    (void)state;
    make(text, "", 1000000);
    fill();
    assert_int_equal(cells.cell[0].averaged, 4);
    assert_true(cells.cell[0].measured.lo == 30 && cells.cell[0].squares == 1000);
    assert_true(fabs(cells.cell[0].half_width - 29.0475530) < 1e-6);
    plan.point[3].state = WEIR_POINT_FAILED;
    fill();
    assert_true(cells.cell[0].half_width > 0);
    plan.point[2].state = WEIR_POINT_FAILED;
    fill();
    assert_true(cells.cell[0].half_width == 0);
}

/* Of one value there is a column only in a sweep, where another of its points may have another. */
static void a_sweep_shows_what_it_varies(void **state)
{
    static const char text[] =
        "axes: [{name: who, scenario: s.yaml, values: [us, them]}, {name: net, values: [lan]}]\nseeds: 2\n"
        "tables: [{name: t, title: T, value: drops, average: seed, where: {who: us}}]\n";
    (void)state;
    make(text, "", 1000000);
    fill();
    assert_true(test_exp.implied && cells.count == 1);
    assert_true(cells.varies[0] && !cells.varies[1]);
}

static void an_unstable_run_makes_its_mean_unstable(void **state)
{
    (void)state;
    make(TABLE("value: drops, average: load, unstable: out"), "", 1000000);
    fill();
    assert_int_equal(cells.cell[0].measured.state, WEIR_VALUE_NUMBER);
    assert_true(cells.cell[1].measured.state == WEIR_VALUE_UNSTABLE && cells.cell[1].measured.lo == 45);
}

/* 10 and 40 at load 50: 75 % less. Compared in points: 75 - 60. */
static void reductions_are_compared_in_points(void **state)
{
    (void)state;
    make(TABLE("value: drops, where: {load: 50}, reduction_to: {who: them}" PUBLISHED), "metric,who,value\nm,US,60\n",
         1000000);
    fill();
    assert_int_equal(cells.count, 1);
    assert_true(cells.cell[0].measured.lo == 75 && cells.cell[0].measured.hi == 75);
    assert_true(cells.cell[0].deviation_percent == 15);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_OUTSIDE);
    make(TABLE("value: drops, where: {load: 50}, reduction_to: {who: them}" PUBLISHED),
         "metric,who,value\nm,US,1\nm,THEM,5\n", 1000000); /* 80 % less */
    fill();
    assert_true(cells.cell[0].published.lo == 80 && cells.cell[0].deviation_percent == -5);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_WITHIN);
}

static void by_the_label_of_an_axis(void **state)
{
    (void)state;
    make(TABLE("values: {a: drops, b: {path: drops, per: load, divide: 2}}, unstable: keep"), "", 1000000);
    fill();
    assert_true(cells.cell[0].measured.lo == 10 && cells.cell[1].measured.lo == 0.1); /* 10 / 2 / 50 */
    assert_true(cells.cell[3].measured.lo == 20.0 / 2 / 90);
}

/* A quotient of two printed numbers is another reading of both; one by a number that is unstable in print is none. */
static void what_is_computed_from_printed_numbers_is_no_printed_number(void **state)
{
    (void)state;
    make(TABLE("value: drops, where: {load: 50}, relative_to: {who: them}" PUBLISHED),
         "metric,who,value,id\nm,US,1,a\nm,THEM,5,b\n", 1000000);
    fill();
    assert_int_equal(cells.cell[0].class, WEIR_CLASS_VARIANT);
    assert_null(cells.cell[0].printed);
    make(TABLE("value: drops, where: {load: 50}, relative_to: {who: them}" PUBLISHED),
         "metric,who,value,id\nm,US,1,a\nm,THEM,unstable,b\n", 1000000);
    fill();
    assert_int_equal(cells.cell[0].published.state, WEIR_VALUE_NONE);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_NONE);
    make(TABLE("value: drops, mean: [load]" PUBLISHED), "metric,who,load,value,id\nm,US,50,1,a\nm,US,90,3,b\n",
         1000000);
    fill();
    assert_true(cells.cell[0].published.lo == 2);
    assert_int_equal(cells.cell[0].class, WEIR_CLASS_VARIANT);
    make(TABLE("value: drops, mean: [load]" PUBLISHED),
         "metric,who,value,id,kind\nm,US,2,a,order\nm,THEM,2,b,derived\n", 1000000);
    fill();
    assert_int_equal(cells.cell[0].class, WEIR_CLASS_ORDER);
    assert_int_equal(cells.cell[1].class, WEIR_CLASS_MODEL);
}

static void main_says_which_cells_are_main(void **state)
{
    (void)state;
    make(TABLE("value: drops, unstable: keep, main: {where: {load: 90}, reason: R}" PUBLISHED),
         "metric,who,value,id\nm,US,20,a\n", 1000000);
    fill();
    assert_int_equal(cells.count, 4);
    assert_int_equal(cells.cell[0].class, WEIR_CLASS_VARIANT);
    assert_int_equal(cells.cell[1].class, WEIR_CLASS_PRINTED);
    assert_string_equal(cells.cell[1].printed->id, "a");
    make(TABLE("value: drops, unstable: keep, main: {where: none, reason: R}" PUBLISHED),
         "metric,who,value,id\nm,US,20,a\n", 1000000);
    fill();
    assert_int_equal(cells.cell[1].class, WEIR_CLASS_VARIANT);
    /* a mean is of no load, so a table that names one has no main cell */
    make(TABLE("value: drops, mean: [load], main: {where: {load: 90}, reason: R}" PUBLISHED),
         "metric,who,value,id\nm,US,20,a\n", 1000000);
    fill();
    assert_int_equal(cells.cell[0].class, WEIR_CLASS_VARIANT);
}

static void a_row_on_both_sides_of_a_quotient_is_refused(void **state)
{
    const struct weir_measured measured = { .read = read_run };
    (void)state;
    make(TABLE("value: drops, where: {load: 50}, relative_to: {who: them}" PUBLISHED), "metric,who,value\nm,,3\n",
         1000000);
    assert_int_equal(weir_cells_make(&cells, &plan, plan.figure[0], &plan.figure[0]->table[0], &measured, &test_err),
                     WEIR_E_CONFLICT);
    assert_int_equal(test_err.line, 2);
    assert_refusal(&test_err, WEIR_E_CONFLICT, NULL, "sides");
}

static void of_a_published_zero_there_is_no_deviation(void **state)
{
    (void)state;
    make(TABLE("value: drops, where: {load: 50}, unstable: keep" PUBLISHED), "metric,who,value\nm,US,0\n", 1000000);
    fill();
    assert_false(cells.cell[0].has_deviation);
    assert_int_equal(cells.cell[0].verdict, WEIR_CELL_OUTSIDE);
}

static void deviations(void **state)
{
    struct weir_value one = { .lo = 80, .hi = 80 }, range = { .lo = 696, .hi = 747 }, zero = { .lo = 0, .hi = 0 };
    (void)state;
    assert_true(weir_deviation_percent(84, &one) == 5);
    assert_true(weir_deviation_percent(60, &one) == -25);
    assert_true(weir_deviation_percent(700, &range) == 0);
    assert_true(weir_deviation_percent(348, &range) == -50);
    assert_true(weir_deviation_percent(1494, &range) == 100);
    assert_true(weir_deviation_percent(0, &zero) == 0);
    assert_true(weir_deviation_percent(1, &zero) > 1e300);
    assert_true(weir_deviation_points(84, &one) == 4 && weir_deviation_points(700, &range) == 0);
    assert_true(weir_deviation_points(690, &range) == -6);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_dir, end_dir)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_largest_of_a_row),
        TEST(unstable_runs_do_not_count_where_a_stable_one_does),
        TEST(a_table_of_another_figures_runs_has_its_cells),
        TEST(a_largest_number_needs_the_points_of_maxima),
        TEST(growing_queues_make_a_cell_unstable),
        TEST(quotients_on_both_sides),
        TEST(a_published_quotient_stands_alone),
        TEST(a_cell_that_no_effect_would_pass_is_weak),
        TEST(incomplete_and_shortened_rows_are_shown_but_not_judged),
        TEST(nothing_to_measure_is_outside),
        TEST(numbers_are_compared_with_the_best_of_an_axis),
        TEST(the_mean_of_cases_is_of_the_stable_ones),
        TEST(the_median_of_cases_has_their_ends),
        TEST(the_largest_of_cases_is_of_the_stable_ones),
        TEST(the_largest_with_a_missing_case_is_not_tried),
        TEST(the_largest_comes_after_best_and_relative_of_and_before_relative_to),
        TEST(a_bound_of_the_largest_quotient_is_weak_or_exceeded),
        TEST(an_order_is_kept_in_so_many_of_a_hundred_cases),
        TEST(a_label_is_subtracted_after_the_division),
        TEST(a_reduction_of_each_other_comes_before_the_mean),
        TEST(the_number_at_a_label_is_divided_by_each_other),
        TEST(a_list_has_no_order_of_its_own),
        TEST(quotients_have_an_order),
        TEST(a_number_is_divided_by_another_of_its_run),
        TEST(means_of_what_is_compared_with_the_best_are_divided),
        TEST(what_was_not_asked_for_is_shown_if_it_is_there),
        TEST(what_is_not_built_is_named),
        TEST(units_and_several_readings),
        TEST(the_mean_over_an_axis),
        TEST(a_mean_of_three_runs_or_more_has_an_interval),
        TEST(a_sweep_shows_what_it_varies),
        TEST(an_unstable_run_makes_its_mean_unstable),
        TEST(reductions_are_compared_in_points),
        TEST(by_the_label_of_an_axis),
        TEST(what_is_computed_from_printed_numbers_is_no_printed_number),
        TEST(main_says_which_cells_are_main),
        TEST(a_row_on_both_sides_of_a_quotient_is_refused),
        TEST(of_a_published_zero_there_is_no_deviation),
        cmocka_unit_test(deviations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
