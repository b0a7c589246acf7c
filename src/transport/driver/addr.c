/* src/transport/driver/addr.c - converts addresses from and to the kernel's structs, and from and to text. */
#define _GNU_SOURCE
#include "driver/net.h"
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* the longest address: 39 digits and colons, '%', a device name of 15, and brackets, colon and port */
enum { TEXT_BYTES = 80 };

/* Makes an IPv4 address of an IPv6 one that has it in it, ::ffff:a.b.c.d. Our IPv6 sockets do not carry IPv4. */
static void unmap(struct weir_net_addr *addr)
{
    static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
    if (addr->family != AF_INET6 || memcmp(addr->ip, mapped, sizeof(mapped)) != 0)
        return;
    memmove(addr->ip, addr->ip + sizeof(mapped), 4);
    memset(addr->ip + 4, 0, sizeof(addr->ip) - 4);
    addr->family = AF_INET;
}

int weir_net_addr_from(struct weir_net_addr *addr, const struct sockaddr *sa, socklen_t length)
{
    memset(addr, 0, sizeof(*addr));
    if (length >= sizeof(struct sockaddr_in) && sa->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, sa, sizeof(in));
        memcpy(addr->ip, &in.sin_addr, 4);
        addr->port = ntohs(in.sin_port);
    } else if (length >= sizeof(struct sockaddr_in6) && sa->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;
        memcpy(&in6, sa, sizeof(in6));
        memcpy(addr->ip, &in6.sin6_addr, 16);
        addr->port = ntohs(in6.sin6_port);
        addr->scope = IN6_IS_ADDR_LINKLOCAL(&in6.sin6_addr) ? in6.sin6_scope_id : 0;
    } else {
        return -EINVAL;
    }
    addr->family = sa->sa_family;
    unmap(addr);
    return 0;
}

bool weir_net_addr_is_any(const struct weir_net_addr *addr)
{
    static const uint8_t any[sizeof(addr->ip)];
    return memcmp(addr->ip, any, sizeof(any)) == 0;
}

socklen_t weir_net_addr_to(const struct weir_net_addr *addr, struct sockaddr_storage *sa)
{
    if (addr->family == AF_INET6) {
        struct sockaddr_in6 in6 = { .sin6_family = AF_INET6,
                                    .sin6_port = htons(addr->port),
                                    .sin6_scope_id = addr->scope };
        memcpy(&in6.sin6_addr, addr->ip, 16);
        memcpy(sa, &in6, sizeof(in6));
        return sizeof(in6);
    }
    struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(addr->port) };
    memcpy(&in.sin_addr, addr->ip, 4);
    memcpy(sa, &in, sizeof(in));
    return sizeof(in);
}

/* Parses a decimal number of digits only, 0 .. max. @return 0 and *out, or -EINVAL */
static int parse_number(const char *text, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    if (*text == '\0')
        return -EINVAL;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9')
            return -EINVAL;
        value = value * 10 + (uint64_t)(*text - '0');
        if (value > max)
            return -EINVAL;
    }
    *out = value;
    return 0;
}

static int parse_ip6(char *text, struct weir_net_addr *addr)
{
    char *percent = strchr(text, '%');
    uint64_t scope = 0;
    if (percent != NULL) {
        *percent++ = '\0';
        if (parse_number(percent, UINT32_MAX, &scope) != 0)
            scope = if_nametoindex(percent);
        if (scope == 0)
            return -EINVAL;
    }
    addr->family = AF_INET6;
    if (inet_pton(AF_INET6, text, addr->ip) != 1)
        return -EINVAL;
    if (scope != 0 && (addr->ip[0] != 0xfe || (addr->ip[1] & 0xc0) != 0x80))
        return -EINVAL; /* only a link-local address has a scope */
    addr->scope = (uint32_t)scope;
    return 0;
}

static int parse_ip4(const char *text, struct weir_net_addr *addr)
{
    addr->family = AF_INET;
    return *text == '\0' || inet_pton(AF_INET, text, addr->ip) == 1 ? 0 : -EINVAL;
}

/* Splits "ADDRESS:PORT" in place. Sets *port to the text after the colon; NULL = there is no port. @return the address
 * without brackets; NULL: text after the closing bracket is not a port, or that bracket is missing */
static char *split(char *text, char **port)
{
    char *end = strrchr(text, ':');
    *port = NULL;
    if (*text == '[') {
        char *close = strchr(++text, ']');
        if (close == NULL || (close[1] != '\0' && close[1] != ':'))
            return NULL;
        *port = close[1] == ':' ? close + 2 : NULL;
        *close = '\0';
        /* one colon; two without a bracket are an IPv6 address without port */
    } else if (end != NULL && end == strchr(text, ':')) {
        *port = end + 1;
        *end = '\0';
    }
    return text;
}

int weir_net_addr_parse(const char *text, struct weir_net_addr *addr)
{
    char copy[TEXT_BYTES], *ip, *port_text;
    uint64_t port = 0;
    memset(addr, 0, sizeof(*addr));
    if (*text == '\0' || strlen(text) >= sizeof(copy))
        return -EINVAL;
    memcpy(copy, text, strlen(text) + 1);
    ip = split(copy, &port_text);
    if (ip == NULL || (port_text != NULL && parse_number(port_text, UINT16_MAX, &port) != 0))
        return -EINVAL;
    int status = *text == '[' || strchr(ip, ':') != NULL ? parse_ip6(ip, addr) : parse_ip4(ip, addr);
    addr->port = (uint16_t)port;
    unmap(addr);
    if (status != 0)
        memset(addr, 0, sizeof(*addr));
    return status;
}

void weir_net_addr_print(const struct weir_net_addr *addr, char *out, size_t size)
{
    char ip[INET6_ADDRSTRLEN], scope[16] = "";
    if (addr->family != AF_INET && addr->family != AF_INET6) {
        (void)snprintf(out, size, "none");
        return;
    }
    (void)inet_ntop(addr->family, addr->ip, ip, sizeof(ip));
    if (addr->scope != 0)
        (void)snprintf(scope, sizeof(scope), "%%%u", (unsigned)addr->scope);
    (void)snprintf(out, size, addr->family == AF_INET6 ? "[%s%s]:%u" : "%s%s:%u", ip, scope, (unsigned)addr->port);
}
