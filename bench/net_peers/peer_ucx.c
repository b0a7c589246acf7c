/* bench/net_peers/peer_ucx.c - UCX: active messages over its TCP transport, since there is no other between network namespaces. A step
 * makes progress until there is none, then sleeps on the worker's descriptor: UCX that only polls would use a whole processor. */
#define _GNU_SOURCE
#include "peer.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <ucp/api/ucp.h>

enum { AM_MESSAGE, AM_CALL, AM_REPLY };

static const struct peer_opts *o;
static ucp_worker_h worker;
static ucp_ep_h server;
static int fd;
static uint32_t outstanding, waiting[PEER_DEPTH_MAX], waiting_count;
static unsigned char request[PEER_DEPTH_MAX][PEER_CALL_BYTES];

static void must(ucs_status_t status, const char *what)
{
    if (status != UCS_OK)
        peer_die(what, ucs_status_string(status));
}

static void must_be_sent(void *request_or_status)
{
    if (UCS_PTR_IS_ERR(request_or_status))
        must(UCS_PTR_STATUS(request_or_status), "send");
}

static void on_data(void *req, ucs_status_t status, size_t length, void *memory)
{
    must(status, "receive");
    peer_moved(length);
    free(memory);
    ucp_request_free(req);
}

/* A large message announces itself, and is taken into memory; a small one is in `data`. */
static ucs_status_t on_message(void *arg, const void *header, size_t header_length, void *data, size_t length,
                               const ucp_am_recv_param_t *param)
{
    (void)arg, (void)header, (void)header_length;
    if (!(param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)) {
        peer_moved(length);
        return UCS_OK;
    }
    void *memory = malloc(length);
    ucp_request_param_t take = { .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                                                 UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
                                 .cb.recv_am = on_data,
                                 .user_data = memory };
    void *req = ucp_am_recv_data_nbx(worker, data, memory, length, &take);
    if (memory == NULL || UCS_PTR_IS_ERR(req))
        peer_die("receive", "no memory or no data");
    return UCS_INPROGRESS;
}

static void on_reply_sent(void *req, ucs_status_t status, void *memory)
{
    (void)status;
    free(memory);
    ucp_request_free(req);
}

static ucs_status_t on_call(void *arg, const void *header, size_t header_length, void *data, size_t length,
                            const ucp_am_recv_param_t *param)
{
    unsigned char *copy = malloc(PEER_CALL_BYTES);
    ucp_request_param_t send = { .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                 .cb.send = on_reply_sent,
                                 .user_data = copy };
    (void)arg, (void)header, (void)header_length;
    if (copy == NULL || length != PEER_CALL_BYTES || !(param->recv_attr & UCP_AM_RECV_ATTR_FIELD_REPLY_EP))
        peer_die("call", "not as expected");
    memcpy(copy, data, PEER_CALL_BYTES);
    void *req = ucp_am_send_nbx(param->reply_ep, AM_REPLY, NULL, 0, copy, PEER_CALL_BYTES, &send);
    if (req == NULL || UCS_PTR_IS_ERR(req)) /* done at once */
        free(copy);
    peer_moved(PEER_CALL_BYTES);
    return UCS_OK;
}

/* The next call of the slot begins after this, not from within progress. */
static ucs_status_t on_reply(void *arg, const void *header, size_t header_length, void *data, size_t length,
                             const ucp_am_recv_param_t *param)
{
    uint32_t slot;
    (void)arg, (void)header, (void)header_length, (void)param;
    memcpy(&slot, data, sizeof(slot));
    if (length != PEER_CALL_BYTES || slot >= o->depth)
        peer_die("reply", "not as expected");
    peer_call_ends(slot);
    waiting[waiting_count++] = slot;
    return UCS_OK;
}

static void handle(unsigned id, ucp_am_recv_callback_t callback)
{
    ucp_am_handler_param_t param = { .field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                                                   UCP_AM_HANDLER_PARAM_FIELD_FLAGS,
                                     .id = id,
                                     .flags = UCP_AM_FLAG_WHOLE_MSG,
                                     .cb = callback };
    must(ucp_worker_set_am_recv_handler(worker, &param), "handler");
}

static void accepted(ucp_ep_h ep, void *arg)
{
    (void)ep, (void)arg;
}

static void open_worker(void)
{
    ucp_context_h context;
    ucp_config_t *config;
    ucp_params_t params = { .field_mask = UCP_PARAM_FIELD_FEATURES, .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP };
    ucp_worker_params_t worker_params = { .field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
                                          .thread_mode = UCS_THREAD_MODE_SINGLE };
    must(ucp_config_read(NULL, NULL, &config), "config");
    must(ucp_config_modify(config, "TLS", "tcp"), "config");
    must(ucp_init(&params, config, &context), "init");
    ucp_config_release(config);
    must(ucp_worker_create(context, &worker_params, &worker), "worker");
    must(ucp_worker_get_efd(worker, &fd), "descriptor");
}

static void on_error(void *arg, ucp_ep_h ep, ucs_status_t status)
{
    (void)arg, (void)ep;
    peer_die("connection", ucs_status_string(status));
}

static void connect_to(const struct sockaddr_in *at)
{
    ucp_ep_params_t params = { .field_mask = UCP_EP_PARAM_FIELD_FLAGS | UCP_EP_PARAM_FIELD_SOCK_ADDR |
                                             UCP_EP_PARAM_FIELD_ERR_HANDLER | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE,
                               .flags = UCP_EP_PARAMS_FLAGS_CLIENT_SERVER,
                               .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                               .err_handler.cb = on_error,
                               .sockaddr = { (const struct sockaddr *)at, sizeof(*at) } };
    must(ucp_ep_create(worker, &params, &server), "connect");
}

static void ucx_open(const struct peer_opts *opts)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(opts->port) };
    ucp_listener_params_t params = { .field_mask =
                                         UCP_LISTENER_PARAM_FIELD_SOCK_ADDR | UCP_LISTENER_PARAM_FIELD_ACCEPT_HANDLER,
                                     .sockaddr = { (const struct sockaddr *)&at, sizeof(at) },
                                     .accept_handler.cb = accepted };
    ucp_listener_h listener;
    o = opts;
    if (inet_pton(AF_INET, opts->address, &at.sin_addr) != 1)
        peer_die("address", opts->address);
    open_worker();
    handle(AM_MESSAGE, on_message);
    handle(AM_CALL, on_call);
    handle(AM_REPLY, on_reply);
    if (opts->role == PEER_SERVE)
        must(ucp_listener_create(worker, &params, &listener), "listen");
    else
        connect_to(&at);
}

/* Makes progress until there is none, then sleeps until there may be some. */
static void ucx_serve(void)
{
    if (ucp_worker_progress(worker) > 0 || waiting_count > 0)
        return;
    if (ucp_worker_arm(worker) == UCS_OK)
        (void)poll(&(struct pollfd){ .fd = fd, .events = POLLIN }, 1, PEER_NAP_MS);
}

static void on_sent(void *req, ucs_status_t status, void *arg)
{
    (void)arg;
    must(status, "send");
    outstanding--;
    peer_moved(o->bytes);
    ucp_request_free(req);
}

static void ucx_bulk(void)
{
    ucp_request_param_t send = { .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
                                 .cb.send = on_sent };
    while (outstanding < PEER_OUTSTANDING) {
        must_be_sent(ucp_am_send_nbx(server, AM_MESSAGE, NULL, 0, peer_message(), o->bytes, &send));
        outstanding++;
    }
    ucx_serve();
}

static void on_call_sent(void *req, ucs_status_t status, void *arg)
{
    (void)arg;
    must(status, "call");
    ucp_request_free(req);
}

static void start_call(uint32_t slot)
{
    ucp_request_param_t send = { .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_FLAGS,
                                 .flags = UCP_AM_SEND_FLAG_REPLY,
                                 .cb.send = on_call_sent };
    memcpy(request[slot], peer_message(), PEER_CALL_BYTES);
    memcpy(request[slot], &slot, sizeof(slot));
    peer_call_begins(slot);
    must_be_sent(ucp_am_send_nbx(server, AM_CALL, NULL, 0, request[slot], PEER_CALL_BYTES, &send));
}

static void ucx_calls(void)
{
    static bool begun;
    for (uint32_t slot = 0; !begun && slot < o->depth; slot++)
        start_call(slot);
    begun = true;
    while (waiting_count > 0)
        start_call(waiting[--waiting_count]);
    ucx_serve();
}

static const char *ucx_version(void)
{
    return ucp_get_version_string();
}

const struct peer_ops peer_ops = {
    .name = "ucx", .open = ucx_open, .serve = ucx_serve, .send = ucx_bulk, .call = ucx_calls, .version = ucx_version
};
