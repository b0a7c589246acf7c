/* src/results/output/record_detail.c - writes the distributions of a run to the tables `histogram` and `by_size`. */
#include "output/record.h"
#include "output/series.h"
#include <stdlib.h>

enum { BUCKETS = 400 }; /* most buckets of a histogram in the file: finer than any figure */

/* Finds the first and the last bucket whose count is not 0. Returns false if there is none. */
static bool find_ends(const struct weir_histogram *h, uint32_t *first, uint32_t *last)
{
    *first = 0;
    *last = WEIR_HISTOGRAM_BUCKETS - 1;
    while (*first <= *last && h->count[*first] == 0)
        (*first)++;
    while (*last > *first && h->count[*last] == 0)
        (*last)--;
    return *first <= *last;
}

/* Merges adjacent buckets into groups of 1, 2, 4, .. buckets: the smallest such size that gives at most BUCKETS groups.
 * Writes the groups that are not empty to out, with bounds divided by `unit`. Returns the number of groups written. */
static size_t coarsen(const struct weir_histogram *h, double unit, struct weir_store_bucket out[BUCKETS])
{
    uint32_t first, last, group = 1;
    size_t count = 0;
    if (!find_ends(h, &first, &last))
        return 0;
    while (last / group - first / group >= BUCKETS)
        group *= 2;
    for (uint32_t b = first / group * group; b <= last; b += group) {
        uint32_t end = b + group < WEIR_HISTOGRAM_BUCKETS ? b + group : WEIR_HISTOGRAM_BUCKETS;
        uint64_t sum = 0;
        for (uint32_t i = b; i < end; i++)
            sum += h->count[i];
        if (sum > 0)
            out[count++] = (struct weir_store_bucket){ (double)weir_histogram_low(b) / unit,
                                                       (double)weir_histogram_low(end) / unit, sum };
    }
    return count;
}

const struct weir_series_name weir_histogram_names[] = {
    [WEIR_HISTOGRAM_SLOWDOWN] = { "slowdown", "ratio" },
    [WEIR_HISTOGRAM_PAYLOAD] = { "slowdown_payload", "ratio" },
    [WEIR_HISTOGRAM_TOR] = { "tor_queue", "bytes" },
    [WEIR_HISTOGRAM_PORT] = { "port_queue", "bytes" },
    [WEIR_HISTOGRAM_KINDS] = { NULL, NULL },
};

static int put_histogram(struct weir_record *rec, enum weir_histogram_kind kind, const struct weir_histogram *h,
                         double one, struct weir_err *err)
{
    const struct weir_series_name *as = &weir_histogram_names[kind];
    struct weir_store_bucket bucket[BUCKETS];
    size_t count = coarsen(h, one, bucket);
    return weir_store_histogram(rec->store, rec->run, as->name, as->unit, bucket, count, err);
}

static int put_sizes(struct weir_record *rec, const struct weir_detail *detail, uint32_t denominator, const char *name,
                     struct weir_err *err)
{
    int code = 0;
    for (uint32_t i = 0; i < WEIR_DETAIL_BINS && code == 0; i++) {
        struct weir_store_size_bin bin = {
            .denominator = name,
            .lo_bytes = weir_detail_edge(i),
            .hi_bytes = weir_detail_edge(i + 1),
            .count = detail->slowdown[denominator][i].total,
            .p50 = (double)weir_detail_quantile(detail, denominator, i, 500000) / 1e6,
            .p99 = (double)weir_detail_quantile(detail, denominator, i, 990000) / 1e6,
        };
        if (bin.count > 0)
            code = weir_store_by_size(rec->store, rec->run, &bin, err);
    }
    return code;
}

int weir_record_detail(struct weir_record *rec, const struct weir_detail *detail, struct weir_err *err)
{
    static const struct {
        enum weir_histogram_kind histogram;
        const char *name;
    } row[WEIR_SLOWDOWN_COUNT] = {
        [WEIR_SLOWDOWN_IDEAL] = { WEIR_HISTOGRAM_SLOWDOWN, "ideal" },
        [WEIR_SLOWDOWN_PAYLOAD] = { WEIR_HISTOGRAM_PAYLOAD, "payload" },
    };
    struct weir_histogram *all = malloc(sizeof(*all)); /* 60 KB: too large for the stack */
    int code = 0;
    if (all == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory for histograms");
    for (uint32_t d = 0; d < WEIR_SLOWDOWN_COUNT && code == 0; d++) {
        weir_detail_all(detail, d, all);
        code = put_histogram(rec, row[d].histogram, all, 1e6, err);
        if (code == 0)
            code = put_sizes(rec, detail, d, row[d].name, err);
    }
    free(all);
    if (code == 0)
        code = put_histogram(rec, WEIR_HISTOGRAM_TOR, &detail->tor_queue, 1.0, err);
    return code != 0 ? code : put_histogram(rec, WEIR_HISTOGRAM_PORT, &detail->port_queue, 1.0, err);
}
