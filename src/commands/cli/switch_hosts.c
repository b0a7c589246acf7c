/* src/commands/cli/switch_hosts.c - see switch_hosts.h. */
#include "cli/switch_hosts.h"
#include "config/tree.h"
#include <arpa/inet.h>
#include <string.h>

struct reading {
    struct weir_deployed *deployed;
    const struct weir_setup *setup;
    struct weir_err *err;
};

/* Finds the deployed of the host that a key names. @return NULL with r->err */
static struct weir_deployed *find(struct reading *r, const struct weir_tok *key)
{
    const struct weir_topology *topo = &r->setup->topo;
    uint32_t node = weir_topology_find_node(topo, key->text);
    if (node < topo->host_count)
        return &r->deployed[node];
    (void)weir_fail(r->err, WEIR_E_UNKNOWN, key, "hosts are called as weir topology FILE --cables prints them: host 0",
                    "switch: no host is called '%.80s'", key->text);
    return NULL;
}

static int read_port(struct reading *r, const struct weir_tree *entry)
{
    struct weir_deployed *deployed = find(r, &entry->key);
    if (deployed == NULL)
        return r->err->code;
    if (strlen(entry->at.text) >= sizeof(deployed->device) || strpbrk(entry->at.text, " /%") != NULL)
        return weir_fail(r->err, WEIR_E_RANGE, &entry->at, "ip link shows those that there are",
                         "switch.ports: '%.80s' is no name of a network device", entry->at.text);
    (void)snprintf(deployed->device, sizeof(deployed->device), "%s", entry->at.text);
    return 0;
}

static bool is_zero(const uint8_t address[16])
{
    static const uint8_t none[16];
    return memcmp(address, none, sizeof(none)) == 0;
}

static int read_address(struct reading *r, const struct weir_tree *entry)
{
    struct weir_deployed *deployed = find(r, &entry->key);
    if (deployed == NULL)
        return r->err->code;
    memset(deployed->address, 0, sizeof(deployed->address));
    if (inet_pton(AF_INET, entry->at.text, deployed->address) == 1)
        deployed->version = 4;
    else if (inet_pton(AF_INET6, entry->at.text, deployed->address) == 1)
        deployed->version = 6;
    if (deployed->version == 0 || is_zero(deployed->address))
        return weir_fail(r->err, WEIR_E_SYNTAX, &entry->at, "for example 10.0.0.1",
                         "switch.addresses: '%.80s' is no address of a host", entry->at.text);
    deployed->where_address = entry->at;
    return 0;
}

static int read_map(struct reading *r, const char *key, int (*read)(struct reading *, const struct weir_tree *))
{
    const struct weir_tree *map = weir_tree_find(r->setup->scn->deployed, key);
    int code = 0;
    for (const struct weir_tree *entry = map != NULL ? map->first : NULL; entry != NULL && code == 0;
         entry = entry->next)
        code = read(r, entry);
    return code;
}

static const char *name_of(const struct reading *r, uint32_t host, char name[WEIR_NODE_NAME])
{
    weir_topology_node_name(&r->setup->topo, host, name, WEIR_NODE_NAME);
    return name;
}

/* Refuses an address that another host has, too. */
static int check_address(struct reading *r, uint32_t host)
{
    const struct weir_deployed *deployed = &r->deployed[host];
    char one[WEIR_NODE_NAME], other[WEIR_NODE_NAME];
    for (uint32_t k = 0; k < host; k++)
        if (r->deployed[k].version == deployed->version &&
            memcmp(r->deployed[k].address, deployed->address, sizeof(deployed->address)) == 0)
            return weir_fail(r->err, WEIR_E_CONFLICT, &r->setup->scn->deployed->at, NULL,
                             "switch.addresses: %s and %s have the same", name_of(r, k, one), name_of(r, host, other));
    return 0;
}

/* Checks whether every host has a device; and an address, if any has. */
static int check(struct reading *r)
{
    const struct weir_tok *at = &r->setup->scn->deployed->at;
    uint32_t hosts = r->setup->topo.host_count, addresses = 0, without = 0;
    char name[WEIR_NODE_NAME];
    for (uint32_t h = 0; h < hosts; h++) {
        if (r->deployed[h].device[0] == '\0')
            return weir_fail(r->err, WEIR_E_SYNTAX, at, "switch: {ports: {host 0: eth1, ..}}",
                             "switch.ports: %s has no device", name_of(r, h, name));
        addresses += r->deployed[h].version != 0;
        without = r->deployed[h].version == 0 ? h : without;
        if (r->deployed[h].version != 0 && check_address(r, h) != 0)
            return r->err->code;
    }
    if (addresses > 0 && addresses < hosts)
        return weir_fail(r->err, WEIR_E_SYNTAX, at, "of all hosts, or of none", "switch.addresses: %s has none",
                         name_of(r, without, name));
    return 0;
}

int weir_deployed_read(struct weir_deployed *deployed, const struct weir_setup *setup, struct weir_err *err)
{
    struct reading r = { .deployed = deployed, .setup = setup, .err = err };
    int code;
    memset(deployed, 0, setup->topo.host_count * sizeof(*deployed));
    if (setup->scn->deployed == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, &(struct weir_tok){ .file = setup->scn->where_topology.file },
                         "switch: {ports: {host 0: eth1, host 1: eth2}}",
                         "switch: the section is missing, which says where the hosts are");
    code = read_map(&r, "ports", read_port);
    if (code == 0)
        code = read_map(&r, "addresses", read_address);
    return code != 0 ? code : check(&r);
}
