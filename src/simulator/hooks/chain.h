/* src/simulator/hooks/chain.h - the features of a run as chains: the lists of hooks of each port, one list per event.
 * Chains are made once before the run, so that a packet calls only the hooks for its event. Engine and plain
 * switch (room switch) call the same hooks through chains, and share no other code of ports. */
#ifndef WEIR_HOOKS_CHAIN_H
#define WEIR_HOOKS_CHAIN_H
#include "core/assert.h"
#include "core/cause.h"
#include "core/gate.h"
#include "core/hook_coupled.h"
#include "core/mem.h"

struct weir_fabric_port;
struct weir_feature_count;

/* The rules of a hook's feature. first_cause: the number of the feature's first rule as a cause of the run. count:
 * how many rules the feature has. */
struct weir_chain_rules {
    uint32_t first_cause, count;
};

/* Hooks of a chain, by event: .call is the function of the feature's row, .here its first argument at this port. */
struct weir_admit_hook {
    uint32_t (*call)(const struct weir_here *here, const struct weir_admit *admit);
    struct weir_here here;
    struct weir_chain_rules rules;
};
struct weir_join_hook {
    uint32_t (*call)(const struct weir_here *here, const struct weir_join *join);
    struct weir_here here;
    struct weir_chain_rules rules;
};
struct weir_dequeue_hook {
    uint32_t (*call)(const struct weir_here *here, struct weir_dequeue *dequeue);
    struct weir_here here;
    struct weir_chain_rules rules;
};
struct weir_start_hook {
    uint32_t (*call)(const struct weir_here *here, struct weir_start *start);
    struct weir_here here;
    struct weir_chain_rules rules;
};

struct weir_arrive_hook {
    uint32_t (*call)(const struct weir_here *here, const struct weir_pkt *pkt, uint64_t now_ps);
    struct weir_here here;
};
struct weir_mark_hook {
    uint32_t (*call)(const struct weir_here *here, const struct weir_mark *mark);
    struct weir_here here;
    struct weir_chain_rules rules;
};

struct weir_escape_hook {
    void (*call)(const struct weir_here *here, struct weir_pkt *pkt);
    struct weir_here here;
};

struct weir_forward_hook {
    uint32_t (*call)(const struct weir_here *here, struct weir_forward *forward);
    struct weir_here here;
    struct weir_chain_rules rules;
};

struct weir_wrr_hook {
    uint64_t (*queue_of)(const struct weir_here *here, const struct weir_pkt *pkt);
    uint32_t (*quantum_pkts)(const struct weir_here *here, const struct weir_pkt *pkt);
    struct weir_here here;
};

struct weir_gate_hook {
    const struct weir_gate *gate;
    struct weir_here here;
    struct weir_chain_rules rules;
    uint32_t classes; /* bit c: class c is gated */
};

struct weir_joined_hook {
    uint32_t (*call)(const struct weir_here *here, const struct weir_joined *joined, struct weir_control *control);
    struct weir_here here;
    struct weir_chain_rules rules;
    uint32_t feature;
};
struct weir_sent_hook {
    uint32_t (*call)(const struct weir_here *here, const struct weir_departure *left, struct weir_control *control);
    struct weir_here here;
    uint32_t feature;
};

struct weir_chain_state { /* one feature at a port; its rarer hooks are called through .row */
    const struct weir_feature *row;
    struct weir_here here;
    uint32_t feature; /* index of the feature in struct weir_features */
    bool skips_joined;
};

struct weir_chain_control { /* a control frame that a hook sends, or that has arrived, and its feature */
    struct weir_control frame;
    uint32_t feature;
    uint32_t cause; /* why the frame pauses a class; WEIR_CAUSE_NONE = it does not pause one */
};

struct weir_chain { /* the hooks of one egress port, in lists; *_count entries each */
    /* the lists that packets need are together */
    struct weir_start_hook *start;
    struct weir_joined_hook *joined;
    struct weir_sent_hook *sent;
    struct weir_join_hook *join;
    uint32_t start_count, joined_count, sent_count, join_count;
    struct weir_admit_hook *admit;
    struct weir_dequeue_hook *dequeue;
    uint32_t admit_count, dequeue_count;
    struct weir_arrive_hook *arrive;
    struct weir_mark_hook *mark;
    uint32_t arrive_count, mark_count;
    uint32_t arrive_kinds;            /* WEIR_PKT_KIND_BIT() of the packets for which an on_arrive hook is called */
    struct weir_wrr_hook wrr;         /* queue_of NULL = the port has none */
    struct weir_forward_hook forward; /* call NULL = none */
    struct weir_escape_hook escape;   /* call NULL = none */
    struct weir_chain_state *state;
    uint32_t state_count;
    uint32_t other_port_kinds;  /* WEIR_PKT_KIND_BIT() of the packets whose on_start hooks read another port, too */
    bool late_start;            /* the on_start hooks of all features may be called late */
    bool dequeue_idles;         /* all features with on_dequeue have dequeue_idle, too */
    bool has_control;           /* some feature here has on_control, closed or on_cut */
    bool is_threshold;          /* the on_join hooks do no more than mark from a queue of threshold_bytes on */
    uint32_t threshold_cause;   /* with is_threshold: cause of the marks; WEIR_CAUSE_NONE = there are none */
    uint64_t threshold_bytes;   /* with is_threshold; UINT64_MAX = no packet is marked */
    uint64_t join_bytes;        /* below a queue of so many bytes no on_join hook does anything */
    struct weir_gate_hook gate; /* classes 0 = none; in a line of its own, see struct sim_port */
};

/**
 * Makes the chains of a node's ports, if each port does no more than mark from a threshold on. Takes no memory.
 * @param chain  one per port; valid only if true is returned
 * @param ports  how many ports the node has, entries of chain[] and port[]
 * @return false = hooks of some port must be called: use weir_chains_init()
 */
bool weir_chains_of_thresholds(struct weir_chain *chain, const struct weir_features *features,
                               const struct weir_fabric_port *port, uint32_t ports);

/**
 * Makes the chains of a node's ports. Takes memory for them and for the features' state of the node and its ports.
 * @param ports          how many ports the node has, entries of chain[] and port[]
 * @param waiting_bytes  as in struct weir_here, kept by the caller; NULL = at a host, or no feature of the run is
 *                 coupled
 * @param mem            gives the memory, which is never freed here
 * @return false = no memory
 */
bool weir_chains_init(struct weir_chain *chain, const struct weir_features *features,
                      const struct weir_fabric_port *port, uint32_t ports, const uint64_t *waiting_bytes,
                      const struct weir_mem *mem);

/**
 * Lists the counters of all features of a run, with value 0.
 * @param count  room for as many entries as are returned; NULL = none is written
 * @return how many counters there are
 */
uint32_t weir_features_counts(const struct weir_features *features, struct weir_feature_count *count);

/* Adds the value of a counter at some ports to that at others: a sum, or a maximum and where it is. */
void weir_features_add_count(struct weir_feature_count *sum, const struct weir_feature_count *of);

/**
 * Adds the values of one port to the counters of the run. Ports must be added in the order of their links.
 * @param link     the link that the port feeds
 * @param in_link  the other direction of the port's cable
 * @param count    the counters as weir_features_counts() lists them
 * @param counts   how many there are
 */
void weir_chain_add_counts(const struct weir_chain *chain, uint32_t link, uint32_t in_link,
                           struct weir_feature_count *count, uint32_t counts);

/* ---- the rarer hooks ---- */

/* Passes a control frame that has arrived for this port to the hook on_control of its feature, which must be in the
 * chain. */
void weir_chain_control(const struct weir_chain *chain, uint64_t now_ps, const struct weir_chain_control *control);
/* Returns the classes whose packets may not start now: bit c is set if some feature closes class c. */
uint32_t weir_chain_closed(const struct weir_chain *chain);
/* Calls the on_dropped hooks for a packet that was dropped on leaving, from feature number *i of the chain on; *i is
 * 0 before the first call. Stops at a hook that makes a control frame. @return true = *out is that frame: send it,
 * then call again; false = all hooks were called */
bool weir_chain_dropped(const struct weir_chain *chain, uint32_t *i, const struct weir_departure *left,
                        struct weir_chain_control *out);
/* Calls the on_cut hooks: the port's cable goes down at now. */
void weir_chain_cut(const struct weir_chain *chain, uint64_t now_ps);
/* Calls the on_end hooks: the run is over, at end. */
void weir_chain_end(const struct weir_chain *chain, uint64_t end_ps);
/* Returns the entry of a feature in this chain; NULL = the feature does not act at the port. feature: its index in
 * struct weir_features */
const struct weir_chain_state *weir_chain_find(const struct weir_chain *chain, uint32_t feature);

/* Checks the invariants of a node's features, for runs with options->check. chain: of any port of the node. ports:
 * how many ports the node has. @return a sentence about an invariant that does not hold; NULL = all hold */
const char *weir_chain_broken(const struct weir_chain *chain, uint32_t ports);

/* Returns the number of the cause that a hook's answer names by its rule. rules: of the hook's feature */
static inline uint32_t weir_chain_cause(uint32_t answer, const struct weir_chain_rules *rules)
{
    uint32_t rule = answer >> WEIR_RULE_SHIFT;
    WEIR_ASSERT(rule < rules->count); /* a hook that decides a fate names a rule of its row */
    return rules->first_cause + rule;
}

/* Asks the admit hooks in order, up to the first that refuses the packet, then the memory limit, whether a packet
 * may have memory. The hooks are called even if the switch has no memory left: some of them count refused packets.
 * @return the cause of the first refusal; WEIR_CAUSE_NONE = the packet may have memory */
static inline uint32_t weir_chain_admits(const struct weir_chain *chain, const struct weir_admit *admit)
{
    for (uint32_t i = 0; i < chain->admit_count; i++) {
        uint32_t answer = chain->admit[i].call(&chain->admit[i].here, admit);
        if ((answer & WEIR_DROP) != 0)
            return weir_chain_cause(answer, &chain->admit[i].rules);
    }
    return admit->used_bytes + admit->bytes <= admit->memory_bytes ? WEIR_CAUSE_NONE : WEIR_CAUSE_MEMORY;
}

/* Calls all on_join hooks for a packet that joins. @return the cause of the first hook that marks the packet;
 * WEIR_CAUSE_NONE = no hook marks it */
static inline uint32_t weir_chain_join(const struct weir_chain *chain, const struct weir_join *join)
{
    uint32_t cause = WEIR_CAUSE_NONE;
    for (uint32_t i = 0; i < chain->join_count; i++) {
        uint32_t answer = chain->join[i].call(&chain->join[i].here, join);
        if ((answer & WEIR_MARK) != 0 && cause == WEIR_CAUSE_NONE)
            cause = weir_chain_cause(answer, &chain->join[i].rules);
    }
    return cause;
}

struct weir_dequeued { /* causes for which a packet is to be marked, and dropped; WEIR_CAUSE_NONE = it is not */
    uint32_t mark, drop;
};

/* Calls the on_dequeue hooks for the packet that is to leave next, until one of them drops it. @return the cause of the
 * first hook that marks the packet, and the cause of the hook that drops it */
static inline struct weir_dequeued weir_chain_dequeue(const struct weir_chain *chain, struct weir_dequeue *dequeue)
{
    struct weir_dequeued cause = { WEIR_CAUSE_NONE, WEIR_CAUSE_NONE };
    for (uint32_t i = 0; i < chain->dequeue_count && cause.drop == WEIR_CAUSE_NONE; i++) {
        uint32_t answer = chain->dequeue[i].call(&chain->dequeue[i].here, dequeue);
        if ((answer & WEIR_DROP) != 0)
            cause.drop = weir_chain_cause(answer, &chain->dequeue[i].rules);
        else if ((answer & WEIR_MARK) != 0 && cause.mark == WEIR_CAUSE_NONE)
            cause.mark = weir_chain_cause(answer, &chain->dequeue[i].rules);
    }
    return cause;
}

/* Tests whether the port's gate may hold packets of this class back. Only then may the three functions
 * weir_chain_gate_.. below be called for a packet of the class. */
static inline bool weir_chain_is_gated(const struct weir_chain *chain, uint32_t class_id)
{
    return (chain->gate.classes >> class_id & 1) != 0;
}

/* Asks the gate whether a packet may join. waiting_bytes: wire bytes that wait in its class, without this packet.
 * bytes: of this packet. @return as weir_chain_admits() */
static inline uint32_t weir_chain_gate_admits(const struct weir_chain *chain, uint64_t waiting_bytes, uint32_t bytes)
{
    uint32_t answer = chain->gate.gate->admits(&chain->gate.here, waiting_bytes, bytes);
    return (answer & WEIR_DROP) == 0 ? WEIR_CAUSE_NONE : weir_chain_cause(answer, &chain->gate.rules);
}

/* Returns the earliest instant at which the gate lets a packet of this size start. */
static inline uint64_t weir_chain_gate_opens_ps(const struct weir_chain *chain, uint32_t bytes)
{
    return chain->gate.gate->opens_ps(&chain->gate.here, bytes);
}

/* Notifies the gate that a packet of `bytes` bytes starts at now_ps. */
static inline void weir_chain_gate_passed(const struct weir_chain *chain, uint32_t bytes, uint64_t now_ps)
{
    chain->gate.gate->passed(&chain->gate.here, bytes, now_ps);
}

/* Calls the on_arrive hooks for a packet that has arrived by the in-link of the port's cable. @return the bits of
 * all answers, enum weir_hook_answer; 0 if no hook is for packets of this kind */
static inline uint32_t weir_chain_arrive(const struct weir_chain *chain, const struct weir_pkt *pkt, uint64_t now_ps)
{
    uint32_t answer = 0;
    if ((chain->arrive_kinds >> pkt->kind & 1) == 0)
        return 0;
    for (uint32_t i = 0; i < chain->arrive_count; i++)
        answer |= chain->arrive[i].call(&chain->arrive[i].here, pkt, now_ps);
    return answer;
}

/* Calls the on_forward hook for DATA that has arrived by the in-link of the port's cable; weir_chain_forwards() must be
 * true. The hook may change forward->out_port. @return the cause of that change; WEIR_CAUSE_NONE = the packet leaves by
 * the port of its route */
static inline uint32_t weir_chain_forward(const struct weir_chain *chain, struct weir_forward *forward)
{
    uint32_t answer = chain->forward.call(&chain->forward.here, forward);
    return (answer & WEIR_DEFLECT) == 0 ? WEIR_CAUSE_NONE : weir_chain_cause(answer, &chain->forward.rules);
}

/* Calls the on_escape hook, which the chain must have, for a packet that leaves in the lower lane. */
static inline void weir_chain_escape(const struct weir_chain *chain, struct weir_pkt *pkt)
{
    WEIR_CHECK(chain->escape.call != NULL && pkt->stays == 0);
    chain->escape.call(&chain->escape.here, pkt);
}

/* Tests whether a feature here decides by which port this packet leaves: the chain has on_forward, and the packet is
 * DATA. */
static inline bool weir_chain_forwards(const struct weir_chain *chain, const struct weir_pkt *pkt)
{
    return chain->forward.call != NULL && pkt->kind == WEIR_PKT_DATA;
}

/* Asks the on_mark hooks in order about a packet that is about to be marked, up to the first that prevents the mark
 * (WEIR_TAKE). @return the cause of that hook; WEIR_CAUSE_NONE = no hook prevents the mark, and the packet is marked */
static inline uint32_t weir_chain_takes(const struct weir_chain *chain, const struct weir_pkt *pkt, uint64_t now_ps)
{
    const struct weir_mark mark = { .pkt = pkt, .now_ps = now_ps };
    for (uint32_t i = 0; i < chain->mark_count; i++) {
        uint32_t answer = chain->mark[i].call(&chain->mark[i].here, &mark);
        if ((answer & WEIR_TAKE) != 0)
            return weir_chain_cause(answer, &chain->mark[i].rules);
    }
    return WEIR_CAUSE_NONE;
}

/* Writes to *idle when the on_dequeue hooks of this port need not be called for packets of a class. Each field is
 * the minimum over all features. To be called only if chain->dequeue_idles is true. */
void weir_chain_dequeue_idle(const struct weir_chain *chain, uint32_t class_id, uint64_t now_ps,
                             struct weir_dequeue_idle *idle);

/* Calls the on_joined hooks for a packet that has joined, from hook number *i on; *i is 0 before the first call.
 * Stops at a hook that makes a control frame. @return true = *out is that frame: send it, then call again; false =
 * all hooks were called */
static inline bool weir_chain_joined(const struct weir_chain *chain, uint32_t *i, const struct weir_joined *joined,
                                     struct weir_chain_control *out)
{
    while (*i < chain->joined_count) {
        const struct weir_joined_hook *hook = &chain->joined[(*i)++];
        uint32_t answer = hook->call(&hook->here, joined, &out->frame);
        if (WEIR_LIKELY((answer & WEIR_CONTROL) == 0))
            continue;
        out->feature = hook->feature;
        out->cause = (answer & WEIR_PAUSE) == 0 ? WEIR_CAUSE_NONE : weir_chain_cause(answer, &hook->rules);
        return true;
    }
    return false;
}

/* Calls the on_sent hooks for a packet whose transmission has ended; *i, *out and the return value are as in
 * weir_chain_joined(). */
static inline bool weir_chain_sent(const struct weir_chain *chain, uint32_t *i, const struct weir_departure *left,
                                   struct weir_chain_control *out)
{
    while (*i < chain->sent_count) {
        const struct weir_sent_hook *hook = &chain->sent[(*i)++];
        if (WEIR_LIKELY((hook->call(&hook->here, left, &out->frame) & WEIR_CONTROL) == 0))
            continue;
        out->feature = hook->feature;
        out->cause = WEIR_CAUSE_NONE; /* a departure pauses no class */
        return true;
    }
    return false;
}

/* Returns why a packet is lost, from the return value of weir_chain_start(); WEIR_CAUSE_NONE = it is not lost. */
static inline uint32_t weir_answer_cause(uint32_t answer)
{
    return answer >> WEIR_RULE_SHIFT;
}

/* Calls the on_start hooks when a transmission starts. @return the bits of all answers; in place of the rule is the
 * cause of the first hook that loses the packet: see weir_answer_cause() */
static inline uint32_t weir_chain_start(const struct weir_chain *chain, struct weir_start *start)
{
    const struct weir_start_hook *hook = chain->start, *end = hook + chain->start_count;
    uint32_t all = 0;
    for (; hook < end; hook++) {
        uint32_t answer = hook->call(&hook->here, start);
        if (WEIR_UNLIKELY((answer & WEIR_LOSE) != 0) && weir_answer_cause(all) == WEIR_CAUSE_NONE)
            all |= WEIR_RULE(weir_chain_cause(answer, &hook->rules));
        all |= answer & (WEIR_RULE(1) - 1);
    }
    return all;
}
#endif
