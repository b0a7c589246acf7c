/* src/results/report/filter.c - see filter.h. */
#include "report/filter.h"
#include "config/settings.h"
#include <string.h>

#define KEY_MAX_BYTES 128 /* with its end; a condition with a longer key fits no run */

static const struct {
    const char *column;
    enum weir_run_text text;
} columns[] = {
    { "name", WEIR_RUN_NAME },         { "label", WEIR_RUN_LABEL },           { "status", WEIR_RUN_STATUS },
    { "protocol", WEIR_RUN_PROTOCOL }, { "preset", WEIR_RUN_PRESET },         { "seed", WEIR_RUN_SEED },
    { "commit_id", WEIR_RUN_COMMIT },  { "experiment", WEIR_RUN_EXPERIMENT }, { "figure", WEIR_RUN_FIGURE },
    { "point", WEIR_RUN_POINT },
};

static bool fits_setting(const struct weir_settings *settings, const char *key, const char *pattern)
{
    for (size_t i = 0; i < settings->count; i++) {
        char text[256];
        if (!weir_setting_fits(settings->item[i].key, key))
            continue;
        weir_setting_text(text, sizeof(text), &settings->item[i]); /* "40%" is found as well as "0.4" */
        if (sqlite3_strglob(pattern, settings->item[i].value) == 0 || sqlite3_strglob(pattern, text) == 0)
            return true;
    }
    return false;
}

static bool fits_one(const struct weir_run *run, const struct weir_settings *settings, const char *condition)
{
    size_t length = strcspn(condition, "=");
    char key[KEY_MAX_BYTES];
    if (condition[length] == '\0' || length >= sizeof(key))
        return false;
    memcpy(key, condition, length);
    key[length] = '\0';
    for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
        if (strcmp(columns[i].column, key) == 0)
            return sqlite3_strglob(condition + length + 1, weir_run_text_of(run, columns[i].text)) == 0;
    return fits_setting(settings, key, condition + length + 1);
}

int weir_filter_fits(const struct weir_runs_filter *filter, const struct weir_run *run, bool *fits,
                     struct weir_err *err)
{
    struct weir_settings settings;
    int code;
    *fits = true;
    if (filter == NULL || filter->where_count == 0)
        return 0;
    code = weir_settings_read(&settings, weir_run_text_of(run, WEIR_RUN_SCENARIO), err);
    for (size_t i = 0; i < filter->where_count && code == 0; i++)
        *fits = *fits && fits_one(run, &settings, filter->where[i]);
    weir_settings_free(&settings);
    return code;
}
