/* src/scenario/config/recommended.h - the framing, host and switch settings in which a law should be compared: those
 * that its row recommends, then those of its preset. Each is a line "key: value" with the whole path,
 * "fabric.ecn.threshold: 1 BDP". */
#ifndef WEIR_CONFIG_RECOMMENDED_H
#define WEIR_CONFIG_RECOMMENDED_H
#include "registry.h"

/* Returns line number i, from 0, in the order in which the lines are to be set. Each line sets another key. preset: the
 * protocol's preset in use; NULL = none. @return NULL = there are no more */
const char *weir_recommended_line(const struct weir_protocol *protocol, const struct weir_preset *preset, uint32_t i);

/* Returns the name of the preset that the protocol's row recommends; NULL = the first preset of its table. */
const char *weir_recommended_preset(const struct weir_protocol *protocol);
#endif
