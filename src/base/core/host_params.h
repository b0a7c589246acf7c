/* src/base/core/host_params.h - what a scenario may set of end hosts and of frames; read by config/, obeyed by host/.
 * */
#ifndef WEIR_CORE_HOST_PARAMS_H
#define WEIR_CORE_HOST_PARAMS_H
#include "core/param.h"

/* Bytes around payload. wire = max(payload + header + gap, min_wire). Scenario section `framing`. */
struct weir_framing {
    uint32_t payload_bytes;  /* of a full packet: the MSS; 1 .. 9216 */
    uint32_t header_bytes;   /* transport, IP, Ethernet with CRC */
    uint32_t gap_bytes;      /* preamble and inter-packet gap */
    uint32_t min_wire_bytes; /* gap included */
    uint32_t ack_wire_bytes;
};
extern const struct weir_param weir_framing_params[];
extern const struct weir_framing weir_framing_plain;    /* the defaults of those rows: what no protocol has a part in */
extern const struct weir_preset weir_framing_presets[]; /* ethernet (default), ns2, hpcc, udp */

static inline uint32_t weir_framing_wire(const struct weir_framing *f, uint32_t payload_bytes)
{
    uint32_t wire = payload_bytes + f->header_bytes + f->gap_bytes;
    return wire < f->min_wire_bytes ? f->min_wire_bytes : wire;
}

/* Packets of one connection between the first unacknowledged and the next new one. The least is an element of a
 * bitmap. The most is 10 Gb/s over 300 ms in packets of 1460 bytes, and as many packets of WEIR_WIRE_MAX_BYTES
 * fit 32 bits. */
#define WEIR_HOST_WINDOW_PKTS_MIN 64u
#define WEIR_HOST_WINDOW_PKTS_MAX (1u << 18)
#define WEIR_HOST_WINDOW_PKTS 8192u /* the default */

struct weir_host_params {  /* scenario section `host` */
    uint32_t connections;  /* per (src, dst): messages beyond wait; 40 in SIRD's evaluation */
    uint32_t window_pkts;  /* WEIR_HOST_WINDOW_PKTS_MIN .. _MAX; sender-driven protocols only */
    uint32_t reply_bytes;  /* 0 = none; else each completed message is answered and its connection is busy until then */
    uint32_t ack_every;    /* 1 = every packet; n = every n-th, or after ack_delay */
    uint64_t ack_delay_ps; /* delayed acknowledgements only */
    uint32_t reorder_pkts; /* a packet is lost when one this much later arrived; 0 = auto (3; a BDP when spraying) */
    uint64_t rto_min_ps, rto_init_ps, rto_max_ps;
    uint32_t nic_queue; /* 0 pull: one packet when the NIC is free; 1 unlimited: queued at the NIC, which marks */
    uint32_t data_class, ack_class; /* priority class of each; 0 highest */
    uint64_t
        short_bytes; /* sender-driven: messages of more go in class data_class + 1, of less before them; 0 = none do */
    uint32_t reliability;      /* enum weir_reliability */
    uint64_t nack_interval_ps; /* go-back-N: least time between two requests for the same packet */
    uint32_t ecn;              /* enum weir_host_ecn */
    uint32_t handshake;        /* 1: a new connection sends SYN and waits for its answer */
    uint64_t
        overhead_ps; /* sender-driven: before the first packet of each message, after the last one to the same host */
    uint64_t mark_bytes; /* sender-driven, NICs that pull: DATA gets CE when more than this waits behind it; 0 = off */
};
enum { WEIR_NIC_PULL, WEIR_NIC_UNLIMITED };
enum weir_reliability {
    WEIR_SELECTIVE, /* receivers keep what arrives out of order, senders send what is lost */
    WEIR_GO_BACK_N, /* receivers drop it and report it, senders send everything from the first missing packet on */
    WEIR_NEWRENO,   /* receivers keep it, ACKs name the first missing packet alone: RFC 6582 */
};
enum weir_host_ecn {
    WEIR_ECN_RFC8257, /* an ACK reports CE of the packets it acknowledges */
    WEIR_ECN_RFC3168, /* after CE all ACKs carry ECE until a packet with CWR comes */
    WEIR_ECN_OFF,     /* packets have no ECT */
};
extern const struct weir_param weir_host_param_rows[];
#endif
