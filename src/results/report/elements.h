/* src/results/report/elements.h - the elements of the network (hosts, ports and flows) that have series of their own:
 * column `place` of table `series`. Each point is read once. */
#ifndef WEIR_REPORT_ELEMENTS_H
#define WEIR_REPORT_ELEMENTS_H
#include "report/db.h"
#include <stddef.h>

struct weir_element {    /* one series of it */
    char *series, *name; /* "port_queue", "leaf 0 > host 2"; owned */
    int64_t id;          /* of the series */
    int64_t points, last_ps;
    double mean;
};

struct weir_elements {
    struct weir_element *element; /* those with points; a series together, the greatest mean first */
    size_t count;
};

/* Reads all elements of a run that have points. @return 0, or a code with err; weir_elements_free() it then, too */
int weir_elements_read(struct weir_elements *elements, const struct weir_db *db, int64_t run, struct weir_err *err);
void weir_elements_free(struct weir_elements *elements);

/* Returns those of one series, lent. */
struct weir_elements weir_elements_of(const struct weir_elements *elements, const char *series);
#endif
