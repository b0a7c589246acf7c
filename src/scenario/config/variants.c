/* src/scenario/config/variants.c - section `variants` of a scenario: named sets of keys of one protocol. `weir compare`
 * takes them by name, and so does the setting "protocol=NAME". A run without such a setting does not use them. */
#include "config/keys.h"
#include "config/load.h"
#include "param/suggest.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL = 128, HINT = 512 };

static const char *const sections[] = { "protocol", "framing", "host", "fabric", NULL };

const struct weir_protocol *weir_variants_protocol(const char *name)
{
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

int weir_variants_check_name(const char *where, const char *name, const struct weir_tok *tok, struct weir_err *err)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+";
    size_t length = strlen(name);
    if (length == 0)
        return weir_fail(err, WEIR_E_SYNTAX, tok, "for example slow", "%.80s: the name of a variant is empty", where);
    if (length >= WEIR_LAW_VARIANT_NAME || strspn(name, allowed) != length)
        return weir_fail(err, WEIR_E_SYNTAX, tok, "letters, digits and . _ +, at most 31",
                         "%.80s: '%.80s' cannot be the name of a variant", where, name);
    if (weir_variants_protocol(name) != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, tok, "a variant needs a name of its own",
                         "%.80s: '%s' is the name of a protocol", where, name);
    if (strcmp(name, "file") == 0) /* a column of the keys that differ, and a key of their JSON */
        return weir_fail(err, WEIR_E_CONFLICT, tok, "a variant needs a name of its own",
                         "%.80s: 'file' is what comparisons call the scenario itself", where);
    return 0;
}
_Static_assert(WEIR_LAW_VARIANT_NAME == 32, "weir_variants_check_name() says so");

bool weir_variants_may_differ(const char *name, size_t length)
{
    for (const char *const *section = sections; *section != NULL; section++)
        if (strlen(*section) == length && strncmp(*section, name, length) == 0)
            return true;
    return false;
}

bool weir_variants_may_set(const char *setting)
{
    return weir_variants_may_differ(setting, strcspn(setting, ".=[ "));
}

const struct weir_law_variant *weir_variants_find(const struct weir_scenario *scn, const char *name)
{
    for (uint32_t i = 0; i < scn->variant_count; i++)
        if (strcmp(scn->variant[i].name, name) == 0)
            return &scn->variant[i];
    return NULL;
}

/* --- the list --- */

/* Tests whether a key of a variant names its protocol. */
static bool is_protocol(const char *key)
{
    return strcmp(key, "protocol") == 0 || strcmp(key, "protocol.name") == 0;
}

/* Sets v->protocol from a key of the variant. @return 0, or a code with l->err */
static int name_protocol(struct weir_load *l, const struct weir_tree *key, struct weir_law_variant *v)
{
    struct weir_suggest near;
    char hint[HINT];
    if (v->protocol != NULL)
        return weir_fail(l->err, WEIR_E_CONFLICT, &key->key, "keep one of the two",
                         "variants.%s: its protocol is given twice", v->name);
    v->protocol = weir_variants_protocol(key->at.text);
    v->where = key->at;
    if (v->protocol != NULL)
        return 0;
    weir_suggest_init(&near, key->at.text);
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++)
        weir_suggest_add(&near, row->name);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(l->err, WEIR_E_UNKNOWN, &key->at, hint, "variants.%s: unknown protocol '%.80s'", v->name,
                     key->at.text);
}

/* Adds a key of a variant, "protocol.g: 0.02", to set[v->set_count] as "protocol.g=0.02". */
static int add_key(struct weir_load *l, const struct weir_tree *key, struct weir_law_variant *v,
                   struct weir_override *set)
{
    char label[LABEL];
    size_t size = strlen(key->key.text) + 1 + strlen(key->at.text) + 1;
    char *text;
    (void)snprintf(label, sizeof(label), "variants.%s.%.80s", v->name, key->key.text);
    if (key->kind != WEIR_TREE_VALUE || key->is_empty)
        return weir_keys_fail_kind(key, label, "a single value", l->err);
    if (key->key.text[strcspn(key->key.text, " =")] != '\0') /* a setting ends its key there: "protocol.name " */
        return weir_fail(l->err, WEIR_E_SYNTAX, &key->key, "write it like protocol.g: 0.02",
                         "variants.%s: '%.80s' is not the path of a key", v->name, key->key.text);
    if (is_protocol(key->key.text))
        return name_protocol(l, key, v);
    if (!weir_variants_may_set(key->key.text))
        return weir_fail(l->err, WEIR_E_CONFLICT, &key->key, "what is the same for all is a key of the scenario",
                         "%s: variants may differ in protocol, framing, host and fabric, and in nothing else", label);
    text = weir_tree_arena_take(l->arena, size);
    if (text == NULL)
        return weir_fail_memory(l->err);
    (void)snprintf(text, size, "%s=%s", key->key.text, key->at.text);
    set[v->set_count++] = (struct weir_override){ .text = text, .where = key->at };
    return 0;
}

static int list_variant(struct weir_load *l, const struct weir_tree *map, struct weir_law_variant *v)
{
    static const char *const hint = "for example variants: {slow: {protocol.name: dctcp, protocol.g: 0.02}}";
    struct weir_override *set;
    char label[LABEL];
    int code = weir_variants_check_name(WEIR_VARIANTS_KEY, map->key.text, &map->key, l->err);
    if (code != 0)
        return code;
    *v = (struct weir_law_variant){ .name = map->key.text, .where = map->key };
    (void)snprintf(label, sizeof(label), "variants.%s", v->name);
    if (map->kind != WEIR_TREE_MAP)
        return weir_keys_fail_kind(map, label, "a map of keys", l->err);
    set = weir_tree_arena_take(l->arena, (map->count + 1) * sizeof(*set));
    if (set == NULL)
        return weir_fail_memory(l->err);
    for (const struct weir_tree *key = map->first; key != NULL && code == 0; key = key->next)
        code = add_key(l, key, v, set);
    v->set = set;
    if (code == 0 && v->protocol == NULL)
        code = weir_fail(l->err, WEIR_E_SYNTAX, &map->key, hint, "%s: 'protocol.name' is missing", label);
    return code;
}

int weir_variants_list(struct weir_load *l)
{
    const struct weir_tree *section = weir_tree_find(l->file, WEIR_VARIANTS_KEY);
    struct weir_law_variant *variant;
    int code = 0;
    if (section == NULL || section->is_empty)
        return 0;
    if (section->kind != WEIR_TREE_MAP)
        return weir_keys_fail_kind(section, WEIR_VARIANTS_KEY, "a map of variants", l->err);
    if (section->count > WEIR_LAW_VARIANTS_MAX)
        return weir_fail(l->err, WEIR_E_RANGE, &section->at, "several files",
                         "variants: %u of them, at most %u are possible", section->count, WEIR_LAW_VARIANTS_MAX);
    variant = weir_tree_arena_take(l->arena, (section->count + 1) * sizeof(*variant));
    if (variant == NULL)
        return weir_fail_memory(l->err);
    l->scn->variant = variant;
    for (const struct weir_tree *map = section->first; map != NULL && code == 0; map = map->next) {
        code = list_variant(l, map, &variant[l->scn->variant_count]);
        l->scn->variant_count += code == 0;
    }
    return code;
}

/* --- the check --- */

/* Returns a map with copies of those sections of the file in which variants may differ; NULL = no memory. */
static struct weir_tree *copy_sections(struct weir_load *l)
{
    struct weir_tree *root = weir_tree_arena_take(l->arena, sizeof(*root));
    if (root == NULL)
        return NULL;
    root->kind = WEIR_TREE_MAP;
    root->at = l->file->at;
    for (const struct weir_tree *child = l->file->first; child != NULL; child = child->next)
        if (weir_keys_listed(sections, child->key.text) && !weir_tree_add_copy(l->arena, root, child))
            return NULL;
    return root;
}

/* Tests whether an error is about one key of the variant alone. */
static bool is_of_key(const struct weir_load *l, const struct weir_law_variant *v, const struct weir_err *err)
{
    if (err->code == WEIR_E_CONFLICT || strcmp(err->file, l->path) != 0)
        return false;
    for (uint32_t i = 0; i < v->set_count; i++)
        if (v->set[i].where.line == err->line && v->set[i].where.col == err->col)
            return true;
    return false;
}

/* Reads the sections of the file with the keys of the variant in them. The keys of another protocol are left out.
 * @return 0, or a code with l->err */
static int read_variant(struct weir_load *l, const struct weir_law_variant *v)
{
    struct weir_tok name = v->where;
    int code = 0;
    name.text = v->protocol->name;
    if (v->protocol != l->scn->protocol) {
        code = weir_tree_set(l->arena, l->file, "protocol", &name, l->err);
        if (code == 0)
            code = weir_load_widen(l, l->file);
    }
    for (uint32_t i = 0; i < v->set_count && code == 0; i++)
        code = weir_load_override(l, &v->set[i]);
    return code != 0 ? code : weir_load_read(l);
}

static int check_variant(struct weir_load *l, const struct weir_law_variant *v, struct weir_scenario *scratch)
{
    struct weir_err err;
    struct weir_load own = { .scn = scratch,
                             .arena = l->arena,
                             .path = l->path,
                             .file = copy_sections(l),
                             .preset = { .kind = WEIR_TREE_MAP },
                             .err = &err };
    int code;
    if (own.file == NULL)
        return weir_fail_memory(l->err);
    *scratch = (struct weir_scenario){ .protocol = l->scn->protocol };
    code = read_variant(&own, v);
    if (code == 0 || (code != WEIR_E_MEMORY && !is_of_key(l, v, &err)))
        return 0;
    *l->err = err;
    return code;
}

int weir_variants_check(struct weir_load *l)
{
    struct weir_scenario *scratch;
    int code = 0;
    if (l->scn->variant_count == 0)
        return 0;
    scratch = malloc(sizeof(*scratch));
    if (scratch == NULL)
        return weir_fail_memory(l->err);
    for (uint32_t i = 0; i < l->scn->variant_count && code == 0; i++)
        code = check_variant(l, &l->scn->variant[i], scratch);
    free(scratch);
    return code;
}
