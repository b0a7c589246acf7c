/* src/simulator/state/control.h - control frames of a link, which overtake its packets: a FIFO of their own. Only where
 * a feature sends some; without, a link pays nothing for it, and until the first one little. */
#ifndef WEIR_STATE_CONTROL_H
#define WEIR_STATE_CONTROL_H
#include "state/fifo.h"

/* A control frame is a packet of which only class_id, flags (the code), msg (whose it is) and arrival_ps are used. */
struct sim_control {
    /* writer's */
    _Alignas(64) struct weir_pkt *write; /* next slot; NULL = no frame was ever sent */
    struct weir_pkt *notified;           /* the destination knows of every frame before this slot */
    struct weir_pkt *first;              /* the FIFO's first slot, where the reader begins; NULL = no frame was sent */
    uint32_t closed;                     /* classes that may not start at the port that feeds this link */
    uint64_t closed_ps;                  /* when the last of them was closed */
    /* reader's */
    _Alignas(64) struct weir_pkt *read; /* oldest frame not read yet; NULL = none was ever sent */
};

/* Returns the slot to be written next; the first call makes the FIFO. */
static inline struct weir_pkt *sim_control_slot(struct sim_pool *pool, struct sim_control *control)
{
    if (control->write == NULL) {
        control->write = control->notified = sim_fifo_init(pool);
        __atomic_store_n(&control->first, control->write, __ATOMIC_RELEASE);
    }
    return control->write;
}

/* Returns when the oldest frame arrives that was not read yet; WEIR_NEVER = there is none. */
static inline uint64_t sim_control_ps(struct sim_control *control)
{
    if (control->read == NULL)
        control->read = __atomic_load_n(&control->first, __ATOMIC_ACQUIRE);
    return control->read != NULL ? sim_arrival(control->read) : WEIR_NEVER;
}

struct sim_control_count { /* of control frames to a node: one is in flight while the two differ */
    uint64_t sent;         /* by any thread; who reads it sees at least those that arrive in its window */
    uint64_t received;     /* the node's own */
};
#endif
