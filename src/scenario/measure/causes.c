/* src/scenario/measure/causes.c - see causes.h. */
#include "measure/causes.h"
#include "core/assert.h"
#include "core/credit.h"
#include "core/feature.h"
#include "core/feature_set.h"
#include <stdlib.h>

const char *const weir_lost_keys[WEIR_LOST_KINDS] = { "data", "ack", "credit", "control" };

const char *const weir_fate_keys[WEIR_FATES] = {
    [WEIR_FATE_DROPPED] = "drops",        [WEIR_FATE_LOST] = "losses",           [WEIR_FATE_MARKED] = "marks",
    [WEIR_FATE_UNMARKED] = "taken_marks", [WEIR_FATE_DEFLECTED] = "deflections", [WEIR_FATE_PAUSED] = "pauses"
};
const char *const weir_fate_verbs[WEIR_FATES] = {
    [WEIR_FATE_DROPPED] = "dropped",     [WEIR_FATE_LOST] = "lost",           [WEIR_FATE_MARKED] = "marked",
    [WEIR_FATE_UNMARKED] = "mark taken", [WEIR_FATE_DEFLECTED] = "deflected", [WEIR_FATE_PAUSED] = "paused"
};

static const struct weir_rule of_world[WEIR_CAUSES_OF_WORLD] = {
    [WEIR_CAUSE_NONE] = { "none", NULL, WEIR_FATE_DROPPED, NULL },
    [WEIR_CAUSE_MEMORY] = { "memory", "join.memory", WEIR_FATE_DROPPED, "the memory of a switch was full" },
    [WEIR_CAUSE_NO_ROUTE] = { "no-route", "arrival.route", WEIR_FATE_DROPPED, "no way to the destination was left" },
};

enum weir_lost_kind weir_lost_kind(const struct weir_pkt *pkt, uint32_t credit_kinds)
{
    switch (pkt->kind) {
    case WEIR_PKT_DATA:
        return WEIR_LOST_DATA;
    case WEIR_PKT_ACK:
    case WEIR_PKT_REPLY:
    case WEIR_PKT_DONE:
        return WEIR_LOST_ACK;
    case WEIR_PKT_CREDIT:
        return WEIR_LOST_CREDIT;
    case WEIR_PKT_CONTROL:
        return pkt->seq < WEIR_CONTROL_KINDS && (credit_kinds >> pkt->seq & 1) != 0 ? WEIR_LOST_CREDIT
                                                                                    : WEIR_LOST_CONTROL;
    default:
        return WEIR_LOST_CONTROL;
    }
}

struct weir_cause weir_cause_of(const struct weir_features *features, uint32_t number)
{
    if (number < WEIR_CAUSES_OF_WORLD)
        return (struct weir_cause){ "switch", &of_world[number], number == WEIR_CAUSE_NO_ROUTE };
    number -= WEIR_CAUSES_OF_WORLD;
    for (uint32_t i = 0; i < features->count; i++) {
        const struct weir_feature *row = features->on[i].row;
        uint32_t rules = weir_feature_rules(row);
        if (number < rules)
            return (struct weir_cause){ row->name, &row->rules[number], row->cuts && number < WEIR_CUT_RULES };
        number -= rules;
    }
    WEIR_ASSERT(false); /* a number that no cause of this run has */
    return (struct weir_cause){ "switch", &of_world[WEIR_CAUSE_NONE], false };
}

struct weir_causes *weir_causes_new(const struct weir_features *features, uint32_t classes, uint32_t links)
{
    uint32_t count = weir_features_cause(features, features->count);
    struct weir_causes *causes = calloc(1, sizeof(*causes) + count * sizeof(causes->row[0]));
    if (causes == NULL)
        return NULL;
    causes->count = count;
    causes->classes = classes;
    for (uint32_t i = 0; i < count; i++)
        causes->row[i].cause = weir_cause_of(features, i);
    if (links > 0 && (causes->of_link = calloc((size_t)links * count, sizeof(*causes->of_link))) == NULL) {
        weir_causes_free(causes);
        return NULL;
    }
    return causes;
}

void weir_causes_free(struct weir_causes *causes)
{
    if (causes != NULL)
        free(causes->of_link);
    free(causes);
}

uint64_t weir_cause_kind(const struct weir_cause_count *row, enum weir_lost_kind kind)
{
    uint64_t sum = 0;
    WEIR_ASSERT(kind < WEIR_LOST_KINDS);
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
        sum += row->pkts[kind][c];
    return sum;
}

uint64_t weir_cause_class(const struct weir_cause_count *row, uint32_t class_id)
{
    uint64_t sum = 0;
    WEIR_ASSERT(class_id < WEIR_CLASSES_MAX);
    for (uint32_t k = 0; k < WEIR_LOST_KINDS; k++)
        sum += row->pkts[k][class_id];
    return sum;
}

uint64_t weir_cause_times(const struct weir_cause_count *row)
{
    uint64_t sum = row->decided;
    for (uint32_t k = 0; k < WEIR_LOST_KINDS; k++)
        sum += weir_cause_kind(row, (enum weir_lost_kind)k);
    return sum;
}

uint64_t weir_causes_kind(const struct weir_causes *causes, enum weir_fate fate, enum weir_lost_kind kind)
{
    uint64_t sum = 0;
    WEIR_ASSERT(weir_fate_ends(fate)); /* packets with other fates are not counted by kind */
    for (uint32_t i = 0; i < causes->count; i++)
        sum += causes->row[i].cause.rule->fate == fate ? weir_cause_kind(&causes->row[i], kind) : 0;
    return sum;
}

uint64_t weir_causes_times(const struct weir_causes *causes, enum weir_fate fate)
{
    uint64_t sum = 0;
    WEIR_ASSERT(fate < WEIR_FATES);
    for (uint32_t i = 0; i < causes->count; i++)
        sum += causes->row[i].cause.rule->fate == fate ? weir_cause_times(&causes->row[i]) : 0;
    return sum;
}
