/* test/unit/program/program_fixture.h - runs a scenario with programs, and keeps its result. */
#ifndef WEIR_TEST_PROGRAM_FIXTURE_H
#define WEIR_TEST_PROGRAM_FIXTURE_H
#include "test/unit/setup/setup_fixture.h"
#include "engine/sim.h"

#define STAR(hosts) "topology: {kind: star, hosts: " #hosts ", host_link: 100 Gbps, host_delay: 1 us}\n"
#define RUN_ALL "run: {warmup: 0 us, measure: all}\n"

/* Runs a scenario on so many threads; the caller frees the result. */
static inline struct weir_result run_text(const char *text, uint32_t threads)
{
    const struct weir_sim_options options = { .threads = threads, .check = true };
    struct weir_result result;
    parse("/dev/fd/a.yaml", text);
    if (weir_sim_run(is_accepted(), &options, &result, &err) != 0)
        fail_msg("%s", err.text);
    return result;
}
#endif
