/* src/scenario/config/sections.c - reads the tree's sections into checked structs. Presets are a tree of their own, so
 * the same rows check every value. Precedence is the order in which the trees are applied. */
#include "config/features.h"
#include "config/keys.h"
#include "config/kinds.h"
#include "config/laws.h"
#include "config/load.h"
#include "config/names.h"
#include "config/switches.h"
#include "core/assert.h"
#include "core/utf8.h"
#include "param/param.h"
#include "param/suggest.h"
#include <stdio.h>
#include <string.h>

enum { LABEL = 320, HINT = 512 };
#define PROTOCOL_DEFAULT "dctcp"

/* Returns the position of a section, for errors that are found later, with label as text. node NULL = the file as a
 * whole */
static struct weir_tok where_of(const struct weir_load *l, const struct weir_tree *node, const char *label)
{
    struct weir_tok tok = node != NULL ? node->at : (struct weir_tok){ .file = l->path };
    tok.text = label;
    return tok;
}

/* --- keys of a section --- */

/* Sets the keys of a map in config by weir_keys_apply(); does nothing if map is NULL or empty. more: keys that the
 * caller reads itself */
static int apply(struct weir_load *l, const struct weir_tree *map, const struct weir_param *rows,
                 const char *const *more, void *config, const char *where)
{
    return map == NULL || map->is_empty ? 0 : weir_keys_apply(map, rows, more, where, config, l->err);
}

/* Sets a section's keys in config: those of the preset first, then those of the file, which override them. */
static int apply_both(struct weir_load *l, const char *section, const struct weir_param *rows, const char *const *more,
                      void *config)
{
    int code = apply(l, weir_tree_find(&l->preset, section), rows, more, config, section);
    return code != 0 ? code : apply(l, weir_tree_find(l->file, section), rows, more, config, section);
}

/* Gets the token of a key that must have a single value; text NULL if the section has no such key. @return 0, or
 * WEIR_E_SYNTAX with l->err */
static int value_of(struct weir_load *l, const struct weir_tree *section, const char *key, struct weir_tok *tok)
{
    const struct weir_tree *node = weir_tree_find(section, key);
    *tok = (struct weir_tok){ .file = l->path };
    if (node == NULL)
        return 0;
    if (node->kind != WEIR_TREE_VALUE || node->is_empty)
        return weir_keys_fail_kind(node, key, "a single value", l->err);
    *tok = node->at;
    return 0;
}

/* --- the sections, in the order of their dependencies --- */

/* Sets scn->protocol to the registry's row of this name, and allocates scn->protocol_config in the arena. @return 0, or
 * a code with l->err */
static int find_protocol(struct weir_load *l, const struct weir_tok *name)
{
    const struct weir_protocol *row = weir_protocols;
    struct weir_suggest near;
    char hint[HINT];
    if (weir_variants_find(l->scn, name->text) != NULL) /* "protocol=NAME" was replaced before */
        return weir_fail(l->err, WEIR_E_CONFLICT, name, "the setting protocol=NAME runs a variant",
                         "protocol: '%s' is a variant, and the file itself has a protocol", name->text);
    weir_suggest_init(&near, name->text);
    for (; row->name != NULL && strcmp(row->name, name->text) != 0; row++)
        weir_suggest_add(&near, row->name);
    for (uint32_t i = 0; i < l->scn->variant_count; i++)
        weir_suggest_add(&near, l->scn->variant[i].name);
    weir_suggest_hint(&near, hint, sizeof(hint));
    if (row->name == NULL)
        return weir_fail(l->err, WEIR_E_UNKNOWN, name, hint, "unknown protocol '%.80s'", name->text);
    l->scn->protocol = row;
    l->scn->where_protocol = *name;
    l->scn->protocol_config = weir_tree_arena_take(l->arena, row->config_bytes);
    return l->scn->protocol_config != NULL ? 0 : weir_fail_memory(l->err);
}

static int read_protocol(struct weir_load *l)
{
    static const char *const more[] = { "name", "preset", NULL };
    const struct weir_tree *section = weir_tree_find(l->file, "protocol");
    void *config;
    const struct weir_param *rows;
    const struct weir_preset *preset;
    struct weir_tok name, preset_name;
    char label[LABEL];
    int code = value_of(l, section, "name", &name);
    if (code == 0)
        code = value_of(l, section, "preset", &preset_name);
    if (name.text == NULL)
        name.text = PROTOCOL_DEFAULT;
    if (code == 0)
        code = find_protocol(l, &name);
    if (code != 0)
        return code;
    rows = l->scn->protocol->params;
    config = l->scn->protocol_config;
    weir_param_defaults(rows, config);
    (void)snprintf(label, sizeof(label), "protocol %s", name.text);
    code = weir_load_find_preset(l, l->scn->protocol->presets, &preset_name, label, &preset);
    l->scn->preset = preset;
    if (code == 0 && preset != NULL)
        code = weir_load_plant_preset(l, preset, "protocol", &l->preset);
    if (code == 0)
        code = apply(l, weir_tree_find(&l->preset, "protocol"), rows, more, config, label);
    return code != 0 ? code : apply(l, section, rows, more, config, label);
}

/* Reads the framing. If the file names a framing, all framing keys of the protocol's preset are ignored. */
static int read_framing(struct weir_load *l)
{
    static const char *const more[] = { "preset", NULL };
    const struct weir_tree *node = weir_tree_find(&l->preset, "framing"), *section = weir_tree_find(l->file, "framing");
    struct weir_tree own = { .kind = WEIR_TREE_MAP };
    const struct weir_preset *preset;
    struct weir_tok name;
    int code = value_of(l, section, "preset", &name);
    if (code == 0 && name.text != NULL)
        node = NULL;
    else if (code == 0)
        code = value_of(l, node, "preset", &name);
    if (code == 0)
        code = weir_load_find_preset(l, weir_framing_presets, &name, "framing", &preset);
    if (code == 0)
        code = weir_load_plant_preset(l, preset, "framing", &own);
    weir_param_defaults(weir_framing_params, &l->scn->framing);
    if (code == 0)
        code = apply(l, weir_tree_find(&own, "framing"), weir_framing_params, NULL, &l->scn->framing, "framing");
    if (code == 0)
        code = apply(l, node, weir_framing_params, more, &l->scn->framing, "framing");
    return code != 0 ? code : apply(l, section, weir_framing_params, more, &l->scn->framing, "framing");
}

/* Clears k and oversubscription, which have defaults, if a fat-tree is given by pods, edges, aggs, uplinks or
 * edge_hosts. @return 0, or WEIR_E_CONFLICT with l->err if the file gives k or oversubscription as well */
static int settle_fat_tree(struct weir_load *l)
{
    static const char *const keys[] = { "k", "oversubscription", NULL };
    struct weir_topology_config *cfg = &l->scn->topology;
    const struct weir_tree *section = weir_tree_find(l->file, "topology"), *node;
    if (cfg->kind != WEIR_FAT_TREE || (cfg->pods | cfg->edges | cfg->aggs | cfg->uplinks | cfg->edge_hosts) == 0)
        return 0;
    for (const char *const *key = keys; *key != NULL; key++)
        if ((node = weir_tree_find(section, *key)) != NULL)
            return weir_fail(l->err, WEIR_E_CONFLICT, &node->key,
                             "pods, edges, aggs, uplinks and edge_hosts together, or k and oversubscription",
                             "%s: a fat-tree that is given by its pods has none", *key);
    cfg->k = cfg->oversubscription = 0;
    return 0;
}

/* Sets `hosts` to 1 if no file or preset gives it and it is the number at each switch. The default of its row is for
 * kinds in which it is the number of all hosts. */
static void settle_hosts(struct weir_load *l)
{
    struct weir_topology_config *cfg = &l->scn->topology;
    const struct weir_tree *file = weir_tree_find(l->file, "topology"),
                           *preset = weir_tree_find(&l->preset, "topology");
    bool by_switch = cfg->kind == WEIR_DRAGONFLY || cfg->kind == WEIR_TORUS;
    if (by_switch && weir_tree_find(file, "hosts") == NULL && weir_tree_find(preset, "hosts") == NULL)
        cfg->hosts = 1;
}

/* Sets the keys of a section inside `fabric` in config: those of the preset first, then those of the file. */
static int apply_inner(struct weir_load *l, const char *key, const struct weir_param *rows, void *config,
                       const char *where)
{
    const struct weir_tree *preset = weir_tree_find(&l->preset, "fabric"), *file = weir_tree_find(l->file, "fabric");
    int code = apply(l, weir_tree_find(preset, key), rows, NULL, config, where);
    return code != 0 ? code : apply(l, weir_tree_find(file, key), rows, NULL, config, where);
}

static int read_fabric(struct weir_load *l)
{
    static const char *const own[] = { "routing", WEIR_SWITCHES_KEY, NULL };
    const char **more = weir_features_names(l->arena, own);
    const struct weir_tree *section = weir_tree_find(l->file, "fabric");
    int code;
    if (more == NULL)
        return weir_fail_memory(l->err);
    code = apply_both(l, "fabric", weir_fabric_params, more, &l->scn->fabric);
    l->scn->where_fabric = where_of(l, section, "fabric");
    if (code == 0)
        code = apply_inner(l, "routing", weir_routing_params, &l->scn->routing, "fabric.routing");
    if (code == 0)
        code = weir_features_read(l);
    return code != 0 ? code : weir_switches_read(l);
}

/* Reads the list `hosts`, which may be missing. */
static int read_hosts(struct weir_load *l)
{
    static const char *const hint = "for example hosts: [{at: rack 3, link: 25 Gbps}]";
    const struct weir_tree *list = weir_tree_find(l->file, "hosts");
    uint32_t index = 0;
    if (list == NULL || list->is_empty)
        return 0;
    if (list->kind != WEIR_TREE_LIST)
        return weir_keys_fail_kind(list, "hosts", "a list", l->err);
    if (list->count > WEIR_HOST_ITEMS_MAX)
        return weir_fail(l->err, WEIR_E_RANGE, &list->at, NULL, "hosts: %u items, at most %u are possible", list->count,
                         WEIR_HOST_ITEMS_MAX);
    for (const struct weir_tree *item = list->first; item != NULL; item = item->next, index++) {
        struct weir_host_item *to = &l->scn->hosts[index];
        char label[LABEL];
        int code;
        (void)snprintf(label, sizeof(label), "hosts[%u]", index);
        weir_param_defaults(weir_host_item_params, to);
        l->scn->where_hosts[index] = where_of(l, item, "hosts");
        if (item->kind != WEIR_TREE_MAP)
            return weir_keys_fail_kind(item, label, "a map", l->err);
        code = apply(l, item, weir_host_item_params, weir_laws_hosts_keys, to, label);
        if (code == 0 && to->at[0] == '\0')
            code = weir_fail(l->err, WEIR_E_SYNTAX, &l->scn->where_hosts[index], hint, "%s: at is missing", label);
        if (code == 0)
            code = weir_laws_read_hosts(l, item, index);
        if (code != 0)
            return code;
    }
    l->scn->hosts_count = list->count;
    return 0;
}

static int read_traffic(struct weir_load *l)
{
    static const char *const hint = "for example traffic: [{kind: poisson, sizes: websearch, load: 50%}]";
    const struct weir_tree *list = weir_tree_find(l->file, "traffic");
    uint32_t index = 0;
    if (list == NULL)
        return 0; /* of a switch of real frames: programs send it, and a run refuses this */
    if (list->is_empty || (list->kind == WEIR_TREE_LIST && list->count == 0)) {
        struct weir_tok tok = where_of(l, list, "traffic");
        return weir_fail(l->err, WEIR_E_SYNTAX, &tok, hint, "traffic: at least one item is needed");
    }
    if (list->kind != WEIR_TREE_LIST)
        return weir_keys_fail_kind(list, "traffic", "a list", l->err);
    if (list->count > WEIR_TRAFFIC_MAX)
        return weir_fail(l->err, WEIR_E_RANGE, &list->at, NULL, "traffic: %u items, at most %u are possible",
                         list->count, WEIR_TRAFFIC_MAX);
    for (const struct weir_tree *item = list->first; item != NULL; item = item->next, index++) {
        char label[LABEL];
        int code;
        (void)snprintf(label, sizeof(label), "traffic[%u]", index);
        weir_param_defaults(weir_traffic_params, &l->scn->traffic[index]);
        l->scn->where_traffic[index] = where_of(l, item, "traffic");
        if (item->kind != WEIR_TREE_MAP)
            return weir_keys_fail_kind(item, label, "a map", l->err);
        code = weir_load_join_list(l, item, "groups");
        if (code == 0)
            code = apply(l, item, weir_traffic_params, weir_laws_keys, &l->scn->traffic[index], label);
        if (code == 0)
            code = weir_kinds_check_traffic(l, item, index);
        if (code == 0)
            code = weir_laws_read(l, item, index);
        if (code != 0)
            return code;
    }
    l->scn->traffic_count = list->count;
    return weir_laws_settle(l);
}

/* Checks a map of the section `switch`, from names of hosts to texts. */
static int check_hosts_map(struct weir_load *l, const struct weir_tree *map)
{
    char label[LABEL];
    (void)snprintf(label, sizeof(label), "switch.%s", map->key.text);
    if (map->kind != WEIR_TREE_MAP)
        return weir_keys_fail_kind(map, label, "a map of hosts", l->err);
    for (const struct weir_tree *host = map->first; host != NULL; host = host->next)
        if (host->kind != WEIR_TREE_VALUE || host->is_empty)
            return weir_keys_fail_kind(host, label, "a single value", l->err);
    return 0;
}

/* Reads the section `switch`, which may be missing: sets scn->deployed. The names of hosts are for who knows the
 * topology. */
static int read_switch(struct weir_load *l)
{
    static const char *const maps[] = { "ports", "addresses", NULL };
    struct weir_deployed_config *config = &l->scn->deployed_config;
    int code;
    weir_param_default(weir_param_find(weir_deployed_params, "udp_port"), config);
    weir_param_default(weir_param_find(weir_deployed_params, "pfc_frames"), config);
    const struct weir_tree *section = weir_tree_find(l->file, "switch");
    if (section == NULL)
        return 0;
    if (section->kind != WEIR_TREE_MAP)
        return weir_keys_fail_kind(section, "switch", "a map", l->err);
    code = apply(l, section, weir_deployed_params, maps, config, "switch");
    for (size_t i = 0; maps[i] != NULL && code == 0; i++) {
        const struct weir_tree *map = weir_tree_find(section, maps[i]);
        code = map != NULL ? check_hosts_map(l, map) : 0;
    }
    if (code != 0)
        return code;
    l->scn->deployed = section;
    return 0;
}

/* Sets scn->name to the key `name`, or without that key to the file's name: "a/b/incast.yaml" gives "incast". In a
 * file's name each control character becomes '_'. */
static int read_name(struct weir_load *l)
{
    static const struct weir_param row = {
        .key = "name", .kind = WEIR_KIND_TEXT, .min = 1, .hint = "what results call it"
    };
    const char *slash = strrchr(l->path, '/'), *stem = slash != NULL ? slash + 1 : l->path, *dot = strrchr(stem, '.');
    size_t len = dot != NULL && dot > stem ? (size_t)(dot - stem) : strlen(stem);
    struct weir_tok tok;
    int code = value_of(l, l->file, "name", &tok);
    if (code == 0 && tok.text != NULL)
        return weir_param_set(&row, &tok, l->scn->name, l->err);
    (void)snprintf(l->scn->name, sizeof(l->scn->name), "%.*s", (int)(len < WEIR_TEXT_MAX ? len : WEIR_TEXT_MAX), stem);
    for (char *c = l->scn->name; *c != '\0'; c++) /* control characters are not allowed in the key `name` either */
        *c = weir_is_control(*c) ? '_' : *c;
    return code;
}

int weir_load_read(struct weir_load *l)
{
    struct weir_scenario *scn = l->scn;
    int code;
    weir_param_defaults(weir_topology_params, &scn->topology);
    weir_param_defaults(weir_host_param_rows, &scn->host);
    weir_param_defaults(weir_fabric_params, &scn->fabric);
    weir_param_defaults(weir_routing_params, &scn->routing);
    weir_param_defaults(weir_run_params, &scn->run);
    scn->where_topology = where_of(l, weir_tree_find(l->file, "topology"), "topology");
    scn->where_run = where_of(l, weir_tree_find(l->file, "run"), "run");
    code = read_name(l);
    if (code == 0)
        code = read_protocol(l);
    if (code == 0)
        code = read_framing(l);
    if (code == 0)
        code = apply_both(l, "topology", weir_topology_params, NULL, &scn->topology);
    if (code == 0)
        code = weir_kinds_check_topology(l, weir_tree_find(l->file, "topology"));
    if (code == 0)
        code = settle_fat_tree(l);
    if (code == 0)
        settle_hosts(l);
    if (code == 0)
        code = apply_both(l, "host", weir_host_param_rows, NULL, &scn->host);
    scn->where_host = where_of(l, weir_tree_find(l->file, "host"), "host");
    scn->law_count = 1;
    if (code == 0)
        code = read_hosts(l);
    if (code == 0)
        code = read_fabric(l);
    if (code == 0)
        code = read_switch(l);
    if (code == 0)
        code = read_traffic(l);
    if (code == 0)
        code = apply_both(l, "run", weir_run_params, NULL, &scn->run);
    return code != 0 ? code : weir_laws_check_presets(l);
}
