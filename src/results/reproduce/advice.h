/* src/results/reproduce/advice.h - what settles the runs of a table whose numbers are in doubt: one warm-up and one
 * measured part that are long enough for all of them. A run that no length settles is named with the reason. The
 * lengths are estimates (doc/results.md, findings). */
#ifndef WEIR_REPRODUCE_ADVICE_H
#define WEIR_REPRODUCE_ADVICE_H
#include "reproduce/settle.h"
#include "text/json.h"
#include "text/schema.h"
#include <stdio.h>

struct weir_advice {
    const struct weir_point *point; /* count runs; lent */
    uint32_t count;
    enum weir_advice_kind *kind; /* one for each point; lent */
    uint64_t warmup_ps;          /* 0 = as it is */
    uint64_t measure_ps;         /* 0 = as it is: no run is in doubt for its length */
    bool measure_all;            /* in place of measure_ps: until the last message is delivered */
    bool without_auto;           /* measure: auto is no other way: the runs have it, or the caller says so */
    uint32_t runs;               /* runs that these lengths settle */
    uint32_t hopeless, failed;   /* runs that no length settles, or that failed; of these, those that failed */
    const char *command;         /* the command with these lengths, for a shell; set by the caller. NULL = none */
};

/* Finds what these runs need, from their findings. The field `doubt` of the points is set, and the store of those that
 * are done is open. kind: gets what each of them needs. was_auto: as below */
void weir_advice_of(struct weir_advice *advice, const struct weir_point *point, uint32_t count,
                    enum weir_advice_kind *kind, bool was_auto);

/**
 * Finds what the runs of a plan need, from their findings.
 * @param plan      the field `doubt` of its points is set; their store is open
 * @param was_auto  runs have measure: auto, which has found their warm-up, too: the advice keeps the longest of them
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_advice_find(struct weir_advice *advice, const struct weir_plan *plan, bool was_auto, struct weir_err *err);

/* Writes the setting number `index` of the advice, "run.warmup=20 ms", to out. Returns false if there is none. */
bool weir_advice_setting(const struct weir_advice *advice, uint32_t index, char *out, size_t size);

/* Prints the command that settles the runs in doubt, on a line of its own, and the runs that no length settles. Prints
 * nothing if no run is in doubt or failed. */
void weir_advice_print(FILE *out, const struct weir_advice *advice);

/* Puts the member `advice`, null if no run is in doubt or failed. advice: NULL = likewise */
void weir_advice_json(struct weir_json *json, const struct weir_advice *advice);
extern const struct weir_schema weir_advice_fields[];

#define WEIR_ADVICE_SCHEMA                                                                                             \
    {                                                                                                                  \
        .key = "advice", .text = "what settles the runs in doubt; null: none is in doubt, and none failed",            \
        .type = WEIR_SCHEMA_OBJECT, .or_null = true, .fields = weir_advice_fields                                      \
    }
#endif
