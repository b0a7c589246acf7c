/* src/commands/cli/completion_names.h - the names that shells complete, from the tables that read scenarios: sorted,
 * each once.
 */
#ifndef WEIR_CLI_COMPLETION_NAMES_H
#define WEIR_CLI_COMPLETION_NAMES_H
#include <stddef.h>

enum weir_names {
    WEIR_NAMES_LISTS,     /* behind `weir list` */
    WEIR_NAMES_ALL,       /* behind `weir help`: commands, all of weir_help_names(), and numbers of runs */
    WEIR_NAMES_SCHEMAS,   /* behind `weir schema` */
    WEIR_NAMES_PAPERS,    /* behind `weir reproduce` */
    WEIR_NAMES_MODELS,    /* behind `weir model` */
    WEIR_NAMES_PROTOCOLS, /* behind --protocols */
    WEIR_NAMES_KEYS,      /* behind --set: "fabric.ecn.kmin" */
    WEIR_NAMES_VALUES,    /* of keys that have few: "topology.kind=star" */
};

struct weir_name_list {
    char **name; /* owned */
    size_t count;
};

/* Collects the names; weir_names_free() frees them. @return 0, or WEIR_E_MEMORY; then nothing is left to free */
int weir_names_collect(struct weir_name_list *list, enum weir_names what);
void weir_names_free(struct weir_name_list *list);
#endif
