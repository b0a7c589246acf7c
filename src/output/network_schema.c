/* src/output/network_schema.c - JSON Schemas of what `weir allocate` and `weir topology` print. */
#include "output/allocate_print.h"
#include "output/topology_print.h"
#include "term/schema.h"

#define NUMBER(name)                                                                                                   \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_NUMBER                                                                      \
    }
#define COUNT(name)                                                                                                    \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_INTEGER                                                                     \
    }
#define FLAG(name)                                                                                                     \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_BOOL                                                                        \
    }
#define TEXT(name)                                                                                                     \
    {                                                                                                                  \
        .key = (name)                                                                                                  \
    }
#define OBJECT(name, of)                                                                                               \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_OBJECT, .fields = (of)                                                      \
    }
#define END                                                                                                            \
    {                                                                                                                  \
        .key = NULL                                                                                                    \
    }

/* --- weir allocate --- */

static const struct weir_schema spread_fields[] = { NUMBER("min"), NUMBER("median"), NUMBER("max"), END };
static const struct weir_schema time_fields[] = { NUMBER("scenario"), NUMBER("paths"), NUMBER("solve"), END };
static const struct weir_schema bottleneck_fields[] = { COUNT("flows"), NUMBER("rate_per_weight_gbps"), END };
static const struct weir_schema bottleneck = { .type = WEIR_SCHEMA_OBJECT, .fields = bottleneck_fields };
static const struct weir_schema flow_fields[] = {
    COUNT("src"),
    COUNT("dst"),
    NUMBER("weight"),
    NUMBER("rate_gbps"),
    { .key = "bottleneck", .text = "null: it has no way to its destination", .or_null = true },
    END,
};
static const struct weir_schema flow = { .type = WEIR_SCHEMA_OBJECT, .fields = flow_fields };
static const struct weir_schema allocate_fields[] = {
    { .key = "version", .text = "of Weir" },
    { .key = "scenario", .text = "its name" },
    COUNT("seed"),
    TEXT("topology"),
    COUNT("hosts"),
    COUNT("links"),
    { .key = "capacity", .text = "wire or payload" },
    { .key = "acks", .text = "whether they are counted", .type = WEIR_SCHEMA_BOOL },
    COUNT("flows"),
    { .key = "flows_cut_off", .text = "without a way to their destination", .type = WEIR_SCHEMA_INTEGER },
    NUMBER("total_gbps"),
    OBJECT("rate_gbps", spread_fields),
    OBJECT("rate_per_weight_gbps", spread_fields),
    { .key = "jain", .type = WEIR_SCHEMA_NUMBER, .or_null = true },
    { .key = "gap", .text = "how far the rates are from max-min", .type = WEIR_SCHEMA_NUMBER, .or_null = true },
    { .key = "time_s", .type = WEIR_SCHEMA_OBJECT, .optional = true, .fields = time_fields },
    { .key = "bottleneck", .text = "links by name", .type = WEIR_SCHEMA_OBJECT, .each = &bottleneck },
    { .key = "flow", .text = "flows by number", .type = WEIR_SCHEMA_OBJECT, .each = &flow },
    END,
};

void weir_allocate_schema(FILE *out)
{
    weir_schema_print(out, "allocate", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = allocate_fields });
}

/* --- weir topology --- */

static const struct weir_schema way_fields[] = {
    COUNT("paths"),
    COUNT("links_min"),
    COUNT("links_max"),
    NUMBER("delay_min_us"),
    NUMBER("delay_max_us"),
    NUMBER("rate_min_gbps"),
    END,
};
static const struct weir_schema pair_fields[] = {
    COUNT("src"), COUNT("dst"), OBJECT("out", way_fields), OBJECT("back", way_fields), END,
};
#define PAIR(name)                                                                                                     \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_OBJECT, .or_null = true, .fields = pair_fields                              \
    }
static const struct weir_schema tier_fields[] = {
    TEXT("tier"),
    COUNT("switches"),
    COUNT("hosts"),
    COUNT("cables_down"),
    COUNT("cables_up"),
    COUNT("cables_across"),
    NUMBER("down_gbps"),
    NUMBER("up_gbps"),
    { .key = "oversubscription", .text = "of a tier with cables up", .type = WEIR_SCHEMA_NUMBER, .optional = true },
    { .key = "worst_switch", .optional = true },
    { .key = "worst_oversubscription", .type = WEIR_SCHEMA_NUMBER, .optional = true },
    END,
};
static const struct weir_schema tier = { .type = WEIR_SCHEMA_OBJECT, .fields = tier_fields };
static const struct weir_schema count = { .type = WEIR_SCHEMA_INTEGER };
static const struct weir_schema topology_fields[] = {
    { .key = "version", .text = "of Weir" },
    TEXT("file"),
    { .key = "topology", .text = "its kind" },
    COUNT("hosts"),
    COUNT("switches"),
    COUNT("cables"),
    COUNT("cables_unlike_rate"),
    COUNT("cables_unlike_delay"),
    FLAG("connected"),
    NUMBER("host_link_gbps"),
    NUMBER("base_rtt_us"),
    COUNT("bdp_bytes"),
    TEXT("metric"),
    COUNT("links_max"),
    COUNT("edges"),
    COUNT("edges_compared"),
    COUNT("pairs"),
    PAIR("longest"),
    PAIR("fewest_paths"),
    PAIR("most_paths"),
    COUNT("pairs_asymmetric"),
    { .key = "pairs_asymmetric_in", .type = WEIR_SCHEMA_OBJECT, .each = &count },
    PAIR("first_asymmetric"),
    { .key = "tiers", .type = WEIR_SCHEMA_LIST, .each = &tier },
    { .key = "host_ids", .text = "of a file", .type = WEIR_SCHEMA_LIST, .optional = true, .each = &count },
    { .key = "note", .or_null = true },
    END,
};

void weir_topology_schema(FILE *out)
{
    weir_schema_print(out, "topology", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = topology_fields });
}
