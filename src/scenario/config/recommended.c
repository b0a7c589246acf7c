/* src/scenario/config/recommended.c - see recommended.h. */
#include "config/recommended.h"
#include "core/param.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char preset_line[] = "protocol.preset: ";

/* Tests whether a line belongs to the section framing, host or fabric. A preset has lines of other sections, too: of
 * the law, of the network's size and of the run. */
static bool is_of_network(const char *line)
{
    static const char *const section[] = { "framing", "host", "fabric" };
    size_t length = strcspn(line, ".:");
    for (size_t i = 0; i < sizeof(section) / sizeof(section[0]); i++)
        if (strlen(section[i]) == length && strncmp(section[i], line, length) == 0)
            return true;
    return false;
}

/* Returns the next line that is_of_network() accepts, and moves *at behind it. At the end of the list *at, continues
 * with the list *next, and sets *next to NULL. @return NULL = there are no more lines */
static const char *next_line(const char *const **at, const char *const **next)
{
    for (;;) {
        while (*at != NULL && **at != NULL) {
            const char *line = *(*at)++;
            if (is_of_network(line))
                return line;
        }
        if (*next == NULL)
            return NULL;
        *at = *next;
        *next = NULL;
    }
}

/* Tests whether a later line of the lists at and next sets the same key as line. */
static bool is_overwritten(const char *line, const char *const *at, const char *const *next)
{
    size_t length = strcspn(line, ":");
    const char *later;
    while ((later = next_line(&at, &next)) != NULL)
        if (strcspn(later, ":") == length && strncmp(later, line, length) == 0)
            return true;
    return false;
}

const char *weir_recommended_line(const struct weir_protocol *protocol, const struct weir_preset *preset, uint32_t i)
{
    const char *const *at = protocol->recommends, *const *next = preset != NULL ? preset->values : NULL;
    const char *line;
    while ((line = next_line(&at, &next)) != NULL)
        if (!is_overwritten(line, at, next) && i-- == 0)
            break;
    return line;
}

const char *weir_recommended_preset(const struct weir_protocol *protocol)
{
    for (const char *const *line = protocol->recommends; line != NULL && *line != NULL; line++)
        if (strncmp(*line, preset_line, sizeof(preset_line) - 1) == 0)
            return *line + sizeof(preset_line) - 1;
    return NULL;
}
