/* src/config/rows.c - the keys of the sections `fabric`, those inside it, and `run`. */
#include "config/scenario.h"
#include "topology/route.h"

#define FABRIC(name, field, kind, lo, hi, def, text)                                                                   \
    WEIR_PARAM_NAMED(name, struct weir_fabric_config, field, kind, lo, hi, def, text)

#define BUFFER_MAX UINT64_C(1000000000000) /* below 2^40 products with alpha fit 64 bits: fabric/buffer/buffer_core.h */
#define K_MAX UINT64_C(16000000000)
#define RUN_MAX (100000 * WEIR_PS_PER_S)

static const struct weir_word unlimited = { "unlimited", UINT64_MAX };
static const struct weir_word all = { "all", WEIR_NEVER };
static const struct weir_word by_itself = { "auto", UINT64_MAX };
static const struct weir_word as_needed = { "auto", 0 };
static const struct weir_word not_counted = { "off", 0 };

static const char *const routings[] = {
    [WEIR_ROUTE_ECMP] = "ecmp", [WEIR_ROUTE_SYMMETRIC] = "symmetric", [WEIR_ROUTE_SPRAY] = "spray", NULL
};
static const char *const metrics[] = { [WEIR_METRIC_HOPS] = "hops", [WEIR_METRIC_DELAY] = "delay", NULL };
static const char *const fair_rates[] = { "auto", "off", NULL };
static const char *const int_modes[] = { "auto", "off", "data", "ack", NULL };
static const char *const int_formats[] = { "auto", "exact", "quantised", NULL };
static const char *const pfc_kinds[] = { "off", "static", "dynamic", NULL };
static const char *const pfc_classes[] = { "data", "all", NULL };
static const char *const actions[] = { "down", "up", NULL };
static const char *const starts[] = { [WEIR_START_OWN] = "law", [WEIR_START_ALLOCATION] = "allocation", NULL };
static const char *const compares[] = { [WEIR_COMPARE_NONE] = "none", [WEIR_COMPARE_ALLOCATION] = "allocation", NULL };

const struct weir_param weir_fabric_params[] = {
    WEIR_PARAM_WORD("buffer", struct weir_fabric_config, buffer_bytes, WEIR_KIND_SIZE, 1, BUFFER_MAX, UINT64_MAX,
                    &unlimited,
                    "memory of a switch, shared by its ports; commodity switches have 16 MB to 64 MB. Unlimited, and "
                    "pfc.kind: dynamic: 16 MiB per 50 Gb/s of the host link (HPCC's simulator)"),
    FABRIC("priorities", priorities, WEIR_KIND_U32, 1, 8, 1,
           "strict priority classes per port; 1 = first come, first served"),
    FABRIC("reroute_delay", reroute_delay_ps, WEIR_KIND_TIME, 0, RUN_MAX, 0,
           "from a link going down or up until routes follow"),
    WEIR_PARAM_TEXT(
        "order", struct weir_fabric_config, order, 0, "",
        "in which order a port asks its features, all that are on, as in [ecn, codel]; matters where one drops "
        "what another would see; without it the order of weir list features"),
    WEIR_PARAM_CHOICE(
        "fair_rate", struct weir_fabric_config, fair_rate, fair_rates, 0,
        "auto: ports compute fair rates and tell them to their flows if the protocol needs it (RoCC, CoNEXT "
        "2020)"),
    { 0 },
};

const struct weir_param weir_routing_params[] = {
    WEIR_PARAM_CHOICE(
        "mode", struct weir_routing_config, mode, routings, WEIR_ROUTE_ECMP,
        "among equal paths: by flow, by flow with the reverse on the same path, or a new one for each packet"),
    WEIR_PARAM_CHOICE("metric", struct weir_routing_config, metric, metrics, WEIR_METRIC_HOPS,
                      "which paths are shortest: those of the fewest links, or of the least sum of link delays"),
    { 0 },
};

const struct weir_param weir_int_params[] = {
    WEIR_PARAM_CHOICE(
        "mode", struct weir_int_config, mode, int_modes, WEIR_INT_AUTO,
        "data: into data as it leaves a port (HPCC, SIGCOMM 2019); ack: of the request path into returning "
        "ACKs (FNCC); auto = what the protocol needs"),
    WEIR_PARAM_CHOICE(
        "format", struct weir_int_config, format, int_formats, WEIR_INT_AS_READ,
        "exact, or quantised: 24 bits of 1 ns, 20 bits of 128 B, 16 bits of 80 B; auto = as the protocol's "
        "key int says, else exact"),
    WEIR_PARAM_WORD(
        "multi", struct weir_int_config, multi, WEIR_KIND_U32, 0, 64, 0, &as_needed,
        "quantised: byte units are this many times 128 and 80 B; auto = as the protocol's key int_multi says, else "
        "the host link's rate in 25 Gb/s"),
    WEIR_PARAM_NAMED("period", struct weir_int_config, period_ps, WEIR_KIND_TIME, 0, WEIR_PS_PER_MS, 0,
                     "ack: a switch reads all its ports this often, and records are as of then; 0 = at the instant"),
    { 0 },
};

#define PFC(name, field, kind, lo, hi, def, text)                                                                      \
    WEIR_PARAM_NAMED(name, struct weir_pfc_config, field, kind, lo, hi, def, text)

const struct weir_param weir_pfc_params[] = {
    WEIR_PARAM_CHOICE("kind", struct weir_pfc_config, kind, pfc_kinds, WEIR_PFC_OFF,
                      "static: pause above xoff; dynamic: above a share of the free buffer, as in HPCC's public "
                      "simulator"),
    WEIR_PARAM_CHOICE("classes", struct weir_pfc_config, classes, pfc_classes, 0,
                      "which are lossless: data: all but class 0, which carries control (and with one class that one); "
                      "all"),
    PFC("xoff", xoff_bytes, WEIR_KIND_SIZE, 1, K_MAX, 500000,
        "static: pause when an in-link's class holds more; 500 KB in FNCC's runs, 800 KB in RoCC's at 100 Gb/s"),
    WEIR_PARAM_WORD("xon", struct weir_pfc_config, xon_bytes, WEIR_KIND_SIZE, 1, K_MAX, UINT64_MAX, &by_itself,
                    "static: resume when it holds less; auto = two full packets below xoff"),
    WEIR_PARAM_WORD(
        "headroom", struct weir_pfc_config, headroom_bytes, WEIR_KIND_SIZE, 0, K_MAX, UINT64_MAX, &by_itself,
        "of each in-link and class, for what arrives after a pause; auto = the most that can, from rate and "
        "delay"),
    PFC("alpha_shift", alpha_shift, WEIR_KIND_U32, 0, 32, 3,
        "dynamic: the threshold is what is free divided by 2^this, one less for each doubling of the port's rate above "
        "the host link's; 3 in HPCC's simulator"),
    PFC("reserve", reserve_bytes, WEIR_KIND_SIZE32, 0, 100000000, 4096,
        "dynamic: each in-link and class has this much of its own; 4 KiB in HPCC's simulator"),
    PFC("resume_offset", resume_offset_bytes, WEIR_KIND_SIZE32, 0, 100000000, 3072,
        "dynamic: resume this far below the threshold; 3 KiB in HPCC's simulator"),
    WEIR_PARAM_WORD("storm", struct weir_pfc_config, storm_ps, WEIR_KIND_TIME, 1, RUN_MAX, WEIR_PS_PER_MS, &not_counted,
                    "a port paused for longer at a stretch counts as a pause storm; 1 ms is ours"),
    { 0 },
};

const struct weir_param weir_event_params[] = {
    WEIR_PARAM_NAMED("at", struct weir_event_config, at_ps, WEIR_KIND_TIME, 0, RUN_MAX, 0, "when; required"),
    WEIR_PARAM_TEXT("link", struct weir_event_config, link, 1, "",
                    "a cable by its two ends, 'leaf 0 - spine 1'; required"),
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
    WEIR_PARAM_WORD("series", struct weir_run_config, series_ps, WEIR_KIND_TIME, WEIR_PS_PER_NS, RUN_MAX, 0, &as_needed,
                    "between points of a series in a result file; auto = a thousandth of the run"),
    WEIR_PARAM_WORD("group_a", struct weir_run_config, group_bytes[0], WEIR_KIND_SIZE, 1, BUFFER_MAX, UINT64_MAX,
                    &by_itself, "slowdown group A: messages below this; auto = one full packet, as SIRD's"),
    WEIR_PARAM_WORD("group_b", struct weir_run_config, group_bytes[1], WEIR_KIND_SIZE, 1, BUFFER_MAX, UINT64_MAX,
                    &by_itself, "group B: messages below this that are not in A; auto = 1 BDP"),
    WEIR_PARAM_WORD("group_c", struct weir_run_config, group_bytes[2], WEIR_KIND_SIZE, 1, BUFFER_MAX, UINT64_MAX,
                    &by_itself, "group C: messages below this that are in neither; D is the rest; auto = 8 BDP"),
    WEIR_PARAM_CHOICE(
        "start", struct weir_run_config, start, starts, WEIR_START_OWN,
        "what flows begin at; law: as the protocol says, allocation: their weighted max-min shares, as weir "
        "allocate finds them for all of them at once"),
    WEIR_PARAM_CHOICE("compare", struct weir_run_config, compare, compares, WEIR_COMPARE_NONE,
                      "allocation: the rates flows come to beside their weighted max-min shares, and how soon "
                      "(doc/allocate.md)"),
    WEIR_PARAM_NAMED("stall", struct weir_run_config, stall_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, RUN_MAX,
                     100 * WEIR_PS_PER_MS, "give up when messages wait and nothing was delivered for so long"),
    { 0 },
};
