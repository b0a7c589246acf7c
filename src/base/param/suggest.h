/* src/base/param/suggest.h - suggestions for a misspelt name: collects the valid names, and prints a hint. */
#ifndef WEIR_PARAM_SUGGEST_H
#define WEIR_PARAM_SUGGEST_H
#include <stddef.h>
#include <stdint.h>

#define WEIR_SUGGEST_NAME_MAX 48u /* longer names are never suggested */

struct weir_suggest {
    const char *asked; /* name that the user wrote; lent */
    uint32_t distance;
    char best[WEIR_SUGGEST_NAME_MAX + 1]; /* nearest name so far; "" = no name is near */
    char list[400];                       /* all names, separated by ", "; ends in ".." if they do not fit */
};

void weir_suggest_init(struct weir_suggest *s, const char *asked);
void weir_suggest_add(struct weir_suggest *s, const char *name);
/* Prints a hint: "did you mean 'load'?". If no name is near, prints all names instead: "known: kind, load, sizes". */
void weir_suggest_hint(const struct weir_suggest *s, char *out, size_t size);

/* Returns the least number of edits that turn name a into name b. An edit inserts, deletes or replaces a character, or
 * swaps two neighbours; no character is edited twice (optimal string alignment). Upper and lower case count as equal.
 * @return UINT32_MAX if a name is longer than WEIR_SUGGEST_NAME_MAX */
uint32_t weir_suggest_distance(const char *a, const char *b);
#endif
