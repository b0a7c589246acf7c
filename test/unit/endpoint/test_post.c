/* test/unit/endpoint/test_post.c - weir_post(): events from other threads. The last test is the thread sanitizer's. */
#include "test/unit/endpoint/endpoint_test.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static int words[3];

static void a_post_is_an_event(void **state)
{
    (void)state;
    assert_int_equal(weir_post(ep[0], 7, &words[1]), 0);
    assert_int_equal(weir_post(ep[0], 8, NULL), 0);
    assert_int_equal(stats(0).events_pending, 2);
    assert_true(weir_deadline(ep[0]) == 0);
    run(0);
    expect_count(0, 2);
    expect(0, 0, WEIR_EV_POSTED, 0, 7);
    assert_ptr_equal(seen[0][0].data, &words[1]);
    assert_int_equal(seen[0][0].len, 0);
    assert_null(seen[0][0].lease);
    assert_null(seen[0][0].peer);
    expect(0, 1, WEIR_EV_POSTED, 0, 8);
    assert_null(seen[0][1].data);
    assert_int_equal(stats(0).events_pending, 0);
    assert_true(weir_deadline(ep[0]) == UINT64_MAX);
}

static void a_post_ends_the_wait_without_eintr(void **state)
{
    struct weir_event one;
    uint32_t waits;
    (void)state;
    assert_int_equal(weir_post(ep[0], 7, NULL), 0);
    assert_int_equal(weir_poll(ep[0], &one, 1, -1), 1);
    assert_int_equal(weir_post(ep[0], 8, NULL), 0);
    assert_int_equal(weir_wake(ep[0]), 0);
    assert_int_equal(weir_poll(ep[0], &one, 1, -1), 1); /* the wake is not lost with the post's ring */
    assert_true(weir_deadline(ep[0]) == 0);
    assert_int_equal(weir_poll(ep[0], &one, 1, (int64_t)SECOND), -EINTR);
    waits = shim[0].waits;
    assert_int_equal(weir_poll(ep[0], &one, 1, (int64_t)MS), 0); /* and nothing is left that ends every sleep */
    assert_int_equal(shim[0].waits, waits + 1);
}

static void as_many_posts_wait_as_there_is_room_for(void **state)
{
    static struct weir_event events[WEIR_POSTS_MAX + 1];
    (void)state;
    for (uint64_t pass = 0; pass < 3; pass++) {
        for (uint64_t i = 0; i < WEIR_POSTS_MAX; i++)
            assert_int_equal(weir_post(ep[0], i, NULL), 0);
        assert_int_equal(weir_post(ep[0], 0, NULL), -EAGAIN);
        assert_int_equal(stats(0).events_pending, WEIR_POSTS_MAX);
        assert_int_equal(weir_poll(ep[0], events, 10, 0), 10);
        assert_true(weir_deadline(ep[0]) == 0); /* those that are left do not ring again */
        assert_int_equal(weir_post(ep[0], WEIR_POSTS_MAX, NULL), 0);
        assert_int_equal(weir_poll(ep[0], events + 10, WEIR_POSTS_MAX, -1), WEIR_POSTS_MAX - 9);
        for (uint64_t i = 0; i <= WEIR_POSTS_MAX; i++)
            assert_int_equal(events[i].user_data, i);
        assert_int_equal(weir_poll(ep[0], events, 10, 0), 0); /* no WRITABLE */
    }
}

/* With room for one event, each kind comes every second time. */
static void neither_posts_nor_messages_keep_the_others_waiting(void **state)
{
    struct weir_event one;
    uint32_t posted = 0;
    (void)state;
    for (uint64_t i = 0; i < 10; i++) {
        assert_int_equal(weir_recv_into(ep[0], NULL, NULL, 0, 0, i), 0);
        assert_int_equal(weir_cancel(ep[0], i), 1);
        assert_int_equal(weir_post(ep[0], i, NULL), 0);
    }
    for (int i = 0; i < 10; i++) {
        assert_int_equal(weir_poll(ep[0], &one, 1, 0), 1);
        posted += one.type == WEIR_EV_POSTED;
    }
    assert_int_equal(posted, 5);
    run(0);
    expect_count(0, 10);
}

static void post_7(int number)
{
    (void)number;
    (void)weir_post(ep[0], 7, NULL);
}

static void a_signal_handler_may_post(void **state)
{
    struct sigaction posts = { .sa_handler = post_7 }, before;
    (void)state;
    (void)sigemptyset(&posts.sa_mask);
    assert_int_equal(sigaction(SIGUSR1, &posts, &before), 0);
    assert_int_equal(raise(SIGUSR1), 0);
    run(0);
    expect(0, 0, WEIR_EV_POSTED, 0, 7);
    assert_int_equal(sigaction(SIGUSR1, &before, NULL), 0);
}

static void a_child_posts_nothing(void **state)
{
    int status;
    pid_t pid;
    (void)state;
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(weir_post(ep[0], 1, NULL) == -ECHILD ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    run(0);
    expect_count(0, 0);
}

/* --- threads: each is so far ahead of what was taken that together they fill the ring. They learn of that by numbers
 * that order nothing else, so that the sanitizer sees the order which the ring itself makes --- */

enum { THREADS = 4, EACH = WEIR_POSTS_MAX / THREADS, POSTS = 25 * EACH };

struct poster {
    pthread_t thread;
    struct weir_ep *ep;
    uint64_t number, *words; /* what it wrote before it posted */
    _Atomic uint64_t taken;
    int failed;
};

static void *post_all(void *arg)
{
    struct poster *p = arg;
    for (uint64_t i = 0; i < POSTS; i++) {
        while (i - atomic_load_explicit(&p->taken, memory_order_relaxed) >= EACH)
            (void)sched_yield();
        p->words[i] = i;
        p->failed += weir_post(p->ep, p->number, &p->words[i]) != 0;
    }
    return NULL;
}

static void posts_of_threads_come_once_and_in_order(void **state)
{
    static struct poster posters[THREADS];
    static uint64_t words_of[THREADS][POSTS];
    uint64_t next[THREADS] = { 0 };
    struct weir_opts o = { .size = sizeof(o), .bind = "127.0.0.1:0", .spin_us = 1 };
    struct weir_event events[64];
    struct weir_ep *own;
    (void)state;
    assert_int_equal(weir_open(&own, &o), 0);
    for (uint64_t i = 0; i < THREADS; i++) {
        posters[i].ep = own;
        posters[i].number = i;
        posters[i].words = words_of[i];
        assert_int_equal(pthread_create(&posters[i].thread, NULL, post_all, &posters[i]), 0);
    }
    for (int taken = 0, n; taken < THREADS * POSTS; taken += n) {
        n = weir_poll(own, events, 64, -1);
        assert_true(n > 0);
        for (int k = 0; k < n; k++) {
            struct poster *p = &posters[events[k].user_data % THREADS];
            assert_int_equal(events[k].type, WEIR_EV_POSTED);
            assert_int_equal(*(const uint64_t *)events[k].data, next[p->number]++);
            atomic_store_explicit(&p->taken, next[p->number], memory_order_relaxed);
        }
    }
    for (uint64_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(posters[i].thread, NULL), 0);
        assert_int_equal(posters[i].failed, 0);
        assert_int_equal(next[i], POSTS);
    }
    assert_int_equal(weir_close(own), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_post_is_an_event, setup, teardown),
        cmocka_unit_test_setup_teardown(a_post_ends_the_wait_without_eintr, setup, teardown),
        cmocka_unit_test_setup_teardown(as_many_posts_wait_as_there_is_room_for, setup, teardown),
        cmocka_unit_test_setup_teardown(neither_posts_nor_messages_keep_the_others_waiting, setup, teardown),
        cmocka_unit_test_setup_teardown(a_signal_handler_may_post, setup, teardown),
        cmocka_unit_test_setup_teardown(a_child_posts_nothing, setup, teardown),
        cmocka_unit_test(posts_of_threads_come_once_and_in_order),
    };
    return cmocka_run_group_tests_name("endpoint/post", tests, NULL, NULL);
}
