/* src/cli/completion_words.h - the names that shells complete, from the tables that read scenarios: sorted, each once. */
#ifndef WEIR_CLI_COMPLETION_WORDS_H
#define WEIR_CLI_COMPLETION_WORDS_H
#include <stddef.h>

enum weir_words {
    WEIR_WORDS_LISTS,     /* behind `weir list` */
    WEIR_WORDS_NAMES,     /* behind `weir help`: commands, all of weir_help_names(), and numbers of runs */
    WEIR_WORDS_SCHEMAS,   /* behind `weir schema` */
    WEIR_WORDS_PAPERS,    /* behind `weir reproduce` */
    WEIR_WORDS_MODELS,    /* behind `weir model` */
    WEIR_WORDS_PROTOCOLS, /* behind --protocols */
    WEIR_WORDS_KEYS,      /* behind --set: "fabric.ecn.kmin" */
    WEIR_WORDS_VALUES,    /* of keys that have few: "topology.kind=star" */
};

struct weir_word_list {
    char **word; /* owned */
    size_t count;
};

/* Collects the words; weir_words_free() frees them. @return 0, or WEIR_E_MEMORY; then nothing is left to free */
int weir_words_collect(struct weir_word_list *list, enum weir_words what);
void weir_words_free(struct weir_word_list *list);
#endif
