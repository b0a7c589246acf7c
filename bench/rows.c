/* bench/rows.c - each protocol and each switch feature on the same network, for bench/instructions, which counts their
 * instructions per packet-hop. A run pauses at the end of its warm-up; rows_measured() is the rest, and nothing else.
 *
 * usage: bench_rows SCALE [ROW]..   SCALE: small, large or wide; one line per row: its name, and the packet-hops of the
 * rest */
#include "bench/bench.h"
#include "core/feature.h"
#include "engine/engine.h"
#include "hooks/features.h"
#include "registry.h"
#include "setup/setup.h"
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum { TEXT_BYTES = 2048 };

struct bench_row {
    const char *name;
    const char *protocol;
    const char *keys;      /* further sections of the scenario */
    const char *core_link; /* rate of cables between switches */
    const char *sizes;     /* of messages; NULL = those of the scale */
    const char *run;       /* further keys of section run; NULL = none */
};

/* small: messages of one size, which are many even in a short time. wide: its links do not fit a second-level cache. */
static const struct bench_scale {
    const char *name;
    int k; /* of the fat tree */
    const char *sizes, *warmup, *measure;
} scales[] = {
    { "small", 4, "100 KB", "30 us", "40 us" },
    { "large", 8, "websearch", "100 us", "150 us" },
    { "wide", 16, "websearch", "100 us", "40 us" },
};

#define RAMP "ecn: {kmin: 100 KB, kmax: 400 KB, pmax: 10%}"

#define ROW(name, protocol, keys)                                                                                      \
    {                                                                                                                  \
        name, protocol, keys, "100 Gbps", NULL, NULL                                                                   \
    }

static const struct bench_row rows[] = {
    ROW("dctcp", "dctcp", ""),
    { "dctcp-sampled", "dctcp", "", "100 Gbps", NULL, ", statistics: sampled" },
    ROW("dctcp-two-classes", "dctcp", "fabric: {priorities: 2}\n"),
    ROW("dctcp-eight-classes", "dctcp", "fabric: {priorities: 8}\nhost: {nic_queue: unlimited}\n"),
    ROW("dctcp-sprayed", "dctcp", "fabric: {routing: spray}\n"),
    ROW("dctcp-ramp", "dctcp", "fabric: {" RAMP "}\n"),
    ROW("dctcp-loss", "dctcp", "fabric: {loss: 0.1%}\n"),
    ROW("dctcp-ramp-loss", "dctcp", "fabric: {" RAMP ", loss: 0.1%}\n"),
    ROW("dctcp-shared-buffer", "dctcp", "fabric: {buffer: 16 MB, alpha: 1}\n"),
    ROW("dctcp-late-frames", "dctcp", "fabric: {delay_variation: 100 ns}\n"),
    ROW("dctcp-cable-events", "dctcp", "fabric: {events: [{time: 1 s, cable: edge 0 - agg 0, state: down}]}\n"),
    ROW("dctcp-failures", "dctcp", "fabric: {failures: {mtbf: 10 s, mttr: 1 ms}}\n"),
    { "dctcp-core-300", "dctcp", "", "300 Gbps", NULL, NULL },
    ROW("dctcp-all-kinds", "dctcp", "fabric: {priorities: 4, buffer: 16 MB, alpha: 1, loss: 0.1%}\n"),
    ROW("dctcp-pfc", "dctcp", "fabric: {buffer: 32 MB, pfc: static}\n"),
    ROW("dctcp-codel", "dctcp", "fabric: {codel: {variant: rfc8289}}\n"),
    ROW("dctcp-codel-queues", "dctcp", "fabric: {codel: {variant: rfc8289}}\nhost: {nic_queue: unlimited}\n"),
    ROW("dctcp-rpm-codel", "dctcp", "fabric: {codel: {variant: p4, target: 1 ms, interval: 20 ms}, rpm: {}}\n"),
    ROW("dctcp-deflect-pfc", "dctcp", "fabric: {buffer: 32 MB, pfc: static, deflect: {threshold: 6 KB}}\n"),
    ROW("newreno", "newreno", ""),
    ROW("cubic", "cubic", ""),
    ROW("aimd", "aimd", ""),
    ROW("aimd-wrr", "aimd", "fabric: {queues: per-flow}\n"),
    ROW("timely-pfc", "timely", "fabric: {buffer: 32 MB, pfc: static}\n"),
    ROW("swift", "swift", ""),
    ROW("dcqcn-pfc", "dcqcn", "fabric: {buffer: 32 MB, pfc: static}\n"),
    ROW("hpcc", "hpcc", ""),
    ROW("hpcc-pfc", "hpcc", "fabric: {buffer: 32 MB, pfc: static}\n"),
    ROW("fncc-pfc", "fncc", "fabric: {buffer: 32 MB, pfc: static}\n"),
    ROW("dart-pfc", "dart", "fabric: {buffer: 32 MB, pfc: static}\n"),
    ROW("dart-lanes", "dart",
        "fabric: {priorities: 2, lanes: 5, buffer: 32 MB, pfc: static, deflect: {threshold: 6 KB, tokens: 4}}\n"),
    ROW("soze", "soze", ""),
    ROW("soze-phantom", "{name: soze, preset: phantom}", ""),
    ROW("rocc-pfc", "rocc", "fabric: {buffer: 32 MB, pfc: static}\n"),
    ROW("rcp", "rcp", ""),
    ROW("sird", "sird", ""),
    { "sird-sampled", "sird", "", "100 Gbps", NULL, ", statistics: sampled" },
    ROW("homa", "homa", ""),
    ROW("ndp", "ndp", ""),
    ROW("dcpim", "dcpim", ""),
    ROW("expresspass", "expresspass", ""),
    { "none", "none", "", "100 Gbps", "1 KB", NULL }, /* single packets alone */
};

/* What has occurred in some row, to find what has none. */
static bool feature_seen[64], protocol_seen[64];

static void note(const struct bench_row *row, const struct weir_model *m)
{
    for (uint32_t f = 0; weir_features[f] != NULL; f++)
        feature_seen[f] |= weir_features_find(&m->features, weir_features[f]->name) != NULL;
    for (uint32_t p = 0; weir_protocols[p].name != NULL; p++)
        protocol_seen[p] |= strcmp(weir_protocols[p].name, row->protocol) == 0;
}

/* Names what no row has. @return whether there is something */
static bool is_missing(void)
{
    bool missing = false;
    for (uint32_t f = 0; weir_features[f] != NULL; f++)
        if (!feature_seen[f])
            missing = true, (void)fprintf(stderr, "bench_rows: no row has the feature %s\n", weir_features[f]->name);
    for (uint32_t p = 0; weir_protocols[p].name != NULL; p++)
        if (!protocol_seen[p])
            missing = true, (void)fprintf(stderr, "bench_rows: no row has the protocol %s\n", weir_protocols[p].name);
    return missing;
}

/* What bench/instructions counts: it finds the function by its name. */
static int rows_measured(struct sim_engine *e, struct weir_err *err)
{
    return weir_sim_engine_go(e, err);
}

/* A call that no compiler can put in line. */
static int (*volatile measured)(struct sim_engine *e, struct weir_err *err) = rows_measured;

static uint64_t hops_of(const struct sim_engine *e)
{
    return e->thread[0].hops;
}

static void run(const struct bench_row *row, const struct weir_model *model)
{
    static struct sim_engine e;
    struct weir_sim_options options = { .threads = 1 };
    struct sim_pause pause = { .at_ps = model->warmup_ps };
    struct weir_err err;
    uint64_t before;
    if (weir_sim_engine_init(&e, model, &options, &err) != 0)
        bench_die(&err);
    e.pause = &pause;
    if (weir_sim_engine_go(&e, &err) != 0)
        bench_die(&err);
    before = hops_of(&e);
    pause = (struct sim_pause){ .at_ps = WEIR_NEVER, .closing = true };
    if (measured(&e, &err) != 0 || weir_sim_engine_verdict(&e, &err) != 0)
        bench_die(&err);
    (void)printf("%s %" PRIu64 "\n", row->name, hops_of(&e) - before);
    (void)fflush(stdout);
    weir_sim_engine_free(&e);
}

static void run_row(const struct bench_row *row, const struct bench_scale *scale)
{
    static char text[TEXT_BYTES];
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_err err;
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: fat-tree, k: %d, host_link: 100 Gbps, core_link: %s, host_delay: 1 us, "
                   "core_delay: 1 us}\nprotocol: %s\n%straffic: [{kind: poisson, sizes: %s, load: 50%%}]\n"
                   "run: {warmup: %s, measure: %s%s}\n",
                   scale->k, row->core_link, row->protocol, row->keys, row->sizes != NULL ? row->sizes : scale->sizes,
                   scale->warmup, scale->measure, row->run != NULL ? row->run : "");
    if (weir_scenario_parse(&scn, row->name, text, strlen(text), NULL, 0, &err) != 0 ||
        weir_setup_init(&setup, &scn, &err) != 0)
        bench_die(&err);
    note(row, &setup.model);
    run(row, &setup.model);
    weir_setup_free(&setup);
    weir_scenario_free(&scn);
}

static int usage(void)
{
    (void)fprintf(stderr, "usage: bench_rows small|large|wide [ROW]..\n");
    return 2;
}

static const struct bench_row *find(const char *name)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}

int main(int argc, char **argv)
{
    const struct bench_scale *scale = NULL;
    for (size_t i = 0; argc > 1 && i < sizeof(scales) / sizeof(scales[0]); i++)
        if (strcmp(argv[1], scales[i].name) == 0)
            scale = &scales[i];
    if (scale == NULL)
        return usage();
    for (int i = 2; i < argc; i++) {
        if (find(argv[i]) == NULL) {
            (void)fprintf(stderr, "bench_rows: there is no row \"%s\"\n", argv[i]);
            return usage();
        }
    }
    for (int i = 2; i < argc; i++)
        run_row(find(argv[i]), scale);
    for (size_t i = 0; argc == 2 && i < sizeof(rows) / sizeof(rows[0]); i++)
        run_row(&rows[i], scale);
    return argc == 2 && is_missing() ? 1 : 0;
}
