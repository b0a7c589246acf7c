/* src/transport/driver/xdp_prog.h - the XDP program that redirects our datagrams to an AF_XDP socket, while all other
 * frames go on to the kernel; or every frame. */
#ifndef WEIR_DRIVER_XDP_PROG_H
#define WEIR_DRIVER_XDP_PROG_H
#include "driver/net.h"

#define WEIR_XDP_QUEUES 64u /* most receive queues of a device */

/* descriptors; the kernel detaches the program when the last is closed, also when the process crashes */
struct weir_xdp_prog {
    int map, prog, link;
    bool native; /* true = runs in the device's driver; false = in the kernel's generic hook behind it */
};

/* Loads the program and attaches it to a device. It selects whole IPv4 datagrams without options to the address and
 * port `to`; NULL = every frame. It redirects none before weir_xdp_prog_steer(). After an error the caller calls
 * weir_xdp_prog_detach(). @return 0, or a negative errno; -EBUSY: the device has another XDP program */
int weir_xdp_prog_attach(struct weir_xdp_prog *prog, uint32_t device, const struct weir_net_addr *to);
/* Redirects the selected datagrams of a receive queue to an AF_XDP socket; those of other queues go on to the kernel.
 * queue: below WEIR_XDP_QUEUES. @return 0, or a negative errno */
int weir_xdp_prog_steer(struct weir_xdp_prog *prog, uint32_t queue, int socket);
/* Detaches the program and closes its descriptors. */
void weir_xdp_prog_detach(struct weir_xdp_prog *prog);
#endif
