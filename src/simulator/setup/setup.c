/* src/simulator/setup/setup.c - combines the sections of a scenario into a model: topology, paths, BDP, features,
 * protocol, traffic. Checks that they fit each other, so that the engine receives only models that can run. */
#include "setup/setup.h"
#include "means/length.h"
#include "config/jobs_file.h"
#include "config/topology_file.h"
#include "core/cc.h"
#include "setup/features.h"
#include "setup/traces.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Refuses a topology in which two hosts have no path of WEIR_TOPOLOGY_HOPS_MAX links or fewer, with every cable up.
 * With metric delay the shortest path may be one of many links. @return 0, or WEIR_E_RANGE with err */
static int check_paths(const struct weir_setup *s, const struct weir_routes *routes, struct weir_err *err)
{
    char from[WEIR_NODE_NAME], to[WEIR_NODE_NAME];
    uint32_t src, dst;
    if (!weir_route_gap(routes, &s->topo, &src, &dst))
        return 0;
    weir_topology_node_name(&s->topo, src, from, sizeof(from));
    weir_topology_node_name(&s->topo, dst, to, sizeof(to));
    if (weir_topology_has_nics(&s->topo))
        return weir_fail(err, WEIR_E_RANGE, &s->scn->where_topology, "fewer switches in a row, or one more cable",
                         "topology: no path of at most %u links leads from %s to %s, and hosts do not forward",
                         WEIR_TOPOLOGY_HOPS_MAX, from, to);
    return weir_fail(err, WEIR_E_RANGE, &s->scn->where_topology,
                     s->model.metric == WEIR_METRIC_DELAY ? "fewer switches in a row, or fabric.routing.metric: hops"
                                                          : "fewer switches in a row",
                     "topology: the path from %s to %s has more than %u links", from, to, WEIR_TOPOLOGY_HOPS_MAX);
}

/* Adds the position of the topology section to a WEIR_E_RANGE error of the routes, which do not know it. @return
 * code */
static int blame_topology(const struct weir_setup *s, int code, struct weir_err *err)
{
    struct weir_err why = *err;
    if (code != WEIR_E_RANGE || err->file[0] != '\0')
        return code;
    return weir_fail(err, why.code, &s->scn->where_topology, why.hint, "topology: %s", why.text);
}

/* Sets model.group_edge[], the message sizes that separate the groups of slowdowns. Unless the scenario sets a size
 * (run.group_bytes), it follows from the network alone, so that runs of different protocols can be compared. The
 * packet and the BDP are then those of plain Ethernet frames, whatever frames the protocol's preset sets. @return 0, or
 * WEIR_E_MEMORY with err */
static int setup_groups(struct weir_setup *s, const struct weir_routes *routes, struct weir_err *err)
{
    const struct weir_framing *plain = &weir_framing_plain;
    uint64_t bdp_bytes = s->scn->topology.bdp.bytes;
    if (bdp_bytes == UINT64_MAX) {
        uint64_t rtt_ps = weir_route_base_rtt_ps(routes, &s->topo, weir_framing_wire(plain, plain->payload_bytes),
                                                 plain->ack_wire_bytes);
        if (rtt_ps == UINT64_MAX)
            return weir_fail_memory(err);
        bdp_bytes = weir_mul_div_u64(rtt_ps, s->topo.host_link_bps, 8 * WEIR_PS_PER_S);
    }
    s->model.group_edge[0] = plain->payload_bytes;
    s->model.group_edge[1] = bdp_bytes;
    s->model.group_edge[2] = 8 * bdp_bytes;
    for (int i = 0; i < 3; i++)
        if (s->scn->run.group_bytes[i] != UINT64_MAX)
            s->model.group_edge[i] = s->scn->run.group_bytes[i];
    return 0;
}

/* Computes the longest path, and fills each law's path with its base round trip and BDP. Resolves sizes that are given
 * in BDP: those of a law in its own, all others in that of law 0. The topology must be built. @return 0, or a code with
 * err */
static int setup_path(struct weir_setup *s, struct weir_err *err)
{
    const struct weir_routes *routes = &s->routes;
    int code;
    s->model.metric = s->scn->routing.metric;
    if (s->scn->routing.mode == WEIR_ROUTE_TREES && s->model.metric != WEIR_METRIC_HOPS)
        return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_fabric, "leave metric out, or set mode: symmetric",
                         "fabric.routing: spanning trees are of the fewest links, not of the least delay");
    code = weir_setup_check_nics(s, err);
    if (code != 0)
        return code;
    code = weir_routes_build(&s->routes, &s->topo, s->scn->routing.mode, s->model.metric, 0, err);
    if (code != 0)
        return blame_topology(s, code, err);
    code = check_paths(s, routes, err);
    if (code == 0)
        code = weir_setup_nics(s, err);
    if (code != 0)
        return code;
    s->model.routes = routes;
    s->path_links = weir_route_links_max(routes, &s->topo);
    if (s->path_links == 0)
        return weir_fail_memory(err);
    for (uint32_t k = 0; k < s->law_count && code == 0; k++)
        code = weir_setup_law_path(s, k, routes, err);
    s->base_rtt_ps = s->law[0].path.base_rtt_ps;
    s->bdp_bytes = s->law[0].path.bdp_bytes;
    if (code == 0)
        code = setup_groups(s, routes, err);
    if (code == 0)
        code = weir_setup_law_hops(s, routes, err);
    if (code == 0)
        code = weir_setup_links(s, err);
    if (code == 0)
        code = weir_setup_transports(s, err);
    if (code == 0)
        code = weir_scenario_resolve(s->scn, &(struct weir_scenario_path){ s->bdp_bytes, s->base_rtt_ps }, err);
    for (uint32_t k = 1; k < s->law_count && code == 0; k++)
        code = weir_scenario_resolve_law(
            s->scn, k, &(struct weir_scenario_path){ s->law[k].path.bdp_bytes, s->law[k].path.base_rtt_ps }, err);
    return code;
}

static void setup_fabric(struct weir_setup *s)
{
    const struct weir_scenario *scn = s->scn;
    struct weir_model *m = &s->model;
    m->memory_bytes = scn->fabric.buffer_bytes;
    m->routing = scn->routing.mode;
    m->host.params.nic_queue = scn->host.nic_queue; /* hooks of queues are called for hosts' ports, or are not */
}

/* Builds the jobs and programs, then the workload, which refers to them. @return 0, or a code with err; then all are
 * freed */
static int setup_workload(struct weir_setup *s, struct weir_workload_limits *limits, struct weir_err *err)
{
    struct weir_scenario *scn = s->scn;
    bool jobs = false;
    int code = 0;
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        jobs |= scn->traffic[i].kind == WEIR_TRAFFIC_JOBS || scn->traffic[i].kind == WEIR_TRAFFIC_PAIRS;
    if (jobs) {
        code = weir_jobs_load(&s->jobs, scn->traffic, scn->traffic_count, limits, scn->where_traffic, err);
        limits->jobs = &s->jobs;
    }
    if (code == 0)
        code = weir_setup_traces(&s->graph, scn, limits, err);
    if (code == 0)
        code = weir_programs_build(&s->programs,
                                   &(struct weir_programs_from){ .item = scn->traffic,
                                                                 .graph = s->graph,
                                                                 .where = scn->where_traffic,
                                                                 .item_count = scn->traffic_count,
                                                                 .hosts = limits->hosts,
                                                                 .seed = limits->seed,
                                                                 .server_of = s->topo.edge_of,
                                                                 .has_rails = weir_topology_has_nics(&s->topo),
                                                                 .base_dir = limits->base_dir },
                                   err);
    limits->program_messages = s->programs.messages;
    if (code == 0)
        code = weir_workload_build(&s->workload, scn->traffic, scn->traffic_count, limits, scn->where_traffic, err);
    if (code == 0)
        return 0;
    weir_programs_free(&s->programs);
    weir_setup_free_traces(&s->graph);
    weir_jobs_free(&s->jobs);
    return code;
}

/* Returns the traffic items whose messages count in results by message: bit i is item i. */
static uint32_t setup_measured_items(const struct weir_scenario *scn)
{
    uint32_t always = 0, automatic = 0, incasts = 0;
    for (uint32_t i = 0; i < scn->traffic_count; i++) {
        const struct weir_traffic_config *item = &scn->traffic[i];
        always |= (uint32_t)(item->measured == WEIR_MEASURED_TRUE) << i;
        automatic |= (uint32_t)(item->measured == WEIR_MEASURED_AUTO) << i;
        incasts |= (uint32_t)(item->kind == WEIR_TRAFFIC_INCAST || item->kind == WEIR_TRAFFIC_CBR) << i;
    }
    if ((always | (automatic & ~incasts)) == 0) /* only incasts and cbr are left, so they are measured */
        return automatic;
    return always | (automatic & ~incasts);
}

/* Returns an upper bound of the messages that a host starts, replies included. Of random arrivals it is twice the mean
 * and a thousand, which no seed reaches. */
static uint64_t messages_max(const struct weir_setup *s)
{
    const struct weir_workload *wl = &s->workload;
    uint64_t end_ps = s->model.warmup_ps + s->model.measure_ps, listed = 0, random = 0;
    if (s->model.until_done)
        return wl->finite_messages;
    for (uint32_t h = 0; h < wl->hosts; h++)
        listed = weir_max_u64(listed, wl->listed_first[h + 1] - wl->listed_first[h]);
    for (uint32_t i = 0; i < s->scn->traffic_count; i++)
        if (wl->gap_mean_fs[i] > 0)
            random += 1000 + weir_mul_div_u64(end_ps, 2000, wl->gap_mean_fs[i]);
    WEIR_ASSERT(wl->hosts > 0);
    return listed + random + wl->finite_replies + (wl->replies ? random * wl->hosts : 0);
}

/* Refuses restarts of hosts where something waits for messages that would be lost. @return 0, or WEIR_E_CONFLICT with
 * err */
static int setup_restarts(const struct weir_setup *s, struct weir_err *err)
{
    const char *why = NULL;
    if (s->model.ends_at_sender)
        why = "with run.complete_at: sender a message ends at its sender, which may be gone";
    if (s->workload.jobs != NULL)
        why = "flows of traffic of kind jobs or pairs wait for messages that would be lost";
    if (s->programs.count > 0)
        why = "ranks of a collective operation or a trace wait for messages that would be lost";
    if (s->model.restart_count > 0 && why == NULL && messages_max(s) >= WEIR_PKT_EPOCH_CONNS)
        return weir_fail(err, WEIR_E_RANGE, &s->scn->where_fabric, "a shorter run, or less traffic",
                         "fabric.events: state restart: a host may start %llu messages, and fewer than %u are possible",
                         (unsigned long long)messages_max(s), WEIR_PKT_EPOCH_CONNS);
    if (s->model.restart_count == 0 || why == NULL)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_fabric, "leave the restarts out",
                     "fabric.events: state restart: %s", why);
}

/* Refuses traffic of kind session in a run that no program drives, and a session without it. @return 0, or
 * WEIR_E_CONFLICT with err */
static int setup_session(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    const struct weir_tok *where = NULL;
    for (uint32_t i = 0; i < scn->traffic_count && where == NULL; i++)
        if (scn->traffic[i].kind == WEIR_TRAFFIC_SESSION)
            where = &scn->where_traffic[i];
    if (where != NULL && !scn->is_session)
        return weir_fail(err, WEIR_E_CONFLICT, where, "a program opens such a scenario: weir/sim.h, doc/session.md",
                         "traffic: messages of kind session come from a program, and nobody gives any here");
    if (where == NULL && scn->is_session)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_topology, "for example traffic: [{kind: session}]",
                         "traffic: a session needs an item of kind session, to which its messages belong");
    for (uint32_t k = 0; scn->is_session && k < s->law_count; k++)
        if ((weir_host_needs(&s->law[k]) & WEIR_NEED_NO_ACKS) != 0)
            return weir_fail(err, WEIR_E_CONFLICT, &scn->where_protocol, NULL,
                             "protocol %s acknowledges nothing: a session would never know that a message is lost",
                             weir_scenario_law(s->scn, k).protocol->name);
    if (scn->is_session && s->model.restart_count > 0)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_fabric, "leave the restarts out",
                         "fabric.events: state restart: messages of a session would be lost without a word");
    return 0;
}

/* Refuses programs whose messages have a law without acknowledgements: what is lost would be waited for without an end.
 * @return 0, or WEIR_E_CONFLICT with err */
static int setup_programs(const struct weir_setup *s, struct weir_err *err)
{
    for (uint32_t p = 0; p < s->programs.count; p++)
        for (uint32_t k = 0; k < s->law_count; k++)
            if (weir_setup_law_sends(s, k, s->programs.program[p].item) &&
                (weir_host_needs(&s->law[k]) & WEIR_NEED_NO_ACKS) != 0)
                return weir_fail(err, WEIR_E_CONFLICT, weir_scenario_law(s->scn, k).where, NULL,
                                 "protocol %s acknowledges nothing: ranks would wait forever for what is lost",
                                 weir_scenario_law(s->scn, k).protocol->name);
    return 0;
}

static int setup_traffic(struct weir_setup *s, struct weir_err *err)
{
    struct weir_scenario *scn = s->scn;
    struct weir_model *m = &s->model;
    struct weir_workload_limits limits = { .hosts = s->topo.host_count,
                                           .host_rate_bps = s->topo.host_link_bps,
                                           .host_bps = s->host_bps,
                                           .end_ps = m->until_done ? WEIR_NEVER : m->warmup_ps + m->measure_ps,
                                           .seed = scn->run.seed,
                                           .base_dir = scn->base_dir,
                                           .host_id = s->topo.host_id,
                                           .note = s->note,
                                           .groups = weir_setup_laws_read_groups(s) };
    int code = 0;
    if (scn->traffic_count == 0) /* of a file for `weir switch` */
        return weir_fail(err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = scn->where_topology.file },
                         "for example traffic: [{kind: poisson, sizes: websearch, load: 50%}]",
                         "traffic: at least one item is needed");
    code = setup_session(s, err);
    if (code == 0)
        code = setup_workload(s, &limits, err);
    if (code != 0)
        return code;
    m->workload = &s->workload;
    m->programs = s->programs.count > 0 ? &s->programs : NULL;
    m->measured_items = setup_measured_items(scn);
    code = weir_setup_laws_check_traffic(s, err);
    if (code == 0)
        code = setup_programs(s, err);
    if (code == 0)
        code = setup_restarts(s, err);
    if (code == 0) {
        weir_setup_weights(s);
        code = weir_setup_laws_fit(s, err);
    }
    if (code == 0)
        return 0;
    weir_workload_free(&s->workload);
    weir_programs_free(&s->programs);
    weir_setup_free_traces(&s->graph);
    weir_jobs_free(&s->jobs);
    return code;
}

/* Divides the measured part into batches. With measure: auto the run is as long as it may become, in short batches. A
 * batch needs a sample where queues are known by samples alone. */
static void setup_batches(struct weir_model *m, const struct weir_run_config *run)
{
    if (run->measure_ps == WEIR_MEASURE_AUTO) {
        m->batch_count = WEIR_LENGTH_BATCHES;
        m->batch_ps = run->most_ps / WEIR_LENGTH_BATCHES;
        m->measure_ps = m->batch_ps * WEIR_LENGTH_BATCHES;
    } else if (!m->until_done && m->measure_ps >= WEIR_BATCHES) {
        m->batch_count = WEIR_BATCHES;
        m->batch_ps = m->measure_ps / WEIR_BATCHES;
        m->batch_slowdowns = true;
    }
    if (m->sampled && m->batch_ps < m->sample_ps)
        m->batch_ps = m->batch_count = 0;
}

static void setup_run(struct weir_setup *s)
{
    const struct weir_scenario *scn = s->scn;
    struct weir_model *m = &s->model;
    m->topo = &s->topo;
    m->warmup_ps = scn->run.warmup_ps;
    m->until_done = scn->run.measure_ps == WEIR_NEVER;
    m->measure_ps = m->until_done ? 0 : scn->run.measure_ps;
    m->sample_ps = scn->run.sample_ps;
    m->sample_average = scn->run.sample_average != 0;
    m->sampled = scn->run.statistics == WEIR_STATISTICS_SAMPLED;
    m->skip = scn->run.skip == WEIR_SKIP_EXACT;
    setup_batches(m, &scn->run);
    m->seed = scn->run.seed;
    m->short_bytes = scn->run.short_bytes;
    m->sample_limit = WEIR_SAMPLES_MAX;
    m->ends_at_sender = scn->run.complete_at == WEIR_COMPLETE_SENDER;
}

static void free_network(struct weir_setup *s)
{
    weir_setup_free_switches(s);
    weir_setup_free_links(s);
    weir_setup_free_nics(s);
    weir_routes_free(&s->routes);
    weir_topology_free(&s->topo);
}

int weir_setup_network(struct weir_setup *s, struct weir_scenario *scn, struct weir_err *err)
{
    int code;
    *s = (struct weir_setup){ .scn = scn, .law_count = scn->law_count };
    weir_setup_law_names(scn, s->law_names, sizeof(s->law_names));
    if ((code = weir_setup_laws_framing(s, err)) != 0 ||
        (code = weir_topology_load(&s->topo, &scn->topology, scn->base_dir, &scn->where_topology, err)) != 0)
        return code;
    if ((code = weir_setup_hosts(s, err)) == 0)
        code = weir_setup_switches(s, err);
    if (code == 0)
        code = setup_path(s, err);
    if (code == 0)
        return 0;
    free_network(s);
    return code;
}

/* Points the model to the laws of the run. Without several laws the model has the one. */
static void setup_model_laws(struct weir_setup *s)
{
    struct weir_host_config *host = &s->model.host;
    *host = s->law[0];
    weir_setup_fill_transports(s);
    if (s->law_count == 1)
        return;
    for (uint32_t k = 0; k < s->law_count; k++) {
        host->rates = host->rates != NULL ? host->rates : s->law[k].rates;
        s->law[k].params.mark_bytes = 0; /* the host marks by what waits of all laws */
        s->law[k].law_number = k;
    }
    host->law = s->law;
    host->law_count = s->law_count;
}

void weir_setup_track(struct weir_setup *s)
{
    s->model.host.track = true;
    for (uint32_t k = 0; k < s->law_count; k++)
        s->law[k].track = true;
    for (uint32_t t = 0; t < s->host_nics.count; t++)
        s->transport[t].track = true;
}

int weir_setup_fabric(struct weir_setup *s, struct weir_scenario *scn, struct weir_err *err)
{
    int code = weir_setup_network(s, scn, err);
    if (code != 0)
        return code;
    setup_run(s);
    setup_fabric(s);
    if ((code = weir_setup_features(s, err)) == 0 && (code = weir_setup_switch_memory(s, err)) == 0)
        return 0;
    weir_setup_free(s);
    return weir_setup_laws_name(scn, code, err);
}

int weir_setup_init_for_shares(struct weir_setup *s, struct weir_scenario *scn, struct weir_err *err)
{
    int code = weir_setup_fabric(s, scn, err);
    if (code != 0)
        return code;
    if ((code = weir_setup_laws(s, err)) != 0 || (code = weir_setup_senders(s, err)) != 0 ||
        (code = setup_traffic(s, err)) != 0) {
        free(s->feature_models);
        free_network(s);
        return weir_setup_laws_name(scn, code, err);
    }
    setup_model_laws(s);
    return 0;
}

/* Refuses measure: auto where traffic ends by itself. @return 0, or WEIR_E_CONFLICT with err */
static int check_length(const struct weir_setup *s, struct weir_err *err)
{
    if (s->scn->run.measure_ps != WEIR_MEASURE_AUTO || s->workload.endless)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_run, "measure: all, which lasts until the last message ends",
                     "run.measure: auto needs traffic that goes on, and all of it ends by itself");
}

/* Refuses statistics: sampled together with what is computed from the exact ones. @return 0, or WEIR_E_CONFLICT with
 * err */
static int check_statistics(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_run_config *run = &s->scn->run;
    if (run->statistics == WEIR_STATISTICS_SAMPLED && run->sample_average != 0)
        return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_run, "statistics: exact",
                         "run.sample_average: means between samples are not known with run.statistics: sampled");
    if (run->statistics == WEIR_STATISTICS_SAMPLED && run->measure_ps == WEIR_MEASURE_AUTO && s->model.batch_ps == 0)
        return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_run, "statistics: exact, or a shorter sample",
                         "run.measure: auto has batches of a 2000th of run.most, and with run.statistics: sampled each "
                         "needs a sample: run.sample is longer");
    return 0;
}

int weir_setup_init(struct weir_setup *s, struct weir_scenario *scn, struct weir_err *err)
{
    int code = weir_setup_init_for_shares(s, scn, err);
    if (code != 0)
        return code;
    code = weir_setup_check_weights(s, err);
    if (code == 0)
        code = weir_setup_laws_check(s, err);
    for (uint32_t k = 0; k < s->law_count && code == 0; k++)
        code = weir_setup_check_paths(s, k, err);
    if (code == 0)
        code = check_length(s, err);
    if (code == 0)
        code = check_statistics(s, err);
    if (code != 0)
        weir_setup_free(s);
    return code != 0 ? weir_setup_laws_name(scn, code, err) : 0;
}

const char *weir_setup_link_name(const struct weir_setup *s, uint32_t link, char out[WEIR_LINK_NAME])
{
    if (link < s->topo.link_count)
        weir_topology_link_name(&s->topo, link, out, WEIR_LINK_NAME);
    else
        (void)snprintf(out, WEIR_LINK_NAME, "no way");
    return out;
}

void weir_setup_free(struct weir_setup *s)
{
    weir_workload_free(&s->workload);
    weir_programs_free(&s->programs);
    weir_setup_free_traces(&s->graph);
    weir_jobs_free(&s->jobs);
    free(s->feature_models);
    free_network(s);
}
