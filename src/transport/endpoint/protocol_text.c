/* src/transport/endpoint/protocol_text.c - reads "PROTOCOL key=value ..". */
#include "endpoint/protocol_text.h"
#include "core/assert.h"
#include "core/err.h"
#include "core/path.h"
#include "core/sizes.h"
#include "param/param.h"
#include "param/suggest.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN_MAX 128 /* most bytes of a part between blanks, with its NUL */

static int refuse(struct weir_err *err, const char *hint, const char *text)
{
    (void)weir_fail(err, WEIR_E_RANGE, NULL, hint, "%s", text);
    return -EINVAL;
}

/* Copies the next token of *text, which ends at a blank or tab, to token, and moves *text behind it. @return false =
 * there is none, or *too_long is true: the token does not fit into size bytes */
static bool next_token(const char **text, char *token, size_t size, bool *too_long)
{
    size_t length;
    *text += strspn(*text, " \t");
    length = strcspn(*text, " \t");
    *too_long = length >= size;
    if (length == 0 || *too_long)
        return false;
    memcpy(token, *text, length);
    token[length] = '\0';
    *text += length;
    return true;
}

const struct weir_protocol *weir_protocol_named(const char *text)
{
    char name[TOKEN_MAX];
    bool too_long;
    if (!next_token(&text, name, sizeof(name), &too_long))
        return NULL;
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

static int find_protocol(const struct weir_protocol_reader *how, const char *name, const struct weir_protocol **found,
                         struct weir_err *err)
{
    struct weir_suggest near;
    struct weir_err why;
    char hint[512];
    weir_suggest_init(&near, name);
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++) {
        *found = p;
        if (strcmp(p->name, name) == 0)
            return how->check(how, p, err);
        if (how->check(how, p, &why) == 0)
            weir_suggest_add(&near, p->name);
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    (void)weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "%s: unknown protocol '%s'", how->label, name);
    return -EINVAL;
}

/* Finds the preset called name. If name is NULL, finds how->preset. If there is none of that name either,
 * *found is the first preset, or NULL if the protocol has none. @return 0, or -EINVAL with err */
static int find_preset(const struct weir_protocol_reader *how, const struct weir_protocol *p, const char *name,
                       const struct weir_preset **found, struct weir_err *err)
{
    struct weir_suggest near;
    char hint[512];
    const char *wanted = name != NULL ? name : how->preset;
    weir_suggest_init(&near, wanted);
    *found = p->presets;
    for (const struct weir_preset *preset = p->presets; preset != NULL && preset->name != NULL; preset++) {
        if (strcmp(preset->name, wanted) == 0) {
            *found = preset;
            return 0;
        }
        weir_suggest_add(&near, preset->name);
    }
    if (name == NULL)
        return 0;
    weir_suggest_hint(&near, hint, sizeof(hint));
    (void)weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "%s: %s has no preset '%s'", how->label, p->name, name);
    return -EINVAL;
}

/* Returns the bit of a key, by its place in the protocol's table. */
static uint64_t bit_of(const struct weir_protocol *p, const struct weir_param *row)
{
    WEIR_ASSERT(row >= p->params && row - p->params < 64);
    return UINT64_C(1) << (row - p->params);
}

/* Applies those keys of a preset that are keys of the protocol. The others (fabric, framing) are for the simulator.
 * preset may be NULL. set: gets the bits of these keys @return 0, or -EINVAL with err */
static int apply_preset(const struct weir_protocol *p, const struct weir_preset *preset, void *config, uint64_t *set,
                        struct weir_err *err)
{
    for (const char *const *line = preset != NULL ? preset->values : NULL; line != NULL && *line != NULL; line++) {
        char key[TOKEN_MAX];
        size_t length = strcspn(*line, ":");
        WEIR_ASSERT(length < sizeof(key));
        memcpy(key, *line, length);
        key[length] = '\0';
        const struct weir_param *row = weir_param_find(p->params, key);
        struct weir_tok tok = { .text = *line + length + 1 + strspn(*line + length + 1, " ") };
        if (row != NULL && weir_param_set(row, &tok, config, err) != 0)
            return -EINVAL;
        if (row != NULL)
            *set |= bit_of(p, row);
    }
    return 0;
}

/* Returns the row of a key "SECTION.KEY" that a text may set, and sets *config to its struct; NULL = there is none. */
static const struct weir_param *section_row(const struct weir_protocol_reader *how, const struct weir_protocol *p,
                                            const char *key, void **config)
{
    const struct weir_protocol_section *s = p->cc != NULL ? how->sections : NULL;
    for (; s != NULL && s->name != NULL; s++) {
        size_t length = strlen(s->name);
        if (strncmp(key, s->name, length) != 0 || key[length] != '.')
            continue;
        for (const char *const *allowed = s->keys; *allowed != NULL; allowed++) {
            if (strcmp(*allowed, key + length + 1) != 0)
                continue;
            *config = s->config;
            return weir_param_find(s->rows, *allowed);
        }
    }
    return NULL;
}

static int apply_pair(const struct weir_protocol_reader *how, const struct weir_protocol *p, char *token, void *config,
                      uint64_t *set, struct weir_err *err)
{
    static const char *const more[] = { "preset", NULL };
    char *value = strchr(token, '=');
    if (value == NULL) {
        (void)weir_fail(err, WEIR_E_SYNTAX, NULL, how->example, "%s: '%s' is no key=value", how->label, token);
        return -EINVAL;
    }
    *value++ = '\0';
    if (strcmp(token, "preset") == 0)
        return 0;
    void *own = config;
    const struct weir_param *row = section_row(how, p, token, &config);
    if (row == NULL)
        row = weir_param_find(p->params, token);
    struct weir_tok tok = { .text = row != NULL ? value : token };
    int code =
        row != NULL ? weir_param_set(row, &tok, config, err) : weir_param_unknown(p->params, more, &tok, p->name, err);
    if (code == 0 && config == own) /* each end has keys of sections of its own */
        *set |= bit_of(p, row);
    return code != 0 ? -EINVAL : 0;
}

/* Applies the key=value pairs of text, which follow the protocol's name, to config. If config is NULL, only copies the
 * value of "preset=" to preset, which has TOKEN_MAX bytes. set: gets the bits of these keys @return 0, or -EINVAL with
 * err */
static int each_pair(const struct weir_protocol_reader *how, const struct weir_protocol *p, const char *text,
                     void *config, char *preset, uint64_t *set, struct weir_err *err)
{
    char token[TOKEN_MAX];
    bool too_long;
    while (next_token(&text, token, sizeof(token), &too_long)) {
        if (config == NULL && strncmp(token, "preset=", 7) == 0)
            memcpy(preset, token + 7, strlen(token + 7) + 1);
        int code = config != NULL ? apply_pair(how, p, token, config, set, err) : 0;
        if (code < 0)
            return code;
    }
    if (!too_long)
        return 0;
    (void)weir_fail(err, WEIR_E_RANGE, NULL, NULL, "%s: a word of more than 127 bytes", how->label);
    return -EINVAL;
}
_Static_assert(TOKEN_MAX == 128, "the sentence above says so");

/* Writes the protocol's name and the keys that were set to how->said. @return 0, or -EINVAL with err: it is too long */
static int say(const struct weir_protocol_reader *how, const struct weir_protocol *p, const void *config, uint64_t set,
               struct weir_err *err)
{
    char value[TOKEN_MAX];
    int used = snprintf(how->said, how->said_bytes, "%s", p->name);
    for (const struct weir_param *row = p->params; row->key != NULL; row++) {
        if ((set & bit_of(p, row)) == 0)
            continue;
        weir_param_print(row, config, value, sizeof(value));
        if (strlen(value) == sizeof(value) - 1 || used < 0 || (size_t)used >= how->said_bytes)
            break;
        used += snprintf(how->said + used, how->said_bytes - (size_t)used, " %s=%s", row->key, value);
        set &= ~bit_of(p, row);
    }
    if (set == 0 && used > 0 && (size_t)used < how->said_bytes)
        return 0;
    (void)weir_fail(err, WEIR_E_RANGE, NULL, "the handshake carries these keys: set fewer of them",
                    "%s: the keys that are set take more than %zu bytes when they are written out", how->label,
                    how->said_bytes - 1);
    return -EINVAL;
}

/* Fills the keys of a protocol: defaults, then the preset, then what the text says. */
static int fill(const struct weir_protocol_reader *how, const struct weir_protocol *p, const char *text,
                const struct weir_preset *preset, void *config, struct weir_err *err)
{
    char unused[TOKEN_MAX] = "";
    uint64_t set = 0;
    weir_param_defaults(p->params, config);
    int code = apply_preset(p, preset, config, &set, err);
    if (code == 0 && how->settle != NULL)
        how->settle(how, p, config);
    if (code == 0)
        code = each_pair(how, p, text, config, unused, &set, err);
    return code == 0 && how->said != NULL ? say(how, p, config, set, err) : code;
}

/* Checks keys against each other and against the path. */
static int check(const struct weir_protocol_reader *how, const struct weir_protocol *p, void *config,
                 struct weir_err *err)
{
    struct weir_err wrong;
    weir_param_resolve_bdp(p->params, config, how->path->bdp_bytes);
    weir_param_resolve_rtt(p->params, config, how->rtt_unknown ? 0 : how->path->base_rtt_ps);
    if (weir_param_check_relative(p->params, config, NULL, p->name, &wrong) != 0)
        return refuse(err, how->path_hint, wrong.text);
    if (p->fit != NULL && how->framing != NULL)
        p->fit(config, &(struct weir_fit){ .path = how->path, .framing = how->framing });
    if (p->check == NULL || p->check(config, how->path, &wrong) == 0)
        return 0;
    return refuse(err, how->path_hint, wrong.text);
}

/* Tests whether the presets after the first may be tried: the text names none, and the protocol has none of the name
 * that is taken by default. */
static bool may_try_others(const struct weir_protocol_reader *how, const char *named, const struct weir_preset *preset)
{
    return named[0] == '\0' && preset != NULL && strcmp(preset->name, how->preset) != 0;
}

/* Reads the keys of a protocol, and checks them. Takes the first preset that fits the path, unless one is named.
 * @return 0, or -EINVAL with err: that of the first preset */
static int read_keys(const struct weir_protocol_reader *how, const struct weir_protocol *p, const char *text,
                     void *config, struct weir_err *err)
{
    const struct weir_preset *preset = NULL;
    struct weir_err other;
    char named[TOKEN_MAX] = "";
    uint64_t set = 0;
    int code = each_pair(how, p, text, NULL, named, &set, err);
    if (code == 0)
        code = find_preset(how, p, named[0] != '\0' ? named : NULL, &preset, err);
    if (code < 0)
        return code;
    code = fill(how, p, text, preset, config, err);
    if (code == 0)
        code = check(how, p, config, err);
    if (code == 0 || !may_try_others(how, named, preset))
        return code;
    while ((++preset)->name != NULL)
        if (fill(how, p, text, preset, config, &other) == 0 && check(how, p, config, &other) == 0)
            return 0;
    return code;
}

int weir_protocol_read(const struct weir_protocol_reader *how, const char *text, const struct weir_protocol **found,
                       void **config, struct weir_err *err)
{
    char name[TOKEN_MAX] = "";
    bool too_long;
    int code;
    if (!next_token(&text, name, sizeof(name), &too_long)) {
        (void)weir_fail(err, WEIR_E_RANGE, NULL, how->example, "%s names no protocol", how->label);
        return -EINVAL;
    }
    code = find_protocol(how, name, found, err);
    if (code < 0)
        return code;
    *config = how->allocate(how->context, (*found)->config_bytes);
    if (*config == NULL)
        return -ENOMEM;
    return read_keys(how, *found, text, *config, err);
}
