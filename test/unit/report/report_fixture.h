/* test/unit/report/report_fixture.h - a result file made of test/report/sample.sql in a folder of its own. */
#ifndef WEIR_TEST_REPORT_FIXTURE_H
#define WEIR_TEST_REPORT_FIXTURE_H
#define _XOPEN_SOURCE 700 /* mkdtemp() */
#include "test/unit/weir_test.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/weir-report-XXXXXX";
static char sample[64]; /* the file */
static char second[64]; /* and another of the same name, in a folder of its own; "" = there is none */

/* What was written to memory; file is closed. */
struct memory {
    char *text;
    size_t size;
    FILE *file;
};

static inline void memory_open(struct memory *m)
{
    m->file = open_memstream(&m->text, &m->size);
    assert_non_null(m->file);
}

static inline char *memory_text(struct memory *m)
{
    assert_int_equal(fclose(m->file), 0);
    return m->text;
}

/* How often a part stands in a text. */
static inline size_t count(const char *text, const char *part)
{
    size_t found = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        found++;
    return found;
}

static inline char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text;
    long length;
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    length = ftell(file);
    rewind(file);
    text = calloc(1, (size_t)length + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)length, file), length);
    (void)fclose(file);
    return text;
}

static inline void change_file(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static inline void change(const char *sql)
{
    change_file(sample, sql);
}

static inline void fill_file(const char *path)
{
    char *sql = read_file("test/report/sample.sql");
    change_file(path, sql);
    free(sql);
}

static inline int make_sample(void **state)
{
    (void)state;
    (void)strcpy(dir, "/tmp/weir-report-XXXXXX");
    assert_non_null(mkdtemp(dir));
    (void)snprintf(sample, sizeof(sample), "%s/a.db", dir);
    fill_file(sample);
    return 0;
}

/* Names the second file and makes its folder. */
static inline void name_second(void)
{
    (void)snprintf(second, sizeof(second), "%s/b", dir);
    assert_int_equal(mkdir(second, 0700), 0);
    (void)strcat(second, "/a.db");
}

static inline int remove_sample(void **state)
{
    (void)state;
    if (second[0] != '\0') {
        assert_int_equal(unlink(second), 0);
        *strrchr(second, '/') = '\0';
        assert_int_equal(rmdir(second), 0);
        second[0] = '\0';
    }
    return unlink(sample) == 0 && rmdir(dir) == 0 ? 0 : -1;
}
#endif
