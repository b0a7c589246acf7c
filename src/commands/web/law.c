/* src/commands/web/law.c - a scenario under another law: the settings that `weir compare` gives it. */
#include "config/recommended.h"
#include "core/assert.h"
#include "param/suggest.h"
#include "setup/setup.h"
#include "web/module.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SETTINGS_MAX = 96, SETTING = 512, NAME = 128, HINT = 512 };

struct settings {
    struct weir_override set[SETTINGS_MAX];
    char text[SETTINGS_MAX][SETTING];
    uint32_t count;
};

struct search { /* for the settings of a law */
    const char *text;
    size_t length;
    const struct weir_protocol *protocol;
    bool is_own;               /* it is the protocol of the scenario */
    struct settings own;       /* of a variant; else none */
    uint64_t group_edge[3];    /* of the scenario as it is */
    struct settings settings;  /* those in use */
    struct weir_scenario *scn; /* the caller's */
    struct weir_setup *setup;
    struct weir_err *err;
};

/* Adds a setting, "key=value". @return 0, or a code with err */
static int add(struct settings *to, struct weir_err *err, const char *key, int key_length, const char *value)
{
    int length;
    if (to->count == SETTINGS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "write them into the scenario", "more than %u settings of one law",
                         (unsigned)SETTINGS_MAX);
    length = snprintf(to->text[to->count], SETTING, "%.*s=%s", key_length, key, value);
    WEIR_ASSERT(length > 0);
    if (length >= SETTING)
        return weir_fail(err, WEIR_E_RANGE, NULL, "write it into the scenario", "a setting of more than %d letters",
                         SETTING - 1);
    to->set[to->count] = (struct weir_override){ .text = to->text[to->count] };
    to->count++;
    return 0;
}

/* Adds a setting as it is written, "key=value". @return 0, or a code with err */
static int add_text(struct settings *to, struct weir_err *err, const char *text)
{
    const char *equals = strchr(text, '=');
    WEIR_ASSERT(equals != NULL);
    return add(to, err, text, (int)(equals - text), equals + 1);
}

/* Adds all settings of a variant. @return 0, or a code with err */
static int add_own(struct search *s)
{
    int code = 0;
    for (uint32_t i = 0; i < s->own.count && code == 0; i++) {
        code = add_text(&s->settings, s->err, s->own.text[i]);
        if (code == 0)
            s->settings.set[s->settings.count - 1].where = (struct weir_tok){ .file = "variants" };
    }
    return code;
}

/* Adds the settings that the law's row and its preset recommend: "fabric.ecn.threshold: 1 BDP" becomes
 * "fabric.ecn.threshold=1 BDP". */
static int add_recommended(struct search *s, const struct weir_preset *preset)
{
    const char *line;
    int code = 0;
    for (uint32_t i = 0; code == 0 && (line = weir_recommended_line(s->protocol, preset, i)) != NULL; i++) {
        const char *colon = strstr(line, ": ");
        WEIR_ASSERT(colon != NULL);
        code = add(&s->settings, s->err, line, (int)(colon - line), colon + 2);
    }
    return code;
}

/* Adds the edges of the size groups, so that groups of several laws are the same. */
static int add_groups(struct search *s)
{
    int code = 0;
    for (int i = 0; i < 3 && code == 0; i++) {
        char key[] = "run.group_a", value[32];
        key[sizeof(key) - 2] = (char)('a' + i);
        (void)snprintf(value, sizeof(value), "%" PRIu64 " B", s->group_edge[i]);
        code = add(&s->settings, s->err, key, (int)strlen(key), value);
    }
    return code;
}

static int parse(struct search *s)
{
    return weir_scenario_parse(s->scn, "scenario", s->text, s->length, s->settings.set, s->settings.count, s->err);
}

/* Sets the law alone, and its preset if there is one. */
static int add_law(struct search *s, const char *preset)
{
    int code = 0;
    if (s->is_own)
        return 0;
    code = add(&s->settings, s->err, "protocol", 8, s->protocol->name);
    return code != 0 || preset == NULL ? code : add(&s->settings, s->err, "protocol.preset", 15, preset);
}

/* Finds the preset that is in use with the law's own settings. *used: gets it; NULL = none */
static int find_preset(struct search *s, const char *preset, const struct weir_preset **used)
{
    int code;
    s->settings.count = 0;
    code = add_law(s, preset);
    if (code == 0)
        code = add_own(s);
    if (code == 0)
        code = parse(s);
    if (code != 0)
        return code;
    *used = s->scn->preset;
    weir_scenario_free(s->scn);
    return 0;
}

/* Reads the scenario with all settings of the law with this preset, and sets it up. */
static int try_preset(struct search *s, const char *preset)
{
    const struct weir_preset *used = NULL;
    int code = find_preset(s, preset, &used);
    s->settings.count = 0;
    if (code == 0)
        code = add_law(s, preset);
    if (code == 0)
        code = add_recommended(s, used);
    if (code == 0)
        code = add_own(s);
    if (code == 0)
        code = add_groups(s);
    if (code == 0)
        code = parse(s);
    if (code != 0)
        return code;
    code = weir_setup_init(s->setup, s->scn, s->err);
    if (code != 0)
        weir_scenario_free(s->scn);
    return code;
}

/* Copies the settings of a variant of the scenario, which is freed before they are used. */
static int take_variant(struct search *s, const struct weir_law_variant *variant)
{
    int code = 0;
    WEIR_ASSERT(s->own.count == 0);
    for (uint32_t i = 0; i < variant->set_count && code == 0; i++)
        code = add_text(&s->own, s->err, variant->set[i].text);
    return code;
}

static int unknown(const struct search *s, const char *law)
{
    struct weir_suggest near;
    char hint[HINT];
    weir_suggest_init(&near, law);
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++)
        weir_suggest_add(&near, row->name);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(s->err, WEIR_E_UNKNOWN, NULL, hint,
                     "unknown protocol '%.80s', and the scenario has no such variant", law);
}

/* Reads the scenario as it is: which protocol it has, its size groups, and the variant. */
static int read_own(struct search *s, const char *law)
{
    const struct weir_law_variant *variant;
    int code = parse(s);
    if (code != 0)
        return code;
    variant = weir_variants_find(s->scn, law);
    s->protocol = variant != NULL ? variant->protocol : weir_variants_protocol(law);
    if (s->protocol == NULL)
        code = unknown(s, law);
    if (code == 0 && variant != NULL)
        code = take_variant(s, variant);
    s->is_own = s->protocol == s->scn->protocol;
    if (code == 0)
        code = weir_setup_init(s->setup, s->scn, s->err);
    if (code == 0) {
        memcpy(s->group_edge, s->setup->model.group_edge, sizeof(s->group_edge));
        weir_setup_free(s->setup);
    }
    weir_scenario_free(s->scn);
    return code;
}

/* Tests whether the variant itself names a preset. */
static bool names_preset(const struct search *s)
{
    for (uint32_t i = 0; i < s->own.count; i++)
        if (strncmp(s->own.text[i], "protocol.preset", 15) == 0)
            return true;
    return false;
}

/* Finds a preset with which the law can run: the recommended one, else the first that does not conflict. @return 0, or
 * the code of the first try with err */
static int settle(struct search *s)
{
    bool is_free = !s->is_own && !names_preset(s);
    int code = try_preset(s, is_free ? weir_recommended_preset(s->protocol) : NULL);
    struct weir_err why = *s->err;
    for (const struct weir_preset *preset = s->protocol->presets;
         code == WEIR_E_CONFLICT && is_free && preset != NULL && preset->name != NULL; preset++)
        if (try_preset(s, preset->name) == 0)
            return 0;
    *s->err = why;
    return code;
}

int weir_web_load_law(struct weir_scenario *scn, struct weir_setup *setup, const struct weir_web_source *source,
                      struct weir_err *err)
{
    struct search *s = calloc(1, sizeof(*s));
    int code;
    WEIR_ASSERT(source->law[0] != '\0' && source->set_count == 0);
    if (s == NULL)
        return weir_fail_memory(err);
    *s = (struct search){ .text = source->text, .length = source->length, .scn = scn, .setup = setup, .err = err };
    code = read_own(s, source->law);
    if (code == 0)
        code = settle(s);
    free(s);
    return code;
}
