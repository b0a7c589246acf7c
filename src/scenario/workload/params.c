/* src/scenario/workload/params.c - the keys of one item of the list `traffic`, and the names of their choices. */
#include "core/pkt.h"
#include "core/units.h"
#include "workload/plan.h"
#include "workload/workload.h"

const char *const weir_traffic_kinds[] = {
    [WEIR_TRAFFIC_POISSON] = "poisson",
    [WEIR_TRAFFIC_INCAST] = "incast",
    [WEIR_TRAFFIC_PERMUTATION] = "permutation",
    [WEIR_TRAFFIC_FLOWS] = "flows",
    [WEIR_TRAFFIC_JOBS] = "jobs",
    [WEIR_TRAFFIC_PAIRS] = "pairs",
    [WEIR_TRAFFIC_CBR] = "cbr",
    [WEIR_TRAFFIC_SESSION] = "session",
    [WEIR_TRAFFIC_COLLECTIVE] = "collective",
    [WEIR_TRAFFIC_GOAL] = "goal",
    [WEIR_TRAFFIC_CHAKRA] = "chakra",
    [WEIR_TRAFFIC_SIMAI] = "simai",
    NULL,
};
const char *const weir_collective_ops[] = {
    [WEIR_ALL_REDUCE] = "all-reduce", [WEIR_ALL_GATHER] = "all-gather", [WEIR_REDUCE_SCATTER] = "reduce-scatter",
    [WEIR_ALL_TO_ALL] = "all-to-all", [WEIR_BROADCAST] = "broadcast",   NULL,
};
const char *const weir_collective_algorithms[] = {
    [WEIR_ALGORITHM_RING] = "ring",
    [WEIR_ALGORITHM_TREE] = "tree",
    [WEIR_ALGORITHM_HALVING_DOUBLING] = "halving-doubling",
    [WEIR_ALGORITHM_DIRECT] = "direct",
    [WEIR_ALGORITHM_PIPELINE] = "pipeline",
    NULL,
};
const char *const weir_collective_overs[] = {
    [WEIR_OVER_ALL] = "all", [WEIR_OVER_TP] = "tp", [WEIR_OVER_EP] = "ep",
    [WEIR_OVER_DP] = "dp",   [WEIR_OVER_PP] = "pp", NULL,
};
static const char *const placements[] = { [WEIR_PLACEMENT_PACKED] = "packed",
                                          [WEIR_PLACEMENT_SPREAD] = "spread",
                                          [WEIR_PLACEMENT_RAIL_ALIGNED] = "rail-aligned",
                                          [WEIR_PLACEMENT_RANDOM] = "random",
                                          [WEIR_PLACEMENT_FILE] = "file",
                                          NULL };
static const char *const interpolations[] = { "auto", "linear", "log-linear", NULL };
static const char *const load_means[] = { "true", "nominal", NULL };
static const char *const connections[] = { [WEIR_CONNECTIONS_ONE] = "one", [WEIR_CONNECTIONS_WEIGHT] = "weight", NULL };
static const char *const draws[] = { [WEIR_DRAW_UNIFORM] = "uniform", [WEIR_DRAW_LOG_UNIFORM] = "log-uniform", NULL };
static const char *const arrivals[] = {
    [WEIR_ARRIVALS_PERIODIC] = "periodic", [WEIR_ARRIVALS_POISSON] = "poisson", NULL
};
static const char *const measured[] = {
    [WEIR_MEASURED_AUTO] = "auto", [WEIR_MEASURED_TRUE] = "true", [WEIR_MEASURED_FALSE] = "false", NULL
};
static const char *const flow_formats[] = {
    [WEIR_FLOWS_AUTO] = "auto", [WEIR_FLOWS_CSV] = "csv",           [WEIR_FLOWS_HTSIM] = "htsim",
    [WEIR_FLOWS_HPCC] = "hpcc", [WEIR_FLOWS_CONWEAVE] = "conweave", [WEIR_FLOWS_HOMA] = "homa",
    [WEIR_FLOWS_YAPS] = "yaps", [WEIR_FLOWS_PARSIMON] = "parsimon", NULL,
};
static const char *const start_units[] = {
    [WEIR_START_UNIT_NONE] = "none",
    [WEIR_START_UNIT_US] = "us",
    [WEIR_START_UNIT_NS] = "ns",
    [WEIR_START_UNIT_PS] = "ps",
    NULL,
};
static const char *const goal_layouts[] = {
    [WEIR_GOAL_LAYOUT_NONE] = "none", [WEIR_GOAL_LAYOUT_NODE] = "node", [WEIR_GOAL_LAYOUT_GPU] = "gpu", NULL
};
static const char *const dependencies[] = { [WEIR_DEPENDENCIES_DATA] = "data", [WEIR_DEPENDENCIES_ALL] = "all", NULL };
static const struct weir_keyword not_at_all = { "never", 0 };
static const struct weir_keyword never = { "never", WEIR_NEVER };
static const struct weir_keyword own_class = { "auto", WEIR_TRAFFIC_CLASS_AUTO };
static const struct weir_keyword auto_period = { "auto", 0 };

#define OF(kind) (1u << WEIR_TRAFFIC_##kind)
#define ITEM(name, field, kind, lo, hi, def, ...)                                                                      \
    WEIR_PARAM_NAMED(name, struct weir_traffic_config, field, kind, lo, hi, def, __VA_ARGS__)
#define ITEM_TEXT(name, field, ...) WEIR_PARAM_TEXT(name, struct weir_traffic_config, field, 0, "", __VA_ARGS__)
#define ITEM_CHOICE(name, field, list, ...)                                                                            \
    WEIR_PARAM_CHOICE(name, struct weir_traffic_config, field, list, 0, __VA_ARGS__)

const struct weir_param weir_traffic_params[] = {
    ITEM_CHOICE(
        "kind", kind, weir_traffic_kinds,
        "poisson, incast: open loop at a load; permutation: one message per host; flows: a list from a "
        "file; jobs: flows that wait for others, from a file; pairs: flows of random pairs of hosts; cbr: packets at a "
        "constant rate; session: messages that a program gives while the run goes on (doc/session.md); collective: "
        "operations of groups of ranks, as all-reduce (doc/collectives.md); goal, chakra, simai: a trace of a "
        "distributed program (doc/traces.md)"),
    ITEM_TEXT(
        "sizes", sizes,
        "poisson, session: name of a distribution (wkc), a path ending in .csv or .txt, or one size (1460 B). poisson "
        "needs it; of a session it says about what will come, for protocols that prepare for it (homa)",
        .kinds = OF(POISSON) | OF(SESSION)),
    ITEM_CHOICE("interpolate", interpolate, interpolations,
                "poisson: between the points of a distribution; auto = as its own generator, log-linear for a file "
                "without size 0",
                .kinds = OF(POISSON)),
    ITEM("load", load_ppm, WEIR_KIND_PPM, 1, 999999, 0,
         "poisson, incast: payload bits per host, as a part of the host link's rate: must be below 100 %; required for "
         "poisson",
         .kinds = OF(POISSON) | OF(INCAST)),
    ITEM_TEXT("from", from, "poisson, incast, cbr: the hosts that send, by number, as in 0..9 or 7; empty = all",
              .kinds = OF(POISSON) | OF(INCAST) | OF(CBR)),
    ITEM_TEXT("to", to, "poisson, incast, cbr: the hosts they send to, likewise; 0..1023/8 = every eighth of these",
              .kinds = OF(POISSON) | OF(INCAST) | OF(CBR)),
    ITEM("share", share_ppm, WEIR_KIND_PPM, 1, 999999, 0,
         "incast: its part of the total load; the poisson items keep the rest (SIRD: 7 %)", .kinds = OF(INCAST)),
    ITEM_CHOICE("load_mean", load_mean, load_means,
                "poisson: mean size behind the load; true = of what is drawn, nominal = what the published runs used",
                .kinds = OF(POISSON)),
    ITEM("fan_in", fan_in, WEIR_KIND_U32, 1, 65535, 30,
         "incast: senders per event, below the number of hosts (SIRD: 30)", .kinds = OF(INCAST)),
    ITEM_CHOICE("arrivals", arrivals, arrivals,
                "incast: periodic = an event after each period; poisson = after random times of that mean",
                .kinds = OF(INCAST)),
    ITEM("size", size, WEIR_KIND_BDP, 1, WEIR_CDF_SIZE_MAX, 500000,
         "incast, permutation, pairs: bytes per message (SIRD's incast: 500 KB)",
         .kinds = OF(INCAST) | OF(PERMUTATION) | OF(PAIRS)),
    WEIR_PARAM_KEYWORD(
        "period", struct weir_traffic_config, period_ps, WEIR_KIND_TIME, 1, WEIR_TRAFFIC_TIME_MAX, 0, &auto_period,
        "incast: from event to event, in the mean if they are poisson; auto = what share or load asks for; the "
        "first is at start + period",
        .kinds = OF(INCAST)),
    ITEM("start", start_ps, WEIR_KIND_TIME, 0, WEIR_TRAFFIC_TIME_MAX, 0,
         "no message of the item starts before; jobs: their times count from it; goal, chakra, simai: when their ranks "
         "begin"),
    WEIR_PARAM_KEYWORD("stop", struct weir_traffic_config, stop_ps, WEIR_KIND_TIME, 1, WEIR_TRAFFIC_TIME_MAX,
                       WEIR_NEVER, &never,
                       "no message of the item starts then or later; never = it goes on to the end of the run"),
    ITEM_TEXT("file", file,
              "flows, jobs, goal, chakra, simai: path; flows: a CSV file with the columns src,dst,bytes,start, and "
              "perhaps weight and group, where start has a unit (12 us), or another simulator's list (doc/files.md); "
              "jobs: a YAML file, described in doc/jobs.md, or htsim's connection matrix; goal, simai: a trace; "
              "chakra: what the names of its files begin with, in front of .0.et or .0.json; required there",
              .kinds = OF(FLOWS) | OF(JOBS) | OF(GOAL) | OF(CHAKRA) | OF(SIMAI)),
    ITEM_TEXT("groups", groups,
              "session, chakra: of a trace a JSON file with the ranks of each group that collectives name, as {\"1\": "
              "[0, 1], ..}; without it they are of all ranks, unless the trace itself has the groups. Of a session "
              "groups of senders whose messages are given together, as in [0..7, 8..62/2], for dart",
              .kinds = OF(CHAKRA) | OF(SESSION)),
    ITEM_CHOICE("dependencies", dependencies, dependencies,
                "chakra: dependencies for which nodes wait: data = data_deps alone, as Chakra's own reader does; all = "
                "also ctrl_deps, which traces of PyTorch use for calls",
                .kinds = OF(CHAKRA)),
    ITEM_CHOICE(
        "goal_layout", goal_layout, goal_layouts,
        "goal: what a rank is, where the file has operations of several NICs: node = a node whose GPUs have NICs "
        "of their own, which share the host's link here; gpu = a GPU with one NIC; none = all are of NIC 0",
        .kinds = OF(GOAL)),
    ITEM_CHOICE("format", format, flow_formats,
                "flows: what the file is; auto = by its first rows, which are unlike (doc/files.md)",
                .kinds = OF(FLOWS)),
    ITEM_CHOICE("start_unit", start_unit, start_units,
                "flows, jobs: of the starts in htsim's connection matrix, which does not say it; none = all are 0",
                .kinds = OF(FLOWS) | OF(JOBS)),
    ITEM("strict", strict, WEIR_KIND_FLAG, 0, 1, 0,
         "flows, jobs, chakra: refuse lists with more rows than their first line says, flows without an end (size 0), "
         "and dependencies on nodes that are not there; else they are read as their own programs do, with a warning",
         .kinds = OF(FLOWS) | OF(JOBS) | OF(CHAKRA)),
    ITEM("origin", origin_ps, WEIR_KIND_TIME, 0, WEIR_TRAFFIC_TIME_MAX, 0,
         "flows: the time in the file at which the run begins; 2 s for lists of HPCC's generator, which start there",
         .kinds = OF(FLOWS)),
    ITEM_CHOICE("connections", connections, connections,
                "flows: one = a flow is one message; weight = a flow of weight w is sent as round(w) messages at once, "
                "each with its share of the bytes and weight 1",
                .kinds = OF(FLOWS)),
    ITEM("jitter", jitter_ps, WEIR_KIND_TIME, 0, WEIR_TRAFFIC_TIME_MAX, 0,
         "incast, flows: each message starts up to so much later than its row or event, drawn from the seed",
         .kinds = OF(FLOWS) | OF(INCAST)),
    ITEM_TEXT("policy", policy,
              "jobs: how weights are set, whatever the file says: given, critical-path, .. (doc/jobs.md)",
              .kinds = OF(JOBS)),
    ITEM("apart", apart_ps, WEIR_KIND_TIME, 0, WEIR_TRAFFIC_TIME_MAX, 0,
         "jobs: each job of the file starts so much later than the one before it, with what the file says added",
         .kinds = OF(JOBS)),
    ITEM("count", count, WEIR_KIND_U32, 1, 1u << 21, 0, "pairs: how many flows; required there", .kinds = OF(PAIRS)),
    ITEM_TEXT(
        "weights", weights,
        "pairs, session: one weight for all flows, or their range, as in 1..10: pairs are drawn from it, those of "
        "a session will be in it; empty = 1",
        .kinds = OF(PAIRS) | OF(SESSION)),
    ITEM_CHOICE("draw", draw, draws, "pairs: how weights are spread over their range; log-uniform = in the logarithm",
                .kinds = OF(PAIRS)),
    ITEM("changes", changes_ppm, WEIR_KIND_PPM, 1, 1000000, 0,
         "pairs: this part of the flows, one at least, has its weight drawn anew at change_at", .kinds = OF(PAIRS)),
    WEIR_PARAM_KEYWORD("change_at", struct weir_traffic_config, change_at_ps, WEIR_KIND_TIME, 1, WEIR_TRAFFIC_TIME_MAX,
                       0, &not_at_all, "pairs: when these weights change, from the run's beginning",
                       .kinds = OF(PAIRS)),
    ITEM("rate", rate_bps, WEIR_KIND_RATE, 1000, WEIR_RATE_MAX_BPS, 0,
         "cbr: payload of each sender while it is on; required there", .kinds = OF(CBR)),
    ITEM("packet", packet_bytes, WEIR_KIND_SIZE, 1, WEIR_CDF_SIZE_MAX, 0,
         "cbr: bytes per message, each to a random one of `to`; required there", .kinds = OF(CBR)),
    ITEM("on", on_ps, WEIR_KIND_TIME, 1, WEIR_TRAFFIC_TIME_MAX, WEIR_PS_PER_MS,
         "cbr: how long senders send before they are off, all at once; with off alone", .kinds = OF(CBR)),
    ITEM("off", off_ps, WEIR_KIND_TIME, 0, WEIR_TRAFFIC_TIME_MAX, 0, "cbr: how long they are off then; 0 = never",
         .kinds = OF(CBR)),
    ITEM_CHOICE("op", op, weir_collective_ops,
                "collective: what the ranks do together; bytes are those of nccl-tests: of all ranks for all-gather",
                .kinds = OF(COLLECTIVE)),
    ITEM_CHOICE("algorithm", algorithm, weir_collective_algorithms,
                "collective: how they do it; not every operation has every algorithm (doc/collectives.md)",
                .kinds = OF(COLLECTIVE)),
    ITEM_TEXT("ranks", ranks,
              "collective, goal, chakra, simai: hosts of the ranks, each at one of its own, as in 0..63 or 0..1023/8; "
              "of a collective also how many ranks; empty = all hosts",
              .kinds = OF(COLLECTIVE) | OF(GOAL) | OF(CHAKRA) | OF(SIMAI)),
    ITEM("bytes", bytes, WEIR_KIND_SIZE, 1, WEIR_CDF_SIZE_MAX, 0,
         "collective: the data of one operation, as nccl-tests count it; required there", .kinds = OF(COLLECTIVE)),
    ITEM("chunks", chunks, WEIR_KIND_U32, 1, 1024, 1,
         "collective: equal parts of bytes that do not wait for each other", .kinds = OF(COLLECTIVE)),
    ITEM("steps", steps, WEIR_KIND_U32, 1, 65536, 1,
         "collective: how often it is done; a rank goes on once it has received and sent all of a step",
         .kinds = OF(COLLECTIVE)),
    ITEM("compute", compute_ps, WEIR_KIND_TIME, 0, WEIR_TRAFFIC_TIME_MAX, 0,
         "collective: how long each rank computes before each step", .kinds = OF(COLLECTIVE)),
    ITEM(
        "straggler", straggler_ppm, WEIR_KIND_PPM, 0, 1000000000, 0,
        "collective: in each step one rank of each group, drawn from the seed, computes longer by this part of compute",
        .kinds = OF(COLLECTIVE)),
    ITEM_CHOICE(
        "placement", placement, placements,
        "collective, goal, chakra, simai: at which of the hosts of ranks a rank is (of all hosts, if ranks is a "
        "number): packed = rank i at the i-th; rail-aligned = rank after rank at the next server, by the same "
        "rail; spread = at the next server and the next rail; random; file = as placement_file says. A server "
        "is the hosts of one first-hop switch (doc/clusters.md)",
        .kinds = OF(COLLECTIVE) | OF(GOAL) | OF(CHAKRA) | OF(SIMAI)),
    ITEM_TEXT(
        "placement_file", placement_file,
        "collective, goal, chakra, simai: with placement: file a file that has in row i the host of rank i, from 0",
        .kinds = OF(COLLECTIVE) | OF(GOAL) | OF(CHAKRA) | OF(SIMAI)),
    ITEM("tp", tp, WEIR_KIND_U32, 1, WEIR_PKT_HOSTS_MAX, 0,
         "collective: ranks of a tensor-parallel group, whose numbers follow each other", .kinds = OF(COLLECTIVE)),
    ITEM("pp", pp, WEIR_KIND_U32, 1, WEIR_PKT_HOSTS_MAX, 0, "collective: stages of a pipeline; ranks = tp * dp * pp",
         .kinds = OF(COLLECTIVE)),
    ITEM("dp", dp, WEIR_KIND_U32, 1, WEIR_PKT_HOSTS_MAX, 0, "collective: ranks of a data-parallel group, tp apart",
         .kinds = OF(COLLECTIVE)),
    ITEM("ep", ep, WEIR_KIND_U32, 1, WEIR_PKT_HOSTS_MAX, 0,
         "collective: ranks of a data-parallel group that share its experts, tp apart; it divides dp",
         .kinds = OF(COLLECTIVE)),
    ITEM_CHOICE("over", over, weir_collective_overs,
                "collective: which groups do the operation, each by itself, at once; all = the ranks are one group",
                .kinds = OF(COLLECTIVE)),
    ITEM("reply", reply_bytes, WEIR_KIND_SIZE, 0, WEIR_CDF_SIZE_MAX, 0,
         "poisson, incast, permutation, flows: a message that the receiver of each sends back once it has all of it, "
         "beyond the load and in no result by message. 0 B = none; 4 B in the ns-2 runs of SIRD's evaluation",
         .kinds = OF(POISSON) | OF(INCAST) | OF(PERMUTATION) | OF(FLOWS)),
    ITEM_CHOICE(
        "measured", measured, measured,
        "do its messages count in slowdown and completion? auto = yes, but those of incasts and cbr only if there "
        "is nothing else"),
    ITEM("tenant", tenant, WEIR_KIND_U32, 0, WEIR_TENANTS_MAX - 1, 0,
         "whose its messages are, for protocols that keep tenants apart (dart, protocol.tenants)"),
    WEIR_PARAM_KEYWORD("class", struct weir_traffic_config, class_id, WEIR_KIND_U32, 0, 7, WEIR_TRAFFIC_CLASS_AUTO,
                       &own_class,
                       "priority class of its data, 0 the highest: host.data_class for this item alone; its ACKs keep "
                       "host.ack_class; auto = host.data_class (doc/mixed.md)"),
    ITEM_TEXT("name", name, "how results call the item"),
    { 0 },
};
