/* src/algorithms/host/common/host.c - the functions of host.h: set-up, dispatch to the half, queues and pauses. */
#include "core/cc.h"
#include "core/credit_ops.h"
#include "host/common/machine.h"
#include "host/common/state.h"

size_t weir_host_bytes(const struct weir_host_config *cfg)
{
    return HOST_LINES(sizeof(struct weir_host)) + host_machine_of(cfg)->bytes(cfg);
}

uint32_t weir_host_data_class(const struct weir_host_config *cfg)
{
    return cfg->credit != NULL ? cfg->credit->data_class(cfg->cc_config) : cfg->params.data_class;
}

bool weir_host_has_credit(const struct weir_host_config *cfg)
{
    for (uint32_t i = 0; cfg->law != NULL && i < cfg->law_count; i++)
        if (cfg->law[i].credit != NULL)
            return true;
    return cfg->law == NULL && cfg->credit != NULL;
}

struct weir_path weir_host_path(const struct weir_host_config *cfg, uint32_t from, uint32_t to)
{
    struct weir_path path = cfg->path;
    uint64_t rate_bps = path.rate_bps;
    if (cfg->links == NULL)
        return path;
    rate_bps = weir_min_u64(rate_bps, cfg->links[to].down_bps);
    if (from != to)
        rate_bps = weir_min_u64(rate_bps, cfg->links[from].up_bps);
    WEIR_ASSERT(rate_bps > 0);
    path.bdp_bytes = weir_mul_div_u64(path.bdp_bytes, rate_bps, path.rate_bps);
    path.rate_bps = rate_bps;
    return path;
}

uint32_t weir_host_needs(const struct weir_host_config *cfg)
{
    uint32_t needs = 0;
    for (uint32_t i = 0; cfg->law != NULL && i < cfg->law_count; i++)
        needs |= weir_host_needs(&cfg->law[i]);
    if (cfg->law != NULL)
        return needs;
    return cfg->cc != NULL ? cfg->cc->needs : cfg->credit->needs;
}

struct weir_host *weir_host_init(void *memory, const struct weir_host_config *cfg, uint32_t self,
                                 const struct weir_mem *mem, const struct weir_host_sink *sink)
{
    struct weir_host *h = memory;
    WEIR_ASSERT(((uintptr_t)memory & 63) == 0);
    WEIR_ASSERT(self < WEIR_PKT_HOSTS_MAX);
    WEIR_ASSERT(cfg->params.window_pkts >= WEIR_HOST_WINDOW_PKTS_MIN);
    WEIR_ASSERT(cfg->params.window_pkts <= WEIR_HOST_WINDOW_PKTS_MAX);
    WEIR_ASSERT(cfg->params.reorder_pkts >= 1);
    WEIR_ASSERT(cfg->params.reorder_pkts < cfg->params.window_pkts);
    WEIR_ASSERT(cfg->params.connections >= 1);
    WEIR_ASSERT(cfg->params.rto_min_ps >= 1 && cfg->params.rto_min_ps <= cfg->params.rto_init_ps);
    WEIR_ASSERT(cfg->params.rto_init_ps <= cfg->params.rto_max_ps);
    WEIR_ASSERT(cfg->framing.payload_bytes >= 1);
    WEIR_ASSERT(weir_framing_wire(&cfg->framing, cfg->framing.payload_bytes) <= WEIR_WIRE_MAX_BYTES);
    WEIR_ASSERT(cfg->cc == NULL || cfg->cc->rx_bytes == 0 || cfg->cc->rx_flow_bytes == 0);
    WEIR_ASSERT(cfg->cc == NULL || cfg->cc->rx_bytes == 0 || cfg->cc->rx_notice == NULL || cfg->cc->per_peer);
    WEIR_ASSERT(cfg->cc == NULL || (cfg->cc->needs & WEIR_NEED_HELD) == 0 ||
                cfg->cc->rx_data == NULL); /* one field for both */
    WEIR_ASSERT((cfg->cc == NULL) != (cfg->credit == NULL));
    *h = (struct weir_host){
        .cfg = cfg,
        .machine = host_machine_of(cfg),
        .next_ps = WEIR_NEVER,
        .timers = WEIR_TIMERS_NONE,
        .window_pkts = cfg->params.window_pkts,
        .self_word = WEIR_PKT_HOST_WORD(self),
        .data_src_word = WEIR_PKT_SRC_WORD(self, weir_host_ect(&cfg->params, weir_host_needs(cfg)) ? WEIR_PKT_ECT : 0u),
        .data_size_word = WEIR_PKT_SIZE_WORD(weir_framing_wire(&cfg->framing, cfg->framing.payload_bytes),
                                             cfg->params.data_class, cfg->framing.payload_bytes),
        .ack_size_word = WEIR_PKT_SIZE_WORD(cfg->framing.ack_wire_bytes, cfg->params.ack_class, 0),
        .mss_bytes = (uint16_t)cfg->framing.payload_bytes,
        .hash = (uint8_t)cfg->hash,
        .sink = *sink,
        .mem = *mem,
    };
    h->spray_key = weir_rng_key(cfg->seed, self, WEIR_RNG_HOST_SPRAY, cfg->law_number);
    h->machine->init(h);
    return h;
}

int weir_host_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes)
{
    uint64_t mss = h->mss_bytes;
    WEIR_ASSERT(bytes > 0);
    if (dst >= WEIR_PKT_HOSTS_MAX || bytes > UINT32_MAX * mss)
        return WEIR_E_RANGE;
    return h->machine->send(h, now_ps, dst, msg, bytes);
}

int weir_host_send_by(struct weir_host *h, uint32_t law, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes)
{
    if (WEIR_LIKELY(h->machine->send_by == NULL))
        return weir_host_send(h, now_ps, dst, msg, bytes);
    return h->machine->send_by(h, law, now_ps, dst, msg, bytes);
}

void weir_host_rx(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, uint32_t count)
{
    h->machine->rx_many(h, now_ps, pkt, count);
}

bool weir_host_rx_free(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer)
{
    return h->machine->rx(h, now_ps, pkt, answer);
}

bool weir_host_rx_hops(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt,
                       const struct weir_telemetry *hop, struct weir_pkt *answer)
{
    bool answered;
    WEIR_ASSERT(hop == NULL || pkt->hops <= WEIR_TELEMETRY_HOPS_MAX);
    h->rx_hop = hop;
    h->rx_hops = hop != NULL && h->cfg->rates != NULL ? pkt->hops : 0;
    answered = h->machine->rx(h, now_ps, pkt, answer);
    h->rx_hops = 0;
    return answered;
}

uint32_t weir_host_ranges(const struct weir_host *h, const struct weir_pkt *ack, struct weir_ack_range *out,
                          uint32_t max)
{
    WEIR_ASSERT(ack->kind == WEIR_PKT_ACK);
    return h->machine->ranges != NULL ? h->machine->ranges(h, ack, out, max) : 0;
}

void weir_host_rx_ack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *ack,
                      const struct weir_telemetry *hop, const struct weir_ack_range *range, uint32_t count)
{
    WEIR_ASSERT(ack->kind == WEIR_PKT_ACK);
    WEIR_ASSERT(count <= UINT8_MAX);
    h->rx_range = range;
    h->rx_ranges = h->cfg->params.reliability == WEIR_SELECTIVE ? (uint8_t)count : 0;
    (void)weir_host_rx_hops(h, now_ps, ack, hop, NULL);
    h->rx_ranges = 0;
}

const struct weir_telemetry *weir_host_tx_hops(const struct weir_host *h)
{
    return h->tx_hop;
}

void weir_host_pause(struct weir_host *h, uint32_t class_mask)
{
    h->paused_classes = (uint8_t)(class_mask & ((1u << WEIR_CLASSES_MAX) - 1));
    h->hold = (uint8_t)((h->hold & HOST_HOLD_HAS_NOTICES) | (h->paused_classes != 0 ? HOST_HOLD_CLASSES : 0));
    WEIR_ASSERT((h->hold & HOST_HOLD_DATA) == 0); /* the half sets it again */
    h->machine->pause(h, h->paused_classes);
}

static inline void tx_answer(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    WEIR_CHECK(h->acks.count > 0);
    *out = *(const struct weir_pkt *)host_ring_at(&h->acks, 0, sizeof(*out));
    host_ring_drop(&h->acks);
    h->stats.tx_ack_pkts++;
    if (WEIR_UNLIKELY(h->extended & (HOST_EXTENDED_HOPS | HOST_EXTENDED_HELD)))
        h->machine->answer_leaves(h, now_ps, out);
}

/* Tests whether the first packet of a queue exists and its class is not paused. */
static inline bool first_may(const struct weir_host *h, const struct host_ring *queue)
{
    const struct weir_pkt *first;
    if (queue->count == 0)
        return false; /* an empty queue may have no memory yet */
    first = host_ring_at(queue, 0, sizeof(*first));
    return (h->paused_classes >> first->class_id & 1) == 0;
}

static HOST_COLD bool data_may(const struct weir_host *h)
{
    if (h->ready_count == 0 || (h->hold & HOST_HOLD_DATA) != 0)
        return false;
    return (h->hold & HOST_HOLD_BY_CLASS) == 0 || h->machine->has_open(h);
}

static HOST_COLD uint32_t tx_data_held(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    if (!data_may(h))
        return 0;
    return (h->hold & HOST_HOLD_BY_CLASS) != 0 ? h->machine->tx_open(h, now_ps, out) : h->machine->tx(h, now_ps, out);
}

/* Writes the packet that leaves next while h->hold is not 0: a NOTICE, else an ACK or other control packet, else DATA.
 * @return 1; 0 = none may leave */
static HOST_COLD uint32_t tx_held(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    if (first_may(h, &h->notices)) {
        *out = *(const struct weir_pkt *)host_ring_at(&h->notices, 0, sizeof(*out));
        host_ring_drop(&h->notices);
        h->stats.tx_notice_pkts++;
        if (h->notices.count == 0)
            h->hold &= (uint8_t)~HOST_HOLD_HAS_NOTICES;
        return 1;
    }
    if (!first_may(h, &h->acks))
        return tx_data_held(h, now_ps, out);
    tx_answer(h, now_ps, out);
    return 1;
}

/* Writes the packet that leaves next. @return 1; 0 = none may leave */
static inline uint32_t tx_one(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    if (WEIR_UNLIKELY(h->hold != 0))
        return tx_held(h, now_ps, out);
    if (h->acks.count > 0) {
        tx_answer(h, now_ps, out);
        return 1;
    }
    return h->ready_count == 0 ? 0 : h->machine->tx(h, now_ps, out);
}

static HOST_COLD uint32_t tx_many(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out, uint32_t max)
{
    uint32_t n = 0;
    while (n < max && tx_one(h, now_ps, &out[n]) != 0)
        n++;
    return n;
}

uint32_t weir_host_tx(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out, uint32_t max)
{
    if (WEIR_UNLIKELY(h->next_ps <= now_ps))
        h->machine->time_run(h, now_ps);
    WEIR_CHECK(h->next_ps > now_ps || h->machine->heard != NULL); /* all due timers have run, or wait to be heard */
    return WEIR_LIKELY(max == 1) ? tx_one(h, now_ps, out) : tx_many(h, now_ps, out, max);
}

void weir_host_heard(struct weir_host *h, uint64_t heard_ps, uint64_t late_ps)
{
    if (h->machine->heard != NULL)
        h->machine->heard(h, heard_ps, late_ps);
}

bool weir_host_measured(const struct weir_host *h, struct weir_host_measured *out)
{
    *out = (struct weir_host_measured){ 0 };
    return h->machine->measured != NULL && h->machine->measured(h, out);
}

uint64_t weir_host_next_ps(const struct weir_host *h)
{
    return h->next_ps;
}

static HOST_COLD bool ready_held(const struct weir_host *h)
{
    return first_may(h, &h->notices) || first_may(h, &h->acks) || data_may(h);
}

bool weir_host_ready(const struct weir_host *h)
{
    bool any = h->acks.count + h->ready_count > 0;
    if (WEIR_LIKELY(h->hold == 0))
        return any;
    return ready_held(h);
}

bool host_has_answer(const struct weir_host *h)
{
    return first_may(h, &h->notices) || first_may(h, &h->acks);
}

const struct weir_host_stats *weir_host_stats(const struct weir_host *h)
{
    if (h->machine->stats != NULL)
        h->machine->stats((struct weir_host *)(uintptr_t)h); /* a cache, which nobody else reads */
    return &h->stats;
}

void weir_host_stats_add(struct weir_host_stats *sum, const struct weir_host_stats *more)
{
    sum->tx_data_pkts += more->tx_data_pkts;
    sum->tx_ack_pkts += more->tx_ack_pkts;
    sum->rx_data_pkts += more->rx_data_pkts;
    sum->rx_ack_pkts += more->rx_ack_pkts;
    sum->rx_new_bytes += more->rx_new_bytes;
    sum->tx_acked_bytes += more->tx_acked_bytes;
    sum->tx_done_bytes += more->tx_done_bytes;
    sum->retransmissions += more->retransmissions;
    sum->duplicates += more->duplicates;
    sum->rx_again_pkts += more->rx_again_pkts;
    sum->spurious_pkts += more->spurious_pkts;
    sum->timeouts += more->timeouts;
    sum->refused_pkts += more->refused_pkts;
    sum->marked_pkts += more->marked_pkts;
    sum->dropped_pkts += more->dropped_pkts;
    sum->tx_nack_pkts += more->tx_nack_pkts;
    sum->tx_notice_pkts += more->tx_notice_pkts;
    sum->rx_notice_pkts += more->rx_notice_pkts;
    sum->source_marked_pkts += more->source_marked_pkts;
    sum->connections += more->connections;
    sum->rx_connections += more->rx_connections;
    sum->grown_bytes += more->grown_bytes;
}
_Static_assert(sizeof(struct weir_host_stats) == 21 * sizeof(uint64_t), "weir_host_stats_add() adds every counter");

const struct weir_host *weir_host_of_law(const struct weir_host *h, uint32_t law)
{
    return h->machine->law != NULL ? h->machine->law(h, law) : h;
}

void weir_host_credit(const struct weir_host *h, struct weir_credit_sums *out)
{
    *out = (struct weir_credit_sums){ .most_bytes = INT64_MAX };
    if (h->machine->credit != NULL)
        h->machine->credit(h, out);
}

const char *weir_host_check(const struct weir_host *h)
{
    struct weir_credit_sums sums;
    if (h->machine->check != NULL)
        return h->machine->check(h);
    weir_host_credit(h, &sums);
    if (sums.outstanding_bytes > sums.most_bytes)
        return "a receiver has more credit outstanding than its bucket holds";
    if (sums.surplus_bytes > 0)
        return "more credit came back to a receiver than it gave";
    return NULL;
}

int weir_host_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    return h->machine->cancel(h, now_ps, msg);
}

int weir_host_hold(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    return h->machine->hold != NULL ? h->machine->hold(h, now_ps, msg) : WEIR_E_UNKNOWN;
}

int weir_host_resume(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    return h->machine->resume != NULL ? h->machine->resume(h, now_ps, msg) : WEIR_E_UNKNOWN;
}

int weir_host_probe(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    return h->machine->probe != NULL ? h->machine->probe(h, now_ps, msg) : WEIR_E_UNKNOWN;
}

void weir_host_forget(struct weir_host *h, uint64_t now_ps, uint32_t peer)
{
    h->machine->forget(h, now_ps, peer);
}

enum weir_host_inbound weir_host_inbound(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt)
{
    return h->machine->inbound(h, src, pkt);
}

bool weir_host_begun(const struct weir_host *h, uint32_t msg)
{
    WEIR_ASSERT(h->machine->begun != NULL);
    return h->machine->begun(h, msg);
}

bool weir_host_owed(const struct weir_host *h, uint32_t src)
{
    return h->machine->owed != NULL && h->machine->owed(h, src);
}

void weir_host_rx_bound(struct weir_host *h, uint64_t now_ps, uint32_t src, uint32_t conn)
{
    WEIR_ASSERT(h->sink.rx_bound != NULL && h->machine->rx_bound != NULL);
    h->machine->rx_bound(h, now_ps, src, conn);
}

void weir_host_tx_bound(struct weir_host *h, uint32_t msg)
{
    WEIR_ASSERT(h->sink.tx_bound != NULL && h->machine->tx_bound != NULL);
    h->machine->tx_bound(h, msg);
}

uint32_t weir_host_edge(const struct weir_host *h, uint32_t src, uint32_t conn)
{
    WEIR_ASSERT(h->machine->edge != NULL);
    return h->machine->edge(h, src, conn);
}

bool weir_host_next_pending(const struct weir_host *h, uint64_t *cursor, struct weir_host_pending *out)
{
    return h->machine->next_pending(h, cursor, out);
}

int weir_host_weight(struct weir_host *h, uint64_t now_ps, uint32_t msg, uint64_t weight_q20)
{
    WEIR_ASSERT(weight_q20 > 0);
    return h->machine->weight != NULL ? h->machine->weight(h, now_ps, msg, weight_q20) : 0;
}

int weir_host_priority(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint32_t priority)
{
    WEIR_ASSERT(priority < WEIR_CLASSES_MAX);
    return h->machine->priority != NULL ? h->machine->priority(h, now_ps, dst, msg, priority) : 0;
}

int weir_host_rate(struct weir_host *h, uint64_t now_ps, uint32_t msg, const struct weir_allotment *allotment)
{
    return h->machine->rate != NULL ? h->machine->rate(h, now_ps, msg, allotment) : 0;
}

bool weir_host_flow(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out)
{
    *out = (struct weir_host_flow){ 0 };
    return h->machine->flow != NULL && h->machine->flow(h, msg, out);
}

/* ---- prefetches ---- */

void weir_host_rx_prefetch(const struct weir_host *h, const struct weir_pkt *pkt)
{
    h->machine->rx_prefetch(h, pkt);
}

void weir_host_message_prefetch(const struct weir_host *h, const struct weir_pkt *pkt)
{
    h->machine->message_prefetch(h, pkt);
}

void weir_host_send_prefetch(const struct weir_host *h, uint32_t dst)
{
    h->machine->send_prefetch(h, dst);
}

void weir_host_connection_prefetch(const struct weir_host *h, uint32_t dst)
{
    if (h->machine->connection_prefetch != NULL)
        h->machine->connection_prefetch(h, dst);
}

void weir_host_timers_prefetch(const struct weir_host *h, uint64_t end_ps)
{
    if (h->machine->timers_prefetch != NULL)
        h->machine->timers_prefetch(h, end_ps);
}
