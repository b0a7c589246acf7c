/* src/commands/testbed/sniff.h - packets of a testbed's host, with the times at which its kernel had them: packet
 * sockets in the host's namespace, each with a filter. */
#ifndef WEIR_TESTBED_SNIFF_H
#define WEIR_TESTBED_SNIFF_H
#include "testbed/testbed.h"

struct sock_filter;

struct weir_sniff { /* what a socket keeps */
    const struct sock_filter *filter;
    uint16_t count; /* of its instructions */
    bool leaves;    /* also what leaves the host */
};

extern const struct weir_sniff weir_sniff_ece; /* TCP over IPv4 with ECE and without SYN, which comes */

/* Packets of libweir (doc/wire.md): STREAM that comes; that leaves, too; ACKs that come and say that at least so many
 * flows share the receiver, 1 .. */
extern const struct weir_sniff weir_sniff_stream, weir_sniff_own_stream;
#define WEIR_SNIFF_COUNTS_MAX 4u
extern const struct weir_sniff weir_sniff_counts[WEIR_SNIFF_COUNTS_MAX];

/* Opens a socket on device eth0 of a host. @return a descriptor, or -1 with err */
int weir_sniff_open(const struct weir_testbed *tb, uint32_t host, const struct weir_sniff *what, struct weir_err *err);

/**
 * Takes the next frame, cut to `size` bytes. Does not wait.
 * @param at_ns  the time since boot at which the kernel had the frame
 * @return the bytes that are in `frame`; 0 = no frame has come
 */
size_t weir_sniff_next(int fd, void *frame, size_t size, uint64_t *at_ns);

/* Returns the time since boot at which the first frame came, in ns; 0 = none has come. */
uint64_t weir_sniff_first_ns(int fd);
#endif
