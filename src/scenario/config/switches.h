/* src/scenario/config/switches.h - reads the list `fabric.switches`: keys of `fabric` and of features that some
 * switches have instead of the run's. */
#ifndef WEIR_CONFIG_SWITCHES_H
#define WEIR_CONFIG_SWITCHES_H
#include "config/load.h"

/* The key of the list in `fabric`. */
#define WEIR_SWITCHES_KEY "switches"

/* Expands the short forms of features in each item of the list, and joins each list `at` to one text. fabric: may be
 * NULL. @return 0, or a code with l->err */
int weir_switches_widen(struct weir_load *l, const struct weir_tree *fabric);

/* Fills l->scn->switches from the section `fabric` of the file. The features must be read. Refuses keys that all
 * switches have in common. @return 0, or a code with l->err */
int weir_switches_read(struct weir_load *l);
#endif
