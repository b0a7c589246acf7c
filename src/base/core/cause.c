/* src/base/core/cause.c - numbers of causes: first those of enum weir_world_cause, then the rules of each feature, in
 * the order of the features. */
#include "core/cause.h"
#include "core/assert.h"
#include "core/feature.h"
#include "core/feature_set.h"

uint32_t weir_feature_rules(const struct weir_feature *row)
{
    uint32_t n = 0;
    while (row->rules != NULL && row->rules[n].name != NULL)
        n++;
    return n;
}

uint32_t weir_features_cause(const struct weir_features *features, uint32_t feature)
{
    uint32_t cause = WEIR_CAUSES_OF_WORLD;
    WEIR_ASSERT(feature <= features->count);
    for (uint32_t i = 0; i < feature; i++)
        cause += weir_feature_rules(features->on[i].row);
    return cause;
}

uint32_t weir_features_cut(const struct weir_features *features, enum weir_cut_rule rule)
{
    for (uint32_t i = 0; i < features->count; i++)
        if (features->on[i].row->cuts)
            return weir_features_cause(features, i) + (uint32_t)rule;
    return WEIR_CAUSE_NONE;
}
