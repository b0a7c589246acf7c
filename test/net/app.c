/* test/net/app.c - see app.h. */
#include "test/unit/weir_test.h"
#include "test/net/app.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* user_data of an offer of memory: this and its number; of an operation: its number in the ledger */
#define OFFER (UINT64_C(1) << 40)

/* Most are small, some are long: the mean is 2.5 KB with bytes_max 4 MB. */
static uint64_t any_length(struct world *w, uint32_t least)
{
    uint32_t how = draw_below(w, 10000), most;
    if (how < 8000)
        most = 256;
    else if (how < 9500)
        most = 4096;
    else if (how < 9900)
        most = 32768;
    else if (how < 9996)
        most = 131072;
    else
        most = 4000000;
    if (most > w->cfg.traffic.bytes_max)
        most = (uint32_t)w->cfg.traffic.bytes_max;
    return least + draw_below(w, most - least + 1);
}

static struct weir_sendopt any_option(struct world *w, struct world_op *op)
{
    const struct world_traffic *t = &w->cfg.traffic;
    struct weir_sendopt opt = { .size = sizeof(opt), .deadline_ns = op->deadline_ns };
    if (draw_hits(w, t->copy_ppm))
        opt.flags |= WEIR_COPY;
    if (op->kind == WORLD_SEND && draw_hits(w, t->local_ppm)) {
        opt.flags |= WEIR_LOCAL;
        op->local = true;
    }
    return opt;
}

/* What was copied is the application's again at once, and so spoilt. */
static void spoil_copied(struct world_op *op)
{
    op->head = ~op->head;
    free(op->own);
    op->own = NULL;
}

static int submit(struct world *w, struct world_op *op, uint64_t rpc, const struct iovec *iov)
{
    struct world_ep *e = &w->end[op->from];
    struct weir_sendopt opt = any_option(w, op);
    uint64_t number = (uint64_t)(op - w->op);
    int count = iov[1].iov_len > 0 ? 2 : 1, result;
    if (op->kind == WORLD_SEND)
        result = weir_send(e->ep, e->peer[op->to], iov, count, number, &opt);
    else if (op->kind == WORLD_CALL)
        result = weir_call(e->ep, e->peer[op->to], iov, count, number, &opt);
    else
        result = weir_reply(e->ep, rpc, iov, count, number, &opt);
    if (result == 0 && opt.flags & WEIR_COPY)
        spoil_copied(op);
    return result;
}

uint32_t world_start(struct world *w, uint32_t from, uint32_t to, enum world_kind kind, uint64_t len,
                     uint64_t deadline_ns)
{
    struct iovec iov[2];
    struct world_op *op = ledger_draft(w, from, to, kind, len, iov);
    int result;
    op->deadline_ns = deadline_ns;
    result = submit(w, op, 0, iov);
    if (result == 0) {
        ledger_accept(w, op);
        w->started++;
        return (uint32_t)(op - w->op);
    }
    ledger_discard(op);
    if (result != -EAGAIN)
        fail_msg("%" PRIu64 " bytes from %" PRIu32 " to %" PRIu32 " are not accepted: %d", len, from, to, result);
    w->end[from].blocked = true;
    return UINT32_MAX;
}

static bool start_any(struct world *w, uint32_t i)
{
    const struct world_traffic *t = &w->cfg.traffic;
    uint32_t to = (i + 1 + draw_below(w, w->cfg.endpoints - 1)) % w->cfg.endpoints, number;
    enum world_kind kind = draw_hits(w, t->call_ppm) ? WORLD_CALL : WORLD_SEND;
    uint64_t len = any_length(w, kind == WORLD_CALL ? WORLD_ANONYMOUS : 0), deadline_ns = 0;
    if (draw_hits(w, t->deadline_ppm))
        deadline_ns = 1 + draw_below(w, (uint32_t)t->deadline_ns);
    number = world_start(w, i, to, kind, len, deadline_ns);
    return number != UINT32_MAX;
}

/* One of the endpoint's last operations, if it has not ended. Not an answer: its caller would wait for ever. */
static void cancel_any(struct world *w, uint32_t i)
{
    uint32_t back = 1 + draw_below(w, 16);
    struct world_op *op;
    int found;
    if (back > w->ops)
        return;
    op = &w->op[w->ops - back];
    if (op->from != i || op->kind == WORLD_REPLY || op->events > 0 || op->closed)
        return;
    op->cancelled = true;
    found = weir_cancel(w->end[i].ep, w->ops - back);
    assert_in_range(found, 0, 1);
    w->cancels += (uint64_t)found;
}

/* The caller of this call may have given it up, or its connection may have ended. */
static bool may_be_gone(const struct world *w, const struct world_op *call)
{
    return call->events > 0 || call->closed || call->cancelled || call->deadline_ns > 0 ||
           (w->allow[call->from] | w->allow[call->to]) != 0;
}

static bool answer(struct world *w, uint32_t i, const struct world_answer *a)
{
    struct iovec iov[2];
    struct world_op *op = ledger_draft(w, i, w->op[a->call].from, WORLD_REPLY, any_length(w, WORLD_ANONYMOUS), iov);
    int result;
    op->call = a->call;
    result = submit(w, op, a->rpc, iov);
    if (result == 0) {
        ledger_accept(w, op);
        w->answered++;
        return true;
    }
    ledger_discard(op);
    if (result == -EAGAIN) {
        w->end[i].blocked = true;
        return false;
    }
    if (result != -ENOENT || !may_be_gone(w, &w->op[a->call]))
        fail_msg("the answer to call %" PRIu32 " is not accepted: %d", a->call, result);
    return true;
}

static bool answer_due(struct world *w, uint32_t i)
{
    struct world_ep *e = &w->end[i];
    bool any = false;
    for (uint32_t n = 0; n < e->answers && !e->blocked;) {
        if (e->answer[n].due_ns > world_now_ns(w)) {
            n++;
        } else if (answer(w, i, &e->answer[n])) {
            e->answer[n] = e->answer[--e->answers];
            any = true;
        }
    }
    return any;
}

static void offer(struct world *w, uint32_t i)
{
    struct world_ep *e = &w->end[i];
    for (uint32_t n = 0; n < WORLD_OFFERS && w->cfg.traffic.offers; n++) {
        if (e->offered[n])
            continue;
        assert_int_equal(weir_recv_into(e->ep, NULL, e->offer[n], 100, WORLD_OFFER_BYTES, OFFER | n), 0);
        e->offered[n] = true;
    }
}

bool app_work(struct world *w, uint32_t i)
{
    struct world_ep *e = &w->end[i];
    bool any;
    if (w->started < w->cfg.traffic.operations)
        offer(w, i);
    any = answer_due(w, i);
    while (!e->blocked && !e->idle && w->started < w->cfg.traffic.operations &&
           e->under_way < w->cfg.traffic.under_way && start_any(w, i)) {
        any = true;
        if (draw_hits(w, w->cfg.traffic.cancel_ppm))
            cancel_any(w, i);
    }
    return any;
}

uint64_t app_next_ns(const struct world *w, uint32_t i)
{
    uint64_t next_ns = UINT64_MAX;
    const struct world_ep *e = &w->end[i];
    for (uint32_t n = 0; n < e->answers && !e->blocked; n++)
        if (e->answer[n].due_ns < next_ns)
            next_ns = e->answer[n].due_ns;
    return next_ns;
}

static void give_back(struct world_ep *e, uint32_t n)
{
    weir_release(e->ep, e->lease[n]);
    e->lease[n] = e->lease[--e->leases];
}

void app_release_all(struct world *w, uint32_t i)
{
    while (w->end[i].leases > 0)
        give_back(&w->end[i], 0);
}

static void keep(struct world *w, uint32_t i, void *lease)
{
    struct world_ep *e = &w->end[i];
    if (lease == NULL)
        return;
    if (e->leases == e->leases_max) {
        e->leases_max = 2 * e->leases_max + WORLD_LEASES_MAX;
        e->lease = realloc(e->lease, e->leases_max * sizeof(*e->lease));
        assert_non_null(e->lease);
    }
    e->lease[e->leases++] = lease;
    if (e->hoards)
        return;
    if (!w->cfg.traffic.keep_leases || e->leases > WORLD_LEASES_MAX)
        give_back(e, draw_below(w, e->leases));
    while (e->leases > 0 && !e->hoards && 2 * world_stats(w, i).rx_bytes_held > w->cfg.opts.rx_bytes &&
           w->cfg.opts.rx_bytes !=
               0) /* else they might fill all memory, and nothing would come that makes us give one back */
        give_back(e, draw_below(w, e->leases));
}

static void will_answer(struct world *w, uint32_t i, uint64_t rpc, const struct world_op *call)
{
    struct world_ep *e = &w->end[i];
    uint64_t due_ns = world_now_ns(w);
    assert_int_not_equal(rpc, 0);
    if (e->answers == e->answers_max) {
        e->answers_max = 2 * e->answers_max + 64;
        e->answer = realloc(e->answer, e->answers_max * sizeof(*e->answer));
        assert_non_null(e->answer);
    }
    if (w->cfg.traffic.answer_ns > 0 && draw_below(w, 4) == 0)
        due_ns += draw_below(w, (uint32_t)w->cfg.traffic.answer_ns);
    e->answer[e->answers++] = (struct world_answer){ .rpc = rpc, .due_ns = due_ns, .call = (uint32_t)(call - w->op) };
}

/* Which endpoint a peer is. */
static uint32_t end_of(const struct world *w, uint32_t i, const struct weir_peer *peer)
{
    for (uint32_t n = 0; n < w->cfg.endpoints; n++)
        if (n != i && w->end[i].peer[n] == peer)
            return n;
    fail_msg("endpoint %" PRIu32 " hears from a peer that nobody is", i);
    return 0;
}

static void arrived(struct world *w, uint32_t i, const struct weir_event *event)
{
    bool is_call = event->rpc != 0;
    struct world_op *op =
        ledger_deliver(w, end_of(w, i, event->peer), i, is_call ? WORLD_CALL : WORLD_SEND, event->data, event->len);
    if (is_call)
        will_answer(w, i, event->rpc, op);
}

static void offer_ended(struct world *w, uint32_t i, const struct weir_event *event)
{
    struct world_ep *e = &w->end[i];
    uint32_t n = (uint32_t)(event->user_data & ~OFFER);
    assert_true(event->user_data >= OFFER && n < WORLD_OFFERS && e->offered[n]);
    e->offered[n] = false;
    if (event->result != 0) {
        assert_int_equal(event->result, -ECANCELED);
        return;
    }
    assert_ptr_equal(event->data, e->offer[n]);
    assert_in_range(event->len, 100, WORLD_OFFER_BYTES);
    assert_null(event->lease);
    w->offers_used++;
    arrived(w, i, event);
    memset(e->offer[n], 0xdd, WORLD_OFFER_BYTES);
}

static void own_ended(struct world *w, uint32_t i, const struct weir_event *event)
{
    static const uint8_t kind_of[] = {
        [WEIR_EV_SENT] = WORLD_SEND, [WEIR_EV_REPLY] = WORLD_CALL, [WEIR_EV_REPLIED] = WORLD_REPLY
    };
    struct world_op *op = &w->op[event->user_data];
    assert_true(event->user_data < w->ops);
    assert_int_equal(op->from, i);
    assert_int_equal(op->kind, kind_of[event->type]);
    assert_ptr_equal(event->peer, w->end[i].peer[op->to]);
    if (event->type == WEIR_EV_REPLY && event->result == 0) {
        struct world_op *reply = ledger_deliver(w, op->to, i, WORLD_REPLY, event->data, event->len);
        assert_int_equal(reply->call, event->user_data);
        keep(w, i, event->lease);
    } else {
        assert_null(event->lease);
    }
    ledger_end(w, op, event->result);
}

void app_event(struct world *w, uint32_t i, const struct weir_event *event)
{
    switch ((enum weir_event_type)event->type) {
    case WEIR_EV_MESSAGE:
    case WEIR_EV_CALL:
        assert_int_equal(event->result, 0);
        assert_int_equal(event->type == WEIR_EV_CALL, event->rpc != 0);
        arrived(w, i, event);
        keep(w, i, event->lease);
        break;
    case WEIR_EV_RECEIVED:
        offer_ended(w, i, event);
        break;
    case WEIR_EV_SENT:
    case WEIR_EV_REPLY:
    case WEIR_EV_REPLIED:
        own_ended(w, i, event);
        break;
    case WEIR_EV_WRITABLE:
        w->end[i].blocked = false;
        break;
    case WEIR_EV_NONE:
    default:
        fail_msg("event type %u", event->type);
    }
}

void app_end_offers(struct world *w, uint32_t i)
{
    for (uint32_t n = 0; n < WORLD_OFFERS; n++)
        if (w->end[i].offered[n])
            assert_int_equal(weir_cancel(w->end[i].ep, OFFER | n), 1);
}
