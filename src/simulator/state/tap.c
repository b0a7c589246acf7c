/* src/simulator/state/tap.c - logs the packets at tapped links, and control frames. A tapped port has a kind of its
 * own, which logs starts and drops; other ports pay nothing for taps. A start may be logged before its time, or be
 * decided later than starts at other ports. So rows are reported only up to an instant before which all decisions have
 * been made. */
#include "state/tap.h"

bool weir_sim_is_tapped(const struct sim_engine *e, uint32_t link)
{
    return e->options->packets != NULL && e->options->tap[link] != 0;
}

/* Appends a row to the thread's log and fills in the fields that all kinds of rows have. @return the row; NULL = no
 * memory, and th->tap.out_of_memory is set */
static struct weir_packet_row *tap_add(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *pkt,
                                       uint64_t at_ps, enum weir_tap_event event)
{
    struct weir_packet_row *row = weir_sim_row_log_add(&th->tap, sizeof(*row));
    uint32_t id = (uint32_t)(link - th->engine->link);
    bool has_records = sim_has_records(th->engine->model) &&
                       (link->src >= th->engine->model->topo->host_count || event == WEIR_PACKET_REFUSED);
    WEIR_ASSERT(id < th->engine->model->topo->link_count);
    if (row == NULL)
        return NULL;
    *row = (struct weir_packet_row){
        .at_ps = at_ps, .pkt = *pkt, .link = id, .order = th->tap_rows++, .event = (uint8_t)event
    };
    row->pkt.arrival_ps = 0;
    if (th->engine->epoch != NULL)
        weir_pkt_drop_epoch(&row->pkt);
    if ((weir_host_needs(&th->engine->model->host) & WEIR_NEED_NO_ACKS) != 0)
        row->pkt.msg = 0;             /* a handle is reused at a time that depends on the number of threads */
    if (has_records && pkt->hops > 0) /* a host attaches its records later */
        row->pkt.sent48_ps = sim_records_of(pkt)->sent48_ps & SIM_SENT48_MASK;
    return row;
}

void weir_sim_tap_start(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *pkt,
                        const struct sim_tapped *at, uint32_t cause)
{
    uint8_t where = th->engine->options->tap[link - th->engine->link];
    bool lost = cause != WEIR_CAUSE_NONE;
    struct weir_packet_row *row;
    WEIR_ASSERT(at->start_ps >= at->joined_ps);
    if ((where & WEIR_TAP_SENT) != 0) {
        row = tap_add(th, link, pkt, at->start_ps, lost ? WEIR_PACKET_LOST : WEIR_PACKET_SENT);
        if (row != NULL) {
            row->waited_ps = at->start_ps - at->joined_ps;
            row->cause = cause;
        }
    }
    if ((where & WEIR_TAP_ARRIVED) != 0 && !lost)
        (void)tap_add(th, link, pkt, at->start_ps + at->tx_ps + link->delay_ps + at->late_ps, WEIR_PACKET_RECEIVED);
}

/* Tests whether the given end of the link is tapped. */
static bool tap_is_at(const struct sim_thread *th, const struct sim_link *link, enum weir_tap end)
{
    return link->kind.tap && (th->engine->options->tap[link - th->engine->link] & end) != 0;
}

void weir_sim_tap_drop(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps,
                       uint32_t cause)
{
    struct weir_packet_row *row =
        tap_is_at(th, link, WEIR_TAP_SENT) ? tap_add(th, link, pkt, now_ps, WEIR_PACKET_DROPPED) : NULL;
    if (row != NULL)
        row->cause = cause;
}

void weir_sim_tap_refuse(struct sim_thread *th, const struct sim_link *in, const struct weir_pkt *pkt)
{
    struct weir_packet_row *row =
        tap_is_at(th, in, WEIR_TAP_ARRIVED) ? tap_add(th, in, pkt, pkt->arrival_ps, WEIR_PACKET_REFUSED) : NULL;
    if (row != NULL)
        row->cause = WEIR_CAUSE_NO_ROUTE;
}

void weir_sim_tap_control(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *frame,
                          uint64_t start_ps, uint64_t arrival_ps, bool lost)
{
    const struct weir_pkt pkt = { .flags = frame->flags,
                                  .class_id = frame->class_id,
                                  .wire_bytes = WEIR_CONTROL_BYTES };
    uint8_t where = th->engine->options->tap[link - th->engine->link];
    struct weir_packet_row *row = NULL;
    WEIR_ASSERT(arrival_ps > start_ps);
    if ((where & WEIR_TAP_SENT) != 0)
        row = tap_add(th, link, &pkt, start_ps, lost ? WEIR_PACKET_LOST : WEIR_PACKET_SENT);
    if (row != NULL) {
        row->is_control = true;
        row->cause = lost ? th->engine->cut_cause : WEIR_CAUSE_NONE;
    }
    row = (where & WEIR_TAP_ARRIVED) != 0 && !lost ? tap_add(th, link, &pkt, arrival_ps, WEIR_PACKET_RECEIVED) : NULL;
    if (row != NULL)
        row->is_control = true;
}

/* ---- control frames, if options->control is set ---- */

void weir_sim_control_note(struct sim_thread *th, const struct weir_pkt *frame, uint32_t link)
{
    struct weir_control_row *row;
    if (th->engine->options->control == NULL)
        return;
    row = weir_sim_row_log_add(&th->control, sizeof(*row));
    if (row != NULL)
        *row = (struct weir_control_row){
            .at_ps = frame->arrival_ps, .link = link, .class_id = frame->class_id, .code = (uint8_t)frame->flags
        };
}
