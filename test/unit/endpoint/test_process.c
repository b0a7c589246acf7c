/* test/unit/endpoint/test_process.c - what an endpoint does to its process, and does not: threads, signals, errno,
 * descriptors. Real endpoints on loopback. */
#include "test/unit/weir_test.h"
#include <weir/weir.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static struct weir_ep *open_at(const char *bind)
{
    struct weir_opts o = { .size = sizeof(o), .bind = bind };
    struct weir_ep *ep;
    assert_int_equal(weir_open(&ep, &o), 0);
    return ep;
}

static int count_files(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;
    assert_non_null(dir);
    while (readdir(dir) != NULL)
        count++;
    assert_int_equal(closedir(dir), 0);
    return count;
}

static void same_signals(bool first)
{
    static struct sigaction before[32];
    static bool blocked[32];
    struct sigaction now;
    sigset_t mask;
    assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &mask), 0);
    for (int i = 1; i < 32; i++) {
        assert_int_equal(sigaction(i, NULL, &now), 0);
        if (first)
            before[i] = now, blocked[i] = sigismember(&mask, i) == 1;
        assert_ptr_equal(now.sa_handler, before[i].sa_handler);
        assert_int_equal(sigismember(&mask, i), blocked[i]);
    }
}

/* A call, a reply, and all other functions; errno is 77 before and after each. */
static void threads_signals_and_errno_are_left_alone(void **state)
{
    struct weir_ep *a, *b, *none;
    struct weir_opts wrong = { .size = sizeof(wrong), .bind = "here" };
    struct weir_limits_info limits = { .size = sizeof(limits) };
    struct weir_stats s = { .size = sizeof(s) };
    struct sockaddr_in addr;
    socklen_t len = sizeof(addr);
    struct weir_peer *p;
    struct iovec iov = { "x", 1 };
    struct weir_event event;
    int threads = count_files("/proc/self/task");
    (void)state;
    same_signals(true);
#define CALL(what)                                                                                                     \
    do {                                                                                                               \
        errno = 77;                                                                                                    \
        (void)(what);                                                                                                  \
        assert_int_equal(errno, 77);                                                                                   \
    } while (0)
    CALL(a = open_at("127.0.0.1:0"));
    CALL(b = open_at("127.0.0.1:0"));
    CALL(weir_open(&none, &wrong));
    CALL(weir_address(b, (struct sockaddr *)&addr, &len));
    CALL(weir_peer_get(a, (struct sockaddr *)&addr, len, &p));
    CALL(weir_peer_get(a, NULL, 0, &p));
    CALL(weir_peer_get(a, (struct sockaddr *)&addr, len, &p));
    CALL(weir_peer_address(p, (struct sockaddr *)&addr, &len));
    CALL(weir_call(a, p, &iov, 1, 1, NULL));
    CALL(weir_send(a, p, &iov, -1, 1, NULL));
    CALL(weir_recv_into(a, NULL, NULL, 0, 0, 9));
    do {
        CALL(weir_poll(a, NULL, 0, 0));
        event.type = WEIR_EV_NONE;
        CALL(weir_poll(b, &event, 1, 0));
    } while (event.type != WEIR_EV_CALL);
    CALL(weir_reply(b, event.rpc, NULL, 0, 2, NULL));
    CALL(weir_release(b, event.lease));
    do {
        CALL(weir_poll(b, NULL, 0, 0));
        CALL(weir_poll(a, &event, 1, 0));
    } while (event.type != WEIR_EV_REPLY);
    CALL(weir_wake(a));
    CALL(weir_poll(a, &event, 1, -1));
    CALL(weir_cancel(a, 9));
    CALL(weir_stats(a, &s));
    CALL(weir_limits(a, &limits));
    CALL(weir_fd(a));
    CALL(weir_deadline(a));
    CALL(weir_peer_error(p));
    CALL(weir_peer_put(a, p));
    CALL(weir_shutdown(a));
    same_signals(false);
    assert_int_equal(count_files("/proc/self/task"), threads);
    CALL(weir_close(a));
    CALL(weir_close(b));
#undef CALL
}

static void closing_closes_all_descriptors(void **state)
{
    int before = count_files("/proc/self/fd");
    struct weir_ep *ep = open_at("127.0.0.1:0");
    int fd = weir_fd(ep);
    (void)state;
    assert_true(fcntl(fd, F_GETFD) >= 0);
    assert_int_equal(weir_close(ep), 0);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    assert_int_equal(count_files("/proc/self/fd"), before);
}

/* A child closes its copies, and the parent's endpoint goes on. */
static void a_child_closes_its_copies(void **state)
{
    struct weir_ep *ep = open_at("127.0.0.1:0");
    int before = count_files("/proc/self/fd"), status;
    struct weir_event event;
    pid_t pid = fork();
    (void)state;
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(weir_close(ep) == 0 && count_files("/proc/self/fd") == before - 5 ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(count_files("/proc/self/fd"), before);
    assert_int_equal(weir_poll(ep, &event, 1, 0), 0);
    assert_int_equal(weir_close(ep), 0);
}

static struct weir_ep *woken;

static void on_alarm(int signal)
{
    (void)signal;
    if (woken != NULL)
        (void)weir_wake(woken);
}

/* Every 10 ms a signal comes: it ends a sleep by itself, or its handler does by weir_wake(). */
static void a_signal_ends_the_wait(void **state)
{
    struct sigaction act = { .sa_handler = on_alarm, .sa_flags = 0 }, before;
    struct itimerval every = { { 0, 10000 }, { 0, 10000 } }, none = { { 0, 0 }, { 0, 0 } };
    struct weir_ep *ep = open_at("127.0.0.1:0");
    struct weir_event event;
    (void)state;
    for (int wakes = 0; wakes < 2; wakes++) {
        act.sa_flags = wakes ? SA_RESTART : 0;
        woken = wakes ? ep : NULL;
        assert_int_equal(sigaction(SIGALRM, &act, wakes ? NULL : &before), 0);
        assert_int_equal(setitimer(ITIMER_REAL, &every, NULL), 0);
        assert_int_equal(weir_poll(ep, &event, 1, -1), -EINTR);
        assert_int_equal(setitimer(ITIMER_REAL, &none, NULL), 0);
    }
    woken = NULL;
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    assert_int_equal(weir_close(ep), 0);
}

static void *wake_from_a_thread(void *ep)
{
    struct weir_opts wrong = { .size = sizeof(wrong), .bind = "here" };
    struct weir_ep *none;
    const char *before = weir_open_error(); /* of this thread: nothing */
    bool good = before[0] == '\0' && weir_open(&none, &wrong) == -EINVAL && weir_open_error()[0] != '\0';
    return weir_wake(ep) == 0 && good ? ep : NULL;
}

static void another_thread_may_wake_and_has_an_error_text_of_its_own(void **state)
{
    struct weir_opts wrong = { .size = sizeof(wrong), .driver = "none" };
    struct weir_ep *ep = open_at("127.0.0.1:0"), *none;
    struct weir_event event;
    pthread_t thread;
    void *result;
    (void)state;
    assert_int_equal(weir_open(&none, &wrong), -EINVAL);
    assert_int_equal(pthread_create(&thread, NULL, wake_from_a_thread, ep), 0);
    assert_int_equal(weir_poll(ep, &event, 1, -1), -EINTR);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, ep);
    assert_non_null(strstr(weir_open_error(), "unknown driver"));
    assert_int_equal(weir_close(ep), 0);
}

static void an_endpoint_is_bound_as_it_is_told(void **state)
{
    static const char *const good[] = { "127.0.0.1:0", ":0", NULL };
    struct sockaddr_storage sa;
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct weir_ep *ep = open_at(good[i]);
        socklen_t len = sizeof(sa);
        assert_int_equal(weir_address(ep, (struct sockaddr *)&sa, &len), 0);
        assert_int_equal(len, sizeof(struct sockaddr_in));
        assert_true(((struct sockaddr_in *)&sa)->sin_port != 0); /* a free one */
        assert_int_equal(((struct sockaddr_in *)&sa)->sin_addr.s_addr, i == 0 ? htonl(INADDR_LOOPBACK) : INADDR_ANY);
        assert_int_equal(weir_close(ep), 0);
    }
}

/* Where there is IPv6. */
static void an_ipv6_packet_has_at_least_1280_bytes(void **state)
{
    struct weir_opts o = { .size = sizeof(o), .bind = "[::1]:0", .mtu = 1280 };
    struct sockaddr_storage sa;
    socklen_t len = sizeof(sa);
    struct weir_ep *ep;
    int code = weir_open(&ep, &o);
    (void)state;
    if (code == -EADDRNOTAVAIL || code == -EAFNOSUPPORT)
        skip();
    assert_int_equal(code, 0);
    assert_int_equal(weir_address(ep, (struct sockaddr *)&sa, &len), 0);
    assert_int_equal(sa.ss_family, AF_INET6);
    assert_int_equal(weir_close(ep), 0);
    o.mtu = 1279;
    assert_int_equal(weir_open(&ep, &o), -EINVAL);
    assert_non_null(strstr(weir_open_error(), "mtu"));
}

static void what_cannot_be_opened_has_a_result_and_a_sentence(void **state)
{
    static const struct {
        struct weir_opts opts;
        int code;
    } wrong[] = {
        { { .size = sizeof(struct weir_opts), .bind = "192.0.2.1:0" }, -EADDRNOTAVAIL },
        { { .size = sizeof(struct weir_opts), .bind = "127.0.0.1:0", .device = "no-such-device" }, -ENODEV },
        { { .size = sizeof(struct weir_opts), .bind = "127.0.0.1:0", .cc = "rocc" }, -ENOTSUP },
        { { .size = sizeof(struct weir_opts), .bind = "127.0.0.1:0", .mtu = 100 }, -EINVAL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct weir_ep *ep = (struct weir_ep *)&wrong;
        assert_int_equal(weir_open(&ep, &wrong[i].opts), wrong[i].code);
        assert_null(ep);
        assert_true(weir_open_error()[0] != '\0');
    }
}

static void two_endpoints_share_a_port(void **state)
{
    struct weir_opts o = { .size = sizeof(o), .bind = "127.0.0.1:0", .flags = WEIR_OPEN_SHARED };
    struct sockaddr_in addr;
    socklen_t len = sizeof(addr);
    struct weir_ep *one, *two, *alone;
    char text[32];
    (void)state;
    assert_int_equal(weir_open(&one, &o), 0);
    assert_int_equal(weir_address(one, (struct sockaddr *)&addr, &len), 0);
    (void)snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(addr.sin_port));
    o.bind = text;
    assert_int_equal(weir_open(&two, &o), 0);
    o.flags = 0;
    assert_int_equal(weir_open(&alone, &o), -EADDRINUSE);
    assert_int_equal(weir_close(one), 0);
    assert_int_equal(weir_close(two), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_signals_and_errno_are_left_alone),
        cmocka_unit_test(closing_closes_all_descriptors),
        cmocka_unit_test(a_child_closes_its_copies),
        cmocka_unit_test(a_signal_ends_the_wait),
        cmocka_unit_test(another_thread_may_wake_and_has_an_error_text_of_its_own),
        cmocka_unit_test(an_endpoint_is_bound_as_it_is_told),
        cmocka_unit_test(an_ipv6_packet_has_at_least_1280_bytes),
        cmocka_unit_test(what_cannot_be_opened_has_a_result_and_a_sentence),
        cmocka_unit_test(two_endpoints_share_a_port),
    };
    return cmocka_run_group_tests_name("endpoint/process", tests, NULL, NULL);
}
