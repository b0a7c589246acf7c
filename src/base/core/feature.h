/* src/base/core/feature.h - a switch feature as one row: it describes the feature to scenario files, help and results,
 * and has its hooks. doc/add-a-switch-feature.md builds one step by step. Events and answers: core/hook.h. */
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
struct weir_timer;

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
#endif
