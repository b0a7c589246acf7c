/* src/scenario/config/settings.h - the resolved scenario of a run as a flat list of keys and values: "traffic[0].load"
 * is "0.4". */
#ifndef WEIR_CONFIG_SETTINGS_H
#define WEIR_CONFIG_SETTINGS_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>

struct weir_setting {        /* one key with its value */
    const char *key, *value; /* valid as long as the list */
};

struct weir_settings {                  /* all settings of a run */
    struct weir_setting *item;          /* count settings, in the order of the text */
    const struct weir_setting **by_key; /* the same settings, sorted by key */
    size_t count;
    struct weir_tree_arena *arena;
};

/* Reads the text of a scenario into *settings. A text that is no YAML map gives an empty list and no error: a page
 * shows such a text as it is, and derives nothing from it. @return 0, or WEIR_E_MEMORY with err; the caller calls
 * weir_settings_free() in both cases */
int weir_settings_read(struct weir_settings *settings, const char *scenario, struct weir_err *err);
void weir_settings_free(struct weir_settings *settings);

/* Returns the value of a key, given as its whole path; NULL = the list has no such key. */
const char *weir_settings_find(const struct weir_settings *settings, const char *key);

/* Prints the value of a setting into out. A load or a share becomes a percentage: "0.4" of "traffic[0].load" becomes
 * "40%". Any other value stays as it is. out has room for size bytes, at least 8; a longer value is cut. */
void weir_setting_text(char *out, size_t size, const struct weir_setting *setting);

/* Tests whether key is equal to end, or ends with a '.' and end: "load" fits "traffic[0].load". */
bool weir_setting_fits(const char *key, const char *end);
#endif
