/* src/scenario/config/recommended.h - the network a law is to be compared in: what its row recommends, and what its
 * preset says of other sections than its own. Lines "key: value" with whole paths, "fabric.ecn.threshold: 1 BDP". */
#ifndef WEIR_CONFIG_RECOMMENDED_H
#define WEIR_CONFIG_RECOMMENDED_H
#include "registry.h"

/* Returns the i-th line, in the order in which lines are to be set; each has a key of its own. preset: of the protocol;
 * NULL = it has none. @return NULL = there are no more */
const char *weir_recommended_line(const struct weir_protocol *protocol, const struct weir_preset *preset, uint32_t i);

/* Returns the preset that the row recommends; NULL = the first of its table. */
const char *weir_recommended_preset(const struct weir_protocol *protocol);
#endif
