/* src/commands/cli/merge.c - `weir merge`: merges shards of a sweep into one result file, each shard in one
 * transaction. */
#include "cli/cli.h"
#include "store/store.h"
#include "text/options.h"
#include "text/stop.h"
#include "text/wait.h"
#include <stdio.h>
#include <stdlib.h>

struct merge_args {
    const char *out;    /* the result file; NULL only if help is set */
    const char **shard; /* shard_count names, at least one; owned array of lent names */
    uint32_t shard_count;
    uint64_t wait_ps;
    bool help;
};

static int take_file(void *ctx, const char *argument, struct weir_err *err)
{
    struct merge_args *args = ctx;
    (void)err;
    if (args->out == NULL)
        args->out = argument;
    else
        args->shard[args->shard_count++] = argument;
    return 0;
}

static int parse(struct merge_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_option options[] = {
        { .name = "--help", .offset = offsetof(struct merge_args, help), .last = true },
        { .name = "-h", .offset = offsetof(struct merge_args, help), .last = true },
        { .name = NULL },
    };
    static const struct weir_param quantities[] = {
        WEIR_WAIT_OPTION(struct merge_args, wait_ps),
        { 0 },
    };
    const struct weir_options accepted = {
        .command = "merge", .option = { options }, .param = { quantities }, .argument = take_file
    };
    int code = weir_options_parse(&accepted, argc, argv, args, err);
    if (code == 0 && args->shard_count == 0 && !args->help)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir merge OUT.db SHARD.db..",
                         args->out == NULL ? "merge: into which file?" : "merge: which shards?");
    return code;
}

static int merge_all(struct weir_store *store, const struct merge_args *args, const struct weir_store_caller *caller,
                     struct weir_err *err)
{
    struct weir_store_merged sum = { 0 };
    for (uint32_t i = 0; i < args->shard_count; i++) {
        struct weir_store_merged one;
        int code = weir_store_merge_shard(store, args->shard[i], caller, &one, err);
        if (code != 0) {
            if (i > 0)
                (void)fprintf(stderr, "weir: %u of %u shards were merged before this one\n", (unsigned)i,
                              (unsigned)args->shard_count);
            return code;
        }
        sum.added += one.added;
        sum.there += one.there;
        sum.failed += one.failed;
    }
    (void)printf("%s: %u run%s added, %u there already", args->out, (unsigned)sum.added, sum.added == 1 ? "" : "s",
                 (unsigned)sum.there);
    if (sum.failed > 0)
        (void)printf(", %u failed", (unsigned)sum.failed);
    (void)printf("\n");
    return 0;
}

static int merge(const struct merge_args *args)
{
    struct weir_wait until = { .most_ps = args->wait_ps };
    const struct weir_store_caller caller = WEIR_WAIT_CALLER(&until);
    struct weir_store *store;
    struct weir_err err;
    int code;
    weir_stop_install();
    weir_stop_after(WEIR_STOP_GRACE_MS);
    code = weir_store_open(&store, args->out, &caller, &err);
    if (code == 0) {
        code = merge_all(store, args, &caller, &err);
        weir_store_close(store);
    }
    if (code != 0 && *weir_stop_flag() != 0)
        return weir_cli_interrupted(*weir_stop_flag(), "the same command goes on where this one ended");
    return code == 0 ? weir_cli_finish(WEIR_EXIT_DONE) : weir_cli_refused(&err);
}

int weir_cli_merge(int argc, char **argv)
{
    struct merge_args args = { .shard = calloc((size_t)argc, sizeof(*args.shard)) };
    struct weir_err err;
    int status;
    if (args.shard == NULL) {
        (void)weir_fail_memory(&err);
        return weir_cli_refused(&err);
    }
    if (parse(&args, argc, argv, &err) != 0)
        status = weir_cli_refused(&err);
    else
        status = args.help ? weir_cli_show_usage("merge") : merge(&args);
    free(args.shard);
    return status;
}
