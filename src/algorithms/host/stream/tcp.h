/* src/algorithms/host/stream/tcp.h - what TCP keeps of a sending connection besides. */
#ifndef WEIR_HOST_STREAM_TCP_H
#define WEIR_HOST_STREAM_TCP_H
#include "host/stream/connection.h"

enum host_tcp_flag {
    HOST_TCP_SYN_SENT = 1u << 0,   /* its SYN is not answered yet */
    HOST_TCP_OPEN = 1u << 1,       /* the handshake is over */
    HOST_TCP_NO_ECT = 1u << 2,     /* the other end does no ECN */
    HOST_TCP_CWR = 1u << 3,        /* the next new packet gets CWR */
    HOST_TCP_RECOVERING = 1u << 4, /* RFC 6582: fast recovery */
    HOST_TCP_PARTIAL = 1u << 5,    /* this recovery had its first partial ACK .. */
    HOST_TCP_LATER = 1u << 6,      /* .. and another one: those do not restart the timer */
    HOST_TCP_RECOVERED = 1u << 7,  /* the ACK being received ends the recovery */
};

/* TCP's part of a sending connection with host.ecn: rfc3168, host.reliability: newreno or host.handshake; in
 * host_stream.tcps by its number. Offsets count bytes on the connection. */
struct host_tcp {
    /* first offset not sent at the latest ECE that asked for CWR: another does when more is acknowledged */
    uint64_t cwr_end_seq;
    uint64_t recover_seq; /* first offset not sent when the latest recovery or timeout began; 0 = there was none */
    uint32_t dup_edge;    /* first unacknowledged packet when the latest duplicate ACK came outside recovery .. */
    uint32_t dups;        /* .. and how many named it in a row */
    uint32_t inflated;    /* in recovery: packets that duplicate ACKs report gone, which inflight_bytes leaves out */
    uint32_t flags;       /* enum host_tcp_flag */
};

void host_tcp_init(struct weir_host *h);
bool host_tcp_open(struct weir_host *h, uint32_t index);
bool host_tcp_forget(struct weir_host *h, uint32_t index);
void host_tcp_ack(const struct weir_host *h, const struct host_flow *f, const struct weir_pkt *pkt,
                  struct weir_ack *ack);
void host_tcp_sent(struct weir_host *h, uint32_t index, struct weir_pkt *pkt);
#endif
