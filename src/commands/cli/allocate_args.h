/* src/commands/cli/allocate_args.h - reads the command line of `weir allocate` into a checked struct. */
#ifndef WEIR_CLI_ALLOCATE_ARGS_H
#define WEIR_CLI_ALLOCATE_ARGS_H
#include "solve/allocate.h"

struct weir_allocate_args {
    struct weir_allocate_options options; /* options.file is the scenario; NULL only if help is set */
    const char *csv;                      /* name of the file for all flows; NULL = none */
    const char *changes;                  /* name of a file of changes; NULL = none */
    double within;                        /* --within; without changes the default */
    struct weir_override *set;            /* set_count overrides, in the order given; owned */
    uint32_t set_count;
    char seed[48]; /* --seed as an override, "run.seed=N" */
    bool soze;     /* print constants of Soze instead of rates */
    bool json, timing, help;
};

/**
 * Reads argv[1] to argv[argc - 1].
 * @param argv  must stay valid as long as args is used
 * @return 0, and weir_allocate_args_free() must follow; or a code with err, and args needs no free
 */
int weir_allocate_args_parse(struct weir_allocate_args *args, int argc, char **argv, struct weir_err *err);
void weir_allocate_args_free(struct weir_allocate_args *args);
#endif
