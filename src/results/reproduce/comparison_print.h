/* src/results/reproduce/comparison_print.h - a comparison of laws as a table with sentences, and as JSON; 100 columns
 * wide at most. */
#ifndef WEIR_REPRODUCE_COMPARISON_PRINT_H
#define WEIR_REPRODUCE_COMPARISON_PRINT_H
#include "reproduce/comparison_keys.h"
#include <stdio.h>

struct weir_comparison_page {
    const struct weir_comparison *comparison; /* solved */
    const struct weir_comparison_keys *keys;
    const char *scenario;                      /* its name */
    const char *const *preset;                 /* of each law; NULL = it has none */
    uint64_t first_seed;                       /* the others follow it */
    uint64_t group_bytes[3];                   /* edges of the size groups */
    const char *out;                           /* the result file */
    const char *version, *commit;              /* of Weir */
    const struct weir_comparison_given *given; /* of the section protocol, which the keys leave out */
    uint32_t given_count;
    bool same_fabric;
};

/* Prints the keys that differ, a column for each law, and those of laws that were given; only a sentence if none
 * differs. */
void weir_comparison_print_keys(FILE *out, const struct weir_comparison_page *page);

/* Prints the table, and a sentence for each metric. */
void weir_comparison_print(FILE *out, const struct weir_comparison_page *page);
void weir_comparison_json(FILE *out, const struct weir_comparison_page *page);
void weir_comparison_schema(FILE *out); /* of that */
#endif
