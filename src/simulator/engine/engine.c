/* src/simulator/engine/engine.c - sets an engine up, runs its threads, and frees it. nodes.c sets up the nodes. */
#include "engine/engine.h"
#include "engine/skip.h"
#include "core/cable.h"
#include "carrier/carrier.h"
#include "engine/barrier.h"
#include "model/profile.h"
#include "observe/observe.h"
#include "port/jobs_run.h"
#include "port/programs_run.h"
#include "ranks/ranks.h"
#include "state/fate.h"
#include <pthread.h>
#include <stdlib.h>

/* Fills e->owner: assigns nodes to threads so that each thread gets its share of nodes and neighbours stay together.
 * The switches of a tier are assigned in contiguous blocks (racks, pods). A host goes to the thread of its first-hop
 * switch, or to the next thread that has less than its share of hosts. */
static void engine_assign(struct sim_engine *e)
{
    const struct weir_topology *topo = e->model->topo;
    uint32_t threads = e->thread_count, quota = (topo->host_count + threads - 1) / threads, tier_count[8] = { 0 },
             seen[8] = { 0 };
    /* without this memory all hosts go to the thread of their switch, which is only slower */
    uint32_t *hosts_of = calloc(threads, sizeof(*hosts_of));
    for (uint32_t n = topo->host_count; n < topo->node_count; n++)
        tier_count[topo->node[n].tier & 7]++;
    for (uint32_t n = topo->host_count; n < topo->node_count; n++) {
        uint32_t tier = topo->node[n].tier & 7;
        e->owner[n] = (uint32_t)((uint64_t)seen[tier]++ * threads / tier_count[tier]);
    }
    for (uint32_t h = 0; h < topo->host_count; h++) {
        uint32_t t = topo->edge_count > 0 ? e->owner[topo->edge_node[topo->edge_of[h]]] : 0;
        for (uint32_t i = 0; hosts_of != NULL && hosts_of[t] >= quota && i < threads; i++)
            t = (t + 1) % threads;
        if (hosts_of != NULL)
            hosts_of[t]++;
        e->owner[h] = t;
        WEIR_ASSERT(t < threads);
    }
    free(hosts_of);
}

/* Spreads nodes over threads at random, so that links of every kind join different threads. For tests. */
static void engine_scatter(struct sim_engine *e)
{
    WEIR_ASSERT(e->options->cut_seed != 0);
    for (uint32_t n = 0; n < e->model->topo->node_count; n++)
        e->owner[n] = (uint32_t)weir_rng_below(weir_mix_u64(e->options->cut_seed + n), e->thread_count);
}

/* Tests whether hosts and the switches of group `inner` can be one group. Those have no hosts as neighbours, as spines.
 * Both must have links to the third group alone, and the shortest of either must be of one length. Then nobody's
 * lookahead becomes shorter. */
static bool groups_may_join(const struct sim_engine *e, uint32_t inner)
{
    const struct weir_topology *topo = e->model->topo;
    uint64_t host_ps = WEIR_NEVER, inner_ps = WEIR_NEVER;
    bool apart = true;
    for (uint32_t i = 0; i < topo->link_count; i++) {
        const struct weir_link *link = &topo->link[i];
        uint32_t from = e->group[link->src], to = e->group[link->dst];
        if (from == SIM_GROUP_HOSTS || to == SIM_GROUP_HOSTS)
            host_ps = weir_min_u64(host_ps, link->delay_ps);
        else if (from == inner || to == inner)
            inner_ps = weir_min_u64(inner_ps, link->delay_ps);
        apart &= from != to;
    }
    WEIR_ASSERT(host_ps > 0);
    return apart && host_ps == inner_ps;
}

/* Puts all switches of group `inner` into the group of hosts. */
static void groups_join(struct sim_engine *e, uint32_t inner)
{
    const struct weir_topology *topo = e->model->topo;
    WEIR_ASSERT(inner == SIM_GROUP_SWITCHES || inner == SIM_GROUP_SWITCHES + 1);
    for (uint32_t n = topo->host_count; n < topo->node_count; n++)
        if (e->group[n] == inner)
            e->group[n] = SIM_GROUP_HOSTS;
}

/* Fills e->group: hosts are in group 0, and each switch has one of two colours. The first neighbour of a switch is the
 * first switch with a lower number among the destinations of its links. A switch gets the colour that its first
 * neighbour does not have. In a layered topology no link then joins switches of one colour. In other topologies some
 * links may, which only shortens the lookahead of that colour.
 * If switches of one colour have no hosts, as spines, they are put into group 0 where that costs no lookahead.
 * If switches of both colours have hosts, all three groups are neighbours. Windows are then only one and a half
 * times as long as with one clock, and switches of the other colour wait. So with several threads all nodes are put
 * into group 0, which is faster. */
static void engine_groups(struct sim_engine *e)
{
    const struct weir_topology *topo = e->model->topo;
    uint32_t colours = 0; /* bit g: some switch with hosts is in group g */
    for (uint32_t n = topo->host_count; n < topo->node_count; n++) {
        const struct weir_node *node = &topo->node[n];
        e->group[n] = SIM_GROUP_SWITCHES;
        for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
            uint32_t neighbour = topo->link[l].dst;
            if (neighbour >= topo->host_count && neighbour < n) {
                e->group[n] = SIM_GROUP_SWITCHES + (e->group[neighbour] == SIM_GROUP_SWITCHES);
                break;
            }
        }
        WEIR_ASSERT(e->group[n] < SIM_GROUPS);
        if (node->tier == 1)
            colours |= 1u << e->group[n];
    }
    for (uint32_t inner = SIM_GROUP_SWITCHES; inner < SIM_GROUPS; inner++)
        if (colours == (3u << SIM_GROUP_SWITCHES) - (1u << inner) && groups_may_join(e, inner))
            groups_join(e, inner);
    if (e->thread_count > 1 && colours == 3u << SIM_GROUP_SWITCHES)
        memset(e->group, 0, topo->node_count * sizeof(*e->group));
}

/* Returns how many blocks there may be: each thread and group may have one that is not full. */
static size_t blocks_max(const struct sim_engine *e)
{
    return e->model->topo->node_count / SIM_BLOCK + (size_t)SIM_GROUPS * e->own +
           1; /* 1: of nodes of other processes */
}

/* Puts the nodes of a thread and group into blocks, in the order in which windows visit them. */
static void engine_blocks(struct sim_engine *e, struct sim_thread *th, uint32_t group)
{
    uint32_t first = group == 0 ? 0 : th->group_end[group - 1], nodes = th->node_count - first;
    th->block_first[group] = e->block_count;
    for (uint32_t i = 0; i < nodes; i++)
        e->block[th->node[first + i]] = e->block_count + i / SIM_BLOCK;
    e->block_count += (nodes + SIM_BLOCK - 1) / SIM_BLOCK;
    WEIR_ASSERT(e->block_count <= blocks_max(e));
}

/* Allocates `bytes` zeroed bytes, aligned to 64. Large memory that is never written costs nothing. *memory: what the
 * caller frees. @return NULL = no memory */
static void *zeroed_lines(size_t bytes, void **memory)
{
    unsigned char *raw = *memory = calloc(1, bytes + 64);
    WEIR_ASSERT(bytes > 0);
    return raw == NULL ? NULL : raw + (64 - (uintptr_t)raw % 64) % 64;
}

/* Allocates the arrays, depots and the barrier of an engine. @return false = no memory; weir_sim_engine_free() then
 * frees what was allocated */
static bool engine_alloc(struct sim_engine *e)
{
    const struct weir_topology *topo = e->model->topo;
    e->link = zeroed_lines(topo->link_count * sizeof(*e->link), &e->link_memory);
    e->thread = zeroed_lines(e->thread_count * sizeof(*e->thread), &e->thread_memory);
    e->sw = calloc(topo->switch_count, sizeof(*e->sw));
    e->host = calloc(topo->host_count, sizeof(*e->host));
    e->due_ps = calloc(topo->node_count, sizeof(*e->due_ps));
    e->wake = calloc((size_t)topo->node_count * e->own * 2, sizeof(*e->wake));
    e->block = calloc(topo->node_count, sizeof(*e->block));
    e->block_due_ps = calloc(blocks_max(e), sizeof(*e->block_due_ps));
    e->block_wake = calloc(blocks_max(e) * e->own * 2, sizeof(*e->block_wake));
    e->owner = calloc(topo->node_count, sizeof(*e->owner));
    e->group = calloc(topo->node_count, sizeof(*e->group));
    e->base_area = calloc(topo->link_count, sizeof(*e->base_area));
    e->sample_area = calloc(topo->link_count, sizeof(*e->sample_area));
    if (e->model->batch_ps > 0)
        e->batch_area = calloc(topo->link_count, sizeof(*e->batch_area));
    if (weir_account_has_quarters(e->model))
        e->quarter = calloc((size_t)WEIR_QUARTERS * topo->link_count, sizeof(*e->quarter));
    e->reroute = calloc(e->model->event_count + 1u, sizeof(*e->reroute));
    if (weir_account_bins(e->model) > 0)
        e->arrived = calloc((size_t)e->thread_count * weir_account_bins(e->model), sizeof(*e->arrived));
    if (e->model->restart_count > 0)
        e->epoch = calloc(e->model->topo->host_count, sizeof(*e->epoch));
    e->control_count = calloc(topo->node_count, sizeof(*e->control_count));
    e->depot = weir_sim_depot_new();
    e->records_depot = weir_sim_depot_new();
    e->barrier = weir_sim_barrier_new(e->own, e->own * (e->options->carrier != NULL ? e->options->carrier->here : 1));
    return e->link != NULL && e->thread != NULL && e->sw != NULL && e->host != NULL && e->due_ps != NULL &&
           e->wake != NULL && e->block != NULL && e->block_due_ps != NULL && e->block_wake != NULL &&
           e->owner != NULL && e->group != NULL && e->base_area != NULL && e->sample_area != NULL &&
           (e->batch_area != NULL || e->model->batch_ps == 0) && e->reroute != NULL &&
           (e->epoch != NULL || e->model->restart_count == 0) &&
           (e->arrived != NULL || weir_account_bins(e->model) == 0) && e->control_count != NULL && e->depot != NULL &&
           e->records_depot != NULL && e->barrier != NULL &&
           (e->quarter != NULL || !weir_account_has_quarters(e->model)) && weir_sim_snapshot_init(e);
}

/* Sets up the threads, the list of nodes of each, and the account. e->owner and e->group must be filled. @return 0, or
 * a code with err */
static int engine_threads(struct sim_engine *e, struct weir_err *err)
{
    const struct weir_topology *topo = e->model->topo;
    const struct weir_jobs *jobs = e->model->workload->jobs;
    struct weir_mem *mem = calloc(e->thread_count, sizeof(*mem));
    uint32_t nodes = 0;
    int code;
    if (mem == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory");
    for (uint32_t t = 0; t < e->thread_count; t++) {
        struct sim_thread *th = &e->thread[t];
        th->engine = e;
        th->index = t;
        th->into = &th->samples;
        if (t - e->first < e->own)
            th->node = weir_arena_take(&th->arena, (size_t)topo->node_count * sizeof(*th->node));
        th->pool = sim_chunk_pool(&th->arena, e->depot);
        th->records = sim_records_pool(e->model->features.records_max, &th->arena, e->records_depot);
        th->records.on_failure = &th->out_of_memory;
        for (uint32_t g = 0; g < SIM_GROUPS; g++)
            th->due_ps[g] = WEIR_NEVER;
        th->next_snapshot_ps =
            e->options->snapshot != NULL && e->options->snapshot_ps > 0 ? e->options->snapshot_ps : WEIR_NEVER;
        th->quarters = e->quarter != NULL ? 0 : WEIR_QUARTERS;
        th->bins = 1;
        th->next_bin_ps = e->arrived != NULL ? weir_account_bin_ps(e->model) : WEIR_NEVER;
        th->next_policy_ps = jobs != NULL && jobs->tick_ps > 0 ? jobs->tick_ps : WEIR_NEVER;
        th->next_route = 1;
        th->routes = &e->reroute[0].routes;
        mem[t] = (struct weir_mem){ .grow = weir_arena_take, .ctx = &th->arena };
        if (th->node == NULL && t - e->first < e->own) {
            free(mem);
            return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory");
        }
    }
    for (uint32_t g = 0; g < SIM_GROUPS; g++) {
        for (uint32_t n = 0; n < topo->node_count; n++) {
            struct sim_thread *th = &e->thread[e->owner[n]];
            if (e->group[n] == g && sim_is_mine(e, n))
                th->node[th->node_count++] = n;
        }
        for (uint32_t t = e->first; t < e->first + e->own; t++) {
            e->thread[t].group_end[g] = e->thread[t].node_count;
            engine_blocks(e, &e->thread[t], g);
        }
    }
    for (uint32_t n = 0; n < topo->node_count; n++)
        if (sim_is_mine(e, n))
            nodes++;
        else
            e->block[n] = e->block_count;
    e->block_count++;
    for (uint32_t t = e->first; t < e->first + e->own; t++)
        nodes -= e->thread[t].node_count;
    WEIR_ASSERT(nodes == 0);
    code = weir_account_init(&e->account, e->model, e->options, e->thread_count, mem, err);
    free(mem);
    return code;
}

/* Begins the profile of a run: what each thread owns. */
static void engine_profile(const struct sim_engine *e, struct weir_profile *profile)
{
    const struct weir_topology *topo = e->model->topo;
    *profile = (struct weir_profile){ .threads = e->thread_count, .ranks = e->thread_count / e->own };
    for (uint32_t n = 0; n < topo->node_count; n++) {
        struct weir_profile_thread *thread = &profile->thread[e->owner[n]];
        WEIR_ASSERT(e->owner[n] < e->thread_count);
        thread->hosts += n < topo->host_count;
        thread->switches += n >= topo->host_count;
    }
}

/* Fills e->reroute: the routes before any cable event, and those after each, over the cables that are up then. New
 * routes are in force reroute_delay_ps after the event. @return 0, or a code with err */
static int engine_routes(struct sim_engine *e, struct weir_err *err)
{
    const struct weir_model *m = e->model;
    /* a copy with its own link array, so that the model's topology does not change */
    struct weir_topology topo = *m->topo;
    int code;
    topo.link = malloc(topo.link_count * sizeof(*topo.link));
    if (topo.link == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory for routes");
    memcpy(topo.link, m->topo->link, topo.link_count * sizeof(*topo.link));
    code = weir_routes_share(&e->reroute[0].routes, m->routes, m->topo, m->routing, m->seed, err);
    e->reroute_count = 1;
    for (uint32_t i = 0; code == 0 && i < m->event_count; i++) {
        struct weir_link *link = &topo.link[m->event[i].link];
        link->up = topo.link[link->reverse].up = m->event[i].up;
        if (i + 1 < m->event_count && m->event[i + 1].at_ps == m->event[i].at_ps)
            continue; /* simultaneous events share one table */
        e->reroute[e->reroute_count].at_ps = m->event[i].at_ps + m->reroute_delay_ps;
        WEIR_ASSERT(e->reroute[e->reroute_count].at_ps >= e->reroute[e->reroute_count - 1].at_ps);
        code = weir_routes_build(&e->reroute[e->reroute_count].routes, &topo, m->routing, m->metric, m->seed, err);
        e->reroute_count++;
    }
    free(topo.link);
    return code;
}

/* Tests what the caller asks for. @return 0, or a code with err */
static int engine_refuse(const struct sim_engine *e, struct weir_err *err)
{
    const struct weir_model *model = e->model;
    const struct weir_sim_options *options = e->options;
    uint32_t ranks = weir_sim_ranks_count(e);
    WEIR_ASSERT(ranks >= 1 && ranks <= WEIR_SIM_RANKS_MAX);
    if (options->threads < 1 || options->threads > WEIR_THREADS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "more than the machine's cores never help",
                         "%u threads: must be 1 to %u", options->threads, WEIR_THREADS_MAX);
    if ((uint64_t)options->threads * ranks > model->topo->node_count)
        return weir_fail(err, WEIR_E_RANGE, NULL,
                         "a thread needs at least one node; more than the machine's cores never help",
                         "%u threads%s are more than the topology's %u nodes", options->threads * ranks,
                         ranks > 1 ? " of all ranks" : "", model->topo->node_count);
    if ((uint64_t)options->threads * ranks > WEIR_WORKERS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "use fewer --threads in each rank",
                         "%u ranks of %u threads are more than %u threads", ranks, options->threads, WEIR_WORKERS_MAX);
    if (weir_features_are_coupled(&model->features) && model->host.params.nic_queue != WEIR_NIC_PULL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "set host.nic_queue: pull",
                         "switches that decide at the instant need hosts that send one packet at a time, and "
                         "host.nic_queue is unlimited");
    return 0;
}

/* Sets up all that an engine has, but e->ranks. @return 0, or a code with err; what was set up must be freed */
static int engine_set_up(struct sim_engine *e, struct weir_err *err)
{
    const struct weir_model *model = e->model;
    int code;
    WEIR_ASSERT(e->own > 0 && e->first + e->own <= e->thread_count);
    e->end_ps = model->until_done ? WEIR_NEVER : model->warmup_ps + model->measure_ps;
    if (!engine_alloc(e))
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory for %u nodes", model->topo->node_count);
    if ((code = engine_routes(e, err)) != 0)
        return code;
    engine_assign(e);
    if (e->options->cut_seed != 0)
        engine_scatter(e);
    engine_groups(e);
    if (e->options->profile != NULL)
        engine_profile(e, e->options->profile);
    if ((code = engine_threads(e, err)) == 0 &&
        (!weir_sim_fate_init(e) || !weir_sim_jobs_init(e) || !weir_sim_nodes_init(e) || !weir_sim_programs_init(e) ||
         !weir_sim_ranks_cuts(e)))
        code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory for %u nodes", model->topo->node_count);
    return code;
}

int weir_sim_engine_init(struct sim_engine *e, const struct weir_model *model, const struct weir_sim_options *options,
                         struct weir_err *err)
{
    int code;
    *e = (struct sim_engine){ .model = model,
                              .options = options,
                              .never = { .arrival_ps = WEIR_NEVER },
                              .cause_count = weir_features_cause(&model->features, model->features.count),
                              .cut_cause = weir_features_cut(&model->features, WEIR_CUT_FRAME),
                              .flush_cause = weir_features_cut(&model->features, WEIR_CUT_FLUSH),
                              .discard_cause = weir_features_cut(&model->features, WEIR_CUT_DISCARD),
                              .tick_ps = WEIR_PS_PER_MS };
    code = engine_refuse(e, err);
    if (code == 0)
        code = weir_sim_ranks_open(e, err);
    if (code == 0)
        code = weir_sim_ranks_begin(e, engine_set_up(e, err), err);
    if (code == 0)
        weir_sim_nodes_samples(e);
    if (code == 0 && !weir_sim_skip_init(e))
        code = weir_fail_memory(err);
    if (code != 0)
        weir_sim_engine_free(e);
    return code;
}

void weir_sim_engine_free(struct sim_engine *e)
{
    weir_sim_skip_free(e);
    weir_sim_programs_free(e);
    weir_account_free(&e->account);
    weir_sim_jobs_free(e);
    weir_sim_fate_free(e);
    for (uint32_t i = 0; e->reroute != NULL && i < e->reroute_count; i++)
        weir_routes_free(&e->reroute[i].routes);
    for (uint32_t t = 0; e->thread != NULL && t < e->thread_count; t++) {
        weir_arena_free(&e->thread[t].arena);
        weir_sim_row_log_free(&e->thread[t].control);
        weir_sim_row_log_free(&e->thread[t].tap);
        free(e->thread[t].idle);
    }
    weir_sim_barrier_free(e->barrier);
    weir_sim_depot_free(e->depot);
    weir_sim_depot_free(e->records_depot);
    free(e->ids);
    free(e->control_count);
    free(e->changed);
    free(e->reroute);
    free(e->epoch);
    free(e->arrived);
    free(e->snapshot_port_bytes);
    free(e->snapshot_host);
    free(e->snapshot_flow);
    free(e->sample_area);
    free(e->batch_area);
    free(e->quarter);
    free(e->base_area);
    free(e->group);
    free(e->owner);
    free(e->wake);
    free(e->block);
    free(e->block_due_ps);
    free(e->block_wake);
    free(e->due_ps);
    free(e->host);
    free(e->sw);
    free(e->thread_memory);
    free(e->link_memory);
    weir_sim_ranks_free(e);
    *e = (struct sim_engine){ 0 };
}

/* Makes all threads but thread 0, which is the caller's. @return 0, or WEIR_E_MEMORY with err: then none is left */
static int engine_make_threads(struct sim_engine *e, struct weir_err *err)
{
    pthread_t *id = calloc(e->own, sizeof(*id));
    uint32_t made = 1;
    WEIR_ASSERT(e->own >= 1 && !e->over);
    if (id == NULL)
        return weir_fail_memory(err);
    for (; made < e->own; made++)
        if (pthread_create(&id[made], NULL, weir_sim_thread_main, &e->thread[e->first + made]) != 0)
            break;
    e->ids = id;
    if (made == e->own)
        return 0;
    /* The threads created so far wait at the first barrier for threads that do not exist: cancel them there. */
    for (uint32_t t = 1; t < made; t++) {
        (void)pthread_cancel(id[t]);
        (void)pthread_join(id[t], NULL);
    }
    e->over = true;
    return weir_fail(err, WEIR_E_MEMORY, NULL, "try fewer --threads", "the system gives no more than %u thread%s", made,
                     made == 1 ? "" : "s");
}

int weir_sim_engine_go(struct sim_engine *e, struct weir_err *err)
{
    const pthread_t *id;
    int code = e->ids == NULL ? engine_make_threads(e, err) : 0;
    if (code != 0)
        return code;
    WEIR_ASSERT(!e->over && e->thread != NULL);
    (void)weir_sim_thread_main(sim_lead(e));
    id = e->ids;
    WEIR_ASSERT(id != NULL);
    for (uint32_t t = 1; t < e->own && !sim_lead(e)->paused; t++)
        (void)pthread_join(id[t], NULL);
    e->over = !sim_lead(e)->paused;
    return 0;
}

int weir_sim_engine_verdict(const struct sim_engine *e, struct weir_err *err)
{
    bool no_memory = e->callback_code == WEIR_E_MEMORY;
    if (weir_sim_ranks_error(e) != NULL) {
        *err = *weir_sim_ranks_error(e);
        return err->code;
    }
    for (uint32_t t = 0; t < e->thread_count; t++)
        no_memory |= e->thread[t].failed != 0 || e->account.shard[t].out_of_memory;
    if (no_memory)
        return weir_fail(err, WEIR_E_MEMORY, NULL, "a smaller load or a shorter run needs less",
                         "out of memory during the run");
    if (e->broken != NULL)
        return weir_fail(err, WEIR_E_RUN, NULL,
                         "this is a bug in Weir: please report it with the scenario and its seed",
                         "invariant broken: %s", e->broken);
    if (e->callback_code != 0)
        return weir_fail(err, e->callback_code, NULL, NULL, "what the run found cannot be written");
    return 0;
}

int weir_sim_run(const struct weir_model *model, const struct weir_sim_options *options, struct weir_result *result,
                 struct weir_err *err)
{
    struct sim_engine *e = malloc(sizeof(*e));
    int code;
    *result = (struct weir_result){ .threads = options->threads,
                                    .ranks = options->carrier != NULL ? options->carrier->ranks : 1 };
    if (e == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory");
    code = weir_sim_engine_init(e, model, options, err);
    if (code == 0) {
        if (options->began != NULL)
            options->began(options->began_ctx);
        code = weir_sim_engine_go(e, err);
        if (code == 0) {
            weir_sim_finish(e, result);
            code = weir_sim_engine_verdict(e, err);
        }
        weir_sim_engine_free(e);
    }
    free(e);
    return code;
}
