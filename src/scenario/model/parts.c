/* src/scenario/model/parts.c - results of parts of the traffic: of each law of several, and of each class in which laws
 * have their DATA. A part is a set of laws, and its numbers are those of its laws together. */
#include "core/math.h"
#include "model/account.h"
#include "program/run.h"
#include <stdlib.h>

/* Adds what all shards have of a law to that of shard 0. */
static void merge_law(struct weir_account *acc, uint32_t law)
{
    struct weir_account_law *sum = &acc->shard[0].law[law];
    for (uint32_t i = 1; i < acc->shard_count; i++) {
        const struct weir_account_law *of = &acc->shard[i].law[law];
        sum->started += of->started;
        sum->delivered += of->delivered;
        sum->started_bytes += of->started_bytes;
        for (int g = 0; g < WEIR_GROUP_COUNT - 1; g++)
            weir_samples_merge(&sum->slowdown[g], &of->slowdown[g]);
    }
}

uint64_t weir_account_awaited_bytes(const struct weir_account *acc)
{
    uint64_t awaited = 0;
    uint32_t laws = acc->model->host.law != NULL ? acc->model->host.law_count : 1;
    for (uint32_t k = 0; k < laws; k++) {
        if ((weir_host_needs(weir_model_law(acc->model, k)) & WEIR_NEED_NO_ACKS) != 0)
            continue;
        for (uint32_t i = 0; i < acc->shard_count; i++) /* a message may end in another shard than it started in */
            awaited += acc->shard[i].law[k].started_bytes - acc->shard[i].law[k].ended_bytes;
    }
    return awaited;
}

bool weir_account_waits(const struct weir_account *acc)
{
    return weir_account_awaited_bytes(acc) > 0 || (acc->programs != NULL && weir_programs_wait(acc->programs));
}

/* Counts the hosts that have started a message of a part, and adds up the rates of all their links. */
static uint64_t senders_bps(const struct weir_account *acc, struct weir_part_result *part)
{
    const struct weir_topology *topo = acc->model->topo;
    uint64_t sum_bps = 0;
    for (uint32_t h = 0; h < topo->host_count; h++) {
        if ((acc->host[h].laws & part->laws) == 0)
            continue;
        part->senders++;
        sum_bps += weir_topology_host_bps(topo, h);
    }
    return sum_bps;
}

/* Fills the counts of a part from those of its laws. The shards must be merged. */
static void fill_counts(const struct weir_account *acc, const struct weir_account_totals *totals,
                        const struct weir_result *result, struct weir_part_result *part)
{
    uint64_t offered_bytes = 0, link_bps = senders_bps(acc, part);
    for (uint32_t k = 0; k < result->law_count; k++) {
        const struct weir_account_law_totals *of = &totals->law[k];
        const struct weir_account_law *sum = &acc->shard[0].law[k];
        if ((part->laws >> k & 1) == 0)
            continue;
        WEIR_ASSERT(of->hosts.rx_new_bytes >= of->base_new_bytes);
        part->messages_started += sum->started;
        part->messages_completed += sum->delivered;
        part->arrived_bytes += of->hosts.rx_new_bytes - of->base_new_bytes;
        offered_bytes += sum->started_bytes - weir_min_u64(of->base_new_bytes, sum->started_bytes);
        part->marks += of->hosts.marked_pkts;
        part->drops += of->drops;
        part->data_drops += of->data_drops;
        part->retransmissions += of->hosts.retransmissions;
        part->timeouts += of->hosts.timeouts;
    }
    part->demand_bytes =
        weir_min_u64(offered_bytes, weir_mul_div_u64(link_bps, result->measured_ps, 8 * WEIR_PS_PER_S));
    part->goodput_bps = weir_account_rate_bps(part->arrived_bytes, result->measured_ps, result->hosts);
    part->demand_bps = weir_account_rate_bps(part->demand_bytes, result->measured_ps, result->hosts);
}

/* Fills the slowdown of a part from samples of its laws, which stay as they are. @return false = memory for samples ran
 * out */
static bool fill_slowdown(const struct weir_account *acc, struct weir_part_result *part)
{
    struct weir_samples group[WEIR_GROUP_COUNT - 1];
    bool kept;
    for (int g = 0; g < WEIR_GROUP_COUNT - 1; g++) {
        weir_samples_init(&group[g], acc->model->sample_limit);
        for (uint32_t k = 0; k < WEIR_LAWS_MAX; k++)
            if ((part->laws >> k & 1) != 0)
                weir_samples_merge(&group[g], &acc->shard[0].law[k].slowdown[g]);
    }
    kept = weir_group_dists(group, part->slowdown);
    weir_samples_free(&group[0]); /* the others are free */
    return kept;
}

/* Adds a law to the results of its class, and makes them if there are none. They stay in the order of classes. */
static void add_to_class(struct weir_result *result, const struct weir_part_result *law)
{
    uint32_t at = result->class_count;
    while (at > 0 && result->of_class[at - 1].class_id > law->class_id)
        at--;
    if (at > 0 && result->of_class[at - 1].class_id == law->class_id) {
        result->of_class[at - 1].laws |= law->laws;
        return;
    }
    for (uint32_t i = result->class_count++; i > at; i--)
        result->of_class[i] = result->of_class[i - 1];
    result->of_class[at] = (struct weir_part_result){ .class_id = law->class_id, .laws = law->laws };
}

/* Makes result->law and result->of_class, with class and laws set. Without memory, sets out_of_memory. */
static void make_parts(struct weir_account *acc, struct weir_result *result)
{
    const struct weir_host_config *host = &acc->model->host;
    result->law = calloc(host->law_count, sizeof(*result->law));
    result->of_class = calloc(host->law_count, sizeof(*result->of_class));
    if (result->law == NULL || result->of_class == NULL) {
        acc->shard[0].out_of_memory = true;
        return;
    }
    result->law_count = host->law_count;
    for (uint32_t k = 0; k < host->law_count; k++) {
        result->law[k].class_id = weir_host_data_class(&host->law[k]);
        result->law[k].laws = 1u << k;
        add_to_class(result, &result->law[k]);
    }
    if (result->class_count > 1)
        return;
    free(result->of_class);
    result->of_class = NULL;
    result->class_count = 0;
}

/* Returns Jain's index over laws of what arrived by what could have; 0 if fewer than two laws had anything to send. */
static uint64_t laws_jain_ppm(const struct weir_result *result)
{
    uint64_t met[WEIR_LAWS_MAX];
    uint32_t n = 0;
    for (uint32_t k = 0; k < result->law_count; k++)
        if (result->law[k].demand_bytes > 0)
            met[n++] = weir_part_met_ppb(&result->law[k]);
    return n < 2 ? 0 : weir_jain_ppm(met, n);
}

void weir_account_parts(struct weir_account *acc, const struct weir_account_totals *totals, struct weir_result *result)
{
    if (acc->model->host.law == NULL)
        return;
    make_parts(acc, result);
    for (uint32_t k = 0; k < result->law_count; k++)
        merge_law(acc, k);
    for (uint32_t i = 0; i < result->law_count + result->class_count; i++) {
        struct weir_part_result *part =
            i < result->law_count ? &result->law[i] : &result->of_class[i - result->law_count];
        fill_counts(acc, totals, result, part);
        result->samples_lost |= !fill_slowdown(acc, part);
    }
    result->laws_jain_ppm = laws_jain_ppm(result);
}

void weir_account_law_hosts(const struct weir_model *model, const struct weir_host *h,
                            struct weir_account_law_totals law[WEIR_LAWS_MAX])
{
    for (uint32_t k = 0; model->host.law != NULL && k < model->host.law_count; k++)
        weir_host_stats_add(&law[k].hosts, weir_host_stats(weir_host_of_law(h, k)));
}

void weir_account_law_base(const struct weir_model *model, const struct weir_host *h,
                           struct weir_account_law_totals law[WEIR_LAWS_MAX])
{
    for (uint32_t k = 0; model->host.law != NULL && k < model->host.law_count; k++)
        law[k].base_new_bytes += weir_host_stats(weir_host_of_law(h, k))->rx_new_bytes;
}
