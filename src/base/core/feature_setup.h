/* src/base/core/feature_setup.h - the set-up of a switch feature, before a run: what it may know of topology, hosts and
 * protocol, and what it answers besides its model. */
#ifndef WEIR_CORE_FEATURE_SETUP_H
#define WEIR_CORE_FEATURE_SETUP_H
#include "core/pkt.h"
#include "core/telemetry.h"
#include <stdbool.h>

struct weir_fabric_port { /* an egress port and the in-link at the same end of its cable */
    uint64_t rate_bps, delay_ps;
    uint64_t in_rate_bps, in_delay_ps;
    uint64_t seed;  /* of the run */
    uint32_t link;  /* number of the directed link that the port feeds: names its random draws */
    uint32_t index; /* among the ports of its node */
    bool from_host, to_host;
    bool goes_up;   /* it leads to a switch that is farther from hosts than the node is */
    bool has_queue; /* false: a NIC that takes a packet from its host when it is free */
};

struct weir_cable_event;
struct weir_fabric_env;
struct weir_tok;

struct weir_fabric_network { /* what set-up may ask of the topology; ctx is env->ctx */
    uint64_t (*link_rate_bps)(const struct weir_fabric_env *env, uint32_t link); /* link: below env->link_count */
    uint32_t (*ports)(const struct weir_fabric_env *env, uint32_t sw);
    void (*port)(const struct weir_fabric_env *env, uint32_t sw, uint32_t index, struct weir_fabric_port *out);
    void (*name)(const struct weir_fabric_env *env, uint32_t sw, char *out, size_t size);
    /* Returns the lower link of a cable, named by its two ends as in "leaf 0 - spine 1"; UINT32_MAX = there is none. */
    uint32_t (*cable)(const struct weir_fabric_env *env, const char *name);
};

struct weir_fabric_env {          /* what a feature's set-up may read */
    const struct weir_tok *where; /* the feature's section, or what turned it on, for messages; likewise .. */
    const struct weir_tok *where_topology, *where_protocol, *where_fabric;
    bool is_set;                          /* the section, or one of its keys, is in the scenario or a preset */
    const char *protocol;                 /* its name */
    uint32_t needs;                       /* enum weir_need of the protocol */
    struct weir_telemetry_read telemetry; /* that the protocol reads */
    uint64_t host_link_bps;
    uint64_t base_rtt_ps;   /* of the longest path */
    uint64_t memory_bytes;  /* of a switch; UINT64_MAX = unlimited */
    uint32_t mtu_bytes;     /* a full packet on the wire, header and gap included */
    uint32_t ack_bytes;     /* an acknowledgement, likewise */
    uint32_t classes;       /* priority classes of a port */
    uint32_t data_class;    /* of DATA: where it is below classes its own, else the last; with lanes its first */
    uint32_t ack_class;     /* of acknowledgements, likewise */
    uint32_t lanes;         /* virtual lanes of DATA: so many classes from data_class on, the last ones; 0 = none */
    bool data_apart;        /* in ports DATA never waits where other packets do */
    bool receiver_driven;   /* the protocol is */
    bool has_ecn;           /* DATA has ECT, and its sender obeys ECE */
    uint64_t mark_bytes;    /* least queue from which on a row before marks; UINT64_MAX = none */
    bool nics_pull;         /* hosts' NICs have no queue */
    bool routes_spray;      /* packets of a flow take different paths */
    bool routes_symmetric;  /* ACKs come back the way their DATA went */
    bool routes_shortest;   /* every port that a packet may take leads closer */
    uint32_t path_switches; /* on the longest path */
    uint32_t link_count, switch_count;
    const struct weir_fabric_network *network;
    const void *ctx;
};

/* Tests whether there is only one path between any two switches. */
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

/* The ports at which a feature acts, for those that let a scenario choose by a key `at`. */
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

struct weir_feature_plan { /* the answer of set-up, besides the model */
    bool on;
    bool marks_by_queue; /* it marks .. */
    uint64_t mark_bytes; /* .. from this queue on, at ports of the host link's rate */
    uint32_t tokens;     /* of DATA of messages of up to token_bytes; 0 .. WEIR_PKT_TOKENS_MAX */
    uint64_t token_bytes;
    uint32_t offers;                          /* enum weir_need */
    bool weights_in_data;                     /* DATA carries its flow's weight, rounded to 1 .. 255 */
    uint64_t qdelay_unit_ps;                  /* DATA carries queueing delays in this unit; 0 = none. Of stamps: 1 */
    uint64_t rtt_unit_ps;                     /* DATA carries its sender's round trip in this unit; 0 = none */
    uint32_t records_max;                     /* telemetry records that a packet carries at most; 0 = none */
    const struct weir_telemetry_rates *rates; /* with records: of their ports, by number; lent, for hosts too */
    bool skips_joined;                        /* on_joined and on_dropped have nothing to do in this run */
    /* on_start may be called after its instant: it never answers LOSE, and reads nothing but its packet and its own
     * port, and for packets of other_port_kinds (WEIR_PKT_KIND_BIT) in_port too. Both are then as they were at the
     * instant. */
    bool late_start;
    uint32_t other_port_kinds;
    bool coupled;          /* as WEIR_WHEN_COUPLED, because that is cheaper in this run; only with nics_pull */
    uint64_t period_ps;    /* of on_timer, at 1, 2, .. times this; with on_timer never 0 */
    uint64_t memory_bytes; /* of a switch, where the scenario leaves it open; 0 = no opinion */
    size_t node_bytes;     /* of the state of a switch, where its size depends on keys; 0 = as the row has it */
    const char *warning;   /* a sentence for the user, and the run goes on; NULL = none */
    uint8_t lossless; /* bit c: packets of class c are not dropped for lack of memory, but what sends them is paused */
    uint32_t lanes;   /* parts of a port, as its paused classes, whose times counters add up; 0 = 1 */
    uint32_t classes; /* of ports; 0 = no opinion */
    uint32_t aged_classes; /* the last so many of them are virtual lanes of DATA, served by age and not by priority */
    const struct weir_cable_event *event; /* by time; event_count of them, lent */
    uint32_t event_count;
    uint64_t reroute_delay_ps; /* from an event until routes follow it */
};
#endif
