/* src/config/names.h - what a scenario can name, as help.c and list.c go through it. */
#ifndef WEIR_CONFIG_NAMES_H
#define WEIR_CONFIG_NAMES_H
#include "core/param.h"
#include <stdbool.h>

struct weir_section { /* a section with fixed keys; those of `protocol` are in the registry */
    const char *path; /* "fabric.ecn"; NULL ends the list */
    const char *text; /* what it is for */
    const struct weir_param *rows;
};
extern const struct weir_section weir_section_list[];

/**
 * Does a key matter to one kind of topology or traffic? Its hint says so where it does not matter to all:
 * "fat-tree: .." or "poisson, incast: ..".
 */
bool weir_section_uses(const struct weir_param *row, const char *const *kinds, const char *kind);
#endif
