/* src/sim/coupled_pfc.c - pauses: who must be told to stop, the frames that say so, and who obeys them. */
#include "sim/coupled.h"

enum { CONTROL_CLASS_MASK = 0xff, CONTROL_PAUSE = 0x100 }; /* a control frame that waits */

static bool pfc_counts(const struct coupled_run *r, uint32_t in, uint32_t class_id)
{
    return in != COUPLED_NO_IN && (r->model->fabric.pfc.lossless >> class_id & 1) != 0;
}

bool weir_sim_pfc_admits(const struct coupled_run *r, uint32_t in, uint32_t class_id, uint32_t bytes)
{
    const struct coupled_port *back = &r->c->port[in];
    if (r->sw->used_bytes + bytes <= r->model->memory_bytes &&
        weir_pfc_admits(&r->model->fabric.pfc, &r->c->pool, &back->in, &back->account[class_id], bytes))
        return true;
    r->th->engine->link[r->sw->in_link[in]].beside->lossless_drops++;
    return false;
}

/* A frame for the other end of in-link `in`, which waits at the port that leads there. */
static void pfc_tell(const struct coupled_run *r, uint32_t in, uint32_t class_id, bool pause)
{
    struct coupled_port *back = &r->c->port[in];
    struct sim_link *link = &r->out[in];
    back->account[class_id].paused = pause;
    *(pause ? &link->beside->pauses_sent : &link->beside->resumes_sent) += 1;
    link->bytes += WEIR_PFC_FRAME_BYTES;
    link->free_at_ps += back->frame_ps + 1; /* 1: it was rounded down */
    *(uint32_t *)ring_push(r->th, &back->control, sizeof(uint32_t)) = class_id | (pause ? CONTROL_PAUSE : 0u);
    coupled_touch(r->c, in);
}

void weir_sim_pfc_accept(const struct coupled_run *r, uint32_t in, uint32_t class_id, uint32_t bytes)
{
    const struct weir_pfc_model *m = &r->model->fabric.pfc;
    if (!pfc_counts(r, in, class_id))
        return;
    struct coupled_port *back = &r->c->port[in];
    struct weir_pfc_account *account = &back->account[class_id];
    weir_pfc_accept(m, &r->c->pool, &back->in, account, bytes);
    if (weir_pfc_must_pause(m, &r->c->pool, &back->in, account))
        pfc_tell(r, in, class_id, true);
}

void weir_sim_pfc_release(const struct coupled_run *r, uint32_t in, uint32_t class_id, uint32_t bytes)
{
    const struct weir_pfc_model *m = &r->model->fabric.pfc;
    if (!pfc_counts(r, in, class_id))
        return;
    struct coupled_port *back = &r->c->port[in];
    struct weir_pfc_account *account = &back->account[class_id];
    weir_pfc_release(m, &r->c->pool, account, bytes);
    if (weir_pfc_may_resume(m, &r->c->pool, &back->in, account))
        pfc_tell(r, in, class_id, false);
}

void weir_sim_pfc_send(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    struct coupled_port *cp = &r->c->port[p];
    struct sim_beside *beside = link->beside;
    uint32_t what = *(const uint32_t *)ring_at(&cp->control, sizeof(uint32_t), 0);
    struct weir_pkt *frame = beside->control_write;
    uint64_t arrival_ps = now_ps + cp->frame_ps + link->delay_ps;
    ring_pop(&cp->control);
    cp->wire_ps = now_ps + cp->frame_ps;
    if ((link->slow & SIM_SLOW_CABLE) != 0 && weir_sim_port_cut(link->port, now_ps, arrival_ps + 1))
        return; /* even if it would have arrived just when the cable goes down */
    frame->class_id = WEIR_PKT_CLASS(what & CONTROL_CLASS_MASK);
    frame->flags = (what & CONTROL_PAUSE) != 0;
    beside->control_write = sim_fifo_publish(&r->th->pool, frame, arrival_ps);
}

static void pfc_count_stretch(struct sim_pauses *obeys, uint64_t stretch_ps, uint64_t storm_ps)
{
    obeys->sum_ps += stretch_ps;
    obeys->longest_ps = weir_max_u64(obeys->longest_ps, stretch_ps);
    obeys->storms += storm_ps > 0 && stretch_ps > storm_ps;
}

bool weir_sim_pfc_obey(struct sim_beside *from, struct sim_pauses *obeys, uint64_t storm_ps, struct sim_chunk **drained)
{
    const struct weir_pkt *frame = from->control_read;
    uint32_t bit = 1u << frame->class_id, before = obeys->classes;
    if (frame->flags != 0) {
        obeys->pauses++;
        obeys->classes |= bit;
        if ((before & bit) == 0)
            obeys->since_ps[frame->class_id] = frame->arrival_ps;
    } else {
        obeys->resumes++;
        obeys->classes &= ~bit;
        if ((before & bit) != 0)
            pfc_count_stretch(obeys, frame->arrival_ps - obeys->since_ps[frame->class_id], storm_ps);
    }
    weir_sim_pauses_note(obeys, frame);
    from->control_read = sim_fifo_advance(from->control_read, drained);
    return obeys->classes != before;
}

void weir_sim_pfc_close(struct sim_pauses *obeys, uint64_t now_ps, uint64_t storm_ps)
{
    for (uint32_t left = obeys->classes; left != 0; left &= left - 1) {
        uint64_t since_ps = obeys->since_ps[__builtin_ctz(left)];
        pfc_count_stretch(obeys, now_ps > since_ps ? now_ps - since_ps : 0, storm_ps);
    }
}

void weir_sim_pfc_forget(struct sim_pauses *obeys, uint64_t now_ps, uint64_t storm_ps)
{
    weir_sim_pfc_close(obeys, now_ps, storm_ps);
    obeys->classes = 0;
}

void weir_sim_pfc_cables(const struct coupled_run *r, uint64_t now_ps)
{
    uint64_t next_ps = WEIR_NEVER;
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct coupled_port *cp = &r->c->port[p];
        uint64_t at_ps = weir_sim_pfc_cable_ps(r->out[p].port, cp->events_done);
        if (at_ps == now_ps) {
            if (weir_sim_pfc_cable_down(r->out[p].port, &cp->events_done, now_ps)) {
                weir_sim_pfc_forget(&r->out[p].beside->obeys, now_ps, r->model->fabric.pfc.storm_ps);
                cp->control.count = 0;
                for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
                    cp->account[c].paused = false;
            }
            coupled_touch(r->c, p);
            at_ps = weir_sim_pfc_cable_ps(r->out[p].port, cp->events_done);
        }
        next_ps = weir_min_u64(next_ps, at_ps);
    }
    r->c->cable_ps = next_ps;
}

bool weir_sim_pfc_cable_down(const struct sim_port *port, uint32_t *done, uint64_t now_ps)
{
    bool up = *done == 0 || port->event[*done - 1].up, fell = false;
    for (; *done < port->event_count && port->event[*done].at_ps == now_ps; ++*done) {
        fell |= up && !port->event[*done].up;
        up = port->event[*done].up;
    }
    return fell;
}
