/* src/simulator/state/given.h - a run that a session drives: what the session gives to hosts, and where the run
 * pauses. */
#ifndef WEIR_STATE_GIVEN_H
#define WEIR_STATE_GIVEN_H
#include <stdbool.h>
#include <stdint.h>

struct sim_given {      /* counts of what a session has given to hosts of one thread, or to all */
    uint64_t given;     /* messages and timers */
    uint64_t done;      /* of these: senders know of their end, timers were due, or they were cancelled */
    uint64_t messages;  /* without those that were cancelled */
    uint64_t delivered; /* of these */
};

static inline void sim_given_add(struct sim_given *sum, const struct sim_given *given)
{
    sum->given += given->given;
    sum->done += given->done;
    sum->messages += given->messages;
    sum->delivered += given->delivered;
}

struct sim_pause {  /* where a session's run pauses; thread 0 writes it while all others wait */
    uint64_t at_ps; /* before the events of this instant; WEIR_NEVER = when no event will come */
    bool on_note;   /* at the end of a window in which hosts have noted something for the session */
    uint64_t noted; /* sum of sim_thread.noted at the last pause */
    bool closing;   /* the run pauses no more, and ends */
};
#endif
