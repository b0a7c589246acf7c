/* src/switch/chain.h - the features of a run as lists of hooks, one list per event and port. Made once before the run, so that a packet
 * calls only what cares for its event. Engine and oracle call the same hooks through it and share nothing else. */
#ifndef WEIR_SWITCH_CHAIN_H
#define WEIR_SWITCH_CHAIN_H
#include "core/fabric.h"

struct weir_admit_hook {
    uint32_t (*call)(const struct weir_here *here, const struct weir_admit *admit);
    struct weir_here here;
};
struct weir_join_hook {
    uint32_t (*call)(const struct weir_here *here, const struct weir_join *join);
    struct weir_here here;
};
struct weir_dequeue_hook {
    uint32_t (*call)(const struct weir_here *here, struct weir_dequeue *dequeue);
    struct weir_here here;
};
struct weir_start_hook {
    uint32_t (*call)(const struct weir_here *here, struct weir_start *start);
    struct weir_here here;
};

struct weir_turn_hook {
    uint64_t (*queue_of)(const struct weir_here *here, const struct weir_pkt *pkt);
    uint32_t (*turn_pkts)(const struct weir_here *here, const struct weir_pkt *pkt);
    struct weir_here here;
};

struct weir_chain_state { /* of one feature at this port */
    const struct weir_feature *row;
    const void *port;
};

struct weir_chain { /* of one egress port */
    struct weir_admit_hook *admit;
    struct weir_join_hook *join;
    struct weir_dequeue_hook *dequeue;
    struct weir_start_hook *start;
    struct weir_turn_hook turn; /* queue_of NULL = the port has none */
    struct weir_chain_state *state;
    uint32_t admit_count, join_count, dequeue_count, start_count, state_count;
    bool is_threshold;        /* all that on_join hooks do is to mark by the next line */
    uint64_t threshold_bytes; /* UINT64_MAX = no packet is marked */
};

/**
 * The chains of a node's ports, where they are thresholds and nothing else: takes no memory.
 * @param chain  one per port; filled if true is returned
 * @return false = some port has hooks that must be called: weir_chains_init()
 */
bool weir_chains_of_thresholds(struct weir_chain *chain, const struct weir_features *features,
                               const struct weir_fabric_port *port, uint32_t ports);

/* The chains of a node's ports, with the features' state of node and ports. @return false = no memory */
bool weir_chains_init(struct weir_chain *chain, const struct weir_features *features,
                      const struct weir_fabric_port *port, uint32_t ports, const struct weir_mem *mem);

/**
 * The counters of all features of a run, all 0.
 * @param count  WEIR_FEATURE_COUNTS_MAX
 * @return how many there are
 */
uint32_t weir_features_counts(const struct weir_features *features, struct weir_feature_count *count);

/* Adds what one port counted. count: of weir_features_counts() */
void weir_chain_add_counts(const struct weir_chain *chain, struct weir_feature_count *count, uint32_t counts);

/* May the packet have memory? What the switch has not got is nobody's to give. */
static inline bool weir_chain_admits(const struct weir_chain *chain, const struct weir_admit *admit)
{
    if (admit->used_bytes + admit->bytes > admit->memory_bytes)
        return false;
    for (uint32_t i = 0; i < chain->admit_count; i++)
        if ((chain->admit[i].call(&chain->admit[i].here, admit) & WEIR_DROP) != 0)
            return false;
    return true;
}

/* Each asks the features in order. @return enum weir_hook_answer of all of them */
static inline uint32_t weir_chain_join(const struct weir_chain *chain, const struct weir_join *join)
{
    uint32_t answer = 0;
    for (uint32_t i = 0; i < chain->join_count; i++)
        answer |= chain->join[i].call(&chain->join[i].here, join);
    return answer;
}

static inline uint32_t weir_chain_dequeue(const struct weir_chain *chain, struct weir_dequeue *dequeue)
{
    uint32_t answer = 0;
    for (uint32_t i = 0; i < chain->dequeue_count && (answer & WEIR_DROP) == 0; i++)
        answer |= chain->dequeue[i].call(&chain->dequeue[i].here, dequeue);
    return answer;
}

static inline uint32_t weir_chain_start(const struct weir_chain *chain, struct weir_start *start)
{
    uint32_t answer = 0;
    for (uint32_t i = 0; i < chain->start_count; i++)
        answer |= chain->start[i].call(&chain->start[i].here, start);
    return answer;
}
#endif
