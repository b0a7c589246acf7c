/* src/scenario/model/growth.c - finds a queue that grew in every quarter of the measured part [run.growing]. */
#include "core/math.h"
#include "model/account.h"

#define GROWTH_PART 16u /* least growth from quarter to quarter, as a part of the last mean: 1 / GROWTH_PART */
#define GROWTH_PKTS 10u /* least growth from the first mean to the last, in full packets */

bool weir_account_has_quarters(const struct weir_model *model)
{
    return !model->until_done && !model->sampled && model->workload->finite_messages > 0 &&
           model->measure_ps >= WEIR_QUARTERS;
}

uint64_t weir_account_quarter_ps(const struct weir_model *model, uint32_t quarter)
{
    WEIR_ASSERT(quarter <= WEIR_QUARTERS);
    return model->warmup_ps + weir_mul_div_u64(model->measure_ps, quarter, WEIR_QUARTERS);
}

/* Returns the counters of a link in one quarter: the difference of two instants. */
static struct weir_port_count part_of(const struct weir_port_count *from, const struct weir_port_count *until)
{
    struct weir_port_count part = { .bytes = until->bytes - from->bytes, .area_lo = until->area_lo - from->area_lo };
    part.area_hi = until->area_hi - from->area_hi - (until->area_lo < from->area_lo);
    return part;
}

/* Computes the mean queue of a link in each quarter, in bytes. @return false = in some quarter fewer bytes joined than
 * the link can carry, so that its queue cannot have grown in it */
static bool quarters_of(const struct weir_account *acc, const struct weir_account_totals *totals, uint32_t link,
                        uint64_t mean_bytes[WEIR_QUARTERS])
{
    const struct weir_topology *topo = acc->model->topo;
    uint64_t rate_bps = topo->link[link].rate_bps;
    bool full = true;
    for (uint32_t q = 0; q < WEIR_QUARTERS; q++) {
        const struct weir_port_count *at = &totals->quarter[(size_t)q * topo->link_count + link];
        const struct weir_port_count part =
            part_of(at, q + 1 < WEIR_QUARTERS ? at + topo->link_count : &totals->port[link]);
        uint64_t span_ps = weir_account_quarter_ps(acc->model, q + 1) - weir_account_quarter_ps(acc->model, q);
        mean_bytes[q] = weir_account_mean_millibytes(&part, span_ps, rate_bps) / 1000;
        full = full && part.bytes >= weir_mul_div_u64(span_ps, rate_bps, 8 * WEIR_PS_PER_S);
    }
    return full;
}

/* Tests whether these means of four quarters are of a queue that grows: by a part of the last from each to the next,
 * and by some packets in all. */
static bool grows(const uint64_t mean_bytes[WEIR_QUARTERS], uint64_t full_pkt_bytes)
{
    for (uint32_t q = 1; q < WEIR_QUARTERS; q++)
        if (mean_bytes[q] < mean_bytes[q - 1] + mean_bytes[WEIR_QUARTERS - 1] / GROWTH_PART)
            return false;
    return mean_bytes[WEIR_QUARTERS - 1] >= mean_bytes[0] + GROWTH_PKTS * full_pkt_bytes;
}

void weir_account_grew(struct weir_result *result)
{
    if (!result->growth.grows)
        return;
    result->stable = false;
    result->unstable_why = "a queue grew in every quarter of the measured part";
    result->intervals = (struct weir_intervals){ .has_means = false }; /* a run that is not stable has none */
}

void weir_account_growth(const struct weir_account *acc, const struct weir_account_totals *totals,
                         struct weir_result *result)
{
    const struct weir_model *m = acc->model;
    struct weir_growth *most = &result->growth;
    if (totals->quarter == NULL || result->unfinished.beyond == 0 || totals->end_ps != m->warmup_ps + m->measure_ps)
        return;
    for (uint32_t i = 0; i < m->topo->link_count; i++) {
        struct weir_growth growth = { .grows = true, .link = i };
        if (m->topo->link[i].src < m->topo->host_count || !quarters_of(acc, totals, i, growth.mean_bytes) ||
            !grows(growth.mean_bytes, m->host.path.mss_bytes))
            continue;
        if (growth.mean_bytes[WEIR_QUARTERS - 1] > most->mean_bytes[WEIR_QUARTERS - 1])
            *most = growth;
    }
    weir_account_grew(result);
}
