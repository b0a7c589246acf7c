/* src/algorithms/features/rpm/rpm_core.h - RPM's cells: a congestion event adds 1 to a count, a marked ACK subtracts
 * 1. */
#ifndef WEIR_FEATURES_RPM_RPM_CORE_H
#define WEIR_FEATURES_RPM_RPM_CORE_H
#include "core/math.h"
#include "core/rng.h"
#include "features/rpm/rpm.h"

#define WEIR_RPM_TIME_MASK ((UINT64_C(1) << 48) - 1)

/* Returns the index of the cell of a flow whose DATA goes from src to dst. For an ACK the caller swaps the two. */
static inline uint32_t weir_rpm_index(uint32_t src, uint32_t dst, uint32_t conn, uint32_t entries)
{
    uint64_t flow = (uint64_t)src << 44 ^ (uint64_t)dst << 24 ^ (conn & 0xffffff); /* hosts have 20 bits */
    uint64_t above = weir_mix_u64(conn >> 24);                                     /* law and epoch; 0 of 0 */
    return (uint32_t)(weir_mix_u64(flow ^ above) % entries);
}

/* Clears a cell to which no ACK has come for m->expiry_ps, and counts its events as expired. */
static inline void weir_rpm_expire(const struct weir_rpm_model *m, struct weir_rpm_cell *cell,
                                   struct weir_rpm_port *counts, uint64_t now_ps)
{
    if (cell->seen_ps == 0 || now_ps < cell->seen_ps || now_ps - cell->seen_ps < m->expiry_ps)
        return;
    counts->expired += cell->count;
    *cell = (struct weir_rpm_cell){ 0 };
}

/* Adds an event to a cell. counts: of the port at which the event happens. @return true = the packet is not marked;
 * false = no ACK has come to the cell since it was cleared: the packet must be marked with CE */
static inline bool weir_rpm_event(const struct weir_rpm_model *m, struct weir_rpm_cell *cell,
                                  struct weir_rpm_port *counts, uint64_t now_ps)
{
    counts->events++;
    weir_rpm_expire(m, cell, counts, now_ps);
    if (cell->seen_ps == 0) {
        counts->forward++;
        return false;
    }
    if (cell->count >= m->count_max) {
        counts->saturated++;
        return true;
    }
    if (cell->event_ps != (now_ps & WEIR_RPM_TIME_MASK))
        cell->new_events = 0;
    cell->event_ps = now_ps & WEIR_RPM_TIME_MASK;
    cell->new_events++;
    cell->count++;
    return true;
}

/* Processes an ACK that comes to a cell: if the cell has events from before now_ps, removes one. counts: of the port by
 * whose cable the ACK came. event_ps modulo 2^48 is not ambiguous: before it repeats, an ACK sets new_events to 0, or
 * the cell expires. @return true = the ACK gets ECE */
static inline bool weir_rpm_ack(const struct weir_rpm_model *m, struct weir_rpm_cell *cell,
                                struct weir_rpm_port *counts, uint64_t now_ps)
{
    if (cell->count == 0) { /* the usual case */
        cell->seen_ps = now_ps;
        return false;
    }
    weir_rpm_expire(m, cell, counts, now_ps);
    if (cell->event_ps != (now_ps & WEIR_RPM_TIME_MASK))
        cell->new_events = 0;
    cell->seen_ps = now_ps;
    if (cell->count == cell->new_events)
        return false;
    cell->count--;
    counts->marked++;
    return true;
}
#endif
