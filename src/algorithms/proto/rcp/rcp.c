/* src/algorithms/proto/rcp/rcp.c - the keys, the presets, set-up, the rare events and the ops table of RCP. */
#include "proto/rcp/rcp_core.h"
#include "core/recommend.h"

const struct weir_param weir_rcp_params[] = {
    WEIR_PARAM_NAMED("restart", struct weir_rcp_config, restart, WEIR_KIND_FLAG, 0, 1, 1,
                     "every message begins as a new flow: its first packet goes alone and brings back the rate"),
    WEIR_PARAM_NAMED(
        "refresh", struct weir_rcp_config, refresh_ppm, WEIR_KIND_PPM, 0, 1000000, 1000000,
        "a flow sends so many full packets per round trip at least, whatever its rate, to learn of a higher "
        "one; in place of RCP's REF packets. 0 = none"),
    { .key = NULL },
};

static const char *const scripts[] = { "fabric.routing: ecmp", NULL }; /* the gains are the defaults of fabric.rcp */
static const char *const module[] = { "fabric.rcp.alpha: 0.4", "fabric.rcp.beta: 0.4", "fabric.routing: ecmp", NULL };

const struct weir_preset weir_rcp_presets[] = {
    { "scripts", "gains of public simulation scripts for RCP: alpha 0.1, beta 1.0", scripts },
    { "module", "gains in comments of the authors' ns-2 module: alpha 0.4, beta 0.4", module },
    { NULL, NULL, NULL },
};

/* Recommended settings: routers drop packets, as in IWQoS 2005, so there is no PFC. */
const char *const weir_rcp_recommends[] = { WEIR_RECOMMEND_LOSSY, "fabric.priorities: 1", NULL };

static void rcp_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    struct weir_rcp *r = (struct weir_rcp *)cc;
    (void)config;
    *r = (struct weir_rcp){
        .cc = { .timer_ps = WEIR_NEVER },
        .line_bps = path->rate_bps,
        .rtt_ps = path->base_rtt_ps,
        .mss_bytes = path->mss_bytes,
        .wire_bytes = weir_path_wire_bytes(path),
    };
    weir_rcp_begin_flow(r);
}

static void rcp_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    const struct weir_rcp_config *cfg = config;
    (void)now_ps;
    if (cfg->restart)
        weir_rcp_begin_flow((struct weir_rcp *)cc);
}

/* Begins the flow anew after a timeout. Any other loss changes nothing, because the switches alone set the rate. */
static void rcp_on_loss(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    (void)config;
    if (loss->is_timeout)
        weir_rcp_begin_flow((struct weir_rcp *)cc);
}

const struct weir_cc_ops weir_rcp_ops = {
    .name = "rcp",
    .state_bytes = sizeof(struct weir_rcp),
    .needs = WEIR_NEED_RCP,
    .init = rcp_init,
    .on_start = rcp_on_start,
    .on_ack = weir_rcp_on_ack,
    .on_loss = rcp_on_loss,
};
