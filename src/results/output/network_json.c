/* src/results/output/network_json.c - see network_json.h. */
#include "output/network_json.h"

static void put_nodes(struct weir_json *json, const struct weir_topology *topo)
{
    weir_json_open_list(json, "nodes");
    for (uint32_t i = 0; i < topo->node_count; i++) {
        char name[WEIR_NODE_NAME];
        weir_topology_node_name(topo, i, name, sizeof(name));
        weir_json_open(json, NULL);
        weir_json_string(json, "name", name);
        weir_json_u64(json, "tier", weir_topology_tier(topo, i));
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

static void put_links(struct weir_json *json, const struct weir_topology *topo)
{
    weir_json_open_list(json, "links");
    for (uint32_t i = 0; i < topo->link_count; i++) {
        char name[WEIR_LINK_NAME];
        weir_topology_link_name(topo, i, name, sizeof(name));
        weir_json_open(json, NULL);
        weir_json_string(json, "name", name);
        weir_json_u64(json, "src", topo->link[i].src);
        weir_json_u64(json, "dst", topo->link[i].dst);
        weir_json_decimal(json, "rate_gbps", topo->link[i].rate_bps, 9);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

void weir_network_json(struct weir_json *json, const struct weir_topology *topo)
{
    put_nodes(json, topo);
    put_links(json, topo);
}
