/* test/unit/live/test_faults.c - messages and calls over TCP, and delay lines, while each call of the system fails once: it is said, and
 * nothing is left open. */
#define _GNU_SOURCE
#include "test/unit/fault.h"
#include "core/units.h"
#include "live/delay.h"
#include "live/live.h"
#include "test/unit/driver/veth.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>

#define TURN_NS 1000000 /* longest wait of one side for the other's kernel */
enum { TURNS = 400, FILES = 64 };

static const struct weir_transport *const tcp = &weir_live_tcp;

/* Polls both sides until each has had its events, or one of them ended by an error. @return that error, or 0 */
static int exchange(void *server, void *client)
{
    void *const side[2] = { server, client };
    int waiting = 4; /* events: a message and a call there, and what comes of them here */
    for (int i = 0; i < TURNS && waiting > 0; i++) {
        struct weir_event event;
        int got = tcp->poll(side[i % 2], &event, 1, TURN_NS);
        if (got < 0)
            return got;
        if (got == 0)
            continue;
        if (event.lease != NULL)
            tcp->release(side[i % 2], event.lease);
        if (event.type == WEIR_EV_CALL && tcp->reply(server, event.rpc, &(struct iovec){ NULL, 0 }, 3) != 0)
            return -ENOMEM;
        if (event.result != 0)
            return event.result;
        waiting -= event.type != WEIR_EV_REPLIED;
    }
    return waiting == 0 ? 0 : -ETIMEDOUT;
}

static int talk(void *server, void *client, struct weir_err *err)
{
    static char text[] = "hello";
    struct sockaddr_storage addr;
    socklen_t length = sizeof(addr);
    struct weir_stats stats;
    void *peer;
    int code = tcp->address(server, (struct sockaddr *)&addr, &length);
    if (code == 0)
        code = tcp->peer(client, (struct sockaddr *)&addr, length, &peer);
    if (code == 0)
        code = tcp->send(client, peer, &(struct iovec){ text, sizeof(text) }, 1, NULL);
    if (code == 0)
        code = tcp->call(client, peer, &(struct iovec){ text, sizeof(text) }, 2);
    if (code == 0)
        code = exchange(server, client);
    tcp->stats(client, &stats);
    if (code == 0) {
        assert_int_equal(stats.ops_pending, 0);
        assert_int_equal(stats.messages_received, 1);
        return 0;
    }
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s", weir_strerror(code));
}

static int open_and_talk(struct weir_err *err)
{
    const struct weir_live_args server_args = { .timeout_ps = WEIR_PS_PER_S,
                                                .spin_ps = 0,
                                                .transport = WEIR_LIVE_TCP,
                                                .bind = "127.0.0.1:0",
                                                .tcp_cc = "reno",
                                                .listens = true },
                                client_args = { .timeout_ps = WEIR_PS_PER_S, .transport = WEIR_LIVE_TCP };
    void *server = NULL, *client = NULL;
    int code = tcp->open(&server, &server_args, err);
    if (code == 0)
        code = tcp->open(&client, &client_args, err);
    if (code == 0)
        code = talk(server, client, err);
    for (int fd = 3; fd < FILES; fd++)
        (void)shutdown(fd, SHUT_WR); /* so that no side waits for the end of the other, which comes after its own */
    if (client != NULL)
        tcp->close(client);
    if (server != NULL)
        tcp->close(server);
    return code;
}

static void each_call_of_the_transport_over_tcp_may_fail(void **state)
{
    static const struct fault_row rows[] = {
        { "socket", 1, EMFILE, WEIR_E_CONFLICT, "--tcp-cc: Too many open files" },
        { "socket", 2, EMFILE, WEIR_E_CONFLICT, "127.0.0.1:0: Too many open files" },
        { "socket", 3, EMFILE, WEIR_E_RUN, "too many open files" },
        { "setsockopt", 1, EPERM, WEIR_E_CONFLICT, "does not allow it to this user" },
        { "setsockopt", 2, ENOMEM, WEIR_E_MEMORY, "127.0.0.1:0: Cannot allocate memory" },
        { "setsockopt", 4, ENOBUFS, WEIR_E_RUN, "" },
        { "bind", 1, EADDRINUSE, WEIR_E_CONFLICT, "127.0.0.1:0: Address already in use" },
        { "listen", 1, EADDRINUSE, WEIR_E_CONFLICT, "127.0.0.1:0: Address already in use" },
        { "connect", 1, ENETUNREACH, WEIR_E_RUN, "nobody answers" },
        { "accept4", 1, EMFILE, 0, NULL }, /* at the next poll */
        { "getsockname", 1, ENOBUFS, WEIR_E_RUN, "an argument is not valid" },
        { "getsockopt", 1, ENOBUFS, WEIR_E_RUN, "nobody answers" },
        { "getsockopt", 2, ENOBUFS, 0, NULL }, /* statistics */
        { "epoll_create1", 1, EMFILE, WEIR_E_CONFLICT, "epoll: Too many open files" },
        { "epoll_ctl", 1, ENOMEM, WEIR_E_MEMORY, "127.0.0.1:0: Cannot allocate memory" },
        { "epoll_ctl", 2, ENOMEM, WEIR_E_RUN, "" },
        { "epoll_wait", 1, EINTR, 0, NULL },
        { "sendmsg", 1, EAGAIN, 0, NULL }, /* once more when epoll says so */
        { "readv", 1, ETIMEDOUT, WEIR_E_RUN, "" },
        { "malloc", 1, ENOMEM, WEIR_E_MEMORY, "no memory to begin with" },
        { "malloc", 3, ENOMEM, WEIR_E_RUN, "" },
        { "calloc", 1, ENOMEM, WEIR_E_MEMORY, "no memory to begin with" },
        { "calloc", 7, ENOMEM, WEIR_E_RUN, "" },
    };
    (void)state;
    assert_faults(open_and_talk, rows);
}

/* A connection that is broken ends what it carries; the other side hears of it, too. */
static void a_broken_connection_ends_what_it_carries(void **state)
{
    static const struct fault_row rows[] = {
        { "sendmsg", 1, ECONNRESET, WEIR_E_RUN, "the peer was restarted or closed" },
        { "readv", 1, EINTR, 0, NULL },
    };
    (void)state;
    assert_faults(open_and_talk, rows);
}

/* ---- delay lines ---- */

static struct veth v;

static int set_up(void **state)
{
    (void)state;
    if (!veth_open(&v, 1500))
        print_message("%s: not tested\n", v.why);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    veth_close(&v);
    return 0;
}

static int open_delay(struct weir_err *err)
{
    struct weir_delay_line line = { .device = { "wv0", "wv0" }, .delay_ps = WEIR_PS_PER_MS };
    struct weir_delay d = { .line = &line, .line_count = 1, .rate_bps = 1000000000 };
    int code = weir_delay_open(&d, err);
    weir_delay_close(&d);
    return code;
}

static void each_call_of_a_delay_line_may_fail(void **state)
{
    static const struct fault_row rows[] = {
        { "socket", 1, EMFILE, WEIR_E_RUN, "delay: no socket: Too many open files" },
        { "socket", 2, EMFILE, WEIR_E_RUN, "wv0: no socket: Too many open files" },
        { "bind", 1, EADDRINUSE, WEIR_E_CONFLICT, "a process with delay lines runs" },
        { "bind", 2, ENETDOWN, WEIR_E_RUN, "wv0: cannot be opened: Network is down" },
        { "listen", 1, EADDRINUSE, WEIR_E_CONFLICT, "a process with delay lines runs" },
        { "ioctl", 1, ENODEV, WEIR_E_UNKNOWN, "no such network device" },
        { "setsockopt", 1, EPERM, 0, NULL }, /* more room to send than the system's limit */
        { "setsockopt", 2, EPERM, WEIR_E_RUN, "which takes CAP_NET_RAW" },
        { "setsockopt", 7, EPERM, 0, NULL },
        { "setsockopt", 8, ENOPROTOOPT, WEIR_E_RUN, "wv0: cannot be opened: Protocol not available" },
        { "setsockopt", 13, ENOMEM, WEIR_E_RUN, "no memory for arriving frames" },
        { "epoll_create1", 1, EMFILE, WEIR_E_RUN, "no descriptors: Too many open files" },
        { "epoll_ctl", 1, ENOSPC, WEIR_E_RUN, "no descriptors: No space left on device" },
        { "epoll_ctl", 2, ENOSPC, WEIR_E_RUN, "epoll: No space left on device" },
        { "mmap64", 1, ENOMEM, WEIR_E_MEMORY, "memory" },
    };
    (void)state;
    if (v.why[0] != '\0')
        skip();
    assert_faults(open_delay, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_of_the_transport_over_tcp_may_fail),
        cmocka_unit_test(a_broken_connection_ends_what_it_carries),
        cmocka_unit_test_setup_teardown(each_call_of_a_delay_line_may_fail, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("live/faults", tests, NULL, NULL);
}
