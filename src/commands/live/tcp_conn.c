/* src/commands/live/tcp_conn.c - one TCP connection: writes frames, reads frames, and its end. */
#define _GNU_SOURCE /* SOCK_NONBLOCK, struct tcp_info */
#include "live/tcp.h"
#include "core/units.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* WRITE_FRAMES: most frames of one sendmsg(). READS: most readv() calls per poll of a connection, so that it does not
 * starve others. */
enum { WRITE_FRAMES = 32, READS = 16 };

int weir_tcp_choose_cc(int fd, const char *name)
{
    if (name == NULL)
        return 0;
    return setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) == 0 ? 0 : -errno;
}

/* --- buffers: powers of two, kept for the next message --- */

static unsigned char *buffer_new(struct weir_tcp *t, uint64_t bytes)
{
    uint32_t class_id = bytes <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(bytes - 1);
    struct weir_tcp_buffer *buffer = t->free_buffer[class_id];
    if (buffer != NULL) {
        t->free_buffer[class_id] = buffer->next;
    } else {
        buffer = malloc(sizeof(*buffer) + ((size_t)1 << class_id));
        if (buffer == NULL)
            return NULL;
        buffer->class_id = class_id;
        t->stats.allocations++;
    }
    t->stats.rx_bytes_held += (uint64_t)1 << class_id;
    return (unsigned char *)(buffer + 1);
}

void weir_tcp_buffer_free(struct weir_tcp *t, void *data)
{
    struct weir_tcp_buffer *buffer;
    if (data == NULL)
        return;
    buffer = (struct weir_tcp_buffer *)data - 1;
    t->stats.rx_bytes_held -= (uint64_t)1 << buffer->class_id;
    buffer->next = t->free_buffer[buffer->class_id];
    t->free_buffer[buffer->class_id] = buffer;
}

/* --- connections --- */

static void conn_link(struct weir_tcp *t, struct weir_tcp_conn *conn)
{
    conn->next = t->conns;
    if (t->conns != NULL)
        t->conns->prev = conn;
    t->conns = conn;
}

static void conn_unlink(struct weir_tcp *t, struct weir_tcp_conn *conn)
{
    if (conn->prev != NULL)
        conn->prev->next = conn->next;
    else
        t->conns = conn->next;
    if (conn->next != NULL)
        conn->next->prev = conn->prev;
}

int weir_tcp_conn_new(struct weir_tcp *t, int fd, struct weir_tcp_peer *peer, struct weir_tcp_conn **out)
{
    const unsigned timeout_ms = (unsigned)(t->args->timeout_ps / WEIR_PS_PER_MS);
    struct weir_tcp_conn *conn = calloc(1, sizeof(*conn));
    struct epoll_event watch = { .events = EPOLLIN, .data = { .ptr = conn } };
    if (conn == NULL || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int)) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms)) != 0 ||
        epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &watch) != 0) {
        int why = conn == NULL ? ENOMEM : errno;
        free(conn);
        (void)close(fd);
        return -why;
    }
    conn->fd = fd;
    conn->peer = peer;
    conn->events = EPOLLIN;
    conn_link(t, conn);
    t->stats.handshakes++;
    t->stats.peers++;
    *out = conn;
    return 0;
}

/* Binds a socket to the address of --bind, if that was given. @return 0 or a negative errno */
static int bind_source(const struct weir_tcp *t, int fd)
{
    if (t->bind.ss_family == 0)
        return 0;
    return bind(fd, (const struct sockaddr *)&t->bind, t->bind_len) == 0 ? 0 : -errno;
}

static int conn_open(struct weir_tcp *t, struct weir_tcp_peer *peer, struct weir_tcp_conn **conn)
{
    int fd = socket(peer->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), code;
    if (fd < 0)
        return -errno;
    code = weir_tcp_choose_cc(fd, t->args->tcp_cc);
    code = code == 0 ? bind_source(t, fd) : code;
    if (code != 0) {
        (void)close(fd);
        return code;
    }
    code = weir_tcp_conn_new(t, fd, peer, conn);
    if (code != 0 || *conn == NULL)
        return code;
    (*conn)->connecting_until_ns = weir_wall_ns() + t->args->timeout_ps / WEIR_PS_PER_NS;
    t->connecting++;
    if (connect(fd, (const struct sockaddr *)&peer->addr, peer->len) != 0 && errno != EINPROGRESS)
        weir_tcp_conn_fail(t, *conn, -EHOSTUNREACH); /* the operation is accepted; its event has the failure */
    weir_tcp_conn_watch(t, *conn);
    return 0;
}

/* Prefers an idle connection, then a new one, then the one that waits for the fewest answers. */
int weir_tcp_conn_to(struct weir_tcp *t, struct weir_tcp_peer *peer, struct weir_tcp_conn **out)
{
    struct weir_tcp_conn *best = NULL, **vacant = NULL;
    for (uint32_t i = 0; i < t->connections; i++) {
        struct weir_tcp_conn *conn = peer->conn[i];
        if (conn == NULL)
            vacant = vacant == NULL ? &peer->conn[i] : vacant;
        else if (best == NULL || conn->pending < best->pending)
            best = conn;
    }
    if (vacant != NULL && (best == NULL || best->pending > 0)) {
        int code = conn_open(t, peer, vacant);
        if (code != 0)
            return code;
        best = *vacant;
    }
    *out = best;
    return 0;
}

void weir_tcp_conn_fail(struct weir_tcp *t, struct weir_tcp_conn *conn, int why)
{
    conn->why = conn->why == 0 ? why : conn->why;
    t->failing = true;
}

static uint8_t event_of(enum weir_tcp_kind kind)
{
    return kind == WEIR_TCP_MESSAGE ? WEIR_EV_SENT : kind == WEIR_TCP_CALL ? WEIR_EV_REPLY : WEIR_EV_REPLIED;
}

static void end_operations(struct weir_tcp *t, const struct weir_tcp_conn *conn, int result)
{
    for (uint32_t i = 0; i < t->ops.used; i++) {
        struct weir_tcp_op *op = &t->ops.row[i];
        if (op->conn != conn)
            continue;
        if (!op->silent)
            weir_tcp_event(
                t, &(struct weir_event){ .type = event_of(op->kind), .result = result, .user_data = op->user_data });
        weir_tcp_op_free(&t->ops, op);
    }
    for (uint32_t i = 0; i < t->rpcs.used; i++)
        if (t->rpcs.row[i].conn == conn)
            weir_tcp_op_free(&t->rpcs, &t->rpcs.row[i]);
}

static void drop_out(struct weir_tcp *t, struct weir_tcp_conn *conn, int result)
{
    struct weir_tcp_out *out = conn->out;
    conn->out = out->next;
    if (out->head[0] == WEIR_TCP_REPLY)
        weir_tcp_event(t,
                       &(struct weir_event){ .type = WEIR_EV_REPLIED, .result = result, .user_data = out->user_data });
    out->next = t->free_out;
    t->free_out = out;
    t->outs--;
}

void weir_tcp_conn_close(struct weir_tcp *t, struct weir_tcp_conn *conn, int result)
{
    struct tcp_info info = { 0 };
    socklen_t len = sizeof(info);
    if (getsockopt(conn->fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0)
        t->stats.retransmissions += info.tcpi_total_retrans;
    while (conn->out != NULL)
        drop_out(t, conn, result);
    end_operations(t, conn, result);
    if (conn->peer != NULL)
        for (uint32_t i = 0; i < t->connections; i++)
            if (conn->peer->conn[i] == conn)
                conn->peer->conn[i] = NULL;
    t->connecting -= conn->connecting_until_ns != 0;
    t->stats.peers--;
    weir_tcp_buffer_free(t, conn->body);
    conn_unlink(t, conn);
    (void)close(conn->fd); /* also removes it from epoll */
    free(conn);
}

void weir_tcp_conn_watch(struct weir_tcp *t, struct weir_tcp_conn *conn)
{
    uint32_t events =
        (conn->halted ? 0u : EPOLLIN) | (conn->connecting_until_ns != 0 || conn->out != NULL ? (uint32_t)EPOLLOUT : 0u);
    struct epoll_event watch = { .events = events, .data = { .ptr = conn } };
    if (events == conn->events)
        return;
    conn->events = events;
    t->stats.syscalls++;
    if (epoll_ctl(t->epoll_fd, EPOLL_CTL_MOD, conn->fd, &watch) != 0)
        weir_tcp_conn_fail(t, conn, -errno);
}

/* --- out --- */

static void head_write(unsigned char *head, enum weir_tcp_kind kind, uint64_t length, uint64_t id)
{
    head[0] = (unsigned char)kind;
    for (int i = 1; i < 8; i++)
        head[i] = (unsigned char)(length >> (56 - 8 * i));
    for (int i = 0; i < 8; i++)
        head[8 + i] = (unsigned char)(id >> (56 - 8 * i));
}

static uint64_t big_endian(const unsigned char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

int weir_tcp_conn_put(struct weir_tcp *t, struct weir_tcp_conn *conn, enum weir_tcp_kind kind, uint64_t id,
                      const struct iovec *data, uint64_t user_data)
{
    struct weir_tcp_out *out = t->free_out;
    if (out != NULL)
        t->free_out = out->next;
    else if ((out = malloc(sizeof(*out))) == NULL)
        return -ENOMEM;
    *out = (struct weir_tcp_out){ .data = data->iov_base,
                                  .length = WEIR_TCP_HEAD_BYTES + data->iov_len,
                                  .user_data = user_data };
    head_write(out->head, kind, data->iov_len, id);
    t->outs++;
    if (conn->out != NULL) {
        conn->out_last->next = out;
        conn->out_last = out;
        return 0; /* earlier frames wait for the kernel */
    }
    conn->out = conn->out_last = out;
    if (conn->connecting_until_ns == 0 && !conn->corked)
        weir_tcp_conn_write(t, conn);
    return 0;
}

/* Writes the unsent rest of a frame to iov as header and body, without empty parts. @return the number of parts, 0
 * .. 2 */
static int iov_of(const struct weir_tcp_out *out, struct iovec *iov)
{
    int count = 0;
    size_t body = out->sent > WEIR_TCP_HEAD_BYTES ? out->sent - WEIR_TCP_HEAD_BYTES : 0;
    if (out->sent < WEIR_TCP_HEAD_BYTES)
        iov[count++] = (struct iovec){ (void *)(uintptr_t)(out->head + out->sent), WEIR_TCP_HEAD_BYTES - out->sent };
    if (out->length > WEIR_TCP_HEAD_BYTES + body)
        iov[count++] =
            (struct iovec){ (void *)(uintptr_t)(out->data + body), out->length - WEIR_TCP_HEAD_BYTES - body };
    return count;
}

static void count_sent(struct weir_tcp *t, struct weir_tcp_conn *conn, size_t bytes)
{
    while (conn->out != NULL) {
        struct weir_tcp_out *out = conn->out;
        size_t step = out->length - out->sent < bytes ? out->length - out->sent : bytes;
        out->sent += step;
        bytes -= step;
        if (out->sent < out->length)
            return;
        t->stats.bytes_sent += out->length - WEIR_TCP_HEAD_BYTES;
        t->stats.messages_sent += out->head[0] != WEIR_TCP_DONE;
        drop_out(t, conn, 0);
    }
}

void weir_tcp_conn_write(struct weir_tcp *t, struct weir_tcp_conn *conn)
{
    while (conn->out != NULL && conn->why == 0) {
        struct iovec iov[2 * WRITE_FRAMES];
        struct msghdr message = { .msg_iov = iov };
        ssize_t bytes;
        for (struct weir_tcp_out *out = conn->out; out != NULL && message.msg_iovlen + 2 <= (size_t)2 * WRITE_FRAMES;
             out = out->next)
            message.msg_iovlen += (size_t)iov_of(out, iov + message.msg_iovlen);
        bytes = sendmsg(conn->fd, &message, MSG_NOSIGNAL);
        t->stats.syscalls++;
        if (bytes < 0 && errno != EAGAIN && errno != EINTR)
            weir_tcp_conn_fail(t, conn, errno == ETIMEDOUT ? -ETIMEDOUT : -ECONNRESET);
        if (bytes < 0) {
            t->stats.send_blocked += errno == EAGAIN;
            break;
        }
        count_sent(t, conn, (size_t)bytes);
    }
    weir_tcp_conn_watch(t, conn);
}

/* --- in --- */

/* Queues the event of a one-way message or of a call; also answers a one-way message by DONE. If that fails, marks the
 * connection as failed. */
static void deliver_new(struct weir_tcp *t, struct weir_tcp_conn *conn, enum weir_tcp_kind kind, uint64_t id)
{
    struct weir_event event = { .type = kind == WEIR_TCP_CALL ? WEIR_EV_CALL : WEIR_EV_MESSAGE,
                                .data = conn->body,
                                .len = conn->body_bytes,
                                .lease = conn->body };
    if (kind == WEIR_TCP_CALL) {
        struct weir_tcp_op *rpc = weir_tcp_op_take(&t->rpcs);
        if (rpc == NULL) { /* more calls than any of the tools makes */
            weir_tcp_conn_fail(t, conn, -ECONNRESET);
            return;
        }
        event.rpc = (uint64_t)++rpc->uses << 32 | (uint64_t)(rpc - t->rpcs.row + 1);
        rpc->conn = conn;
        rpc->id = id;
        rpc->user_data = event.rpc;
    } else if (weir_tcp_conn_put(t, conn, WEIR_TCP_DONE, id, &(struct iovec){ NULL, 0 }, 0) != 0) {
        weir_tcp_conn_fail(t, conn, -ENOMEM);
        return;
    }
    t->stats.messages_received++;
    t->stats.bytes_received += conn->body_bytes;
    weir_tcp_event(t, &event);
    conn->body = NULL;
}

/* Queues the event of an answer to one of our messages or calls, unless the operation was cancelled, and frees the
 * operation. An answer that no operation expects fails the connection. */
static void deliver_answer(struct weir_tcp *t, struct weir_tcp_conn *conn, enum weir_tcp_kind kind, uint64_t id)
{
    struct weir_tcp_op *op = (uint32_t)id < t->ops.used ? &t->ops.row[(uint32_t)id] : NULL;
    struct weir_event event = { .type = kind == WEIR_TCP_DONE ? WEIR_EV_SENT : WEIR_EV_REPLY };
    if (op == NULL || op->conn != conn || op->id != id || event_of(op->kind) != event.type) {
        weir_tcp_conn_fail(t, conn, -EPROTO);
        return;
    }
    conn->pending--;
    if (!op->silent) {
        event.user_data = op->user_data;
        event.data = conn->body;
        event.len = conn->body_bytes;
        event.lease = conn->body;
        conn->body = NULL;
        weir_tcp_event(t, &event);
    }
    if (kind == WEIR_TCP_REPLY) {
        t->stats.messages_received++;
        t->stats.bytes_received += conn->body_bytes;
    }
    weir_tcp_op_free(&t->ops, op);
}

static void frame_complete(struct weir_tcp *t, struct weir_tcp_conn *conn)
{
    enum weir_tcp_kind kind = (enum weir_tcp_kind)conn->head[0];
    uint64_t id = big_endian(conn->head + 8, 8);
    if (kind == WEIR_TCP_MESSAGE || kind == WEIR_TCP_CALL)
        deliver_new(t, conn, kind, id);
    else
        deliver_answer(t, conn, kind, id);
    weir_tcp_buffer_free(t, conn->body);
    conn->body = NULL;
    conn->head_have = 0;
}

static void head_complete(struct weir_tcp *t, struct weir_tcp_conn *conn)
{
    conn->body_bytes = big_endian(conn->head + 1, 7);
    conn->body_have = 0;
    if (conn->head[0] < WEIR_TCP_MESSAGE || conn->head[0] > WEIR_TCP_DONE || conn->body_bytes > WEIR_LIVE_MESSAGE_MAX ||
        (conn->head[0] == WEIR_TCP_DONE && conn->body_bytes > 0)) {
        weir_tcp_conn_fail(t, conn, -EPROTO);
        t->stats.refused_packets++;
        return;
    }
    if (conn->body_bytes > 0) {
        conn->body = buffer_new(t, conn->body_bytes);
        if (conn->body == NULL)
            weir_tcp_conn_fail(t, conn, -ENOMEM);
    } else {
        frame_complete(t, conn);
    }
}

/* Processes the next part of bytes that were read: of the frame's header, or of its body. @return the length of the
 * part */
static size_t take_part(struct weir_tcp *t, struct weir_tcp_conn *conn, const unsigned char *bytes, size_t count)
{
    size_t want;
    if (conn->head_have < WEIR_TCP_HEAD_BYTES) {
        want = WEIR_TCP_HEAD_BYTES - conn->head_have;
        want = want < count ? want : count;
        memcpy(conn->head + conn->head_have, bytes, want);
        conn->head_have += (uint32_t)want;
        if (conn->head_have == WEIR_TCP_HEAD_BYTES)
            head_complete(t, conn);
        return want;
    }
    want = conn->body_bytes - conn->body_have;
    want = want < count ? want : count;
    memcpy(conn->body + conn->body_have, bytes, want);
    conn->body_have += want;
    if (conn->body_have == conn->body_bytes)
        frame_complete(t, conn);
    return want;
}

/* Returns how many bytes may be read into scratch. While shutting down, nothing may be read that will not be
 * acknowledged: then only the rest of a header is read. */
static size_t scratch_bytes(const struct weir_tcp *t, const struct weir_tcp_conn *conn)
{
    if (!t->shutting)
        return sizeof(t->scratch);
    return conn->body == NULL ? WEIR_TCP_HEAD_BYTES - conn->head_have : 0;
}

/**
 * Reads once. The missing bytes of the present frame's body go straight into its buffer. Bytes after that body go to
 * scratch, and are processed.
 * @return false = there is nothing more to read now, or the connection has failed
 */
static bool read_once(struct weir_tcp *t, struct weir_tcp_conn *conn)
{
    size_t direct = conn->body != NULL ? conn->body_bytes - conn->body_have : 0, at = 0, rest;
    struct iovec iov[2] = { { conn->body != NULL ? conn->body + conn->body_have : NULL, direct },
                            { t->scratch, scratch_bytes(t, conn) } };
    ssize_t bytes = readv(conn->fd, direct > 0 ? iov : iov + 1, direct > 0 ? 2 : 1);
    t->stats.syscalls++;
    if (bytes == 0 || (bytes < 0 && errno != EAGAIN && errno != EINTR))
        weir_tcp_conn_fail(t, conn, bytes < 0 && errno == ETIMEDOUT ? -ETIMEDOUT : -ECONNRESET);
    if (bytes <= 0)
        return false;
    rest = (size_t)bytes > direct ? (size_t)bytes - direct : 0;
    if (direct > 0) {
        conn->body_have += (size_t)bytes - rest;
        if (conn->body_have == conn->body_bytes)
            frame_complete(t, conn);
    }
    while (at < rest && conn->why == 0)
        at += take_part(t, conn, t->scratch + at, rest - at);
    return (size_t)bytes == direct + iov[1].iov_len;
}

/* Tests whether more may be read. While shutting down, only answers to our own operations are read, and the rest of a
 * frame that has begun. */
static bool may_read(const struct weir_tcp *t, const struct weir_tcp_conn *conn)
{
    return conn->why == 0 && (!t->shutting || conn->head_have > 0 || conn->pending > 0);
}

void weir_tcp_conn_read(struct weir_tcp *t, struct weir_tcp_conn *conn)
{
    bool more = true;
    conn->corked = true;
    for (int i = 0; i < READS && more && may_read(t, conn); i++)
        more = read_once(t, conn);
    conn->corked = false;
    conn->halted = conn->why == 0 && !may_read(t, conn);
    weir_tcp_conn_write(t, conn);
}
