/* test/unit/proto/law_bench.h - a law's config as a scenario sets it: defaults, a preset, single keys. */
#ifndef WEIR_TEST_LAW_BENCH_H
#define WEIR_TEST_LAW_BENCH_H
#include "test/unit/refusal.h"
#include "param/param.h"
#include "core/cc.h"
#include <string.h>

static inline void law_set(const struct weir_param *rows, void *config, const char *key, const char *value)
{
    struct weir_tok tok = { .text = value };
    struct weir_err err = { 0 };
    const struct weir_param *row = weir_param_find(rows, key);
    assert_non_null(row);
    assert_int_equal(weir_param_set(row, &tok, config, &err), 0);
}

/* The preset's values of section `protocol`; those of other sections are not the law's. */
static inline void law_use(const struct weir_param *rows, void *config, const struct weir_preset *preset)
{
    weir_param_defaults(rows, config);
    for (const char *const *line = preset->values; *line != NULL; line++) {
        char key[64];
        const char *colon = strchr(*line, ':');
        assert_non_null(colon);
        assert_in_range(colon - *line, 1, sizeof(key) - 1);
        memcpy(key, *line, (size_t)(colon - *line));
        key[colon - *line] = '\0';
        if (strchr(key, '.') == NULL && strcmp(key, "framing") != 0)
            law_set(rows, config, key, colon + 2);
    }
}

/* What is asked of every law's rows, listed in the registry or not yet. presets: NULL = none */
static inline void law_rows_are_sound(const struct weir_param *rows, const struct weir_preset *presets, uint32_t bytes)
{
    for (const struct weir_param *row = rows; row->key != NULL; row++) {
        assert_true(row->offset < bytes);
        assert_true(strlen(row->hint) > 20);
        if (row->kind == WEIR_KIND_CHOICE)
            assert_non_null(row->choices[row->fallback]);
        else if (row->keyword == NULL || row->fallback != row->keyword->value)
            assert_in_range(row->fallback, row->min, row->max);
    }
    for (const struct weir_preset *set = presets; set != NULL && set->name != NULL; set++)
        assert_true(strlen(set->hint) > 10);
}

/* NULL = the config is accepted; else what a check says of it. */
static inline const char *law_check(int (*check)(const void *config, const struct weir_path *path,
                                                 struct weir_err *err),
                                    const void *config, const struct weir_path *path)
{
    static struct weir_err err;
    int code = check(config, path, &err);
    if (code == 0)
        return NULL;
    assert_int_equal(code, WEIR_E_CONFLICT);
    refusal_record(&err);
    return err.text;
}

/* A refusal names the key at fault first. */
static inline void law_refused(const char *said, const char *key)
{
    assert_non_null(said);
    assert_ptr_equal(strstr(said, key), said);
}
#endif
