/* src/results/reproduce/deployment.h - the laws of runs with several, in comparisons. A deployment curve has two laws
 * in one network, at several shares of the traffic. It is a comparison whose laws are shares; its metrics are numbers
 * of both laws, and of all traffic. Any other comparison has a table for each law of its runs, besides its own. */
#ifndef WEIR_REPRODUCE_DEPLOYMENT_H
#define WEIR_REPRODUCE_DEPLOYMENT_H
#include "core/pkt.h"
#include "reproduce/comparison_print.h"
#include "reproduce/results.h"

struct weir_deployment {               /* all texts are lent */
    const char *deployed, *background; /* protocols */
    const char *by;                    /* what is drawn: "messages" or "hosts" */
    uint32_t deployed_law;             /* its number in the runs; the background is law 0 */
};

/* Sets the metrics of a deployment curve: of both laws messages, goodput and slowdowns by size group, of all traffic
 * messages, goodput and slowdowns. None is judged. */
void weir_deployment_metrics(struct weir_comparison *c, const struct weir_deployment *d);

/* Prints a table of both laws and of all traffic, a line for each share. page: as for weir_comparison_print() */
void weir_deployment_print(FILE *out, const struct weir_comparison_page *page);

struct weir_run_laws { /* laws of the runs of a comparison that is no deployment curve */
    uint32_t count;
    uint32_t first; /* index of the first of their metrics */
    char title[WEIR_LAWS_MAX][WEIR_RESULTS_LAW];
};

/* Adds to a comparison the fairness of laws, and of each law messages, goodput and slowdown. They are not judged; those
 * of laws are not in its table. laws: count and title are set; `first` is set by this call. Adds nothing if count is
 * 0. */
void weir_run_laws_add(struct weir_comparison *c, struct weir_run_laws *laws);

/* Prints a table for each law, with a line for each law that is compared. Prints nothing if count is 0. */
void weir_run_laws_print(FILE *out, const struct weir_comparison *c, const struct weir_run_laws *laws);
#endif
