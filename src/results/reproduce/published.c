/* src/results/reproduce/published.c - see published.h. */
#include "reproduce/published.h"
#include "param/suggest.h"
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 16, HINT = 512 };

struct row {
    const char *metric;
    const char *reading;             /* NULL or "" = every reading */
    const char *name[WEIR_AXES_MAX]; /* NULL or "" = every value */
    struct weir_printed printed;
};

struct weir_published {
    struct row *row;
    uint32_t count;
};

struct table { /* a CSV file that is being read */
    const struct weir_experiment *exp;
    const char *path;
    uint32_t metric, value, reading, id, kind, axis[COLUMNS_MAX]; /* indices of these columns, COLUMNS_MAX = no such
                                                                     column. axis[c]: axis of column c, WEIR_AXIS_NONE =
                                                                     none */
    uint32_t columns, line;
    struct weir_err *err;
};

static int fail_line(const struct table *t, const char *what)
{
    return weir_fail(t->err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = t->path, .line = t->line }, NULL, "%s", what);
}

/* Splits a line at its commas, in place, into field[COLUMNS_MAX]. Returns the number of fields, or COLUMNS_MAX + 1 if
 * there are more. */
static uint32_t split(char *line, char **field)
{
    uint32_t count = 0;
    for (char *at = line; at != NULL;) {
        char *comma = strchr(at, ',');
        if (count == COLUMNS_MAX)
            return COLUMNS_MAX + 1;
        field[count++] = at;
        if (comma != NULL)
            *comma++ = '\0';
        at = comma;
    }
    return count;
}

static uint32_t axis_of(const struct weir_experiment *exp, const char *name)
{
    for (uint32_t a = 0; a < exp->axis_count; a++)
        if (strcmp(exp->axis[a].name, name) == 0)
            return a;
    return WEIR_AXIS_NONE;
}

/* Notes column c of that name. An axis wins over a column of the same name, except metric and value. Returns false if
 * there is no such column. */
static bool read_column(struct table *t, uint32_t c, const char *name)
{
    const struct {
        const char *name;
        uint32_t *column;
    } known[] = { { "metric", &t->metric },
                  { "value", &t->value },
                  { "reading", &t->reading },
                  { "id", &t->id },
                  { "kind", &t->kind } };
    t->axis[c] = axis_of(t->exp, name);
    for (uint32_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(name, known[i].name) == 0 && (i < 2 || t->axis[c] == WEIR_AXIS_NONE)) {
            *known[i].column = c;
            return true;
        }
    }
    return t->axis[c] != WEIR_AXIS_NONE || strcmp(name, "unit") == 0 || strcmp(name, "source") == 0;
}

static int read_head(struct table *t, char *line)
{
    char *field[COLUMNS_MAX] = { 0 };
    t->columns = split(line, field);
    t->metric = t->value = t->reading = t->id = t->kind = COLUMNS_MAX;
    if (t->columns > COLUMNS_MAX)
        return fail_line(t, "more than 16 columns");
    for (uint32_t c = 0; c < t->columns; c++)
        if (!read_column(t, c, field[c]))
            return weir_fail(t->err, WEIR_E_UNKNOWN, &(struct weir_tok){ .file = t->path, .line = t->line },
                             "metric, value, reading, id, kind, unit, source and the names of axes",
                             "%.80s: no such column", field[c]);
    if (t->metric == COLUMNS_MAX || t->value == COLUMNS_MAX)
        return fail_line(t, "the first line must name the columns, metric and value among them");
    return 0;
}

/* Reads the number from `text` up to `stop`, which is excluded. Returns false if that is no number. */
static bool read_number(const char *text, const char *stop, double *number)
{
    char copy[64], *end;
    size_t length = (size_t)(stop - text);
    if (length == 0 || length >= sizeof(copy))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    *number = strtod(copy, &end);
    return *end == '\0';
}

/* Reads a value: "83.95", "696..747", "unstable", or "none" where what was printed does not apply. Returns 0, or a code
 * with t->err. */
static int read_value(const struct table *t, const char *text, struct weir_value *value)
{
    const char *stop = text + strlen(text), *dots = strstr(text, "..");
    *value = (struct weir_value){ .state = WEIR_VALUE_UNSTABLE };
    if (strcmp(text, "unstable") == 0)
        return 0;
    value->state = WEIR_VALUE_NONE;
    if (strcmp(text, "none") == 0)
        return 0;
    value->state = WEIR_VALUE_NUMBER;
    if (!read_number(text, dots != NULL ? dots : stop, &value->lo) ||
        !read_number(dots != NULL ? dots + 2 : text, stop, &value->hi) || !(value->lo <= value->hi))
        return fail_line(t, "a value must be a number, a range like 696..747, or the word unstable or none");
    return 0;
}

/* Refuses a name that is not the published name of a value of the axis: no run would produce that row. Accepts an empty
 * name. */
static int check_name(const struct table *t, uint32_t a, const char *name)
{
    const struct weir_axis *axis = &t->exp->axis[a];
    struct weir_suggest near;
    char hint[HINT];
    weir_suggest_init(&near, name);
    for (uint32_t i = 0; i < axis->count; i++) {
        if (name[0] == '\0' || strcmp(name, axis->value[i].published) == 0)
            return 0;
        weir_suggest_add(&near, axis->value[i].published);
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(t->err, WEIR_E_UNKNOWN, &(struct weir_tok){ .file = t->path, .line = t->line }, hint,
                     "%.80s: no value of axis %.80s, so no run produces this row", name, axis->name);
}

/* Reads the columns id and kind. Without a column kind all is printed. If the file has ids, what is printed needs one.
 * Returns 0, or a code with t->err. */
static int read_identity(const struct table *t, char *const *field, struct weir_printed *printed)
{
    static const char *const kinds[] = { "printed", "order", "derived" };
    const char *id = t->id < COLUMNS_MAX ? field[t->id] : "", *kind = t->kind < COLUMNS_MAX ? field[t->kind] : "";
    uint32_t k = 0;
    printed->file = t->path;
    printed->line = t->line;
    printed->id = id[0] != '\0' ? id : NULL;
    while (k < 3 && kind[0] != '\0' && strcmp(kind, kinds[k]) != 0)
        k++;
    if (k == 3)
        return fail_line(t, "a kind must be printed, order or derived");
    printed->kind = (enum weir_number_kind)k;
    return printed->id == NULL && t->id < COLUMNS_MAX ? fail_line(t, "a row without an id: of which number?") : 0;
}

static int read_row(struct table *t, char *line, struct row *row)
{
    char none[1] = "", *field[COLUMNS_MAX];
    for (uint32_t c = 0; c < COLUMNS_MAX; c++)
        field[c] = none;
    if (split(line, field) != t->columns)
        return fail_line(t, "not as many fields as there are columns");
    row->metric = field[t->metric];
    row->reading = t->reading < COLUMNS_MAX ? field[t->reading] : NULL;
    for (uint32_t c = 0; c < t->columns; c++) {
        int code = t->axis[c] != WEIR_AXIS_NONE ? check_name(t, t->axis[c], field[c]) : 0;
        if (code != 0)
            return code;
        if (t->axis[c] != WEIR_AXIS_NONE)
            row->name[t->axis[c]] = field[c];
    }
    int code = read_identity(t, field, &row->printed);
    return code != 0 ? code : read_value(t, field[t->value], &row->printed.value);
}

static uint32_t count_lines(const char *text)
{
    uint32_t count = 1;
    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

static int read_rows(struct table *t, char *text, struct weir_published *p)
{
    bool has_head = false;
    for (char *line = text, *next; line != NULL; line = next) {
        int code = 0;
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        line[strcspn(line, "\r")] = '\0';
        t->line++;
        if (line[0] == '\0' || line[0] == '#')
            continue;
        if (!has_head)
            code = read_head(t, line);
        else
            code = read_row(t, line, &p->row[p->count++]);
        has_head = true;
        if (code != 0)
            return code;
    }
    return has_head ? 0 : fail_line(t, "the file is empty");
}

int weir_published_read(const struct weir_published **published, const struct weir_experiment *exp,
                        const struct weir_tok *file, struct weir_err *err)
{
    struct table t = { .exp = exp, .path = weir_origin_path(&exp->origin, exp->arena, file->text), .err = err };
    struct weir_published *p = weir_tree_arena_take(exp->arena, sizeof(*p));
    const char *text;
    char *copy;
    int code;
    if (t.path == NULL || p == NULL)
        return weir_fail_memory(err);
    code = weir_origin_read(&exp->origin, exp->arena, file->text, file, &text, err);
    if (code != 0)
        return code;
    copy = weir_tree_arena_text(exp->arena, text, strlen(text));
    p->row = weir_tree_arena_take(exp->arena, count_lines(text) * sizeof(*p->row));
    if (copy == NULL || p->row == NULL)
        return weir_fail_memory(err);
    *published = p;
    return read_rows(&t, copy, p);
}

int weir_published_metric(const struct weir_published *published, const struct weir_tok *metric, struct weir_err *err)
{
    struct weir_suggest near;
    char hint[HINT];
    weir_suggest_init(&near, metric->text);
    for (const struct row *row = published->row; row < published->row + published->count; row++) {
        if (strcmp(row->metric, metric->text) == 0)
            return 0;
        if (row == published->row || strcmp(row->metric, row[-1].metric) != 0)
            weir_suggest_add(&near, row->metric);
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, metric, hint, "%.80s: no such metric in the file", metric->text);
}

const struct weir_printed *weir_published_find(const struct weir_published *published,
                                               const struct weir_experiment *exp, const char *metric,
                                               const char *reading, const uint8_t *value)
{
    for (const struct row *row = published->row; row < published->row + published->count; row++) {
        bool fits = strcmp(row->metric, metric) == 0 &&
                    (row->reading == NULL || row->reading[0] == '\0' || strcmp(row->reading, reading) == 0);
        for (uint32_t a = 0; a < exp->axis_count && fits; a++) {
            if (row->name[a] == NULL || row->name[a][0] == '\0')
                continue;
            fits = value[a] != WEIR_AXIS_NONE && strcmp(row->name[a], exp->axis[a].value[value[a]].published) == 0;
        }
        if (fits)
            return &row->printed;
    }
    return NULL;
}

const struct weir_printed *weir_published_row(const struct weir_published *published, uint32_t i)
{
    return i < published->count ? &published->row[i].printed : NULL;
}
