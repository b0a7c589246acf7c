/* src/transport/driver/udp_name.c - see udp_name.h. */
#define _GNU_SOURCE
#include "driver/udp_name.h"
#include "core/assert.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define ADDRESS_BYTES 64u
_Static_assert(WEIR_NET_SHARDS == 64, "a set of numbers is a uint64_t");

/* Makes a name. @return its length */
static socklen_t name_of(const struct weir_net_addr *addr, enum weir_udp_name kind, uint32_t number,
                         struct sockaddr_un *name)
{
    static const char *const kinds[] = { "", " spread", " shard" };
    char address[ADDRESS_BYTES], *text = name->sun_path + 1; /* the first byte is 0: an abstract address */
    size_t room = sizeof(name->sun_path) - 1;
    int length;
    WEIR_ASSERT(number < WEIR_NET_SHARDS);
    *name = (struct sockaddr_un){ .sun_family = AF_UNIX };
    weir_net_addr_print(addr, address, sizeof(address));
    length = snprintf(text, room, "weir udp %s%s", address, kinds[kind]);
    if (kind != WEIR_UDP_NAME_ALONE)
        length += snprintf(text + length, room - (size_t)length, " %u", (unsigned)number);
    WEIR_ASSERT(length > 0 && (size_t)length < room);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

int weir_udp_name_hold(const struct weir_net_addr *addr, enum weir_udp_name kind, uint32_t number)
{
    struct sockaddr_un name;
    socklen_t length = name_of(addr, kind, number, &name);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), error;
    if (fd >= 0 && bind(fd, (struct sockaddr *)&name, length) == 0)
        return fd;
    error = errno;
    if (fd >= 0)
        (void)close(fd);
    return -error;
}

int weir_udp_name_hold_any(const struct weir_net_addr *addr, enum weir_udp_name kind, uint32_t *number)
{
    int fd = -EADDRINUSE;
    for (*number = 0; *number < WEIR_NET_SHARDS; ++*number) {
        fd = weir_udp_name_hold(addr, kind, *number);
        if (fd != -EADDRINUSE)
            break;
    }
    return fd;
}

bool weir_udp_name_is_held(const struct weir_net_addr *addr, enum weir_udp_name kind, uint32_t number)
{
    struct sockaddr_un name;
    socklen_t length = name_of(addr, kind, number, &name);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    bool held = fd >= 0 && connect(fd, (struct sockaddr *)&name, length) == 0;
    if (fd >= 0)
        (void)close(fd);
    return held;
}

uint64_t weir_udp_name_held(const struct weir_net_addr *addr, enum weir_udp_name kind)
{
    uint64_t held = 0;
    for (uint32_t number = 0; number < WEIR_NET_SHARDS; number++)
        held |= (uint64_t)weir_udp_name_is_held(addr, kind, number) << number;
    return held;
}
