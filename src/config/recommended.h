/* src/config/recommended.h - the network a law is to be compared in: what its row recommends, and what its preset says of other
 * sections than its own. Lines "key: value" with whole paths, "fabric.ecn.threshold: 1 BDP". */
#ifndef WEIR_CONFIG_RECOMMENDED_H
#define WEIR_CONFIG_RECOMMENDED_H
#include "registry.h"

#define WEIR_RECOMMENDED_MAX 32u

struct weir_recommended {
    const char *line[WEIR_RECOMMENDED_MAX]; /* count of them, each with a key of its own; to be set in this order */
    uint32_t count;
};

/* @param preset  of the protocol; NULL = it has none */
void weir_recommended_of(const struct weir_protocol *protocol, const struct weir_preset *preset,
                         struct weir_recommended *out);

/* The preset that the row recommends; NULL = the first of its table. */
const char *weir_recommended_preset(const struct weir_protocol *protocol);
#endif
