/* src/transport/driver/xdp_prog.h - the XDP program that steers our datagrams into an AF_XDP socket; everything else
 * goes on to the kernel. */
#ifndef WEIR_DRIVER_XDP_PROG_H
#define WEIR_DRIVER_XDP_PROG_H
#include "driver/net.h"

struct weir_xdp_prog { /* descriptors; the program is detached when the last of them is closed, also by a crash */
    int map, prog, link;
    bool native; /* runs in the device's driver; else behind it (generic) */
};

/* Attaches it to a device for IPv4 datagrams to an address and port, without options and whole. Nothing is steered
 * before weir_xdp_prog_steer(). @return 0, or a negative errno; -EBUSY: the device has another program */
int weir_xdp_prog_attach(struct weir_xdp_prog *prog, uint32_t device, const struct weir_net_addr *to);
int weir_xdp_prog_steer(struct weir_xdp_prog *prog, uint32_t queue, int socket); /* @return 0, or a negative errno */
void weir_xdp_prog_detach(struct weir_xdp_prog *prog);
#endif
