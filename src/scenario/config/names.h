/* src/scenario/config/names.h - lists everything that a scenario can name: sections and keys. help.c and list.c print
 * from these lists. */
#ifndef WEIR_CONFIG_NAMES_H
#define WEIR_CONFIG_NAMES_H
#include "registry.h"
#include <stdbool.h>

/* A section and its keys. The section `protocol` has none: the keys of protocols are in the registry. */
struct weir_section {
    char path[48];                 /* "fabric.ecn" */
    const char *text;              /* purpose of the section; NULL = no text */
    const struct weir_param *rows; /* its first table of keys */
    bool takes_features;           /* it has the keys of features without a section, too: weir_section_table() */
    bool is_list;                  /* rows are the keys of one item; `--set` takes only the list as a whole */
    bool is_number;                /* with is_list: the key may also have a number, and has a row for it */
};

/* Gets section number i, from 0; sections and lists of switch features are included. @return false = there are no
 * more */
bool weir_section_get(uint32_t i, struct weir_section *out);

/* Returns table number i, from 0, of a section's keys; NULL = there are no more. */
const struct weir_param *weir_section_table(const struct weir_section *section, uint32_t i);

/* Calls each(ctx, path, row) for every key that `--set` takes. path is the whole path: "fabric.ecn.kmin",
 * "traffic[0].load". A key of several protocols comes once for each of them. Path and row are valid during the call
 * only. row is NULL if the key has no row, as protocol.name. */
void weir_each_key(void (*each)(void *ctx, const char *path, const struct weir_param *row), void *ctx);

/* Returns the prefix that makes the whole path of a line "key: value" of a feature's example: "" if the line begins
 * with the name of a section, else "fabric.". */
const char *weir_feature_key_prefix(const char *line);

/* Prints the scenario keys of a feature into out, cut to size: its section ("fabric.ecn") and its list
 * ("fabric.events"); without a section also each of its keys ("fabric.buffer, fabric.alpha"). */
void weir_feature_keys(const struct weir_feature *row, char *out, size_t size);

/* Tests whether a key has an effect in one kind of topology or traffic. kind: value of the enum of kinds, below 32 */
bool weir_section_uses(const struct weir_param *row, uint32_t kind);
#endif
