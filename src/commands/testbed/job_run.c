/* src/commands/testbed/job_run.c - see job_run.h. One thread writes to all senders and reads from all receivers when
 * epoll says so; between them it starts flows, changes weights, and lets policies step. */
#define _GNU_SOURCE /* accept4() */
#include "testbed/job_run.h"
#include "bpf/option.h"
#include "core/math.h"
#include "text/clock.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHUNK = 1 << 18, EVENTS = 2 * WEIR_PLAN_FLOWS, MOST_NS = 100000000, CONNECT_S = 5 };

#define NEVER_NS UINT64_MAX

enum state { WAITING, ACTIVE, ENDED };

struct flow {
    enum state state;
    int from, to;                        /* the sockets of its sender and its receiver */
    uint64_t start_ns;                   /* NEVER_NS until what it waits for has ended */
    uint64_t given_bytes, arrived_bytes; /* written to the sender's socket; read from the receiver's */
    uint64_t acked_bytes;                /* at the last tick */
    uint32_t waits_for;                  /* flows that have not ended */
    uint32_t change;                     /* changes of its weight that were made */
};

struct running { /* times are from the start of the jobs on */
    const struct weir_job_run *run;
    struct weir_trace *trace;
    struct flow flow[WEIR_PLAN_FLOWS];
    uint64_t weight_q20[WEIR_PLAN_FLOWS];
    uint64_t began_ns, now_ns, tick_ns, bin_ns; /* the next tick and the end of the bin */
    int epoll;
};

static const char zeros[CHUNK];

static int fail_errno(const char *what, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: %s", what, strerror(errno));
}

/* --- connections --- */

/* Makes a TCP socket of a host, with the congestion control. @return it, or -1 with errno */
static int host_socket(const struct weir_testbed *tb, uint32_t host, const char *cc)
{
    const struct timeval limit = { .tv_sec = CONNECT_S };
    int made = weir_testbed_socket(tb, host + 1, AF_INET, SOCK_STREAM), error;
    if (made >= 0 && (setsockopt(made, IPPROTO_TCP, TCP_CONGESTION, cc, (socklen_t)strlen(cc)) != 0 ||
                      setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) != 0 ||
                      setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) != 0)) {
        error = errno;
        (void)close(made);
        errno = error;
        return -1;
    }
    return made;
}

static struct sockaddr_in address_of(uint32_t host)
{
    return (struct sockaddr_in){ .sin_family = AF_INET,
                                 .sin_addr = { htonl(10u << 24 | 77u << 16 | (host + 1)) } }; /* 10.77.0.N */
}

/* Connects the sender of a flow with its receiver. @return 0, or -1 with errno; what was made is closed by
 * close_flows() */
static int connect_flow(const struct weir_testbed *tb, const struct weir_job_flow *f, const char *cc, struct flow *flow)
{
    struct sockaddr_in address = address_of(f->dst);
    socklen_t length = sizeof(address);
    int listener = host_socket(tb, f->dst, cc), error;
    if (listener < 0)
        return -1;
    if (bind(listener, (struct sockaddr *)&address, length) == 0 && listen(listener, 1) == 0 &&
        getsockname(listener, (struct sockaddr *)&address, &length) == 0 &&
        (flow->from = host_socket(tb, f->src, cc)) >= 0 &&
        connect(flow->from, (struct sockaddr *)&address, length) == 0)
        flow->to = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    error = errno;
    (void)close(listener);
    errno = error;
    if (flow->to < 0 || fcntl(flow->from, F_SETFL, O_NONBLOCK) != 0 || fcntl(flow->to, F_SETFL, O_NONBLOCK) != 0)
        return -1;
    return 0;
}

static int watch(const struct running *r, int op, int socket, uint32_t events, uint32_t number)
{
    struct epoll_event event = { .events = events, .data = { .u32 = number } };
    return epoll_ctl(r->epoll, op, socket, &event);
}

static int connect_flows(struct running *r, const struct weir_testbed *tb, struct weir_err *err)
{
    const struct weir_jobs *jobs = r->run->jobs;
    for (uint32_t f = 0; f < jobs->flow_count; f++)
        r->flow[f].from = r->flow[f].to = -1;
    r->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (r->epoll < 0)
        return fail_errno("epoll", err);
    for (uint32_t f = 0; f < jobs->flow_count; f++)
        if (connect_flow(tb, &jobs->flow[f], r->run->cc, &r->flow[f]) != 0 ||
            watch(r, EPOLL_CTL_ADD, r->flow[f].to, EPOLLIN, 2 * f + 1) != 0)
            return weir_fail(err, WEIR_E_RUN, NULL, "weir tcp status lists laws that are loaded",
                             "a connection from host %u to host %u with %s: %s", (unsigned)jobs->flow[f].src + 1,
                             (unsigned)jobs->flow[f].dst + 1, r->run->cc, strerror(errno));
    return 0;
}

static void close_flows(struct running *r)
{
    for (uint32_t f = 0; f < r->run->jobs->flow_count; f++) {
        if (r->flow[f].from >= 0)
            (void)close(r->flow[f].from);
        if (r->flow[f].to >= 0)
            (void)close(r->flow[f].to);
    }
    if (r->epoll >= 0)
        (void)close(r->epoll);
}

/* --- flows --- */

/* Gives a socket the weight of its flow, in thousandths. */
static int set_weight(const struct running *r, uint32_t f, struct weir_err *err)
{
    uint64_t milli = (r->weight_q20[f] * 1000 + WEIR_WEIGHT_ONE / 2) / WEIR_WEIGHT_ONE;
    uint32_t weight = (uint32_t)(milli == 0 ? 1 : milli);
    if (!r->run->weighs)
        return 0;
    if (setsockopt(r->flow[f].from, WEIR_SOL, WEIR_SO_WEIGHT_MILLI, &weight, sizeof(weight)) == 0)
        return 0;
    return fail_errno("the weight of a socket", err);
}

/* Writes what the sender's socket takes. Once all is written the socket is not watched any more. */
static int give(struct running *r, uint32_t f, struct weir_err *err)
{
    struct flow *flow = &r->flow[f];
    uint64_t bytes = r->run->jobs->flow[f].bytes;
    while (flow->given_bytes < bytes) {
        size_t chunk = bytes - flow->given_bytes < CHUNK ? (size_t)(bytes - flow->given_bytes) : CHUNK;
        ssize_t sent = send(flow->from, zeros, chunk, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN)
            return 0;
        if (sent < 0)
            return fail_errno("a sender", err);
        flow->given_bytes += (uint64_t)sent;
    }
    return watch(r, EPOLL_CTL_DEL, flow->from, 0, 0) == 0 ? 0 : fail_errno("epoll", err);
}

static int start_flow(struct running *r, uint32_t f, struct weir_err *err)
{
    r->flow[f].state = ACTIVE;
    r->trace->start_s[f] = (double)r->now_ns / 1e9;
    if (set_weight(r, f, err) != 0)
        return (int)err->code;
    if (watch(r, EPOLL_CTL_ADD, r->flow[f].from, EPOLLOUT, 2 * f) != 0)
        return fail_errno("epoll", err);
    return 0;
}

static void end_flow(struct running *r, uint32_t f)
{
    const struct weir_jobs *jobs = r->run->jobs;
    const struct weir_job_flow *ended = &jobs->flow[f];
    r->flow[f].state = ENDED;
    r->trace->end_s[f] = (double)r->now_ns / 1e9;
    for (uint32_t i = 0; i < ended->before_count; i++) {
        uint32_t next = jobs->edge[ended->before_first + i];
        if (--r->flow[next].waits_for == 0) /* start_ps is the time to compute */
            r->flow[next].start_ns = r->now_ns + jobs->flow[next].start_ps / 1000;
    }
}

/* Reads what has arrived, and does not keep it. */
static int take(struct running *r, uint32_t f, struct weir_err *err)
{
    struct flow *flow = &r->flow[f];
    for (;;) {
        ssize_t got = recv(flow->to, NULL, CHUNK, MSG_TRUNC);
        if (got < 0 && errno == EAGAIN)
            return 0;
        if (got <= 0)
            return got < 0 ? fail_errno("a receiver", err)
                           : weir_fail(err, WEIR_E_RUN, NULL, NULL, "a sender has closed its connection");
        flow->arrived_bytes += (uint64_t)got;
        if (flow->arrived_bytes == r->run->jobs->flow[f].bytes)
            end_flow(r, f);
    }
}

/* --- what happens at times --- */

static struct tcp_info info_of(int socket)
{
    struct tcp_info info = { 0 };
    socklen_t length = sizeof(info);
    (void)getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length);
    return info;
}

static void end_bin(struct running *r)
{
    struct weir_trace *trace = r->trace;
    double sum_ms = 0, active = 0;
    r->bin_ns += (uint64_t)WEIR_TRACE_BIN_MS * 1000000;
    if (trace->bins == WEIR_TRACE_BINS)
        return;
    for (uint32_t f = 0; f < r->run->jobs->flow_count; f++) {
        trace->bytes[trace->bins][f] = r->flow[f].arrived_bytes;
        if (r->flow[f].state != ACTIVE)
            continue;
        sum_ms += info_of(r->flow[f].from).tcpi_rtt / 1000.0;
        active++;
    }
    trace->rtt_ms[trace->bins++] = active > 0 ? sum_ms / active : (double)NAN;
}

/* Lets the policies of the jobs set weights from what was acknowledged since the last tick. */
static int tick(struct running *r, struct weir_err *err)
{
    const struct weir_jobs *jobs = r->run->jobs;
    struct weir_job_progress progress[WEIR_PLAN_FLOWS];
    uint64_t before_q20[WEIR_PLAN_FLOWS];
    for (uint32_t f = 0; f < jobs->flow_count; f++) {
        struct flow *flow = &r->flow[f];
        uint64_t acked = flow->state == ACTIVE ? info_of(flow->from).tcpi_bytes_acked : 0;
        acked = acked < jobs->flow[f].bytes ? acked : jobs->flow[f].bytes - 1; /* it has not ended */
        progress[f] = (struct weir_job_progress){ .active = flow->state == ACTIVE };
        if (flow->state == ACTIVE) {
            progress[f].left_bytes = jobs->flow[f].bytes - acked;
            progress[f].rate_bps = weir_mul_div_u64(8 * (acked - flow->acked_bytes), WEIR_PS_PER_S, jobs->tick_ps);
            flow->acked_bytes = acked;
        } else if (flow->state == WAITING) {
            progress[f].left_bytes = jobs->flow[f].bytes;
        }
    }
    memcpy(before_q20, r->weight_q20, sizeof(before_q20));
    weir_jobs_tick(jobs, progress, r->weight_q20);
    for (uint32_t f = 0; f < jobs->flow_count; f++)
        if (r->flow[f].state == ACTIVE && r->weight_q20[f] != before_q20[f] && set_weight(r, f, err) != 0)
            return (int)err->code;
    return 0;
}

/* Makes the changes of a flow's weight that are due. */
static int change_weight(struct running *r, uint32_t f, struct weir_err *err)
{
    const struct weir_job_flow *flow = &r->run->jobs->flow[f];
    int code = 0;
    while (code == 0 && r->flow[f].change < flow->change_count) {
        const struct weir_job_change *change = &r->run->jobs->change[flow->change_first + r->flow[f].change];
        if (change->at_ps / 1000 > r->now_ns)
            break;
        r->flow[f].change++;
        r->weight_q20[f] = change->weight_q20;
        code = r->flow[f].state == ACTIVE ? set_weight(r, f, err) : 0;
    }
    return code;
}

/* Executes all that is due. *next_ns: when the next thing is */
static int step(struct running *r, uint64_t *next_ns, struct weir_err *err)
{
    const struct weir_jobs *jobs = r->run->jobs;
    int code = 0;
    r->now_ns = weir_wall_ns() - r->began_ns;
    while (r->bin_ns <= r->now_ns)
        end_bin(r);
    *next_ns = r->bin_ns;
    for (uint32_t f = 0; f < jobs->flow_count && code == 0; f++) {
        code = change_weight(r, f, err);
        if (code == 0 && r->flow[f].state == WAITING && r->flow[f].start_ns <= r->now_ns)
            code = start_flow(r, f, err);
        if (r->flow[f].state == WAITING && r->flow[f].start_ns < *next_ns)
            *next_ns = r->flow[f].start_ns;
        if (r->flow[f].change < jobs->flow[f].change_count) {
            uint64_t at_ns = jobs->change[jobs->flow[f].change_first + r->flow[f].change].at_ps / 1000;
            *next_ns = at_ns < *next_ns ? at_ns : *next_ns;
        }
    }
    if (jobs->tick_ps > 0 && code == 0) {
        if (r->tick_ns <= r->now_ns) {
            code = tick(r, err);
            r->tick_ns += jobs->tick_ps / 1000;
        }
        *next_ns = r->tick_ns < *next_ns ? r->tick_ns : *next_ns;
    }
    return code;
}

static bool is_over(const struct running *r)
{
    const struct weir_jobs *jobs = r->run->jobs;
    bool over = true;
    for (uint32_t f = 0; f < jobs->flow_count; f++)
        if (r->run->until_job == UINT32_MAX || jobs->flow[f].job == r->run->until_job)
            over = over && r->flow[f].state == ENDED;
    return over;
}

static int serve(struct running *r, uint64_t next_ns, struct weir_err *err)
{
    struct epoll_event event[EVENTS];
    uint64_t now_ns = weir_wall_ns() - r->began_ns, left_ns = next_ns > now_ns ? next_ns - now_ns : 0;
    int code = 0, count;
    left_ns = left_ns < MOST_NS ? left_ns : MOST_NS;
    count = epoll_wait(r->epoll, event, EVENTS, (int)((left_ns + 999999) / 1000000));
    if (count < 0 && errno != EINTR)
        return fail_errno("epoll", err);
    r->now_ns = weir_wall_ns() - r->began_ns;
    for (int i = 0; i < count && code == 0; i++) {
        uint32_t f = event[i].data.u32 / 2;
        code = event[i].data.u32 % 2 == 0 ? give(r, f, err) : take(r, f, err);
    }
    return code;
}

static int run_flows(struct running *r, const struct weir_testbed *tb, struct weir_err *err)
{
    uint64_t next_ns;
    int code = 0;
    r->began_ns = weir_wall_ns();
    r->bin_ns = (uint64_t)WEIR_TRACE_BIN_MS * 1000000;
    r->tick_ns = r->run->jobs->tick_ps / 1000;
    while (code == 0 && !is_over(r)) {
        code = step(r, &next_ns, err);
        if (code == 0)
            code = serve(r, next_ns, err);
        if (code == 0)
            code = weir_testbed_interrupted(tb, err);
        if (code == 0 && r->now_ns > (uint64_t)r->run->limit_s * 1000000000)
            code = weir_fail(err, WEIR_E_RUN, NULL, "other work may keep the processors busy",
                             "jobs under %s have not ended after %u s", r->run->cc, (unsigned)r->run->limit_s);
    }
    return code;
}

int weir_testbed_run_jobs(struct weir_testbed *tb, const struct weir_job_run *run, struct weir_trace *trace,
                          struct weir_err *err)
{
    const struct weir_jobs *jobs = run->jobs;
    struct running r = { .run = run, .trace = trace };
    int code;
    memset(trace, 0, sizeof(*trace));
    for (uint32_t f = 0; f < WEIR_PLAN_FLOWS; f++)
        trace->start_s[f] = trace->end_s[f] = (double)NAN;
    for (uint32_t f = 0; f < jobs->flow_count; f++) {
        r.weight_q20[f] = jobs->flow[f].weight_q20;
        r.flow[f].waits_for = jobs->flow[f].after_count;
        r.flow[f].start_ns = jobs->flow[f].after_count == 0 ? jobs->flow[f].start_ps / 1000 : NEVER_NS;
    }
    code = connect_flows(&r, tb, err);
    if (code == 0)
        code = run_flows(&r, tb, err);
    close_flows(&r);
    return code;
}
