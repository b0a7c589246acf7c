/* test/twin/engine_hosts.c - see engine_hosts.h. The engine's calls of weir_host_x() are linked to __wrap_weir_host_x():
 * between engine_hosts_begin() and _end() a host of the engine is set up as always, and is neither sent to nor asked. */
#include "test/twin/engine_hosts.h"
#include "core/assert.h"
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 64 /* before a host's memory: its number */ };

struct waiting { /* packets of a class, in order */
    struct engine_packet *head, *tail;
};

struct one_host {
    struct waiting later; /* have not come yet */
    struct waiting of_class[WEIR_CLASSES_MAX];
    uint32_t paused;                  /* bit c: packets with this class_id */
    const struct weir_telemetry *hop; /* of the packet that left last */
};

static const struct engine_hosts *run; /* NULL = hosts are those of src/algorithms/host */
static struct one_host *host;
static uint64_t left;

/* ---- what waits ---- */

static void push(struct waiting *w, struct engine_packet *p)
{
    p->next = NULL;
    if (w->head == NULL)
        w->head = p;
    else
        w->tail->next = p;
    w->tail = p;
}

static struct engine_packet *pop(struct waiting *w)
{
    struct engine_packet *p = w->head;
    w->head = p->next;
    return p;
}

static void take_due(struct one_host *h, uint64_t now_ps)
{
    uint32_t last = run->model->classes - 1;
    while (h->later.head != NULL && h->later.head->at_ps <= now_ps) {
        struct engine_packet *p = pop(&h->later);
        push(&h->of_class[p->pkt.class_id < last ? p->pkt.class_id : last], p);
    }
}

static bool may_send(const struct one_host *h, uint32_t c)
{
    const struct engine_packet *head = h->of_class[c].head;
    return head != NULL && (h->paused >> head->pkt.class_id & 1) == 0;
}

/* Returns the class that sends next: the first one, but of virtual lanes, which are the last classes, the one whose head
 * has waited longest. UINT32_MAX = none may */
static uint32_t next_class(const struct one_host *h)
{
    uint32_t strict = run->model->classes - run->model->aged_classes, oldest = UINT32_MAX;
    for (uint32_t c = 0; c < strict; c++)
        if (may_send(h, c))
            return c;
    for (uint32_t c = strict; c < run->model->classes; c++)
        if (may_send(h, c) && (oldest == UINT32_MAX || h->of_class[c].head->at_ps < h->of_class[oldest].head->at_ps))
            oldest = c;
    return oldest;
}

static uint32_t send_next(struct one_host *h, uint64_t now_ps, struct weir_pkt *out, uint32_t max)
{
    struct engine_packet *p;
    uint32_t c;
    take_due(h, now_ps);
    c = max > 0 ? next_class(h) : UINT32_MAX;
    if (c == UINT32_MAX)
        return 0;
    p = pop(&h->of_class[c]);
    *out = p->pkt;
    out->arrival_ps = 0;
    h->hop = p->hop;
    left--;
    return 1;
}

/* ---- calls of the test ---- */

void engine_hosts_begin(const struct engine_hosts *hosts)
{
    run = hosts;
    host = calloc(hosts->model->topo->host_count, sizeof(*host));
    WEIR_ASSERT(host != NULL);
    left = 0;
}

void engine_hosts_send(uint32_t number, struct engine_packet *p)
{
    WEIR_ASSERT(number < run->model->topo->host_count);
    WEIR_ASSERT(host[number].later.head == NULL || host[number].later.tail->at_ps <= p->at_ps);
    push(&host[number].later, p);
    left++;
}

uint64_t engine_hosts_left(void)
{
    return left;
}

void engine_hosts_end(void)
{
    free(host);
    host = NULL;
    run = NULL;
}

/* ---- calls of the engine ---- */

static uint32_t number_of(const struct weir_host *h)
{
    uint32_t number;
    memcpy(&number, (const char *)(const void *)h - NUMBER_BYTES, sizeof(number));
    WEIR_ASSERT(number < run->model->topo->host_count);
    return number;
}

/* Declares the function that the engine is linked to, and the one of src/algorithms/host. */
#define WRAPPED(type, name, ...)                                                                                       \
    type __real_weir_host_##name(__VA_ARGS__);                                                                         \
    type __wrap_weir_host_##name(__VA_ARGS__)

WRAPPED(size_t, bytes, const struct weir_host_config *cfg);
WRAPPED(struct weir_host *, init, void *memory, const struct weir_host_config *cfg, uint32_t self,
        const struct weir_mem *mem, const struct weir_host_sink *sink);
WRAPPED(int, send_by, struct weir_host *h, uint32_t law, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);
WRAPPED(bool, rx_free, struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer);
WRAPPED(bool, rx_hops, struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt,
        const struct weir_telemetry *hop, struct weir_pkt *answer);
WRAPPED(uint32_t, tx, struct weir_host *h, uint64_t now_ps, struct weir_pkt *out, uint32_t max);
WRAPPED(const struct weir_telemetry *, tx_hops, const struct weir_host *h);
WRAPPED(void, pause, struct weir_host *h, uint32_t class_mask);
WRAPPED(uint64_t, next_ps, const struct weir_host *h);
WRAPPED(bool, ready, const struct weir_host *h);
WRAPPED(void, rx_prefetch, const struct weir_host *h, const struct weir_pkt *pkt);
WRAPPED(void, message_prefetch, const struct weir_host *h, const struct weir_pkt *pkt);

size_t __wrap_weir_host_bytes(const struct weir_host_config *cfg)
{
    return (run != NULL ? NUMBER_BYTES : 0) + __real_weir_host_bytes(cfg);
}

struct weir_host *__wrap_weir_host_init(void *memory, const struct weir_host_config *cfg, uint32_t self,
                                        const struct weir_mem *mem, const struct weir_host_sink *sink)
{
    char *own = (char *)memory + (run != NULL ? NUMBER_BYTES : 0);
    struct weir_host *h = __real_weir_host_init(own, cfg, self, mem, sink);
    WEIR_ASSERT((char *)(void *)h == own);
    if (run != NULL)
        memcpy(memory, &self, sizeof(self));
    return h;
}

int __wrap_weir_host_send_by(struct weir_host *h, uint32_t law, uint64_t now_ps, uint32_t dst, uint32_t msg,
                             uint64_t bytes)
{
    return run != NULL ? 0 : __real_weir_host_send_by(h, law, now_ps, dst, msg, bytes);
}

bool __wrap_weir_host_rx_free(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer)
{
    return run != NULL ? __wrap_weir_host_rx_hops(h, now_ps, pkt, NULL, answer)
                       : __real_weir_host_rx_free(h, now_ps, pkt, answer);
}

bool __wrap_weir_host_rx_hops(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt,
                              const struct weir_telemetry *hop, struct weir_pkt *answer)
{
    if (run == NULL)
        return __real_weir_host_rx_hops(h, now_ps, pkt, hop, answer);
    run->arrived(run->ctx, number_of(h), now_ps, pkt, hop);
    return false;
}

uint32_t __wrap_weir_host_tx(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out, uint32_t max)
{
    return run != NULL ? send_next(&host[number_of(h)], now_ps, out, max) : __real_weir_host_tx(h, now_ps, out, max);
}

const struct weir_telemetry *__wrap_weir_host_tx_hops(const struct weir_host *h)
{
    return run != NULL ? host[number_of(h)].hop : __real_weir_host_tx_hops(h);
}

void __wrap_weir_host_pause(struct weir_host *h, uint32_t class_mask)
{
    if (run != NULL)
        host[number_of(h)].paused = class_mask;
    else
        __real_weir_host_pause(h, class_mask);
}

uint64_t __wrap_weir_host_next_ps(const struct weir_host *h)
{
    const struct engine_packet *next;
    if (run == NULL)
        return __real_weir_host_next_ps(h);
    next = host[number_of(h)].later.head;
    return next != NULL ? next->at_ps : WEIR_NEVER;
}

bool __wrap_weir_host_ready(const struct weir_host *h)
{
    return run != NULL ? next_class(&host[number_of(h)]) != UINT32_MAX : __real_weir_host_ready(h);
}

void __wrap_weir_host_rx_prefetch(const struct weir_host *h, const struct weir_pkt *pkt)
{
    if (run == NULL)
        __real_weir_host_rx_prefetch(h, pkt);
}

void __wrap_weir_host_message_prefetch(const struct weir_host *h, const struct weir_pkt *pkt)
{
    if (run == NULL)
        __real_weir_host_message_prefetch(h, pkt);
}
