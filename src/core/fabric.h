/* src/core/fabric.h - a switch feature: the hooks that a port calls, the events that they receive, and the row that
 * describes the feature to scenario files, help and results. A feature decides and writes; the world (engine or oracle)
 * owns queues, order, time and counting. doc/add-a-switch-feature.md builds one step by step; the rules that every
 * world obeys are in doc/model.md. */
#ifndef WEIR_CORE_FABRIC_H
#define WEIR_CORE_FABRIC_H
#include "core/cc.h"
#include "core/err.h"
#include "core/extension.h"
#include "core/param.h"
#include "core/pkt.h"
#include "core/rule.h"
#include "core/telemetry.h"

#define WEIR_CLASSES_MAX WEIR_PKT_CLASSES_MAX /* priority classes of a port */
/* In-port of a packet that was made at this node, and of every packet where no feature of the run is coupled. */
#define WEIR_PORT_NONE UINT32_MAX
#define WEIR_CONTROL_BYTES 84u /* of a control frame on the wire, gap included: the shortest Ethernet frame */

/* ---- events ---- */

/* Bits of what a hook returns; 0 = go on. MARK, DROP, LOSE, TAKE, DEFLECT and PAUSE name the rule by which they do,
 * with WEIR_RULE(): its index in the row's rules. */
/* clang-format off */
enum weir_hook_answer {
    WEIR_MARK = 1u << 0,    /* set CE, and count a mark at this port. Only for packets with ECT */
    WEIR_DROP = 1u << 1,    /* the packet is dropped; the hooks of later features are not called */
    WEIR_LOSE = 1u << 2,    /* on_start: it takes its time on the wire and does not arrive */
    WEIR_RECORD = 1u << 3,  /* on_start: a record was written to event->record */
    WEIR_CONTROL = 1u << 4, /* on_joined, on_sent, on_dropped: *control is to be sent */
    WEIR_NOTIFY = 1u << 5,  /* on_timer: each flow with DATA in a class of this port is sent a NOTICE */
    WEIR_ECHO = 1u << 6,    /* on_arrive: set ECE in this ACK */
    WEIR_TAKE = 1u << 7,    /* on_mark: the packet goes without CE, and no mark is counted */
    WEIR_DEFLECT = 1u << 8, /* on_forward: the packet leaves by forward->out_port, which is another one now */
    WEIR_PAUSE = 1u << 9,   /* with CONTROL: the frame pauses a class */
};
/* clang-format on */

/* A packet needs memory of the switch. If the switch has not enough, it is refused in any case, after the hooks
 * were called. A hook that admits must also admit with less used and less held: the engine calls with upper bounds
 * first. So only hooks of coupled ports may count what they refuse. Used and held are without this packet; frames
 * in transmission count whole. */
struct weir_admit {
    uint64_t memory_bytes; /* of the switch; UINT64_MAX = unlimited */
    uint64_t used_bytes;   /* of that, by the whole switch */
    uint64_t held_bytes;   /* of that, by this port */
    uint32_t bytes;        /* of this packet, on the wire */
    uint32_t in_port;
    uint32_t in_class; /* the class in which it came by its link: with virtual lanes it may leave in a lower one */
    bool lossless; /* of a class of weir_feature_plan.lossless, and it came by a link: limits of ports are not for it */
};

/* A packet of DATA that came by a link, and the port by which its route leads on. */
struct weir_forward {
    struct weir_pkt *pkt; /* a feature may write what it declares to write */
    uint64_t now_ps;
    uint64_t queue_bytes; /* of out_port, as on_join */
    uint32_t in_port;
    uint32_t out_port; /* that of its route; a hook that answers DEFLECT writes another one */
    /* Links that the packet takes from here on if it leaves by this port and is not deflected again. ctx: that of the
     * event */
    uint32_t (*links)(const struct weir_forward *forward, uint32_t port);
    const void *ctx;
};

/* A packet joins an egress port. Its queue: what is not yet on the wire, with the unsent part of a frame in
 * transmission and without this packet. */
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

/* The work that on_dequeue has with packets of one class from now on, if they leave in the order in which they came. */
struct weir_dequeue_idle {
    uint64_t wait_ps;  /* a packet that waited less is neither marked nor dropped; always the same */
    uint64_t until_ps; /* such packets change nothing if they start up to then; 0 = they may */
    uint64_t event_ps; /* no packet that starts before is marked or dropped */
};

struct weir_start { /* the transmission of a packet starts */
    /* A feature may write what it declares to write. sent48_ps is not to be read: a packet with records has their
     * address there. */
    struct weir_pkt *pkt;
    uint64_t now_ps, joined_ps;
    uint64_t tx_ps; /* the transmission takes so long */
    uint64_t begun; /* transmissions that started here before: the counter of random draws */
    uint32_t in_port;
    struct weir_telemetry
        *record; /* for one more record behind those the packet carries; NULL = it may carry no more */
};

/* ---- events of ports that are coupled (WEIR_WHEN_COUPLED) ---- */

struct weir_mark { /* a hook of this port has answered MARK, and the packet has ECT: it is about to be marked */
    const struct weir_pkt *pkt;
    uint64_t now_ps;
};

/* A frame for the same feature at the other end of a cable. It is sent before all packets; doc/model.md [control]. */
struct weir_control {
    uint32_t port; /* which port of this node sends it */
    uint8_t class_id, code;
};

/* Returns the time of a control frame on the wire, rounded down; the link's carry has no part in it. */
static inline uint64_t weir_control_frame_ps(uint64_t rate_bps)
{
    return UINT64_C(8) * WEIR_CONTROL_BYTES * WEIR_PS_PER_S / rate_bps; /* 6.8e14 fits */
}

struct weir_joined { /* a packet was admitted and has joined the port */
    const struct weir_pkt *pkt;
    uint64_t now_ps;
    uint32_t in_port, in_class; /* in_class: as in struct weir_admit */
};

struct weir_departure { /* its transmission has ended, or an on_dequeue has dropped it: its memory is free */
    uint64_t now_ps;
    uint32_t bytes;             /* on the wire */
    uint32_t in_port, in_class; /* in_class: as in struct weir_admit */
};

/* The bytes that a switch holds, waiting or in transmission, by in-link and class. ports: in-links; packets that the
 * switch made itself are of none of them */
struct weir_held {
    const uint64_t *bytes; /* [in_port * classes + in_class] */
    uint64_t sum_bytes;    /* of all packets, with those that the switch made itself */
    uint32_t ports, classes;
};

/* A multiple of weir_feature_plan.period_ps. What the hook does may depend on its state and on these alone, and it
 * touches no counter. Of a port where nothing is, steps may be left out at the end of a run. A row with on_timer
 * has no on_cut. */
struct weir_timer {
    uint64_t queue_bytes;   /* as on_join */
    uint64_t waiting_bytes; /* of packets that wait, whole; for rows with on_start */
};

/* The context in which a hook is called: the feature's model, and its state of the switch and of the egress port. A
 * host's NIC counts as a switch with one port. */
struct weir_here {
    const void *model;
    void *node, *port; /* zeroed before port_init */
    void *ports;       /* of the node: weir_port_state() */
    /* Coupled: by port of the switch, of packets that wait there, whatever their class; for on_joined, on_sent,
     * on_dropped and on_start. NULL at a host */
    const uint64_t *waiting_bytes;
};

/* Returns the distance in bytes from the state of one port to that of the next. */
static inline size_t weir_port_stride(size_t port_bytes)
{
    return (port_bytes + 15) & ~(size_t)15;
}

/* Returns a coupled feature's state of another port of the same node. port_bytes: as in its row */
static inline void *weir_port_state(const struct weir_here *here, uint32_t index, size_t port_bytes)
{
    return (char *)here->ports + index * weir_port_stride(port_bytes);
}

/* ---- packets that a port holds back ---- */

/* A gate lets packets of some classes start no earlier than it decides, whether the wire is free or not. They wait in
 * the queue of their class. One feature of a run has one; no feature of that run is coupled. */
struct weir_gate {
    /* Returns the gated classes: bit c is class c. Called once; the other functions are called for these classes
     * alone. */
    uint32_t (*classes)(const struct weir_here *here);
    /* Decides about a packet that joins. waiting_bytes: of packets that wait in its class, whole, without this one.
     * DROP */
    uint32_t (*admits)(const struct weir_here *here, uint64_t waiting_bytes, uint32_t bytes);
    /* Returns the earliest instant at which a packet may start. It stays the same until the next passed(). */
    uint64_t (*opens_ps)(const struct weir_here *here, uint32_t bytes);
    void (*passed)(const struct weir_here *here, uint32_t bytes, uint64_t now_ps); /* a packet starts */
};

/* ---- what is known before a run ---- */

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

struct weir_cable_event { /* a cable, both directions, goes down or comes up */
    uint64_t at_ps;
    uint32_t link; /* either direction */
    bool up;
};

struct weir_fabric_env; /* see below */

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

/* Returns the class_ids that a host may not send when these classes of its port are closed: a port puts all higher ones
 * into its last class. classes: 1 .. 8 */
static inline uint32_t weir_closed_at_host(uint32_t closed, uint32_t classes)
{
    uint32_t last = (classes - 1) & 31;
    return (closed >> last & 1) != 0 ? closed | ~UINT32_C(0) << last : closed;
}

/* ---- the row ---- */

/* Bits of weir_feature.host_needs. */
enum weir_feature_host_need {
    WEIR_FEATURE_NEEDS_SENDERS = 1u << 0, /* a sender-driven protocol */
};

/* The latest knowledge that hooks need; the engine chooses by it how it serves ports. */
enum weir_feature_when {
    /* on_start may be called as soon as the start is known, on a FIFO port when the packet joins */
    WEIR_WHEN_JOIN,
    /* Hooks read or write the state of other ports: everything happens at its own instant, and hosts send one packet at
     * a time (host.nic_queue: pull). */
    WEIR_WHEN_COUPLED,
};

/* Keys of which a scenario gives one or the other: `key` in a file resets a preset's value of `instead_of`. */
struct weir_alternative {
    const char *key, *instead_of[2];
};

/* A key of a row whose value is a list of maps, as `fabric.events`. */
struct weir_feature_list {
    const char *key, *text;          /* text: one sentence */
    const char *example;             /* an item */
    const struct weir_param *params; /* of an item */
    const char *const *required;     /* keys of an item; ended by NULL */
    uint32_t max;                    /* items */
    uint32_t bytes, offset;          /* of an item; of the first in the row's config */
    uint32_t where_offset;           /* in an item, of a struct weir_tok: where it is in the file */
    uint32_t count_offset;           /* in the config, of a uint32_t */
};

struct weir_feature_conflict { /* with another feature, or the need for one */
    const char *name, *why;    /* why: the end of a sentence, "both would .." */
};

enum weir_count_how {
    WEIR_COUNT_SUM,     /* over the ports of the network */
    WEIR_COUNT_SUM_PS,  /* likewise, of times: a share of the run is reported, too */
    WEIR_COUNT_MOST_PS, /* the longest of times */
    WEIR_COUNT_RATIO,   /* a sum, by which that of the counter before it is divided */
};

/* The port that is named with a counter which is not 0: of several the one with the lowest link. */
enum weir_count_where {
    WEIR_COUNT_NOWHERE,
    WEIR_COUNT_AT_PORT,    /* of MOST the one that has it, else one that counted */
    WEIR_COUNT_AT_IN_LINK, /* the in-link of the same cable */
};

struct weir_feature_counter { /* reported by results */
    const char *name;         /* as in JSON: features.<feature>.<name> */
    const char *hint;         /* in the table, behind a number "dropped", before a time "paused"; NULL = not there */
    uint32_t offset;          /* of a uint64_t in the port's state */
    enum weir_count_how how;
    enum weir_count_where where;
};

/* A row of counters: a number, summed over ports. */
#define WEIR_COUNTER(type, field, key, text)                                                                           \
    {                                                                                                                  \
        .name = (key), .hint = (text), .offset = (uint32_t)offsetof(type, field)                                       \
    }

struct weir_feature_count { /* an entry of a run's result about one of them */
    const char *feature;
    const struct weir_feature_counter *counter;
    uint64_t value;
    uint64_t lanes;    /* parts of ports that times were added up over */
    uint32_t per_port; /* of them */
    uint32_t link;     /* UINT32_MAX = none */
};

struct weir_feature {
    const char *name;   /* as in the registry, messages and fabric.order */
    const char *title;  /* in sentences, "weighted round robin"; NULL = name */
    const char *hint;   /* one sentence */
    const char *source; /* paper or standard; NULL = none */
    /* keys */
    const char *section;      /* its keys are those of fabric.<section>; NULL = of fabric itself */
    const char *section_text; /* one sentence about the section */
    bool section_enables;     /* the feature is on if a scenario or preset has the section; else by its keys */
    const char *short_key;    /* `fabric: {section: x}` is short for {section: {short_key: x}}; NULL = no short form */
    const char *list_key;     /* a key whose value may be written as a list, [1, 2]; NULL = none */
    const struct weir_param *params;             /* NULL = it has no keys but those of a list */
    const struct weir_feature_list *list;        /* NULL = none */
    const struct weir_alternative *alternatives; /* NULL, or ended by a NULL key */
    const struct weir_preset *examples;          /* how a scenario enables it; ended by a NULL name */
    uint32_t config_bytes, model_bytes;          /* of the struct that params fill; of what hooks are given */
    /* It decides how packets wait (queue_of, plan->classes): it is set up before the others, which depend on that. */
    bool shapes_ports;
    /* Checks whether its keys fit each other. Sizes given in BDP have no bytes yet. NULL = they do. @return 0, or a
     * code with err */
    int (*check)(const void *config, const struct weir_tok *where, struct weir_err *err);
    /* Makes the model from the keys. @return 0, or a code with err */
    int (*setup)(const void *config, const struct weir_fabric_env *env, void *model, struct weir_feature_plan *plan,
                 struct weir_err *err);
    uint32_t host_needs;                            /* enum weir_feature_host_need */
    bool needs_marks;                               /* some other feature has to mark packets */
    const struct weir_feature_conflict *conflicts;  /* NULL, or ended by a NULL name */
    const struct weir_feature_conflict *companions; /* features without which it is of no use; likewise */
    const struct weir_extension *extension;         /* what hooks write into packets; NULL = nothing */
    const struct weir_rule *rules;                  /* by which hooks decide fates; NULL, or ended by a NULL name */
    bool cuts; /* plan->event is its own: rule 0 is that of frames which a cable that goes down cuts off */
    /* state and hooks; NULL = does not care */
    enum weir_feature_when when;
    uint32_t port_bytes, node_bytes;
    /* Initialises the state of a port. @return false = this port is without the feature */
    bool (*port_init)(const struct weir_here *here, const struct weir_fabric_port *port);
    /* Writes the queue below which on_join does nothing; UINT64_MAX = it never does. @return true if from there on
     * packets with ECT are marked, by rule 0 of the row, and nothing else happens */
    bool (*join_threshold)(const struct weir_here *here, uint64_t *queue_bytes);
    uint32_t (*admit)(const struct weir_here *here, const struct weir_admit *admit);    /* DROP */
    uint32_t (*on_join)(const struct weir_here *here, const struct weir_join *join);    /* MARK */
    uint32_t (*on_dequeue)(const struct weir_here *here, struct weir_dequeue *dequeue); /* MARK, DROP */
    /* Writes when on_dequeue need not be called. That stays true until it is called for a packet that joins from now
     * on. NULL = it is always called */
    void (*dequeue_idle)(const struct weir_here *here, uint32_t class_id, uint64_t now_ps,
                         struct weir_dequeue_idle *idle);
    const struct weir_feature_counter *counters; /* NULL, or ended by a NULL name */
    /* Returns the queue of a packet with weighted round robin, as a number that is unique at the port. All packets but
     * DATA are served before the queues. One feature of a run may have this hook and the next; both or neither. */
    uint64_t (*queue_of)(const struct weir_here *here, const struct weir_pkt *pkt);
    /* Returns how many packets, at least 1, its queue may send in a turn that begins with this packet. */
    uint32_t (*quantum_pkts)(const struct weir_here *here, const struct weir_pkt *pkt);
    uint32_t (*on_start)(const struct weir_here *here, struct weir_start *start); /* LOSE, RECORD */
    const struct weir_gate *gate;
    /* Only of rows that are WEIR_WHEN_COUPLED: */
    uint32_t arrive_kinds; /* WEIR_PKT_KIND_BIT() of packets for which on_arrive is called */
    /* Handles a packet that has a route and came by the in-link of this port's cable. It is called for every ACK: the
     * event is its arguments. */
    uint32_t (*on_arrive)(const struct weir_here *here, const struct weir_pkt *pkt, uint64_t now_ps); /* ECHO */
    uint32_t (*on_mark)(const struct weir_here *here, const struct weir_mark *mark);                  /* TAKE */
    /* Chooses the port of DATA that came by the in-link of this port's cable. One feature of a run may have this
     * hook. */
    uint32_t (*on_forward)(const struct weir_here *here, struct weir_forward *forward); /* DEFLECT */
    uint32_t (*on_joined)(const struct weir_here *here, const struct weir_joined *joined,
                          struct weir_control *control); /* CONTROL, PAUSE */
    uint32_t (*on_sent)(const struct weir_here *here, const struct weir_departure *left,
                        struct weir_control *control); /* CONTROL */
    uint32_t (*on_dropped)(const struct weir_here *here, const struct weir_departure *left,
                           struct weir_control *control); /* CONTROL */
    /* Handles a control frame of this feature that came by the in-link of this port's cable. It is called at every port
     * that may be sent one, also at hosts. */
    void (*on_control)(const struct weir_here *here, uint64_t now_ps, const struct weir_control *control);
    /* Returns the classes whose packets may not start: bit c is class c. Called again after on_control and on_cut. */
    uint32_t (*closed)(const struct weir_here *here);
    /* Handles the port's cable going down: control frames that wait here or are in flight are lost. It is called
     * late where nothing waits and nothing is closed; so it may open classes, and close none. */
    void (*on_cut)(const struct weir_here *here, uint64_t now_ps);
    /* Tests whether admit, on_joined, on_sent and on_dropped of all ports do no more than keep accounts, as long as the
     * switch holds no more than `most`. Meanwhile the engine leaves them out; set_held then passes what is held.
     * Both or neither; here: of any port. */
    bool (*is_idle)(const struct weir_here *here, const struct weir_held *most);
    void (*set_held)(const struct weir_here *here, const struct weir_held *held);
    uint32_t (*on_timer)(const struct weir_here *here, const struct weir_timer *timer); /* NOTIFY */
    /* Writes a NOTICE for the flow of this packet of DATA, all but its arrival; sent_ps is not to be read. link: that
     * the port feeds */
    void (*notice)(const struct weir_here *here, const struct weir_pkt *data, uint32_t link, struct weir_pkt *out);
    uint32_t notice_bytes; /* of a NOTICE on the wire */
    /* Makes the counters final: the run is over. */
    void (*on_end)(const struct weir_here *here, uint64_t end_ps);
    /* Checks the state of a node in runs that check themselves. here: of any of its ports. @return a sentence about
     * what does not hold; NULL = all holds */
    const char *(*broken)(const struct weir_here *here, uint32_t ports);
};

struct weir_feature_on { /* a feature of a run */
    const struct weir_feature *row;
    const void *model;
    uint64_t period_ps; /* of weir_feature_plan, as the next two */
    uint32_t lanes, other_port_kinds;
    bool skips_joined, late_start, coupled;
    size_t node_bytes;
    const char *warning;
};

struct weir_features {          /* of a run, in the order in which their hooks are called */
    struct weir_feature_on *on; /* count of them; the set-up's memory, with room for so many */
    uint32_t count, room;
    uint32_t records_max; /* the largest of all, as in weir_feature_plan */
    uint8_t lossless;     /* those of all */
};
#endif
