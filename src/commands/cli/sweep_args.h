/* src/commands/cli/sweep_args.h - reads the command lines of `weir sweep` and `weir status` into a checked struct. */
#ifndef WEIR_CLI_SWEEP_ARGS_H
#define WEIR_CLI_SWEEP_ARGS_H
#include "cli/campaign_args.h"
#include "reproduce/plan.h"

#define WEIR_SWEEP_SPANS_MAX 256u
#define WEIR_SWEEP_SETTINGS_MAX 64u

struct weir_sweep_args {
    struct weir_campaign_args common;
    const char *file;  /* the file of the sweep; NULL only if common.help is set */
    const char **more; /* of `weir status`: more_count shards; owned array of lent names */
    uint32_t more_count, only_count;
    struct weir_span only[WEIR_SWEEP_SPANS_MAX]; /* only_count spans of numbers of points; none = all points */
    const char *set[WEIR_SWEEP_SETTINGS_MAX];    /* set_count settings "key=value" of all points */
    uint32_t set_count;
    bool list;
};

/* Reads the command line of `weir sweep`: argv[1] to argv[argc - 1], which must stay valid as long as args is used.
 * @return 0, or a code with err */
int weir_sweep_args_parse(struct weir_sweep_args *args, int argc, char **argv, struct weir_err *err);
/* Reads the command line of `weir status` in the same way. @return 0, and weir_sweep_args_free() must follow; or a code
 * with err, and args needs no free */
int weir_status_args_parse(struct weir_sweep_args *args, int argc, char **argv, struct weir_err *err);
/* Frees what either function allocated, and sets *args to zeros. */
void weir_sweep_args_free(struct weir_sweep_args *args);

/**
 * Parses a list like "3,7-9" and appends its spans to spans, which has *count spans and room for WEIR_SWEEP_SPANS_MAX.
 * Does not check that there are points with these numbers.
 * @return 0, or WEIR_E_SYNTAX or WEIR_E_RANGE with err
 */
int weir_spans_parse(const char *text, struct weir_span *spans, uint32_t *count, struct weir_err *err);
#endif
