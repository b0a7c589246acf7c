/* src/transport/endpoint/protocol.c - reads opts.cc: the protocol of an endpoint and its keys, as in a scenario. */
#include "endpoint/protocol.h"
#include "core/credit_ops.h"
#include "core/err.h"
#include "core/sizes.h"
#include "endpoint/memory.h"
#include "param/param.h"
#include "param/suggest.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN_MAX 128 /* most bytes of a token of opts.cc, with its NUL */

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

#define RUNNING "homa, ndp, sird"

/* Checks whether a protocol can run over a real network. @return 0, or -ENOTSUP with the reason in err */
static int check_protocol(const struct weir_protocol *p, struct weir_err *err)
{
    if (p->credit == NULL)
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "receiver-driven protocols do: " RUNNING,
                        "cc: %s does not run on a real network yet", p->name);
    else if ((p->credit->needs & WEIR_NEED_ONE_CLOCK) != 0)
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "receiver-driven protocols without common instants do: " RUNNING,
                        "cc: %s needs hosts that share one clock, and those of a real network do not", p->name);
    else if ((p->credit->needs & WEIR_NEED_GATE) != 0) /* without the gate nothing would limit credit, and so data */
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "protocols that need no help of switches: " RUNNING,
                        "cc: %s needs ports that hold credit back, and those of real switches do not", p->name);
    else
        return 0;
    return -ENOTSUP;
}

static int find_protocol(const char *name, const struct weir_protocol **found, struct weir_err *err)
{
    struct weir_suggest near;
    struct weir_err why;
    char hint[512];
    weir_suggest_init(&near, name);
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++) {
        *found = p;
        if (strcmp(p->name, name) == 0)
            return check_protocol(p, err);
        if (check_protocol(p, &why) == 0)
            weir_suggest_add(&near, p->name);
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    (void)weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "cc: unknown protocol '%s'", name);
    return -EINVAL;
}

/* Finds the preset called name. If name is NULL, finds "udp", the preset for real networks. If there is no "udp"
 * either, *found is the first preset, or NULL if the protocol has none. @return 0, or -EINVAL with err */
static int find_preset(const struct weir_protocol *p, const char *name, const struct weir_preset **found,
                       struct weir_err *err)
{
    struct weir_suggest near;
    char hint[512];
    const char *wanted = name != NULL ? name : "udp";
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
    (void)weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "cc: %s has no preset '%s'", p->name, name);
    return -EINVAL;
}

/* Applies those keys of a preset that are keys of the protocol. The others (fabric, framing) are for the simulator.
 * preset may be NULL. @return 0, or -EINVAL with err */
static int apply_preset(const struct weir_protocol *p, const struct weir_preset *preset, void *config,
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
    }
    return 0;
}

static int apply_pair(const struct weir_protocol *p, char *token, void *config, struct weir_err *err)
{
    static const char *const more[] = { "preset", NULL };
    char *value = strchr(token, '=');
    if (value == NULL) {
        (void)weir_fail(err, WEIR_E_SYNTAX, NULL, "for example \"sird B=120KB SThr=40KB\"", "cc: '%s' is no key=value",
                        token);
        return -EINVAL;
    }
    *value++ = '\0';
    if (strcmp(token, "preset") == 0)
        return 0;
    const struct weir_param *row = weir_param_find(p->params, token);
    struct weir_tok tok = { .text = row != NULL ? value : token };
    int code =
        row != NULL ? weir_param_set(row, &tok, config, err) : weir_param_unknown(p->params, more, &tok, p->name, err);
    return code != 0 ? -EINVAL : 0;
}

/* Applies the key=value pairs of text, which follow the protocol's name, to config. If config is NULL, only copies the
 * value of "preset=" to preset, which has TOKEN_MAX bytes. @return 0, or -EINVAL with err */
static int each_pair(const struct weir_protocol *p, const char *text, void *config, char *preset, struct weir_err *err)
{
    char token[TOKEN_MAX];
    bool too_long;
    while (next_token(&text, token, sizeof(token), &too_long)) {
        if (config == NULL && strncmp(token, "preset=", 7) == 0)
            memcpy(preset, token + 7, strlen(token + 7) + 1);
        int code = config != NULL ? apply_pair(p, token, config, err) : 0;
        if (code < 0)
            return code;
    }
    return too_long ? refuse(err, NULL, "cc: a word of more than 127 bytes") : 0;
}
_Static_assert(TOKEN_MAX == 128, "the sentence above says so");

static int read_protocol(struct weir_ep *ep, const struct weir_protocol *p, const char *text, struct weir_err *err)
{
    const struct weir_path *path = &ep->host_config.path;
    const struct weir_preset *preset = NULL;
    char named[TOKEN_MAX] = "";
    int code = each_pair(p, text, NULL, named, err);
    if (code == 0)
        code = find_preset(p, named[0] != '\0' ? named : NULL, &preset, err);
    if (code < 0)
        return code;
    ep->cc_config = ep_calloc(ep, 1, p->config_bytes);
    if (ep->cc_config == NULL)
        return -ENOMEM;
    weir_param_defaults(p->params, ep->cc_config);
    code = apply_preset(p, preset, ep->cc_config, err);
    if (code == 0)
        code = each_pair(p, text, ep->cc_config, named, err);
    if (code < 0)
        return code;
    struct weir_err wrong;
    weir_param_resolve_bdp(p->params, ep->cc_config, path->bdp_bytes);
    if (weir_param_check_bdp(p->params, ep->cc_config, NULL, p->name, &wrong) != 0)
        return refuse(err, "opts.rate_bps and opts.base_rtt_ns make the BDP", wrong.text);
    if (p->fit != NULL)
        p->fit(ep->cc_config, &(struct weir_fit){ .path = path, .framing = &ep->host_config.framing });
    if (p->check == NULL || p->check(ep->cc_config, path, &wrong) == 0)
        return 0;
    return refuse(err, "opts.rate_bps and opts.base_rtt_ns make the BDP", wrong.text);
}

int ep_protocol_read(struct weir_ep *ep, struct weir_err *err)
{
    const char *text = ep->opts.cc;
    const struct weir_protocol *p = NULL;
    struct weir_host_config *cfg = &ep->host_config;
    char name[TOKEN_MAX] = "";
    bool too_long;
    int code;
    if (!next_token(&text, name, sizeof(name), &too_long))
        return refuse(err, "for example \"sird\"", "cc names no protocol");
    code = find_protocol(name, &p, err);
    if (code == 0)
        code = read_protocol(ep, p, text, err);
    if (code < 0)
        return code;
    weir_param_defaults(weir_host_param_rows, &cfg->params);
    /* used by sender-driven laws only, but the host needs values */
    cfg->params.reorder_pkts = 3;
    weir_host_settle_timers(&cfg->params, false);
    cfg->credit = p->credit;
    cfg->cc_config = ep->cc_config;
    cfg->hash = WEIR_HASH_FLOW;
    return 0;
}
