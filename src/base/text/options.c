/* src/base/text/options.c - see options.h. */
#include "text/options.h"
#include "core/assert.h"
#include "param/param.h"
#include "param/suggest.h"
#include <stdio.h>
#include <string.h>

enum { HINT = 512 };

struct taker { /* the state of parsing a command line */
    const struct weir_options *options;
    int argc, at;
    char **argv;
    void *args;
    struct weir_err *err;
    bool ended; /* an option with `last` was found */
};

struct found { /* the row of an option name: `option` or `param` is set; both NULL = there is no such option */
    const struct weir_option *option;
    const struct weir_param *param;
};

/* Returns a kind of value as text, for messages such as "--every: a time is missing". */
static const char *kind_value(enum weir_param_kind kind)
{
    switch (kind) {
    case WEIR_KIND_TIME:
    case WEIR_KIND_RTT:
        return "a time";
    case WEIR_KIND_RATE:
    case WEIR_KIND_SHARE_OR_RATE:
        return "a rate";
    case WEIR_KIND_SIZE:
    case WEIR_KIND_SIZE32:
    case WEIR_KIND_BDP:
    case WEIR_KIND_SIZES:
        return "a size";
    case WEIR_KIND_CHOICE:
    case WEIR_KIND_FLAG:
    case WEIR_KIND_TEXT:
        return "a word";
    default:
        return "a number";
    }
}

static bool is_name(const char *name, const char *argument, size_t length)
{
    return strlen(name) == length && strncmp(name, argument, length) == 0;
}

static struct found find(const struct weir_options *options, const char *argument, size_t length)
{
    for (uint32_t t = 0; t < WEIR_OPTION_TABLES; t++) {
        const struct weir_option *option = options->option[t];
        const struct weir_param *param = options->param[t];
        for (; option != NULL && option->name != NULL; option++)
            if (is_name(option->name, argument, length))
                return (struct found){ .option = option };
        for (; param != NULL && param->key != NULL; param++)
            if (is_name(param->key, argument, length))
                return (struct found){ .param = param };
    }
    return (struct found){ 0 };
}

static int unknown(const struct weir_options *options, const char *argument, size_t length, struct weir_err *err)
{
    char name[WEIR_SUGGEST_NAME_MAX + 1], hint[HINT];
    struct weir_suggest near;
    (void)snprintf(name, sizeof(name), "%.*s", (int)(length < sizeof(name) ? length : sizeof(name)), argument);
    weir_suggest_init(&near, name);
    for (uint32_t t = 0; t < WEIR_OPTION_TABLES; t++) {
        const struct weir_option *option = options->option[t];
        const struct weir_param *param = options->param[t];
        for (; option != NULL && option->name != NULL; option++)
            if (option->name[1] == '-')
                weir_suggest_add(&near, option->name);
        for (; param != NULL && param->key != NULL; param++)
            weir_suggest_add(&near, param->key);
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "%s: no such option of weir %s", name, options->command);
}

static int apply(struct taker *t, const struct weir_option *option, const char *value)
{
    char *field = (char *)t->args + option->offset;
    t->ended = option->last;
    if (option->apply != NULL)
        return option->apply(t->args, value, t->err);
    if (option->value == NULL) {
        memcpy(field, &(bool){ true }, sizeof(bool));
        return 0;
    }
    WEIR_ASSERT(value != NULL); /* an option with an optional value has apply() */
    if (value[0] == '\0')
        return weir_fail(t->err, WEIR_E_SYNTAX, NULL, option->hint, "%s: %s is missing", option->name, option->value);
    memcpy(field, &value, sizeof(value));
    return 0;
}

/* Reads the option at argv[t->at] and its value, if the option has one, and applies the option. Moves t->at to the
 * argument after them. @return 0, or a code with err */
static int take_option(struct taker *t)
{
    const char *argument = t->argv[t->at++], *value = NULL, *name, *wants, *hint;
    bool is_short = argument[1] != '-';
    size_t length = is_short && argument[2] != '=' ? 2 : strcspn(argument, "=");
    struct found f = find(t->options, argument, length);
    if (f.option == NULL && f.param == NULL)
        return unknown(t->options, argument, strcspn(argument, "="), t->err);
    name = f.option != NULL ? f.option->name : f.param->key;
    wants = f.option != NULL ? f.option->value : kind_value(f.param->kind);
    hint = f.option != NULL ? f.option->hint : f.param->hint;
    if (argument[length] != '\0')
        value = argument + length + (argument[length] == '=');
    if (wants == NULL && value != NULL)
        return weir_fail(t->err, WEIR_E_SYNTAX, NULL, NULL, "%s takes no value", name);
    if (wants != NULL && value == NULL && !(f.option != NULL && f.option->optional)) {
        if (t->at == t->argc)
            return weir_fail(t->err, WEIR_E_SYNTAX, NULL, hint, "%s: %s is missing", name, wants);
        value = t->argv[t->at++];
    }
    if (f.option != NULL)
        return apply(t, f.option, value);
    return weir_param_set(f.param, &(struct weir_tok){ .text = value }, t->args, t->err);
}

int weir_options_parse(const struct weir_options *options, int argc, char **argv, void *args, struct weir_err *err)
{
    struct taker t = { .options = options, .argc = argc, .at = 1, .argv = argv, .args = args, .err = err };
    bool no_options = false;
    int code = 0;
    for (uint32_t i = 0; i < WEIR_OPTION_TABLES; i++)
        if (options->param[i] != NULL)
            weir_param_defaults(options->param[i], args);
    while (t.at < argc && code == 0 && !t.ended) {
        const char *argument = argv[t.at];
        if (no_options || argument[0] != '-' || argument[1] == '\0') {
            code = options->argument(args, argument, err);
            t.at++;
        } else if (strcmp(argument, "--") == 0) {
            no_options = true;
            t.at++;
        } else {
            code = take_option(&t);
        }
    }
    return code;
}
