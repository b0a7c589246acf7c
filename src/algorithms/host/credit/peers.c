/* src/algorithms/host/credit/peers.c - records of other hosts (peers) in a receiver-driven host. */
#include "core/credit_ops.h"
#include "host/common/table.h"
#include "host/common/timers.h"
#include "host/credit/measure.h"
#include "host/credit/peers.h"

/* Makes the record of host id, at the first packet from it or message to it. @return NULL = no memory, 65535 peers have
 * records, or id >= WEIR_PKT_HOSTS_MAX */
static HOST_COLD struct credit_peer *peer_open(struct weir_host *h, uint32_t id)
{
    struct host_credit *c = host_credit_of(h);
    uint32_t index, same;
    uint16_t *slot = host_number_slot(h, &c->peer_of, id);
    if (slot == NULL || c->peers.count == UINT16_MAX || !host_timers_room(h, c->peers.count + 1))
        return NULL;
    /* in this order: paths may have a record more than peers, which the next peer takes */
    if (h->cfg->measured && c->paths.count == c->peers.count &&
        host_table_add(h, &c->paths, HOST_BLOCK_SHIFT, &same) == NULL)
        return NULL;
    struct credit_peer *peer = host_table_add(h, &c->peers, HOST_BLOCK_SHIFT, &index);
    if (peer == NULL)
        return NULL;
    WEIR_ASSERT(*slot == 0);
    WEIR_ASSERT(id != host_self(h));
    *slot = (uint16_t)(index + 1);
    *peer = (struct credit_peer){ .id = WEIR_PKT_HOST(id),
                                  .index = index,
                                  .hash = host_path_hash(h, id, 0),
                                  .tx_head = HOST_NONE,
                                  .rx_head = HOST_NONE };
    host_credit_measure_forget(c, peer);
    if (c->ops->peer_init != NULL)
        c->ops->peer_init(c->config, c->state, credit_peer_state(peer));
    return peer;
}

/* Returns the record of host id, and makes it if there is none. @return NULL = for the reasons of peer_open() */
struct credit_peer *host_credit_peer(struct weir_host *h, uint32_t id)
{
    struct credit_peer *peer = credit_peer_known(h, id);
    return WEIR_LIKELY(peer != NULL) ? peer : peer_open(h, id);
}

/* Arms the timer that checks a peer after loss_ps, unless it is armed or there is no recovery. */
void host_credit_watch(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer)
{
    uint64_t loss_ps = host_credit_of(h)->loss_ps;
    if (loss_ps == 0 || peer->timed)
        return;
    peer->timed = true;
    host_timer_push(h, now_ps + loss_ps, peer->index, CREDIT_TIMER_PEER);
}
