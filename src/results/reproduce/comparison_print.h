/* src/results/reproduce/comparison_print.h - prints a comparison of laws: the keys that differ, the table with
 * sentences, and JSON. Sentences are wrapped at 100 columns. */
#ifndef WEIR_REPRODUCE_COMPARISON_PRINT_H
#define WEIR_REPRODUCE_COMPARISON_PRINT_H
#include "reproduce/advice.h"
#include "reproduce/comparison_keys.h"
#include "text/json.h"
#include <stdio.h>

struct weir_deployment;      /* reproduce/deployment.h */
struct weir_comparison_jobs; /* reproduce/comparison_jobs.h */

struct weir_comparison_page {
    const struct weir_deployment *deployment; /* the laws are shares of traffic; NULL = they are protocols */
    const struct weir_comparison *comparison; /* for the table and JSON: after weir_comparison_solve() */
    const struct weir_comparison_keys *keys;
    const struct weir_comparison_jobs *jobs;   /* for JSON; NULL = none */
    const struct weir_advice *advice;          /* likewise */
    const char *scenario;                      /* name of the scenario */
    const char *const *preset;                 /* preset of each law; NULL = the law has none */
    const char *const *protocol;               /* protocol of each law; NULL = the law is a share */
    uint64_t first_seed;                       /* the other seeds are the next numbers */
    uint64_t group_bytes[3];                   /* edges of the size groups */
    const char *out;                           /* the result file */
    const char *version, *commit;              /* of Weir */
    const struct weir_comparison_given *given; /* given_count settings of the section protocol, which `keys` has only
                                                  where laws of one protocol differ */
    uint32_t given_count;
    bool same_fabric;
};

/* Prints the keys that differ, in a column for the file and one for each law, with the presets. If a law has another
 * name than its protocol, the protocols have a line. Then prints the given settings of the section protocol that no
 * line shows. If no key differs, the first line says so. */
void weir_comparison_print_keys(FILE *out, const struct weir_comparison_page *page);

/* Prints the table, the legend, and a sentence for each metric that is judged, is shown and has a best law. */
void weir_comparison_print(FILE *out, const struct weir_comparison_page *page);

/* Puts mean, half-width and number of seeds of an estimate into the open object. */
void weir_comparison_put_estimate(struct weir_json *json, const struct weir_estimate *e);

/* Prints the comparison, with the numbers of every run, as JSON. */
void weir_comparison_json(FILE *out, const struct weir_comparison_page *page);
void weir_comparison_schema(FILE *out); /* prints the JSON Schema of weir_comparison_json() */
#endif
