/* src/scenario/config/scenario.h - a scenario file as checked structs. Text in, numbers out; what it means for a run is
 * decided in setup/setup.c. The keys are the rows of the sections below; a key that no row names is refused. */
#ifndef WEIR_CONFIG_SCENARIO_H
#define WEIR_CONFIG_SCENARIO_H
#include "core/err.h"
#include "core/host_params.h"
#include "registry.h"
#include "topology/topology.h"
#include "workload/workload.h"

#define WEIR_ORDER_MAX 2048u /* of a file */
#define WEIR_WARNINGS_MAX 4u /* kept; more are counted */

struct weir_fabric_config {     /* section `fabric` */
    uint64_t buffer_bytes;      /* per switch, shared by its ports; UINT64_MAX = unlimited */
    char order[WEIR_ORDER_MAX]; /* names of features; "" = as in the registry */
};
struct weir_routing_config { /* section `fabric.routing` */
    uint32_t mode;           /* enum weir_routing */
    uint32_t metric;         /* enum weir_route_metric */
};
struct weir_run_config {            /* section `run` */
    uint64_t warmup_ps, measure_ps; /* measure WEIR_NEVER ("all") = until the last message is delivered */
    uint64_t seed;
    uint64_t sample_ps, stall_ps;
    uint64_t series_ps;      /* between points of a series in a result file; 0 = auto */
    uint64_t group_bytes[3]; /* slowdown groups A, B, C: messages below this; UINT64_MAX = auto */
    uint64_t short_bytes;    /* messages up to this are short: marked_short_share */
    uint32_t sample_average; /* flag */
    uint32_t start;          /* enum weir_run_start */
    uint32_t compare;        /* enum weir_run_compare */
    uint32_t complete_at;    /* enum weir_complete_at */
};
enum weir_complete_at { WEIR_COMPLETE_RECEIVER, WEIR_COMPLETE_SENDER };
enum weir_run_start { WEIR_START_OWN, WEIR_START_ALLOCATION };
enum weir_run_compare { WEIR_COMPARE_NONE, WEIR_COMPARE_ALLOCATION };
extern const struct weir_param weir_fabric_params[], weir_routing_params[], weir_run_params[];

struct weir_feature_keys { /* a row of weir_features[], and its keys in the scenario */
    const struct weir_feature *row;
    void *config;          /* row->config_bytes; NULL = it has no keys of its own */
    struct weir_tok where; /* its section, or `fabric` */
    bool is_set;           /* its section, or one of its keys, is in the scenario or a preset */
};

struct weir_scenario {
    char name[WEIR_TEXT_MAX];
    struct weir_topology_config topology;
    struct weir_framing framing;
    struct weir_host_params host;
    const struct weir_protocol *protocol; /* row of the registry */
    const struct weir_preset *preset;     /* the protocol's, named or not; NULL = it has none */
    void *protocol_config;                /* the protocol's own struct, protocol->config_bytes */
    struct weir_fabric_config fabric;
    struct weir_routing_config routing;
    struct weir_feature_keys *feature; /* of every row, in the order of the registry */
    uint32_t feature_count;
    struct weir_traffic_config traffic[WEIR_TRAFFIC_MAX];
    uint32_t traffic_count;
    struct weir_run_config run;
    /* positions in the file, for messages that come later (setup/setup.c) */
    struct weir_tok where_topology, where_protocol, where_host, where_fabric, where_run;
    struct weir_tok where_traffic[WEIR_TRAFFIC_MAX];
    /* what the user wrote and has no effect: a command that reads the scenario prints it (weir_cli_warnings()) and goes
     * on */
    struct weir_err warning[WEIR_WARNINGS_MAX];
    uint32_t warning_count; /* of all; those beyond WEIR_WARNINGS_MAX are not kept */
    char *text;             /* the file as read, for result manifests; owned */
    char *base_dir;         /* folder of the file: relative names in it start there; owned */
    void *strings;          /* storage behind the tokens, the protocol's struct and features; owned */
};

struct weir_override { /* one --set key=value: "protocol.g=0.08", "traffic[0].load=80%", "run.seed=2" */
    const char *text;
    struct weir_tok where; /* its position in a file; file NULL = on the command line */
};

/**
 * Reads a scenario. Order of precedence: defaults, preset of the framing, preset of the protocol (the first of its
 * table when none is named), file, overrides. A framing named in the file replaces that of the protocol's preset.
 * @return 0, or a code with err (file:line:col, what is wrong, what is allowed, a hint); scn then needs no free
 */
int weir_scenario_load(struct weir_scenario *scn, const char *path, const struct weir_override *set, uint32_t set_count,
                       struct weir_err *err);
/* Loads a scenario from memory; path only names it in messages and is the base of relative names. */
int weir_scenario_parse(struct weir_scenario *scn, const char *path, const char *text, size_t length,
                        const struct weir_override *set, uint32_t set_count, struct weir_err *err);
void weir_scenario_free(struct weir_scenario *scn);

/* Returns the scenario's entry for a switch feature; NULL = there is no such row. */
const struct weir_feature_keys *weir_scenario_feature(const struct weir_scenario *scn, const char *name);

/* Sets the bytes of every size that was given in BDP. @return 0, or WEIR_E_RANGE with err: some size is out of its
 * range */
int weir_scenario_resolve_bdp(struct weir_scenario *scn, uint64_t bdp_bytes, struct weir_err *err);
#endif
