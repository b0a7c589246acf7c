/* src/results/reproduce/comparison_text.h - parts of the page of a comparison: numbers, titles, what is shown and
 * marked; and its sentences (comparison_sentences.c). Internal to comparison_print.c. */
#ifndef WEIR_REPRODUCE_COMPARISON_TEXT_H
#define WEIR_REPRODUCE_COMPARISON_TEXT_H
#include "reproduce/comparison.h"
#include <stdio.h>

enum { WEIR_COMPARISON_NUMBER = 20, WEIR_COMPARISON_TITLE = 128 }; /* bytes of texts */

/* Writes a number with three digits, or all before the point; a whole number as one. Returns out. */
const char *weir_comparison_number(char out[WEIR_COMPARISON_NUMBER], double value, bool is_whole);

/* Returns by what a metric is divided where it is shown: bytes as KB. */
double weir_comparison_scale(const struct weir_comparison *c, uint32_t metric);

/* Writes the title of a metric with its unit: "ToR queue, max (KB)". Returns out. */
const char *weir_comparison_title(char out[WEIR_COMPARISON_TITLE], const struct weir_comparison *c, uint32_t metric);

/* Tests whether a metric was asked for; else whether it has numbers. Of the size groups those of the smallest and the
 * largest messages are shown. */
bool weir_comparison_is_shown(const struct weir_comparison *c, uint32_t metric);

/* Counts the laws whose runs are all done, and not doubtful. */
uint32_t weir_comparison_sound_count(const struct weir_comparison *c);

/* Tests whether a law is marked in sentences. Where no law is sound a mark would distinguish nothing: that is printed
 * before them. */
bool weir_comparison_is_marked(const struct weir_comparison *c, uint32_t law);

/* Prints the best law of a metric, and how far the others are from it, or from the baseline. */
void weir_comparison_sentence(FILE *out, const struct weir_comparison *c, uint32_t metric);

/* Prints why each law's numbers are not to be relied on: the reason of the first such run. */
void weir_comparison_doubts(FILE *out, const struct weir_comparison *c);

/* Prints means over fewer runs than the law has: in the others no message of the group ended, say. */
void weir_comparison_fewer(FILE *out, const struct weir_comparison *c);
#endif
