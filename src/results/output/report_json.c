/* src/results/output/report_json.c - prints a report as one JSON object: the run, its verdict and findings, metrics,
 * counts of causes, jobs, and counters of switch features. */
#include "core/feature_counter.h"
#include "core/math.h"
#include "core/units.h"
#include "measure/metrics.h"
#include "output/compare_print.h"
#include "output/metrics.h"
#include "output/report.h"
#include <inttypes.h>
#include <string.h>

enum { KEY = 96 };

static void decimal_if(struct weir_json *json, const char *key, bool applies, uint64_t value, uint32_t digits)
{
    if (applies)
        weir_json_decimal(json, key, value, digits);
    else
        weir_json_null(json, key);
}

/* Puts one number of a counter; null if it does not apply. */
static void put_part(struct weir_json *json, const struct weir_result *res, const struct weir_feature_count *c,
                     uint32_t part)
{
    const struct weir_counter_part *row = &weir_counter_parts[c->counter->how][part];
    uint64_t value;
    bool applies = weir_counter_value(res, c, part, &value);
    char key[KEY];
    (void)snprintf(key, sizeof(key), "%s%s", c->counter->name, row->suffix);
    decimal_if(json, key, applies, value, row->digits);
}

/* Puts the name of a link; null if it is not known. */
static void put_link(struct weir_json *json, const struct weir_report *r, const char *key, bool known, uint32_t link)
{
    char name[WEIR_LINK_NAME];
    known = known && r->topo != NULL;
    if (known)
        weir_topology_link_name(r->topo, link, name, sizeof(name));
    weir_json_string(json, key, known ? name : NULL);
}

/* Puts all numbers of a counter. If the counter names a port, also puts the name of that port; null = not known. */
static void put_counter(struct weir_json *json, const struct weir_report *r, const struct weir_feature_count *c)
{
    const struct weir_counter_part *part = weir_counter_parts[c->counter->how];
    char key[KEY];
    for (uint32_t i = 0; i < WEIR_COUNTER_PARTS && part[i].suffix != NULL; i++)
        put_part(json, r->result, c, i);
    if (c->counter->where == WEIR_COUNT_NOWHERE)
        return;
    (void)snprintf(key, sizeof(key), "%s_port", c->counter->name);
    put_link(json, r, key, c->link != UINT32_MAX, c->link);
}

/* Puts the counters of all switch features, in one object per feature. */
static void put_features(struct weir_json *json, const struct weir_report *r)
{
    const struct weir_result *res = r->result;
    weir_json_open(json, "features");
    for (uint32_t i = 0; i < res->feature_counts; i++) {
        const struct weir_feature_count *c = &res->feature_count[i];
        if (i == 0 || strcmp(c->feature, c[-1].feature) != 0)
            weir_json_open(json, c->feature);
        put_counter(json, r, c);
        if (i + 1 == res->feature_counts || strcmp(c->feature, c[1].feature) != 0)
            weir_json_close(json);
    }
    weir_json_close(json);
}

/* Puts the packets that one cause dropped or lost, by kind and, if ports have several classes, by class. */
static void put_cause(struct weir_json *json, const char *name, const struct weir_cause_count *row, uint32_t classes)
{
    char key[KEY];
    weir_json_open(json, name);
    for (uint32_t k = 0; k < WEIR_LOST_KINDS; k++)
        weir_json_u64(json, weir_lost_keys[k], weir_cause_kind(row, (enum weir_lost_kind)k));
    if (classes > 1) {
        weir_json_open(json, "by_class");
        for (uint32_t c = 0; c < classes; c++) {
            (void)snprintf(key, sizeof(key), "%" PRIu32, c);
            weir_json_u64(json, key, weir_cause_class(row, c));
        }
        weir_json_close(json);
    }
    weir_json_close(json);
}

/* Puts the object of one fate, such as "drops_by_cause": all causes of this fate that the run can have. Puts null if
 * causes is NULL. */
static void put_causes(struct weir_json *json, enum weir_fate fate, const struct weir_causes *causes)
{
    char key[KEY];
    (void)snprintf(key, sizeof(key), "%s_by_cause", weir_fate_keys[fate]);
    if (causes == NULL) {
        weir_json_null(json, key);
        return;
    }
    weir_json_open(json, key);
    for (uint32_t i = WEIR_CAUSE_NONE + 1; i < causes->count; i++) {
        const struct weir_cause_count *row = &causes->row[i];
        (void)snprintf(key, sizeof(key), "%s.%s", row->cause.feature, row->cause.rule->name);
        if (row->cause.rule->fate == fate && weir_fate_ends(fate))
            put_cause(json, key, row, causes->classes);
        else if (row->cause.rule->fate == fate)
            weir_json_u64(json, key, row->decided);
    }
    weir_json_close(json);
}

const char *const weir_report_group_keys[WEIR_GROUP_COUNT] = { "all", "A", "B", "C", "D" };

void weir_report_json_slowdown(struct weir_json *json, const struct weir_result *result)
{
    weir_metrics_json(json, weir_result_metrics, result, "slowdown");
    weir_metrics_json(json, weir_result_metrics, result, "slowdown_payload");
}

static void put_job(struct weir_json *json, const struct weir_job_result *job)
{
    bool ended = job->end_ps != WEIR_NEVER;
    weir_json_open(json, NULL);
    weir_json_string(json, "name", job->name);
    weir_json_decimal(json, "start_s", job->start_ps, 12);
    decimal_if(json, "completion_s", ended, job->end_ps - job->start_ps, 12);
    weir_json_u64(json, "flows", job->flows);
    weir_json_u64(json, "flows_ended", job->ended);
    if (job->bytes != 0) { /* a collective operation */
        weir_json_u64(json, "bytes", job->bytes);
        decimal_if(json, "algbw_gbytes_s", ended, weir_job_algbw(job), 9);
        decimal_if(json, "busbw_gbytes_s", ended, weir_job_busbw(job), 9);
    }
    weir_json_close(json);
}

static void put_coflow(struct weir_json *json, const struct weir_coflow_result *c)
{
    bool ended = c->end_ps != WEIR_NEVER;
    weir_json_open(json, NULL);
    weir_json_string(json, "job", c->job);
    weir_json_string(json, "name", c->name);
    decimal_if(json, "start_s", c->start_ps != WEIR_NEVER, c->start_ps, 12);
    decimal_if(json, "completion_s", ended, c->end_ps - c->start_ps, 12);
    decimal_if(json, "spread_s", ended, c->end_ps - c->first_end_ps, 12);
    weir_json_u64(json, "flows", c->flows);
    weir_json_u64(json, "flows_ended", c->ended);
    weir_json_close(json);
}

static void put_jobs(struct weir_json *json, const struct weir_job_results *jobs)
{
    if (jobs == NULL) {
        weir_json_null(json, "jobs");
        weir_json_null(json, "coflows");
        return;
    }
    weir_json_open_list(json, "jobs");
    for (uint32_t i = 0; i < jobs->job_count; i++)
        put_job(json, &jobs->job[i]);
    weir_json_close_list(json);
    weir_json_open_list(json, "coflows");
    for (uint32_t i = 0; i < jobs->coflow_count; i++)
        put_coflow(json, &jobs->coflow[i]);
    weir_json_close_list(json);
}

/* Puts a list of the numbers of bits that are set. */
static void put_bits(struct weir_json *json, const char *key, uint32_t bits)
{
    weir_json_open_list(json, key);
    for (uint32_t i = 0; i < 32; i++)
        if ((bits >> i & 1) != 0)
            weir_json_u64(json, NULL, i);
    weir_json_close_list(json);
}

/* Puts a law with its protocol, or a class with the numbers of its laws if protocol is NULL. */
static void put_law(struct weir_json *json, const struct weir_report *r, const struct weir_part_result *part,
                    const char *protocol)
{
    uint32_t items = 0;
    for (uint32_t k = 0; k < r->result->law_count; k++)
        items |= (part->laws >> k & 1) != 0 ? r->law_items[k] : 0;
    weir_json_open(json, NULL);
    if (protocol != NULL)
        weir_json_string(json, "protocol", protocol);
    weir_json_u64(json, "class", part->class_id);
    if (protocol == NULL)
        put_bits(json, "laws", part->laws);
    put_bits(json, "items", items);
    weir_metrics_json(json, weir_part_metrics, part, NULL);
    weir_json_close(json);
}

/* Puts the list of laws or of classes; null if there are none. */
static void put_laws(struct weir_json *json, const char *key, const struct weir_report *r,
                     const struct weir_part_result *part, uint32_t count)
{
    if (count == 0) {
        weir_json_null(json, key);
        return;
    }
    weir_json_open_list(json, key);
    for (uint32_t i = 0; i < count; i++)
        put_law(json, r, &part[i], part == r->result->law ? r->law_protocol[i] : NULL);
    weir_json_close_list(json);
}

/* Puts the identity of the run: version and commit of Weir, scenario, protocol, topology, seed and digest. */
static void put_run(struct weir_json *json, const struct weir_report *r)
{
    char digest[17];
    (void)snprintf(digest, sizeof(digest), "%016" PRIx64, r->result->digest);
    weir_json_string(json, "version", r->version);
    weir_json_string(json, "commit", r->commit);
    weir_json_string(json, "scenario", r->scenario);
    weir_json_string(json, "protocol", r->protocol);
    if (r->sizes_key != NULL) {
        weir_json_open_list(json, r->sizes_key);
        for (uint32_t i = 0; i < r->sizes.count; i++)
            weir_json_u64(json, NULL, r->sizes.bytes[i]);
        weir_json_close_list(json);
    }
    weir_json_string(json, "topology", r->topology);
    weir_json_u64(json, "seed", r->seed);
    weir_json_string(json, "digest", digest);
    weir_json_string(json, "statistics", r->result->sampled ? "sampled" : "exact");
}

/* Puts what was skipped and why not more, if run.skip is exact. */
static void put_skipped(struct weir_json *json, const struct weir_skipped *s)
{
    if (!s->asked)
        return;
    weir_json_open_list(json, "skipped");
    for (size_t i = 0; i < s->stretch_count; i++) {
        weir_json_open(json, NULL);
        weir_json_u64(json, "component", 0);
        weir_json_decimal(json, "from_s", s->stretch[i].from_ps, 12);
        weir_json_decimal(json, "to_s", s->stretch[i].to_ps, 12);
        weir_json_u64(json, "periods", s->stretch[i].periods);
        weir_json_close(json);
    }
    weir_json_close_list(json);
    weir_json_open(json, "skip");
    weir_json_u64(json, "stretches", s->stretches);
    weir_json_decimal(json, "skipped_s", s->skipped_ps, 12);
    weir_json_u64(json, "packet_hops", s->packet_hops);
    weir_json_u64(json, "tries", s->tries);
    weir_json_string(json, "why_not", s->never != NULL ? s->never : s->last);
    weir_json_close(json);
}

/* Puts the names of the port that had the longest queue, and of the link with the greatest share. */
static void put_fullest(struct weir_json *json, const struct weir_report *r)
{
    put_link(json, r, "fullest_port", r->result->port_queue.max_bytes > 0, (uint32_t)r->result->fullest_port);
    put_link(json, r, "fullest_link", r->result->link_share_ppm > 0, (uint32_t)r->result->fullest_link);
}

/* Puts the reason why the run is not stable (null if it is stable), the verdict, and the findings. */
static void put_verdict(struct weir_json *json, const struct weir_report *r)
{
    weir_json_string(json, "unstable_why", r->result->stable ? NULL : r->result->unstable_why);
    weir_json_string(json, "verdict", weir_verdict_key(r->findings->verdict));
    weir_findings_json(json, r->findings);
}

void weir_report_json(FILE *out, const struct weir_report *r)
{
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    put_run(&json, r);
    put_verdict(&json, r);
    put_skipped(&json, &r->result->skipped);
    weir_metrics_json(&json, weir_result_metrics, r->result, NULL);
    put_fullest(&json, r);
    for (uint32_t f = 0; f < WEIR_FATES; f++)
        put_causes(&json, (enum weir_fate)f, r->result->causes);
    put_jobs(&json, r->result->jobs);
    put_laws(&json, "laws", r, r->result->law, r->result->law_count);
    put_laws(&json, "classes", r, r->result->of_class, r->result->class_count);
    weir_compare_json(&json, r->allocation);
    put_features(&json, r);
    weir_json_close(&json);
}
