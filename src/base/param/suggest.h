/* src/base/param/suggest.h - suggestions for a misspelt name. Collects the valid names and formats the hint. */
#ifndef WEIR_PARAM_SUGGEST_H
#define WEIR_PARAM_SUGGEST_H
#include <stddef.h>
#include <stdint.h>

#define WEIR_SUGGEST_NAME_MAX 48u /* longer names are compared with nothing */

struct weir_suggest {
    const char *asked; /* as the user wrote it; lent */
    uint32_t distance;
    char best[WEIR_SUGGEST_NAME_MAX + 1]; /* nearest name so far, "" = none is near */
    char list[400];                       /* every name, ", " between; ends in ".." when there are more */
};

void weir_suggest_init(struct weir_suggest *s, const char *asked);
void weir_suggest_add(struct weir_suggest *s, const char *name);
/* Prints "did you mean 'load'?"; when nothing is near: "known: kind, load, sizes". */
void weir_suggest_hint(const struct weir_suggest *s, char *out, size_t size);

/* Counts the edits that turn one name into the other: insert, delete, replace, swap two neighbours; upper and lower
 * case are the same.
 * @return the number, or UINT32_MAX if a name is longer than WEIR_SUGGEST_NAME_MAX */
uint32_t weir_suggest_distance(const char *a, const char *b);
#endif
