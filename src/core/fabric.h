/* src/core/fabric.h - a switch feature: the hooks that a port calls, the events they are given, and the row that describes the feature
 * to scenario files, help and results. A feature decides and writes; the world (engine or oracle) owns queues, order, time and
 * counting. doc/add-a-switch-feature.md builds one from nothing; the rules that every world obeys are in doc/model.md. */
#ifndef WEIR_CORE_FABRIC_H
#define WEIR_CORE_FABRIC_H
#include "core/cc.h"
#include "core/err.h"
#include "core/host_params.h"
#include "core/mem.h"
#include "core/param.h"
#include "core/pkt.h"

#define WEIR_FEATURES_MAX 16u                 /* rows of the registry */
#define WEIR_FEATURE_COUNTS_MAX 64u           /* counters of all features of a run */
#define WEIR_CLASSES_MAX WEIR_PKT_CLASSES_MAX /* priority classes of a port */
/* In-port of a packet that was made at this node, and of every packet where no feature of the run is coupled. */
#define WEIR_PORT_NONE UINT32_MAX

/* ---- events ---- */

enum weir_hook_answer {                      /* bits of what a hook returns; 0 = go on */
                        WEIR_MARK = 1u << 0, /* set CE, and count a mark at this port. Only for packets with ECT */
                        WEIR_DROP = 1u << 1, /* the packet is dropped; the features after this one are not asked */
                        WEIR_LOSE = 1u << 2, /* on_start: it takes its time on the wire and does not arrive */
};

/* A packet wants memory of the switch, which has it. A hook that admits must also admit with less used and less held: the engine
 * asks with upper bounds first. Used and held: without this packet; frames in transmission count whole. */
struct weir_admit {
    uint64_t memory_bytes; /* of the switch; UINT64_MAX = unlimited */
    uint64_t used_bytes;   /* of that, by the whole switch */
    uint64_t held_bytes;   /* of that, by this port */
    uint32_t bytes;        /* of this packet, on the wire */
    uint32_t in_port, class_id;
    bool lossless; /* of a class that is paused in place of being dropped */
};

/* A packet joins an egress port. Its queue: what is not yet on the wire, with the unsent part of a frame in transmission and without
 * this packet. */
struct weir_join {
    const struct weir_pkt *pkt;
    uint64_t now_ps, queue_bytes;
    uint64_t offered; /* packets that wanted to join here before, admitted or not: the counter of random draws */
    uint32_t in_port, class_id;
};

struct weir_dequeue { /* the port is free, and this packet is to leave next */
    struct weir_pkt *pkt;
    uint64_t now_ps, joined_ps;
    uint64_t queue_bytes; /* wire bytes that wait in its class, without this packet */
    uint32_t in_port, class_id;
};

struct weir_start {       /* the transmission of a packet starts */
    struct weir_pkt *pkt; /* a feature may write what it declares to write */
    uint64_t now_ps, joined_ps;
    uint64_t begun; /* transmissions that started here before: the counter of random draws */
    uint32_t in_port;
};

/* Where a hook is called: the feature's model, and its state of the switch and of the egress port. A host's NIC counts as a switch
 * with one port. */
struct weir_here {
    const void *model;
    void *node, *port; /* zeroed before port_init */
};

/* ---- what is known before a run ---- */

struct weir_fabric_port { /* an egress port and the in-link at the same end of its cable */
    uint64_t rate_bps, delay_ps;
    uint64_t in_rate_bps, in_delay_ps;
    uint64_t seed;  /* of the run */
    uint32_t link;  /* number of the directed link that the port feeds: names its random draws */
    uint32_t index; /* among the ports of its node */
    bool from_host, to_host;
    bool has_queue; /* false: a NIC that takes a packet from its host when it is free */
};

struct weir_fabric_env {          /* what a feature's set-up may look at */
    const struct weir_tok *where; /* the feature's section, for messages */
    bool said;                    /* the section, or one of its keys, is in the scenario or a preset */
    const char *protocol;         /* its name */
    uint32_t needs;               /* enum weir_need of the protocol */
    uint64_t host_link_bps;
    uint64_t memory_bytes; /* of a switch; UINT64_MAX = unlimited */
    uint32_t mtu_bytes;    /* a full packet on the wire, header and gap included */
    uint32_t classes;      /* priority classes of a port */
    uint32_t data_class;   /* of DATA: where it is below classes its own, else the last */
    bool data_apart;       /* in ports DATA never waits where other packets do */
    bool receiver_driven;  /* the protocol is */
    bool nics_pull;        /* hosts' NICs have no queue */
};

/* Where a feature acts, for those that let a scenario choose by a key `at`. */
enum weir_feature_at { WEIR_AT_SWITCHES, WEIR_AT_NICS, WEIR_AT_ALL };
#define WEIR_FEATURE_AT_WORDS                                                                                          \
    {                                                                                                                  \
        [WEIR_AT_SWITCHES] = "switches", [WEIR_AT_NICS] = "nics", [WEIR_AT_ALL] = "all", NULL                          \
    }

static inline bool weir_feature_acts(enum weir_feature_at at, const struct weir_fabric_port *port)
{
    return at == WEIR_AT_ALL || (at == WEIR_AT_NICS) == port->from_host;
}

struct weir_feature_plan { /* the answer of set-up, beside the model */
    bool on;
    uint32_t offers;         /* enum weir_need */
    bool weights_in_data;    /* DATA carries its flow's weight, rounded to 1 .. 255 */
    uint64_t qdelay_unit_ps; /* DATA carries queueing delays in this unit; 0 = none */
};

/* ---- the row ---- */

enum weir_feature_host_need { /* bits of weir_feature.host_needs */
                              WEIR_FEATURE_NEEDS_PULL =
                                  1u << 0, /* hosts send one packet at a time (host.nic_queue: pull) */
                              WEIR_FEATURE_NEEDS_SENDERS = 1u << 1, /* a sender-driven protocol */
};

enum weir_feature_when { /* the latest knowledge that the hooks need; the engine chooses its way by it */
                         WEIR_WHEN_JOIN, /* on_start may be called as soon as the start is known, on a FIFO port when the packet joins */
                         WEIR_WHEN_COUPLED, /* hooks read or write the state of other ports: everything happens at its own instant */
};

/* Keys of which a scenario gives one or the other: `key` in a file resets what a preset says of `instead_of`. */
struct weir_alternative {
    const char *key, *instead_of[2];
};

struct weir_feature_conflict { /* with another feature */
    const char *name, *why;    /* why: the middle of a sentence, "both would .." */
};

struct weir_feature_counter { /* summed over the ports of the network, and told by results */
    const char *name;         /* as in JSON: features.<feature>.<name> */
    const char *hint;         /* what is counted, with its unit */
    uint32_t offset;          /* of a uint64_t in the port's state */
};

struct weir_feature_count { /* what a run's result says of one of them */
    const char *feature, *name, *hint;
    uint64_t value;
};

struct weir_feature {
    const char *name;   /* as in the registry, messages and fabric.order */
    const char *title;  /* in sentences, "weighted round robin"; NULL = name */
    const char *hint;   /* one sentence */
    const char *source; /* paper or standard; NULL = none */
    /* keys */
    const char *section;      /* its keys are those of fabric.<section>; NULL = of fabric itself */
    const char *section_text; /* one sentence about the section */
    const char *short_key;    /* `fabric: {section: x}` is short for {section: {short_key: x}}; NULL = no short form */
    const char *list_key;     /* a key whose value may be written as a list, [1, 2]; NULL = none */
    const struct weir_param *params;             /* NULL = it has no keys of its own, see keys */
    const struct weir_alternative *alternatives; /* NULL, or ended by a NULL key */
    const struct weir_preset *examples;          /* how a scenario turns it on; ended by a NULL name */
    const char *keys;                            /* which keys turn it on, where there are no params here */
    uint32_t config_bytes, model_bytes;          /* of the struct that params fill; of what hooks are given */
    /* NULL, or: do its keys fit each other? Sizes said in BDP have no bytes yet. @return 0, or a code with err */
    int (*check)(const void *config, const struct weir_tok *where, struct weir_err *err);
    /* From keys to model. @return 0, or a code with err */
    int (*setup)(const void *config, const struct weir_fabric_env *env, void *model, struct weir_feature_plan *plan,
                 struct weir_err *err);
    uint32_t host_needs;                           /* enum weir_feature_host_need */
    const struct weir_feature_conflict *conflicts; /* NULL, or ended by a NULL name */
    /* state and hooks; NULL = does not care */
    enum weir_feature_when when;
    uint32_t port_bytes, node_bytes;
    /* @return false = this port goes without the feature */
    bool (*port_init)(const struct weir_here *here, const struct weir_fabric_port *port);
    /* What on_join does, as one number: packets with ECT that find a queue of at least so many bytes are marked, and nothing else happens.
     * UINT64_MAX = no packet is. @return false = it is more than that */
    bool (*join_threshold)(const struct weir_here *here, uint64_t *queue_bytes);
    uint32_t (*admit)(const struct weir_here *here, const struct weir_admit *admit);    /* DROP */
    uint32_t (*on_join)(const struct weir_here *here, const struct weir_join *join);    /* MARK */
    uint32_t (*on_dequeue)(const struct weir_here *here, struct weir_dequeue *dequeue); /* MARK, DROP */
    const struct weir_feature_counter *counters; /* NULL, or ended by a NULL name */
    /* Of a port whose DATA waits in queues that take turns: a packet's queue, by a number unique at the port; and how many packets
     * that queue may send in a turn that begins with this one. All packets but DATA go first. Both or neither, of one feature. */
    uint64_t (*queue_of)(const struct weir_here *here, const struct weir_pkt *pkt);
    uint32_t (*turn_pkts)(const struct weir_here *here, const struct weir_pkt *pkt);
    uint32_t (*on_start)(const struct weir_here *here, struct weir_start *start); /* LOSE */
};

struct weir_feature_on { /* a feature of a run */
    const struct weir_feature *row;
    const void *model;
};

struct weir_features { /* of a run, in the order in which their hooks are called */
    struct weir_feature_on on[WEIR_FEATURES_MAX];
    uint32_t count;
};
#endif
