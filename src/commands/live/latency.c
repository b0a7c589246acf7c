/* src/commands/live/latency.c - see latency.h. The relative error of quantiles is at most 1/256
 * (measure/histogram.h). */
#include "live/latency.h"
#include "text/format.h"

enum { CELL = 11, QUANTILES = 4 };

static const struct {
    const char *head, *key;
    uint32_t ppm;
} quantiles[QUANTILES] = {
    { "p50", "p50", 500000 }, { "p90", "p90", 900000 }, { "p99", "p99", 990000 }, { "p99.9", "p999", 999000 }
};

void weir_latency_add(struct weir_latency *l, uint64_t ns)
{
    l->min_ns = l->ns.total == 0 || ns < l->min_ns ? ns : l->min_ns;
    l->sum_ns += ns;
    weir_histogram_add(&l->ns, ns);
}

void weir_latency_merge(struct weir_latency *l, const struct weir_latency *from)
{
    if (from->ns.total == 0)
        return;
    l->min_ns = l->ns.total == 0 || from->min_ns < l->min_ns ? from->min_ns : l->min_ns;
    l->sum_ns += from->sum_ns;
    weir_histogram_merge(&l->ns, &from->ns);
}

static void put_us(struct weir_json *json, const char *key, const struct weir_latency *l, uint64_t ns)
{
    if (l->ns.total == 0)
        weir_json_null(json, key);
    else
        weir_json_decimal(json, key, ns, 3);
}

void weir_latency_json(struct weir_json *json, const char *key, const struct weir_latency *l)
{
    weir_json_open(json, key);
    weir_json_u64(json, "count", l->ns.total);
    put_us(json, "mean", l, l->ns.total == 0 ? 0 : l->sum_ns / l->ns.total);
    put_us(json, "min", l, l->min_ns);
    for (int i = 0; i < QUANTILES; i++)
        put_us(json, quantiles[i].key, l, weir_histogram_quantile(&l->ns, quantiles[i].ppm));
    put_us(json, "max", l, l->ns.max);
    weir_json_close(json);
}

const struct weir_schema weir_latency_fields[] = {
    WEIR_FIELD("count", INTEGER),       WEIR_FIELD_OR_NULL("mean", NUMBER), WEIR_FIELD_OR_NULL("min", NUMBER),
    WEIR_FIELD_OR_NULL("p50", NUMBER),  WEIR_FIELD_OR_NULL("p90", NUMBER),  WEIR_FIELD_OR_NULL("p99", NUMBER),
    WEIR_FIELD_OR_NULL("p999", NUMBER), WEIR_FIELD_OR_NULL("max", NUMBER),  { .key = NULL },
};

void weir_latency_heads(FILE *out)
{
    (void)fprintf(out, "%*s%*s", CELL, "mean", CELL, "min");
    for (int i = 0; i < QUANTILES; i++)
        (void)fprintf(out, "%*s", CELL, quantiles[i].head);
    (void)fprintf(out, "%*s\n", CELL, "max");
}

static void put_cell(FILE *out, const struct weir_latency *l, uint64_t ns)
{
    (void)fprintf(out, "%*s", CELL, l->ns.total == 0 ? "-" : weir_format_rounded(ns, 3, 1).text);
}

void weir_latency_row(FILE *out, const struct weir_latency *l)
{
    put_cell(out, l, l->ns.total == 0 ? 0 : l->sum_ns / l->ns.total);
    put_cell(out, l, l->min_ns);
    for (int i = 0; i < QUANTILES; i++)
        put_cell(out, l, weir_histogram_quantile(&l->ns, quantiles[i].ppm));
    put_cell(out, l, l->ns.max);
    (void)fprintf(out, "\n");
}
