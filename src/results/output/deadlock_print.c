/* src/results/output/deadlock_print.c - see deadlock_print.h. */
#include "output/deadlock_print.h"
#include "core/cable.h"
#include "solve/deadlock.h"
#include "text/format.h"

static void print_cycle(const struct weir_topology *topo, const struct weir_deadlock *d, FILE *out)
{
    char name[WEIR_LINK_NAME];
    for (uint32_t i = 0; i < d->count && i < WEIR_DEADLOCK_LINKS; i++) {
        weir_topology_link_name(topo, d->link[i], name, sizeof(name));
        (void)fprintf(out, "%s%s", i > 0 ? ", " : "", name);
    }
    if (d->count > WEIR_DEADLOCK_LINKS)
        (void)fprintf(out, " and %u more", (unsigned)(d->count - WEIR_DEADLOCK_LINKS));
}

void weir_deadlock_warn(const struct weir_setup *s, FILE *out)
{
    struct weir_deadlock d;
    struct weir_err err;
    if (weir_deadlock_find(s, &d, &err) != 0) {
        (void)fprintf(out, "weir: %s\n", err.text);
        return;
    }
    if (d.count == 0)
        return;
    (void)fprintf(out, "weir: cyclic buffer dependency: PFC may stop these links for good, each waiting for the next");
    if (d.event != NULL)
        (void)fprintf(out, ", with the routes from %s on",
                      weir_format_ps(d.event->at_ps + s->model.reroute_delay_ps).text);
    (void)fputs(": ", out);
    print_cycle(&s->topo, &d, out);
    (void)fputc('\n', out);
}
