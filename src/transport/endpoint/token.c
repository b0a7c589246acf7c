/* src/transport/endpoint/token.c - see token.h. The 48 bits of a token without its tag are as good as random. */
#include "endpoint/token.h"
#include "endpoint/memory.h"

static uint32_t *bucket(const struct weir_ep *ep, uint64_t token)
{
    return &ep->token_table[(token >> 16) % EP_BUCKETS];
}

/* Tests whether packets of a connected peer may come from an address that is not its own. */
static bool may_be_elsewhere(const struct weir_ep *ep, const struct weir_peer *p)
{
    WEIR_ASSERT(p->state == EP_PEER_UP);
    return ep->keys != NULL || p->ports > 1;
}

void ep_token_add(struct weir_ep *ep, struct weir_peer *p)
{
    uint32_t *head;
    if (!may_be_elsewhere(ep, p))
        return;
    if (ep->token_table == NULL)
        ep->token_table = ep_calloc(ep, EP_BUCKETS, sizeof(*ep->token_table));
    if (ep->token_table == NULL) {
        p->ports = 1; /* its packets from others are refused, and it keeps to the first */
        return;
    }
    head = bucket(ep, p->rx_token);
    p->token_chain = *head;
    *head = p->number;
}

void ep_token_remove(struct weir_ep *ep, struct weir_peer *p)
{
    uint32_t *link;
    if (!may_be_elsewhere(ep, p))
        return;
    link = bucket(ep, p->rx_token);
    while (*link != p->number)
        link = &ep->peers[*link - 1].token_chain;
    *link = p->token_chain;
    p->token_chain = 0;
}

struct weir_peer *ep_token_find(const struct weir_ep *ep, uint64_t token)
{
    uint32_t number = ep->token_table != NULL ? *bucket(ep, token) : 0;
    while (number != 0 && !ep_same_token(ep->peers[number - 1].rx_token, token))
        number = ep->peers[number - 1].token_chain;
    return number == 0 ? NULL : &ep->peers[number - 1];
}
