/* src/commands/live/delay.h - a delay line: what a network device receives leaves by another one a fixed time later, in
 * both directions. One process serves many pairs of devices. It stamps no frame itself: the kernel notes when each
 * arrives, so a process that wakes up late for arrivals is on time for departures. */
#ifndef WEIR_LIVE_DELAY_H
#define WEIR_LIVE_DELAY_H
#include "core/err.h"
#include "live/delay_fifo.h"
#include "live/latency.h"
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>

#define WEIR_DELAY_LINES_MAX 250u
#define WEIR_DELAY_ROOM_MAX_BYTES (UINT64_C(256) << 20) /* of one direction */

struct weir_delay_way { /* one direction of a line */
    struct weir_delay_fifo fifo;
    uint64_t last_due_ns; /* of the frame that came last; no later one is due before */
    int in, out;          /* sockets */
    unsigned char *ring;  /* arrivals, as the kernel writes them: slots in blocks */
    uint64_t ring_bytes;
    uint32_t slot_bytes, block_slots, block_count, block, slot; /* block, slot: where the next one arrives */
    uint64_t frames, bytes;                                     /* sent */
    uint64_t full, large, lost,
        refused;              /* dropped: no room; more than the MTU or with a VLAN tag; by the kernel, before
                                            they were read; by the device that was to send them */
    struct weir_latency late; /* sent so long after they were due, in ns */
};

struct weir_delay_line {
    char device[2][IF_NAMESIZE];
    uint64_t delay_ps;
    struct weir_delay_way way[2]; /* way[0]: from device[0] to device[1] */
};

struct weir_delay {               /* on the heap */
    struct weir_delay_line *line; /* line_count, owned */
    uint32_t line_count;
    uint64_t rate_bps; /* of each line: how much memory it has follows from it */
    uint64_t start_ns, start_cpu_ns, attended_ns;
    uint64_t drain_ns, gap_ns; /* drain_ns: how often rings are read while frames wait. gap_ns: least sleep */
    int epoll, signals, asked; /* descriptors; asked: where `weir delay status` asks */
    bool realtime;             /* SCHED_FIFO was allowed */
};

/* Opens devices and memory. line[].device, .delay_ps and rate_bps are set, all else is 0. @return 0, or a code with
 * err; weir_delay_close() in either case */
int weir_delay_open(struct weir_delay *d, struct weir_err *err);
/* Delays frames until SIGTERM, SIGINT or SIGHUP. */
void weir_delay_run(struct weir_delay *d);
void weir_delay_close(struct weir_delay *d);

/* Writes the counters as JSON, and as a table. */
void weir_delay_json(FILE *out, struct weir_delay *d);
/* Prints the schema of that. */
void weir_delay_schema(FILE *out);
void weir_delay_table(FILE *out, struct weir_delay *d);

struct weir_delay_clocks { /* one instant by two clocks: the kernel stamps frames by the one of the day */
    uint64_t now_ns, day_ns;
};

struct weir_delay_clocks weir_delay_clocks(void);

/**
 * Maps the ring of a socket that is not bound to a protocol yet.
 * @param way    way->in is the socket
 * @param bytes  how large the ring may be
 * @return 0, or a code with err
 */
int weir_delay_ring_open(struct weir_delay_way *way, uint64_t mtu, uint64_t bytes, struct weir_err *err);
/* Moves what has arrived into the FIFO. */
void weir_delay_ring_take(struct weir_delay_way *way, uint64_t delay_ns, const struct weir_delay_clocks *clocks);
void weir_delay_ring_close(struct weir_delay_way *way);

/* Returns the time of the clock that all times here are of, and the processor time of this process. */
uint64_t weir_delay_now_ns(void);
uint64_t weir_delay_cpu_ns(void);

/* Binds the name by which a process in this network namespace is asked for its counters. @return a descriptor; negative
 * with err: another one runs here */
int weir_delay_listen(struct weir_err *err);
/* Answers those who ask. */
void weir_delay_answer(struct weir_delay *d);
/**
 * Asks the process of this network namespace.
 * @param json   the JSON, not the table
 * @param out    gets the answer
 * @param pid    set to its process id
 * @return 0, or WEIR_E_UNKNOWN with err: none runs here
 */
int weir_delay_ask(bool json, FILE *out, int *pid, struct weir_err *err);
#endif
