/* test/oracle/twin_causes.c - engine and oracle dropped and lost the same packets for the same reasons. */
#include "test/oracle/twin.h"
#include <inttypes.h>
#include <string.h>

/* Every count of a cause. @return how many differ */
static uint32_t compare_cause(const char *who, const struct weir_cause_count *is, const struct weir_cause_count *must)
{
    uint32_t different = 0;
    for (uint32_t i = 0; i < WEIR_LOST_KINDS * WEIR_CLASSES_MAX; i++) {
        uint32_t kind = i / WEIR_CLASSES_MAX, class_id = i % WEIR_CLASSES_MAX;
        if (is->pkts[kind][class_id] == must->pkts[kind][class_id])
            continue;
        different++;
        (void)fprintf(stderr,
                      "    %s: %s.%s took %" PRIu64 " packets of %s of class %" PRIu32 ", must be %" PRIu64 "\n", who,
                      must->cause.feature, must->cause.rule->name, is->pkts[kind][class_id], weir_lost_keys[kind],
                      class_id, must->pkts[kind][class_id]);
    }
    return different;
}

uint32_t twin_compare_causes(const char *who, const struct weir_result *is, const struct weir_causes *must,
                             uint32_t links)
{
    const struct weir_causes *causes = is->causes;
    uint32_t different = 0;
    for (uint32_t i = 0; i < must->count; i++)
        different += compare_cause(who, &causes->row[i], &must->row[i]);
    if (memcmp(causes->of_link, must->of_link, (size_t)links * must->count * sizeof(*must->of_link)) != 0) {
        different++;
        (void)fprintf(stderr, "    %s: causes by link differ\n", who);
    }
    if (weir_causes_pkts(causes, false) != is->drops || weir_causes_pkts(causes, true) != is->losses) {
        different++;
        (void)fprintf(stderr, "    %s: drops or losses are not the sums over their causes\n", who);
    }
    return different;
}
