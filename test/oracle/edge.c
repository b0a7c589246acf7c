/* test/oracle/edge.c - the edge of a host: what it is called with and what comes out, noted where a run is taped. */
#include "test/oracle/oracle_impl.h"

static void edge_note(const struct oracle *o, const struct oracle_host *oh, struct weir_oracle_note note)
{
    note.at_ps = o->now_ps;
    note.host = (uint32_t)(oh - o->host);
    o->tape->note(o->tape->ctx, &note);
}

/* Notes the records of a packet that was noted. */
static void edge_hops(const struct oracle *o, const struct oracle_host *oh, const struct weir_pkt *pkt,
                      const struct weir_telemetry *hop)
{
    if (o->model->features.records_max == 0 || hop == NULL)
        return; /* pkt->hops is something else, or 0 */
    for (uint32_t i = 0; i < pkt->hops; i++)
        edge_note(o, oh, weir_oracle_hop_note(&hop[i]));
}

static void edge_end(const struct oracle *o, const struct oracle_host *oh)
{
    edge_note(o, oh,
              (struct weir_oracle_note){
                  .edge = WEIR_EDGE_END, .value = weir_host_next_ps(oh->host), .count = weir_host_ready(oh->host) });
}

static void edge_delivered(void *ctx, uint32_t src, uint32_t msg, uint64_t now_ps, uint32_t marks)
{
    struct oracle_host *oh = ctx;
    edge_note(oh->o, oh,
              (struct weir_oracle_note){ .edge = WEIR_EDGE_DELIVERED, .peer = src, .msg = msg, .count = marks });
    oh->sink.delivered(oh->sink.ctx, src, msg, now_ps, marks);
}

static void edge_finished(void *ctx, uint32_t msg, uint64_t now_ps)
{
    struct oracle_host *oh = ctx;
    edge_note(oh->o, oh, (struct weir_oracle_note){ .edge = WEIR_EDGE_FINISHED, .msg = msg });
    oh->sink.finished(oh->sink.ctx, msg, now_ps);
}

static void edge_retransmitted(void *ctx, uint32_t msg)
{
    struct oracle_host *oh = ctx;
    edge_note(oh->o, oh, (struct weir_oracle_note){ .edge = WEIR_EDGE_RETRANSMITTED, .msg = msg });
    oh->sink.retransmitted(oh->sink.ctx, msg);
}

/* Not noted: a replay has no heads, so it is of laws that read none. */
static struct weir_head edge_head(void *ctx, uint32_t src, uint32_t msg)
{
    const struct oracle_host *oh = ctx;
    return oh->sink.head(oh->sink.ctx, src, msg);
}

struct weir_host_sink oracle_edge_sink(struct oracle *o, struct oracle_host *oh)
{
    oh->o = o;
    if (o->tape == NULL)
        return oh->sink;
    return (struct weir_host_sink){ .delivered = edge_delivered,
                                    .finished = edge_finished,
                                    .retransmitted = edge_retransmitted,
                                    .head = edge_head,
                                    .ctx = oh };
}

int oracle_edge_send(struct oracle *o, struct oracle_host *oh, uint32_t law, uint32_t dst, uint32_t msg, uint64_t bytes)
{
    int failed;
    if (o->tape == NULL)
        return weir_host_send_by(oh->host, law, o->now_ps, dst, msg, bytes);
    WEIR_ASSERT(law == 0); /* a tape has no laws */
    edge_note(o, oh, (struct weir_oracle_note){ .edge = WEIR_EDGE_SEND, .peer = dst, .msg = msg, .value = bytes });
    failed = weir_host_send(oh->host, o->now_ps, dst, msg, bytes);
    edge_end(o, oh);
    return failed;
}

void oracle_edge_rx(struct oracle *o, struct oracle_host *oh, const struct weir_pkt *pkt,
                    const struct weir_telemetry *hop)
{
    if (o->tape == NULL) {
        (void)weir_host_rx_hops(oh->host, o->now_ps, pkt, hop, NULL);
        return;
    }
    edge_note(o, oh, (struct weir_oracle_note){ .edge = WEIR_EDGE_RX, .pkt = *pkt });
    edge_hops(o, oh, pkt, hop);
    (void)weir_host_rx_hops(oh->host, o->now_ps, pkt, hop, NULL);
    edge_end(o, oh);
}

uint32_t oracle_edge_tx(struct oracle *o, struct oracle_host *oh, struct weir_pkt *out, uint32_t max)
{
    uint32_t count;
    if (o->tape == NULL)
        return weir_host_tx(oh->host, o->now_ps, out, max);
    edge_note(o, oh, (struct weir_oracle_note){ .edge = WEIR_EDGE_TX, .count = max });
    count = weir_host_tx(oh->host, o->now_ps, out, max);
    if (count > 0) {
        edge_note(o, oh, (struct weir_oracle_note){ .edge = WEIR_EDGE_OUT, .pkt = *out });
        edge_hops(o, oh, out, weir_host_tx_hops(oh->host));
    }
    edge_end(o, oh);
    return count;
}
