/* src/transport/driver/net.h - the ops table of a network driver: it sends and receives datagrams, and waits. Three
 * of its eight functions are optional. All else is the endpoint's task: connections, the meaning of packets, pacing.
 *
 * A driver hands datagrams over as they arrive: in any order, some of them twice, some never. It also has the clock, so
 * that tests can run an endpoint in virtual time with a driver that delivers through memory. */
#ifndef WEIR_DRIVER_NET_H
#define WEIR_DRIVER_NET_H
#include "core/err.h"
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_NET_BATCH 64u           /* most datagrams per call of send() or recv() */
#define WEIR_NET_STRANGERS 32u       /* most datagrams per call of recv_strangers() */
#define WEIR_NET_PORTS_MAX 64u       /* most ports that a driver sends from */
#define WEIR_NET_MTU_LEAST_IP4 576u  /* every IPv4 host accepts this, RFC 791; no endpoint has a smaller MTU */
#define WEIR_NET_MTU_LEAST_IP6 1280u /* the same for IPv6, RFC 8200 */

struct weir_net_addr { /* an IPv4 or IPv6 address with port; unused bytes are 0, so memcmp() compares two addresses */
    uint8_t ip[16];
    uint32_t scope;  /* interface index of a link-local IPv6 address, else 0 */
    uint16_t port;   /* in the host's byte order */
    uint16_t family; /* AF_INET (ip[0..3]) or AF_INET6; 0 = none */
};
_Static_assert(sizeof(struct weir_net_addr) == 24, "compared byte by byte");

struct weir_net_config { /* the argument of open(); the caller keeps the strings until the driver is closed */
    struct weir_net_addr bind;
    const char *device; /* name of the network device; NULL = the device that has the bind address */
    /* largest IP packet; 0 = the MTU of the device, at most 9000 (loopback: as for a wildcard address) */
    uint32_t mtu;
    uint64_t rate_bps; /* speed of the link; 0 = the speed of the device */
    uint32_t ports;    /* consecutive ports to send from, bind.port is the first; 0 or 1 = that alone */
    bool shared;       /* the port is shared (SO_REUSEPORT); only with one port */
    bool steered;      /* it is, and each datagram is given to the endpoint that it belongs to; implies shared */
};

enum weir_net_ecn { WEIR_NET_NOT_ECT, WEIR_NET_ECT1, WEIR_NET_ECT0, WEIR_NET_CE }; /* the ECN field of the IP header */

struct weir_net_out { /* a datagram to send: head, then body */
    const struct weir_net_addr *to;
    /* Our address to send from; NULL or family 0 = the driver's only address, or chosen by the kernel */
    const struct weir_net_addr *from;
    const void *head, *body; /* must stay valid until send() returns */
    uint16_t head_bytes, body_bytes;
    uint8_t ecn;      /* enum weir_net_ecn */
    uint8_t class_id; /* 0 = most urgent; sent as a DSCP, see weir_wire_tos() */
    uint8_t port;     /* which of the ports it leaves from: 0 = the first, below weir_net_config.ports */
};

struct weir_net_in {      /* a received datagram */
    unsigned char *bytes; /* valid and writable until the next recv(), or recv_strangers(), that reads the same queue */
    uint32_t length;
    uint8_t ecn;
    uint8_t port; /* to which of our ports it was sent; 0 = the first */
    struct weir_net_addr from;
    struct weir_net_addr to; /* our address to which it was sent; family 0 = not known, as if the driver has only one */
};

#define WEIR_NET_QUOTE 64u /* most bytes of a datagram in struct weir_net_trouble */

struct weir_net_trouble {    /* what became of a datagram that was sent, where the network or the kernel says so */
    struct weir_net_addr to; /* its destination; port 0 = any port there */
    int error;    /* errno: ECONNREFUSED (nobody has the port), EMSGSIZE (too large), EHOSTUNREACH and the like */
    uint32_t mtu; /* EMSGSIZE: largest IP packet on the way to the destination; 0 = not known */
    bool local;   /* this machine's kernel says so: else it is an ICMP packet, which anybody may have made up */
    /* the first bytes of the datagram, as far as an ICMP packet has them; 0 = none */
    uint32_t quoted_bytes;
    unsigned char quoted[WEIR_NET_QUOTE];
};

/* Counters of a driver since open(). */
struct weir_net_stats {
    uint64_t syscalls;
    uint64_t sends;   /* of syscalls: those that send datagrams */
    uint64_t blocked; /* sends for which the kernel or the ring had no room (such as ENOBUFS, EAGAIN) */
    uint64_t failed;  /* datagrams that the kernel refused for another reason; they are dropped */
    /* received datagrams that were truncated, because they are longer than our buffers; they are dropped */
    uint64_t cut;
    uint64_t corrupt; /* datagrams dropped for a wrong checksum; not counted where the kernel drops them */
};

struct weir_net;
/* Ops table of a driver. Functions return 0 or a count, or a negative errno. */
struct weir_net_driver {
    const char *name; /* its name in weir_opts.driver */
    /* Opens a driver. @return 0 and *net, to be closed by close(); or a negative errno with one sentence in err, *net
     * NULL */
    int (*open)(struct weir_net **net, const struct weir_net_config *cfg, struct weir_err *err);
    /* Sends up to count datagrams (<= WEIR_NET_BATCH) in order. @return how many were accepted (a datagram that can
     * never be sent is accepted and dropped); 0 = no room now; -EIO = the device is gone */
    int (*send)(struct weir_net *net, const struct weir_net_out *out, uint32_t count);
    /* Receives at most count (<= WEIR_NET_BATCH) datagrams. @return how many; fewer than count does not mean that no
     * more wait; 0 = none now; -EIO = the device is gone */
    int (*recv)(struct weir_net *net, struct weir_net_in *in, uint32_t count);
    /* Sleeps until a datagram can be received, until_ns of now_ns() is reached (UINT64_MAX = no limit), or wake_fd is
     * readable (-1 = none; the driver does not read it). If the last send() accepted fewer datagrams than given, also
     * until there may be room. @return 0; -EINTR after a signal */
    int (*wait)(struct weir_net *net, uint64_t until_ns, int wake_fd);
    /* Closes and frees the driver. */
    void (*close)(struct weir_net *net);
    /* Opens a second, small receive queue for the datagrams for which weir_net_is_stranger(.., tag, last) holds, so
     * that a flood of them takes no room from peers. Called again when the tags have changed: sets the new ones. NULL =
     * not supported. @return 0; or a negative errno: the first time all datagrams stay in one queue, later the
     * former tags stay valid */
    int (*guard)(struct weir_net *net, uint16_t tag, uint16_t last);
    /* Receives as recv() does, from the queue of strangers and from ports other than the first, at most
     * WEIR_NET_STRANGERS datagrams. Called only after guard() returned 0; NULL where guard is NULL */
    int (*recv_strangers)(struct weir_net *net, struct weir_net_in *in, uint32_t count);
    /* Reads at most count reports on datagrams that were sent; called when `troubled` is set. NULL = not supported.
     * @return how many; fewer than count = no more wait */
    uint32_t (*troubles)(struct weir_net *net, struct weir_net_trouble *out, uint32_t count);
};

/* Offset of the endpoint's tag in a datagram without a switch area: the last two bytes of its token (doc/wire.md). */
#define WEIR_NET_TAG_AT 10u
/* Byte 2 of a datagram: the kind of its area in the high bits, 0 = none; below them the number of slots. An area has
 * WEIR_NET_SIGNAL_BYTES, and WEIR_NET_SLOT_BYTES per slot. */
#define WEIR_NET_KIND_SHIFT 5u
#define WEIR_NET_SLOTS_MASK 0x1fu
#define WEIR_NET_SLOT_SHIFT 4u /* 16 bytes */
#define WEIR_NET_SIGNAL_BYTES 4u
/* HELLO, OPEN, RESET and VERSIONS are the packets with WEIR_NET_OWN in byte 0 and without WEIR_NET_PEERS in byte 1.
 * Their tokens lack the tag of their receiver; the token of every other packet has it. */
#define WEIR_NET_OWN 1u
#define WEIR_NET_PEERS 1u
#define WEIR_NET_FRONT_BYTES 4u /* bytes before the area */
/* Endpoints that share a port with steering are its shards, at most this many. The high bits of a shard's tags are its
 * number, and so are those of the last two bytes of the cookies that it gives. */
#define WEIR_NET_SHARDS 64u
#define WEIR_NET_SHARD_SHIFT 10u
#define WEIR_NET_SHARD_MASK ((uint16_t)((WEIR_NET_SHARDS - 1) << WEIR_NET_SHARD_SHIFT))
/* Byte 1 of an OPEN; where it has its protection, 0 = none; where the last two bytes of its cookie are, without
 * protection and with it. */
#define WEIR_NET_OPEN 34u
#define WEIR_NET_PROTECTION_AT 25u
#define WEIR_NET_COOKIE_TAG_AT 38u
#define WEIR_NET_KEYED_COOKIE_TAG_AT 106u

/* Returns the offset of the tag in a datagram of at least WEIR_NET_FRONT_BYTES; it may be beyond the end. */
static inline uint32_t weir_net_tag_at(const unsigned char *bytes)
{
    uint32_t slots = bytes[2] & WEIR_NET_SLOTS_MASK;
    return WEIR_NET_TAG_AT +
           (bytes[2] >> WEIR_NET_KIND_SHIFT != 0 ? WEIR_NET_SIGNAL_BYTES + (slots << WEIR_NET_SLOT_SHIFT) : 0);
}

/* Tests whether a datagram belongs into the queue of strangers. It does if it is too short for a token, is a HELLO,
 * OPEN, RESET or VERSIONS, or has a token without a valid tag of this endpoint. last: the tag that was valid before */
static inline bool weir_net_is_stranger(const unsigned char *bytes, uint32_t length, uint16_t tag, uint16_t last)
{
    uint32_t at, has;
    if (length < WEIR_NET_FRONT_BYTES || ((bytes[0] & WEIR_NET_OWN) != 0 && (bytes[1] & WEIR_NET_PEERS) == 0))
        return true;
    at = weir_net_tag_at(bytes);
    if (length < at + 2)
        return true;
    has = (uint32_t)bytes[at] << 8 | bytes[at + 1];
    return has != tag && has != last;
}

struct weir_net { /* first member of a driver's struct; filled in by open() */
    const struct weir_net_driver *driver;
    uint64_t (*now_ns)(struct weir_net *net); /* CLOCK_MONOTONIC, except in tests */
    struct weir_net_addr local;               /* the bound address and port */
    int fd;              /* readable when a datagram waits, reliably only after recv() returned 0; -1 = none */
    int stranger_fd;     /* as fd, for what recv_strangers() receives; -1 = none */
    bool strangers_wait; /* set by the endpoint: wait() does not return for strangers' datagrams */
    bool strangers_none; /* set by wait(): it has found that queue empty; cleared by the endpoint */
    /* set by the endpoint: datagrams pass through the kernel one by one, because switches write into each of them */
    bool one_by_one;
    bool troubled;          /* set by the driver: troubles() has something to say; cleared by the endpoint */
    bool steered;           /* each datagram comes to the shard that it belongs to: guard() must succeed */
    uint8_t shard;          /* number of this shard of a steered port, below WEIR_NET_SHARDS */
    uint32_t mtu;           /* largest IP packet */
    uint64_t rate_bps;      /* speed of the link; 0 = unknown */
    uint64_t rx_room_bytes; /* of datagrams that can wait for recv(), at least; 0 = unknown */
    struct weir_net_stats stats;
};

extern const struct weir_net_driver weir_net_udp;
#ifdef WEIR_HAVE_XDP
extern const struct weir_net_driver weir_net_xdp;
#endif

/* Addresses: addr.c. */
/* Converts sa to *addr. @return 0; -EINVAL: neither IPv4 nor IPv6, or length is too small */
int weir_net_addr_from(struct weir_net_addr *addr, const struct sockaddr *sa, socklen_t length);
/* Converts addr to *sa. @return the length of the address in *sa. A family other than AF_INET6 is converted as IPv4 */
socklen_t weir_net_addr_to(const struct weir_net_addr *addr, struct sockaddr_storage *sa);
/* Parses "10.0.0.1:80", "[::1]:80", ":80" (0.0.0.0), "10.0.0.1" (port 0); no host names. @return 0; -EINVAL, and *addr
 * is zeros */
int weir_net_addr_parse(const char *text, struct weir_net_addr *addr);
/* Tests whether an address is 0.0.0.0 or [::], with any port. Such a wildcard address can be bound, but is no
 * destination. */
bool weir_net_addr_is_any(const struct weir_net_addr *addr);
/* Writes an address with its port as text to out of size bytes; 64 are enough. Family 0 is written as "none". */
void weir_net_addr_print(const struct weir_net_addr *addr, char *out, size_t size);
/* Reads MTU and speed of a network device from the kernel; 0 = unknown. The device is the one called name, or, if name
 * is NULL, the one that has addr. For a wildcard address it is the device of the default route; without such a route,
 * the device with the smallest MTU that is up and could carry an endpoint. @return 0, or -ENODEV and both are 0 */
int weir_net_device(const struct weir_net_addr *addr, const char *name, uint32_t *mtu, uint64_t *rate_bps);
/* Returns the MTU of the device that weir_net_device() selects; 0 = unknown. At the loopback device, returns the MTU
 * for the wildcard address instead, because the peer may be an endpoint bound to that. */
uint32_t weir_net_mtu_default(const struct weir_net_addr *addr, const char *name);
#endif
