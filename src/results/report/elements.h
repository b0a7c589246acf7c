/* src/results/report/elements.h - reads the elements of the network (hosts, ports and flows) that have series of their
 * own: the rows of table `series` with a `place`. */
#ifndef WEIR_REPORT_ELEMENTS_H
#define WEIR_REPORT_ELEMENTS_H
#include "report/db.h"
#include <stddef.h>

struct weir_element {        /* one series of one element */
    char *series, *name;     /* such as "port_queue" and "leaf 0 > host 2"; owned */
    int64_t id;              /* of the series */
    int64_t points, last_ps; /* number of points; time of the last one */
    double mean;             /* of all points */
};

struct weir_elements {
    struct weir_element *element; /* sorted by series, then by mean, greatest first; each has points */
    size_t count;
};

/* Reads all elements of a run that have points. Returns 0, or a code with err. The caller frees elements by
 * weir_elements_free() in either case. */
int weir_elements_read(struct weir_elements *elements, const struct weir_db *db, int64_t run, struct weir_err *err);
void weir_elements_free(struct weir_elements *elements);

/* Returns the elements that have a series of this name, the one with the greatest mean first. The result is lent by
 * `elements` and must not be freed. */
struct weir_elements weir_elements_of(const struct weir_elements *elements, const char *series);
#endif
