/* src/simulator/switch/backlog.c - doc/model.md [arrival.backlog], [counting.area]: the unsent work of a port. */
#include "core/math.h"
#include "switch/internal.h"

/* Returns how long the packet in transmission still takes; 0 = there is none. A control frame does not count. */
static inline uint64_t left_ps(const struct switch_port *port, uint64_t now_ps)
{
    return port->sending_bytes > 0 ? port->busy_until_ps - now_ps : 0;
}

/* Returns what is left of that packet, as work. */
static inline uint64_t rest_ps(const struct switch_port *port, uint64_t now_ps)
{
    uint64_t left = left_ps(port, now_ps);
    if (left == 0 || port->sending_ps == port->sending_wire_ps)
        return left;
    return weir_mul_div_u64(left, port->sending_ps, port->sending_wire_ps);
}

uint64_t weir_switch_backlog_ps(const struct switch_port *port, uint64_t now_ps)
{
    WEIR_CHECK(!port->sending || now_ps <= port->busy_until_ps);
    return port->waiting_ps + rest_ps(port, now_ps);
}

__extension__ typedef unsigned __int128 area_ps2;

/* Adds twice the integral of b(t) since the last change. What waits stood still: 2 * span * waiting. Of the packet in
 * transmission the triangle that is left has shrunk: the difference of left * rest. */
void weir_switch_sync(struct switch_port *port, uint64_t now_ps)
{
    uint64_t span_ps = now_ps - port->synced_ps;
    uint64_t left = left_ps(port, port->synced_ps);
    area_ps2 area;
    if (span_ps == 0)
        return;
    WEIR_CHECK(now_ps > port->synced_ps);
    if (port->waiting_ps == 0 && left == 0) {
        port->synced_ps = now_ps;
        return;
    }
    area = (area_ps2)port->count.area_hi << 64 | port->count.area_lo;
    area += (area_ps2)span_ps * port->waiting_ps * 2;
    area += (area_ps2)left * rest_ps(port, port->synced_ps);
    area -= (area_ps2)left_ps(port, now_ps) * rest_ps(port, now_ps);
    port->synced_ps = now_ps;
    port->count.area_lo = (uint64_t)area;
    port->count.area_hi = (uint64_t)(area >> 64);
}

/* Returns the bytes of a backlog at the rate of the port. */
static uint64_t bytes_of(const struct switch_port *port, uint64_t b_ps)
{
    if (b_ps == 0)
        return 0;
    if (port->clock.rem_num == 0)
        return b_ps / port->clock.ps_per_byte;
    return weir_mul_div_u64(b_ps, port->rate_bps, 8 * WEIR_PS_PER_S);
}

uint64_t weir_switch_queue_bytes(const struct weir_switch *sw, uint32_t port, uint64_t now_ps)
{
    WEIR_CHECK(port < sw->ports);
    return bytes_of(&sw->port[port], weir_switch_backlog_ps(&sw->port[port], now_ps));
}

uint64_t weir_switch_queues_bytes(const struct weir_switch *sw, uint64_t now_ps)
{
    uint64_t sum = 0;
    for (uint32_t p = 0; p < sw->ports; p++)
        sum += weir_switch_queue_bytes(sw, p, now_ps);
    return sum;
}

uint64_t weir_switch_held_bytes(const struct weir_switch *sw, uint32_t port)
{
    WEIR_CHECK(port < sw->ports);
    return sw->port[port].held_bytes;
}

uint64_t weir_switch_used_bytes(const struct weir_switch *sw)
{
    return sw->used_bytes;
}

const struct weir_port_count *weir_switch_count(struct weir_switch *sw, uint32_t port, uint64_t now_ps)
{
    WEIR_CHECK(port < sw->ports);
    weir_switch_sync(&sw->port[port], now_ps);
    return &sw->port[port].count;
}

void weir_switch_charge(struct weir_switch *sw, uint32_t port, enum weir_fate fate)
{
    struct weir_port_count *count = &sw->port[port].count;
    WEIR_ASSERT(port < sw->ports);
    WEIR_ASSERT(fate == WEIR_FATE_DROPPED || fate == WEIR_FATE_LOST);
    if (fate == WEIR_FATE_DROPPED)
        count->drops++;
    else
        count->losses++;
}
