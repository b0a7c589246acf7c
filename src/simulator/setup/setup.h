/* src/simulator/setup/setup.h - from a checked scenario to a model that can run. Builds the topology and the workload,
 * resolves sizes in BDP, and checks that the parts fit each other. Errors name the file and line of the scenario. */
#ifndef WEIR_SETUP_SETUP_H
#define WEIR_SETUP_SETUP_H
#include "config/scenario.h"
#include "model/model.h"
#include "model/nics.h"
#include "program/program.h"
#include "workload/jobs.h"

#define WEIR_VARIANTS_MAX 256u

struct weir_variants {                    /* a feature that some items of fabric.switches change; count 0 = none does */
    void *block;                          /* the memory of all of it; owned */
    struct weir_feature_variant *variant; /* count entries; entry 0 is the feature of the run */
    uint16_t *variant_of;                 /* by node */
    uint64_t *items;                      /* of each variant: bit i = item i changes it */
    unsigned char *config, *model; /* of each variant, at multiples of the strides; those of entry 0 are unused */
    size_t config_stride, model_stride;
    uint32_t count;
};

#define WEIR_SWITCH_WARNINGS 4u /* most warnings of what laws miss at switches */

struct weir_setup {
    struct weir_scenario *scn; /* lent; its sizes in BDP are resolved in place */
    struct weir_topology topo;
    struct weir_workload workload;
    struct weir_list_note note[WEIR_TRAFFIC_MAX]; /* of each traffic item with a file */
    struct weir_jobs jobs;           /* the workload's jobs; empty unless some traffic item is of kind jobs or pairs */
    struct weir_ranks *graph;        /* of each traffic item that names a trace; NULL = none does; owned */
    struct weir_programs programs;   /* of items of kind collective, and of traces */
    uint64_t bdp_bytes, base_rtt_ps; /* of law 0 */
    uint32_t path_links;             /* links of the longest path between hosts */
    struct weir_routes routes;       /* for model.routes */
    void *feature_models;            /* memory of model.features and of the models that it points to; owned */
    /* memory that the laws' hops point to; owned; NULL = no law has WEIR_NEED_HOPS */
    uint8_t *switches;
    uint16_t *number_of; /* of hosts with several NICs: likewise; every host counts as a switch of its own */
    struct weir_host_link
        *links;         /* of hosts with unlike rates, for model.host.links; owned; NULL = all have one rate */
    uint64_t *host_bps; /* of them: the rates to the network, for the workload; owned */
    uint32_t offers;    /* enum weir_need: the bits that model.features offers somewhere */
    /* Of runs with fabric.switches; else NULL. items_at: by node, bit i = item i applies. variants: an entry for each
     * feature of the scenario. memory_of: for model.memory_of. All owned */
    uint64_t *items_at, *memory_of;
    struct weir_variants *variants;
    /* for struct weir_feature_on.warning: a law misses something at some switch; the first switch_warnings are used */
    char switch_warning[WEIR_SWITCH_WARNINGS][320];
    uint32_t switch_warnings;
    /* The laws of the run, law_count of them; model.host points to them if there are several. */
    struct weir_host_config law[WEIR_LAWS_MAX];
    uint32_t law_count;
    struct weir_nics nics;              /* of hosts with several NICs; model.nics NULL = they have one */
    struct weir_host_config *transport; /* configurations of their transports; owned */
    struct weir_host_nics host_nics;    /* for model.host.nics */
    uint8_t *law_of_sender;             /* memory of model.law_of_sender; owned; NULL = not needed */
    char law_names[128];                /* names of their protocols, each once, for messages: "dctcp and cubic" */
    struct weir_model model;            /* points into this struct and into scn */
};

/* Sets up the network alone: topology, base round trip, BDP, longest path. In the whole scenario, sizes given in BDP
 * get their bytes; traffic and protocol are not checked. The scenario is lent until weir_setup_free().
 * @return 0, or a code with err; then nothing needs freeing */
int weir_setup_network(struct weir_setup *setup, struct weir_scenario *scn, struct weir_err *err);

/* Sets up the network and the features of its switches, in setup->model.features. Traffic and laws are not checked. The
 * scenario is lent until weir_setup_free(). @return 0, or a code with err; then nothing needs freeing */
int weir_setup_fabric(struct weir_setup *setup, struct weir_scenario *scn, struct weir_err *err);

/* Sets up a scenario for a solver of max-min shares. Does the same as weir_setup_init() but for two checks: accepts
 * weights that no law or port uses, and protocol keys that do not fit each other. So the model must not be run.
 * @return 0, or a code with err; then nothing needs freeing */
int weir_setup_init_for_shares(struct weir_setup *setup, struct weir_scenario *scn, struct weir_err *err);

/* Sets up a scenario for a run. The scenario is lent until weir_setup_free(). @return 0, or a code with err; then
 * nothing needs freeing */
int weir_setup_init(struct weir_setup *setup, struct weir_scenario *scn, struct weir_err *err);
/* Makes hosts keep what weir_host_flow() and weir_host_weight() need, for every law. Called before the run. */
void weir_setup_track(struct weir_setup *setup);
/* Tests whether weights of flows have an effect, under every law of the run. */
bool weir_setup_knows_weights(const struct weir_setup *setup);
/* Frees all that a setup owns, but neither *setup nor its scenario. */
void weir_setup_free(struct weir_setup *setup);

/* Estimates the packet-hops of the run: the packets of all messages times the links of the longest path. Counted are
 * the data packets, each with an ACK or a credit. With host.reply_bytes above 0, two more packets per message are
 * counted. */
uint64_t weir_setup_packet_hops(const struct weir_setup *setup);

/* Writes the name of a link to out, as "leaf 0 > spine 1"; "no way" if `link` is not below link_count. @return out */
const char *weir_setup_link_name(const struct weir_setup *setup, uint32_t link, char out[WEIR_LINK_NAME]);

/* Tests whether messages of a traffic item may have law k. */
static inline bool weir_setup_law_sends(const struct weir_setup *s, uint32_t k, uint32_t item)
{
    return (weir_scenario_laws_of_item(s->scn, item) >> k & 1) != 0;
}

/* ---- hosts.c, for setup.c ---- */

/* Applies the list `hosts` to the topology, which must be built. @return 0, or WEIR_E_UNKNOWN with err: an item names
 * no host */
int weir_setup_hosts(struct weir_setup *s, struct weir_err *err);

/* Sets the links of each law and s->host_bps if the links of hosts have several rates. The topology must be built.
 * @return 0, or WEIR_E_MEMORY with err */
int weir_setup_links(struct weir_setup *s, struct weir_err *err);

/* Refuses law k if its hosts act in common rounds and hosts have several rates. Then refuses protocol keys of the law
 * that do not fit the slowest host: weir_setup_laws_check() is for the fastest. @return 0, or a code with err */
int weir_setup_check_links(const struct weir_setup *s, uint32_t k, struct weir_err *err);

/* Finds which law each host sends by, where `hosts` or a section `deploy` by hosts say so: fills model.law_of_item,
 * model.law_of_sender and model.deploy. @return 0, or WEIR_E_MEMORY with err */
int weir_setup_senders(struct weir_setup *s, struct weir_err *err);

/* Frees s->links, s->host_bps, s->switches and s->law_of_sender. */
void weir_setup_free_links(struct weir_setup *s);

/* ---- nics.c, for this room ---- */

/* Tests whether packets of a message leave by different NICs of their host, where hosts have several. */
bool weir_setup_spreads(const struct weir_setup *s);

/* Tests whether packets of a message take several paths: by routes that spray, or by several NICs. */
bool weir_setup_sprays(const struct weir_setup *s);

/* Refuses what hosts with several NICs do not go with. The topology must be built. @return 0, or a code with err */
int weir_setup_check_nics(const struct weir_setup *s, struct weir_err *err);
/* Fills s->nics and model.nics, and sets the rates of hosts in s->topo, if hosts have several NICs. @return 0, or a
 * code with err */
int weir_setup_nics(struct weir_setup *s, struct weir_err *err);
/* Returns the rate of a path, to which sizes in BDP refer: that of the fastest host. Of several transports its slowest
 * counts. */
uint64_t weir_setup_path_bps(const struct weir_setup *s);

/* Makes room for the configurations of transports, and lists their rates. @return 0, or WEIR_E_MEMORY with err */
int weir_setup_transports(struct weir_setup *s, struct weir_err *err);
/* Fills the configurations of transports from model.host, which must be complete, and sets its nics. */
void weir_setup_fill_transports(struct weir_setup *s);
/* Returns the numbers of all hosts, in order; NULL = no memory. */
uint16_t *weir_setup_numbers(const struct weir_setup *s);
/* Frees what these functions have made. */
void weir_setup_free_nics(struct weir_setup *s);
#endif
