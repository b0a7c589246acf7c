/* bench/weir_bench.c - engine and oracle on the same scenarios in one run, one thread against two, memory, set-up. Ratios within
 * one run are what counts: these figures are taken on whatever machine this is, beside whatever else it does. */
#include "bench/bench.h"
#include "setup/setup.h"
#include "test/oracle/oracle.h"
#include <inttypes.h>
#include <string.h>

enum { REPEATS = 3, THREAD_REPEATS = 7 };

struct bench_case {
    const char *name;
    const char *text;     /* scenario */
    bool oracle, threads; /* compare with the oracle; one against two threads */
};

#define LEAF_SPINE                                                                                                     \
    "topology: {kind: leaf-spine, hosts: 144, racks: 9, spines: 4, host_link: 100 Gbps, core_link: 400 Gbps,\n"        \
    "           host_delay: 1 us, core_delay: 1 us, bdp: 100 KB}\n"
#define WEBSEARCH "traffic: [{kind: poisson, sizes: websearch, load: 80%}]\n"
#define FAT_TREE_RDMA                                                                                                  \
    "topology: {kind: fat-tree, k: 8, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 1.5 us, "                  \
    "core_delay: 1.5 us}\nfabric: {buffer: 32 MB, pfc: static}\n"                                                      \
    "traffic: [{kind: poisson, sizes: websearch, load: 50%}]\nrun: {warmup: 1 ms, measure: 1 ms}\n"

static const struct bench_case cases[] = {
    { "leaf-spine 144, websearch 80 %, ECMP, FIFO + ECN",
      LEAF_SPINE "protocol: dctcp\nfabric: {ecn: {threshold: 1.25 BDP}}\n" WEBSEARCH
                 "run: {warmup: 1 ms, measure: 5 ms}\n",
      true, true },
    { "leaf-spine 144, websearch 80 %, 2 strict priorities, spraying",
      LEAF_SPINE "protocol: dctcp\nfabric: {priorities: 2, routing: spray, ecn: {threshold: 1.25 BDP}}\n" WEBSEARCH
                 "run: {warmup: 1 ms, measure: 3 ms}\n",
      true, false },
    { "leaf-spine 144, websearch 80 %, SIRD",
      LEAF_SPINE "protocol: sird\n" WEBSEARCH "run: {warmup: 1 ms, measure: 3 ms}\n", true, true },
    { "leaf-spine 144, websearch 80 %, buffers of 2 MB, dynamic threshold",
      LEAF_SPINE "protocol: dctcp\nfabric: {buffer: 2 MB, alpha: 1, ecn: {threshold: 1.25 BDP}}\n" WEBSEARCH
                 "run: {warmup: 1 ms, measure: 3 ms}\n",
      true, false },
    { "fat-tree k=8, permutation, spraying",
      "topology: {kind: fat-tree, k: 8, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 1 us, core_delay: 1 us, "
      "bdp: 150 KB}\n"
      "protocol: dctcp\nfabric: {routing: spray, ecn: {threshold: 1 BDP}}\n"
      "traffic: [{kind: permutation, size: 100 MB}]\nrun: {warmup: 0 us, measure: 2 ms}\n",
      true, true },
    { "fat-tree k=16, permutation, spraying",
      "topology: {kind: fat-tree, k: 16, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 1 us, core_delay: 1 us, "
      "bdp: 150 KB}\n"
      "protocol: dctcp\nfabric: {routing: spray, ecn: {threshold: 1 BDP}}\n"
      "traffic: [{kind: permutation, size: 100 MB}]\nrun: {warmup: 0 us, measure: 0.5 ms}\n",
      true, true },
    { "incast, 64 to 1 at 400 Gbps, PFC, DCQCN",
      "topology: {kind: star, hosts: 65, host_link: 400 Gbps, host_delay: 1 us}\n"
      "protocol: {name: dcqcn, preset: paper-400g}\nfabric: {buffer: 64 MB, pfc: static}\n"
      "traffic: [{kind: incast, fan_in: 64, size: 1 MB, load: 50%}]\nrun: {warmup: 0 us, measure: 10 ms}\n",
      true, false },
    { "fat-tree k=8, websearch 50 %, HPCC", FAT_TREE_RDMA "protocol: hpcc\n", true, true },
    { "fat-tree k=8, websearch 50 %, FNCC", FAT_TREE_RDMA "protocol: fncc\n", true, false },
};

typedef int (*run_fn)(const struct weir_model *, const struct weir_sim_options *, struct weir_result *,
                      struct weir_err *);

/* One run; its seconds: CPU of this process for one thread, of the wall for more. */
static double run_once(run_fn run, const struct weir_model *model, uint32_t threads, struct weir_result *result)
{
    struct weir_sim_options options = { .threads = threads };
    clockid_t clock = threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    struct weir_err err;
    double start = bench_s(clock);
    if (run(model, &options, result, &err) != 0)
        bench_die(&err);
    return bench_s(clock) - start;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *value, int n)
{
    qsort(value, (size_t)n, sizeof(*value), compare_doubles);
    return value[n / 2];
}

static void bench_speed(const struct bench_case *c, const struct weir_model *model)
{
    struct weir_result engine, oracle = { 0 };
    double fast[REPEATS], general[REPEATS], hops;
    for (int i = 0; i < REPEATS; i++) {
        fast[i] = run_once(weir_sim_run, model, 1, &engine);
        general[i] = c->oracle ? run_once(weir_oracle_run, model, 1, &oracle) : 0;
    }
    hops = (double)engine.packet_hops;
    (void)printf("  engine %6.1f M packet-hops/s, %5.1f ns per hop (%" PRIu64 " hops, median of %d)\n",
                 hops / median(fast, REPEATS) / 1e6, median(fast, REPEATS) / hops * 1e9, engine.packet_hops, REPEATS);
    if (c->oracle)
        (void)printf("  oracle %6.1f M packet-hops/s; engine / oracle = %.1f; digests %s\n",
                     hops / median(general, REPEATS) / 1e6, median(general, REPEATS) / median(fast, REPEATS),
                     engine.digest == oracle.digest ? "equal" : "DIFFER");
    (void)printf("  memory: %" PRIu64 " packets in flight at peak, %.0f bytes of FIFO each; %" PRIu64
                 " connections, %.0f bytes each\n",
                 engine.peak_packets, (double)engine.peak_fifo_bytes / (double)(engine.peak_packets + 1),
                 engine.connections, (double)engine.flow_bytes / (double)(engine.connections + 1));
}

static void bench_threads(const struct weir_model *model)
{
    struct weir_result result;
    double ratio[THREAD_REPEATS], middle;
    uint64_t digest = 0;
    bool equal = true;
    for (int i = 0; i < THREAD_REPEATS; i++) {
        double one = run_once(weir_sim_run, model, 1, &result), two;
        digest = result.digest;
        two = run_once(weir_sim_run, model, 2, &result);
        equal = equal && digest == result.digest;
        ratio[i] = one / two;
    }
    middle = median(ratio, THREAD_REPEATS); /* sorts: the best is last then */
    (void)printf("  two threads: %.2f times one (median of %d; best %.2f); digests %s\n", middle, THREAD_REPEATS,
                 ratio[THREAD_REPEATS - 1], equal ? "equal" : "DIFFER");
}

static void bench_case(const struct bench_case *c)
{
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_err err;
    double start = bench_s(CLOCK_MONOTONIC), setup_s;
    if (weir_scenario_parse(&scn, c->name, c->text, strlen(c->text), NULL, 0, &err) != 0 ||
        weir_setup_init(&setup, &scn, &err) != 0)
        bench_die(&err);
    setup_s = bench_s(CLOCK_MONOTONIC) - start;
    (void)printf("%s\n  set-up %.3f s for %" PRIu32 " hosts, %" PRIu32 " links\n", c->name, setup_s,
                 setup.topo.host_count, setup.topo.link_count);
    bench_speed(c, &setup.model);
    if (c->threads)
        bench_threads(&setup.model);
    (void)fflush(stdout);
    weir_setup_free(&setup);
    weir_scenario_free(&scn);
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        if (argc < 2 || strstr(cases[i].name, argv[1]) != NULL)
            bench_case(&cases[i]);
    return 0;
}
