/* test/fuzz/fuzz_session.c - any bytes as lines of a session. A line is refused with a sentence and its place, or what it
 * says is written as a line that says the same. No call is executed: it could write files. */
#include "config/tree.h"
#include "core/assert.h"
#include "session/call.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writes a call, and reads it again. */
static void again(const struct weir_session_row *row, const struct weir_session_args *args)
{
    struct weir_tree_arena *arena = weir_tree_arena_new();
    struct weir_session_args back;
    struct weir_err err = { .code = WEIR_E_OK };
    char *line = NULL, *twice = NULL;
    size_t length = 0, length2 = 0;
    FILE *out = open_memstream(&line, &length);
    WEIR_ASSERT(out != NULL && arena != NULL);
    weir_session_line_write(out, row, args);
    (void)fclose(out);
    WEIR_ASSERT(weir_session_line_read(arena, "again", line, length - 1, &back, &err) == row);
    WEIR_ASSERT(back.given == args->given);
    out = open_memstream(&twice, &length2);
    WEIR_ASSERT(out != NULL);
    weir_session_line_write(out, row, &back);
    (void)fclose(out);
    WEIR_ASSERT(length == length2 && memcmp(line, twice, length) == 0);
    free(line);
    free(twice);
    weir_tree_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    while (size > 0) {
        const uint8_t *newline = memchr(data, '\n', size);
        size_t length = newline != NULL ? (size_t)(newline - data) : size;
        struct weir_tree_arena *arena = weir_tree_arena_new();
        struct weir_session_args args;
        struct weir_err err = { .code = WEIR_E_OK };
        char *line = malloc(length + 1); /* ends where the line does: a byte too many is found */
        const struct weir_session_row *row;
        WEIR_ASSERT(arena != NULL && line != NULL);
        memcpy(line, data, length);
        line[length] = '\0';
        row = weir_session_line_read(arena, "fuzz", line, length, &args, &err);
        if (row != NULL)
            again(row, &args);
        else
            WEIR_ASSERT(err.code != WEIR_E_OK && err.text[0] != '\0' && err.line == 1);
        free(line);
        weir_tree_arena_free(arena);
        data += length + (newline != NULL);
        size -= length + (newline != NULL);
    }
    return 0;
}
