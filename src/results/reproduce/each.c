/* src/results/reproduce/each.c - see each.h. */
#include "reproduce/each.h"
#include "reproduce/fields.h"
#include <stdio.h>
#include <string.h>

enum { ONE_SQL = 512 };

int weir_each_spec_read(struct weir_tree_arena *arena, const struct weir_tree *map, const struct weir_each_spec **out,
                        struct weir_err *err)
{
    static const char *const keys[] = { "each", "read", "fold", "name", "divide", "per", "digits", NULL };
    static const char *const ofs[] = { "jobs", "coflows", NULL };
    static const char *const whats[] = { "completion", "end", "spread", "spread-share", NULL };
    static const char *const folds[] = { "mean", "min", "max", "less", NULL };
    struct weir_each_spec *spec = weir_tree_arena_take(arena, sizeof(*spec));
    uint32_t of = WEIR_EACH_JOBS, what = WEIR_EACH_COMPLETION, fold = WEIR_EACH_MEAN;
    int code;
    if (spec == NULL)
        return weir_fail_memory(err);
    *spec = (struct weir_each_spec){ 0 };
    if ((code = weir_field_keys(map, "what is read off jobs", keys, err)) != 0 ||
        (code = weir_field_choice(map, "each", ofs, "known: jobs, coflows", &of, err)) != 0 ||
        (code = weir_field_choice(map, "read", whats, "known: completion, end, spread, spread-share", &what, err)) !=
            0 ||
        (code = weir_field_choice(map, "fold", folds, "known: mean, min, max, less", &fold, err)) != 0 ||
        (code = weir_field_text(map, "name", &spec->name, err)) != 0)
        return code;
    if (of == WEIR_EACH_JOBS && what >= WEIR_EACH_SPREAD)
        return weir_fail(err, WEIR_E_CONFLICT, &map->at, NULL, "read: %s: coflows have one, jobs have not",
                         whats[what]);
    spec->of = (enum weir_each_of)of;
    spec->what = (enum weir_each_what)what;
    spec->fold = (enum weir_each_fold)fold;
    *out = spec;
    return 0;
}

/* Writes an SQL query for the jobs or coflows of the run in parameter ?run, with the columns number and v, the value.
 * Returns false if the query does not fit. */
static bool one_sql(const struct weir_each_spec *spec, int run, char *sql, size_t bytes)
{
    static const char *const what[] = { "end_ps - start_ps", "end_ps", "end_ps - first_end_ps",
                                        "(end_ps - first_end_ps) * 1.0 / (end_ps - start_ps)" };
    int length = snprintf(sql, bytes, "SELECT number, %s AS v FROM %s WHERE (?2 IS NULL OR name = ?2) AND run = ?%d",
                          what[spec->what], spec->of == WEIR_EACH_JOBS ? "job" : "coflow", run);
    return length > 0 && (size_t)length < bytes;
}

bool weir_each_sql(const struct weir_each_spec *spec, bool relative, char *sql, size_t bytes)
{
    static const char *const fold[] = { "avg(v)", "min(v)", "max(v)", "avg(v < 1)" };
    char here[ONE_SQL], there[ONE_SQL];
    int length;
    if (!one_sql(spec, 1, here, sizeof(here)) || !one_sql(spec, 3, there, sizeof(there)))
        return false;
    if (relative)
        length = snprintf(sql, bytes,
                          "SELECT CASE WHEN count(v) = count(*) THEN %s END FROM (SELECT a.v * 1.0 / b.v AS v FROM "
                          "(%s) a LEFT JOIN (%s) b USING (number))",
                          fold[spec->fold], here, there);
    else
        length =
            snprintf(sql, bytes, "SELECT CASE WHEN count(v) = count(*) THEN %s END FROM (%s)", fold[spec->fold], here);
    return length > 0 && (size_t)length < bytes;
}
