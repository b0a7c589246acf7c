/* bench/soft_switch/frames.c - all hosts of a measurement: one process that has a port on the host's end of each cable, sends UDP
 * datagrams over IPv4 and takes what arrives. bench/soft_switch/run starts it and compares.
 *
 *   soft_switch_frames flood SECONDS BYTES DEVICE DEVICE      the first sends as fast as it can, the second takes
 *   soft_switch_frames echo SECONDS BYTES DEVICE DEVICE       round trips of one frame at a time, 1 ms apart
 *   soft_switch_frames pace SECONDS BYTES BPS DEVICE ..       each sends to the next, BPS with the 24 bytes around a frame
 *   soft_switch_frames burst FRAMES BYTES DEVICE DEVICE       the first sends so many at once; then a line is read, and what came is taken
 *
 * BYTES is a frame without its check sequence. Host N has the address 10.54.0.(N + 1). One line of JSON says what was sent, refused by a full
 * ring, and has arrived, of each host. It begins to measure when a line comes on standard input, and says "ready" before. */
#define _GNU_SOURCE
#include "core/assert.h"
#include "raw/raw.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
    HOSTS_MAX = 16,
    BATCH = 64,
    LEAST = 60,
    MOST = 1514,
    AROUND = 24,       /* bytes around a frame on the wire */
    DRAIN_MS = 500,    /* nothing has come for so long: all has */
    LOST_MS = 1000,    /* so long after it was sent an echo is lost */
    SAMPLES = 1 << 20, /* of round trips */
    NAP_US = 1000,
};
#define MS UINT64_C(1000000)

struct host {
    struct weir_raw *port;
    unsigned char frame[MOST];          /* to the next host */
    uint64_t sent, refused, got, other; /* other: arrived, but none of these frames */
    uint64_t due_ns;
};

static struct host host[HOSTS_MAX];
static uint32_t hosts, bytes;
static uint64_t sample[SAMPLES];

static _Noreturn void fail(const char *what)
{
    (void)fprintf(stderr, "soft_switch_frames: %s\n", what);
    exit(1);
}

static uint64_t now_ns(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- frames ---- */

static void put16(unsigned char *at, uint32_t value)
{
    at[0] = (unsigned char)(value >> 8);
    at[1] = (unsigned char)value;
}

/* Writes IPv4's checksum. */
static void put_checksum(unsigned char *ip)
{
    uint32_t sum = 0;
    put16(ip + 10, 0);
    for (int i = 0; i < 20; i += 2)
        sum += (uint32_t)ip[i] << 8 | ip[i + 1];
    while (sum >> 16 != 0)
        sum = (sum & 0xffff) + (sum >> 16);
    put16(ip + 10, ~sum & 0xffff);
}

/* Makes a frame from a host to another: UDP to the port 9, without a checksum. */
static void make_frame(unsigned char *frame, uint32_t from, uint32_t to)
{
    unsigned char *ip = frame + 14;
    WEIR_ASSERT(from < HOSTS_MAX && to < HOSTS_MAX);
    memset(frame, 0, MOST);
    frame[0] = frame[6] = 2;
    frame[5] = (unsigned char)(to + 1);
    frame[11] = (unsigned char)(from + 1);
    put16(frame + 12, 0x0800);
    ip[0] = 0x45;
    put16(ip + 2, bytes - 14);
    ip[8] = 64;
    ip[9] = 17;
    ip[12] = ip[16] = 10;
    ip[13] = ip[17] = 54;
    ip[15] = (unsigned char)(from + 1);
    ip[19] = (unsigned char)(to + 1);
    put_checksum(ip);
    put16(ip + 20, 20000 + from);
    put16(ip + 22, 9);
    put16(ip + 24, bytes - 34);
}

static bool is_ours(const struct weir_raw_frame *f)
{
    return f->length == bytes && f->bytes[12] == 8 && f->bytes[13] == 0 && f->bytes[14 + 9] == 17;
}

/* ---- ports ---- */

static void open_hosts(char **device, uint32_t count)
{
    static const struct weir_raw_options options = { .kind = WEIR_RAW_AUTO };
    struct weir_err err;
    if (count < 2 || count > HOSTS_MAX)
        fail("two devices at least, and 16 at most");
    for (hosts = 0; hosts < count; hosts++) {
        struct weir_raw_device read;
        if (weir_raw_device_read(&read, device[hosts], &err) != 0 ||
            weir_raw_open(&host[hosts].port, &read, &options, &err) != 0)
            fail(err.text);
        make_frame(host[hosts].frame, hosts, (hosts + 1) % count);
    }
}

/* Takes what has arrived at a host. @return how many frames of ours */
static uint32_t take(struct host *h)
{
    struct weir_raw_frame frame[BATCH];
    uint32_t count = weir_raw_rx(h->port, frame, BATCH), ours = 0;
    for (uint32_t i = 0; i < count; i++)
        ours += is_ours(&frame[i]);
    h->got += ours;
    h->other += count - ours;
    return ours;
}

static void send_frame(struct host *h)
{
    if (weir_raw_tx(h->port, h->frame, bytes))
        h->sent++;
    else
        h->refused++;
}

/* Takes until nothing has come for a while. */
static void drain(void)
{
    uint64_t last_ns = now_ns(CLOCK_MONOTONIC);
    while (now_ns(CLOCK_MONOTONIC) - last_ns < DRAIN_MS * MS) {
        uint32_t count = 0;
        for (uint32_t h = 0; h < hosts; h++) {
            weir_raw_kick(host[h].port);
            count += take(&host[h]);
        }
        if (count > 0)
            last_ns = now_ns(CLOCK_MONOTONIC);
        else
            (void)usleep(NAP_US);
    }
}

static void wait_for_line(void)
{
    char line[16];
    if (fgets(line, sizeof(line), stdin) == NULL)
        exit(0);
}

/* Each host sends one frame, so that a bridge knows where it is. Then the counters begin. */
static void begin(void)
{
    for (uint32_t h = 0; h < hosts; h++) {
        send_frame(&host[h]);
        weir_raw_kick(host[h].port);
    }
    drain();
    for (uint32_t h = 0; h < hosts; h++)
        host[h].sent = host[h].refused = host[h].got = host[h].other = 0;
    (void)puts("ready");
    (void)fflush(stdout);
    wait_for_line();
}

/* ---- what is measured ---- */

struct window { /* of a measurement */
    uint64_t start_ns, start_cpu_ns, ns, cpu_ns;
    uint64_t got[HOSTS_MAX]; /* at its end, before what was under way has arrived */
};

static void window_begin(struct window *w)
{
    w->start_ns = now_ns(CLOCK_MONOTONIC);
    w->start_cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    for (uint32_t h = 0; h < hosts; h++)
        w->got[h] = host[h].got;
}

static void window_end(struct window *w)
{
    w->ns = now_ns(CLOCK_MONOTONIC) - w->start_ns;
    w->cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - w->start_cpu_ns;
    for (uint32_t h = 0; h < hosts; h++)
        w->got[h] = host[h].got - w->got[h];
}

static void print_list(const char *key, size_t offset)
{
    (void)printf(", \"%s\": [", key);
    for (uint32_t h = 0; h < hosts; h++) {
        uint64_t value;
        memcpy(&value, (const char *)&host[h] + offset, sizeof(value));
        (void)printf("%s%llu", h > 0 ? ", " : "", (unsigned long long)value);
    }
    (void)printf("]");
}

static void print(const struct window *w)
{
    uint64_t lost = 0;
    for (uint32_t h = 0; h < hosts; h++)
        lost += weir_raw_stats(host[h].port)->rx_lost;
    (void)printf("{\"ns\": %llu, \"cpu_ns\": %llu, \"rx_lost\": %llu", (unsigned long long)w->ns,
                 (unsigned long long)w->cpu_ns, (unsigned long long)lost);
    print_list("sent", offsetof(struct host, sent));
    print_list("refused", offsetof(struct host, refused));
    print_list("got", offsetof(struct host, got));
    print_list("other", offsetof(struct host, other));
    (void)printf(", \"got_in_time\": [");
    for (uint32_t h = 0; h < hosts; h++)
        (void)printf("%s%llu", h > 0 ? ", " : "", (unsigned long long)w->got[h]);
    (void)printf("]");
}

static void flood(struct window *w, uint64_t run_ns)
{
    window_begin(w);
    while (now_ns(CLOCK_MONOTONIC) - w->start_ns < run_ns) {
        for (int i = 0; i < BATCH; i++)
            send_frame(&host[0]);
        weir_raw_kick(host[0].port);
        (void)take(&host[1]);
    }
    window_end(w);
    drain();
}

/* Sends what is due at all hosts, then takes. One that is late by a stall of this process sends what it has missed. */
static void pace_step(uint64_t gap_ns)
{
    for (uint32_t h = 0; h < hosts; h++) {
        uint64_t sent = host[h].sent;
        for (int i = 0; i < BATCH && host[h].due_ns <= now_ns(CLOCK_MONOTONIC); i++, host[h].due_ns += gap_ns)
            send_frame(&host[h]);
        if (host[h].sent != sent)
            weir_raw_kick(host[h].port);
        (void)take(&host[h]);
    }
}

static void pace(struct window *w, uint64_t run_ns, uint64_t bps)
{
    uint64_t gap_ns = (uint64_t)((bytes < LEAST ? LEAST : bytes) + AROUND) * 8000000000 / bps;
    uint64_t start_ns = now_ns(CLOCK_MONOTONIC);
    for (uint32_t h = 0; h < hosts; h++)
        host[h].due_ns = start_ns + h * gap_ns / hosts;
    while (now_ns(CLOCK_MONOTONIC) - start_ns < 500 * MS) /* until queues are what they will be */
        pace_step(gap_ns);
    window_begin(w);
    while (now_ns(CLOCK_MONOTONIC) - w->start_ns < run_ns)
        pace_step(gap_ns);
    window_end(w);
    drain();
}

/* Waits for a frame of ours. @return false = it is lost */
static bool await(struct host *h, uint64_t since_ns)
{
    while (take(h) == 0)
        if (now_ns(CLOCK_MONOTONIC) - since_ns > LOST_MS * MS)
            return false;
    return true;
}

static uint32_t echo(struct window *w, uint64_t run_ns)
{
    uint32_t count = 0;
    window_begin(w);
    while (now_ns(CLOCK_MONOTONIC) - w->start_ns < run_ns && count < SAMPLES) {
        (void)usleep(NAP_US);
        uint64_t sent_ns = now_ns(CLOCK_MONOTONIC);
        bool came = true;
        for (uint32_t h = 0; h < 2 && came; h++) {
            send_frame(&host[h]);
            weir_raw_kick(host[h].port);
            came = await(&host[1 - h], sent_ns);
        }
        if (came)
            sample[count++] = now_ns(CLOCK_MONOTONIC) - sent_ns;
    }
    window_end(w);
    return count;
}

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void print_samples(uint32_t count)
{
    qsort(sample, count, sizeof(sample[0]), by_size);
    if (count > 0)
        (void)printf(", \"samples\": %u, \"p50_ns\": %llu, \"p99_ns\": %llu, \"max_ns\": %llu", count,
                     (unsigned long long)sample[count / 2], (unsigned long long)sample[(uint64_t)count * 99 / 100],
                     (unsigned long long)sample[count - 1]);
}

/* Sends a number of frames, then waits for a line: meanwhile nobody reads at the other side. */
static void burst(struct window *w, uint64_t frames)
{
    window_begin(w);
    while (host[0].sent < frames) {
        for (int i = 0; i < BATCH && host[0].sent < frames; i++)
            send_frame(&host[0]);
        weir_raw_kick(host[0].port);
    }
    (void)puts("sent");
    (void)fflush(stdout);
    wait_for_line();
    drain();
    window_end(w);
}

int main(int argc, char **argv)
{
    struct window w = { 0 };
    bool is_pace = argc > 1 && strcmp(argv[1], "pace") == 0;
    int first = is_pace ? 5 : 4;
    if (argc < first + 2)
        fail("flood|echo|pace|burst, as the head of its source says");
    uint64_t run_ns = (uint64_t)(strtod(argv[2], NULL) * 1e9);
    bytes = (uint32_t)strtoul(argv[3], NULL, 10);
    if (bytes < LEAST || bytes > MOST)
        fail("a frame has 60 to 1514 bytes");
    (void)prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    open_hosts(argv + first, (uint32_t)(argc - first));
    begin();
    uint32_t samples = 0;
    if (is_pace)
        pace(&w, run_ns, strtoull(argv[4], NULL, 10));
    else if (strcmp(argv[1], "flood") == 0)
        flood(&w, run_ns);
    else if (strcmp(argv[1], "echo") == 0)
        samples = echo(&w, run_ns);
    else
        burst(&w, strtoull(argv[2], NULL, 10));
    print(&w);
    print_samples(samples);
    (void)printf("}\n");
    for (uint32_t h = 0; h < hosts; h++)
        weir_raw_close(host[h].port);
    return 0;
}
