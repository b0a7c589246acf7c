/* src/scenario/config/scenario.h - a scenario file as checked structs. This room turns text into numbers; setup/setup.c
 * decides what the numbers mean for a run. The keys are the rows of the sections below. A key that no row names is
 * refused. */
#ifndef WEIR_CONFIG_SCENARIO_H
#define WEIR_CONFIG_SCENARIO_H
#include "core/err.h"
#include "core/host_params.h"
#include "core/pkt.h"
#include "registry.h"
#include "topology/topology.h"
#include "workload/workload.h"

#define WEIR_ORDER_MAX 2048u /* bytes of the text of fabric.order, with the NUL */
#define WEIR_WARNINGS_MAX 4u /* warnings that are kept; further ones are only counted */

struct weir_fabric_config {     /* section `fabric` */
    uint64_t buffer_bytes;      /* per switch, shared by its ports; UINT64_MAX = unlimited */
    char order[WEIR_ORDER_MAX]; /* names of features, separated by commas; "" = the order of the registry */
};
struct weir_deployed_config { /* section `switch`, without its maps */
    uint32_t udp_port;        /* 0 = none */
    uint32_t pfc_frames;      /* 1 = PFC frames go to and come from the NICs of hosts */
};
struct weir_routing_config { /* section `fabric.routing` */
    uint32_t mode;           /* enum weir_routing */
    uint32_t metric;         /* enum weir_route_metric */
};
#define WEIR_MEASURE_AUTO 0u
struct weir_run_config { /* section `run` */
    /* measure: WEIR_NEVER ("all") = until the last message is delivered; WEIR_MEASURE_AUTO = as precision_ppm needs */
    uint64_t warmup_ps, measure_ps;
    uint64_t most_ps;       /* measure: auto: longest measured part */
    uint32_t precision_ppm; /* measure: auto: half the width of the intervals, as a part of the means */
    uint64_t seed;
    uint64_t sample_ps, stall_ps;
    uint64_t series_ps;      /* time between points of a series in a result file; 0 = auto */
    uint64_t group_bytes[3]; /* slowdown groups A, B, C: messages below this; UINT64_MAX = auto */
    uint64_t short_bytes;    /* messages of at most this size are short, for the metric marked_short_share */
    uint32_t sample_average; /* flag: each sample also has the mean queue since the sample before */
    uint32_t statistics;     /* enum weir_run_statistics */
    uint32_t skip;           /* enum weir_run_skip */
    uint32_t start;          /* enum weir_run_start */
    uint32_t compare;        /* enum weir_run_compare */
    uint32_t complete_at;    /* enum weir_complete_at */
};
enum weir_complete_at { WEIR_COMPLETE_RECEIVER, WEIR_COMPLETE_SENDER };
enum weir_run_statistics { WEIR_STATISTICS_EXACT, WEIR_STATISTICS_SAMPLED };
enum weir_run_skip { WEIR_SKIP_NONE, WEIR_SKIP_EXACT };
enum weir_run_start { WEIR_START_OWN, WEIR_START_ALLOCATION };
enum weir_run_compare { WEIR_COMPARE_NONE, WEIR_COMPARE_ALLOCATION };
extern const struct weir_param weir_fabric_params[], weir_routing_params[], weir_run_params[], weir_deployed_params[];

struct weir_feature_keys { /* a switch feature, and the values of its keys in this scenario */
    const struct weir_feature *row;
    void *config;          /* the feature's own struct, row->config_bytes long; NULL = the feature has no keys */
    struct weir_tok where; /* position of the feature's section, or of `fabric` */
    bool is_set;           /* the feature's section, or one of its keys, is in the scenario or a preset */
};

#define WEIR_SWITCH_ITEMS_MAX 64u

struct weir_switch_part { /* the keys of one feature in an item of `fabric.switches` */
    void *config;         /* the feature's own struct, in which the keys of `set` count; NULL = the item has none */
    uint64_t set;         /* bit i: the item has key row->params[i] */
};

struct weir_switch_item {          /* one item of `fabric.switches`: some switches that differ from the others */
    char at[WEIR_TEXT_MAX];        /* where they are: weir_topology_mark_switches() */
    uint64_t buffer_bytes;         /* memory of each; as in struct weir_fabric_config */
    bool has_buffer;               /* the item sets buffer_bytes */
    struct weir_switch_part *part; /* one entry for each of weir_scenario.feature */
    struct weir_tok where;         /* its position in the file */
};
extern const struct weir_param weir_switch_item_params[];

struct weir_law_keys { /* the law of some traffic items: a protocol with its keys, its host keys and its frames */
    const struct weir_protocol *protocol;
    const struct weir_preset *preset; /* as in struct weir_scenario */
    void *config;
    struct weir_framing framing;
    struct weir_host_params host;      /* nic_queue and mark_bytes are those of the run */
    struct weir_tok where, where_host; /* of the first item with this law */
    bool own_protocol;                 /* the item has a key `protocol`; else it changes host keys of the run's law */
};

enum weir_deploy_by { WEIR_DEPLOY_MESSAGES, WEIR_DEPLOY_HOSTS };

struct weir_deploy {    /* section `deploy` of a traffic item: another law for a part of its messages */
    uint32_t share_ppm; /* the part, 0 .. 1000000; WEIR_SHARE_NONE = the item has no such section */
    uint32_t by;        /* enum weir_deploy_by: what is drawn */
    uint32_t class_id;  /* priority class of DATA; WEIR_TRAFFIC_CLASS_AUTO = host.data_class */
};
#define WEIR_SHARE_NONE UINT32_MAX
#define WEIR_LAW_NONE UINT8_MAX
extern const struct weir_param weir_deploy_params[];

struct weir_tree;
struct weir_override;

#define WEIR_LAW_VARIANTS_MAX 64u
#define WEIR_LAW_VARIANT_NAME 32u /* bytes of a name, with its NUL */

struct weir_law_variant { /* an entry of section `variants`: a protocol with keys of its own */
    const char *name;
    const struct weir_protocol *protocol;
    const struct weir_override *set; /* set_count settings, each with its position; none of them names the protocol */
    uint32_t set_count;
    struct weir_tok where; /* of the name of its protocol */
};

struct weir_scenario { /* everything that a scenario file says; defaults filled in */
    char name[WEIR_TEXT_MAX];
    struct weir_topology_config topology;
    struct weir_framing framing;
    struct weir_host_params host;
    const struct weir_protocol *protocol; /* row of the registry */
    const struct weir_preset *preset;     /* the preset named, else the first; NULL = the protocol has none */
    void *protocol_config;                /* the protocol's own struct, protocol->config_bytes long */
    struct weir_fabric_config fabric;
    struct weir_routing_config routing;
    struct weir_feature_keys *feature; /* feature_count entries: one for each row of weir_features[], in that order */
    uint32_t feature_count;
    struct weir_switch_item *switches; /* switches_count exceptions to fabric and feature, the later wins */
    uint32_t switches_count;
    struct weir_traffic_config traffic[WEIR_TRAFFIC_MAX];
    uint32_t traffic_count;
    /* Laws besides the run's, from index 1 on; law 0 is that of the sections `protocol`, `host` and `framing`. The last
     * entry is used while the list is read. */
    struct weir_law_keys law[WEIR_LAWS_MAX + 1];
    uint32_t law_count; /* with law 0 */
    uint8_t law_of_item[WEIR_TRAFFIC_MAX];
    bool own_law[WEIR_TRAFFIC_MAX]; /* the item says its law, so that laws of hosts do not hold for it */
    struct weir_deploy deploy[WEIR_TRAFFIC_MAX];
    uint8_t law_of_deploy[WEIR_TRAFFIC_MAX];   /* law of that part of the messages, where there is one */
    uint8_t law_of_hosts[WEIR_HOST_ITEMS_MAX]; /* law of messages that these hosts send; WEIR_LAW_NONE = not said */
    struct weir_host_item hosts[WEIR_HOST_ITEMS_MAX]; /* exceptions, the later wins */
    uint32_t hosts_count;
    struct weir_run_config run;
    /* The section `switch`, for `weir switch`: maps `ports` and `addresses`, from names of hosts to texts. In the
     * arena; NULL = there is none */
    const struct weir_tree *deployed;
    struct weir_deployed_config deployed_config;
    const struct weir_law_variant
        *variant; /* variant_count entries, which the scenario itself does not use; in the arena */
    uint32_t variant_count;
    /* positions of the sections in the file, for errors that setup/setup.c finds */
    struct weir_tok where_topology, where_protocol, where_host, where_fabric, where_run;
    struct weir_tok where_traffic[WEIR_TRAFFIC_MAX];
    struct weir_tok where_hosts[WEIR_HOST_ITEMS_MAX];
    /* keys of the file that have no effect. A command that reads the scenario prints these warnings
     * (weir_cli_warnings()) and goes on */
    struct weir_err warning[WEIR_WARNINGS_MAX];
    uint32_t warning_count; /* of all warnings, also of those beyond WEIR_WARNINGS_MAX, which are not kept */
    bool is_session;        /* set by whoever drives the run: traffic of kind session is allowed, and needed */
    /* Set by whoever drives the run, Q20: flows may get other weights while the run goes on, this at least. 0 = they do
     * not */
    uint64_t weights_from_q20;
    char *text;     /* the file as read, for result manifests; owned */
    char *base_dir; /* folder of the scenario file, where relative file names start; owned */
    void *strings;  /* arena of the tokens' texts, the protocol's struct and the features' structs; owned */
};

struct weir_override { /* one --set key=value: "protocol.g=0.08", "traffic[0].load=80%", "run.seed=2" */
    const char *text;
    struct weir_tok where; /* its position in a file; where.file NULL = on the command line */
};

/**
 * Reads a scenario file. A later source overrides an earlier one: defaults, preset of the framing, preset of the
 * protocol (the first of its table when none is named), file, overrides. A framing named in the file replaces all
 * framing keys of the protocol's preset.
 * @param set  set_count overrides, applied in this order
 * @return 0, then weir_scenario_free() frees scn; or a code with err (file:line:col, what is wrong, what is allowed, a
 * hint), then scn needs no free
 */
int weir_scenario_load(struct weir_scenario *scn, const char *path, const struct weir_override *set, uint32_t set_count,
                       struct weir_err *err);
/* Reads a scenario from length bytes of text, as weir_scenario_load() does from a file. path is the name for messages,
 * and its folder is where relative file names in the scenario start. */
int weir_scenario_parse(struct weir_scenario *scn, const char *path, const char *text, size_t length,
                        const struct weir_override *set, uint32_t set_count, struct weir_err *err);
void weir_scenario_free(struct weir_scenario *scn);

/* Returns the row of the protocol with this name; NULL = no protocol has it. */
const struct weir_protocol *weir_variants_protocol(const char *name);

/**
 * Checks the name of a variant: 1 to WEIR_LAW_VARIANT_NAME - 1 letters, digits and . _ +, not the name of a protocol,
 * and not "file", as comparisons call what the scenario itself has.
 * @param where  what gives the name, for the message: "variants", "--protocols slow=dctcp"
 * @param tok    position of the name; NULL = on the command line
 * @return 0, or a code with err
 */
int weir_variants_check_name(const char *where, const char *name, const struct weir_tok *tok, struct weir_err *err);

/* Tests whether variants may differ in a section: in protocol, framing, host and fabric alone. Network, traffic and run
 * are the same, so that runs with the same seed can be compared as a pair. length: of the section's name, after
 * which the text may go on */
bool weir_variants_may_differ(const char *name, size_t length);
/* Tests the same of the section of a setting "key=value". */
bool weir_variants_may_set(const char *setting);

/* Returns the variant of a scenario with this name; NULL = there is none. */
const struct weir_law_variant *weir_variants_find(const struct weir_scenario *scn, const char *name);
/* Returns the scenario's entry for the switch feature of this name; NULL = no feature has that name. */
const struct weir_feature_keys *weir_scenario_feature(const struct weir_scenario *scn, const char *name);

/* Writes the keys of feature number `feature` of the scenario, below feature_count, as they are at switches to which
 * some items of `fabric.switches` apply. items: bit i = item i applies. config: gets row->config_bytes. @return true if
 * the scenario, a preset or one of these items has the feature's section, or one of its keys */
bool weir_scenario_feature_at(const struct weir_scenario *scn, uint32_t feature, uint64_t items, void *config);

struct weir_scenario_law { /* one law of a scenario, which owns all of it */
    const struct weir_protocol *protocol;
    const struct weir_preset *preset;
    void *config;
    struct weir_framing *framing;
    struct weir_host_params *host;
    const struct weir_tok *where, *where_host;
};

/* Returns law number `law`, below scn->law_count; law 0 is the run's. */
struct weir_scenario_law weir_scenario_law(struct weir_scenario *scn, uint32_t law);

/* Returns the laws that messages of a traffic item may have: bit k is law k. */
uint32_t weir_scenario_laws_of_item(const struct weir_scenario *scn, uint32_t item);

struct weir_scenario_path { /* what values in BDP and in round trips (RTT) are multiples of, of the longest path */
    uint64_t bdp_bytes, base_rtt_ps;
};

/* Computes the values of law `law` that were given in BDP or round trips, for a law other than 0. @return as
 * weir_scenario_resolve() */
int weir_scenario_resolve_law(struct weir_scenario *scn, uint32_t law, const struct weir_scenario_path *path,
                              struct weir_err *err);

/* Computes the values in items of `fabric.switches` that were given in BDP or round trips. @return as
 * weir_scenario_resolve() */
int weir_scenario_resolve_switches(struct weir_scenario *scn, const struct weir_scenario_path *path,
                                   struct weir_err *err);

/* Computes every value of the scenario that was given in BDP or round trips, but for laws of traffic items. @return 0,
 * or WEIR_E_RANGE with err: a value is out of its range */
int weir_scenario_resolve(struct weir_scenario *scn, const struct weir_scenario_path *path, struct weir_err *err);
#endif
