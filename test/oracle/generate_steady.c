/* test/oracle/generate_steady.c - a random scenario with long messages, most of them of pairs that share no link: states come back there, and
 * run.skip: exact has something to do. */
#include "core/rng.h"
#include "test/oracle/twin.h"
#include <inttypes.h>

static uint32_t draw(uint64_t seed, uint32_t what, uint32_t below)
{
    return (uint32_t)weir_rng_below(weir_rng_at(seed * UINT64_C(0x9e3779b97f4a7c15), what), below);
}

#define ONE_OF(list, what) list[draw(seed, what, sizeof(list) / sizeof((list)[0]))]

void twin_generate_steady(uint64_t seed, char *text)
{
    static const char *const topology[] = {
        "{kind: leaf-spine, hosts: 4, racks: 1, spines: 1}",
        "{kind: leaf-spine, hosts: 6, racks: 1, spines: 1, host_link: 25 Gbps}",
        "{kind: leaf-spine, hosts: 4, racks: 2, spines: 4}",
        "{kind: leaf-spine, hosts: 6, racks: 2, spines: 3, host_link: 40 Gbps, core_link: 40 Gbps}",
        "{kind: fat-tree, k: 4}",
    };
    static const char *const protocol[] = {
        "{name: dctcp}",
        "{name: dctcp, alpha: 0}",
        "{name: dctcp, max_cwnd: 100 KB}",
        "{name: newreno}",
        "{name: cubic}",
        "{name: timely}",
        "{name: swift}",
        "{name: swift, init_cwnd: 30 KB, max_cwnd: 40}",
        "{name: timely, preset: erpc, window: true}",
        "{name: timely, form: window}",
        "{name: soze}",
        "{name: aimd}\nfabric: {maxqd: {filter: 1 us}}",
        "{name: soze, pace: 1.25, large: 4}\nfabric: {maxqd: {filter: 0}}",
        "{name: soze, update_mode: per-rtt}\nfabric: {maxqd: {filter: 500 ns}}",
    };
    static const char *const traffic[] = {
        "{kind: permutation, size: 2 MB}",
        "{kind: permutation, size: 2 MB}\n  - {kind: permutation, size: 200 KB, start: 40 us}",
        "{kind: collective, op: all-reduce, algorithm: ring, bytes: 5 MB, ranks: 0..3}",
        "{kind: collective, op: all-gather, algorithm: ring, bytes: 6 MB, ranks: 0..3, compute: 5 us}",
        "{kind: incast, fan_in: 1, from: 2, to: 3, size: 1 MB, period: 200 us, stop: 500 us}",
    };
    static const char *const host[] = { "ack_every: 1", "ack_every: 2", "nic_queue: unlimited", "connections: 3" };
    static const char *const run[] = {
        "warmup: 0 us, measure: all",
        "warmup: 33 us, measure: 300 us",
        "warmup: 10 us, measure: 250 us, sample: 100 ns",
        "warmup: 0 us, measure: all, sample: 7 us, statistics: sampled",
        "warmup: 50 us, measure: all, sample: 333 ns",
    };
    (void)snprintf(text, TWIN_TEXT_MAX,
                   "topology: %s\nprotocol: %s\nhost: {reliability: selective, ecn: rfc8257, handshake: false, %s}\n"
                   "traffic:\n  - %s\nrun: {%s, seed: %" PRIu64 "}\n",
                   ONE_OF(topology, 1), ONE_OF(protocol, 2), ONE_OF(host, 3), ONE_OF(traffic, 4), ONE_OF(run, 5), seed);
}
