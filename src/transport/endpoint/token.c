/* src/transport/endpoint/token.c - see token.h. The 48 bits of a token without its tag are as good as random. */
#include "endpoint/token.h"
#include "endpoint/keys.h"

static uint32_t *bucket(const struct weir_ep *ep, uint64_t token)
{
    return &ep->token_table[(token >> 16) % EP_BUCKETS];
}

void ep_token_add(struct weir_ep *ep, struct weir_peer *p)
{
    uint32_t *head;
    if (ep->token_table == NULL)
        return;
    WEIR_ASSERT(p->state == EP_PEER_UP);
    head = bucket(ep, p->rx_token);
    p->seal->token_chain = *head;
    *head = p->number;
}

void ep_token_remove(struct weir_ep *ep, struct weir_peer *p)
{
    uint32_t *link;
    if (ep->token_table == NULL)
        return;
    WEIR_ASSERT(p->state == EP_PEER_UP);
    link = bucket(ep, p->rx_token);
    while (*link != p->number)
        link = &ep->peers[*link - 1].seal->token_chain;
    *link = p->seal->token_chain;
    p->seal->token_chain = 0;
}

struct weir_peer *ep_token_find(const struct weir_ep *ep, uint64_t token)
{
    uint32_t number = ep->token_table != NULL ? *bucket(ep, token) : 0;
    while (number != 0 && !ep_same_token(ep->peers[number - 1].rx_token, token))
        number = ep->peers[number - 1].seal->token_chain;
    return number == 0 ? NULL : &ep->peers[number - 1];
}
