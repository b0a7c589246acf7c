/* bench/raw_forward.c - how many frames per second go from one port to another on one processor, by AF_XDP, by TPACKET and by the
 * kernel's bridge: source and sink are namespaces of their own with a port each, on veth devices. One JSON line per case.
 *
 * "mpps" is what the sink has received per second of time, and "mpps_per_core" per second of the forwarder's processor time. The bridge
 * works in the time of the source, so it has no such figure. Three processes share the processors: figures are worth what the
 * machine is worth, and ratios are the result. Needs root. */
#define _GNU_SOURCE
#include "raw/raw.h"
#include "test/unit/driver/veth.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { BATCH = 64, RUN_MS = 2000, SMALL = 60, LARGE = 1514 };

struct shared { /* between the processes */
    volatile uint64_t received;
    volatile uint32_t bytes; /* of a frame; 0 = nothing is sent */
};

static struct shared *shared;
static struct weir_err err;

static uint64_t now_ns(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static struct weir_raw *open_port(const char *name, enum weir_raw_kind kind)
{
    struct weir_raw_options options = { .kind = kind };
    struct weir_raw_device device;
    struct weir_raw *raw;
    if (weir_raw_device_read(&device, name, &err) == 0 && weir_raw_open(&raw, &device, &options, &err) == 0)
        return raw;
    (void)fprintf(stderr, "raw_forward: %s\n", err.text);
    exit(1);
}

static void send_frames(struct weir_raw *raw)
{
    static unsigned char frame[LARGE] = { 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0xb5 };
    for (;;) {
        uint32_t bytes = shared->bytes;
        for (int i = 0; i < BATCH && bytes > 0; i++)
            (void)weir_raw_tx(raw, frame, bytes);
        weir_raw_kick(raw);
    }
}

static void take_frames(struct weir_raw *raw)
{
    struct weir_raw_frame frame[BATCH];
    for (;;)
        shared->received += weir_raw_rx(raw, frame, BATCH);
}

/* Starts a process in a namespace of its own, whose device is the peer of `port`. @return its process */
static pid_t start(const char *port, void (*work)(struct weir_raw *raw))
{
    char line[256], go;
    int up[2], down[2];
    if (pipe(up) != 0 || pipe(down) != 0)
        exit(1);
    pid_t child = fork();
    if (child == 0) {
        go = unshare(CLONE_NEWNET) == 0;
        if (write(up[1], &go, 1) == 1 && read(down[0], &go, 1) == 1)
            work(open_port("eth0", WEIR_RAW_XDP));
        _exit(1);
    }
    (void)snprintf(line, sizeof(line), "ip link add %s type veth peer name eth0 netns %d", port, (int)child);
    if (read(up[0], &go, 1) != 1 || veth_run(line) != 0 || write(down[1], &go, 1) != 1)
        exit(1);
    return child;
}

static void forward(struct weir_raw **port)
{
    struct weir_raw_frame frame[BATCH];
    uint32_t count = weir_raw_rx(port[0], frame, BATCH);
    for (uint32_t i = 0; i < count; i++)
        (void)weir_raw_tx(port[1], frame[i].bytes, frame[i].length);
    if (count > 0)
        weir_raw_kick(port[1]);
}

static void measure(const char *how, struct weir_raw **port, uint32_t bytes)
{
    uint64_t start_ns = now_ns(CLOCK_MONOTONIC), cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID), before = shared->received;
    shared->bytes = bytes;
    while (now_ns(CLOCK_MONOTONIC) - start_ns < RUN_MS * UINT64_C(1000000)) {
        if (port != NULL)
            forward(port);
        else
            (void)usleep(1000);
    }
    shared->bytes = 0;
    double frames = (double)(shared->received - before), s = (double)(now_ns(CLOCK_MONOTONIC) - start_ns) / 1e9;
    double cpu_s = (double)(now_ns(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns) / 1e9;
    (void)printf("{\"bench\": \"raw_forward\", \"how\": \"%s\", \"frame_bytes\": %u, \"mpps\": %.3f, \"gbps\": %.2f",
                 how, bytes, frames / s / 1e6, frames * bytes * 8 / s / 1e9);
    if (port != NULL)
        (void)printf(", \"mpps_per_core\": %.3f", frames / cpu_s / 1e6);
    (void)printf("}\n");
    (void)fflush(stdout);
    (void)usleep(200000);
}

static void by_ports(enum weir_raw_kind kind)
{
    struct weir_raw *port[2] = { open_port("p0", kind), open_port("p1", kind) };
    (void)usleep(300000);
    measure(weir_raw_kinds[kind], port, SMALL);
    measure(weir_raw_kinds[kind], port, LARGE);
    weir_raw_close(port[0]);
    weir_raw_close(port[1]);
}

static void by_bridge(void)
{
    static const char *const lines[] = { "ip link add br0 type bridge", "ip link set p0 master br0 up",
                                         "ip link set p1 master br0 up", "ip link set br0 up" };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (veth_run(lines[i]) != 0) {
            (void)printf("{\"bench\": \"raw_forward\", \"how\": \"bridge\", \"skipped\": \"no bridge here\"}\n");
            return;
        }
    (void)usleep(300000);
    measure("bridge", NULL, SMALL);
    measure("bridge", NULL, LARGE);
}

int main(void)
{
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || unshare(CLONE_NEWNET) != 0) {
        (void)fprintf(stderr, "raw_forward: network namespaces need root\n");
        return 77;
    }
    pid_t source = start("p0", send_frames), sink = start("p1", take_frames);
    by_ports(WEIR_RAW_XDP);
    by_ports(WEIR_RAW_TPACKET);
    by_bridge();
    (void)kill(source, SIGKILL);
    (void)kill(sink, SIGKILL);
    return 0;
}
