/* src/results/report/bundle.h - the pages that `./dev web` builds: finds one, and puts data in its place. */
#ifndef WEIR_REPORT_BUNDLE_H
#define WEIR_REPORT_BUNDLE_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define WEIR_BUNDLE_PATH 4096 /* bytes of the name of a file that was found */

struct weir_bundle { /* a page that was read */
    char *text;      /* owned */
    size_t length;
    size_t data_at; /* where the data begins, which is "null" there */
};

/**
 * Finds a file that `./dev web` builds: in a build tree in its folder `web`, else where it is installed.
 * @param folder  where it is installed
 * @param path    gets its name
 * @return false = there is none that can be read
 */
bool weir_bundle_find(const char *name, const char *folder, char path[WEIR_BUNDLE_PATH]);

struct weir_bundle_kind {
    const char *name; /* of the file */
    const char *what; /* a build without the file has no .. */
};
extern const struct weir_bundle_kind weir_bundle_playground; /* a page with the simulator in it */
extern const struct weir_bundle_kind weir_bundle_watch;      /* shows a run of `weir run --live` */
extern const struct weir_bundle_kind weir_bundle_report;     /* what makes a static report interactive */

/**
 * Reads the page: in a build tree from its folder `web`, else where it is installed.
 * @param folder  where pages are installed
 * @return 0, then weir_bundle_free() frees it; or with err WEIR_E_FILE if this build has no page, or the page cannot be
 *         read, or WEIR_E_MEMORY
 */
int weir_bundle_read(struct weir_bundle *bundle, const struct weir_bundle_kind *kind, const char *folder,
                     struct weir_err *err);
void weir_bundle_free(struct weir_bundle *bundle);

/* Writes the page with this data, a JSON text, in it. No letter of it ends the element that it stands in. */
void weir_bundle_write(FILE *out, const struct weir_bundle *bundle, const char *json);
#endif
