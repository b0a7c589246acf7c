/* src/simulator/setup/hosts.h - hosts whose links have unlike rates. */
#ifndef WEIR_SETUP_HOSTS_H
#define WEIR_SETUP_HOSTS_H
#include "setup/setup.h"

/* Applies the list `hosts` to the topology, which must be built. @return 0, or WEIR_E_UNKNOWN with err: no host is at a
 * place */
int weir_setup_hosts(struct weir_setup *s, struct weir_err *err);

/* Sets model.host.links and s->host_bps if the links of hosts have several rates. The topology must be built. @return 0,
 * or WEIR_E_MEMORY with err */
int weir_setup_links(struct weir_setup *s, struct weir_err *err);

/* Refuses a protocol whose hosts act in common rounds, if hosts have several rates. Then refuses protocol keys that do
 * not fit the slowest of them: setup_check_protocol() is for the fastest. @return 0, or a code with err */
int weir_setup_check_links(const struct weir_setup *s, struct weir_err *err);

/* Frees s->links, s->host_bps and s->switches. */
void weir_setup_free_links(struct weir_setup *s);
#endif
