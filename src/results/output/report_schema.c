/* src/results/output/report_schema.c - prints the JSON Schema of the output of `weir run --json`. It has the fields of
 * report_json.c, the numbers of all metric rows, and the counters of every switch feature. */
#include "core/feature.h"
#include "measure/metrics.h"
#include "output/metrics.h"
#include "output/report.h"
#include "registry.h"
#include "solve/compare.h"
#include "text/schema.h"
#include <string.h>

enum { KEY = 96 };

static const struct weir_schema count = { .type = WEIR_SCHEMA_INTEGER };
static const struct weir_schema cause_fields[] = {
    WEIR_FIELD("data", INTEGER),
    WEIR_FIELD("ack", INTEGER),
    WEIR_FIELD("credit", INTEGER),
    WEIR_FIELD("control", INTEGER),
    { .key = "by_class",
      .text = "the same packets, where ports have several classes",
      .type = WEIR_SCHEMA_OBJECT,
      .optional = true,
      .each = &count },
    { .key = NULL },
};
static const struct weir_schema cause = { .type = WEIR_SCHEMA_OBJECT, .fields = cause_fields };

static const struct weir_schema number = { .type = WEIR_SCHEMA_NUMBER, .or_null = true };

static const struct weir_schema finding_fields[] = {
    { .key = "kind", .text = "what is found: doc/results.md has the kinds and their numbers" },
    { .key = "place", .text = "a link", .or_null = true },
    { .key = "text", .text = "the sentence" },
    { .key = NULL },
};
static const struct weir_schema finding = { .type = WEIR_SCHEMA_OBJECT, .fields = finding_fields, .each = &number };

static const struct weir_schema job_fields[] = {
    WEIR_FIELD("name", STRING),
    WEIR_FIELD("start_s", NUMBER),
    WEIR_FIELD_OR_NULL("completion_s", NUMBER),
    WEIR_FIELD("flows", INTEGER),
    WEIR_FIELD("flows_ended", INTEGER),
    { .key = "bytes",
      .text = "of a collective operation, as nccl-tests count them; jobs have none",
      .type = WEIR_SCHEMA_INTEGER,
      .optional = true },
    { .key = "algbw_gbytes_s",
      .text = "bytes over completion, in 10^9 bytes per second",
      .type = WEIR_SCHEMA_NUMBER,
      .or_null = true,
      .optional = true },
    { .key = "busbw_gbytes_s",
      .text = "that times the factor of nccl-tests for the operation",
      .type = WEIR_SCHEMA_NUMBER,
      .or_null = true,
      .optional = true },
    { .key = NULL },
};
static const struct weir_schema job = { .type = WEIR_SCHEMA_OBJECT, .fields = job_fields };

static const struct weir_schema whole = { .type = WEIR_SCHEMA_INTEGER };
#define LAW_PERCENTILE(key, ppm, head, more) WEIR_FIELD_OR_NULL(#key, NUMBER),
static const struct weir_schema law_slowdown_fields[] = {
    WEIR_FIELD("count", INTEGER),
    WEIR_FIELD_OR_NULL("mean", NUMBER),
    WEIR_PERCENTILES(LAW_PERCENTILE, ) WEIR_FIELD_OR_NULL("max", NUMBER),
    { .key = NULL },
};
static const struct weir_schema law_group = { .type = WEIR_SCHEMA_OBJECT, .fields = law_slowdown_fields };
#define PART_FIELDS                                                                                                    \
    { .key = "items", .text = "indices of its traffic items", .type = WEIR_SCHEMA_LIST, .each = &whole },              \
        WEIR_FIELD("messages_started", INTEGER), WEIR_FIELD("messages_completed", INTEGER),                            \
        { .key = "senders", .text = "hosts that started a message of it", .type = WEIR_SCHEMA_INTEGER },               \
        { .key = "goodput_gbps", .text = "per host, in the measured part", .type = WEIR_SCHEMA_NUMBER },               \
        { .key = "demand_gbps", .text = "what could have arrived then", .type = WEIR_SCHEMA_NUMBER },                  \
        { .key = "demand_met",                                                                                         \
          .text = "share of the demand that arrived",                                                                  \
          .type = WEIR_SCHEMA_NUMBER,                                                                                  \
          .or_null = true },                                                                                           \
        { .key = "marks", .text = "data packets that arrived marked", .type = WEIR_SCHEMA_INTEGER },                   \
        { .key = "drops", .text = "packets dropped, or lost on the wire", .type = WEIR_SCHEMA_INTEGER },               \
        { .key = "data_drops", .text = "those of data", .type = WEIR_SCHEMA_INTEGER },                                 \
        WEIR_FIELD("retransmissions", INTEGER), WEIR_FIELD("timeouts", INTEGER),                                       \
    {                                                                                                                  \
        .key = "slowdown", .text = "by size group, and `all`", .type = WEIR_SCHEMA_OBJECT, .each = &law_group          \
    }
static const struct weir_schema law_fields[] = {
    WEIR_FIELD("protocol", STRING),
    { .key = "class", .text = "priority class of its data", .type = WEIR_SCHEMA_INTEGER },
    PART_FIELDS,
    { .key = NULL },
};
static const struct weir_schema law = { .type = WEIR_SCHEMA_OBJECT, .fields = law_fields };
static const struct weir_schema class_fields[] = {
    WEIR_FIELD("class", INTEGER),
    { .key = "laws", .text = "indices of the laws with data in it", .type = WEIR_SCHEMA_LIST, .each = &whole },
    PART_FIELDS,
    { .key = NULL },
};
static const struct weir_schema class = { .type = WEIR_SCHEMA_OBJECT, .fields = class_fields };

static const struct weir_schema stretch_fields[] = {
    { .key = "component", .text = "0: the whole network", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("from_s", NUMBER),
    WEIR_FIELD("to_s", NUMBER),
    WEIR_FIELD("periods", INTEGER),
    { .key = NULL },
};
static const struct weir_schema stretch = { .type = WEIR_SCHEMA_OBJECT, .fields = stretch_fields };

static const struct weir_schema skip_fields[] = {
    { .key = "stretches", .text = "how many were skipped; the first 4096 are listed", .type = WEIR_SCHEMA_INTEGER },
    { .key = "skipped_s", .text = "their length together", .type = WEIR_SCHEMA_NUMBER },
    { .key = "packet_hops", .text = "packet-hops in them, which were computed", .type = WEIR_SCHEMA_INTEGER },
    { .key = "tries", .text = "searches for a state that comes back", .type = WEIR_SCHEMA_INTEGER },
    { .key = "why_not", .text = "why nothing can be skipped, or why the last try failed", .or_null = true },
    { .key = NULL },
};

static const struct weir_schema coflow_fields[] = {
    WEIR_FIELD("job", STRING),
    WEIR_FIELD("name", STRING),
    WEIR_FIELD_OR_NULL("start_s", NUMBER),
    WEIR_FIELD_OR_NULL("completion_s", NUMBER),
    { .key = "spread_s",
      .text = "from the first end of a flow to the last",
      .type = WEIR_SCHEMA_NUMBER,
      .or_null = true },
    WEIR_FIELD("flows", INTEGER),
    WEIR_FIELD("flows_ended", INTEGER),
    { .key = NULL },
};
static const struct weir_schema coflow = { .type = WEIR_SCHEMA_OBJECT, .fields = coflow_fields };

static const struct weir_schema miss_fields[] = {
    WEIR_FIELD("flow", INTEGER),
    WEIR_FIELD("src", INTEGER),
    WEIR_FIELD("dst", INTEGER),
    WEIR_FIELD_OR_NULL("weight", NUMBER),
    WEIR_FIELD_OR_NULL("share_gbps", NUMBER),
    WEIR_FIELD_OR_NULL("got_gbps", NUMBER),
    WEIR_FIELD_OR_NULL("share_packets_per_rtt", NUMBER),
    WEIR_FIELD_OR_NULL("share_packets_in_window", NUMBER),
    WEIR_FIELD("bottleneck", STRING),
    { .key = NULL },
};
static const struct weir_schema miss = { .type = WEIR_SCHEMA_OBJECT, .fields = miss_fields };

static const struct weir_schema allocation_fields[] = {
    { .key = "utilisation_min_link", .text = "the bottleneck with the least utilisation", .or_null = true },
    { .key = "misses",
      .text = "flows farthest from their shares, beyond 3 %",
      .type = WEIR_SCHEMA_LIST,
      .each = &miss },
    { .key = NULL },
};

static const struct weir_schema times = { .text = "how often the rule applied", .type = WEIR_SCHEMA_INTEGER };

static const struct weir_schema run_fields[] = {
    { .key = "version", .text = "of Weir" },
    { .key = "commit", .text = "of Weir; -dirty if the tree had changes" },
    { .key = "scenario", .text = "its name" },
    WEIR_FIELD("protocol", STRING),
    { .key = "topology", .text = "its kind" },
    WEIR_FIELD("seed", INTEGER),
    { .key = "digest", .text = "two runs with the same digest did the same: doc/model.md [counting.digest]" },
    { .key = "statistics", .text = "run.statistics: exact or sampled, doc/model.md [run.queues]" },
    { .key = "unstable_why", .text = "a sentence where stable is false", .or_null = true },
    { .key = "verdict", .text = "doc/model.md [run.verdict]" },
    { .key = "fullest_port", .text = "where port_queue_bytes.max was; null: nothing queued", .or_null = true },
    { .key = "fullest_link", .text = "that of link_share_max", .or_null = true },
    { .key = "findings", .text = "what the numbers lack, and why", .type = WEIR_SCHEMA_LIST, .each = &finding },
    { .key = "skipped",
      .text = "stretches that run.skip: exact computed",
      .type = WEIR_SCHEMA_LIST,
      .each = &stretch,
      .optional = true },
    { .key = "skip",
      .text = "their sums, and why not more; only with run.skip: exact",
      .type = WEIR_SCHEMA_OBJECT,
      .fields = skip_fields,
      .optional = true },
    { .key = "drops_by_cause",
      .text = "drops by FEATURE.RULE",
      .type = WEIR_SCHEMA_OBJECT,
      .or_null = true,
      .each = &cause },
    { .key = "losses_by_cause",
      .text = "losses by FEATURE.RULE",
      .type = WEIR_SCHEMA_OBJECT,
      .or_null = true,
      .each = &cause },
    { .key = "marks_by_cause",
      .text = "marks by FEATURE.RULE",
      .type = WEIR_SCHEMA_OBJECT,
      .or_null = true,
      .each = &times },
    { .key = "taken_marks_by_cause",
      .text = "marks that a feature took over, by FEATURE.RULE",
      .type = WEIR_SCHEMA_OBJECT,
      .or_null = true,
      .each = &times },
    { .key = "deflections_by_cause",
      .text = "packets that left by another port than their route's, by FEATURE.RULE",
      .type = WEIR_SCHEMA_OBJECT,
      .or_null = true,
      .each = &times },
    { .key = "pauses_by_cause",
      .text = "frames that paused a class, by FEATURE.RULE",
      .type = WEIR_SCHEMA_OBJECT,
      .or_null = true,
      .each = &times },
    { .key = "jobs", .type = WEIR_SCHEMA_LIST, .or_null = true, .each = &job },
    { .key = "coflows", .type = WEIR_SCHEMA_LIST, .or_null = true, .each = &coflow },
    { .key = "laws",
      .text = "results of each law, in runs with several",
      .type = WEIR_SCHEMA_LIST,
      .or_null = true,
      .each = &law },
    { .key = "classes",
      .text = "results of each class in which laws have data, in runs with several such classes",
      .type = WEIR_SCHEMA_LIST,
      .or_null = true,
      .each = &class },
    { .key = NULL },
};

/* Puts an optional property for each key of a protocol that is a list of sizes. The JSON of a run has such a key only
 * if the protocol of the run has it. */
static void put_sizes(struct weir_json *json)
{
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++)
        for (const struct weir_param *row = p->params; row->key != NULL; row++)
            if (row->kind == WEIR_KIND_SIZES)
                weir_schema_properties(
                    json, (const struct weir_schema[]){
                              { .key = row->key, .text = row->hint, .type = WEIR_SCHEMA_LIST, .each = &count },
                              { .key = NULL } });
}

static void port_key(char key[KEY], const struct weir_feature_counter *c)
{
    (void)snprintf(key, KEY, "%s_port", c->name);
}

/* Puts the properties of all counters of one feature; if `keys` is true, only their keys, for the list of required
 * keys. All keys are required: a run with the feature has each of its counters. */
static void put_counters(struct weir_json *json, const struct weir_feature *feature, bool keys)
{
    char key[KEY];
    for (const struct weir_feature_counter *c = feature->counters; c->name != NULL; c++) {
        const struct weir_counter_part *part = weir_counter_parts[c->how];
        for (uint32_t i = 0; i < WEIR_COUNTER_PARTS && part[i].suffix != NULL; i++) {
            (void)snprintf(key, sizeof(key), "%s%s", c->name, part[i].suffix);
            if (keys)
                weir_json_string(json, NULL, key);
            else
                weir_schema_value(json, key, part[i].digits == 0 ? WEIR_SCHEMA_INTEGER : WEIR_SCHEMA_NUMBER,
                                  part[i].digits > 0, c->hint);
        }
        port_key(key, c);
        if (c->where != WEIR_COUNT_NOWHERE && keys)
            weir_json_string(json, NULL, key);
        else if (c->where != WEIR_COUNT_NOWHERE)
            weir_schema_value(json, key, WEIR_SCHEMA_STRING, true, "the port, with links of a lower number first");
    }
}

static void put_features(struct weir_json *json)
{
    weir_schema_object(json, "features", false);
    for (const struct weir_feature *const *f = weir_features; *f != NULL; f++) {
        if ((*f)->counters == NULL)
            continue;
        weir_schema_object(json, (*f)->name, false);
        put_counters(json, *f, false);
        weir_schema_required(json);
        put_counters(json, *f, true);
        weir_schema_object_end(json);
    }
    weir_schema_required(json);
    weir_schema_object_end(json);
}

void weir_report_schema(FILE *out)
{
    struct weir_json json;
    weir_schema_begin(&json, out, "run");
    weir_schema_properties(&json, run_fields);
    put_sizes(&json);
    weir_metrics_schema(&json, weir_result_metrics, "");
    weir_schema_object(&json, "allocation", true);
    weir_metrics_schema(&json, weir_compared_metrics, "allocation.");
    weir_schema_properties(&json, allocation_fields);
    weir_schema_required(&json);
    weir_metrics_schema_keys(&json, weir_compared_metrics, "allocation.");
    weir_schema_keys(&json, allocation_fields);
    weir_schema_object_end(&json);
    put_features(&json);
    weir_schema_required(&json);
    weir_schema_keys(&json, run_fields);
    weir_metrics_schema_keys(&json, weir_result_metrics, "");
    weir_json_string(&json, NULL, "allocation");
    weir_json_string(&json, NULL, "features");
    weir_schema_end(&json);
}
