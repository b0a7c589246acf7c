/* src/commands/live/tcp_poll.c - polls the sockets, and completes the set-up of connections. */
#define _GNU_SOURCE /* accept4, ppoll */
#include "live/tcp.h"
#include "core/math.h"
#include "core/units.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { READY = 64, ACCEPTS = 64 }; /* most sockets and new connections of one poll */
enum { WAITING = 1024 };           /* with this many events not taken, nothing more is read */
#define NS_PER_S UINT64_C(1000000000)
#define CONNECT_POLL_NS UINT64_C(10000000) /* interval of polls while connections are being set up */

static void take_connections(struct weir_tcp *t)
{
    for (int i = 0; i < ACCEPTS; i++) {
        struct weir_tcp_conn *conn;
        int fd = accept4(t->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        t->stats.syscalls++;
        if (fd < 0)
            return; /* there is none, or it was closed already */
        (void)weir_tcp_conn_new(t, fd, NULL, &conn);
    }
}

static void connected(struct weir_tcp *t, struct weir_tcp_conn *conn)
{
    int error = 0;
    socklen_t len = sizeof(error);
    if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0 || error != 0) {
        weir_tcp_conn_fail(t, conn, -EHOSTUNREACH);
        return;
    }
    conn->connecting_until_ns = 0;
    t->connecting--;
    weir_tcp_conn_write(t, conn);
}

static void conn_ready(struct weir_tcp *t, struct weir_tcp_conn *conn, uint32_t events)
{
    if (conn->connecting_until_ns != 0) {
        connected(t, conn);
        return;
    }
    if (conn->halted && (events & (EPOLLERR | EPOLLHUP)) != 0)
        weir_tcp_conn_fail(t, conn, -ECONNRESET);
    else if ((events & ~(uint32_t)EPOLLOUT) != 0)
        weir_tcp_conn_read(t, conn);
    if ((events & EPOLLOUT) != 0)
        weir_tcp_conn_write(t, conn);
}

/* Closes connections that failed, or whose set-up has timed out. */
static void sweep(struct weir_tcp *t, uint64_t now_ns)
{
    struct weir_tcp_conn *next;
    if (!t->failing && t->connecting == 0)
        return;
    t->failing = false;
    for (struct weir_tcp_conn *conn = t->conns; conn != NULL; conn = next) {
        next = conn->next;
        if (conn->connecting_until_ns != 0 && now_ns >= conn->connecting_until_ns)
            conn->why = -EHOSTUNREACH;
        if (conn->why != 0)
            weir_tcp_conn_close(t, conn, conn->why);
    }
}

static void poll_once(struct weir_tcp *t)
{
    struct epoll_event ready[READY];
    int count = epoll_wait(t->epoll_fd, ready, READY, 0);
    t->stats.syscalls++;
    for (int i = 0; i < count; i++) {
        if (ready[i].data.ptr == NULL)
            take_connections(t);
        else
            conn_ready(t, ready[i].data.ptr, ready[i].events);
    }
    sweep(t, weir_wall_ns());
    if (t->blocked && t->ops.count < WEIR_LIVE_OPS_MAX) {
        t->blocked = false;
        weir_tcp_event(t, &(struct weir_event){ .type = WEIR_EV_WRITABLE });
    }
}

static int take_events(struct weir_tcp *t, struct weir_event *events, int max)
{
    int count = 0;
    while (count < max && t->event_count > 0) {
        events[count++] = t->event[t->event_first];
        t->event_first = (t->event_first + 1) % t->event_room;
        t->event_count--;
    }
    return count;
}

static int sleep_until(struct weir_tcp *t, uint64_t now_ns, uint64_t until_ns)
{
    struct pollfd watch = { .fd = t->epoll_fd, .events = POLLIN };
    uint64_t ns;
    if (t->connecting > 0)
        until_ns = weir_min_u64(until_ns, now_ns + CONNECT_POLL_NS);
    ns = until_ns - now_ns;
    t->stats.syscalls++;
    if (until_ns == WEIR_NEVER)
        return ppoll(&watch, 1, NULL, NULL) < 0 ? -EINTR : 0;
    return ppoll(&watch, 1, &(struct timespec){ (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) }, NULL) < 0 ? -EINTR
                                                                                                            : 0;
}

int weir_tcp_poll(void *self, struct weir_event *events, int max, int64_t timeout_ns)
{
    struct weir_tcp *t = self;
    uint64_t now_ns = weir_wall_ns(), until_ns = timeout_ns < 0 ? WEIR_NEVER : now_ns + (uint64_t)timeout_ns;
    uint64_t spin_ns = t->args->spin_ps == WEIR_NEVER ? until_ns : now_ns + t->args->spin_ps / WEIR_PS_PER_NS;
    for (;;) {
        if (t->event_count < WAITING)
            poll_once(t);
        if (t->no_memory)
            return -ENOMEM;
        if (t->event_count > 0)
            return take_events(t, events, max);
        now_ns = weir_wall_ns();
        if (now_ns >= until_ns)
            return 0;
        if (now_ns >= spin_ns && sleep_until(t, now_ns, until_ns) != 0)
            return -EINTR;
    }
}
