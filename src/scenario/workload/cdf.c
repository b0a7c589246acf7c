/* src/scenario/workload/cdf.c - see cdf.h. The probability of a segment between two points is the difference of their
 * cdf. Within a segment either the size or its logarithm is linear in the cdf. Two points of one size are a point mass;
 * two points of one cdf are a gap from which no size is drawn. */
#include "workload/cdf.h"
#include "core/math.h"
#include "workload/foreign.h"
#include "workload/text.h"
#include <stdlib.h>

#define ONE_Q32 (UINT64_C(1) << 32)
#define SAMPLE_BITS 16u /* fraction bits of a drawn size, so that it is cut to whole bytes and not rounded */

static int no_memory(const char *name, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, &(struct weir_tok){ .file = name }, NULL, "no memory for its points");
}

/* Returns the mean, in millionths, of a size whose logarithm is uniform over lo .. hi, 0 < lo < hi <= 2^40: (hi - lo) /
 * ln(hi / lo). If hi <= 2 lo, the difference of the two logarithms has few exact bits. Then the mean is computed as m /
 * (1 + z^2/3 + z^4/5 + ..), with m the middle and z = (hi - lo) / (hi + lo) <= 1/3. The series is cut below 2^-34. */
static uint64_t log_mean_u6(const struct weir_cdf_point *lo, const struct weir_cdf_point *hi)
{
    uint64_t gap = hi->bytes - lo->bytes, sum = hi->bytes + lo->bytes;
    if (hi->bytes > 2 * lo->bytes) {
        uint64_t u6 = weir_mul_div_u64(gap * 1000000, WEIR_LOG2E_Q32, ONE_Q32); /* 2^60 fits */
        return weir_mul_div_u64(u6, ONE_Q32, hi->log2_q32 - lo->log2_q32);
    }
    uint64_t z_q32 = weir_mul_div_u64(gap, ONE_Q32, sum), square_q32 = z_q32 * z_q32 >> 32, series_q32 = 0;
    for (uint64_t k = 21; k >= 3; k -= 2)
        series_q32 = square_q32 * (ONE_Q32 / k + series_q32) >> 32;       /* both below 2^31 */
    return weir_mul_div_u64(sum * 500000, ONE_Q32, ONE_Q32 + series_q32); /* 2^41 * 2^19 fits */
}

static uint64_t mean_millibytes(const struct weir_cdf *cdf)
{
    uint64_t sum_u6 = 0; /* millionths: a mean is at most 2^40 bytes, 2^60 in all */
    for (uint32_t i = 0; i + 1 < cdf->count; i++) {
        const struct weir_cdf_point *lo = &cdf->point[i], *hi = lo + 1;
        bool curved = cdf->log_linear && lo->bytes < hi->bytes;
        uint64_t mean_u6 = curved ? log_mean_u6(lo, hi) : (lo->bytes + hi->bytes) * 500000;
        sum_u6 += weir_mul_div_u64(mean_u6, hi->below_q32 - lo->below_q32, ONE_Q32);
    }
    return (sum_u6 + 500) / 1000;
}

/* Sets guide[b] to the segment that holds u = b / WEIR_CDF_GUIDE, and the last entry to the segment of the largest
 * u. */
static void fill_guide(struct weir_cdf *cdf)
{
    uint32_t segment = 0;
    for (uint64_t b = 0; b <= WEIR_CDF_GUIDE; b++) {
        uint64_t u = weir_min_u64(b * (ONE_Q32 / WEIR_CDF_GUIDE), ONE_Q32 - 1);
        while (cdf->point[segment + 1].below_q32 <= u) /* the last point is at 1: the search ends */
            segment++;
        cdf->guide[b] = segment;
    }
}

/* Prepares checked points for drawing: sets guide, logarithms and means. @return 0, or WEIR_E_MEMORY with err */
static int finish(struct weir_cdf *cdf, const char *name, struct weir_err *err)
{
    cdf->guide = calloc(WEIR_CDF_GUIDE + 1, sizeof(*cdf->guide));
    if (cdf->guide == NULL)
        return no_memory(name, err);
    for (uint32_t i = 0; i < cdf->count; i++)
        cdf->point[i].log2_q32 = cdf->point[i].bytes > 0 ? weir_log2_q32(cdf->point[i].bytes) : 0;
    fill_guide(cdf);
    cdf->mean_millibytes = mean_millibytes(cdf);
    cdf->nominal_millibytes = cdf->mean_millibytes;
    return 0;
}

/* Reads a share of messages, in percent or as a fraction, in units of 2^-32. */
static enum weir_text_status read_share(const struct weir_field *field, bool percent, uint64_t *below_q32)
{
    enum weir_text_status status;
    if (!percent)
        return weir_text_q32(field, below_q32);
    status = weir_text_scaled(field, ONE_Q32, below_q32);
    if (status == WEIR_TEXT_OK && *below_q32 > 100 * ONE_Q32)
        status = WEIR_TEXT_BIG;
    *below_q32 = status == WEIR_TEXT_OK ? (*below_q32 + 50) / 100 : 0;
    return status;
}

static int read_point(const struct weir_csv *csv, bool percent, struct weir_cdf_point *point, struct weir_err *err)
{
    struct weir_tok at_size = weir_csv_tok(csv, 0), at_cdf = weir_csv_tok(csv, 1);
    const struct weir_field *size = &csv->field[0], *cdf = &csv->field[1];
    if (csv->field_count != 2)
        return weir_fail(err, WEIR_E_SYNTAX, &at_size, "each row is size_bytes,cdf", "%u columns where 2 are wanted",
                         csv->field_count);
    enum weir_text_status error = weir_text_u64(size, &point->bytes);
    if (error == WEIR_TEXT_BIG || (error == WEIR_TEXT_OK && point->bytes > WEIR_CDF_SIZE_MAX))
        return weir_fail(err, WEIR_E_RANGE, &at_size, NULL, "size = %.*s: must be 0 to 1099511627776 (1 TiB)",
                         (int)weir_min_u64(size->length, 40), size->text);
    if (error != WEIR_TEXT_OK)
        return weir_fail(err, WEIR_E_SYNTAX, &at_size, "sizes are whole bytes without a unit",
                         "size = %.*s: not a whole number", (int)weir_min_u64(size->length, 40), size->text);
    error = read_share(cdf, percent, &point->below_q32);
    if (error == WEIR_TEXT_BIG)
        return weir_fail(err, WEIR_E_RANGE, &at_cdf, "a column in percent ends at 100, another at 1",
                         "cdf = %.*s: must be 0 to %s", (int)weir_min_u64(cdf->length, 40), cdf->text,
                         percent ? "100" : "1");
    if (error != WEIR_TEXT_OK)
        return weir_fail(err, WEIR_E_SYNTAX, &at_cdf, "a cdf is a decimal fraction such as 0.25",
                         "cdf = %.*s: not a number", (int)weir_min_u64(cdf->length, 40), cdf->text);
    return 0;
}

static int check_order(const struct weir_cdf *cdf, const struct weir_csv *csv, const struct weir_cdf_point *point,
                       struct weir_err *err)
{
    struct weir_tok at_size = weir_csv_tok(csv, 0), at_cdf = weir_csv_tok(csv, 1);
    if (cdf->count == WEIR_CDF_POINTS_MAX)
        return weir_fail(err, WEIR_E_RANGE, &at_size, NULL, "more than %u points", WEIR_CDF_POINTS_MAX);
    if (cdf->count == 0) {
        if (point->below_q32 == 0)
            return 0;
        return weir_fail(err, WEIR_E_RANGE, &at_cdf, "put a row with the smallest size and cdf 0 in front",
                         "the first cdf is not 0");
    }
    const struct weir_cdf_point *last = &cdf->point[cdf->count - 1];
    if (point->bytes < last->bytes)
        return weir_fail(err, WEIR_E_RANGE, &at_size, NULL, "size %llu after %llu: sizes must not decrease",
                         (unsigned long long)point->bytes, (unsigned long long)last->bytes);
    if (point->below_q32 < last->below_q32)
        return weir_fail(err, WEIR_E_RANGE, &at_cdf, "cdf is cumulative: the share of messages up to this size",
                         "the cdf is below that of the row before: it must not decrease");
    return 0;
}

static int add_point(struct weir_cdf *cdf, uint32_t *room, const struct weir_csv *csv, bool percent,
                     struct weir_err *err)
{
    struct weir_cdf_point point = { 0 };
    int code = read_point(csv, percent, &point, err);
    if (code == 0)
        code = check_order(cdf, csv, &point, err);
    if (code != 0)
        return code;
    if (cdf->count == *room) {
        *room = *room == 0 ? 64 : 2 * *room;
        struct weir_cdf_point *larger = realloc(cdf->point, *room * sizeof(point));
        if (larger == NULL)
            return no_memory(csv->file, err);
        cdf->point = larger;
    }
    cdf->point[cdf->count++] = point;
    return 0;
}

/* Checks the distribution as a whole: it has rows, ends at cdf 1 and at a size above 0, and begins above 0 if it is
 * log-linear. last: position of the last point */
static int check_whole(const struct weir_cdf *cdf, const struct weir_tok *last, struct weir_err *err)
{
    struct weir_tok file = { .file = last->file };
    if (cdf->count == 0)
        return weir_fail(err, WEIR_E_SYNTAX, &file, "each row is size_bytes,cdf", "there is no row in it");
    if (cdf->point[cdf->count - 1].below_q32 != ONE_Q32)
        return weir_fail(err, WEIR_E_RANGE, last, "the last row is the largest size and cdf 1",
                         "the last cdf is not 1");
    if (cdf->point[cdf->count - 1].bytes == 0)
        return weir_fail(err, WEIR_E_RANGE, last, NULL, "every size is 0");
    if (cdf->log_linear && cdf->point[0].bytes == 0)
        return weir_fail(err, WEIR_E_CONFLICT, &file, "interpolate: linear",
                         "it begins at size 0, which has no logarithm: cannot interpolate log-linear");
    return 0;
}

/* Tests whether the second column is in percent: it ends at 100. A fraction never does. */
static bool is_percent(const char *text)
{
    struct weir_csv csv = weir_csv_of(NULL, text);
    uint64_t last = 0;
    bool any = false;
    while (weir_csv_next(&csv)) {
        weir_csv_split(&csv);
        any = csv.field_count == 2 && weir_text_scaled(&csv.field[1], 1000, &last) == WEIR_TEXT_OK;
    }
    return any && last == 100000;
}

static int read_points(struct weir_cdf *cdf, const char *name, const char *text, int interpolate, struct weir_err *err)
{
    struct weir_csv csv = weir_csv_of(name, text);
    struct weir_tok last = { .file = name };
    uint32_t room = 0;
    bool percent = is_percent(text);
    for (bool first = true; weir_csv_next(&csv); first = false) {
        weir_csv_split(&csv);
        if (first && weir_csv_is_header(&csv))
            continue;
        int code = add_point(cdf, &room, &csv, percent, err);
        if (code != 0)
            return code;
        last = weir_csv_tok(&csv, 1);
    }
    cdf->log_linear = interpolate == 1 || (interpolate == -1 && cdf->count > 0 && cdf->point[0].bytes > 0);
    return check_whole(cdf, &last, err);
}

int weir_cdf_parse(struct weir_cdf *cdf, const char *name, const char *text, int interpolate, struct weir_err *err)
{
    *cdf = (struct weir_cdf){ 0 };
    int code = read_points(cdf, name, text, interpolate, err);
    code = weir_foreign_name(code, name, text, WEIR_FOREIGN_SIZES, err);
    if (code == 0)
        code = finish(cdf, name, err);
    if (code != 0)
        weir_cdf_free(cdf);
    return code;
}

int weir_cdf_load(struct weir_cdf *cdf, const char *path, int interpolate, struct weir_err *err)
{
    char *text;
    *cdf = (struct weir_cdf){ 0 };
    int code = weir_text_read(path, NULL, &text, err);
    if (code == 0)
        code = weir_cdf_parse(cdf, path, text, interpolate, err);
    free(text);
    return code;
}

int weir_cdf_fixed(struct weir_cdf *cdf, uint64_t bytes, struct weir_err *err)
{
    *cdf = (struct weir_cdf){ .count = 2 };
    if (bytes == 0 || bytes > WEIR_CDF_SIZE_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "a message of %llu bytes: must be 1 to 1099511627776 (1 TiB)",
                         (unsigned long long)bytes);
    cdf->point = calloc(2, sizeof(*cdf->point));
    if (cdf->point == NULL)
        return no_memory(NULL, err);
    cdf->point[0] = (struct weir_cdf_point){ .bytes = bytes };
    cdf->point[1] = (struct weir_cdf_point){ .bytes = bytes, .below_q32 = ONE_Q32 };
    int code = finish(cdf, NULL, err);
    if (code != 0)
        weir_cdf_free(cdf);
    return code;
}

void weir_cdf_free(struct weir_cdf *cdf)
{
    free(cdf->point);
    free(cdf->guide);
    *cdf = (struct weir_cdf){ 0 };
}

/* Returns the lower point of the segment that holds u: below_q32 <= u < below_q32 of the next point. Segments of width
 * 0 hold no u. */
static const struct weir_cdf_point *find_segment(const struct weir_cdf *cdf, uint64_t u)
{
    uint64_t b = u / (ONE_Q32 / WEIR_CDF_GUIDE);
    uint32_t lo = cdf->guide[b], hi = cdf->guide[b + 1];
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (cdf->point[mid + 1].below_q32 > u)
            hi = mid;
        else
            lo = mid + 1;
    }
    return &cdf->point[lo];
}

uint64_t weir_cdf_sample(const struct weir_cdf *cdf, uint64_t draw)
{
    uint64_t u = draw >> 32;
    const struct weir_cdf_point *lo = find_segment(cdf, u), *hi = lo + 1;
    uint64_t at = u - lo->below_q32, width = hi->below_q32 - lo->below_q32, bytes = lo->bytes;
    if (lo->bytes < hi->bytes && !cdf->log_linear) {
        bytes += weir_mul_div_u64(at, hi->bytes - lo->bytes, width);
    } else if (lo->bytes < hi->bytes) {
        uint64_t log2_q32 = lo->log2_q32 + weir_mul_div_u64(at, hi->log2_q32 - lo->log2_q32, width);
        uint64_t size = weir_exp2_q32(log2_q32 + (SAMPLE_BITS * ONE_Q32)) >> SAMPLE_BITS; /* exponent <= 56 */
        bytes = weir_min_u64(weir_max_u64(size, lo->bytes), hi->bytes);
    }
    return weir_max_u64(bytes, 1);
}
