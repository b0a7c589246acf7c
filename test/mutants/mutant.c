/* test/mutants/mutant.c - reads which mutant is chosen, and where to record which ones are reached. tools/mutate links it with all that it
 * builds. */
#include "test/mutants/mutant.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int weir_mutant_now = -1;
unsigned char *weir_mutant_map;

/* Maps the file of WEIR_MUTANT_REACHED, a byte for each mutant. It is shared: processes that are killed have recorded, too. */
static void map_reached(const char *path)
{
    struct stat is;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &is) == 0 && is.st_size > 0) {
        void *map = mmap(NULL, (size_t)is.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        weir_mutant_map = map != MAP_FAILED ? map : NULL;
    }
    if (fd >= 0)
        (void)close(fd);
}

__attribute__((constructor)) static void choose(void)
{
    const char *chosen = getenv("WEIR_MUTANT"), *reached = getenv("WEIR_MUTANT_REACHED");
    weir_mutant_now = chosen != NULL ? atoi(chosen) : -1; /* NOLINT(cert-err34-c): a number that tools/mutate wrote */
    if (reached != NULL)
        map_reached(reached);
}
