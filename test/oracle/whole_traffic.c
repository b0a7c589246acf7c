/* test/oracle/whole_traffic.c - the section `traffic` of a whole random scenario: poisson, incast, permutation, pairs, and flows
 * and jobs from files. */
#include "test/oracle/generate_whole.h"
#include "param/param.h"
#include <inttypes.h>

enum { TASKS = 4, JOBS_MAX = 3, FLOWS_MAX = 8 };

static const char *unit_of(const struct whole *w)
{
    return w->g.acks ? "KB" : "B";
}

/* --- jobs --- */

/* The last three set weights at ticks, and exclude changes at given times. Without weights only the first is drawn. */
static const char *const policies[] = { "fair",          "given",        "critical-path",  "equal-finish",
                                        "shortest-flow", "constant-sum", "equal-progress", "altruistic" };
enum { POLICIES = sizeof(policies) / sizeof(policies[0]), FIRST_THAT_TICKS = 5 };

/* From 0.25 to 12. */
static void put_weight(struct gen *f)
{
    static const char *const quarters[] = { "25", "5", "75" };
    uint32_t ones = gen_below(f, 12), part = gen_below(f, 3);
    gen_put(f, "weight: %" PRIu32 ".%s", ones, quarters[part]);
}

static void put_changes(struct gen *f, uint32_t span_us)
{
    uint32_t at_us = gen_below(f, span_us);
    gen_put(f, ", weights: [");
    for (uint32_t i = 0, n = 1 + gen_below(f, 3); i < n; i++) {
        gen_put(f, "%s{at: %" PRIu32 " us, ", i > 0 ? ", " : "", at_us);
        put_weight(f);
        gen_put(f, "}");
        at_us += 1 + gen_below(f, span_us);
    }
    gen_put(f, "]");
}

/* Flow i waits for some before it. Sizes are of one packet where nothing is acknowledged. */
static void put_job_flow(const struct whole *w, struct gen *f, uint32_t i, uint32_t policy, uint32_t span_us)
{
    uint32_t from = gen_below(f, TASKS), to = (from + 1 + gen_below(f, TASKS - 1)) % TASKS,
             afters = i > 0 ? gen_below(f, 3) : 0;
    uint32_t most = 1 + gen_below(f, w->g.acks ? 60000 : 100), bytes = 1 + gen_below(f, most);
    gen_put(f, "      - {name: f%" PRIu32 ", from: t%" PRIu32 ", to: t%" PRIu32 ", size: %" PRIu32 " B", i, from, to,
            bytes);
    if (afters == 1)
        gen_put(f, ", after: f%" PRIu32, gen_below(f, i));
    else if (afters == 2 && i > 1)
        gen_put(f, ", after: [f0, f%" PRIu32 "]", 1 + gen_below(f, i - 1));
    if (gen_one_in(f, 2))
        gen_put(f, ", delay: %" PRIu32 " us", gen_below(f, 20));
    if (gen_one_in(f, 3))
        gen_put(f, ", coflow: c%" PRIu32, gen_below(f, 2));
    if (w->weights && gen_one_in(f, 2)) {
        gen_put(f, ", ");
        put_weight(f);
    }
    if (w->weights && policy < FIRST_THAT_TICKS && gen_one_in(f, 3))
        put_changes(f, span_us);
    gen_put(f, "}\n");
}

static void put_job(const struct whole *w, struct gen *f, uint32_t number, uint32_t span_us)
{
    uint32_t policy = gen_below(f, w->weights ? POLICIES : 1), first = gen_below(f, 2);
    gen_put(f, "  - name: j%" PRIu32 "\n    start: %" PRIu32 " us\n    policy: %s\n", number, gen_below(f, span_us),
            policies[policy]);
    if (policies[policy][0] == 'c' && gen_one_in(f, 2))
        gen_put(f, "    sum: %" PRIu32 "\n", 1 + gen_below(f, 4));
    if (gen_one_in(f, 3)) {
        uint32_t copies = 2 + gen_below(f, 4), period_us = 1 + gen_below(f, span_us);
        gen_put(f, "    repeat: %" PRIu32 "\n    period: %" PRIu32 " us\n    arrival: %s\n", copies, period_us,
                gen_one_in(f, 2) ? "poisson" : "period");
    }
    gen_put(f, first == 0 ? "    tasks: [t0, t1, t2, t3]\n" : "    tasks: {t0: 2, t1: random, t2: 0, t3: 1}\n");
    gen_put(f, "    flows:\n");
    for (uint32_t i = 0, n = 1 + gen_below(f, FLOWS_MAX); i < n; i++)
        put_job_flow(w, f, i, policy, span_us);
}

static void put_jobs(struct whole *w)
{
    static char text[TWIN_TEXT_MAX], path[64];
    static int file = -1;
    struct gen f = gen_begin(7, w->g.seed, text);
    uint32_t span_us = (uint32_t)w->g.measure_us;
    if (gen_one_in(&f, 2))
        gen_put(&f, "notify: %" PRIu32 " ns\n", gen_below(&f, 20000));
    gen_put(&f, "tick: %" PRIu32 " us\njobs:\n", 1 + gen_below(&f, 100));
    for (uint32_t i = 0, n = 1 + gen_below(&f, JOBS_MAX); i < n; i++)
        put_job(w, &f, i, span_us);
    whole_write_file(w, &f, &file, path, sizeof(path));
    gen_put(&w->g, "  - {kind: jobs, file: %s}\n", path);
}

/* --- a list of flows --- */

static void put_flow(const struct whole *w, struct gen *f, bool weights, bool groups)
{
    uint32_t src = gen_below(f, w->g.hosts), dst = (src + 1 + gen_below(f, w->g.hosts - 1)) % w->g.hosts;
    uint32_t bytes = 1 + gen_below(f, w->g.acks ? 60000 : 100), start_us = gen_below(f, (uint32_t)w->g.measure_us);
    gen_put(f, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 " B,%" PRIu32 " us", src, dst, bytes, start_us);
    if (weights)
        gen_put(f, ",%" PRIu32 ".5", 1 + gen_below(f, 20));
    if (groups) { /* of each receiver three, of the first two; or none */
        uint32_t group = 3 * dst + gen_below(f, 3);
        gen_put(f, ",%s%" PRIu32, weights ? "" : "1,", group * gen_below(f, 2));
    }
    gen_put(f, "\n");
}

/* Start times are whole microseconds, so that some flows start at once. */
static void put_flows(struct whole *w)
{
    static char text[TWIN_TEXT_MAX], path[64];
    static int file = -1;
    struct gen f = gen_begin(8, w->g.seed, text);
    bool weights = w->weights && gen_one_in(&f, 2), split = weights && !w->allocation && gen_one_in(&f, 2);
    bool groups = weir_param_find(w->protocol->params, "look_ahead") != NULL && gen_one_in(&f, 2);
    gen_put(&f, groups    ? "src,dst,bytes,start,weight,group\n"
                : weights ? "src,dst,bytes,start,weight\n"
                          : "src,dst,bytes,start\n");
    for (uint32_t i = 0, n = 1 + gen_below(&f, 50); i < n; i++)
        put_flow(w, &f, weights, groups);
    whole_write_file(w, &f, &file, path, sizeof(path));
    gen_put(&w->g, "  - {kind: flows, file: %s, connections: %s, jitter: %" PRIu32 " us%s", path,
            split ? "weight" : "one", gen_below(&f, 2) * gen_below(&f, 100), w->g.tenants ? ", tenant: 3" : "");
    gen_put_reply(&w->g);
    gen_put(&w->g, "}\n");
}

/* --- pairs --- */

static void put_pairs(struct whole *w)
{
    struct gen *g = &w->g;
    uint32_t count = 2 + gen_below(g, 40), size = 1 + gen_below(g, 100),
             start_us = gen_below(g, (uint32_t)g->measure_us);
    gen_put(g, "  - {kind: pairs, count: %" PRIu32 ", size: %" PRIu32 " %s", count, size, unit_of(w));
    if (gen_one_in(g, 2))
        gen_put(g, ", start: %" PRIu32 " us", start_us);
    if (w->weights && gen_one_in(g, 2)) {
        uint32_t high = 1 + gen_below(g, 20);
        gen_put(g, ", weights: 1..%" PRIu32 ", draw: %s", high, gen_one_in(g, 2) ? "log-uniform" : "uniform");
        if (gen_one_in(g, 2))
            gen_put(g, ", changes: 30%%, change_at: %" PRIu32 " us", start_us + 1 + gen_below(g, 100));
    }
    gen_put(g, "}\n");
}

/* --- a constant rate --- */

static void put_cbr(struct whole *w)
{
    struct gen *g = &w->g;
    gen_put(g, "  - {kind: cbr, rate: %" PRIu32 " Mbps, packet: %" PRIu32 " B", 1 + gen_below(g, 200),
            1 + gen_below(g, w->g.acks ? 3000 : 100));
    if (gen_one_in(g, 2))
        gen_put(g, ", on: %" PRIu32 " us, off: %" PRIu32 " us", 1 + gen_below(g, 60), gen_below(g, 60));
    gen_put(g, ", stop: %" PRIu64 " us}\n", 1 + g->measure_us / 2);
}

/* --- collective operations --- */

/* Draws of its own, so that the other traffic of a seed stays as it is. Groups are of all hosts, or pairs of neighbours. */
static void put_collective(struct whole *w)
{
    static const char *const what[] = { "all-reduce, algorithm: ring",      "all-reduce, algorithm: tree",
                                        "all-reduce, algorithm: direct",    "all-gather, algorithm: ring",
                                        "reduce-scatter, algorithm: ring",  "all-to-all, algorithm: direct",
                                        "broadcast, algorithm: tree",       "broadcast, algorithm: pipeline",
                                        "broadcast, algorithm: direct",     "all-gather, algorithm: direct",
                                        "reduce-scatter, algorithm: direct" };
    char unused[TWIN_TEXT_MAX];
    struct gen f = gen_begin(9, w->g.seed, unused), *g = &w->g;
    uint32_t way = gen_below(&f, sizeof(what) / sizeof(what[0])), kilobytes = 1 + gen_below(&f, 100), most = g->hosts;
    bool pairs = gen_one_in(&f, 4) && g->hosts % 2 == 0;
    if (!g->acks || w->allocation || !gen_one_in(&f, 6))
        return;
    gen_put(g, "  - {kind: collective, op: %s, bytes: %" PRIu32 " KB, chunks: %" PRIu32 ", steps: %" PRIu32, what[way],
            kilobytes, 1 + gen_below(&f, 3), 1 + gen_below(&f, 4));
    if (pairs)
        gen_put(g, ", parallel: {tp: 2, dp: %" PRIu32 "}, over: tp", most / 2);
    else if (most > 2)
        gen_put(g, ", ranks: %" PRIu32, 2 + gen_below(&f, most - 1));
    gen_put(g, ", start: %" PRIu32 " us, placement: %s", gen_below(&f, 1 + (uint32_t)g->measure_us / 2),
            gen_one_in(&f, 2)   ? "random"
            : gen_one_in(&f, 2) ? "spread"
                                : "packed");
    if (gen_one_in(&f, 2))
        gen_put(g, ", compute: %" PRIu32 " us, straggler: %" PRIu32 "%%", 1 + gen_below(&f, 50), gen_below(&f, 200));
    gen_put(g, "}\n");
}

/* --- traces --- */

/* A schedule in rounds: in round k a rank sends to the k-th rank behind it, and receives. It computes before, which may wait for the
 * round before. */
static void put_goal(struct gen *f, uint32_t ranks)
{
    gen_put(f, "num_ranks %" PRIu32 "\n", ranks);
    for (uint32_t rank = 0; rank < ranks; rank++) {
        gen_put(f, "rank %" PRIu32 " {\n", rank);
        for (uint32_t k = 1; k < ranks; k++) {
            gen_put(f, "c%" PRIu32 ": calc %" PRIu32 " cpu %" PRIu32 "\n", k, gen_below(f, 9000), gen_below(f, 2));
            gen_put(f, "s%" PRIu32 ": send %" PRIu32 "b to %" PRIu32 " tag %" PRIu32 "\n", k, gen_below(f, 40000),
                    (rank + k) % ranks, k);
            gen_put(f, "r%" PRIu32 ": recv 1b from %" PRIu32 " tag %" PRIu32 "\n", k, (rank + ranks - k) % ranks, k);
            gen_put(f, "s%" PRIu32 " requires c%" PRIu32 "\n", k, k);
            if (k > 1)
                gen_put(f, "c%" PRIu32 " %s %c%" PRIu32 "\n", k, gen_one_in(f, 3) ? "irequires" : "requires",
                        gen_one_in(f, 2) ? 'r' : 's', k - 1);
        }
        gen_put(f, "}\n");
    }
}

static void put_simai(struct gen *f, uint32_t ranks)
{
    static const char *const op[] = { "NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL" };
    uint32_t layers = 1 + gen_below(f, 3);
    gen_put(f, "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 all_gpus: %" PRIu32 "\n%" PRIu32 "\n", ranks, layers);
    for (uint32_t i = 0; i < layers; i++) {
        gen_put(f, "layer -1");
        for (uint32_t phase = 0; phase < 3; phase++)
            gen_put(f, " %" PRIu32 " %s %" PRIu32, gen_below(f, 9000), op[gen_below(f, 5)], gen_below(f, 60000));
        gen_put(f, " %" PRIu32 "\n", gen_below(f, 9000));
    }
}

/* Draws of its own, as of collectives. Of Chakra there is none: its ranks have files of their own (test_traces). */
static void put_trace(struct whole *w)
{
    static int file = -1;
    char text[TWIN_TEXT_MAX], path[64];
    struct gen f = gen_begin(10, w->g.seed, text), *g = &w->g;
    uint32_t most = g->hosts < 6 ? g->hosts : 6, ranks = 2 + gen_below(&f, most - 1);
    bool goal = gen_one_in(&f, 2);
    if (!g->acks || w->allocation || !gen_one_in(&f, 6))
        return;
    if (goal)
        put_goal(&f, ranks);
    else
        put_simai(&f, ranks / 2 * 2);
    whole_write_file(w, &f, &file, path, sizeof(path));
    gen_put(g, "  - {kind: %s, file: %s, start: %" PRIu32 " us, placement: %s}\n", goal ? "goal" : "simai", path,
            gen_below(&f, 1 + (uint32_t)g->measure_us / 2),
            gen_one_in(&f, 2)   ? "random"
            : gen_one_in(&f, 2) ? "spread"
                                : "packed");
}

/* --- the section --- */

/* Start rates are of pairs, flows and jobs only. */
void whole_put_traffic(struct whole *w)
{
    struct gen *g = &w->g;
    bool listed = w->allocation || gen_one_in(g, 8), jobs = gen_one_in(g, listed ? 2 : 4);
    gen_put(g, "traffic:\n");
    if (!w->allocation && gen_one_in(g, 4))
        gen_put_permutation(g);
    if (!w->allocation && gen_one_in(g, 3))
        gen_put_incast(g);
    if ((listed && !jobs) || gen_one_in(g, 4))
        put_pairs(w);
    if (jobs)
        put_jobs(w);
    else if (!w->allocation && gen_one_in(g, 8))
        put_cbr(w);
    if (gen_one_in(g, 5))
        put_flows(w);
    put_collective(w);
    put_trace(w);
    if (!listed)
        gen_put_poisson(g);
}
