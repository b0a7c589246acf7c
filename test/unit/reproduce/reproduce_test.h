/* test/unit/reproduce/reproduce_test.h - an experiment from text: a folder of its own that is gone at the end. */
#ifndef REPRODUCE_TEST_H
#define REPRODUCE_TEST_H
#include "test/unit/refusal.h"
#include "reproduce/experiment_load.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AXES                                                                                                           \
    "title: T\n"                                                                                                       \
    "axes:\n"                                                                                                          \
    "  - {name: who, values: [{label: us, published: US}, {label: them, published: THEM}]}\n"                          \
    "  - {name: load, load: $%, set: {'traffic[0].load': $%}, scenario: s.yaml, values: [50, 90]}\n"

static char test_dir[64];
static struct weir_experiment test_exp;
static struct weir_err test_err;

static inline int begin_dir(void **state)
{
    (void)state;
    (void)snprintf(test_dir, sizeof(test_dir), "/tmp/weir-test-XXXXXX");
    return mkdtemp(test_dir) != NULL ? 0 : -1;
}

static inline const char *in_dir(const char *name)
{
    static char path[128];
    (void)snprintf(path, sizeof(path), "%s/%s", test_dir, name);
    return path;
}

static inline void put(const char *name, const char *text)
{
    FILE *file = fopen(in_dir(name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static inline int end_dir(void **state)
{
    static const char *const name[] = { "experiment.yaml", "p.csv", "a.db", "a.db-wal", "a.db-shm" };
    (void)state;
    weir_experiment_free(&test_exp);
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
        (void)unlink(in_dir(name[i]));
    return rmdir(test_dir);
}

/* Loads AXES with what follows them. */
static inline int load(const char *text)
{
    weir_experiment_free(&test_exp);
    put("experiment.yaml", text);
    return weir_experiment_load(&test_exp, test_dir, &test_err);
}

struct refusal {
    const char *text;
    enum weir_err_code code;
    uint32_t line;
    const char *key;
};

/* Each by reading: load(), or a test's own. */
static inline void each_is_refused(const struct refusal *bad, size_t count, int (*reading)(const char *text))
{
    for (size_t i = 0; i < count; i++) {
        assert_int_not_equal(reading(bad[i].text), 0);
        assert_refusal(&test_err, bad[i].code, NULL, bad[i].key);
        assert_int_equal(test_err.line, bad[i].line);
    }
}
#define REFUSED(bad, reading) each_is_refused(bad, sizeof(bad) / sizeof((bad)[0]), reading)
#endif
