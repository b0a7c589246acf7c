/* src/scenario/means/length.h - how long a run has to be, `run.measure: auto`: the counters of many short batches
 * decide, while a run goes on, when the means are precise enough [run.auto]. They are simulated numbers alone, so the
 * answer is the same with any number of threads. */
#ifndef WEIR_MEANS_LENGTH_H
#define WEIR_MEANS_LENGTH_H
#include "means/means.h"

#define WEIR_LENGTH_FIRST_BATCHES 100u /* short batches in the first length */
#define WEIR_LENGTH_MOST 20u           /* the greatest length, in first lengths */
#define WEIR_LENGTH_BATCHES 2000u
_Static_assert(WEIR_LENGTH_BATCHES == WEIR_LENGTH_FIRST_BATCHES * WEIR_LENGTH_MOST, "the greatest length");

enum weir_length_verdict {
    WEIR_LENGTH_GOES_ON,
    WEIR_LENGTH_PRECISE,   /* all means are known precisely enough; that of slowdown only if has_messages */
    WEIR_LENGTH_MOST_SEEN, /* the greatest length was simulated, and some mean is not */
    WEIR_LENGTH_OVERLOAD,  /* what is unfinished grows and grows: there is no mean to be known */
};

struct weir_length {        /* zeros but precision, least_queue and has_messages at first */
    double precision;       /* half the width of an interval that suffices, relative to its mean */
    uint64_t least_queue;   /* a mean queue counts as so many bytes at least: one packet */
    bool has_messages;      /* messages that count will end: mean slowdown must be known */
    uint32_t next;          /* batches at which is decided next; 0 = at the first length */
    bool was_precise;       /* at the last check: one may be lucky, so two in a row must find it */
    uint32_t growing;       /* batches since which what is unfinished was seen to grow; 0 = it does not */
    uint32_t warmup, width; /* short batches of warm-up, and in each of the WEIR_BATCHES batches that are measured */
    bool keeps_up;          /* what was offered in the measured part arrived, [run.unstable] */
    struct weir_interval mean[WEIR_MEANS]; /* over the measured part */
    enum weir_length_verdict verdict;
};

/* Decides, when a batch is over, whether the run may end. Call it after each batch until it returns something else than
 * WEIR_LENGTH_GOES_ON. b: WEIR_LENGTH_BATCHES batches, b->done of which are over */
enum weir_length_verdict weir_length_after(struct weir_length *length, const struct weir_batches *b);

/* Returns the mean whose interval is widest, relative to what suffices. *part: gets half its width relative to the
 * mean; 0 = no mean is known */
enum weir_mean weir_length_widest(const struct weir_length *length, double *part);
#endif
