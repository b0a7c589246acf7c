/* src/scenario/workload/workload.c - turns the items of a scenario into rates, distributions and planned messages. */
#include "core/assert.h"
#include "core/math.h"
#include "param/suggest.h"
#include "workload/plan.h"
#include "workload/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sets the position of b->err to that of item i, if code is an error and b->err has no position or code is WEIR_E_FILE.
 * @return code, unchanged */
static int blame_item(const struct weir_build *b, uint32_t i, int code)
{
    const struct weir_tok *tok = weir_build_where(b, i);
    if (code != 0 && tok != NULL && tok->file != NULL && (b->err->file[0] == '\0' || code == WEIR_E_FILE)) {
        (void)snprintf(b->err->file, sizeof(b->err->file), "%s", tok->file);
        b->err->line = tok->line;
        b->err->col = tok->col;
    }
    return code;
}

/* --- Poisson: a distribution and a rate --- */

static int fail_sizes(const struct weir_build *b, uint32_t i, enum weir_err_code code, const char *why)
{
    char hint[512] = "a path ends in .csv or .txt, a size has a unit (1460 B); known are";
    size_t used = strlen(hint);
    struct weir_suggest near;
    weir_suggest_init(&near, b->wl->item[i].sizes);
    for (const struct weir_cdf_info *info = weir_cdf_infos; info->name != NULL && used < sizeof(hint); info++) {
        used += (size_t)snprintf(hint + used, sizeof(hint) - used, " %s", info->name);
        weir_suggest_add(&near, info->name);
    }
    if (near.best[0] != '\0')
        weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(b->err, code, weir_build_where(b, i), hint, "sizes = %s: %s", b->wl->item[i].sizes, why);
}

static int load_fixed(const struct weir_build *b, uint32_t i, const char *sizes, struct weir_cdf *cdf)
{
    struct weir_field field = { .text = sizes, .length = (uint32_t)strlen(sizes) };
    uint64_t bytes;
    enum weir_text_status status =
        weir_text_quantity(&field, weir_text_size_units + 1, &bytes); /* + 1: a number without a unit is not allowed */
    if (status != WEIR_TEXT_OK)
        return fail_sizes(b, i, status == WEIR_TEXT_UNIT ? WEIR_E_UNIT : WEIR_E_RANGE, weir_text_error(status));
    return blame_item(b, i, weir_cdf_fixed(cdf, bytes, b->err));
}

static int load_file(const struct weir_build *b, uint32_t i, const char *path, int interpolate, struct weir_cdf *cdf)
{
    char *text;
    int code = weir_text_read(path, b->limits->base_dir, &text, b->err);
    if (code == 0)
        code = weir_cdf_parse(cdf, path, text, interpolate, b->err);
    free(text);
    return blame_item(b, i, code);
}

static int load_sizes(const struct weir_build *b, uint32_t i)
{
    const struct weir_traffic_config *item = &b->wl->item[i];
    struct weir_cdf *cdf = &b->wl->cdf[i];
    size_t length = strlen(item->sizes);
    int interpolate = (int)item->interpolate - 1; /* auto -1, linear 0, log-linear 1 */
    const char *text;
    if (length > 4 && (strcmp(item->sizes + length - 4, ".csv") == 0 || strcmp(item->sizes + length - 4, ".txt") == 0))
        return load_file(b, i, item->sizes, interpolate, cdf);
    if (item->sizes[0] >= '0' && item->sizes[0] <= '9')
        return load_fixed(b, i, item->sizes, cdf);
    const struct weir_cdf_info *info = weir_cdf_find(item->sizes, &text);
    if (info == NULL)
        return fail_sizes(b, i, WEIR_E_UNKNOWN, "no such distribution");
    int code = weir_cdf_parse(cdf, info->file, text, interpolate == -1 ? info->log_linear : interpolate, b->err);
    if (code == 0 && info->nominal_millibytes != 0)
        cdf->nominal_millibytes = info->nominal_millibytes;
    return code;
}

/* Reads senders and receivers of an item; receivers may have a step. @return 0, or a code with b->err */
static int load_both_ranges(const struct weir_build *b, uint32_t i)
{
    const struct weir_traffic_config *item = &b->wl->item[i];
    int code = weir_build_range(b, i, "from", item->from, &b->wl->from[i]);
    return code != 0 ? code : weir_build_range_step(b, i, "to", item->to, &b->wl->to[i]);
}

static int load_ranges(const struct weir_build *b, uint32_t i)
{
    const struct weir_host_range *from = &b->wl->from[i], *to = &b->wl->to[i];
    int code = load_both_ranges(b, i);
    if (code == 0 && to->count == 1 && to->first - from->first < from->count)
        return weir_fail(b->err, WEIR_E_CONFLICT, weir_build_where(b, i), "more hosts in to, or others in from",
                         "host %u would send to itself: it is in from, and alone in to", to->first);
    return code;
}

/* Reads the senders and targets of an incast, and checks that fan_in senders remain for every target: a target in
 * `from` does not send to itself. @return 0, or a code with b->err */
static int load_incast_ranges(const struct weir_build *b, uint32_t i)
{
    const struct weir_traffic_config *item = &b->wl->item[i];
    const struct weir_host_range *from = &b->wl->from[i], *to = &b->wl->to[i];
    int code = load_both_ranges(b, i);
    if (code != 0)
        return code;
    bool meet = false;
    for (uint32_t k = 0; k < to->count && !meet; k++)
        meet = weir_host_range_index(from, to->first + k * to->step) != UINT32_MAX;
    if (item->fan_in == 0 || item->fan_in > from->count - meet)
        return weir_fail(b->err, WEIR_E_RANGE, weir_build_where(b, i),
                         "the senders are different hosts, and none of them is the target",
                         "fan_in = %u: must be 1 to %u, %s %u hosts", item->fan_in, from->count - meet,
                         item->from[0] != '\0' ? "from has" : "the topology has", from->count);
    return 0;
}

/* Loads a poisson item, and sets the mean gap between messages of one host: 8 * mean / (load * rate). The intermediate
 * result is in hundredths of a femtosecond, so that it saturates only if the gap exceeds its limit. @return 0, or a
 * code with b->err */
static int build_poisson(struct weir_build *b, uint32_t i)
{
    int code = load_sizes(b, i);
    if (code == 0)
        code = load_ranges(b, i);
    if (code != 0)
        return code;
    const struct weir_cdf *cdf = &b->wl->cdf[i];
    bool nominal = b->wl->item[i].load_mean == 1;
    uint64_t mean = nominal ? cdf->nominal_millibytes : cdf->mean_millibytes;
    uint64_t full_e17 = weir_mul_div_u64(mean, 800 * WEIR_PS_PER_S, b->limits->host_rate_bps); /* 8 * 10^-3 * 10^17 */
    uint64_t gap_fs = weir_mul_div_u64(full_e17, WEIR_LOAD_ONE_PPT / 100, b->load_ppt[i]);
    if (full_e17 == UINT64_MAX || gap_fs > WEIR_GAP_MAX_FS)
        return weir_fail(b->err, WEIR_E_RANGE, weir_build_where(b, i), "a larger load or smaller messages",
                         "load = %s: on average more than 288 s from message to message of a host",
                         weir_percent_of(b->load_ppt[i]).text);
    b->wl->gap_mean_fs[i] = weir_max_u64(gap_fs, 1);
    return 0;
}

/* Loads a cbr item: one size, and the gap between messages of a sender. @return 0, or a code with b->err */
static int build_cbr(struct weir_build *b, uint32_t i)
{
    const struct weir_traffic_config *item = &b->wl->item[i];
    uint64_t gap_fs = weir_mul_div_u64(8 * item->packet_bytes, 1000 * WEIR_PS_PER_S, item->rate_bps), mean_fs;
    int code = blame_item(b, i, weir_cdf_fixed(&b->wl->cdf[i], item->packet_bytes, b->err));
    if (code == 0)
        code = load_ranges(b, i);
    if (code != 0)
        return code;
    mean_fs = gap_fs > WEIR_GAP_MAX_FS ? gap_fs : weir_mul_div_u64(gap_fs, item->on_ps + item->off_ps, item->on_ps);
    if (mean_fs > WEIR_GAP_MAX_FS)
        return weir_fail(b->err, WEIR_E_RANGE, weir_build_where(b, i), "a higher rate or smaller packets",
                         "cbr: on average more than 288 s from packet to packet of a host");
    b->wl->gap_fs[i] = weir_max_u64(gap_fs, 1);
    b->wl->gap_mean_fs[i] = weir_max_u64(mean_fs, 1);
    return 0;
}

/* --- Incast: a period --- */

/* Returns the period of an incast in femtoseconds: its key `period`, or else the time in which all hosts together send
 * fan_in * size * 8 bits at load * rate each. Saturates at UINT64_MAX. */
static uint64_t period_fs(const struct weir_build *b, uint32_t i)
{
    const struct weir_traffic_config *item = &b->wl->item[i];
    uint64_t bits = 8 * item->size.bytes * item->fan_in; /* 2^3 * 2^40 * 2^16 fits */
    if (item->period_ps != 0)
        return item->period_ps * 1000; /* at most 1.8 * 10^19 */
    uint64_t full_e18 = weir_mul_div_u64(bits, UINT64_C(1000000) * WEIR_PS_PER_S, b->limits->host_rate_bps);
    uint64_t load = b->load_ppt[i] * b->limits->hosts; /* 10^12 * 2^16 fits */
    return full_e18 == UINT64_MAX ? UINT64_MAX : weir_mul_div_u64(full_e18, WEIR_LOAD_ONE_PPT / 1000, load);
}

static int build_incast(struct weir_build *b, uint32_t i)
{
    const struct weir_traffic_config *item = &b->wl->item[i];
    uint64_t fs = period_fs(b, i);
    int code = load_incast_ranges(b, i);
    if (code != 0)
        return code;
    if (fs > WEIR_TRAFFIC_TIME_MAX * 1000 || fs == 0)
        return weir_fail(b->err, WEIR_E_RANGE, weir_build_where(b, i), NULL,
                         "one event every %s: the period must be 1 fs to 18000 s",
                         fs == 0 ? "less than a femtosecond" : "more than 18000 s");
    if (item->arrivals == WEIR_ARRIVALS_POISSON && fs > WEIR_GAP_MAX_FS)
        return weir_fail(b->err, WEIR_E_RANGE, weir_build_where(b, i), "arrivals: periodic, or a larger load",
                         "with poisson arrivals on average more than 288 s from event to event");
    return weir_plan_incast(&b->plan,
                            &(struct weir_incast){ .item = item,
                                                   .limits = b->limits,
                                                   .from = b->wl->from[i],
                                                   .to = b->wl->to[i],
                                                   .period_fs = fs,
                                                   .index = i },
                            b->err);
}

/* Reads what an item of kind session says of the messages that will come. @return 0, or a code with b->err */
static int build_session(struct weir_build *b, uint32_t i)
{
    const struct weir_traffic_config *item = &b->wl->item[i];
    uint64_t low_q20, high_q20;
    int code = item->sizes[0] != '\0' ? load_sizes(b, i) : 0;
    if (code == 0)
        code = load_ranges(b, i); /* all hosts */
    if (code == 0)
        code = weir_plan_weights(item, &low_q20, &high_q20, b->err);
    if (code == 0)
        code = weir_build_groups(b, i);
    if (code != 0)
        return code;
    b->wl->weighted |= low_q20 != WEIR_WEIGHT_ONE || high_q20 != WEIR_WEIGHT_ONE;
    b->wl->session_least_q20 = b->wl->session ? weir_min_u64(b->wl->session_least_q20, low_q20) : low_q20;
    b->wl->session = true;
    return 0;
}

static int build_item(struct weir_build *b, uint32_t i)
{
    const struct weir_traffic_config *item = &b->wl->item[i];
    switch ((enum weir_traffic_kind)item->kind) {
    case WEIR_TRAFFIC_POISSON:
        return build_poisson(b, i);
    case WEIR_TRAFFIC_CBR:
        return build_cbr(b, i);
    case WEIR_TRAFFIC_INCAST:
        return build_incast(b, i);
    case WEIR_TRAFFIC_PERMUTATION:
        return weir_plan_permutation(&b->plan, item, i, b->limits, b->err);
    case WEIR_TRAFFIC_FLOWS:
        return weir_plan_flows(&b->plan, item, i, b->limits, b->err);
    case WEIR_TRAFFIC_SESSION:
        return build_session(b, i);
    case WEIR_TRAFFIC_COLLECTIVE:
        return load_ranges(b, i); /* all hosts */
    case WEIR_TRAFFIC_JOBS:
    case WEIR_TRAFFIC_PAIRS: /* not in the plan, because the start times of their flows are not known */
    case WEIR_TRAFFIC_GOAL:
    case WEIR_TRAFFIC_CHAKRA:
    case WEIR_TRAFFIC_SIMAI:
        break;
    }
    return 0;
}

/* --- the whole workload --- */

/* Returns the part of `bps`, the load of a poisson item's fastest host, that a host offers on average. A host that does
 * not send counts as 0. */
static uint64_t mean_load_bps(const struct weir_build *b, uint32_t i, uint64_t bps)
{
    const struct weir_workload *wl = b->wl;
    uint64_t sum_bps = 0; /* 2^43 * 2^16 fits */
    WEIR_ASSERT(wl->hosts > 0 && wl->host_rate_bps > 0);
    if (wl->host_bps == NULL)
        return weir_mul_div_u64(bps, wl->from[i].count, wl->hosts);
    for (uint32_t h = 0; h < wl->hosts; h++)
        if (weir_host_range_index(&wl->from[i], h) != UINT32_MAX)
            sum_bps += wl->host_bps[h];
    return weir_mul_div_u64(bps, sum_bps / wl->hosts, wl->host_rate_bps);
}

/* Sets wl->endless and wl->endless_items if some poisson, incast or cbr item goes on until the end of the run. Sets
 * wl->offered_bps_per_host to the sum of the loads of these items. With a nominal mean the true load differs a little
 * from the configured one, and the true load is used. */
static void sum_offered(struct weir_build *b)
{
    struct weir_workload *wl = b->wl;
    for (uint32_t i = 0; i < wl->item_count; i++) {
        uint64_t bps = weir_mul_div_u64(b->limits->host_rate_bps, b->load_ppt[i], WEIR_LOAD_ONE_PPT);
        if (!weir_item_lasts(&wl->item[i]) || wl->item[i].stop_ps < wl->end_ps)
            continue;
        if (wl->gap_mean_fs[i] > 0 && wl->item[i].load_mean == 1)
            bps = weir_mul_div_u64(bps, wl->cdf[i].mean_millibytes, wl->cdf[i].nominal_millibytes);
        if (wl->gap_mean_fs[i] > 0)
            bps = mean_load_bps(b, i, bps);
        wl->endless = true;
        wl->endless_items |= UINT32_C(1) << i;
        wl->offered_bps_per_host += bps;
    }
}

/* Sets the bytes of replies of each item. Flows of jobs have no replies: the file of a job says what follows their
 * end. */
static void find_replies(struct weir_workload *wl)
{
    for (uint32_t i = 0; i < wl->item_count; i++) {
        wl->reply_bytes[i] = weir_item_is_graph(&wl->item[i]) ? 0 : wl->item[i].reply_bytes;
        wl->replies |= wl->reply_bytes[i] > 0;
    }
}

/* Counts all messages and replies that will start. Poisson items are counted only if no item goes on until the end of
 * the run, by drawing all their start times. */
static void count_messages(struct weir_workload *wl)
{
    for (uint32_t i = 0; i < wl->item_count && !wl->endless; i++)
        for (uint32_t host = 0; wl->gap_mean_fs[i] > 0 && host < wl->hosts; host++) {
            uint64_t count = weir_source_count(wl, host, i);
            wl->finite_messages += count;
            wl->finite_replies += wl->reply_bytes[i] > 0 ? count : 0;
        }
    for (uint64_t i = 0; wl->replies && i < wl->listed_first[wl->hosts]; i++)
        wl->finite_replies += wl->reply_bytes[wl->listed[i].item] > 0;
    wl->finite_messages += wl->finite_replies + wl->program_messages;
}

/* Adds the flows of jobs, which config/ has built and checked. Their tags follow those of flow lists. */
static void add_jobs(struct weir_build *b)
{
    struct weir_workload *wl = b->wl;
    bool wanted = false;
    for (uint32_t i = 0; i < wl->item_count; i++)
        wanted |= weir_item_is_graph(&wl->item[i]);
    WEIR_ASSERT(wanted == (b->limits->jobs != NULL));
    if (!wanted)
        return;
    wl->jobs = b->limits->jobs;
    wl->tag_count += wl->jobs->flow_count;
    wl->finite_messages += wl->jobs->flow_count;
    wl->weighted |= weir_jobs_weighted(wl->jobs);
}

static int build(struct weir_build *b)
{
    int code = 0;
    for (uint32_t i = 0; code == 0 && i < b->wl->item_count; i++)
        code = weir_build_check_item(b, i);
    if (code == 0)
        code = weir_build_loads(b);
    for (uint32_t i = 0; code == 0 && i < b->wl->item_count; i++)
        code = blame_item(b, i, build_item(b, i));
    if (code == 0)
        code = weir_plan_finish(&b->plan, b->wl, b->err);
    if (code == 0) {
        add_jobs(b);
        sum_offered(b);
        find_replies(b->wl);
        count_messages(b->wl);
    }
    weir_plan_free(&b->plan);
    return code;
}

int weir_workload_build(struct weir_workload *wl, const struct weir_traffic_config *item, uint32_t item_count,
                        const struct weir_workload_limits *limits, const struct weir_tok *where, struct weir_err *err)
{
    struct weir_build b = {
        .wl = wl, .limits = limits, .where = where, .err = err, .plan = { .has_groups = limits->groups }
    };
    WEIR_ASSERT(item_count <= WEIR_TRAFFIC_MAX);
    WEIR_ASSERT(limits->host_rate_bps >= WEIR_RATE_MIN_BPS && limits->host_rate_bps <= WEIR_RATE_MAX_BPS);
    WEIR_ASSERT(limits->end_ps == WEIR_NEVER || limits->end_ps < UINT64_C(1) << 62);
    *wl = (struct weir_workload){ .hosts = limits->hosts,
                                  .item_count = item_count,
                                  .end_ps = limits->end_ps,
                                  .seed = limits->seed,
                                  .item = item,
                                  .host_rate_bps = limits->host_rate_bps,
                                  .host_bps = limits->host_bps,
                                  .program_messages = limits->program_messages };
    if (limits->hosts < 2)
        return weir_fail(err, WEIR_E_RANGE, where, NULL, "traffic needs at least 2 hosts: the topology has %u",
                         limits->hosts);
    if (item_count == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "for example traffic: [{kind: poisson, sizes: wkc, load: 50%}]",
                         "traffic is empty: nobody sends anything");
    int code = build(&b);
    if (code != 0)
        weir_workload_free(wl);
    return code;
}

void weir_workload_free(struct weir_workload *wl)
{
    for (uint32_t i = 0; i < WEIR_TRAFFIC_MAX; i++)
        weir_cdf_free(&wl->cdf[i]);
    free(wl->listed);
    free(wl->listed_first);
    free(wl->group);
    free(wl->group_sender);
    free(wl->session_group);
    *wl = (struct weir_workload){ 0 };
}
