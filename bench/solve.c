/* bench/solve.c - how long `weir allocate` solves for: random pairs with random weights on a fat-tree, one core. */
#include "bench/bench.h"
#include "solve/allocate.h"
#include <inttypes.h>
#include <string.h>

static void bench_flows(const struct weir_setup *setup, const struct weir_routes *routes, uint32_t k, uint32_t count)
{
    struct weir_allocate_options options = { .flows = count, .at_ps = WEIR_NEVER };
    struct weir_allocate_flows flows;
    struct weir_network net;
    struct weir_err err;
    double *rate = malloc(count * sizeof(*rate)), best = 0, gap, paths = bench_s(CLOCK_PROCESS_CPUTIME_ID);
    if (rate == NULL)
        exit(1);
    if (weir_allocate_flows(&flows, setup, &options, &err) != 0 ||
        weir_network_build(&net, &setup->topo, routes, setup->model.nics, false, 1, flows.flow, flows.count, &err) != 0)
        bench_die(&err);
    paths = bench_s(CLOCK_PROCESS_CPUTIME_ID) - paths;
    struct weir_maxmin_problem problem = weir_network_problem(&net);
    for (int i = 0; i < 3; i++) {
        double start = bench_s(CLOCK_PROCESS_CPUTIME_ID), took;
        if (weir_maxmin_solve(&problem, rate, NULL, &err) != 0)
            bench_die(&err);
        took = bench_s(CLOCK_PROCESS_CPUTIME_ID) - start;
        best = i == 0 || took < best ? took : best;
    }
    if (weir_maxmin_gap(&problem, rate, &gap, &err) != 0)
        bench_die(&err);
    (void)printf("k = %2" PRIu32 " %10" PRIu32 " flows   solve %10.3f ms (best of 3)   paths %8.1f ms   gap %.1e\n", k,
                 count, best * 1e3, paths * 1e3, gap);
    weir_network_free(&net);
    weir_allocate_flows_free(&flows);
    free(rate);
}

static void bench_tree(uint32_t k, const uint32_t *count)
{
    char text[256];
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_routes routes;
    struct weir_err err;
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: fat-tree, k: %" PRIu32 ", host_link: 100 Gbps, core_link: 100 Gbps,\n"
                   "           host_delay: 1 us, core_delay: 1 us}\n"
                   "protocol: dctcp\ntraffic: [{kind: permutation, size: 1 MB}]\nrun: {warmup: 0 us, measure: 1 ms}\n",
                   k);
    if (weir_scenario_parse(&scn, "bench", text, strlen(text), NULL, 0, &err) != 0 ||
        weir_setup_init(&setup, &scn, &err) != 0 ||
        weir_routes_build(&routes, &setup.topo, WEIR_ROUTE_ECMP, WEIR_METRIC_HOPS, 1, &err) != 0)
        bench_die(&err);
    for (; *count != 0; count++)
        bench_flows(&setup, &routes, k, *count);
    weir_routes_free(&routes);
    weir_setup_free(&setup);
    weir_scenario_free(&scn);
}

int main(void)
{
    bench_tree(16, (const uint32_t[]){ 10, 1000, 10000, 100000, 1000000, 0 });
    bench_tree(32, (const uint32_t[]){ 1000000, 0 });
    return 0;
}
