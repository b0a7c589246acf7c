/* src/commands/soft/loop.h - runs a switch of real frames by the clock. */
#ifndef WEIR_SOFT_LOOP_H
#define WEIR_SOFT_LOOP_H
#include "soft/soft.h"
#include <signal.h>

struct weir_soft_loop {
    struct weir_soft *soft;
    const int *port_fd;         /* one per host: readable when frames wait */
    uint32_t hosts;             /* at most WEIR_SOFT_HOSTS_MAX */
    int control_fd;             /* readable when control() is to be called; -1 = none */
    void (*control)(void *ctx); /* answers what came by control_fd, without waiting for more */
    void *control_ctx;
    const volatile sig_atomic_t *stop; /* not 0 = end; a signal handler sets it */
    uint64_t steps, waits;             /* written: steps of the switch, and how often the process has waited */
};

#define WEIR_SOFT_HOSTS_MAX 1024u

/* Steps the switch until *stop is not 0. Time 0 of the switch is when this is called. The process waits while nothing
 * is due for SPIN_NS and no frame has come. Else it spins, since a wake-up takes as long. It becomes SCHED_FIFO where
 * that is allowed and there is a second processor. @return 0, or a negative
 * errno */
int weir_soft_loop(struct weir_soft_loop *loop);
#endif
