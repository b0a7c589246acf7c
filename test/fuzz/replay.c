/* test/fuzz/replay.c - a fuzz target without a fuzzer: the corpus as it is, then each file changed at random a fixed number of times. What
 * every build runs as a test; ./dev fuzz NAME goes looking for new ones. argv: the folder of the corpus, changes per file. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak)); /* NULL = the target has none */

enum { INPUT_MAX = 65536, PATH_BYTES = 1024 };

static uint64_t x; /* fixed at the start of each file: a failure repeats, whatever order the folder is in */

static uint32_t draw(uint32_t below)
{
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return (uint32_t)(x >> 32) % below;
}

/* A copy of exactly its length, so that a sanitizer sees the first byte read behind it. */
static void run(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

/* A few bits or bytes changed; perhaps cut, perhaps lengthened. */
static size_t change(uint8_t *data, size_t size)
{
    uint32_t how = draw(8);
    if (how == 0)
        size = draw((uint32_t)size + 1);
    else if (how == 1 && size < INPUT_MAX / 2)
        for (uint32_t more = draw((uint32_t)size + 64); more > 0; more--)
            data[size++] = 0;
    for (uint32_t changes = draw(4); size > 0 && changes > 0; changes--) {
        uint32_t at = draw((uint32_t)size);
        data[at] = (uint8_t)(draw(2) == 0 ? data[at] ^ 1u << draw(8) : draw(256));
    }
    return size;
}

/* @return how many inputs; 0 = it cannot be read */
static uint32_t run_file(const char *path, uint32_t changes)
{
    static uint8_t data[INPUT_MAX], changed[INPUT_MAX];
    FILE *file = fopen(path, "rb");
    size_t size;
    if (file == NULL)
        return 0;
    size = fread(data, 1, sizeof(data), file);
    (void)fclose(file);
    x = 88172645463325252u;
    run(data, size);
    for (uint32_t i = 0; i < changes; i++) {
        memcpy(changed, data, size);
        run(changed, change(changed, size));
    }
    return 1 + changes;
}

int main(int argc, char **argv)
{
    DIR *folder = argc == 3 ? opendir(argv[1]) : NULL;
    const struct dirent *entry;
    uint64_t inputs = 0;
    if (LLVMFuzzerInitialize != NULL)
        (void)LLVMFuzzerInitialize(&argc, &argv);
    if (folder == NULL) {
        (void)fprintf(stderr, "usage: %s CORPUS CHANGES\n", argv[0]);
        return 2;
    }
    while ((entry = readdir(folder)) != NULL) {
        char path[PATH_BYTES];
        if (entry->d_name[0] != '.' &&
            snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name) < (int)sizeof(path))
            inputs += run_file(path, (uint32_t)strtoul(argv[2], NULL, 10));
    }
    (void)closedir(folder);
    (void)printf("%llu inputs\n", (unsigned long long)inputs);
    return inputs > 0 ? 0 : 1;
}
