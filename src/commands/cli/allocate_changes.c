/* src/commands/cli/allocate_changes.c - see allocate_changes.h. */
#include "cli/allocate_changes.h"
#include "text/clock.h"
#include "text/stop.h"
#include <stdlib.h>

/* Makes room for one more entry of a list whose length is `count`: at powers of two it is doubled. @return false = no
 * memory */
static bool room_for_one(void *list, uint32_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return true;
    void *larger = realloc(*(void **)list, (count == 0 ? 1 : 2 * (size_t)count) * size);
    if (larger != NULL)
        *(void **)list = larger;
    return larger != NULL;
}

/* Compares the rates with those of solving anew. @return 0, or a code with err */
static int compare(const struct weir_allocator *a, struct weir_change_report *report, struct weir_err *err)
{
    struct weir_incremental_difference difference;
    uint64_t start_ns = weir_wall_ns();
    int code = weir_allocator_compare(a, &difference, err);
    if (code == 0 && !room_for_one(&report->compared, report->compared_count, sizeof(*report->compared)))
        code = weir_fail_memory(err);
    if (code != 0)
        return code;
    report->compared[report->compared_count++] = (struct weir_change_compared){
        .after = report->count, .flow = difference.flow, .largest = difference.largest, .ns = weir_wall_ns() - start_ns
    };
    if (difference.largest > WEIR_CHANGES_APART * report->within)
        code = weir_fail(err, WEIR_E_RUN, NULL, "a smaller --within is more exact",
                         "after change %u the rate of flow %u is %.1e from that of solving anew, and --within is %g",
                         report->count, difference.flow, difference.largest, report->within);
    return code;
}

static int change(struct weir_allocator *a, struct weir_change_report *report, const struct weir_change *row,
                  const struct weir_tok *where, struct weir_err *err)
{
    struct weir_changed changed;
    uint64_t start_ns = weir_wall_ns();
    int code = weir_allocator_change(a, row, where, &changed, err);
    uint64_t took_ns = weir_wall_ns() - start_ns;
    if (code == 0 && !room_for_one(&report->row, report->count, sizeof(*report->row)))
        code = weir_fail_memory(err);
    if (code != 0)
        return code;
    report->row[report->count++] = (struct weir_change_row){
        .kind = row->kind, .flow = changed.flow, .flows = changed.flows, .largest = changed.largest, .ns = took_ns
    };
    return report->count % WEIR_CHANGES_COMPARED == 0 ? compare(a, report, err) : 0;
}

/* Makes all changes of a file, until a signal comes. @return 0, or a code with err */
static int change_all(struct weir_allocator *a, const char *file, struct weir_change_report *report,
                      struct weir_err *err)
{
    struct weir_changes changes;
    struct weir_change row;
    struct weir_tok where;
    int code = weir_changes_open(&changes, file, err);
    if (code != 0)
        return code;
    while (code == 0 && *weir_stop_flag() == 0) {
        code = weir_changes_next(&changes, &row, &where, err);
        if (code == 0)
            code = change(a, report, &row, &where, err);
    }
    weir_changes_free(&changes);
    if (code > 0)
        return code;
    return report->count % WEIR_CHANGES_COMPARED != 0 ? compare(a, report, err) : 0;
}

int weir_cli_changes(const struct weir_allocate_args *args, struct weir_setup *setup, struct weir_change_report *report,
                     struct weir_allocate_flows *flows, struct weir_solution *solution, struct weir_err *err)
{
    *report = (struct weir_change_report){ .within = args->within };
    struct weir_allocator *a = weir_allocator_open(setup, &args->options, args->within, err);
    if (a == NULL)
        return (int)err->code;
    int code = change_all(a, args->changes, report, err);
    if (code == 0)
        code = weir_allocator_result(a, flows, solution, err);
    weir_allocator_close(a);
    return code;
}

void weir_cli_changes_free(struct weir_change_report *report)
{
    free(report->row);
    free(report->compared);
    *report = (struct weir_change_report){ 0 };
}
