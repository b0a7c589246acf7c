/* src/transport/driver/device.h - what the kernel knows of a network device, for the drivers; weir_net_device() is in
 * driver/net.h. */
#ifndef WEIR_DRIVER_DEVICE_H
#define WEIR_DRIVER_DEVICE_H
#include "driver/net.h"

/* Finds the name that weir_net_device() goes by. @param out  IF_NAMESIZE bytes @return 0, or -ENODEV */
int weir_net_device_name(const struct weir_net_addr *addr, const char *name, char *out);
/* Lists the devices, "lo, eth0", for hints; what does not fit is left out. */
void weir_net_device_list(char *out, size_t size);
/* Reads the Ethernet address of a device. @return 0; a negative errno; -ENOTSUP: it is no Ethernet */
int weir_net_device_mac(const char *name, uint8_t mac[6]);
/* Reads a device's first IPv4 address. @return 0, or a negative errno */
int weir_net_device_ip4(const char *name, uint8_t ip[4]);
#endif
