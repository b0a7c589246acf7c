/* src/transport/driver/device.c - reads properties of network devices from the kernel. Uses ioctl and /proc/net, which
 * follow the caller's network namespace. /sys does not: it shows the namespace in which it was mounted. */
#define _GNU_SOURCE
#include "driver/device.h"
#include <errno.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Executes one ioctl request about a device; the result is in *ifr. @return 0, or a negative errno */
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

static uint32_t device_mtu(const char *name)
{
    struct ifreq ifr = { 0 };
    return ask(name, SIOCGIFMTU, &ifr) == 0 && ifr.ifr_mtu > 0 ? (uint32_t)ifr.ifr_mtu : 0;
}

/* Returns the speed of a device in bit/s, 0 = unknown. Asks the kernel twice. The first answer is the length of its
 * masks of link modes; given that length, the kernel fills the struct in. */
static uint64_t device_rate_bps(const char *name)
{
    union {
        struct ethtool_link_settings head;
        uint32_t room[sizeof(struct ethtool_link_settings) / 4 +
                      3 * (size_t)INT8_MAX]; /* room for three masks of link modes, the largest that the kernel has */
    } link = { .head = { .cmd = ETHTOOL_GLINKSETTINGS } };
    struct ifreq ifr = { .ifr_data = (char *)&link };
    if (ask(name, SIOCETHTOOL, &ifr) != 0 || link.head.link_mode_masks_nwords >= 0)
        return 0;
    link.head.link_mode_masks_nwords = (signed char)-link.head.link_mode_masks_nwords;
    link.head.cmd = ETHTOOL_GLINKSETTINGS;
    if (ask(name, SIOCETHTOOL, &ifr) != 0 || link.head.speed == (uint32_t)SPEED_UNKNOWN)
        return 0;
    return link.head.speed * UINT64_C(1000000); /* the kernel counts in Mb/s */
}

static bool same_ip(const struct weir_net_addr *a, const struct weir_net_addr *b)
{
    return a->family == b->family && memcmp(a->ip, b->ip, sizeof(a->ip)) == 0 &&
           (a->scope == 0 || a->scope == b->scope);
}

/* Tests whether an address is in 127.0.0.0/8. All addresses of this range belong to the loopback device, though the
 * kernel lists 127.0.0.1 alone. */
static bool loopback(const struct weir_net_addr *addr)
{
    return addr->family == AF_INET && addr->ip[0] == 127;
}

static bool carries(const struct ifaddrs *entry, const struct weir_net_addr *addr)
{
    struct weir_net_addr own;
    if (entry->ifa_addr == NULL)
        return false;
    if (loopback(addr))
        return (entry->ifa_flags & IFF_LOOPBACK) != 0;
    socklen_t length =
        entry->ifa_addr->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    return weir_net_addr_from(&own, entry->ifa_addr, length) == 0 && same_ip(addr, &own);
}

static int device_of(const struct weir_net_addr *addr, char *name)
{
    struct ifaddrs *list, *entry;
    if (getifaddrs(&list) != 0)
        return -ENODEV;
    for (entry = list; entry != NULL && !carries(entry, addr);)
        entry = entry->ifa_next;
    if (entry != NULL)
        (void)snprintf(name, IF_NAMESIZE, "%s", entry->ifa_name);
    freeifaddrs(list);
    return entry != NULL ? 0 : -ENODEV;
}

/* Splits a line at blanks, in place. @return the number of fields, at most max */
static uint32_t split(char *line, char **fields, uint32_t max)
{
    char *save = NULL;
    uint32_t n = 0;
    for (char *field = strtok_r(line, " \t\n", &save); field != NULL && n < max; field = strtok_r(NULL, " \t\n", &save))
        fields[n++] = field;
    return n;
}

static bool route_is_up(const char *flags)
{
    return (strtoul(flags, NULL, 16) & 1) != 0; /* the flag RTF_UP */
}

/* Reads a line of /proc/net/route: device, destination, gateway, flags, three counters, mask. @return the device if the
 * line is a default route that is up, else NULL */
static const char *default_route4(char **field, uint32_t fields)
{
    bool is =
        fields >= 8 && strcmp(field[1], "00000000") == 0 && strcmp(field[7], "00000000") == 0 && route_is_up(field[3]);
    return is ? field[0] : NULL;
}

/* Reads a line of /proc/net/ipv6_route: destination, its prefix length, source, its prefix length, next hop, metric,
 * two counters, flags, device. Ignores the kernel's unreachable fallback, which is listed as a route over "lo". @return
 * the device if the line is a default route that is up, else NULL */
static const char *default_route6(char **field, uint32_t fields)
{
    bool is = fields >= 10 && strcmp(field[1], "00") == 0 && route_is_up(field[8]) && strcmp(field[9], "lo") != 0;
    return is ? field[9] : NULL;
}

static int default_device(uint16_t family, char *name)
{
    char line[512], *fields[16];
    const char *found = NULL;
    FILE *file = fopen(family == AF_INET6 ? "/proc/net/ipv6_route" : "/proc/net/route", "re");
    if (file == NULL)
        return -ENODEV;
    while (found == NULL && fgets(line, sizeof(line), file) != NULL) {
        uint32_t n = split(line, fields, 16);
        found = family == AF_INET6 ? default_route6(fields, n) : default_route4(fields, n);
    }
    if (found != NULL)
        (void)snprintf(name, IF_NAMESIZE, "%s", found);
    (void)fclose(file);
    return found != NULL ? 0 : -ENODEV;
}

/* Finds the device with the smallest MTU among those that are up and whose MTU is enough for an endpoint of this
 * family. @return 0 and name, or -ENODEV */
static int narrowest_device(uint16_t family, char *name)
{
    struct if_nameindex *list = if_nameindex();
    uint32_t least = family == AF_INET6 ? WEIR_NET_MTU_LEAST_IP6 : WEIR_NET_MTU_LEAST_IP4, best = 0;
    if (list == NULL)
        return -ENODEV;
    for (const struct if_nameindex *entry = list; entry->if_name != NULL; entry++) {
        struct ifreq ifr = { 0 };
        uint32_t mtu = device_mtu(entry->if_name);
        if (ask(entry->if_name, SIOCGIFFLAGS, &ifr) != 0 || (ifr.ifr_flags & IFF_UP) == 0 || mtu < least)
            continue;
        if (best == 0 || mtu < best) {
            best = mtu;
            (void)snprintf(name, IF_NAMESIZE, "%s", entry->if_name);
        }
    }
    if_freenameindex(list);
    return best > 0 ? 0 : -ENODEV;
}

int weir_net_device_name(const struct weir_net_addr *addr, const char *name, char *out)
{
    if (name != NULL) {
        (void)snprintf(out, IF_NAMESIZE, "%s", name);
        return strlen(name) < IF_NAMESIZE && if_nametoindex(name) != 0 ? 0 : -ENODEV;
    }
    if (!weir_net_addr_is_any(addr))
        return device_of(addr, out);
    return default_device(addr->family, out) == 0 ? 0 : narrowest_device(addr->family, out);
}

int weir_net_device(const struct weir_net_addr *addr, const char *name, uint32_t *mtu, uint64_t *rate_bps)
{
    char device[IF_NAMESIZE];
    *mtu = 0;
    *rate_bps = 0;
    if (weir_net_device_name(addr, name, device) != 0)
        return -ENODEV;
    *mtu = device_mtu(device);
    *rate_bps = device_rate_bps(device);
    return 0;
}

static bool is_loopback(const char *device)
{
    struct ifreq ifr = { 0 };
    return ask(device, SIOCGIFFLAGS, &ifr) == 0 && (ifr.ifr_flags & IFF_LOOPBACK) != 0;
}

uint32_t weir_net_mtu_default(const struct weir_net_addr *addr, const char *name)
{
    const struct weir_net_addr any = { .family = addr->family };
    char device[IF_NAMESIZE], others[IF_NAMESIZE];
    if (weir_net_device_name(addr, name, device) != 0)
        return 0;
    if (is_loopback(device) && weir_net_device_name(&any, NULL, others) == 0)
        return device_mtu(others);
    return device_mtu(device);
}

void weir_net_device_list(char *out, size_t size)
{
    struct if_nameindex *list = if_nameindex();
    size_t used = 0;
    out[0] = '\0';
    for (const struct if_nameindex *entry = list; entry != NULL && entry->if_name != NULL; entry++) {
        int n = snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", entry->if_name);
        if (n < 0 || (size_t)n >= size - used)
            break;
        used += (size_t)n;
    }
    if (list != NULL)
        if_freenameindex(list);
}

int weir_net_device_mac(const char *name, uint8_t mac[6])
{
    struct ifreq ifr = { 0 };
    int status = ask(name, SIOCGIFHWADDR, &ifr);
    if (status != 0)
        return status;
    if (ifr.ifr_hwaddr.sa_family != 1) /* ARPHRD_ETHER, the type of an Ethernet device */
        return -ENOTSUP;
    memcpy(mac, ifr.ifr_hwaddr.sa_data, 6);
    return 0;
}

int weir_net_device_ip4(const char *name, uint8_t ip[4])
{
    struct ifreq ifr = { 0 };
    struct sockaddr_in in;
    int status = ask(name, SIOCGIFADDR, &ifr);
    if (status != 0)
        return status;
    memcpy(&in, &ifr.ifr_addr, sizeof(in));
    memcpy(ip, &in.sin_addr, 4);
    return 0;
}
