/* src/solver/solve/offered.h - the load that the traffic of a scenario offers to each link, before anything is
 * simulated. If a link is offered more than its rate, its queue grows for as long as the run lasts, whatever the
 * protocol. The load is the mean rate of DATA on the wire over [0, end of the run), spread evenly over equal paths. A
 * host with several NICs sends to another by those that host.nics chooses, with rail by all, in equal parts. Of
 * poisson items it follows from their rates, of lists from the sizes of their messages. Acknowledgements, failing
 * cables and flows of jobs, which wait for each other, are left out. Messages that need more than the run even on an
 * idle network are endless. Such a flow offers the least rate of its law, if that has one, and else no rate. As loads
 * are left out and none is added, a reported link is certainly overloaded. A link is reported only if it is overloaded
 * in each quarter of the run: an incast, or a list that ends, is a burst, which a longer run drains. */
#ifndef WEIR_SOLVE_OFFERED_H
#define WEIR_SOLVE_OFFERED_H
#include "setup/setup.h"

#define WEIR_OFFERED_CLASSES_MAX 8u
#define WEIR_OFFERED_WORK_MAX                                                                                          \
    50000000u /* most links x first-hop switches, or hosts of several NICs, that are examined: about 0.3 s */

struct weir_offered_class {      /* overloaded links from one tier to another */
    uint32_t from_tier, to_tier; /* tiers as in struct weir_node */
    uint32_t links, nodes;       /* links: number of links; nodes: number of nodes from which the links leave, or of
                                    hosts to which they lead if to_tier is 0 */
    uint32_t worst;              /* the link with the largest load relative to its rate */
    uint32_t last;               /* while links are counted: the node that the last link left */
    uint64_t worst_ppm;          /* load of that link, in millionths of its rate; above 1000000 */
};

struct weir_offered {                                        /* all overloaded links, as count classes */
    struct weir_offered_class row[WEIR_OFFERED_CLASSES_MAX]; /* worst first; further classes are left out */
    uint32_t count;
    /* Load of the hosts' links, in millionths of their rate, at which the worst link would be just full. 0 = no link is
     * overloaded, or a list of messages offers load. */
    uint64_t fits_ppm;
    /* only cables of hosts were examined, because the network is too large; of several NICs the sum */
    bool hosts_only;
};

struct weir_offered_links { /* the offered load of each link */
    double *bps;            /* bit/s on the wire, per link; owned; NULL = the run is `measure: all`, and offers no
                               rate */
    bool hosts_only;        /* links between switches were not examined, and are 0 */
    bool listed;            /* a list of messages (incast, permutation, flows) offers load */
};

/* Computes the offered load of each link. @return 0, then weir_offered_links_free() frees *out; or WEIR_E_MEMORY or an
 * error of the routes with err, then nothing needs freeing */
int weir_offered_links(struct weir_offered_links *out, const struct weir_setup *setup, struct weir_err *err);
void weir_offered_links_free(struct weir_offered_links *links);

/**
 * Finds the overloaded links. With `measure: all`, which runs until the last message ends, there is no offered rate,
 * and *out has no links.
 * @return 0, or WEIR_E_MEMORY or an error of the routes with err; then *out has no links
 */
int weir_offered_find(struct weir_offered *out, const struct weir_setup *setup, struct weir_err *err);
#endif
