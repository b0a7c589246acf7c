/* src/commands/cli/sweep_args.h - the command lines of `weir sweep` and `weir status` as a checked struct. */
#ifndef WEIR_CLI_SWEEP_ARGS_H
#define WEIR_CLI_SWEEP_ARGS_H
#include "cli/campaign_args.h"
#include "reproduce/plan.h"

#define WEIR_SWEEP_SPANS_MAX 256u

struct weir_sweep_args {
    struct weir_campaign_args common;
    const char *file;  /* the sweep; NULL only if common.help is set */
    const char **more; /* status: more_count result files besides; owned array of lent names */
    uint32_t more_count, only_count;
    struct weir_span only[WEIR_SWEEP_SPANS_MAX]; /* points, by their numbers; none = all */
    bool list;
};

/* Reads argv[1 ..], which is lent for as long as args is used. Returns 0, or a code with err; args then needs no
 * free. */
int weir_sweep_args_parse(struct weir_sweep_args *args, int argc, char **argv, struct weir_err *err);
int weir_status_args_parse(struct weir_sweep_args *args, int argc, char **argv, struct weir_err *err);
void weir_sweep_args_free(struct weir_sweep_args *args);

/**
 * Reads "3,7-9" and adds to spans, of which there are *count and room for WEIR_SWEEP_SPANS_MAX.
 * @return 0, or WEIR_E_SYNTAX or WEIR_E_RANGE with err; whether there are such points is not known here
 */
int weir_spans_parse(const char *text, struct weir_span *spans, uint32_t *count, struct weir_err *err);
#endif
