/* src/transport/seal/replay.c - the window is a ring of bits: counter modulo pkts. */
#include "seal/replay.h"
#include "core/assert.h"
#include <string.h>

uint32_t weir_replay_size(uint64_t window_pkts)
{
    uint32_t pkts = WEIR_REPLAY_MIN;
    while (pkts < WEIR_REPLAY_MAX && pkts / 4 <= window_pkts)
        pkts *= 2;
    return pkts;
}

void weir_replay_init(struct weir_replay *w, uint64_t *seen, uint32_t pkts)
{
    WEIR_ASSERT(pkts >= WEIR_REPLAY_MIN && pkts <= WEIR_REPLAY_MAX);
    WEIR_ASSERT((pkts & (pkts - 1)) == 0);
    *w = (struct weir_replay){ .seen = seen, .pkts = pkts };
    memset(seen, 0, WEIR_REPLAY_U64S(pkts) * sizeof(*seen));
}

enum weir_replay_answer weir_replay_test(const struct weir_replay *w, uint64_t counter)
{
    uint32_t index = (uint32_t)(counter & (w->pkts - 1));
    if (counter > w->top)
        return WEIR_REPLAY_NEW;
    if (counter == 0 || w->top - counter >= w->pkts)
        return WEIR_REPLAY_OLD;
    return w->seen[index / 64] >> index % 64 & 1 ? WEIR_REPLAY_REPEATED : WEIR_REPLAY_NEW;
}

/* Clears the bits of counters from .. to, fewer than pkts: 64 at a time where they are in one element. */
static void clear(struct weir_replay *w, uint64_t from, uint64_t to)
{
    WEIR_CHECK(to - from < w->pkts);
    for (uint64_t left = to - from + 1; left > 0;) {
        uint32_t index = (uint32_t)(from & (w->pkts - 1)), first = index % 64;
        uint64_t bits = left < 64 - first ? left : 64 - first;
        w->seen[index / 64] &= ~(bits == 64 ? UINT64_MAX : ((UINT64_C(1) << bits) - 1) << first);
        from += bits;
        left -= bits;
    }
}

void weir_replay_note(struct weir_replay *w, uint64_t counter)
{
    uint32_t index = (uint32_t)(counter & (w->pkts - 1));
    WEIR_CHECK(counter > 0);
    if (counter > w->top) {
        if (counter - w->top >= w->pkts)
            memset(w->seen, 0, WEIR_REPLAY_U64S(w->pkts) * sizeof(*w->seen));
        else
            clear(w, w->top + 1, counter);
        w->top = counter;
    }
    WEIR_CHECK(w->top - counter < w->pkts);
    WEIR_CHECK((w->seen[index / 64] >> index % 64 & 1) == 0);
    w->seen[index / 64] |= UINT64_C(1) << index % 64;
}
