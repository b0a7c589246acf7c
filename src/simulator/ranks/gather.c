/* src/simulator/ranks/gather.c - the bookkeeping of messages: what rank 0 needs of the other ranks while the run
 * goes on, and all of it when the run is over. Then rank 0 has what one process would have, and computes the result
 * from it. */
#include "ranks/internal.h"

/* Calls one(samples, ctx) for each set of samples of a shard, in a fixed order. */
static bool each_samples(struct weir_account_shard *shard, bool (*one)(struct weir_samples *s, void *ctx), void *ctx)
{
    bool done = true;
    for (uint32_t g = 0; g < WEIR_GROUP_COUNT - 1; g++) {
        for (uint32_t k = 0; k < WEIR_SLOWDOWN_COUNT; k++)
            done = one(&shard->recorder.slowdown[k][g], ctx) && done;
        done = one(&shard->recorder.completion[g], ctx) && done;
        for (uint32_t k = 0; k < WEIR_LAWS_MAX; k++)
            done = one(&shard->law[k].slowdown[g], ctx) && done;
    }
    return done;
}

static bool put_samples(struct weir_samples *s, void *ctx)
{
    weir_buffer_put(ctx, s, sizeof(*s));
    weir_buffer_put(ctx, s->kept, s->count * sizeof(*s->kept));
    return true;
}

/* Replaces samples by those of another rank. @return false = no memory; they are empty then */
static bool take_samples(struct weir_samples *s, void *ctx)
{
    struct weir_samples got;
    struct weir_sample *kept;
    weir_cursor_take(ctx, &got, sizeof(got));
    kept = malloc((got.count + 1) * sizeof(*kept));
    weir_samples_free(s);
    if (kept == NULL) {
        struct weir_cursor *c = ctx;
        c->at += got.count * sizeof(*kept);
        return false;
    }
    weir_cursor_take(ctx, kept, got.count * sizeof(*kept));
    *s = got;
    s->kept = kept;
    s->capacity = got.count + 1;
    return true;
}

static void put_shard(struct weir_buffer *own, struct weir_account_shard *shard)
{
    weir_buffer_put(own, shard, sizeof(*shard));
    (void)each_samples(shard, put_samples, own);
    if (shard->recorder.detail != NULL)
        weir_buffer_put(own, shard->recorder.detail, sizeof(*shard->recorder.detail));
}

/* Replaces the numbers of a shard by those of a thread of another rank. What the shard owns stays its own. */
static void take_numbers(struct weir_cursor *c, struct weir_account_shard *shard)
{
    struct weir_account_shard got;
    struct weir_recorder *to = &shard->recorder;
    weir_cursor_take(c, &got, sizeof(got));
    to->delivered_measured = got.recorder.delivered_measured;
    to->delivered_measured_bytes = got.recorder.delivered_measured_bytes;
    to->short_pkts = got.recorder.short_pkts;
    to->short_marked_pkts = got.recorder.short_marked_pkts;
    memcpy(to->rate_sum_kbps, got.recorder.rate_sum_kbps, sizeof(to->rate_sum_kbps));
    to->counted = got.recorder.counted;
    to->slowdown_sum_ppm = got.recorder.slowdown_sum_ppm;
    shard->started = got.started;
    shard->started_bytes = got.started_bytes;
    shard->started_measured_bytes = got.started_measured_bytes;
    shard->delivered = got.delivered;
    shard->delivered_bytes = got.delivered_bytes;
    shard->lost = got.lost;
    shard->lost_bytes = got.lost_bytes;
    shard->unasked = got.unasked;
    shard->finished = got.finished;
    shard->last_delivery_ps = got.last_delivery_ps;
    shard->digest = got.digest;
    shard->out_of_memory = shard->out_of_memory || got.out_of_memory;
    for (uint32_t k = 0; k < WEIR_LAWS_MAX; k++) {
        shard->law[k].started = got.law[k].started;
        shard->law[k].delivered = got.law[k].delivered;
        shard->law[k].started_bytes = got.law[k].started_bytes;
        shard->law[k].ended_bytes = got.law[k].ended_bytes;
    }
}

/* Replaces a shard by that of a thread of another rank. @return false = no memory */
static bool take_shard(struct weir_cursor *c, struct weir_account_shard *shard)
{
    bool done;
    take_numbers(c, shard);
    done = each_samples(shard, take_samples, c);
    if (shard->recorder.detail != NULL)
        weir_cursor_take(c, shard->recorder.detail, sizeof(*shard->recorder.detail));
    return done;
}

/* Appends what rank 0 needs of a thread at a boundary. */
static void put_counts(struct weir_buffer *own, const struct sim_thread *th, const struct weir_account_shard *shard)
{
    weir_buffer_put(own, shard, sizeof(*shard));
    weir_buffer_put(own, &th->new_bytes, sizeof(th->new_bytes));
    if (shard->recorder.slowdown_now != NULL)
        weir_buffer_put(own, shard->recorder.slowdown_now, sizeof(*shard->recorder.slowdown_now));
}

static void take_counts(struct weir_cursor *c, struct sim_thread *th, struct weir_account_shard *shard)
{
    take_numbers(c, shard);
    weir_cursor_take(c, &th->new_bytes, sizeof(th->new_bytes));
    if (shard->recorder.slowdown_now != NULL)
        weir_cursor_take(c, shard->recorder.slowdown_now, sizeof(*shard->recorder.slowdown_now));
}

struct sender {              /* what a host has started */
    uint32_t host, messages; /* messages: that have not ended; their records follow */
    bool offers;
    uint8_t laws;
};

/* Tests whether results need the record of a message: it has not ended. */
static bool is_left(const struct weir_account *acc, const struct weir_account_msg *m)
{
    return m->in_use == 1 && (m->end_ps == WEIR_NEVER || acc->model->ends_at_sender);
}

static void put_senders(const struct sim_engine *e, struct weir_buffer *own)
{
    const struct weir_account *acc = &e->account;
    const struct sender none = { .host = UINT32_MAX };
    for (uint32_t h = 0; h < e->model->topo->host_count; h++) {
        const struct weir_account_host *ah = &acc->host[h];
        struct sender s = { .host = h, .offers = ah->offers, .laws = ah->laws };
        if (!sim_is_mine(e, h) || ah->used == 0)
            continue;
        for (uint32_t i = 0; i < ah->used; i++)
            s.messages += is_left(acc, weir_account_msg(ah, i));
        weir_buffer_put(own, &s, sizeof(s));
        for (uint32_t i = 0; i < ah->used; i++)
            if (is_left(acc, weir_account_msg(ah, i)))
                weir_buffer_put(own, weir_account_msg(ah, i), sizeof(struct weir_account_msg));
    }
    weir_buffer_put(own, &none, sizeof(none));
}

/* Keeps what the senders of another rank have. @return false = no memory */
static bool take_senders(struct sim_engine *e, struct weir_cursor *c)
{
    struct sender s;
    bool done = true;
    for (weir_cursor_take(c, &s, sizeof(s)); s.host != UINT32_MAX; weir_cursor_take(c, &s, sizeof(s))) {
        struct weir_account_host *ah = &e->account.host[s.host];
        ah->offers = s.offers;
        ah->laws = s.laws;
        for (uint32_t i = 0; i < s.messages; i++) {
            struct weir_account_msg m;
            weir_cursor_take(c, &m, sizeof(m));
            done = weir_account_adopt(&e->account, s.host, &m) && done;
        }
    }
    return done;
}

struct progress { /* of a message with a tag */
    uint32_t tag;
    struct weir_account_flow flow;
};

static void put_flows(const struct sim_engine *e, struct weir_buffer *own)
{
    const struct progress none = { .tag = 0 };
    for (uint32_t i = 0; e->account.flow != NULL && i < e->model->workload->tag_count; i++) {
        const struct progress p = { .tag = i + 1, .flow = e->account.flow[i] };
        if (p.flow.state != 0 && sim_is_mine(e, p.flow.src))
            weir_buffer_put(own, &p, sizeof(p));
    }
    weir_buffer_put(own, &none, sizeof(none));
}

static void take_flows(const struct sim_engine *e, struct weir_cursor *c)
{
    struct progress p;
    for (weir_cursor_take(c, &p, sizeof(p)); p.tag != 0; weir_cursor_take(c, &p, sizeof(p)))
        e->account.flow[p.tag - 1] = p.flow;
}

/* Frees the buffers of windows, which are over: the largest messages were among them. */
static void drop_buffers(struct sim_ranks *r)
{
    for (uint32_t q = 0; q < r->carrier->ranks; q++) {
        weir_buffer_free(&r->out[q]);
        weir_buffer_free(&r->in[q]);
        for (uint32_t t = 0; t < r->threads; t++)
            weir_buffer_free(&r->away[t].to[q]);
    }
}

void weir_sim_ranks_gather(struct sim_engine *e)
{
    struct sim_ranks *r = e->ranks;
    struct weir_buffer own = { 0 };
    bool first;
    if (r == NULL)
        return;
    drop_buffers(r);
    if (!sim_is_first(e)) {
        for (uint32_t t = e->first; t < e->first + e->own; t++)
            put_shard(&own, &e->account.shard[t]);
        put_senders(e, &own);
        put_flows(e, &own);
    }
    first = weir_sim_ranks_to_first(r, &own);
    weir_buffer_free(&own);
    for (uint32_t q = 1; first && q < r->carrier->ranks; q++) {
        struct weir_cursor c = weir_cursor_of(&r->in[q]);
        bool done = true;
        for (uint32_t t = 0; t < r->threads; t++)
            done = take_shard(&c, &e->account.shard[q * r->threads + t]) && done;
        done = take_senders(e, &c) && done;
        take_flows(e, &c);
        if (!done)
            e->thread[0].failed = WEIR_E_MEMORY;
    }
}

void weir_sim_ranks_counts(struct sim_engine *e)
{
    struct sim_ranks *r = e->ranks;
    struct weir_buffer own = { 0 };
    bool first;
    if (r == NULL)
        return;
    for (uint32_t t = e->first; t < e->first + e->own; t++)
        put_counts(&own, &e->thread[t], &e->account.shard[t]);
    first = weir_sim_ranks_to_first(r, &own);
    weir_buffer_free(&own);
    for (uint32_t q = 1; first && q < r->carrier->ranks; q++) {
        struct weir_cursor c = weir_cursor_of(&r->in[q]);
        for (uint32_t t = q * r->threads; t < (q + 1) * r->threads; t++)
            take_counts(&c, &e->thread[t], &e->account.shard[t]);
    }
}

void weir_sim_ranks_rows(struct sim_engine *e)
{
    struct weir_buffer rows = { 0 };
    struct weir_account_row row;
    if (e->ranks == NULL)
        return;
    for (uint32_t t = e->first; t < e->first + e->own && !sim_is_first(e); t++) {
        struct weir_account_shard *s = &e->account.shard[t];
        weir_buffer_put(&rows, s->row, s->row_count * sizeof(*s->row));
        s->row_count = 0;
    }
    weir_sim_ranks_append(e, &rows);
    e->account.shard[0].out_of_memory |= rows.out_of_memory;
    for (struct weir_cursor c = weir_cursor_of(&rows); weir_cursor_left(&c) > 0;) {
        weir_cursor_take(&c, &row, sizeof(row));
        weir_account_row(&e->account.shard[0], row.finish_ps, &row.d);
    }
    weir_buffer_free(&rows);
}
