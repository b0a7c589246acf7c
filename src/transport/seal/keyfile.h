/* src/transport/seal/keyfile.h - files of pre-shared keys.
 *
 *     # a comment; blank lines count for nothing
 *     NUMBER NAME BASE64
 *
 * NUMBER is 1 .. 65535 and names the key in handshakes. NAME has letters, digits and "._-". BASE64 is 32 bytes. The
 * parts are separated by spaces and tabs. The first key is used, all are accepted. A file must be regular, and its mode
 * 0600 or stricter. No message quotes what a line has: its parts may be in the wrong order. */
#ifndef WEIR_SEAL_KEYFILE_H
#define WEIR_SEAL_KEYFILE_H
#include "core/err.h"
#include "seal/crypto.h"

#define WEIR_KEYS_MAX 256u
#define WEIR_KEY_NUMBER_MAX 65535u
#define WEIR_KEY_NAME_MAX 32u    /* characters */
#define WEIR_KEY_FILE_MAX 65536u /* bytes */

struct weir_key {
    uint8_t bytes[WEIR_KEY_BYTES]; /* secret */
    char name[WEIR_KEY_NAME_MAX + 1];
    uint16_t number;
};

struct weir_keys { /* the keys of a file, in its order: the first is used */
    struct weir_key key[WEIR_KEYS_MAX];
    uint32_t count;
};

/**
 * Reads the keys of a text of `size` bytes.
 * @param file  its name, for messages
 * @return 0, or a code with err; keys is then empty, and wiped
 */
int weir_keys_parse(struct weir_keys *keys, const char *text, size_t size, const char *file, struct weir_err *err);

/* Opens a file, checks who may read it, and reads its keys, as weir_keys_parse() does. The caller ends with
 * weir_keys_wipe(). */
int weir_keys_read(struct weir_keys *keys, const char *path, struct weir_err *err);

/* Returns the key of a number, or NULL. */
const struct weir_key *weir_keys_find(const struct weir_keys *keys, uint32_t number);

void weir_keys_wipe(struct weir_keys *keys);

/* Tests whether a text may be the name of a key. */
bool weir_key_name_fits(const char *name);

/**
 * Makes a file with one new key, of mode 0600. A file that is there is left as it is.
 * @param number  1 .. WEIR_KEY_NUMBER_MAX
 * @param name    one that weir_key_name_fits()
 * @return 0, or a code with err; there is then no new file
 */
int weir_key_create(const char *path, uint32_t number, const char *name, struct weir_err *err);

/* Refuses, in one sentence, where there is no cryptography. @return 0, or a code with err */
int weir_keys_possible(struct weir_err *err);
#endif
