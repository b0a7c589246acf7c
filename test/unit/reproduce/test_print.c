/* test/unit/reproduce/test_print.c - a cell in --json. */
#include "test/unit/weir_test.h"
#include "reproduce/print.h"
#include <stdlib.h>
#include <string.h>

/* A table of one cell, in JSON or as text. Freed by the caller. */
static char *print_as(const struct weir_cell *cell, enum weir_cases_fold fold, bool json)
{
    static struct weir_reading reading = { .label = "" };
    struct weir_experiment exp = { .title = "T", .origin = { .id = "e" } };
    struct weir_figure figure = { .name = "f", .title = "F" };
    const struct weir_figure *figures[] = { &figure };
    struct weir_table_spec spec = {
        .name = "t", .title = "T", .unit = "", .reading = &reading, .reading_count = 1, .fold = fold
    };
    struct weir_cell copy = *cell;
    struct weir_cells cells = { .figure = &figure, .spec = &spec, .cell = &copy, .count = 1 };
    struct weir_plan plan = {
        .exp = &exp, .figure = figures, .figure_count = 1, .scale_ppm = 1000000, .measure_ppm = 1000000
    };
    struct weir_outcome outcome = { &plan, &cells, 1, NULL, NULL, "1", "c" };
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    if (json)
        weir_reproduce_json(out, &outcome);
    else
        weir_reproduce_print(out, &outcome);
    assert_int_equal(fclose(out), 0);
    return text;
}

static char *print(const struct weir_cell *cell)
{
    return print_as(cell, WEIR_CASES_APART, true);
}

static void an_unstable_number_is_said_where_there_is_one(void **state)
{
    struct weir_point point = { .name = "p" };
    struct weir_cell cell = { .measured = { .state = WEIR_VALUE_UNSTABLE, .lo = 5, .hi = 5 }, .at = &point };
    char *text = print(&cell);
    (void)state;
    assert_non_null(strstr(text, "\"measured_unstable\": 5"));
    free(text);
    cell = (struct weir_cell){ .measured = { .state = WEIR_VALUE_UNSTABLE } }; /* a quotient */
    text = print(&cell);
    assert_non_null(strstr(text, "\"measured\": \"unstable\""));
    assert_null(strstr(text, "measured_unstable"));
    free(text);
}

static void a_median_has_its_ends_next_to_it(void **state)
{
    struct weir_cell cell = { .measured = { .state = WEIR_VALUE_NUMBER, .lo = 43, .hi = 43 },
                              .least = 25,
                              .most = 61,
                              .cases = 9,
                              .cases_of = 10 };
    char *text = print_as(&cell, WEIR_CASES_MEDIAN, true);
    (void)state;
    assert_non_null(strstr(text, "\"least\": 25"));
    assert_non_null(strstr(text, "\"most\": 61"));
    free(text);
    text = print_as(&cell, WEIR_CASES_MEDIAN, false);
    assert_non_null(strstr(text, "43  median of 9, 25 to 61; median of 9 of 10 cases\n"));
    free(text);
    text = print_as(&cell, WEIR_CASES_MEAN, false);
    assert_non_null(strstr(text, "43  mean of 9 of 10 cases\n"));
    free(text);
}

static void the_largest_of_some_cases_says_of_how_many(void **state)
{
    struct weir_cell cell = { .measured = { .state = WEIR_VALUE_NUMBER, .lo = 43, .hi = 43 },
                              .cases = 9,
                              .cases_of = 10 };
    char *text = print_as(&cell, WEIR_CASES_MOST, false);
    (void)state;
    assert_non_null(strstr(text, "43  largest of 9 of 10 cases\n"));
    free(text);
    text = print_as(&cell, WEIR_CASES_MOST, true);
    assert_non_null(strstr(text, "\"cases\": 9"));
    assert_null(strstr(text, "\"least\""));
    free(text);
    cell.cases = 10;
    text = print_as(&cell, WEIR_CASES_MOST, false);
    assert_non_null(strstr(text, "43\n"));
    free(text);
}

static void a_line_of_several_values_has_their_intervals(void **state)
{
    struct weir_reading reading[] = { { .label = "a", .digits = 2 }, { .label = "b" } };
    struct weir_experiment exp = { .title = "T", .origin = { .id = "e" }, .implied = true };
    struct weir_figure figure = { .name = "all", .title = "F" };
    const struct weir_figure *figures[] = { &figure };
    struct weir_table_spec spec = {
        .name = "t", .title = "Table", .unit = "", .reading = reading, .reading_count = 2, .columns = true
    };
    struct weir_cell cell[] = {
        { .measured = { .state = WEIR_VALUE_NUMBER, .lo = 4, .hi = 4 },
          .averaged = 3,
          .half_width = 0.125,
          .unstable = 2 },
        { .reading = 1, .measured = { .state = WEIR_VALUE_NUMBER, .lo = 7, .hi = 7 }, .averaged = 2, .unstable = 1 },
    };
    struct weir_cells cells = { .figure = &figure, .spec = &spec, .cell = cell, .count = 2 };
    struct weir_point point = { .number = 3, .name = "p", .state = WEIR_POINT_DONE, .run = 9 };
    struct weir_plan plan = { .exp = &exp,
                              .figure = figures,
                              .figure_count = 1,
                              .point = &point,
                              .point_count = 1,
                              .scale_ppm = 1000000,
                              .measure_ppm = 1000000 };
    struct weir_outcome outcome = { &plan, &cells, 1, NULL, NULL, "1", "c" };
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    (void)state;
    weir_reproduce_print(out, &outcome);
    weir_reproduce_json(out, &outcome);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "  4.00 +-0.12  7  1 of 2 not stable\n"));
    assert_non_null(strstr(text, "\"half_width_95\": 0.125"));
    assert_non_null(strstr(text, "T\nweir 1 (c)\n\nTable\n")); /* of a sweep: no figure, nothing published */
    assert_non_null(strstr(text, "\"points\": [{\"number\": 3, \"name\": \"p\", \"done\": true, \"run\": 9}]"));
    free(text);
}

/* Two readings have a line each, with what is read; where there is one, it needs no name. */
static void a_line_names_its_reading_if_there_are_several(void **state)
{
    struct weir_reading reading[] = { { .label = "median" }, { .label = "p99" } };
    struct weir_experiment exp = { .title = "T", .origin = { .id = "e" } };
    struct weir_figure figure = { .name = "f", .title = "F" };
    const struct weir_figure *figures[] = { &figure };
    struct weir_table_spec spec = { .name = "t", .title = "Table", .unit = "", .reading = reading };
    struct weir_cell cell[] = { { .measured = { .state = WEIR_VALUE_NUMBER, .lo = 4, .hi = 4 } },
                                { .reading = 1, .measured = { .state = WEIR_VALUE_NUMBER, .lo = 7, .hi = 7 } } };
    struct weir_cells cells = { .figure = &figure, .spec = &spec, .cell = cell };
    struct weir_plan plan = {
        .exp = &exp, .figure = figures, .figure_count = 1, .scale_ppm = 1000000, .measure_ppm = 1000000
    };
    struct weir_outcome outcome = { &plan, &cells, 1, NULL, NULL, "1", "c" };
    static const char *const must[] = { "\n  measured\n         4\n",
                                        "\n  value   measured\n  median         4\n  p99            7\n" };
    (void)state;
    for (uint32_t count = 1; count <= 2; count++) {
        char *text = NULL;
        size_t length;
        FILE *out = open_memstream(&text, &length);
        assert_non_null(out);
        spec.reading_count = count;
        cells.count = count;
        weir_reproduce_print(out, &outcome);
        assert_int_equal(fclose(out), 0);
        if (strstr(text, must[count - 1]) == NULL)
            fail_msg("%u: %s", (unsigned)count, text);
        free(text);
    }
}

/* A mean with a run in doubt has its remark, and no interval. */
static void a_mean_in_doubt_has_no_interval(void **state)
{
    struct weir_reading reading = { .label = "a", .digits = 2 };
    struct weir_experiment exp = { .title = "T", .origin = { .id = "e" }, .implied = true };
    struct weir_figure figure = { .name = "all", .title = "F" };
    const struct weir_figure *figures[] = { &figure };
    struct weir_table_spec spec = { .name = "t",
                                    .title = "Table",
                                    .unit = "",
                                    .reading = &reading,
                                    .reading_count = 1,
                                    .columns = true,
                                    .over = WEIR_AXIS_NONE };
    struct weir_point point = { .number = 1, .name = "p", .state = WEIR_POINT_DONE, .doubt = "short" };
    struct weir_cell cell[] = {
        { .measured = { .state = WEIR_VALUE_NUMBER, .lo = 4, .hi = 4 },
          .averaged = 3,
          .half_width = 0.125,
          .unstable = 1,
          .doubtful = 2 },
        { .measured = { .state = WEIR_VALUE_NUMBER, .lo = 5, .hi = 5 }, .at = &point },
    };
    struct weir_cells cells = { .figure = &figure, .spec = &spec, .cell = cell, .count = 2 };
    struct weir_plan plan = { .exp = &exp,
                              .figure = figures,
                              .figure_count = 1,
                              .point = &point,
                              .point_count = 1,
                              .scale_ppm = 1000000,
                              .measure_ppm = 1000000 };
    enum weir_advice_kind kind = WEIR_ADVICE_OVERLOADED;
    struct weir_advice advice = { .point = plan.point, .count = plan.point_count, .kind = &kind, .hopeless = 1 };
    struct weir_outcome outcome = { &plan, &cells, 1, &advice, NULL, "1", "c" };
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    (void)state;
    weir_reproduce_print(out, &outcome);
    weir_reproduce_json(out, &outcome);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "  4.00  2 of 3 in doubt\n"));
    assert_non_null(strstr(text, "  5.00  in doubt\n"));
    assert_null(strstr(text, "+-"));
    assert_non_null(strstr(text, "\"half_width_95\": null"));
    assert_non_null(strstr(text, "\"doubt\": \"short\""));
    assert_non_null(strstr(text, "\"hopeless_runs\": 1, \"hopeless\": {\"p\": \"overloaded\"}"));
    free(text);
}

static char *print_many(struct weir_cell *cell, uint32_t count)
{
    static struct weir_reading reading = { .label = "" };
    struct weir_experiment exp = { .title = "T", .origin = { .id = "e" } };
    struct weir_figure figure = { .name = "f", .title = "F" };
    const struct weir_figure *figures[] = { &figure };
    struct weir_table_spec spec = { .name = "t", .title = "T", .unit = "", .reading = &reading, .reading_count = 1 };
    struct weir_cells cells = { .figure = &figure, .spec = &spec, .cell = cell, .count = count };
    struct weir_plan plan = {
        .exp = &exp, .figure = figures, .figure_count = 1, .scale_ppm = 1000000, .measure_ppm = 1000000
    };
    struct weir_outcome outcome = { &plan, &cells, 1, NULL, NULL, "1", "c" };
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    weir_reproduce_print(out, &outcome);
    assert_int_equal(fclose(out), 0);
    return text;
}

static uint32_t lines_of(const char *text)
{
    uint32_t count = 0;
    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

static void lines_of_runs_that_were_not_made_are_counted(void **state)
{
    enum { COUNT = 280 };
    static struct weir_cell cell[COUNT];
    uint32_t whole;
    char *text;
    (void)state;
    for (int i = 0; i < COUNT; i++)
        cell[i] = (struct weir_cell){ .measured = { .state = WEIR_VALUE_NUMBER, .lo = 7, .hi = 7 },
                                      .runs = 1,
                                      .runs_done = 1 };
    text = print_many(cell, COUNT);
    whole = lines_of(text);
    assert_null(strstr(text, "not run"));
    free(text);
    for (int i = 3; i < COUNT; i++)
        cell[i] = (struct weir_cell){ .measured = { .state = WEIR_VALUE_MISSING }, .runs = 1 };
    cell[5].runs_done = 1; /* some of its runs were made: what is missing is in the remark */
    cell[5].runs = 2;
    cell[6].not_built = "telepathy";
    text = print_many(cell, COUNT);
    assert_int_equal(lines_of(text), whole - COUNT + 5 + 1);
    assert_non_null(strstr(text, "  not run: 275 of 280 lines\n"));
    free(text);
    text = print_many(&cell[10], 4);
    assert_string_equal(text, "T\nscale 1, weir 1 (c)\n\nnot run: f\n"); /* no head over nothing */
    free(text);
}

static void tables_and_figures_of_which_nothing_was_run_are_a_line(void **state)
{
    static struct weir_reading reading = { .label = "" };
    struct weir_cell done = { .measured = { .state = WEIR_VALUE_NUMBER, .lo = 7, .hi = 7 }, .runs = 1, .runs_done = 1 };
    struct weir_cell not_run = { .measured = { .state = WEIR_VALUE_MISSING }, .runs = 1 };
    struct weir_experiment exp = { .title = "T", .origin = { .id = "e" } };
    struct weir_figure figure[] = { { .name = "a", .title = "A" },
                                    { .name = "b", .title = "B" },
                                    { .name = "c", .title = "C", .skip = "no data" },
                                    { .name = "d", .title = "D" } };
    const struct weir_figure *figures[] = { &figure[0], &figure[1], &figure[2], &figure[3] };
    struct weir_table_spec spec = {
        .name = "t", .title = "Table", .unit = "", .reading = &reading, .reading_count = 1
    };
    struct weir_cells cells[] = { { .figure = &figure[0], .spec = &spec, .cell = &not_run, .count = 1 },
                                  { .figure = &figure[1], .spec = &spec, .cell = &done, .count = 1 },
                                  { .figure = &figure[1], .spec = &spec, .cell = &not_run, .count = 1 },
                                  { .figure = &figure[1], .spec = &spec, .cell = &not_run, .count = 1 },
                                  { .figure = &figure[2], .spec = &spec, .cell = &not_run, .count = 1 },
                                  { .figure = &figure[3], .spec = &spec, .cell = &not_run, .count = 1 } };
    struct weir_plan plan = {
        .exp = &exp, .figure = figures, .figure_count = 4, .scale_ppm = 1000000, .measure_ppm = 1000000
    };
    struct weir_outcome outcome = { &plan, cells, 6, NULL, NULL, "1", "c" };
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    (void)state;
    assert_non_null(out);
    weir_reproduce_print(out, &outcome);
    assert_int_equal(fclose(out), 0);
    assert_null(strstr(text, "a: A"));
    assert_non_null(strstr(text, "\nb: B\n\nTable\n"));
    assert_non_null(strstr(text, "\n  not run: 2 more tables\n"));
    assert_non_null(strstr(text, "\nc: C\n  skipped: no data\n"));
    assert_non_null(strstr(text, "\n\nnot run: a, d\n"));
    free(text);
}

/* Whether a schema is of a command, and has this line: a required key stands in one of its own. */
static bool schema_has(void (*put)(FILE *out), const char *title, const char *line)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    bool found;
    assert_non_null(out);
    put(out);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, title));
    assert_string_equal(text + length - 3, "\n}\n");
    found = strstr(text, line) != NULL;
    free(text);
    return found;
}

static void every_sweep_has_its_points_and_its_advice(void **state)
{
    (void)state;
    assert_true(schema_has(weir_sweep_schema, "\"title\": \"weir sweep --json\"", "\n    \"points\",\n"));
    assert_true(schema_has(weir_sweep_schema, "\"title\": \"weir sweep --json\"", "\n    \"advice\"]"));
    /* The last that is required: others have points only now and then. */
    assert_true(schema_has(weir_reproduce_schema, "\"title\": \"weir reproduce --json\"", "\n    \"not_checked\"]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unstable_number_is_said_where_there_is_one),
        cmocka_unit_test(lines_of_runs_that_were_not_made_are_counted),
        cmocka_unit_test(tables_and_figures_of_which_nothing_was_run_are_a_line),
        cmocka_unit_test(a_median_has_its_ends_next_to_it),
        cmocka_unit_test(the_largest_of_some_cases_says_of_how_many),
        cmocka_unit_test(a_line_of_several_values_has_their_intervals),
        cmocka_unit_test(a_line_names_its_reading_if_there_are_several),
        cmocka_unit_test(a_mean_in_doubt_has_no_interval),
        cmocka_unit_test(every_sweep_has_its_points_and_its_advice),
    };
    return cmocka_run_group_tests_name("reproduce/print", tests, NULL, NULL);
}
