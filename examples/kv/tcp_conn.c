/* examples/kv/tcp_conn.c - a connection: frames out, frames in, and how much memory they may use. */
#define _GNU_SOURCE /* endian.h */
#include "tcp.h"
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

enum { FRAMES_AT_ONCE = 32 };

static void write_frame_head(unsigned char *to, const struct frame_head *head)
{
    const uint32_t bytes = htole32(head->bytes);
    const uint16_t kind = htole16((uint16_t)head->kind), error = htole16((uint16_t)head->error);
    const uint64_t number = htole64(head->number);
    memcpy(to, &bytes, 4);
    memcpy(to + 4, &kind, 2);
    memcpy(to + 6, &error, 2);
    memcpy(to + 8, &number, 8);
}

/* Reads a head, of any kind. @return false: no end of ours has sent this */
static bool read_frame_head(const unsigned char *from, struct frame_head *head)
{
    uint16_t kind, error;
    memcpy(&head->bytes, from, 4);
    memcpy(&kind, from + 4, 2);
    memcpy(&error, from + 6, 2);
    memcpy(&head->number, from + 8, 8);
    head->bytes = le32toh(head->bytes);
    head->kind = le16toh(kind);
    head->error = le16toh(error);
    head->number = le64toh(head->number);
    return head->bytes <= FRAME_MAX && head->error < KV_ERRORS;
}

struct conn *tcp_conn_new(struct tcp_end *t, int fd, int server, bool connecting)
{
    const unsigned timeout_ms = (unsigned)(t->options.timeout_ns / 1000000);
    struct conn *c = calloc(1, sizeof(*c));
    struct epoll_event watch = { .data = { .ptr = c } };
    if (c == NULL || (c->in = malloc(BUFFER_BYTES)) == NULL ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){ 1 }, sizeof(int)) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout_ms, sizeof(timeout_ms)) != 0 ||
        epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &watch) != 0) {
        if (c != NULL)
            free(c->in);
        free(c);
        return NULL;
    }
    c->fd = fd;
    c->server = server;
    c->connecting = connecting;
    c->in_room = BUFFER_BYTES;
    c->last = &c->first;
    c->read_ns = kv_now_ns();
    c->next = t->conns;
    if (c->next != NULL)
        c->next->prev = c;
    t->conns = c;
    t->conn_count++;
    tcp_conn_watch(t, c);
    return c;
}

static void drop_first(struct conn *c)
{
    struct out *out = c->first;
    c->first = out->next;
    if (c->first == NULL)
        c->last = &c->first;
    c->queued--;
    kv_value_drop(out->value);
    free(out);
}

/* Changes the size of the buffer for what arrives. @return false: no memory, or not now */
static bool resize(struct tcp_end *t, struct conn *c, size_t room)
{
    unsigned char *in;
    t->rx.used -= c->in_room - BUFFER_BYTES;
    in = room - BUFFER_BYTES <= t->rx.most - t->rx.used ? realloc(c->in, room) : NULL;
    if (in != NULL) {
        c->in = in;
        c->in_room = room;
    }
    t->rx.used += c->in_room - BUFFER_BYTES;
    return in != NULL;
}

void tcp_conn_free(struct tcp_end *t, struct conn *c)
{
    t->rx.used -= c->in_room - BUFFER_BYTES;
    while (c->first != NULL)
        drop_first(c);
    if (c->next != NULL)
        c->next->prev = c->prev;
    *(c->prev != NULL ? &c->prev->next : &t->conns) = c->next;
    t->conn_count--;
    (void)close(c->fd); /* epoll forgets it by that */
    free(c->in);
    free(c);
}

/* Returns whether another frame may be taken: a client that does not read its replies has to wait. */
static bool may_take(const struct conn *c)
{
    return c->server >= 0 || c->queued < QUEUE_MAX;
}

void tcp_conn_watch(struct tcp_end *t, struct conn *c)
{
    const bool reads = !c->connecting && !(t->finishing && c->server < 0) && c->in_bytes < c->in_room && may_take(c);
    const uint32_t events = (reads ? EPOLLIN : 0u) | (c->connecting || c->first != NULL ? EPOLLOUT : 0u);
    struct epoll_event watch = { .events = events, .data = { .ptr = c } };
    if (events != c->watched && epoll_ctl(t->epoll_fd, EPOLL_CTL_MOD, c->fd, &watch) != 0)
        c->why = -errno;
    c->watched = events;
}

int tcp_conn_send(struct conn *c, const struct frame_head *head, const unsigned char *request_head, size_t head_bytes,
                  struct kv_value *value)
{
    struct out *out = malloc(sizeof(*out));
    if (out == NULL)
        return -ENOMEM;
    out->next = NULL;
    out->value = kv_value_own(value);
    out->sent = 0;
    out->head_bytes = FRAME_HEAD + head_bytes;
    write_frame_head(out->head, head);
    if (head_bytes > 0)
        memcpy(out->head + FRAME_HEAD, request_head, head_bytes);
    *c->last = out;
    c->last = &out->next;
    c->queued++;
    c->dirty = true;
    return 0;
}

/* Lists the parts of a frame that were not sent yet. @return how many */
static int parts_of(struct out *out, struct iovec *part)
{
    const size_t value_bytes = out->value != NULL ? out->value->bytes : 0;
    int count = 0;
    if (out->sent < out->head_bytes)
        part[count++] = (struct iovec){ out->head + out->sent, out->head_bytes - out->sent };
    if (value_bytes > 0) {
        size_t from = out->sent > out->head_bytes ? out->sent - out->head_bytes : 0;
        part[count++] = (struct iovec){ out->value->data + from, value_bytes - from };
    }
    return count;
}

/* Counts bytes as sent, and frees the frames that are sent completely. */
static void advance(struct conn *c, size_t bytes)
{
    while (c->first != NULL) {
        struct out *out = c->first;
        size_t left = out->head_bytes + (out->value != NULL ? out->value->bytes : 0) - out->sent;
        if (bytes < left) {
            out->sent += bytes;
            return;
        }
        bytes -= left;
        drop_first(c);
    }
}

/* Sends what the socket takes. */
static void write_frames(struct conn *c)
{
    c->dirty = false;
    while (c->first != NULL && !c->connecting && c->why == 0) {
        struct iovec part[2 * FRAMES_AT_ONCE];
        struct msghdr message = { .msg_iov = part };
        int frames = 0;
        ssize_t sent;
        for (struct out *out = c->first; out != NULL && frames < FRAMES_AT_ONCE; out = out->next, frames++)
            message.msg_iovlen += (size_t)parts_of(out, part + message.msg_iovlen);
        sent = sendmsg(c->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
            c->why = -errno;
        if (sent < 0)
            break;
        advance(c, (size_t)sent);
    }
}

/* Makes room for a frame that is larger than the buffer. @return false: it has to wait until others have freed memory */
static bool make_room(struct tcp_end *t, struct conn *c, size_t bytes)
{
    if (bytes <= c->in_room)
        return true;
    if (resize(t, c, bytes))
        return true;
    t->starved = true;
    return false;
}

/* Takes the frames that are complete. */
static void take(struct tcp_end *t, struct conn *c)
{
    struct frame_head head;
    size_t at = 0;
    while (c->why == 0 && c->in_bytes - at >= FRAME_HEAD && may_take(c)) {
        if (!read_frame_head(c->in + at, &head)) {
            c->why = -EPROTO;
            return;
        }
        if (c->in_bytes - at < FRAME_HEAD + head.bytes)
            break;
        tcp_take_frame(t, c, &head, c->in + at + FRAME_HEAD);
        at += FRAME_HEAD + head.bytes;
    }
    c->held = c->in_bytes - at >= FRAME_HEAD && !may_take(c);
    c->in_bytes -= at;
    memmove(c->in, c->in + at, c->in_bytes);
    if (c->in_room > BUFFER_BYTES && c->in_bytes <= BUFFER_BYTES &&
        (c->in_bytes < FRAME_HEAD || !read_frame_head(c->in, &head) || FRAME_HEAD + head.bytes <= BUFFER_BYTES))
        (void)resize(t, c, BUFFER_BYTES);
    if (c->in_bytes >= FRAME_HEAD && read_frame_head(c->in, &head))
        (void)make_room(t, c, FRAME_HEAD + head.bytes);
}

void tcp_conn_visit(struct tcp_end *t, struct conn *c, bool starved)
{
    bool again;
    do {
        if (c->dirty)
            write_frames(c);
        again = c->why == 0 && (c->held || starved) && may_take(c);
        if (again)
            take(t, c); /* there may be memory, or room for replies, now */
    } while (again && c->dirty && c->why == 0);
    if (c->why == 0)
        tcp_conn_watch(t, c);
}

void tcp_conn_read(struct tcp_end *t, struct conn *c)
{
    for (int i = 0; i < READS_MAX && c->why == 0 && c->in_bytes < c->in_room; i++) {
        const size_t room = c->in_room - c->in_bytes;
        ssize_t got = read(c->fd, c->in + c->in_bytes, room);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            break;
        if (got <= 0) {
            c->why = got == 0 ? -ECONNRESET : -errno;
            break;
        }
        c->in_bytes += (size_t)got;
        c->read_ns = kv_now_ns();
        take(t, c);
        if ((size_t)got < room)
            break; /* that was all */
    }
    tcp_conn_watch(t, c);
}
