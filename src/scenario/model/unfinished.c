/* src/scenario/model/unfinished.c - estimates what results by message lack: the messages that had not ended at the end
 * of the run. Many of them are long or slow, so the slowdowns of the other messages alone are too low. They also show
 * how long the run should have been. A message takes about its least time times the typical slowdown of its size, and
 * no less than it has taken already. Median slowdowns alone are too small an estimate in a run so short that no long
 * message ended. */
#include "core/math.h"
#include "model/account.h"

#define PPM UINT64_C(1000000)

/* Returns (1 / (1 - load))^2 in millionths. A link that serves all messages of a host at equal shares slows each by 1 /
 * (1 - load), whatever their sizes (processor sharing), and a message crosses two such links. */
static uint64_t shared_slowdown_ppm(const struct weir_model *model)
{
    uint64_t rate_bps = model->topo->host_link_bps, load_bps = model->workload->offered_bps_per_host;
    /* the load counts as 90 % at most: more is not steady for long */
    uint64_t left_bps = rate_bps - weir_min_u64(load_bps, rate_bps / 10 * 9);
    return weir_mul_div_u64(weir_mul_div_u64(PPM, rate_bps, left_bps), rate_bps, left_bps);
}

/* Writes the typical slowdown of each size group, in millionths: its median, but at least shared_slowdown_ppm(). A
 * group of which no message ended gets the value of the next smaller group, and group A gets shared_slowdown_ppm(). */
static void typical_slowdowns(const struct weir_model *model, const struct weir_result *result,
                              uint64_t typical_ppm[WEIR_GROUP_COUNT])
{
    typical_ppm[WEIR_GROUP_ALL] = shared_slowdown_ppm(model);
    for (int g = WEIR_GROUP_A; g < WEIR_GROUP_COUNT; g++) {
        const struct weir_dist *d = &result->slowdown[WEIR_SLOWDOWN_IDEAL][g];
        typical_ppm[g] = d->count > 0 ? weir_max_u64(d->p50, typical_ppm[WEIR_GROUP_ALL]) : typical_ppm[g - 1];
    }
}

/* Adds an unfinished message that is not beyond the run (struct weir_unfinished) to the estimates. age_ps: time since
 * its start. counts: it counts in slowdown */
static void add_message(struct weir_unfinished *u, uint64_t bytes, uint64_t age_ps, uint64_t ideal_ps,
                        uint64_t typical_ppm, bool counts)
{
    uint64_t takes_ps = weir_mul_div_u64(ideal_ps, typical_ppm, PPM);
    u->longest_bytes = weir_max_u64(u->longest_bytes, bytes);
    u->needed_ps = weir_max_u64(u->needed_ps, weir_max_u64(takes_ps, age_ps));
    if (counts)
        u->slowest_ppm = weir_max_u64(u->slowest_ppm, weir_mul_div_u64(age_ps, PPM, ideal_ps));
    u->late_bytes += age_ps / WEIR_UNFINISHED_LATE > takes_ps ? bytes : 0;
}

/* Adds a record of host `src` to result->unfinished, if its message has not ended. */
static void add_record(const struct weir_account *acc, uint32_t src, const struct weir_account_msg *m,
                       const uint64_t typical_ppm[WEIR_GROUP_COUNT], struct weir_result *result)
{
    struct weir_unfinished *u = &result->unfinished;
    uint64_t ideal_ps, payload_ps;
    int group = weir_group_of(acc->model->group_edge, m->bytes);
    bool counts = weir_account_measures(acc, m);
    if (m->in_use != 1 || (m->end_ps != WEIR_NEVER && !acc->model->ends_at_sender))
        return;
    u->messages++;
    u->bytes += m->bytes;
    u->counted[group] += counts;
    weir_account_ideal(acc, m->law, src, m->dst, m->bytes, &ideal_ps, &payload_ps);
    if (ideal_ps > result->sim_ps * WEIR_UNFINISHED_BEYOND)
        u->beyond++;
    else if (ideal_ps > 0)
        add_message(u, m->bytes, result->sim_ps - weir_min_u64(m->start_ps, result->sim_ps), ideal_ps,
                    typical_ppm[group], counts);
}

void weir_account_unfinished(const struct weir_account *acc, struct weir_result *result)
{
    const struct weir_model *model = acc->model;
    struct weir_unfinished *u = &result->unfinished;
    uint64_t typical_ppm[WEIR_GROUP_COUNT];
    typical_slowdowns(model, result, typical_ppm);
    *u = (struct weir_unfinished){ 0 };
    for (uint32_t h = 0; h < model->topo->host_count; h++)
        for (uint32_t i = 0; i < acc->host[h].used; i++)
            add_record(acc, h, weir_account_msg(&acc->host[h], i), typical_ppm, result);
    for (size_t i = 0; i < acc->left_count; i++)
        add_record(acc, acc->left[i].src, &acc->left[i].msg, typical_ppm, result);
    for (int g = WEIR_GROUP_A; g < WEIR_GROUP_COUNT; g++)
        u->counted[WEIR_GROUP_ALL] += u->counted[g];
}
