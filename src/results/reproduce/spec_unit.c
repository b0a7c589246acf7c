/* src/results/reproduce/spec_unit.c - see spec_unit.h. */
#include "reproduce/spec_unit.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The units that are checked, by all their names in numbers and tables. `measure` is the kind; `size` is in ps, bytes
 * or bit/s. */
static const struct unit {
    const char *called, *measure;
    uint64_t size;
} units[] = {
    { "ps", "time", 1 },          { "ns", "time", 1000 },         { "us", "time", 1000000 },
    { "ms", "time", 1000000000 }, { "s", "time", 1000000000000 }, { "B", "bytes", 1 },
    { "bytes", "bytes", 1 },      { "KB", "bytes", 1000 },        { "kB", "bytes", 1000 },
    { "MB", "bytes", 1000000 },   { "GB", "bytes", 1000000000 },  { "Mbps", "rate", 1000000 },
    { "Mb/s", "rate", 1000000 },  { "Gbps", "rate", 1000000000 }, { "Gb/s", "rate", 1000000000 },
};

/* Returns the unit that the text names up to the first blank; NULL = unknown. */
static const struct unit *unit_of(const char *text)
{
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strlen(units[i].called) == length && strncmp(units[i].called, text, length) == 0)
            return &units[i];
    return NULL;
}

/* Returns the preposition or article before a unit in a sentence: "in" for us, "a" for count. */
static const char *article(const char *unit)
{
    static const char *const kinds[] = { "count", "ratio", "flag" };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(unit, kinds[i]) == 0)
            return "a";
    return "in";
}

/* Tests whether a number in unit `is`, divided by `divide`, can be in unit `wanted`. The kind has to be the same, the
 * size need not: divided by 4000, the bytes of four hosts become KB per host. Bytes divided by a rate become a time. */
static bool can_become(const struct unit *is, const struct unit *wanted, uint64_t divide)
{
    return is != NULL && (strcmp(is->measure, wanted->measure) == 0 ||
                          (divide != 1 && strcmp(is->measure, "bytes") == 0 && strcmp(wanted->measure, "time") == 0));
}

int weir_spec_unit(const struct weir_tok *at, const struct weir_spec_number *number, struct weir_err *err)
{
    const struct unit *wanted = unit_of(at->text), *is = unit_of(number->unit);
    char hint[48];
    if (wanted == NULL)
        return 0;
    if (!can_become(is, wanted, number->divide))
        return weir_fail(err, WEIR_E_UNIT, at, NULL, "unit: %.40s: %s is %s %s", at->text, number->name,
                         article(number->unit), number->unit);
    if (strcmp(at->text, wanted->called) != 0 || number->divide != 1 || is->size == wanted->size)
        return 0;
    if (wanted->size > is->size)
        (void)snprintf(hint, sizeof(hint), "say divide: %" PRIu64, wanted->size / is->size);
    else
        (void)snprintf(hint, sizeof(hint), "say unit: %s", number->unit);
    return weir_fail(err, WEIR_E_UNIT, at, hint, "unit: %.40s: %s is in %s, and is not divided", at->text, number->name,
                     number->unit);
}
