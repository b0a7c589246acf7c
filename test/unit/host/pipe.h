/* test/unit/host/pipe.h - the two hosts of pair.h on a path that may hold a whole window of 2^18 packets. Time goes in slots, each
 * as long as a full packet takes; host 0 sends one packet per slot, host 1 its answers. */
#ifndef WEIR_TEST_PIPE_H
#define WEIR_TEST_PIPE_H
#include "pair.h"

enum { PIPE_NODES = 1 << 20, PIPE_SLOTS = 1 << 19, PIPE_BURST = 8 };
#define PIPE_SLOT_PS (PAIR_WIRE * 80)

struct pipe_node { /* a packet on its way */
    struct weir_pkt pkt;
    uint32_t next; /* node + 1; 0 = the last of its slot, or of those that are free */
};

struct pipe {
    struct pair *p;
    uint64_t slot;
    uint32_t delay_slots;   /* each way */
    uint32_t late_slots;    /* of the packet asked for: fate() may set it */
    uint32_t nodes, free;   /* ever used; node + 1 of one that is not any more */
    uint32_t flights;       /* on their way */
    uint32_t inflight_most; /* of connection 0: packets from the first unacknowledged to the newest */
    uint64_t dropped;
    bool (*passes)(struct pipe *q, const struct weir_pkt *pkt); /* NULL = all */
    uint32_t first[PIPE_SLOTS], last[PIPE_SLOTS]; /* by slot of arrival: node + 1, in order of departure */
    struct pipe_node node[PIPE_NODES];
};

static struct pipe pipe_;

/* A law whose window never changes. */
static void pipe_law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = WEIR_CWND_MAX_BYTES };
}

static const struct weir_cc_ops pipe_law = { .name = "fixed",
                                             .state_bytes = sizeof(struct weir_cc),
                                             .init = pipe_law_init };

/* Timers far longer than the longest path, so that none expires while later packets tell of a loss. */
static inline struct pipe *pipe_reset(uint32_t window_pkts, uint32_t delay_slots)
{
    struct pipe *q = &pipe_;
    assert_true(delay_slots > 0 && delay_slots < PIPE_SLOTS);
    for (uint32_t i = 0; i < PIPE_SLOTS; i++)
        q->first[i] = 0;
    q->p = pair_reset();
    q->slot = q->dropped = 0;
    q->delay_slots = delay_slots;
    q->nodes = q->free = q->flights = q->inflight_most = 0;
    q->passes = NULL;
    q->p->cfg.cc = &pipe_law;
    q->p->cfg.params.window_pkts = window_pkts;
    q->p->cfg.params.rto_min_ps = q->p->cfg.params.rto_init_ps = q->p->cfg.params.rto_max_ps;
    return q;
}

/* index: of the first packet of every connection */
static inline void pipe_start(struct pipe *q, uint32_t index)
{
    pair_start(q->p);
    host_stream_of(q->p->host[0])->first_index = index;
}

static inline void pipe_launch(struct pipe *q, const struct weir_pkt *pkt)
{
    q->late_slots = 0;
    q->p->sent_pkts += pkt->src == 0;
    if (q->passes != NULL && !q->passes(q, pkt)) {
        q->dropped++;
        return;
    }
    assert_true(q->delay_slots + q->late_slots < PIPE_SLOTS);
    uint32_t at = (uint32_t)(q->slot + q->delay_slots + q->late_slots) % PIPE_SLOTS, node = q->free;
    if (node != 0)
        q->free = q->node[node - 1].next;
    else
        node = ++q->nodes;
    assert_true(node <= PIPE_NODES);
    q->node[node - 1] = (struct pipe_node){ .pkt = *pkt };
    if (q->first[at] == 0)
        q->first[at] = node;
    else
        q->node[q->last[at] - 1].next = node;
    q->last[at] = node;
    q->flights++;
}

static inline void pipe_arrivals(struct pipe *q)
{
    uint32_t at = q->slot % PIPE_SLOTS;
    while (q->first[at] != 0) {
        struct pipe_node *node = &q->node[q->first[at] - 1];
        uint32_t next = node->next;
        weir_host_rx(q->p->host[node->pkt.dst], q->p->now_ps, &node->pkt, 1);
        node->next = q->free;
        q->free = q->first[at];
        q->first[at] = next;
        q->flights--;
    }
}

static inline void pipe_slot(struct pipe *q)
{
    struct weir_pkt out[PIPE_BURST];
    q->p->now_ps = q->slot * PIPE_SLOT_PS;
    pipe_arrivals(q);
    for (uint32_t h = 0; h < 2; h++) {
        uint32_t count = weir_host_tx(q->p->host[h], q->p->now_ps, out, h == 0 ? 1 : PIPE_BURST);
        for (uint32_t i = 0; i < count; i++)
            pipe_launch(q, &out[i]);
    }
    const struct host_flow *f = host_flow_at(q->p->host[0], 0);
    if (f->next - f->una > q->inflight_most)
        q->inflight_most = f->next - f->una;
    q->slot++;
}

/* The first slot in which something can happen, where nothing is on its way. */
static inline void pipe_skip(struct pipe *q)
{
    uint64_t next_ps = weir_min_u64(weir_host_next_ps(q->p->host[0]), weir_host_next_ps(q->p->host[1]));
    bool idle = q->flights == 0 && !weir_host_ready(q->p->host[0]) && !weir_host_ready(q->p->host[1]);
    if (idle && next_ps != WEIR_NEVER)
        q->slot = weir_max_u64(q->slot, (next_ps + PIPE_SLOT_PS - 1) / PIPE_SLOT_PS);
}

/* Runs until so many messages have ended, and nothing is on its way. */
static inline void pipe_run(struct pipe *q, uint32_t finishes)
{
    while (q->p->finishes < finishes || q->flights > 0) {
        pipe_slot(q);
        pipe_skip(q);
        if (q->p->after != NULL)
            q->p->after(q->p);
    }
}
#endif
