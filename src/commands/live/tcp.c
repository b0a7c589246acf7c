/* src/commands/live/tcp.c - the transport over the kernel's TCP: its ops table, and the operations. */
#define _GNU_SOURCE /* SOCK_NONBLOCK, struct tcp_info */
#include "live/tcp.h"
#include "core/math.h"
#include "core/units.h"
#include "driver/net.h"
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { BACKLOG = 1024, LINGER_MS = 1000, EVENTS_FIRST = 256 };
#define RATE_BPS UINT64_C(10000000000) /* default rate of the link, as weir_opts.rate_bps */
#define MTU 1500u                      /* largest MTU that is taken from a device, as in libweir */
#define SIRD_HEADS 68u                 /* headers of IPv4, UDP and Weir: size groups are the same for both transports */

/* --- tables --- */

struct weir_tcp_op *weir_tcp_op_take(struct weir_tcp_ops *ops)
{
    uint32_t i = ops->free;
    if (i == 0 && ops->used == WEIR_LIVE_OPS_MAX)
        return NULL;
    ops->count++;
    if (i == 0)
        return &ops->row[ops->used++];
    ops->free = ops->row[i - 1].next_free;
    return &ops->row[i - 1];
}

void weir_tcp_op_free(struct weir_tcp_ops *ops, struct weir_tcp_op *op)
{
    *op = (struct weir_tcp_op){ .uses = op->uses, .next_free = ops->free };
    ops->free = (uint32_t)(op - ops->row) + 1;
    ops->count--;
}

static bool grow(struct weir_tcp *t)
{
    uint32_t room = 2 * t->event_room;
    struct weir_event *event = malloc(room * sizeof(*event));
    if (event == NULL)
        return false;
    for (uint32_t i = 0; i < t->event_count; i++)
        event[i] = t->event[(t->event_first + i) % t->event_room];
    free(t->event);
    t->event = event;
    t->event_room = room;
    t->event_first = 0;
    t->stats.allocations++;
    return true;
}

void weir_tcp_event(struct weir_tcp *t, const struct weir_event *event)
{
    if (t->event_count == t->event_room && !grow(t)) {
        t->no_memory = true; /* the next poll fails with -ENOMEM */
        return;
    }
    t->event[(t->event_first + t->event_count++) % t->event_room] = *event;
}

/* --- opening --- */

static int open_failed(const char *what, int why, struct weir_err *err)
{
    const char *hint = why == EADDRINUSE ? "another program has the port: choose another with --bind" : NULL;
    return weir_fail(err, why == ENOMEM ? WEIR_E_MEMORY : WEIR_E_CONFLICT, NULL, hint, "%s: %s", what, strerror(why));
}

static int check_cc(const char *name, struct weir_err *err)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int result = fd < 0 ? -errno : weir_tcp_choose_cc(fd, name);
    if (fd >= 0)
        (void)close(fd);
    if (result == -EPERM)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "root may put it into net.ipv4.tcp_allowed_congestion_control",
                         "--tcp-cc %.40s: the kernel does not allow it to this user", name);
    if (result == -ENOENT)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, "sysctl net.ipv4.tcp_available_congestion_control says what it has",
                         "--tcp-cc %.40s: the kernel does not have it", name);
    return result == 0 ? 0 : open_failed("--tcp-cc", -result, err);
}

static int open_listener(struct weir_tcp *t, struct weir_err *err)
{
    struct epoll_event watch = { .events = EPOLLIN, .data = { .ptr = NULL } };
    const char *what = t->args->bind != NULL ? t->args->bind : "listening";
    if (t->bind.ss_family == 0) { /* any address, a free port */
        t->bind.ss_family = AF_INET;
        t->bind_len = sizeof(struct sockaddr_in);
    }
    t->listen_fd = socket(t->bind.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (t->listen_fd < 0 || setsockopt(t->listen_fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int)) != 0 ||
        weir_tcp_choose_cc(t->listen_fd, t->args->tcp_cc) != 0 ||
        bind(t->listen_fd, (const struct sockaddr *)&t->bind, t->bind_len) != 0 || listen(t->listen_fd, BACKLOG) != 0 ||
        epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, t->listen_fd, &watch) != 0)
        return open_failed(what, errno, err);
    return 0;
}

static int open_parts(struct weir_tcp *t, struct weir_err *err)
{
    struct weir_net_addr addr;
    t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (t->epoll_fd < 0)
        return open_failed("epoll", errno, err);
    t->event = malloc(EVENTS_FIRST * sizeof(*t->event));
    t->ops.row = calloc(WEIR_LIVE_OPS_MAX, sizeof(*t->ops.row));
    t->rpcs.row = calloc(WEIR_LIVE_OPS_MAX, sizeof(*t->rpcs.row));
    if (t->event == NULL || t->ops.row == NULL || t->rpcs.row == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to begin with");
    t->event_room = EVENTS_FIRST;
    if (t->args->bind != NULL) {
        if (weir_net_addr_parse(t->args->bind, &addr) != 0)
            return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example --bind 10.0.0.1:7000, [::1]:7000 or :7000",
                             "--bind %.80s: must be ADDRESS:PORT", t->args->bind);
        t->bind_len = weir_net_addr_to(&addr, &t->bind);
    }
    if (t->args->tcp_cc != NULL) {
        int code = check_cc(t->args->tcp_cc, err);
        if (code != 0)
            return code;
    }
    return t->args->listens ? open_listener(t, err) : 0;
}

static void tcp_free(struct weir_tcp *t)
{
    for (struct weir_tcp_peer *peer = t->peers, *next; peer != NULL; peer = next) {
        next = peer->next;
        free(peer);
    }
    for (struct weir_tcp_out *out = t->free_out, *next; out != NULL; out = next) {
        next = out->next;
        free(out);
    }
    for (uint32_t i = 0; i < WEIR_TCP_CLASSES; i++) {
        for (struct weir_tcp_buffer *buffer = t->free_buffer[i], *next; buffer != NULL; buffer = next) {
            next = buffer->next;
            free(buffer);
        }
    }
    if (t->listen_fd >= 0)
        (void)close(t->listen_fd);
    if (t->epoll_fd >= 0)
        (void)close(t->epoll_fd);
    free(t->event);
    free(t->ops.row);
    free(t->rpcs.row);
    free(t);
}

static int tcp_open(void **self, const struct weir_live_args *args, struct weir_err *err)
{
    struct weir_tcp *t = calloc(1, sizeof(*t));
    int code;
    if (t == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to begin with");
    t->args = args;
    t->epoll_fd = t->listen_fd = -1;
    t->connections = args->tcp_connections != 0 ? args->tcp_connections : 1;
    code = open_parts(t, err);
    if (code != 0) {
        tcp_free(t);
        return code;
    }
    *self = t;
    return 0;
}

/* --- operations --- */

static int tcp_peer(void *self, const struct sockaddr *addr, socklen_t len, void **out)
{
    struct weir_tcp *t = self;
    struct weir_tcp_peer *peer;
    if (len > sizeof(peer->addr))
        return -EINVAL;
    for (peer = t->peers; peer != NULL; peer = peer->next)
        if (peer->len == len && memcmp(&peer->addr, addr, len) == 0)
            break;
    if (peer == NULL) {
        peer = calloc(1, sizeof(*peer) + t->connections * sizeof(struct weir_tcp_conn *));
        if (peer == NULL)
            return -ENOMEM;
        memcpy(&peer->addr, addr, len);
        peer->len = len;
        peer->next = t->peers;
        t->peers = peer;
    }
    *out = peer;
    return 0;
}

static int submit(struct weir_tcp *t, struct weir_tcp_peer *peer, enum weir_tcp_kind kind, const struct iovec *data,
                  uint64_t user_data)
{
    struct weir_tcp_conn *conn;
    struct weir_tcp_op *op;
    int result;
    if (data->iov_len > WEIR_LIVE_MESSAGE_MAX)
        return -EMSGSIZE;
    result = weir_tcp_conn_to(t, peer, &conn);
    if (result != 0)
        return result;
    op = weir_tcp_op_take(&t->ops);
    if (op == NULL) {
        t->blocked = true;
        return -EAGAIN;
    }
    op->conn = conn;
    op->id = (uint64_t)++op->uses << 32 | (uint64_t)(op - t->ops.row);
    op->user_data = user_data;
    op->kind = (uint8_t)kind;
    conn->pending++;
    result = weir_tcp_conn_put(t, conn, kind, op->id, data, 0);
    if (result != 0) {
        conn->pending--;
        weir_tcp_op_free(&t->ops, op);
    }
    return result;
}

static int tcp_send(void *self, void *peer, const struct iovec *data, uint64_t user_data,
                    const struct weir_sendopt *opt)
{
    WEIR_ASSERT(opt == NULL);
    return submit(self, peer, WEIR_TCP_MESSAGE, data, user_data);
}

static int tcp_call(void *self, void *peer, const struct iovec *data, uint64_t user_data)
{
    return submit(self, peer, WEIR_TCP_CALL, data, user_data);
}

/* Sends a reply. WEIR_EV_REPLIED follows when the kernel has taken the whole frame: unlike with Weir, the other side
 * does not confirm a reply. @return 0; -ENOENT: no such call; -ENOMEM */
static int tcp_reply(void *self, uint64_t rpc, const struct iovec *data, uint64_t user_data)
{
    struct weir_tcp *t = self;
    uint32_t i = (uint32_t)rpc;
    struct weir_tcp_op *op = i > 0 && i <= t->rpcs.used ? &t->rpcs.row[i - 1] : NULL;
    int result;
    if (op == NULL || op->conn == NULL || op->user_data != rpc)
        return -ENOENT;
    result = weir_tcp_conn_put(t, op->conn, WEIR_TCP_REPLY, op->id, data, user_data);
    if (result == 0)
        weir_tcp_op_free(&t->rpcs, op);
    return result;
}

static int tcp_cancel(void *self, uint64_t user_data)
{
    struct weir_tcp *t = self;
    int found = 0;
    for (uint32_t i = 0; i < t->ops.used; i++) {
        struct weir_tcp_op *op = &t->ops.row[i];
        if (op->conn == NULL || op->silent || op->user_data != user_data)
            continue;
        op->silent = true; /* the frame is still sent: bytes of a stream cannot be withdrawn */
        weir_tcp_event(t, &(struct weir_event){ .type = op->kind == WEIR_TCP_CALL ? WEIR_EV_REPLY : WEIR_EV_SENT,
                                                .result = -ECANCELED,
                                                .user_data = user_data });
        found++;
    }
    return found;
}

static void tcp_release(void *self, void *lease)
{
    weir_tcp_buffer_free(self, lease);
}

static int tcp_address(void *self, struct sockaddr *addr, socklen_t *len)
{
    struct weir_tcp *t = self;
    return t->listen_fd >= 0 && getsockname(t->listen_fd, addr, len) == 0 ? 0 : -EINVAL;
}

/* --- looking --- */

static void tcp_stats(void *self, struct weir_stats *stats)
{
    const struct weir_tcp *t = self;
    *stats = t->stats;
    stats->size = sizeof(*stats);
    stats->ops_pending = t->ops.count + t->outs;
    stats->events_pending = t->event_count;
    for (const struct weir_tcp_conn *conn = t->conns; conn != NULL; conn = conn->next) {
        struct tcp_info info = { 0 };
        socklen_t len = sizeof(info);
        if (getsockopt(conn->fd, IPPROTO_TCP, TCP_INFO, &info, &len) == 0)
            stats->retransmissions += info.tcpi_total_retrans;
        stats->messages_arriving += conn->head_have > 0 && !conn->halted;
    }
}

static void tcp_limits(void *self, struct weir_limits_info *limits)
{
    const struct weir_tcp *t = self;
    struct weir_net_addr addr = { .family = AF_INET };
    uint32_t mtu, device_mtu;
    uint64_t rate_bps = 0;
    if (t->bind.ss_family != 0)
        (void)weir_net_addr_from(&addr, (const struct sockaddr *)&t->bind, t->bind_len);
    (void)weir_net_device(&addr, t->args->device, &device_mtu, &rate_bps);
    mtu = weir_net_mtu_default(&addr, t->args->device);
    mtu = t->args->mtu != 0 ? t->args->mtu : mtu != 0 ? weir_clamp_u32(mtu, WEIR_NET_MTU_LEAST_IP4, MTU) : MTU;
    rate_bps = t->args->rate_bps != 0 ? t->args->rate_bps : rate_bps != 0 ? rate_bps : RATE_BPS;
    *limits = (struct weir_limits_info){ .size = sizeof(*limits),
                                         .mtu = mtu,
                                         .payload_bytes = mtu - SIRD_HEADS,
                                         .message_bytes_max = WEIR_LIVE_MESSAGE_MAX,
                                         .rate_bps = rate_bps,
                                         .bdp_bytes = weir_mul_div_u64(rate_bps, t->args->rtt_ps, 8 * WEIR_PS_PER_S) };
}

/* --- the end --- */

static void tcp_shut_down(void *self)
{
    struct weir_tcp *t = self;
    t->shutting = true;
    if (t->listen_fd >= 0)
        (void)close(t->listen_fd); /* also removes it from epoll */
    t->listen_fd = -1;
    for (struct weir_tcp_conn *conn = t->conns; conn != NULL; conn = conn->next) {
        conn->halted = conn->head_have == 0 && conn->pending == 0;
        weir_tcp_conn_watch(t, conn);
    }
}

/* Closes the sending half of all connections, then reads from each until the other side closes it too, for at most
 * LINGER_MS in all. A full close with unread bytes would reset the connection, and answers in flight would be lost. */
static void linger(struct weir_tcp *t)
{
    uint64_t until_ns = weir_wall_ns() + LINGER_MS * UINT64_C(1000000);
    for (struct weir_tcp_conn *conn = t->conns; conn != NULL; conn = conn->next)
        (void)shutdown(conn->fd, SHUT_WR);
    for (struct weir_tcp_conn *conn = t->conns; conn != NULL; conn = conn->next) {
        struct pollfd watch = { .fd = conn->fd, .events = POLLIN };
        uint64_t now_ns;
        if (conn->connecting_until_ns != 0 || conn->why != 0)
            continue;
        while ((now_ns = weir_wall_ns()) < until_ns && poll(&watch, 1, (int)((until_ns - now_ns) / 1000000) + 1) > 0)
            if (read(conn->fd, t->scratch, sizeof(t->scratch)) <= 0)
                break;
    }
}

static void tcp_close(void *self)
{
    struct weir_tcp *t = self;
    linger(t);
    for (uint32_t i = 0; i < t->event_count; i++)
        weir_tcp_buffer_free(t, t->event[(t->event_first + i) % t->event_room].lease);
    t->event_count = 0;
    while (t->conns != NULL)
        weir_tcp_conn_close(t, t->conns, -ECONNRESET);
    tcp_free(t);
}

/* Ignores the peer: events of TCP have none. A connection that the other side opened is freed when it ends. */
static void tcp_put(void *self, void *peer)
{
    (void)self, (void)peer;
}

const struct weir_transport weir_live_tcp = {
    .name = "tcp",
    .open = tcp_open,
    .peer = tcp_peer,
    .put = tcp_put,
    .send = tcp_send,
    .call = tcp_call,
    .reply = tcp_reply,
    .cancel = tcp_cancel,
    .poll = weir_tcp_poll,
    .release = tcp_release,
    .address = tcp_address,
    .stats = tcp_stats,
    .limits = tcp_limits,
    .shut_down = tcp_shut_down,
    .close = tcp_close,
};
