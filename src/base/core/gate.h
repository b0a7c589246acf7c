/* src/base/core/gate.h - a gate: delays the packets of some classes of a port. doc/model.md [gate]. */
#ifndef WEIR_CORE_GATE_H
#define WEIR_CORE_GATE_H
#include <stdint.h>

struct weir_here;

/* A gate decides how early a packet of its classes may start, even if the wire is free. Until then the packet waits in
 * the queue of its class. At most one feature of a run has a gate, and then no feature of the run is coupled. */
struct weir_gate {
    /* Returns the gated classes: bit c is class c. Called once. The other functions are called only for packets of
     * these classes. */
    uint32_t (*classes)(const struct weir_here *here);
    /* Decides whether a packet may join. waiting_bytes: bytes on the wire of the packets that wait in its class,
     * without this packet; bytes: size of this packet on the wire. @return WEIR_DROP = refused; 0 = the packet joins */
    uint32_t (*admits)(const struct weir_here *here, uint64_t waiting_bytes, uint32_t bytes);
    /* Returns the earliest instant at which a packet of `bytes` may start. The result must stay the same until the next
     * passed(). */
    uint64_t (*opens_ps)(const struct weir_here *here, uint32_t bytes);
    /* Records that the transmission of a packet of `bytes` starts at now_ps. */
    void (*passed)(const struct weir_here *here, uint32_t bytes, uint64_t now_ps);
};
#endif
