/* src/algorithms/proto/expresspass/timers.c - the timers of messages, and the timers of peers at which waiting messages
 * may get connections. */
#include "proto/expresspass/expresspass_core.h"
#include "proto/expresspass/expresspass_parts.h"

/* Sets the timer of a message; WEIR_NEVER stops the timer. */
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

/* Sets the time at which a peer's waiting messages may get connections: at_ps, or an earlier time that is set already.
 * Does nothing if no message waits, or at_ps is WEIR_NEVER. */
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
