/* src/base/core/feature_setup.h - the set-up of a switch feature, before a run: the facts about topology, hosts and
 * protocol that it may read, and the plan that it returns besides its model. */
#ifndef WEIR_CORE_FEATURE_SETUP_H
#define WEIR_CORE_FEATURE_SETUP_H
#include "core/need.h"
#include "core/pkt.h"
#include "core/telemetry.h"
#include <stdbool.h>

struct weir_fabric_port { /* an egress port and the in-link at the same end of its cable */
    uint64_t rate_bps, delay_ps;
    uint64_t in_rate_bps, in_delay_ps;
    uint64_t seed;     /* of the run */
    uint32_t node;     /* number of the port's node in the network */
    uint32_t link;     /* number of the link that the port feeds; it selects the stream of random numbers */
    uint32_t index;    /* of the port, within its node */
    uint32_t cable;    /* the lower link of its cable */
    uint32_t loss_ppb; /* probability that its link loses a packet, as a file of the network says */
    bool from_host, to_host;
    bool goes_up;   /* the link leads to a switch of a higher tier */
    bool has_queue; /* false = a pull NIC */
};

struct weir_cable_event;
struct weir_loss_step;
struct weir_late;
struct weir_failure;
struct weir_rate_step;
struct weir_restart;
struct weir_fabric_env;
struct weir_tok;

struct weir_fabric_network { /* queries about the topology for set-up; the functions use env->ctx */
    uint64_t (*link_rate_bps)(const struct weir_fabric_env *env, uint32_t link); /* link: below env->link_count */
    /* Returns the rate for which a cable was built, of its two directions the faster. link: one of its two links */
    uint64_t (*cable_rate_bps)(const struct weir_fabric_env *env, uint32_t link);
    uint32_t (*ports)(const struct weir_fabric_env *env, uint32_t sw);
    void (*port)(const struct weir_fabric_env *env, uint32_t sw, uint32_t index, struct weir_fabric_port *out);
    void (*name)(const struct weir_fabric_env *env, uint32_t sw, char *out, size_t size);
    /* Returns the lower link number of a cable, which is named by its two ends as in "leaf 0 - spine 1"; UINT32_MAX =
     * no such cable. */
    uint32_t (*cable)(const struct weir_fabric_env *env, const char *name);
    /* Returns the node with a name as "leaf 0" or "host 3"; UINT32_MAX = no such node. */
    uint32_t (*node)(const struct weir_fabric_env *env, const char *name);
    bool (*is_host)(const struct weir_fabric_env *env, uint32_t node);
    /* The cables of a node: how many, and cable i, as the lower of its two links. */
    uint32_t (*cables)(const struct weir_fabric_env *env, uint32_t node);
    uint32_t (*node_cable)(const struct weir_fabric_env *env, uint32_t node, uint32_t i);
    /* Writes up to `max` switches at some locations, as in fabric.switches, to node. @return how many there are;
     * UINT32_MAX = a location is none of switches */
    uint32_t (*switches_at)(const struct weir_fabric_env *env, const char *at, uint32_t *node, uint32_t max);
    void (*ends)(const struct weir_fabric_env *env, uint32_t link, uint32_t node[2]); /* the two nodes of a cable */
};

struct weir_fabric_law { /* one law of a run */
    const char *protocol;
    uint32_t needs; /* enum weir_need */
    struct weir_telemetry_read telemetry;
    struct weir_delay_read delays;
    uint32_t mtu_bytes; /* a full packet on the wire */
    uint32_t data_class, ack_class;
    bool receiver_driven;
};

struct weir_fabric_env { /* the facts that the set-up of a feature may read */
    /* Positions in the scenario, for messages. where: the feature's section, or the section protocol if that turned the
     * feature on. The others: the sections topology, protocol and fabric */
    const struct weir_tok *where;
    const struct weir_tok *where_topology, *where_protocol, *where_fabric;
    bool is_set; /* the scenario or a preset has the section, or one of its keys */
    /* Laws of the run. law: law_count of them; a test of one law may leave law_count 0. Fields below that speak of the
     * protocol are of law 0, unless they say otherwise. */
    struct weir_fabric_law law[WEIR_LAWS_MAX];
    uint32_t law_count;
    const char *protocol; /* name of the protocol; of several laws all names, as "dctcp and cubic" */
    uint32_t needs;       /* enum weir_need of the protocol; of several laws all their needs */
    struct weir_telemetry_read
        telemetry; /* records that the protocol reads; of several laws, the first that reads any */
    uint64_t host_link_bps;
    uint64_t base_rtt_ps;  /* round trip on the longest path */
    uint64_t memory_bytes; /* memory of a switch; UINT64_MAX = unlimited */
    uint32_t mtu_bytes;    /* a full packet on the wire, headers and gap included; the largest of all laws */
    uint32_t ack_bytes;    /* an ACK on the wire, headers and gap included; the largest of all laws */
    uint32_t classes;      /* priority classes of a port */
    /* class_id of DATA. If it is classes or more, DATA uses the last class. With virtual lanes: class of the first
     * lane */
    uint32_t data_class;
    uint32_t ack_class;     /* class_id of ACKs; if it is classes or more, ACKs use the last class */
    uint32_t lanes;         /* number of virtual lanes of DATA: the last classes, from data_class on; 0 = none */
    bool data_apart;        /* DATA never shares a queue with other packets */
    bool receiver_driven;   /* all laws are receiver-driven */
    bool has_ecn;           /* DATA has ECT, and senders react to ECE, of some law */
    uint64_t mark_bytes;    /* least marking threshold of the features set up before; UINT64_MAX = none */
    bool nics_pull;         /* hosts have pull NICs */
    bool routes_spray;      /* packets of a flow take different paths */
    bool routes_symmetric;  /* an ACK takes the path of its DATA in reverse */
    bool nics_spread;       /* packets of a message, and their ACKs, leave by different NICs of a host */
    bool links_lose;        /* some link has a loss_ppb above 0 */
    bool routes_shortest;   /* every hop of a route leads closer to the destination */
    uint32_t path_switches; /* switches on the longest path */
    uint32_t link_count, switch_count;
    const struct weir_loss_step *loss; /* loss_count changes of the loss of cables, ordered by time; lent for the run */
    uint32_t loss_count;
    const struct weir_late *late; /* late_count items that say by how much frames may be late; lent for the run */
    uint32_t late_count;
    const struct weir_failure *failure; /* failure_count failures that a random process made; lent for the run */
    uint32_t failure_count;
    const struct weir_tok *where_failures; /* with failure_count: the section of the process */
    uint64_t seed;                         /* of the run */
    uint64_t end_ps;                       /* planned end of the run; UINT64_MAX = it has none */
    const struct weir_fabric_network *network;
    const void *ctx;
};

/* Returns the laws that have any of these needs: bit k for law k. */
static inline uint32_t weir_fabric_laws_with(const struct weir_fabric_env *env, uint32_t needs)
{
    uint32_t laws = 0;
    for (uint32_t k = 0; k < env->law_count; k++)
        laws |= (uint32_t)((env->law[k].needs & needs) != 0) << k;
    return laws;
}

/* Returns the first law that reads queueing delays, of virtual queues (phantom) or of real ones; NULL = none does. */
static inline const struct weir_fabric_law *weir_fabric_reads_delays(const struct weir_fabric_env *env, bool phantom)
{
    WEIR_ASSERT(env->law_count <= WEIR_LAWS_MAX);
    for (uint32_t k = 0; k < env->law_count; k++)
        if ((env->law[k].needs & WEIR_NEED_QDELAY) != 0 && env->law[k].delays.phantom == phantom)
            return &env->law[k];
    return NULL;
}

#define WEIR_LAWS_ALL ((1u << WEIR_LAWS_MAX) - 1)

/* Returns the laws into whose packets a feature with an extension writes: those with any of these needs, and all if
 * none has. A packet of another law keeps its own fields where the extension would be. */
static inline uint8_t weir_fabric_owners(const struct weir_fabric_env *env, uint32_t needs)
{
    uint32_t laws = weir_fabric_laws_with(env, needs);
    return (uint8_t)(env->law_count > 1 && laws != 0 ? laws : WEIR_LAWS_ALL);
}

/* Returns the laws whose packets such a feature leaves alone: those that are not weir_fabric_owners(). */
static inline uint8_t weir_fabric_foreign(const struct weir_fabric_env *env, uint32_t needs)
{
    return (uint8_t)(WEIR_LAWS_ALL & ~(uint32_t)weir_fabric_owners(env, needs));
}

/* Tests whether the switches form a tree: one path between any two of them. The network must be connected: then the
 * test only counts cables between switches. */
static inline bool weir_fabric_is_tree(const struct weir_fabric_env *env)
{
    uint64_t ends = 0;
    for (uint32_t sw = 0; sw < env->switch_count; sw++) {
        for (uint32_t p = 0; p < env->network->ports(env, sw); p++) {
            struct weir_fabric_port port;
            env->network->port(env, sw, p, &port);
            ends += !port.to_host;
        }
    }
    return ends == 2 * ((uint64_t)env->switch_count - 1);
}

/* Tests whether an ACK takes the path of its DATA in reverse: by the routes, or since there is no other way. */
static inline bool weir_fabric_returns(const struct weir_fabric_env *env)
{
    return !env->nics_spread && (env->routes_symmetric || weir_fabric_is_tree(env));
}

/* Returns the hint for a feature that packets on different paths would mislead: `routing`, unless hosts spread them. */
static inline const char *weir_fabric_path_hint(const struct weir_fabric_env *env, const char *routing)
{
    return env->nics_spread ? "set host.nics: flow-hash" : routing;
}

/* The ports at which a feature acts, for features with a key `at`. */
enum weir_feature_at { WEIR_AT_SWITCHES, WEIR_AT_NICS, WEIR_AT_ALL };
#define WEIR_FEATURE_AT_WORDS                                                                                          \
    {                                                                                                                  \
        [WEIR_AT_SWITCHES] = "switches", [WEIR_AT_NICS] = "nics", [WEIR_AT_ALL] = "all", NULL                          \
    }

/* Tests whether a feature acts at a port. */
static inline bool weir_feature_acts(enum weir_feature_at at, const struct weir_fabric_port *port)
{
    return at == WEIR_AT_ALL || (at == WEIR_AT_NICS) == port->from_host;
}

struct weir_feature_plan { /* the result of set-up, besides the model */
    bool on;
    bool marks_by_queue; /* the feature marks DATA by queue length */
    uint64_t mark_bytes; /* with marks_by_queue: its threshold at ports of the host link's rate */
    uint32_t tokens;     /* tokens in DATA of messages of up to token_bytes; 0 .. WEIR_PKT_TOKENS_MAX */
    uint64_t token_bytes;
    uint32_t offers; /* needs of protocols that the feature meets: enum weir_need */
    uint8_t laws; /* laws into whose packets the extension is written, bit k for law k; 0 = all: weir_fabric_owners() */
    bool weights_in_data;                     /* DATA carries its flow's weight, rounded to 1 .. 255 */
    bool qdelay_is_phantom;                   /* these delays are of virtual queues */
    uint64_t qdelay_unit_ps;                  /* DATA carries queueing delays in this unit; 0 = none. 1 if it carries
                                                 stamps of RCP */
    uint64_t rtt_unit_ps;                     /* DATA carries the sender's round trip in this unit; 0 = none */
    uint32_t records_max;                     /* most telemetry records in a packet; 0 = none */
    const struct weir_telemetry_rates *rates; /* with records: the table of link rates by rate_id; lent for the run,
                                                 to hosts too */
    bool skips_joined;                        /* on_joined and on_dropped need not be called in this run */
    /* on_start may be called later than at its instant. Such a hook never answers LOSE, and reads only the packet and
     * its own port; for packets of other_port_kinds (WEIR_PKT_KIND_BIT) also the port in_port. The packet and these
     * ports must not have changed since the instant. */
    bool late_start;
    uint32_t other_port_kinds;
    bool coupled;          /* treat the row as WEIR_WHEN_COUPLED, because that is faster in this run; only with
                              nics_pull */
    uint64_t period_ps;    /* on_timer is called at 1, 2, .. times this; above 0 if there is an on_timer */
    uint64_t memory_bytes; /* memory of a switch, if the scenario does not set it; 0 = no proposal */
    size_t node_bytes;     /* size of a switch's state, if it depends on keys; 0 = weir_feature.node_bytes */
    const char *warning;   /* a sentence that the user sees; the run goes on. NULL = none */
    /* bit c: class c is lossless: its senders are paused instead of dropping packets for lack of memory */
    uint8_t lossless;
    uint32_t lanes;   /* parts of a port, as its classes, whose times are summed in a counter; 0 means 1 */
    uint32_t classes; /* priority classes of ports; 0 = no proposal */
    /* number of last classes that are virtual lanes of DATA, served by age and not by priority */
    uint32_t aged_classes;
    /* A packet of the upper of two virtual lanes leaves in the lower one if its own is closed: on_escape. Not if it
     * stays (weir_pkt.stays) */
    bool escapes;
    const struct weir_cable_event *event; /* event_count cable events, ordered by time; lent for the run */
    uint32_t event_count;
    uint32_t cuttable;                  /* enum weir_cuttable: more events may come while the run goes on */
    uint64_t reroute_delay_ps;          /* from a cable event until routes change */
    const struct weir_restart *restart; /* restart_count restarts of hosts, ordered by time; lent for the run */
    uint32_t restart_count;
    const struct weir_loss_step *loss; /* loss_count changes for `loss`, ordered by time; lent for the run */
    uint32_t loss_count;
    const struct weir_late *late; /* late_count items for the headroom of `pfc`; lent for the run */
    uint32_t late_count;
    const struct weir_failure *failure; /* failure_count failures for `cable-events`; lent for the run */
    uint32_t failure_count;
    const struct weir_rate_step *rate; /* rate_count changes of the rate of cables, ordered by time; lent for the run */
    uint32_t rate_count;
};
#endif
