/* src/algorithms/features/int/int_core.h - in-band telemetry: the state of one port, and the record made from it.
 * Sources:
 * - Li et al., SIGCOMM 2019 (HPCC: bytes sent before the packet, bytes that wait behind it);
 * - Xu et al., FNCC: a table of all ports, read at once or refreshed at a period.
 * Rules: doc/model.md [telemetry]. */
#ifndef WEIR_FEATURES_INT_INT_CORE_H
#define WEIR_FEATURES_INT_INT_CORE_H
#include "core/math.h"
#include "features/int/int.h"

/* Returns the index of rate_bps in rates; rates->count = it is not there. */
static inline uint32_t weir_int_rate_id(const struct weir_telemetry_rates *rates, uint64_t rate_bps)
{
    uint32_t id = 0;
    while (id < rates->count && id < WEIR_TELEMETRY_RATES_MAX && rates->bps[id] != rate_bps)
        id++;
    return id;
}

/* Computes a port's values at at_ps, a time between the last start of a transmission and the next. Of a packet in
 * transmission only the sent part counts. Whole packets would sometimes show a rate above the link's, which FNCC's
 * senders would take for congestion. queue_bytes: wire bytes that wait at at_ps */
static inline struct weir_int_values weir_int_values_at(const struct weir_int_port *port, uint64_t at_ps,
                                                        uint64_t queue_bytes)
{
    struct weir_int_values v = { .tx_bytes = port->sent_bytes, .queue_bytes = queue_bytes };
    if (at_ps < port->end_ps)
        v.tx_bytes -= (port->end_ps - at_ps) * port->tx_bytes / port->tx_ps; /* 2^44 ps * 2^14 bytes fits */
    return v;
}

/* Updates the table if a multiple of the period has passed since the last update. To be called before an event at
 * now_ps changes the port or reads the table: the values are then those before all events at that multiple.
 * queue_bytes: wire bytes that wait before the event. period_ps: 0 = there is no table */
static inline void weir_int_refresh(struct weir_int_port *port, uint64_t period_ps, uint64_t now_ps,
                                    uint64_t queue_bytes)
{
    uint64_t at_ps;
    if (period_ps == 0)
        return;
    at_ps = now_ps - now_ps % period_ps;
    if (at_ps == port->table_ps)
        return;
    port->table = weir_int_values_at(port, at_ps, queue_bytes);
    port->table_ps = at_ps;
}

/* Records the start of a transmission at now_ps, which takes tx_ps. bytes: wire bytes of the packet */
static inline void weir_int_sent(struct weir_int_port *port, uint64_t now_ps, uint32_t bytes, uint64_t tx_ps)
{
    port->sent_bytes += bytes;
    port->end_ps = now_ps + tx_ps;
    port->tx_ps = tx_ps;
    port->tx_bytes = bytes;
}

/* Rounds value down to a multiple of unit, and wraps it to 0 at 2^bits units. One division, since the unit is not a
 * constant. */
static inline uint64_t weir_int_units(uint64_t value, uint64_t unit, uint32_t bits)
{
    return (value / unit & ((UINT64_C(1) << bits) - 1)) * unit;
}

static inline struct weir_telemetry weir_int_pack(const struct weir_int_model *m, const struct weir_int_values *values,
                                                  uint64_t at_ps, uint32_t rate_id)
{
    uint64_t queue_unit = WEIR_INT_QUEUE_UNIT_BYTES * m->multi;
    if (WEIR_LIKELY(!m->quantised))
        return weir_telemetry_pack(at_ps, values->tx_bytes, values->queue_bytes, rate_id);
    return weir_telemetry_pack(weir_int_units(at_ps, WEIR_INT_TS_UNIT_PS, WEIR_INT_TS_BITS),
                               weir_int_units(values->tx_bytes, WEIR_INT_TX_UNIT_BYTES * m->multi, WEIR_INT_TX_BITS),
                               weir_min_u64(values->queue_bytes / queue_unit, WEIR_INT_QUEUE_MAX_UNITS) * queue_unit,
                               rate_id);
}

/* Returns the record of a port at now_ps. queue_bytes: wire bytes that wait at now_ps */
static inline struct weir_telemetry weir_int_record(const struct weir_int_model *m, const struct weir_int_port *port,
                                                    uint64_t now_ps, uint64_t queue_bytes)
{
    struct weir_int_values now = weir_int_values_at(port, now_ps, queue_bytes);
    return weir_int_pack(m, &now, now_ps, port->rate_id);
}

/* Returns the record of a port from its table, which is updated first; needs a period. queue_bytes: wire bytes that
 * wait at now_ps */
static inline struct weir_telemetry weir_int_table_record(const struct weir_int_model *m, struct weir_int_port *port,
                                                          uint64_t now_ps, uint64_t queue_bytes)
{
    weir_int_refresh(port, m->period_ps, now_ps, queue_bytes);
    return weir_int_pack(m, &port->table, port->table_ps, port->rate_id);
}
#endif
