/* src/commands/soft/report.h - prints the state of a switch that is a process. */
#ifndef WEIR_SOFT_REPORT_H
#define WEIR_SOFT_REPORT_H
#include "raw/raw.h"
#include "soft/hosts.h"
#include "soft/soft.h"
#include "text/schema.h"
#include <stdio.h>

struct weir_soft_state {
    struct weir_soft *soft;
    const struct weir_setup *setup;
    const struct weir_soft_site *site; /* one per host */
    struct weir_raw **port;            /* one per host */
    uint64_t seconds_ns;               /* since the start */
    bool capture_failed;
};

/* Prints the features of a switch on one line: "codel, rpm". */
void weir_soft_print_features(FILE *out, const struct weir_setup *setup);
/* Prints ports, queues, and what happened to frames by cause. */
void weir_soft_print(FILE *out, const struct weir_soft_state *state);
/* Prints the same as one JSON object, with every counter. */
void weir_soft_print_json(FILE *out, const struct weir_soft_state *state);

/* The keys of that: at the top, and of a port. */
extern const struct weir_schema weir_soft_fields[], weir_soft_port_fields[];

#endif
