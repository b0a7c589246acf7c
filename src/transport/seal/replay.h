/* src/transport/seal/replay.h - which of the last packets of a connection have arrived: a counter counts once. */
#ifndef WEIR_SEAL_REPLAY_H
#define WEIR_SEAL_REPLAY_H
#include <stdbool.h>
#include <stdint.h>

#define WEIR_REPLAY_MIN 1024u /* least and most packets of a window */
#define WEIR_REPLAY_MAX 16384u
#define WEIR_REPLAY_U64S(pkts) ((pkts) / 64)

enum weir_replay_answer { WEIR_REPLAY_NEW, WEIR_REPLAY_REPEATED, WEIR_REPLAY_OLD };

/* Counters top - pkts + 1 .. top are in the window; older ones are refused unseen. Counters begin at 1. */
struct weir_replay {
    uint64_t *seen; /* one bit per counter, at index counter modulo pkts; the caller's memory */
    uint64_t top;   /* highest counter that was noted; 0 = none */
    uint32_t pkts;  /* a power of two, WEIR_REPLAY_MIN .. WEIR_REPLAY_MAX */
};

/* Returns the least power of two above 4 * window_pkts, within WEIR_REPLAY_MIN .. WEIR_REPLAY_MAX: packets of different
 * priority overtake each other by up to a whole window of the control law. */
uint32_t weir_replay_size(uint64_t window_pkts);

/* Begins an empty window. seen: WEIR_REPLAY_U64S(pkts) numbers, kept until the window ends. */
void weir_replay_init(struct weir_replay *w, uint64_t *seen, uint32_t pkts);

/* Tests whether a packet may be new. Changes nothing: its tag is not verified yet. */
enum weir_replay_answer weir_replay_test(const struct weir_replay *w, uint64_t counter);

/* Notes a packet that weir_replay_test() called new, and whose tag is right. */
void weir_replay_note(struct weir_replay *w, uint64_t counter);
#endif
