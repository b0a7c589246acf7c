/* src/algorithms/proto/sird/control.c - recovery of lost credit: the receiver takes credit back that was spent and did
 * not arrive, and asks a silent sender for its state. */
#include "proto/sird/sird_core.h"
#include "proto/sird/sird_parts.h"

/* Makes a control packet ready for control_next(). The host fetches it after the present call, so there is never a
 * second one. */
static void send_control(struct weir_sird_host *h, struct weir_sird_peer *p, enum weir_sird_control kind,
                         uint32_t total)
{
    WEIR_ASSERT(h->head.controls == 0);
    h->head.controls = 1;
    h->control_peer = p;
    h->control_kind = kind;
    h->control_total = total;
}

void sird_control_next(const void *config, void *host, struct weir_own_pkt *out)
{
    struct weir_sird_host *h = host;
    (void)config;
    *out = (struct weir_own_pkt){ .peer = h->control_peer,
                                  .sequence = h->control_total,
                                  .kind = (uint8_t)h->control_kind };
    h->head.controls = 0;
}

/* Checks a peer whose changed_ps is set: counts lost packets, and returns their credit to the buckets. Asks for the
 * peer's state if its spent total has not changed for loss_ps: grants may have been lost, or the peer has no use for
 * the credit. @return true while credit is outstanding */
bool sird_peer_check(const void *config, void *host, void *peer, uint64_t now_ps)
{
    const struct weir_sird_config *cfg = config;
    struct weir_sird_peer *p = peer;
    if (p->changed_ps == WEIR_NEVER)
        return false;
    if (sird_rx_settle(cfg, host, p, now_ps) == 0) {
        p->changed_ps = WEIR_NEVER;
        return false;
    }
    if (now_ps - p->changed_ps >= cfg->loss_ps)
        send_control(host, p, WEIR_SIRD_ASK, p->granted_total);
    return true;
}

void sird_control(const void *config, void *host, const struct weir_own_pkt *control)
{
    const struct weir_sird_config *cfg = config;
    struct weir_sird_peer *p = control->peer;
    if (control->kind == WEIR_SIRD_ASK) {
        sird_tx_credit(cfg, host, p, NULL, &(struct weir_credit){ .sequence = control->sequence });
        send_control(host, p, WEIR_SIRD_STATE, sird_tx_settle(cfg, host, p));
    } else if (control->kind == WEIR_SIRD_STATE) {
        weir_sird_note_spent(p, control->now_ps, control->sequence);
        if (weir_sird_believable(cfg, p, control->sequence) && (int32_t)(control->sequence - p->spent_seen) > 0)
            p->spent_seen = control->sequence;
    }
}
