/* src/simulator/carrier/mpi.h - a carrier of MPI processes. MPI is in a module of its own, which is loaded only by a
 * process that mpirun or srun has started. So the program itself does not need MPI, and starts as fast. */
#ifndef WEIR_CARRIER_MPI_H
#define WEIR_CARRIER_MPI_H
#include "carrier/carrier.h"

#define WEIR_MPI_SYMBOL "weir_mpi_module"

struct weir_mpi_module {
    uint64_t contract; /* WEIR_MPI_CONTRACT of the module's build */
    /* Starts MPI. *out: the carrier; NULL = MPI has started this process alone. @return 0, or WEIR_E_RANK with err */
    int (*start)(struct weir_carrier **out, struct weir_err *err);
};

/* Differs if program and module disagree on what they pass to each other. */
#define WEIR_MPI_CONTRACT                                                                                              \
    (UINT64_C(1) << 56 | (uint64_t)sizeof(struct weir_carrier) << 32 | sizeof(struct weir_buffer) << 16 |              \
     sizeof(struct weir_err))

/* Tests whether a launcher of MPI has started this process as one of several. */
bool weir_mpi_is_launched(void);
/* Loads the module, from the folder of the program or from module_dir, and starts MPI, if a launcher has started
 * this process; else sets *out to NULL. @return 0, or WEIR_E_RANK with err: there is no module, or it is of another
 * build */
int weir_mpi_start(struct weir_carrier **out, const char *module_dir, struct weir_err *err);
#endif
