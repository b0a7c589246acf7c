/* src/commands/web/module.c - opens and runs a simulation for a page; see module.h. describe.c writes what it is, and
 * what came of it. */
#include "web/module.h"
#include "core/assert.h"
#include "core/math.h"
#include "engine/sim.h"
#include "output/packet_digest.h"
#include "web/web.h"
#include <stdlib.h>

enum { EVERY_FIRST_PS = 10000000 }; /* 10 us: between frames of a run whose length is not known, at first */

/* Refuses what needs more than one run. @return 0, or WEIR_E_CONFLICT with err */
static int refuse(const struct weir_scenario *scn, struct weir_err *err)
{
    if (scn->run.measure_ps != WEIR_MEASURE_AUTO)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, &scn->where_run, "for example run.measure: 3 ms",
                     "run.measure: auto finds its length by several runs, which weir run does and a page does not");
}

static int load(struct weir_web *web, const struct weir_web_source *source, struct weir_err *err)
{
    int code;
    if (source->law[0] != '\0')
        return weir_web_load_law(&web->scn, &web->setup, source, err);
    code =
        weir_scenario_parse(&web->scn, "scenario", source->text, source->length, source->set, source->set_count, err);
    if (code != 0)
        return code;
    code = weir_setup_init(&web->setup, &web->scn, err);
    if (code != 0)
        weir_scenario_free(&web->scn);
    return code;
}

int weir_web_open(struct weir_web **out, const struct weir_web_source *source, struct weir_err *err)
{
    struct weir_web *web = calloc(1, sizeof(*web));
    struct weir_offered offered;
    int code;
    *out = NULL;
    if (web == NULL)
        return weir_fail_memory(err);
    code = load(web, source, err);
    if (code != 0) {
        free(web);
        return code;
    }
    code = refuse(&web->scn, err);
    if (code == 0)
        code = weir_offered_find(&offered, &web->setup, err);
    if (code != 0) {
        weir_web_close(web);
        return code;
    }
    weir_findings_offered(&web->findings, &offered, &web->setup.topo);
    *out = web;
    return 0;
}

void weir_web_close(struct weir_web *web)
{
    if (web == NULL)
        return;
    weir_result_free(&web->result);
    weir_setup_free(&web->setup);
    weir_scenario_free(&web->scn);
    free(web->value);
    free(web);
}

/* --- the run --- */

/* Notes that the simulation runs. @return 0, or WEIR_E_CONFLICT with err if it has run */
static int begin(struct weir_web *web, struct weir_err *err)
{
    if (web->is_over)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "open the scenario anew", "this simulation has run already");
    web->is_over = true;
    return 0;
}

/* Returns the interval between frames at first. */
static uint64_t first_interval(const struct weir_model *model)
{
    if (model->until_done)
        return EVERY_FIRST_PS;
    return weir_max_u64(1, (model->warmup_ps + model->measure_ps) / WEIR_WEB_FRAMES);
}

/* Gives a frame to the page. At twice as many frames as wanted the interval doubles. */
static int take_snapshot(void *ctx, const struct weir_snapshot *snapshot)
{
    struct weir_web *web = ctx;
    double *value = web->value;
    uint32_t links = web->setup.topo.link_count;
    WEIR_ASSERT(snapshot->port_queue_bytes != NULL && value != NULL);
    if (++web->frames == 2 * WEIR_WEB_FRAMES) {
        web->every_ps *= 2;
        web->frames = WEIR_WEB_FRAMES;
    }
    value[WEIR_WEB_AT_PS] = (double)snapshot->at_ps;
    value[WEIR_WEB_EVERY_PS] = (double)web->every_ps;
    value[WEIR_WEB_ARRIVED_BYTES] = (double)snapshot->arrived_bytes;
    value[WEIR_WEB_MARKS] = (double)snapshot->marks;
    value[WEIR_WEB_DROPS] = (double)snapshot->drops;
    value[WEIR_WEB_RETRANSMISSIONS] = (double)snapshot->retransmissions;
    value[WEIR_WEB_UNFINISHED_BYTES] = (double)snapshot->unfinished_bytes;
    value[WEIR_WEB_TOR_QUEUE_BYTES] = (double)snapshot->tor_queue_max_bytes;
    value[WEIR_WEB_PORT_QUEUE_BYTES] = (double)snapshot->port_queue_max_bytes;
    for (uint32_t i = 0; i < links; i++)
        value[WEIR_WEB_FIRST_LINK + i] = (double)snapshot->port_queue_bytes[i];
    web->sink->frame(web->sink->ctx, value, WEIR_WEB_FIRST_LINK + links);
    return 0;
}

static void take_progress(void *ctx, const struct weir_progress *p)
{
    const struct weir_web *web = ctx;
    web->sink->progress(web->sink->ctx, p);
}

int weir_web_run(struct weir_web *web, const struct weir_web_sink *sink, struct weir_err *err)
{
    struct weir_sim_options options = {
        .threads = 1,
        .snapshot_ps = first_interval(&web->setup.model),
        .snapshot = take_snapshot,
        .snapshot_ctx = web,
        .snapshot_every_ps = &web->every_ps,
        .snapshot_ports = true,
        .detail = true,
        .links = true,
        .causes = true,
        .progress = take_progress,
        .progress_ctx = web,
    };
    int code = begin(web, err);
    if (code != 0)
        return code;
    WEIR_ASSERT(sink->frame != NULL && sink->progress != NULL);
    web->value = calloc(WEIR_WEB_FIRST_LINK + (size_t)web->setup.topo.link_count, sizeof(*web->value));
    if (web->value == NULL)
        return weir_fail_memory(err);
    web->sink = sink;
    web->every_ps = options.snapshot_ps;
    code = weir_sim_run(&web->setup.model, &options, &web->result, err);
    if (code == 0)
        weir_report_make(&web->report, &web->setup, &web->result, &web->findings);
    return code;
}

int weir_web_packets(struct weir_web *web, uint64_t until_ps, const char *packet, FILE *out, struct weir_err *err)
{
    struct weir_packet_digest digest = {
        .topo = &web->setup.topo, .features = &web->setup.model.features, .packet = packet, .until_ps = until_ps
    };
    struct weir_sim_options options = { .threads = 1, .causes = true };
    int code = begin(web, err);
    if (code == 0)
        code = weir_packet_digest_init(&digest, err);
    if (code != 0)
        return code;
    weir_packet_digest_options(&digest, &options);
    code = weir_sim_run(&web->setup.model, &options, &web->result, err);
    if (code == WEIR_E_ENOUGH) /* there are events after that time */
        code = 0;
    if (code == 0)
        weir_packet_digest_print(out, &digest);
    weir_packet_digest_free(&digest);
    return code;
}
