/* src/base/core/pkt.h - one packet, as hosts and switches see it. A value, copied from FIFO to FIFO; wire/ alone knows
 * bytes. 48 bytes: three quarters of a cache line, because memory traffic grows with it and the simulator moves one per
 * hop. */
#ifndef WEIR_CORE_PKT_H
#define WEIR_CORE_PKT_H
#include "core/units.h"

enum weir_pkt_kind {
    WEIR_PKT_DATA,  /* payload of a message */
    WEIR_PKT_ACK,   /* answers one or more DATA */
    WEIR_PKT_REPLY, /* the receiver's short answer to a whole message (preset ns2) */
    /* receiver-driven transports, besides DATA */
    WEIR_PKT_REQUEST, /* announces a message that needs credit */
    WEIR_PKT_CREDIT,  /* permission to send, and perhaps which packets to send again */
    WEIR_PKT_DONE,    /* the receiver has all of a message; sender-driven: answers ABORT */
    WEIR_PKT_CONTROL, /* of the protocol's own: struct weir_own_pkt */
    WEIR_PKT_ABORT,   /* its sender cancels a message; answered by DONE. Sender-driven: the connection goes on at packet
                         seq */
    WEIR_PKT_NOTICE,  /* for the law of a sender: from a receiver (CNP) or a switch (fair rate), which names the flow's
                         receiver as src */
    WEIR_PKT_SYN,     /* sender-driven with host.handshake: opens a connection; ECE and CWR = able to do ECN */
    WEIR_PKT_SYN_ACK, /* answers it; ECE = likewise */
};

#define WEIR_PKT_HOSTS_MAX (1u << 20)         /* host numbers: weir_pkt.src and .dst */
#define WEIR_PKT_BYTES_MAX ((1u << 14) - 1)   /* weir_pkt.wire_bytes, .payload_bytes and .share_count */
#define WEIR_PKT_CLASSES_MAX 8u               /* weir_pkt.class_id */
#define WEIR_CLASSES_MAX WEIR_PKT_CLASSES_MAX /* priority classes of a port */
#define WEIR_PKT_TOKENS_MAX 7u                /* weir_pkt.tokens */
#define WEIR_PKT_HELD_UNIT_PS (1u << 16)      /* 65.5 ns; the most is 1.07 ms */
/* A number that is known to fit its bits of a packet; as macros, so that the compiler sees that nothing is cut. */
#define WEIR_PKT_HOST(number) ((number) & (WEIR_PKT_HOSTS_MAX - 1))
#define WEIR_PKT_BYTES(bytes) ((bytes)&WEIR_PKT_BYTES_MAX)
#define WEIR_PKT_CLASS(class_id) ((class_id) & (WEIR_PKT_CLASSES_MAX - 1))
#define WEIR_PKT_FLAGS(flags) ((flags)&0x1ffu)
#define WEIR_PKT_TOKENS(tokens) ((tokens)&WEIR_PKT_TOKENS_MAX)
/* WEIR_PKT_GRANT: the value of a CREDIT. For how many packets it is besides the first (low 32 bits), and their
 * class. */
#define WEIR_PKT_GRANT(pkts, class_id) ((uint64_t)((pkts)-1u) | (uint64_t)(class_id) << 32)
#define WEIR_PKT_GRANT_CLASS(value) ((uint8_t)((value) >> 32 & (WEIR_PKT_CLASSES_MAX - 1)))
/* The three 32-bit words of bit-fields as wholes: what makes a packet per DATA or ACK writes them so, with values in
 * range. A host's number has the same position in both of its words. */
#define WEIR_PKT_HOST_WORD(host) ((uint32_t)(host) << 12)
#define WEIR_PKT_SRC_WORD(src, flags) (WEIR_PKT_HOST_WORD(src) | (flags))
#define WEIR_PKT_DST_WORD(dst, kind) (WEIR_PKT_HOST_WORD(dst) | (uint32_t)(kind) << 8)
#define WEIR_PKT_SIZE_WORD(wire_bytes, class_id, payload_bytes)                                                        \
    ((uint32_t)(wire_bytes) | (uint32_t)(class_id) << 14 | (uint32_t)(payload_bytes) << 18)

enum weir_pkt_flag {                         /* bits of weir_pkt.flags */
                     WEIR_PKT_ECT = 1u << 0, /* may be marked */
                     WEIR_PKT_CE = 1u << 1,  /* congestion experienced: written by switches */
                     WEIR_PKT_ECE = 1u << 2, /* ACK: the DATA it answers carried CE */
                     WEIR_PKT_END = 1u << 3, /* DATA: last packet of its message */
                     WEIR_PKT_RETX =
                         1u << 4, /* DATA: sent before; gives no round-trip sample. CREDIT: send packets from seq on
                                     again. ACK: go back, send all from packet `ack` on again */
                     WEIR_PKT_OWN = 1u << 5, /* DATA: the protocol's own bit, weir_send.own; CONTROL: about a message of
                                                    its receiver, else of its sender */
                     WEIR_PKT_UNSCHED = 1u << 6, /* DATA: went without credit */
                     WEIR_PKT_CWR = 1u << 8,     /* DATA: its sender has answered an ECE (RFC 3168) */
};

struct weir_pkt {
    uint64_t arrival_ps; /* when its last bit reaches the next node; written by the world, not by host/ */
    union {
        uint64_t value;     /* NOTICE and CONTROL: its content; CREDIT: WEIR_PKT_GRANT() */
        uint64_t sent_ps;   /* DATA: when it left its host's transport; ACK: copied from that DATA, 0 = no sample */
        uint64_t msg_bytes; /* receiver-driven: REQUEST, DATA and ABORT: low 48 bits the length of the message, above
                               them how many packets go unscheduled */
        struct {
            uint64_t sent48_ps : 48; /* DATA and ACK with WEIR_NEED_QDELAY or WEIR_NEED_RCP: sent_ps modulo 2^48 .. */
            uint64_t qdelay : 16; /* .. and the longest queueing delay so far, in units of the fabric; saturates. RCP:
                                     a stamp */
        };
    };
    uint32_t conn; /* connection number at the host that sends the DATA; receiver-driven: the message's number
                               among those from that host to the other, counted from 0; NOTICE: UINT32_MAX = to the
                               law of the destination, of no connection. CONTROL: likewise, of no message */
    uint32_t msg;  /* that host's handle for the message, as given to weir_host_send(); NOTICE: struct
                               weir_notice.source */
    uint32_t seq;  /* DATA: packet index on the connection (modulo 2^32), receiver-driven: in the message;
                               ACK: of the DATA it answers; CREDIT: of the first DATA credited; NOTICE: struct
                               weir_notice.kind; CONTROL: struct weir_own_pkt.kind */
    uint32_t ack;  /* ACK: every packet below this index has arrived; DATA: first index of its message;
                               receiver-driven: the protocol's own number (DATA, CREDIT, CONTROL) */
    uint32_t hash; /* entropy for equal-cost paths */
    /* Three words of bit-fields. What is read most lies at an end of its word: one shift or one mask finds it. */
    union {
        struct {
            uint32_t flags : 9;  /* enum weir_pkt_flag */
            uint32_t tokens : 3; /* DATA: how often switches may still deflect it; 0 .. WEIR_PKT_TOKENS_MAX */
            uint32_t src : 20;   /* host numbers: below WEIR_PKT_HOSTS_MAX */
        };
        uint32_t src_word; /* WEIR_PKT_SRC_WORD() */
        uint8_t flags_low; /* the first eight flags: switches write CE by one store, which reads nothing before it */
    };
    union {
        struct {
            union {
                uint8_t hops;   /* telemetry records in the side channel (core/telemetry.h), 0 .. 8 */
                uint8_t weight; /* DATA where ports serve flows by weighted round robin, which excludes telemetry:
                                   1 .. 255 */
                uint8_t rtt;    /* DATA with WEIR_NEED_RCP, which excludes both: its sender's round trip,
                                   core/rcp_code.h; 0 = unknown */
            };
            uint32_t kind : 4; /* enum weir_pkt_kind; the wire has as many bits for it */
            uint32_t dst : 20;
        };
        uint32_t dst_word; /* WEIR_PKT_DST_WORD() */
    };
    union {
        struct {
            uint32_t wire_bytes : 14; /* all it occupies on a link, headers and gap included; <= WEIR_WIRE_MAX_BYTES */
            uint32_t class_id : 3;    /* 0 = highest priority */
            uint32_t : 1;             /* free */
            uint32_t payload_bytes : 14; /* of the message */
        };
        struct {
            uint32_t : 18;
            uint32_t share_count : 14; /* ACK: how many flows share the receiver, saturates; 0 = unknown. With
                                          WEIR_NEED_HELD: how long it was held, in WEIR_PKT_HELD_UNIT_PS, saturates */
        };
        uint32_t size_word; /* WEIR_PKT_SIZE_WORD() */
    };
};
_Static_assert(sizeof(struct weir_pkt) == 48, "the simulator copies three 16-byte words per hop");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "flags_low is the low byte of flags");
_Static_assert(WEIR_PKT_SYN_ACK < 16, "weir_pkt.kind has 4 bits");
_Static_assert(WEIR_WIRE_MAX_BYTES <= WEIR_PKT_BYTES_MAX, "weir_pkt.wire_bytes has 14 bits");

/* Returns the kind of a packet that is to the host with this word (WEIR_PKT_HOST_WORD); 16 or more if it is to another
 * host. */
static inline uint32_t weir_pkt_kind_for(const struct weir_pkt *pkt, uint32_t host_word)
{
    return (pkt->dst_word - host_word) >> 8;
}
#endif
