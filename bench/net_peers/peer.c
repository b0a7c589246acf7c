/* bench/net_peers/peer.c - main() of the programs of this folder. One process is one end, on one processor. bench/net_peers/run reads
 * its counters: each line on standard input is answered by one line of JSON, and the end of standard input ends the program. */
#define _GNU_SOURCE
#include "peer.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    BUCKET_BITS = 6, /* 64 buckets for each power of two: right to 1/128 */
    BUCKETS = 64 << BUCKET_BITS,
};

static struct peer_opts opts = { .bytes = 1000000, .depth = 1 };
static _Atomic uint64_t moved_messages, moved_bytes, lost_messages;
static uint64_t started_ns[PEER_DEPTH_MAX];
static uint32_t bucket[BUCKETS]; /* of round trips since the last mark, in ns */
static uint64_t calls, longest_ns;
static atomic_int marks_wanted, ended;
static int syscall_fd = -1;
static unsigned char *message;

_Noreturn void peer_die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", peer_ops.name, what, why);
    _exit(1);
}

_Noreturn void peer_fail(const char *what)
{
    peer_die(what, strerror(errno));
}

uint64_t peer_now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void *peer_message(void)
{
    return message;
}

void peer_moved(uint64_t bytes)
{
    atomic_fetch_add_explicit(&moved_messages, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&moved_bytes, bytes, memory_order_relaxed);
}

void peer_lost(uint64_t messages)
{
    atomic_fetch_add_explicit(&lost_messages, messages, memory_order_relaxed);
}

void peer_call_begins(uint32_t slot)
{
    started_ns[slot] = peer_now_ns();
}

static uint32_t bucket_of(uint64_t ns)
{
    uint32_t shift = ns < 1 << BUCKET_BITS ? 0 : 63 - BUCKET_BITS - (uint32_t)__builtin_clzll(ns);
    uint32_t at = ns < 1 << BUCKET_BITS ? (uint32_t)ns : (shift << BUCKET_BITS) + (uint32_t)(ns >> shift);
    return at < BUCKETS ? at : BUCKETS - 1;
}

void peer_call_ends(uint32_t slot)
{
    uint64_t ns = peer_now_ns() - started_ns[slot];
    bucket[bucket_of(ns)]++;
    calls++;
    longest_ns = ns > longest_ns ? ns : longest_ns;
    peer_moved(PEER_CALL_BYTES);
}

/* --- counters --- */

/* Counts the system calls of this process, threads to come included. It slows every system call, so it is asked for. */
static void count_syscalls(void)
{
    static const char *const path[] = { "/sys/kernel/tracing/events/raw_syscalls/sys_enter/id",
                                        "/sys/kernel/debug/tracing/events/raw_syscalls/sys_enter/id" };
    struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .inherit = 1 };
    unsigned long long id = 0;
    for (size_t i = 0; i < 2 && id == 0; i++) {
        FILE *file = fopen(path[i], "re");
        if (file != NULL && fscanf(file, "%llu", &id) != 1)
            id = 0;
        if (file != NULL)
            (void)fclose(file);
    }
    attr.config = id;
    if (id != 0)
        syscall_fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static uint64_t syscalls(void)
{
    uint64_t count;
    return syscall_fd >= 0 && read(syscall_fd, &count, sizeof(count)) == sizeof(count) ? count : PEER_UNKNOWN;
}

static void print_count(const char *key, uint64_t count)
{
    if (count == PEER_UNKNOWN)
        printf(", \"%s\": null", key);
    else
        printf(", \"%s\": %llu", key, (unsigned long long)count);
}

static uint64_t us_of(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

/* Prints the round trips since the last mark as [bucket, count] pairs, and forgets them. */
static void print_round_trips(void)
{
    const char *between = "";
    printf(", \"calls\": %llu, \"longest_ns\": %llu, \"bucket_bits\": %d, \"buckets\": [", (unsigned long long)calls,
           (unsigned long long)longest_ns, BUCKET_BITS);
    for (uint32_t i = 0; i < BUCKETS; i++) {
        if (bucket[i] > 0) {
            printf("%s[%u, %u]", between, i, bucket[i]);
            between = ", ";
        }
    }
    printf("]");
    memset(bucket, 0, sizeof(bucket));
    calls = longest_ns = 0;
}

static void print_mark(void)
{
    struct peer_counters c = { PEER_UNKNOWN, PEER_UNKNOWN, PEER_UNKNOWN, PEER_UNKNOWN, PEER_UNKNOWN };
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    if (peer_ops.count != NULL)
        peer_ops.count(&c);
    printf("{\"ns\": %llu, \"user_us\": %llu, \"system_us\": %llu, \"messages\": %llu, \"bytes\": %llu, \"lost\": %llu",
           (unsigned long long)peer_now_ns(), (unsigned long long)us_of(usage.ru_utime),
           (unsigned long long)us_of(usage.ru_stime), (unsigned long long)atomic_load(&moved_messages),
           (unsigned long long)atomic_load(&moved_bytes), (unsigned long long)atomic_load(&lost_messages));
    print_count("packets_sent", c.packets_sent);
    print_count("packets_received", c.packets_received);
    print_count("retransmissions", c.retransmissions);
    print_count("duplicates", c.duplicates);
    print_count("syscalls_counted", c.syscalls);
    print_count("syscalls", syscalls());
    print_round_trips();
    printf("}\n");
    (void)fflush(stdout);
}

/* Reads what is asked. A thread of its own, so that no library has to wait for standard input. */
static void *listen_to_driver(void *unused)
{
    char line[64];
    while (fgets(line, sizeof(line), stdin) != NULL)
        atomic_fetch_add(&marks_wanted, 1);
    atomic_store(&ended, 1);
    return unused;
}

/* --- the program --- */

/* Every TCP socket of this process, the libraries' too, has one congestion control, whatever the system's default is: the libraries find
 * this function, not libc's. Where the kernel does not allow it, the default remains. */
int socket(int domain, int type, int protocol)
{
    int fd = (int)syscall(SYS_socket, domain, type, protocol);
    if (fd >= 0 && domain != AF_UNIX && (type & 15) == SOCK_STREAM)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
    return fd;
}

static void stay_on(uint32_t core)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    if (sched_setaffinity(0, sizeof(one), &one) != 0)
        peer_fail("core");
}

static void step(void)
{
    static volatile uint64_t burnt;
    switch (opts.role) {
    case PEER_SERVE:
        peer_ops.serve();
        break;
    case PEER_SEND:
        peer_ops.send();
        break;
    case PEER_CALL:
        peer_ops.call();
        break;
    case PEER_BURN:
        for (uint32_t i = 0; i < 100000; i++)
            burnt++;
        break;
    }
}

/* A server is ready when it listens, the others when something has gone through. */
static bool is_ready(void)
{
    return opts.role == PEER_SERVE || opts.role == PEER_BURN || atomic_load(&moved_messages) > 0;
}

static void loop(void)
{
    bool ready = false;
    while (!atomic_load(&ended)) {
        if (!ready && is_ready()) {
            printf("ready %s\n", opts.role == PEER_BURN ? "" : peer_ops.version());
            (void)fflush(stdout);
            ready = true;
        }
        for (; atomic_load(&marks_wanted) > 0; atomic_fetch_sub(&marks_wanted, 1))
            print_mark();
        step();
    }
}

static _Noreturn void usage(void)
{
    fprintf(stderr,
            "usage: net_peer_%s serve|send|call|burn ADDRESS PORT CORE [bytes=N] [depth=N] [rate=BPS] [protection=P] "
            "[key=FILE] [syscalls=1]\n"
            "bench/net_peers/run starts this program\n",
            peer_ops.name);
    exit(2);
}

static uint64_t number(const char *text, uint64_t least, uint64_t most)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || value < least || value > most)
        usage();
    return value;
}

static void read_option(const char *text)
{
    const char *value = strchr(text, '=');
    if (value++ == NULL)
        usage();
    if (strncmp(text, "bytes=", 6) == 0)
        opts.bytes = (uint32_t)number(value, PEER_CALL_BYTES + 1, PEER_MESSAGE_MAX);
    else if (strncmp(text, "depth=", 6) == 0)
        opts.depth = (uint32_t)number(value, 1, PEER_DEPTH_MAX);
    else if (strncmp(text, "rate=", 5) == 0)
        opts.rate_bps = number(value, 0, UINT64_MAX);
    else if (strncmp(text, "protection=", 11) == 0)
        opts.protection = value;
    else if (strncmp(text, "key=", 4) == 0)
        opts.key_file = value;
    else if (strcmp(text, "syscalls=1") == 0)
        count_syscalls();
    else
        usage();
}

int main(int argc, char **argv)
{
    static const char *const roles[] = { "serve", "send", "call", "burn" };
    pthread_t thread;
    uint32_t role = 0;
    while (argc >= 5 && role < 4 && strcmp(argv[1], roles[role]) != 0)
        role++;
    if (argc < 5 || role == 4 || (role == PEER_SEND && peer_ops.send == NULL))
        usage();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the driver be killed */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN); /* of a terminal: the driver's */
    opts.role = (enum peer_role)role;
    opts.address = argv[2];
    opts.port = (uint16_t)number(argv[3], 1, 65534);
    stay_on((uint32_t)number(argv[4], 0, CPU_SETSIZE - 1));
    for (int i = 5; i < argc; i++)
        read_option(argv[i]);
    message = malloc(opts.bytes);
    if (message == NULL)
        peer_fail("memory");
    memset(message, 'm', opts.bytes);
    if (opts.role != PEER_BURN)
        peer_ops.open(&opts);
    if (pthread_create(&thread, NULL, listen_to_driver, NULL) != 0)
        peer_die("thread", "none");
    loop();
    (void)fflush(stdout);
    _exit(0); /* the kernel closes what is open; a library's own closing may wait for its peer */
}
