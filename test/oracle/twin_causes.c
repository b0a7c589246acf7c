/* test/oracle/twin_causes.c - engine and oracle dropped, lost, marked and deflected the same packets for the same reasons, and paused
 * the same classes. */
#include "core/feature_counter.h"
#include "test/oracle/twin.h"
#include <inttypes.h>
#include <string.h>

/* Every count of a cause. @return how many differ */
static uint32_t compare_cause(const char *who, const struct weir_cause_count *is, const struct weir_cause_count *must)
{
    uint32_t different = is->decided != must->decided;
    if (different > 0)
        (void)fprintf(stderr, "    %s: %s.%s applied %" PRIu64 " times, must be %" PRIu64 "\n", who,
                      must->cause.feature, must->cause.rule->name, is->decided, must->decided);
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

/* Returns a number that a feature has counted; 0 = it has not. */
static uint64_t counted(const struct weir_result *is, const char *feature, const char *name)
{
    for (uint32_t i = 0; i < is->feature_counts; i++)
        if (strcmp(is->feature_count[i].feature, feature) == 0 && strcmp(is->feature_count[i].counter->name, name) == 0)
            return is->feature_count[i].value;
    return 0;
}

/* Each fate that is counted in another way too is the sum over its causes. @return how many are not */
static uint32_t compare_sums(const char *who, const struct weir_result *is)
{
    const struct {
        enum weir_fate fate;
        uint64_t count;
    } row[] = {
        { WEIR_FATE_DROPPED, is->drops },
        { WEIR_FATE_LOST, is->losses },
        { WEIR_FATE_MARKED, is->marks },
        { WEIR_FATE_UNMARKED, counted(is, "rpm", "events") - counted(is, "rpm", "forward") },
        { WEIR_FATE_DEFLECTED, counted(is, "deflect", "packets") },
        { WEIR_FATE_PAUSED, counted(is, "pfc", "pause_frames") },
    };
    uint32_t different = 0;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        uint64_t times = weir_causes_times(is->causes, row[i].fate);
        if (times == row[i].count)
            continue;
        different++;
        (void)fprintf(stderr, "    %s: %s are %" PRIu64 ", and by cause %" PRIu64 "\n", who,
                      weir_fate_keys[row[i].fate], row[i].count, times);
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
    return different + compare_sums(who, is);
}
