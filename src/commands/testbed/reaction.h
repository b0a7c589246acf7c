/* src/commands/testbed/reaction.h - how soon a sender slows down after another one has joined, from the times at which
 * their frames came to a switch. A mean over many joins, so that single frames that are late decide nothing. */
#ifndef WEIR_TESTBED_REACTION_H
#define WEIR_TESTBED_REACTION_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>

enum {
    WEIR_REACTION_RTTS_MAX = 20, /* so long it is waited for */
    WEIR_REACTION_STEPS = 32,    /* of a round trip */
};
#define WEIR_REACTION_SILENCE_PS UINT64_C(5000000000) /* a frame after 5 ms without one is a join */
#define WEIR_REACTION_BEFORE_PS UINT64_C(4000000000)  /* the rate before is that of 4 ms */

struct weir_arrivals { /* of full frames of one sender, ascending */
    uint64_t *at_ps;   /* owned */
    size_t count, room;
};

/* Adds a time, which is not before the last one. @return false = no memory */
bool weir_arrivals_add(struct weir_arrivals *a, uint64_t at_ps);
void weir_arrivals_free(struct weir_arrivals *a);

struct weir_reaction {
    uint32_t joins;
    uint64_t after_ps;    /* from the second sender's first full frame until the first one's rate has fallen */
    double least_percent; /* least rate of the first before that, of its mean: what the mean over joins still varies */
    double before_per_ms; /* full frames of the first */
};

/**
 * Computes the reaction. The rate of the first sender at a time after a join is that of half a round trip around it,
 * the mean over all joins. It has fallen when it is below `percent` of the rate before.
 * @param rtt_ps   round trip of the idle network, at most WEIR_REACTION_BEFORE_PS / 2
 * @param percent  1 .. 99
 * @return 0, or WEIR_E_RUN with err: there is no join, or the rate does not fall in time
 */
int weir_reaction(const struct weir_arrivals *first, const struct weir_arrivals *second, uint64_t rtt_ps,
                  uint32_t percent, struct weir_reaction *reaction, struct weir_err *err);
#endif
