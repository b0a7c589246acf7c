/* src/scenario/workload/cdf.h - message sizes from a cumulative distribution, sampled in fixed point, so that every
 * compiler and machine draws the same sizes. data/workloads/README.md describes the file format. */
#ifndef WEIR_WORKLOAD_CDF_H
#define WEIR_WORKLOAD_CDF_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_CDF_POINTS_MAX 65536u
#define WEIR_CDF_SIZE_MAX (UINT64_C(1) << 40)
#define WEIR_CDF_GUIDE 1024u /* equal parts of 0 .. 1 for which a distribution stores where a search begins */

struct weir_cdf_point { /* a point of a cumulative distribution */
    uint64_t bytes;
    uint64_t log2_q32;  /* log2(bytes) * 2^32; 0 for bytes 0 */
    uint64_t below_q32; /* cdf * 2^32, 0 .. 2^32 */
};

struct weir_cdf {                 /* a distribution that sizes can be drawn from */
    struct weir_cdf_point *point; /* count points */
    uint32_t *guide;              /* WEIR_CDF_GUIDE + 1 segments: bounds of the search for a draw, by its upper bits */
    uint32_t count;
    bool log_linear;             /* interpolate the logarithm of the size; else the size */
    uint64_t mean_millibytes;    /* true mean of the drawn sizes, before they are cut to whole bytes; 1/1000 byte */
    uint64_t nominal_millibytes; /* mean that the distribution's own generator used; mean_millibytes if unknown */
};

struct weir_cdf_info { /* a distribution that comes with Weir */
    const char *name;  /* name in scenario files: "wkc" */
    const char *file;  /* name in data/workloads: "wkc_websearch.csv" */
    const char *hint;  /* content and source, one sentence */
    bool log_linear;
    uint64_t nominal_millibytes; /* 0 = not known */
};
extern const struct weir_cdf_info weir_cdf_infos[]; /* the last row has a NULL name */

/**
 * Finds by its name a distribution that comes with Weir, whose file is compiled into the binary.
 * @return its row, and *text gets the content of its file; NULL = there is none, and *text must not be used
 */
const struct weir_cdf_info *weir_cdf_find(const char *name, const char **text);

/**
 * Parses text with rows `size_bytes,cdf`, without floating-point numbers. Blanks may separate the columns, too. A cdf
 * whose last value is 100 is in percent. On success weir_cdf_free() frees *cdf.
 * @param name         name of the file, for messages; line numbers refer to text
 * @param interpolate  0 = linear, 1 = log-linear, -1 = log-linear unless the first size is 0
 * @return 0, or a code with err: sizes or cdf that decrease, a first cdf other than 0, a last cdf other than 1 or 100,
 * no memory. On an error cdf needs no free.
 */
int weir_cdf_parse(struct weir_cdf *cdf, const char *name, const char *text, int interpolate, struct weir_err *err);

/* Reads a file and parses it as weir_cdf_parse() does. A relative path starts in the working directory. @return 0, or a
 * code with err, also for a file that cannot be read or is empty */
int weir_cdf_load(struct weir_cdf *cdf, const char *path, int interpolate, struct weir_err *err);

/* Makes a distribution of one size. bytes: 1 .. WEIR_CDF_SIZE_MAX. @return 0, or a code with err */
int weir_cdf_fixed(struct weir_cdf *cdf, uint64_t bytes, struct weir_err *err);
void weir_cdf_free(struct weir_cdf *cdf);

/* Returns the size in bytes, at least 1, that belongs to a draw. draw: 64 uniform random bits; only the upper 32 are
 * used */
uint64_t weir_cdf_sample(const struct weir_cdf *cdf, uint64_t draw);
#endif
