/* src/results/reproduce/embedded.h - the files of experiments/ as text in the binary; written by
 * tools/embed_experiments.py. */
#ifndef WEIR_REPRODUCE_EMBEDDED_H
#define WEIR_REPRODUCE_EMBEDDED_H

struct weir_experiment_text {
    const char *path; /* "sird/experiment.yaml"; NULL ends the table */
    const char *text;
};
extern const struct weir_experiment_text weir_experiment_texts[];
#endif
