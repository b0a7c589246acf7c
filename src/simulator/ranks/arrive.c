/* src/simulator/ranks/arrive.c - the exchange at the end of a window: sends what threads have packed and published,
 * and hands out what the other ranks sent. One thread does this while the others wait. So it may write into links,
 * hosts and pools of all of them. */
#include "ranks/internal.h"
#include "state/emit.h"
#include "workload/inbox.h"

static void take(struct weir_cursor *c, void *to, size_t bytes)
{
    weir_cursor_take(c, to, bytes);
}

/* Writes a packet that has come into the FIFO of its lane. Leaves by longjmp without memory. */
static void write_pkt(struct sim_thread *th, struct sim_link *link, enum sim_lane lane, struct weir_pkt *pkt,
                      struct weir_cursor *c)
{
    if (sim_has_records(th->engine->model) && pkt->hops > 0) {
        uint32_t hops = pkt->hops;
        struct sim_records *records = sim_records_take(&th->records);
        take(c, records->record, hops * sizeof(records->record[0]));
        sim_records_attach(pkt, records, hops);
    }
    sim_copy_body(link->write[lane], pkt);
    if (lane == SIM_LANE_FIRST)
        sim_emit(th, link, pkt->arrival_ps);
    else
        link->undecided = link->write[lane] = sim_fifo_publish(&th->pool, link->write[lane], pkt->arrival_ps);
}

static void take_link(struct sim_thread *th, struct weir_cursor *c, const uint64_t clock_ps[SIM_GROUPS])
{
    struct sim_engine *e = th->engine;
    struct ranks_link head;
    struct sim_link *link;
    struct weir_pkt pkt;
    take(c, &head, sizeof(head));
    link = &e->link[head.link];
    WEIR_ASSERT(head.link < e->model->topo->link_count && sim_is_mine(e, link->dst) && head.pkts > 0);
    for (uint32_t i = 0; i < head.pkts; i++) {
        take(c, &pkt, sizeof(pkt));
        WEIR_ASSERT(pkt.arrival_ps >= clock_ps[e->group[link->dst]]);
        if (i == 0)
            sim_due_between(e, link->dst, pkt.arrival_ps);
        write_pkt(th, link, head.lane, &pkt, c);
    }
}

static void take_control(struct sim_thread *th, struct weir_cursor *c)
{
    struct sim_engine *e = th->engine;
    struct ranks_link head;
    struct weir_pkt frame;
    take(c, &head, sizeof(head));
    for (uint32_t i = 0; i < head.pkts; i++) {
        struct sim_link *link = &e->link[head.link];
        take(c, &frame, sizeof(frame));
        sim_copy_body(sim_control_slot(&th->pool, link->control), &frame);
        link->control->write = sim_fifo_publish(&th->pool, link->control->write, frame.arrival_ps);
        link->control->notified = link->control->write;
        e->control_count[link->dst].sent++;
        sim_due_between(e, link->dst, frame.arrival_ps);
    }
}

/* Keeps the record of a message to one of this rank's hosts under the handle that its sender has for it. */
static void take_start(struct sim_engine *e, struct weir_cursor *c)
{
    struct ranks_start start;
    struct weir_inbox_row row;
    bool done;
    take(c, &start, sizeof(start));
    done = weir_account_mirror(&e->account.host[start.src], start.handle, &start.msg);
    if (start.has_row) {
        take(c, &row, sizeof(row));
        done = weir_inbox_mirror(&e->account.inbox[start.src], start.msg.tag - 1, &row) && done;
    }
    if (!done)
        e->thread[e->first].failed = WEIR_E_MEMORY;
}

static void take_ended(struct sim_engine *e, struct weir_cursor *c)
{
    struct ranks_ended ended;
    take(c, &ended, sizeof(ended));
    WEIR_ASSERT(sim_is_mine(e, ended.src));
    weir_account_ended(&e->account.host[ended.src], ended.handle, ended.end_ps, ended.marks, ended.in_use);
}

static void take_unblock(struct sim_engine *e, struct weir_cursor *c)
{
    struct ranks_unblock unblock;
    take(c, &unblock, sizeof(unblock));
    WEIR_ASSERT(e->unblocked != NULL);
    e->unblocked(e, unblock.flow, unblock.ready_ps);
}

/* Hands out what rank q has sent. Leaves by longjmp without memory. */
static void take_message(struct sim_thread *th, uint32_t q, uint32_t copy, const uint64_t clock_ps[SIM_GROUPS])
{
    struct sim_engine *e = th->engine;
    struct sim_ranks *r = e->ranks;
    struct weir_cursor c = weir_cursor_of(&r->in[q]);
    uint8_t part = RANKS_END;
    for (uint32_t t = 0; t < r->threads; t++)
        take(&c, &e->thread[q * r->threads + t].pub[copy], sizeof(struct sim_published));
    for (take(&c, &part, sizeof(part)); part != RANKS_END; take(&c, &part, sizeof(part))) {
        switch ((enum ranks_part)part) {
        case RANKS_LINK:
            take_link(th, &c, clock_ps);
            break;
        case RANKS_CONTROL:
            take_control(th, &c);
            break;
        case RANKS_START:
            take_start(e, &c);
            break;
        case RANKS_ENDED:
            take_ended(e, &c);
            break;
        case RANKS_UNBLOCK:
            take_unblock(e, &c);
            break;
        case RANKS_END:
        default:
            WEIR_ASSERT(part <= RANKS_UNBLOCK);
        }
    }
    WEIR_ASSERT(weir_cursor_left(&c) == 0);
}

/* Puts the message to rank q together: what threads have published, then what they have packed. */
static void put_message(struct sim_engine *e, uint32_t q, uint32_t copy)
{
    struct sim_ranks *r = e->ranks;
    struct weir_buffer *out = &r->out[q];
    const uint8_t end = RANKS_END;
    out->bytes = 0;
    for (uint32_t t = 0; t < e->own; t++)
        weir_buffer_put(out, &e->thread[e->first + t].pub[copy], sizeof(struct sim_published));
    for (uint32_t t = 0; t < e->own; t++) {
        struct weir_buffer *to = &r->away[t].to[q];
        weir_buffer_put(out, to->data, to->bytes);
        to->bytes = 0;
    }
    weir_buffer_put(out, &end, sizeof(end));
    r->sent_bytes += out->bytes;
}

/* Lets the threads of this rank know that the run has failed here: no other rank can say so. */
static void exchange_failed(struct sim_engine *e, uint32_t copy)
{
    e->thread[e->first].pub[copy].failed = WEIR_E_RUN;
}

void weir_sim_ranks_exchange(struct sim_engine *e, uint32_t copy)
{
    struct sim_thread *th = &e->thread[e->first];
    struct sim_ranks *r = e->ranks;
    WEIR_ASSERT(r != NULL);
    for (uint32_t q = 0; q < r->carrier->ranks; q++)
        if (q != r->carrier->rank)
            put_message(e, q, copy);
    r->rounds++;
    if (!weir_sim_ranks_swap(r)) {
        exchange_failed(e, copy);
        return;
    }
    if (setjmp(th->out_of_memory) != 0) {
        th->failed = WEIR_E_MEMORY; /* published with the next window */
        return;
    }
    for (uint32_t q = 0; q < r->carrier->ranks; q++)
        if (q != r->carrier->rank)
            take_message(th, q, copy, th->window.clock_ps);
}
