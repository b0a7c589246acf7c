/* src/base/text/options.h - the one taker of command lines. "--name value" and "--name=value" are the same, so are "-o
 * FILE" and "-oFILE"; the last one counts; behind "--" every argument is a name. A command is a table of what it knows.
 * */
#ifndef WEIR_TEXT_OPTIONS_H
#define WEIR_TEXT_OPTIONS_H
#include "core/err.h"
#include "core/param.h"
#include <stdbool.h>

#define WEIR_OPTION_TABLES 2u /* a command's own rows and those it shares with others */

/* An option calls apply() if there is one. Else, with value NULL, the bool at offset becomes true; with a value, the
 * const char * at offset points to it, and it may not be empty. */
struct weir_option {
    const char *name;  /* "--seed", "-o"; NULL ends the table */
    const char *value; /* what it takes, for messages: "a number"; NULL = nothing */
    uint32_t offset;   /* in the command's struct */
    int (*apply)(void *args, const char *value, struct weir_err *err); /* value NULL if it takes none */
    const char *hint; /* printed when its value is missing; NULL = nothing */
    bool last;        /* nothing behind it is looked at: --help */
    bool optional;    /* its value may be left out, and is only taken behind '='; with apply() */
};

struct weir_options {
    const char *command;                                  /* for messages: "run" */
    const struct weir_option *option[WEIR_OPTION_TABLES]; /* NULL = none */
    /* Options that take a value of a kind (param/param.h), their keys spelled "--every"; defaults are written at the
     * start. */
    const struct weir_param *param[WEIR_OPTION_TABLES];
    int (*argument)(void *args, const char *argument, struct weir_err *err); /* what is no option */
};

/**
 * Reads argv[1 ..] into the command's struct.
 * @param argv  lent for as long as args is used
 * @return 0, or a code with err
 */
int weir_options_parse(const struct weir_options *options, int argc, char **argv, void *args, struct weir_err *err);
#endif
