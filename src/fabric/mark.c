/* src/fabric/mark.c - the marking rule, asked as a switch feature. The simulator's FIFO ports call the rule itself. */
#include "fabric/mark.h"
#include "core/pkt.h"
#include "fabric/mark_core.h"

static enum weir_verdict mark_on_enqueue(const void *config, const struct weir_switch_view *view,
                                         struct weir_pkt_meta *pkt)
{
    WEIR_ASSERT(pkt->out_port < view->port_count);
    if (pkt->flags & WEIR_PKT_ECT && weir_mark(config, view->port[pkt->out_port].queue_bytes, pkt->draw)) {
        pkt->flags |= WEIR_PKT_CE;
        pkt->marked_here = true;
    }
    return WEIR_PASS;
}

const struct weir_fabric_ops weir_mark_ops = { .name = "ecn", .offers = WEIR_NEED_ECN, .on_enqueue = mark_on_enqueue };
