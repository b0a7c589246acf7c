/* bench/changes.c - what a change of `weir allocate --changes` costs beside solving anew: random flows with random weights on a fat tree,
 * one core. A third of the changes add a flow, a third remove one, a third change a weight. Times are of the processor.
 * usage: bench_changes [FLOWS WITHIN CHANGES]   without arguments a table */
#include "bench/bench.h"
#include "core/rng.h"
#include "solve/allocator.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CHANGES = 1000 };

struct cost {                   /* of changes */
    double median, worst, mean; /* seconds */
    double steps, flows;        /* mean per change */
    uint32_t solved;
    double difference;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Draws change i. Flows that are named are found by trying numbers. */
static struct weir_change draw(const struct weir_allocator *a, uint64_t key, uint32_t i, uint32_t hosts,
                               uint32_t numbers)
{
    struct weir_change change = { .kind = (enum weir_change_kind)(weir_rng_at(key, 8 * i) % 3) };
    change.weight = 1 + 9 * (double)(weir_rng_at(key, 8 * i + 1) >> 11) * 0x1p-53;
    change.src = weir_rng_below(weir_rng_at(key, 8 * i + 2), hosts);
    change.dst = weir_rng_below(weir_rng_at(key, 8 * i + 3), hosts - 1);
    change.dst += change.dst >= change.src;
    for (uint64_t k = 0; change.flow == 0 || weir_allocator_find(a, change.flow) == UINT32_MAX; k++)
        change.flow = 1 + weir_rng_below(weir_rng_at(key + 1, 1000 * i + k), numbers);
    return change;
}

static struct cost measure(struct weir_allocator *a, uint32_t hosts, uint32_t numbers, uint32_t changes)
{
    double *took = malloc(changes * sizeof(*took));
    struct cost cost = { 0 };
    struct weir_incremental_difference difference;
    struct weir_err err;
    if (took == NULL)
        exit(1);
    for (uint32_t i = 0; i < changes; i++) {
        struct weir_change change = draw(a, 12345, i, hosts, numbers);
        struct weir_changed changed;
        double start = bench_s(CLOCK_PROCESS_CPUTIME_ID);
        if (weir_allocator_change(a, &change, NULL, &changed, &err) != 0)
            bench_die(&err);
        took[i] = bench_s(CLOCK_PROCESS_CPUTIME_ID) - start;
        cost.mean += took[i] / changes;
        cost.steps += (double)changed.steps / changes;
        cost.flows += (double)changed.flows / changes;
        cost.solved += changed.solved;
        numbers = changed.flow > numbers ? changed.flow : numbers;
        if ((i + 1) % CHANGES == 0 || i + 1 == changes) {
            if (weir_allocator_compare(a, &difference, &err) != 0)
                bench_die(&err);
            cost.difference = fmax(cost.difference, difference.largest);
        }
    }
    qsort(took, changes, sizeof(*took), by_value);
    cost.median = took[changes / 2];
    cost.worst = took[changes - 1];
    free(took);
    return cost;
}

/* Returns the least time of three in which the flows are solved for anew. */
static double solve_anew(const struct weir_allocator *a)
{
    struct weir_allocate_flows flows;
    struct weir_solution solution;
    struct weir_err err;
    double best = INFINITY;
    if (weir_allocator_result(a, &flows, &solution, &err) != 0)
        bench_die(&err);
    struct weir_maxmin_problem problem = weir_network_problem(&solution.net);
    for (int i = 0; i < 3; i++) {
        double start = bench_s(CLOCK_PROCESS_CPUTIME_ID);
        if (weir_maxmin_solve(&problem, solution.rate, solution.bottleneck, &err) != 0)
            bench_die(&err);
        best = fmin(best, bench_s(CLOCK_PROCESS_CPUTIME_ID) - start);
    }
    weir_allocate_flows_free(&flows);
    weir_solution_free(&solution);
    return best;
}

static void bench_flows(struct weir_setup *setup, uint32_t flows, double within, uint32_t changes)
{
    struct weir_allocate_options options = { .file = "bench", .flows = flows, .at_ps = WEIR_NEVER };
    struct weir_err err;
    struct weir_allocator *a = weir_allocator_open(setup, &options, within, &err);
    if (a == NULL)
        bench_die(&err);
    double anew = solve_anew(a);
    struct cost c = measure(a, setup->topo.host_count, flows, changes);
    (void)printf(
        "%8" PRIu32
        " flows, within %-6g anew %8.3f ms; a change %8.4f ms (median; mean %.4f, worst %.3f): 1/%.0f, worst 1/%.0f; "
        "%.0f steps, %.0f flows changed, %" PRIu32 " solved anew; difference %.2g of within\n",
        flows, within, anew * 1e3, c.median * 1e3, c.mean * 1e3, c.worst * 1e3, anew / c.median, anew / c.worst,
        c.steps, c.flows, c.solved, c.difference / within);
    (void)fflush(stdout);
    weir_allocator_close(a);
}

int main(int argc, char **argv)
{
    static const char text[] =
        "topology: {kind: fat-tree, k: 16, host_link: 100 Gbps, core_link: 100 Gbps,\n"
        "           host_delay: 1 us, core_delay: 1 us}\n"
        "protocol: dctcp\ntraffic: [{kind: permutation, size: 1 MB}]\nrun: {warmup: 0 us, measure: 1 ms}\n";
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_err err;
    if (weir_scenario_parse(&scn, "bench", text, strlen(text), NULL, 0, &err) != 0 ||
        weir_setup_init(&setup, &scn, &err) != 0)
        bench_die(&err);
    if (argc == 4)
        bench_flows(&setup, (uint32_t)atoi(argv[1]), atof(argv[2]), (uint32_t)atoi(argv[3]));
    for (uint32_t flows = 10000; argc < 4 && flows <= 1000000; flows *= 10) {
        bench_flows(&setup, flows, 1e-4, CHANGES);
        bench_flows(&setup, flows, 1e-7, CHANGES);
    }
    weir_setup_free(&setup);
    weir_scenario_free(&scn);
    return 0;
}
