/* src/results/reproduce/fullest.c - see fullest.h. */
#include "reproduce/fullest.h"
#include <math.h>
#include <string.h>

const char *const weir_fullest_keys[WEIR_FULLEST_KINDS] = { "fullest_port", "fullest_link" };
const char *const weir_fullest_values[WEIR_FULLEST_KINDS] = { "port_queue_bytes.max", "link_share_max" };

void weir_fullest_take(struct weir_fullest *f, int pass, size_t run, const struct weir_fullest_of *of)
{
    if (of->name[0] == '\0' || isnan(of->value))
        return;
    if (pass > 0) {
        f->named++;
        f->same += strcmp(of->name, f->most.name) == 0;
    } else if (f->most.name == NULL || of->value > f->most.value) {
        f->most = *of;
        f->run = run;
    }
}
