/* test/unit/refusal.h - what a test asserts of a refusal: its code, its place and the key it names. The sentence is in
 * test/golden/sentences.txt and in no test, so that a better wording changes one file: `tools/sentences` compares it. */
#ifndef WEIR_TEST_REFUSAL_H
#define WEIR_TEST_REFUSAL_H
#include "test/unit/weir_test.h"
#include "core/err.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char *program_invocation_short_name; /* libc's: the name of the test program */

/* The place as the command prints it: "file:line:col", "file:line", "file", or "" for none. */
static inline const char *refusal_place(const struct weir_err *err)
{
    static char place[sizeof(err->file) + 32];
    (void)snprintf(place, sizeof(place),
                   err->line == 0  ? "%s"
                   : err->col == 0 ? "%s:%" PRIu32
                                   : "%s:%" PRIu32 ":%" PRIu32,
                   err->file, err->line, err->col);
    return place;
}

/* Whether the text names the key: the whole word, not a part of a longer one. */
static inline bool refusal_names(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = strstr(text, key); at != NULL; at = strstr(at + 1, key))
        if ((at == text || !isalnum((unsigned char)key[0]) || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
            (length == 0 || !isalnum((unsigned char)at[length])) && at[length] != '_')
            return true;
    return false;
}

/* Adds the sentence to the program's file in the folder $WEIR_SENTENCES, if that is set. */
static inline void refusal_record(const struct weir_err *err)
{
    static const char *const code[] = {
        [WEIR_E_OK] = "OK",       [WEIR_E_SYNTAX] = "SYNTAX", [WEIR_E_UNKNOWN] = "UNKNOWN",
        [WEIR_E_RANGE] = "RANGE", [WEIR_E_UNIT] = "UNIT",     [WEIR_E_CONFLICT] = "CONFLICT",
        [WEIR_E_FILE] = "FILE",   [WEIR_E_MEMORY] = "MEMORY", [WEIR_E_RUN] = "RUN",
        [WEIR_E_BUSY] = "BUSY",
    };
    _Static_assert(sizeof(code) / sizeof(code[0]) == WEIR_E_BUSY + 1, "a name for each code");
    const char *folder = getenv("WEIR_SENTENCES"), *place = refusal_place(err);
    char path[1024];
    FILE *out;
    if (folder == NULL)
        return;
    assert_in_range(err->code, 0, sizeof(code) / sizeof(code[0]) - 1);
    (void)snprintf(path, sizeof(path), "%s/%s", folder, program_invocation_short_name);
    out = fopen(path, "a");
    assert_non_null(out);
    (void)fprintf(out, "%s: %s%s%s\n", code[err->code], place, *place != '\0' ? ": " : "", err->text);
    if (err->hint[0] != '\0')
        (void)fprintf(out, "  hint: %s\n", err->hint);
    assert_int_equal(fclose(out), 0);
}

static inline void refusal_check(const struct weir_err *err, enum weir_err_code code, const char *place,
                                 const char *key, const char *file, int line)
{
    if (err->code != code || err->text[0] == '\0' || !refusal_names(err->text, key) ||
        (place != NULL && strcmp(refusal_place(err), place) != 0)) {
        print_error("%s: %s (code %d); expected code %d%s%s, and '%s' in it\n", refusal_place(err), err->text,
                    (int)err->code, (int)code, place != NULL ? " at " : "", place != NULL ? place : "", key);
        _fail(file, line);
    }
    refusal_record(err);
}

/* place: as refusal_place() prints it; NULL = the caller asserts it. key: a word of the sentence; "" = it names none. */
#define assert_refusal(err, code, place, key) refusal_check(err, code, place, key, __FILE__, __LINE__)
#endif
