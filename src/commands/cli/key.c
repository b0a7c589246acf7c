/* src/commands/cli/key.c - `weir key`: makes a file with a key, and lists the keys of one without printing them. */
#include "cli/cli.h"
#include "core/assert.h"
#include "param/suggest.h"
#include "seal/derive.h"
#include "seal/keyfile.h"
#include "text/options.h"
#include <stdio.h>
#include <string.h>

struct args {
    const char *verb, *file, *name; /* name: NULL = not given */
    uint32_t number;                /* 0 = not given */
    bool help;
};

#define FIELD(field) (uint32_t) offsetof(struct args, field)

static const struct weir_option options[] = {
    { .name = "--name", .value = "the name of the key", .offset = FIELD(name) },
    { .name = "--help", .offset = FIELD(help), .last = true },
    { .name = "-h", .offset = FIELD(help), .last = true },
    { 0 },
};

static const struct weir_param params[] = {
    WEIR_PARAM_NAMED("--number", struct args, number, WEIR_KIND_U32, 1, WEIR_KEY_NUMBER_MAX, 0,
                     "by which peers name the key; 1 if not given"),
    { 0 },
};

static int take_argument(void *ctx, const char *argument, struct weir_err *err)
{
    struct args *args = ctx;
    if (args->verb == NULL)
        args->verb = argument;
    else if (args->file == NULL)
        args->file = argument;
    else
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir key new FILE", "key: %.80s: one argument too many", argument);
    return 0;
}

static bool is_new(const struct args *args)
{
    return strcmp(args->verb, "new") == 0;
}

static int unknown_verb(const char *verb, struct weir_err *err)
{
    struct weir_suggest near;
    char hint[256];
    weir_suggest_init(&near, verb);
    weir_suggest_add(&near, "new");
    weir_suggest_add(&near, "show");
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "key: %.80s: no such verb", verb);
}

static int check(const struct args *args, struct weir_err *err)
{
    if (args->verb == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir key new FILE; weir key --help", "key: new or show?");
    if (!is_new(args) && strcmp(args->verb, "show") != 0)
        return unknown_verb(args->verb, err);
    if (args->file == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir key new FILE; weir key --help", "key %s: which file?",
                         args->verb);
    if (!is_new(args) && (args->name != NULL || args->number != 0))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "key show: --name and --number are for new");
    if (args->name != NULL && !weir_key_name_fits(args->name))
        return weir_fail(err, WEIR_E_RANGE, NULL, "it is what the other end calls this key's holder",
                         "--name: must be 1 to %u letters, digits, dots, hyphens and underscores", WEIR_KEY_NAME_MAX);
    return 0;
}

static void print_key(const struct weir_key *key, bool is_first)
{
    uint8_t fingerprint[WEIR_FINGERPRINT_BYTES];
    weir_derive_fingerprint(fingerprint, key->bytes);
    (void)printf("%6u  %-*s  ", (unsigned)key->number, (int)WEIR_KEY_NAME_MAX, key->name);
    for (size_t i = 0; i < sizeof(fingerprint); i++)
        (void)printf("%02x", fingerprint[i]);
    (void)printf("  %s\n", is_first ? "used" : "accepted");
}

/* Prints number, name and fingerprint of each key of a file. @return 0, or a code with err */
static int show(const char *file, struct weir_err *err)
{
    struct weir_keys keys;
    int code = weir_keys_read(&keys, file, err);
    if (code != 0)
        return code;
    WEIR_ASSERT(keys.count > 0);
    (void)printf("number  %-*s  fingerprint\n", (int)WEIR_KEY_NAME_MAX, "name");
    for (uint32_t i = 0; i < keys.count; i++)
        print_key(&keys.key[i], i == 0);
    weir_keys_wipe(&keys);
    return 0;
}

/* Makes a file with a new key, and reads it back. @return 0, or a code with err */
static int make(const struct args *args, struct weir_err *err)
{
    int code = weir_key_create(args->file, args->number != 0 ? args->number : 1,
                               args->name != NULL ? args->name : "fleet", err);
    return code != 0 ? code : show(args->file, err);
}

int weir_cli_key(int argc, char **argv)
{
    static const struct weir_options accepted = {
        .command = "key", .option = { options }, .param = { params }, .argument = take_argument
    };
    struct args args = { 0 };
    struct weir_err err;
    int code = weir_options_parse(&accepted, argc, argv, &args, &err);
    if (code == 0 && args.help)
        return weir_cli_show_usage("key");
    if (code == 0)
        code = check(&args, &err);
    if (code == 0)
        code = is_new(&args) ? make(&args, &err) : show(args.file, &err);
    return code != 0 ? weir_cli_refused(&err) : weir_cli_finish(WEIR_EXIT_DONE);
}
