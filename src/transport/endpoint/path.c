/* src/transport/endpoint/path.c - see path.h.
 *
 * Who holds a copy of a packet can send it from anywhere. If the copy is the first to arrive, its secret is right and
 * its number new. So nothing but CHALLENGE goes to a new address before RESPONSE came from there: who answers has the
 * secret, and receives there. What leaves meanwhile goes to the old address. */
#include "endpoint/path.h"
#include "endpoint/peer.h"
#include "endpoint/sealed.h"
#include "endpoint/shake_tx.h"
#include <string.h>

#define AGAIN_PS (20 * WEIR_PS_PER_MS)  /* least time between two CHALLENGEs to an address .. */
#define OTHER_PS (500 * WEIR_PS_PER_MS) /* .. and from the first of them to that of another address of the peer */
#define CREDIT_MOST 4096u

static bool is_at(const struct weir_net_addr *a, const struct weir_net_addr *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* Returns the address of the peer's first port on the host that a packet came from, if it came from one of the peer's
 * ports: they move together. */
static struct weir_net_addr first_port(const struct weir_peer *p, const struct weir_net_addr *from)
{
    struct weir_net_addr first = *from;
    if ((uint16_t)(from->port - p->addr.port) < p->ports)
        first.port = p->addr.port;
    return first;
}

/* Returns the record of the address that a packet came from; NULL: another address is being challenged, or there is no
 * memory. */
static struct ep_path *path_of(struct weir_ep *ep, struct weir_peer *p, const struct weir_net_in *in)
{
    struct ep_path *path = p->path;
    const struct weir_net_addr from = first_port(p, &in->from);
    if (path != NULL && is_at(&path->addr, &from))
        return path;
    if (path != NULL && ep->now_ps - path->since_ps < OTHER_PS)
        return NULL;
    if (path == NULL)
        path = p->path = ep_keys_take(ep, EP_SECRET_PATH);
    if (path == NULL)
        return NULL;
    *path = (struct ep_path){ .addr = from, .since_ps = ep->now_ps };
    weir_crypto_random(&path->value, sizeof(path->value));
    return path;
}

void ep_path_note(struct weir_ep *ep, struct weir_peer *p, const struct weir_net_in *in)
{
    struct weir_wire_handshake challenge = { .type = WEIR_WIRE_CHALLENGE };
    struct ep_path *path = path_of(ep, p, in);
    WEIR_ASSERT(p->state == EP_PEER_UP && ep->keys != NULL);
    if (path == NULL)
        return;
    path->credit_bytes = (uint32_t)weir_min_u64(path->credit_bytes + in->length + WEIR_TAG_BYTES, CREDIT_MOST);
    if (path->credit_bytes < EP_CHALLENGE_BYTES || (path->sent_ps != 0 && ep->now_ps - path->sent_ps < AGAIN_PS))
        return;
    path->credit_bytes -= EP_CHALLENGE_BYTES;
    path->sent_ps = ep->now_ps;
    challenge.value = path->value;
    ep_shake_answer_at(ep, p, &path->addr, &in->to, &challenge);
}

void ep_path_answer(struct weir_ep *ep, struct weir_peer *p, const struct weir_net_in *in, uint64_t value)
{
    struct weir_wire_handshake response = { .type = WEIR_WIRE_RESPONSE, .value = value };
    WEIR_ASSERT(p->state == EP_PEER_UP);
    if (!is_at(&p->addr, &in->from))
        return; /* the other end is moving, too: one after the other */
    p->local = in->to;
    ep_shake_answer_peer(ep, p, &response);
}

void ep_path_response(struct weir_ep *ep, struct weir_peer *p, const struct weir_net_in *in, uint64_t value)
{
    struct ep_path *path = p->path;
    if (path == NULL || path->sent_ps == 0 || path->value != value || !is_at(&path->addr, &in->from) ||
        !ep_peer_move(ep, p, &in->from)) {
        ep->stats.refused_packets++;
        return;
    }
    p->local = in->to;
    p->path = NULL;
    ep_keys_give(ep, EP_SECRET_PATH, path);
}
