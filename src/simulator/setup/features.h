/* src/simulator/setup/features.h - the parts of the set-up: switch features, weights and laws. Only files of this room
 * include it. */
#ifndef WEIR_SETUP_FEATURES_H
#define WEIR_SETUP_FEATURES_H
#include "core/feature_setup.h"
#include "setup/setup.h"

struct weir_routes;

/* Returns the struct weir_fabric_env that the set-up of features reads. The topology and its paths must be set up. The
 * returned struct points into *s and its scenario. */
struct weir_fabric_env weir_setup_env(struct weir_setup *s);

/* Sets up the switch features: fills s->model.features, the fields of the model and of laws that features set, and
 * s->offers. Topology and paths must be set up. Allocates s->feature_models, which the caller frees, also on error.
 * @return 0, or a code with err */
int weir_setup_features(struct weir_setup *s, struct weir_err *err);

/* ---- switches.c: fabric.switches ---- */

/* Finds which items apply to which switches. The topology must be set up. @return 0, or a code with err: an item names
 * something else than switches. The caller frees by weir_setup_free_switches(), also on error */
int weir_setup_switches(struct weir_setup *s, struct weir_err *err);
void weir_setup_free_switches(struct weir_setup *s);

/* Sets up the variants of feature f of the scenario, if items change it. The feature of the run must be set up: env is
 * for it, model is its model, and *plan its plan, which becomes that of all variants. @return 0, or a code with err */
int weir_setup_variants(struct weir_setup *s, struct weir_fabric_env *env, uint32_t f, const void *model,
                        struct weir_feature_plan *plan, struct weir_err *err);

/* Sets model.memory_of if items set memories. Features must be set up. @return 0, or WEIR_E_MEMORY with err */
int weir_setup_switch_memory(struct weir_setup *s, struct weir_err *err);

/* ---- paths.c ---- */

/* Checks, for law k, whether each switch on the paths of the law's messages offers what the law needs. Features and
 * workload must be set up. @return 0, or WEIR_E_CONFLICT with err, which names a pair of hosts and a switch. If the law
 * works without, writes a warning in s->switch_warning for a feature instead */
int weir_setup_check_paths(struct weir_setup *s, uint32_t k, struct weir_err *err);

/* Sets track of every law. If flows have weights and a law reads them, also sets path.least_weight_q20 of the law to
 * the smallest weight that is known at set-up. Policies may set lower ones during the run. The workload must be
 * built. */
void weir_setup_weights(struct weir_setup *s);

/* Refuses weights of flows if neither the law of the flows nor the ports use them. @return 0, or WEIR_E_CONFLICT with
 * err */
int weir_setup_check_weights(const struct weir_setup *s, struct weir_err *err);

/* Refuses the protocol of law k if it needs something that the fabric does not offer, or more classes than ports have.
 * s->law[k] and s->offers must be set. @return 0, or WEIR_E_CONFLICT with err */
int weir_setup_needs(const struct weir_setup *s, uint32_t k, struct weir_err *err);

/* ---- laws.c: what is done once for each law of a run ---- */

/* Refuses frames that are too long. @return 0, or WEIR_E_RANGE with err */
int weir_setup_laws_framing(const struct weir_setup *s, struct weir_err *err);

/* Fills the path of law k: base round trip, BDP and packets, with the frames of this law. s->path_links must be set.
 * @return 0, or WEIR_E_MEMORY with err */
int weir_setup_law_path(struct weir_setup *s, uint32_t k, const struct weir_routes *routes, struct weir_err *err);

/* Sets the number of switches between the hosts of each two first-hop switches, for laws with WEIR_NEED_HOPS. Allocates
 * s->switches if there are such laws. @return 0, or WEIR_E_MEMORY with err */
int weir_setup_law_hops(struct weir_setup *s, const struct weir_routes *routes, struct weir_err *err);

/* Fills s->law, sets the timers that the scenario leaves open, and checks each law's needs and host keys. Features must
 * be set up. @return 0, or a code with err */
int weir_setup_laws(struct weir_setup *s, struct weir_err *err);

/* Tests whether all laws read the lists of senders of a group (WEIR_HEAD_GROUP). */
bool weir_setup_laws_read_groups(const struct weir_setup *s);

/* Checks each law against the messages of its own traffic items. The workload must be built. @return 0, or
 * WEIR_E_CONFLICT with err */
int weir_setup_laws_check_traffic(const struct weir_setup *s, struct weir_err *err);

/* Calls each protocol's fit(), if it has one, with the sizes of the law's own messages. @return 0, or WEIR_E_MEMORY
 * with err */
int weir_setup_laws_fit(const struct weir_setup *s, struct weir_err *err);

/* Refuses protocol keys that do not fit each other, the path or the weights. @return 0, or a code with err */
int weir_setup_laws_check(struct weir_setup *s, struct weir_err *err);

/* Writes the names of the run's protocols to out, each once: "dctcp, cubic and sird". */
void weir_setup_law_names(struct weir_scenario *scn, char *out, size_t size);

/* Adds the protocols of the run to a refusal, if there are several and it does not name them all. @return code */
int weir_setup_laws_name(struct weir_scenario *scn, int code, struct weir_err *err);
#endif
