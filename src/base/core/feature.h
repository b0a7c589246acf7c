/* src/base/core/feature.h - a switch feature as one row: the description for scenario files, help and results, and the
 * hooks. doc/add-a-switch-feature.md builds a feature step by step. Events and answers of hooks are in core/hook.h. */
#ifndef WEIR_CORE_FEATURE_H
#define WEIR_CORE_FEATURE_H
#include "core/err.h"
#include "core/extension.h"
#include "core/feature_counter.h"
#include "core/feature_setup.h"
#include "core/hook.h"
#include "core/need.h"
#include "core/param.h"

struct weir_control;
struct weir_departure;
struct weir_gate;
struct weir_held;
struct weir_joined;
struct weir_mark;
struct weir_state;
struct weir_timer;

/* Bits of weir_feature.host_needs. */
enum weir_feature_host_need {
    WEIR_FEATURE_NEEDS_SENDERS = 1u << 0, /* some law must be sender-driven */
    WEIR_FEATURE_SENDERS_ALONE = 1u << 1, /* every law must be sender-driven */
};

/* The time at which hooks must be called. It decides how the engine serves ports. */
enum weir_feature_when {
    /* on_start may be called as soon as the start time is known; on a FIFO port that is when the packet joins */
    WEIR_WHEN_JOIN,
    /* Hooks read or write the state of other ports. So every event is handled at its own instant, and hosts have pull
     * NICs (host.nic_queue: pull). */
    WEIR_WHEN_COUPLED,
};

/* A key that replaces others: if a file sets `key` and none of the keys `instead_of`, the latter are reset to their
 * defaults, whatever a preset set. A NULL in instead_of = no key. */
struct weir_alternative {
    const char *key, *instead_of[2];
};

/* A key that had another name in former versions. The former name is still read. */
struct weir_renamed_key {
    const char *former, *key;
};

/* A key of a feature whose value is a list of maps, as `fabric.events`. */
struct weir_feature_list {
    const char *key, *text;                 /* text: one sentence */
    const char *example;                    /* text of one item, for help */
    const struct weir_param *params;        /* keys of an item */
    const struct weir_renamed_key *renamed; /* NULL, or ended by a NULL name */
    const char *const *required;            /* keys that every item must have; ended by NULL */
    uint32_t max;                           /* most items */
    uint32_t bytes, offset; /* bytes: size of an item's struct; offset: of the first item in the feature's
                                        config */
    uint32_t where_offset;  /* of the item's struct weir_tok, its position in the file */
    uint32_t count_offset;  /* of the uint32_t in the config that counts the items */
};

struct weir_feature_conflict { /* another feature that this one excludes, or needs */
    const char *name, *why;    /* why: the reason, as the end of a sentence, "both would .." */
};

struct weir_feature {
    const char *name;   /* as in messages and in fabric.order */
    const char *title;  /* in sentences, "weighted round robin"; NULL = name */
    const char *hint;   /* one sentence */
    const char *source; /* paper or standard; NULL = none */
    /* Keys: */
    const char *section;      /* the keys are in fabric.<section>; NULL = in fabric itself */
    const char *section_text; /* one sentence about the section */
    bool section_enables;     /* true = a section in the scenario or preset turns the feature on; else its keys do */
    const char *short_key;    /* `fabric: {section: x}` means {section: {short_key: x}}; NULL = no short form */
    const char *list_key;     /* a key whose value may be written as a list, [1, 2]; NULL = none */
    const struct weir_param *params;             /* NULL = no keys besides `list` */
    const struct weir_feature_list *list;        /* NULL = none */
    const struct weir_alternative *alternatives; /* NULL, or ended by a NULL key */
    const struct weir_renamed_key *renamed;      /* of its section; NULL, or ended by a NULL key */
    const struct weir_preset *examples;          /* examples of scenarios that turn the feature on; ended by a NULL
                                                    name */
    uint32_t config_bytes, model_bytes;          /* size of the struct that params fill; size of the model */
    /* Why all switches have the same keys, as the end of a sentence, "packets carry ..": fabric.switches does not take
     * them. NULL = it does, except for those in common_keys */
    const char *everywhere;
    const char *const *common_keys; /* keys that all switches have in common; NULL, or ended by NULL */
    /* The feature decides how packets wait (queue_of, plan->classes). Its set-up comes before that of other features,
     * which depends on the result. */
    bool shapes_ports;
    /* Checks whether the keys fit each other. Sizes given in BDP have no bytes yet. NULL = any values fit. @return 0,
     * or a code with err */
    int (*check)(const void *config, const struct weir_tok *where, struct weir_err *err);
    /* Fills the model and the plan from the keys. @return 0, or a code with err */
    int (*setup)(const void *config, const struct weir_fabric_env *env, void *model, struct weir_feature_plan *plan,
                 struct weir_err *err);
    uint32_t host_needs;                            /* enum weir_feature_host_need */
    bool needs_marks;                               /* some other feature must mark packets */
    const struct weir_feature_conflict *conflicts;  /* NULL, or ended by a NULL name */
    const struct weir_feature_conflict *companions; /* features that this one needs; NULL, or ended by a NULL name */
    const struct weir_extension *extension;         /* parts of packets that hooks write; NULL = none */
    const struct weir_rule *rules;                  /* rules by which hooks decide fates; NULL, or ended by a NULL
                                                       name */
    bool cuts; /* the feature sets plan->event; its first rules are those of enum weir_cut_rule */
    /* State and hooks. A hook that is NULL is not called. */
    enum weir_feature_when when;
    uint32_t port_bytes, node_bytes;
    /* Initialises the state of a port. @return false = the feature does not act at this port */
    bool (*port_init)(const struct weir_here *here, const struct weir_fabric_port *port);
    /* Sets *queue_bytes to a threshold: on_join does nothing if the queue is shorter; UINT64_MAX = at any length.
     * @return true if from the threshold on on_join only marks packets with ECT, by rule 0 of the row */
    bool (*join_threshold)(const struct weir_here *here, uint64_t *queue_bytes);
    uint32_t (*admit)(const struct weir_here *here, const struct weir_admit *admit);    /* DROP */
    uint32_t (*on_join)(const struct weir_here *here, const struct weir_join *join);    /* MARK */
    uint32_t (*on_dequeue)(const struct weir_here *here, struct weir_dequeue *dequeue); /* MARK, DROP */
    /* Writes to *idle which calls of on_dequeue may be left out for packets of class class_id. *idle is valid until
     * on_dequeue is called for a packet that joined at now_ps or later. NULL = on_dequeue is always called */
    void (*dequeue_idle)(const struct weir_here *here, uint32_t class_id, uint64_t now_ps,
                         struct weir_dequeue_idle *idle);
    /* Gives the state of a port, so that run.skip: exact knows when it comes back (core/state.h). NULL = it gives none;
     * read of rows with on_start */
    void (*state)(const struct weir_here *here, struct weir_state *s);
    const struct weir_feature_counter *counters; /* NULL, or ended by a NULL name */
    /* Returns the queue of a DATA packet with weighted round robin, as a number that is unique at the port. Packets
     * other than DATA are served before all queues. One feature of a run may have queue_of and quantum_pkts; it has
     * both or neither. */
    uint64_t (*queue_of)(const struct weir_here *here, const struct weir_pkt *pkt);
    /* Returns how many packets, 1 .., a queue may send in its turn of weighted round robin. pkt: the first packet of
     * the turn */
    uint32_t (*quantum_pkts)(const struct weir_here *here, const struct weir_pkt *pkt);
    uint32_t (*on_start)(const struct weir_here *here, struct weir_start *start); /* LOSE, RECORD */
    const struct weir_gate *gate;
    /* Hooks only for rows that are WEIR_WHEN_COUPLED: */
    uint32_t arrive_kinds; /* WEIR_PKT_KIND_BIT() of the kinds for which on_arrive is called */
    /* Handles a packet that arrived by the in-link of this port's cable and has a route. It has plain arguments instead
     * of a struct, because it is called for every ACK. */
    uint32_t (*on_arrive)(const struct weir_here *here, const struct weir_pkt *pkt, uint64_t now_ps); /* ECHO */
    uint32_t (*on_mark)(const struct weir_here *here, const struct weir_mark *mark);                  /* TAKE */
    /* Chooses the out-port of DATA that arrived by the in-link of this port's cable. One feature of a run may have this
     * hook. */
    uint32_t (*on_forward)(const struct weir_here *here, struct weir_forward *forward); /* DEFLECT */
    /* Handles the escape of a packet at this port: its virtual lane, the upper one of two, is closed, and it leaves in
     * the lower one. The hook writes class_id. One feature of a run may have this hook: weir_feature_plan.escapes */
    void (*on_escape)(const struct weir_here *here, struct weir_pkt *pkt);
    uint32_t (*on_joined)(const struct weir_here *here, const struct weir_joined *joined,
                          struct weir_control *control); /* CONTROL, PAUSE */
    uint32_t (*on_sent)(const struct weir_here *here, const struct weir_departure *left,
                        struct weir_control *control); /* CONTROL */
    uint32_t (*on_dropped)(const struct weir_here *here, const struct weir_departure *left,
                           struct weir_control *control); /* CONTROL */
    /* Handles a control frame of this feature that arrived by the in-link of this port's cable. Called at every port to
     * which such a frame may be sent, at hosts too. */
    void (*on_control)(const struct weir_here *here, uint64_t now_ps, const struct weir_control *control);
    /* Returns the classes whose packets may not start, bit c for class c. Called again after on_control and on_cut. */
    uint32_t (*closed)(const struct weir_here *here);
    /* Handles a failure of the port's cable: control frames that wait at this port or are in flight are lost. The call
     * may come late if nothing waits and no class is closed. So the hook may open classes, but must not close any. */
    void (*on_cut)(const struct weir_here *here, uint64_t now_ps);
    /* is_idle() tests whether admit, on_joined, on_sent and on_dropped of all ports only keep accounts as long as the
     * switch holds at most `most`. While is_idle() returns true the engine does not call these hooks. Before it calls
     * them again, set_held() passes the bytes that the switch holds. A row has both functions or neither. here: of any
     * port of the switch */
    bool (*is_idle)(const struct weir_here *here, const struct weir_held *most);
    void (*set_held)(const struct weir_here *here, const struct weir_held *held);
    uint32_t (*on_timer)(const struct weir_here *here, const struct weir_timer *timer); /* NOTIFY */
    /* Writes a NOTICE for the flow of this DATA packet, all fields but arrival_ps. The hook must not read
     * data->sent_ps. link: number of the link that the port feeds */
    void (*notice)(const struct weir_here *here, const struct weir_pkt *data, uint32_t link, struct weir_pkt *out);
    uint32_t notice_bytes; /* size of a NOTICE on the wire */
    /* Completes the counters at the end of the run. */
    void (*on_end)(const struct weir_here *here, uint64_t end_ps);
    /* Checks the invariants of a node's state, in runs with checks. here: of any port of the node; ports: number of its
     * ports. @return a sentence about an invariant that does not hold; NULL = all hold */
    const char *(*broken)(const struct weir_here *here, uint32_t ports);
};
#endif
