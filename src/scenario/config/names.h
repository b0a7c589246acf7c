/* src/scenario/config/names.h - what a scenario can name, as help.c and list.c go through it. */
#ifndef WEIR_CONFIG_NAMES_H
#define WEIR_CONFIG_NAMES_H
#include "registry.h"
#include <stdbool.h>

struct weir_section {              /* a section with fixed keys; those of `protocol` are in the registry */
    char path[48];                 /* "fabric.ecn" */
    const char *text;              /* what it is for; NULL = nothing to add */
    const struct weir_param *rows; /* its first table */
    bool takes_features;           /* the keys of features without a section are its own, too: weir_section_table() */
    bool is_list;                  /* its keys are those of an item: `--set` takes the list as a whole */
};

/* Gets the i-th section, those of switch features included. @return false = there are no more */
bool weir_section_get(uint32_t i, struct weir_section *out);

/* Returns the i-th table of a section's keys; NULL = there are no more. */
const struct weir_param *weir_section_table(const struct weir_section *section, uint32_t i);

/**
 * Calls each for every key that `--set` takes, by the whole path: "fabric.ecn.kmin", "traffic[0].load"; keys of several
 * protocols come once for each. Path and row are lent for the call. row: NULL = the key has none, as protocol.name
 */
void weir_each_key(void (*each)(void *ctx, const char *path, const struct weir_param *row), void *ctx);

/* Returns what to put before a line "key: value" of a feature's example to have its whole path: "fabric.", or "" if it
 * names a section. */
const char *weir_feature_key_prefix(const char *line);

/* Prints the scenario keys of a feature: "fabric.ecn", or "fabric.buffer, fabric.alpha". Cut to size. */
void weir_feature_keys(const struct weir_feature *row, char *out, size_t size);

/* Tests whether a key matters to one kind of topology or traffic. kind: of the section's enum */
bool weir_section_uses(const struct weir_param *row, uint32_t kind);
#endif
