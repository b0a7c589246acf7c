/* test/unit/carrier/fake_mpi.c - a module in place of weir-mpi: its carrier is nothing that could be called. */
#include "carrier/mpi.h"

static struct weir_carrier carrier;

static int start(struct weir_carrier **out, struct weir_err *err)
{
    (void)err;
    *out = &carrier;
    return 0;
}

extern struct weir_mpi_module weir_mpi_module;
struct weir_mpi_module weir_mpi_module = { .start = start }; /* found by its name; test_mpi_load.c sets the contract */
