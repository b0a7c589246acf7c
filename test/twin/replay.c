/* test/twin/replay.c - see replay.h. */
#include "test/twin/replay.h"
#include "core/rng.h"
#include "wire/wire.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIFFERS_MAX = 256, DATAGRAM_MAX = WEIR_WIRE_ACK_BYTES + WEIR_WIRE_PAYLOAD_MAX };

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

/* From the host that sent it to this one as bytes: what the wire has not is put back as an endpoint does, from the address it came
 * from and from the IP header. @return false if it did not come through as it was */
static bool carry(struct replay *r, const struct weir_pkt *sent, struct weir_pkt *out)
{
    bool checked = r->tally->arrived % 2 == 1;
    struct weir_wire_head head, was = { .pkt = *sent,
                                        .token = weir_mix_u64((uint64_t)sent->dst << 16 | sent->src),
                                        .counter = r->tally->arrived + 1,
                                        .stream = r->model->host.credit == NULL,
                                        .checked = checked };
    struct weir_pkt must = *sent;
    bool raised = sent->kind == WEIR_PKT_DATA && r->model->host.qdelay_unit_ps != 0; /* a delay that switches raise */
    if (raised) {
        was.area_kind = WEIR_WIRE_AREA_64NS;
        was.signal = WEIR_WIRE_SIGNAL(sent->qdelay, 0, 0, 0);
        was.pkt.qdelay = 0;
        r->tally->raised += sent->qdelay > 0;
    }
    uint32_t payload = sent->kind == WEIR_PKT_DATA ? sent->payload_bytes : 0, length = weir_wire_head_bytes(&was);
    weir_wire_encode(&was, r->datagram + length, r->datagram);
    if (weir_wire_decode(r->datagram, length + payload, &r->model->host.framing, &head) != WEIR_WIRE_OK ||
        head.token != was.token || head.counter != was.counter || head.checked != checked)
        return false;
    *out = head.pkt;
    out->src = sent->src;
    out->dst = sent->dst;
    out->flags |= sent->flags & WEIR_PKT_CE;
    if (raised)
        out->qdelay = (uint16_t)WEIR_WIRE_SIGNAL_DELAY(head.signal);
    r->tally->arrived++;
    r->tally->payloads += payload > 0;
    r->tally->notices += sent->kind == WEIR_PKT_NOTICE;
    must.arrival_ps = 0;
    must.hash = 0;
    return memcmp(out, &must, sizeof(must)) == 0;
}

static void play_rx(struct replay *r, const struct replay_host *rh, const struct weir_pkt *sent)
{
    struct weir_pkt pkt;
    if (!carry(r, sent, &pkt)) {
        differ(r, "a packet changed between encoding and decoding");
        return;
    }
    if (r->change != NULL)
        r->change(&pkt);
    weir_host_rx(rh->host, r->now_ps, &pkt, 1);
}

static void play_tx(struct replay *r, const struct replay_host *rh, uint32_t max)
{
    struct weir_oracle_note out = { .edge = WEIR_EDGE_OUT };
    if (weir_host_tx(rh->host, r->now_ps, &out.pkt, max) == 0)
        return;
    r->tally->left++;
    expect(r, rh, out);
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

bool replay_run(const struct weir_model *model, const struct replay_tape *tape, void (*change)(struct weir_pkt *pkt),
                struct replay_tally *tally, char *differs)
{
    static struct replay r;
    r = (struct replay){ .model = model, .tape = tape, .change = change, .tally = tally, .differs = differs };
    for (uint32_t i = 0; i < DATAGRAM_MAX; i++)
        r.datagram[i] = (unsigned char)weir_mix_u64(i); /* the payload of every packet */
    differs[0] = '\0';
    hosts_init(&r);
    while (r.at < tape->count && differs[0] == '\0')
        play_call(&r);
    hosts_free(&r);
    return differs[0] == '\0';
}
