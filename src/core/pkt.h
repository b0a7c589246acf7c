/* src/core/pkt.h - one packet, as hosts and switches see it. A value, copied from FIFO to FIFO; wire/ alone knows bytes.
 * 48 bytes: three quarters of a cache line, because memory traffic grows with it and the simulator moves one per hop. */
#ifndef WEIR_CORE_PKT_H
#define WEIR_CORE_PKT_H
#include <stddef.h>
#include <stdint.h>

enum weir_pkt_kind {
    WEIR_PKT_DATA,  /* payload of a message */
    WEIR_PKT_ACK,   /* answers one or more DATA */
    WEIR_PKT_REPLY, /* the receiver's short answer to a whole message (preset ns2) */
    /* receiver-driven transports, beside DATA */
    WEIR_PKT_REQUEST, /* announces a message that needs credit */
    WEIR_PKT_CREDIT,  /* permission to send, and perhaps which packet to send again */
    WEIR_PKT_DONE,    /* the receiver has all of a message */
    WEIR_PKT_STATE,   /* answers a CREDIT that asks: the sender's count of credit spent */
    WEIR_PKT_ABORT,   /* its sender gives a message up; answered by DONE */
    WEIR_PKT_NOTICE,  /* for the law of a sender: from a receiver (CNP) or a switch (fair rate), which names the flow's
                         receiver as src */
};

enum weir_pkt_flag {                         /* bits of weir_pkt.flags */
                     WEIR_PKT_ECT = 1u << 0, /* may be marked */
                     WEIR_PKT_CE = 1u << 1,  /* congestion experienced: written by switches */
                     WEIR_PKT_ECE = 1u << 2, /* ACK: the DATA it answers carried CE */
                     WEIR_PKT_END = 1u << 3, /* DATA: last packet of its message */
                     WEIR_PKT_RETX =
                         1u << 4, /* DATA: sent before; gives no round-trip sample. CREDIT: send packet seq again. ACK:
                                     go back, send all from packet `ack` on again */
                     WEIR_PKT_CSN = 1u << 5,     /* DATA: its sender holds too much unused credit */
                     WEIR_PKT_UNSCHED = 1u << 6, /* DATA: went without credit */
                     WEIR_PKT_ASK = 1u << 7,     /* CREDIT: answer with a STATE */
};

struct weir_pkt {
    uint64_t arrival_ps; /* when its last bit reaches the next node; written by the world, not by host/ */
    union {
        uint64_t value;     /* NOTICE: what it says */
        uint64_t sent_ps;   /* DATA: when it left its host's transport; ACK: copied from that DATA, 0 = no sample */
        uint64_t msg_bytes; /* receiver-driven: REQUEST, DATA and ABORT: low 48 bits the length of the message, above
                               them how many packets go unscheduled */
        struct {
            uint64_t sent48_ps : 48; /* DATA and ACK of a law that needs WEIR_NEED_QDELAY: sent_ps modulo 2^48 .. */
            uint64_t qdelay : 16; /* .. and the longest queueing delay met so far, in units of the fabric; saturates */
        };
    };
    uint32_t conn;       /* connection number at the host that sends the DATA; receiver-driven: the message's number
                               among those from that host to the other, counted from 0 */
    uint32_t msg;        /* that host's handle for the message, as given to weir_host_send(); NOTICE: struct
                               weir_notice.source */
    uint32_t seq;        /* DATA: packet index on the connection (modulo 2^32), receiver-driven: in the message;
                               ACK: of the DATA it answers; CREDIT with RETX: of the DATA to send again; NOTICE: struct
                               weir_notice.kind */
    uint32_t ack;        /* ACK: every packet below this index has arrived; DATA: first index of its message;
                               receiver-driven: running total of credit granted (CREDIT) or spent (DATA, STATE) */
    uint32_t hash;       /* entropy for equal-cost paths */
    uint16_t src, dst;   /* host numbers */
    uint16_t wire_bytes; /* all it occupies on a link, headers and gap included; <= WEIR_WIRE_MAX_BYTES */
    union {
        uint16_t payload_bytes; /* of the message */
        uint16_t share_count;   /* ACK: how many flows share the receiver; 0 = not said */
    };
    uint8_t kind;     /* enum weir_pkt_kind */
    uint8_t flags;    /* enum weir_pkt_flag */
    uint8_t class_id; /* 0 = highest priority */
    union {
        uint8_t hops;   /* telemetry records that travel beside it (core/telemetry.h), 0 .. 8 */
        uint8_t weight; /* DATA where ports serve flows by weighted round robin, which excludes telemetry: 1 .. 255 */
    };
};
_Static_assert(sizeof(struct weir_pkt) == 48, "the simulator copies three 16-byte words per hop");
#endif
