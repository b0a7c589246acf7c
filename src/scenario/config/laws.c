/* src/scenario/config/laws.c - see laws.h. */
#include "config/laws.h"
#include "config/keys.h"
#include "core/assert.h"
#include "core/feature.h"
#include "param/param.h"
#include "param/suggest.h"
#include <stdio.h>
#include <string.h>

enum { LABEL = 128, HINT = 512, PATH = 160 };

const char *const weir_laws_keys[] = { "protocol", "host", NULL };

/* Host keys of which a host has one, whatever its laws: it has one NIC. */
static const char *const of_the_nic[] = { "nic_queue", "mark", NULL };

int weir_laws_widen(struct weir_load *l, const struct weir_tree *traffic)
{
    int code = 0;
    if (traffic == NULL || traffic->kind != WEIR_TREE_LIST)
        return 0;
    for (const struct weir_tree *item = traffic->first; item != NULL && code == 0; item = item->next)
        if (item->kind == WEIR_TREE_MAP)
            code = weir_load_widen_key(l, item, "protocol", "name");
    return code;
}

struct weir_scenario_law weir_scenario_law(struct weir_scenario *scn, uint32_t law)
{
    struct weir_law_keys *keys = &scn->law[law];
    WEIR_ASSERT(law < scn->law_count);
    if (law == 0)
        return (struct weir_scenario_law){ .protocol = scn->protocol,
                                           .preset = scn->preset,
                                           .config = scn->protocol_config,
                                           .framing = &scn->framing,
                                           .host = &scn->host,
                                           .where = &scn->where_protocol,
                                           .where_host = &scn->where_host };
    return (struct weir_scenario_law){ .protocol = keys->protocol,
                                       .preset = keys->preset,
                                       .config = keys->config,
                                       .framing = &keys->framing,
                                       .host = &keys->host,
                                       .where = &keys->where,
                                       .where_host = &keys->where_host };
}

/* ---- reading ---- */

static int apply(struct weir_load *l, const struct weir_tree *map, const struct weir_param *rows,
                 const char *const *more, void *config, const char *where)
{
    return map == NULL || map->is_empty ? 0 : weir_keys_apply(map, rows, more, where, config, l->err);
}

/* Gets the token of a key that must have a single value; text NULL if the map has no such key. */
static int value_of(struct weir_load *l, const struct weir_tree *map, const char *key, struct weir_tok *tok)
{
    const struct weir_tree *node = weir_tree_find(map, key);
    *tok = (struct weir_tok){ .file = l->path };
    if (node == NULL)
        return 0;
    if (node->kind != WEIR_TREE_VALUE || node->is_empty)
        return weir_keys_fail_kind(node, key, "a single value", l->err);
    *tok = node->at;
    return 0;
}

static int find_protocol(struct weir_load *l, const struct weir_tok *name, const struct weir_protocol **found)
{
    struct weir_suggest near;
    char hint[HINT];
    weir_suggest_init(&near, name->text);
    for (*found = weir_protocols; (*found)->name != NULL; ++*found) {
        if (strcmp((*found)->name, name->text) == 0)
            return 0;
        weir_suggest_add(&near, (*found)->name);
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(l->err, WEIR_E_UNKNOWN, name, hint, "unknown protocol '%.80s'", name->text);
}

/* Sets the frames of a law with this preset: those of the preset if it has any, else the run's. */
static int read_framing(struct weir_load *l, const struct weir_tree *preset, struct weir_law_keys *law)
{
    static const char *const more[] = { "preset", NULL };
    const struct weir_tree *node = weir_tree_find(preset, "framing");
    struct weir_tree own = { .kind = WEIR_TREE_MAP };
    const struct weir_preset *row;
    struct weir_tok name;
    int code;
    if (node == NULL)
        return 0;
    code = value_of(l, node, "preset", &name);
    if (code == 0)
        code = weir_load_find_preset(l, weir_framing_presets, &name, "framing", &row);
    if (code == 0)
        code = weir_load_plant_preset(l, row, "framing", &own);
    weir_param_defaults(weir_framing_params, &law->framing);
    if (code == 0)
        code = apply(l, weir_tree_find(&own, "framing"), weir_framing_params, NULL, &law->framing, "framing");
    return code != 0 ? code : apply(l, node, weir_framing_params, more, &law->framing, "framing");
}

/* Reads an item's section `protocol`: the protocol, its keys, and the frames and host keys of its preset. own: gets the
 * keys of the preset. Host keys of the run are not used, except those of the NIC. */
static int read_protocol(struct weir_load *l, const struct weir_tree *section, const char *label,
                         struct weir_law_keys *law, struct weir_tree *own)
{
    static const char *const more[] = { "name", "preset", NULL };
    struct weir_tok name, preset_name;
    char whose[LABEL];
    int code = value_of(l, section, "name", &name);
    if (code == 0)
        code = value_of(l, section, "preset", &preset_name);
    if (code != 0)
        return code;
    if (name.text == NULL)
        return weir_fail(l->err, WEIR_E_SYNTAX, &section->at, "for example protocol: cubic",
                         "%s: 'name' is missing, the protocol of this item", label);
    code = find_protocol(l, &name, &law->protocol);
    if (code != 0)
        return code;
    law->where = name;
    law->config = weir_tree_arena_take(l->arena, law->protocol->config_bytes);
    if (law->config == NULL)
        return weir_fail_memory(l->err);
    (void)snprintf(whose, sizeof(whose), "protocol %s", name.text);
    weir_param_defaults(law->protocol->params, law->config);
    weir_param_defaults(weir_host_param_rows, &law->host);
    code = weir_load_find_preset(l, law->protocol->presets, &preset_name, whose, &law->preset);
    if (code == 0 && law->preset != NULL)
        code = weir_load_plant_preset(l, law->preset, "protocol", own);
    if (code == 0)
        code = apply(l, weir_tree_find(own, "protocol"), law->protocol->params, more, law->config, label);
    if (code == 0)
        code = apply(l, section, law->protocol->params, more, law->config, label);
    if (code == 0)
        code = read_framing(l, own, law);
    if (code == 0)
        code = apply(l, weir_tree_find(own, "host"), weir_host_param_rows, NULL, &law->host, "host");
    law->host.nic_queue = l->scn->host.nic_queue;
    law->host.mark_bytes = l->scn->host.mark_bytes;
    return code;
}

/* Reads an item's section `host`. Refuses the keys of the NIC. */
static int read_host(struct weir_load *l, const struct weir_tree *section, const char *label, struct weir_law_keys *law)
{
    for (const char *const *key = of_the_nic; *key != NULL; key++) {
        const struct weir_tree *node = weir_tree_find(section, *key);
        char hint[LABEL];
        (void)snprintf(hint, sizeof(hint), "set host.%s, which holds for all traffic", *key);
        if (node != NULL)
            return weir_fail(l->err, WEIR_E_CONFLICT, &node->key, hint,
                             "%s: a host has one NIC, so %s cannot differ between items", label, *key);
    }
    if (section != NULL)
        law->where_host = section->at;
    law->where_host.text = "host";
    return apply(l, section, weir_host_param_rows, NULL, &law->host, label);
}

static int read_class(struct weir_load *l, const struct weir_tree *item, uint32_t class_id, struct weir_law_keys *law)
{
    const struct weir_tree *node = weir_tree_find(item, "class");
    if (class_id == WEIR_TRAFFIC_CLASS_AUTO)
        return 0;
    if (law->protocol->credit != NULL)
        return weir_fail(l->err, WEIR_E_CONFLICT, node != NULL ? &node->key : &law->where, "leave class out",
                         "class: protocol %s chooses the classes of its data itself", law->protocol->name);
    law->host.data_class = class_id;
    return 0;
}

static bool same_law(const struct weir_scenario_law *a, const struct weir_law_keys *b)
{
    return a->protocol == b->protocol && memcmp(a->config, b->config, b->protocol->config_bytes) == 0 &&
           memcmp(a->host, &b->host, sizeof(b->host)) == 0 && memcmp(a->framing, &b->framing, sizeof(b->framing)) == 0;
}

/* Gives an item the law, or an equal one that is there already. */
static int add_law(struct weir_load *l, uint32_t index, const struct weir_law_keys *law)
{
    struct weir_scenario *scn = l->scn;
    for (uint32_t k = 0; k < scn->law_count; k++) {
        struct weir_scenario_law known = weir_scenario_law(scn, k);
        if (same_law(&known, law)) {
            scn->law_of_item[index] = (uint8_t)k;
            return 0;
        }
    }
    if (scn->law_count == WEIR_LAWS_MAX + 1) /* one of them may turn out to have no item: weir_laws_settle() */
        return weir_fail(l->err, WEIR_E_RANGE, &law->where, "give items the same protocol and host keys",
                         "traffic: more than %u laws, which are protocols with their keys and host keys",
                         WEIR_LAWS_MAX);
    scn->law_of_item[index] = (uint8_t)scn->law_count;
    scn->law[scn->law_count++] = *law;
    return 0;
}

int weir_laws_read(struct weir_load *l, const struct weir_tree *item, uint32_t index)
{
    struct weir_scenario *scn = l->scn;
    const struct weir_tree *section = weir_tree_find(item, "protocol"), *host = weir_tree_find(item, "host");
    uint32_t class_id = scn->traffic[index].class_id;
    struct weir_law_keys law;
    char label[LABEL];
    int code = 0;
    scn->law_of_item[index] = 0;
    if (section == NULL && host == NULL && class_id == WEIR_TRAFFIC_CLASS_AUTO)
        return 0;
    memset(&law, 0, sizeof(law)); /* same_law() compares all bytes */
    law.protocol = scn->protocol;
    law.preset = scn->preset;
    law.config = scn->protocol_config;
    law.where = law.where_host = scn->where_traffic[index];
    law.own_protocol = section != NULL;
    memcpy(&law.framing, &scn->framing, sizeof(law.framing));
    memcpy(&law.host, &scn->host, sizeof(law.host));
    (void)snprintf(label, sizeof(label), "traffic[%u].protocol", (unsigned)index);
    if (section != NULL && section->kind != WEIR_TREE_MAP)
        return weir_keys_fail_kind(section, label, "a protocol's name, or a map", l->err);
    l->item_preset[index] = (struct weir_tree){ .kind = WEIR_TREE_MAP };
    if (section != NULL)
        code = read_protocol(l, section, label, &law, &l->item_preset[index]);
    (void)snprintf(label, sizeof(label), "traffic[%u].host", (unsigned)index);
    if (code == 0)
        code = read_host(l, host, label, &law);
    if (code == 0)
        code = read_class(l, item, class_id, &law);
    return code != 0 ? code : add_law(l, index, &law);
}

/* Makes law 1 the run's, which has no item. */
static void promote(struct weir_scenario *scn)
{
    const struct weir_law_keys *first = &scn->law[1];
    scn->protocol = first->protocol;
    scn->preset = first->preset;
    scn->protocol_config = first->config;
    scn->framing = first->framing;
    scn->host = first->host;
    scn->where_protocol = first->where;
    scn->where_host = first->where_host;
    scn->law_count--;
    for (uint32_t k = 1; k < scn->law_count; k++)
        scn->law[k] = scn->law[k + 1];
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        scn->law_of_item[i]--;
}

int weir_laws_settle(struct weir_load *l)
{
    struct weir_scenario *scn = l->scn;
    bool used = false;
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        used |= scn->law_of_item[i] == 0;
    if (!used)
        promote(scn);
    if (scn->law_count > WEIR_LAWS_MAX)
        return weir_fail(
            l->err, WEIR_E_RANGE, &scn->law[WEIR_LAWS_MAX].where, "give items the same protocol and host keys",
            "traffic: more than %u laws, which are protocols with their keys and host keys", WEIR_LAWS_MAX);
    return 0;
}

/* ---- presets ---- */

struct table { /* rows of a section, and the struct that they fill */
    const struct weir_param *rows;
    const void *config;
    size_t bytes;
    const struct weir_alternative *alternatives;
};

/* Finds the row of the key "section.key" outside laws. @return NULL = no such key, or its feature is not on */
static const struct weir_param *find_row(const struct weir_scenario *scn, const char *section, const char *key,
                                         struct table *at)
{
    const struct weir_param *row;
    const struct table fixed[] = { { weir_topology_params, &scn->topology, sizeof(scn->topology), NULL },
                                   { weir_run_params, &scn->run, sizeof(scn->run), NULL },
                                   { weir_host_param_rows, &scn->host, sizeof(scn->host), NULL },
                                   { weir_routing_params, &scn->routing, sizeof(scn->routing), NULL },
                                   { weir_fabric_params, &scn->fabric, sizeof(scn->fabric), NULL } };
    static const char *const names[] = { "topology", "run", "host", "fabric.routing", "fabric" };
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        *at = fixed[i];
        if (strcmp(names[i], section) == 0 && (row = weir_param_find(at->rows, key)) != NULL)
            return row;
    }
    for (uint32_t i = 0; i < scn->feature_count; i++) {
        const struct weir_feature_keys *f = &scn->feature[i];
        const char *own = f->row->section != NULL ? f->row->section : "";
        const char *wanted = strncmp(section, "fabric.", 7) == 0 ? section + 7 : "";
        if (f->config == NULL || strcmp(own, wanted) != 0 || (f->row->section_enables && !f->is_set))
            continue;
        *at = (struct table){ f->row->params, f->config, f->row->config_bytes, f->row->alternatives };
        if ((row = weir_param_find(at->rows, key)) != NULL)
            return row;
    }
    return NULL;
}

/* Tests whether the file sets a key itself, or another key instead of it. file: the section in the file; NULL = none */
static bool file_decides(const struct weir_tree *file, const char *key, const struct weir_alternative *alternatives)
{
    bool decides = weir_tree_find(file, key) != NULL;
    for (const struct weir_alternative *a = alternatives; a != NULL && a->key != NULL; a++)
        for (uint32_t i = 0; i < 2; i++)
            decides |=
                a->instead_of[i] != NULL && strcmp(a->instead_of[i], key) == 0 && weir_tree_find(file, a->key) != NULL;
    return decides;
}

/* Checks one key of a preset, "section.key: value", against the value that the run has. */
static int check_key(struct weir_load *l, uint32_t index, const char *section, const struct weir_tree *node,
                     const struct weir_tree *file)
{
    const struct weir_scenario *scn = l->scn;
    const char *key = node->key.text, *text = node->at.text;
    struct table at = { .rows = NULL };
    const struct weir_param *row = find_row(scn, section, key, &at);
    char has[HINT / 2] = "off", hint[HINT];
    if (file_decides(file, key, at.alternatives))
        return 0;
    if (row != NULL) {
        void *copy = weir_tree_arena_take(l->arena, at.bytes);
        int code;
        if (copy == NULL)
            return weir_fail_memory(l->err);
        memcpy(copy, at.config, at.bytes);
        code = weir_param_set(row, &node->at, copy, l->err);
        if (code != 0 || memcmp(copy, at.config, at.bytes) == 0)
            return code;
        weir_param_print(row, at.config, has, sizeof(has));
    }
    (void)snprintf(hint, sizeof(hint), "write %s: {%s: %s}, or the value that all traffic shall have", section, key,
                   text);
    return weir_fail(l->err, WEIR_E_CONFLICT, &scn->where_traffic[index], hint,
                     "traffic[%u]: the preset of its protocol sets %s.%s to %s, and for the whole run it is %s",
                     (unsigned)index, section, key, text, has);
}

/* Checks all keys of a section of a preset. file: the same section in the file; NULL = it has none */
static int check_section(struct weir_load *l, uint32_t index, const char *section, const struct weir_tree *preset,
                         const struct weir_tree *file)
{
    int code = 0;
    for (const struct weir_tree *node = preset->first; node != NULL && code == 0; node = node->next) {
        char path[PATH];
        (void)snprintf(path, sizeof(path), "%s.%s", section, node->key.text);
        if (node->kind == WEIR_TREE_MAP)
            code = check_section(l, index, path, node, weir_tree_find(file, node->key.text));
        else if (strcmp(section, "host") != 0 || weir_keys_listed(of_the_nic, node->key.text))
            code = check_key(l, index, section, node, file);
    }
    return code;
}

int weir_laws_check_presets(struct weir_load *l)
{
    int code = 0;
    for (uint32_t i = 0; i < l->scn->traffic_count; i++)
        for (const struct weir_tree *s = l->item_preset[i].first; s != NULL && code == 0; s = s->next)
            if (strcmp(s->key.text, "protocol") != 0 && strcmp(s->key.text, "framing") != 0)
                code = check_section(l, i, s->key.text, s, weir_tree_find(l->file, s->key.text));
    return code;
}
