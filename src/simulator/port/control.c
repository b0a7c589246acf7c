/* src/simulator/port/control.c - control frames at the node where they arrive, host or switch, and cables that go down
 * and so cut control frames off. coupled/coupled_control.c sends the frames. */
#include "port/port.h"
#include "state/tap.h"

bool weir_sim_control_init(struct sim_thread *th, const struct weir_model *model, struct sim_link *link)
{
    if (!weir_features_have_control(&model->features))
        return true;
    link->control = weir_arena_take(&th->arena, sizeof(*link->control));
    return link->control != NULL;
}

/* Asks the features of a port which classes may not start now, and stores the set of these classes in link->control.
 * @return true if the set has changed */
static bool control_close(struct sim_link *link, uint64_t now_ps)
{
    struct sim_control *control = link->control;
    uint32_t before = control->closed;
    control->closed = weir_chain_closed(&link->port->chain);
    WEIR_ASSERT(control->closed >> WEIR_CLASSES_MAX == 0);
    if ((control->closed & ~before) != 0)
        control->closed_ps = now_ps;
    return control->closed != before;
}

bool weir_sim_control_take(struct sim_thread *th, struct sim_link *in, struct sim_link *link,
                           struct sim_chunk **drained)
{
    const struct weir_pkt *frame = in->control->read;
    uint64_t now_ps = frame->arrival_ps;
    const struct weir_chain_control received = {
        .frame = { .port = (uint32_t)(link - &th->engine->link[th->engine->model->topo->node[link->src].first_out]),
                   .class_id = frame->class_id,
                   .code = (uint8_t)frame->flags },
        .feature = frame->msg,
    };
    WEIR_ASSERT(sim_control_comes(th->engine, in->dst));
    weir_chain_control(&link->port->chain, now_ps, &received);
    weir_sim_control_note(th, frame, (uint32_t)(link - th->engine->link));
    in->control->read = sim_fifo_advance(in->control->read, drained);
    th->engine->control_count[in->dst].received++;
    return control_close(link, now_ps);
}

void weir_sim_control_cut(struct sim_link *link, uint64_t now_ps)
{
    weir_chain_cut(&link->port->chain, now_ps);
    (void)control_close(link, now_ps);
}

bool weir_sim_control_cable_down(const struct sim_port *port, uint32_t *done, uint64_t now_ps)
{
    bool up = *done == 0 || port->event[*done - 1].up, fell = false;
    WEIR_ASSERT(*done <= port->event_count);
    for (; *done < port->event_count && port->event[*done].at_ps <= now_ps; ++*done) {
        fell |= up && !port->event[*done].up;
        up = port->event[*done].up;
    }
    return fell;
}
