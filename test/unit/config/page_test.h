/* test/unit/config/page_test.h - pages of doc/ against the files that they describe. */
#ifndef WEIR_PAGE_TEST_H
#define WEIR_PAGE_TEST_H
#include "test/unit/weir_test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* path: from the project's root. @return the whole page, to be freed */
static inline char *page_read(const char *path)
{
    enum { BYTES_MAX = 1 << 20 };
    char *text = calloc(1, BYTES_MAX);
    FILE *page = fopen(path, "rb");
    size_t used;
    assert_non_null(text);
    assert_non_null(page);
    used = fread(text, 1, BYTES_MAX - 1, page);
    assert_true(used > 0 && used < BYTES_MAX - 1);
    (void)fclose(page);
    return text;
}

/* Gives every block of YAML that begins with the comment to accepts(). @return how many there are */
static inline uint32_t page_examples(const char *path, const char *comment, void (*accepts)(const char *text))
{
    char *text = page_read(path), *block = text, begin[64];
    uint32_t count = 0;
    (void)snprintf(begin, sizeof(begin), "```yaml\n%s", comment);
    while ((block = strstr(block, begin)) != NULL) {
        char *end = strstr(block + strlen(begin), "```");
        assert_non_null(end);
        *end = '\0';
        accepts(block + strlen("```yaml\n"));
        block = end + 3;
        count++;
    }
    free(text);
    return count;
}
#endif
