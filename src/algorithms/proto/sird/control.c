/* src/algorithms/proto/sird/control.c - recovery when credit is out and nothing comes back: lost credit is taken back,
 * a silent sender is asked. */
#include "proto/sird/sird_core.h"
#include "proto/sird/sird_parts.h"

/* Leaves a control packet to the host, which takes it after the call that made it: there is never a second one. */
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

/* Checks a peer: one that holds credit in silence is asked for its state. Credit for it may have been lost, or it has
 * no use for it. */
bool sird_peer_check(const void *config, void *host, void *peer, uint64_t now_ps)
{
    const struct weir_sird_config *cfg = config;
    struct weir_sird_peer *p = peer;
    if (p->changed_ps == WEIR_NEVER)
        return false;
    if (sird_rx_settle(cfg, host, p) == 0) {
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
