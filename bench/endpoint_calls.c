/* bench/endpoint_calls.c - a server and a client on a network of memory, in virtual time: the client makes calls at a
 * constant rate, and the server answers each with as many bytes. Instructions are the same in every run, so that
 * bench/scrape.sh counts what a call costs at the server, and what the text of its metrics does.
 *
 * All of libweir that the server runs is below server_step(), all that the client runs below client_step(). The network is mem.c. */
#include "driver/net.h"
#include "endpoint/endpoint.h"
#include "endpoint/open.h"
#include "test/net/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENTS = 64, TEXT_BYTES = 16384, BYTES_MAX = 1 << 20 };
#define MS_NS UINT64_C(1000000)
#define NEVER UINT64_MAX

struct end {
    struct weir_net *port;
    struct weir_ep *ep;
};

static unsigned char payload[BYTES_MAX];
static char text[TEXT_BYTES];
static uint64_t answered, texts;

static _Noreturn void die(const char *what)
{
    (void)fprintf(stderr, "endpoint_calls: %s\n", what);
    exit(1);
}

static void open_end(struct mem *mem, struct end *e, uint32_t host)
{
    struct weir_opts opts = { .size = sizeof(opts), .rate_bps = UINT64_C(10000000000) };
    struct weir_net_addr addr = mem_addr(host, 4000);
    struct weir_err err;
    if (mem_plug(mem, &addr, &e->port) != 0 || weir_ep_open_net(&e->ep, &opts, e->port, host, &err) != 0)
        die("open");
}

/* Answers what has come. @return whether to call it again at once */
static __attribute__((noinline)) bool server_step(struct end *e, uint32_t bytes)
{
    struct weir_event event[EVENTS];
    struct weir_sendopt opt = { .size = sizeof(opt), .flags = WEIR_COPY | WEIR_LOCAL };
    int n = weir_poll(e->ep, event, EVENTS, 0);
    for (int i = 0; i < n; i++) {
        struct iovec iov = { payload, bytes };
        if (event[i].type == WEIR_EV_CALL && weir_reply(e->ep, event[i].rpc, &iov, 1, 0, &opt) != 0)
            die("reply");
        weir_release(e->ep, event[i].lease);
    }
    return n > 0 || weir_deadline(e->ep) == 0;
}

/* Writes the metrics of the server, as GET /metrics does. */
static __attribute__((noinline)) void server_text(struct end *e)
{
    int length = weir_metrics_text(e->ep, text, sizeof(text));
    if (length <= 0 || length >= TEXT_BYTES)
        die("text");
    texts++;
}

/* Makes so many calls, and takes replies. @return whether to call it again at once */
static __attribute__((noinline)) bool client_step(struct end *e, struct weir_peer *to, uint32_t calls, uint32_t bytes)
{
    struct weir_event event[EVENTS];
    struct iovec iov = { payload, bytes };
    for (uint32_t i = 0; i < calls; i++)
        if (weir_call(e->ep, to, &iov, 1, 0, NULL) != 0)
            die("call");
    int n = weir_poll(e->ep, event, EVENTS, 0);
    for (int i = 0; i < n; i++) {
        if (event[i].type != WEIR_EV_REPLY || event[i].result != 0)
            die("a call failed");
        answered++;
        weir_release(e->ep, event[i].lease);
    }
    return n > 0 || weir_deadline(e->ep) == 0;
}

static struct weir_peer *server_of(struct weir_ep *ep)
{
    struct weir_net_addr addr = mem_addr(1, 4000);
    struct sockaddr_storage sa;
    struct weir_peer *peer;
    socklen_t length = weir_net_addr_to(&addr, &sa);
    if (weir_peer_get(ep, (const struct sockaddr *)&sa, length, &peer) != 0)
        die("peer");
    return peer;
}

static uint64_t next_ns(const struct end *e)
{
    return weir_min_u64(mem_next_ns(e->port), weir_deadline(e->ep));
}

/* Goes on until all calls are answered; each_ns: from call to call; scrape_ns: from text to text */
static void run(struct mem *mem, struct end end[2], uint64_t count, uint64_t each_ns, uint64_t scrape_ns,
                uint32_t bytes)
{
    struct weir_peer *to = server_of(end[1].ep);
    uint64_t made = 0, call_ns = mem_now_ns(mem), text_ns = scrape_ns == NEVER ? NEVER : call_ns + scrape_ns;
    bool again[2] = { true, true };
    while (answered < count) {
        uint32_t calls = 0;
        for (; made < count && call_ns <= mem_now_ns(mem); made++, call_ns += each_ns)
            calls++;
        if (text_ns <= mem_now_ns(mem)) {
            server_text(&end[0]);
            text_ns += scrape_ns;
        }
        if (again[1] || calls > 0 || next_ns(&end[1]) <= mem_now_ns(mem))
            again[1] = client_step(&end[1], to, calls, bytes);
        if (again[0] || next_ns(&end[0]) <= mem_now_ns(mem))
            again[0] = server_step(&end[0], bytes);
        if (!again[0] && !again[1])
            mem_advance(mem, weir_min_u64(weir_min_u64(next_ns(&end[0]), next_ns(&end[1])),
                                          weir_min_u64(made < count ? call_ns : NEVER, text_ns)));
    }
}

int main(int argc, char **argv)
{
    uint64_t rate = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000, ms = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
    uint64_t scrapes = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    uint64_t bytes = argc > 4 ? strtoull(argv[4], NULL, 10) : 100;
    struct mem_config cfg = { .delay_ns = 5000, .rate_bps = UINT64_C(10000000000), .start_ns = 1000000000 };
    struct end end[2] = { { 0 } };
    if (argc > 5 || rate < 1 || rate > 10000000 || ms < 1 || scrapes > 1000000 || bytes > BYTES_MAX) {
        (void)fprintf(stderr, "usage: endpoint_calls [CALLS A SECOND [MS [TEXTS A SECOND [BYTES]]]]\n");
        return 2;
    }
    struct mem *mem = mem_new(&cfg);
    if (mem == NULL)
        die("memory");
    open_end(mem, &end[0], 1);
    open_end(mem, &end[1], 2);
    run(mem, end, rate * ms / 1000, UINT64_C(1000000000) / rate, scrapes > 0 ? UINT64_C(1000000000) / scrapes : NEVER,
        (uint32_t)bytes);
    struct weir_stats stats = { .size = sizeof(stats) };
    (void)weir_stats(end[0].ep, &stats);
    (void)printf("calls %llu packets %llu texts %llu ms %llu\n", (unsigned long long)answered,
                 (unsigned long long)(stats.packets_sent + stats.packets_received), (unsigned long long)texts,
                 (unsigned long long)((mem_now_ns(mem) - cfg.start_ns) / MS_NS));
    for (int i = 1; i >= 0; i--)
        (void)weir_close(end[i].ep);
    mem_free(mem);
    return 0;
}
