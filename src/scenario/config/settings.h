/* src/scenario/config/settings.h - the resolved scenario of a run as a flat list: "traffic[0].load" is "0.4". */
#ifndef WEIR_CONFIG_SETTINGS_H
#define WEIR_CONFIG_SETTINGS_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>

struct weir_setting {
    const char *key, *value; /* lent by the list */
};

struct weir_settings {
    struct weir_setting *item; /* in the order of the text */
    const struct weir_setting **by_key;
    size_t count;
    struct weir_tree_arena *arena;
};

/* Reads the text of a scenario. A text that is no YAML gives an empty list: the page shows it as it is, and nothing is
 * derived from it. @return 0, or WEIR_E_MEMORY with err; weir_settings_free() it then, too */
int weir_settings_read(struct weir_settings *settings, const char *scenario, struct weir_err *err);
void weir_settings_free(struct weir_settings *settings);

/* Returns the value of a key. @return NULL = it has none */
const char *weir_settings_find(const struct weir_settings *settings, const char *key);

/* Prints a load or share as people write it: "0.4" of "traffic[0].load" becomes "40%". Any other value stays as it is.
 * out has room for size bytes, and a longer value is cut. size >= 8 */
void weir_setting_text(char *out, size_t size, const struct weir_setting *setting);

/* Tests whether a key is the other one, or ends with it from a '.' on: "load" fits "traffic[0].load". */
bool weir_setting_fits(const char *key, const char *end);
#endif
