/* bench/net_peers/peer_weir.c - libweir, by the functions of weir.h, with its defaults but for the rate if one is stated. */
#define _GNU_SOURCE
#include "peer.h"
#include <weir/weir.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

enum { EVENTS = 64 };

static const struct peer_opts *o;
static struct weir_ep *ep;
static struct weir_peer *server;
static uint32_t outstanding;

static void weir_peer_open(const struct peer_opts *opts)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(opts->port) };
    char bind[64];
    struct weir_opts open_opts = { .size = sizeof(open_opts),
                                   .rate_bps = opts->rate_bps,
                                   .protection = opts->protection,
                                   .key_file = opts->key_file };
    o = opts;
    (void)snprintf(bind, sizeof(bind), "%s:%u", opts->address, opts->port);
    open_opts.bind = opts->role == PEER_SERVE ? bind : NULL;
    if (weir_open(&ep, &open_opts) != 0)
        peer_die("open", weir_open_error());
    if (opts->role == PEER_SERVE)
        return;
    if (inet_pton(AF_INET, opts->address, &at.sin_addr) != 1)
        peer_die("address", opts->address);
    int result = weir_peer_get(ep, (struct sockaddr *)&at, sizeof(at), &server);
    if (result != 0)
        peer_die("peer", weir_strerror(result));
}

static int poll_events(struct weir_event *event)
{
    int n = weir_poll(ep, event, EVENTS, PEER_NAP_MS * INT64_C(1000000));
    return n > 0 ? n : 0;
}

static void weir_serve(void)
{
    static const struct weir_sendopt copy = { .size = sizeof(copy), .flags = WEIR_COPY };
    struct weir_event event[EVENTS];
    int n = poll_events(event);
    for (int i = 0; i < n; i++) {
        if (event[i].type == WEIR_EV_CALL) {
            struct iovec iov = { (void *)(uintptr_t)event[i].data, event[i].len };
            if (weir_reply(ep, event[i].rpc, &iov, 1, 0, &copy) != 0)
                peer_lost(1);
        }
        if (event[i].type == WEIR_EV_CALL || event[i].type == WEIR_EV_MESSAGE)
            peer_moved(event[i].len);
        else if (event[i].result != 0)
            peer_lost(1);
        weir_release(ep, event[i].lease);
    }
}

static void weir_bulk(void)
{
    struct iovec iov = { peer_message(), o->bytes };
    struct weir_event event[EVENTS];
    while (outstanding < PEER_OUTSTANDING && weir_send(ep, server, &iov, 1, 0, NULL) == 0)
        outstanding++;
    int n = poll_events(event);
    for (int i = 0; i < n; i++) {
        if (event[i].type != WEIR_EV_SENT)
            continue;
        outstanding--;
        if (event[i].result != 0)
            peer_die("send", weir_strerror(event[i].result));
        peer_moved(o->bytes);
    }
}

static void start_call(uint32_t slot)
{
    struct iovec iov = { peer_message(), PEER_CALL_BYTES };
    peer_call_begins(slot);
    int result = weir_call(ep, server, &iov, 1, slot, NULL);
    if (result != 0)
        peer_die("call", weir_strerror(result));
}

static void weir_calls(void)
{
    static bool begun;
    struct weir_event event[EVENTS];
    for (uint32_t slot = 0; !begun && slot < o->depth; slot++)
        start_call(slot);
    begun = true;
    int n = poll_events(event);
    for (int i = 0; i < n; i++) {
        if (event[i].type != WEIR_EV_REPLY)
            continue;
        if (event[i].result != 0)
            peer_die("call", weir_strerror(event[i].result));
        weir_release(ep, event[i].lease);
        peer_call_ends((uint32_t)event[i].user_data);
        start_call((uint32_t)event[i].user_data);
    }
}

static void weir_count(struct peer_counters *c)
{
    struct weir_stats s = { .size = sizeof(s) };
    (void)weir_stats(ep, &s);
    *c = (struct peer_counters){ s.packets_sent, s.packets_received, s.retransmissions, s.duplicates, s.syscalls };
}

const struct peer_ops peer_ops = { .name = "weir",
                                   .open = weir_peer_open,
                                   .serve = weir_serve,
                                   .send = weir_bulk,
                                   .call = weir_calls,
                                   .count = weir_count,
                                   .version = weir_version };
