/* src/scenario/config/scenario.c - reads a scenario from a file or text, with overrides. Overrides are written into the
 * tree before any key is interpreted, so the same rows check them. */
#include "config/scenario.h"
#include "config/features.h"
#include "config/input.h"
#include "config/keys.h"
#include "config/load.h"
#include "config/yaml.h"
#include "param/param.h"
#include "workload/foreign.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX_BYTES = 1 << 20 };

struct weir_err *weir_load_warning(struct weir_load *l)
{
    struct weir_scenario *scn = l->scn;
    return scn->warning_count++ < WEIR_WARNINGS_MAX ? &scn->warning[scn->warning_count - 1] : NULL;
}

static int check_sections(struct weir_load *l)
{
    const struct weir_tree *many = weir_tree_find(l->file, "axes");
    if (many == NULL)
        many = weir_tree_find(l->file, "figures");
    if (l->file->kind != WEIR_TREE_MAP)
        return weir_fail(l->err, WEIR_E_SYNTAX, &l->file->at, "a scenario is a map: topology, protocol, traffic, ..",
                         "not a scenario: a map belongs here, not %s", weir_tree_kind_text(l->file));
    if (many != NULL && weir_tree_find(l->file, "topology") == NULL)
        return weir_fail(l->err, WEIR_E_CONFLICT, &many->key,
                         "weir sweep FILE runs a sweep, weir reproduce ./FOLDER an experiment with figures",
                         "a sweep or an experiment, which is many runs; a scenario belongs here");
    for (const struct weir_tree *child = l->file->first; child != NULL; child = child->next) {
        if (!weir_keys_listed(weir_load_sections, child->key.text))
            return weir_param_unknown(NULL, weir_load_sections, &child->key, "the scenario", l->err);
    }
    return 0;
}

/* Copies the text [first, end), without blanks at both ends, into the arena. @return NULL = no memory */
static char *take_trimmed(struct weir_tree_arena *arena, const char *first, const char *end)
{
    while (first < end && *first == ' ')
        first++;
    while (end > first && end[-1] == ' ')
        end--;
    return weir_tree_arena_text(arena, first, (size_t)(end - first));
}

/* Refuses an override whose first name is no section, as "trafic[0].load", before weir_tree_set() would add that name
 * to the tree. @return 0, or a code with l->err */
static int check_section_of(struct weir_load *l, const char *path, const struct weir_tok *where)
{
    struct weir_tok name = *where;
    name.text = weir_tree_arena_text(l->arena, path, strcspn(path, ".["));
    if (name.text == NULL)
        return weir_fail_memory(l->err);
    if (strcmp(name.text, WEIR_VARIANTS_KEY) == 0)
        return weir_fail(l->err, WEIR_E_CONFLICT, where,
                         "weir compare --set NAME:key=value changes one for that command",
                         "%.80s: a setting cannot change a variant of the file", path);
    if (name.text[0] == '\0' || weir_keys_listed(weir_load_sections, name.text))
        return 0; /* an empty name: weir_tree_set() reports the wrong path */
    return weir_param_unknown(NULL, weir_load_sections, &name, "the scenario", l->err);
}

/* Sets a key, given by its path, in the tree of the file, and expands its short form. If the key is the protocol and
 * the value is the name of a variant, *variant gets that variant, and the key its protocol; else NULL. @return 0, or a
 * code with l->err */
static int set_key(struct weir_load *l, const char *path, struct weir_tok value,
                   const struct weir_law_variant **variant)
{
    bool names_law = strcmp(path, "protocol") == 0 || strcmp(path, "protocol.name") == 0;
    int code = check_section_of(l, path, &value);
    *variant = names_law ? weir_variants_find(l->scn, value.text) : NULL;
    if (*variant != NULL)
        value.text = (*variant)->protocol->name;
    if (code == 0)
        code = weir_tree_set(l->arena, l->file, path, &value, l->err);
    return code != 0 ? code : weir_load_widen(l, l->file);
}

int weir_load_override(struct weir_load *l, const struct weir_override *set)
{
    const char *text = set->text, *equals = strchr(text, '=');
    struct weir_tok tok = set->where.file != NULL ? set->where : (struct weir_tok){ .file = "--set" };
    const struct weir_law_variant *variant;
    char *path;
    int code;
    tok.text = text;
    if (equals == NULL)
        return weir_fail(l->err, WEIR_E_SYNTAX, &tok, "write it like run.seed=2 or traffic[0].load=80%",
                         "'%.80s' is not key=value", text);
    path = take_trimmed(l->arena, text, equals);
    tok.text = take_trimmed(l->arena, equals + 1, text + strlen(text));
    if (path == NULL || tok.text == NULL)
        return weir_fail_memory(l->err);
    if (tok.text[0] == '\0')
        return weir_fail(l->err, WEIR_E_SYNTAX, &tok, NULL, "%.80s: no value", path);
    code = set_key(l, path, tok, &variant);
    for (uint32_t i = 0; code == 0 && variant != NULL && i < variant->set_count; i++)
        code = weir_load_override(l, &variant->set[i]); /* no deeper: none of them names a protocol */
    return code;
}

static int parse(struct weir_load *l, const char *text, size_t length, const struct weir_override *set,
                 uint32_t set_count)
{
    int code = weir_yaml_read(l->arena, l->path, text, length, WEIR_TREE_CHILDREN_MAX, &l->file, l->err);
    if (code == 0)
        code = check_sections(l);
    if (code == 0)
        code = weir_load_widen(l, l->file);
    if (code == 0)
        code = weir_variants_list(l);
    for (uint32_t i = 0; i < set_count && code == 0; i++)
        code = weir_load_override(l, &set[i]);
    if (code == 0)
        code = weir_load_read(l);
    return code != 0 ? code : weir_variants_check(l);
}

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* Returns the folder of a path: "a/b.yaml" -> "a"; "b.yaml" -> "."; "/b.yaml" -> "/". The caller frees the copy. NULL =
 * no memory */
static char *copy_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return copy_text(".", 1);
    return copy_text(path, slash > path ? (size_t)(slash - path) : 1);
}

static int fail_size(const char *path, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_FILE, &(struct weir_tok){ .file = path }, NULL,
                     "larger than 1 MiB, which no scenario is");
}
_Static_assert(FILE_MAX_BYTES == 1 << 20, "fail_size() says so");

int weir_scenario_parse(struct weir_scenario *scn, const char *path, const char *text, size_t length,
                        const struct weir_override *set, uint32_t set_count, struct weir_err *err)
{
    struct weir_load l = { .scn = scn, .preset = { .kind = WEIR_TREE_MAP }, .err = err };
    int code;
    *scn = (struct weir_scenario){ 0 };
    if (length > FILE_MAX_BYTES)
        return fail_size(path, err);
    l.arena = weir_tree_arena_new();
    scn->strings = l.arena;
    scn->text = copy_text(text, length);
    scn->base_dir = copy_folder(path);
    l.path = l.arena != NULL ? weir_tree_arena_text(l.arena, path, strlen(path)) : NULL;
    if (scn->text == NULL || scn->base_dir == NULL || l.path == NULL)
        code = weir_fail_memory(err);
    else
        code = weir_foreign_name(parse(&l, text, length, set, set_count), path, scn->text, WEIR_FOREIGN_NONE, err);
    if (code != 0)
        weir_scenario_free(scn);
    return code;
}

int weir_scenario_load(struct weir_scenario *scn, const char *path, const struct weir_override *set, uint32_t set_count,
                       struct weir_err *err)
{
    size_t length;
    const char *why;
    char *text = weir_input_read(path, true, FILE_MAX_BYTES, &length, &why);
    int code;
    *scn = (struct weir_scenario){ 0 };
    if (text == NULL && why == NULL)
        return weir_fail_memory(err);
    if (text == NULL)
        return weir_fail(err, WEIR_E_FILE, &(struct weir_tok){ .file = path }, NULL, "cannot be read: %s", why);
    code = weir_scenario_parse(scn, path, text, length, set, set_count, err);
    free(text);
    return code;
}

void weir_scenario_free(struct weir_scenario *scn)
{
    weir_tree_arena_free(scn->strings);
    free(scn->text);
    free(scn->base_dir);
    *scn = (struct weir_scenario){ 0 };
}

static int resolve(const struct weir_param *rows, void *config, const struct weir_scenario_path *path,
                   const struct weir_tok *where, const char *section, struct weir_err *err)
{
    weir_param_resolve_bdp(rows, config, path->bdp_bytes);
    weir_param_resolve_rtt(rows, config, path->base_rtt_ps);
    return weir_param_check_relative(rows, config, where, section, err);
}

int weir_scenario_resolve_law(struct weir_scenario *scn, uint32_t law, const struct weir_scenario_path *path,
                              struct weir_err *err)
{
    struct weir_scenario_law keys = weir_scenario_law(scn, law);
    int code = resolve(weir_host_param_rows, keys.host, path, keys.where_host, "host", err);
    return code != 0 ? code : resolve(keys.protocol->params, keys.config, path, keys.where, "protocol", err);
}

int weir_scenario_resolve(struct weir_scenario *scn, const struct weir_scenario_path *path, struct weir_err *err)
{
    int code = resolve(weir_topology_params, &scn->topology, path, &scn->where_topology, "topology", err);
    if (code == 0)
        code = resolve(weir_host_param_rows, &scn->host, path, &scn->where_host, "host", err);
    if (code == 0)
        code = resolve(scn->protocol->params, scn->protocol_config, path, &scn->where_protocol, "protocol", err);
    if (code == 0)
        code = resolve(weir_fabric_params, &scn->fabric, path, &scn->where_fabric, "fabric", err);
    if (code == 0)
        code = weir_features_resolve(scn, path, err);
    if (code == 0)
        code = weir_scenario_resolve_switches(scn, path, err);
    for (uint32_t i = 0; i < scn->traffic_count && code == 0; i++)
        code = resolve(weir_traffic_params, &scn->traffic[i], path, &scn->where_traffic[i], "traffic", err);
    return code;
}
