/* bench/net_endpoint.c - two endpoints over the loopback device: what a long transfer costs beside kernel TCP, and what is left of it
 * while a second core sends what strangers send. Ratios of one run are the result: ROUNDS interleaved rounds, the median of each.
 *
 * The transfer is done by one thread for both ends, which polls all the time, or by two threads on two cores, which sleep. Below
 * the rate at which one thread is busy, its processor time is that of polling: compare costs at RATE 100. The rate is the default,
 * 10 Gb/s, unless RATE says another. One JSON line per result.
 *
 * The ex-peer is a flood of 60,000 datagrams a second with the tag that the endpoint had two minutes ago, or has. The clock of the
 * endpoint is set ahead by these minutes, which nobody wants to wait for. */
#define _GNU_SOURCE
#include "endpoint/endpoint.h"
#include "wire/wire.h"
#include <weir/weir.h>
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS = 10,
    ROUND_MS = 300,
    MESSAGE = 1 << 20,
    OUTSTANDING = 4,
    EVENTS = 16,
    PINGS = 2000,
    EX_PEER_PPS = 60000,
    POOL = 3072,      /* datagrams of the flood: a third each of HELLOs, noise and wrong tokens */
    SOURCES = 32,     /* addresses that it comes from */
    FLOOD_BATCH = 64, /* of one system call */
};
#define ROUND_NS (ROUND_MS * UINT64_C(1000000))

static unsigned char message[MESSAGE], taken[MESSAGE];
static uint64_t rate_bps;
static uint32_t spin_us; /* 0 = the default */

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "net_endpoint: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t now_ns(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

static void stay_on(int i)
{
    static cpu_set_t all;
    static bool read;
    cpu_set_t one;
    if (!read)
        read = sched_getaffinity(0, sizeof(all), &all) == 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all) || i-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        (void)sched_setaffinity(0, sizeof(one), &one);
        return;
    }
}

/* --- two endpoints --- */

struct ends {
    struct weir_ep *near, *far;
    struct weir_peer *peer; /* far, as near knows it */
    struct sockaddr_in far_addr;
    uint32_t outstanding;
};

static struct weir_stats stats_of(const struct weir_ep *ep)
{
    struct weir_stats s = { .size = sizeof(s) };
    (void)weir_stats(ep, &s);
    return s;
}

static void open_ends(struct ends *e)
{
    struct weir_opts opts = { .size = sizeof(opts), .bind = "127.0.0.1:0", .rate_bps = rate_bps, .spin_us = spin_us };
    socklen_t length = sizeof(e->far_addr);
    *e = (struct ends){ 0 };
    if (weir_open(&e->near, &opts) != 0 || weir_open(&e->far, &opts) != 0)
        die(weir_open_error());
    (void)weir_address(e->far, (struct sockaddr *)&e->far_addr, &length);
    if (weir_peer_get(e->near, (struct sockaddr *)&e->far_addr, length, &e->peer) != 0)
        die("peer");
}

static void close_ends(struct ends *e)
{
    (void)weir_close(e->near);
    (void)weir_close(e->far);
}

static void near_step(struct ends *e)
{
    struct iovec iov = { message, MESSAGE };
    struct weir_event event[EVENTS];
    while (e->outstanding < OUTSTANDING && weir_send(e->near, e->peer, &iov, 1, 0, NULL) == 0)
        e->outstanding++;
    int n = weir_poll(e->near, event, EVENTS, 0);
    for (int i = 0; i < n; i++) {
        e->outstanding--;
        if (event[i].result != 0)
            die(weir_strerror(event[i].result));
    }
}

/* @return bytes of messages that came */
static uint64_t far_step(struct ends *e)
{
    struct weir_event event[EVENTS];
    uint64_t bytes = 0;
    int n = weir_poll(e->far, event, EVENTS, 0);
    for (int i = 0; i < n; i++) {
        bytes += event[i].len;
        weir_release(e->far, event[i].lease);
    }
    return bytes;
}

struct result {
    double gbps, cpu_us_per_mb; /* of both ends */
    double pkts_per_syscall;    /* of the sender, by each system call that sends; 0 = not known */
};

static struct result result_of(uint64_t bytes, uint64_t ns, uint64_t cpu_ns)
{
    if (bytes == 0)
        return (struct result){ 0 };
    return (struct result){ .gbps = (double)bytes * 8 / (double)ns,
                            .cpu_us_per_mb = (double)cpu_ns * 1e-3 / ((double)bytes * 1e-6) };
}

/* By one thread. A fifth of the time before is not counted. */
static struct result transfer(struct ends *e)
{
    uint64_t bytes = 0, end_ns = now_ns() + ROUND_NS / 5;
    while (now_ns() < end_ns) {
        near_step(e);
        (void)far_step(e);
    }
    uint64_t start_ns = now_ns(), cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    struct weir_stats before = stats_of(e->near), after;
    for (end_ns = start_ns; end_ns < start_ns + ROUND_NS; end_ns = now_ns()) {
        near_step(e);
        bytes += far_step(e);
    }
    struct result r = result_of(bytes, end_ns - start_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns);
    after = stats_of(e->near);
    r.pkts_per_syscall =
        (double)(after.packets_sent - before.packets_sent) / (double)(after.send_syscalls - before.send_syscalls);
    return r;
}

static struct result weir_by_one_thread(void)
{
    struct ends e;
    open_ends(&e);
    struct result r = transfer(&e);
    close_ends(&e);
    return r;
}

/* --- by two threads, which sleep when there is nothing to do --- */

static atomic_int stop;
static _Atomic uint64_t far_bytes, far_cpu_ns;

static void *far_thread(void *ends)
{
    struct ends *e = ends;
    struct weir_event event[EVENTS];
    stay_on(1);
    while (!atomic_load(&stop)) {
        int n = weir_poll(e->far, event, EVENTS, 10000000);
        for (int i = 0; i < n; i++) {
            atomic_fetch_add(&far_bytes, event[i].len);
            weir_release(e->far, event[i].lease);
        }
        atomic_store(&far_cpu_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID));
    }
    return NULL;
}

static void near_wait(struct ends *e)
{
    struct iovec iov = { message, MESSAGE };
    struct weir_event event[EVENTS];
    while (e->outstanding < OUTSTANDING && weir_send(e->near, e->peer, &iov, 1, 0, NULL) == 0)
        e->outstanding++;
    int n = weir_poll(e->near, event, EVENTS, 10000000);
    e->outstanding -= n > 0 ? (uint32_t)n : 0;
}

static struct result weir_by_two_threads(void)
{
    struct ends e;
    pthread_t thread;
    open_ends(&e);
    atomic_store(&stop, 0);
    if (pthread_create(&thread, NULL, far_thread, &e) != 0)
        die("thread");
    for (uint64_t end_ns = now_ns() + ROUND_NS / 5; now_ns() < end_ns;)
        near_wait(&e);
    uint64_t bytes = atomic_load(&far_bytes), start_ns = now_ns(), end_ns = start_ns;
    uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + atomic_load(&far_cpu_ns);
    struct weir_stats before = stats_of(e.near);
    for (; end_ns < start_ns + ROUND_NS; end_ns = now_ns())
        near_wait(&e);
    struct result r = result_of(atomic_load(&far_bytes) - bytes, end_ns - start_ns,
                                clock_ns(CLOCK_THREAD_CPUTIME_ID) + atomic_load(&far_cpu_ns) - cpu_ns);
    struct weir_stats after = stats_of(e.near);
    r.pkts_per_syscall =
        (double)(after.packets_sent - before.packets_sent) / (double)(after.send_syscalls - before.send_syscalls);
    atomic_store(&stop, 1);
    (void)pthread_join(thread, NULL);
    close_ends(&e);
    return r;
}

/* --- kernel TCP --- */

static void tcp_pair(int fd[2])
{
    struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof(addr);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    fd[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&addr, length) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&addr, &length) != 0 ||
        connect(fd[0], (struct sockaddr *)&addr, length) != 0)
        die("tcp");
    fd[1] = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    (void)setsockopt(fd[0], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    (void)close(listener);
}

static struct result tcp_by_one_thread(void)
{
    int fd[2];
    uint64_t bytes = 0, start_ns, cpu_ns, end_ns;
    tcp_pair(fd);
    start_ns = end_ns = now_ns();
    cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (; end_ns < start_ns + ROUND_NS; end_ns = now_ns()) {
        (void)send(fd[0], message, MESSAGE, MSG_DONTWAIT | MSG_NOSIGNAL);
        for (ssize_t n = 1; n > 0;) {
            n = recv(fd[1], taken, sizeof(taken), MSG_DONTWAIT);
            bytes += n > 0 ? (uint64_t)n : 0;
        }
    }
    struct result r = result_of(bytes, end_ns - start_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu_ns);
    (void)close(fd[0]);
    (void)close(fd[1]);
    return r;
}

static void *tcp_far_thread(void *fd)
{
    stay_on(1);
    for (ssize_t n = 1; n > 0;) {
        n = recv(*(int *)fd, taken, sizeof(taken), 0);
        atomic_fetch_add(&far_bytes, n > 0 ? (uint64_t)n : 0);
        atomic_store(&far_cpu_ns, clock_ns(CLOCK_THREAD_CPUTIME_ID));
    }
    return NULL;
}

static struct result tcp_by_two_threads(void)
{
    int fd[2];
    pthread_t thread;
    tcp_pair(fd);
    if (pthread_create(&thread, NULL, tcp_far_thread, &fd[1]) != 0)
        die("thread");
    for (uint64_t end_ns = now_ns() + ROUND_NS / 5; now_ns() < end_ns;)
        (void)send(fd[0], message, MESSAGE, MSG_NOSIGNAL);
    uint64_t bytes = atomic_load(&far_bytes), start_ns = now_ns(), end_ns = start_ns;
    uint64_t cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) + atomic_load(&far_cpu_ns);
    for (; end_ns < start_ns + ROUND_NS; end_ns = now_ns())
        (void)send(fd[0], message, MESSAGE, MSG_NOSIGNAL);
    struct result r = result_of(atomic_load(&far_bytes) - bytes, end_ns - start_ns,
                                clock_ns(CLOCK_THREAD_CPUTIME_ID) + atomic_load(&far_cpu_ns) - cpu_ns);
    (void)close(fd[0]);
    (void)pthread_join(thread, NULL);
    (void)close(fd[1]);
    return r;
}

/* --- the other core: a flood, or a process that only burns time --- */

struct strange {
    uint32_t length;
    unsigned char bytes[1472];
};
static struct strange *pool;

static uint64_t mix(uint64_t x)
{
    x ^= x >> 30, x *= UINT64_C(0xbf58476d1ce4e5b9), x ^= x >> 27, x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void fill_pool(void)
{
    pool = calloc(POOL, sizeof(*pool));
    if (pool == NULL)
        die("memory");
    for (uint32_t i = 0; i < POOL; i++) {
        struct strange *s = &pool[i];
        struct weir_wire_handshake hello = {
            .type = WEIR_WIRE_HELLO, .token = mix(i), .version = WEIR_WIRE_VERSION, .ports = 1, .mss_bytes = 1423
        };
        struct weir_wire_head head = { .pkt = { .kind = WEIR_PKT_DONE }, .token = mix(i), .counter = 1 };
        s->length = 1 + (uint32_t)(mix(i + 1000000) % sizeof(s->bytes));
        for (uint32_t k = 0; k < s->length; k++)
            s->bytes[k] = (unsigned char)(mix((uint64_t)i << 16 | k) >> 8);
        if (i % 3 == 0)
            s->length = weir_wire_encode_handshake(&hello, s->bytes, i % 2 ? WEIR_WIRE_HELLO_MIN : sizeof(s->bytes));
        else if (i % 3 == 1)
            weir_wire_encode(&head, NULL, s->bytes), s->length = WEIR_WIRE_HEAD_BYTES;
    }
}

static int source(uint32_t i)
{
    struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(0x7f000100 + i) };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0)
        die("source");
    return fd;
}

/* Fills the pool with packets of messages, whose tokens are random but for this tag. */
static void fill_pool_with(uint16_t tag)
{
    for (uint32_t i = 0; i < POOL; i++) {
        struct weir_wire_head head = { .pkt = { .kind = WEIR_PKT_DONE }, .token = mix(i) << 16 | tag, .counter = 1 };
        weir_wire_encode(&head, NULL, pool[i].bytes);
        pool[i].length = WEIR_WIRE_HEAD_BYTES;
    }
}

/* What is beside a transfer: nothing but a process that burns time, all that fits, or a flood of so many a second. */
enum beside { BURN, FLOOD, EX_PEER };

static void keep_pace(uint64_t start_ns, uint64_t sent)
{
    while (now_ns() - start_ns < sent * 1000000000 / EX_PEER_PPS)
        continue;
}

/* Sends until it is killed; counts in *sent. */
static _Noreturn void flood(enum beside what, struct sockaddr_in to, _Atomic uint64_t *sent)
{
    uint64_t start_ns = now_ns();
    struct mmsghdr msg[FLOOD_BATCH];
    struct iovec iov[FLOOD_BATCH];
    int fd[SOURCES];
    for (uint32_t i = 0; i < SOURCES; i++)
        fd[i] = source(i);
    for (uint64_t at = 0;; at += FLOOD_BATCH) {
        for (uint32_t i = 0; i < FLOOD_BATCH; i++) {
            const struct strange *s = &pool[(at + i) % POOL];
            iov[i] = (struct iovec){ (void *)(uintptr_t)s->bytes, s->length };
            msg[i].msg_hdr =
                (struct msghdr){ .msg_name = &to, .msg_namelen = sizeof(to), .msg_iov = &iov[i], .msg_iovlen = 1 };
        }
        int n = sendmmsg(fd[at / FLOOD_BATCH % SOURCES], msg, FLOOD_BATCH, 0);
        atomic_fetch_add(sent, n > 0 ? (uint64_t)n : 0);
        if (what == EX_PEER)
            keep_pace(start_ns, at);
    }
}

static _Noreturn void burn(void)
{
    for (volatile uint64_t x = 0;; x++)
        continue;
}

static pid_t begin_beside(enum beside what, struct sockaddr_in to, _Atomic uint64_t *sent)
{
    pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (pid > 0)
        return pid;
    stay_on(1);
    (void)alarm(60); /* should its parent die */
    if (what != BURN)
        flood(what, to, sent);
    burn();
}

/* Sets the clock of an endpoint ahead by two minutes, so that its tags change twice, and reports the new one. */
static void pass_two_minutes(struct ends *e)
{
    e->far->opened_ns -= UINT64_C(120000000000);
    for (uint64_t end_ns = now_ns() + ROUND_NS / 10; now_ns() < end_ns;) {
        near_step(e);
        (void)far_step(e);
    }
}

/* A transfer by one thread on the first core while the second does that. epochs: minutes since the ex-peer left: 0 or 2 */
static struct result transfer_beside(enum beside what, uint32_t epochs, double *kpps, struct weir_stats *far)
{
    static _Atomic uint64_t *sent;
    struct ends e;
    if (sent == NULL)
        sent = mmap(NULL, sizeof(*sent), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    open_ends(&e);
    for (uint64_t end_ns = now_ns() + ROUND_NS / 10; now_ns() < end_ns;) { /* established */
        near_step(&e);
        (void)far_step(&e);
    }
    if (what == EX_PEER)
        fill_pool_with(e.far->tag.present);
    if (epochs > 0)
        pass_two_minutes(&e);
    atomic_store(sent, 0);
    uint64_t start_ns = now_ns();
    pid_t pid = begin_beside(what, e.far_addr, sent);
    struct result r = transfer(&e);
    *kpps = (double)atomic_load(sent) * 1e6 / (double)(now_ns() - start_ns);
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    *far = stats_of(e.far);
    close_ends(&e);
    return r;
}

/* --- round trips --- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof(*values), by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Of an 8-byte call, by one thread. @return the median in us */
static double ping(struct ends *e, bool beside_bulk)
{
    static double us[PINGS];
    struct iovec iov = { message, MESSAGE }, small = { message, 8 };
    struct weir_event event[EVENTS];
    for (uint32_t k = 0; k < PINGS; k++) {
        uint64_t start_ns = now_ns();
        bool back = false;
        if (weir_call(e->near, e->peer, &small, 1, 1, NULL) != 0)
            die("call");
        while (!back) {
            while (beside_bulk && e->outstanding < OUTSTANDING && weir_send(e->near, e->peer, &iov, 1, 0, NULL) == 0)
                e->outstanding++;
            int n = weir_poll(e->far, event, EVENTS, 0);
            for (int i = 0; i < n; i++) {
                if (event[i].type == WEIR_EV_CALL)
                    (void)weir_reply(e->far, event[i].rpc, &small, 1, 0, NULL);
                weir_release(e->far, event[i].lease);
            }
            n = weir_poll(e->near, event, EVENTS, 0);
            for (int i = 0; i < n; i++) {
                back |= event[i].type == WEIR_EV_REPLY;
                e->outstanding -= event[i].type == WEIR_EV_SENT;
                weir_release(e->near, event[i].lease);
            }
        }
        us[k] = (double)(now_ns() - start_ns) * 1e-3;
    }
    return median(us, PINGS);
}

static void run_ping(void)
{
    double idle[ROUNDS], bulk[ROUNDS];
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct ends e;
        open_ends(&e);
        idle[i] = ping(&e, false);
        bulk[i] = ping(&e, true);
        close_ends(&e);
    }
    printf("{\"bench\": \"endpoint_ping\", \"rounds\": %d, \"idle_us\": %.2f, \"beside_bulk_us\": %.2f}\n", ROUNDS,
           median(idle, ROUNDS), median(bulk, ROUNDS));
}

/* --- results --- */

static void run_bulk(const char *threads, struct result (*weir)(void), struct result (*tcp)(void))
{
    double pkts[ROUNDS], cost[ROUNDS], tcp_cost[ROUNDS], of_tcp[ROUNDS], gbps[ROUNDS];
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct result w = weir(), t = tcp();
        pkts[i] = w.pkts_per_syscall;
        gbps[i] = w.gbps;
        cost[i] = w.cpu_us_per_mb;
        tcp_cost[i] = t.cpu_us_per_mb;
        of_tcp[i] = w.cpu_us_per_mb / t.cpu_us_per_mb;
    }
    printf("{\"bench\": \"endpoint_bulk\", \"threads\": \"%s\", \"rounds\": %d, \"gbps\": %.2f, \"pkts_per_syscall\": "
           "%.1f, "
           "\"cpu_us_per_mb\": %.0f, \"tcp_cpu_us_per_mb\": %.0f, \"cpu_of_tcp\": %.2f}\n",
           threads, ROUNDS, median(gbps, ROUNDS), median(pkts, ROUNDS), median(cost, ROUNDS), median(tcp_cost, ROUNDS),
           median(of_tcp, ROUNDS));
    fflush(stdout);
}

/* what: of the flood; its name in the result */
static void run_flood(const char *name, enum beside what, uint32_t epochs)
{
    double ratio[ROUNDS], per_cpu[ROUNDS], rate[ROUNDS], goodput[ROUNDS], least = 1e9;
    struct weir_stats far = { .size = sizeof(far) };
    uint64_t read = 0, unanswered = 0;
    fill_pool();
    for (uint32_t i = 0; i < ROUNDS; i++) {
        double none, kpps;
        struct result quiet, loud;
        if (i % 2 == 0)
            quiet = transfer_beside(BURN, epochs, &none, &far);
        loud = transfer_beside(what, epochs, &kpps, &far);
        read += far.stranger_packets;
        unanswered += far.unanswered_packets;
        if (i % 2 == 1)
            quiet = transfer_beside(BURN, epochs, &none, &far);
        ratio[i] = loud.gbps / quiet.gbps;
        per_cpu[i] = quiet.cpu_us_per_mb / loud.cpu_us_per_mb;
        goodput[i] = loud.gbps;
        rate[i] = kpps;
        least = ratio[i] < least ? ratio[i] : least;
    }
    printf("{\"bench\": \"endpoint_flood\", \"from\": \"%s\", \"rounds\": %d, \"flood_kpps\": %.0f, \"goodput_gbps\": "
           "%.2f, "
           "\"goodput_of_burning\": %.3f, \"least\": %.3f, \"goodput_per_cpu_of_burning\": %.3f, \"strangers_read\": "
           "%llu, \"unanswered\": %llu}\n",
           name, ROUNDS, median(rate, ROUNDS), median(goodput, ROUNDS), median(ratio, ROUNDS), least,
           median(per_cpu, ROUNDS), (unsigned long long)read, (unsigned long long)unanswered);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 ? argv[1] : "all";
    bool all = strcmp(which, "all") == 0;
    rate_bps = argc > 2 ? strtoull(argv[2], NULL, 10) * UINT64_C(1000000000) : 0;
    if (argc > 3 || (!all && strcmp(which, "bulk") != 0 && strcmp(which, "flood") != 0 && strcmp(which, "ping") != 0)) {
        fprintf(stderr, "usage: net_endpoint [all|bulk|flood|ping [RATE in Gb/s]]\n");
        return 2;
    }
    stay_on(0);
    if (all || strcmp(which, "bulk") == 0) {
        spin_us = 1; /* else the processor's time is that of polling */
        run_bulk("two", weir_by_two_threads, tcp_by_two_threads);
        spin_us = 0;
        run_bulk("one", weir_by_one_thread, tcp_by_one_thread);
    }
    if (all || strcmp(which, "ping") == 0)
        run_ping();
    if (all || strcmp(which, "flood") == 0) {
        run_flood("strangers", FLOOD, 0);
        run_flood("an ex-peer, two minutes later", EX_PEER, 2);
        run_flood("a peer's tag", EX_PEER, 0);
    }
    return 0;
}
