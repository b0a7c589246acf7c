/* src/results/reproduce/experiment.c - see experiment.h. */
#include "reproduce/experiment.h"
#include <string.h>

void weir_experiment_free(struct weir_experiment *exp)
{
    weir_tree_arena_free(exp->arena);
    *exp = (struct weir_experiment){ 0 };
}

const struct weir_figure *weir_experiment_figure(const struct weir_experiment *exp, const char *name)
{
    for (uint32_t f = 0; f < exp->figure_count; f++)
        if (strcmp(exp->figure[f].name, name) == 0)
            return &exp->figure[f];
    return NULL;
}
