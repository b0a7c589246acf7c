/* src/cli/args.c - options of `weir run`, one row each. "--name value" and "--name=value" are the same; the last one
 * said counts. */
#include "cli/args.h"
#include "config/param.h"
#include "config/suggest.h"
#include "core/units.h"
#include "sim/sim.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OVERRIDE_MAX 512 /* of one --seed or --sample, spelled as an override */
#define LABEL_MAX 200    /* it has to fit a legend */

struct option_row {
    const char *name;
    const char *value; /* what it takes, for messages; NULL = nothing */
    int (*apply)(struct weir_run_args *args, const char *value, struct weir_err *err);
};

static int args_override(struct weir_run_args *args, const char *key, const char *value, struct weir_err *err)
{
    char text[OVERRIDE_MAX], *copy;
    int length = snprintf(text, sizeof(text), "%s%s", key, value);
    if (length >= OVERRIDE_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "%s: more than %d characters", key, OVERRIDE_MAX - 1);
    copy = malloc((size_t)length + 1);
    if (copy == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the command line");
    memcpy(copy, text, (size_t)length + 1);
    args->set[args->set_count++].text = copy;
    return 0;
}

/* A whole number and nothing else: no sign, no blank, no unit. */
static bool whole_number(const char *text, uint64_t *value)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

static int apply_set(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example --set run.seed=2 or --set 'traffic[0].load=80%'",
                         "--set %s: must be key=value", value);
    return args_override(args, "", value, err);
}

static int apply_seed(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    uint64_t seed;
    if (!whole_number(value, &seed))
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "the same seed gives the same run, bit for bit",
                         "--seed %s: must be a whole number, 0 to 18446744073709551615", value);
    return args_override(args, "run.seed=", value, err);
}

/* TIME, or TIME:average. */
static int apply_sample(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    static const char suffix[] = ":average";
    size_t length = strlen(value), rest = sizeof(suffix) - 1;
    char time[OVERRIDE_MAX];
    int code;
    if (length < rest || length >= sizeof(time) || strcmp(value + length - rest, suffix) != 0)
        return args_override(args, "run.sample=", value, err);
    (void)snprintf(time, sizeof(time), "%.*s", (int)(length - rest), value);
    code = args_override(args, "run.sample=", time, err);
    return code != 0 ? code : args_override(args, "run.sample_average=", "true", err);
}

static int apply_threads(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    uint64_t threads;
    if (!whole_number(value, &threads) || threads < 1 || threads > WEIR_THREADS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "results do not depend on it, only the time they take",
                         "--threads %s: must be a whole number, 1 to %u", value, WEIR_THREADS_MAX);
    args->threads = (uint32_t)threads;
    return 0;
}

static int apply_messages(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    if (value[0] == '\0')
        return weir_fail(err, WEIR_E_SYNTAX, NULL, NULL, "--messages: the name of a file is missing");
    args->messages = value;
    return 0;
}

static int apply_progress(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    static const char *const word[] = { "auto", "never", "always" };
    for (int i = 0; i < 3; i++) {
        if (strcmp(value, word[i]) == 0) {
            args->progress = (enum weir_progress_when)i;
            return 0;
        }
    }
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, "auto shows it when stderr is a terminal",
                     "--progress %s: must be auto, never or always", value);
}

static int apply_json(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    (void)value, (void)err;
    args->json = true;
    return 0;
}

static int apply_check(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    (void)value, (void)err;
    args->check = true;
    return 0;
}

static int apply_help(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    (void)value, (void)err;
    args->help = true;
    return 0;
}

static int apply_output(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    if (value[0] == '\0')
        return weir_fail(err, WEIR_E_SYNTAX, NULL, NULL, "-o: the name of a file is missing");
    args->output = value;
    return 0;
}

static int apply_no_messages(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    (void)value, (void)err;
    args->no_messages = true;
    return 0;
}

static int apply_series(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    static const struct weir_param row = { .key = "--series",
                                           .kind = WEIR_KIND_TIME,
                                           .min = WEIR_PS_PER_NS,
                                           .max = 100000 * WEIR_PS_PER_S,
                                           .hint = "between points of a series in the result file" };
    return weir_param_set(&row, &(struct weir_tok){ .text = value }, &args->series_ps, err);
}

static int apply_label(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    if (value[0] == '\0' || strlen(value) > LABEL_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "it names the run in reports", "--label: must be 1 to %d bytes long",
                         LABEL_MAX);
    args->label = value;
    return 0;
}

/* A point may have slashes in its name, an experiment and a figure may not. */
static int apply_sweep(struct weir_run_args *args, const char *value, struct weir_err *err)
{
    const char *figure = strchr(value, '/');
    const char *point = figure != NULL ? strchr(figure + 1, '/') : NULL;
    if (point == NULL || figure == value || point == figure + 1 || point[1] == '\0')
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example --sweep sird/fig6/wka-50",
                         "--sweep %.80s: must be EXPERIMENT/FIGURE/POINT", value);
    args->sweep = value;
    return 0;
}

static const struct option_row options[] = {
    { "--set", "key=value", apply_set },
    { "--seed", "a number", apply_seed },
    { "--threads", "a number", apply_threads },
    { "--json", NULL, apply_json },
    { "--check", NULL, apply_check },
    { "--messages", "the name of a file", apply_messages },
    { "--sample", "a time", apply_sample },
    { "--progress", "auto, never or always", apply_progress },
    { "--help", NULL, apply_help },
    { "-h", NULL, apply_help },
    { "-o", "the name of a file", apply_output },
    { "--no-messages", NULL, apply_no_messages },
    { "--series", "a time", apply_series },
    { "--label", "a text", apply_label },
    { "--sweep", "EXPERIMENT/FIGURE/POINT", apply_sweep },
};
#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

static int unknown_option(const char *word, size_t length, struct weir_err *err)
{
    char name[WEIR_SUGGEST_WORD_MAX + 1], hint[512];
    struct weir_suggest suggest;
    (void)snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name)), word);
    weir_suggest_init(&suggest, name);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (options[i].name[1] == '-')
            weir_suggest_add(&suggest, options[i].name);
    weir_suggest_hint(&suggest, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "%s: no such option of weir run", name);
}

/* Takes the option at argv[*at] and, where it has one, its value; *at moves past what was taken. */
static int take_option(struct weir_run_args *args, int argc, char **argv, int *at, struct weir_err *err)
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

static int take_file(struct weir_run_args *args, const char *word, struct weir_err *err)
{
    if (args->file != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir run takes one scenario; weir run --help shows the options",
                         "%s: %s is the scenario already", word, args->file);
    args->file = word;
    return 0;
}

/* Options of the result file without a result file would be forgotten in silence. */
static int args_check_output(const struct weir_run_args *args, struct weir_err *err)
{
    const struct {
        const char *name;
        bool said;
    } row[] = { { "--no-messages", args->no_messages },
                { "--series", args->series_ps != 0 },
                { "--label", args->label != NULL },
                { "--sweep", args->sweep != NULL } };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]) && args->output == NULL; i++)
        if (row[i].said)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, "-o OUT.db writes a result file",
                             "%s: is for a result file, and there is no -o", row[i].name);
    if (args->output != NULL && args->messages != NULL && strcmp(args->output, args->messages) == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s: cannot be both -o and --messages", args->output);
    return 0;
}

static int args_parse(struct weir_run_args *args, int argc, char **argv, struct weir_err *err)
{
    bool only_files = false;
    int code = 0;
    for (int at = 1; at < argc && code == 0 && !args->help;) {
        const char *word = argv[at];
        if (!only_files && strcmp(word, "--") == 0) {
            only_files = true;
            at++;
        } else if (!only_files && word[0] == '-' && word[1] != '\0') {
            code = take_option(args, argc, argv, &at, err);
        } else {
            code = take_file(args, argv[at++], err);
        }
    }
    if (code != 0 || args->help)
        return code;
    if (args->file == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir run FILE; weir run --help shows the options",
                         "run: which scenario?");
    return args_check_output(args, err);
}

int weir_run_args_parse(struct weir_run_args *args, int argc, char **argv, struct weir_err *err)
{
    int code;
    *args = (struct weir_run_args){ .threads = 1 };
    args->set = calloc(2 * (size_t)argc, sizeof(*args->set)); /* an argument is at most two overrides */
    if (args->set == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the command line");
    code = args_parse(args, argc, argv, err);
    if (code != 0)
        weir_run_args_free(args);
    return code;
}

void weir_run_args_free(struct weir_run_args *args)
{
    for (uint32_t i = 0; i < args->set_count; i++)
        free((void *)(uintptr_t)args->set[i].text);
    free(args->set);
    *args = (struct weir_run_args){ 0 };
}
