/* src/scenario/workload/items.c - checks the items of a scenario, and computes the load of each. Loads are payload bits
 * as a part of the host link. An incast item with a share takes that share of the total load. The total is the sum of
 * the loads of the poisson items, or without such items the incast item's own load. The poisson items keep the rest. */
#include "core/assert.h"
#include "core/math.h"
#include "workload/plan.h"
#include "workload/text.h"
#include <stdio.h>
#include <string.h>

#define ONE_PPM UINT64_C(1000000)

struct weir_percent weir_percent_of(uint64_t ppt)
{
    struct weir_percent p;
    uint64_t whole = ppt / 10000000000, frac = ppt % 10000000000 / 1000000;
    int n = snprintf(p.text, sizeof(p.text), "%llu.%04llu", (unsigned long long)whole, (unsigned long long)frac);
    while (n > 0 && p.text[n - 1] == '0')
        n--;
    n -= n > 0 && p.text[n - 1] == '.';
    (void)snprintf(p.text + n, sizeof(p.text) - (size_t)n, " %%");
    return p;
}

/* --- checks of each item --- */

static bool needs_file(const struct weir_traffic_config *item)
{
    return item->kind == WEIR_TRAFFIC_FLOWS || item->kind == WEIR_TRAFFIC_JOBS || weir_traffic_is_trace(item->kind);
}

static const char *stray_key(const struct weir_traffic_config *item)
{
    bool poisson = item->kind == WEIR_TRAFFIC_POISSON, incast = item->kind == WEIR_TRAFFIC_INCAST;
    if (!poisson && item->kind != WEIR_TRAFFIC_SESSION && item->sizes[0] != '\0')
        return "sizes";
    if (!poisson && !incast && item->load_ppm != 0)
        return "load";
    if (!incast && item->share_ppm != 0)
        return "share";
    if (!incast && item->period_ps != 0)
        return "period";
    if ((weir_item_is_graph(item) || weir_item_has_program(item)) && item->stop_ps != WEIR_NEVER)
        return "stop";
    if (weir_item_has_program(item) && item->reply_bytes != 0)
        return "reply";
    if (!weir_item_has_program(item) && item->ranks[0] != '\0')
        return "ranks";
    if (!weir_item_has_program(item) && item->placement_file[0] != '\0')
        return "placement_file";
    if (item->kind != WEIR_TRAFFIC_COLLECTIVE && item->bytes != 0)
        return "bytes";
    if (item->kind != WEIR_TRAFFIC_FLOWS && item->connections != WEIR_CONNECTIONS_ONE)
        return "connections";
    if (item->kind != WEIR_TRAFFIC_FLOWS && item->format != WEIR_FLOWS_AUTO)
        return "format";
    if (item->kind != WEIR_TRAFFIC_FLOWS && item->origin_ps != 0)
        return "origin";
    if (item->kind != WEIR_TRAFFIC_FLOWS && item->kind != WEIR_TRAFFIC_JOBS && item->start_unit != WEIR_START_UNIT_NONE)
        return "start_unit";
    if (item->kind != WEIR_TRAFFIC_FLOWS && item->kind != WEIR_TRAFFIC_JOBS && item->kind != WEIR_TRAFFIC_CHAKRA &&
        item->strict != 0)
        return "strict";
    if (item->kind != WEIR_TRAFFIC_JOBS && item->policy[0] != '\0')
        return "policy";
    if (item->kind != WEIR_TRAFFIC_JOBS && item->apart_ps != 0)
        return "apart";
    if (item->kind != WEIR_TRAFFIC_PAIRS && item->count != 0)
        return "count";
    if (item->kind != WEIR_TRAFFIC_PAIRS && item->kind != WEIR_TRAFFIC_SESSION && item->weights[0] != '\0')
        return "weights";
    if (item->kind != WEIR_TRAFFIC_PAIRS && item->changes_ppm != 0)
        return "changes";
    if (item->kind != WEIR_TRAFFIC_CBR && (item->rate_bps != 0 || item->packet_bytes != 0 || item->off_ps != 0))
        return item->rate_bps != 0 ? "rate" : item->packet_bytes != 0 ? "packet" : "off";
    if (item->kind != WEIR_TRAFFIC_CHAKRA && item->kind != WEIR_TRAFFIC_SESSION && item->groups[0] != '\0')
        return "groups";
    if (item->kind != WEIR_TRAFFIC_CHAKRA && item->dependencies != WEIR_DEPENDENCIES_DATA)
        return "dependencies";
    if (item->kind != WEIR_TRAFFIC_GOAL && item->goal_layout != WEIR_GOAL_LAYOUT_NONE)
        return "goal_layout";
    return !needs_file(item) && item->file[0] != '\0' ? "file" : NULL;
}

static int check_fraction(const struct weir_build *b, uint32_t i, const char *key, uint32_t ppm)
{
    if (ppm < ONE_PPM)
        return 0;
    return weir_fail(b->err, WEIR_E_RANGE, weir_build_where(b, i), NULL, "%s = %s: must be below 100 %%", key,
                     weir_percent_of(ppm * ONE_PPM).text);
}

static int check_incast(const struct weir_build *b, uint32_t i, const struct weir_traffic_config *item)
{
    const struct weir_tok *tok = weir_build_where(b, i);
    if (item->period_ps != 0 && (item->share_ppm != 0 || item->load_ppm != 0))
        return weir_fail(b->err, WEIR_E_CONFLICT, tok, "period: auto",
                         "period does not fit share and load: they say how often, too");
    if (item->period_ps == 0 && item->share_ppm == 0 && item->load_ppm == 0)
        return weir_fail(b->err, WEIR_E_CONFLICT, tok, "for example share: 7%",
                         "an incast needs share, load or period: how often does it happen?");
    return check_fraction(b, i, "share", item->share_ppm);
}

static int check_size(const struct weir_build *b, uint32_t i, const struct weir_traffic_config *item)
{
    if (item->size.bytes > 0 && item->size.bytes <= WEIR_CDF_SIZE_MAX)
        return 0;
    return weir_fail(b->err, WEIR_E_RANGE, weir_build_where(b, i), NULL, "size = %llu bytes: must be 1 B to 1 TiB",
                     (unsigned long long)item->size.bytes);
}

static int check_times(const struct weir_build *b, uint32_t i, const struct weir_traffic_config *item)
{
    bool lasting = weir_item_lasts(item);
    if (item->stop_ps <= item->start_ps)
        return weir_fail(b->err, WEIR_E_CONFLICT, weir_build_where(b, i), NULL, "stop must be later than start");
    if (item->start_ps > WEIR_TRAFFIC_TIME_MAX || item->period_ps > WEIR_TRAFFIC_TIME_MAX)
        return weir_fail(b->err, WEIR_E_RANGE, weir_build_where(b, i), NULL,
                         "start and period must be at most 18000 s");
    if (lasting && weir_item_until_ps(item, b->limits->end_ps) == WEIR_NEVER)
        return weir_fail(b->err, WEIR_E_CONFLICT, weir_build_where(b, i), "say stop, or a time for run.measure",
                         "%s traffic without an end: the run would never finish", weir_traffic_kinds[item->kind]);
    return 0;
}

int weir_build_check_item(const struct weir_build *b, uint32_t i)
{
    const struct weir_traffic_config *item = &b->wl->item[i];
    const char *stray = stray_key(item), *missing = NULL;
    WEIR_ASSERT(item->kind <= WEIR_TRAFFIC_SIMAI);
    if (stray != NULL)
        return weir_fail(b->err, WEIR_E_CONFLICT, weir_build_where(b, i), NULL, "%s has no meaning for kind %s", stray,
                         weir_traffic_kinds[item->kind]);
    if (item->kind == WEIR_TRAFFIC_POISSON)
        missing = item->sizes[0] == '\0' ? "sizes" : item->load_ppm == 0 ? "load" : NULL;
    else if (item->kind == WEIR_TRAFFIC_CBR)
        missing = item->rate_bps == 0 ? "rate" : item->packet_bytes == 0 ? "packet" : NULL;
    else if (needs_file(item) && item->file[0] == '\0')
        missing = "file";
    if (missing != NULL)
        return weir_fail(b->err, WEIR_E_SYNTAX, weir_build_where(b, i), NULL, "%s is missing: a %s item needs it",
                         missing, weir_traffic_kinds[item->kind]);
    int code = check_fraction(b, i, "load", item->load_ppm);
    if (code == 0)
        code = check_times(b, i, item);
    if (code == 0 && item->kind == WEIR_TRAFFIC_INCAST)
        code = check_incast(b, i, item);
    if (code == 0 && (item->kind == WEIR_TRAFFIC_INCAST || item->kind == WEIR_TRAFFIC_PERMUTATION ||
                      item->kind == WEIR_TRAFFIC_PAIRS))
        code = check_size(b, i, item);
    return code;
}

/* --- weights --- */

static bool read_weight(const char *text, size_t length, uint64_t *weight_q20)
{
    struct weir_field field = { .text = text, .length = (uint32_t)length };
    return length > 0 && weir_text_q20(&field, weight_q20) == WEIR_TEXT_OK && *weight_q20 >= WEIR_WEIGHT_MIN &&
           *weight_q20 <= WEIR_WEIGHT_MAX;
}

int weir_plan_weights(const struct weir_traffic_config *item, uint64_t *low_q20, uint64_t *high_q20,
                      struct weir_err *err)
{
    const char *text = item->weights[0] != '\0' ? item->weights : "1", *dots = strstr(text, "..");
    const char *high = dots != NULL ? dots + 2 : text;
    if (read_weight(text, dots != NULL ? (size_t)(dots - text) : strlen(text), low_q20) &&
        read_weight(high, strlen(high), high_q20) && *low_q20 <= *high_q20)
        return 0;
    return weir_fail(err, WEIR_E_RANGE, NULL, "for example weights: 1..10",
                     "weights = %s: must be a number from 0.001 to 1000000, or the least and the greatest as in 1..10",
                     item->weights);
}

/* --- load of each item --- */

/* Returns the load, in 10^-12, of an incast with a given period: bits of one event / (period * hosts * link rate). */
static uint64_t load_of_period_ppt(const struct weir_traffic_config *item, const struct weir_workload_limits *limits)
{
    uint64_t bits = 8 * item->size.bytes * item->fan_in; /* 2^3 * 2^40 * 2^16 fits */
    uint64_t bps = weir_mul_div_u64(bits, WEIR_PS_PER_S, item->period_ps) / limits->hosts;
    return weir_mul_div_u64(bps, WEIR_LOAD_ONE_PPT, limits->host_rate_bps);
}

/* Sets *total_ppm to the total load of which incast item i takes a share: its own key `load`, or poisson_ppm, the sum
 * of the poisson items. @return 0, or WEIR_E_CONFLICT with b->err */
static int find_total(const struct weir_build *b, uint32_t i, uint64_t poisson_ppm, uint64_t *total_ppm)
{
    uint64_t own_ppm = b->wl->item[i].load_ppm;
    *total_ppm = own_ppm != 0 ? own_ppm : poisson_ppm;
    if (*total_ppm == 0)
        return weir_fail(b->err, WEIR_E_CONFLICT, weir_build_where(b, i), "add a poisson item, or say load",
                         "share = %s of what? No item says a load",
                         weir_percent_of(b->wl->item[i].share_ppm * ONE_PPM).text);
    if (own_ppm != 0 && poisson_ppm != 0 && own_ppm != poisson_ppm)
        return weir_fail(b->err, WEIR_E_CONFLICT, weir_build_where(b, i),
                         "with share, load is the total of the scenario: leave it out",
                         "load = %s, but the poisson items say %s", weir_percent_of(own_ppm * ONE_PPM).text,
                         weir_percent_of(poisson_ppm * ONE_PPM).text);
    return 0;
}

static int find_loads(struct weir_build *b)
{
    uint64_t poisson_ppm = 0, shares_ppm = 0, total_ppm;
    for (uint32_t i = 0; i < b->wl->item_count; i++) {
        const struct weir_traffic_config *item = &b->wl->item[i];
        poisson_ppm += item->kind == WEIR_TRAFFIC_POISSON ? item->load_ppm : 0;
        shares_ppm += item->share_ppm;
        if (shares_ppm >= ONE_PPM)
            return weir_fail(b->err, WEIR_E_CONFLICT, weir_build_where(b, i), NULL,
                             "the incast shares add up to %s: they must leave something for the rest",
                             weir_percent_of(shares_ppm * ONE_PPM).text);
    }
    for (uint32_t i = 0; i < b->wl->item_count; i++) {
        const struct weir_traffic_config *item = &b->wl->item[i];
        if (item->share_ppm != 0) {
            int code = find_total(b, i, poisson_ppm, &total_ppm);
            if (code != 0)
                return code;
            b->load_ppt[i] = item->share_ppm * total_ppm; /* below 10^6 * 16 * 10^6 */
        } else if (item->kind == WEIR_TRAFFIC_POISSON) {
            b->load_ppt[i] = item->load_ppm * (ONE_PPM - shares_ppm);
        } else if (item->kind == WEIR_TRAFFIC_INCAST) {
            b->load_ppt[i] = item->period_ps != 0 ? load_of_period_ppt(item, b->limits) : item->load_ppm * ONE_PPM;
        } else if (item->kind == WEIR_TRAFFIC_CBR) {
            uint64_t ppt = weir_mul_div_u64(item->rate_bps, WEIR_LOAD_ONE_PPT, b->limits->host_rate_bps);
            b->load_ppt[i] = weir_mul_div_u64(ppt, item->on_ps, item->on_ps + item->off_ps);
        }
    }
    return 0;
}

/* Refuses a total load of 100 % or more at any time. The total rises only when an item starts, so the sum of all active
 * items is computed at the start of each item. @return 0, or WEIR_E_CONFLICT with b->err */
static int check_total(const struct weir_build *b)
{
    const struct weir_traffic_config *item = b->wl->item;
    for (uint32_t i = 0; i < b->wl->item_count; i++) {
        uint64_t sum_ppt = 0;
        for (uint32_t j = 0; j < b->wl->item_count; j++)
            if (item[j].start_ps <= item[i].start_ps && item[i].start_ps < item[j].stop_ps)
                sum_ppt += weir_min_u64(b->load_ppt[j], UINT64_MAX - sum_ppt);
        if (sum_ppt >= WEIR_LOAD_ONE_PPT)
            return weir_fail(b->err, WEIR_E_CONFLICT, weir_build_where(b, i),
                             "the loads of items that overlap in time add up", "total load = %s: must be below 100 %%",
                             weir_percent_of(sum_ppt).text);
    }
    return 0;
}

int weir_build_loads(struct weir_build *b)
{
    int code = find_loads(b);
    return code == 0 ? check_total(b) : code;
}
