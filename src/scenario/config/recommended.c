/* src/scenario/config/recommended.c - see recommended.h. */
#include "config/recommended.h"
#include "core/param.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char preset_line[] = "protocol.preset: ";

/* Tests whether a line says what switches and hosts are like. A preset also has keys of the law itself, of the
 * network's size and of the run. */
static bool is_of_network(const char *line)
{
    static const char *const section[] = { "framing", "host", "fabric" };
    size_t length = strcspn(line, ".:");
    for (size_t i = 0; i < sizeof(section) / sizeof(section[0]); i++)
        if (strlen(section[i]) == length && strncmp(section[i], line, length) == 0)
            return true;
    return false;
}

/* Returns the next line of the network from *at on, of the row's list and then of the preset's, which follows it in
 * `next`. NULL = there is none */
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

/* Tests whether a later line sets the same key. */
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
