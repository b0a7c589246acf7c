/* src/transport/driver/device.h - reads properties of network devices from the kernel, for the drivers.
 * weir_net_device() is declared in driver/net.h. */
#ifndef WEIR_DRIVER_DEVICE_H
#define WEIR_DRIVER_DEVICE_H
#include "driver/net.h"

/* Finds the name of the device that weir_net_device() would read for addr and name.
 * @param out  IF_NAMESIZE bytes
 * @return 0, or -ENODEV */
int weir_net_device_name(const struct weir_net_addr *addr, const char *name, char *out);
/* Writes the names of all devices to out, as "lo, eth0", for hints to the user. The list is cut to size - 1 bytes. */
void weir_net_device_list(char *out, size_t size);
/* Reads the Ethernet address of a device. @return 0; -ENOTSUP: it is not an Ethernet device; or another negative
 * errno */
int weir_net_device_mac(const char *name, uint8_t mac[6]);
/* Reads the first IPv4 address of a device. @return 0, or a negative errno */
int weir_net_device_ip4(const char *name, uint8_t ip[4]);
#endif
