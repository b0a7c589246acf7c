/* src/results/output/changes_print.c - see changes_print.h. */
#include "output/changes_print.h"
#include "text/format.h"
#include <inttypes.h>
#include <stdlib.h>

static const char *const kinds[] = {
    [WEIR_CHANGE_ADD] = "add", [WEIR_CHANGE_REMOVE] = "remove", [WEIR_CHANGE_WEIGHT] = "weight"
};

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static const char *time_text(uint64_t ns, struct weir_text *text)
{
    *text = weir_format_ps(ns * 1000);
    return text->text;
}

/* Prints the median and the longest time of the changes. */
static void print_times(FILE *out, const struct weir_change_report *report)
{
    uint64_t *ns = malloc(((size_t)report->count + 1) * sizeof(*ns));
    struct weir_text median, longest;
    if (ns == NULL || report->count == 0) {
        free(ns);
        return; /* without them the table is right, too */
    }
    for (uint32_t i = 0; i < report->count; i++)
        ns[i] = report->row[i].ns;
    qsort(ns, report->count, sizeof(*ns), by_time);
    (void)fprintf(out, "changes       median time %s, longest %s\n", time_text(ns[report->count / 2], &median),
                  time_text(ns[report->count - 1], &longest));
    free(ns);
}

void weir_changes_table(FILE *out, const struct weir_change_report *report)
{
    struct weir_text time;
    (void)fprintf(out, "\n%10s %7s %10s %14s %15s %10s\n", "change", "kind", "flow", "flows changed", "largest change",
                  "time");
    for (uint32_t i = 0; i < report->count; i++) {
        const struct weir_change_row *row = &report->row[i];
        (void)fprintf(out, "%10" PRIu32 " %7s %10" PRIu32 " %14" PRIu32 " %15.3g %10s\n", i + 1, kinds[row->kind],
                      row->flow, row->flows, row->largest, time_text(row->ns, &time));
    }
    (void)fprintf(out, "\n");
    print_times(out, report);
    for (uint32_t i = 0; i < report->compared_count; i++) {
        const struct weir_change_compared *c = &report->compared[i];
        (void)fprintf(out, "solved anew   after change %" PRIu32 ", in %s: rates within %.1e of it, with --within %g\n",
                      c->after, time_text(c->ns, &time), c->largest, report->within);
    }
}

void weir_changes_json(struct weir_json *json, const struct weir_change_report *report)
{
    weir_json_real(json, "within", report->within);
    weir_json_open_list(json, "change");
    for (uint32_t i = 0; i < report->count; i++) {
        const struct weir_change_row *row = &report->row[i];
        weir_json_open(json, NULL);
        weir_json_string(json, "kind", kinds[row->kind]);
        weir_json_u64(json, "flow", row->flow);
        weir_json_u64(json, "flows_changed", row->flows);
        weir_json_real(json, "largest_change", row->largest);
        weir_json_decimal(json, "time_s", row->ns, 9);
        weir_json_close(json);
    }
    weir_json_close_list(json);
    weir_json_open_list(json, "compared");
    for (uint32_t i = 0; i < report->compared_count; i++) {
        const struct weir_change_compared *c = &report->compared[i];
        weir_json_open(json, NULL);
        weir_json_u64(json, "after", c->after);
        weir_json_real(json, "largest_difference", c->largest);
        weir_json_u64(json, "flow", c->flow);
        weir_json_decimal(json, "time_s", c->ns, 9);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

const struct weir_schema weir_change_fields[] = {
    { .key = "kind", .text = "add, remove or weight" },
    WEIR_FIELD("flow", INTEGER),
    WEIR_FIELD("flows_changed", INTEGER),
    { .key = "largest_change", .text = "of the rate of another flow, relative", .type = WEIR_SCHEMA_NUMBER },
    WEIR_FIELD("time_s", NUMBER),
    { .key = NULL },
};
const struct weir_schema weir_change_compared_fields[] = {
    { .key = "after", .text = "changes", .type = WEIR_SCHEMA_INTEGER },
    { .key = "largest_difference", .text = "from solving anew, relative", .type = WEIR_SCHEMA_NUMBER, .or_null = true },
    { .key = "flow", .text = "the one that has it; 0: there are none", .type = WEIR_SCHEMA_INTEGER },
    { .key = "time_s", .text = "of solving anew", .type = WEIR_SCHEMA_NUMBER },
    { .key = NULL },
};
