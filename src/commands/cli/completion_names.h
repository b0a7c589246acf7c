/* src/commands/cli/completion_names.h - collects the names that shells complete, from the tables that read scenarios;
 * sorted, without duplicates. */
#ifndef WEIR_CLI_COMPLETION_NAMES_H
#define WEIR_CLI_COMPLETION_NAMES_H
#include <stddef.h>

/* Kinds of names, by the place where a shell completes them. */
enum weir_names {
    WEIR_NAMES_LISTS,     /* after `weir list` */
    WEIR_NAMES_ALL,       /* after `weir help`: commands, all of weir_help_names(), and metrics */
    WEIR_NAMES_SCHEMAS,   /* after `weir schema` */
    WEIR_NAMES_PAPERS,    /* after `weir reproduce` */
    WEIR_NAMES_MODELS,    /* after `weir model` */
    WEIR_NAMES_PROTOCOLS, /* after --protocols */
    WEIR_NAMES_KEYS,      /* after --set: "fabric.ecn.kmin" */
    WEIR_NAMES_VALUES,    /* settings of keys with few values: "topology.kind=star" */
};

struct weir_name_list {
    char **name; /* owned */
    size_t count;
};

/* Collects the names of one kind; weir_names_free() frees them. @return 0, or WEIR_E_MEMORY; then there is nothing to
 * free */
int weir_names_collect(struct weir_name_list *list, enum weir_names what);
void weir_names_free(struct weir_name_list *list);
#endif
