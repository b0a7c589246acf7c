/* src/commands/live/address.c - parses addresses of users: first as numbers, then by the resolver. */
#include "live/live.h"
#include "driver/net.h"
#include <ctype.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 256 };

/* Tests whether a text can be a port: a number 1 .. 65535, or any text without a leading digit, which the resolver
 * checks. */
static bool port_is_sound(const char *text)
{
    char *end;
    unsigned long port = strtoul(text, &end, 10);
    return !isdigit((unsigned char)text[0]) || (*end == '\0' && port >= 1 && port <= UINT16_MAX);
}

static int resolve(const char *text, struct sockaddr_storage *addr, socklen_t *len, struct weir_err *err)
{
    const struct addrinfo wish = { .ai_socktype = SOCK_DGRAM };
    const char *colon = strrchr(text, ':');
    struct addrinfo *found = NULL;
    char name[NAME];
    int code;
    if (colon == NULL || colon == text || colon[1] == '\0' || colon - text >= NAME)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example 10.0.0.1:7000, [::1]:7000 or server:7000",
                         "%.80s: must be ADDRESS:PORT", text);
    if (!port_is_sound(colon + 1))
        return weir_fail(err, WEIR_E_RANGE, NULL, "for example 10.0.0.1:7000", "%.80s: a port is 1 to 65535", text);
    (void)snprintf(name, sizeof(name), "%.*s", (int)(colon - text), text);
    code = getaddrinfo(name, colon + 1, &wish, &found);
    if (code != 0)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, "numbers work without a resolver: 10.0.0.1:7000", "%.80s: %s", text,
                         gai_strerror(code));
    memcpy(addr, found->ai_addr, found->ai_addrlen);
    *len = found->ai_addrlen;
    freeaddrinfo(found);
    return 0;
}

int weir_live_address(const char *text, struct sockaddr_storage *addr, socklen_t *len, struct weir_err *err)
{
    struct weir_net_addr numbers;
    *addr = (struct sockaddr_storage){ 0 };
    if (weir_net_addr_parse(text, &numbers) != 0 || numbers.port == 0 || text[0] == ':')
        return resolve(text, addr, len, err);
    if (weir_net_addr_is_any(&numbers))
        return weir_fail(err, WEIR_E_RANGE, NULL, "name an address of the host that listens there, like 127.0.0.1",
                         "%.80s: can be listened at, not reached", text);
    *len = weir_net_addr_to(&numbers, addr);
    return 0;
}

/* Prints this host's address on the route to a peer, without port. A connected UDP socket has this address, and
 * connecting sends nothing. @return false = there is no route */
static bool way_out(const struct sockaddr *peer, socklen_t len, char *out, size_t size)
{
    struct sockaddr_storage own;
    struct weir_net_addr addr;
    socklen_t own_len = sizeof(own);
    int fd = socket(peer->sa_family, SOCK_DGRAM, 0);
    bool known = fd >= 0 && connect(fd, peer, len) == 0 && getsockname(fd, (struct sockaddr *)&own, &own_len) == 0 &&
                 weir_net_addr_from(&addr, (const struct sockaddr *)&own, own_len) == 0;
    if (fd >= 0)
        (void)close(fd);
    if (!known)
        return false;
    addr.port = 0;
    weir_net_addr_print(&addr, out, size);
    return true;
}

void weir_live_source(struct weir_live_args *args, const struct sockaddr *peer, socklen_t len)
{
    char source[sizeof(args->source)];
    if (args->bind != NULL && args->bind != args->source)
        return; /* --bind was given */
    if (!way_out(peer, len, source, sizeof(source)))
        return; /* the operations to this peer will fail */
    if (args->source[0] == '\0') {
        memcpy(args->source, source, sizeof(source));
        args->bind = args->source;
    } else if (strcmp(args->source, source) != 0) {
        args->bind = NULL;
    }
}

void weir_live_address_text(const struct sockaddr *addr, socklen_t len, char *out, size_t size)
{
    struct weir_net_addr numbers;
    if (weir_net_addr_from(&numbers, addr, len) == 0)
        weir_net_addr_print(&numbers, out, size);
    else
        (void)snprintf(out, size, "?");
}
