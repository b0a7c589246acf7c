/* bench/net_peers/peer_tcp.c - the kernel's TCP, as an application would use it: messages with a head of 16 bytes, TCP_NODELAY, one
 * connection for each client, epoll at the server, replies that are due together in one send. */
#define _GNU_SOURCE
#include "peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

struct head {
    uint32_t bytes; /* of the payload */
    uint32_t is_call;
    uint64_t slot;
};

enum {
    CONNECTIONS = 64,
    SPARE = 4096,
    CALL_BYTES = sizeof(struct head) + PEER_CALL_BYTES,
};

struct connection {
    int fd;
    uint32_t have; /* bytes at `in` */
    unsigned char *in;
};

static const struct peer_opts *o;
static struct connection connection[CONNECTIONS];
static uint32_t connections;
static int listener, epoll;
static size_t sent_bytes; /* of the message that is being sent */
static unsigned char out[PEER_DEPTH_MAX * CALL_BYTES];
static size_t out_bytes;

static uint32_t room(void)
{
    return (uint32_t)sizeof(struct head) + o->bytes + SPARE;
}

static void add_connection(int fd)
{
    struct connection *c = &connection[connections];
    int one = 1;
    if (connections == CONNECTIONS)
        peer_die("accept", "too many");
    *c = (struct connection){ .fd = fd, .in = malloc(room()) };
    if (c->in == NULL)
        peer_fail("memory");
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    connections++;
}

static void watch(int fd, uint32_t number)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = number };
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0)
        peer_fail("epoll");
}

static void tcp_open(const struct peer_opts *opts)
{
    struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(opts->port) };
    struct timeval nap = { .tv_usec = PEER_NAP_MS * 1000 };
    int one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    o = opts;
    if (fd < 0 || inet_pton(AF_INET, opts->address, &at.sin_addr) != 1)
        peer_fail("address");
    if (opts->role != PEER_SERVE) {
        if (connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
            peer_fail("connect");
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &nap, sizeof(nap));
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &nap, sizeof(nap));
        add_connection(fd);
        return;
    }
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, CONNECTIONS) != 0)
        peer_fail("listen");
    listener = fd;
    epoll = epoll_create1(EPOLL_CLOEXEC);
    watch(listener, CONNECTIONS);
}

/* Sends what is in `out`, all of it. */
static void flush_out(int fd)
{
    for (size_t done = 0; done < out_bytes;) {
        ssize_t n = send(fd, out + done, out_bytes - done, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN)
            peer_fail("send");
        done += n > 0 ? (size_t)n : 0;
    }
    out_bytes = 0;
}

static void put_call(const struct head *head, const void *payload, int fd)
{
    if (out_bytes == sizeof(out))
        flush_out(fd);
    memcpy(out + out_bytes, head, sizeof(*head));
    memcpy(out + out_bytes + sizeof(*head), payload, PEER_CALL_BYTES);
    out_bytes += CALL_BYTES;
}

static void start_call(uint32_t slot)
{
    struct head head = { .bytes = PEER_CALL_BYTES, .is_call = 1, .slot = slot };
    peer_call_begins(slot);
    put_call(&head, peer_message(), connection[0].fd);
}

static void take(struct connection *c, const struct head *head, const unsigned char *payload)
{
    if (o->role == PEER_SERVE && head->is_call) {
        put_call(head, payload, c->fd);
        peer_moved(head->bytes);
    } else if (head->is_call) {
        peer_call_ends((uint32_t)head->slot);
        start_call((uint32_t)head->slot);
    } else {
        peer_moved(head->bytes);
    }
}

/* Takes the messages that are whole, and moves what is left to the front. @return bytes taken */
static uint32_t take_all(struct connection *c)
{
    uint32_t at = 0;
    while (c->have - at >= sizeof(struct head)) {
        struct head head;
        memcpy(&head, c->in + at, sizeof(head));
        if (head.bytes > o->bytes)
            peer_die("message", "longer than agreed");
        if (c->have - at < sizeof(head) + head.bytes)
            break;
        take(c, &head, c->in + at + sizeof(head));
        at += (uint32_t)sizeof(head) + head.bytes;
    }
    c->have -= at;
    memmove(c->in, c->in + at, c->have);
    return at;
}

/* Reads once, and answers. @return false: the other end is gone */
static bool read_once(struct connection *c)
{
    ssize_t n = recv(c->fd, c->in + c->have, room() - c->have, 0);
    if (n == 0 || (n < 0 && errno == ECONNRESET))
        return false;
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        peer_fail("recv");
    c->have += n > 0 ? (uint32_t)n : 0;
    (void)take_all(c);
    if (out_bytes > 0)
        flush_out(c->fd);
    return true;
}

static void tcp_serve(void)
{
    struct epoll_event event[CONNECTIONS];
    int n = epoll_wait(epoll, event, CONNECTIONS, PEER_NAP_MS);
    for (int i = 0; i < n; i++) {
        if (event[i].data.u32 == CONNECTIONS) {
            add_connection(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
            watch(connection[connections - 1].fd, connections - 1);
        } else if (!read_once(&connection[event[i].data.u32])) {
            (void)close(connection[event[i].data.u32].fd);
        }
    }
}

static void tcp_send(void)
{
    struct head head = { .bytes = o->bytes };
    size_t skip = sent_bytes < sizeof(head) ? 0 : sent_bytes - sizeof(head);
    struct iovec iov[2] = { { (char *)&head + sent_bytes, sizeof(head) - sent_bytes },
                            { (char *)peer_message() + skip, o->bytes - skip } };
    bool in_head = sent_bytes < sizeof(head);
    struct msghdr msg = { .msg_iov = in_head ? iov : iov + 1, .msg_iovlen = in_head ? 2 : 1 };
    ssize_t n = sendmsg(connection[0].fd, &msg, MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN)
        peer_fail("send");
    sent_bytes += n > 0 ? (size_t)n : 0;
    if (sent_bytes == sizeof(head) + o->bytes) {
        sent_bytes = 0;
        peer_moved(o->bytes);
    }
}

static void tcp_call(void)
{
    static bool begun;
    for (uint32_t slot = 0; !begun && slot < o->depth; slot++)
        start_call(slot);
    if (!begun)
        flush_out(connection[0].fd);
    begun = true;
    if (!read_once(&connection[0]))
        peer_die("recv", "the server closed");
}

static const char *tcp_version(void)
{
    static char cc[32] = "?";
    socklen_t length = sizeof(cc) - 1;
    (void)getsockopt(o->role == PEER_SERVE ? listener : connection[0].fd, IPPROTO_TCP, TCP_CONGESTION, cc, &length);
    return cc;
}

const struct peer_ops peer_ops = {
    .name = "tcp", .open = tcp_open, .serve = tcp_serve, .send = tcp_send, .call = tcp_call, .version = tcp_version
};
