/* src/results/output/report_make.c - fills a report from the setup of a run and its result. */
#include "output/report.h"
#include "text/commit.h"
#include "text/version.h"
#include <string.h>

/* Sets report->sizes_key and report->sizes if a key of the protocol is a list of sizes. The sizes are those of the run:
 * the set-up may have changed the sizes of the scenario. */
static void report_sizes(const struct weir_scenario *scn, struct weir_report *report)
{
    for (const struct weir_param *row = scn->protocol->params; row->key != NULL; row++) {
        if (row->kind != WEIR_KIND_SIZES)
            continue;
        report->sizes_key = row->key;
        memcpy(&report->sizes, (const char *)scn->protocol_config + row->offset, sizeof(report->sizes));
    }
}

/* Returns the key of the protocol's own timeout of silent messages; NULL = it has none. */
static const char *protocol_timer(const struct weir_protocol *protocol)
{
    for (const struct weir_param *row = protocol->params; row->key != NULL; row++)
        if (strcmp(row->key, "loss_timeout") == 0)
            return "protocol.loss_timeout";
    return NULL;
}

/* Sets the properties that the finding of needless retransmissions depends on. */
static void report_resends(const struct weir_scenario *scn, struct weir_findings_run *run)
{
    bool credit = scn->protocol->credit != NULL;
    run->ack_every = scn->host.ack_every;
    run->resends_known = !credit && scn->host.reliability == WEIR_NEWRENO;
    run->timer_key = credit ? protocol_timer(scn->protocol) : "host.rto_min";
    if (!credit)
        run->order_key = scn->host.reliability == WEIR_GO_BACK_N ? "host.nack_interval" : "host.reorder";
}

/* Names the laws of a run. */
static void report_laws(const struct weir_setup *setup, struct weir_report *report)
{
    for (uint32_t k = 0; k < setup->law_count; k++) {
        report->law_protocol[k] = weir_scenario_law(setup->scn, k).protocol->name;
        for (uint32_t i = 0; i < setup->scn->traffic_count; i++)
            report->law_items[k] |= (uint32_t)weir_setup_law_sends(setup, k, i) << i;
    }
}

void weir_report_make(struct weir_report *report, const struct weir_setup *setup, const struct weir_result *result,
                      struct weir_findings *findings)
{
    const struct weir_model *model = &setup->model;
    struct weir_findings_run planned = {
        .planned_ps = model->until_done ? 0 : model->warmup_ps + model->measure_ps,
        .stall_ps = model->stall_ps,
        .lossless = model->features.lossless,
        .topo = &setup->topo,
        .endless = model->workload->endless && !model->until_done,
    };
    report_resends(setup->scn, &planned);
    *report = (struct weir_report){
        .version = WEIR_VERSION,
        .commit = WEIR_COMMIT,
        .scenario = setup->scn->name,
        .protocol = setup->scn->protocol->name,
        .topology = weir_topology_kinds[setup->scn->topology.kind],
        .seed = model->seed,
        .host_rate_bps = model->host.path.rate_bps,
        .load_bps = model->workload->offered_bps_per_host,
        .listed_messages = model->workload->finite_messages - model->workload->finite_replies,
        .bdp_bytes = setup->bdp_bytes,
        .base_rtt_ps = setup->base_rtt_ps,
        .warmup_ps = model->warmup_ps,
        .topo = &setup->topo,
        .result = result,
        .findings = findings,
    };
    memcpy(report->group_edge, model->group_edge, sizeof(report->group_edge));
    report_laws(setup, report);
    report_sizes(setup->scn, report);
    weir_findings_result(findings, &planned, result);
}
