/* src/scenario/workload/cdf.h - message sizes from a cumulative distribution, sampled in fixed point so that every
 * compiler and every machine draws the same sizes. Format of a file: data/workloads/README.md. */
#ifndef WEIR_WORKLOAD_CDF_H
#define WEIR_WORKLOAD_CDF_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_CDF_POINTS_MAX 65536u
#define WEIR_CDF_SIZE_MAX (UINT64_C(1) << 40)
#define WEIR_CDF_GUIDE 1024u

struct weir_cdf_point {
    uint64_t bytes;
    uint64_t log2_q32;  /* of bytes; 0 for bytes 0 */
    uint64_t below_q32; /* cdf * 2^32, 0 .. 2^32 */
};

struct weir_cdf {
    struct weir_cdf_point *point; /* count */
    uint32_t *guide; /* WEIR_CDF_GUIDE + 1 segments: where the search for a draw begins and ends, by its upper bits */
    uint32_t count;
    bool log_linear; /* interpolate the logarithm of the size; else the size */
    uint64_t
        mean_millibytes; /* true mean of what weir_cdf_sample() draws, before the cut to whole bytes; thousandths */
    uint64_t
        nominal_millibytes; /* what the distribution's own generator used for the arrival rate; = mean if unknown */
};

struct weir_cdf_info { /* one row per distribution that comes with Weir */
    const char *name;  /* in scenario files: "wkc" */
    const char *file;  /* "wkc_websearch.csv" */
    const char *hint;  /* what it is and whose, one sentence */
    bool log_linear;
    uint64_t nominal_millibytes; /* 0 = none known */
};
extern const struct weir_cdf_info weir_cdf_infos[]; /* ends with a row whose name is NULL */

/**
 * Finds a distribution that comes with Weir by name. The text of its file is compiled into the binary.
 * @return its row, or NULL; *text gets the file's content
 */
const struct weir_cdf_info *weir_cdf_find(const char *name, const char **text);

/**
 * Parses `size_bytes,cdf` text. Fractions are read as decimal text into fixed point, no floats.
 * @param name  for messages (a file name); line numbers refer to the text
 * @param interpolate  0 = linear, 1 = log-linear, -1 = log-linear unless a size is 0
 * @return 0, or a code with err: a size or cdf that decreases, a first cdf other than 0, a last other than 1, ..
 */
int weir_cdf_parse(struct weir_cdf *cdf, const char *name, const char *text, int interpolate, struct weir_err *err);

/* Loads a distribution from a file: reads and parses it. @return 0, or a code with err (also for an unreadable or empty
 * file) */
int weir_cdf_load(struct weir_cdf *cdf, const char *path, int interpolate, struct weir_err *err);

/* Makes a point mass: every message has this size. */
int weir_cdf_fixed(struct weir_cdf *cdf, uint64_t bytes, struct weir_err *err);
void weir_cdf_free(struct weir_cdf *cdf);

/* Returns the size at draw: 64 uniform bits, the upper 32 decide. At least 1 byte. */
uint64_t weir_cdf_sample(const struct weir_cdf *cdf, uint64_t draw);
#endif
