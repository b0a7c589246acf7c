/* src/scenario/config/law_presets.c - presets of the protocols of items and hosts against the fabric of the run; see
 * laws.h. */
#include "config/keys.h"
#include "config/laws.h"
#include "core/feature.h"
#include <stdio.h>
#include <string.h>

enum { LABEL = 128, HINT = 512, PATH = 160 };

struct law_said {      /* where a law is said */
    const char *label; /* as the user knows it: "traffic[0].deploy" */
    struct weir_tok where;
    const struct weir_tree *preset; /* keys of the protocol's preset */
};

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

/* Checks one key of a preset, "section.key: value", against the value that the run has. said: where its law
 * is said */
static int check_key(struct weir_load *l, const struct law_said *said, const char *section,
                     const struct weir_tree *node, const struct weir_tree *file)
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
    return weir_fail(l->err, WEIR_E_CONFLICT, &said->where, hint,
                     "%s: the preset of its protocol sets %s.%s to %s, and for the whole run it is %s", said->label,
                     section, key, text, has);
}

/* Checks all keys of a section of a preset. file: the same section in the file; NULL = it has none */
static int check_section(struct weir_load *l, const struct law_said *said, const char *section,
                         const struct weir_tree *preset, const struct weir_tree *file)
{
    int code = 0;
    for (const struct weir_tree *node = preset->first; node != NULL && code == 0; node = node->next) {
        char path[PATH];
        (void)snprintf(path, sizeof(path), "%s.%s", section, node->key.text);
        if (node->kind == WEIR_TREE_MAP)
            code = check_section(l, said, path, node, weir_tree_find(file, node->key.text));
        else if (strcmp(section, "host") != 0 || weir_keys_listed(weir_laws_of_the_nic, node->key.text))
            code = check_key(l, said, section, node, file);
    }
    return code;
}

static int check_preset(struct weir_load *l, const struct law_said *said)
{
    int code = 0;
    for (const struct weir_tree *s = said->preset->first; s != NULL && code == 0; s = s->next)
        if (strcmp(s->key.text, "protocol") != 0 && strcmp(s->key.text, "framing") != 0)
            code = check_section(l, said, s->key.text, s, weir_tree_find(l->file, s->key.text));
    return code;
}

int weir_laws_check_presets(struct weir_load *l)
{
    const struct weir_scenario *scn = l->scn;
    char label[LABEL];
    struct law_said said = { .label = label };
    int code = 0;
    for (uint32_t i = 0; i < scn->traffic_count && code == 0; i++) {
        (void)snprintf(label, sizeof(label), "traffic[%u]", (unsigned)i);
        said.where = scn->where_traffic[i];
        said.preset = &l->item_preset[i];
        code = check_preset(l, &said);
        (void)snprintf(label, sizeof(label), "traffic[%u].deploy", (unsigned)i);
        said.preset = &l->deploy_preset[i];
        if (code == 0)
            code = check_preset(l, &said);
    }
    for (uint32_t i = 0; i < scn->hosts_count && code == 0; i++) {
        (void)snprintf(label, sizeof(label), "hosts[%u]", (unsigned)i);
        said.where = scn->where_hosts[i];
        said.preset = &l->hosts_preset[i];
        code = check_preset(l, &said);
    }
    return code;
}
