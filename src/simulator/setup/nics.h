/* src/simulator/setup/nics.h - hosts with several NICs. For this room. */
#ifndef WEIR_SETUP_NICS_H
#define WEIR_SETUP_NICS_H
#include "setup/setup.h"

/* Tests whether packets of a message take several paths: by routes that spray, or by several NICs. */
bool weir_setup_sprays(const struct weir_setup *s);

/* Refuses what hosts with several NICs do not go with. The topology must be built. @return 0, or a code with err */
int weir_setup_check_nics(const struct weir_setup *s, struct weir_err *err);
/* Fills s->nics and model.nics, and sets the rates of hosts in s->topo, if hosts have several NICs. @return 0, or a code
 * with err */
int weir_setup_nics(struct weir_setup *s, struct weir_err *err);
/* Returns the rate of the fastest transport of a host. */
uint64_t weir_setup_fastest_bps(const struct weir_setup *s);

/* Makes room for the configurations of transports, and lists their rates. @return 0, or WEIR_E_MEMORY with err */
int weir_setup_transports(struct weir_setup *s, struct weir_err *err);
/* Fills the configurations of transports from model.host, which must be complete, and sets its nics. */
void weir_setup_fill_transports(struct weir_setup *s);
/* Returns the numbers of all hosts, in order; NULL = no memory. */
uint16_t *weir_setup_places(const struct weir_setup *s);
/* Frees what these functions have made. */
void weir_setup_free_nics(struct weir_setup *s);
#endif
