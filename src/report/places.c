/* src/report/places.c - see places.h. One query per place: joined with their points, SQLite sorts a million of them. */
#include "report/places.h"
#include <stdlib.h>
#include <string.h>

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the names of hosts and ports");
}

/* Reads how many points a series has, the last of them and their mean. */
static int measure(struct weir_place *place, const struct weir_db *db, sqlite3_stmt *stmt, struct weir_err *err)
{
    int code;
    (void)sqlite3_bind_int64(stmt, 1, place->id);
    if (weir_db_step(db, stmt, &code, err)) {
        place->points = sqlite3_column_int64(stmt, 0);
        place->last_ps = sqlite3_column_int64(stmt, 1);
        place->mean = sqlite3_column_double(stmt, 2);
    }
    (void)sqlite3_reset(stmt);
    return code;
}

static int add_place(struct weir_places *places, const struct weir_place *measured, sqlite3_stmt *list,
                     struct weir_err *err)
{
    struct weir_place *grown = realloc(places->place, (places->count + 1) * sizeof(*grown)), *to;
    if (grown == NULL)
        return no_memory(err);
    places->place = grown;
    to = &grown[places->count++];
    *to = *measured;
    to->series = strdup((const char *)sqlite3_column_text(list, 1));
    to->name = strdup((const char *)sqlite3_column_text(list, 2));
    return to->series != NULL && to->name != NULL ? 0 : no_memory(err);
}

static int read_places(struct weir_places *places, const struct weir_db *db, sqlite3_stmt *list, sqlite3_stmt *points,
                       struct weir_err *err)
{
    int code = 0;
    while (code == 0 && weir_db_step(db, list, &code, err)) {
        struct weir_place place = { .id = sqlite3_column_int64(list, 0) };
        code = measure(&place, db, points, err);
        if (code == 0 && place.points > 0)
            code = add_place(places, &place, list, err);
    }
    return code;
}

static int compare_places(const void *left, const void *right)
{
    const struct weir_place *a = left, *b = right;
    int order = strcmp(a->series, b->series);
    if (order == 0)
        order = (a->mean < b->mean) - (a->mean > b->mean);
    return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

int weir_places_read(struct weir_places *places, const struct weir_db *db, int64_t run, struct weir_err *err)
{
    sqlite3_stmt *list, *points = NULL;
    int code =
        weir_db_prepare(db, "SELECT id, name, place FROM series WHERE run = ?1 AND place IS NOT NULL", &list, err);
    *places = (struct weir_places){ 0 };
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(list, 1, run);
    code = weir_db_prepare(db, "SELECT count(*), max(t_ps), avg(value) FROM point WHERE series = ?1", &points, err);
    if (code == 0)
        code = read_places(places, db, list, points, err);
    if (code == 0 && places->count > 0)
        qsort(places->place, places->count, sizeof(*places->place), compare_places);
    (void)sqlite3_finalize(list);
    (void)sqlite3_finalize(points);
    return code;
}

void weir_places_free(struct weir_places *places)
{
    for (size_t i = 0; i < places->count; i++) {
        free(places->place[i].series);
        free(places->place[i].name);
    }
    free(places->place);
    *places = (struct weir_places){ 0 };
}

struct weir_places weir_places_of(const struct weir_places *places, const char *series)
{
    size_t first = 0, end;
    while (first < places->count && strcmp(places->place[first].series, series) != 0)
        first++;
    for (end = first; end < places->count && strcmp(places->place[end].series, series) == 0;)
        end++;
    return (struct weir_places){ places->place != NULL ? places->place + first : NULL, end - first };
}
