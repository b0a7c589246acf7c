/* src/results/reproduce/difference_read.c - reads the runs of two result files, with their numbers; see
 * difference.h. */
#include "output/metrics.h"
#include "reproduce/comparison_read.h"
#include "reproduce/difference.h"
#include "reproduce/results.h"
#include "store/table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PROGRAM = 96 };

/* --- all numbers that a run can have --- */

struct known { /* a number, sorted by name */
    struct weir_metric row;
    uint32_t metric; /* index into d->metric; UINT32_MAX = no run of either file has had it so far */
};

struct cell { /* a number of a run */
    uint32_t file, run, metric;
    double value;
};

struct reader { /* what the visitors below share */
    struct weir_difference *d;
    struct weir_difference_file *file;
    uint32_t number; /* of the file */
    struct known *known;
    size_t known_count, known_room;
    struct cell *cell; /* cell_count numbers of both files */
    size_t cell_count, cell_room;
    uint32_t run_room, last; /* last: index of the run of the row before */
    int column[9];
    bool no_memory;
};

/* Makes room for one more element. @return the array; NULL = no memory, and the old one stays */
static void *grow(void *array, size_t count, size_t *room, size_t size)
{
    size_t more = *room > 0 ? 2 * *room : 256;
    void *grown;
    if (count < *room)
        return array;
    grown = realloc(array, more * size);
    if (grown != NULL)
        *room = more;
    return grown;
}

static char *keep(struct reader *r, const char *text)
{
    char *copy = weir_tree_arena_text(r->d->arena, text, strlen(text));
    r->no_memory = r->no_memory || copy == NULL;
    return copy;
}

static void add_known(void *ctx, const struct weir_metric *row)
{
    struct reader *r = ctx;
    struct known *grown = grow(r->known, r->known_count, &r->known_room, sizeof(*r->known));
    if (grown == NULL) {
        r->no_memory = true;
        return;
    }
    r->known = grown;
    r->known[r->known_count] = (struct known){ .row = *row, .metric = UINT32_MAX };
    r->known[r->known_count++].row.name = keep(r, row->name);
}

static int by_name(const void *left, const void *right)
{
    const struct known *a = left, *b = right;
    return strcmp(a->row.name, b->row.name);
}

static int list_known(struct reader *r, struct weir_err *err)
{
    weir_metrics_each(add_known, r);
    if (r->no_memory)
        return weir_fail_memory(err);
    qsort(r->known, r->known_count, sizeof(*r->known), by_name);
    r->d->metric = weir_tree_arena_take(r->d->arena, r->known_count * sizeof(*r->d->metric));
    return r->d->metric != NULL ? 0 : weir_fail_memory(err);
}

/* --- rows of table `run` --- */

static const char *const run_columns[] = { "id",     "seed",   "label",        "figure",   "scenario",
                                           "status", "digest", "weir_version", "commit_id" };
enum { ID, SEED, LABEL, FIGURE, SCENARIO, STATUS, DIGEST, VERSION, COMMIT, RUN_COLUMNS };
_Static_assert(sizeof(run_columns) / sizeof(run_columns[0]) == RUN_COLUMNS, "one name each");

static const char *const metric_columns[] = { "run", "name", "value" };
enum { RUN, NAME, VALUE, METRIC_COLUMNS };

static void find_columns(struct reader *r, const char *const *name, int count, const struct weir_store_value *column,
                         uint32_t columns)
{
    for (int i = 0; i < count; i++) {
        r->column[i] = -1;
        for (uint32_t k = 0; k < columns; k++)
            if (strcmp(column[k].name, name[i]) == 0)
                r->column[i] = (int)k;
    }
}

static bool run_names(void *ctx, const struct weir_store_value *column, uint32_t count)
{
    find_columns(ctx, run_columns, RUN_COLUMNS, column, count);
    return true;
}

static bool metric_names(void *ctx, const struct weir_store_value *column, uint32_t count)
{
    find_columns(ctx, metric_columns, METRIC_COLUMNS, column, count);
    return true;
}

/* Returns a text of the row; NULL = none, or another kind of value. */
static const char *text_at(const struct reader *r, const struct weir_store_value *column, int which)
{
    int at = r->column[which];
    return at >= 0 && column[at].kind == WEIR_STORE_TEXT ? column[at].text : NULL;
}

static int64_t integer_at(const struct reader *r, const struct weir_store_value *column, int which)
{
    int at = r->column[which];
    return at >= 0 && column[at].kind == WEIR_STORE_INTEGER ? column[at].integer : 0;
}

/* Returns the seed of a row. One beyond the integers of SQLite is a text: store/rows.c. */
static uint64_t seed_at(const struct reader *r, const struct weir_store_value *column)
{
    const char *text = text_at(r, column, SEED);
    return text != NULL ? strtoull(text, NULL, 10) : (uint64_t)integer_at(r, column, SEED);
}

static const char *text_or(const char *text, const char *other)
{
    return text != NULL ? text : other;
}

static bool run_row(void *ctx, const struct weir_store_value *column, uint32_t count)
{
    struct reader *r = ctx;
    const char *digest = text_at(r, column, DIGEST);
    char program[PROGRAM];
    size_t room = r->run_room;
    struct weir_difference_run *run;
    (void)count;
    if (strcmp(text_or(text_at(r, column, FIGURE), ""), WEIR_STORE_LENGTHS) == 0)
        return true;
    run = grow(r->file->run, r->file->count, &room, sizeof(*run));
    if (run == NULL)
        return !(r->no_memory = true);
    r->run_room = (uint32_t)room;
    r->file->run = run;
    (void)snprintf(program, sizeof(program), "%.40s, commit %.40s", text_or(text_at(r, column, VERSION), "unknown"),
                   text_or(text_at(r, column, COMMIT), "unknown"));
    if (r->file->count == 0)
        r->file->program = keep(r, program);
    else if (r->file->program != NULL && strcmp(r->file->program, program) != 0)
        r->file->program = NULL;
    run[r->file->count++] = (struct weir_difference_run){
        .id = integer_at(r, column, ID),
        .seed = seed_at(r, column),
        .label = keep(r, text_or(text_at(r, column, LABEL), "")),
        .figure = keep(r, text_or(text_at(r, column, FIGURE), "")),
        .scenario = keep(r, text_or(text_at(r, column, SCENARIO), "")),
        .status = keep(r, text_or(text_at(r, column, STATUS), "")),
        .digest = digest != NULL ? keep(r, digest) : NULL,
    };
    return !r->no_memory;
}

/* --- rows of table `metric` --- */

/* Returns the index of a number in d->metric; UINT32_MAX = it is no number of a run, or one of the machine. */
static uint32_t metric_of(struct reader *r, const char *name)
{
    const struct known key = { .row = { .name = name } };
    struct known *found = bsearch(&key, r->known, r->known_count, sizeof(key), by_name);
    if (found == NULL || found->row.of_machine)
        return UINT32_MAX;
    if (found->metric == UINT32_MAX) {
        found->metric = r->d->metric_count++;
        r->d->metric[found->metric] = (struct weir_difference_metric){ .name = found->row.name, .row = found->row };
    }
    return found->metric;
}

/* Returns the index of a run; rows come in the order of the runs. UINT32_MAX = there is no such run. */
static uint32_t run_of(struct reader *r, int64_t id)
{
    while (r->last < r->file->count && r->file->run[r->last].id < id)
        r->last++;
    return r->last < r->file->count && r->file->run[r->last].id == id ? r->last : UINT32_MAX;
}

static bool add_cell(struct reader *r, uint32_t run, uint32_t metric, double value)
{
    struct cell *grown = grow(r->cell, r->cell_count, &r->cell_room, sizeof(*grown));
    if (grown == NULL)
        return !(r->no_memory = true);
    r->cell = grown;
    r->cell[r->cell_count++] = (struct cell){ r->number, run, metric, value };
    r->d->metric[metric].has[r->number] = true;
    return true;
}

static bool metric_row(void *ctx, const struct weir_store_value *column, uint32_t count)
{
    struct reader *r = ctx;
    const char *name = text_at(r, column, NAME);
    const struct weir_store_value *value = r->column[VALUE] >= 0 ? &column[r->column[VALUE]] : NULL;
    uint32_t run = run_of(r, integer_at(r, column, RUN)), metric;
    double number = NAN;
    (void)count;
    if (name == NULL || value == NULL || run == UINT32_MAX || (metric = metric_of(r, name)) == UINT32_MAX)
        return true;
    if (value->kind == WEIR_STORE_REAL)
        number = value->real;
    else if (value->kind == WEIR_STORE_INTEGER)
        number = (double)value->integer;
    return add_cell(r, run, metric, number);
}

/* --- the numbers that were asked for --- */

static int choose(struct reader *r, const struct weir_comparison *chosen, struct weir_err *err)
{
    struct weir_difference *d = r->d;
    d->metric = weir_tree_arena_take(d->arena, chosen->metric_count * sizeof(*d->metric));
    if (d->metric == NULL)
        return weir_fail_memory(err);
    for (uint32_t i = 0; i < chosen->metric_count; i++)
        d->metric[d->metric_count++] =
            (struct weir_difference_metric){ .name = chosen->metric[i].name, .row = chosen->metric[i].row };
    return 0;
}

/* Reads the chosen numbers of all runs. Those of laws are in the JSON alone. */
static int read_chosen(struct reader *r, struct weir_err *err)
{
    for (uint32_t i = 0; i < r->file->count; i++) {
        const struct weir_difference_run *run = &r->file->run[i];
        const struct weir_point point = { .state = WEIR_POINT_DONE, .store = r->file->store, .run = run->id };
        if (strcmp(run->status, "done") != 0)
            continue;
        for (uint32_t m = 0; m < r->d->metric_count; m++) {
            const struct weir_reading reading = { .path = r->d->metric[m].name };
            struct weir_value v = weir_results_read(&point, &reading);
            if (v.state == WEIR_VALUE_NUMBER && !add_cell(r, i, m, v.lo))
                return weir_fail_memory(err);
        }
    }
    return weir_store_check(r->file->store, err);
}

/* Refuses a number that was asked for if no run of a file has it: a test of nothing would pass. */
static int check_chosen(const struct weir_difference *d, struct weir_err *err)
{
    for (uint32_t m = 0; m < d->metric_count; m++)
        for (uint32_t s = 0; s < 2; s++)
            if (!d->metric[m].has[s])
                return weir_fail(err, WEIR_E_UNKNOWN, &(struct weir_tok){ .file = "--metrics" },
                                 "weir export FILE.db --table metric prints the numbers that it has",
                                 "%.80s: no run of %s has it", d->metric[m].name, d->file[s].path);
    return 0;
}

/* --- both files --- */

static int read_table(struct reader *r, const char *table, const struct weir_store_visitor *visitor,
                      struct weir_err *err)
{
    int code = weir_store_table(r->file->store, r->file->path, table, NULL, visitor, err);
    weir_store_rollback(r->file->store); /* ends the reading */
    return code == 0 && r->no_memory ? weir_fail_memory(err) : code;
}

static int read_file(struct reader *r, uint32_t number, bool chosen, const struct weir_store_caller *caller,
                     struct weir_err *err)
{
    const struct weir_store_visitor runs = { .names = run_names, .row = run_row, .ctx = r };
    const struct weir_store_visitor metrics = { .names = metric_names, .row = metric_row, .ctx = r };
    int code;
    r->number = number;
    r->file = &r->d->file[number];
    r->run_room = r->last = 0;
    code = weir_store_open_read(&r->file->store, r->file->path, caller, err);
    if (code == 0)
        code = read_table(r, "run", &runs, err);
    if (code == 0)
        code = chosen ? read_chosen(r, err) : read_table(r, "metric", &metrics, err);
    return code;
}

/* Lays the numbers of all runs out, and sets the `value` of each. */
static int lay_out(struct reader *r, struct weir_err *err)
{
    struct weir_difference *d = r->d;
    double *value[2];
    for (uint32_t s = 0; s < 2; s++) {
        size_t count = (size_t)d->file[s].count * d->metric_count;
        value[s] = weir_tree_arena_take(d->arena, (count + 1) * sizeof(**value));
        if (value[s] == NULL)
            return weir_fail_memory(err);
        for (size_t i = 0; i < count; i++)
            value[s][i] = NAN;
        for (uint32_t i = 0; i < d->file[s].count; i++)
            d->file[s].run[i].value = &value[s][(size_t)i * d->metric_count];
    }
    for (const struct cell *cell = r->cell; cell < r->cell + r->cell_count; cell++)
        value[cell->file][(size_t)cell->run * d->metric_count + cell->metric] = cell->value;
    return 0;
}

/* Refuses two names of one file: SQLite must not have a file open twice. */
static int check_files(const char *before, const char *after, struct weir_err *err)
{
    struct stat a, b;
    if (stat(before, &a) == 0 && stat(after, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir diff BEFORE.db AFTER.db",
                         "diff: %s and %s are the same file", before, after);
    return 0;
}

int weir_difference_read(struct weir_difference *d, const char *before, const char *after,
                         const struct weir_comparison *chosen, const struct weir_store_caller *caller,
                         struct weir_err *err)
{
    struct reader r = { .d = d };
    int code = check_files(before, after, err);
    d->file[0].path = before;
    d->file[1].path = after;
    if (code == 0 && (d->arena = weir_tree_arena_new()) == NULL)
        code = weir_fail_memory(err);
    if (code == 0)
        code = chosen != NULL ? choose(&r, chosen, err) : list_known(&r, err);
    for (uint32_t s = 0; s < 2 && code == 0; s++)
        code = read_file(&r, s, chosen != NULL, caller, err);
    if (code == 0 && chosen != NULL)
        code = check_chosen(d, err);
    if (code == 0)
        code = lay_out(&r, err);
    free(r.known);
    free(r.cell);
    return code;
}

/* Counts a run if it is in doubt. */
static void add_doubt(struct weir_difference_file *file, const struct weir_difference_run *run)
{
    const struct weir_point point = { .state = WEIR_POINT_DONE, .store = file->store, .run = run->id };
    char doubt[WEIR_COMPARISON_WHY];
    weir_comparison_doubt(&point, doubt);
    if (doubt[0] == '\0' || file->doubtful++ > 0)
        return;
    file->doubted = run;
    memcpy(file->doubt, doubt, sizeof(doubt));
}

int weir_difference_doubts(struct weir_difference *d, struct weir_err *err)
{
    int code;
    for (uint32_t i = 0; i < d->pair_count; i++) {
        add_doubt(&d->file[0], d->pair[i].before);
        add_doubt(&d->file[1], d->pair[i].after);
    }
    code = weir_store_check(d->file[0].store, err);
    return code != 0 ? code : weir_store_check(d->file[1].store, err);
}

void weir_difference_free(struct weir_difference *d)
{
    for (uint32_t s = 0; s < 2; s++) {
        weir_store_close(d->file[s].store);
        free(d->file[s].run);
    }
    weir_tree_arena_free(d->arena);
    *d = (struct weir_difference){ 0 };
}
