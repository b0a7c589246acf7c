/* test/unit/setup/file_fixture.h - a file that lasts for one test, and which a scenario names by its number: /dev/fd/%d. */
#ifndef WEIR_TEST_FILE_FIXTURE_H
#define WEIR_TEST_FILE_FIXTURE_H
#include "test/unit/setup/setup_fixture.h"
#include <stdio.h>

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
#endif
