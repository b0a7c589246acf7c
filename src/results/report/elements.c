/* src/results/report/elements.c - see elements.h. Each element has a query of its own: with a single query that joins
 * all elements with their points, SQLite would sort a million points. */
#include "report/elements.h"
#include <stdlib.h>
#include <string.h>

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the names of hosts and ports");
}

/* Reads, for the series of an element, the number of points, the time of the last point and the mean of all points. */
static int measure(struct weir_element *element, const struct weir_db *db, sqlite3_stmt *stmt, struct weir_err *err)
{
    int code;
    (void)sqlite3_bind_int64(stmt, 1, element->id);
    if (weir_db_step(db, stmt, &code, err)) {
        element->points = sqlite3_column_int64(stmt, 0);
        element->last_ps = sqlite3_column_int64(stmt, 1);
        element->mean = sqlite3_column_double(stmt, 2);
    }
    (void)sqlite3_reset(stmt);
    return code;
}

static int add_element(struct weir_elements *elements, const struct weir_element *measured, sqlite3_stmt *list,
                       struct weir_err *err)
{
    struct weir_element *grown = realloc(elements->element, (elements->count + 1) * sizeof(*grown)), *to;
    if (grown == NULL)
        return no_memory(err);
    elements->element = grown;
    to = &grown[elements->count++];
    *to = *measured;
    to->series = strdup((const char *)sqlite3_column_text(list, 1));
    to->name = strdup((const char *)sqlite3_column_text(list, 2));
    return to->series != NULL && to->name != NULL ? 0 : no_memory(err);
}

static int read_elements(struct weir_elements *elements, const struct weir_db *db, sqlite3_stmt *list,
                         sqlite3_stmt *points, struct weir_err *err)
{
    int code = 0;
    while (code == 0 && weir_db_step(db, list, &code, err)) {
        struct weir_element element = { .id = sqlite3_column_int64(list, 0) };
        code = measure(&element, db, points, err);
        if (code == 0 && element.points > 0)
            code = add_element(elements, &element, list, err);
    }
    return code;
}

static int compare_elements(const void *left, const void *right)
{
    const struct weir_element *a = left, *b = right;
    int order = strcmp(a->series, b->series);
    if (order == 0)
        order = (a->mean < b->mean) - (a->mean > b->mean);
    return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

int weir_elements_read(struct weir_elements *elements, const struct weir_db *db, int64_t run, struct weir_err *err)
{
    sqlite3_stmt *list, *points = NULL;
    int code =
        weir_db_prepare(db, "SELECT id, name, place FROM series WHERE run = ?1 AND place IS NOT NULL", &list, err);
    *elements = (struct weir_elements){ 0 };
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(list, 1, run);
    code = weir_db_prepare(db, "SELECT count(*), max(t_ps), avg(value) FROM point WHERE series = ?1", &points, err);
    if (code == 0)
        code = read_elements(elements, db, list, points, err);
    if (code == 0 && elements->count > 0)
        qsort(elements->element, elements->count, sizeof(*elements->element), compare_elements);
    (void)sqlite3_finalize(list);
    (void)sqlite3_finalize(points);
    return code;
}

void weir_elements_free(struct weir_elements *elements)
{
    for (size_t i = 0; i < elements->count; i++) {
        free(elements->element[i].series);
        free(elements->element[i].name);
    }
    free(elements->element);
    *elements = (struct weir_elements){ 0 };
}

struct weir_elements weir_elements_of(const struct weir_elements *elements, const char *series)
{
    size_t first = 0, end;
    while (first < elements->count && strcmp(elements->element[first].series, series) != 0)
        first++;
    for (end = first; end < elements->count && strcmp(elements->element[end].series, series) == 0;)
        end++;
    return (struct weir_elements){ elements->element != NULL ? elements->element + first : NULL, end - first };
}
