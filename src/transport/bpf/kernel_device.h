/* src/transport/bpf/kernel_device.h - network devices of a switch: what they are, and how they are changed. */
#ifndef WEIR_BPF_KERNEL_DEVICE_H
#define WEIR_BPF_KERNEL_DEVICE_H
#include "bpf/kernel_ports.h"
#include "core/err.h"
#include <stdbool.h>
#include <stdio.h>

/* Refuses devices that cannot be ports: missing, given twice, with an address of ours or a default route, with unlike
 * MTUs. Fills the fields of ports that say how devices were found. *mtu: gets the MTU. @return 0, or a code with err */
int weir_kernel_devices_check(struct weir_kernel_switch *sw, uint32_t *mtu, struct weir_err *err);

/* Makes the pair of devices of each port, with the queue. Fills in `queue` and `after`. @return 0, or code with err */
int weir_kernel_devices_make(struct weir_kernel_switch *sw, uint32_t mtu, struct weir_err *err);

/* Makes devices receive all that arrives. @return 0, or a code with err */
int weir_kernel_devices_open(const struct weir_kernel_switch *sw, struct weir_err *err);

/* Makes the device of a port what it was. Does nothing if there is no such device any more. */
void weir_kernel_device_restore(const struct weir_switch_port *port);

/* Deletes all pairs of devices that a switch here has made. @return how many there were */
uint32_t weir_kernel_devices_delete(void);

/* Reads the queue of a port. @return false = it is not there */
bool weir_kernel_queue(uint32_t number, uint64_t *bytes, uint64_t *dropped);

/* Runs `tc` with one command, and tests whether it prints a text. text "" = anything at all */
bool weir_kernel_tc_prints(const char *command, const char *text);
#endif
