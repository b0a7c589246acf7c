/* src/simulator/switch/run.c - doc/model.md [order]: the instants of a switch, one after the other. */
#include "core/math.h"
#include "switch/internal.h"

/* ---- one instant ---- */

/* Handles the cable events of an instant once all have taken place: drops what a failed cable flushes, and lets ports
 * start that have their cable back [cables.flush], [cables.up]. */
static void settle_cables(struct weir_switch *sw)
{
    for (uint32_t p = 0; p < sw->ports; p++)
        weir_switch_flush(sw, &sw->port[p]);
    for (uint32_t p = 0; p < sw->ports; p++)
        weir_switch_kick(sw, &sw->port[p]);
    sw->cables_changed = false;
}

/* Marks the ports whose gate opens at this instant as due. */
static void open_gates(struct weir_switch *sw)
{
    sw->gate_ps = WEIR_NEVER;
    for (uint32_t p = 0; p < sw->ports; p++) {
        if (sw->opens_ps[p] == sw->now_ps) {
            weir_switch_port_due(sw, &sw->port[p]);
            sw->opens_ps[p] = WEIR_NEVER;
        }
        sw->gate_ps = weir_min_u64(sw->gate_ps, sw->opens_ps[p]);
    }
}

/* Begins an instant: cables, gates, then the ends of transmissions by port. */
static void begin(struct weir_switch *sw)
{
    if (sw->cables_changed)
        settle_cables(sw);
    if (sw->gate_ps == sw->now_ps)
        open_gates(sw);
    while (sw->ends.count > 0 && sw->ends.entry[0].at_ps == sw->now_ps) {
        struct switch_port *port = &sw->port[sw->ends.entry[0].id];
        weir_heap_pop(&sw->ends);
        weir_switch_end(sw, port);
    }
    WEIR_CHECK(sw->ends.count == 0 || sw->ends.entry[0].at_ps > sw->now_ps);
    sw->has_ended = true;
}

/* Takes the lowest port that is to decide. */
static struct switch_port *take_due(struct weir_switch *sw)
{
    uint32_t i = 0, bit;
    while (sw->due[i] == 0)
        i++;
    bit = (uint32_t)__builtin_ctzll(sw->due[i]);
    sw->due[i] &= sw->due[i] - 1;
    sw->due_count--;
    return &sw->port[64 * i + bit];
}

/* Ends an instant: timers, then decisions. Of those that are due the lowest port's is always next, also when a drop has
 * just caused it [drop-on-leaving.again]. */
static void finish(struct weir_switch *sw)
{
    if (!sw->has_ended)
        begin(sw);
    if (sw->timer_ps == sw->now_ps)
        weir_switch_tick(sw);
    while (sw->due_count > 0)
        weir_switch_decide(sw, take_due(sw));
}

/* ---- all of them ---- */

/* Handles all that happens before an instant, which then is the one that is on. */
static void catch_up(struct weir_switch *sw, uint64_t now_ps)
{
    WEIR_ASSERT(now_ps >= sw->now_ps);
    if (now_ps == sw->now_ps) {
        WEIR_CHECK(!sw->has_run);
        return;
    }
    if (!sw->has_run)
        finish(sw);
    for (uint64_t next_ps = weir_switch_next_ps(sw); next_ps < now_ps; next_ps = weir_switch_next_ps(sw)) {
        WEIR_CHECK(next_ps > sw->now_ps);
        sw->now_ps = next_ps;
        begin(sw);
        finish(sw);
    }
    sw->now_ps = now_ps;
    sw->has_ended = sw->has_run = false;
}

void weir_switch_open(struct weir_switch *sw, uint64_t now_ps)
{
    if (now_ps != sw->now_ps || !sw->has_ended) {
        catch_up(sw, now_ps);
        begin(sw);
    }
    WEIR_CHECK(!sw->has_run);
}

bool weir_switch_rx(struct weir_switch *sw, uint64_t now_ps, uint32_t in_port, struct weir_switch_pkt *p)
{
    WEIR_CHECK(sw->of_switch && in_port < sw->ports && sw->routes != NULL);
    weir_switch_open(sw, now_ps);
    return weir_switch_arrive(sw, in_port, p);
}

void weir_switch_offer(struct weir_switch *sw, uint64_t now_ps, uint32_t port, struct weir_switch_pkt *p)
{
    WEIR_CHECK(port < sw->ports);
    weir_switch_open(sw, now_ps);
    weir_switch_put(sw, port, p);
}

void weir_switch_control(struct weir_switch *sw, uint64_t now_ps, uint32_t in_port, struct weir_switch_pkt *p)
{
    WEIR_ASSERT(in_port < sw->ports);
    weir_switch_open(sw, now_ps);
    weir_switch_take_control(sw, &sw->port[in_port], p);
}

void weir_switch_cable(struct weir_switch *sw, uint64_t now_ps, uint32_t port, bool up, bool flush)
{
    struct switch_port *at = &sw->port[port];
    WEIR_ASSERT(port < sw->ports);
    catch_up(sw, now_ps);
    WEIR_ASSERT(!sw->has_ended); /* cable events come before all others */
    if (!up && at->up && sw->coupled)
        weir_switch_cut_control(sw, at);
    at->up = up;
    at->discards = !up && (at->discards || flush);
    sw->cables_changed = true;
}

void weir_switch_run(struct weir_switch *sw, uint64_t now_ps)
{
    catch_up(sw, now_ps);
    finish(sw);
    sw->has_run = true;
}

uint64_t weir_switch_work_ps(const struct weir_switch *sw)
{
    uint64_t end_ps = sw->ends.count > 0 ? sw->ends.entry[0].at_ps : WEIR_NEVER;
    if (sw->due_count > 0 || sw->cables_changed)
        return sw->now_ps;
    return weir_min_u64(end_ps, sw->gate_ps);
}

uint64_t weir_switch_timer_ps(const struct weir_switch *sw)
{
    return sw->timer_ps;
}

uint64_t weir_switch_next_ps(const struct weir_switch *sw)
{
    return weir_min_u64(weir_switch_work_ps(sw), sw->timer_ps);
}
