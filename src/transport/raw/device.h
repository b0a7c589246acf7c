/* src/transport/raw/device.h - network devices that are to be ports of a switch: what they are, and how they are
 * changed. Facts come from ioctl and /proc/net, which follow the caller's network namespace. */
#ifndef WEIR_RAW_DEVICE_H
#define WEIR_RAW_DEVICE_H
#include "core/err.h"
#include <net/if.h>
#include <stdbool.h>

struct weir_raw_device { /* as it was found */
    char name[IF_NAMESIZE];
    uint32_t index, mtu_bytes;
    uint32_t queues; /* on which it receives, 1 .. */
    bool is_up, is_promiscuous;
    bool lro, gro; /* it joins segments as it receives them: in hardware, and in the kernel */
    bool rx_vlan;  /* it takes VLAN tags out of frames */
};

/* Reads what a device is. Refuses one that cannot be a port: missing, the loopback device, with an address of this
 * machine or its default route. @return 0, or WEIR_E_CONFLICT with err */
int weir_raw_device_read(struct weir_raw_device *device, const char *name, struct weir_err *err);

/* Makes a device give all frames as they are: up, and without what joins or changes them. @return 0, or WEIR_E_RUN with
 * err */
int weir_raw_device_open(const struct weir_raw_device *device, struct weir_err *err);

/* Makes a device what it was. Does nothing if there is no such device any more. */
void weir_raw_device_restore(const struct weir_raw_device *device);

/* Turns off what a sender's kernel leaves to hardware: segmentation and checksums. For the host's end of a cable.
 * @return 0, or WEIR_E_RUN with err */
int weir_raw_device_plain(const char *name, struct weir_err *err);

/* Turns IPv6 off at a device, so that the kernel sends no frames of its own by it. */
void weir_raw_device_without_ipv6(const char *name);
#endif
