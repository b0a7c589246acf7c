/* test/unit/text/test_memory.c - texts that are printed to memory. open_memstream() is ours, so that it can fail, or
 * give a file that cannot be written. */
#define _GNU_SOURCE
#include "test/unit/weir_test.h"
#include "text/memory.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef FILE *open_memstream_of(char **bytes, size_t *length);
static enum { WORKS, FAILS, IS_FULL } kind; /* what open_memstream() gives */

FILE *open_memstream(char **bytes, size_t *length)
{
    if (kind == FAILS) {
        errno = ENOMEM;
        return NULL;
    }
    if (kind == IS_FULL)
        return fopen("/dev/full", "w");
    void *found = dlsym(RTLD_NEXT, "open_memstream");
    open_memstream_of *libc;
    memcpy(&libc, &found, sizeof(libc)); /* ISO C has no cast from an object to a function */
    return libc(bytes, length);
}

static int setup(void **state)
{
    (void)state;
    kind = WORKS;
    return 0;
}

static void a_text_is_what_was_printed(void **state)
{
    struct weir_memory memory;
    (void)state;
    assert_non_null(weir_memory_open(&memory));
    assert_true(fprintf(memory.file, "%d, %d", 12, 3) > 0);
    assert_true(weir_memory_close(&memory));
    assert_null(memory.file);
    assert_string_equal(memory.bytes, "12, 3");
    assert_int_equal(memory.length, 5);
    free(memory.bytes);
}

static void without_memory_there_is_none(void **state)
{
    struct weir_memory memory = { 0 };
    (void)state;
    assert_false(weir_memory_close(&memory)); /* never opened */
    kind = FAILS;
    assert_null(weir_memory_open(&memory));
    assert_false(weir_memory_close(&memory));
    assert_null(memory.bytes);
}

static void print_word(FILE *out, const void *word)
{
    (void)fputs(word, out);
}

static void print_much(FILE *out, const void *word)
{
    print_word(out, word);
    (void)fflush(out); /* so that the file knows before it is closed */
}

static void a_text_that_is_not_whole_is_none(void **state)
{
    char *text;
    (void)state;
    assert_non_null(text = weir_memory_text(print_word, "word"));
    assert_string_equal(text, "word");
    free(text);
    kind = FAILS;
    assert_null(weir_memory_text(print_word, "word"));
    kind = IS_FULL;
    assert_null(weir_memory_text(print_word, "word")); /* closing says so */
    assert_null(weir_memory_text(print_much, "word")); /* .. or the file did before */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_text_is_what_was_printed, setup),
        cmocka_unit_test_setup(without_memory_there_is_none, setup),
        cmocka_unit_test_setup(a_text_that_is_not_whole_is_none, setup),
    };
    return cmocka_run_group_tests_name("text/memory", tests, NULL, NULL);
}
