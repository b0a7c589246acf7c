/* src/transport/mapping/check.c - does the traffic of a network carry what its switches' features need? */
#include "core/feature.h"
#include "core/feature_set.h"
#include "mapping/mapping.h"
#include <string.h>

/* ---- one test per feature ---- */

static bool has_echo(const struct weir_feature_on *on, const struct weir_mapping_traffic *t)
{
    (void)on;
    return t->tcp || (t->weir && t->ack_area != WEIR_WIRE_AREA_NONE);
}

static bool has_slots(const struct weir_feature_on *on, const struct weir_mapping_traffic *t)
{
    bool in_acks = (on->offers & WEIR_NEED_ACK_INT) != 0;
    return t->weir && (in_acks ? t->ack_area : t->data_area) == WEIR_WIRE_AREA_64NS &&
           (in_acks ? t->ack_slots : t->data_slots) > 0;
}

static bool has_delay(const struct weir_feature_on *on, const struct weir_mapping_traffic *t)
{
    (void)on;
    return (t->tcp && t->tcp_option) ||
           (t->weir && (t->data_area == WEIR_WIRE_AREA_64NS || t->data_area == WEIR_WIRE_AREA_US));
}

static bool has_stamp(const struct weir_feature_on *on, const struct weir_mapping_traffic *t)
{
    (void)on;
    return t->weir && t->data_area == WEIR_WIRE_AREA_RCP;
}

static bool has_tokens(const struct weir_feature_on *on, const struct weir_mapping_traffic *t)
{
    (void)on;
    return t->weir && t->tokens && t->data_area != WEIR_WIRE_AREA_NONE;
}

static bool takes_notices(const struct weir_feature_on *on, const struct weir_mapping_traffic *t)
{
    (void)on;
    return t->weir && t->notices;
}

static bool has_credit(const struct weir_feature_on *on, const struct weir_mapping_traffic *t)
{
    (void)on;
    return t->weir;
}

/* Features that are not here need what every IP packet has. */
static const struct need {
    const char *feature;
    bool (*is_met)(const struct weir_feature_on *on, const struct weir_mapping_traffic *traffic);
    const char *lack, *hint;
} need_list[] = {
    { "rpm", has_echo, "sets ECE in ACKs, and no ACK of these hosts has a place for it",
      "TCP's have it, and those of a protocol of libweir that reserves a switch area in ACKs" },
    { "int", has_slots, "writes records, and no packet of these hosts has slots for them",
      "protocol hpcc over libweir reserves slots in data, and fncc in ACKs" },
    { "maxqd", has_delay, "writes delays, and no packet of these hosts has a field for them",
      "segments of `weir tcp load soze` have it, and data of protocols soze and aimd over libweir" },
    { "rcp", has_stamp, "writes rates, and no packet of these hosts has a field for them",
      "a switch area of kind 3 has it, and endpoints of libweir reserve none" },
    { "deflect", has_tokens, "spends tokens, and no packet of these hosts carries one",
      "data of protocol dart over libweir has them" },
    { "fair-rate", takes_notices, "sends NOTICE packets, and no host takes one from a switch",
      "a NOTICE has the token of its connection, which no switch knows" },
    { "credit-gate", has_credit, "holds credit back, and no host sends credit",
      "receiver-driven protocols over libweir do" },
};

void weir_mapping_add_law(struct weir_mapping_traffic *traffic, uint32_t needs, bool stream)
{
    struct weir_wire_reserved area = weir_wire_reserved(needs, stream);
    traffic->weir = true;
    traffic->tokens |= area.tokens;
    if (area.delay || area.tokens || area.data_slots > 0)
        traffic->data_area = WEIR_WIRE_AREA_64NS;
    if (area.data_slots > 0)
        traffic->data_slots = area.data_slots;
    if (area.ack_slots > 0) {
        traffic->ack_area = WEIR_WIRE_AREA_64NS;
        traffic->ack_slots = area.ack_slots;
    }
}

int weir_mapping_check(const struct weir_features *features, const struct weir_mapping_traffic *traffic,
                       struct weir_err *err)
{
    for (uint32_t i = 0; i < features->count; i++) {
        const struct weir_feature_on *on = &features->on[i];
        for (size_t k = 0; k < sizeof(need_list) / sizeof(need_list[0]); k++) {
            if (strcmp(on->row->name, need_list[k].feature) == 0 && !need_list[k].is_met(on, traffic))
                return weir_fail(err, WEIR_E_CONFLICT, NULL, need_list[k].hint, "fabric: feature %s %s", on->row->name,
                                 need_list[k].lack);
        }
    }
    return 0;
}
