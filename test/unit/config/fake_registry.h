/* test/unit/config/fake_registry.h - a registry of two made-up protocols, so that these tests hold whatever protocols
 * exist. It stands in front of the library's own at link time. Included once per test program. */
#ifndef WEIR_TEST_FAKE_REGISTRY_H
#define WEIR_TEST_FAKE_REGISTRY_H
#include "features/buffer/buffer.h"
#include "features/cables/cables.h"
#include "features/ecn/ecn.h"
#include "features/fair_rate/fair_rate.h"
#include "features/int/int.h"
#include "features/loss/loss.h"
#include "features/maxqd/maxqd.h"
#include "features/pfc/pfc.h"
#include "features/priorities/priorities.h"
#include "features/wrr/wrr.h"
#include "registry.h"

struct fake_config {
    uint32_t g_ppm, shared;
    struct weir_size window;
    uint64_t wait_ps;
};

static const char *const fake_shared[] = { "no", "per-peer", NULL };
static const struct weir_param fake_params[] = {
    WEIR_PARAM_NAMED("g", struct fake_config, g_ppm, WEIR_KIND_PPM, 1, 1000000, 62500,
                     "averaging weight; 1/16 in the paper"),
    WEIR_PARAM_CHOICE("shared", struct fake_config, shared, fake_shared, 0, "who shares a state"),
    { .key = "window",
      .kind = WEIR_KIND_BDP,
      .offset = (uint32_t)offsetof(struct fake_config, window),
      .min = 1000,
      .max = 1u << 30,
      .milli_default = 1000,
      .hint = "window of a new flow" },
    WEIR_PARAM_NAMED("wait", struct fake_config, wait_ps, WEIR_KIND_TIME, 0, WEIR_PS_PER_S, 6 * WEIR_PS_PER_US,
                     "patience"),
    { 0 },
};
static const char *const fake_plain[] = { NULL };
static const char *const fake_old[] = { "g: 0.08",
                                        "window: 96360 B",
                                        "framing: ns2",
                                        "host.reply_bytes: 4",
                                        "fabric.ecn.threshold: 123000 B",
                                        "fabric.routing: spray",
                                        "run.stall: 7 ms",
                                        NULL };
static const char *const fake_ramp[] = { "fabric.ecn.kmin: 5 KB", "fabric.ecn.kmax: 200 KB", "fabric.ecn.pmax: 1%",
                                         "framing.payload: 1000 B", NULL };
static const struct weir_preset fake_presets[] = {
    { "paper", "as published", fake_plain },
    { "ns2", "as simulated", fake_old },
    { "ramp", "marks by a ramp", fake_ramp },
    { 0 },
};

static const char *const fake_recommends[] = { "fabric.pfc.kind: off", "framing: udp", NULL };
static const struct weir_param fake_none[] = { { 0 } };

const struct weir_protocol weir_protocols[] = {
    { .name = "dctcp",
      .hint = "a stand-in",
      .source = "nobody, 2010",
      .params = fake_params,
      .presets = fake_presets,
      .config_bytes = sizeof(struct fake_config) },
    { .name = "none",
      .hint = "sends and forgets",
      .source = "nobody, 2011",
      .params = fake_none,
      .recommends = fake_recommends,
      .config_bytes = 0 },
    { 0 },
};
/* The real rows: what they read is part of these tests. */
const struct weir_feature *const weir_features[] = {
    &weir_ecn_feature,
    &weir_buffer_feature,
    &weir_priorities_feature,
    &weir_pfc_feature,
    &weir_int_feature,
    &weir_fair_rate_feature,
    &weir_maxqd_feature,
    &weir_wrr_feature,
    &weir_loss_feature,
    &weir_cables_feature,
    NULL,
};
#endif
