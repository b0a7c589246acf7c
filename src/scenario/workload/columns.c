/* src/scenario/workload/columns.c - reads flow lists of other simulators that are rows of columns: HPCC's family,
 * Homa's replay, YAPS, Parsimon. Sources: the reader of each. Departs from these readers:
 * - a number that does not fit is refused; in those readers it wraps, or ends the list
 * - rows beyond the number in the first line are left out with a warning, and refused with `strict`; those readers
 *   leave them out without a message. A list with fewer rows is refused
 * Columns for priority groups and ports are ignored. */
#include "workload/cm.h"
#include "workload/flow_list.h"
#include "workload/tokens.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { YAPS_PACKET = 1460 }; /* bytes of a packet, the unit of sizes */

struct layout { /* a format: the columns of a row, by index from 0 */
    const char *name, *form;
    uint32_t columns, src, dst, bytes, start;
    uint64_t start_parts; /* picoseconds of one unit of start */
    uint32_t size_bytes;  /* bytes of one unit of size */
    bool counted;         /* the first line is the number of rows */
    bool ids;             /* hosts are given by their ids in HPCC's topology file */
    bool gap;             /* start counts from the start of the row before */
    bool commas;          /* columns are separated by commas, and the first line names them */
};

static const struct layout layouts[] = {
    [WEIR_FLOWS_HPCC] = { .name = "hpcc",
                          .form = "a row is SRC DST PG DPORT BYTES START, in seconds; the first line is their number",
                          .columns = 6,
                          .dst = 1,
                          .bytes = 4,
                          .start = 5,
                          .start_parts = WEIR_PS_PER_S,
                          .size_bytes = 1,
                          .counted = true,
                          .ids = true },
    [WEIR_FLOWS_CONWEAVE] = { .name = "conweave",
                              .form = "a row is SRC DST PG BYTES START, in seconds; the first line is their number",
                              .columns = 5,
                              .dst = 1,
                              .bytes = 3,
                              .start = 4,
                              .start_parts = WEIR_PS_PER_S,
                              .size_bytes = 1,
                              .counted = true,
                              .ids = true },
    [WEIR_FLOWS_HOMA] = { .name = "homa",
                          .form = "a row is SRC DST BYTES GAP, in seconds from the row before",
                          .columns = 4,
                          .dst = 1,
                          .bytes = 2,
                          .start = 3,
                          .start_parts = WEIR_PS_PER_S,
                          .size_bytes = 1,
                          .gap = true },
    [WEIR_FLOWS_YAPS] = { .name = "yaps",
                          .form = "a row is ID START x x PACKETS x x SRC DST, in seconds and packets of 1460 B",
                          .columns = 9,
                          .src = 7,
                          .dst = 8,
                          .bytes = 4,
                          .start = 1,
                          .start_parts = WEIR_PS_PER_S,
                          .size_bytes = YAPS_PACKET },
    [WEIR_FLOWS_PARSIMON] = { .name = "parsimon",
                              .form = "a row is id,src,dst,size,start, in nanoseconds",
                              .columns = 5,
                              .src = 1,
                              .dst = 2,
                              .bytes = 3,
                              .start = 4,
                              .start_parts = WEIR_PS_PER_NS,
                              .size_bytes = 1,
                              .commas = true },
};

struct reader { /* state while one file is read */
    const struct layout *layout;
    struct weir_flow_list *list;
    struct weir_tokens tokens;
    struct weir_csv csv;
    struct weir_tokens_row row;
    uint64_t clock_ps; /* start of the row before */
    struct weir_err *err;
};

/* --- finding the format --- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_parsimon(const char *text)
{
    static const char *const names[] = { "id", "src", "dst", "size", "start" };
    struct weir_csv csv = weir_csv_of(NULL, text);
    bool same = weir_csv_next(&csv) && csv.field_count == 5;
    for (uint32_t i = 0; same && i < 5; i++)
        same = weir_token_is(&csv.field[i], names[i]);
    return same;
}

static enum weir_flow_format by_columns(const struct weir_tokens_row *row)
{
    for (uint32_t f = WEIR_FLOWS_HPCC; f <= WEIR_FLOWS_YAPS; f++)
        if (layouts[f].columns == row->count && weir_token_is_number(&row->field[0]))
            return (enum weir_flow_format)f;
    return WEIR_FLOWS_CSV;
}

enum weir_flow_format weir_flow_format_of(const char *text)
{
    struct weir_tokens tokens = weir_tokens_of(NULL, text);
    struct weir_tokens_row row;
    if (weir_cm_is(text))
        return WEIR_FLOWS_HTSIM;
    if (is_parsimon(text))
        return WEIR_FLOWS_PARSIMON;
    if (!weir_tokens_row(&tokens, &row) || memchr(row.field[0].text, ',', row.field[0].length) != NULL)
        return WEIR_FLOWS_CSV;
    if (row.count != 1 || !weir_token_is_number(&row.field[0]))
        return by_columns(&row);
    if (!weir_tokens_row(&tokens, &row) || by_columns(&row) == WEIR_FLOWS_CSV)
        return WEIR_FLOWS_HPCC; /* a count without a row behind it: HPCC's reader reports the error */
    return by_columns(&row);
}

/* --- rows --- */

static struct weir_tok position(const struct reader *r, uint32_t i)
{
    return weir_tokens_row_tok(r->list->item->file, &r->row, i);
}

static bool next_row(struct reader *r)
{
    if (!r->layout->commas)
        return weir_tokens_row(&r->tokens, &r->row);
    if (!weir_csv_next(&r->csv))
        return false;
    r->row.line = r->csv.line;
    r->row.count = r->csv.field_count;
    memcpy(r->row.field, r->csv.field, sizeof(r->csv.field));
    return true;
}
_Static_assert(WEIR_CSV_FIELDS_MAX <= WEIR_TOKENS_ROW_MAX, "next_row() copies them");

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int read_id(const struct reader *r, uint32_t column, const char *what, uint32_t *host)
{
    const struct weir_workload_limits *limits = r->list->limits;
    struct weir_tok tok = position(r, column);
    uint64_t id;
    const uint32_t *found;
    int code = weir_token_u64(&r->row.field[column], &tok, what, UINT32_MAX, &id, r->err);
    if (code != 0)
        return code;
    if (!r->layout->ids || limits->host_id == NULL) {
        *host = (uint32_t)id;
        if (id < limits->hosts)
            return 0;
        return weir_fail(r->err, WEIR_E_RANGE, &tok, "use the topology that the list was made for",
                         "host %" PRIu64 " does not exist: the topology has %u hosts (0 to %u)", id, limits->hosts,
                         limits->hosts - 1);
    }
    *host = (uint32_t)id;
    found = bsearch(host, limits->host_id, limits->hosts, sizeof(*found), compare_ids);
    if (found == NULL)
        return weir_fail(r->err, WEIR_E_RANGE, &tok, "weir topology shows the ids of hosts",
                         "node %" PRIu64 " is no host of the topology's file", id);
    *host = (uint32_t)(found - limits->host_id);
    return 0;
}

static int read_start(struct reader *r, uint64_t *start_ps)
{
    const struct weir_field *field = &r->row.field[r->layout->start];
    struct weir_tok tok = position(r, r->layout->start);
    enum weir_text_status status = weir_text_scaled(field, r->layout->start_parts, start_ps);
    if (status == WEIR_TEXT_OK && *start_ps > WEIR_TRAFFIC_TIME_MAX)
        status = WEIR_TEXT_BIG;
    if (status != WEIR_TEXT_OK)
        return weir_fail(r->err, status == WEIR_TEXT_BAD ? WEIR_E_SYNTAX : WEIR_E_RANGE, &tok, r->layout->form,
                         "start = %.*s: %s", weir_token_shown(field), field->text, weir_text_error(status));
    if (r->layout->gap)
        *start_ps += r->clock_ps; /* both at most 2^55 */
    r->clock_ps = *start_ps;
    return 0;
}

static int read_row(struct reader *r)
{
    const struct layout *l = r->layout;
    struct weir_listed what = { .weight_q20 = WEIR_WEIGHT_ONE };
    struct weir_tok tok = position(r, 0), at = position(r, l->bytes);
    uint32_t src = 0;
    int code;
    if (r->row.count != l->columns)
        return weir_fail(r->err, WEIR_E_SYNTAX, &tok, l->form, "%u columns where %u are wanted (format %s)",
                         r->row.count, l->columns, l->name);
    code = read_id(r, l->src, "src", &src);
    if (code == 0)
        code = read_id(r, l->dst, "dst", &what.dst);
    if (code == 0)
        code = weir_token_u64(&r->row.field[l->bytes], &at, "size", UINT64_MAX / YAPS_PACKET, &what.bytes, r->err);
    what.bytes *= l->size_bytes;
    if (code == 0)
        code = read_start(r, &what.start_ps);
    if (code == 0)
        code = weir_flow_check(src, &what, &tok, r->err);
    return code != 0 ? code : weir_flow_take(r->list, src, &what, &tok, r->err);
}

/* --- the file --- */

/* Reads the first line of a counted list, the number of flows. where: gets its position. @return 0, or a code with
 * err */
static int read_count(struct reader *r, struct weir_tok *where, uint64_t *count)
{
    if (!next_row(r) || r->row.count != 1)
        return weir_fail(r->err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = r->list->item->file, .line = 1 },
                         r->layout->form, "the first line must be the number of flows");
    *where = position(r, 0);
    return weir_token_u64(&r->row.field[0], where, "number of flows", WEIR_LISTED_MAX, count, r->err);
}

/* Counts the rows behind a counted list, which are left out, or refuses them. @return 0, or WEIR_E_CONFLICT with err */
static int leave_out(const struct reader *r, const struct weir_tok *where, uint64_t count, uint64_t rows)
{
    struct weir_list_note *note = r->list->limits->note;
    if (rows < count)
        return weir_fail(r->err, WEIR_E_CONFLICT, where, "is the file whole?",
                         "the file says %" PRIu64 " flows, and has %" PRIu64, count, rows);
    if (rows > count && r->list->item->strict != 0)
        return weir_fail(r->err, WEIR_E_CONFLICT, where,
                         "correct the number; with strict: false the others are left out, as HPCC's reader does",
                         "the file says %" PRIu64 " flows, and has %" PRIu64, count, rows);
    if (rows > count && note != NULL) {
        note[r->list->index].kept = count;
        note[r->list->index].left_out = rows - count;
    }
    return 0;
}

/* Reads the rows of a counted list, as many as the first line says, and counts those behind them. The first line that
 * does not begin with a digit ends the list. @return 0, or a code with err */
static int read_counted(struct reader *r)
{
    struct weir_tok where;
    uint64_t count = 0, rows = 0;
    bool row;
    int code = read_count(r, &where, &count);
    if (code != 0)
        return code;
    row = next_row(r) && is_digit(r->row.field[0].text[0]);
    while (code == 0 && row && rows < count) {
        code = read_row(r);
        rows++;
        row = next_row(r) && is_digit(r->row.field[0].text[0]);
    }
    while (code == 0 && row) { /* further rows */
        rows++;
        row = next_row(r) && is_digit(r->row.field[0].text[0]);
    }
    return code != 0 ? code : leave_out(r, &where, count, rows);
}

static int read_rows(struct reader *r)
{
    int code = 0;
    if (r->layout->commas)
        (void)next_row(r); /* the line of column names: is_parsimon() found it, or the scenario names the format */
    while (code == 0 && next_row(r))
        code = read_row(r);
    return code;
}

int weir_flows_columns(struct weir_flow_list *list, enum weir_flow_format format, struct weir_err *err)
{
    struct reader r = { .layout = &layouts[format],
                        .list = list,
                        .tokens = weir_tokens_of(list->item->file, list->text),
                        .csv = weir_csv_of(list->item->file, list->text),
                        .err = err };
    int code = r.layout->counted ? read_counted(&r) : read_rows(&r);
    if (code == 0 && list->read_count == 0)
        return weir_fail(err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = list->item->file }, r.layout->form,
                         "there is no flow in it");
    return code;
}
