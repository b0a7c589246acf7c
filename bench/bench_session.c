/* bench/bench_session.c - what a session costs (include/weir/sim.h): messages one at a time on an idle network, each
 * given when the one before has arrived. bench/bench_session.py counts
 * instructions, and compares it with Python. */
#include "weir/sim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_us(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int fail(const char *text)
{
    (void)fprintf(stderr, "bench_session: %s\n", text);
    return 1;
}

int main(int argc, char **argv)
{
    unsigned long hosts = argc > 1 ? strtoul(argv[1], NULL, 10) : 64,
                  count = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000;
    struct weir_sim_opts opts = { .size = sizeof(opts),
                                  .threads = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1 };
    struct weir_sim_message m = { .size = sizeof(m), .bytes = 1000 };
    struct weir_sim_counts counts = { .size = sizeof(counts) };
    struct weir_sim_error error = { 0 };
    char text[512];
    struct weir_sim *sim;
    double begun_us;
    if (hosts < 16 || hosts % 8 != 0)
        return fail("usage: bench_session [HOSTS [MESSAGES [THREADS]]]; hosts are a multiple of 8, from 16 on");
    (void)snprintf(
        text, sizeof(text),
        "topology: {kind: leaf-spine, hosts: %lu, racks: %lu, spines: 4, host_link: 100 Gbps, core_link: 400 "
        "Gbps, host_delay: 1 us, core_delay: 1 us}\nprotocol: dctcp\ntraffic: [{kind: session}]\n"
        "run: {warmup: 0 us, measure: all}\n",
        hosts, hosts / 8);
    sim = weir_sim_open(text, strlen(text), &opts, &error);
    if (sim == NULL)
        return fail(error.text);
    begun_us = cpu_us();
    for (unsigned long i = 0; i < count; i++) {
        m.src = (uint32_t)(i * 7 % hosts), m.dst = (uint32_t)((i * 7 + hosts / 2 + 1) % hosts);
        m.start_ps = weir_sim_floor(sim);
        if (weir_sim_inject(sim, &m, NULL) != 0 || weir_sim_advance(sim, WEIR_SIM_NEVER, NULL) != 1)
            return fail(weir_sim_error(sim)->text);
    }
    begun_us = cpu_us() - begun_us;
    (void)weir_sim_close(sim, &counts, NULL);
    (void)printf("%lu hosts: %.2f us of CPU for a message of 1000 bytes, %lu messages, digest %016llx\n", hosts,
                 begun_us / (double)count, count, (unsigned long long)counts.digest);
    return 0;
}
