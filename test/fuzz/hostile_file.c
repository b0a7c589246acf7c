/* test/fuzz/hostile_file.c - writes a hostile result file (hostile.h), for scripts that run the command itself.
 * usage: hostile_file SOUND.db OUT.db VICTIM SEED   prints what was changed; the seed decides, and seeds below the number of kinds
 * make one change of that kind */
#include "core/rng.h"
#include "test/fuzz/hostile.h"
#include <stdio.h>
#include <stdlib.h>

enum { PLAN_BYTES = 256 };

int main(int argc, char **argv)
{
    uint8_t bytes[PLAN_BYTES];
    struct hostile_plan plan = { .data = bytes, .size = sizeof(bytes) };
    uint64_t seed = argc == 5 ? strtoull(argv[4], NULL, 10) : 0;
    char what[256];
    if (argc != 5) {
        (void)fprintf(stderr, "usage: %s SOUND.db OUT.db VICTIM SEED\n", argv[0]);
        return 2;
    }
    for (uint64_t i = 0; i < PLAN_BYTES; i++)
        bytes[i] = (uint8_t)(weir_mix_u64(seed << 16 | i) >> 24);
    if (seed < 256 && hostile_kind((uint32_t)seed) != NULL) {
        bytes[0] = 0; /* one change */
        bytes[1] = (uint8_t)seed;
    }
    hostile_make(argv[1], argv[2], argv[3], &plan, what, sizeof(what));
    (void)printf("%s\n", what);
    return 0;
}
