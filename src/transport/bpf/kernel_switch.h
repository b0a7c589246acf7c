/* src/transport/bpf/kernel_switch.h - starts and ends a switch in the kernel, in the caller's network namespace, which
 * has room for one. All of it lies in the kernel, and no process runs: filters of our programs at ports' devices, and
 * pairs of devices whose names begin with WEIR_SWITCH_QUEUE or WEIR_SWITCH_AFTER. A map of the programs
 * says how devices were found, and is filled before any of them is changed. So no file can be missing or old, and a
 * switch ends with its namespace. */
#ifndef WEIR_BPF_KERNEL_SWITCH_H
#define WEIR_BPF_KERNEL_SWITCH_H
#include "bpf/kernel_ports.h"
#include "core/err.h"

struct weir_kernel_port_status {
    struct weir_switch_port port;
    struct weir_switch_counts counts; /* sums over the processors */
    uint64_t queue_bytes, dropped;    /* in the queue now; dropped there since the start */
    uint64_t read_ns;                 /* when counts were read, since boot */
};

struct weir_kernel_status {
    struct weir_switch_keys keys;
    struct weir_kernel_port_status port[WEIR_SWITCH_PORTS_MAX];
    uint64_t rpm_left; /* events that wait in RPM's cells */
};

/* Starts a switch. A device that has an address of ours, or the default route, is refused. After an error everything is
 * as before. @return 0; WEIR_E_CONFLICT with err if a device or a running switch is in the way, WEIR_E_BUSY if another
 * process changes a switch here, WEIR_E_RUN if the kernel refuses */
int weir_kernel_switch_start(struct weir_kernel_switch *sw, struct weir_err *err);

/* Reads the state of the switch. @return 0, or a code with err: none is running */
int weir_kernel_switch_status(struct weir_kernel_status *status, struct weir_err *err);

/* Ends the switch, and makes devices what they were. *ports: gets the number of its ports. @return 0, or a code with
 * err: none is running */
int weir_kernel_switch_stop(uint32_t *ports, struct weir_err *err);

/* Removes all that is left of a switch whose start or stop was interrupted; ends a running one, too. *removed: gets how
 * many ports and pairs of devices there were. @return 0, or a code with err */
int weir_kernel_switch_clean(uint32_t *removed, struct weir_err *err);
#endif
