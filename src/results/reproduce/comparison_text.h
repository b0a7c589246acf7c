/* src/results/reproduce/comparison_text.h - parts of the printed comparison: numbers, titles, which metrics are shown,
 * which laws are marked, and the sentences (comparison_sentences.c). */
#ifndef WEIR_REPRODUCE_COMPARISON_TEXT_H
#define WEIR_REPRODUCE_COMPARISON_TEXT_H
#include "reproduce/comparison.h"
#include <stdio.h>

enum { WEIR_COMPARISON_NUMBER = 20, WEIR_COMPARISON_TITLE = 128 }; /* bytes of buffers */

/* Writes a number with about three digits, and returns out. The number has 3 decimals if its absolute value is below
 * 0.0995, 2 below 9.995, 1 below 99.95, and none above or if it is 0. is_whole: a whole number has no decimals */
const char *weir_comparison_number(char out[WEIR_COMPARISON_NUMBER], double value, bool is_whole);

/* Returns the divisor by which a metric is shown: 1000 for bytes, shown as KB, else 1. */
double weir_comparison_scale(const struct weir_comparison *c, uint32_t metric);

/* Writes the title of a metric with the unit: "ToR queue, max (KB)". Returns out. */
const char *weir_comparison_title(char out[WEIR_COMPARISON_TITLE], const struct weir_comparison *c, uint32_t metric);

/* Tests whether a metric is shown: the user named it, or a law has a number. Of the metrics of size groups that the
 * user did not name, only the first and the last with numbers of every law are shown. None of these is shown if there
 * are metrics of jobs. */
bool weir_comparison_is_shown(const struct weir_comparison *c, uint32_t metric);

/* Counts the laws that are sound (weir_comparison_is_sound()). */
uint32_t weir_comparison_sound_count(const struct weir_comparison *c);

/* Tests whether sentences mark a law by "(!)": the law is not sound, and another one is. If no law is sound, the legend
 * says so instead. */
bool weir_comparison_is_marked(const struct weir_comparison *c, uint32_t law);

/* Prints the best law of a metric, and the differences of the other laws from the best or from the baseline. One that
 * is within its interval is called "no difference"; if all are, only that is printed. Some law must have a number. */
void weir_comparison_sentence(FILE *out, const struct weir_comparison *c, uint32_t metric);

/* Prints for each law with missing runs how many runs are done. Prints for each law with doubtful runs how many they
 * are, and the doubt about the first one. */
void weir_comparison_doubts(FILE *out, const struct weir_comparison *c);

/* Says how many runs have statistics: sampled, and that their longest queues are not compared; nothing if none has. */
void weir_comparison_sampled(FILE *out, const struct weir_comparison *c);

/* Says which port had the longest queue, and which link was given the greatest share of its rate, of all runs; nothing
 * if no run names one. */
void weir_comparison_fullest(FILE *out, const struct weir_comparison *c, uint64_t first_seed);

/* Prints a line for each shown mean that is over fewer runs than the law has done. A run has no number if, for example,
 * no message of the size group ended. */
void weir_comparison_fewer(FILE *out, const struct weir_comparison *c);
#endif
