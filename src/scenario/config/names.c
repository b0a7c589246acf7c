/* src/scenario/config/names.c - see names.h. The sections and their keys, in the order in which help prints them. */
#include "config/names.h"
#include "config/features.h"
#include "config/load.h"
#include "config/scenario.h"
#include "core/assert.h"
#include "core/feature.h"
#include <stdio.h>
#include <string.h>

struct fixed { /* a section that belongs to no switch feature; the row FEATURES stands for all sections of features */
    const char *path, *text;
    const struct weir_param *rows;
};

enum { PATH_BYTES = 128 };
#define FEATURES "features"
#define HOSTS "hosts"
#define SWITCHES "fabric.switches"

static const struct fixed fixed_list[] = {
    { "topology", "Hosts, switches and links.", weir_topology_params },
    { "framing",
      "Bytes around a payload. `framing: ns2` is short for `framing: {preset: ns2}`; keys next to a preset change it.",
      weir_framing_params },
    { "host", "The end host under the protocol: connections, acknowledgements, retransmission, the NIC.",
      weir_host_param_rows },
    { HOSTS,
      "A list: hosts that differ from the others. Of several items about a host the last holds. An item may have "
      "`protocol` and `host`, as items of `traffic` do, for what these hosts send: doc/mixed.md.",
      weir_host_item_params },
    { "fabric", "What switches do with packets, the same for all of them but for those in `switches`.",
      weir_fabric_params },
    { "fabric.routing",
      "Which of the shortest paths packets take. `routing: spray` is short for `routing: {mode: spray}`.",
      weir_routing_params },
    { SWITCHES,
      "A list: switches that differ from the others. An item has `at`, and keys of section `fabric` and of its "
      "sections "
      "that hold there, as in `{at: leaf 0, rpm: on, ecn: {threshold: 60 KB}}`. All other keys stay as they are. Of "
      "several items about a switch the last holds. Not for `routing`, `order`, `events`, and features that concern "
      "the whole network: doc/switches.md.",
      weir_switch_item_params },
    { FEATURES, NULL, NULL },
    { "traffic",
      "A list: who sends how much to whom, when. At least one item is needed. An item may have a protocol of its own, "
      "`protocol: cubic` or `protocol: {name: cubic, preset: linux}` with its keys, and `host`, a map of keys of "
      "section "
      "`host`: doc/mixed.md.",
      weir_traffic_params },
    { "traffic.deploy",
      "A map in an item of `traffic`: another protocol for a part of its messages. It has `protocol` and `host` as an "
      "item does: doc/mixed.md.",
      weir_deploy_params },
    { "run", "How long, and with which random choices.", weir_run_params },
    { "switch",
      "Where the hosts of a real switch are, for `weir switch`; a simulation ignores it. With it, `traffic` may be "
      "missing: "
      "doc/linux.md.",
      weir_deployed_params },
};

const struct weir_param *weir_section_table(const struct weir_section *section, uint32_t i)
{
    WEIR_ASSERT(section->rows != NULL);
    if (i == 0)
        return section->rows;
    for (const struct weir_feature *const *row = weir_features; section->takes_features && *row != NULL; row++)
        if ((*row)->section == NULL && (*row)->params != NULL && --i == 0)
            return (*row)->params;
    return NULL;
}

/* Gets number i, from 0, of the sections and lists of all features. @return false = there are no more */
static bool get_feature(uint32_t i, struct weir_section *out)
{
    for (const struct weir_feature *const *row = weir_features; *row != NULL; row++) {
        const struct weir_feature_list *list = (*row)->list;
        if ((*row)->section != NULL && i-- == 0) {
            *out = (struct weir_section){ .text = (*row)->section_text, .rows = (*row)->params };
            (void)snprintf(out->path, sizeof(out->path), "fabric.%s", (*row)->section);
            return true;
        }
        if (list != NULL && i-- == 0) {
            *out = (struct weir_section){ .text = list->text,
                                          .rows = list->params,
                                          .is_list = true,
                                          .is_number = weir_feature_list_or_number(*row) };
            (void)snprintf(out->path, sizeof(out->path), "fabric.%s", list->key);
            return true;
        }
    }
    return false;
}

static uint32_t feature_sections(void)
{
    struct weir_section ignored;
    uint32_t n = 0;
    while (get_feature(n, &ignored))
        n++;
    return n;
}

bool weir_section_get(uint32_t i, struct weir_section *out)
{
    uint32_t features = feature_sections();
    for (uint32_t k = 0; k < sizeof(fixed_list) / sizeof(fixed_list[0]); k++) {
        const struct fixed *f = &fixed_list[k];
        uint32_t here = strcmp(f->path, FEATURES) == 0 ? features : 1;
        if (i >= here) {
            i -= here;
            continue;
        }
        if (f->rows == NULL)
            return get_feature(i, out);
        *out = (struct weir_section){ .text = f->text,
                                      .rows = f->rows,
                                      .takes_features = f->rows == weir_fabric_params,
                                      .is_list = strcmp(f->path, HOSTS) == 0 || strcmp(f->path, SWITCHES) == 0 };
        (void)snprintf(out->path, sizeof(out->path), "%s", f->path);
        return true;
    }
    return false;
}

/* Calls each() for every row, with the path "section.key". */
static void each_row(const char *section, const struct weir_param *rows,
                     void (*each)(void *ctx, const char *path, const struct weir_param *row), void *ctx)
{
    char path[PATH_BYTES];
    for (const struct weir_param *row = rows; row != NULL && row->key != NULL; row++) {
        (void)snprintf(path, sizeof(path), "%s.%s", section, row->key);
        each(ctx, path, row);
    }
}

void weir_each_key(void (*each)(void *ctx, const char *path, const struct weir_param *row), void *ctx)
{
    static const char *const without_row[] = { "name",
                                               "framing.preset",
                                               "protocol.name",
                                               "protocol.preset",
                                               "traffic[0].protocol.name",
                                               "traffic[0].protocol.preset",
                                               "traffic[0].deploy.protocol.name",
                                               "traffic[0].deploy.protocol.preset" };
    struct weir_section s;
    for (size_t i = 0; i < sizeof(without_row) / sizeof(without_row[0]); i++)
        each(ctx, without_row[i], NULL);
    for (uint32_t i = 0; weir_section_get(i, &s); i++) {
        if (s.is_list && !s.is_number)
            each(ctx, s.path, NULL);
        WEIR_ASSERT(s.rows != NULL); /* a section without rows would have no keys to complete on the command line */
        for (uint32_t t = 0; !s.is_list && weir_section_table(&s, t) != NULL; t++)
            each_row(strcmp(s.path, "traffic") == 0          ? "traffic[0]"
                     : strcmp(s.path, "traffic.deploy") == 0 ? "traffic[0].deploy"
                                                             : s.path,
                     weir_section_table(&s, t), each, ctx);
    }
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++)
        each_row("protocol", row->params, each, ctx);
}

const char *weir_feature_key_prefix(const char *line)
{
    size_t length = strcspn(line, ".:");
    for (const char *const *section = weir_load_sections; *section != NULL; section++)
        if (strlen(*section) == length && strncmp(*section, line, length) == 0)
            return "";
    return "fabric.";
}

static void add_key(char *out, size_t size, const char *key)
{
    size_t used = strlen(out);
    if (used < size)
        (void)snprintf(out + used, size - used, "%sfabric.%s", used > 0 ? ", " : "", key);
}

void weir_feature_keys(const struct weir_feature *row, char *out, size_t size)
{
    WEIR_ASSERT(size > 0);
    out[0] = '\0';
    if (row->section != NULL)
        add_key(out, size, row->section);
    if (row->list != NULL && !weir_feature_list_or_number(row))
        add_key(out, size, row->list->key);
    for (const struct weir_param *p = row->params; row->section == NULL && p != NULL && p->key != NULL; p++)
        add_key(out, size, p->key);
}

bool weir_section_uses(const struct weir_param *row, uint32_t kind)
{
    return row->kinds == 0 || (row->kinds >> kind & 1) != 0;
}
