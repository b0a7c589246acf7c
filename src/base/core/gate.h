/* src/base/core/gate.h - a gate: packets of some classes that a port holds back. doc/model.md [gate]. */
#ifndef WEIR_CORE_GATE_H
#define WEIR_CORE_GATE_H
#include <stdint.h>

struct weir_here;

/* A gate lets packets of some classes start no earlier than it decides, whether the wire is free or not. They wait in
 * the queue of their class. One feature of a run has one; no feature of that run is coupled. */
struct weir_gate {
    /* Returns the gated classes: bit c is class c. Called once; the other functions are called for these classes
     * alone. */
    uint32_t (*classes)(const struct weir_here *here);
    /* Decides about a packet that joins. waiting_bytes: of packets that wait in its class, whole, without this one.
     * DROP */
    uint32_t (*admits)(const struct weir_here *here, uint64_t waiting_bytes, uint32_t bytes);
    /* Returns the earliest instant at which a packet may start. It stays the same until the next passed(). */
    uint64_t (*opens_ps)(const struct weir_here *here, uint32_t bytes);
    void (*passed)(const struct weir_here *here, uint32_t bytes, uint64_t now_ps); /* a packet starts */
};
#endif
