/* test/net/mem.h - a network made of memory behind struct weir_net_driver: any number of ports on one switch, and a virtual time that
 * the test owns. A datagram takes delay_ns, then waits for the receiver's link, which serves one after the other at rate_bps. The
 * order of events follows from the calls alone: a failure repeats. */
#ifndef WEIR_TEST_NET_MEM_H
#define WEIR_TEST_NET_MEM_H
#include "driver/net.h"

enum {
    MEM_PORTS_MAX = 64,
    MEM_FRAME_BYTES = 66, /* Ethernet, gap, IPv4 and UDP around a datagram */
    MEM_FRAME_MIN_BYTES = 84,
};

struct mem_config {
    uint64_t delay_ns;
    uint64_t rate_bps;    /* of each link to a port; 0 = no link is ever busy */
    uint64_t queue_bytes; /* frames waiting for a link beyond this are dropped; 0 = no limit */
    uint64_t mark_bytes;  /* an ECT frame that finds this much waiting is marked CE; 0 = never */
    uint32_t buffer_pkts; /* arrived and not fetched beyond this are dropped, as by a socket; 0 = 2048 */
    uint32_t mtu;         /* largest IP packet; 0 = 1500 */
    uint64_t start_ns;    /* of virtual time */
    uint32_t strangers;   /* most addresses without a port that ever send something; 0 = 16384 */
    uint64_t tick_ns;     /* a look at the clock takes so long; 0 = time stands until somebody moves it */
};

struct mem_stats {
    uint64_t sent, arrived, bytes_sent; /* datagrams; arrived: fetched by recv() */
    uint64_t dropped_queue, dropped_buffer,
        dropped_unplugged;              /* full link; not fetched; to or from a port that was unplugged */
    uint64_t marked, nowhere, too_long; /* to nobody; longer than the MTU, dropped */
    uint64_t answers;                   /* to an address without a port that had sent something (mem_inject()) .. */
    uint64_t answers_larger;            /* .. larger than the smallest that it answers */
    uint64_t answers_uninvited;         /* .. or more than were asked for */
};

/* Sees each datagram as it is sent or injected, before anything can happen to it. */
typedef void mem_tap_fn(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                        const unsigned char *bytes, uint32_t length);

struct mem_hop { /* the link to a port, when a datagram leaves for it */
    uint64_t time_ns, rate_bps, sent_bytes,
        queue_bytes; /* sent: frames so far, this one included; queue: that waited */
};

/* Is a switch: may write into the area of a datagram that leaves for its port. hop: of that link; back: of the link to the port
 * that the datagram came from, NULL = it has none */
typedef void mem_switch_fn(void *ctx, unsigned char *bytes, uint32_t length, const struct mem_hop *hop,
                           const struct mem_hop *back);

struct mem;
struct mem *mem_new(const struct mem_config *cfg);           /* NULL = no memory */
void mem_free(struct mem *m);                                /* all ports must be closed */
struct weir_net_addr mem_addr(uint32_t host, uint16_t port); /* 10.x.x.x, the low 24 bits of host */

/* A port at this address. @return 0, -EADDRINUSE, -ENOSPC (MEM_PORTS_MAX), -ENOMEM */
int mem_plug(struct mem *m, const struct weir_net_addr *addr, struct weir_net **net);
/* The cable is pulled: nothing comes or goes any more and the address is free; the driver must still be closed. */
void mem_unplug(struct weir_net *net);
void mem_set_rate(struct mem *m, uint64_t rate_bps);
void mem_set_delay(struct mem *m, uint64_t delay_ns); /* of what is sent from now on; nothing overtakes anything */

uint64_t mem_now_ns(const struct mem *m);
void mem_advance(struct mem *m, uint64_t to_ns); /* earlier than now = nothing */
/* When the next datagram can be fetched here, perhaps in the past; UINT64_MAX = none is on its way. */
uint64_t mem_next_ns(const struct weir_net *net);

/* A datagram as if from that address, which may be anybody's, on its way. */
void mem_inject(struct mem *m, const struct weir_net_addr *from, const struct weir_net_addr *to, const void *bytes,
                uint32_t length);
void mem_switch(struct mem *m, mem_switch_fn *writes, void *ctx);
void mem_tap(struct mem *m, mem_tap_fn *tap, void *ctx);
const struct mem_stats *mem_stats(const struct mem *m);
#endif
