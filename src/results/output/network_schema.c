/* src/results/output/network_schema.c - prints the JSON Schemas of the output of `weir allocate --json` and `weir
 * topology --json`. */
#include "output/allocate_print.h"
#include "output/topology_print.h"
#include "text/schema.h"

#define OBJECT(name, of)                                                                                               \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_OBJECT, .fields = (of)                                                      \
    }

/* --- weir allocate --- */

static const struct weir_schema spread_fields[] = {
    WEIR_FIELD("min", NUMBER), WEIR_FIELD("median", NUMBER), WEIR_FIELD("max", NUMBER), { .key = NULL }
};
static const struct weir_schema time_fields[] = {
    WEIR_FIELD("scenario", NUMBER), WEIR_FIELD("paths", NUMBER), WEIR_FIELD("solve", NUMBER), { .key = NULL }
};
static const struct weir_schema bottleneck_fields[] = { WEIR_FIELD("flows", INTEGER),
                                                        WEIR_FIELD("rate_per_weight_gbps", NUMBER),
                                                        { .key = NULL } };
static const struct weir_schema bottleneck = { .type = WEIR_SCHEMA_OBJECT, .fields = bottleneck_fields };
static const struct weir_schema flow_fields[] = {
    WEIR_FIELD("src", INTEGER),
    WEIR_FIELD("dst", INTEGER),
    WEIR_FIELD("weight", NUMBER),
    WEIR_FIELD("rate_gbps", NUMBER),
    { .key = "bottleneck", .text = "null: it has no way to its destination", .or_null = true },
    { .key = NULL },
};
static const struct weir_schema flow = { .type = WEIR_SCHEMA_OBJECT, .fields = flow_fields };
static const struct weir_schema change = { .type = WEIR_SCHEMA_OBJECT, .fields = weir_change_fields };
static const struct weir_schema compared = { .type = WEIR_SCHEMA_OBJECT, .fields = weir_change_compared_fields };
static const struct weir_schema allocate_fields[] = {
    { .key = "version", .text = "of Weir" },
    { .key = "scenario", .text = "its name" },
    WEIR_FIELD("seed", INTEGER),
    WEIR_FIELD("topology", STRING),
    WEIR_FIELD("hosts", INTEGER),
    WEIR_FIELD("links", INTEGER),
    { .key = "capacity", .text = "wire or payload" },
    { .key = "acks", .text = "whether they are counted", .type = WEIR_SCHEMA_BOOL },
    WEIR_FIELD("flows", INTEGER),
    { .key = "flows_cut_off", .text = "without a way to their destination", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("total_gbps", NUMBER),
    OBJECT("rate_gbps", spread_fields),
    OBJECT("rate_per_weight_gbps", spread_fields),
    WEIR_FIELD_OR_NULL("jain", NUMBER),
    { .key = "gap", .text = "how far the rates are from max-min", .type = WEIR_SCHEMA_NUMBER, .or_null = true },
    { .key = "time_s", .type = WEIR_SCHEMA_OBJECT, .optional = true, .fields = time_fields },
    { .key = "within", .text = "--within", .type = WEIR_SCHEMA_NUMBER, .optional = true },
    { .key = "change", .text = "of --changes, in order", .type = WEIR_SCHEMA_LIST, .optional = true, .each = &change },
    { .key = "compared", .text = "with solving anew", .type = WEIR_SCHEMA_LIST, .optional = true, .each = &compared },
    { .key = "bottleneck", .text = "links by name", .type = WEIR_SCHEMA_OBJECT, .each = &bottleneck },
    { .key = "flow", .text = "flows by number", .type = WEIR_SCHEMA_OBJECT, .each = &flow },
    { .key = NULL },
};

void weir_allocate_schema(FILE *out)
{
    weir_schema_print(out, "allocate", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = allocate_fields });
}

/* --- weir topology --- */

static const struct weir_schema way_fields[] = {
    WEIR_FIELD("paths", INTEGER),
    WEIR_FIELD("links_min", INTEGER),
    WEIR_FIELD("links_max", INTEGER),
    WEIR_FIELD("delay_min_us", NUMBER),
    WEIR_FIELD("delay_max_us", NUMBER),
    WEIR_FIELD("rate_min_gbps", NUMBER),
    { .key = NULL },
};
static const struct weir_schema pair_fields[] = {
    WEIR_FIELD("src", INTEGER),
    WEIR_FIELD("dst", INTEGER),
    OBJECT("out", way_fields),
    OBJECT("back", way_fields),
    { .key = NULL },
};
#define PAIR(name)                                                                                                     \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_OBJECT, .or_null = true, .fields = pair_fields                              \
    }
static const struct weir_schema tier_fields[] = {
    WEIR_FIELD("tier", STRING),
    WEIR_FIELD("switches", INTEGER),
    WEIR_FIELD("hosts", INTEGER),
    WEIR_FIELD("cables_down", INTEGER),
    WEIR_FIELD("cables_up", INTEGER),
    WEIR_FIELD("cables_across", INTEGER),
    { .key = "switches_of_hosts_alone",
      .text = "not in oversubscription",
      .type = WEIR_SCHEMA_INTEGER,
      .optional = true },
    WEIR_FIELD("down_gbps", NUMBER),
    WEIR_FIELD("up_gbps", NUMBER),
    { .key = "oversubscription", .text = "of a tier with cables up", .type = WEIR_SCHEMA_NUMBER, .optional = true },
    { .key = "worst_switch", .optional = true },
    { .key = "worst_oversubscription", .type = WEIR_SCHEMA_NUMBER, .optional = true },
    { .key = NULL },
};
static const struct weir_schema rate_fields[] = {
    WEIR_FIELD("rate_gbps", NUMBER),
    WEIR_FIELD("cables", INTEGER),
    { .key = NULL },
};
static const struct weir_schema nic_rate_fields[] = {
    WEIR_FIELD("rate_gbps", NUMBER),
    WEIR_FIELD("nics", INTEGER),
    { .key = NULL },
};
static const struct weir_schema nic_rate = { .type = WEIR_SCHEMA_OBJECT, .fields = nic_rate_fields };
static const struct weir_schema rate = { .type = WEIR_SCHEMA_OBJECT, .fields = rate_fields };
static const struct weir_schema tier = { .type = WEIR_SCHEMA_OBJECT, .fields = tier_fields };
static const struct weir_schema count = { .type = WEIR_SCHEMA_INTEGER };
static const struct weir_schema topology_fields[] = {
    { .key = "version", .text = "of Weir" },
    WEIR_FIELD("file", STRING),
    { .key = "topology", .text = "its kind" },
    WEIR_FIELD("hosts", INTEGER),
    WEIR_FIELD("switches", INTEGER),
    WEIR_FIELD("cables", INTEGER),
    WEIR_FIELD("cables_unlike_rate", INTEGER),
    WEIR_FIELD("cables_unlike_delay", INTEGER),
    { .key = "rates", .text = "of cables, ascending", .type = WEIR_SCHEMA_LIST, .each = &rate },
    { .key = "nics_min", .text = "of a host, where some have several", .type = WEIR_SCHEMA_INTEGER, .optional = true },
    { .key = "nics_max", .type = WEIR_SCHEMA_INTEGER, .optional = true },
    { .key = "nic_rates", .type = WEIR_SCHEMA_LIST, .optional = true, .each = &nic_rate },
    WEIR_FIELD("ports_min", INTEGER),
    WEIR_FIELD("ports_max", INTEGER),
    { .key = "bisection_gbps", .text = "0 = there is no cut", .type = WEIR_SCHEMA_NUMBER },
    WEIR_FIELD("connected", BOOL),
    WEIR_FIELD("host_link_gbps", NUMBER),
    WEIR_FIELD("base_rtt_us", NUMBER),
    WEIR_FIELD("bdp_bytes", INTEGER),
    WEIR_FIELD("metric", STRING),
    WEIR_FIELD("links_max", INTEGER),
    WEIR_FIELD("edges", INTEGER),
    { .key = "edges_compared", .text = "where every host has one NIC", .type = WEIR_SCHEMA_INTEGER, .optional = true },
    { .key = "hosts_compared", .text = "where hosts have several NICs", .type = WEIR_SCHEMA_INTEGER, .optional = true },
    WEIR_FIELD("pairs", INTEGER),
    WEIR_FIELD("host_links_min", INTEGER),
    WEIR_FIELD("host_links_max", INTEGER),
    WEIR_FIELD("host_links_mean", NUMBER),
    PAIR("longest"),
    PAIR("fewest_paths"),
    PAIR("most_paths"),
    WEIR_FIELD("pairs_asymmetric", INTEGER),
    { .key = "pairs_asymmetric_in", .type = WEIR_SCHEMA_OBJECT, .each = &count },
    PAIR("first_asymmetric"),
    { .key = "tiers", .type = WEIR_SCHEMA_LIST, .each = &tier },
    { .key = "host_ids", .text = "of a file", .type = WEIR_SCHEMA_LIST, .optional = true, .each = &count },
    WEIR_FIELD_OR_NULL("note", STRING),
    { .key = NULL },
};

void weir_topology_schema(FILE *out)
{
    weir_schema_print(out, "topology", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = topology_fields });
}
