/* src/scenario/config/laws.c - see laws.h. */
#include "config/laws.h"
#include "config/keys.h"
#include "core/assert.h"
#include "param/param.h"
#include "param/suggest.h"
#include <stdio.h>
#include <string.h>

enum { LABEL = 128, HINT = 512 };

const char *const weir_laws_keys[] = { "protocol", "host", "deploy", NULL };
const char *const weir_laws_hosts_keys[] = { "protocol", "host", NULL };
static const char *const deploy_keys[] = { "protocol", "host", NULL };

static const char *const deploy_by[] = { [WEIR_DEPLOY_MESSAGES] = "messages", [WEIR_DEPLOY_HOSTS] = "hosts", NULL };
static const struct weir_keyword own_class = { "auto", WEIR_TRAFFIC_CLASS_AUTO };

const struct weir_param weir_deploy_params[] = {
    WEIR_PARAM_NAMED("share", struct weir_deploy, share_ppm, WEIR_KIND_PPM, 0, 1000000, WEIR_SHARE_NONE,
                     "how many of the item's messages have this protocol; required"),
    WEIR_PARAM_CHOICE(
        "by", struct weir_deploy, by, deploy_by, WEIR_DEPLOY_MESSAGES,
        "messages = each message is drawn, whatever its size; hosts = hosts are drawn, and all that these "
        "send has it. What has it at one share has it at larger ones"),
    WEIR_PARAM_KEYWORD("class", struct weir_deploy, class_id, WEIR_KIND_U32, 0, 7, WEIR_TRAFFIC_CLASS_AUTO, &own_class,
                       "priority class of their data, as of an item"),
    { 0 },
};

const char *const weir_laws_of_the_nic[] = { "nic_queue", "nics", "nic_schedule", "nic_rate", "mark", NULL };

int weir_laws_widen(struct weir_load *l, const struct weir_tree *list)
{
    int code = 0;
    if (list == NULL || list->kind != WEIR_TREE_LIST)
        return 0;
    for (const struct weir_tree *item = list->first; item != NULL && code == 0; item = item->next) {
        const struct weir_tree *deploy = item->kind == WEIR_TREE_MAP ? weir_tree_find(item, "deploy") : NULL;
        if (item->kind == WEIR_TREE_MAP)
            code = weir_load_widen_key(l, item, "protocol", "name");
        if (code == 0 && deploy != NULL && deploy->kind == WEIR_TREE_MAP)
            code = weir_load_widen_key(l, deploy, "protocol", "name");
    }
    return code;
}

uint32_t weir_scenario_laws_of_item(const struct weir_scenario *scn, uint32_t item)
{
    uint32_t laws = 1u << scn->law_of_item[item];
    if (scn->deploy[item].share_ppm != WEIR_SHARE_NONE)
        laws |= 1u << scn->law_of_deploy[item];
    for (uint32_t i = 0; i < scn->hosts_count && !scn->own_law[item]; i++)
        if (scn->law_of_hosts[i] != WEIR_LAW_NONE)
            laws |= 1u << scn->law_of_hosts[i];
    return laws;
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
    law->host.nics = l->scn->host.nics;
    law->host.nic_schedule = l->scn->host.nic_schedule;
    law->host.nic_rate_ppm = l->scn->host.nic_rate_ppm;
    law->host.mark_bytes = l->scn->host.mark_bytes;
    return code;
}

/* Reads an item's section `host`. Refuses the keys of the NIC. */
static int read_host(struct weir_load *l, const struct weir_tree *section, const char *label, struct weir_law_keys *law)
{
    for (const char *const *key = weir_laws_of_the_nic; *key != NULL; key++) {
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
    return a->protocol == b->protocol && weir_params_same(b->protocol->params, a->config, b->config) &&
           weir_params_same(weir_host_param_rows, a->host, &b->host) &&
           memcmp(a->framing, &b->framing, sizeof(b->framing)) == 0;
}

/* Adds a law to the list, unless an equal one is there already. *number: gets the number of the law */
static int add_law(struct weir_load *l, const struct weir_law_keys *law, uint8_t *number)
{
    struct weir_scenario *scn = l->scn;
    for (uint32_t k = 0; k < scn->law_count; k++) {
        struct weir_scenario_law known = weir_scenario_law(scn, k);
        if (same_law(&known, law)) {
            *number = (uint8_t)k;
            return 0;
        }
    }
    if (scn->law_count == WEIR_LAWS_MAX + 1) /* one of them may turn out to have no item: weir_laws_settle() */
        return weir_fail(l->err, WEIR_E_RANGE, &law->where, "give items the same protocol and host keys",
                         "traffic: more than %u laws, which are protocols with their keys and host keys",
                         WEIR_LAWS_MAX);
    *number = (uint8_t)scn->law_count;
    scn->law[scn->law_count++] = *law;
    return 0;
}

struct law_said { /* where a law is said: an item, or its section `deploy` */
    const struct weir_tree *map;
    const char *label; /* as the user knows it: "traffic[0].deploy" */
    struct weir_tok where;
    uint32_t class_id;        /* WEIR_TRAFFIC_CLASS_AUTO = no class */
    struct weir_tree *preset; /* gets the keys of the protocol's preset */
};

/* Tests whether the location says anything of its law. */
static bool says_law(const struct law_said *at)
{
    return weir_tree_find(at->map, "protocol") != NULL || weir_tree_find(at->map, "host") != NULL ||
           at->class_id != WEIR_TRAFFIC_CLASS_AUTO;
}

/* Reads the law that is said at a location: the run's with what is said there, or another protocol. *number: gets the
 * number of the law */
static int read_law(struct weir_load *l, const struct law_said *at, uint8_t *number)
{
    struct weir_scenario *scn = l->scn;
    const struct weir_tree *section = weir_tree_find(at->map, "protocol"), *host = weir_tree_find(at->map, "host");
    struct weir_law_keys law;
    char label[LABEL];
    int code = 0;
    memset(&law, 0, sizeof(law)); /* same_law() compares all bytes */
    law.protocol = scn->protocol;
    law.preset = scn->preset;
    law.config = weir_tree_arena_take(l->arena, scn->protocol->config_bytes + 1u);
    if (law.config == NULL)
        return weir_fail_memory(l->err);
    memcpy(law.config, scn->protocol_config, scn->protocol->config_bytes); /* set-up fits it to the law's messages */
    law.where = law.where_host = at->where;
    law.own_protocol = section != NULL;
    memcpy(&law.framing, &scn->framing, sizeof(law.framing));
    memcpy(&law.host, &scn->host, sizeof(law.host));
    (void)snprintf(label, sizeof(label), "%s.protocol", at->label);
    if (section != NULL && section->kind != WEIR_TREE_MAP)
        return weir_keys_fail_kind(section, label, "a protocol's name, or a map", l->err);
    *at->preset = (struct weir_tree){ .kind = WEIR_TREE_MAP };
    if (section != NULL)
        code = read_protocol(l, section, label, &law, at->preset);
    (void)snprintf(label, sizeof(label), "%s.host", at->label);
    if (code == 0)
        code = read_host(l, host, label, &law);
    if (code == 0)
        code = read_class(l, at->map, at->class_id, &law);
    return code != 0 ? code : add_law(l, &law, number);
}

/* Reads an item's section `deploy`, if it has one. */
static int read_deploy(struct weir_load *l, const struct weir_tree *item, uint32_t index)
{
    static const char *const hint = "for example deploy: {share: 25%, protocol: sird}";
    struct weir_scenario *scn = l->scn;
    struct weir_deploy *deploy = &scn->deploy[index];
    char label[LABEL];
    struct law_said at = { .map = weir_tree_find(item, "deploy"), .label = label, .preset = &l->deploy_preset[index] };
    int code;
    weir_param_defaults(weir_deploy_params, deploy);
    scn->law_of_deploy[index] = scn->law_of_item[index];
    if (at.map == NULL)
        return 0;
    (void)snprintf(label, sizeof(label), "traffic[%u].deploy", (unsigned)index);
    if (at.map->kind != WEIR_TREE_MAP)
        return weir_keys_fail_kind(at.map, label, "a map", l->err);
    code = apply(l, at.map, weir_deploy_params, deploy_keys, deploy, label);
    if (code != 0)
        return code;
    at.where = at.map->key;
    at.class_id = deploy->class_id;
    if (deploy->share_ppm == WEIR_SHARE_NONE)
        return weir_fail(l->err, WEIR_E_SYNTAX, &at.where, hint, "%s: share is missing", label);
    if (!says_law(&at))
        return weir_fail(l->err, WEIR_E_SYNTAX, &at.where, hint, "%s: protocol is missing", label);
    return read_law(l, &at, &scn->law_of_deploy[index]);
}

int weir_laws_read(struct weir_load *l, const struct weir_tree *item, uint32_t index)
{
    struct weir_scenario *scn = l->scn;
    char label[LABEL];
    const struct law_said at = { .map = item,
                                 .label = label,
                                 .where = scn->where_traffic[index],
                                 .class_id = scn->traffic[index].class_id,
                                 .preset = &l->item_preset[index] };
    int code = 0;
    (void)snprintf(label, sizeof(label), "traffic[%u]", (unsigned)index);
    scn->law_of_item[index] = 0;
    scn->own_law[index] = says_law(&at);
    if (scn->own_law[index])
        code = read_law(l, &at, &scn->law_of_item[index]);
    return code != 0 ? code : read_deploy(l, item, index);
}

int weir_laws_read_hosts(struct weir_load *l, const struct weir_tree *item, uint32_t index)
{
    char label[LABEL];
    const struct law_said at = { .map = item,
                                 .label = label,
                                 .where = l->scn->where_hosts[index],
                                 .class_id = WEIR_TRAFFIC_CLASS_AUTO,
                                 .preset = &l->hosts_preset[index] };
    (void)snprintf(label, sizeof(label), "hosts[%u]", (unsigned)index);
    l->scn->law_of_hosts[index] = WEIR_LAW_NONE;
    return says_law(&at) ? read_law(l, &at, &l->scn->law_of_hosts[index]) : 0;
}

/* Returns the law that becomes the run's, whose own no message has: the first with the run's frames, else the first.
 * Other laws have frames of their presets, and a dump, which has one section `framing`, gives them those again. */
static uint32_t find_successor(const struct weir_scenario *scn)
{
    for (uint32_t k = 1; k < scn->law_count; k++)
        if (memcmp(&scn->law[k].framing, &scn->framing, sizeof(scn->framing)) == 0)
            return k;
    return 1;
}

/* Returns the number of a law after law `chosen` has become law 0. */
static uint8_t renumber(uint8_t law, uint32_t chosen)
{
    return law == chosen ? 0 : law < chosen ? law : (uint8_t)(law - 1);
}

/* Makes a law the run's, in place of one that no message has. */
static void promote(struct weir_scenario *scn)
{
    uint32_t chosen = find_successor(scn);
    const struct weir_law_keys *law = &scn->law[chosen];
    scn->protocol = law->protocol;
    scn->preset = law->preset;
    scn->protocol_config = law->config;
    scn->framing = law->framing;
    scn->host = law->host;
    scn->where_protocol = law->where;
    scn->where_host = law->where_host;
    scn->law_count--;
    for (uint32_t k = chosen; k < scn->law_count; k++)
        scn->law[k] = scn->law[k + 1];
    for (uint32_t k = 1; k < scn->law_count; k++)
        scn->law[k].own_protocol = true; /* it is no change of the law that is the run's now */
    for (uint32_t i = 0; i < scn->traffic_count; i++) {
        scn->law_of_item[i] = renumber(scn->law_of_item[i], chosen);
        scn->law_of_deploy[i] = renumber(scn->law_of_deploy[i], chosen);
    }
}

/* Refuses laws of hosts that no message has, because all traffic items have their own. */
static int check_hosts_laws(struct weir_load *l)
{
    const struct weir_scenario *scn = l->scn;
    bool asked = false;
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        asked |= !scn->own_law[i];
    for (uint32_t i = 0; i < scn->hosts_count && !asked; i++)
        if (scn->law_of_hosts[i] != WEIR_LAW_NONE)
            return weir_fail(l->err, WEIR_E_CONFLICT, &scn->where_hosts[i],
                             "leave protocol, host and class out of the items that shall have it",
                             "hosts[%u]: its protocol has no messages, since all traffic items have one of their own",
                             (unsigned)i);
    return 0;
}

int weir_laws_settle(struct weir_load *l)
{
    struct weir_scenario *scn = l->scn;
    bool used = false;
    int code = check_hosts_laws(l);
    if (code != 0)
        return code;
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        used |= (weir_scenario_laws_of_item(scn, i) & 1) != 0;
    if (!used)
        promote(scn);
    if (scn->law_count > WEIR_LAWS_MAX)
        return weir_fail(
            l->err, WEIR_E_RANGE, &scn->law[WEIR_LAWS_MAX].where, "give items the same protocol and host keys",
            "traffic: more than %u laws, which are protocols with their keys and host keys", WEIR_LAWS_MAX);
    return 0;
}
