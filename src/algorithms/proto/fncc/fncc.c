/* src/algorithms/proto/fncc/fncc.c - the keys, the presets, set-up and the ops table of FNCC. */
#include "proto/fncc/fncc_core.h"
#include "core/recommend.h"
#include "proto/hpcc/hpcc_rows.h"

static const char *const counts[] = { "active", "established", NULL };

const struct weir_param weir_fncc_params[] = {
    WEIR_HPCC_ROWS,
    WEIR_PARAM_NAMED("lhcs", struct weir_fncc_config, lhcs, WEIR_KIND_FLAG, 0, 1, 1,
                     "last-hop congestion shortcut: flows take B T beta / N at once; on in arXiv 2405.07608"),
    WEIR_PARAM_NAMED("alpha", struct weir_fncc_config, alpha_ppm, WEIR_KIND_PPM, 1000000, 10000000, 1050000,
                     "lhcs acts while the last hop holds more than this many BDPs; 1.05 in arXiv 2405.07608"),
    WEIR_PARAM_NAMED("beta", struct weir_fncc_config, beta_ppm, WEIR_KIND_PPM, 1, 1000000, 900000,
                     "share of the fair window that lhcs sets, so that the queue drains; 0.9 in arXiv 2405.07608"),
    WEIR_PARAM_NAMED("lhcs_direct", struct weir_fncc_config, lhcs_direct, WEIR_KIND_FLAG, 0, 1, 0,
                     "lhcs sets the window itself, as the paper's prose says; false: HPCC's step follows, as its "
                     "algorithm 3 says"),
    WEIR_PARAM_NAMED("lhcs_once", struct weir_fncc_config, lhcs_once, WEIR_KIND_FLAG, 0, 1, 0,
                     "lhcs acts once in a round trip: not again until what was sent by then is acknowledged"),
    WEIR_PARAM_NAMED("lhcs_lower_only", struct weir_fncc_config, lhcs_lower_only, WEIR_KIND_FLAG, 0, 1, 0,
                     "lhcs never raises a window: a flow that has less than its share keeps it"),
    WEIR_PARAM_NAMED(
        "lhcs_needs_queue", struct weir_fncc_config, lhcs_needs_queue, WEIR_KIND_FLAG, 0, 1, 0,
        "lhcs acts only while more than alpha - 1 BDPs wait at the last hop; rounded records may show more "
        "than alpha without any queue"),
    WEIR_PARAM_NAMED("lhcs_recent", struct weir_fncc_config, lhcs_recent, WEIR_KIND_FLAG, 0, 1, 0,
                     "N counts only connections whose data came within the last base round trip"),
    WEIR_PARAM_CHOICE("N_counts", struct weir_fncc_config, n_counts, counts, WEIR_FNCC_ACTIVE,
                      "what N counts at the receiver: connections inside a message, or all that ever sent to it"),
    { .key = NULL },
};

static const char *const fncc[] = { "fabric.routing: symmetric", NULL };
static const char *const no_lhcs[] = { "lhcs: false", "fabric.routing: symmetric", NULL };

const struct weir_preset weir_fncc_presets[] = {
    { "fncc", "Xu et al., arXiv 2405.07608, with HPCC's eta, stages and step; any link rate", fncc },
    { "no-lhcs", "the same without the last-hop shortcut: what early notification alone gives", no_lhcs },
    { NULL, NULL, NULL },
};

/* Recommended settings: arXiv 2405.07608 uses PFC. ACKs carry the 42 bytes of HPCC's telemetry, so they take 84 + 42 =
 * 126 B on the wire. */
const char *const weir_fncc_recommends[] = { WEIR_RECOMMEND_LOSSLESS, "fabric.priorities: 1", "framing: ethernet",
                                             "framing.ack_wire: 126 B", NULL };

int weir_fncc_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_fncc_config *cfg = config;
    if (cfg->lhcs_recent && cfg->n_counts != WEIR_FNCC_ACTIVE)
        return weir_misfit(err, "lhcs_recent does not go with N_counts: established, which counts idle connections");
    return weir_hpcc_check(&cfg->hpcc, path, err);
}

static void fncc_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    weir_hpcc_init(cc, config, path);
    ((struct weir_fncc *)cc)->lhcs_seq = 0;
}

const struct weir_cc_ops weir_fncc_ops = {
    .name = "fncc",
    .state_bytes = sizeof(struct weir_fncc),
    .needs = WEIR_NEED_ACK_INT | WEIR_NEED_RECENT,
    .init = fncc_init,
    .on_start = weir_hpcc_on_start,
    .on_ack = weir_fncc_on_ack,
    .rx_data = weir_fncc_rx_data,
};
