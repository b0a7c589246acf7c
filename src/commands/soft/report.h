/* src/commands/soft/report.h - prints what a switch of real frames has done. */
#ifndef WEIR_SOFT_REPORT_H
#define WEIR_SOFT_REPORT_H
#include "soft/loop.h"
#include <stdio.h>

struct weir_soft_report {
    struct weir_soft *soft;
    const struct weir_setup *setup;
    const struct weir_soft_loop *loop;
    const char *const *device; /* names, one per host */
    const char *port_kind;     /* how frames come: "xdp", "tpacket" */
    uint64_t now_ps;           /* since the start */
};

/* Writes ports, links, causes and counters of features as one JSON object. */
void weir_soft_json(FILE *out, const struct weir_soft_report *report);
/* Writes the same as tables: of causes and counters those that are not 0. */
void weir_soft_table(FILE *out, const struct weir_soft_report *report);
/* Prints the schema of the JSON. */
void weir_soft_schema(FILE *out);
#endif
