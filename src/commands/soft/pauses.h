/* src/commands/soft/pauses.h - PFC frames (IEEE 802.1Qbb) between a switch in user space and real NICs of its hosts.
 * Class c of the switch is priority c of a frame. A pause lasts at most 65535 quanta of 512 bit times, so it is
 * repeated as long as it holds. */
#ifndef WEIR_SOFT_PAUSES_H
#define WEIR_SOFT_PAUSES_H
#include "setup/setup.h"
#include "switch/network.h"

enum { SOFT_PAUSE_BYTES = 60, SOFT_PRIORITIES = 8 };

struct soft_pauses_host {
    uint64_t quantum_fs;                /* 512 bit times of its link */
    uint64_t until_ps[SOFT_PRIORITIES]; /* when the host opens a class again; 0 = it is open */
    uint64_t again_ps;                  /* when its NIC gets the pause again; WEIR_NEVER = no class is paused there */
    uint8_t paused;                     /* classes that its NIC may not send */
};

struct soft_pauses {
    struct soft_pauses_host *host; /* NULL = PFC frames are neither sent nor obeyed */
    const struct weir_topology *topo;
    struct weir_network *net;
    struct weir_switch_pool *pool;
    uint32_t hosts, feature; /* feature: number of PFC among those of the run */
    /* Gives a frame of SOFT_PAUSE_BYTES to the NIC of a host. */
    void (*send)(void *ctx, uint32_t host, const unsigned char *bytes);
    void *ctx;
};

/* Sets up pauses of a run; the caller sets send and ctx. @return 0; WEIR_E_CONFLICT with err: the run has no PFC;
 * WEIR_E_MEMORY */
int soft_pauses_init(struct soft_pauses *p, const struct weir_setup *setup, struct weir_network *net,
                     struct weir_switch_pool *pool, const struct weir_mem *mem, struct weir_err *err);

/* Passes on a control frame that a switch sends to a host, if it is one of PFC. */
void soft_pauses_sent(struct soft_pauses *p, uint32_t host, const struct weir_pkt *control, uint64_t now_ps);

/* Obeys a frame of a host, if it is one of PFC: the port to this host keeps its classes closed. @return false = it is
 * another frame */
bool soft_pauses_take(struct soft_pauses *p, uint32_t host, const unsigned char *bytes, uint32_t length,
                      uint64_t now_ps);

/* Opens classes whose time is over, and repeats pauses that hold. @return when it must be called next */
uint64_t soft_pauses_step(struct soft_pauses *p, uint64_t now_ps);
#endif
