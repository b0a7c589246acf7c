/* src/simulator/carrier/carrier.h - what carries messages between the processes of one simulation, its ranks. All that
 * the simulator needs is one call. Behind it are forked processes of one machine (processes.c), or MPI (mpi.c, a module
 * of its own). */
#ifndef WEIR_CARRIER_CARRIER_H
#define WEIR_CARRIER_CARRIER_H
#include "carrier/buffer.h"
#include "core/err.h"
#include "core/ranks.h"
#include <stdint.h>

struct weir_carrier {
    uint32_t ranks, rank; /* number of processes, 1 .. WEIR_SIM_RANKS_MAX; number of this one, from 0 */
    uint32_t here;        /* how many of them are on this machine, with this one */
    /**
     * Sends one message to each other rank and receives one from each. All ranks must call it equally often.
     * @param out  ranks of them; out[q] is for rank q, and may be empty. That of this rank is not read
     * @param in   ranks of them; the content of in[q] is replaced by what rank q sent
     * @return 0; WEIR_E_RANK with err: a rank has ended, so the simulation is over; WEIR_E_MEMORY with err
     */
    int (*exchange)(struct weir_carrier *c, const struct weir_buffer *out, struct weir_buffer *in,
                    struct weir_err *err);
    /* Ends the carrier. is_whole: the simulation went to its end in this rank; false = the other ranks must end, too.
     * Rank 0 waits for them. */
    void (*close)(struct weir_carrier *c, bool is_whole);
};

/* Gives all ranks what rank 0 has in *value. All ranks must call it. @return 0, or a code of exchange() with err */
int weir_carrier_share(struct weir_carrier *c, void *value, size_t bytes, struct weir_err *err);
/* Counts in how many ranks `is` is true, for all of them. All ranks must call it. @return as weir_carrier_share() */
int weir_carrier_count(struct weir_carrier *c, bool is, uint64_t *count, struct weir_err *err);
#endif
