/* src/simulator/ranks/away.c - what a thread has for other ranks at the end of a window. The packer reads the FIFOs
 * of links that cross. It takes the packets out, and the rank at the other end writes them into a FIFO of its own.
 * So visits know nothing of ranks. */
#include "ranks/internal.h"
#include "state/emit.h"
#include "workload/inbox.h"
#include "workload/jobs.h"

static struct ranks_away *away_of(const struct sim_thread *th)
{
    return &th->engine->ranks->away[th->index - th->engine->first];
}

static void put_kind(struct weir_buffer *to, enum ranks_part part)
{
    const uint8_t kind = (uint8_t)part;
    weir_buffer_put(to, &kind, sizeof(kind));
}

/* Appends a packet, with its telemetry records, which go back to the thread's pool. */
static void put_pkt(struct sim_thread *th, struct weir_buffer *to, const struct weir_pkt *slot)
{
    struct weir_pkt pkt = *slot;
    if (!sim_has_records(th->engine->model) || pkt.hops == 0) {
        weir_buffer_put(to, &pkt, sizeof(pkt));
        return;
    }
    struct sim_records *records = sim_records_detach(&pkt);
    weir_buffer_put(to, &pkt, sizeof(pkt));
    weir_buffer_put(to, records->record, pkt.hops * sizeof(records->record[0]));
    sim_records_give(&th->records, records);
}

/* Packs the packets of one lane of a link that arrive before until_ps, up to slot `end`. Lowers the instant at which
 * the group of the destination is due to the first arrival: if a packet is sent later than it was written, nobody
 * else knows it. *left_ps: gets the first arrival of those that stay; WEIR_NEVER = none stays */
static void pack_lane(struct sim_thread *th, struct sim_link *link, enum sim_lane lane, const struct weir_pkt *end,
                      uint64_t until_ps, struct sim_chunk **drained, uint64_t *left_ps)
{
    struct sim_engine *e = th->engine;
    struct weir_buffer *to = &away_of(th)->to[ranks_of(e, link->dst)];
    struct weir_pkt *read = link->read[lane];
    struct ranks_link head = { .link = (uint32_t)(link - e->link), .lane = lane };
    size_t at = to->bytes + 1;
    *left_ps = WEIR_NEVER;
    if (read == end || read->arrival_ps >= until_ps) {
        *left_ps = read == end ? WEIR_NEVER : read->arrival_ps;
        return;
    }
    th->due_ps[link->dst_group] = weir_min_u64(th->due_ps[link->dst_group], read->arrival_ps);
    put_kind(to, RANKS_LINK);
    weir_buffer_put(to, &head, sizeof(head));
    for (; read != end && read->arrival_ps < until_ps; read = sim_fifo_advance(read, drained)) {
        put_pkt(th, to, read);
        head.pkts++;
    }
    link->read[lane] = read;
    away_of(th)->pkts += head.pkts;
    *left_ps = read == end ? WEIR_NEVER : read->arrival_ps;
    if (!to->out_of_memory)
        memcpy(to->data + at, &head, sizeof(head));
}

/* Packs the control frames of a link. */
static void pack_control(struct sim_thread *th, struct sim_link *link, struct sim_chunk **drained)
{
    struct sim_engine *e = th->engine;
    struct sim_control *control = link->control;
    struct weir_buffer *to = &away_of(th)->to[ranks_of(e, link->dst)];
    struct ranks_link head = { .link = (uint32_t)(link - e->link) };
    size_t at = to->bytes + 1;
    if (sim_control_ps(control) == WEIR_NEVER)
        return;
    th->due_ps[link->dst_group] = weir_min_u64(th->due_ps[link->dst_group], control->read->arrival_ps);
    put_kind(to, RANKS_CONTROL);
    weir_buffer_put(to, &head, sizeof(head));
    for (; control->read != control->write; control->read = sim_fifo_advance(control->read, drained)) {
        weir_buffer_put(to, control->read, sizeof(*control->read));
        head.pkts++;
    }
    if (!to->out_of_memory)
        memcpy(to->data + at, &head, sizeof(head));
}

/* Returns the arrival from which on packets of a link stay. A coupled switch takes back what it has published beyond
 * the end of its window, and reads the frame on the wire once more. So only what has left by then is sent. What
 * others have written is final. */
static uint64_t pack_until(const struct sim_engine *e, const struct sim_link *link, uint64_t end_ps)
{
    uint32_t hosts = e->model->topo->host_count;
    return link->src >= hosts && e->sw[link->src - hosts].coupled != NULL ? end_ps + link->delay_ps : WEIR_NEVER;
}

/* Packs what a link carries. What stays makes the group of the source due when it leaves, so that a window comes that
 * sends it. */
static void pack_link(struct sim_thread *th, struct sim_link *link, uint32_t group, uint64_t end_ps,
                      struct sim_chunk **drained)
{
    uint64_t until_ps = pack_until(th->engine, link, end_ps), left_ps[SIM_LANES] = { WEIR_NEVER, WEIR_NEVER };
    if (sim_fifo_is_made(link->write[SIM_LANE_FIRST]))
        pack_lane(th, link, SIM_LANE_FIRST, link->write[SIM_LANE_FIRST], until_ps, drained, &left_ps[0]);
    if (link->write[SIM_LANE_LOW] != NULL)
        pack_lane(th, link, SIM_LANE_LOW, link->undecided, until_ps, drained, &left_ps[1]);
    if (link->control != NULL)
        pack_control(th, link, drained);
    for (uint32_t lane = 0; lane < SIM_LANES; lane++)
        if (left_ps[lane] != WEIR_NEVER)
            th->due_ps[group] = weir_min_u64(th->due_ps[group], left_ps[lane] - link->delay_ps);
}

void weir_sim_ranks_pack(struct sim_thread *th, uint32_t group, uint64_t end_ps)
{
    struct sim_engine *e = th->engine;
    struct sim_chunk *drained = NULL;
    const struct ranks_away *away;
    if (e->ranks == NULL || th->failed != 0)
        return;
    away = away_of(th);
    for (uint32_t i = 0; i < away->cuts[group]; i++)
        pack_link(th, &e->link[away->cut[group][i]], group, end_ps, &drained);
    sim_chunk_give_all(&th->pool, drained);
    for (uint32_t q = 0; q < e->ranks->carrier->ranks; q++)
        if (away->to[q].out_of_memory)
            th->failed = WEIR_E_MEMORY;
}

void weir_sim_ranks_started(void *ctx, const struct weir_account_host *from, uint32_t handle, uint32_t dst)
{
    struct sim_engine *e = ctx;
    struct ranks_start start = { .src = from->self, .handle = handle, .msg = *weir_account_msg(from, handle) };
    struct weir_buffer *to;
    if (sim_is_mine(e, dst))
        return;
    start.has_row = weir_item_has_program(&e->model->workload->item[start.msg.item]);
    to = &away_of(&e->thread[e->owner[from->self]])->to[ranks_of(e, dst)];
    put_kind(to, RANKS_START);
    weir_buffer_put(to, &start, sizeof(start));
    if (start.has_row)
        weir_buffer_put(to, weir_inbox_row(&e->account.inbox[from->self], start.msg.tag - 1),
                        sizeof(struct weir_inbox_row));
}

void weir_sim_ranks_ended(void *ctx, const struct weir_account_host *self, uint32_t src, uint32_t handle)
{
    struct sim_engine *e = ctx;
    const struct weir_account_msg *m = weir_account_msg(&e->account.host[src], handle);
    struct ranks_ended ended = { src, handle, m->end_ps, m->marks, m->in_use };
    struct weir_buffer *to;
    if (sim_is_mine(e, src))
        return;
    to = &away_of(&e->thread[e->owner[self->self]])->to[ranks_of(e, src)];
    put_kind(to, RANKS_ENDED);
    weir_buffer_put(to, &ended, sizeof(ended));
}

void weir_sim_ranks_unblock(struct sim_thread *th, uint32_t flow, uint64_t ready_ps)
{
    struct sim_engine *e = th->engine;
    uint32_t src = e->model->workload->jobs->flow[flow].src;
    struct weir_buffer *to = &away_of(th)->to[ranks_of(e, src)];
    const struct ranks_unblock unblock = { flow, ready_ps };
    WEIR_ASSERT(!sim_is_mine(e, src));
    put_kind(to, RANKS_UNBLOCK);
    weir_buffer_put(to, &unblock, sizeof(unblock));
    /* a lower bound of its start: the other rank lets its own threads know only after they have published */
    th->due_ps[SIM_GROUP_HOSTS] = weir_min_u64(th->due_ps[SIM_GROUP_HOSTS], ready_ps);
}
