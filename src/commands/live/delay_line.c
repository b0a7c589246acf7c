/* src/commands/live/delay_line.c - opens the devices of delay lines, and carries frames across; see delay.h.
 *
 * The loop sleeps until the next frame is due. While frames wait, an arrival wakes nobody: rings are read at each
 * departure, and at least every 500 us or half of the shortest delay. What is due within 1/200 of the
 * shortest delay, at most 100 us, leaves together. Without any frame the loop waits for one. */
#define _GNU_SOURCE /* recvmmsg, sendmmsg, SCHED_FIFO */
#include "core/math.h"
#include "core/units.h"
#include "live/delay.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)
#define DRAIN_NS UINT64_C(500000)
#define ATTEND_NS UINT64_C(5000000)
#define GAP_NS UINT64_C(100000)
#define GAP_PARTS 200
#define SPARE_BYTES (UINT64_C(1) << 20)   /* beyond twice the BDP, for bursts */
#define RINGS_BYTES (UINT64_C(256) << 20) /* of all devices */
#define ANSWER UINT64_MAX                 /* what epoll returns for a question */
#define SIGNAL (UINT64_MAX - 1)

enum {
    BATCH = 64,
    SEND_BYTES = 512 << 20, /* frames count while they wait at the switch, so there must be no lower limit than its */
};

uint64_t weir_delay_now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t weir_delay_cpu_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* --- set-up --- */

static int fail_device(const char *device, const char *what, struct weir_err *err)
{
    int error = errno;
    if (error == ENODEV)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, "ip link shows those that there are", "%s: no such network device",
                         device);
    if (error == EPERM)
        return weir_fail(err, WEIR_E_RUN, NULL, "run this as root",
                         "%s: a delay line reads and sends whole frames, which takes CAP_NET_RAW", device);
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: %s: %s", device, what, strerror(error));
}

static bool set(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof(value)) == 0;
}

/* Sets what a socket hands over besides frames: checksums that are not computed yet, and times. */
static bool set_options(int fd, int index)
{
    struct packet_mreq all = { .mr_ifindex = index, .mr_type = PACKET_MR_PROMISC };
    if (!set(fd, SOL_SOCKET, SO_SNDBUFFORCE, SEND_BYTES))
        (void)set(fd, SOL_SOCKET, SO_SNDBUF, SEND_BYTES);
    return set(fd, SOL_PACKET, PACKET_VNET_HDR, 1) && set(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1) &&
           set(fd, SOL_PACKET, PACKET_QDISC_BYPASS, 1) && set(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1) &&
           setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) == 0;
}

/* Opens a device. *mtu: gets its MTU. @return a socket; negative with err */
static int open_device(const char *device, uint32_t *mtu, struct weir_err *err)
{
    struct sockaddr_ll here = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
    struct ifreq request = { 0 };
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return (void)fail_device(device, "no socket", err), -1;
    (void)snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", device);
    if (ioctl(fd, SIOCGIFMTU, &request) == 0) {
        *mtu = (uint32_t)request.ifr_mtu;
        if (ioctl(fd, SIOCGIFINDEX, &request) == 0 && set_options(fd, request.ifr_ifindex)) {
            here.sll_ifindex = request.ifr_ifindex;
            if (bind(fd, (const struct sockaddr *)(const void *)&here, sizeof(here)) == 0)
                return fd;
        }
    }
    (void)fail_device(device, "cannot be opened", err);
    (void)close(fd);
    return -1;
}

/* Takes the memory of one direction: two BDP, because a window may grow to that in one round trip, and spare room. */
static int open_fifo(struct weir_delay_way *way, uint64_t rate_bps, uint64_t delay_ps, struct weir_err *err)
{
    uint64_t bdp = weir_mul_div_u64(rate_bps / 8, delay_ps, WEIR_PS_PER_S);
    uint64_t bytes = weir_min_u64(2 * bdp + SPARE_BYTES, WEIR_DELAY_ROOM_MAX_BYTES);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return weir_fail_memory(err);
    way->fifo.memory = memory;
    way->fifo.room_bytes = bytes / WEIR_DELAY_ALIGN * WEIR_DELAY_ALIGN;
    return 0;
}

static bool watch(struct weir_delay *d, int fd, uint64_t what)
{
    struct epoll_event event = { .events = EPOLLIN, .data = { .u64 = what } };
    return epoll_ctl(d->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

static int open_line(struct weir_delay *d, uint32_t number, struct weir_err *err)
{
    struct weir_delay_line *line = &d->line[number];
    uint32_t mtu[2] = { 0 };
    for (uint32_t i = 0; i < 2; i++) {
        struct weir_delay_way *way = &line->way[i];
        way->in = open_device(line->device[i], &mtu[i], err);
        if (way->in < 0 || open_fifo(way, d->rate_bps, line->delay_ps, err) != 0)
            return (int)err->code;
        line->way[1 - i].out = way->in;
        if (!watch(d, way->in, 2 * number + i))
            return weir_fail(err, WEIR_E_RUN, NULL, NULL, "epoll: %s", strerror(errno));
    }
    for (uint32_t i = 0; i < 2; i++) {
        int code =
            weir_delay_ring_open(&line->way[i], weir_min_u64(mtu[0], mtu[1]), RINGS_BYTES / 2 / d->line_count, err);
        if (code != 0)
            return code;
    }
    d->drain_ns = weir_min_u64(d->drain_ns, line->delay_ps / WEIR_PS_PER_NS / 2);
    d->gap_ns = weir_min_u64(d->gap_ns, line->delay_ps / WEIR_PS_PER_NS / GAP_PARTS);
    return 0;
}

static int open_signals(void)
{
    sigset_t ending;
    (void)sigemptyset(&ending);
    (void)sigaddset(&ending, SIGTERM);
    (void)sigaddset(&ending, SIGINT);
    (void)sigaddset(&ending, SIGHUP);
    (void)sigprocmask(SIG_BLOCK, &ending, NULL);
    return signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
}

int weir_delay_open(struct weir_delay *d, struct weir_err *err)
{
    int code = 0;
    d->drain_ns = DRAIN_NS;
    d->gap_ns = GAP_NS;
    d->signals = -1;
    for (uint32_t i = 0; i < d->line_count; i++)
        d->line[i].way[0].in = d->line[i].way[1].in = -1;
    d->epoll = epoll_create1(EPOLL_CLOEXEC);
    d->asked = weir_delay_listen(err);
    if (d->asked < 0)
        return (int)err->code;
    if (d->epoll < 0 || !watch(d, d->asked, ANSWER))
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "no descriptors: %s", strerror(errno));
    for (uint32_t i = 0; i < d->line_count && code == 0; i++)
        code = open_line(d, i, err);
    return code;
}

static void close_fd(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

void weir_delay_close(struct weir_delay *d)
{
    for (uint32_t i = 0; i < 2 * d->line_count; i++) {
        struct weir_delay_way *way = &d->line[i / 2].way[i % 2];
        weir_delay_ring_close(way);
        close_fd(way->in);
        if (way->fifo.memory != NULL)
            (void)munmap(way->fifo.memory, way->fifo.room_bytes);
    }
    close_fd(d->epoll);
    close_fd(d->signals);
    close_fd(d->asked);
}

/* --- arrivals --- */

/* Reads what has arrived at all devices. */
static void drain(struct weir_delay *d)
{
    struct weir_delay_clocks clocks = weir_delay_clocks();
    for (uint32_t i = 0; i < 2 * d->line_count; i++)
        weir_delay_ring_take(&d->line[i / 2].way[i % 2], d->line[i / 2].delay_ps / WEIR_PS_PER_NS, &clocks);
}

/* Takes the error of a device, so that it is not reported again. @return true = the device does not exist any more */
static bool has_ended(const struct weir_delay_line *line, uint32_t way)
{
    int error;
    socklen_t size = sizeof(error);
    (void)getsockopt(line->way[way].in, SOL_SOCKET, SO_ERROR, &error, &size);
    return if_nametoindex(line->device[way]) == 0;
}

/* Tests whether no device exists any more: nothing will ever arrive. */
static bool all_ended(const struct weir_delay *d)
{
    for (uint32_t i = 0; i < 2 * d->line_count; i++)
        if (if_nametoindex(d->line[i / 2].device[i % 2]) != 0)
            return false;
    return true;
}

/* Answers questions. wait: until something has arrived, too. @return false = a signal asks for the end, or no device is
 * left */
static bool attend(struct weir_delay *d, bool wait)
{
    struct epoll_event event[BATCH];
    int count = epoll_wait(d->epoll, event, BATCH, wait ? -1 : 0);
    d->attended_ns = weir_delay_now_ns();
    for (int i = 0; i < count; i++) {
        if (event[i].data.u64 == SIGNAL)
            return false;
        if (event[i].data.u64 == ANSWER)
            weir_delay_answer(d);
        else if ((event[i].events & EPOLLERR) != 0 &&
                 has_ended(&d->line[event[i].data.u64 / 2], event[i].data.u64 % 2) && all_ended(d))
            return false;
    }
    return true;
}

/* --- departures --- */

/* Counts frames that were sent: those up to `at_bytes`. */
static void count_sent(struct weir_delay_way *way, uint64_t count)
{
    uint64_t now_ns = weir_delay_now_ns(), at_bytes = way->fifo.tail_bytes;
    for (uint64_t i = 0; i < count; i++) {
        const struct weir_delay_frame *frame = weir_delay_fifo_next(&way->fifo, &at_bytes);
        way->frames++;
        way->bytes += frame->bytes - sizeof(struct virtio_net_hdr);
        weir_latency_add(&way->late, now_ns - frame->due_ns);
    }
    weir_delay_fifo_pop(&way->fifo, at_bytes, count);
}

/* Drops the oldest frame: the device does not take it. */
static void refuse(struct weir_delay_way *way)
{
    uint64_t at_bytes = way->fifo.tail_bytes;
    (void)weir_delay_fifo_next(&way->fifo, &at_bytes);
    weir_delay_fifo_pop(&way->fifo, at_bytes, 1);
    way->refused++;
}

/* Sends up to a batch of frames that are due. @return true = there may be more */
static bool send_way(struct weir_delay_way *way, uint64_t now_ns)
{
    struct mmsghdr message[BATCH];
    struct iovec part[BATCH];
    struct weir_delay_frame *frame;
    uint64_t at_bytes = way->fifo.tail_bytes;
    uint32_t count = 0;
    while (count < BATCH && (frame = weir_delay_fifo_next(&way->fifo, &at_bytes)) != NULL && frame->due_ns <= now_ns) {
        part[count] = (struct iovec){ .iov_base = frame->data, .iov_len = frame->bytes };
        message[count] = (struct mmsghdr){ .msg_hdr = { .msg_iov = &part[count], .msg_iovlen = 1 } };
        count++;
    }
    if (count == 0)
        return false;
    int sent = sendmmsg(way->out, message, count, MSG_DONTWAIT);
    if (sent <= 0)
        refuse(way);
    else
        count_sent(way, (uint64_t)sent);
    return count == BATCH || sent < (int)count;
}

/* Sends all that is due. @return when the next frame is; UINT64_MAX = none waits */
static uint64_t send_due(struct weir_delay *d)
{
    uint64_t next_ns = UINT64_MAX, now_ns = weir_delay_now_ns();
    for (uint32_t i = 0; i < 2 * d->line_count; i++) {
        struct weir_delay_way *way = &d->line[i / 2].way[i % 2];
        while (weir_delay_fifo_due_ns(&way->fifo) <= now_ns && send_way(way, now_ns))
            ;
        next_ns = weir_min_u64(next_ns, weir_delay_fifo_due_ns(&way->fifo));
    }
    return next_ns;
}

static void sleep_until(uint64_t ns)
{
    struct timespec t = { .tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S) };
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

void weir_delay_run(struct weir_delay *d)
{
    struct sched_param first = { .sched_priority = 1 };
    d->realtime = sched_setscheduler(0, SCHED_FIFO, &first) == 0;
    (void)prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); /* without SCHED_FIFO: 1 us, not 50 */
    d->signals = open_signals(); /* here: in the epoll of a parent it would report the parent's signals alone */
    if (d->signals < 0 || !watch(d, d->signals, SIGNAL))
        return;
    d->start_ns = weir_delay_now_ns();
    d->start_cpu_ns = weir_delay_cpu_ns();
    for (;;) {
        drain(d);
        uint64_t next_ns = send_due(d), now_ns = weir_delay_now_ns();
        if (next_ns == UINT64_MAX || now_ns - d->attended_ns >= ATTEND_NS) {
            if (!attend(d, next_ns == UINT64_MAX))
                return;
        } else if (next_ns > now_ns)
            sleep_until(weir_min_u64(weir_max_u64(next_ns, now_ns + d->gap_ns), now_ns + d->drain_ns));
    }
}
