/* src/algorithms/features/cables/cables.h - failures at given times: cables, switches and hosts that go down and come
 * up, cables that lose packets or become slow, hosts that restart. Set-up makes events of cables of all that goes down.
 * The world implements the effect on frames and routes: doc/model.md [cables]. */
#ifndef WEIR_FEATURES_CABLES_CABLES_H
#define WEIR_FEATURES_CABLES_CABLES_H
#include "core/cable.h"
#include "core/err.h"
#include "core/feature_setup.h"
#include "core/param.h"

struct weir_feature;

#define WEIR_EVENTS_MAX 64u         /* most items of `fabric.events` */
#define WEIR_CABLE_EVENTS_MAX 1024u /* most events of cables that these come to */
#define WEIR_NODE_TEXT_MAX 64u

enum weir_event_state { WEIR_STATE_DOWN, WEIR_STATE_UP, WEIR_STATE_LOSS, WEIR_STATE_RATE, WEIR_STATE_RESTART };
enum weir_cable_queue { WEIR_CABLE_FLUSH, WEIR_CABLE_WAIT };

struct weir_event_keys { /* one item of `fabric.events`; one of cable, sw, host and nic is a name, the others are "" */
    uint64_t at_ps;
    uint32_t state;                 /* enum weir_event_state */
    uint32_t queue;                 /* enum weir_cable_queue */
    struct weir_share_or_rate rate; /* of state LOSS: a share of packets; of RATE: bit/s */
    char cable[WEIR_TEXT_MAX];      /* the cable by its two ends: "leaf 0 - spine 1" */
    char sw[WEIR_NODE_TEXT_MAX];    /* the name of the switch */
    char host[WEIR_NODE_TEXT_MAX];  /* the name of the host */
    char nic[WEIR_NODE_TEXT_MAX];   /* a host's cable by its number: "host 3/1" */
    struct weir_tok where;
};

struct weir_cables_config { /* keys of section `fabric` */
    uint64_t reroute_delay_ps;
    uint32_t cuttable; /* enum weir_cuttable */
    uint32_t count;
    struct weir_event_keys event[WEIR_EVENTS_MAX];
};

struct weir_cables_model {                                /* the failures of a run */
    struct weir_cable_event event[WEIR_CABLE_EVENTS_MAX]; /* sorted by time, then by link; event_count of them */
    struct weir_loss_step loss[WEIR_EVENTS_MAX];          /* sorted by time; loss_count of them */
    struct weir_restart restart[WEIR_RESTARTS_MAX];       /* sorted by time; restart_count of them */
    struct weir_rate_step rate[WEIR_EVENTS_MAX];          /* sorted by time; rate_count of them */
    uint32_t event_count, loss_count, restart_count, rate_count;
};

/* Returns the name that an item has for its target. */
static inline const char *weir_event_name(const struct weir_event_keys *keys)
{
    const char *of_node = keys->sw[0] != '\0' ? keys->sw : keys->host;
    const char *of_cable = keys->nic[0] != '\0' ? keys->nic : keys->cable;
    return of_node[0] != '\0' ? of_node : of_cable;
}

/* Tests whether an item is of one cable, by its ends or its NIC. */
static inline bool weir_event_is_cable(const struct weir_event_keys *keys)
{
    return keys->cable[0] != '\0' || keys->nic[0] != '\0';
}

/* Finds what each item of cfg names, and fills *m. @return 0, or a code with err. An item is refused if it names
 * nothing that is there, has another event at its time, or a rate above that of its cable. So are more than
 * WEIR_CABLE_EVENTS_MAX events or WEIR_RESTARTS_MAX restarts */
int weir_cables_expand(const struct weir_cables_config *cfg, const struct weir_fabric_env *env,
                       struct weir_cables_model *m, struct weir_err *err);

extern const struct weir_feature weir_cables_feature;
#endif
