/* src/results/output/changes_print.h - prints what changes of flows have done, for `weir allocate --changes`. */
#ifndef WEIR_OUTPUT_CHANGES_PRINT_H
#define WEIR_OUTPUT_CHANGES_PRINT_H
#include "solve/allocator.h"
#include "text/json.h"
#include "text/schema.h"

struct weir_change_row { /* a change, and what it has done */
    enum weir_change_kind kind;
    uint32_t flow, flows; /* flow: number of the flow that was named; flows: those with another rate */
    double largest;       /* relative change of a rate, but for that of the named flow */
    uint64_t ns;          /* real time */
};

struct weir_change_compared { /* a comparison with solving anew */
    uint32_t after;           /* changes */
    uint32_t flow;            /* the flow whose rate is farthest from that of solving anew; 0 = there are no flows */
    double largest;           /* its distance, relative */
    uint64_t ns;              /* real time of solving anew */
};

struct weir_change_report {
    double within;
    struct weir_change_row *row; /* count; owned, as is compared */
    struct weir_change_compared *compared;
    uint32_t count, compared_count;
};

/* Prints a line for each change, and one for each comparison. */
void weir_changes_table(FILE *out, const struct weir_change_report *report);
/* Writes them as members of the open object. */
void weir_changes_json(struct weir_json *json, const struct weir_change_report *report);
extern const struct weir_schema weir_change_fields[], weir_change_compared_fields[]; /* of these members */
#endif
