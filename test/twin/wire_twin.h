/* test/twin/wire_twin.h - the twin of a switch of real frames: what came, by its capture, goes into the NICs of the
 * engine's hosts at the captured picoseconds, and what arrives at a host must be what the capture says has left: the same
 * frames, in the same order, at the same picosecond, byte for byte. */
#ifndef WEIR_TEST_WIRE_TWIN_H
#define WEIR_TEST_WIRE_TWIN_H
#include "measure/causes.h"
#include "measure/result.h"
#include "test/twin/capture.h"

struct wire_twin {
    const struct weir_setup *setup; /* by wire_twin_setup() or weir_setup_init() */
    const struct capture *capture;
    const struct weir_mapping_address *address; /* addresses of hosts, from host 0 on; address_count */
    uint32_t address_count;
    uint32_t mtu_bytes;
    bool learns;
    uint64_t end_ps; /* of the run, later than the last frame; 0 = just so */

    /* written: */
    uint64_t came, packets, flooded, refused; /* frames; refused: dropped before they were packets */
    uint64_t no_room;                         /* packets that were dropped at a NIC: switch.nic, switch.frames */
    uint64_t left, ring;                      /* packets that have left: to hosts; or found a full ring */
    uint64_t marked;                          /* of those that left, with CE or ECE that they did not come with */
    uint64_t inside;                          /* packets that are inside at the end, or that a switch has dropped */
    uint64_t differences;
    char first[320];           /* the first one, in words; "" = there is none */
    struct weir_result result; /* of the engine, with causes and counters of features; freed by wire_twin_free() */
};

/* Sets up a scenario file of `weir switch` for the engine. It needs traffic to run, and sends none of it.
 * @return 0, or a code with err */
int wire_twin_setup(struct weir_setup *setup, struct weir_scenario *scn, const char *path, struct weir_err *err);

/* Runs the twin. @return 0, or a code with err: the engine does not run; else differences says whether it agrees */
int wire_twin_run(struct wire_twin *twin, struct weir_err *err);
void wire_twin_free(struct wire_twin *twin);
#endif
