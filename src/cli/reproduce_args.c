/* src/cli/reproduce_args.c - options of `weir reproduce`, one row each; spelled as those of `weir run`. */
#include "cli/reproduce_args.h"
#include "cli/sweep.h"
#include "config/number.h"
#include "config/suggest.h"
#include <stdio.h>
#include <string.h>

enum { HINT = 512 };

struct option_row {
    const char *name;
    const char *value; /* what it takes, for messages; NULL = nothing */
    int (*apply)(struct weir_reproduce_args *args, const char *value, struct weir_err *err);
};

static int apply_scale(struct weir_reproduce_args *args, const char *value, struct weir_err *err)
{
    struct weir_number n;
    if (weir_number_read(&n, value) != WEIR_NUMBER_OK || n.unit[0] != '\0' ||
        weir_number_scale(&n, 1000000, &args->scale_ppm) != WEIR_NUMBER_OK || args->scale_ppm < WEIR_SCALE_MIN_PPM ||
        args->scale_ppm > WEIR_SCALE_MAX_PPM)
        return weir_fail(err, WEIR_E_RANGE, NULL, "1 is the published length; peaks of shorter runs do not compare",
                         "--scale %.80s: must be a number, 0.001 to 10", value);
    return 0;
}

static int apply_jobs(struct weir_reproduce_args *args, const char *value, struct weir_err *err)
{
    struct weir_number n;
    uint64_t jobs;
    if (weir_number_read(&n, value) != WEIR_NUMBER_OK || n.unit[0] != '\0' ||
        weir_number_scale(&n, 1, &jobs) != WEIR_NUMBER_OK || jobs < 1 || jobs > WEIR_JOBS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "how many runs go on at a time; results do not depend on it",
                         "--jobs %.80s: must be a whole number, 1 to %u", value, WEIR_JOBS_MAX);
    args->jobs = (uint32_t)jobs;
    return 0;
}

static int apply_protocol(struct weir_reproduce_args *args, const char *value, struct weir_err *err)
{
    if (args->protocol_count == WEIR_REPRODUCE_NAMES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "--protocol: more than %u", WEIR_REPRODUCE_NAMES_MAX);
    args->protocol[args->protocol_count++] = value;
    return 0;
}

static int apply_out(struct weir_reproduce_args *args, const char *value, struct weir_err *err)
{
    if (value[0] == '\0')
        return weir_fail(err, WEIR_E_SYNTAX, NULL, NULL, "-o: the name of a file is missing");
    args->out = value;
    return 0;
}

static int apply_report(struct weir_reproduce_args *args, const char *value, struct weir_err *err)
{
    if (value[0] == '\0')
        return weir_fail(err, WEIR_E_SYNTAX, NULL, NULL, "--report: the name of a file is missing");
    args->report = value;
    return 0;
}

static int apply_check(struct weir_reproduce_args *args, const char *value, struct weir_err *err)
{
    (void)value, (void)err;
    args->check = true;
    return 0;
}

static int apply_json(struct weir_reproduce_args *args, const char *value, struct weir_err *err)
{
    (void)value, (void)err;
    args->json = true;
    return 0;
}

static int apply_fresh(struct weir_reproduce_args *args, const char *value, struct weir_err *err)
{
    (void)value, (void)err;
    args->fresh = true;
    return 0;
}

static int apply_help(struct weir_reproduce_args *args, const char *value, struct weir_err *err)
{
    (void)value, (void)err;
    args->help = true;
    return 0;
}

static const struct option_row options[] = {
    { "--scale", "a number", apply_scale },
    { "--jobs", "a number", apply_jobs },
    { "--protocol", "a protocol", apply_protocol },
    { "--check", NULL, apply_check },
    { "--json", NULL, apply_json },
    { "-o", "the name of a file", apply_out },
    { "--report", "the name of a file", apply_report },
    { "--fresh", NULL, apply_fresh },
    { "--help", NULL, apply_help },
    { "-h", NULL, apply_help },
};
#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

static int unknown_option(const char *word, size_t length, struct weir_err *err)
{
    char name[WEIR_SUGGEST_WORD_MAX + 1], hint[HINT];
    struct weir_suggest near;
    (void)snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name)), word);
    weir_suggest_init(&near, name);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (options[i].name[1] == '-')
            weir_suggest_add(&near, options[i].name);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "%s: no such option of weir reproduce", name);
}

/* Takes the option at argv[*at] and, where it has one, its value; *at moves past what was taken. */
static int take_option(struct weir_reproduce_args *args, int argc, char **argv, int *at, struct weir_err *err)
{
    const char *word = argv[(*at)++], *value = NULL;
    size_t length = strcspn(word, "=");
    const struct option_row *row = options;
    while (row < options + OPTION_COUNT && (strlen(row->name) != length || strncmp(row->name, word, length) != 0))
        row++;
    if (row == options + OPTION_COUNT)
        return unknown_option(word, length, err);
    if (word[length] == '=')
        value = word + length + 1;
    if (row->value == NULL && value != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, NULL, "%s takes no value", row->name);
    if (row->value != NULL && value == NULL) {
        if (*at == argc)
            return weir_fail(err, WEIR_E_SYNTAX, NULL, NULL, "%s: %s is missing", row->name, row->value);
        value = argv[(*at)++];
    }
    return row->apply(args, value, err);
}

static int take_word(struct weir_reproduce_args *args, const char *word, struct weir_err *err)
{
    if (args->paper == NULL) {
        args->paper = word;
        return 0;
    }
    if (args->figure_count == WEIR_REPRODUCE_NAMES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "more than %u figures", WEIR_REPRODUCE_NAMES_MAX);
    args->figure[args->figure_count++] = word;
    return 0;
}

int weir_reproduce_args_parse(struct weir_reproduce_args *args, int argc, char **argv, struct weir_err *err)
{
    int code = 0;
    *args = (struct weir_reproduce_args){ .scale_ppm = 200000 };
    for (int at = 1; at < argc && code == 0;) {
        if (argv[at][0] == '-' && argv[at][1] != '\0')
            code = take_option(args, argc, argv, &at, err);
        else
            code = take_word(args, argv[at++], err);
    }
    if (code == 0 && args->paper == NULL && !args->help)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example weir reproduce sird; weir reproduce --help says more",
                         "reproduce: which paper?");
    return code;
}
