/* src/scenario/measure/detail.h - distributions of one run for the result file: slowdown by size of message, queues.
 * Histograms only, so that a day of traffic takes no more memory than a millisecond. */
#ifndef WEIR_MEASURE_DETAIL_H
#define WEIR_MEASURE_DETAIL_H
#include "measure/histogram.h"

enum { WEIR_SLOWDOWN_IDEAL, WEIR_SLOWDOWN_PAYLOAD, WEIR_SLOWDOWN_COUNT }; /* the two denominators of design decisions */

/* Four bins per decade from 1 B to 10 GB, and one for all that is longer. */
#define WEIR_DETAIL_BINS 41u

/* Returns the lower edge of a bin: bin i holds sizes of edge(i) <= bytes < edge(i + 1). Whole bytes nearest to 10^(i /
 * 4); edge(WEIR_DETAIL_BINS) is 2^63 - 1, which nothing reaches and a database can hold. */
uint64_t weir_detail_edge(uint32_t bin);

struct weir_detail { /* 5 MB, of which the pages are touched that something falls into: on the heap, zeroed */
    /* millionths; of messages that count, delivered in the measured part */
    struct weir_histogram slowdown[WEIR_SLOWDOWN_COUNT][WEIR_DETAIL_BINS];
    struct weir_histogram tor_queue, port_queue; /* bytes; a value per first-hop switch or switch port and sample */
};

/* Allocates an empty detail. @return NULL = no memory */
struct weir_detail *weir_detail_new(void);
void weir_detail_free(struct weir_detail *detail); /* NULL is harmless */

/* Returns the bin of a size, 0 .. WEIR_DETAIL_BINS - 1; 0 bytes count as 1. */
uint32_t weir_detail_bin(uint64_t bytes);

/* Adds one message. */
void weir_detail_add(struct weir_detail *detail, uint64_t bytes, uint64_t ideal_ppm, uint64_t payload_ppm);

/* Adds all that `from` has received to detail. */
void weir_detail_merge(struct weir_detail *detail, const struct weir_detail *from);

/* Returns the slowdown in millionths at or below which ppm millionths of a bin's messages lie; 0 = the bin is empty.
 * See weir_histogram_quantile(). */
uint64_t weir_detail_quantile(const struct weir_detail *detail, uint32_t denominator, uint32_t bin, uint32_t ppm);

/* Sums the slowdowns of all sizes up in *all, which is overwritten. */
void weir_detail_all(const struct weir_detail *detail, uint32_t denominator, struct weir_histogram *all);
#endif
