/* src/results/reproduce/deployment.h - a deployment curve: two laws in one network, at several shares of the traffic.
 * It is a comparison whose laws are shares; its metrics are numbers of both laws, and of all traffic. */
#ifndef WEIR_REPRODUCE_DEPLOYMENT_H
#define WEIR_REPRODUCE_DEPLOYMENT_H
#include "reproduce/comparison_print.h"

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
#endif
