/* src/commands/cli/compare_laws.c - see compare_laws.h. */
#include "cli/compare_laws.h"
#include "param/suggest.h"
#include <stdio.h>
#include <string.h>

enum { HINT = 512, NAME = 128 };

/* Adds the names of all protocols to *near. */
static void suggest_protocols(struct weir_suggest *near)
{
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++)
        weir_suggest_add(near, row->name);
}

/* Refuses a name that is no protocol's. where: what gave the name, for the message; more: the end of the message */
static int check_protocol(const char *where, const char *name, const char *more, struct weir_err *err)
{
    struct weir_suggest near;
    char hint[HINT];
    if (weir_variants_protocol(name) != NULL)
        return 0;
    weir_suggest_init(&near, name);
    suggest_protocols(&near);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "%s: unknown protocol '%.80s'%s", where, name, more);
}

int weir_compare_laws_plain(const char *option, const char *name, struct weir_err *err)
{
    if (strchr(name, '=') == NULL)
        return check_protocol(option, name, ", and a variant has no share of the traffic", err);
    return weir_fail(err, WEIR_E_CONFLICT, NULL,
                     "--set 'traffic[0].deploy.protocol.g=0.1' sets a key of the deployed one",
                     "%s %.80s: with --background it is a protocol, and not a variant", option, name);
}

uint32_t weir_compare_laws_find(const struct weir_compare_names *laws, const char *name, size_t length)
{
    for (uint32_t i = 0; i < laws->count; i++)
        if (strlen(laws->name[i]) == length && strncmp(laws->name[i], name, length) == 0)
            return i;
    return WEIR_COMPARISON_NONE;
}

int weir_compare_laws_fail(const struct weir_compare_names *laws, const char *option, const char *name, size_t length,
                           struct weir_err *err)
{
    struct weir_suggest near;
    char hint[HINT], copy[WEIR_COMPARE_NAME];
    (void)snprintf(copy, sizeof(copy), "%.*s", (int)length, name);
    weir_suggest_init(&near, copy);
    for (uint32_t i = 0; i < laws->count; i++)
        weir_suggest_add(&near, laws->name[i]);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "%s %s: it is not among the protocols compared", option, copy);
}

/* --- reading --protocols --- */

/* Finds the protocol of an entry: "dctcp", "slow=dctcp" or "slow". *name: gets a copy of what it is called; *protocol:
 * gets NULL for a name that only the scenario can explain. @return 0, or a code with err */
static int read_entry(const char *entry, char name[NAME], const struct weir_protocol **protocol, struct weir_err *err)
{
    const char *equals = strchr(entry, '=');
    char where[NAME + 16];
    int code;
    (void)snprintf(name, NAME, "%.*s", equals != NULL ? (int)(equals - entry) : NAME - 1, entry);
    if (equals == NULL) {
        *protocol = weir_variants_protocol(name);
        if (name[0] == '\0')
            return weir_fail(err, WEIR_E_SYNTAX, NULL, "names with one comma between them",
                             "--protocols: a name is empty");
        /* what cannot be the name of a variant either is reported as a protocol's */
        return *protocol != NULL || weir_variants_check_name("", name, NULL, err) == 0
                   ? 0
                   : check_protocol("--protocols", name, "", err);
    }
    (void)snprintf(where, sizeof(where), "--protocols %s", entry);
    code = weir_variants_check_name(where, name, NULL, err);
    if (code == 0)
        code = check_protocol(where, equals + 1, "", err);
    *protocol = weir_variants_protocol(equals + 1);
    return code;
}

static int add_law(struct weir_compare_names *laws, const char *text, size_t length, struct weir_err *err)
{
    const struct weir_protocol *protocol;
    char entry[NAME], name[NAME];
    int code;
    (void)snprintf(entry, sizeof(entry), "%.*s", (int)length, text); /* an entry that is cut here has too long a name */
    code = read_entry(entry, name, &protocol, err);
    if (code != 0)
        return code;
    if (weir_compare_laws_find(laws, name, strlen(name)) != WEIR_COMPARISON_NONE)
        return weir_fail(err, WEIR_E_CONFLICT, NULL,
                         "another setting of it is a variant with a name of its own: --protocols dctcp,slow=dctcp",
                         "--protocols: %s is there twice", name);
    if (laws->count == WEIR_COMPARISON_LAWS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "--protocols: more than %u", WEIR_COMPARISON_LAWS_MAX);
    laws->protocol[laws->count] = protocol;
    (void)snprintf(laws->name[laws->count++], WEIR_COMPARE_NAME, "%.31s", name);
    return 0;
}

int weir_compare_laws_read(struct weir_compare_names *laws, const char *protocols, struct weir_err *err)
{
    static const char *const hint = "for example --protocols dctcp,sird,swift; weir list protocols shows them";
    int code = 0;
    if (protocols == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, hint, "compare: which protocols?");
    for (const char *at = protocols; code == 0; at++) {
        size_t length = strcspn(at, ",");
        code = add_law(laws, at, length, err);
        at += length;
        if (*at == '\0')
            break;
    }
    if (code == 0 && laws->count < 2)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, hint, "--protocols %.80s: at least two are compared", protocols);
    return code;
}

/* --- with the scenario --- */

static int fail_unknown(const char *file, const char *name, const struct weir_scenario *scn, struct weir_err *err)
{
    struct weir_suggest near;
    char hint[HINT];
    weir_suggest_init(&near, name);
    suggest_protocols(&near);
    for (uint32_t i = 0; i < scn->variant_count; i++)
        weir_suggest_add(&near, scn->variant[i].name);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint,
                     "--protocols: unknown protocol '%s', and %.200s has no such variant", name, file);
}

int weir_compare_laws_settle(const struct weir_compare_names *laws, uint32_t law, const char *file,
                             const struct weir_scenario *scn, const struct weir_protocol **protocol,
                             const struct weir_law_variant **variant, struct weir_err *err)
{
    const char *name = laws->name[law];
    *protocol = laws->protocol[law];
    *variant = weir_variants_find(scn, name);
    if (*protocol == NULL && *variant == NULL)
        return fail_unknown(file, name, scn, err);
    if (*protocol != NULL && *variant != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, &(*variant)->where,
                         "its name alone takes it; --set NAME:key=value changes it",
                         "--protocols %s=%s: the scenario has a variant of this name", name, (*protocol)->name);
    if (*variant != NULL)
        *protocol = (*variant)->protocol;
    return 0;
}
