/* src/simulator/coupled/deferred_init.c - finds which switches may ever defer their hooks, and allocates their
 * state. */
#include "core/feature.h"
#include "coupled/internal.h"

enum { INS_AT_FIRST = 8 };

/* Tests whether the admit, on_joined, on_sent and on_dropped hooks of a feature need not be called while they only
 * keep accounts. True also if the feature has none of these hooks in this run. */
static bool row_may_be_idle(const struct weir_chain_state *state)
{
    const struct weir_feature *row = state->row;
    bool joins = (row->on_joined != NULL || row->on_dropped != NULL) && !state->skips_joined;
    return row->is_idle != NULL || (row->admit == NULL && row->on_sent == NULL && !joins);
}

/* Tests whether the on_start hooks of a port may be called late: their features allow it (late_start), and they read
 * no other port for packets of the lower lane. The starts of these packets are decided too late for that. True also
 * without on_start hooks. */
static bool starts_may_wait(const struct weir_model *m, const struct weir_chain *chain)
{
    /* packets that are known to be in class 0 */
    uint32_t first = m->host.params.ack_class == 0 ? WEIR_PKT_KIND_BIT(WEIR_PKT_ACK) : 0;
    for (uint32_t k = 0; m->host.law != NULL && k < m->host.law_count; k++)
        first = m->host.law[k].params.ack_class == 0 ? first : 0;
    bool other_is_first = sim_priorities(m) == 1 || (chain->other_port_kinds & ~first) == 0;
    return chain->start_count == 0 || (chain->late_start && other_is_first);
}

/* Tests whether the on_dequeue hooks of a port may be called late, as DEFERRED_DEQUEUE. They may not with several
 * classes or together with on_start hooks, nor if a feature lacks dequeue_idle. True also without on_dequeue hooks. */
static bool dequeue_may_wait(const struct weir_model *m, const struct weir_chain *chain)
{
    return chain->dequeue_count == 0 || (chain->dequeue_idles && m->classes == 1 && chain->start_count == 0);
}

/* Tests whether some feature of the port makes NOTICEs. These are made class by class, but with deferred hooks all
 * virtual lanes are one FIFO. */
static bool makes_notices(const struct weir_chain *chain)
{
    for (uint32_t i = 0; i < chain->state_count; i++)
        if (chain->state[i].row->notice != NULL)
            return true;
    return false;
}

/* Tests whether the port's on_forward hook permits deferred hooks. False if start hooks read the port of the in-link:
 * such hooks are called in an order of their own. False also, with or without on_forward, if a feature makes NOTICEs
 * and there are virtual lanes. */
static bool forwards_may_be(const struct weir_model *m, const struct weir_chain *chain)
{
    return (chain->forward.call == NULL || chain->other_port_kinds == 0) &&
           (m->aged_classes == 0 || !makes_notices(chain));
}

bool weir_sim_can_defer(const struct weir_model *m, const struct weir_chain *chain, struct sim_port_kind kind)
{
    bool can = sim_priorities(m) <= SIM_LANES && chain->wrr.queue_of == NULL && forwards_may_be(m, chain) &&
               !kind.fraction && !kind.gate && !kind.cable && !kind.tap && starts_may_wait(m, chain) &&
               dequeue_may_wait(m, chain);
    for (uint32_t i = 0; can && i < chain->state_count; i++)
        can = row_may_be_idle(&chain->state[i]);
    return can;
}

/* Fills deferred.idle: each feature with is_idle once, by its state at the first port that has it. Sets
 * deferred.notice_bytes to the largest size of a NOTICE. */
static void deferred_find_idle(struct coupled_deferred *deferred, const struct sim_engine *e,
                               const struct sim_switch *sw)
{
    const struct weir_features *features = &e->model->features;
    for (uint32_t f = 0; f < features->count; f++) {
        const struct weir_chain_state *state = NULL;
        for (uint32_t p = 0; p < sw->out_count && state == NULL; p++)
            state = weir_chain_find(&e->link[sw->first_out + p].port->chain, f);
        if (state != NULL && state->row->is_idle != NULL)
            deferred->idle[deferred->idle_count++] = state;
        if (state != NULL && state->row->notice_bytes > deferred->notice_bytes)
            deferred->notice_bytes = state->row->notice_bytes;
    }
}

/* Sets deferred.arrive_kinds and deferred.one_arrive_hook. */
static void deferred_find_arrivals(struct coupled_deferred *deferred, const struct sim_engine *e,
                                   const struct sim_switch *sw)
{
    deferred->one_arrive_hook = true;
    for (uint32_t p = 0; p < sw->out_count; p++)
        deferred->arrive_kinds |= e->link[sw->first_out + p].port->chain.arrive_kinds;
    for (uint32_t p = 0; p < sw->out_count; p++) {
        const struct weir_chain *chain = &e->link[sw->first_out + p].port->chain;
        deferred->one_arrive_hook &= chain->arrive_count == 1 && chain->arrive_kinds == deferred->arrive_kinds;
    }
}

/* Sets deferred.starts and deferred.other_port_kinds by the on_start hooks of all ports. */
static void deferred_find_starts(struct coupled_deferred *deferred, const struct sim_engine *e,
                                 const struct sim_switch *sw)
{
    for (uint32_t p = 0; p < sw->out_count; p++) {
        const struct weir_chain *chain = &e->link[sw->first_out + p].port->chain;
        if (chain->start_count > 0 && deferred->starts == DEFERRED_NO_STARTS)
            deferred->starts = DEFERRED_OWN_PORT;
        if (chain->other_port_kinds != 0)
            deferred->starts = DEFERRED_OTHER_PORT;
        deferred->other_port_kinds |= chain->other_port_kinds;
    }
}

/* Sets deferred.wait_ps, and sets deferred.starts to DEFERRED_DEQUEUE if some port has on_dequeue hooks. Sets drop_ps
 * to WEIR_NEVER. @return false = some ports have on_dequeue hooks and others on_start hooks, which is not supported */
static bool deferred_find_dequeue(struct coupled_deferred *deferred, const struct sim_engine *e,
                                  const struct sim_switch *sw)
{
    bool starts = deferred->starts != DEFERRED_NO_STARTS;
    deferred->wait_ps = deferred->drop_ps = WEIR_NEVER;
    for (uint32_t p = 0; p < sw->out_count; p++) {
        const struct weir_chain *chain = &e->link[sw->first_out + p].port->chain;
        struct weir_dequeue_idle idle;
        if (chain->dequeue_count == 0)
            continue;
        weir_chain_dequeue_idle(chain, 0, 0, &idle);
        deferred->wait_ps = weir_min_u64(deferred->wait_ps, idle.wait_ps);
        deferred->starts = DEFERRED_DEQUEUE;
    }
    return !starts || deferred->starts != DEFERRED_DEQUEUE;
}

bool weir_sim_deferred_init(struct sim_thread *th, const struct sim_engine *e, const struct sim_switch *sw)
{
    struct coupled_deferred *deferred = &sw->coupled->deferred;
    bool can = true;
    for (uint32_t p = 0; can && p < sw->out_count; p++) {
        const struct sim_link *link = &e->link[sw->first_out + p];
        can = weir_sim_can_defer(e->model, &link->port->chain, link->kind);
    }
    deferred_find_starts(deferred, e, sw);
    if (!can || !deferred_find_dequeue(deferred, e, sw))
        return true;
    deferred->idle = weir_arena_take(&th->arena, (e->model->features.count + 1) * sizeof(*deferred->idle));
    if (deferred->idle == NULL)
        return false;
    deferred_find_idle(deferred, e, sw);
    deferred->is_bounded = deferred->idle_count > 0 || sw->memory_bytes != UINT64_MAX;
    sw->coupled->ends_matter |= deferred->idle_count > 0; /* features with is_idle need the held bytes */
    WEIR_ASSERT(deferred->idle_count <= e->model->features.count);
    deferred->classes = e->model->classes;
    deferred->lanes = sim_priorities(e->model) > 1;
    deferred->forwards = e->link[sw->first_out].port->chain.forward.call != NULL;
    deferred_find_arrivals(deferred, e, sw);
    deferred->port = weir_arena_take(&th->arena, sw->out_count * sizeof(*deferred->port));
    deferred->held =
        weir_arena_take(&th->arena, deferred_held_index(deferred, sw->in_count + 1, 0) * sizeof(*deferred->held));
    deferred->coming =
        weir_arena_take(&th->arena, deferred_held_index(deferred, sw->in_count + 1, 0) * sizeof(*deferred->coming));
    if (deferred->port == NULL || deferred->held == NULL || deferred->coming == NULL)
        return false;
    for (uint32_t p = 0; p < sw->out_count; p++) {
        struct deferred_port *port = &deferred->port[p];
        deferred->joins |= e->link[sw->first_out + p].kind.join;
        if (!deferred->lanes)
            continue;
        port->capacity = INS_AT_FIRST;
        port->origin = weir_arena_take(&th->arena, INS_AT_FIRST * sizeof(*port->origin));
        if (port->origin == NULL)
            return false;
    }
    return true;
}

void weir_sim_deferred_lane_grow(struct sim_thread *th, struct deferred_port *port)
{
    uint32_t capacity = 2 * port->capacity;
    uint32_t *bigger = weir_arena_take(&th->arena, capacity * sizeof(*bigger));
    if (bigger == NULL)
        longjmp(th->out_of_memory, 1);
    WEIR_ASSERT((capacity & (capacity - 1)) == 0);
    for (uint32_t i = 0; i < port->count; i++)
        bigger[i] = port->origin[(port->first + i) & (port->capacity - 1)];
    port->origin = bigger;
    port->first = 0;
    port->capacity = capacity;
}
