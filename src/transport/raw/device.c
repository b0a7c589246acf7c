/* src/transport/raw/device.c - see device.h. */
#define _GNU_SOURCE
#include "raw/device.h"
#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LINE = 256 };

/* Executes one ioctl request about a device. @return 0, or a negative errno */
static int ask(const char *name, unsigned long request, struct ifreq *ifr)
{
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), status;
    if (fd < 0)
        return -errno;
    (void)snprintf(ifr->ifr_name, sizeof(ifr->ifr_name), "%s", name);
    status = ioctl(fd, request, ifr) == 0 ? 0 : -errno;
    (void)close(fd);
    return status;
}

/* Reads or writes one value of ethtool. @return 0, or a negative errno */
static int ethtool(const char *name, uint32_t command, uint32_t *data)
{
    struct ethtool_value value = { .cmd = command, .data = *data };
    struct ifreq ifr = { .ifr_data = (char *)&value };
    int status = ask(name, SIOCETHTOOL, &ifr);
    *data = value.data;
    return status;
}

/* ---- what it is ---- */

static bool has_default_route(const char *name)
{
    static const char nowhere[] = "00000000"; /* destination and mask of the default route */
    char line[LINE], device[LINE], to[LINE], mask[LINE];
    FILE *file = fopen("/proc/net/route", "re");
    bool found = false;
    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL)
        found = sscanf(line, "%255s %255s %*s %*s %*s %*s %*s %255s", device, to, mask) == 3 &&
                strcmp(to, nowhere) == 0 && strcmp(mask, nowhere) == 0 && strcmp(device, name) == 0;
    if (file != NULL)
        (void)fclose(file);
    return found;
}

/* Writes an address of a device to text; those of IPv6 that every device gives itself do not count. @return false = it
 * has none */
static bool find_address(const char *name, char *text, socklen_t size)
{
    struct ifaddrs *list = NULL;
    bool found = false;
    if (getifaddrs(&list) != 0)
        return false;
    for (const struct ifaddrs *a = list; a != NULL && !found; a = a->ifa_next) {
        if (a->ifa_addr == NULL || strcmp(a->ifa_name, name) != 0)
            continue;
        if (a->ifa_addr->sa_family == AF_INET) {
            struct sockaddr_in in;
            memcpy(&in, a->ifa_addr, sizeof(in));
            found = inet_ntop(AF_INET, &in.sin_addr, text, size) != NULL;
        } else if (a->ifa_addr->sa_family == AF_INET6) {
            struct sockaddr_in6 in;
            memcpy(&in, a->ifa_addr, sizeof(in));
            found = !IN6_IS_ADDR_LINKLOCAL(&in.sin6_addr) && inet_ntop(AF_INET6, &in.sin6_addr, text, size) != NULL;
        }
    }
    freeifaddrs(list);
    return found;
}

static uint32_t queues_of(const char *name)
{
    struct ethtool_channels channels = { .cmd = ETHTOOL_GCHANNELS };
    struct ifreq ifr = { .ifr_data = (char *)&channels };
    uint32_t queues = ask(name, SIOCETHTOOL, &ifr) == 0 ? channels.rx_count + channels.combined_count : 1;
    return queues > 0 ? queues : 1;
}

static void read_offloads(struct weir_raw_device *device)
{
    uint32_t flags = 0, gro = 0;
    if (ethtool(device->name, ETHTOOL_GFLAGS, &flags) == 0) {
        device->lro = (flags & ETH_FLAG_LRO) != 0;
        device->rx_vlan = (flags & ETH_FLAG_RXVLAN) != 0;
    }
    device->gro = ethtool(device->name, ETHTOOL_GGRO, &gro) == 0 && gro != 0;
}

static int fail_read(const char *name, int status, struct weir_err *err)
{
    if (status == -ENODEV)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "ip link shows those that there are", "no network device %s here",
                         name);
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s cannot be read: %s", name, strerror(-status));
}

int weir_raw_device_read(struct weir_raw_device *device, const char *name, struct weir_err *err)
{
    char address[INET6_ADDRSTRLEN];
    struct ifreq flags = { 0 }, size = { 0 };
    int status;
    *device = (struct weir_raw_device){ .index = if_nametoindex(name) };
    status = device->index != 0 ? ask(name, SIOCGIFFLAGS, &flags) : -errno;
    if (status == 0)
        status = ask(name, SIOCGIFMTU, &size);
    if (status != 0)
        return fail_read(name, status, err);
    (void)snprintf(device->name, sizeof(device->name), "%s", name);
    if ((flags.ifr_flags & IFF_LOOPBACK) != 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s is the loopback device, and no port", name);
    if (has_default_route(name))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "a port belongs to the switch alone",
                         "%s carries this machine's default route", name);
    if (find_address(name, address, sizeof(address)))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "a port belongs to the switch alone, and has no address",
                         "%s has the address %s, of this machine", name, address);
    device->is_up = (flags.ifr_flags & IFF_UP) != 0;
    device->is_promiscuous = (flags.ifr_flags & IFF_PROMISC) != 0;
    device->mtu_bytes = size.ifr_mtu > 0 ? (uint32_t)size.ifr_mtu : 0;
    device->queues = queues_of(name);
    read_offloads(device);
    return 0;
}

/* ---- changes ---- */

/* Sets offloads of a receiver. @return 0, or a negative errno */
static int set_offloads(const struct weir_raw_device *device, bool lro, bool gro, bool rx_vlan)
{
    uint32_t flags = 0, on = gro;
    int status = 0;
    if ((device->lro || device->rx_vlan) && (status = ethtool(device->name, ETHTOOL_GFLAGS, &flags)) == 0) {
        flags &= ~(uint32_t)(ETH_FLAG_LRO | ETH_FLAG_RXVLAN);
        flags |= (lro ? (uint32_t)ETH_FLAG_LRO : 0u) | (rx_vlan ? (uint32_t)ETH_FLAG_RXVLAN : 0u);
        status = ethtool(device->name, ETHTOOL_SFLAGS, &flags);
    }
    if (status == 0 && device->gro)
        status = ethtool(device->name, ETHTOOL_SGRO, &on);
    return status;
}

static int set_up(const char *name, bool up)
{
    struct ifreq ifr = { 0 };
    int status = ask(name, SIOCGIFFLAGS, &ifr);
    if (status != 0 || ((ifr.ifr_flags & IFF_UP) != 0) == up)
        return status;
    ifr.ifr_flags = (short)(up ? ifr.ifr_flags | IFF_UP : ifr.ifr_flags & ~IFF_UP);
    return ask(name, SIOCSIFFLAGS, &ifr);
}

int weir_raw_device_open(const struct weir_raw_device *device, struct weir_err *err)
{
    int status = set_offloads(device, false, false, false);
    if (status != 0)
        return weir_fail(err, WEIR_E_RUN, NULL, status == -EPERM ? "this takes root" : "ethtool -k shows them",
                         "%s: its offloads cannot be switched off: %s", device->name, strerror(-status));
    status = set_up(device->name, true);
    if (status != 0)
        return weir_fail(err, WEIR_E_RUN, NULL, status == -EPERM ? "this takes root" : NULL,
                         "%s cannot be brought up: %s", device->name, strerror(-status));
    return 0;
}

void weir_raw_device_restore(const struct weir_raw_device *device)
{
    if (if_nametoindex(device->name) != device->index)
        return;
    (void)set_offloads(device, device->lro, device->gro, device->rx_vlan);
    (void)set_up(device->name, device->is_up);
}

int weir_raw_device_plain(const char *name, struct weir_err *err)
{
    static const uint32_t commands[] = { ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO, ETHTOOL_STXCSUM };
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        uint32_t off = 0;
        int status = ethtool(name, commands[i], &off);
        if (status != 0 && status != -EOPNOTSUPP)
            return weir_fail(err, WEIR_E_RUN, NULL, status == -EPERM ? "this takes root" : NULL,
                             "%s: its offloads cannot be switched off: %s", name, strerror(-status));
    }
    return 0;
}

void weir_raw_device_without_ipv6(const char *name)
{
    char path[LINE];
    (void)snprintf(path, sizeof(path), "/proc/sys/net/ipv6/conf/%s/disable_ipv6", name);
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return; /* a kernel without IPv6 */
    (void)fputs("1\n", file);
    (void)fclose(file);
}
