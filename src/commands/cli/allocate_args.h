/* src/commands/cli/allocate_args.h - the command line of `weir allocate` as a checked struct. */
#ifndef WEIR_CLI_ALLOCATE_ARGS_H
#define WEIR_CLI_ALLOCATE_ARGS_H
#include "solve/allocate.h"

struct weir_allocate_args {
    struct weir_allocate_options options; /* .file: the scenario; NULL only if help is set */
    const char *csv;                      /* where all flows go; NULL = nowhere */
    struct weir_override *set;            /* set_count, in the order given; owned */
    uint32_t set_count;
    char seed[48]; /* --seed, spelled as an override */
    bool json, timing, help;
};

/**
 * Reads argv[1 ..].
 * @param argv  lent for as long as args is used
 * @return 0, or a code with err; args then needs no free
 */
int weir_allocate_args_parse(struct weir_allocate_args *args, int argc, char **argv, struct weir_err *err);
void weir_allocate_args_free(struct weir_allocate_args *args);
#endif
