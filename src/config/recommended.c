/* src/config/recommended.c - see recommended.h. */
#include "config/recommended.h"
#include "core/assert.h"
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const char preset_line[] = "protocol.preset: ";

/* A preset also has keys of the law itself, of the network's size and of the run: these are not what switches and hosts are like. */
static bool is_of_network(const char *line)
{
    static const char *const section[] = { "framing", "host", "fabric" };
    size_t length = strcspn(line, ".:");
    for (size_t i = 0; i < sizeof(section) / sizeof(section[0]); i++)
        if (strlen(section[i]) == length && strncmp(section[i], line, length) == 0)
            return true;
    return false;
}

static size_t key_length(const char *line)
{
    return strcspn(line, ":");
}

/* The earlier line of the same key would be overwritten. */
static void drop_twin(struct weir_recommended *out, const char *line)
{
    size_t length = key_length(line);
    for (uint32_t i = 0; i < out->count; i++) {
        if (key_length(out->line[i]) != length || strncmp(out->line[i], line, length) != 0)
            continue;
        out->count--;
        memmove(&out->line[i], &out->line[i + 1], (out->count - i) * sizeof(out->line[0]));
        return;
    }
}

static void add_lines(struct weir_recommended *out, const char *const *line)
{
    for (; line != NULL && *line != NULL; line++) {
        if (!is_of_network(*line))
            continue;
        drop_twin(out, *line);
        WEIR_ASSERT(out->count < WEIR_RECOMMENDED_MAX);
        out->line[out->count++] = *line;
    }
}

void weir_recommended_of(const struct weir_protocol *protocol, const struct weir_preset *preset,
                         struct weir_recommended *out)
{
    out->count = 0;
    add_lines(out, protocol->recommends);
    add_lines(out, preset != NULL ? preset->values : NULL);
}

const char *weir_recommended_preset(const struct weir_protocol *protocol)
{
    for (const char *const *line = protocol->recommends; line != NULL && *line != NULL; line++)
        if (strncmp(*line, preset_line, sizeof(preset_line) - 1) == 0)
            return *line + sizeof(preset_line) - 1;
    return NULL;
}
