/* src/algorithms/host/mixed/nics.c - a host with several NICs: a shell around a whole struct weir_host per transport. A
 * transport is of one NIC, or of some that lead to the same hosts. The world says which transport two hosts use, gives
 * packets to NICs, and asks a transport when one of its NICs is free. */
#include "core/math.h"
#include "host/mixed/nics.h"
#include "host/mixed/shell.h"

static size_t nics_bytes(const struct weir_host_config *cfg)
{
    WEIR_ASSERT(cfg->law == NULL);
    return host_shell_bytes(cfg->nics->transport, cfg->nics->count);
}

static void nics_init(struct weir_host *h)
{
    const struct weir_host_nics *nics = h->cfg->nics;
    for (uint32_t i = 0; i < nics->count; i++)
        WEIR_ASSERT(nics->transport[i].nics == NULL && nics->transport[i].law == NULL);
    host_shell_init(h, nics->transport, nics->count);
}

/* Returns the transport of what passes between this host and another. */
static struct weir_host *transport_of(const struct weir_host *h, uint32_t peer)
{
    const struct weir_host_nics *nics = h->cfg->nics;
    uint32_t i = nics->of_pair(nics->ctx, host_self(h), peer);
    WEIR_ASSERT(i < nics->count);
    return host_shell_of(h)->host[i];
}

/* Returns the transport for a packet that a peer has sent, and that arrives by the NIC of weir_host_nics_arrive(). */
static struct weir_host *receiver_of(const struct weir_host *h, uint32_t peer)
{
    return h->cfg->nics->of_pair != NULL ? transport_of(h, peer) : host_shell_of(h)->host[h->rx_nic];
}

static int nics_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes)
{
    struct host_shell *s = host_shell_of(h);
    const struct weir_host_nics *nics = h->cfg->nics;
    struct weir_host *transport;
    int code;
    if (nics->of_pair != NULL) {
        transport = transport_of(h, dst);
    } else { /* messages round robin */
        uint32_t count = nics->count_of(nics->ctx, host_self(h));
        transport = s->host[s->next[0]];
        s->next[0] = s->next[0] + 1 < count ? s->next[0] + 1 : 0;
    }
    code = weir_host_send(transport, now_ps, dst, msg, bytes);
    host_shell_settle(h, now_ps);
    return code;
}

/* Passes a packet to its transport. Never writes *answer: the world takes it from the transport. @return false */
static bool nics_rx(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer)
{
    struct weir_host *transport = receiver_of(h, pkt->src);
    (void)answer;
    WEIR_CHECK(h->rx_hops == 0 || h->rx_hop != NULL);
    if (h->rx_hops == 0)
        (void)transport->machine->rx(transport, now_ps, pkt, NULL);
    else
        (void)weir_host_rx_hops(transport, now_ps, pkt, h->rx_hop, NULL);
    host_shell_settle(h, now_ps);
    return false;
}

static void nics_rx_many(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        (void)nics_rx(h, now_ps, &pkt[i], NULL);
}

static enum weir_host_inbound nics_inbound(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt)
{
    return weir_host_inbound(receiver_of(h, src), src, pkt);
}

/* Returns 0: the world asks transports. */
static uint32_t nics_tx(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    (void)h, (void)now_ps, (void)out;
    return 0;
}

bool weir_host_nics_ready(const struct weir_host *h, uint32_t transport)
{
    if (h->cfg->nics == NULL)
        return weir_host_ready(h);
    WEIR_ASSERT(transport < host_shell_of(h)->count);
    return host_can_send(host_shell_of(h)->host[transport]);
}

uint32_t weir_host_nics_tx(struct weir_host *h, uint32_t transport, uint64_t now_ps, struct weir_pkt *out)
{
    struct weir_host *one;
    uint32_t count;
    if (h->cfg->nics == NULL)
        return weir_host_tx(h, now_ps, out, 1);
    one = host_shell_of(h)->host[transport];
    count = weir_host_tx(one, now_ps, out, 1);
    h->tx_hop = one->tx_hop;
    host_shell_settle(h, now_ps);
    return count;
}

void weir_host_nics_pause(struct weir_host *h, uint32_t transport, uint32_t class_mask)
{
    if (h->cfg->nics == NULL) {
        weir_host_pause(h, class_mask);
        return;
    }
    weir_host_pause(host_shell_of(h)->host[transport], class_mask);
    host_shell_show(h);
}

void weir_host_nics_arrive(struct weir_host *h, uint32_t nic)
{
    WEIR_ASSERT(nic < HOST_SHELL_MAX);
    h->rx_nic = (uint8_t)nic;
}

/* Prefetches nothing. */
static void nics_prefetch(const struct weir_host *h, const struct weir_pkt *pkt)
{
    (void)h, (void)pkt;
}

/* Prefetches nothing. */
static void nics_send_prefetch(const struct weir_host *h, uint32_t dst)
{
    (void)h, (void)dst;
}

const struct host_machine host_nics_machine = { .bytes = nics_bytes,
                                                .init = nics_init,
                                                .send = nics_send,
                                                .rx = nics_rx,
                                                .rx_many = nics_rx_many,
                                                .tx = nics_tx,
                                                .time_run = host_shell_settle,
                                                .pause = host_shell_pause,
                                                .next_pending = host_shell_next_pending,
                                                .cancel = host_shell_cancel,
                                                .forget = host_shell_forget,
                                                .inbound = nics_inbound,
                                                .rx_prefetch = nics_prefetch,
                                                .message_prefetch = nics_prefetch,
                                                .send_prefetch = nics_send_prefetch,
                                                .flow = host_shell_flow,
                                                .credit = host_shell_credit,
                                                .weight = host_shell_weight,
                                                .rate = host_shell_rate,
                                                .stats = host_shell_stats,
                                                .check = host_shell_check };
