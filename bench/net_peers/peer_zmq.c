/* bench/net_peers/peer_zmq.c - ZeroMQ: DEALER at the clients, ROUTER at the server, for messages as for calls, which their length tells
 * apart. One-way messages are lent to the library, not copied; its queue of four blocks, as four in progress do elsewhere. */
#define _GNU_SOURCE
#include "peer.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zmq.h>

static const struct peer_opts *o;
static void *sock;

static void set(int option, int value)
{
    if (zmq_setsockopt(sock, option, &value, sizeof(value)) != 0)
        peer_die("option", zmq_strerror(zmq_errno()));
}

static void zmq_peer_open(const struct peer_opts *opts)
{
    char at[64];
    o = opts;
    sock = zmq_socket(zmq_ctx_new(), opts->role == PEER_SERVE ? ZMQ_ROUTER : ZMQ_DEALER);
    if (sock == NULL)
        peer_die("socket", zmq_strerror(zmq_errno()));
    set(ZMQ_RCVTIMEO, PEER_NAP_MS);
    set(ZMQ_LINGER, 0);
    if (opts->role == PEER_SEND) {
        set(ZMQ_SNDTIMEO, PEER_NAP_MS);
        set(ZMQ_SNDHWM, PEER_OUTSTANDING);
    }
    (void)snprintf(at, sizeof(at), "tcp://%s:%u", opts->address, opts->port);
    if ((opts->role == PEER_SERVE ? zmq_bind : zmq_connect)(sock, at) != 0)
        peer_die(at, zmq_strerror(zmq_errno()));
}

static void zmq_serve(void)
{
    zmq_msg_t from, body;
    (void)zmq_msg_init(&from);
    (void)zmq_msg_init(&body);
    if (zmq_msg_recv(&from, sock, 0) >= 0 && zmq_msg_recv(&body, sock, 0) >= 0) {
        peer_moved(zmq_msg_size(&body));
        if (zmq_msg_size(&body) == PEER_CALL_BYTES) { /* takes both over */
            (void)zmq_msg_send(&from, sock, ZMQ_SNDMORE);
            (void)zmq_msg_send(&body, sock, 0);
        }
    }
    (void)zmq_msg_close(&from);
    (void)zmq_msg_close(&body);
}

static void keep(void *data, void *hint)
{
    (void)data;
    (void)hint;
}

static void zmq_bulk(void)
{
    zmq_msg_t body;
    (void)zmq_msg_init_data(&body, peer_message(), o->bytes, keep, NULL);
    if (zmq_msg_send(&body, sock, 0) >= 0)
        peer_moved(o->bytes);
    else
        (void)zmq_msg_close(&body);
}

static void start_call(uint32_t slot)
{
    unsigned char bytes[PEER_CALL_BYTES];
    memcpy(bytes, peer_message(), sizeof(bytes));
    memcpy(bytes, &slot, sizeof(slot));
    peer_call_begins(slot);
    if (zmq_send(sock, bytes, sizeof(bytes), 0) < 0)
        peer_die("send", zmq_strerror(zmq_errno()));
}

static void zmq_calls(void)
{
    static bool begun;
    unsigned char bytes[PEER_CALL_BYTES];
    uint32_t slot;
    for (slot = 0; !begun && slot < o->depth; slot++)
        start_call(slot);
    begun = true;
    if (zmq_recv(sock, bytes, sizeof(bytes), 0) != PEER_CALL_BYTES)
        return;
    memcpy(&slot, bytes, sizeof(slot));
    peer_call_ends(slot);
    start_call(slot);
}

static const char *zmq_peer_version(void)
{
    static char text[32];
    int major, minor, patch;
    zmq_version(&major, &minor, &patch);
    (void)snprintf(text, sizeof(text), "%d.%d.%d", major, minor, patch);
    return text;
}

const struct peer_ops peer_ops = { .name = "zmq",
                                   .open = zmq_peer_open,
                                   .serve = zmq_serve,
                                   .send = zmq_bulk,
                                   .call = zmq_calls,
                                   .version = zmq_peer_version };
