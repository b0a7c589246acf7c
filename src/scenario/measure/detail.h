/* src/scenario/measure/detail.h - distributions of one run for the result file: slowdowns by message size, and queues.
 * They are histograms, so that a day of traffic takes no more memory than a millisecond. */
#ifndef WEIR_MEASURE_DETAIL_H
#define WEIR_MEASURE_DETAIL_H
#include "measure/histogram.h"

/* Denominators of a slowdown: the least possible latency, or SIRD's payload form of it. See struct weir_delivery. */
enum { WEIR_SLOWDOWN_IDEAL, WEIR_SLOWDOWN_PAYLOAD, WEIR_SLOWDOWN_COUNT };

/* Number of bins by message size: four per decade from 1 B to 10 GB, and one for all longer messages. */
#define WEIR_DETAIL_BINS 41u

/* Returns the lower edge of a bin, 0 .. WEIR_DETAIL_BINS, in bytes: bin i holds sizes with edge(i) <= bytes < edge(i +
 * 1). An edge is the i-th power of 10^0.25, rounded to whole bytes. edge(WEIR_DETAIL_BINS) is 2^63 - 1: no message is
 * as long, and a database can hold the number. */
uint64_t weir_detail_edge(uint32_t bin);

struct weir_detail { /* 5 MB on the heap, zeroed; only the pages that hold a count are touched */
    /* in millionths, of messages that count in results by message and ended in the measured part */
    struct weir_histogram slowdown[WEIR_SLOWDOWN_COUNT][WEIR_DETAIL_BINS];
    /* bytes; per sample tor_queue has a value for each first-hop switch, port_queue one for each port of a switch */
    struct weir_histogram tor_queue, port_queue;
};

/* Allocates an empty detail, to be freed by weir_detail_free(). @return NULL = no memory */
struct weir_detail *weir_detail_new(void);
void weir_detail_free(struct weir_detail *detail); /* detail: may be NULL */

/* Returns the bin of a message size in bytes, 0 .. WEIR_DETAIL_BINS - 1. A size of 0 is in bin 0. */
uint32_t weir_detail_bin(uint64_t bytes);

/* Adds one message of `bytes` bytes. ideal_ppm, payload_ppm: its slowdown by each denominator, in millionths */
void weir_detail_add(struct weir_detail *detail, uint64_t bytes, uint64_t ideal_ppm, uint64_t payload_ppm);

/* Adds all counts of `from` to detail. */
void weir_detail_merge(struct weir_detail *detail, const struct weir_detail *from);

/* Returns a quantile of the slowdowns of one bin, in millionths; 0 = the bin is empty. ppm: rank of the quantile, 0 ..
 * 1000000. See weir_histogram_quantile(). */
uint64_t weir_detail_quantile(const struct weir_detail *detail, uint32_t denominator, uint32_t bin, uint32_t ppm);

/* Writes to *all the histogram of the slowdowns of all sizes, by one denominator. */
void weir_detail_all(const struct weir_detail *detail, uint32_t denominator, struct weir_histogram *all);
#endif
