/* test/unit/endpoint/test_released.c - WEIR_RELEASED: a send is done when the other application has released it. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "test/unit/endpoint/endpoint_test.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 1000 };

static int send_released(uint32_t from, uint32_t to, const void *data, size_t len, uint64_t user_data)
{
    struct weir_sendopt opt = { .size = sizeof(opt), .flags = WEIR_RELEASED };
    struct iovec iov = { (void *)(uintptr_t)data, len };
    return weir_send(ep[from], peer(from, to), &iov, 1, user_data, &opt);
}

static void a_send_ends_when_its_message_is_released(void **state)
{
    (void)state;
    assert_int_equal(send_released(0, 1, "abc", 3, 7), 0);
    run(5 * SECOND); /* an application may take its time: peer_timeout_ns is one */
    expect_count(0, 0);
    expect(1, 0, WEIR_EV_MESSAGE, 0, 0);
    assert_memory_equal(seen[1][0].data, "abc", 3);
    assert_int_equal(seen[1][0].rpc, 0); /* nothing to reply to */
    assert_int_equal(stats(0).ops_pending, 1);
    assert_int_equal(stats(1).ops_pending, 0);
    release_all(1);
    assert_int_equal(stats(1).ops_pending, 1); /* for a clean end the answer counts */
    run(4 * US);
    expect_count(0, 0);
    run(1 * US);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, 0, 7);
    assert_null(seen[0][0].data);
    assert_null(seen[0][0].lease);
    run(1 * MS);
    expect_count(1, 1); /* and no application sees the answer */
    assert_int_equal(stats(1).ops_pending, 0);
    assert_int_equal(stats(0).messages_sent, 1);
    assert_int_equal(stats(1).messages_received, 1);
    assert_int_equal(stats(0).messages_received + stats(1).messages_sent, 0);
    assert_int_equal(stats(0).rx_bytes_held, ep[0]->msg_block_bytes);
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
}

/* Whatever lends no memory is released by its event. The transport of endpoint 1 has both messages long before. */
static void what_lends_nothing_is_released_by_its_event(void **state)
{
    char into[8];
    (void)state;
    assert_int_equal(weir_recv_into(ep[1], NULL, into, 1, sizeof(into), 1), 0);
    assert_int_equal(send_released(0, 1, "abc", 3, 7), 0);
    asleep[1] = true;
    for (int i = 0; i < 20; i++) { /* progress without events */
        if (i == 10)
            assert_int_equal(send_released(0, 1, "", 0, 8), 0);
        run(5 * US);
        assert_int_equal(weir_poll(ep[1], NULL, 0, 0), 0);
    }
    assert_int_equal(stats(1).events_pending, 2);
    run(1 * MS);
    expect_count(0, 0);
    asleep[1] = false;
    run(1 * MS);
    expect(1, 0, WEIR_EV_RECEIVED, 0, 1);
    expect(1, 1, WEIR_EV_MESSAGE, 0, 0);
    expect_count(0, 2);
    expect(0, 0, WEIR_EV_SENT, 0, 7);
    expect(0, 1, WEIR_EV_SENT, 0, 8);
}

/* Taken and not released, arrived and not taken: endpoint 1 dies, or closes, with both. */
static void a_receiver_that_ends_before_it_releases_resets(void **state)
{
    for (int closes = 0; closes < 2; closes++) {
        setup(state);
        assert_int_equal(send_released(0, 1, "taken", 5, 1), 0);
        run(1 * MS);
        asleep[1] = true;
        assert_int_equal(send_released(0, 1, "not taken", 9, 2), 0);
        for (int i = 0; i < 4; i++) {
            run(5 * US);
            assert_int_equal(weir_poll(ep[1], NULL, 0, 0), 0);
        }
        expect_count(1, 1);
        assert_int_equal(stats(1).messages_received, 2);
        if (closes) {
            assert_int_equal(weir_close(ep[1]), 0);
            ep[1] = NULL;
        } else {
            kill_ep(1);
            assert_int_equal(start(1), 0);
        }
        asleep[1] = false;
        run(closes ? 1 * MS : 1100 * MS); /* a waiting sender asks once a second */
        expect_count(0, 2);
        expect(0, 0, WEIR_EV_SENT, -ECONNRESET, 1);
        expect(0, 1, WEIR_EV_SENT, -ECONNRESET, 2);
        teardown(state);
    }
}

static void a_deadline_and_a_cancel_end_the_wait(void **state)
{
    struct weir_sendopt opt = { .size = sizeof(opt), .flags = WEIR_RELEASED, .deadline_ns = 5 * MS };
    struct iovec iov = { "x", 1 };
    (void)state;
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 1, &opt), 0);
    assert_int_equal(send_released(0, 1, "y", 1, 2), 0);
    run(4 * MS);
    assert_int_equal(weir_cancel(ep[0], 2), 1);
    run(1 * MS);
    expect(0, 0, WEIR_EV_SENT, -ECANCELED, 2);
    expect(0, 1, WEIR_EV_SENT, -ETIMEDOUT, 1);
    assert_int_equal(seen_ns[0][1], 5 * MS);
    release_all(1); /* too late: the answers are nobody's */
    run(5 * MS);
    expect_count(0, 2);
    assert_int_equal(stats(0).ops_pending + stats(1).ops_pending, 0);
    assert_int_equal(stats(0).rx_bytes_held, ep[0]->msg_block_bytes);
}

/* All records are taken at both ends, by sends that wait for each other's release. */
static void answers_need_no_operation_of_the_application(void **state)
{
    (void)state;
    begin();
    opts[0].max_ops = opts[1].max_ops = 2;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    for (uint32_t i = 0; i < 2; i++)
        for (uint64_t k = 0; k < 2; k++)
            assert_int_equal(send_released(i, 1 - i, "x", 1, k), 0);
    assert_int_equal(send_released(0, 1, "x", 1, 9), -EAGAIN);
    run(1 * MS);
    expect_count(0, 2);
    release_all(0);
    release_all(1);
    run(1 * MS);
    for (uint32_t i = 0; i < 2; i++) {
        expect(i, 2, WEIR_EV_SENT, 0, 0);
        expect(i, 3, WEIR_EV_SENT, 0, 1);
    }
}

static void an_answer_waits_for_memory(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(send_released(0, 1, "x", 1, i), 0);
    run(1 * MS);
    ep[1]->op_answers = ep[1]->opts.max_ops; /* as if so many were on their way */
    release_all(1);
    run(10 * MS);
    expect_count(0, 0);
    assert_int_equal(ep[1]->released, 3);
    assert_true(weir_deadline(ep[1]) - mem_now_ns(mem) <= 1 * MS); /* tried again then */
    ep[1]->op_answers = ep[1]->opts.max_ops - 1;
    run(20 * MS); /* one at a time, one each time it is tried */
    expect_count(0, 3);
    ep[1]->op_answers -= ep[1]->opts.max_ops - 1;
    assert_int_equal(stats(1).ops_pending, 0);
}

/* The sender ends while the answers wait for memory: they go with it. */
static void answers_to_a_peer_that_is_gone_are_dropped(void **state)
{
    (void)state;
    assert_int_equal(send_released(0, 1, "x", 1, 1), 0);
    assert_int_equal(send_released(0, 1, "y", 1, 2), 0);
    assert_int_equal(send_released(2, 1, "z", 1, 3), 0);
    run(1 * MS);
    ep[1]->op_answers = ep[1]->opts.max_ops;
    weir_release(ep[1], seen[1][0].lease);
    assert_int_equal(ep[1]->released, 1);
    assert_int_equal(weir_close(ep[0]), 0);
    assert_int_equal(start(0), 0);
    run(1 * MS);
    ep[1]->op_answers = 0;
    for (int k = 1; k < seen_count[1]; k++)
        weir_release(ep[1], seen[1][k].lease);
    run(10 * MS);
    expect(2, 0, WEIR_EV_SENT, 0, 3);
    expect_count(0, 0);
    assert_int_equal(ep[1]->released + ep[1]->op_answers, 0);
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
    assert_null(ep[1]->peers[0].msgs);
}

static void an_answer_that_is_lost_is_sent_again(void **state)
{
    (void)state;
    assert_int_equal(send_released(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    shim[1].lose[WEIR_PKT_DATA] = 3;
    shim[0].lose[WEIR_PKT_DONE] = 1;
    release_all(1);
    run(500 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    assert_int_equal(stats(1).ops_pending, 0);
}

static void the_flag_is_of_sends_alone(void **state)
{
    struct weir_sendopt opt = { .size = sizeof(opt), .flags = WEIR_RELEASED | WEIR_COPY | WEIR_LOCAL };
    struct iovec iov = { "x", 1 };
    (void)state;
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 1, &opt), -EINVAL);
    opt.flags = WEIR_RELEASED | WEIR_LOCAL;
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 1, &opt), -EINVAL);
    opt.flags = WEIR_RELEASED;
    assert_int_equal(weir_call(ep[0], peer(0, 1), &iov, 1, 1, &opt), -EINVAL);
    assert_int_equal(call_bytes(1, 0, "x", 1, 2, 0), 0);
    run(1 * MS);
    assert_int_equal(weir_reply(ep[0], seen[0][0].rpc, &iov, 1, 1, &opt), -EINVAL);
    assert_int_equal(weir_reply(ep[0], seen[0][0].rpc, &iov, 1, 1, NULL), 0); /* still unanswered */
    run(1 * MS);
    release_all(0);
    release_all(1);
}

/* Its copy is needed until the message has arrived, not until it is released. */
static void a_copy_is_held_until_the_message_has_arrived(void **state)
{
    struct weir_sendopt opt = { .size = sizeof(opt), .flags = WEIR_RELEASED | WEIR_COPY };
    unsigned char *data = noise(50000, 1), *same = noise(50000, 1);
    struct iovec iov = { data, 50000 };
    (void)state;
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 1, &opt), 0);
    assert_true(stats(0).tx_bytes_held >= 50000);
    memset(data, 0, 50000);
    run(1 * MS);
    expect_count(0, 0);
    assert_memory_equal(seen[1][0].data, same, 50000);
    assert_int_equal(stats(0).tx_bytes_held, 0);
    release_all(1);
    run(1 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    free(data);
    free(same);
}

static void shutdown_goes_on_waiting_for_the_release(void **state)
{
    (void)state;
    assert_int_equal(send_released(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    assert_int_equal(weir_shutdown(ep[0]), 0);
    assert_int_equal(weir_shutdown(ep[1]), 0);
    release_all(1);
    run(1 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    assert_int_equal(stats(0).ops_pending + stats(1).ops_pending, 0);
}

static void a_peer_is_kept_until_it_is_answered(void **state)
{
    struct weir_peer *p;
    (void)state;
    begin();
    opts[1].max_peers = 1;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    assert_int_equal(send_released(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    assert_int_equal(weir_peer_put(ep[1], seen[1][0].peer), 0);
    assert_int_equal(peer_at(1, 50, &p), -ENOSPC);
    release_all(1);
    run(1 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    assert_int_equal(peer_at(1, 50, &p), 0);
}

static void waiting_sends_need_no_memory_once_warm(void **state)
{
    uint64_t warm = 0;
    (void)state;
    for (int round = 0; round < 300; round++) {
        if (round == 100)
            warm = stats(0).allocations + stats(1).allocations;
        seen_count[0] = seen_count[1] = 0;
        for (uint64_t i = 0; i < 20; i++)
            assert_int_equal(send_released(0, 1, "0123456789", 10, i), 0);
        run(100 * US);
        release_all(1);
        run(100 * US);
        expect_count(0, 20);
    }
    assert_int_equal(stats(0).allocations + stats(1).allocations, warm);
}

static uint64_t number[MANY];
static bool taken[MANY];

/* The application of endpoint 1 sees an event, and releases its message. */
static void see(const struct weir_event *event)
{
    uint64_t n;
    assert_int_equal(event->type, WEIR_EV_MESSAGE);
    memcpy(&n, event->data, sizeof(n));
    assert_true(n < MANY && !taken[n]);
    taken[n] = true;
    weir_release(ep[1], event->lease);
}

/* Its transport has all that was sent, and its application one message of ten, when endpoint 1 dies. */
static void die(void)
{
    kill_ep(1);
    assert_int_equal(start(1), 0);
    asleep[1] = false;
    run(2 * SECOND);
    assert_int_equal(stats(0).ops_pending, 0);
}

/* Sends 1000 messages to endpoint 1, which dies four times. Returns how many ended with result 0 and were never seen by
 * its application. */
static uint32_t unseen_of_1000(uint32_t flags)
{
    struct weir_sendopt opt = { .size = sizeof(opt), .flags = flags };
    struct weir_event event;
    uint32_t done = 0, unseen = 0;
    memset(taken, 0, sizeof(taken));
    for (uint32_t i = 0; i < MANY; i++) {
        struct iovec iov = { &number[i], sizeof(number[i]) };
        number[i] = i;
        assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, i, &opt), 0);
        if (i % 10 != 9)
            continue;
        asleep[1] = true;
        run(10 * US);
        if (weir_poll(ep[1], &event, 1, 0) == 1)
            see(&event);
        if (i % 250 == 249)
            die();
        for (int k = 0; k < seen_count[1]; k++)
            see(&seen[1][k]);
        seen_count[1] = 0;
        for (int k = 0; k < seen_count[0]; k++)
            unseen += seen[0][k].result == 0 && !taken[seen[0][k].user_data];
        done += (uint32_t)seen_count[0];
        seen_count[0] = 0;
    }
    assert_int_equal(done, MANY);
    return unseen;
}

static void no_message_is_done_that_the_application_never_saw(void **state)
{
    (void)state;
    assert_true(unseen_of_1000(0) > 500); /* what the transport has is what counts */
    assert_int_equal(unseen_of_1000(WEIR_RELEASED), 0);
}

struct shared {     /* between the test and its children */
    in_port_t port; /* of the receiver; 0 = any */
    _Atomic bool taken[MANY];
};

/* A receiver with an application that is slower than its transport. Writes a byte to fd when it is open. Does not
 * return. */
static void receive_for_ever(struct shared *s, int fd)
{
    struct weir_opts o = { .size = sizeof(o) };
    struct sockaddr_in addr;
    socklen_t len = sizeof(addr);
    struct weir_event event;
    struct weir_ep *e;
    char bind[32];
    uint64_t n;
    (void)snprintf(bind, sizeof(bind), "127.0.0.1:%u", ntohs(s->port));
    o.bind = bind;
    if (weir_open(&e, &o) != 0 || weir_address(e, (struct sockaddr *)&addr, &len) != 0)
        _exit(1);
    s->port = addr.sin_port;
    if (write(fd, "", 1) != 1)
        _exit(1);
    while (weir_poll(e, &event, 1, -1) == 1) {
        if (event.type != WEIR_EV_MESSAGE)
            continue;
        memcpy(&n, event.data, sizeof(n));
        s->taken[n] = true;
        weir_release(e, event.lease);
    }
    _exit(1);
}

static pid_t start_receiver(struct shared *s)
{
    int ends[2];
    char byte;
    pid_t pid;
    assert_int_equal(pipe(ends), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        receive_for_ever(s, ends[1]);
    assert_int_equal(close(ends[1]), 0);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(close(ends[0]), 0);
    return pid;
}

/* The same with processes that are killed by the kernel. */
static void a_killed_process_has_released_what_is_done(void **state)
{
    struct weir_sendopt opt = { .size = sizeof(opt), .flags = WEIR_RELEASED };
    struct weir_opts o = { .size = sizeof(o), .bind = "127.0.0.1:0" };
    struct shared *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    struct weir_event event;
    struct weir_peer *p;
    struct weir_ep *e;
    uint32_t sent = 0, ended = 0, good = 0, kills = 0;
    pid_t pid;
    (void)state;
    assert_true(s != MAP_FAILED);
    pid = start_receiver(s);
    addr.sin_port = s->port;
    assert_int_equal(weir_open(&e, &o), 0);
    assert_int_equal(weir_peer_get(e, (struct sockaddr *)&addr, sizeof(addr), &p), 0);
    while (ended < MANY) {
        for (; sent < MANY && sent - ended < 60; sent++) {
            struct iovec iov = { &number[sent], sizeof(number[sent]) };
            number[sent] = sent;
            assert_int_equal(weir_send(e, p, &iov, 1, sent, &opt), 0);
        }
        if (kills < 3 && ended > 200 * (kills + 1)) {
            kills++;
            assert_int_equal(kill(pid, SIGKILL), 0);
            assert_int_equal(waitpid(pid, NULL, 0), pid);
            pid = start_receiver(s);
        }
        if (weir_poll(e, &event, 1, -1) != 1)
            continue;
        assert_int_equal(event.type, WEIR_EV_SENT);
        assert_true(event.result != 0 || s->taken[event.user_data]);
        good += event.result == 0;
        ended++;
    }
    assert_int_equal(kills, 3);
    assert_in_range(good, MANY - 3 * 60, MANY);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(weir_close(e), 0);
    assert_int_equal(munmap(s, sizeof(*s)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_send_ends_when_its_message_is_released, setup, teardown),
        cmocka_unit_test_setup_teardown(what_lends_nothing_is_released_by_its_event, setup, teardown),
        cmocka_unit_test(a_receiver_that_ends_before_it_releases_resets),
        cmocka_unit_test_setup_teardown(a_deadline_and_a_cancel_end_the_wait, setup, teardown),
        cmocka_unit_test_teardown(answers_need_no_operation_of_the_application, teardown),
        cmocka_unit_test_setup_teardown(an_answer_waits_for_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(answers_to_a_peer_that_is_gone_are_dropped, setup, teardown),
        cmocka_unit_test_setup_teardown(an_answer_that_is_lost_is_sent_again, setup, teardown),
        cmocka_unit_test_setup_teardown(the_flag_is_of_sends_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(a_copy_is_held_until_the_message_has_arrived, setup, teardown),
        cmocka_unit_test_setup_teardown(shutdown_goes_on_waiting_for_the_release, setup, teardown),
        cmocka_unit_test_teardown(a_peer_is_kept_until_it_is_answered, teardown),
        cmocka_unit_test_setup_teardown(waiting_sends_need_no_memory_once_warm, setup, teardown),
        cmocka_unit_test_setup_teardown(no_message_is_done_that_the_application_never_saw, setup, teardown),
        cmocka_unit_test(a_killed_process_has_released_what_is_done),
    };
    return cmocka_run_group_tests_name("endpoint/released", tests, NULL, NULL);
}
