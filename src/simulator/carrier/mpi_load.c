/* src/simulator/carrier/mpi_load.c - see mpi.h: finds the module. In a build tree it is in the folder of the
 * program, else where it is installed. */
#include "carrier/mpi.h"
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

/* Returns the number in a variable of the environment; 0 = it is not set, or is no number. */
static unsigned long number_of(const char *name)
{
    const char *text = getenv(name);
    return text != NULL ? strtoul(text, NULL, 10) : 0;
}

bool weir_mpi_is_launched(void)
{
    if (number_of("OMPI_COMM_WORLD_SIZE") > 1 || number_of("PMI_SIZE") > 1) /* Open MPI; MPICH and others */
        return true;
    return getenv("PMIX_RANK") != NULL && number_of("SLURM_STEP_NUM_TASKS") > 1; /* srun --mpi=pmix */
}

/* Opens the module in the folder of the program. @return NULL = there is none */
static void *open_near(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof("weir-mpi.so"));
    while (n > 0 && path[n - 1] != '/')
        n--;
    if (n <= 0)
        return NULL;
    memcpy(path + n, "weir-mpi.so", sizeof("weir-mpi.so"));
    return access(path, R_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
}

int weir_mpi_start(struct weir_carrier **out, const char *module_dir, struct weir_err *err)
{
    const struct weir_mpi_module *module;
    char path[4096];
    void *found;
    *out = NULL;
    if (!weir_mpi_is_launched())
        return 0;
    found = open_near();
    (void)snprintf(path, sizeof(path), "%s/weir-mpi.so", module_dir);
    if (found == NULL)
        found = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (found == NULL)
        return weir_fail(err, WEIR_E_RANK, NULL,
                         "install the package weir-mpi, or use weir run --ranks N on one machine without mpirun",
                         "mpirun has started several processes, and this build of weir has no MPI");
    module = dlsym(found, WEIR_MPI_SYMBOL);
    if (module == NULL || module->contract != WEIR_MPI_CONTRACT)
        return weir_fail(err, WEIR_E_RANK, NULL, "install weir and weir-mpi of one version",
                         "the module weir-mpi is of another version of weir");
    return module->start(out, err);
}
