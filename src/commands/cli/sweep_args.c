/* src/commands/cli/sweep_args.c - reads the options of `weir sweep` and `weir status`: one row each. */
#include "cli/sweep_args.h"
#include "cli/setting.h"
#include <stdlib.h>
#include <string.h>

/* Parses a number >= 1 of at most nine digits. @return the text after it; NULL = there is no such number */
static const char *take_number(const char *text, uint32_t *number)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 9)
        return NULL;
    *number = (uint32_t)strtoul(text, NULL, 10);
    return *number > 0 ? text + digits : NULL;
}

static int fail_span(const char *text, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_SYNTAX, NULL, "points are numbered from 1, as --list shows them: --point 3,7-9",
                     "--point %.80s: must be numbers of points", text);
}

int weir_spans_parse(const char *text, struct weir_span *spans, uint32_t *count, struct weir_err *err)
{
    const char *at = text;
    for (bool more = true; more; at++) {
        struct weir_span span = { 0 };
        at = take_number(at, &span.first);
        span.last = span.first;
        if (at != NULL && *at == '-')
            at = take_number(at + 1, &span.last);
        if (at == NULL || (*at != '\0' && *at != ',') || span.last < span.first)
            return fail_span(text, err);
        if (*count == WEIR_SWEEP_SPANS_MAX)
            return weir_fail(err, WEIR_E_RANGE, NULL, "spans save room: 7-9", "--point: more than %u numbers or spans",
                             WEIR_SWEEP_SPANS_MAX);
        spans[(*count)++] = span;
        more = *at == ',';
    }
    return 0;
}

static int apply_point(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_sweep_args *args = ctx;
    return weir_spans_parse(value, args->only, &args->only_count, err);
}

static int apply_set(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_sweep_args *args = ctx;
    int code = weir_setting_check(value, "for example --set 'run.measure=100 ms'", err);
    if (code != 0)
        return code;
    if (args->set_count == WEIR_SWEEP_SETTINGS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "write them into FILE, under set", "--set: more than %u",
                         WEIR_SWEEP_SETTINGS_MAX);
    args->set[args->set_count++] = value;
    return 0;
}

#define FIELD(field) (uint32_t) offsetof(struct weir_sweep_args, field)
_Static_assert(offsetof(struct weir_sweep_args, common) == 0, "rows of campaign_args.c");

static const struct weir_option sweep_options[] = {
    { .name = "--list", .offset = FIELD(list) },
    { .name = "--point", .value = "numbers of points", .apply = apply_point },
    { .name = "--jobs", .value = "a number", .apply = weir_campaign_apply_jobs },
    { .name = "--report", .value = "the name of a file", .offset = FIELD(common.report) },
    { .name = "--fresh", .offset = FIELD(common.fresh) },
    { 0 },
};

static const struct weir_option common_options[] = {
    { .name = "--set", .value = "key=value", .apply = apply_set },
    { .name = "-o", .value = "the name of a file", .offset = FIELD(common.out) },
    { .name = "--json", .offset = FIELD(common.json) },
    { .name = "--help", .offset = FIELD(common.help), .last = true },
    { .name = "-h", .offset = FIELD(common.help), .last = true },
    { 0 },
};

static int take_file(void *ctx, const char *argument, struct weir_err *err)
{
    struct weir_sweep_args *args = ctx;
    if (args->file != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir sweep takes one file; weir sweep --help shows the options",
                         "%s: %s is the sweep already", argument, args->file);
    args->file = argument;
    return 0;
}

static int take_more(void *ctx, const char *argument, struct weir_err *err)
{
    struct weir_sweep_args *args = ctx;
    (void)err;
    if (args->file == NULL)
        args->file = argument;
    else
        args->more[args->more_count++] = argument;
    return 0;
}

int weir_sweep_args_parse(struct weir_sweep_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = {
        .command = "sweep",
        .option = { sweep_options, common_options },
        .param = { weir_campaign_keep, weir_campaign_quantities },
        .argument = take_file,
    };
    int code;
    *args = (struct weir_sweep_args){ 0 };
    code = weir_options_parse(&accepted, argc, argv, args, err);
    if (code != 0 || args->common.help)
        return code;
    if (args->file == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir sweep FILE.yaml; weir sweep --help says what is in it",
                         "sweep: which file?");
    if (args->only_count > 0 && args->common.out == NULL && !args->list)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "for example -o shard-3.db; weir merge puts shards together",
                         "--point: -o must say which file the run goes into");
    return 0;
}

int weir_status_args_parse(struct weir_sweep_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = { .command = "status",
                                                  .option = { common_options },
                                                  .argument = take_more };
    int code;
    *args = (struct weir_sweep_args){ .more = calloc((size_t)argc, sizeof(const char *)) };
    if (args->more == NULL)
        return weir_fail_memory(err);
    code = weir_options_parse(&accepted, argc, argv, args, err);
    if (code == 0 && args->file == NULL && !args->common.help)
        code = weir_fail(err, WEIR_E_SYNTAX, NULL, "weir status FILE.yaml [-o OUT.db] [SHARD.db..]",
                         "status: which sweep?");
    if (code != 0)
        weir_sweep_args_free(args);
    return code;
}

void weir_sweep_args_free(struct weir_sweep_args *args)
{
    free(args->more);
    *args = (struct weir_sweep_args){ 0 };
}
