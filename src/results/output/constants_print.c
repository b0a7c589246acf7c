/* src/results/output/constants_print.c - prints Soze's constants from the traffic as YAML, with comments. */
#include "output/constants_print.h"
#include "text/format.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 24 }; /* of "  key: value", up to the comment */

/* Returns a number with a unit without zeros at the end of its decimals: "40 Gbps", not "40.00 Gbps". */
static struct weir_text shortened(struct weir_text text)
{
    char *unit = strchr(text.text, ' '), *end = unit;
    if (unit == NULL || strchr(text.text, '.') == NULL)
        return text;
    while (end[-1] == '0')
        end--;
    if (end[-1] == '.')
        end--;
    memmove(end, unit, strlen(unit) + 1);
    return text;
}

/* Begins a line with "  key: value", or with "  # key: value" for an alternative. The caller prints the comment. */
static void print_key(FILE *out, bool alternative, const char *key, struct weir_text value)
{
    char line[96];
    (void)snprintf(line, sizeof(line), "  %s%s: %s", alternative ? "# " : "", key, shortened(value).text);
    (void)fprintf(out, "%-*s # ", WIDTH, line);
}

static void print_level(FILE *out, const char *what, const struct weir_level *level)
{
    (void)fprintf(out, "%s: flow %" PRIu32, what, level->number);
    if (level->at_ps == WEIR_NEVER)
        (void)fprintf(out, " with all flows at once\n");
    else if (level->at_ps == 0)
        (void)fprintf(out, " at the start\n");
    else
        (void)fprintf(out, " at %s\n", shortened(weir_format_ps(level->at_ps)).text);
}

static void print_rates(FILE *out, const struct weir_levels *levels, const struct weir_constants *c)
{
    uint64_t alone_bps = (uint64_t)llround(levels->alone_bps);
    print_key(out, false, "alpha", weir_format_bps(c->alpha_bps));
    print_level(out, "highest rate per weight", &levels->high);
    if (alone_bps > c->alpha_bps) {
        print_key(out, true, "alpha", weir_format_bps(alone_bps));
        (void)fprintf(out, "where flows end: the host link's rate over the smallest weight\n");
    }
    print_key(out, false, "beta", weir_format_bps(c->beta_bps));
    if (c->widened)
        (void)fprintf(out,
                      "half of alpha: the lowest rate per weight, %s, is (nearly) alpha, and targets must differ\n",
                      shortened(weir_format_bps((uint64_t)llround(levels->low.bps))).text);
    else
        print_level(out, "lowest rate per weight", &levels->low);
}

static void print_delays(FILE *out, const struct weir_constants *c)
{
    print_key(out, false, "p", weir_format_ps(c->p_ps));
    (void)fprintf(out, "OSDI 2025, section 4\n");
    print_key(out, true, "p", weir_format_ps(c->p_appendix_ps));
    (void)fprintf(out, "OSDI 2025, appendix D: targets from 3 to 40 us\n");
    print_key(out, true, "p", weir_format_ps(c->p_slope_ps));
    (void)fprintf(out, "13 us ln(alpha / beta): Weir's, where round trips differ\n");
    print_key(out, false, "k", weir_format_ps(c->k_ps));
    (void)fprintf(out, "OSDI 2025, section 4\n");
}

void weir_constants_print(FILE *out, const char *scenario, const struct weir_levels *levels)
{
    struct weir_constants c = weir_constants_of(levels->high.bps, levels->low.bps);
    WEIR_ASSERT(levels->queued > 0);
    WEIR_ASSERT(levels->at_host_ports <= levels->queued);
    (void)fprintf(out, "# Soze's constants from the traffic of %s: OSDI 2025, section 3.1.4; rates on the wire\n",
                  scenario);
    (void)fprintf(out,
                  "# flows: %" PRIu32 ", of which %" PRIu32 " have a bottleneck with a queue; solved for %" PRIu32
                  " instant%s\n",
                  levels->flows, levels->queued, levels->instants, levels->instants == 1 ? "" : "s");
    if (levels->at_host_ports > 0)
        (void)fprintf(out,
                      "# of %" PRIu32 " of them it is their own host's port, which reports its delay only with\n"
                      "# fabric: {maxqd: {at: all}} and host: {nic_queue: unlimited}\n",
                      levels->at_host_ports);
    (void)fprintf(out, "protocol:\n  name: soze\n");
    print_rates(out, levels, &c);
    print_delays(out, &c);
}
