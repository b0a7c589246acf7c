/* test/mutants/mutant.h - the switch of a mutant. tools/mutate includes it at the head of a file with faults, and puts WEIR_MUTANT(n) where
 * mutant n is. It includes nothing, since it comes before what a file defines for its system headers. */
#ifndef WEIR_MUTANT
#ifdef __bpf__ /* a program for the kernel has no environment to choose a mutant by, and stays as it is */
#define WEIR_MUTANT(n) 0
#else
/* Of each program and shared library one copy, in mutant.c. */
extern __attribute__((visibility("hidden"))) int weir_mutant_now; /* from WEIR_MUTANT, read once; -1 = none */
extern __attribute__((visibility("hidden"))) unsigned char *weir_mutant_map; /* from WEIR_MUTANT_REACHED; NULL = none */

/* Returns 1 if mutant n is chosen. Records that a program came to it, where that is asked for. */
static inline __attribute__((unused)) int weir_mutant(int n)
{
    if (weir_mutant_map != (unsigned char *)0)
        weir_mutant_map[n] = 1;
    return weir_mutant_now == n;
}
#define WEIR_MUTANT(n) weir_mutant(n)
#endif
#endif
