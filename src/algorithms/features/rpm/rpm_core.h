/* src/algorithms/features/rpm/rpm_core.h - RPM's cells: an event adds a count, an ACK spends one. */
#ifndef WEIR_FEATURES_RPM_RPM_CORE_H
#define WEIR_FEATURES_RPM_RPM_CORE_H
#include "core/math.h"
#include "core/rng.h"
#include "features/rpm/rpm.h"

#define WEIR_RPM_TIME_MASK ((UINT64_C(1) << 48) - 1)

/* Returns the cell's index of a flow whose DATA goes from src to dst: an ACK has the two the other way round. */
static inline uint32_t weir_rpm_index(uint32_t src, uint32_t dst, uint32_t conn, uint32_t entries)
{
    uint64_t flow = (uint64_t)src << 44 ^ (uint64_t)dst << 24 ^ conn; /* hosts have 20 bits */
    return (uint32_t)(weir_mix_u64(flow) % entries);
}

/* Clears a cell that no ACK has come to for too long. */
static inline void weir_rpm_expire(const struct weir_rpm_model *m, struct weir_rpm_cell *cell,
                                   struct weir_rpm_port *counts, uint64_t now_ps)
{
    if (cell->seen_ps == 0 || now_ps < cell->seen_ps || now_ps - cell->seen_ps < m->expiry_ps)
        return;
    counts->expired += cell->count;
    *cell = (struct weir_rpm_cell){ 0 };
}

/* Counts an event. counts: of the port where it happens. @return false = the packet is to be marked itself */
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

/* Spends a count on an ACK, which sees only events before this instant. Instants that differ by 2^48 ps cannot be
 * confused: between them an ACK sets new_events to 0, or the cell expires. counts: of the port by whose cable it came.
 * @return true = it gets ECE */
static inline bool weir_rpm_ack(const struct weir_rpm_model *m, struct weir_rpm_cell *cell,
                                struct weir_rpm_port *counts, uint64_t now_ps)
{
    if (cell->count == 0) { /* nearly always */
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
