/* src/simulator/switch/ask.c - asks the hooks of a port, one after the other; doc/model.md [features.order],
 * [causes.first]. Hooks that decide about a packet are called here, and not by the functions of hooks/chain.h that the
 * engine calls: so the oracle, which drives this room, proves those too. */
#include "switch/internal.h"

/* Returns the number of the cause that an answer names. */
static uint32_t cause_of(uint32_t answer, const struct weir_chain_rules *rules)
{
    uint32_t rule = answer >> WEIR_RULE_SHIFT;
    WEIR_CHECK(rule < rules->count);
    return rules->first_cause + rule;
}

uint32_t weir_switch_ask_admit(const struct switch_port *port, const struct weir_admit *admit)
{
    for (uint32_t i = 0; i < port->chain.admit_count; i++) {
        const struct weir_admit_hook *hook = &port->chain.admit[i];
        uint32_t answer = hook->call(&hook->here, admit);
        if ((answer & WEIR_DROP) != 0)
            return cause_of(answer, &hook->rules);
    }
    return admit->used_bytes + admit->bytes > admit->memory_bytes ? WEIR_CAUSE_MEMORY : WEIR_CAUSE_NONE;
}

uint32_t weir_switch_ask_gate(const struct switch_port *port, uint64_t waiting_bytes, uint32_t bytes)
{
    const struct weir_gate_hook *hook = &port->chain.gate;
    uint32_t answer = hook->gate->admits(&hook->here, waiting_bytes, bytes);
    return (answer & WEIR_DROP) != 0 ? cause_of(answer, &hook->rules) : WEIR_CAUSE_NONE;
}

uint32_t weir_switch_ask_join(const struct switch_port *port, const struct weir_join *join)
{
    uint32_t cause = WEIR_CAUSE_NONE;
    for (uint32_t i = 0; i < port->chain.join_count; i++) {
        const struct weir_join_hook *hook = &port->chain.join[i];
        uint32_t answer = hook->call(&hook->here, join);
        if ((answer & WEIR_MARK) != 0 && cause == WEIR_CAUSE_NONE)
            cause = cause_of(answer, &hook->rules);
    }
    return cause;
}

uint32_t weir_switch_ask_dequeue(const struct switch_port *port, struct weir_dequeue *dequeue, uint32_t *mark)
{
    *mark = WEIR_CAUSE_NONE;
    for (uint32_t i = 0; i < port->chain.dequeue_count; i++) {
        const struct weir_dequeue_hook *hook = &port->chain.dequeue[i];
        uint32_t answer = hook->call(&hook->here, dequeue);
        if ((answer & WEIR_DROP) != 0)
            return cause_of(answer, &hook->rules);
        if ((answer & WEIR_MARK) != 0 && *mark == WEIR_CAUSE_NONE)
            *mark = cause_of(answer, &hook->rules);
    }
    return WEIR_CAUSE_NONE;
}

uint32_t weir_switch_ask_start(const struct switch_port *port, struct weir_start *start, uint32_t *answers)
{
    uint32_t cause = WEIR_CAUSE_NONE;
    for (uint32_t i = 0; i < port->chain.start_count; i++) {
        const struct weir_start_hook *hook = &port->chain.start[i];
        uint32_t answer = hook->call(&hook->here, start);
        *answers |= answer & (WEIR_RULE(1) - 1);
        if ((answer & WEIR_LOSE) != 0 && cause == WEIR_CAUSE_NONE)
            cause = cause_of(answer, &hook->rules);
    }
    return cause;
}

uint32_t weir_switch_ask_forward(const struct weir_chain *chain, struct weir_forward *forward)
{
    uint32_t answer = chain->forward.call(&chain->forward.here, forward);
    return (answer & WEIR_DEFLECT) != 0 ? cause_of(answer, &chain->forward.rules) : WEIR_CAUSE_NONE;
}

uint32_t weir_switch_ask_joined(const struct weir_joined_hook *hook, const struct weir_joined *joined,
                                struct weir_control *frame, uint32_t *pause)
{
    uint32_t answer = hook->call(&hook->here, joined, frame);
    *pause = (answer & WEIR_PAUSE) != 0 ? cause_of(answer, &hook->rules) : WEIR_CAUSE_NONE;
    return answer & WEIR_CONTROL;
}

/* Asks the features that may take a mark, until one does. */
static uint32_t ask_mark(const struct switch_port *port, const struct weir_mark *mark)
{
    for (uint32_t i = 0; i < port->chain.mark_count; i++) {
        const struct weir_mark_hook *hook = &port->chain.mark[i];
        uint32_t answer = hook->call(&hook->here, mark);
        if ((answer & WEIR_TAKE) != 0)
            return cause_of(answer, &hook->rules);
    }
    return WEIR_CAUSE_NONE;
}

void weir_switch_mark(struct weir_switch *sw, struct switch_port *port, struct weir_pkt *pkt, uint32_t cause)
{
    enum weir_fate fate = WEIR_FATE_MARKED;
    uint32_t taker;
    if (cause == WEIR_CAUSE_NONE)
        return;
    taker = ask_mark(port, &(struct weir_mark){ .pkt = pkt, .now_ps = sw->now_ps });
    if (taker != WEIR_CAUSE_NONE) {
        cause = taker;
        fate = WEIR_FATE_UNMARKED;
    } else {
        pkt->flags |= WEIR_PKT_CE;
        port->count.marks++;
    }
    weir_switch_report_decided(sw, port->index, fate, cause);
}
