/* test/net/test_shards.c - endpoints that share a port with steering, over real sockets on the loopback device of a
 * namespace of our own: shards are closed, opened again and killed under load, and none of it harms a connection of
 * another. By the contract alone (weir.h). The thread sanitizer runs it, too.
 *
 * --kills N: shards that are killed; --closes N: that are closed; --messages N: between threads. */
#define _GNU_SOURCE
#include "test/unit/weir_test.h"
#include "test/unit/driver/bpf_space.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <weir/weir.h>

#define PORT "127.0.0.1:7000"
#define MS INT64_C(1000000)
#define PATIENCE_S 60 /* for what must come */

enum { SHARDS = 2, CLIENTS = 40, CALLS = 3, KEYS_BYTES = 200 };

struct client {
    struct weir_ep *ep;
    struct weir_peer *server;
    bool waits;            /* for a reply */
    int home;              /* the shard that answered last */
    uint32_t done, failed; /* calls */
    int32_t result;        /* of the last that failed */
};

static const char *missing; /* why nothing can be tested; NULL = it can */
static long kills = 4, closes = 20, messages = 20000;
static struct weir_ep *shards[SHARDS]; /* NULL = none, or in another process */
static struct client clients[CLIENTS];
static const char *protection, *key_file;            /* of all endpoints */
static int64_t silence_ns = 4000 * MS;               /* of peers: a client asks once a second for its reply */
static char keys_path[] = "/tmp/weir-shards-XXXXXX"; /* no file has this name before mkstemp() */
static time_t give_up_s;

static void need(void)
{
    if (missing != NULL) {
        print_message("%s: not tested\n", missing);
        skip();
    }
    give_up_s = time(NULL) + PATIENCE_S;
}

static int open_ep(struct weir_ep **ep, const char *address, uint32_t flags)
{
    struct weir_opts opts = { .size = sizeof(opts),
                              .bind = address,
                              .flags = flags | WEIR_OPEN_LEND_PEERS,
                              .mtu = 1500,
                              .rx_bytes = 4 << 20,
                              .max_ops = 1024,
                              .max_peers = 512,
                              .peer_timeout_ns = (uint64_t)silence_ns,
                              .protection = protection,
                              .key_file = key_file };
    return weir_open(ep, &opts);
}

static void open_shard(int number)
{
    uint32_t also = number == 0 ? WEIR_OPEN_SHARED : 0; /* beside the other flag it means nothing more */
    if (open_ep(&shards[number], PORT, WEIR_OPEN_STEERED | also) != 0)
        fail_msg("%s", weir_open_error());
}

static void open_client(struct client *c)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(7000) };
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *c = (struct client){ .home = -1 };
    assert_int_equal(open_ep(&c->ep, "127.0.0.1:0", 0), 0);
    assert_int_equal(weir_peer_get(c->ep, (struct sockaddr *)&to, sizeof(to), &c->server), 0);
}

static int close_all(void **state)
{
    (void)state;
    for (int i = 0; i < CLIENTS; i++) {
        (void)weir_close(clients[i].ep);
        clients[i].ep = NULL;
    }
    for (int i = 0; i < SHARDS; i++) {
        (void)weir_close(shards[i]);
        shards[i] = NULL;
    }
    protection = key_file = NULL;
    (void)unlink(keys_path);
    return 0;
}

/* Polls a shard, and answers calls with its number. @return the number of events */
static int serve(struct weir_ep *ep, int number, int64_t timeout_ns)
{
    struct weir_sendopt copy = { .size = sizeof(copy), .flags = WEIR_COPY };
    unsigned char who = (unsigned char)number;
    struct iovec reply = { &who, 1 };
    struct weir_event events[32];
    int count = weir_poll(ep, events, 32, timeout_ns);
    for (int i = 0; i < count; i++) {
        if (events[i].type == WEIR_EV_CALL)
            (void)weir_reply(ep, events[i].rpc, &reply, 1, 0, &copy);
        weir_release(ep, events[i].lease);
    }
    return count;
}

/* Polls a client, which makes one call after the other. @return the number of events */
static int ask(struct client *c)
{
    static char question[1];
    struct iovec request = { question, sizeof(question) };
    struct weir_event event;
    int count;
    if (!c->waits)
        c->waits = weir_call(c->ep, c->server, &request, 1, 0, NULL) == 0;
    count = weir_poll(c->ep, &event, 1, 0);
    if (count != 1 || event.type != WEIR_EV_REPLY)
        return count;
    c->waits = false;
    if (event.result == 0) {
        c->done++;
        c->home = *(const unsigned char *)event.data;
    } else {
        c->failed++;
        c->result = event.result;
    }
    weir_release(c->ep, event.lease);
    return 1;
}

/* Sleeps until an endpoint has something to do, for at most some milliseconds. */
static void rest(void)
{
    struct pollfd fds[SHARDS + CLIENTS];
    nfds_t count = 0;
    for (int i = 0; i < SHARDS; i++)
        if (shards[i] != NULL)
            fds[count++] = (struct pollfd){ .fd = weir_fd(shards[i]), .events = POLLIN };
    for (int i = 0; i < CLIENTS; i++)
        fds[count++] = (struct pollfd){ .fd = weir_fd(clients[i].ep), .events = POLLIN };
    (void)poll(fds, count, 2);
}

/* Runs all until each client has had some more replies. */
static void run(uint32_t more)
{
    uint32_t goal[CLIENTS];
    bool all = false;
    for (int i = 0; i < CLIENTS; i++)
        goal[i] = clients[i].done + more;
    while (!all) {
        int events = 0;
        assert_true(time(NULL) < give_up_s);
        for (int i = 0; i < SHARDS; i++)
            events += shards[i] != NULL ? serve(shards[i], i, 0) : 0;
        all = true;
        for (int i = 0; i < CLIENTS; i++) {
            events += ask(&clients[i]);
            all &= clients[i].done >= goal[i];
        }
        if (events == 0 && !all)
            rest();
    }
}

static uint32_t living_at(int shard)
{
    uint32_t count = 0;
    for (int i = 0; i < CLIENTS; i++)
        count += clients[i].home == shard;
    return count;
}

/* Counts the calls that failed since the last count, of clients that lived at a shard, or not. */
struct losses {
    uint32_t before[CLIENTS];
    int home[CLIENTS];
};

static struct losses begin_count(void)
{
    struct losses l;
    for (int i = 0; i < CLIENTS; i++) {
        l.before[i] = clients[i].failed;
        l.home[i] = clients[i].home;
    }
    return l;
}

/* Asserts that no call of other shards' clients has failed, and of those of the shard that ended one at most, with
 * -ECONNRESET. @return how many failed */
static uint32_t end_count(const struct losses *l, int ended)
{
    uint32_t failed = 0;
    for (int i = 0; i < CLIENTS; i++) {
        uint32_t lost = clients[i].failed - l->before[i];
        if (l->home[i] != ended)
            assert_int_equal(lost, 0);
        else
            assert_in_range(lost, 0, 1);
        if (lost > 0)
            assert_int_equal(clients[i].result, -ECONNRESET);
        failed += lost;
    }
    return failed;
}

/* Opens every second client anew: they find their place by their new port, so that both shards have clients. */
static void mix(long round)
{
    for (int i = 0; i < CLIENTS; i++) {
        if ((i + round) % 2 != 0)
            continue;
        (void)weir_close(clients[i].ep);
        open_client(&clients[i]);
    }
    run(CALLS);
}

static void open_all(void)
{
    for (int i = 0; i < SHARDS; i++)
        open_shard(i);
    for (int i = 0; i < CLIENTS; i++)
        open_client(&clients[i]);
    run(CALLS);
}

static void closing_a_shard_harms_no_client_of_another(void **state)
{
    uint32_t failed = 0, lived = 0, others = 0;
    (void)state;
    need();
    open_all();
    for (long k = 0; k < closes; k++) {
        int ended = (int)(k % SHARDS);
        struct losses closed = begin_count(), opened;
        assert_in_range(living_at(ended), 1, CLIENTS - 1);
        lived += living_at(ended);
        others += CLIENTS - living_at(ended);
        assert_int_equal(weir_close(shards[ended]), 0);
        shards[ended] = NULL;
        run(CALLS);
        assert_int_equal(living_at(ended), 0);
        failed += end_count(&closed, ended);
        opened = begin_count();
        open_shard(ended);
        run(CALLS);
        assert_int_equal(end_count(&opened, -1), 0); /* when it comes back none fails */
        mix(k);
    }
    print_message("%ld closes: of %u clients at the shard %u calls failed, of %u at the other 0\n", closes, lived,
                  failed, others);
}

static struct weir_stats stats_of(int shard)
{
    struct weir_stats stats = { .size = sizeof(stats) };
    assert_int_equal(weir_stats(shards[shard], &stats), 0);
    return stats;
}

/* Whoever has a cookie of a shard gets its READY from that shard, though by its addresses it is another's now. */
static void a_handshake_ends_at_the_shard_where_it_began(void **state)
{
    (void)state;
    need();
    open_shard(0);
    for (int i = 0; i < CLIENTS; i++) {
        open_client(&clients[i]);
        (void)ask(&clients[i]);                           /* HELLO */
        while (stats_of(0).packets_sent <= (uint64_t)i) { /* COOKIE */
            assert_true(time(NULL) < give_up_s);
            (void)serve(shards[0], 0, 0);
        }
    }
    open_shard(1);
    run(1);
    assert_int_equal(stats_of(0).refused_packets + stats_of(1).refused_packets, 0);
    assert_int_equal(living_at(0), CLIENTS);
}

/* --- a shard in a process of its own --- */

/* Starts a process that is shard 1, and waits until it serves. */
static pid_t start_process(void)
{
    int ready[2];
    char byte;
    pid_t child, parent = getpid();
    assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) { /* it has no descriptor of its parent's endpoints, and does not outlive it */
        struct weir_ep *ep;
        if (dup2(ready[1], 3) != 3 || syscall(SYS_close_range, 4u, ~0u, 0u) != 0 ||
            prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent ||
            open_ep(&ep, PORT, WEIR_OPEN_STEERED) != 0 || write(3, "", 1) != 1)
            _exit(1);
        for (;;)
            (void)serve(ep, 1, -1);
    }
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
    return child;
}

static void kill_process(pid_t child)
{
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void killing_a_shard_harms_no_client_of_another(void **state)
{
    uint32_t failed = 0, lived = 0, others = 0;
    pid_t child;
    (void)state;
    need();
    child = start_process(); /* takes number 0 of the port, and answers with 1 */
    open_shard(0);
    for (int i = 0; i < CLIENTS; i++)
        open_client(&clients[i]);
    run(CALLS);
    for (long k = 0; k < kills; k++) {
        struct losses killed = begin_count(), opened;
        assert_in_range(living_at(1), 1, CLIENTS - 1);
        lived += living_at(1);
        others += living_at(0);
        kill_process(child);
        run(CALLS);
        assert_int_equal(living_at(1), 0);
        failed += end_count(&killed, 1);
        opened = begin_count();
        child = start_process();
        run(CALLS);
        assert_int_equal(end_count(&opened, -1), 0);
        mix(k);
    }
    kill_process(child);
    print_message("%ld kills: of %u clients at the shard %u calls failed, of %u at the other 0\n", kills, lived, failed,
                  others);
}

/* --- keys --- */

static void write_keys(const char *text)
{
    int fd = open(keys_path, O_WRONLY | O_TRUNC | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(fd);
}

/* A client gets another secret for its connection from its own shard, though by its addresses it is another's now. */
static void another_secret_comes_from_the_own_shard(void **state)
{
    static const char both[] = "1 old AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAE=\n"
                               "2 new AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAI=\n",
                      second[] = "2 new AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAI=\n";
    uint32_t moved = 0;
    int fd;
    (void)state;
    need();
    fd = mkstemp(keys_path);
    assert_true(fd >= 0);
    (void)close(fd);
    write_keys(both);
    protection = "mac";
    key_file = keys_path;
    if (open_ep(&shards[1], PORT, WEIR_OPEN_STEERED) == -ENOTSUP) {
        print_message("%s: not tested\n", weir_open_error());
        return;
    }
    open_shard(0); /* it is the port's number 1: an OPEN that names none would name the other */
    (void)weir_close(shards[1]);
    shards[1] = NULL;
    for (int i = 0; i < CLIENTS; i++)
        open_client(&clients[i]);
    run(CALLS);
    open_shard(1); /* half of the addresses are its from now on */
    write_keys(second);
    for (int i = 0; i < CLIENTS; i++) {
        assert_int_equal(weir_rekey(clients[i].ep, keys_path), 0);
        assert_string_equal(weir_peer_identity(clients[i].server), "old");
    }
    while (moved < CLIENTS) {
        run(1);
        moved = 0;
        for (int i = 0; i < CLIENTS; i++)
            moved += strcmp(weir_peer_identity(clients[i].server), "new") == 0;
    }
    for (int i = 0; i < CLIENTS; i++)
        assert_int_equal(clients[i].failed, 0);
    assert_int_equal(living_at(0), CLIENTS);
}

/* --- threads --- */

struct worker { /* a shard on a thread */
    struct weir_ep *ep;
    uint64_t messages, posts;
    bool stopped;
};

static void *work(void *argument)
{
    struct worker *w = argument;
    for (int count = 1; !w->stopped || count > 0;) { /* a post may come before messages that arrived earlier */
        struct weir_event events[32];
        count = weir_poll(w->ep, events, 32, w->stopped ? 0 : -1);
        for (int i = 0; i < count; i++) {
            w->messages += events[i].type == WEIR_EV_MESSAGE;
            w->posts += events[i].type == WEIR_EV_POSTED && events[i].data == NULL;
            w->stopped |= events[i].type == WEIR_EV_POSTED && events[i].data != NULL;
            weir_release(w->ep, events[i].lease);
        }
    }
    return NULL;
}

static void post(struct worker *w, const void *data)
{
    while (weir_post(w->ep, 0, data) != 0)
        assert_true(time(NULL) < give_up_s);
}

/* Two shards on threads of their own get messages, and posts of a third thread, which has the senders. */
static void shards_on_threads_share_nothing(void **state)
{
    struct worker workers[SHARDS] = { { .ep = NULL } };
    pthread_t threads[SHARDS];
    static char text[64];
    struct iovec what = { text, sizeof(text) };
    uint64_t sent = 0, ended = 0, posts = 0;
    (void)state;
    need();
    silence_ns = 60000 * MS; /* threads may wait for a processor for long, above all with the thread sanitizer */
    for (int i = 0; i < SHARDS; i++) {
        open_shard(i);
        workers[i].ep = shards[i];
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < CLIENTS; i++)
        open_client(&clients[i]);
    while (ended < (uint64_t)messages) {
        assert_true(time(NULL) < give_up_s);
        for (int i = 0; i < CLIENTS; i++) {
            struct weir_event events[32];
            while (sent < (uint64_t)messages && sent < ended + 400 &&
                   weir_send(clients[i].ep, clients[i].server, &what, 1, 0, NULL) == 0 && ++sent % 4 != 0)
                continue;
            int count = weir_poll(clients[i].ep, events, 32, 0);
            for (int k = 0; k < count; k++) {
                assert_int_equal(events[k].type, WEIR_EV_SENT);
                if (events[k].result != 0)
                    fail_msg("%s", weir_strerror(events[k].result));
                give_up_s = time(NULL) + PATIENCE_S;
                if (ended++ % 16 == 0)
                    post(&workers[posts++ % SHARDS], NULL);
            }
        }
    }
    for (int i = 0; i < SHARDS; i++)
        post(&workers[i], text);
    for (int i = 0; i < SHARDS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(workers[0].messages + workers[1].messages, messages);
    assert_int_equal(workers[0].posts + workers[1].posts, posts);
    assert_true(workers[0].messages > 0 && workers[1].messages > 0);
}

/* --- without the privilege --- */

/* Asks until both endpoints of a port that is shared without steering have answered. @return 0, or what went wrong */
static int without_privilege(void)
{
    if (!bpf_space_drop())
        return 1;
    if (open_ep(&shards[0], PORT, WEIR_OPEN_STEERED) != -EPERM || strstr(weir_open_error(), "CAP_BPF") == NULL)
        return 2;
    for (int i = 0; i < SHARDS; i++)
        if (open_ep(&shards[i], PORT, WEIR_OPEN_SHARED) != 0)
            return 3;
    for (int i = 0; i < CLIENTS; i++)
        open_client(&clients[i]);
    run(CALLS);
    return living_at(0) > 0 && living_at(1) > 0 ? 0 : 4;
}

static void without_the_privilege_the_port_is_shared_without_steering(void **state)
{
    int status = -1;
    pid_t child;
    (void)state;
    need();
    child = fork();
    if (child == 0)
        _exit(without_privilege());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(closing_a_shard_harms_no_client_of_another, close_all),
        cmocka_unit_test_teardown(a_handshake_ends_at_the_shard_where_it_began, close_all),
        cmocka_unit_test_teardown(killing_a_shard_harms_no_client_of_another, close_all),
        cmocka_unit_test_teardown(another_secret_comes_from_the_own_shard, close_all),
        cmocka_unit_test_teardown(shards_on_threads_share_nothing, close_all),
        cmocka_unit_test_teardown(without_the_privilege_the_port_is_shared_without_steering, close_all),
    };
    for (int i = 1; i + 1 < argc; i += 2) {
        long value = strtol(argv[i + 1], NULL, 10);
        *(strcmp(argv[i], "--kills") == 0 ? &kills : strcmp(argv[i], "--closes") == 0 ? &closes : &messages) = value;
    }
    missing = bpf_space_enter();
    return cmocka_run_group_tests_name("shards", tests, NULL, NULL);
}
