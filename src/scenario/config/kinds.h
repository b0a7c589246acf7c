/* src/scenario/config/kinds.h - keys that a network or a traffic item of its kind does not have. */
#ifndef WEIR_CONFIG_KINDS_H
#define WEIR_CONFIG_KINDS_H
#include "config/load.h"

/**
 * Refuses such a key on the command line, where it would make the run be taken for another one. Of those in the file,
 * which may have keys of several kinds for --set topology.kind=.., a warning of the scenario names all. The section's
 * struct has been filled from it.
 * @param section, item  its tree; NULL or empty = it has no keys
 * @return 0, or WEIR_E_CONFLICT with err
 */
int weir_kinds_check_topology(struct weir_load *l, const struct weir_tree *section);
int weir_kinds_check_traffic(struct weir_load *l, const struct weir_tree *item, uint32_t index);
#endif
