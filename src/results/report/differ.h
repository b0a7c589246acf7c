/* src/results/report/differ.h - the differences among several scenarios, as the shortest texts that distinguish them.
 * */
#ifndef WEIR_REPORT_DIFFER_H
#define WEIR_REPORT_DIFFER_H
#include "config/settings.h"

#define WEIR_DIFFER_MAX_BYTES 160 /* of the text about one scenario; longer ones end with ... */

struct weir_differing {
    struct weir_settings settings;
    const char *name, *program; /* of the scenario; version and commit. Not NULL */
    const char *given;          /* the --set of the command line, one per line; NULL = none */
    char text[WEIR_DIFFER_MAX_BYTES];
};

/**
 * Fills the text of each: "dctcp, 40%", "sird, B=1.5 BDP". Keys are tried in this order: the scenario's name, protocol
 * and preset; what the command line set; the rest as it stands in the scenario; the program. A key is taken if it
 * distinguishes some that are the same in all keys taken before, and is in the texts of these alone. run.seed is no
 * key. Fewer than two have an empty text.
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_differ(struct weir_differing *d, size_t count, struct weir_err *err);
#endif
