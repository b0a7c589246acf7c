/* src/results/output/topology_print.c - prints the audit of a network as a table and as JSON, and the list of
 * cables. */
#include "output/topology_print.h"
#include "core/math.h"
#include "text/format.h"
#include "text/json.h"
#include "text/version.h"
#include <inttypes.h>
#include <string.h>

enum { LABEL = 14, RANGES_SHOWN = 6 };

static const char *const metrics[] = { [WEIR_METRIC_HOPS] = "hops", [WEIR_METRIC_DELAY] = "delay" };
static const char *const unlike_keys[] = { [WEIR_UNLIKE_COUNT] = "paths",
                                           [WEIR_UNLIKE_LINKS] = "links",
                                           [WEIR_UNLIKE_DELAY] = "delay",
                                           [WEIR_UNLIKE_RATE] = "rate" };

const char *weir_topology_tier_label(const struct weir_topology *topo, uint32_t tier, char out[WEIR_NODE_NAME])
{
    uint32_t node = 0;
    size_t length;
    while (node + 1 < topo->node_count && weir_topology_tier(topo, node) != tier)
        node++;
    if (topo->name != NULL && topo->node[node].tier == tier) { /* a node "tor 3" is of tier "tor" */
        length = strcspn(topo->name[node], " ");
        if (topo->name[node][length] == ' ' &&
            topo->name[node][length + 1 + strspn(&topo->name[node][length + 1], "0123456789")] == '\0') {
            (void)snprintf(out, WEIR_NODE_NAME, "%.*s", (int)length, topo->name[node]);
            return out;
        }
    }
    if (topo->tier_name != NULL && tier < WEIR_TIERS_MAX && topo->tier_name[tier] != NULL)
        (void)snprintf(out, WEIR_NODE_NAME, "%s", topo->tier_name[tier]);
    else
        (void)snprintf(out, WEIR_NODE_NAME, tier == 0 ? "host" : "tier %" PRIu32, tier);
    return out;
}

struct weir_text weir_topology_ratio(uint64_t down_bps, uint64_t up_bps)
{
    return weir_format_rounded(weir_mul_div_u64(down_bps, 10000, up_bps), 4, 2);
}

/* --- text --- */

static void print_hosts(FILE *out, const char *label, const struct weir_topology *topo,
                        const struct weir_audit_pair *pair)
{
    char from[WEIR_NODE_NAME], to[WEIR_NODE_NAME];
    weir_topology_node_name(topo, pair->src, from, sizeof(from));
    weir_topology_node_name(topo, pair->dst, to, sizeof(to));
    (void)fprintf(out, "%s%s - %s", label, from, to);
}

static void print_head(FILE *out, const struct weir_topology_answer *a)
{
    const struct weir_setup *s = a->setup;
    const struct weir_topology *topo = &s->topo;
    (void)fprintf(out, "%-*s%s\n", LABEL, "file", a->file);
    (void)fprintf(out, "%-*s%s, %s hosts", LABEL, "network", weir_topology_kinds[s->scn->topology.kind],
                  weir_format_grouped(topo->host_count).text);
    (void)fprintf(out, ", %s %s", weir_format_grouped(topo->switch_count).text,
                  topo->switch_count == 1 ? "switch" : "switches");
    (void)fprintf(out, ", %s %s\n", weir_format_grouped(a->audit->cables).text,
                  a->audit->cables == 1 ? "cable" : "cables");
    (void)fprintf(out, "%-*syes: every host reaches every other\n", LABEL, "connected"); /* checked by the set-up */
    (void)fprintf(out, "%-*s%s%s\n", LABEL, "host links", weir_format_bps(topo->host_link_bps).text,
                  weir_topology_has_nics(topo) ? " at least: the NICs that lead to the same hosts together" : "");
    (void)fprintf(out, "%-*s%s, with frames of %" PRIu32 " B and ACKs of %" PRIu32 " B; BDP %s B\n", LABEL, "base RTT",
                  weir_format_ps(s->base_rtt_ps).text, s->law[0].path.wire_bytes, s->scn->framing.ack_wire_bytes,
                  weir_format_grouped(s->bdp_bytes).text);
}

static struct weir_text mean_links(const struct weir_audit *audit)
{
    return weir_format_rounded(weir_mul_div_u64(audit->host_links, 10000, audit->host_pairs), 4, 2);
}

static void print_unlike(FILE *out, const struct weir_topology_answer *a)
{
    const struct weir_audit *audit = a->audit;
    const struct weir_audit_way *x = &audit->first_unlike.out, *y = &audit->first_unlike.back;
    if (audit->unlike_any == 0) {
        (void)fprintf(out, "%-*sdirections alike: number, length, delay and rate of the equal paths\n", LABEL,
                      "symmetry");
        return;
    }
    (void)fprintf(out, "%-*sdirections of %s pairs differ:", LABEL, "symmetry",
                  weir_format_grouped(audit->unlike_any).text);
    for (int i = 0; i < WEIR_UNLIKE_KINDS; i++)
        (void)fprintf(out, "%s %s in %s", i > 0 ? "," : "", weir_format_grouped(audit->unlike[i]).text, unlike_keys[i]);
    print_hosts(out, "\n              ", &a->setup->topo, &audit->first_unlike);
    (void)fprintf(out, ": %" PRIu64 " equal paths and %" PRIu64, x->count, y->count);
    (void)fprintf(out, ", up to %" PRIu32 " and %" PRIu32 " links", x->links_max, y->links_max);
    (void)fprintf(out, ", up to %s and %s", weir_format_ps(x->delay_max_ps).text, weir_format_ps(y->delay_max_ps).text);
    (void)fprintf(out, ", at least %s and %s\n", weir_format_bps(x->rate_min_bps).text,
                  weir_format_bps(y->rate_min_bps).text);
}

/* Prints a label, then what a node has, the least and the most. */
static void print_range(FILE *out, const char *label, uint32_t min, uint32_t max, const char *rest)
{
    (void)fprintf(out, "%-*s%" PRIu32, LABEL, label, min);
    if (max != min)
        (void)fprintf(out, " to %" PRIu32, max);
    (void)fputs(rest, out);
}

/* Prints how many cables, or NICs, have which rate. one, many: what they are called */
static void print_rates(FILE *out, const struct weir_audit_rate *rate, uint32_t rates, const char *one,
                        const char *many)
{
    for (uint32_t i = 0; i < rates; i++)
        (void)fprintf(out, "%s%s %s of %s%s", i > 0 ? ", " : "", weir_format_grouped(rate[i].cables).text,
                      rate[i].cables == 1 ? one : many, weir_format_bps(rate[i].rate_bps).text,
                      i + 1 == WEIR_AUDIT_RATES_MAX ? " and more" : "");
    (void)fprintf(out, "\n");
}

/* Prints the cables by rate, the ports of switches, the NICs of hosts, the links between hosts, and the bisection. */
static void print_summary(FILE *out, const struct weir_topology_answer *a)
{
    const struct weir_audit *audit = a->audit;
    uint32_t hosts = a->setup->topo.host_count, half = (hosts + 1) / 2;
    bool has_nics = weir_topology_has_nics(&a->setup->topo);
    (void)fprintf(out, "%-*s", LABEL, "by rate");
    print_rates(out, audit->rate, audit->rates, "cable", "cables");
    if (has_nics) {
        print_range(out, "NICs", audit->nics_min, audit->nics_max, " of a host: ");
        print_rates(out, audit->nic_rate, audit->nic_rates, "NIC", "NICs");
    }
    if (a->setup->topo.switch_count > 0)
        print_range(out, "ports", audit->ports_min, audit->ports_max, " of a switch\n");
    if (audit->host_pairs > 0)
        (void)fprintf(out, "%-*s%" PRIu32 " to %" PRIu32 " links between two hosts, %s on average\n", LABEL, "hops",
                      audit->host_links_min, audit->host_links_max, mean_links(audit).text);
    if (audit->bisection_bps > 0)
        (void)fprintf(out, "%-*s%s %s, from hosts 0 to %" PRIu32 " to hosts %" PRIu32 " to %" PRIu32 "\n", LABEL,
                      "bisection", weir_format_bps(audit->bisection_bps).text,
                      has_nics ? "with the links of hosts" : "between switches", half - 1, half, hosts - 1);
}

static void print_paths(FILE *out, const struct weir_topology_answer *a)
{
    const struct weir_audit *audit = a->audit;
    const struct weir_topology *topo = &a->setup->topo;
    (void)fprintf(out, "%-*s%" PRIu32 " %s", LABEL, "longest path", a->setup->path_links,
                  a->setup->path_links == 1 ? "link" : "links");
    if (audit->longest.src != UINT32_MAX)
        print_hosts(out, ", for example ", topo, &audit->longest);
    (void)fprintf(out, "\n");
    if (audit->pairs == 0)
        return;
    (void)fprintf(out, "%-*s%" PRIu64, LABEL, "equal paths", audit->fewest.out.count);
    if (audit->most.out.count != audit->fewest.out.count) {
        print_hosts(out, " (", topo, &audit->fewest);
        (void)fprintf(out, ") to %" PRIu64, audit->most.out.count);
        print_hosts(out, " (", topo, &audit->most);
        (void)fprintf(out, ")");
    }
    (void)fprintf(out, ", shortest by %s\n", metrics[a->setup->model.metric]);
    print_unlike(out, a);
    if (weir_topology_has_nics(topo) && audit->edges < topo->host_count)
        (void)fprintf(out, "%-*sof pairs of %" PRIu32 " of %" PRIu32 " hosts, drawn at random\n", LABEL, "",
                      audit->edges, topo->host_count);
    if (!weir_topology_has_nics(topo) && audit->edges < topo->edge_count)
        (void)fprintf(out, "%-*sof pairs of %" PRIu32 " of %" PRIu32 " first-hop switches\n", LABEL, "", audit->edges,
                      topo->edge_count);
}

static void print_tiers(FILE *out, const struct weir_topology_answer *a)
{
    const struct weir_topology *topo = &a->setup->topo;
    if (topo->switch_count == 0)
        return;
    (void)fprintf(out, "\n%-10s %9s %9s %9s %9s %11s %11s %8s  %s\n", "tier", "switches", "down", "up", "across",
                  "rate down", "rate up", "over", "worst");
    for (uint32_t t = a->audit->tier_count; t > 0; t--) {
        const struct weir_audit_tier *tier = &a->audit->tier[t];
        char label[WEIR_NODE_NAME], name[WEIR_NODE_NAME] = "";
        bool goes_up = tier->up_bps > 0;
        if (goes_up)
            weir_topology_node_name(topo, tier->worst, name, sizeof(name));
        (void)fprintf(out, "%-10s %9" PRIu32 " %9" PRIu32 " %9" PRIu32 " %9" PRIu32 " %11s",
                      weir_topology_tier_label(topo, t, label), tier->switches, tier->cables_down, tier->cables_up,
                      tier->cables_across / 2, weir_format_bps(tier->down_bps).text);
        (void)fprintf(out, " %11s %8s", goes_up ? weir_format_bps(tier->up_bps).text : "-",
                      goes_up ? weir_topology_ratio(tier->over_bps, tier->up_bps).text : "-");
        if (goes_up)
            (void)fprintf(out, "  %s: %s", name, weir_topology_ratio(tier->worst_down_bps, tier->worst_up_bps).text);
        (void)fprintf(out, "\n");
    }
    (void)fprintf(
        out,
        "\nover: rate from below for 1 of the rate to switches above or beside; 1.00 and less is full bisection\n");
    for (uint32_t t = 1; t <= a->audit->tier_count; t++)
        if (a->audit->tier[t].alone > 0 && a->audit->tier[t].up_bps > 0) {
            char label[WEIR_NODE_NAME];
            (void)fprintf(
                out, "%s: %" PRIu32 " of %" PRIu32 " switches have cables to hosts alone, and do not count in over\n",
                weir_topology_tier_label(topo, t, label), a->audit->tier[t].alone, a->audit->tier[t].switches);
        }
}

/* Prints the hosts that the ids of the topology's file stand for, by ranges: "1 to 65 of the file are hosts 0 to 64".
 * Prints at most RANGES_SHOWN ranges; nothing if the file has no ids. */
static void print_ids(FILE *out, const struct weir_topology *topo)
{
    uint32_t shown = 0;
    if (topo->host_id == NULL)
        return;
    (void)fprintf(out, "%-*s", LABEL, "ids");
    for (uint32_t h = 0, last; h < topo->host_count; h = last + 1) {
        for (last = h; last + 1 < topo->host_count && topo->host_id[last + 1] == topo->host_id[last] + 1;)
            last++;
        if (shown++ == RANGES_SHOWN) {
            (void)fprintf(out, ", .. (--json has all)");
            break;
        }
        (void)fprintf(out, "%s%" PRIu32 " to %" PRIu32 " of the file are hosts %" PRIu32 " to %" PRIu32,
                      h > 0 ? ", " : "", topo->host_id[h], topo->host_id[last], h, last);
    }
    (void)fprintf(out, "\n");
}

void weir_topology_print(FILE *out, const struct weir_topology_answer *a)
{
    print_head(out, a);
    print_summary(out, a);
    print_paths(out, a);
    if (a->audit->cables_unlike_rate > 0 || a->audit->cables_unlike_delay > 0)
        (void)fprintf(out, "%-*sdirections of %" PRIu32 " differ in rate, of %" PRIu32 " in delay\n", LABEL, "cables",
                      a->audit->cables_unlike_rate, a->audit->cables_unlike_delay);
    print_ids(out, &a->setup->topo);
    print_tiers(out, a);
}

void weir_topology_warn(FILE *out, const struct weir_setup *setup)
{
    if (setup->topo.note != NULL)
        (void)fprintf(out, "weir: %s: %s\n", setup->scn->topology.file, setup->topo.note);
}

/* --- JSON --- */

static void put_way(struct weir_json *json, const char *key, const struct weir_audit_way *way)
{
    weir_json_open(json, key);
    weir_json_u64(json, "paths", way->count);
    weir_json_u64(json, "links_min", way->links_min);
    weir_json_u64(json, "links_max", way->links_max);
    weir_json_decimal(json, "delay_min_us", way->delay_min_ps, 6);
    weir_json_decimal(json, "delay_max_us", way->delay_max_ps, 6);
    weir_json_decimal(json, "rate_min_gbps", way->rate_min_bps, 9);
    weir_json_close(json);
}

static void put_pair(struct weir_json *json, const char *key, const struct weir_audit_pair *pair)
{
    if (pair->src == UINT32_MAX) {
        weir_json_null(json, key);
        return;
    }
    weir_json_open(json, key);
    weir_json_u64(json, "src", pair->src);
    weir_json_u64(json, "dst", pair->dst);
    put_way(json, "out", &pair->out);
    put_way(json, "back", &pair->back);
    weir_json_close(json);
}

static void put_tier(struct weir_json *json, const struct weir_topology_answer *a, uint32_t t)
{
    const struct weir_audit_tier *tier = &a->audit->tier[t];
    char text[WEIR_NODE_NAME];
    weir_json_open(json, NULL);
    weir_json_string(json, "tier", weir_topology_tier_label(&a->setup->topo, t, text));
    weir_json_u64(json, "switches", tier->switches);
    weir_json_u64(json, "hosts", tier->hosts);
    weir_json_u64(json, "cables_down", tier->cables_down);
    weir_json_u64(json, "cables_up", tier->cables_up);
    weir_json_u64(json, "cables_across", tier->cables_across / 2);
    if (tier->alone > 0)
        weir_json_u64(json, "switches_of_hosts_alone", tier->alone);
    weir_json_decimal(json, "down_gbps", tier->down_bps, 9);
    weir_json_decimal(json, "up_gbps", tier->up_bps, 9);
    if (tier->up_bps > 0) {
        weir_json_real(json, "oversubscription", (double)tier->over_bps / (double)tier->up_bps);
        weir_topology_node_name(&a->setup->topo, tier->worst, text, sizeof(text));
        weir_json_string(json, "worst_switch", text);
        weir_json_real(json, "worst_oversubscription", (double)tier->worst_down_bps / (double)tier->worst_up_bps);
    }
    weir_json_close(json);
}

static void put_paths(struct weir_json *json, const struct weir_topology_answer *a)
{
    const struct weir_audit *audit = a->audit;
    weir_json_string(json, "metric", metrics[a->setup->model.metric]);
    weir_json_u64(json, "links_max", a->setup->path_links);
    weir_json_u64(json, "edges", a->setup->topo.edge_count);
    weir_json_u64(json, weir_topology_has_nics(&a->setup->topo) ? "hosts_compared" : "edges_compared", audit->edges);
    weir_json_u64(json, "pairs", audit->pairs);
    weir_json_u64(json, "host_links_min", audit->host_links_min);
    weir_json_u64(json, "host_links_max", audit->host_links_max);
    weir_json_real(json, "host_links_mean",
                   audit->host_pairs > 0 ? (double)audit->host_links / (double)audit->host_pairs : 0);
    put_pair(json, "longest", &audit->longest);
    put_pair(json, "fewest_paths", &audit->fewest);
    put_pair(json, "most_paths", &audit->most);
    weir_json_u64(json, "pairs_asymmetric", audit->unlike_any);
    weir_json_open(json, "pairs_asymmetric_in");
    for (int i = 0; i < WEIR_UNLIKE_KINDS; i++)
        weir_json_u64(json, unlike_keys[i], audit->unlike[i]);
    weir_json_close(json);
    put_pair(json, "first_asymmetric", &audit->first_unlike);
}

static void put_ids(struct weir_json *json, const struct weir_topology *topo)
{
    if (topo->host_id == NULL)
        return;
    weir_json_open_list(json, "host_ids");
    for (uint32_t h = 0; h < topo->host_count; h++)
        weir_json_u64(json, NULL, topo->host_id[h]);
    weir_json_close_list(json);
}

static void put_rates(struct weir_json *json, const char *key, const char *what, const struct weir_audit_rate *rate,
                      uint32_t rates)
{
    weir_json_open_list(json, key);
    for (uint32_t i = 0; i < rates; i++) {
        weir_json_open(json, NULL);
        weir_json_decimal(json, "rate_gbps", rate[i].rate_bps, 9);
        weir_json_u64(json, what, rate[i].cables);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

void weir_topology_print_json(FILE *out, const struct weir_topology_answer *a)
{
    const struct weir_setup *s = a->setup;
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    weir_json_string(&json, "version", WEIR_VERSION);
    weir_json_string(&json, "file", a->file);
    weir_json_string(&json, "topology", weir_topology_kinds[s->scn->topology.kind]);
    weir_json_u64(&json, "hosts", s->topo.host_count);
    weir_json_u64(&json, "switches", s->topo.switch_count);
    weir_json_u64(&json, "cables", a->audit->cables);
    weir_json_u64(&json, "cables_unlike_rate", a->audit->cables_unlike_rate);
    weir_json_u64(&json, "cables_unlike_delay", a->audit->cables_unlike_delay);
    put_rates(&json, "rates", "cables", a->audit->rate, a->audit->rates);
    if (weir_topology_has_nics(&s->topo)) {
        weir_json_u64(&json, "nics_min", a->audit->nics_min);
        weir_json_u64(&json, "nics_max", a->audit->nics_max);
        put_rates(&json, "nic_rates", "nics", a->audit->nic_rate, a->audit->nic_rates);
    }
    weir_json_u64(&json, "ports_min", a->audit->ports_min);
    weir_json_u64(&json, "ports_max", a->audit->ports_max);
    weir_json_decimal(&json, "bisection_gbps", a->audit->bisection_bps, 9);
    weir_json_bool(&json, "connected", a->audit->pairs_cut == 0);
    weir_json_decimal(&json, "host_link_gbps", s->topo.host_link_bps, 9);
    weir_json_decimal(&json, "base_rtt_us", s->base_rtt_ps, 6);
    weir_json_u64(&json, "bdp_bytes", s->bdp_bytes);
    put_paths(&json, a);
    weir_json_open_list(&json, "tiers");
    for (uint32_t t = 1; t <= a->audit->tier_count; t++)
        put_tier(&json, a, t);
    weir_json_close_list(&json);
    put_ids(&json, &s->topo);
    weir_json_string(&json, "note", s->topo.note);
    weir_json_close(&json);
}

/* --- cables --- */

void weir_topology_print_cables(FILE *out, const struct weir_topology *topo)
{
    (void)fprintf(out, "%-32s %12s %12s %12s %12s\n", "cable", "rate", "delay", "rate back", "delay back");
    for (uint32_t l = 0; l < topo->link_count; l++) {
        const struct weir_link *there = &topo->link[l], *back = &topo->link[there->reverse];
        char name[WEIR_LINK_NAME], *arrow;
        if (l > there->reverse)
            continue;
        weir_topology_link_name(topo, l, name, sizeof(name));
        arrow = strstr(name, " > ");
        if (arrow != NULL)
            arrow[1] = '-';
        (void)fprintf(out, "%-32s %12s %12s", name, weir_format_bps(there->rate_bps).text,
                      weir_format_ps(there->delay_ps).text);
        (void)fprintf(out, " %12s %12s\n", weir_format_bps(back->rate_bps).text, weir_format_ps(back->delay_ps).text);
    }
}
