/* src/solver/solve/offered.h - what the traffic of a scenario asks of each link, before anything is simulated. A link
 * that is offered more than its rate has a queue that grows for as long as the run lasts, whatever the protocol.
 *
 * Counted are bytes of DATA on the wire, spread evenly over equal paths, as the mean over [0, end of the run). Poisson
 * items count by their rates, lists by their messages. A link that is named is overloaded with certainty, for these are
 * left out: acknowledgements, cables that fail, and flows of jobs (they wait for each other). So is a message that
 * takes longer than the run even alone: an endless flow asks for no rate. A link is named only if it is overloaded in
 * each quarter of the run. An incast, or a list that ends, is a burst, which a longer run drains. */
#ifndef WEIR_SOLVE_OFFERED_H
#define WEIR_SOLVE_OFFERED_H
#include "setup/setup.h"

#define WEIR_OFFERED_CLASSES_MAX 8u
#define WEIR_OFFERED_WORK_MAX 50000000u /* links between switches x first-hop switches: about 0.3 s */

struct weir_offered_class {      /* overloaded links from one tier to another */
    uint32_t from_tier, to_tier; /* as in struct weir_node */
    uint32_t links, nodes; /* how many; the nodes they leave, but those they lead to where the other end is a host */
    uint32_t worst;        /* the link with most */
    uint32_t last;         /* while they are counted: the node that the latest left */
    uint64_t worst_ppm;    /* what it is offered, of its rate; millionths, above 1000000 */
};

struct weir_offered {
    struct weir_offered_class row[WEIR_OFFERED_CLASSES_MAX]; /* worst first; more are left out */
    uint32_t count;
    /* The load of hosts' links at which the worst link is just full; 0 = none is overloaded, or there is a list. */
    uint64_t fits_ppm;
    bool hosts_only; /* only cables of hosts were examined: the network is too large */
};

struct weir_offered_links {
    double *bps;     /* per link, on the wire; owned; NULL = no rate is offered: measure: all */
    bool hosts_only; /* links between switches were left out, as 0 */
    bool listed;     /* a list asks for something */
};

/* Computes what each link is offered. @return 0, or WEIR_E_MEMORY or an error of routes with err; then nothing needs
 * freeing */
int weir_offered_links(struct weir_offered_links *out, const struct weir_setup *setup, struct weir_err *err);
void weir_offered_links_free(struct weir_offered_links *links);

/**
 * Finds the overloaded links. A run until the last message (measure: all) offers no rate: none.
 * @return 0, or WEIR_E_MEMORY or an error of routes with err; then out is zeros
 */
int weir_offered_find(struct weir_offered *out, const struct weir_setup *setup, struct weir_err *err);
#endif
