/* src/base/param/suggest.c - edit distance of short names, and the hint for a misspelt one. */
#include "param/suggest.h"
#include "core/assert.h"
#include "core/math.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Computes the distance row by row, with the usual dynamic-programming table. Three rows are kept: the present one, the
 * one before, and the one before that, which a swap needs. */
uint32_t weir_suggest_distance(const char *a, const char *b)
{
    uint32_t row[3][WEIR_SUGGEST_NAME_MAX + 1];
    size_t a_len = strlen(a), b_len = strlen(b);
    if (a_len > WEIR_SUGGEST_NAME_MAX || b_len > WEIR_SUGGEST_NAME_MAX)
        return UINT32_MAX;
    for (uint32_t j = 0; j <= b_len; j++)
        row[0][j] = j;
    for (uint32_t i = 1; i <= a_len; i++) {
        uint32_t *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = i;
        for (uint32_t j = 1; j <= b_len; j++) {
            uint32_t differs = lower(a[i - 1]) != lower(b[j - 1]);
            now[j] = min_u32(min_u32(last[j], now[j - 1]) + 1, last[j - 1] + differs);
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                now[j] = min_u32(now[j], before[j - 2] + 1);
        }
    }
    return row[a_len % 3][b_len];
}

void weir_suggest_init(struct weir_suggest *s, const char *asked)
{
    WEIR_ASSERT(asked != NULL);
    *s = (struct weir_suggest){ .asked = asked, .distance = UINT32_MAX };
}

/* Tests whether the list, names with ", " between them, has the name already. */
static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at++)
        if ((at == list || (at[-1] == ' ' && at[-2] == ',')) && (at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

/* Adds a valid name, unless it was added before. It may become the suggestion if at most about a third of the
 * characters of s->asked must be edited, and not all of them. */
void weir_suggest_add(struct weir_suggest *s, const char *name)
{
    size_t used = strlen(s->list), asked_len = strlen(s->asked);
    uint32_t distance = weir_suggest_distance(s->asked, name);
    WEIR_ASSERT(used < sizeof(s->list));
    if (name[0] == '\0' || is_listed(s->list, name))
        return;
    if (distance <= weir_max_u64(1, (asked_len + 1) / 3) && distance < asked_len && distance < s->distance) {
        s->distance = distance;
        (void)snprintf(s->best, sizeof(s->best), "%s", name);
    }
    if (used + strlen(name) + 6 < sizeof(s->list))
        (void)snprintf(s->list + used, sizeof(s->list) - used, "%s%s", used > 0 ? ", " : "", name);
    else if (used < 2 || strcmp(s->list + used - 2, "..") != 0)
        (void)snprintf(s->list + used, sizeof(s->list) - used, ", ..");
}

void weir_suggest_hint(const struct weir_suggest *s, char *out, size_t size)
{
    if (s->best[0] != '\0')
        (void)snprintf(out, size, "did you mean '%s'?", s->best);
    else
        (void)snprintf(out, size, "known: %s", s->list);
}
