/* src/transport/endpoint/info.c - the calls of weir.h that return information: addresses, peers, statistics, limits,
 * errors, versions. */
#define _GNU_SOURCE
#include "core/cc.h"
#include "core/credit.h"
#include "endpoint/enter.h"
#include "endpoint/keys.h"
#include "endpoint/peer.h"
#include "endpoint/post.h"
#include "endpoint/version.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int copy_address(const struct weir_net_addr *from, struct sockaddr *addr, socklen_t *len)
{
    struct sockaddr_storage sa;
    socklen_t bytes = weir_net_addr_to(from, &sa);
    if (addr == NULL || len == NULL || *len < bytes)
        return -EINVAL;
    memcpy(addr, &sa, bytes);
    *len = bytes;
    return 0;
}

int weir_address(const struct weir_ep *ep, struct sockaddr *addr, socklen_t *len)
{
    return copy_address(&ep->net->local, addr, len);
}

int weir_peer_address(const struct weir_peer *peer, struct sockaddr *addr, socklen_t *len)
{
    return copy_address(&peer->addr, addr, len);
}

int weir_peer_get(struct weir_ep *ep, const struct sockaddr *addr, socklen_t len, struct weir_peer **peer)
{
    struct weir_net_addr to;
    struct weir_peer *p;
    int saved = errno;
    *peer = NULL;
    if (addr == NULL || weir_net_addr_from(&to, addr, len) < 0 || to.port == 0 || to.family != ep->net->local.family ||
        weir_net_addr_is_any(&to))
        return -EINVAL;
    EP_ENTER_OR_RETURN(ep, "weir_peer_get");
    p = ep_peer_find(ep, &to);
    if (p == NULL)
        p = ep_peer_make(ep, &to);
    if (p != NULL && !ep_peer_held(ep, p))
        ep_peer_clear(p); /* it was lent, and is not any more */
    if (p != NULL)
        p->exposed = true;
    EP_LEAVE(ep);
    errno = saved; /* making an entry may send a RESET to the peer whose entry is reused, which may set errno */
    *peer = p;
    return p != NULL ? 0 : -ENOSPC;
}

int weir_peer_put(struct weir_ep *ep, struct weir_peer *peer)
{
    if (!ep_peer_held(ep, peer))
        return -EINVAL;
    EP_ENTER_OR_RETURN(ep, "weir_peer_put");
    peer->exposed = false;
    peer->lent_poll = 0;
    ep_peer_clear(peer);
    EP_LEAVE(ep);
    return 0;
}

void weir_peer_set_context(struct weir_peer *peer, void *context)
{
    peer->context = context;
}

/* Returns a sentence for an errno that the network or the kernel reported of a datagram. */
static const char *of_report(int error)
{
    switch (error) {
    case ECONNREFUSED:
        return weir_strerror(-ECONNREFUSED);
    case EHOSTUNREACH:
    case EHOSTDOWN:
        return "there is no way to this host";
    case ENETUNREACH:
        return "there is no way to this network";
    case EACCES:
        return "the way to this host is closed by a rule";
    default:
        return "the network does not deliver packets there";
    }
}

/* Writes the sentence of a hint. */
static void print_hint(const struct weir_peer *p, const char *address, char *text, size_t size)
{
    const struct weir_key *key = &p->ep->keys->file.key[0];
    if (p->hint == EP_HINT_KEY)
        (void)snprintf(text, size, "%s answers nothing under key %u '%s': nobody is there, or it has another key",
                       address, (unsigned)key->number, key->name);
    else if (p->hint == EP_HINT_REMOVED)
        (void)snprintf(text, size,
                       "%s is not connected any more: its key was removed, and it answered under no other within 10 s",
                       address);
    else
        (void)snprintf(
            text, size,
            "%s has sent nothing that its key authenticates since a packet that says, without proof, that %s", address,
            p->hint == EP_HINT_RESET ? "it does not know the connection: it was restarted" : "nobody has its port");
}

const char *weir_peer_error(const struct weir_peer *peer)
{
    char address[64], *text = peer->ep->peer_error;
    size_t size = sizeof(peer->ep->peer_error);
    weir_net_addr_print(&peer->addr, address, sizeof(address));
    if (peer->other_law != NULL)
        (void)snprintf(text, size, "%s runs '%s', and this endpoint '%s': both ends need the same protocol and keys",
                       address, peer->other_law, peer->ep->law);
    else if (peer->other_mss != 0)
        (void)snprintf(text, size,
                       "%s sends packets with %u bytes of payload, and this endpoint with %u: set the MTU of both ends "
                       "to the smaller one",
                       address, (unsigned)peer->other_mss, (unsigned)peer->ep->mss);
    else if (peer->other_version != 0)
        (void)snprintf(text, size,
                       "%s speaks version %u of the packet format, and this endpoint version %u: both ends need the "
                       "same release of libweir",
                       address, (unsigned)peer->other_version, (unsigned)WEIR_WIRE_VERSION);
    else if (peer->records == EP_RECORDS_MISSING)
        (void)snprintf(text, size,
                       "no switch on the way to %s writes the records that '%s' needs: use a protocol that needs none",
                       address, peer->ep->host_config.cc->name);
    else if (peer->other_protection != 0)
        (void)snprintf(text, size, "%s demands protection %s, and this endpoint %s: both ends need the same protection",
                       address, ep_protection_name(peer->other_protection - 1u),
                       ep_protection_name(peer->ep->protection));
    else if (peer->hint != EP_HINT_NONE)
        print_hint(peer, address, text, size);
    else if (peer->trouble == 0)
        text[0] = '\0';
    else if (peer->path_mtu != 0)
        (void)snprintf(
            text, size,
            "the way to %s carries IP packets of at most %u bytes, and this endpoint sends %u; set the MTU of "
            "both ends to %u",
            address, (unsigned)peer->path_mtu, (unsigned)peer->ep->mtu, (unsigned)peer->path_mtu);
    else if (peer->trouble == EMSGSIZE)
        (void)snprintf(text, size,
                       "the way to %s carries no IP packets of %u bytes, which this endpoint sends; set a smaller MTU "
                       "at both ends",
                       address, (unsigned)peer->ep->mtu);
    else
        (void)snprintf(text, size, "%s: %s", address, of_report(peer->trouble));
    return text;
}

const char *weir_peer_identity(const struct weir_peer *peer)
{
    return peer->state == EP_PEER_UP && peer->seal != NULL ? peer->seal->name : "";
}

void *weir_peer_context(const struct weir_peer *peer)
{
    return peer->context;
}

/* Copies our struct of `bytes` bytes to the caller's, which begins with its size and may be of another version. Fields
 * that its size has no room for are left out; fields that this version does not have are set to 0. @return 0; -EINVAL:
 * the size is not set */
static int copy_out(void *out, const void *ours, size_t bytes)
{
    uint32_t size;
    memcpy(&size, out, sizeof(size));
    if (size < sizeof(size))
        return -EINVAL;
    memset(out, 0, size);
    memcpy(out, ours, size < bytes ? size : bytes);
    memcpy(out, &size, sizeof(size));
    return 0;
}

int weir_stats(const struct weir_ep *ep, struct weir_stats *stats)
{
    struct weir_stats s = ep->stats;
    struct weir_credit_sums credit;
    weir_host_credit(ep->host, &credit);
    s.peers = ep->peers_up;
    s.ops_pending = ep->ops_pending + ep->op_answers + ep->released;
    s.events_pending = ep->events_pending + ep_post_count(ep);
    s.messages_arriving = ep->messages_arriving;
    s.rx_bytes_held = ep->rx.used;
    s.tx_bytes_held = ep->tx.used;
    s.retransmissions = ep->host_stats->retransmissions;
    s.duplicates = ep->host_stats->duplicates;
    s.marked = ep->host_stats->marked_pkts;
    s.refused_packets += ep->host_stats->refused_pkts;
    s.timeouts = ep->host_stats->timeouts;
    s.spurious_retransmissions = ep->host_stats->spurious_pkts;
    s.send_blocked = ep->net->stats.blocked;
    s.credit_held_bytes = credit.held_bytes;
    s.credit_outstanding_bytes = credit.outstanding_bytes > 0 ? (uint64_t)credit.outstanding_bytes : 0;
    s.syscalls += ep->net->stats.syscalls;
    s.send_syscalls = ep->net->stats.sends;
    return copy_out(stats, &s, sizeof(s));
}

/* Returns how many operations with a peer have not ended. */
static uint64_t pending_of(const struct weir_peer *p)
{
    uint64_t count = 0;
    for (const struct ep_op *op = p->op_head; op != NULL; op = op->next)
        count += (op->flags & EP_OP_ENDED) == 0;
    return count;
}

int weir_peer_stats(const struct weir_ep *ep, const struct weir_peer *peer, struct weir_peer_stats *stats)
{
    if (!ep_peer_held(ep, peer))
        return -EINVAL;
    const struct ep_counts *c = &peer->counts;
    const uint64_t silent_ps = ep->now_ps - peer->heard_ps;
    struct weir_peer_stats s = { .size = sizeof(s),
                                 .connected = peer->state == EP_PEER_UP,
                                 .handshakes = c->handshakes,
                                 .resets = c->resets,
                                 .ops_pending = pending_of(peer),
                                 .messages_arriving = peer->arriving,
                                 .rx_bytes_held = peer->arriving_bytes,
                                 .messages_sent = c->messages_sent,
                                 .messages_received = c->messages_received,
                                 .bytes_sent = c->bytes_sent,
                                 .bytes_received = c->bytes_received,
                                 .packets_sent = c->packets_sent,
                                 .packets_received = c->packets_received,
                                 .retransmissions = c->retransmissions,
                                 .marked = c->marked,
                                 .silent_ns = c->handshakes == 0 ? UINT64_MAX : silent_ps / WEIR_PS_PER_NS };
    return copy_out(stats, &s, sizeof(s));
}

int weir_limits(const struct weir_ep *ep, struct weir_limits_info *limits)
{
    struct weir_limits_info l = { .size = sizeof(l),
                                  .mtu = ep->mtu,
                                  .payload_bytes = ep->mss,
                                  .message_bytes_max = ep_message_most(ep),
                                  .rate_bps = ep->host_config.path.rate_bps,
                                  .bdp_bytes = ep->host_config.path.bdp_bytes };
    return copy_out(limits, &l, sizeof(l));
}

const char *weir_strerror(int result)
{
    if (WEIR_APP_ERROR_OF(result) > 0 && WEIR_APP_ERROR_OF(result) <= WEIR_APP_ERROR_MAX)
        return "an error of the peer's application";
    switch (result < 0 ? -result : 0) {
    case 0:
        return "done";
    case EAGAIN:
        return "no room now; WEIR_EV_WRITABLE will say when";
    case ECANCELED:
        return "cancelled";
    case ETIMEDOUT:
        return "out of time: the deadline has passed, the peer has been silent for too long, or one packet never "
               "arrives";
    case ECONNRESET:
        return "the peer was restarted or closed; whether the message arrived is not known";
    case EHOSTUNREACH:
        return "nobody answers at this address";
    case ECONNREFUSED:
        return "nobody has this port there: no program, or one that has ended";
    case EMSGSIZE:
        return "the message is larger than this endpoint or the peer takes, or its packets are larger than the way to "
               "the peer";
    case ENOBUFS:
        return "the peer needed the memory for others: the message came too slowly; or its application wants no more "
               "of it";
    case ECONNABORTED:
        return "the sender aborted the message, of which parts had come";
    case EPROTO:
        return "the peer uses another protocol, other keys of it, another MTU, another protection, or another version "
               "of the packet format";
    case ENOENT:
        return "no such request: it was answered, or its caller is gone";
    case EINVAL:
        return "an argument is not valid";
    case ENOMEM:
        return "out of memory";
    case ENOSPC:
        return "as many peers as max_peers allows";
    case EADDRINUSE:
        return "the address is in use";
    case EADDRNOTAVAIL:
        return "the address is not one of this host";
    case EMFILE:
        return "too many open files: an endpoint takes five, with the xdp driver more";
    case ENODEV:
        return "no such network device";
    case ECHILD:
        return "the endpoint is the parent process's; open another after fork()";
    case EPERM:
        return "not permitted";
    case ENOTSUP:
        return "not supported here";
    case EINTR:
        return "interrupted";
    case EIO:
        return "the network device is gone";
    default:
        return "an error without a sentence";
    }
}

uint32_t weir_abi_version(void)
{
    return WEIR_ABI_VERSION;
}

const char *weir_version(void)
{
    return WEIR_EP_VERSION;
}
