/* test/net/ledger.c - see ledger.h and world.h. */
#include "test/unit/weir_test.h"
#include "test/net/ledger.h"
#include "core/rng.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SPOILT UINT64_C(0xeeeeeeeeeeeeeeee)

static const char *const kind_name[] = { "send", "call", "reply" };

uint32_t draw_below(struct world *w, uint32_t n)
{
    return weir_rng_below(weir_rng_next(w->rng), n);
}

bool draw_hits(struct world *w, uint32_t ppm)
{
    return weir_rng_hits(weir_rng_next(w->rng), (uint64_t)ppm * 1000);
}

/* Eight bytes at a time; the length counts too. */
static uint64_t hash_of(uint64_t number, const unsigned char *bytes, uint64_t len)
{
    uint64_t h = weir_mix_u64(number ^ len << 32), word;
    uint64_t i = 0;
    for (; i + 8 <= len; i += 8) {
        memcpy(&word, bytes + i, 8);
        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    word = 0;
    if (i < len)
        memcpy(&word, bytes + i, len - i);
    return weir_mix_u64(h ^ word);
}

struct world_op *ledger_draft(struct world *w, uint32_t from, uint32_t to, enum world_kind kind, uint64_t len,
                              struct iovec iov[2])
{
    struct world_op *op = &w->op[w->ops];
    uint64_t body = len > WORLD_ANONYMOUS ? len - WORLD_ANONYMOUS : 0;
    unsigned char *bytes;
    assert_true(w->ops < w->ops_max && body <= WORLD_POOL_BYTES / 2);
    *op = (struct world_op){
        .head = w->ops, .len = len, .kind = (uint8_t)kind, .from = (uint8_t)from, .to = (uint8_t)to
    };
    op->offset = draw_below(w, WORLD_POOL_BYTES / 2);
    op->begun_ns = world_now_ns(w);
    bytes = w->pool + op->offset;
    op->hash = hash_of(w->ops, bytes, body);
    if (body > 0 && body <= 65536 && draw_below(w, 4) == 0) {
        op->own = malloc(body);
        assert_non_null(op->own);
        memcpy(op->own, bytes, body);
        bytes = op->own;
    }
    iov[0] = (struct iovec){ .iov_base = &op->head, .iov_len = len < WORLD_ANONYMOUS ? len : WORLD_ANONYMOUS };
    iov[1] = (struct iovec){ .iov_base = bytes, .iov_len = body };
    return op;
}

void ledger_accept(struct world *w, struct world_op *op)
{
    if (op->len < WORLD_ANONYMOUS)
        w->anonymous[op->from][op->to][op->len][0]++;
    op->excused = (w->allow[op->from] | w->allow[op->to]) != 0;
    w->ops++;
    w->end[op->from].under_way++;
}

void ledger_discard(struct world_op *op)
{
    free(op->own);
    op->own = NULL;
}

struct world_op *ledger_deliver(struct world *w, uint32_t from, uint32_t to, enum world_kind kind, const void *data,
                                size_t len)
{
    const unsigned char *bytes = data;
    uint64_t number;
    struct world_op *op;
    w->delivered++;
    w->delivered_bytes += len;
    if (len < WORLD_ANONYMOUS) {
        assert_int_equal(kind, WORLD_SEND);
        w->anonymous[from][to][len][1]++;
        return NULL;
    }
    memcpy(&number, bytes, WORLD_ANONYMOUS);
    if (number >= w->ops)
        fail_msg("a %s of %zu bytes from %" PRIu32 " to %" PRIu32 " that nobody sent: number %" PRIx64, kind_name[kind],
                 len, from, to, number);
    op = &w->op[number];
    if (op->kind != kind || op->from != from || op->to != to || op->len != len)
        fail_msg("%" PRIu64 " is a %s of %" PRIu64 " bytes from %u to %u; came as %s of %zu from %" PRIu32
                 " to %" PRIu32,
                 number, kind_name[op->kind], op->len, op->from, op->to, kind_name[kind], len, from, to);
    if (op->delivered++ > 0)
        fail_msg("%s %" PRIu64 " of %" PRIu64 " bytes came twice", kind_name[kind], number, op->len);
    if (hash_of(number, bytes + WORLD_ANONYMOUS, len - WORLD_ANONYMOUS) != op->hash)
        fail_msg("%s %" PRIu64 " of %" PRIu64 " bytes from %u to %u came changed", kind_name[kind], number, op->len,
                 op->from, op->to);
    return op;
}

/* Results that tell of this operation alone: it was cancelled, its time is over, its caller has gone away. */
static bool is_own_end(const struct world *w, const struct world_op *op, int32_t result)
{
    if (result == -ECANCELED)
        return op->cancelled;
    if (result == -ETIMEDOUT && op->deadline_ns > 0) /* and not before its time */
        return world_now_ns(w) >= op->begun_ns + op->deadline_ns || w->end[op->from].jumped;
    if (result == -ENOENT && op->kind == WORLD_REPLY)
        return w->op[op->call].events > 0 || w->op[op->call].closed || w->op[op->call].cancelled ||
               w->op[op->call].deadline_ns > 0;
    return false;
}

static bool is_allowed(const struct world *w, const struct world_op *op, int32_t result)
{
    uint64_t allow = w->allow[op->from] | w->allow[op->to];
    if (result == 0 || is_own_end(w, op, result))
        return true;
    return (result == -ECONNRESET && allow & WORLD_RESET) || (result == -ETIMEDOUT && allow & WORLD_SILENT) ||
           (result == -EHOSTUNREACH && allow & WORLD_UNREACHABLE) || (result == -EPROTO && allow & WORLD_OTHER) ||
           (result == -EMSGSIZE && allow & WORLD_SIZE);
}

void ledger_end(struct world *w, struct world_op *op, int32_t result)
{
    uint32_t number = (uint32_t)(op - w->op);
    if (op->closed || op->events++ > 0)
        fail_msg("%s %" PRIu32 " has a second event: %d, after %d", kind_name[op->kind], number, result, op->result);
    if (!is_allowed(w, op, result))
        fail_msg("%s %" PRIu32 " of %" PRIu64 " bytes from %u to %u, begun at %" PRIu64 " ns, ended with %d at %" PRIu64
                 " ns; cancelled %d, deadline %" PRIu64,
                 kind_name[op->kind], number, op->len, op->from, op->to, op->begun_ns, result, world_now_ns(w),
                 op->cancelled, op->deadline_ns);
    op->result = result;
    op->excused |= (w->allow[op->from] | w->allow[op->to]) != 0;
    op->head = SPOILT;
    free(op->own);
    op->own = NULL;
    w->results[op->kind][-result]++;
    w->ended++;
    assert_true(w->end[op->from].under_way > 0);
    w->end[op->from].under_way--;
    if (result == 0 && op->len < WORLD_ANONYMOUS && !op->local)
        w->anonymous[op->from][op->to][op->len][2]++;
}

void ledger_close(struct world *w, uint32_t end)
{
    for (uint32_t i = 0; i < w->ops; i++) {
        struct world_op *op = &w->op[i];
        if (op->from != end || op->events > 0 || op->closed)
            continue;
        op->closed = true;
        op->head = SPOILT;
        free(op->own);
        op->own = NULL;
        w->closed++;
    }
    w->end[end].under_way = 0;
}

/* Ended well and not delivered is allowed only if the end said less: the memory was free again, and then something else happened. */
static bool must_have_come(const struct world *w, const struct world_op *op)
{
    if (op->result != 0 || op->closed || op->len < WORLD_ANONYMOUS)
        return false;
    if (op->local)
        return !op->excused && !op->cancelled && op->deadline_ns == 0;
    if (op->kind == WORLD_REPLY) /* a caller that gave up is not told of the answer */
        return w->op[op->call].result == 0 && !w->op[op->call].closed;
    return true;
}

static void check_op(const struct world *w, uint32_t i)
{
    const struct world_op *op = &w->op[i];
    if (op->events + op->closed != 1)
        fail_msg("%s %" PRIu32 " of %" PRIu64 " bytes has %u events", kind_name[op->kind], i, op->len, op->events);
    if (must_have_come(w, op) && op->delivered != 1)
        fail_msg("%s %" PRIu32 " of %" PRIu64 " bytes from %u to %u ended well and came %u times", kind_name[op->kind],
                 i, op->len, op->from, op->to, op->delivered);
}

void ledger_check(const struct world *w)
{
    for (uint32_t i = 0; i < w->ops; i++)
        check_op(w, i);
    for (uint32_t from = 0; from < w->cfg.endpoints; from++)
        for (uint32_t to = 0; to < w->cfg.endpoints; to++)
            for (uint32_t len = 0; len < WORLD_ANONYMOUS; len++) {
                const uint32_t *n = w->anonymous[from][to][len];
                if (n[1] > n[0] || n[1] < n[2])
                    fail_msg("%" PRIu32 " to %" PRIu32 ", %" PRIu32 " bytes: %u accepted, %u ended well, %u came", from,
                             to, len, n[0], n[2], n[1]);
            }
}
