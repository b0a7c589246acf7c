/* test/fuzz/fuzz_keys.c - any bytes as a file of keys: refused with a sentence that has a place and none of the bytes of a key, or read; and
 * what was read, written as a file again, is read as the same keys. */
#include "core/assert.h"
#include "seal/keyfile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct weir_keys keys, again;

static void write_again(void)
{
    static char text[WEIR_KEYS_MAX * (WEIR_KEY_NAME_MAX + WEIR_BASE64_BYTES + 9)];
    char base64[WEIR_BASE64_BYTES + 1];
    struct weir_err err;
    size_t length = 0;
    for (uint32_t i = 0; i < keys.count; i++) {
        WEIR_ASSERT(weir_key_name_fits(keys.key[i].name) && keys.key[i].number > 0);
        WEIR_ASSERT(weir_keys_find(&keys, keys.key[i].number) == &keys.key[i]);
        weir_crypto_to_base64(base64, keys.key[i].bytes);
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%u\t%s %s\n", (unsigned)keys.key[i].number,
                                   keys.key[i].name, base64);
    }
    WEIR_ASSERT(weir_keys_parse(&again, text, length, "keys", &err) == 0);
    WEIR_ASSERT(again.count == keys.count);
    for (uint32_t i = 0; i < keys.count; i++) {
        WEIR_ASSERT(again.key[i].number == keys.key[i].number && strcmp(again.key[i].name, keys.key[i].name) == 0);
        WEIR_ASSERT(memcmp(again.key[i].bytes, keys.key[i].bytes, WEIR_KEY_BYTES) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_err err = { 0 };
    char *copy;
    int code;
    if (!weir_crypto_ready())
        return 0;
    copy = malloc(size + (size == 0)); /* of just this size, so that a sanitizer sees what is read beyond it */
    WEIR_ASSERT(copy != NULL);
    if (size > 0)
        memcpy(copy, data, size);
    code = weir_keys_parse(&keys, copy, size, "keys", &err);
    if (code == 0) {
        WEIR_ASSERT(keys.count >= 1 && keys.count <= WEIR_KEYS_MAX);
        write_again();
    } else {
        WEIR_ASSERT((int)err.code == code && err.text[0] != '\0' && err.hint[0] != '\0' &&
                    strcmp(err.file, "keys") == 0);
        WEIR_ASSERT(keys.count == 0);
    }
    free(copy);
    return 0;
}
