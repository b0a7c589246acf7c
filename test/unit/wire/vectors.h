/* test/unit/wire/vectors.h - reads vectors.txt: one datagram of each type, in hex. */
#ifndef WEIR_TEST_WIRE_VECTORS_H
#define WEIR_TEST_WIRE_VECTORS_H
#include "test/unit/weir_test.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { VECTORS = 20, VECTOR_MAX = 128 };

struct vector {
    char name[32];
    unsigned char bytes[VECTOR_MAX];
    uint32_t length;
};
static struct vector vectors[VECTORS];

static inline int nibble(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static inline void add_bytes(struct vector *v, const char *line)
{
    for (; *line != '\0' && *line != '\n'; line++) {
        if (!isxdigit((unsigned char)line[0]))
            continue;
        assert_true(isxdigit((unsigned char)line[1]) && v->length < VECTOR_MAX);
        v->bytes[v->length++] = (unsigned char)(nibble(line[0]) << 4 | nibble(line[1]));
        line++;
    }
}

/* Run from the top of the tree. */
static inline int read_vectors(void **state)
{
    FILE *file = fopen("test/unit/wire/vectors.txt", "r");
    char line[256];
    uint32_t count = 0;
    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (line[0] == '=') {
            assert_true(count < VECTORS);
            assert_int_equal(sscanf(line, "= %31s", vectors[count++].name), 1);
        } else if (line[0] != '#' && count > 0) {
            add_bytes(&vectors[count - 1], line);
        }
    }
    (void)fclose(file);
    assert_int_equal(count, VECTORS);
    return 0;
}

static inline const struct vector *vector(const char *name)
{
    for (uint32_t i = 0; i < VECTORS; i++)
        if (strcmp(vectors[i].name, name) == 0)
            return &vectors[i];
    fail_msg("no vector %s", name);
    return NULL;
}
#endif
