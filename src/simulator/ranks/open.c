/* src/simulator/ranks/open.c - sets up the ranks of a simulation, and frees them. */
#include "ranks/internal.h"
#include <stdlib.h>

/* The options of rank 0, which the other ranks get: they collect for rank 0 what it wants to know. */
struct demand {
    uint64_t snapshot_ps, cut_seed;
    uint32_t threads;
    bool check, general, rows, control, packets, snapshot, snapshot_every, snapshot_ports, snapshot_flows, detail,
        links, causes, batch, diagnosis, profile;
};

static struct demand demand_of(const struct weir_sim_options *o)
{
    return (struct demand){ .snapshot_ps = o->snapshot_ps,
                            .cut_seed = o->cut_seed,
                            .threads = o->threads,
                            .check = o->check,
                            .general = o->general,
                            .rows = o->rows != NULL,
                            .control = o->control != NULL,
                            .packets = o->packets != NULL,
                            .snapshot = o->snapshot != NULL,
                            .snapshot_every = o->snapshot_every_ps != NULL,
                            .snapshot_ports = o->snapshot_ports,
                            .snapshot_flows = o->snapshot_flows,
                            .detail = o->detail,
                            .links = o->links,
                            .causes = o->causes,
                            .batch = o->batch != NULL,
                            .diagnosis = o->diagnosis != NULL,
                            .profile = o->profile != NULL };
}

/* Does nothing: ranks other than 0 have such callbacks. That one is set says that something is wanted. */
static int no_rows(void *ctx, const struct weir_account_row *row, size_t count)
{
    (void)ctx, (void)row, (void)count;
    return 0;
}

static int no_control(void *ctx, const struct weir_control_row *row, size_t count)
{
    (void)ctx, (void)row, (void)count;
    return 0;
}

static int no_packets(void *ctx, const struct weir_packet_row *row, size_t count)
{
    (void)ctx, (void)row, (void)count;
    return 0;
}

static int no_snapshot(void *ctx, const struct weir_snapshot *snapshot)
{
    (void)ctx, (void)snapshot;
    return 0;
}

static int no_batch(void *ctx, const struct weir_batches *b)
{
    (void)ctx, (void)b;
    return 0;
}

/* Returns the options of a rank other than 0. own: what it was started with */
static struct weir_sim_options options_of(const struct demand *d, struct sim_ranks *r,
                                          const struct weir_sim_options *own)
{
    return (struct weir_sim_options){ .carrier = own->carrier,
                                      .began = own->began,
                                      .began_ctx = own->began_ctx,
                                      .diagnosis = d->diagnosis ? own->diagnosis : NULL,
                                      .profile = d->profile ? own->profile : NULL,
                                      .threads = d->threads,
                                      .check = d->check,
                                      .general = d->general,
                                      .cut_seed = d->cut_seed,
                                      .rows = d->rows ? no_rows : NULL,
                                      .control = d->control ? no_control : NULL,
                                      .packets = d->packets ? no_packets : NULL,
                                      .tap = r->tap,
                                      .snapshot_ps = d->snapshot_ps,
                                      .snapshot = d->snapshot ? no_snapshot : NULL,
                                      .snapshot_every_ps = d->snapshot_every ? &r->snapshot_every_ps : NULL,
                                      .snapshot_ports = d->snapshot_ports,
                                      .snapshot_flows = d->snapshot_flows,
                                      .detail = d->detail,
                                      .links = d->links,
                                      .causes = d->causes,
                                      .batch = d->batch ? no_batch : NULL };
}

/* Lets all ranks have what rank 0 wants. @return 0, or a code with err */
static int agree(struct sim_engine *e, struct weir_err *err)
{
    struct sim_ranks *r = e->ranks;
    struct demand d = demand_of(e->options);
    uint32_t links = e->model->topo->link_count;
    weir_sim_ranks_share(e, &d, sizeof(d));
    if (d.packets && !r->failed) {
        uint8_t *tap = calloc(links, sizeof(*tap));
        if (tap == NULL)
            return weir_fail_memory(err);
        if (sim_is_first(e))
            memcpy(tap, e->options->tap, links);
        weir_sim_ranks_share(e, tap, links);
        r->tap = tap;
    }
    if (r->failed) {
        *err = r->err;
        return err->code;
    }
    r->options = *e->options;
    if (!sim_is_first(e))
        r->options = options_of(&d, r, e->options);
    r->snapshot_every_ps = d.snapshot_ps;
    e->options = &r->options;
    return 0;
}

static bool ranks_alloc(struct sim_ranks *r)
{
    uint32_t ranks = r->carrier->ranks;
    bool done;
    r->out = calloc(ranks, sizeof(*r->out));
    r->in = calloc(ranks, sizeof(*r->in));
    r->away = calloc(r->threads, sizeof(*r->away));
    done = r->out != NULL && r->in != NULL && r->away != NULL;
    for (uint32_t t = 0; done && t < r->threads; t++) {
        r->away[t].to = calloc(ranks, sizeof(*r->away[t].to));
        done = r->away[t].to != NULL;
    }
    return done;
}

int weir_sim_ranks_open(struct sim_engine *e, struct weir_err *err)
{
    struct weir_carrier *carrier = e->options->carrier;
    e->own = e->thread_count = e->options->threads;
    if (carrier == NULL)
        return 0;
    WEIR_ASSERT(!e->model->workload->session && e->pause == NULL); /* a session is of one process */
    e->ranks = calloc(1, sizeof(*e->ranks));
    if (e->ranks == NULL)
        return weir_fail_memory(err);
    e->ranks->carrier = carrier;
    e->ranks->threads = e->options->threads;
    e->first = carrier->rank * e->options->threads;
    e->thread_count = carrier->ranks * e->options->threads;
    if (!ranks_alloc(e->ranks))
        return weir_fail_memory(err);
    return agree(e, err);
}

/* Appends link `link` to the links of its source's thread that cross. @return false = no memory */
static bool add_cut(struct sim_engine *e, uint32_t link)
{
    const struct weir_link *at = &e->model->topo->link[link];
    struct ranks_away *away = &e->ranks->away[e->owner[at->src] - e->first];
    uint32_t group = e->group[at->src], n = away->cuts[group];
    if ((n & (n - 1)) == 0) {
        uint32_t *larger = realloc(away->cut[group], (n == 0 ? 1 : 2 * (size_t)n) * sizeof(*larger));
        if (larger == NULL)
            return false;
        away->cut[group] = larger;
    }
    away->cut[group][away->cuts[group]++] = link;
    return true;
}

bool weir_sim_ranks_cuts(struct sim_engine *e)
{
    const struct weir_topology *topo = e->model->topo;
    if (e->ranks == NULL)
        return true;
    for (uint32_t i = 0; i < topo->link_count; i++)
        if (sim_is_mine(e, topo->link[i].src) && !sim_is_mine(e, topo->link[i].dst) && !add_cut(e, i))
            return false;
    e->account.started = weir_sim_ranks_started;
    e->account.ended = weir_sim_ranks_ended;
    e->account.away_ctx = e;
    return true;
}

int weir_sim_ranks_begin(struct sim_engine *e, int code, struct weir_err *err)
{
    struct sim_ranks *r = e->ranks;
    struct weir_err mine = { 0 };
    if (r == NULL || r->failed)
        return code;
    mine.code = code;
    if (code != 0)
        mine = *err;
    for (uint32_t q = 0; q < r->carrier->ranks; q++) {
        r->out[q].bytes = 0;
        weir_buffer_put(&r->out[q], &mine, sizeof(mine));
    }
    if (!weir_sim_ranks_swap(r)) {
        *err = code != 0 ? *err : r->err;
        return err->code;
    }
    for (uint32_t q = 0; code == 0 && q < r->carrier->ranks; q++) {
        if (q == r->carrier->rank)
            continue;
        struct weir_cursor c = weir_cursor_of(&r->in[q]);
        weir_cursor_take(&c, &mine, sizeof(mine));
        if (mine.code != 0) {
            *err = mine;
            code = mine.code;
        }
    }
    return code;
}

void weir_sim_ranks_free(struct sim_engine *e)
{
    struct sim_ranks *r = e->ranks;
    if (r == NULL)
        return;
    for (uint32_t t = 0; r->away != NULL && t < r->threads; t++) {
        for (uint32_t q = 0; r->away[t].to != NULL && q < r->carrier->ranks; q++)
            weir_buffer_free(&r->away[t].to[q]);
        for (uint32_t g = 0; g < SIM_GROUPS; g++)
            free(r->away[t].cut[g]);
        free(r->away[t].to);
    }
    for (uint32_t q = 0; q < r->carrier->ranks; q++) {
        if (r->out != NULL)
            weir_buffer_free(&r->out[q]);
        if (r->in != NULL)
            weir_buffer_free(&r->in[q]);
    }
    free(r->away);
    free(r->out);
    free(r->in);
    free(r->tap);
    free(r);
    e->ranks = NULL;
}
