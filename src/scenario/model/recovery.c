/* src/scenario/model/recovery.c - how long it takes after a failure until the network delivers as before
 * [run.recovery]. */
#include "core/cable.h"
#include "core/math.h"
#include "model/account.h"

#define BIN_PS (10 * WEIR_PS_PER_US)
#define BEFORE_BINS 100u /* the rate before a failure is the mean of so many, or of as many as there are */
#define LEAST_BINS 10u   /* of fewer bins there is no rate before */
#define MEAN_BINS 10u    /* the rate after it is the mean of so many */
#define BACK_PERCENT 90u

/* Tests whether change i of rates makes its cable slower than it was. */
static bool makes_slower(const struct weir_model *model, uint32_t i)
{
    const struct weir_rate_step *rate = model->rate;
    const struct weir_link *link = &model->topo->link[rate[i].cable];
    WEIR_ASSERT(i < model->rate_count);
    for (uint32_t k = i; k-- > 0;)
        if (rate[k].cable == rate[i].cable)
            return rate[i].bps < rate[k].bps;
    return rate[i].bps < weir_max_u64(link->rate_bps, model->topo->link[link->reverse].rate_bps);
}

/* Tests whether something of the run can fail. */
static bool can_fail(const struct weir_model *model)
{
    bool fails = model->restart_count > 0;
    for (uint32_t i = 0; i < model->event_count && !fails; i++)
        fails = !model->event[i].up;
    for (uint32_t i = 0; i < model->rate_count && !fails; i++)
        fails = makes_slower(model, i);
    return fails;
}

uint64_t weir_account_bin_ps(const struct weir_model *model)
{
    uint64_t end_ps = model->warmup_ps + model->measure_ps;
    return model->until_done ? BIN_PS : weir_max_u64(BIN_PS, end_ps / (WEIR_RECOVERY_BINS_MAX - 1) + 1);
}

uint32_t weir_account_bins(const struct weir_model *model)
{
    uint64_t end_ps = model->warmup_ps + model->measure_ps;
    if (!can_fail(model))
        return 0;
    return model->until_done ? WEIR_RECOVERY_BINS_MAX : (uint32_t)(end_ps / weir_account_bin_ps(model)) + 1;
}

/* Returns the first bin from k on at which the mean rate is below the wanted part of that before, or is not: `low` says
 * which. UINT32_MAX = there is none. before: bytes in n bins */
static uint32_t find_bin(const uint64_t *arrived, uint32_t count, uint32_t k, bool low, uint64_t before, uint32_t n)
{
    for (; (uint64_t)k + MEAN_BINS < count; k++) {
        uint64_t bytes = arrived[k + MEAN_BINS] - arrived[k];
        if ((bytes * n * 100 < before * MEAN_BINS * BACK_PERCENT) == low) /* 2^50 bytes fit */
            return k;
    }
    return UINT32_MAX;
}

/* Adds the failure at at_ps to the result. arrived: payload by bin; count: bins */
static void add_failure(const uint64_t *arrived, uint32_t count, uint64_t bin_ps, uint64_t at_ps,
                        struct weir_result *result)
{
    uint64_t first = at_ps / bin_ps, before;
    uint32_t n = (uint32_t)weir_min_u64(BEFORE_BINS, first), low, back;
    if (first + MEAN_BINS >= count || n < LEAST_BINS)
        return;
    WEIR_ASSERT(arrived[first] >= arrived[first - n]);
    before = arrived[first] - arrived[first - n];
    if (before == 0)
        return;
    result->failures++;
    low = find_bin(arrived, count, (uint32_t)first, true, before, n);
    if (low == UINT32_MAX)
        return;
    back = find_bin(arrived, count, low, false, before, n);
    if (back == UINT32_MAX)
        result->unrecovered++;
    else
        result->recovery_ps = weir_max_u64(result->recovery_ps, ((uint64_t)back + MEAN_BINS) * bin_ps - at_ps);
}

/* Tests whether event i takes a cable down that was up. */
static bool takes_down(const struct weir_model *model, uint32_t i)
{
    const struct weir_cable_event *event = model->event;
    WEIR_ASSERT(i < model->event_count);
    if (event[i].up)
        return false;
    for (uint32_t k = i; k-- > 0;)
        if (event[k].link == event[i].link)
            return event[k].up;
    return true;
}

struct failures { /* how many events, restarts and changes of rates were looked at */
    uint32_t event, restart, rate;
};

/* Sets *at_ps to the instant of the next failure: a cable goes down or becomes slower, or a host restarts. @return
 * false = there is none */
static bool next_failure(const struct weir_model *m, struct failures *next, uint64_t *at_ps)
{
    uint64_t event_ps, restart_ps, rate_ps;
    while (next->event < m->event_count && !takes_down(m, next->event))
        next->event++;
    while (next->rate < m->rate_count && !makes_slower(m, next->rate))
        next->rate++;
    event_ps = next->event < m->event_count ? m->event[next->event].at_ps : WEIR_NEVER;
    restart_ps = next->restart < m->restart_count ? m->restart[next->restart].at_ps : WEIR_NEVER;
    rate_ps = next->rate < m->rate_count ? m->rate[next->rate].at_ps : WEIR_NEVER;
    *at_ps = weir_min_u64(weir_min_u64(event_ps, restart_ps), rate_ps);
    if (*at_ps == WEIR_NEVER)
        return false;
    next->event += event_ps == *at_ps;
    next->restart += restart_ps == *at_ps;
    next->rate += rate_ps == *at_ps;
    return true;
}

void weir_account_recovery(const struct weir_account *acc, const struct weir_account_totals *totals,
                           struct weir_result *result)
{
    const struct weir_model *model = acc->model;
    struct failures next = { 0, 0, 0 };
    uint64_t bin_ps = weir_account_bin_ps(model), last_ps = WEIR_NEVER, at_ps;
    uint32_t count = (uint32_t)weir_min_u64(totals->arrived_count, totals->end_ps / bin_ps + 1);
    if (totals->arrived == NULL)
        return;
    while (next_failure(model, &next, &at_ps)) {
        if (at_ps == last_ps)
            continue;
        add_failure(totals->arrived, count, bin_ps, at_ps, result);
        last_ps = at_ps;
    }
}
