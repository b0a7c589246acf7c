/* src/simulator/state/control.h - the side channel of a link: a FIFO for its control frames, which overtake its
 * packets. A link has one only if some feature of the run handles control frames. The FIFO is made when the first frame
 * is sent. */
#ifndef WEIR_STATE_CONTROL_H
#define WEIR_STATE_CONTROL_H
#include "state/fifo.h"

/* The side channel of one link. A control frame is a struct weir_pkt of which four fields are used: class_id, flags,
 * msg and arrival_ps. flags is the code of the frame, msg the index of the feature that sent it. */
struct sim_control {
    /* written by the thread of the link's source */
    _Alignas(64) struct weir_pkt *write; /* slot of the next frame; NULL = no FIFO was made yet */
    struct weir_pkt *notified;           /* the destination was notified of all frames before this slot */
    struct weir_pkt *first; /* the FIFO's first slot, where the reader begins; NULL = no FIFO was made yet */
    uint32_t closed;        /* bit c: packets of class c may not start at the port that feeds this link */
    uint64_t closed_ps;     /* when a class was last closed */
    /* written by the thread of the link's destination */
    _Alignas(64) struct weir_pkt *read; /* slot of the next frame to be read; NULL = the FIFO was not seen yet */
};

/* Returns the slot for the next frame. The first call makes the FIFO; it leaves by longjmp if there is no memory. */
static inline struct weir_pkt *sim_control_slot(struct sim_pool *pool, struct sim_control *control)
{
    if (control->write == NULL) {
        control->write = control->notified = sim_fifo_init(pool);
        __atomic_store_n(&control->first, control->write, __ATOMIC_RELEASE);
    }
    return control->write;
}

/* Returns when the oldest unread frame arrives; WEIR_NEVER = there is no unread frame. The time may be beyond the
 * current window. Called by the reader. */
static inline uint64_t sim_control_ps(struct sim_control *control)
{
    if (control->read == NULL)
        control->read = __atomic_load_n(&control->first, __ATOMIC_ACQUIRE);
    return control->read != NULL ? sim_arrival(control->read) : WEIR_NEVER;
}

struct sim_control_count { /* control frames to a node, counted; some frame is in flight while the two counts differ */
    uint64_t sent;         /* added to by any thread; a reader sees at least the frames that arrive in its window */
    uint64_t received;     /* written by the thread of the node */
};
#endif
