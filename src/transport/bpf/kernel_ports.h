/* src/transport/bpf/kernel_ports.h - a switch as its loader makes it, and the names of the devices that it makes. */
#ifndef WEIR_BPF_KERNEL_PORTS_H
#define WEIR_BPF_KERNEL_PORTS_H
#include "bpf/switch.h"

#define WEIR_SWITCH_QUEUE "weirq0-" /* with the port's number: the device whose qdisc is its queue */
#define WEIR_SWITCH_AFTER "weirq1-" /* .. its peer */

struct weir_kernel_switch {
    struct weir_switch_keys keys;
    /* of port[]: address, ramp, rate_bps, limit_bytes, device_name and host are the caller's; the rest is filled in */
    struct weir_switch_port port[WEIR_SWITCH_PORTS_MAX];
};
#endif
