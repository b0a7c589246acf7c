/* src/base/text/options.h - the parser of command lines.
 * "--name value" and "--name=value" are the same, so are "-o FILE" and "-oFILE". If an option is repeated, the last one
 * counts. Arguments after "--" are not read as options. A command describes its options by tables. */
#ifndef WEIR_TEXT_OPTIONS_H
#define WEIR_TEXT_OPTIONS_H
#include "core/err.h"
#include "core/param.h"
#include <stdbool.h>

#define WEIR_OPTION_TABLES 2u /* tables of a command: one of its own, and one that it shares with other commands */

/* An option. If apply is set, the parser calls apply() and stores nothing itself. If apply is NULL, an option without a
 * value sets the bool at offset to true. An option with a value sets the const char * at offset to the value, which
 * must not be empty. */
struct weir_option {
    const char *name;  /* "--seed", "-o"; NULL ends the table */
    const char *value; /* the kind of the value, for messages: "a number"; NULL = the option has no value */
    uint32_t offset;   /* in the command's struct */
    int (*apply)(void *args, const char *value, struct weir_err *err); /* value: NULL = none given */
    const char *hint; /* hint for the error that the value is missing; NULL = none */
    bool last;        /* arguments after the option are not read, as after --help */
    bool optional;    /* the value may be left out; if given, it must be in the same argument ("--name=value"); only
                         with apply() */
};

struct weir_options {
    const char *command;                                  /* for messages: "run" */
    const struct weir_option *option[WEIR_OPTION_TABLES]; /* NULL = none */
    /* Options that are parameters (param/param.h), with keys such as "--every". Their defaults are written first. */
    const struct weir_param *param[WEIR_OPTION_TABLES];
    int (*argument)(void *args, const char *argument, struct weir_err *err); /* called for each argument that is not
                                                                                an option, and for "-" */
};

/**
 * Parses argv[1 ..] into the command's struct.
 * @param argv  strings that args points to afterwards: they must outlive args
 * @param args  the command's struct, to which all offsets refer
 * @return 0, or a code with err
 */
int weir_options_parse(const struct weir_options *options, int argc, char **argv, void *args, struct weir_err *err);
#endif
