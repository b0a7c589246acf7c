/* src/algorithms/proto/expresspass/timers.c - the timers of messages, and of messages that wait for a connection. */
#include "proto/expresspass/expresspass_core.h"
#include "proto/expresspass/expresspass_parts.h"

void expresspass_set_timer(struct weir_expresspass_host *h, struct weir_expresspass_tx *m, uint64_t at_ps)
{
    bool in = weir_pairing_has(&h->timers, &m->timer);
    if (at_ps == WEIR_NEVER) {
        if (in)
            weir_pairing_remove(&h->timers, &m->timer);
    } else if (in) {
        weir_pairing_move(&h->timers, &m->timer, at_ps, m->msg.order);
    } else {
        weir_pairing_push(&h->timers, &m->timer, at_ps, m->msg.order);
    }
}

/* Sets when messages that wait are examined: at this instant, or at an earlier one that was set before. */
void expresspass_open_at(struct weir_expresspass_host *h, struct weir_expresspass_peer *p, uint64_t at_ps)
{
    bool in = weir_pairing_has(&h->opening, &p->opening);
    if (p->waiting.root == NULL || at_ps == WEIR_NEVER || (in && p->opening.key <= at_ps))
        return;
    if (in)
        weir_pairing_move(&h->opening, &p->opening, at_ps, p->number);
    else
        weir_pairing_push(&h->opening, &p->opening, at_ps, p->number);
}
