/* src/commands/web/describe.c - writes a simulation and its result as JSON for a page; see module.h. */
#include "core/assert.h"
#include "core/math.h"
#include "core/units.h"
#include "output/links_csv.h"
#include "output/network_json.h"
#include "report/line_style.h"
#include "text/commit.h"
#include "text/json.h"
#include "text/version.h"
#include "web/module.h"
#include "web/web.h"
#include <stdlib.h>

enum { PPM = 1000000, STEPS = 200 }; /* points of a distribution, and as many once more for its tail */

/* Writes what is to be known before the run, as `weir run` prints it on stderr. */
static void put_warnings(struct weir_json *json, const struct weir_web *web)
{
    const struct weir_scenario *scn = &web->scn;
    const struct weir_features *features = &web->setup.model.features;
    weir_json_open_list(json, "warnings");
    for (uint32_t i = 0; i < scn->warning_count && i < WEIR_WARNINGS_MAX; i++)
        weir_json_string(json, NULL, scn->warning[i].text);
    for (uint32_t i = 0; i < features->count; i++)
        if (features->on[i].warning != NULL)
            weir_json_string(json, NULL, features->on[i].warning);
    for (uint32_t i = 0; i < web->findings.count && !web->is_over; i++) {
        char text[WEIR_FINDING_TEXT];
        weir_finding_text(&web->findings.row[i], text);
        weir_json_string(json, NULL, text);
    }
    weir_json_close_list(json);
}

void weir_web_describe(FILE *out, const struct weir_web *web)
{
    const struct weir_model *model = &web->setup.model;
    struct weir_json json = weir_json_line(out);
    weir_json_open(&json, NULL);
    weir_json_string(&json, "name", web->scn.name);
    weir_json_string(&json, "protocol", web->scn.protocol->name);
    weir_json_string(&json, "preset", web->scn.preset != NULL ? web->scn.preset->name : NULL);
    weir_json_string(&json, "topology", weir_topology_kinds[web->scn.topology.kind]);
    weir_json_u64(&json, "hosts", web->setup.topo.host_count);
    weir_json_u64(&json, "switches", web->setup.topo.switch_count);
    weir_json_u64(&json, "warmup_ps", model->warmup_ps);
    if (model->until_done)
        weir_json_null(&json, "end_ps");
    else
        weir_json_u64(&json, "end_ps", model->warmup_ps + model->measure_ps);
    weir_json_u64(&json, "packet_hops", weir_setup_packet_hops(&web->setup));
    weir_json_u64(&json, "need_bytes", weir_web_need_bytes(web));
    put_warnings(&json, web);
    weir_json_open_list(&json, "variants");
    for (uint32_t i = 0; i < web->scn.variant_count; i++)
        weir_json_string(&json, NULL, web->scn.variant[i].name);
    weir_json_close_list(&json);
    weir_network_json(&json, &web->setup.topo);
    weir_json_close(&json);
}

void weir_web_result(FILE *out, const struct weir_web *web)
{
    WEIR_ASSERT(web->is_over);
    weir_report_json(out, &web->report);
}

int weir_web_links(FILE *out, const struct weir_web *web)
{
    WEIR_ASSERT(web->is_over);
    return weir_links_csv(out, &web->setup.topo, &web->result);
}

/* Writes points of a distribution: [slowdown, share of messages at or below it]. The second half is of the tail, from
 * 99 % on. */
static void put_distribution(struct weir_json *json, const struct weir_histogram *all)
{
    weir_json_open_list(json, "distribution");
    for (uint32_t i = 0; i <= 2 * STEPS && all->total > 0; i++) {
        uint32_t ppm = i <= STEPS ? i * (PPM / 100 * 99 / STEPS) : PPM / 100 * 99 + (i - STEPS) * (PPM / 100 / STEPS);
        weir_json_open_list(json, NULL);
        weir_json_real(json, NULL, (double)weir_histogram_quantile(all, ppm) / PPM);
        weir_json_real(json, NULL, (double)ppm / PPM);
        weir_json_close_list(json);
    }
    weir_json_close_list(json);
}

static void put_sizes(struct weir_json *json, const struct weir_detail *detail)
{
    weir_json_open_list(json, "by_size");
    for (uint32_t i = 0; i < WEIR_DETAIL_BINS; i++) {
        uint64_t count = detail->slowdown[WEIR_SLOWDOWN_IDEAL][i].total;
        if (count == 0)
            continue;
        weir_json_open(json, NULL);
        weir_json_u64(json, "lo_bytes", weir_detail_edge(i));
        weir_json_u64(json, "hi_bytes", weir_detail_edge(i + 1));
        weir_json_u64(json, "count", count);
        weir_json_real(json, "p50", (double)weir_detail_quantile(detail, WEIR_SLOWDOWN_IDEAL, i, 500000) / PPM);
        weir_json_real(json, "p99", (double)weir_detail_quantile(detail, WEIR_SLOWDOWN_IDEAL, i, 990000) / PPM);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

void weir_web_slowdown(FILE *out, const struct weir_web *web)
{
    struct weir_histogram *all = calloc(1, sizeof(*all));
    struct weir_json json = weir_json_line(out);
    WEIR_ASSERT(web->is_over);
    weir_json_open(&json, NULL);
    if (all != NULL && web->result.detail != NULL) {
        weir_detail_all(web->result.detail, WEIR_SLOWDOWN_IDEAL, all);
        put_distribution(&json, all);
        put_sizes(&json, web->result.detail);
    }
    weir_json_close(&json);
    free(all);
}

void weir_web_refusal(FILE *out, const struct weir_err *err)
{
    struct weir_json json = weir_json_line(out);
    weir_json_open(&json, NULL);
    weir_json_string(&json, "file", err->file);
    weir_json_u64(&json, "line", err->line);
    weir_json_u64(&json, "column", err->col);
    weir_json_string(&json, "text", err->text);
    weir_json_string(&json, "hint", err->hint);
    weir_json_close(&json);
}

void weir_web_laws(FILE *out)
{
    struct weir_json json = weir_json_line(out);
    weir_json_open(&json, NULL);
    weir_json_string(&json, "version", WEIR_VERSION);
    weir_json_string(&json, "commit", WEIR_COMMIT);
    weir_json_open_list(&json, "laws");
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++) {
        struct weir_line_style style = weir_line_style_of(row->name, 0, 1);
        weir_json_open(&json, NULL);
        weir_json_string(&json, "name", row->name);
        weir_json_string(&json, "hint", row->hint);
        weir_json_string(&json, "light", weir_line_style_colour(style.hue, style.shade, false));
        weir_json_string(&json, "dark", weir_line_style_colour(style.hue, style.shade, true));
        weir_json_string(&json, "dash", weir_line_style_dash(&style));
        weir_json_close(&json);
    }
    weir_json_close_list(&json);
    weir_json_close(&json);
}

/* Estimates how many messages the run has. */
static uint64_t messages_of(const struct weir_setup *s)
{
    const struct weir_workload *wl = &s->workload;
    uint64_t messages = wl->finite_messages;
    for (uint32_t i = 0; i < s->scn->traffic_count; i++) {
        uint64_t end_ps = weir_min_u64(wl->item[i].stop_ps, wl->end_ps), span_ps = end_ps - wl->item[i].start_ps;
        if (wl->gap_mean_fs[i] > 0 && end_ps != WEIR_NEVER && end_ps > wl->item[i].start_ps)
            messages += wl->from[i].count * weir_mul_div_u64(span_ps, 1000, wl->gap_mean_fs[i]); /* 1000 fs per ps */
    }
    return messages;
}

uint64_t weir_web_need_bytes(const struct weir_web *web)
{
    /* measured on fat-trees of 128 to 8192 hosts, DCTCP, rounded up; a frame has 4 bytes for each link */
    enum { BASE = 12 << 20, LINK = 5500 + 2 * WEIR_WEB_FRAMES * 4, CONNECTION = 1200, MESSAGE = 64 };
    const struct weir_topology *topo = &web->setup.topo;
    uint64_t messages = messages_of(&web->setup), pairs = (uint64_t)topo->host_count * (topo->host_count - 1);
    return BASE + (uint64_t)topo->link_count * LINK + weir_min_u64(messages, pairs) * CONNECTION + messages * MESSAGE;
}
