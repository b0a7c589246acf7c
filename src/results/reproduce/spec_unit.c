/* src/results/reproduce/spec_unit.c - see spec_unit.h. */
#include "reproduce/spec_unit.h"
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Units of numbers, and what a table may call them; `size` is in ps, bytes or bit/s. A table with another unit is not
 * checked. */
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

/* Returns the unit that is the first part of the text; NULL = not known. */
static const struct unit *unit_of(const char *text)
{
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strlen(units[i].called) == length && strncmp(units[i].called, text, length) == 0)
            return &units[i];
    return NULL;
}

/* Returns what a sentence has before a unit: "it is in us", "it is a count". */
static const char *article(const char *unit)
{
    static const char *const kinds[] = { "count", "ratio", "flag" };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(unit, kinds[i]) == 0)
            return "a";
    return "in";
}

/* Asks whether a number, divided by what the table says, can be in `wanted`. It can be of another size: 250 makes KB of
 * each of four hosts. Of bytes a rate makes a time. */
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
