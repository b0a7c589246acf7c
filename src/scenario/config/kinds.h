/* src/scenario/config/kinds.h - finds keys that have no effect in a network, or in a traffic item, of its kind. */
#ifndef WEIR_CONFIG_KINDS_H
#define WEIR_CONFIG_KINDS_H
#include "config/load.h"

/**
 * Checks the section `topology` for keys that its kind does not use. Refuses such a key from --set, because the user
 * would believe that the run obeys it. Such keys in the file are allowed, as a file may have keys of several kinds for
 * --set topology.kind=..; one warning of the scenario names them all. l->scn->topology has been filled before.
 * @param section  tree of the section; NULL or empty = it has no keys
 * @return 0, or WEIR_E_CONFLICT with l->err
 */
int weir_kinds_check_topology(struct weir_load *l, const struct weir_tree *section);

/**
 * Checks entry number index of the list `traffic` in the same way. l->scn->traffic[index] has been filled before.
 * @param item  tree of the entry; NULL or empty = it has no keys
 * @return 0, or WEIR_E_CONFLICT with l->err
 */
int weir_kinds_check_traffic(struct weir_load *l, const struct weir_tree *item, uint32_t index);
#endif
