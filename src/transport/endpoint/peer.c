/* src/transport/endpoint/peer.c - the table of other endpoints (peers), by address and by token; the end of
 * connections.
 *
 * An entry is never reused while the application has its handle. When all entries are in use, an entry without a handle
 * may be reused if it has no operations, messages, offers or events. Such an entry was made by its peer's handshake, or
 * its handle was given back. Without this reuse an attacker, to whom addresses cost nothing, could fill the table and
 * so deny service. */
#include "endpoint/peer.h"
#include "endpoint/agree.h"
#include "endpoint/event.h"
#include "endpoint/msg.h"
#include "endpoint/op.h"
#include "endpoint/room.h"
#include "endpoint/shake_tx.h"
#include "endpoint/siphash.h"
#include "endpoint/token.h"
#include "endpoint/tx.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *bucket(const struct weir_ep *ep, const struct weir_net_addr *addr)
{
    return &ep->peer_table[ep_siphash(ep->secret, addr, sizeof(*addr)) % EP_BUCKETS];
}

static bool same(const struct weir_net_addr *a, const struct weir_net_addr *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

struct weir_peer *ep_peer_find(const struct weir_ep *ep, const struct weir_net_addr *addr)
{
    uint32_t number = *bucket(ep, addr);
    while (number != 0 && !same(&ep->peers[number - 1].addr, addr))
        number = ep->peers[number - 1].chain;
    return number == 0 ? NULL : &ep->peers[number - 1];
}

/* Returns a new own token for the next connection with a peer. It cannot be guessed; its low 16 bits are the endpoint's
 * present tag. */
static uint64_t new_token(struct weir_ep *ep)
{
    uint64_t count[2] = { ep->tokens++, 0 };
    return ep_siphash(ep->secret, count, sizeof(count)) << 16 | ep->tag.present;
}

/* Returns the next entry that may be reused, round robin; NULL = there is none. connected: select among the peers that
 * are up, or among those that are not. */
static struct weir_peer *idle_peer(struct weir_ep *ep, bool connected)
{
    for (uint32_t i = 0; i < ep->peer_count; i++) {
        struct weir_peer *p = &ep->peers[ep->peer_hand++ % ep->peer_count];
        if (!ep_peer_held(ep, p) && p->named == 0 && p->op_head == NULL && p->msgs == NULL &&
            (p->state == EP_PEER_UP) == connected)
            return p;
    }
    return NULL;
}

/* Removes a peer from the hash table of addresses. */
static void remove_address(struct weir_ep *ep, const struct weir_peer *p)
{
    uint32_t *link = bucket(ep, &p->addr);
    while (*link != p->number)
        link = &ep->peers[*link - 1].chain;
    *link = p->chain;
}

static void add_address(struct weir_ep *ep, struct weir_peer *p, const struct weir_net_addr *addr)
{
    uint32_t *head = bucket(ep, addr);
    p->addr = *addr;
    p->chain = *head;
    *head = p->number;
}

bool ep_peer_move(struct weir_ep *ep, struct weir_peer *p, const struct weir_net_addr *addr)
{
    struct weir_peer *other = ep_peer_find(ep, addr);
    struct weir_net_addr before = p->addr;
    WEIR_ASSERT(other != p);
    if (other != NULL && (ep_peer_held(ep, other) || other->named != 0 || other->state != EP_PEER_IDLE))
        return false;
    remove_address(ep, p);
    if (other != NULL) {
        remove_address(ep, other);
        ep_agree_forget(ep, other);
        add_address(ep, other, &before); /* nothing is known of who is there */
        other->old_token = 0;
    }
    add_address(ep, p, addr);
    return true;
}

/* Ends the connection or handshake with a peer as ep_peer_end() does, without WEIR_EV_PEER_DOWN. */
static void end(struct weir_ep *ep, struct weir_peer *p, int result)
{
    struct ep_msg *next;
    if (p->used)
        weir_host_forget(ep->host, ep->now_ps, p->number);
    p->used = false;
    ep_tx_drop_peer(ep, p);
    if (p->state == EP_PEER_UP) {
        WEIR_ASSERT(ep->peers_up > 0);
        ep->peers_up--;
        ep_token_remove(ep, p);
        ep->stats.resets++;
        p->counts.resets++;
        p->old_token = p->remote_token;
    } else { /* the handshake failed: perhaps we no longer have that address */
        p->local = (struct weir_net_addr){ 0 };
    }
    ep_room_forget(ep, p);
    ep_agree_forget(ep, p);
    p->state = EP_PEER_IDLE;
    p->remote_token = 0;
    p->tx_count = 0;
    p->least_rtt_ps = 0;
    p->raised = p->lags = false;
    p->room_kib = UINT32_MAX;
    p->records = EP_RECORDS_UNKNOWN;
    p->granted = p->spent = 0; /* both count from 0 again */
    p->own_token = new_token(ep);
    while (p->op_head != NULL)
        ep_op_lost(ep, p->op_head, result);
    for (struct ep_msg *m = p->msgs; m != NULL; m = next) {
        next = m->next;
        ep_msg_lost(ep, m, result);
    }
    WEIR_ASSERT(p->msgs == NULL && p->arriving == 0);
    WEIR_ASSERT(p->in_host == 0 && p->calls == 0 && p->held == 0 && p->asked_bytes == 0);
    WEIR_ASSERT(p->bounded == 0 && p->parts == 0);
}

void ep_peer_end(struct weir_ep *ep, struct weir_peer *p, int result)
{
    bool up = p->state == EP_PEER_UP;
    end(ep, p, result);
    if (up)
        ep_event_add_down(ep, p, result);
}

/* Ends a peer whose entry may be reused, preferably one that is not connected, and removes it from the hash table.
 * @return the entry; NULL = none may be reused */
static struct weir_peer *recycle(struct weir_ep *ep)
{
    struct weir_peer *p = idle_peer(ep, false);
    if (p == NULL && (p = idle_peer(ep, true)) != NULL)
        ep_shake_close(ep, p);
    if (p == NULL)
        return NULL;
    WEIR_ASSERT(!ep_peer_held(ep, p) &&
                p->named == 0); /* the application has no handle of it, and no event will give it one */
    end(ep, p, -ECONNRESET);    /* without an event: the record is another peer's */
    remove_address(ep, p);
    return p;
}

struct weir_peer *ep_peer_make(struct weir_ep *ep, const struct weir_net_addr *addr)
{
    struct weir_peer *p;
    uint32_t number, *head = bucket(ep, addr);
    uint64_t timer_ps = WEIR_NEVER;
    if (ep->peer_count < ep->opts.max_peers) {
        number = ++ep->peer_count;
        p = &ep->peers[number - 1];
    } else {
        p = recycle(ep);
        if (p == NULL)
            return NULL;
        number = p->number;
        timer_ps = p->timer_ps;
        ep_peer_forgive(p);
    }
    *p = (struct weir_peer){ .ep = ep,
                             .addr = *addr,
                             .number = number,
                             .own_token = new_token(ep),
                             .timer_ps = timer_ps,
                             .chain = *head,
                             .room_kib = UINT32_MAX };
    *head = number;
    return p;
}

struct weir_peer *ep_peer_of_token(const struct weir_ep *ep, uint64_t token, const struct weir_net_addr *from)
{
    struct weir_peer *p = ep_peer_find(ep, from);
    return p != NULL && ep_same_token(p->own_token, token) ? p : NULL;
}

/* Tests whether the packets of a connection have this token. p: NULL is allowed */
static bool has_token(const struct weir_peer *p, uint64_t token)
{
    return p != NULL && p->state == EP_PEER_UP && ep_same_token(p->rx_token, token);
}

/* Tests whether an address is one of the ports that a peer sends from. */
static bool is_port_of(const struct weir_peer *p, const struct weir_net_addr *from)
{
    struct weir_net_addr first = *from;
    first.port = p->addr.port;
    return (uint16_t)(from->port - first.port) < p->ports && same(&p->addr, &first);
}

/* Finds the peer of a packet that is not from the address of the last one's peer, as ep_peer_of_packet() does. */
WEIR_NOINLINE struct weir_peer *search(struct weir_ep *ep, uint64_t token, const struct weir_net_addr *from)
{
    struct weir_peer *p = ep->rx_peer;
    if (has_token(p, token) && is_port_of(p, from))
        return p;
    p = ep_peer_find(ep, from);
    if (has_token(p, token))
        return p;
    p = ep_token_find(ep, token);
    return has_token(p, token) && is_port_of(p, from) ? p : NULL;
}

struct weir_peer *ep_peer_of_packet(struct weir_ep *ep, uint64_t token, const struct weir_net_addr *from)
{
    struct weir_peer *p = ep->rx_peer;
    if (p != NULL && same(&p->addr, from) && has_token(p, token))
        return p;
    p = search(ep, token, from);
    if (p != NULL)
        ep->rx_peer = p;
    return p;
}

void ep_peer_forgive(struct weir_peer *p)
{
    free(p->other_law);
    p->other_law = NULL;
    p->other_mss = 0;
    p->other_version = 0;
    p->other_protection = 0;
    p->hint = EP_HINT_NONE;
}
