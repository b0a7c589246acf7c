/* src/scenario/config/topology_file.c - see topology_file.h. Each file format has a reader of its own; the format is
 * found from the beginning of the text. */
#include "config/topology_file.h"
#include "config/topology_read.h"
#include "config/yaml.h"
#include "topology/graph.h"
#include "workload/foreign.h"
#include "workload/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- files of other simulators --- */

int weir_topology_read_room(struct weir_topology_read *out, uint32_t hosts, uint32_t switches, uint32_t cables,
                            struct weir_err *err)
{
    size_t nodes = (size_t)hosts + switches;
    out->graph = (struct weir_graph){ .host_count = hosts, .switch_count = switches };
    out->graph.name = calloc(nodes, sizeof(*out->graph.name));
    out->graph.cable = calloc(cables, sizeof(*out->graph.cable));
    out->node_at = calloc(nodes, sizeof(*out->node_at));
    out->cable_at = calloc(cables, sizeof(*out->cable_at));
    if (out->graph.name == NULL || out->graph.cable == NULL || out->node_at == NULL || out->cable_at == NULL)
        return weir_fail_memory(err);
    return 0;
}

void weir_topology_read_free(struct weir_topology_read *out)
{
    free(out->graph.name);
    free(out->graph.cable);
    free(out->node_at);
    free(out->cable_at);
    free(out->host_id);
}

void weir_topology_read_cable(struct weir_topology_read *out, const struct weir_cable *cable, const struct weir_tok *at)
{
    out->cable_at[out->graph.cable_count] = *at;
    out->graph.cable[out->graph.cable_count++] = *cable;
}

static int read_other(struct weir_topology *topo, enum weir_topology_format format, const char *file, const char *text,
                      struct weir_err *err)
{
    struct weir_topology_read read = { 0 };
    int code = format == WEIR_TOPOLOGY_HTSIM ? weir_topology_read_htsim(&read, file, text, err)
                                             : weir_topology_read_hpcc(&read, file, text, err);
    const struct weir_graph_where where = { .all = &read.all, .node = read.node_at, .cable = read.cable_at };
    if (code == 0)
        code = weir_graph_check(&read.graph, &where, err);
    if (code == 0)
        code = weir_graph_build(topo, &read.graph, err);
    if (code == 0) {
        topo->host_id = read.host_id;
        topo->note = read.note;
        read.host_id = NULL;
    }
    weir_topology_read_free(&read);
    return code;
}

enum weir_topology_format weir_topology_format_of(const char *text)
{
    if (weir_topology_is_htsim(text))
        return WEIR_TOPOLOGY_HTSIM;
    return weir_topology_is_hpcc(text) ? WEIR_TOPOLOGY_HPCC : WEIR_TOPOLOGY_YAML;
}

bool weir_topology_is_network(const char *file, const char *text)
{
    static const char *const keys[] = { "hosts", "switches", "cables" }; /* a scenario may have hosts, too */
    static const char *const others[] = { "topology", "protocol", "traffic" };
    struct weir_tree_arena *arena;
    struct weir_tree *root = NULL;
    struct weir_err err;
    bool found = false;
    if (weir_topology_format_of(text) != WEIR_TOPOLOGY_YAML)
        return true;
    arena = weir_tree_arena_new();
    if (arena != NULL && weir_yaml_read(arena, file, text, strlen(text), WEIR_GRAPH_LIST_MAX, &root, &err) == 0)
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
            found = found || weir_tree_find(root, keys[i]) != NULL;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        found = found && weir_tree_find(root, others[i]) == NULL;
    weir_tree_arena_free(arena);
    return found;
}

static int read_text(struct weir_topology *topo, enum weir_topology_format format, const char *file, const char *text,
                     struct weir_err *err)
{
    if (format == WEIR_TOPOLOGY_AUTO)
        format = weir_topology_format_of(text);
    return format == WEIR_TOPOLOGY_YAML ? weir_topology_load_yaml(topo, file, text, err)
                                        : read_other(topo, format, file, text, err);
}

static int read_file(struct weir_topology *topo, const struct weir_topology_config *cfg, const char *base_dir,
                     struct weir_err *err)
{
    char *text;
    int code = weir_text_read(cfg->file, base_dir, &text, err);
    if (code != 0)
        return code;
    code = read_text(topo, (enum weir_topology_format)cfg->format, cfg->file, text, err);
    code = weir_foreign_name(code, cfg->file, text, WEIR_FOREIGN_NONE, err);
    free(text);
    return code;
}

int weir_topology_load(struct weir_topology *topo, const struct weir_topology_config *cfg, const char *base_dir,
                       const struct weir_tok *where, struct weir_err *err)
{
    int code;
    if (cfg->kind != WEIR_GRAPH)
        return weir_topology_build(topo, cfg, where, err);
    *topo = (struct weir_topology){ 0 };
    if (cfg->file[0] == '\0')
        return weir_fail(err, WEIR_E_SYNTAX, where, "for example topology: {kind: file, file: net.yaml}",
                         "topology: kind: file needs the key 'file'");
    code = read_file(topo, cfg, base_dir, err);
    if (code != 0 && where != NULL && where->file != NULL && (err->file[0] == '\0' || code == WEIR_E_FILE)) {
        (void)snprintf(err->file, sizeof(err->file), "%s",
                       where->file); /* no such file, or no memory: reported at the scenario */
        err->line = where->line;
        err->col = where->col;
    }
    return code;
}
