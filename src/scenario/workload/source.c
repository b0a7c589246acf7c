/* src/scenario/workload/source.c - the stream of messages of one host: its planned messages and its poisson arrivals,
 * merged by time. The n-th message of a poisson item takes draw n of the item's streams (seed, host, use, item),
 * whatever else the host sends. */
#include "core/assert.h"
#include "core/math.h"
#include "workload/message_id.h"
#include "workload/plan.h"

static struct weir_source_keys keys_of(const struct weir_workload *wl, uint32_t host, uint32_t item)
{
    return (struct weir_source_keys){ .arrival = weir_rng_key(wl->seed, host, WEIR_RNG_ARRIVAL, item),
                                      .size = weir_rng_key(wl->seed, host, WEIR_RNG_SIZE, item),
                                      .peer = weir_rng_key(wl->seed, host, WEIR_RNG_PEER, item) };
}

/* Returns the mean gap between messages of an item from a host: its load is a part of the rate of its own link. */
static uint64_t mean_fs(const struct weir_workload *wl, uint32_t item, uint32_t host)
{
    if (wl->host_bps == NULL)
        return wl->gap_mean_fs[item];
    return weir_min_u64(weir_mul_div_u64(wl->gap_mean_fs[item], wl->host_rate_bps, wl->host_bps[host]),
                        WEIR_GAP_MAX_FS);
}

/* Returns the time of a cbr item that has been on for so long since its start. */
static uint64_t cbr_time_ps(const struct weir_traffic_config *item, uint64_t on_for_ps)
{
    uint64_t rounds = item->off_ps > 0 ? on_for_ps / item->on_ps : 0;
    return item->start_ps + on_for_ps + rounds * item->off_ps;
}

/* Sets the item's next arrival to a gap later than the last, in the time that senders are on; the first is at a random
 * time below a gap. WEIR_NEVER as advance() */
static void advance_cbr(struct weir_source *src, uint32_t item)
{
    const struct weir_workload *wl = src->wl;
    const struct weir_traffic_config *config = &wl->item[item];
    uint64_t gap_fs = wl->gap_fs[item], round_ps = config->on_ps + config->off_ps, next_ps, on_for_ps = 0;
    if (src->drawn[item] == 0) {
        gap_fs = weir_mul_hi_u64(gap_fs, weir_rng_at(src->key[item].arrival, 0));
    } else {
        uint64_t since_ps = src->next_ps[item] - config->start_ps;
        uint64_t rounds = config->off_ps > 0 ? since_ps / round_ps : 0;
        on_for_ps = since_ps - rounds * config->off_ps; /* arrivals are in times that are on */
    }
    gap_fs += src->frac_fs[item];
    next_ps = cbr_time_ps(config, on_for_ps + gap_fs / 1000);
    src->frac_fs[item] = gap_fs % 1000;
    src->next_ps[item] = next_ps < weir_item_until_ps(config, wl->end_ps) ? next_ps : WEIR_NEVER;
}

/* Adds one random gap to the item's next arrival, or sets it to WEIR_NEVER if that is at or after the item's stop or
 * the end of the run. The part of the gap below a picosecond is kept for the next gap. */
static void advance(struct weir_source *src, uint32_t item)
{
    const struct weir_workload *wl = src->wl;
    uint64_t bits = weir_rng_at(src->key[item].arrival, src->drawn[item]);
    if (WEIR_UNLIKELY(wl->gap_fs[item] > 0)) {
        advance_cbr(src, item);
        return;
    }
    uint64_t gap_fs = weir_exponential(mean_fs(wl, item, src->host), bits) + src->frac_fs[item];
    uint64_t next_ps = src->next_ps[item] + gap_fs / 1000; /* below 2^63 before, and the gap below 2^54 */
    src->frac_fs[item] = gap_fs % 1000;
    src->next_ps[item] = next_ps < weir_item_until_ps(&wl->item[item], wl->end_ps) ? next_ps : WEIR_NEVER;
}

void weir_source_refresh(struct weir_source *src)
{
    src->head_ps = src->next_listed < src->end_listed ? src->wl->listed[src->next_listed].start_ps : WEIR_NEVER;
    for (uint32_t i = 0; i < src->wl->item_count; i++)
        src->head_ps = weir_min_u64(src->head_ps, src->next_ps[i]);
    if (src->inbox != NULL)
        src->head_ps = weir_min_u64(src->head_ps, weir_inbox_next_ps(src->inbox));
}

void weir_source_session(struct weir_source *src, struct weir_inbox *inbox)
{
    src->inbox = inbox;
    weir_source_refresh(src);
}

void weir_source_init(struct weir_source *src, const struct weir_workload *wl, uint32_t host)
{
    WEIR_ASSERT(host < wl->hosts);
    *src = (struct weir_source){
        .wl = wl, .host = host, .next_listed = wl->listed_first[host], .end_listed = wl->listed_first[host + 1]
    };
    for (uint32_t i = 0; i < wl->item_count; i++) {
        bool sends = wl->gap_mean_fs[i] > 0 && host - wl->from[i].first < wl->from[i].count;
        src->next_ps[i] = sends ? wl->item[i].start_ps : WEIR_NEVER;
        src->key[i] = keys_of(wl, host, i);
        if (sends)
            advance(src, i);
    }
    weir_source_refresh(src);
}

uint64_t weir_source_count(const struct weir_workload *wl, uint32_t host, uint32_t item)
{
    struct weir_source src;
    weir_source_init(&src, wl, host);
    while (src.next_ps[item] != WEIR_NEVER) {
        src.drawn[item]++;
        advance(&src, item);
    }
    return src.drawn[item];
}

static void take_listed(struct weir_source *src, struct weir_message *out)
{
    const struct weir_listed *listed = &src->wl->listed[src->next_listed];
    out->number = src->next_listed++;
    out->bytes = listed->bytes;
    out->dst = listed->dst;
    out->item = listed->item;
    out->tag = listed->tag;
    out->group = listed->group;
    out->weight_q20 = listed->weight_q20;
}

/* Draws the destination of the item's n-th message: uniform among the hosts of `to` other than the sender. */
static uint32_t poisson_dst(const struct weir_source *src, uint32_t item, uint64_t n)
{
    const struct weir_host_range *to = &src->wl->to[item];
    uint32_t own = weir_host_range_index(to, src->host);
    uint32_t other = weir_rng_below(weir_rng_at(src->key[item].peer, n), to->count - (own != UINT32_MAX));
    return to->first + (other + (other >= own)) * to->step; /* own is UINT32_MAX if it is not in the range */
}

static void take_poisson(struct weir_source *src, uint32_t item, struct weir_message *out)
{
    uint64_t n = src->drawn[item]++;
    out->bytes = weir_cdf_sample(&src->wl->cdf[item], weir_rng_at(src->key[item].size, n));
    out->dst = poisson_dst(src, item, n);
    out->item = item;
    out->number = n;
    out->weight_q20 = WEIR_WEIGHT_ONE;
    advance(src, item);
}

static bool listed_is_next(const struct weir_source *src)
{
    return src->next_listed < src->end_listed && src->wl->listed[src->next_listed].start_ps == src->head_ps;
}

static bool inbox_is_next(const struct weir_source *src)
{
    return src->inbox != NULL && weir_inbox_next_ps(src->inbox) == src->head_ps;
}

static void take_inbox(struct weir_source *src, struct weir_message *out)
{
    uint32_t row = weir_inbox_take(src->inbox);
    const struct weir_inbox_row *r = weir_inbox_row(src->inbox, row);
    out->bytes = r->bytes;
    out->dst = r->dst;
    out->item = r->item;
    out->tag = row + 1;
    out->group = r->group;
    out->number = src->started;
    out->weight_q20 = r->weight_q20;
}

static uint32_t next_item(const struct weir_source *src)
{
    uint32_t item = 0;
    while (src->next_ps[item] != src->head_ps)
        item++;
    return item;
}

uint32_t weir_source_next_dst(const struct weir_source *src)
{
    WEIR_ASSERT(src->head_ps != WEIR_NEVER);
    if (listed_is_next(src))
        return src->wl->listed[src->next_listed].dst;
    if (inbox_is_next(src)) {
        uint32_t dst = weir_inbox_row(src->inbox, (uint32_t)src->inbox->waiting.entry[0].id)->dst;
        return dst == WEIR_INBOX_TIMER ? src->host : dst;
    }
    uint32_t item = next_item(src);
    return poisson_dst(src, item, src->drawn[item]);
}

void weir_source_take(struct weir_source *src, struct weir_message *out)
{
    WEIR_ASSERT(src->head_ps != WEIR_NEVER);
    *out = (struct weir_message){ .id = weir_message_id(src->host, src->started),
                                  .start_ps = src->head_ps,
                                  .src = src->host };
    if (listed_is_next(src))
        take_listed(src, out);
    else if (inbox_is_next(src))
        take_inbox(src, out);
    else
        take_poisson(src, next_item(src), out);
    src->started += out->dst != WEIR_INBOX_TIMER;
    weir_source_refresh(src);
}
