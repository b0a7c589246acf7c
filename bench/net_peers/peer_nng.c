/* bench/net_peers/peer_nng.c - nng: PUSH to PULL for messages, REQ to REP for calls, on two ports, because a socket has one protocol. The
 * server answers in nng's own threads, a raw REP socket needing no context for each call; clients have a context for each slot. */
#define _GNU_SOURCE
#include "peer.h"
#include <nng/nng.h>
#include <nng/protocol/pipeline0/pull.h>
#include <nng/protocol/pipeline0/push.h>
#include <nng/protocol/reqrep0/rep.h>
#include <nng/protocol/reqrep0/req.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const struct peer_opts *o;
static nng_socket messages, calls; /* a client has one of them */
static nng_aio *take_message, *take_call, *answer;
static nng_ctx ctx[PEER_DEPTH_MAX];
static nng_aio *aio[PEER_DEPTH_MAX];

static void must(int result, const char *what)
{
    if (result != 0)
        peer_die(what, nng_strerror(result));
}

static void on_message(void *unused)
{
    (void)unused;
    if (nng_aio_result(take_message) == 0) {
        nng_msg *msg = nng_aio_get_msg(take_message);
        peer_moved(nng_msg_len(msg));
        nng_msg_free(msg);
    }
    nng_recv_aio(messages, take_message);
}

static void on_call(void *unused)
{
    (void)unused;
    if (nng_aio_result(take_call) != 0) {
        nng_recv_aio(calls, take_call);
        return;
    }
    nng_aio_set_msg(answer, nng_aio_get_msg(take_call));
    nng_send_aio(calls, answer);
}

static void on_answered(void *unused)
{
    (void)unused;
    if (nng_aio_result(answer) == 0)
        peer_moved(PEER_CALL_BYTES);
    else
        nng_msg_free(nng_aio_get_msg(answer));
    nng_recv_aio(calls, take_call);
}

/* Listens, or connects. */
static void attach(nng_socket s, uint16_t port)
{
    char at[64];
    (void)snprintf(at, sizeof(at), "tcp://%s:%u", o->address, port);
    must(nng_socket_set_size(s, NNG_OPT_RECVMAXSZ, 0), "size"); /* no limit */
    must((o->role == PEER_SERVE ? nng_listen(s, at, NULL, 0) : nng_dial(s, at, NULL, 0)), at);
}

static void open_server(void)
{
    must(nng_pull0_open(&messages), "pull");
    must(nng_rep0_open_raw(&calls), "rep");
    must(nng_aio_alloc(&take_message, on_message, NULL), "aio");
    must(nng_aio_alloc(&take_call, on_call, NULL), "aio");
    must(nng_aio_alloc(&answer, on_answered, NULL), "aio");
    attach(messages, o->port);
    attach(calls, (uint16_t)(o->port + 1));
    nng_recv_aio(messages, take_message);
    nng_recv_aio(calls, take_call);
}

static void nng_open(const struct peer_opts *opts)
{
    o = opts;
    if (opts->role == PEER_SERVE) {
        open_server();
    } else if (opts->role == PEER_SEND) {
        must(nng_push0_open(&messages), "push");
        must(nng_socket_set_ms(messages, NNG_OPT_SENDTIMEO, PEER_NAP_MS), "timeout");
        attach(messages, opts->port);
    } else {
        must(nng_req0_open(&calls), "req");
        attach(calls, (uint16_t)(opts->port + 1));
        for (uint32_t slot = 0; slot < opts->depth; slot++) {
            must(nng_ctx_open(&ctx[slot], calls), "context");
            must(nng_aio_alloc(&aio[slot], NULL, NULL), "aio");
        }
    }
}

static void nng_serve(void)
{
    (void)nanosleep(&(struct timespec){ .tv_nsec = PEER_NAP_MS * 1000000 }, NULL);
}

static void nng_bulk(void)
{
    if (nng_send(messages, peer_message(), o->bytes, 0) == 0)
        peer_moved(o->bytes);
}

static void start_call(uint32_t slot)
{
    nng_msg *msg;
    must(nng_msg_alloc(&msg, 0), "message");
    must(nng_msg_append(msg, peer_message(), PEER_CALL_BYTES), "message");
    peer_call_begins(slot);
    nng_aio_set_msg(aio[slot], msg);
    nng_ctx_send(ctx[slot], aio[slot]);
    nng_aio_wait(aio[slot]);
    must(nng_aio_result(aio[slot]), "send");
    nng_ctx_recv(ctx[slot], aio[slot]);
}

static void nng_calls(void)
{
    static bool begun;
    for (uint32_t slot = 0; !begun && slot < o->depth; slot++)
        start_call(slot);
    begun = true;
    for (uint32_t slot = 0; slot < o->depth; slot++) {
        nng_aio_wait(aio[slot]);
        must(nng_aio_result(aio[slot]), "call");
        nng_msg_free(nng_aio_get_msg(aio[slot]));
        peer_call_ends(slot);
        start_call(slot);
    }
}

const struct peer_ops peer_ops = {
    .name = "nng", .open = nng_open, .serve = nng_serve, .send = nng_bulk, .call = nng_calls, .version = nng_version
};
