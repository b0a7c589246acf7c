/* src/report/places.h - the hosts, ports and flows of a run that have series of their own, each of its points read
 * once. */
#ifndef WEIR_REPORT_PLACES_H
#define WEIR_REPORT_PLACES_H
#include "report/db.h"
#include <stddef.h>

struct weir_place {
    char *series, *name; /* "port_queue", "leaf 0 > host 2"; owned */
    int64_t id;          /* of the series */
    int64_t points, last_ps;
    double mean;
};

struct weir_places {
    struct weir_place *place; /* those with points; a series together, the greatest mean first */
    size_t count;
};

/* Reads them. @return 0, or a code with err; weir_places_free() it then, too */
int weir_places_read(struct weir_places *places, const struct weir_db *db, int64_t run, struct weir_err *err);
void weir_places_free(struct weir_places *places);

/* Returns those of one series, lent. */
struct weir_places weir_places_of(const struct weir_places *places, const char *series);
#endif
