/* src/transport/endpoint/protocol.c - reads opts.cc: the protocol of an endpoint and its keys, as in a scenario. */
#include "endpoint/protocol.h"
#include "core/credit_ops.h"
#include "core/err.h"
#include "endpoint/memory.h"
#include "endpoint/protocol_text.h"
#include "param/param.h"
#include <errno.h>

#define RUNNING "homa, ndp, sird"

/* Checks whether a protocol can run over a real network. @return 0, or -ENOTSUP with the reason in err */
static int check_protocol(const struct weir_protocol *p, struct weir_err *err)
{
    if (p->credit == NULL)
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "receiver-driven protocols do: " RUNNING,
                        "cc: %s does not run on a real network yet", p->name);
    else if ((p->credit->needs & WEIR_NEED_ONE_CLOCK) != 0)
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "receiver-driven protocols without common instants do: " RUNNING,
                        "cc: %s needs hosts that share one clock, and those of a real network do not", p->name);
    else if ((p->credit->needs & WEIR_NEED_GATE) != 0) /* without the gate nothing would limit credit, and so data */
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "protocols that need no help of switches: " RUNNING,
                        "cc: %s needs ports that hold credit back, and those of real switches do not", p->name);
    else
        return 0;
    return -ENOTSUP;
}

static void *allocate(void *context, size_t bytes)
{
    return ep_calloc(context, 1, bytes);
}

/* Returns the largest BDP that a receiver may find by trial. It is half the packets of a message that may be on their
 * way, so that some can be sent again, or a quarter of the memory for messages. The driver must be able to hold B, one
 * and a half BDP, while this process is not scheduled. */
static uint64_t bdp_most(const struct weir_ep *ep)
{
    uint64_t bytes = (uint64_t)WEIR_CREDIT_WINDOW_PKTS / 2 * ep->mss;
    bytes = weir_min_u64(bytes, ep->opts.rx_bytes / 4);
    return ep->net->rx_room_bytes != 0 ? weir_min_u64(bytes, ep->net->rx_room_bytes / 3 * 2) : bytes;
}

int ep_protocol_read(struct weir_ep *ep, struct weir_err *err)
{
    struct weir_host_config *cfg = &ep->host_config;
    const struct weir_protocol_reader how = { .label = "cc",
                                              .example = "for example \"sird B=120KB SThr=40KB\"",
                                              .preset = "udp", /* for real networks */
                                              .path_hint = "opts.rate_bps and opts.base_rtt_ns make the BDP",
                                              .path = &cfg->path,
                                              .framing = &cfg->framing,
                                              .check = check_protocol,
                                              .allocate = allocate,
                                              .context = ep };
    const struct weir_protocol *p = NULL;
    int code = weir_protocol_read(&how, ep->opts.cc, &p, &ep->cc_config, err);
    if (code < 0)
        return code;
    weir_param_defaults(weir_host_param_rows, &cfg->params);
    /* used by sender-driven laws only, but the host needs values */
    cfg->params.reorder_pkts = 3;
    weir_host_settle_timers(&cfg->params, false);
    cfg->credit = p->credit;
    cfg->cc_config = ep->cc_config;
    cfg->hash = WEIR_HASH_FLOW;
    cfg->measured = true;
    cfg->adaptive = cfg->adaptive && p->credit->adapt != NULL;
    cfg->bdp_most_bytes = bdp_most(ep);
    return 0;
}
