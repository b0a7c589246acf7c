/* src/config/rows.c - the keys of the sections `fabric`, `fabric.ecn`, `fabric.events` and `run`. */
#include "config/scenario.h"
#include "topology/route.h"

#define FABRIC(name, field, kind, lo, hi, def, text)                                                                   \
    WEIR_PARAM_NAMED(name, struct weir_fabric_config, field, kind, lo, hi, def, text)

#define BUFFER_MAX UINT64_C(1000000000000) /* below 2^40 products with alpha fit 64 bits: fabric/buffer_core.h */
#define K_MAX UINT64_C(16000000000)        /* below 2^34 products with pmax fit 64 bits: fabric/mark_core.h */
#define RUN_MAX (100000 * WEIR_PS_PER_S)
#define ALPHA_MAX (UINT64_C(1024) * 1000000)

static const struct weir_word unlimited = { "unlimited", UINT64_MAX };
static const struct weir_word off = { "off", UINT64_MAX };
static const struct weir_word none = { "none", UINT64_MAX };
static const struct weir_word all = { "all", WEIR_NEVER };

static const char *const routings[] = {
    [WEIR_ROUTE_ECMP] = "ecmp", [WEIR_ROUTE_SYMMETRIC] = "symmetric", [WEIR_ROUTE_SPRAY] = "spray", NULL
};
static const char *const wheres[] = { "all", "core", NULL };
static const char *const actions[] = { "down", "up", NULL };

const struct weir_param weir_fabric_params[] = {
    WEIR_PARAM_WORD("buffer", struct weir_fabric_config, buffer_bytes, WEIR_KIND_SIZE, 1, BUFFER_MAX, UINT64_MAX,
                    &unlimited, "memory of a switch, shared by its ports; commodity switches have 16 MB to 64 MB"),
    WEIR_PARAM_WORD("port_buffer", struct weir_fabric_config, port_buffer_bytes, WEIR_KIND_SIZE, 1, BUFFER_MAX,
                    UINT64_MAX, &unlimited, "most that one port may hold, whatever is free"),
    FABRIC(
        "alpha", alpha_ppm, WEIR_KIND_PPM, 0, ALPHA_MAX, 0,
        "dynamic threshold: a port may hold alpha times what is free of `buffer`; 0 = off (Choudhury and Hahne, 1998)"),
    FABRIC("priorities", priorities, WEIR_KIND_U32, 1, 8, 1,
           "strict priority classes per port; 1 = first come, first served"),
    WEIR_PARAM_CHOICE(
        "routing", struct weir_fabric_config, routing, routings, WEIR_ROUTE_ECMP,
        "among equal paths: by flow, by flow with the reverse on the same path, or a new one for each packet"),
    FABRIC("loss", loss_ppb, WEIR_KIND_PPB, 0, 1000000000, 0, "random loss on every link, per packet; for tests"),
    FABRIC("reroute_delay", reroute_delay_ps, WEIR_KIND_TIME, 0, RUN_MAX, 0,
           "from a link going down or up until routes follow"),
    { 0 },
};

const struct weir_param weir_ecn_params[] = {
    WEIR_PARAM_CHOICE("where", struct weir_ecn_config, where, wheres, 0,
                      "which ports mark: all, or those between switches"),
    WEIR_PARAM_WORD("threshold", struct weir_ecn_config, threshold, WEIR_KIND_BDP, 0, K_MAX, UINT64_MAX, &off,
                    "K: a packet that finds this much queued is marked (SIGCOMM 2010: 65 packets at 10 Gb/s)"),
    WEIR_PARAM_WORD("kmin", struct weir_ecn_config, kmin, WEIR_KIND_BDP, 0, K_MAX, UINT64_MAX, &none,
                    "instead of threshold: marking begins here (DCQCN, SIGCOMM 2015)"),
    WEIR_PARAM_WORD("kmax", struct weir_ecn_config, kmax, WEIR_KIND_BDP, 0, K_MAX, UINT64_MAX, &none,
                    "with kmin: from here on everything is marked"),
    WEIR_PARAM_NAMED("pmax", struct weir_ecn_config, pmax_ppb, WEIR_KIND_PPB, 0, 1000000000, 1000000000,
                     "share marked just below kmax; rises in a straight line from 0 at kmin"),
    { 0 },
};

const struct weir_param weir_event_params[] = {
    WEIR_PARAM_NAMED("at", struct weir_event_config, at_ps, WEIR_KIND_TIME, 0, RUN_MAX, 0, "when; required"),
    { .key = "link",
      .kind = WEIR_KIND_TEXT,
      .offset = (uint32_t)offsetof(struct weir_event_config, link),
      .min = 1,
      .hint = "a cable by its two ends, 'leaf 0 - spine 1'; required" },
    WEIR_PARAM_CHOICE("action", struct weir_event_config, action, actions, 0, "what happens to it, both directions"),
    { 0 },
};

const struct weir_param weir_run_params[] = {
    WEIR_PARAM_NAMED("warmup", struct weir_run_config, warmup_ps, WEIR_KIND_TIME, 0, RUN_MAX, WEIR_PS_PER_MS,
                     "simulated, not measured"),
    WEIR_PARAM_WORD("measure", struct weir_run_config, measure_ps, WEIR_KIND_TIME, 1, RUN_MAX, 10 * WEIR_PS_PER_MS,
                    &all, "simulated and measured after that; all = until the last message is delivered"),
    WEIR_PARAM_NAMED("seed", struct weir_run_config, seed, WEIR_KIND_U64, 0, UINT64_MAX, 1,
                     "of every random choice; the same seed gives the same run, to the bit"),
    WEIR_PARAM_NAMED("sample", struct weir_run_config, sample_ps, WEIR_KIND_TIME, WEIR_PS_PER_NS, RUN_MAX,
                     WEIR_PS_PER_US, "between the samples that queue percentiles are over"),
    WEIR_PARAM_NAMED("sample_average", struct weir_run_config, sample_average, WEIR_KIND_FLAG, 0, 1, 0,
                     "each sample also tells the mean queue since the one before, as the monitor of ns-2 does"),
    WEIR_PARAM_NAMED("stall", struct weir_run_config, stall_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, RUN_MAX,
                     100 * WEIR_PS_PER_MS, "give up when messages wait and nothing was delivered for so long"),
    { 0 },
};
