/* src/commands/soft/hosts.c - see hosts.h. */
#include "soft/hosts.h"
#include "config/tree.h"
#include "core/assert.h"
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

struct reading {
    struct weir_soft_site *site;
    const struct weir_setup *setup;
    bool ip6;
    struct weir_err *err;
};

/* Finds the site of the host that a key names. @return NULL with r->err */
static struct weir_soft_site *find_site(struct reading *r, const struct weir_tok *key)
{
    const struct weir_topology *topo = &r->setup->topo;
    uint32_t node = weir_topology_find_node(topo, key->text);
    if (node < topo->host_count)
        return &r->site[node];
    (void)weir_fail(r->err, WEIR_E_UNKNOWN, key, "hosts are called as weir topology FILE --cables prints them: host 0",
                    "switch: no host is called '%.80s'", key->text);
    return NULL;
}

static int read_port(struct reading *r, const struct weir_tree *entry)
{
    struct weir_soft_site *site = find_site(r, &entry->key);
    if (site == NULL)
        return r->err->code;
    if (strlen(entry->at.text) >= sizeof(site->device) || strpbrk(entry->at.text, " /%") != NULL)
        return weir_fail(r->err, WEIR_E_RANGE, &entry->at, "ip link shows those that there are",
                         "switch.ports: '%.80s' is no name of a network device", entry->at.text);
    (void)snprintf(site->device, sizeof(site->device), "%s", entry->at.text);
    return 0;
}

static int read_address(struct reading *r, const struct weir_tree *entry)
{
    static const uint8_t any[16];
    struct weir_soft_site *site = find_site(r, &entry->key);
    struct weir_mapping_address address = { .version = 4 };
    if (site == NULL)
        return r->err->code;
    if (inet_pton(AF_INET, entry->at.text, address.bytes) != 1) {
        address.version = 6;
        if (!r->ip6 || inet_pton(AF_INET6, entry->at.text, address.bytes) != 1)
            address.version = 0;
    }
    if (address.version == 0 || memcmp(address.bytes, any, sizeof(any)) == 0)
        return r->ip6 ? weir_fail(r->err, WEIR_E_SYNTAX, &entry->at, "for example 10.0.0.1, or fd00::1",
                                  "switch.addresses: '%.80s' is no address of IP", entry->at.text)
                      : weir_fail(r->err, WEIR_E_SYNTAX, &entry->at,
                                  "for example 10.0.0.1; a switch in the kernel drops IPv6",
                                  "switch.addresses: '%.80s' is no IPv4 address", entry->at.text);
    site->address = address;
    return 0;
}

static int read_map(struct reading *r, const char *key, int (*read_entry)(struct reading *, const struct weir_tree *))
{
    const struct weir_tree *map = weir_tree_find(r->setup->scn->deployed, key);
    int code = 0;
    for (const struct weir_tree *entry = map != NULL ? map->first : NULL; entry != NULL && code == 0;
         entry = entry->next)
        code = read_entry(r, entry);
    return code;
}

/* Checks whether every host has a device; and an address, if any has. */
static int check_hosts(struct reading *r)
{
    uint32_t hosts = r->setup->topo.host_count, addresses = 0, without = 0;
    const struct weir_tok *at = &r->setup->scn->deployed->at;
    for (uint32_t i = 0; i < hosts; i++) {
        const struct weir_soft_site *site = &r->site[i];
        if (site->device[0] == '\0')
            return weir_fail(r->err, WEIR_E_SYNTAX, at, "switch: {ports: {host 0: eth1, ..}}",
                             "switch.ports: %s has no device", site->host);
        addresses += site->address.version != 0;
        without = site->address.version == 0 ? i : without;
        for (uint32_t k = 0; k < i; k++)
            if (site->address.version != 0 && memcmp(&site->address, &r->site[k].address, sizeof(site->address)) == 0)
                return weir_fail(r->err, WEIR_E_CONFLICT, at, NULL, "switch.addresses: %s and %s have the same",
                                 r->site[k].host, site->host);
    }
    if (addresses > 0 && addresses < hosts)
        return weir_fail(r->err, WEIR_E_SYNTAX, at, "of all hosts, or of none", "switch.addresses: %s has none",
                         r->site[without].host);
    return 0;
}

static bool names_nobody(const struct weir_tree *section)
{
    return weir_tree_find(section, "ports") == NULL && weir_tree_find(section, "addresses") == NULL;
}

int weir_soft_hosts(struct weir_soft_site *site, const struct weir_setup *setup, bool may_be_made, struct weir_err *err)
{
    struct reading r = { .site = site, .setup = setup, .ip6 = may_be_made, .err = err };
    int code;
    WEIR_ASSERT(setup->topo.host_count > 0);
    for (uint32_t i = 0; i < setup->topo.host_count; i++) {
        site[i] = (struct weir_soft_site){ .device = "" };
        weir_topology_node_name(&setup->topo, i, site[i].host, sizeof(site[i].host));
    }
    if (setup->scn->deployed == NULL || (may_be_made && names_nobody(setup->scn->deployed)))
        return 0;
    if ((code = read_map(&r, "ports", read_port)) != 0 || (code = read_map(&r, "addresses", read_address)) != 0)
        return code;
    return check_hosts(&r);
}
