/* src/algorithms/host/stream/tcp.h - additional state of a sending connection that behaves as TCP. */
#ifndef WEIR_HOST_STREAM_TCP_H
#define WEIR_HOST_STREAM_TCP_H
#include "host/stream/connection.h"

enum host_tcp_flag {
    HOST_TCP_SYN_SENT = 1u << 0,   /* SYN sent, SYN-ACK not received yet */
    HOST_TCP_OPEN = 1u << 1,       /* handshake completed */
    HOST_TCP_NO_ECT = 1u << 2,     /* the other host did not negotiate ECN */
    HOST_TCP_CWR = 1u << 3,        /* the next new packet gets CWR */
    HOST_TCP_RECOVERING = 1u << 4, /* in fast recovery (RFC 6582) */
    HOST_TCP_PARTIAL = 1u << 5,    /* this recovery had its first partial ACK */
    HOST_TCP_LATER = 1u << 6,      /* this recovery had a second partial ACK: ACKs do not restart the timer now */
    HOST_TCP_RECOVERED = 1u << 7,  /* the ACK being processed ends the recovery */
};

/* State of a sending connection for host.ecn: rfc3168, host.reliability: newreno and host.handshake; entry of
 * host_stream.tcps by the connection's number. Offsets count bytes on the connection. */
struct host_tcp {
    /* byte offset of `next` at the latest ECE that asked for CWR. ECE asks again after a byte beyond it is
     * acknowledged */
    uint64_t cwr_end_seq;
    uint64_t recover_seq; /* byte offset of `next` when the latest recovery or timeout began; 0 = none yet */
    uint32_t dup_edge;    /* una at the latest duplicate ACK outside recovery .. */
    uint32_t dups;        /* .. and duplicate ACKs in a row for that una */
    uint32_t inflated;    /* in recovery: packets subtracted from inflight_bytes, see inflate() in newreno.c */
    uint32_t flags;       /* enum host_tcp_flag */
};

void host_tcp_init(struct weir_host *h);
bool host_tcp_open(struct weir_host *h, uint32_t index);
bool host_tcp_forget(struct weir_host *h, uint32_t index);
void host_tcp_ack(const struct weir_host *h, const struct host_flow *f, const struct weir_pkt *pkt,
                  struct weir_ack *ack);
void host_tcp_sent(struct weir_host *h, uint32_t index, struct weir_pkt *pkt);
#endif
