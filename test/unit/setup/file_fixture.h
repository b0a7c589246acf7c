/* test/unit/setup/file_fixture.h - a temporary file of one test. A scenario names it /dev/fd/N, or N alone if the scenario itself is in
 * /dev/fd. */
#ifndef WEIR_TEST_FILE_FIXTURE_H
#define WEIR_TEST_FILE_FIXTURE_H
#include "test/unit/setup/setup_fixture.h"
#include <stdio.h>
#include <unistd.h>

static FILE *file;

static inline int begin_file(void **state)
{
    (void)state;
    file = tmpfile();
    return file != NULL ? 0 : -1;
}

static inline int end_file(void **state)
{
    (void)fclose(file);
    return end(state);
}

/* Makes this the content of the file. */
static inline void file_set(const char *text)
{
    rewind(file);
    assert_int_equal(ftruncate(fileno(file), 0), 0);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fflush(file), 0);
}
#endif
