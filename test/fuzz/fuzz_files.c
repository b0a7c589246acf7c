/* test/fuzz/fuzz_files.c - any bytes as a file that a scenario names: the first says which, the rest is the file. j: jobs, f: a list of
 * flows, t: a topology, g: a GOAL schedule, c: a Chakra trace, s: a workload of SimAI, else a distribution of sizes. J and F: starts in
 * microseconds; i: flows between ids of a topology; G: a schedule with NICs; C: a Chakra trace of three ranks that have the same file, in which
 * control dependencies count; k: groups of ranks of a Chakra trace. Other simulators' forms are recognised by the readers.
 * Whatever arrives is accepted, and then is what a run may take for granted, or is refused with a sentence. */
#define _GNU_SOURCE 1 /* memfd_create() */
#include "config/jobs_file.h"
#include "param/param.h"
#include "config/topology_file.h"
#include "core/assert.h"
#include "topology/audit.h"
#include "topology/cycle.h"
#include "trace/trace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HOSTS = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file that only this process sees, and its name. */
static void write_file(const uint8_t *data, size_t size, char *path, size_t path_bytes)
{
    static int file = -1;
    if (file < 0)
        file = memfd_create("fuzz", 0);
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        abort();
    (void)snprintf(path, path_bytes, "/proc/self/fd/%d", file);
}

static void check_flow(const struct weir_jobs *jobs, const struct weir_job_flow *flow)
{
    WEIR_ASSERT(flow->src < HOSTS && flow->dst < HOSTS && flow->src != flow->dst);
    WEIR_ASSERT(flow->bytes > 0 && flow->job < jobs->job_count);
    WEIR_ASSERT(flow->weight_q20 >= WEIR_WEIGHT_MIN && flow->weight_q20 <= WEIR_WEIGHT_MAX);
    WEIR_ASSERT(flow->after_first + flow->after_count <= jobs->edge_count);
    WEIR_ASSERT(flow->before_first + flow->before_count <= jobs->edge_count);
    WEIR_ASSERT(flow->change_first + flow->change_count <= jobs->change_count);
}

/* A step of the policies, with every flow half way. */
static void step(const struct weir_jobs *jobs)
{
    struct weir_job_progress *progress = calloc(jobs->flow_count, sizeof(*progress));
    uint64_t *weight_q20 = calloc(jobs->flow_count, sizeof(*weight_q20));
    if (progress == NULL || weight_q20 == NULL)
        abort();
    for (uint32_t f = 0; f < jobs->flow_count; f++) {
        progress[f] = (struct weir_job_progress){ .active = f % 3 != 2,
                                                  .left_bytes = (jobs->flow[f].bytes + 1) / 2,
                                                  .rate_bps = f % 5 == 4 ? 0 : UINT64_C(1) << f % 40 };
        weight_q20[f] = jobs->flow[f].weight_q20;
    }
    weir_jobs_tick(jobs, progress, weight_q20);
    for (uint32_t f = 0; f < jobs->flow_count; f++)
        WEIR_ASSERT(weight_q20[f] >= WEIR_WEIGHT_MIN && weight_q20[f] <= WEIR_WEIGHT_MAX);
    free(progress);
    free(weight_q20);
}

static int as_jobs(const struct weir_traffic_config *item, const struct weir_workload_limits *limits,
                   struct weir_err *err)
{
    struct weir_jobs jobs;
    int code = weir_jobs_load(&jobs, item, 1, limits, NULL, err);
    if (code != 0)
        return code;
    for (uint32_t f = 0; f < jobs.flow_count; f++)
        check_flow(&jobs, &jobs.flow[f]);
    step(&jobs);
    weir_jobs_free(&jobs);
    return 0;
}

static int as_flows(const struct weir_traffic_config *item, const struct weir_workload_limits *limits,
                    struct weir_err *err)
{
    struct weir_workload wl;
    int code = weir_workload_build(&wl, item, 1, limits, NULL, err);
    if (code != 0)
        return code;
    for (uint64_t i = 0; i < wl.listed_first[HOSTS]; i++)
        WEIR_ASSERT(wl.listed[i].dst < HOSTS && wl.listed[i].bytes > 0);
    weir_workload_free(&wl);
    return 0;
}

static void check_rank(const struct weir_ranks *ranks, uint32_t rank)
{
    uint64_t count = ranks->first[rank + 1] - ranks->first[rank];
    for (uint64_t n = ranks->first[rank]; n < ranks->first[rank + 1]; n++) {
        const struct weir_rank_node *node = &ranks->node[n];
        bool any = node->op == WEIR_RANK_RECV && node->peer == WEIR_RANK_ANY;
        WEIR_ASSERT(node->op == WEIR_RANK_COMPUTE || any || (node->peer < ranks->ranks && node->peer != rank));
        WEIR_ASSERT(node->op != WEIR_RANK_SEND || (node->bytes > 0 && node->bytes <= WEIR_CDF_SIZE_MAX));
        WEIR_ASSERT(node->op != WEIR_RANK_COMPUTE || node->lane == WEIR_RANK_NO_LANE || node->lane < ranks->lanes);
        WEIR_ASSERT(node->next_first + node->next_count <= ranks->edge_count && node->waits < count * count);
        for (uint32_t i = 0; i < node->next_count; i++)
            WEIR_ASSERT((ranks->edge[node->next_first + i] & ~WEIR_RANK_AT_START) < count);
    }
}

static int as_trace(const struct weir_traffic_config *item, const struct weir_workload_limits *limits,
                    struct weir_err *err)
{
    struct weir_list_note note;
    struct weir_ranks ranks;
    int code = weir_trace_load(&ranks, item, limits, &note, err);
    if (code != 0)
        return code;
    WEIR_ASSERT(ranks.ranks > 0 && ranks.ranks <= HOSTS && ranks.node_count > 0 && ranks.draft == NULL);
    for (uint32_t rank = 0; rank < ranks.ranks; rank++)
        check_rank(&ranks, rank);
    weir_ranks_free(&ranks);
    return 0;
}

static char folder[] = "/tmp/weir_fuzz_XXXXXX"; /* with a link per rank to the file that is fuzzed */

static void remove_folder(void)
{
    char path[64];
    for (int rank = 0; rank < 3; rank++) {
        (void)snprintf(path, sizeof(path), "%s/t.%d.et", folder, rank);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

/* Makes the item's file the common beginning of three names of the file. */
static void make_ranks(struct weir_traffic_config *item)
{
    static bool made;
    char path[64];
    if (!made && (mkdtemp(folder) == NULL || atexit(remove_folder) != 0))
        abort();
    for (int rank = 0; !made && rank < 3; rank++) {
        (void)snprintf(path, sizeof(path), "%s/t.%d.et", folder, rank);
        if (symlink(item->file, path) != 0)
            abort();
    }
    made = true;
    (void)snprintf(item->file, sizeof(item->file), "%s/t", folder);
}

static int as_sizes(const char *path, struct weir_err *err)
{
    struct weir_cdf cdf;
    int code = weir_cdf_load(&cdf, path, 0, err);
    if (code != 0)
        return code;
    for (uint64_t draw = 0; draw < 16; draw++)
        WEIR_ASSERT(weir_cdf_sample(&cdf, draw * (UINT64_MAX / 15)) <= WEIR_CDF_SIZE_MAX);
    weir_cdf_free(&cdf);
    return 0;
}

/* All NICs of a pair of hosts that lead from one to the other: their paths are equally long, and each hash names one of them. */
static void check_pair(const struct weir_routes *r, const struct weir_topology *topo, uint32_t src, uint32_t dst)
{
    uint32_t nics = weir_route_nics(r, topo, src, dst), links = 0;
    WEIR_ASSERT(nics >> topo->node[src].out_count == 0);
    for (uint32_t left = nics; left != 0; left &= left - 1) {
        struct weir_route_path path;
        uint32_t nic = (uint32_t)__builtin_ctz(left);
        WEIR_ASSERT(weir_route_path_from(r, topo, src, nic, dst, 7 * nic, &path));
        WEIR_ASSERT(links == 0 || path.count == links);
        links = path.count;
        WEIR_ASSERT(topo->link[path.link[0]].src == src && topo->link[path.link[links - 1]].dst == dst);
        WEIR_ASSERT(weir_route_links_from(r, topo, topo->link[path.link[0]].dst, src, dst, 7 * nic) == links - 1);
    }
    for (uint32_t hash = 0; nics != 0 && hash < 4; hash++)
        WEIR_ASSERT((nics >> weir_route_nic_by(r, nics, hash << 30) & 1) != 0);
    WEIR_ASSERT(links <= weir_route_links_max(r, topo));
}

/* Hosts of several NICs: up to a dozen of them to each other. Routes of these are neither symmetric nor by delay. */
static void check_nics(const struct weir_topology *topo)
{
    struct weir_routes routes;
    struct weir_audit audit;
    struct weir_err err;
    uint32_t src, dst, cycle, count, few = topo->host_count < 12 ? topo->host_count : 12;
    if (weir_routes_build(&routes, topo, WEIR_ROUTE_ECMP, WEIR_METRIC_HOPS, 1, &err) != 0)
        return; /* 4095 equal paths */
    bool gap = weir_route_gap(&routes, topo, &src, &dst);
    WEIR_ASSERT((weir_route_base_rtt_ps(&routes, topo, 1538, 84) == 0) == gap);
    WEIR_ASSERT(weir_route_links_max(&routes, topo) <= WEIR_TOPOLOGY_HOPS_MAX);
    WEIR_ASSERT(!gap || weir_route_nics(&routes, topo, src, dst) == 0);
    for (int rail = 0; rail < 2; rail++)
        WEIR_ASSERT(weir_route_cycle(&routes, topo, rail != 0, &cycle, 1, &count, &err) == 0);
    WEIR_ASSERT(weir_audit(&audit, topo, &routes, &err) == 0);
    WEIR_ASSERT((audit.pairs_cut == 0) == !gap || audit.edges < topo->host_count);
    for (src = 0; src < few; src++)
        for (dst = 0; dst < few; dst++)
            if (src != dst)
                check_pair(&routes, topo, src, dst);
    weir_routes_free(&routes);
}

/* Every pair by both metrics; symmetric, so that each direction finds the other's path. */
static void check_routes(const struct weir_topology *topo)
{
    if (weir_topology_has_nics(topo)) {
        check_nics(topo);
        return;
    }
    for (int metric = WEIR_METRIC_HOPS; metric <= WEIR_METRIC_DELAY; metric++) {
        struct weir_routes routes;
        struct weir_route_path path;
        struct weir_err err;
        uint32_t src, dst, cycle, count;
        if (weir_routes_build(&routes, topo, WEIR_ROUTE_SYMMETRIC, (enum weir_route_metric)metric, 1, &err) != 0)
            continue; /* 4095 equal paths */
        bool gap = weir_route_gap(&routes, topo, &src, &dst);
        WEIR_ASSERT((weir_route_base_rtt_ps(&routes, topo, 1538, 84) == 0) == gap);
        WEIR_ASSERT(weir_route_links_max(&routes, topo) <= WEIR_TOPOLOGY_HOPS_MAX);
        WEIR_ASSERT(gap || weir_route_path(&routes, topo, 0, topo->host_count - 1, 7, &path));
        WEIR_ASSERT(gap || weir_route_path(&routes, topo, topo->host_count - 1, 0, 7, &path));
        WEIR_ASSERT(weir_route_cycle(&routes, topo, false, &cycle, 1, &count, &err) == 0);
        weir_routes_free(&routes);
    }
}

static int as_topology(const char *path, struct weir_err *err)
{
    struct weir_topology_config cfg = { .kind = WEIR_GRAPH };
    struct weir_topology topo;
    char name[WEIR_LINK_NAME];
    (void)snprintf(cfg.file, sizeof(cfg.file), "%s", path);
    int code = weir_topology_load(&topo, &cfg, NULL, NULL, err);
    if (code != 0)
        return code;
    WEIR_ASSERT(topo.host_count >= 2 && (topo.switch_count >= 1 || weir_topology_has_nics(&topo)));
    for (uint32_t l = 0; l < topo.link_count; l++) {
        const struct weir_link *link = &topo.link[l];
        WEIR_ASSERT(link->rate_bps >= WEIR_RATE_MIN_BPS && link->rate_bps <= WEIR_RATE_MAX_BPS);
        WEIR_ASSERT(link->delay_ps >= 1 && link->delay_ps <= WEIR_LINK_DELAY_MAX_PS);
        WEIR_ASSERT(link->src != link->dst && topo.link[link->reverse].dst == link->src);
        weir_topology_link_name(&topo, l, name, sizeof(name));
    }
    bool fastest = false;
    for (uint32_t h = 0; h < topo.host_count; h++) {
        const struct weir_node *node = &topo.node[h];
        WEIR_ASSERT(node->out_count >= 1 && node->out_count <= topo.nics_max);
        for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
            uint64_t rate_bps = topo.link[l].rate_bps;
            WEIR_ASSERT(rate_bps <= topo.host_link_bps);
            WEIR_ASSERT(rate_bps == topo.host_link_bps || topo.has_unlike_hosts);
            fastest = fastest || rate_bps == topo.host_link_bps;
        }
    }
    WEIR_ASSERT(topo.nics_max <= WEIR_NICS_MAX);
    WEIR_ASSERT(fastest);
    if (topo.link_count <= 1000)
        check_routes(&topo);
    weir_topology_free(&topo);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t ids[HOSTS] = { 1, 2, 3, 5, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 300 };
    struct weir_workload_limits limits = {
        .hosts = HOSTS, .host_rate_bps = UINT64_C(100000000000), .end_ps = WEIR_PS_PER_S, .seed = 1
    };
    struct weir_traffic_config item;
    struct weir_err err = { .code = WEIR_E_OK };
    if (size == 0)
        return 0;
    weir_param_defaults(weir_traffic_params, &item);
    char what = data[0] == 'J' ? 'j' : data[0] == 'F' || data[0] == 'i' ? 'f' : (char)data[0];
    item.kind = what == 'j'                                   ? WEIR_TRAFFIC_JOBS
                : what == 'g' || what == 'G'                  ? WEIR_TRAFFIC_GOAL
                : strchr("cCk", what) != NULL && what != '\0' ? WEIR_TRAFFIC_CHAKRA
                : what == 's'                                 ? WEIR_TRAFFIC_SIMAI
                                                              : WEIR_TRAFFIC_FLOWS;
    item.goal_layout = what == 'G' ? WEIR_GOAL_LAYOUT_NODE : WEIR_GOAL_LAYOUT_NONE;
    item.dependencies = what == 'C' ? WEIR_DEPENDENCIES_ALL : WEIR_DEPENDENCIES_DATA;
    item.start_unit = data[0] == 'J' || data[0] == 'F' ? WEIR_START_UNIT_US : WEIR_START_UNIT_NONE;
    limits.host_id = data[0] == 'i' ? ids : NULL;
    write_file(data + 1, size - 1, item.file, sizeof(item.file));
    if (what == 'C')
        make_ranks(&item);
    if (what == 'k')
        memcpy(item.groups, item.file, sizeof(item.groups));
    int code = what == 'j'                        ? as_jobs(&item, &limits, &err)
               : what == 'f'                      ? as_flows(&item, &limits, &err)
               : what == 't'                      ? as_topology(item.file, &err)
               : weir_traffic_is_trace(item.kind) ? as_trace(&item, &limits, &err)
                                                  : as_sizes(item.file, &err);
    WEIR_ASSERT(code == 0 || ((int)err.code == code && err.text[0] != '\0'));
    return 0;
}
