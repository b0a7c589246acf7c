/* src/scenario/measure/part_metrics.c - the metrics of a part of the traffic, a law or a class; see metrics.h. */
#include "measure/metrics.h"
#include "core/assert.h"
#include "core/math.h"

#define OFFSET(field) ((uint32_t)offsetof(struct weir_part_result, field))
#include "measure/metric_rows.h"

uint64_t weir_part_met_ppb(const struct weir_part_result *part)
{
    WEIR_ASSERT(part->demand_bytes > 0);
    return weir_mul_div_u64(part->arrived_bytes, 1000000000, part->demand_bytes);
}

static uint64_t met_ppb(const void *of)
{
    return weir_part_met_ppb(of);
}

#define SLOWDOWN(g, index, of_group, head1, family)                                                                    \
    DIST(g, index, of_group, head1, family), CALL(DIST_ROW, "max", "max", max, 6, g, index, of_group, head1, OUT family)

const struct weir_metric weir_part_metrics[] = {
    COUNT("messages_started", messages_started, "messages started", .text = "messages of the law or class"),
    COUNT("messages_completed", messages_completed, "messages completed", .text = "messages of the law or class"),
    COUNT("senders", senders, "senders", .text = "hosts that started a message of it"),
    ROW("goodput_gbps", goodput_bps, "goodput per host",
        .text = "new payload that arrived in the measured part, over all hosts", GBPS, GREATEST),
    ROW("demand_gbps", demand_bps, "demand per host", .text = "payload that could have arrived in the measured part",
        MODEL("laws.fairness"), GBPS),
    ROW("demand_met", arrived_bytes, "share of the demand that arrived", MODEL("laws.fairness"),
        .needs = OFFSET(demand_bytes), .value = met_ppb, .digits = 9, .unit = WEIR_METRIC_RATIO, GREATEST),
    COUNT("marks", marks, "marks", .text = "packets of data that arrived with one"),
    COUNT("drops", drops, "packets dropped, or lost on the wire", LEAST),
    COUNT("data_drops", data_drops, "packets of data dropped, or lost on the wire", LEAST),
    COUNT("retransmissions", retransmissions, "packets sent again", LEAST),
    COUNT("timeouts", timeouts, "timeouts", LEAST),
    GROUPS(SLOWDOWN,
           ("slowdown", slowdown, "slowdown", "time of a message over the least possible one", WEIR_METRIC_RATIO)),
    { .name = NULL },
};
