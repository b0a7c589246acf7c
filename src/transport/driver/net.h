/* src/transport/driver/net.h - the table of a network driver: datagrams out, datagrams in, and waiting for either.
 * Seven functions, two of them optional; everything else (who is connected, what a packet means, when it may leave) is
 * the endpoint's.
 *
 * A driver gives datagrams as they came: in any order, some twice, some never. It reads the clock for its
 * endpoint, so that a driver made of memory (tests) brings its own time. */
#ifndef WEIR_DRIVER_NET_H
#define WEIR_DRIVER_NET_H
#include "core/err.h"
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_NET_BATCH 64u           /* most datagrams of one send() or recv() */
#define WEIR_NET_STRANGERS 32u       /* most datagrams of one recv_strangers() */
#define WEIR_NET_MTU_LEAST_IP4 576u  /* that every IPv4 host takes, RFC 791; no endpoint has less */
#define WEIR_NET_MTU_LEAST_IP6 1280u /* RFC 8200 */

struct weir_net_addr { /* IPv4 or IPv6; unused bytes are 0, so that two are the same if all bytes are */
    uint8_t ip[16];
    uint32_t scope;  /* of a link-local address */
    uint16_t port;   /* of the host's byte order */
    uint16_t family; /* AF_INET (ip[0..3]) or AF_INET6; 0 = none */
};
_Static_assert(sizeof(struct weir_net_addr) == 24, "compared byte by byte");

struct weir_net_config { /* the argument of open(); strings live as long as the driver */
    struct weir_net_addr bind;
    const char *device; /* NULL = of the bind address */
    uint32_t mtu;       /* largest IP packet; 0 = the device's, at most 9000 (at loopback: as at any address) */
    uint64_t rate_bps;  /* 0 = the device's */
    bool shared;        /* the port is shared (SO_REUSEPORT) */
};

enum weir_net_ecn { WEIR_NET_NOT_ECT, WEIR_NET_ECT1, WEIR_NET_ECT0, WEIR_NET_CE }; /* the two bits of the IP header */

struct weir_net_out { /* a datagram to send: head, then body */
    const struct weir_net_addr *to;
    const struct weir_net_addr
        *from; /* which of our addresses; NULL or family 0 = the driver's only one, or the system's choice */
    const void *head, *body; /* good until send() returns */
    uint16_t head_bytes, body_bytes;
    uint8_t ecn;      /* enum weir_net_ecn */
    uint8_t class_id; /* 0 = most urgent; becomes a DSCP, see weir_net_tos() */
};

/* Returns the second byte of an IP header: DSCP, and below it the two bits of ECN. Classes 0 .. 3 are the class
 * selectors CS5 .. CS2, all others best effort: CS6 and CS7 are the network's own (RFC 4594), CS1 is below best
 * effort (RFC 8622). */
static inline uint8_t weir_net_tos(uint8_t class_id, uint8_t ecn)
{
    uint32_t selector = class_id < 4 ? 5u - class_id : 0;
    return (uint8_t)(selector << 5 | (ecn & 3u));
}

struct weir_net_in {      /* a datagram that came */
    unsigned char *bytes; /* good, and writable, until the next recv() or recv_strangers() of its queue */
    uint32_t length;
    uint8_t ecn;
    struct weir_net_addr from;
    struct weir_net_addr to; /* which of our addresses it came to; family 0 = the driver has only one */
};

struct weir_net_stats {
    uint64_t syscalls;
    uint64_t sends;   /* of them, those that sent */
    uint64_t blocked; /* the kernel had no room (ENOBUFS, EAGAIN) */
    uint64_t failed;  /* datagrams the kernel refused for another reason: dropped, as the network drops */
    uint64_t cut;     /* datagrams longer than our buffers: dropped */
    uint64_t corrupt; /* with a wrong checksum: dropped; where the kernel does that it is not counted */
};

struct weir_net;
struct weir_net_driver {
    const char *name; /* as in weir_opts.driver */
    /* @return 0 and *net, or a negative errno with one sentence in err */
    int (*open)(struct weir_net **net, const struct weir_net_config *cfg, struct weir_err *err);
    /* Sends up to count datagrams (<= WEIR_NET_BATCH) in order. @return how many were taken (a datagram that can
     * never be sent is taken and dropped); 0 = no room now; -EIO = the device is gone */
    int (*send)(struct weir_net *net, const struct weir_net_out *out, uint32_t count);
    /* Takes what has come, at most count (<= WEIR_NET_BATCH). @return how many; fewer than count does not mean
     * that there is no more; 0 = nothing now; -EIO */
    int (*recv)(struct weir_net *net, struct weir_net_in *in, uint32_t count);
    /* Sleeps until something can be received, until_ns of now_ns() (UINT64_MAX = without end), or a byte on the
     * wake descriptor (-1 = none; the driver does not read it). If the last send() took less than all, also until
     * there may be room again. @return 0; -EINTR after a signal */
    int (*wait)(struct weir_net *net, uint64_t until_ns, int wake_fd);
    void (*close)(struct weir_net *net);
    /* From now on what weir_net_is_stranger() names waits in a small queue of its own, so that a flood of it takes
     * no room from peers. NULL = this driver cannot. Called at most once. @return 0, or a negative errno: all stay
     * in one queue */
    int (*guard)(struct weir_net *net, uint16_t tag);
    /* As recv(), from the strangers' queue, at most WEIR_NET_STRANGERS. Only after guard() */
    int (*recv_strangers)(struct weir_net *net, struct weir_net_in *in, uint32_t count);
};

/* Offset of the tag, as in doc/wire.md: the last two bytes of a token. */
#define WEIR_NET_TAG_AT 14u
/* HELLO, OPEN and RESET are the even types from 8 on: their tokens are not ours. All others carry a token of the
 * receiver's. */
#define WEIR_NET_OPENER_MASK 9u
#define WEIR_NET_OPENER 8u

/* Tests whether a datagram is not from a peer: too short, or it opens a connection, or its token is not one that
 * carries the endpoint's tag. */
static inline bool weir_net_is_stranger(const unsigned char *bytes, uint32_t length, uint16_t tag)
{
    return length < WEIR_NET_TAG_AT + 2 || (bytes[0] & WEIR_NET_OPENER_MASK) == WEIR_NET_OPENER ||
           (bytes[WEIR_NET_TAG_AT] << 8 | bytes[WEIR_NET_TAG_AT + 1]) != tag;
}

struct weir_net { /* first member of a driver's own struct; filled by open() */
    const struct weir_net_driver *driver;
    uint64_t (*now_ns)(struct weir_net *net); /* CLOCK_MONOTONIC, except in tests */
    struct weir_net_addr local;               /* with the port it got */
    int fd;              /* readable when something has come and the last recv() returned 0; -1 = none */
    int stranger_fd;     /* the same of recv_strangers(); -1 = none */
    bool strangers_wait; /* set by the endpoint: wait() does not end for strangers */
    uint32_t mtu;        /* largest IP packet */
    uint64_t rate_bps;   /* of the device; 0 = not known */
    struct weir_net_stats stats;
};

extern const struct weir_net_driver weir_net_udp;
#ifdef WEIR_HAVE_XDP
extern const struct weir_net_driver weir_net_xdp;
#endif

/* addr.c */
int weir_net_addr_from(struct weir_net_addr *addr, const struct sockaddr *sa, socklen_t length); /* 0 or -EINVAL */
socklen_t weir_net_addr_to(const struct weir_net_addr *addr, struct sockaddr_storage *sa);
/* Reads "10.0.0.1:80", "[::1]:80", ":80", "10.0.0.1" (port 0); no names. @return 0 or -EINVAL */
int weir_net_addr_parse(const char *text, struct weir_net_addr *addr);
/* Tests for 0.0.0.0 or [::], whatever the port: one can listen at all of a host's addresses, but not write to them. */
bool weir_net_addr_is_any(const struct weir_net_addr *addr);
/* Prints an address. @param out  64 bytes do */
void weir_net_addr_print(const struct weir_net_addr *addr, char *out, size_t size);
/* Asks the kernel for MTU and speed of the device that has this address (or of that name); 0 = not known. Any
 * address: of the device of the default route, else the smallest MTU of those that are up and could carry an
 * endpoint. @return 0, or -ENODEV */
int weir_net_device(const struct weir_net_addr *addr, const char *name, uint32_t *mtu, uint64_t *rate_bps);
/* Returns the default MTU of an endpoint of this address: the device's. At the loopback device it is that of an
 * endpoint at any address, which may be the peer. 0 = not known */
uint32_t weir_net_mtu_default(const struct weir_net_addr *addr, const char *name);
#endif
