/* src/results/report/differ.h - describes each of several scenarios by a short text of the settings in which they
 * differ. */
#ifndef WEIR_REPORT_DIFFER_H
#define WEIR_REPORT_DIFFER_H
#include "config/settings.h"

#define WEIR_DIFFER_MAX_BYTES 160 /* of the text about one scenario; longer ones end with ... */

struct weir_differing {
    struct weir_settings settings;
    const char *name, *program;       /* name of the scenario; version and commit of Weir. Not NULL */
    const char *given;                /* values of --set, one per line; NULL = none */
    char text[WEIR_DIFFER_MAX_BYTES]; /* the result */
};

/**
 * Sets the text of each scenario: "dctcp, 40%", "sird, B=1.5 BDP". Keys are tried in this order: name, protocol,
 * preset; keys that --set gave; the other keys as in the scenario; version and commit. A key is used if it
 * distinguishes scenarios that are equal in all keys used before. Only the texts of these scenarios show the key.
 * run.seed is never used. With fewer than two scenarios the text is empty.
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_differ(struct weir_differing *d, size_t count, struct weir_err *err);
#endif
