/* src/scenario/config/rows.c - tables of keys of the sections `fabric`, `fabric.routing` and `run`. */
#include "config/scenario.h"
#include "topology/route.h"

#define FABRIC(name, field, kind, lo, hi, def, text)                                                                   \
    WEIR_PARAM_NAMED(name, struct weir_fabric_config, field, kind, lo, hi, def, text)

/* below 2^40, so that products with alpha fit 64 bits: features/buffer/buffer_core.h */
#define BUFFER_MAX UINT64_C(1000000000000)
#define RUN_MAX (100000 * WEIR_PS_PER_S)

static const struct weir_keyword unlimited = { "unlimited", UINT64_MAX };
static const struct weir_keyword as_precise = { "auto", WEIR_MEASURE_AUTO };
static const struct weir_keyword all = { "all", WEIR_NEVER };
static const struct weir_keyword by_itself = { "auto", UINT64_MAX };
static const struct weir_keyword as_needed = { "auto", 0 };

static const char *const routings[] = { [WEIR_ROUTE_ECMP] = "ecmp",
                                        [WEIR_ROUTE_SYMMETRIC] = "symmetric",
                                        [WEIR_ROUTE_SPRAY] = "spray",
                                        [WEIR_ROUTE_TREES] = "trees",
                                        NULL };
static const char *const metrics[] = { [WEIR_METRIC_HOPS] = "hops", [WEIR_METRIC_DELAY] = "delay", NULL };
static const char *const starts[] = { [WEIR_START_OWN] = "law", [WEIR_START_ALLOCATION] = "allocation", NULL };
static const char *const completes[] = {
    [WEIR_COMPLETE_RECEIVER] = "receiver", [WEIR_COMPLETE_SENDER] = "sender", NULL
};
static const char *const statistics[] = {
    [WEIR_STATISTICS_EXACT] = "exact", [WEIR_STATISTICS_SAMPLED] = "sampled", NULL
};
static const char *const skips[] = { [WEIR_SKIP_NONE] = "none", [WEIR_SKIP_EXACT] = "exact", NULL };
static const char *const compares[] = { [WEIR_COMPARE_NONE] = "none", [WEIR_COMPARE_ALLOCATION] = "allocation", NULL };

const struct weir_param weir_fabric_params[] = {
    WEIR_PARAM_KEYWORD(
        "buffer", struct weir_fabric_config, buffer_bytes, WEIR_KIND_SIZE, 1, BUFFER_MAX, UINT64_MAX, &unlimited,
        "memory of a switch, shared by its ports; commodity switches have 16 MB to 64 MB. Unlimited, and "
        "pfc.kind: dynamic: 16 MiB per 50 Gb/s of the host link (HPCC's simulator)"),
    WEIR_PARAM_TEXT("order", struct weir_fabric_config, order, 0, "",
                    "in which order a port asks its features, all that are on and do something with packets, as in "
                    "[ecn, codel]; matters "
                    "where one drops "
                    "what another would see; without it the order of weir list features"),
    { 0 },
};

const struct weir_param weir_switch_item_params[] = {
    WEIR_PARAM_TEXT("at", struct weir_switch_item, at, 1, "",
                    "which switches: a tier, leaf, one of it, leaf 0, some of it, leaf 0..3, or a list of these; names "
                    "as weir topology --cables prints them; required"),
    WEIR_PARAM_KEYWORD("buffer", struct weir_switch_item, buffer_bytes, WEIR_KIND_SIZE, 1, BUFFER_MAX, UINT64_MAX,
                       &unlimited, "memory of each of these switches, instead of fabric.buffer"),
    { 0 },
};

const struct weir_param weir_routing_params[] = {
    WEIR_PARAM_CHOICE("mode", struct weir_routing_config, mode, routings, WEIR_ROUTE_ECMP,
                      "among equal paths: by flow, by flow with the reverse on the same path, or a new one for each "
                      "packet; trees: each "
                      "flow keeps to one of several spanning trees, both ways (FNCC's authors)"),
    WEIR_PARAM_CHOICE("metric", struct weir_routing_config, metric, metrics, WEIR_METRIC_HOPS,
                      "which paths are shortest: those of the fewest links, or of the least sum of link delays"),
    { 0 },
};

const struct weir_param weir_run_params[] = {
    WEIR_PARAM_NAMED("warmup", struct weir_run_config, warmup_ps, WEIR_KIND_TIME, 0, RUN_MAX, WEIR_PS_PER_MS,
                     "simulated, not measured"),
    WEIR_PARAM_KEYWORD("measure", struct weir_run_config, measure_ps, WEIR_KIND_TIME, 1, RUN_MAX, 10 * WEIR_PS_PER_MS,
                       &all,
                       "simulated and measured after that; all = until the last message is delivered, auto = for as "
                       "long as precision needs, after a warm-up as long as the run needs (doc/means.md)",
                       .keyword_too = &as_precise),
    WEIR_PARAM_NAMED("precision", struct weir_run_config, precision_ppm, WEIR_KIND_PPM, 1000, 500000, 50000,
                     "measure: auto: the run ends when half the 95 % interval of mean slowdown, of goodput and of the "
                     "mean queue is at most this share of each"),
    WEIR_PARAM_NAMED("most", struct weir_run_config, most_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, RUN_MAX,
                     200 * WEIR_PS_PER_MS,
                     "measure: auto: measured for so long at most, and for a twentieth of it at least"),
    WEIR_PARAM_NAMED("seed", struct weir_run_config, seed, WEIR_KIND_U64, 0, UINT64_MAX, 1,
                     "of every random choice; the same seed gives the same run, to the bit"),
    WEIR_PARAM_NAMED("sample", struct weir_run_config, sample_ps, WEIR_KIND_TIME, WEIR_PS_PER_NS, RUN_MAX,
                     WEIR_PS_PER_US, "between the samples that queue percentiles are over"),
    WEIR_PARAM_NAMED("sample_average", struct weir_run_config, sample_average, WEIR_KIND_FLAG, 0, 1, 0,
                     "each sample also has the mean queue since the one before, as the monitor of ns-2 does"),
    WEIR_PARAM_CHOICE("statistics", struct weir_run_config, statistics, statistics, WEIR_STATISTICS_EXACT,
                      "how mean and longest queues are known: exact = counted with each packet, sampled = of the "
                      "samples alone, a tenth faster, with longest queues that are too short (doc/engine.md)"),
    WEIR_PARAM_CHOICE("skip", struct weir_run_config, skip, skips, WEIR_SKIP_NONE,
                      "exact: whole periods of a state that comes back are computed, not simulated, with the same "
                      "results (doc/skip.md)"),
    WEIR_PARAM_KEYWORD("series", struct weir_run_config, series_ps, WEIR_KIND_TIME, WEIR_PS_PER_NS, RUN_MAX, 0,
                       &as_needed, "between points of a series in a result file; auto = a thousandth of the run"),
    WEIR_PARAM_KEYWORD(
        "group_a", struct weir_run_config, group_bytes[0], WEIR_KIND_SIZE, 1, BUFFER_MAX, UINT64_MAX, &by_itself,
        "slowdown group A: messages below this; auto = one full packet of plain Ethernet, 1460 B, whatever "
        "the protocol's "
        "framing, so that runs can be compared"),
    WEIR_PARAM_KEYWORD(
        "group_b", struct weir_run_config, group_bytes[1], WEIR_KIND_SIZE, 1, BUFFER_MAX, UINT64_MAX, &by_itself,
        "group B: messages below this that are not in A; auto = 1 BDP, in plain Ethernet frames as well"),
    WEIR_PARAM_KEYWORD("group_c", struct weir_run_config, group_bytes[2], WEIR_KIND_SIZE, 1, BUFFER_MAX, UINT64_MAX,
                       &by_itself, "group C: messages below this that are in neither; D is the rest; auto = 8 BDP"),
    WEIR_PARAM_NAMED("short", struct weir_run_config, short_bytes, WEIR_KIND_SIZE, 0, BUFFER_MAX, 8000,
                     "messages of up to so many bytes are short: the share of their packets that arrive marked is "
                     "marked_short_share. Dart (ToN 2020): 8 KB"),
    WEIR_PARAM_CHOICE(
        "start", struct weir_run_config, start, starts, WEIR_START_OWN,
        "what flows begin at; law: as the protocol says, allocation: their weighted max-min shares, as weir "
        "allocate finds them for all of them at once"),
    WEIR_PARAM_CHOICE("compare", struct weir_run_config, compare, compares, WEIR_COMPARE_NONE,
                      "allocation: the rates flows come to, next to their weighted max-min shares, and how soon "
                      "(doc/allocate.md)"),
    WEIR_PARAM_CHOICE("complete_at", struct weir_run_config, complete_at, completes, WEIR_COMPLETE_RECEIVER,
                      "where a message ends for latencies and goodput: when all of it is at its receiver, or when its "
                      "sender knows, an acknowledgement later, as dcPIM's authors count. Jobs end at receivers"),
    WEIR_PARAM_KEYWORD("stall", struct weir_run_config, stall_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, RUN_MAX, 0,
                       &as_needed,
                       "give up when messages wait and nothing was delivered for so long; auto = 100 ms, or four times "
                       "host.rto_init where that is longer"),
    { 0 },
};

const struct weir_param weir_deployed_params[] = {
    { .key = "ports",
      .kind = WEIR_KIND_TEXT,
      .hint = "a map from hosts to network devices: {host 0: eth1, host 1: eth2}; without it a switch in user space "
              "makes hosts that are namespaces" },
    { .key = "addresses",
      .kind = WEIR_KIND_TEXT,
      .hint = "a map from hosts to addresses, in the kernel of IPv4 alone: {host 0: 10.0.0.1}; without it the switch "
              "learns them from what "
              "hosts send" },
    WEIR_PARAM_U32(struct weir_deployed_config, udp_port, 0, 65535, 7413,
                   "UDP port of weir serve: maxqd raises delays in datagrams from and to it too, in those that have a "
                   "field for it (doc/linux.md); 0 = in none"),
    WEIR_PARAM_NAMED("pfc_frames", struct weir_deployed_config, pfc_frames, WEIR_KIND_FLAG, 0, 1, 0,
                     "in user space: a host that a switch pauses gets PFC frames (802.1Qbb), and those of its NIC are "
                     "obeyed. For real NICs that do so: class c is priority c. Needs fabric.pfc"),
    { 0 },
};
