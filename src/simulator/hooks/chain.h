/* src/simulator/hooks/chain.h - the features of a run as lists of hooks, one list per event and port. They are made
 * once before the run, so that a packet calls only the features with a hook for its event. Engine and oracle call the
 * same hooks through it and share nothing else. */
#ifndef WEIR_HOOKS_CHAIN_H
#define WEIR_HOOKS_CHAIN_H
#include "core/assert.h"
#include "core/cause.h"
#include "core/gate.h"
#include "core/hook_coupled.h"
#include "core/mem.h"

struct weir_fabric_port;
struct weir_feature_count;

/* The rules of a hook's feature: the number of the first as a cause of the run, and how many there are. */
struct weir_chain_rules {
    uint32_t first_cause, count;
};

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

struct weir_chain_state { /* one feature at this port; its rarer hooks are called through it */
    const struct weir_feature *row;
    struct weir_here here;
    uint32_t feature; /* its index in struct weir_features */
    bool skips_joined;
};

struct weir_chain_control { /* a control frame that a hook sends, and its feature */
    struct weir_control frame;
    uint32_t feature;
    uint32_t cause; /* why it pauses a class; WEIR_CAUSE_NONE = it does not */
};

struct weir_chain { /* of one egress port */
    /* what packets need, together */
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
    uint32_t arrive_kinds;            /* WEIR_PKT_KIND_BIT() of packets for which some on_arrive is called */
    struct weir_wrr_hook wrr;         /* queue_of NULL = the port has none */
    struct weir_forward_hook forward; /* call NULL = none */
    struct weir_gate_hook gate;       /* classes 0 = none */
    struct weir_chain_state *state;
    uint32_t state_count;
    uint32_t other_port_kinds; /* WEIR_PKT_KIND_BIT() of those whose on_start reads another port, too */
    bool late_start;           /* on_start of all may be called late */
    bool dequeue_idles;        /* all features with on_dequeue report when it need not be called */
    bool has_control;          /* some feature takes control frames or closes classes */
    bool is_threshold;         /* on_join hooks do no more than mark from threshold_bytes on */
    uint64_t threshold_bytes;  /* UINT64_MAX = no packet is marked */
    uint32_t threshold_cause;  /* of such marks; WEIR_CAUSE_NONE = there are none */
    uint64_t join_bytes;       /* below such a queue no on_join hook does anything */
};

/**
 * Makes the chains of a node's ports where they are thresholds and nothing else. Takes no memory.
 * @param chain  one per port; filled if true is returned
 * @return false = some port has hooks that must be called: weir_chains_init()
 */
bool weir_chains_of_thresholds(struct weir_chain *chain, const struct weir_features *features,
                               const struct weir_fabric_port *port, uint32_t ports);

/**
 * Makes the chains of a node's ports, with the features' state of node and ports.
 * @param waiting_bytes  as in struct weir_here, kept by the caller; NULL = no feature is coupled, or a host
 * @return false = no memory
 */
bool weir_chains_init(struct weir_chain *chain, const struct weir_features *features,
                      const struct weir_fabric_port *port, uint32_t ports, const uint64_t *waiting_bytes,
                      const struct weir_mem *mem);

/**
 * Lists the counters of all features of a run, all 0.
 * @param count  room for as many as are returned; NULL = none is written
 * @return how many there are
 */
uint32_t weir_features_counts(const struct weir_features *features, struct weir_feature_count *count);

/**
 * Adds the counters of one port. Ports must be added in order of their links.
 * @param count          of weir_features_counts()
 * @param link, in_link  that the port feeds; the other direction of its cable
 */
void weir_chain_add_counts(const struct weir_chain *chain, uint32_t link, uint32_t in_link,
                           struct weir_feature_count *count, uint32_t counts);

/* ---- the rarer hooks ---- */

/* Notifies the feature of a control frame that has come to this port. */
void weir_chain_control(const struct weir_chain *chain, uint64_t now_ps, const struct weir_chain_control *control);
/* Returns the classes that may not start now, as bits. */
uint32_t weir_chain_closed(const struct weir_chain *chain);
/* Notifies the features of a packet that was dropped on leaving; to be called as weir_chain_sent(). */
bool weir_chain_dropped(const struct weir_chain *chain, uint32_t *i, const struct weir_departure *left,
                        struct weir_chain_control *out);
/* Notifies the features that the port's cable goes down. */
void weir_chain_cut(const struct weir_chain *chain, uint64_t now_ps);
/* Notifies the features that the run is over. */
void weir_chain_end(const struct weir_chain *chain, uint64_t end_ps);
/* Returns the state of a feature of the run at this port; NULL = the port is without it. */
const struct weir_chain_state *weir_chain_find(const struct weir_chain *chain, uint32_t feature);

/* Returns what does not hold in the state of a node's features, as a sentence; NULL = all holds. chain: of any of its
 * ports */
const char *weir_chain_broken(const struct weir_chain *chain, uint32_t ports);

/* Returns the cause, by its number in the run, of the rule that a hook's answer names. */
static inline uint32_t weir_chain_cause(uint32_t answer, const struct weir_chain_rules *rules)
{
    uint32_t rule = answer >> WEIR_RULE_SHIFT;
    WEIR_ASSERT(rule < rules->count); /* a hook that decides a fate names a rule of its row */
    return rules->first_cause + rule;
}

/* Asks the features, then the memory limit, whether a packet may have memory. Features are asked even if the switch has
 * no memory left: some count what is refused. @return why it may not, by the first that refuses it; WEIR_CAUSE_NONE =
 * it may */
static inline uint32_t weir_chain_admits(const struct weir_chain *chain, const struct weir_admit *admit)
{
    for (uint32_t i = 0; i < chain->admit_count; i++) {
        uint32_t answer = chain->admit[i].call(&chain->admit[i].here, admit);
        if ((answer & WEIR_DROP) != 0)
            return weir_chain_cause(answer, &chain->admit[i].rules);
    }
    return admit->used_bytes + admit->bytes <= admit->memory_bytes ? WEIR_CAUSE_NONE : WEIR_CAUSE_MEMORY;
}

/* Calls the features when a packet joins. @return why it is to be marked, by the first that answers so; WEIR_CAUSE_NONE
 * = it is not */
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

struct weir_dequeued { /* why a packet is to be marked, and dropped; WEIR_CAUSE_NONE = it is not */
    uint32_t mark, drop;
};

/* Calls the features about the packet that is to leave next, until one drops it. */
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

/* Tests whether the port's gate may hold packets of this class back. The next three are only for such a class. */
static inline bool weir_chain_is_gated(const struct weir_chain *chain, uint32_t class_id)
{
    return (chain->gate.classes >> class_id & 1) != 0;
}

/* Asks the gate whether a packet may join. @return as weir_chain_admits() */
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

/* Notifies the gate that a packet starts. */
static inline void weir_chain_gate_passed(const struct weir_chain *chain, uint32_t bytes, uint64_t now_ps)
{
    chain->gate.gate->passed(&chain->gate.here, bytes, now_ps);
}

/* Calls the features when a packet has come by the in-link of the port's cable. @return enum weir_hook_answer of all */
static inline uint32_t weir_chain_arrive(const struct weir_chain *chain, const struct weir_pkt *pkt, uint64_t now_ps)
{
    uint32_t answer = 0;
    if ((chain->arrive_kinds >> pkt->kind & 1) == 0)
        return 0;
    for (uint32_t i = 0; i < chain->arrive_count; i++)
        answer |= chain->arrive[i].call(&chain->arrive[i].here, pkt, now_ps);
    return answer;
}

/* Calls on_forward for DATA that has come by the in-link of the port's cable; it leaves by forward->out_port. @return
 * why that is not the port of its route; WEIR_CAUSE_NONE = it is */
static inline uint32_t weir_chain_forward(const struct weir_chain *chain, struct weir_forward *forward)
{
    uint32_t answer = chain->forward.call(&chain->forward.here, forward);
    return (answer & WEIR_DEFLECT) == 0 ? WEIR_CAUSE_NONE : weir_chain_cause(answer, &chain->forward.rules);
}

/* Tests whether there is a feature that decides by which port this packet leaves. */
static inline bool weir_chain_forwards(const struct weir_chain *chain, const struct weir_pkt *pkt)
{
    return chain->forward.call != NULL && pkt->kind == WEIR_PKT_DATA;
}

/* Asks the features about a packet that is about to be marked. @return why it is not; WEIR_CAUSE_NONE = it is */
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

/* Asks when on_dequeue need not be called, of all features together; chain->dequeue_idles must be true. */
void weir_chain_dequeue_idle(const struct weir_chain *chain, uint32_t class_id, uint64_t now_ps,
                             struct weir_dequeue_idle *idle);

/* Calls the features for a packet that has joined, from number *i on, which begins at 0. @return true = *out is to be
 * sent, then call again; false = all were called */
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

/* Calls the features for a packet whose transmission has ended, as weir_chain_joined() does. */
static inline bool weir_chain_sent(const struct weir_chain *chain, uint32_t *i, const struct weir_departure *left,
                                   struct weir_chain_control *out)
{
    while (*i < chain->sent_count) {
        const struct weir_sent_hook *hook = &chain->sent[(*i)++];
        if (WEIR_LIKELY((hook->call(&hook->here, left, &out->frame) & WEIR_CONTROL) == 0))
            continue;
        out->feature = hook->feature;
        out->cause = WEIR_CAUSE_NONE; /* what leaves pauses nothing */
        return true;
    }
    return false;
}

/* Returns why a packet is lost, by the answer of weir_chain_start(); WEIR_CAUSE_NONE = it is not. */
static inline uint32_t weir_answer_cause(uint32_t answer)
{
    return answer >> WEIR_RULE_SHIFT;
}

/* Calls the features when a transmission starts. @return their answers together; in place of a rule is the cause by
 * which the packet is lost, of several the first: weir_answer_cause() */
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
