/* test/twin/replay.c - see replay.h. */
#include "test/twin/replay.h"
#include "core/cc.h"
#include "core/need.h"
#include "core/rng.h"
#include "test/unit/endpoint/internals.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIFFERS_MAX = 256, DATAGRAM_MAX = WEIR_WIRE_ACK_BYTES + WEIR_WIRE_AREA_BYTES(EP_SLOTS) + WEIR_WIRE_PAYLOAD_MAX };

static void *replay_alloc(size_t size)
{
    void *memory = calloc(1, size);
    WEIR_ASSERT(memory != NULL);
    return memory;
}

static void keep(void *ctx, const struct weir_oracle_note *note)
{
    struct replay_tape *tape = ctx;
    if (tape->count == tape->capacity) {
        tape->capacity = tape->capacity == 0 ? 65536 : 2 * tape->capacity;
        tape->note = realloc(tape->note, tape->capacity * sizeof(*note));
        WEIR_ASSERT(tape->note != NULL);
    }
    tape->note[tape->count++] = *note;
}

int replay_record(const struct weir_model *model, struct replay_tape *tape, struct weir_err *err)
{
    struct weir_sim_options options = { .threads = 1 };
    struct weir_result result = { 0 };
    int code;
    *tape = (struct replay_tape){ 0 };
    code = weir_oracle_run_taped(model, &options, &(struct weir_oracle_tape){ keep, tape }, &result, err);
    weir_result_free(&result);
    return code;
}

void replay_free(struct replay_tape *tape)
{
    free(tape->note);
}

struct replay;
struct replay_host {
    struct weir_host *host;
    struct replay *replay;
    uint32_t self;
};

struct replay_block { /* memory lent to hosts */
    struct replay_block *next;
    void *memory;
};

struct replay {
    const struct weir_model *model;
    const struct replay_tape *tape;
    void (*change)(struct weir_pkt *pkt);
    struct replay_tally *tally;
    char *differs; /* "" as long as nothing does */
    uint64_t at;   /* of the tape: the note that must come next */
    uint64_t now_ps;
    struct replay_host *host;
    struct replay_block *blocks;
    struct weir_ep *ep; /* reads records as an endpoint does; nothing else of it is used */
    unsigned char datagram[DATAGRAM_MAX];
};

static void *lend(void *ctx, size_t size)
{
    struct replay *r = ctx;
    struct replay_block *block = replay_alloc(sizeof(*block));
    block->memory = replay_alloc(size + 64);
    block->next = r->blocks;
    r->blocks = block;
    return (void *)(((uintptr_t)block->memory + 63) & ~(uintptr_t)63);
}

static void differ(struct replay *r, const char *what)
{
    const struct weir_oracle_note *n = &r->tape->note[r->at < r->tape->count ? r->at : r->tape->count - 1];
    if (r->differs[0] == '\0')
        (void)snprintf(r->differs, DIFFERS_MAX, "note %" PRIu64 ", host %" PRIu32 " at %" PRIu64 " ps: %s", r->at,
                       n->host, n->at_ps, what);
}

/* Path entropy is not on the wire: SIRD draws its own, but an answer of the sender-driven half repeats what it answers. */
static void forget_hash(const struct replay *r, struct weir_oracle_note *note)
{
    if (r->model->host.credit == NULL)
        note->pkt.hash = 0;
}

/* This came out: it must be what the tape has next. */
static void expect(struct replay *r, const struct replay_host *rh, struct weir_oracle_note is)
{
    static const char *const what[] = { [WEIR_EDGE_OUT] = "another packet comes out",
                                        [WEIR_EDGE_HOP] = "another record comes out",
                                        [WEIR_EDGE_DELIVERED] = "another message is delivered",
                                        [WEIR_EDGE_FINISHED] = "another message is finished",
                                        [WEIR_EDGE_RETRANSMITTED] = "another packet is sent again",
                                        [WEIR_EDGE_END] = "less comes out, or it wants to be called at another time" };
    struct weir_oracle_note must;
    is.host = rh->self;
    is.at_ps = r->now_ps;
    if (r->differs[0] != '\0')
        return;
    must = r->at < r->tape->count ? r->tape->note[r->at] : (struct weir_oracle_note){ .edge = WEIR_EDGE_SEND };
    forget_hash(r, &must);
    forget_hash(r, &is);
    if (memcmp(&is, &must, sizeof(is)) != 0)
        differ(r, what[is.edge]);
    r->at++;
}

static void delivered(void *ctx, uint32_t src, uint32_t msg, uint64_t now_ps, uint32_t marks)
{
    const struct replay_host *rh = ctx;
    (void)now_ps;
    rh->replay->tally->told++;
    expect(rh->replay, rh,
           (struct weir_oracle_note){ .edge = WEIR_EDGE_DELIVERED, .peer = src, .msg = msg, .count = marks });
}

static void finished(void *ctx, uint32_t msg, uint64_t now_ps)
{
    const struct replay_host *rh = ctx;
    (void)now_ps;
    rh->replay->tally->told++;
    expect(rh->replay, rh, (struct weir_oracle_note){ .edge = WEIR_EDGE_FINISHED, .msg = msg });
}

static void retransmitted(void *ctx, uint32_t msg)
{
    const struct replay_host *rh = ctx;
    rh->replay->tally->told++;
    expect(rh->replay, rh, (struct weir_oracle_note){ .edge = WEIR_EDGE_RETRANSMITTED, .msg = msg });
}

/* Takes the records that the tape has next: those of the packet before them. @return their number */
static uint32_t taped_hops(struct replay *r, const struct weir_pkt *pkt, struct weir_telemetry *hop)
{
    uint32_t count = 0;
    while (r->ep->slots > 0 && count < pkt->hops && r->tape->note[r->at].edge == WEIR_EDGE_HOP)
        hop[count++] = weir_oracle_hop_of(&r->tape->note[r->at++]);
    return count;
}

/* Writes records as switches do, from the clock of the simulation. */
static void put_slots(const struct replay *r, const struct weir_telemetry *hop, uint32_t count, unsigned char *out)
{
    for (uint32_t i = 0; i < count; i++) {
        struct weir_int_hop h = weir_telemetry_unpack(&hop[i], r->model->host.rates);
        weir_wire_put_slot(&(struct weir_wire_slot){ .time_ns = h.ts_ps / WEIR_PS_PER_NS,
                                                     .sent_bytes = h.tx_bytes,
                                                     .rate_100k = (uint32_t)(h.rate_bps / 100000),
                                                     .queue_bytes = h.queue_bytes },
                           out + i * (size_t)WEIR_WIRE_SLOT_BYTES);
    }
}

/* What comes out with an ACK: bytes of the wire, of the DATA that it answers. */
static void expect_echo(struct replay *r, const struct replay_host *rh, const struct weir_pkt *ack)
{
    struct weir_wire_head head = { .pkt = *ack,
                                   .echo = (const unsigned char *)weir_host_tx_hops(rh->host),
                                   .echo_count = ack->hops };
    ep_records_take(r->ep, &head);
    for (uint32_t i = 0; i < ack->hops; i++)
        expect(r, rh, weir_oracle_hop_note(&r->ep->hop[i]));
}

/* From the host that sent it to this one as bytes: what the wire has not is put back as an endpoint does, from the address it came
 * from and from the IP header. @return false if it did not come through as it was */
static bool carry(struct replay *r, const struct weir_pkt *sent, const struct weir_telemetry *hop, uint32_t hops,
                  struct weir_pkt *out)
{
    unsigned char slots[EP_SLOTS * WEIR_WIRE_SLOT_BYTES] = { 0 };
    bool checked = r->tally->arrived % 2 == 1;
    struct weir_wire_head head, was = { .pkt = *sent,
                                        .token = weir_mix_u64((uint64_t)sent->dst << 16 | sent->src),
                                        .counter = r->tally->arrived + 1,
                                        .stream = r->model->host.credit == NULL,
                                        .checked = checked };
    ep_area_reserve(r->ep, &was);
    struct weir_pkt must = *sent;
    bool raised = sent->kind == WEIR_PKT_DATA && r->model->host.qdelay_unit_ps != 0; /* a delay that switches raise */
    if (raised) {
        was.signal = WEIR_WIRE_SIGNAL(sent->qdelay, 0, sent->tokens, 0);
        was.pkt.qdelay = 0;
        r->tally->raised += sent->qdelay > 0;
    }
    put_slots(r, hop, hops, slots);
    if (was.slot_count > 0) {
        was.signal = WEIR_WIRE_SIGNAL(0, hops, 0, 0);
        was.slots = slots;
    } else if (hops > 0) {
        was.echo = slots;
        was.echo_count = (uint8_t)hops;
    }
    r->tally->records += hops;
    uint32_t payload = sent->kind == WEIR_PKT_DATA ? sent->payload_bytes : 0, length = weir_wire_head_bytes(&was);
    weir_wire_encode(&was, r->datagram + length, r->datagram);
    if (weir_wire_decode(r->datagram, length + payload, &r->model->host.framing, &head) != WEIR_WIRE_OK ||
        head.token != was.token || head.counter != was.counter || head.checked != checked)
        return false;
    if (r->ep->slots > 0)
        ep_records_take(r->ep, &head);
    *out = head.pkt;
    out->src = sent->src;
    out->dst = sent->dst;
    out->flags |= sent->flags & WEIR_PKT_CE;
    if (raised)
        out->qdelay = (uint16_t)WEIR_WIRE_SIGNAL_DELAY(head.signal);
    if (WEIR_WIRE_SIGNAL_TOKENS(head.signal) != sent->tokens)
        return false; /* of switches: no host reads them */
    must.tokens = 0;
    r->tally->tokens += sent->tokens > 0;
    r->tally->spent += sent->tokens > 0 && sent->tokens < r->model->host.tokens;
    r->tally->arrived++;
    r->tally->payloads += payload > 0;
    r->tally->notices += sent->kind == WEIR_PKT_NOTICE;
    must.arrival_ps = 0;
    must.hash = 0;
    return memcmp(out, &must, sizeof(must)) == 0;
}

static void play_rx(struct replay *r, const struct replay_host *rh, const struct weir_pkt *sent)
{
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
    struct weir_pkt pkt;
    uint32_t hops = taped_hops(r, sent, hop);
    if (hops > EP_SLOTS || !carry(r, sent, hop, hops, &pkt)) {
        differ(r, "a packet changed between encoding and decoding");
        return;
    }
    if (r->change != NULL)
        r->change(&pkt);
    (void)weir_host_rx_hops(rh->host, r->now_ps, &pkt, r->ep->hop, NULL);
}

static void play_tx(struct replay *r, const struct replay_host *rh, uint32_t max)
{
    struct weir_oracle_note out = { .edge = WEIR_EDGE_OUT };
    if (weir_host_tx(rh->host, r->now_ps, &out.pkt, max) == 0)
        return;
    r->tally->left++;
    expect(r, rh, out);
    if (r->ep->slots > 0 && out.pkt.hops > 0)
        expect_echo(r, rh, &out.pkt);
}

/* The call that is next on the tape. */
static void play_call(struct replay *r)
{
    const struct weir_oracle_note *call = &r->tape->note[r->at++];
    const struct replay_host *rh = &r->host[call->host];
    r->now_ps = call->at_ps;
    r->tally->calls++;
    if (call->edge == WEIR_EDGE_RX)
        play_rx(r, rh, &call->pkt);
    else if (call->edge == WEIR_EDGE_TX)
        play_tx(r, rh, call->count);
    else if (call->edge != WEIR_EDGE_SEND)
        differ(r, "less comes out");
    else if (weir_host_send(rh->host, r->now_ps, call->peer, call->msg, call->value) != 0)
        differ(r, "a message is refused");
    expect(r, rh,
           (struct weir_oracle_note){
               .edge = WEIR_EDGE_END, .value = weir_host_next_ps(rh->host), .count = weir_host_ready(rh->host) });
}

static void hosts_init(struct replay *r)
{
    const struct weir_mem mem = { lend, r };
    uint32_t hosts = r->model->topo->host_count;
    r->host = replay_alloc(hosts * sizeof(*r->host));
    for (uint32_t h = 0; h < hosts; h++) {
        struct replay_host *rh = &r->host[h];
        struct weir_host_sink sink = {
            .delivered = delivered, .finished = finished, .retransmitted = retransmitted, .ctx = rh
        };
        *rh = (struct replay_host){ .replay = r, .self = h };
        rh->host = weir_host_init(lend(r, weir_host_bytes(&r->model->host)), &r->model->host, h, &mem, &sink);
    }
}

static void hosts_free(struct replay *r)
{
    while (r->blocks != NULL) {
        struct replay_block *block = r->blocks;
        r->blocks = block->next;
        free(block->memory);
        free(block);
    }
    free(r->host);
}

/* Makes what an endpoint with the model's protocol has for records. */
static struct weir_ep *endpoint_like(const struct weir_model *model)
{
    struct weir_ep *ep = replay_alloc(sizeof(*ep));
    uint32_t needs = weir_host_needs(&model->host) & (WEIR_NEED_INT | WEIR_NEED_ACK_INT);
    if (model->host.qdelay_unit_ps != 0 || model->host.tokens > 0)
        ep->area_kind = WEIR_WIRE_AREA_64NS;
    if (needs == 0)
        return ep;
    ep->slots = EP_SLOTS;
    ep->slots_in_acks = needs == WEIR_NEED_ACK_INT;
    ep->rates = *model->host.rates;
    return ep;
}

bool replay_run(const struct weir_model *model, const struct replay_tape *tape, void (*change)(struct weir_pkt *pkt),
                struct replay_tally *tally, char *differs)
{
    static struct replay r;
    r = (struct replay){ .model = model, .tape = tape, .change = change, .tally = tally, .differs = differs };
    for (uint32_t i = 0; i < DATAGRAM_MAX; i++)
        r.datagram[i] = (unsigned char)weir_mix_u64(i); /* the payload of every packet */
    differs[0] = '\0';
    r.ep = endpoint_like(model);
    hosts_init(&r);
    while (r.at < tape->count && differs[0] == '\0')
        play_call(&r);
    hosts_free(&r);
    free(r.ep);
    return differs[0] == '\0';
}
