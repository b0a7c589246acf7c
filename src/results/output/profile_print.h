/* src/results/output/profile_print.h - prints the work of a run's threads. */
#ifndef WEIR_OUTPUT_PROFILE_PRINT_H
#define WEIR_OUTPUT_PROFILE_PRINT_H
#include "model/profile.h"
#include <stdio.h>

/* Prints a table of all threads, in packet-hops. wall_ns: how long the run took, 0 = not known */
void weir_profile_print(FILE *out, const struct weir_profile *profile, uint64_t wall_ns);
#endif
