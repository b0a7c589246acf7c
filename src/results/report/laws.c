/* src/results/report/laws.c - writes the table of laws and classes: what each had in runs with several laws, as means
 * over the seeds of a set. */
#include "core/pkt.h"
#include "report/html.h"
#include "report/sections.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_SETS 3u /* if more sets have laws, the table is closed at first */
enum { NAME = 48, COLUMNS = 8, OF_DEMAND = 1 };

static const struct {
    const char *title;
    enum weir_unit unit;
} columns[COLUMNS] = {
    { "Goodput", WEIR_UNIT_GBPS },     { "Of its demand", WEIR_UNIT_RATIO }, { "Slowdown p50", WEIR_UNIT_RATIO },
    { "p99", WEIR_UNIT_RATIO },        { "Marks", WEIR_UNIT_COUNT },         { "Drops, losses", WEIR_UNIT_COUNT },
    { "Sent again", WEIR_UNIT_COUNT }, { "Timeouts", WEIR_UNIT_COUNT },
};

struct part { /* a law or a class: sums over the runs of a set that have the number */
    char name[NAME];
    double sum[COLUMNS];
    size_t count[COLUMNS];
};

struct parts { /* of a set of runs */
    struct part law[WEIR_LAWS_MAX], of_class[WEIR_LAWS_MAX], fairness;
    size_t laws, classes;
};

static void add(struct part *part, int column, double value)
{
    if (isnan(value))
        return;
    part->sum[column] += value;
    part->count[column]++;
}

/* Adds the laws or classes of a run to those of its set. list: "$.laws" or "$.classes". *count: raised to their number
 */
static int read_list(struct part *part, size_t *count, const struct weir_run *run, const char *list,
                     struct weir_err *err)
{
    static const char sql[] =
        "SELECT json_extract(value, '$.protocol'), json_extract(value, '$.class'), json_extract(value, "
        "'$.goodput_gbps'), json_extract(value, '$.demand_met'), json_extract(value, '$.slowdown.all.p50'), "
        "json_extract(value, '$.slowdown.all.p99'), json_extract(value, '$.marks'), json_extract(value, '$.drops'), "
        "json_extract(value, '$.retransmissions'), json_extract(value, '$.timeouts') FROM run, json_each(CASE WHEN "
        "json_valid(run.json) THEN run.json END, ?2) WHERE run.id = ?1 AND type = 'object'";
    sqlite3_stmt *stmt;
    int code = weir_db_prepare(run->db, sql, &stmt, err);
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(stmt, 1, run->id);
    (void)sqlite3_bind_text(stmt, 2, list, -1, SQLITE_STATIC);
    for (size_t k = 0; weir_db_step(run->db, stmt, &code, err) && k < WEIR_LAWS_MAX; k++) {
        const char *protocol = (const char *)sqlite3_column_text(stmt, 0);
        int class_id = sqlite3_column_int(stmt, 1);
        if (protocol != NULL)
            (void)snprintf(part[k].name, NAME, "%zu %.24s, class %d", k, protocol, class_id);
        else
            (void)snprintf(part[k].name, NAME, "class %d", class_id);
        for (int c = 0; c < COLUMNS; c++)
            add(&part[k], c, weir_db_double(stmt, 2 + c));
        *count = k + 1 > *count ? k + 1 : *count;
    }
    (void)sqlite3_finalize(stmt);
    return code;
}

static int read_fairness(struct part *part, const struct weir_run *run, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = weir_db_prepare(run->db, "SELECT value FROM metric WHERE run = ?1 AND name = 'laws_jain'", &stmt, err);
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(stmt, 1, run->id);
    (void)snprintf(part->name, NAME, "fairness of laws");
    if (weir_db_step(run->db, stmt, &code, err))
        add(part, OF_DEMAND, weir_db_double(stmt, 0));
    (void)sqlite3_finalize(stmt);
    return code;
}

static int read_set(struct parts *parts, const struct weir_set *set, struct weir_err *err)
{
    int code = 0;
    memset(parts, 0, sizeof(*parts));
    for (size_t i = 0; i < set->count && code == 0; i++) {
        code = read_list(parts->law, &parts->laws, &set->run[i], "$.laws", err);
        if (code == 0)
            code = read_list(parts->of_class, &parts->classes, &set->run[i], "$.classes", err);
        if (code == 0 && parts->laws > 0)
            code = read_fairness(&parts->fairness, &set->run[i], err);
    }
    return code;
}

static void put_part(FILE *out, const char *label, const struct part *part)
{
    (void)fputs("<tr>", out);
    weir_html_element(out, "th", "scope=\"row\"", label);
    weir_html_element(out, "td", "class=\"words\"", part->name);
    for (int c = 0; c < COLUMNS; c++) {
        double mean = part->count[c] > 0 ? part->sum[c] / (double)part->count[c] : (double)NAN;
        weir_html_number(out, mean, columns[c].unit);
    }
    (void)fputs("</tr>\n", out);
}

static void put_set(FILE *out, const char *label, const struct parts *parts)
{
    for (size_t k = 0; k < parts->laws; k++)
        put_part(out, label, &parts->law[k]);
    if (parts->fairness.count[OF_DEMAND] > 0)
        put_part(out, label, &parts->fairness);
    for (size_t k = 0; k < parts->classes; k++)
        put_part(out, label, &parts->of_class[k]);
}

static void put_head(FILE *out, size_t sets)
{
    (void)fprintf(out,
                  "<details%s><summary>Each law and class</summary>\n<div class=\"scroll\"><table>\n<thead><tr>"
                  "<th></th><th></th>",
                  sets <= OPEN_SETS ? " open" : "");
    for (int c = 0; c < COLUMNS; c++)
        weir_html_element(out, "th", NULL, columns[c].title);
    (void)fputs("</tr></thead>\n<tbody>\n", out);
}

int weir_section_laws(const struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    size_t sets = weir_set_count(group->run, group->count), with = 0;
    struct parts parts;
    int code = 0;
    for (size_t i = 0; i < group->count && code == 0;) {
        struct weir_set set = weir_set_first(&group->run[i], group->count - i);
        i += set.count;
        code = read_set(&parts, &set, err);
        if (code != 0 || parts.laws == 0)
            continue;
        if (with++ == 0)
            put_head(page->out, sets);
        put_set(page->out, set.run->text[WEIR_RUN_LABEL], &parts);
    }
    if (with > 0)
        (void)fputs(
            "</tbody></table></div>\n<p class=\"note\">Means over seeds. The demand of a law is what could have "
            "arrived: what its messages had, and at most what the links of its senders carry. Fairness is "
            "Jain's index of this column.</p></details>\n",
            page->out);
    return code;
}
