/* src/base/core/state.h - the state of a part of a simulation, given field by field: kept once, compared later, and
 * moved on by whole periods. What gives a state (a host, a connection, a link) has one function, which passes each of
 * its fields to one of the calls below. The same function serves all three passes, so what is compared is also moved.
 * doc/skip.md has what each kind of field is for.
 *
 * A field has up to two parts. Its *value* is what the future depends on: it must be equal in two states. Its *sum* is
 * the field as it is: it may differ, and goes on by the same amount in each period. */
#ifndef WEIR_CORE_STATE_H
#define WEIR_CORE_STATE_H
#include "core/assert.h"
#include "core/units.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_state_pass {
    WEIR_STATE_KEEP, /* values and sums are kept */
    WEIR_STATE_TEST, /* values are compared with those kept */
    WEIR_STATE_MOVE, /* fields are moved on, each sum by as much per period as since it was kept */
};

struct weir_state_list { /* kept: how many were kept; count: how many this pass has come by */
    uint64_t *at;
    size_t count, kept, room;
};

#define WEIR_STATE_SPARE 64u /* packets that a message must have left beyond those of the periods that are skipped */

struct weir_state {
    enum weir_state_pass pass;
    uint64_t now_ps;
    struct weir_state_list value, sum;
    bool differs;        /* TEST: some value is not equal. What follows need not be given */
    const char *unready; /* KEEP, TEST: why the state cannot repeat now, as the end of a sentence; NULL = it can */
    uint64_t period_ps;  /* MOVE: length of a period */
    uint64_t periods;    /* MOVE: how many to move on by; TEST: how many what ends by itself allows, see .._left() */
    /* Makes room for one more entry; TEST and MOVE need none. @return false = no memory */
    bool (*grow)(struct weir_state_list *list);
    bool out_of_memory;
    /* Returns the first unacknowledged packet of connection `conn` of a host: what packet numbers are relative to */
    uint32_t (*una)(const void *ctx, uint32_t host, uint32_t conn);
    const void *ctx;
    bool has_delays;    /* the upper 16 bits of a packet's stamp are its queueing delay: struct weir_pkt.qdelay */
    bool without_times; /* for tests: values of weir_state_when() are not compared */
};

/* Begins a pass at now_ps. */
static inline void weir_state_begin(struct weir_state *s, enum weir_state_pass pass, uint64_t now_ps)
{
    if (s->pass == WEIR_STATE_KEEP) {
        s->value.kept = s->value.count;
        s->sum.kept = s->sum.count;
    }
    s->pass = pass;
    s->now_ps = now_ps;
    s->value.count = s->sum.count = 0;
    s->differs = false;
    s->unready = NULL;
    if (pass == WEIR_STATE_TEST)
        s->periods = UINT64_MAX;
}

/* Tests whether the state of this pass is the one that was kept, as far as it was given. */
static inline bool weir_state_is_equal(const struct weir_state *s)
{
    WEIR_ASSERT(s->pass == WEIR_STATE_TEST);
    return !s->differs && s->unready == NULL && s->value.count == s->value.kept && s->sum.count == s->sum.kept;
}

static inline void weir_state_append(struct weir_state *s, struct weir_state_list *list, uint64_t value)
{
    if (WEIR_UNLIKELY(list->count == list->room) && !s->grow(list)) {
        s->out_of_memory = true;
        return;
    }
    list->at[list->count++] = value;
}

/* Gives a value that must be equal. */
static inline void weir_state_value(struct weir_state *s, uint64_t value)
{
    struct weir_state_list *list = &s->value;
    if (s->pass == WEIR_STATE_KEEP) {
        weir_state_append(s, list, value);
    } else if (s->pass == WEIR_STATE_TEST) {
        bool equal = list->count < list->kept && list->at[list->count] == value;
        list->count++;
        s->differs = s->differs || !equal;
    }
}

/* Gives a time relative to now. */
static inline void weir_state_when(struct weir_state *s, uint64_t relative_ps)
{
    weir_state_value(s, s->without_times ? 0 : relative_ps);
}

/* Passes over one kept sum. @return its value when it was kept */
static inline uint64_t weir_state_was(struct weir_state *s, uint64_t value)
{
    struct weir_state_list *list = &s->sum;
    if (s->pass == WEIR_STATE_KEEP)
        weir_state_append(s, list, value);
    else if (list->count++ < list->kept)
        return list->at[list->count - 1];
    return value;
}

/* Gives a count, a packet number or a time as it is. It need not be equal: it goes on by the same amount in each
 * period. Whatever of it matters is given as a value besides. */
static inline void weir_state_sum(struct weir_state *s, uint64_t *value)
{
    uint64_t was = weir_state_was(s, *value);
    if (s->pass == WEIR_STATE_MOVE)
        *value += s->periods * (*value - was);
}

static inline void weir_state_sum32(struct weir_state *s, uint32_t *value)
{
    uint32_t was = (uint32_t)weir_state_was(s, *value);
    if (s->pass == WEIR_STATE_MOVE)
        *value += (uint32_t)s->periods * (*value - was);
}

__extension__ typedef unsigned __int128 weir_state_wide;

static inline void weir_state_sum128(struct weir_state *s, weir_state_wide *value)
{
    uint64_t low = weir_state_was(s, (uint64_t)*value), high = weir_state_was(s, (uint64_t)(*value >> 64));
    if (s->pass == WEIR_STATE_MOVE)
        *value += s->periods * (*value - ((weir_state_wide)high << 64 | low));
}

/* Gives a time that matters also when it is past; WEIR_NEVER stays. */
static inline void weir_state_time(struct weir_state *s, uint64_t *at_ps)
{
    weir_state_when(s, *at_ps == WEIR_NEVER ? WEIR_NEVER : *at_ps - s->now_ps);
    weir_state_sum(s, at_ps);
}

/* Gives a time that does not matter any more once it is past: until when something is busy or held back. */
static inline void weir_state_until(struct weir_state *s, uint64_t *at_ps)
{
    weir_state_when(s, *at_ps == WEIR_NEVER ? WEIR_NEVER : *at_ps > s->now_ps ? *at_ps - s->now_ps : 0);
    weir_state_sum(s, at_ps);
}

/* Gives the time of the last use of something whose next use depends on how long ago that was. It is also equal if it
 * did not change since it was kept: what was not used in a period that repeats is not used in those that follow. */
static inline void weir_state_used(struct weir_state *s, uint64_t *at_ps)
{
    uint64_t was = weir_state_was(s, *at_ps);
    if (s->pass == WEIR_STATE_TEST && was == *at_ps)
        s->value.count++;
    else
        weir_state_when(s, *at_ps - s->now_ps);
    if (s->pass == WEIR_STATE_MOVE)
        *at_ps += s->periods * (*at_ps - was);
}

/* Allows no more than so many periods. */
static inline void weir_state_allow(struct weir_state *s, uint64_t periods)
{
    if (s->pass == WEIR_STATE_TEST && periods < s->periods)
        s->periods = periods;
}

/* Gives when a packet was sent, as packets carry it: 0 = it gives no sample. With has_delays it is a time modulo 2^48,
 * and a queueing delay above. No period is skipped in which the time starts again from 0. */
static inline void weir_state_stamp(struct weir_state *s, uint64_t *stamp)
{
    uint64_t times = s->has_delays ? ((uint64_t)1 << 48) - 1 : UINT64_MAX, at_ps = *stamp & times;
    uint64_t was = weir_state_was(s, *stamp), more_ps = (at_ps - was) & times;
    if (more_ps > 0)
        weir_state_allow(s, (times - at_ps) / more_ps);
    weir_state_when(s, at_ps == 0 ? 0 : (at_ps - s->now_ps) & times);
    weir_state_value(s, (*stamp & ~times) | (at_ps == 0));
    if (s->pass == WEIR_STATE_MOVE)
        *stamp = ((at_ps + s->periods * more_ps) & times) | (*stamp & ~times);
}

/* Gives a packet number on a connection. una: its first unacknowledged one, s->una() */
static inline void weir_state_seq(struct weir_state *s, uint32_t *seq, uint32_t una)
{
    weir_state_value(s, (uint32_t)(*seq - una));
    weir_state_sum32(s, seq);
}

/* Gives how many packets something has left until it ends. It ends outside of all periods that are skipped: the last
 * WEIR_STATE_SPARE are never skipped. */
static inline void weir_state_left(struct weir_state *s, uint64_t left)
{
    uint64_t was = weir_state_was(s, left), periods;
    if (s->pass != WEIR_STATE_TEST || was == left)
        return;
    periods = was > left && left > WEIR_STATE_SPARE ? (left - WEIR_STATE_SPARE) / (was - left) : 0;
    weir_state_allow(s, periods);
}

/* Sets s->unready: the state cannot repeat now. why: the end of a sentence */
static inline void weir_state_unready(struct weir_state *s, const char *why)
{
    s->unready = why;
}
#endif
