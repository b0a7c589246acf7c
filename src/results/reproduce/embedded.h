/* src/results/reproduce/embedded.h - the files of experiments/, and tools/testbed, as texts in the binary.
 * tools/embed_experiments.py writes the table. */
#ifndef WEIR_REPRODUCE_EMBEDDED_H
#define WEIR_REPRODUCE_EMBEDDED_H

struct weir_experiment_text {
    const char *path; /* "sird/experiment.yaml"; NULL ends the table */
    const char *text;
};
extern const struct weir_experiment_text weir_experiment_texts[];
#endif
