/* test/unit/endpoint/keyed_test.h - endpoints with keys: files of keys, and opts that name them. */
#ifndef WEIR_ENDPOINT_KEYED_TEST_H
#define WEIR_ENDPOINT_KEYED_TEST_H
#include "test/unit/endpoint/endpoint_test.h"
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_A "1 fleet AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\n" /* 32 bytes of 1 */
#define KEY_B "1 fleet AgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgI=\n" /* the same number, another key */
#define KEY_C "2 pair-7 AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM=\n"

enum { KEY_FILES = 3, KEYED_MSS = MSS - 16 };

static char key_file[KEY_FILES][64];

/* Writes a file of keys, of mode 0600. */
static inline const char *write_keys(uint32_t i, const char *text)
{
    int fd;
    if (key_file[i][0] != '\0')
        (void)unlink(key_file[i]);
    (void)snprintf(key_file[i], sizeof(key_file[i]), "/tmp/weir-keys-XXXXXX");
    fd = mkstemp(key_file[i]);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(fd), 0);
    return key_file[i];
}

static inline int remove_keys(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KEY_FILES; i++) {
        if (key_file[i][0] != '\0')
            (void)unlink(key_file[i]);
        key_file[i][0] = '\0';
    }
    return 0;
}

/* A network of endpoints that have keys[i], with a protection each; NULL = none. They are not started. */
static inline void begin_keyed(const char *const protection[EPS], const char *const keys[EPS])
{
    if (!weir_crypto_ready())
        skip();
    (void)remove_keys(NULL);
    begin();
    for (uint32_t i = 0; i < EPS; i++) {
        opts[i].protection = protection[i];
        opts[i].key_file = keys[i] != NULL ? write_keys(i, keys[i]) : NULL;
    }
}

static inline int keyed_setup_of(const char *protection)
{
    const char *const all[EPS] = { protection, protection, protection }, *const keys[EPS] = { KEY_A, KEY_A, KEY_A };
    begin_keyed(all, keys);
    start_all();
    return 0;
}

static inline int keyed_setup(void **state)
{
    (void)state;
    return keyed_setup_of("aead");
}

static inline int keyed_teardown(void **state)
{
    (void)remove_keys(state);
    return teardown(state);
}
#endif
