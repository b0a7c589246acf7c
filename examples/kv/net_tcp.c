/* examples/kv/net_tcp.c - an end over the kernel's TCP. What libweir does by itself is done here: connections that are made
 * and made again, deadlines of calls, and memory that is bounded. */
#define _GNU_SOURCE /* accept4, ppoll */
#include "tcp.h"
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { READY = 64, NO_CALL = 0 };

/* --- open and close --- */

static int choose_cc(const struct tcp_end *t, int fd)
{
    const char *cc = t->options.cc;
    return cc == NULL || setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, cc, (socklen_t)strlen(cc)) == 0 ? 0 : -errno;
}

static void close_end(void *self)
{
    struct tcp_end *t = self;
    while (t->conns != NULL)
        tcp_conn_free(t, t->conns);
    if (t->listen_fd >= 0)
        (void)close(t->listen_fd);
    if (t->wake_fd >= 0)
        (void)close(t->wake_fd);
    if (t->epoll_fd >= 0)
        (void)close(t->epoll_fd);
    free(t->call);
    free(t);
}

static void watch_listener(struct tcp_end *t, bool on)
{
    struct epoll_event watch = { .events = on ? EPOLLIN : 0u, .data = { .ptr = &t->listen_fd } };
    if (on != t->listening && epoll_ctl(t->epoll_fd, EPOLL_CTL_MOD, t->listen_fd, &watch) == 0)
        t->listening = on;
}

static int start_listening(struct tcp_end *t)
{
    struct epoll_event watch = { .data = { .ptr = &t->listen_fd } };
    struct sockaddr_storage at;
    int result = kv_address_read(t->options.bind, &at);
    if (result != 0)
        return result;
    t->listen_fd = socket(at.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (t->listen_fd < 0 || (result = choose_cc(t, t->listen_fd)) != 0)
        return t->listen_fd < 0 ? -errno : result;
    if (setsockopt(t->listen_fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int)) != 0 ||
        bind(t->listen_fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(t->listen_fd, SOMAXCONN) != 0 ||
        epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, t->listen_fd, &watch) != 0)
        return -errno;
    watch_listener(t, true);
    return 0;
}

/* Shows before the first connection whether the kernel has the congestion control. */
static int try_cc(const struct tcp_end *t)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), result = fd < 0 ? -errno : choose_cc(t, fd);
    if (fd >= 0)
        (void)close(fd);
    return result;
}

static int prepare(struct tcp_end *t)
{
    struct epoll_event watch = { .events = EPOLLIN, .data = { .ptr = &t->wake_fd } };
    t->call = calloc(KV_CALLS_MAX + 1, sizeof(*t->call)); /* the first one is none: NO_CALL */
    t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    t->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (t->call == NULL || t->epoll_fd < 0 || t->wake_fd < 0 ||
        epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, t->wake_fd, &watch) != 0)
        return t->call == NULL ? -ENOMEM : -errno;
    for (uint32_t i = KV_CALLS_MAX; i > NO_CALL; i--) {
        t->call[i].next_free = t->free_call;
        t->free_call = i;
    }
    return 0;
}

static int open_end(void **self, const struct kv_options *options, const struct kv_handler *handler, char *why)
{
    struct tcp_end *t = calloc(1, sizeof(*t));
    const char *what = options->bind != NULL ? options->bind : "a socket";
    int result;
    if (t == NULL) {
        (void)snprintf(why, KV_WHY_MAX, "there is no memory");
        return -1;
    }
    *t = (struct tcp_end){ .handler = handler, .options = *options, .listen_fd = -1, .rx = { .most = KV_RX_BYTES } };
    result = prepare(t);
    if (result == 0 && (result = try_cc(t)) != 0)
        what = options->cc;
    else if (result == 0 && options->bind != NULL)
        result = start_listening(t);
    if (result != 0) {
        (void)snprintf(why, KV_WHY_MAX, "%s: %s", what, strerror(-result));
        close_end(t);
        return -1;
    }
    *self = t;
    return 0;
}

static int address(void *self, struct sockaddr_storage *at)
{
    socklen_t len = sizeof(*at);
    return getsockname(((struct tcp_end *)self)->listen_fd, (struct sockaddr *)at, &len) == 0 ? 0 : -errno;
}

static int add_server(void *self, const struct sockaddr_storage *at)
{
    struct tcp_end *t = self;
    t->server[t->servers++] = *at;
    return 0;
}

/* --- calls --- */

static int connect_to(struct tcp_end *t, uint32_t server, struct conn **conn)
{
    const struct sockaddr_storage *at = &t->server[server];
    int fd = socket(at->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), result;
    if (fd < 0)
        return -errno;
    result = choose_cc(t, fd);
    if (result == 0 && connect(fd, (const struct sockaddr *)at, sizeof(*at)) != 0 && errno != EINPROGRESS)
        result = -errno;
    *conn = result == 0 ? tcp_conn_new(t, fd, (int)server, true) : NULL;
    if (*conn == NULL)
        (void)close(fd);
    return result != 0 ? result : *conn == NULL ? -ENOMEM : 0;
}

/* Chooses the connection with the fewest calls. A short reply waits behind the long ones of its connection: a new one is made
 * while all are in use, up to --connections. */
static int choose_conn(struct tcp_end *t, uint32_t server, struct conn **conn)
{
    uint32_t count = 0;
    *conn = NULL;
    for (struct conn *c = t->conns; c != NULL; c = c->next) {
        if (c->server != (int)server || c->why != 0)
            continue;
        count++;
        if (*conn == NULL || c->calls < (*conn)->calls)
            *conn = c;
    }
    if (*conn != NULL && ((*conn)->calls == 0 || count >= t->options.connections))
        return 0;
    return connect_to(t, server, conn);
}

static void end_call(struct tcp_end *t, struct tcp_call *call, int result, const unsigned char *data, size_t bytes)
{
    assert(call->conn != NULL); /* it is in progress */
    *(call->older != NULL ? &call->older->newer : &t->oldest) = call->newer;
    *(call->newer != NULL ? &call->newer->older : &t->newest) = call->older;
    call->conn->calls--;
    call->conn = NULL;
    call->reused++; /* a reply that comes later has another number */
    call->next_free = t->free_call;
    t->free_call = (uint32_t)(call - t->call);
    t->handler->ended(t->handler->context, call->tag, result, data, bytes);
}

static int call_server(void *self, const struct kv_request *request)
{
    struct tcp_end *t = self;
    const uint32_t id = t->free_call;
    struct tcp_call *call = &t->call[id];
    unsigned char request_head[KV_HEAD_MAX];
    const size_t head_bytes = kv_write_head(request_head, request);
    struct frame_head head = { .kind = FRAME_REQUEST, .number = (uint64_t)call->reused << 32 | id };
    struct conn *conn;
    int result = id == NO_CALL ? -EAGAIN : choose_conn(t, request->server, &conn);
    if (result != 0)
        return result;
    assert(conn != NULL);
    head.bytes = (uint32_t)(head_bytes + (request->value != NULL ? request->value->bytes : 0));
    result = tcp_conn_send(conn, &head, request_head, head_bytes, request->value);
    if (result != 0)
        return result;
    t->free_call = call->next_free;
    call->conn = conn;
    conn->calls++;
    call->tag = request->tag;
    call->deadline_ns = kv_now_ns() + t->options.timeout_ns;
    call->newer = NULL;
    call->older = t->newest;
    *(t->newest != NULL ? &t->newest->newer : &t->oldest) = call;
    t->newest = call;
    return 0;
}

void tcp_take_frame(struct tcp_end *t, struct conn *c, const struct frame_head *head, const unsigned char *data)
{
    const struct frame_head reply = { .kind = FRAME_REPLY, .number = head->number };
    const uint32_t id = (uint32_t)head->number;
    if (c->server < 0 && head->kind == FRAME_REQUEST) {
        struct kv_value *value = NULL;
        struct frame_head answer = reply;
        answer.error = t->handler->called(t->handler->context, data, head->bytes, &value);
        answer.bytes = value != NULL ? (uint32_t)value->bytes : 0;
        if (tcp_conn_send(c, &answer, NULL, 0, value) != 0)
            c->why = -ENOMEM;
        kv_value_drop(value); /* the frame owns it */
    } else if (c->server < 0 || head->kind != FRAME_REPLY || id == NO_CALL || id > KV_CALLS_MAX) {
        c->why = -EPROTO;
    } else if (t->call[id].conn == c && t->call[id].reused == head->number >> 32) {
        end_call(t, &t->call[id], head->error, data, head->bytes);
    } /* else the call has passed its deadline */
}

/* --- progress --- */

static void take_connections(struct tcp_end *t)
{
    while (t->conn_count < KV_CLIENTS_MAX) {
        int fd = accept4(t->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
            return;
        if (fd < 0)
            break; /* no descriptors: not before a connection has ended */
        if (tcp_conn_new(t, fd, -1, false) == NULL)
            (void)close(fd);
    }
    watch_listener(t, false);
}

static void take_ready(struct tcp_end *t, struct conn *c, uint32_t events)
{
    int error = 0;
    socklen_t len = sizeof(error);
    if (c->connecting) {
        if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0 || error != 0)
            c->why = error != 0 ? -error : -errno;
        c->connecting = false;
    } else if ((events & ~(uint32_t)EPOLLOUT) != 0 && (c->watched & EPOLLIN) != 0) {
        tcp_conn_read(t, c);
    } else if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
        c->why = -ECONNRESET; /* it is not read from now, and would be ready for ever */
    }
    if (c->first != NULL)
        c->dirty = true;
}

/* Ends calls whose deadline has passed: all have the same time, so the oldest come first. */
static void expire(struct tcp_end *t, uint64_t now_ns)
{
    while (t->oldest != NULL && t->oldest->deadline_ns <= now_ns)
        end_call(t, t->oldest, -ETIMEDOUT, NULL, 0);
}

static void close_conn(struct tcp_end *t, struct conn *c)
{
    struct tcp_call *newer;
    for (struct tcp_call *call = t->oldest; call != NULL && c->calls > 0; call = newer) {
        newer = call->newer;
        if (call->conn == c)
            end_call(t, call, c->why, NULL, 0);
    }
    tcp_conn_free(t, c);
    if (t->listen_fd >= 0 && !t->finishing)
        watch_listener(t, true);
}

/* Sends what was submitted, and closes connections that have failed. Once a second, clients that hold memory for a frame whose
 * rest does not come are closed, too. */
static void visit(struct tcp_end *t, uint64_t now_ns)
{
    const bool sweep = now_ns - t->swept_ns >= KV_NS_PER_S, starved = t->starved;
    struct conn *next;
    t->starved = false;
    for (struct conn *c = t->conns; c != NULL; c = next) {
        next = c->next;
        tcp_conn_visit(t, c, starved);
        if (sweep && c->server < 0 && c->in_bytes > 0 && c->queued == 0 && now_ns - c->read_ns > t->options.timeout_ns)
            c->why = -ETIMEDOUT;
        if (c->why != 0)
            close_conn(t, c);
    }
    if (!sweep)
        return;
    t->swept_ns = now_ns;
    if (t->listen_fd >= 0 && !t->finishing && t->conn_count < KV_CLIENTS_MAX)
        watch_listener(t, true); /* it may have lacked descriptors */
}

/* Waits for a socket. @return 0 or a negative errno */
static int wait_for(struct tcp_end *t, int64_t timeout_ns, uint64_t now_ns)
{
    struct pollfd ready = { .fd = t->epoll_fd, .events = POLLIN };
    uint64_t ns = timeout_ns < 0 ? 3600 * KV_NS_PER_S : (uint64_t)timeout_ns;
    if (t->oldest != NULL) {
        uint64_t left = t->oldest->deadline_ns > now_ns ? t->oldest->deadline_ns - now_ns : 0;
        ns = left < ns ? left : ns;
    }
    if (t->listen_fd >= 0 && (t->conns != NULL || !t->listening))
        ns = ns < KV_NS_PER_S ? ns : KV_NS_PER_S; /* for the sweep */
    return ppoll(&ready, 1, &(struct timespec){ (time_t)(ns / KV_NS_PER_S), (long)(ns % KV_NS_PER_S) }, NULL) < 0 &&
                   errno != EINTR
               ? -errno
               : 0;
}

static int poll_end(void *self, int64_t timeout_ns)
{
    struct tcp_end *t = self;
    struct epoll_event event[READY];
    uint64_t wakes;
    int count, result;
    visit(t, kv_now_ns());
    result = wait_for(t, timeout_ns, kv_now_ns());
    count = epoll_wait(t->epoll_fd, event, READY, 0);
    for (int i = 0; i < count; i++) {
        if (event[i].data.ptr == &t->listen_fd)
            take_connections(t);
        else if (event[i].data.ptr == &t->wake_fd)
            (void)!read(t->wake_fd, &wakes, sizeof(wakes));
        else
            take_ready(t, event[i].data.ptr, event[i].events);
    }
    expire(t, kv_now_ns());
    visit(t, kv_now_ns());
    return result;
}

static void wake(void *self)
{
    (void)!write(((struct tcp_end *)self)->wake_fd, &(uint64_t){ 1 }, sizeof(uint64_t));
}

static bool finish(void *self)
{
    struct tcp_end *t = self;
    bool pending = t->oldest != NULL;
    if (!t->finishing && t->listen_fd >= 0)
        watch_listener(t, false);
    t->finishing = true;
    for (struct conn *c = t->conns; c != NULL; c = c->next) {
        tcp_conn_watch(t, c);
        pending = pending || c->first != NULL;
    }
    return pending;
}

static const char *why(int result)
{
    return strerror(-result);
}

const struct kv_transport kv_tcp = { .name = "tcp",
                                     .open = open_end,
                                     .address = address,
                                     .add_server = add_server,
                                     .call = call_server,
                                     .poll = poll_end,
                                     .wake = wake,
                                     .finish = finish,
                                     .close = close_end,
                                     .why = why };
