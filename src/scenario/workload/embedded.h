/* src/scenario/workload/embedded.h - the files of data/workloads as text in the binary. tools/embed_workloads.py
 * generates the table. */
#ifndef WEIR_WORKLOAD_EMBEDDED_H
#define WEIR_WORKLOAD_EMBEDDED_H

struct weir_cdf_text { /* a file of data/workloads */
    const char *file;  /* "wkc_websearch.csv"; NULL ends the table */
    const char *text;
};
extern const struct weir_cdf_text weir_cdf_texts[];
#endif
