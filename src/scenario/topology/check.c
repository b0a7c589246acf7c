/* src/scenario/topology/check.c - refuses topologies that cannot be built, with a sentence and a hint for the user. */
#include "core/math.h"
#include "topology/plan.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char hosts_hint[] = "a network has 2 to 1048575 hosts: their numbers are 20 bits in a packet";

int weir_check_rate(const struct weir_refusal *to, const char *key, uint64_t rate_bps)
{
    if (rate_bps >= WEIR_RATE_MIN_BPS && rate_bps <= WEIR_RATE_MAX_BPS)
        return 0;
    return weir_fail(to->err, WEIR_E_RANGE, to->where, "common speeds are 10, 25, 100, 200, 400 and 800 Gbps",
                     "%s = %" PRIu64 " bit/s: a link runs at 1 Mbps to 8 Tbps", key, rate_bps);
}

int weir_check_delay(const struct weir_refusal *to, const char *key, uint64_t delay_ps)
{
    if (delay_ps == 0)
        return weir_fail(
            to->err, WEIR_E_RANGE, to->where,
            "the simulator works in steps of the smallest delay; 500 ns is usual for a switch and its cable",
            "%s = 0: a link needs a delay above 0", key);
    if (delay_ps > WEIR_LINK_DELAY_MAX_PS)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "inside a datacenter 100 ns to 10 us are usual",
                         "%s = %" PRIu64 " ps: a link delays by at most 1 s", key, delay_ps);
    return 0;
}

/* Refuses links of hosts, and between switches if there are several, that cannot be. cfg has passed the row's
 * check(). */
static int check_links(const struct weir_refusal *to, const struct weir_topology_config *cfg)
{
    struct weir_shape shape = weir_topology_rows[cfg->kind]->shape(cfg);
    bool has_core = shape.tier[1] + shape.tier[2] + shape.tier[3] > 1;
    int code = weir_check_rate(to, "host_link", cfg->host_link_bps);
    if (code == 0)
        code = weir_check_delay(to, "host_delay", cfg->host_delay_ps);
    if (code == 0 && has_core)
        code = weir_check_rate(to, "core_link", cfg->core_link_bps);
    if (code == 0 && has_core)
        code = weir_check_delay(to, "core_delay", cfg->core_delay_ps);
    return code;
}

static int check_hosts(const struct weir_refusal *to, uint32_t hosts)
{
    if (hosts < 2)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, hosts_hint,
                         "hosts = %" PRIu32 ": a network needs at least 2", hosts);
    if (hosts > WEIR_HOSTS_MAX)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, hosts_hint, "hosts = %" PRIu32 ": at most %u", hosts,
                         WEIR_HOSTS_MAX);
    return 0;
}

_Static_assert(WEIR_HOSTS_MAX == 1048575, "as in hosts_hint");

int weir_check_ports(const struct weir_refusal *to, uint64_t host_ports, uint32_t core_ports)
{
    if (host_ports + core_ports <= WEIR_PORTS_MAX)
        return 0;
    return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "a leaf-spine or a fat-tree has room for more hosts",
                     "%" PRIu64 " hosts on one switch: it has at most %u ports", host_ports, WEIR_PORTS_MAX);
}

int weir_check_switches(const struct weir_refusal *to, uint64_t switches, uint32_t hosts, uint64_t cables)
{
    if (switches > WEIR_EDGES_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "fewer switches, with more hosts each",
                         "more than %u switches with hosts", WEIR_EDGES_MAX);
    if (hosts == 0 || switches * hosts < 2 || switches * hosts > WEIR_HOSTS_MAX) /* 2^16 * 2^32 fits */
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, hosts_hint,
                         "hosts = %" PRIu32 " of each of %" PRIu64 " switches: 2 to %u hosts are possible", hosts,
                         switches, WEIR_HOSTS_MAX);
    if (switches * hosts + cables > WEIR_CABLES_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "fewer switches or cables",
                         "%" PRIu64 " switches with %" PRIu64 " cables between them: more than %u cables", switches,
                         cables, WEIR_CABLES_MAX);
    return 0;
}

int weir_check_leaf_spine(const struct weir_topology_config *cfg, const struct weir_refusal *to)
{
    uint32_t leaf_ports;
    if (cfg->racks == 0)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "one leaf switch per rack; 144 hosts are often 9 racks",
                         "racks = 0: a leaf-spine needs at least 1");
    if (cfg->racks > WEIR_EDGES_MAX)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "more hosts per rack", "racks = %" PRIu32 ": at most %u",
                         cfg->racks, WEIR_EDGES_MAX);
    if (cfg->hosts % cfg->racks != 0)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "every rack has the same number of hosts",
                         "hosts = %" PRIu32 ": not a multiple of racks = %" PRIu32, cfg->hosts, cfg->racks);
    if (cfg->spines == 0 || cfg->spines > WEIR_SPINES_MAX)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "every leaf has one link to every spine",
                         "spines = %" PRIu32 ": a leaf-spine has 1 to %u", cfg->spines, WEIR_SPINES_MAX);
    leaf_ports = cfg->hosts / cfg->racks + cfg->spines; /* both are checked: the sum fits */
    if (leaf_ports > WEIR_PORTS_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "more racks or fewer spines",
                         "hosts / racks + spines = %" PRIu32 " ports on a leaf: at most %u", leaf_ports,
                         WEIR_PORTS_MAX);
    if (cfg->hosts + (uint64_t)cfg->racks * cfg->spines > WEIR_CABLES_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "fewer racks or spines",
                         "racks = %" PRIu32 ", spines = %" PRIu32 ": more than %u cables", cfg->racks, cfg->spines,
                         WEIR_CABLES_MAX);
    return 0;
}

/* Appends a name to a list such as "a, b", which has room for `size` bytes; cuts off what does not fit. */
static void append(char *list, size_t size, const char *name)
{
    size_t used = strlen(list);
    (void)snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", name);
}

/* Refuses a fat-tree if only some of its keys pods, edges, aggs, uplinks and edge_hosts are given. */
static int check_five(const struct weir_refusal *to, const struct weir_topology_config *cfg)
{
    const struct {
        const char *key;
        uint32_t value;
    } five[] = { { "pods", cfg->pods },
                 { "edges", cfg->edges },
                 { "aggs", cfg->aggs },
                 { "uplinks", cfg->uplinks },
                 { "edge_hosts", cfg->edge_hosts } };
    char given[64] = "", missing[64] = "";
    for (size_t i = 0; i < sizeof(five) / sizeof(five[0]); i++)
        append(five[i].value != 0 ? given : missing, sizeof(given), five[i].key);
    if (given[0] == '\0' || missing[0] == '\0')
        return 0;
    return weir_fail(to->err, WEIR_E_CONFLICT, to->where,
                     "pods, edges, aggs, uplinks and edge_hosts together, or k and oversubscription",
                     "%s: without %s they do not make a fat-tree", given, missing);
}

/* Refuses a fat-tree that cannot be built from its five keys pods, edges, aggs, uplinks and edge_hosts. Each is above
 * 0. */
static int check_pods(const struct weir_refusal *to, const struct weir_topology_config *cfg)
{
    struct weir_fat_tree t = weir_fat_tree_of(cfg);
    uint64_t edges = (uint64_t)t.pods * t.edges, hosts, cables;
    uint64_t ports = weir_max_u64((uint64_t)t.edge_hosts + t.aggs, (uint64_t)t.edges + t.uplinks);
    if (t.aggs > WEIR_SPINES_MAX || t.uplinks > WEIR_SPINES_MAX)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "fewer aggregation switches or uplinks",
                         "aggs = %" PRIu32 ", uplinks = %" PRIu32 ": each 1 to %u", t.aggs, t.uplinks, WEIR_SPINES_MAX);
    hosts = edges > WEIR_HOSTS_MAX ? UINT64_MAX : edges * t.edge_hosts;
    if (hosts < 2 || hosts > WEIR_HOSTS_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, hosts_hint,
                         "pods x edges x edge_hosts = %" PRIu32 " x %" PRIu32 " x %" PRIu32
                         " hosts: 2 to %u are possible",
                         t.pods, t.edges, t.edge_hosts, WEIR_HOSTS_MAX);
    if (edges > WEIR_EDGES_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "fewer pods or edges, with more edge_hosts",
                         "pods x edges = %" PRIu32 " x %" PRIu32 " edge switches: at most %u", t.pods, t.edges,
                         WEIR_EDGES_MAX);
    cables = hosts + edges * t.aggs + (uint64_t)t.pods * t.aggs * t.uplinks; /* 2^16 * 2^12 * 2^12 fits */
    ports = weir_max_u64(ports, t.pods);
    if (cables > WEIR_CABLES_MAX || ports > WEIR_PORTS_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "fewer pods or switches",
                         "pods = %" PRIu32 ", aggs = %" PRIu32 ", uplinks = %" PRIu32
                         ": more than %u cables, or %u ports of a switch",
                         t.pods, t.aggs, t.uplinks, WEIR_CABLES_MAX, WEIR_PORTS_MAX);
    return 0;
}

static int check_k(const struct weir_refusal *to, const struct weir_topology_config *cfg)
{
    uint32_t k = cfg->k;
    uint64_t hosts;
    if (k < 2 || k % 2 != 0)
        return weir_fail(to->err, WEIR_E_RANGE, to->where,
                         "k is the ports of a switch, half up and half down: 4, 8, 16, ..",
                         k % 2 != 0 ? "k = %" PRIu32 ": a fat-tree needs an even k"
                                    : "k = %" PRIu32 ": a fat-tree needs a k of at least 2",
                         k);
    if (k > WEIR_FAT_TREE_K_MAX)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "k = 160 has 1024000 hosts",
                         "k = %" PRIu32 ": a fat-tree of more than %u has too many hosts", k, WEIR_FAT_TREE_K_MAX);
    if (cfg->oversubscription == 0 || cfg->oversubscription > WEIR_OVERSUBSCRIPTION_MAX)
        return weir_fail(to->err, WEIR_E_RANGE, to->where,
                         "hosts per edge switch are k/2 times this; 1 is full bisection",
                         "oversubscription = %" PRIu32 ": 1 to %u", cfg->oversubscription, WEIR_OVERSUBSCRIPTION_MAX);
    hosts = (uint64_t)k * k * k / 4 * cfg->oversubscription;
    if (hosts > WEIR_HOSTS_MAX)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, hosts_hint,
                         "k = %" PRIu32 ", oversubscription = %" PRIu32 ": %" PRIu64 " hosts, at most %u", k,
                         cfg->oversubscription, hosts, WEIR_HOSTS_MAX);
    return weir_check_ports(to, (uint64_t)k / 2 * cfg->oversubscription, k / 2);
}

int weir_check_fat_tree(const struct weir_topology_config *cfg, const struct weir_refusal *to)
{
    int code = check_five(to, cfg);
    if (code != 0)
        return code;
    return cfg->pods != 0 ? check_pods(to, cfg) : check_k(to, cfg);
}

int weir_check_chain(const struct weir_topology_config *cfg, const struct weir_refusal *to)
{
    if (cfg->switches < 2 || cfg->switches > WEIR_CHAIN_SWITCHES_MAX)
        return weir_fail(to->err, WEIR_E_RANGE, to->where, "one switch is a star; a path has at most 66 links",
                         "switches = %" PRIu32 ": a chain has 2 to %u", cfg->switches, WEIR_CHAIN_SWITCHES_MAX);
    if (cfg->switches > cfg->hosts)
        return weir_fail(to->err, WEIR_E_CONFLICT, to->where, "host i hangs on switch i * switches / hosts",
                         "switches = %" PRIu32 ", hosts = %" PRIu32 ": every switch of a chain needs a host",
                         cfg->switches, cfg->hosts);
    return weir_check_ports(to, (cfg->hosts + (uint64_t)cfg->switches - 1) / cfg->switches, 2);
}

int weir_check_dumbbell(const struct weir_topology_config *cfg, const struct weir_refusal *to)
{
    return weir_check_ports(to, (cfg->hosts + (uint64_t)1) / 2, 1);
}

int weir_check_star(const struct weir_topology_config *cfg, const struct weir_refusal *to)
{
    return weir_check_ports(to, cfg->hosts, 0);
}

int weir_topology_check(const struct weir_topology_config *cfg, const struct weir_tok *where, struct weir_err *err)
{
    const struct weir_refusal to = { where, err };
    const struct weir_kind *row;
    int code = 0;
    if (cfg->kind >= WEIR_GRAPH)
        return weir_fail(err, WEIR_E_UNKNOWN, where,
                         "leaf-spine, fat-tree, dumbbell, chain, star, dragonfly, torus, planes or rail",
                         "kind = %" PRIu32 ": no such topology", cfg->kind);
    row = weir_topology_rows[cfg->kind];
    if (!row->own_hosts)
        code = check_hosts(&to, cfg->hosts);
    if (code == 0)
        code = row->check(cfg, &to);
    return code != 0 ? code : check_links(&to, cfg);
}
