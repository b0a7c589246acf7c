/* src/scenario/measure/metric_rows.h - macros that make rows of metrics, for the tables metrics.c and part_metrics.c.
 * Before it is included, OFFSET(field) must be defined: the offset of a field in the struct that the rows describe. */
#ifndef WEIR_MEASURE_METRIC_ROWS_H
#define WEIR_MEASURE_METRIC_ROWS_H
#include "core/metric.h"
#include "measure/samples.h"

/* Macros that make a row, and macros that set fields of it. */
#define ROW(key, field, what, ...)                                                                                     \
    {                                                                                                                  \
        .name = (key), .offset = OFFSET(field), .title = (what), __VA_ARGS__                                           \
    }
#define COUNT(key, field, what, ...) ROW(key, field, what, .unit = WEIR_METRIC_COUNT, __VA_ARGS__)
#define LEAST .better = WEIR_METRIC_LEAST
#define GREATEST .better = WEIR_METRIC_GREATEST
#define GBPS .digits = 9, .unit = WEIR_METRIC_GBPS
#define LINE(label, after) .line = (label), .phrase = (after)
#define HEAD(first, second) .head = { (first), (second) }
#define MODEL(section) .source = "doc/model.md [" section "]"

/* Calls X(key, index, title part, head of a column, family) for each group of messages by size. family: passed on */
#define GROUPS(X, family)                                                                                              \
    X("all", WEIR_GROUP_ALL, "", "of all", family), X("A", WEIR_GROUP_A, " of group A", "group A", family),            \
        X("B", WEIR_GROUP_B, " of group B", "group B", family),                                                        \
        X("C", WEIR_GROUP_C, " of group C", "group C", family), X("D", WEIR_GROUP_D, " of group D", "group D", family)

/* The rows of a distribution for one group: count, mean and each percentile. A family is (key, field, title, sentence,
 * unit), in parentheses. The four arguments of the group and a family are all that a row needs. OUT removes the
 * parentheses. CALL expands its arguments before it calls the macro, so OUT gives the macro several arguments. */
/* NOLINTBEGIN(bugprone-macro-parentheses): names of fields, and arguments of further macros, stand in no parentheses */
#define CALL(macro, ...) macro(__VA_ARGS__)
#define OUT(...) __VA_ARGS__
#define DIST_ROW(stat, label, member, at, g, index, of_group, head1, key, field, what, meaning, in_unit)               \
    ROW(key "." g "." stat, field[index].member, label " " what of_group, .text = (meaning), HEAD(label " of", head1), \
        .needs = OFFSET(field[index].count), .digits = (at), .unit = (in_unit), LEAST, .of_end = true)
#define AND_PERCENTILE(key, ppm, label, dist) , CALL(DIST_ROW, #key, label, key, 6, OUT dist)
#define DIST_COUNT(g, index, of_group, head1, key, field, what, meaning, in_unit)                                      \
    COUNT(key "." g ".count", field[index].count, "messages" of_group, .text = "how many the " what " is of",          \
          HEAD("messages", head1))
#define DIST(g, index, of_group, head1, family)                                                                        \
    CALL(DIST_COUNT, g, index, of_group, head1, OUT family),                                                           \
        CALL(DIST_ROW, "mean", "mean", mean_milli, 9, g, index, of_group, head1, OUT family)                           \
            WEIR_PERCENTILES(AND_PERCENTILE, (g, index, of_group, head1, OUT family))

/* NOLINTEND(bugprone-macro-parentheses) */
#endif
