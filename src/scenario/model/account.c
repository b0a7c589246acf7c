/* src/scenario/model/account.c - see account.h: records of messages, the sink of each host, rows of delivered
 * messages. */
#include "model/account.h"
#include "model/nics.h"
#include "core/fetch.h"
#include "core/math.h"
#include "core/rng.h"
#include "measure/digest.h"
#include "workload/jobs.h"
#include <stdlib.h>

static bool account_shard(struct weir_account_shard *shard, const struct weir_model *model,
                          const struct weir_sim_options *options, const struct weir_mem *mem)
{
    uint64_t until_ps = model->until_done ? WEIR_NEVER : model->warmup_ps + model->measure_ps;
    weir_recorder_init(&shard->recorder, model->group_edge, model->warmup_ps, until_ps, model->sample_limit);
    shard->recorder.short_bytes = model->short_bytes;
    shard->recorder.detail = options->detail ? weir_detail_new() : NULL;
    if (model->batch_ps > 0 && model->batch_slowdowns)
        shard->recorder.slowdown_now = calloc(1, sizeof(*shard->recorder.slowdown_now));
    for (uint32_t k = 0; k < WEIR_LAWS_MAX; k++)
        for (int g = 0; g < WEIR_GROUP_COUNT - 1; g++)
            weir_samples_init(&shard->law[k].slowdown[g], model->sample_limit);
    shard->mem = *mem;
    return (!options->detail || shard->recorder.detail != NULL) &&
           (model->batch_ps == 0 || !model->batch_slowdowns || shard->recorder.slowdown_now != NULL);
}

/* Allocates acc->flow, which may be large, if snapshots or jobs need it. @return false = no memory */
static bool account_flows(struct weir_account *acc, const struct weir_sim_options *options)
{
    const struct weir_workload *wl = acc->model->workload;
    if (wl->tag_count == 0 || (!options->snapshot_flows && wl->jobs == NULL))
        return true;
    acc->flow = calloc(wl->tag_count, sizeof(*acc->flow));
    return acc->flow != NULL;
}

int weir_account_init(struct weir_account *acc, const struct weir_model *model, const struct weir_sim_options *options,
                      uint32_t shard_count, const struct weir_mem *mem, struct weir_err *err)
{
    bool room;
    *acc = (struct weir_account){ .model = model, .shard_count = shard_count, .want_rows = options->rows != NULL };
    acc->host = calloc(model->topo->host_count, sizeof(*acc->host));
    acc->shard = calloc(shard_count, sizeof(*acc->shard));
    room = acc->host != NULL && acc->shard != NULL;
    for (uint32_t i = 0; room && i < shard_count; i++)
        room = account_shard(&acc->shard[i], model, options, &mem[i]);
    room = room && account_flows(acc, options);
    if (model->batch_ps > 0)
        acc->batches = weir_batches_new(model->batch_count, model->batch_ps, model->batch_slowdowns);
    room = room && (model->batch_ps == 0 || acc->batches != NULL);
    if (!room) {
        weir_account_free(acc);
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory for message records");
    }
    for (uint32_t i = 0; i < model->topo->host_count; i++)
        acc->host[i] =
            (struct weir_account_host){ .account = acc, .shard = acc->shard, .self = i, .free_head = UINT32_MAX };
    return 0;
}

void weir_account_free(struct weir_account *acc)
{
    for (uint32_t i = 0; acc->shard != NULL && i < acc->shard_count; i++) {
        weir_recorder_free(&acc->shard[i].recorder);
        for (uint32_t k = 0; k < WEIR_LAWS_MAX; k++)
            for (int g = 0; g < WEIR_GROUP_COUNT - 1; g++)
                weir_samples_free(&acc->shard[i].law[k].slowdown[g]);
        free(acc->shard[i].row);
    }
    free(acc->shard);
    free(acc->host);
    free(acc->flow);
    weir_batches_free(acc->batches);
    free(acc->left);
    *acc = (struct weir_account){ 0 };
}

void weir_account_place(struct weir_account *acc, uint32_t host, uint32_t shard)
{
    acc->host[host].shard = &acc->shard[shard];
}

bool weir_account_room(struct weir_account_host *ah, uint32_t handle)
{
    uint32_t k = 31 - (uint32_t)__builtin_clz(handle / 64 + 1);
    if (k >= WEIR_ACCOUNT_BLOCKS)
        return false;
    if (ah->block[k] == NULL)
        ah->block[k] = ah->shard->mem.grow(ah->shard->mem.ctx, ((size_t)64 << k) * sizeof(struct weir_account_msg));
    return ah->block[k] != NULL;
}

/* Returns the handle of a freed record of a host; if there is none, of a record that was never used. UINT32_MAX = no
 * memory, or no more handles */
static uint32_t account_handle(struct weir_account_host *ah)
{
    uint32_t handle = ah->free_head;
    if (handle != UINT32_MAX) {
        ah->free_head = weir_account_msg(ah, handle)->next_free;
        if (ah->free_head != UINT32_MAX)
            weir_fetch(weir_account_msg(ah, ah->free_head)); /* the record that the next message gets */
        return handle;
    }
    handle = ah->used;
    if (!weir_account_room(ah, handle))
        return UINT32_MAX;
    ah->used++;
    return handle;
}

/* Returns who gets to know of messages of an item; NULL = they are of no inbox. */
static const struct weir_account_inbox *account_inbox(const struct weir_account *acc, uint32_t item)
{
    const struct weir_traffic_config *config = &acc->model->workload->item[item];
    if (config->kind == WEIR_TRAFFIC_SESSION)
        return &acc->session;
    return weir_item_has_program(config) ? &acc->program : NULL;
}

int weir_account_start(struct weir_account_host *ah, const struct weir_message *m, uint32_t *handle)
{
    struct weir_account_shard *shard = ah->shard;
    const struct weir_account *acc = ah->account;
    uint64_t bytes = weir_message_bytes(acc->model->workload, m);
    bool deployed = m->is_reply ? ah->call_is_deployed : weir_model_deploys(acc->model, m->item, m->src, m->number);
    const struct weir_account_inbox *inbox = account_inbox(acc, m->item);
    uint8_t law = deployed ? acc->model->deploy[m->item].law : weir_model_law_of(acc->model, m->item, m->src);
    if ((*handle = account_handle(ah)) == UINT32_MAX)
        return WEIR_E_MEMORY;
    *weir_account_msg(ah, *handle) = (struct weir_account_msg){ .id = m->id,
                                                                .start_ps = m->start_ps,
                                                                .end_ps = WEIR_NEVER,
                                                                .bytes = m->bytes,
                                                                .dst = m->dst,
                                                                .tag = acc->flow != NULL || inbox != NULL ? m->tag : 0,
                                                                .item = (uint8_t)m->item,
                                                                .law = law,
                                                                .in_use = 1,
                                                                .is_reply = m->is_reply,
                                                                .is_deployed = deployed,
                                                                .group = m->group,
                                                                .weight_q20 = m->weight_q20 };
    if (m->is_reply)
        weir_account_msg(ah, *handle)->call = ah->call;
    if (inbox != NULL && inbox->began != NULL)
        inbox->began(inbox->ctx, ah->self, m->tag, *handle);
    ah->offers |= !m->is_reply;
    ah->laws |= (uint8_t)(1u << law);
    shard->started++;
    shard->law[law].started++;
    shard->law[law].started_bytes += bytes;
    shard->started_bytes += bytes;
    shard->started_measured_bytes += m->start_ps >= acc->model->warmup_ps ? bytes : 0;
    if (acc->flow != NULL && m->tag != 0 && inbox == NULL)
        acc->flow[m->tag - 1] = (struct weir_account_flow){ .start_ps = m->start_ps,
                                                            .end_ps = WEIR_NEVER,
                                                            .bytes = m->bytes,
                                                            .src = ah->self,
                                                            .handle = *handle,
                                                            .state = 1 };
    if (WEIR_UNLIKELY(acc->started != NULL))
        acc->started(acc->away_ctx, ah, *handle, m->dst);
    return 0;
}

void weir_account_ideal(const struct weir_account *acc, uint32_t law, uint32_t src, uint32_t dst, uint64_t bytes,
                        uint64_t *ideal_ps, uint64_t *payload_ps)
{
    const struct weir_model *model = acc->model;
    const struct weir_framing *f = &weir_model_law(model, law)->framing;
    uint32_t rest = (uint32_t)(bytes % f->payload_bytes);
    uint64_t delay_ps = 0, rate_bps;
    struct weir_route_path path;
    *ideal_ps = *payload_ps = 0;
    if (model->nics != NULL) {
        weir_nics_ideal(model->nics, f, src, dst, bytes, ideal_ps, payload_ps);
        return;
    }
    /* with all cables up: ideal latencies do not change with failures */
    if (!weir_route_path(model->routes, model->topo, src, dst, 0, &path))
        return;
    *ideal_ps = weir_route_ideal_ps(model->topo, &path, bytes / f->payload_bytes,
                                    weir_framing_wire(f, f->payload_bytes), rest > 0 ? weir_framing_wire(f, rest) : 0);
    rate_bps = weir_route_path_bps(model->topo, &path, &delay_ps);
    *payload_ps = delay_ps + weir_mul_div_u64(bytes * 8, WEIR_PS_PER_S, rate_bps); /* fits: bytes <= 2^40 */
}

/* Returns the group of senders that a message belongs to; NULL = it belongs to none. */
static const struct weir_sender_group *account_group(const struct weir_account *acc, const struct weir_account_msg *m)
{
    return m->group != 0 ? &acc->model->workload->group[m->group - 1] : NULL;
}

static struct weir_delivery account_delivery(const struct weir_account_host *ah, const struct weir_account_msg *m)
{
    uint64_t sent_bytes = m->bytes + weir_group_bytes(account_group(ah->account, m)),
             payload_bytes = weir_model_law(ah->account->model, m->law)->framing.payload_bytes;
    struct weir_delivery d = { .id = m->id,
                               .bytes = m->bytes,
                               .pkts = (sent_bytes + payload_bytes - 1) / payload_bytes,
                               .start_ps = m->start_ps,
                               .end_ps = m->end_ps,
                               .src = ah->self,
                               .dst = m->dst,
                               .item = m->item,
                               .law = m->law,
                               .marks = m->marks,
                               .measured = weir_account_measures(ah->account, m),
                               .call = m->is_reply ? m->call : 0,
                               .is_reply = m->is_reply };
    weir_account_ideal(ah->account, m->law, ah->self, m->dst, m->bytes, &d.ideal_ps, &d.payload_ps);
    return d;
}

void weir_account_row(struct weir_account_shard *shard, uint64_t finish_ps, const struct weir_delivery *d)
{
    if (shard->row_count == shard->row_capacity) {
        size_t capacity = shard->row_capacity == 0 ? 1024 : 2 * shard->row_capacity;
        struct weir_account_row *bigger = realloc(shard->row, capacity * sizeof(*bigger));
        if (bigger == NULL) {
            shard->out_of_memory = true;
            return;
        }
        shard->row = bigger;
        shard->row_capacity = capacity;
    }
    shard->row[shard->row_count++] = (struct weir_account_row){ .finish_ps = finish_ps, .d = *d };
}

/* Adds a message whose counts are final to the digest of a shard, and appends its row if rows are requested. now_ps:
 * finish time of the row */
static void account_settle(struct weir_account_host *ah, const struct weir_account_msg *m, uint64_t now_ps,
                           struct weir_account_shard *shard)
{
    shard->digest += weir_digest_message(m->id, m->start_ps, m->end_ps, m->retransmissions, m->marks);
    if (ah->account->want_rows) {
        struct weir_delivery d = account_delivery(ah, m);
        d.retransmissions = m->retransmissions;
        weir_account_row(shard, now_ps, &d);
    }
}

static void account_release(struct weir_account_host *ah, uint32_t handle, struct weir_account_msg *m)
{
    m->in_use = 0, m->next_free = ah->free_head;
    ah->free_head = handle;
}

/* Passes on that all bytes of a message with a tag have arrived. */
static void account_arrived(const struct weir_account_host *self, uint32_t src, const struct weir_account_msg *m,
                            uint64_t now_ps)
{
    const struct weir_account *acc = self->account;
    const struct weir_account_inbox *inbox = account_inbox(acc, m->item);
    if (inbox != NULL) {
        inbox->noted(inbox->ctx, self->self, src, m, WEIR_NOTED_DELIVERED, now_ps);
        return;
    }
    acc->flow[m->tag - 1].end_ps = now_ps;
    if (acc->arrived != NULL)
        acc->arrived(acc->arrived_ctx, self->self, m->tag, now_ps);
}

/* Passes on that the sender knows of the end of a message with a tag. */
static void account_known(const struct weir_account_host *ah, const struct weir_account_msg *m, uint64_t now_ps)
{
    const struct weir_account_inbox *inbox = account_inbox(ah->account, m->item);
    if (inbox == NULL)
        ah->account->flow[m->tag - 1].state = 2;
    else
        inbox->noted(inbox->ctx, ah->self, ah->self, m, WEIR_NOTED_COMPLETED, now_ps);
}

/* Calls acc->asks to start a reply, if the message's item has replies and the message is not itself a reply. */
static void account_asks(struct weir_account_host *self, uint32_t src, const struct weir_account_msg *m,
                         uint64_t now_ps)
{
    const struct weir_account *acc = self->account;
    if (acc->asks == NULL || m->is_reply || acc->model->workload->reply_bytes[m->item] == 0)
        return;
    self->call = m->id;
    self->call_is_deployed = m->is_deployed;
    acc->asks(acc->asks_ctx, self->self, src, m->item, now_ps);
}

/* Adds the slowdown of a message to those of its law, as the recorder does to those of its size group. */
static void account_law(struct weir_account_shard *shard, const struct weir_delivery *d)
{
    uint64_t ppm = weir_mul_div_u64(d->end_ps - d->start_ps, 1000000, d->ideal_ps);
    if (d->measured)
        weir_samples_add(
            &shard->law[d->law].slowdown[weir_group_of(shard->recorder.group_edge, d->bytes) - WEIR_GROUP_A], ppm,
            weir_rng_key(0, d->id, WEIR_RNG_SAMPLE, 0));
}

/* Records a message that has ended in the shard's recorder, unless it is a reply or ended outside the measured part. */
static void account_record(struct weir_account_shard *shard, const struct weir_account_host *from,
                           const struct weir_account_msg *m)
{
    if (!m->is_reply &&
        weir_recorder_measures(&shard->recorder, m->end_ps)) { /* first: its ideals need a walk along its path */
        struct weir_delivery d = account_delivery(from, m);
        weir_recorder_delivery(&shard->recorder, &d);
        if (WEIR_UNLIKELY(from->account->model->host.law != NULL))
            account_law(shard, &d);
    }
}

static void sink_delivered(void *ctx, uint32_t src, uint32_t msg, uint64_t now_ps, uint32_t marks)
{
    struct weir_account_host *self = ctx, *from = &self->account->host[src];
    struct weir_account_shard *shard = self->shard;
    struct weir_account_msg *m = weir_account_msg(from, msg);
    uint64_t bytes = m->bytes + weir_group_bytes(account_group(self->account, m));
    WEIR_ASSERT(m->in_use && m->end_ps == WEIR_NEVER);
    m->end_ps = now_ps;
    m->marks = marks;
    if (!self->account->model->ends_at_sender)
        account_record(shard, from, m);
    shard->delivered++;
    shard->law[m->law].delivered++;
    shard->delivered_bytes += bytes;
    shard->law[m->law].ended_bytes += bytes;
    shard->last_delivery_ps = weir_max_u64(shard->last_delivery_ps, now_ps); /* hosts alternate within a window */
    if (m->tag != 0)
        account_arrived(self, src, m, now_ps);
    account_asks(self, src, m, now_ps);
    if ((weir_host_needs(weir_model_law(self->account->model, m->law)) & WEIR_NEED_NO_ACKS) !=
        0) { /* no acknowledgement will reach the sender */
        account_settle(from, m, now_ps, shard);
        /* of a job: sessions and programs have no such law. At 0 its sender is in another process */
        if (m->tag != 0 && self->account->flow[m->tag - 1].state == 1)
            self->account->flow[m->tag - 1].state = 2;
        m->in_use = 2; /* settled. With several shards another thread may be taking a handle: it is not reused */
        if (self->account->shard_count == 1)
            account_release(from, msg, m);
    }
    if (WEIR_UNLIKELY(self->account->ended != NULL))
        self->account->ended(self->account->away_ctx, self, src, msg);
}

static void sink_finished(void *ctx, uint32_t msg, uint64_t now_ps)
{
    struct weir_account_host *ah = ctx;
    struct weir_account_msg *m = weir_account_msg(ah, msg);
    WEIR_ASSERT(m->in_use && m->end_ps <= now_ps);
    if (ah->account->model->ends_at_sender) {
        m->end_ps = now_ps;
        account_record(ah->shard, ah, m);
    }
    account_settle(ah, m, now_ps, ah->shard);
    ah->shard->finished++;
    if (m->tag != 0)
        account_known(ah, m, now_ps);
    account_release(ah, msg, m);
}

static void sink_retransmitted(void *ctx, uint32_t msg)
{
    weir_account_msg(ctx, msg)->retransmissions++;
}

static enum weir_reply account_reply(const struct weir_workload *wl, const struct weir_account_msg *m)
{
    if (m->is_reply)
        return WEIR_REPLY_IS;
    return wl->reply_bytes[m->item] > 0 ? WEIR_REPLY_EXPECTED : WEIR_REPLY_NONE;
}

/* Returns the head of message msg from host src, for the law (weir_host_sink.head). The sender wrote the message's
 * record before the first packet left. */
static struct weir_head sink_head(void *ctx, uint32_t src, uint32_t msg)
{
    const struct weir_account_host *self = ctx;
    const struct weir_account_msg *m = weir_account_msg(&self->account->host[src], msg);
    const struct weir_workload *wl = self->account->model->workload;
    return (struct weir_head){ .group = account_group(self->account, m),
                               .weight_q20 = m->is_reply ? WEIR_WEIGHT_ONE : m->weight_q20,
                               .tenant = wl->item[m->item].tenant,
                               .reply = account_reply(wl, m) };
}

struct weir_host_sink weir_account_sink(struct weir_account *acc, uint32_t host)
{
    return (struct weir_host_sink){ .delivered = sink_delivered,
                                    .finished = sink_finished,
                                    .retransmitted = sink_retransmitted,
                                    .head = sink_head,
                                    .ctx = &acc->host[host] };
}

void weir_account_snapshot(const struct weir_account_flow *flow, const struct weir_host *h,
                           struct weir_snapshot_flow *out)
{
    *out = (struct weir_snapshot_flow){ .state = flow->state };
    if (flow->state == 1)
        (void)weir_host_flow(h, flow->handle, &out->now);
    if (flow->state == 2)
        out->now = (struct weir_host_flow){ .sent_bytes = flow->bytes, .acked_bytes = flow->bytes };
}

uint64_t weir_account_unfinished_bytes(const struct weir_account *acc)
{
    uint64_t started = 0, delivered = 0;
    for (uint32_t i = 0; i < acc->shard_count; i++) {
        started += acc->shard[i].started_bytes;
        delivered += acc->shard[i].delivered_bytes + acc->shard[i].lost_bytes;
    }
    return started - delivered;
}

/* Ends a message that is lost with its host: it is in the digest, and in no result by message. */
static void account_lose(struct weir_account_host *ah, uint32_t handle, struct weir_account_msg *m, uint64_t now_ps)
{
    struct weir_account_shard *shard = ah->shard;
    uint64_t bytes = m->bytes + weir_group_bytes(account_group(ah->account, m));
    shard->lost++;
    shard->unasked += !m->is_reply && ah->account->model->workload->reply_bytes[m->item] > 0;
    shard->lost_bytes += bytes;
    shard->law[m->law].ended_bytes += bytes;
    shard->digest += weir_digest_message(m->id, m->start_ps, now_ps, m->retransmissions, UINT32_MAX);
    if (m->tag != 0)
        ah->account->flow[m->tag - 1] = (struct weir_account_flow){ .state = 0 };
    account_release(ah, handle, m);
}

void weir_account_restart(struct weir_account *acc, uint32_t host, uint64_t now_ps)
{
    WEIR_ASSERT(!acc->model->ends_at_sender && acc->model->workload->jobs == NULL);
    for (uint32_t h = 0; h < acc->model->topo->host_count; h++) {
        struct weir_account_host *ah = &acc->host[h];
        for (uint32_t i = 0; i < ah->used; i++) {
            struct weir_account_msg *m = weir_account_msg(ah, i);
            if (m->in_use != 1 || (h != host && m->dst != host))
                continue;
            if (m->end_ps == WEIR_NEVER)
                account_lose(ah, i, m, now_ps);
            else
                sink_finished(ah, i, now_ps);
        }
    }
}

void weir_account_close(struct weir_account *acc, uint64_t end_ps)
{
    if (acc->model->ends_at_sender)
        return;
    for (uint32_t h = 0; h < acc->model->topo->host_count; h++) {
        struct weir_account_host *ah = &acc->host[h];
        for (uint32_t i = 0; i < ah->used; i++) {
            const struct weir_account_msg *m = weir_account_msg(ah, i);
            if (m->in_use == 1 && m->end_ps != WEIR_NEVER)
                /* acc may be a copy, with shards of its own: observe/interim.c */
                account_settle(ah, m, end_ps, &acc->shard[ah->shard - ah->account->shard]);
        }
    }
}

static int account_compare(const void *a, const void *b)
{
    const struct weir_account_row *x = a, *y = b;
    if (x->finish_ps != y->finish_ps)
        return x->finish_ps < y->finish_ps ? -1 : 1;
    return x->d.id < y->d.id ? -1 : x->d.id > y->d.id;
}

/* Passes rows batch by batch: all that finished before now has been recorded, so each batch is later than those before
 * it. */
int weir_account_rows(struct weir_account *acc, const struct weir_sim_options *options)
{
    struct weir_account_shard *all = acc->shard;
    size_t count;
    for (uint32_t i = 1; i < acc->shard_count; i++) {
        for (size_t j = 0; j < acc->shard[i].row_count; j++)
            weir_account_row(all, acc->shard[i].row[j].finish_ps, &acc->shard[i].row[j].d);
        acc->shard[i].row_count = 0;
    }
    count = all->row_count;
    all->row_count = 0;
    if (count == 0)
        return 0;
    qsort(all->row, count, sizeof(*all->row), account_compare);
    return options->rows(options->rows_ctx, all->row, count);
}
