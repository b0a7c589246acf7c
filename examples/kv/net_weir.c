/* examples/kv/net_weir.c - an end over libweir: a call is a weir_call(), an error of the server a weir_reply_error(), and
 * deadlines are the library's. Values are not copied: the library borrows them until the operation's event. */
#include "kv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <weir/weir.h>

enum { EVENTS = 64 };

struct call { /* a call in progress */
    uint64_t tag;
    struct kv_value *value;
    unsigned char head[KV_HEAD_MAX];
};

struct waiting { /* a reply for which there was no room */
    struct waiting *next;
    uint64_t rpc;
    int error;
    struct kv_value *value;
};

struct end {
    struct weir_ep *ep;
    const struct kv_handler *handler;
    uint64_t timeout_ns;
    struct weir_peer *server[KV_SERVERS_MAX];
    uint32_t servers;
    bool finishing;
    /* oldest first. Until it is answered, a request uses some of rx_bytes: so the list is bounded by that */
    struct waiting *first, **last;
};

static int open_end(void **self, const struct kv_options *options, const struct kv_handler *handler, char *why)
{
    const struct weir_opts opts = { .size = sizeof(opts),
                                    .bind = options->bind,
                                    .cc = options->cc,
                                    .rate_bps = options->link_bps,
                                    .rx_bytes = KV_RX_BYTES,
                                    /* else a server serves max_peers addresses in its life */
                                    .flags = options->bind != NULL ? WEIR_OPEN_LEND_PEERS : 0 };
    struct end *end = calloc(1, sizeof(*end));
    if (end == NULL || weir_open(&end->ep, &opts) != 0) {
        (void)snprintf(why, KV_WHY_MAX, "%s", end == NULL ? "there is no memory" : weir_open_error());
        free(end);
        return -1;
    }
    end->handler = handler;
    end->timeout_ns = options->timeout_ns;
    end->last = &end->first;
    *self = end;
    return 0;
}

static int address(void *self, struct sockaddr_storage *at)
{
    socklen_t len = sizeof(*at);
    return weir_address(((struct end *)self)->ep, (struct sockaddr *)at, &len);
}

static int add_server(void *self, const struct sockaddr_storage *at)
{
    struct end *end = self;
    int result = weir_peer_get(end->ep, (const struct sockaddr *)at, sizeof(*at), &end->server[end->servers]);
    end->servers += result == 0;
    return result;
}

static void free_call(struct call *call)
{
    kv_value_drop(call->value);
    free(call);
}

static int call_server(void *self, const struct kv_request *request)
{
    struct end *end = self;
    struct weir_sendopt opt = { .size = sizeof(opt), .deadline_ns = end->timeout_ns };
    struct call *call = malloc(sizeof(*call));
    struct iovec part[2];
    int result;
    if (call == NULL)
        return -EAGAIN;
    call->tag = request->tag;
    call->value = kv_value_own(request->value);
    part[0] = (struct iovec){ call->head, kv_write_head(call->head, request) };
    if (call->value != NULL)
        part[1] = (struct iovec){ call->value->data, call->value->bytes };
    result = weir_call(end->ep, end->server[request->server], part, call->value != NULL ? 2 : 1, (uintptr_t)call, &opt);
    if (result != 0)
        free_call(call);
    return result;
}

/* Answers a request. @return false: there is no room now. Then the value still has its owner */
static bool answer(struct end *end, uint64_t rpc, int error, struct kv_value *value)
{
    const struct iovec part = { value != NULL ? value->data : NULL, value != NULL ? value->bytes : 0 };
    const struct weir_sendopt opt = { .size = sizeof(opt), .deadline_ns = end->timeout_ns };
    int result = error != 0 ? weir_reply_error(end->ep, rpc, (uint32_t)error, NULL, 0, 0, &opt)
                            : weir_reply(end->ep, rpc, &part, value != NULL, (uintptr_t)value, &opt);
    if (result == -EAGAIN)
        return false;
    if (result != 0)
        kv_value_drop(value); /* the client has gone */
    return true;
}

static void take_call(struct end *end, const struct weir_event *event)
{
    struct kv_value *value = NULL;
    struct waiting *waiting;
    int error = end->handler->called(end->handler->context, event->data, event->len, &value);
    if (end->first == NULL && answer(end, event->rpc, error, value))
        return;
    waiting = malloc(sizeof(*waiting));
    if (waiting == NULL) {
        kv_value_drop(value); /* no answer: the deadline of the client ends the call */
        return;
    }
    *waiting = (struct waiting){ NULL, event->rpc, error, value };
    *end->last = waiting;
    end->last = &waiting->next;
}

static void answer_waiting(struct end *end)
{
    struct waiting *w;
    while ((w = end->first) != NULL && answer(end, w->rpc, w->error, w->value)) {
        end->first = w->next;
        if (end->first == NULL)
            end->last = &end->first;
        free(w);
    }
}

static void take(struct end *end, const struct weir_event *event)
{
    struct call *call;
    switch (event->type) {
    case WEIR_EV_CALL:
        take_call(end, event);
        break;
    case WEIR_EV_REPLIED:
        kv_value_drop((struct kv_value *)(uintptr_t)event->user_data);
        break;
    case WEIR_EV_REPLY:
        call = (struct call *)(uintptr_t)event->user_data;
        end->handler->ended(end->handler->context, call->tag,
                            WEIR_APP_ERROR_OF(event->result) != 0 ? WEIR_APP_ERROR_OF(event->result) : event->result,
                            event->data, event->len);
        free_call(call);
        break;
    case WEIR_EV_WRITABLE:
        answer_waiting(end);
        break;
    default: /* a one-way message: nobody asked for it */
        break;
    }
    weir_release(end->ep, event->lease);
}

static int poll_end(void *self, int64_t timeout_ns)
{
    struct end *end = self;
    struct weir_event event[EVENTS];
    int count = weir_poll(end->ep, event, EVENTS, timeout_ns);
    for (int i = 0; i < count; i++)
        take(end, &event[i]);
    return count < 0 && count != -EINTR ? count : 0;
}

static void wake(void *self)
{
    (void)weir_wake(((struct end *)self)->ep);
}

static bool finish(void *self)
{
    struct end *end = self;
    struct weir_stats stats = { .size = sizeof(stats) };
    if (!end->finishing)
        (void)weir_shutdown(end->ep);
    end->finishing = true;
    (void)weir_stats(end->ep, &stats);
    return stats.ops_pending > 0 || stats.messages_arriving > 0 || stats.events_pending > 0 || end->first != NULL;
}

static void close_end(void *self)
{
    struct end *end = self;
    weir_close(end->ep); /* values of replies that did not end are freed with the program */
    free(end);
}

const struct kv_transport kv_weir = { .name = "weir",
                                      .open = open_end,
                                      .address = address,
                                      .add_server = add_server,
                                      .call = call_server,
                                      .poll = poll_end,
                                      .wake = wake,
                                      .finish = finish,
                                      .close = close_end,
                                      .why = weir_strerror };
