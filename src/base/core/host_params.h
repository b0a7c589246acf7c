/* src/base/core/host_params.h - parameters of end hosts and of frames: config/ reads them, host/ obeys them. */
#ifndef WEIR_CORE_HOST_PARAMS_H
#define WEIR_CORE_HOST_PARAMS_H
#include "core/math.h"
#include "core/param.h"
#include "core/units.h"
#include <stdbool.h>

/* The frame around payload. A packet has max(payload + header + gap, min_wire) bytes on the wire. Scenario section
 * `framing`. */
struct weir_framing {
    uint32_t payload_bytes;  /* payload of a full packet, the MSS; 1 .. 9216 */
    uint32_t header_bytes;   /* headers of transport, IP and Ethernet, with the CRC */
    uint32_t gap_bytes;      /* preamble and inter-packet gap */
    uint32_t min_wire_bytes; /* least size of a frame, gap included */
    uint32_t ack_wire_bytes;
};
extern const struct weir_param weir_framing_params[];
extern const struct weir_framing weir_framing_plain;    /* the defaults of weir_framing_params[] */
extern const struct weir_preset weir_framing_presets[]; /* ethernet (default), ns2, hpcc, udp */

static inline uint32_t weir_framing_wire(const struct weir_framing *f, uint32_t payload_bytes)
{
    uint32_t wire = payload_bytes + f->header_bytes + f->gap_bytes;
    return wire < f->min_wire_bytes ? f->min_wire_bytes : wire;
}

/* Bounds of host.window_pkts: the packets of one connection from the first unacknowledged to the last sent one. The
 * minimum is one element of a bitmap. The maximum allows 10 Gb/s over 300 ms in packets of 1460 bytes; as many packets
 * of WEIR_WIRE_MAX_BYTES still fit 32 bits. */
#define WEIR_HOST_WINDOW_PKTS_MIN 64u
#define WEIR_HOST_WINDOW_PKTS_MAX (1u << 18)
#define WEIR_HOST_WINDOW_PKTS 8192u /* the default */

struct weir_host_params {  /* scenario section `host` */
    uint32_t connections;  /* connections per (src, dst); further messages wait. 40 in SIRD's evaluation */
    uint32_t window_pkts;  /* WEIR_HOST_WINDOW_PKTS_MIN .. _MAX; sender-driven protocols only */
    uint32_t reply_bytes;  /* size of the REPLY that answers each complete message; until it arrives, the connection
                              is busy. 0 = no REPLY */
    uint32_t ack_every;    /* ACK every n-th packet, or after ack_delay; 1 = every packet */
    uint64_t ack_delay_ps; /* longest delay of an ACK; with ack_every > 1 only */
    uint32_t reorder_pkts; /* a packet counts as lost when one sent this many packets later arrived; 0 = auto: 3,
                              with spraying a BDP */
    /* retransmission timeouts: least, without a sample, largest; min and init 0 = auto: weir_host_settle_timers() */
    uint64_t rto_min_ps, rto_init_ps, rto_max_ps;
    uint32_t nic_queue;    /* WEIR_NIC_PULL: the NIC takes one packet when it is free; WEIR_NIC_UNLIMITED: it takes all
                           packets at once into a queue, where they may be marked */
    uint32_t nics;         /* enum weir_nic_choice */
    uint32_t nic_schedule; /* enum weir_nic_schedule */
    uint32_t nic_rate_ppm; /* the rate of each NIC as a part of its line's, in millionths; 0 counts as 1000000 */
    uint32_t data_class, ack_class; /* priority classes of DATA and ACKs; 0 = highest */
    /* Sender-driven: messages of more bytes are sent in class data_class + 1, others in data_class; 0 = all in
     * data_class. */
    uint64_t short_bytes;
    uint32_t reliability;      /* enum weir_reliability */
    uint64_t nack_interval_ps; /* go-back-N: least time between two requests to resend the same packet */
    uint32_t ecn;              /* enum weir_host_ecn */
    uint32_t handshake;        /* 1 = a new connection sends SYN and waits for SYN_ACK */
    uint64_t overhead_ps; /* sender-driven: time between the end of a message and the first packet of the next one to
                             the same host */
    uint64_t mark_bytes;  /* sender-driven, pull NIC: DATA gets CE if more than this waits behind it; 0 = off */
};
enum { WEIR_NIC_PULL, WEIR_NIC_UNLIMITED };

/* The order in which connections that wait for the NIC send; sender-driven protocols, pull NIC. */
enum weir_nic_schedule {
    WEIR_NIC_ROUND_ROBIN, /* a packet of each */
    WEIR_NIC_WEIGHTED,    /* start-time fair queueing by the weights of their messages */
};

/* Returns the rate of a NIC on a line of rate line_bps. */
static inline uint64_t weir_host_nic_bps(const struct weir_host_params *p, uint64_t line_bps)
{
    WEIR_ASSERT(p->nic_rate_ppm <= 1000000);
    if (p->nic_rate_ppm == 0)
        return line_bps;
    return weir_max_u64(weir_mul_div_u64(line_bps, p->nic_rate_ppm, 1000000), WEIR_RATE_MIN_BPS);
}

/* Ways to choose among those NICs of a host by which the fewest links lead to another host. */
enum weir_nic_choice {
    WEIR_NICS_FLOW_HASH,    /* all between two hosts by one NIC, that of their hash; a transport per NIC */
    WEIR_NICS_RAIL,         /* messages take the NICs round robin, and keep them; a transport per NIC */
    WEIR_NICS_SPRAY,        /* packets take them round robin; one transport for NICs that lead to the same hosts */
    WEIR_NICS_LEAST_QUEUED, /* packets take a free one, that whose last packet began first; one transport likewise */
};

/* Tests whether packets of a message take several NICs. */
static inline bool weir_nics_spread(uint32_t choice)
{
    return choice == WEIR_NICS_SPRAY || choice == WEIR_NICS_LEAST_QUEUED;
}
enum weir_reliability {
    WEIR_SELECTIVE, /* receivers keep packets out of order, senders retransmit lost packets alone */
    WEIR_GO_BACK_N, /* receivers drop packets out of order and report them; senders resend all packets from the first
                       missing one on */
    WEIR_NEWRENO,   /* receivers keep packets out of order; ACKs name only the first missing packet: RFC 6582 */
};
enum weir_host_ecn {
    WEIR_ECN_RFC8257, /* an ACK reports CE of the packets it acknowledges */
    WEIR_ECN_RFC3168, /* after CE all ACKs carry ECE until a packet with CWR arrives */
    WEIR_ECN_OFF,     /* packets have no ECT */
};
extern const struct weir_param weir_host_param_rows[];

/* Sets rto_init_ps and rto_min_ps where they are 0 (auto): 5 ms and 1 ms, or 100 ms both if `lossless`. They keep the
 * order rto_min <= rto_init <= rto_max as far as the given values allow it; values other than 0 stay.
 * lossless: senders are paused instead of dropping data, so that a packet may take long and still arrive */
void weir_host_settle_timers(struct weir_host_params *params, bool lossless);
#endif
