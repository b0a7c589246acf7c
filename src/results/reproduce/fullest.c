/* src/results/reproduce/fullest.c - see fullest.h. */
#include "reproduce/fullest.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

const char *const weir_fullest_keys[WEIR_FULLEST_KINDS] = { "fullest_port", "fullest_link" };
const char *const weir_fullest_values[WEIR_FULLEST_KINDS] = { "port_queue_bytes.max", "link_share_max" };

static bool names_one(const struct weir_fullest_of *of)
{
    return of->name[0] != '\0' && !isnan(of->value);
}

struct weir_fullest weir_fullest_find(size_t count, struct weir_fullest_of (*of)(const void *ctx, size_t i),
                                      const void *ctx)
{
    struct weir_fullest f = { .named = 0 };
    for (size_t i = 0; i < count; i++) {
        const struct weir_fullest_of run = of(ctx, i);
        if (names_one(&run) && (f.most.name == NULL || run.value > f.most.value)) {
            f.most = run;
            f.run = i;
        }
    }
    for (size_t i = 0; i < count && f.most.name != NULL; i++) {
        const struct weir_fullest_of run = of(ctx, i);
        f.named += names_one(&run);
        f.same += names_one(&run) && strcmp(run.name, f.most.name) == 0;
    }
    return f;
}
