/* src/base/core/pkt.h - one packet, as hosts and switches see it.
 * A packet is a value, copied from FIFO to FIFO. Only wire/ encodes it as bytes. Its 48 bytes are three quarters of a
 * cache line: the simulator copies one packet per hop, and memory traffic grows with the size. */
#ifndef WEIR_CORE_PKT_H
#define WEIR_CORE_PKT_H
#include "core/units.h"

enum weir_pkt_kind {
    WEIR_PKT_DATA,  /* payload of a message */
    WEIR_PKT_ACK,   /* answers one or more DATA */
    WEIR_PKT_REPLY, /* the receiver's short answer to a complete message (preset ns2) */
    /* of receiver-driven protocols, besides DATA */
    WEIR_PKT_REQUEST, /* announces a message that needs credit */
    WEIR_PKT_CREDIT,  /* permission to send; with RETX to send packets again */
    WEIR_PKT_DONE,    /* the receiver has the whole message; also the answer to ABORT */
    WEIR_PKT_CONTROL, /* a control packet of the protocol's own: struct weir_own_pkt */
    WEIR_PKT_ABORT,   /* the sender of a message cancels it; DONE is the answer. Sender-driven: the connection goes
                         on at packet seq */
    WEIR_PKT_NOTICE,  /* for the law of a sender; comes from a receiver (CNP) or a switch (fair rate). A switch
                         writes the flow's receiver as src */
    WEIR_PKT_SYN,     /* sender-driven with host.handshake: opens a connection; ECE and CWR = the sender can do ECN */
    WEIR_PKT_SYN_ACK, /* answers SYN; ECE = the receiver can do ECN */
};

#define WEIR_PKT_HOSTS_MAX (1u << 20)       /* host numbers (weir_pkt.src and .dst) are below this */
#define WEIR_PKT_BYTES_MAX ((1u << 14) - 1) /* largest weir_pkt.wire_bytes, .payload_bytes and .share_count */
#define WEIR_CLASSES_MAX 8u                 /* most priority classes of a port; weir_pkt.class_id is below this */
#define WEIR_PKT_TOKENS_MAX 7u              /* largest weir_pkt.tokens */
#define WEIR_PKT_HELD_UNIT_PS (1u << 16)    /* unit of held time in an ACK: 65.5 ns; the field's maximum is 1.07 ms */
/* Each of these macros masks a number to the bits of its field in a packet. The number must fit the field. The masks
 * show the compiler that the assignment cuts nothing off. */
#define WEIR_PKT_HOST(number) ((number) & (WEIR_PKT_HOSTS_MAX - 1))
#define WEIR_PKT_BYTES(bytes) ((bytes)&WEIR_PKT_BYTES_MAX)
#define WEIR_PKT_CLASS(class_id) ((class_id) & (WEIR_CLASSES_MAX - 1))
#define WEIR_PKT_FLAGS(flags) ((flags)&0x1ffu)
#define WEIR_PKT_TOKENS(tokens) ((tokens)&WEIR_PKT_TOKENS_MAX)
/* weir_pkt.conn has a number and, in its top two bits, the law that the packet belongs to. A run may have several laws
 * side by side, and each counts its connections and messages from 0. So (host, conn) is unique in a run, and a switch
 * that keeps state by it need not know laws. WEIR_PKT_CONN() masks a number to its 30 bits. */
#define WEIR_LAWS_MAX 4u /* most laws of a run */
#define WEIR_PKT_CONN_BITS 30u
#define WEIR_PKT_NO_CONN ((1u << WEIR_PKT_CONN_BITS) - 1)
#define WEIR_PKT_CONN(number) ((number)&WEIR_PKT_NO_CONN)
/* WEIR_PKT_GRANT: encodes weir_pkt.value of a CREDIT. pkts: number of credited packets, 1 ..; class_id: class of their
 * DATA. Bits 0 .. 31 hold pkts - 1, bits from 32 on class_id. WEIR_PKT_GRANT_CLASS: decodes class_id from such a
 * value. */
#define WEIR_PKT_GRANT(pkts, class_id) ((uint64_t)((pkts)-1u) | (uint64_t)(class_id) << 32)
#define WEIR_PKT_GRANT_CLASS(value) ((uint8_t)((value) >> 32 & (WEIR_CLASSES_MAX - 1)))
/* Values for the three 32-bit unions of bit-fields in struct weir_pkt, so that code that makes DATA or ACKs writes each
 * union with one store. Each argument must fit its field. A host number has the same position in src_word and in
 * dst_word. */
#define WEIR_PKT_HOST_WORD(host) ((uint32_t)(host) << 12)
#define WEIR_PKT_SRC_WORD(src, flags) (WEIR_PKT_HOST_WORD(src) | (flags))
#define WEIR_PKT_DST_WORD(dst, kind) (WEIR_PKT_HOST_WORD(dst) | (uint32_t)(kind) << 8)
#define WEIR_PKT_SIZE_WORD(wire_bytes, class_id, payload_bytes)                                                        \
    ((uint32_t)(wire_bytes) | (uint32_t)(class_id) << 14 | (uint32_t)(payload_bytes) << 18)

enum weir_pkt_flag {                         /* bits of weir_pkt.flags */
                     WEIR_PKT_ECT = 1u << 0, /* a switch may set CE */
                     WEIR_PKT_CE = 1u << 1,  /* congestion experienced: set by switches */
                     WEIR_PKT_ECE = 1u << 2, /* ACK: the DATA it answers carried CE */
                     WEIR_PKT_END = 1u << 3, /* DATA: the last packet of its message */
                     WEIR_PKT_RETX =
                         1u << 4, /* DATA: sent before; gives no round-trip sample. CREDIT: send packets from seq on
                                     again. ACK: go back, and send all packets from index `ack` on again */
                     WEIR_PKT_OWN = 1u << 5,     /* DATA: the protocol's own bit, weir_send.own. CONTROL: set = about
                                                    an outbound message of the packet's destination; clear = of the
                                                    packet's source */
                     WEIR_PKT_UNSCHED = 1u << 6, /* DATA: sent without credit */
                     WEIR_PKT_CWR = 1u << 8,     /* DATA: the sender has reduced cwnd after an ECE (RFC 3168) */
};

#define WEIR_PKT_QDELAY_MAX 65535u /* largest value of qdelay in struct weir_pkt */

struct weir_pkt {
    uint64_t arrival_ps; /* when the last bit reaches the next node; written by the world, not by host/ */
    union {
        uint64_t value;     /* NOTICE and CONTROL: the content; CREDIT: WEIR_PKT_GRANT() */
        uint64_t sent_ps;   /* DATA: when its host sent it; ACK: copied from the DATA that it answers, 0 = no sample */
        uint64_t msg_bytes; /* receiver-driven: REQUEST, DATA and ABORT: low 48 bits the length of the message, high
                               16 bits its number of unscheduled packets */
        struct {
            uint64_t sent48_ps : 48; /* DATA and ACK with WEIR_NEED_QDELAY or WEIR_NEED_RCP: sent_ps modulo 2^48 */
            uint64_t qdelay : 16;    /* with WEIR_NEED_QDELAY: longest queueing delay so far, in
                                        weir_feature_plan.qdelay_unit_ps; saturates. With WEIR_NEED_RCP: the stamp */
        };
    };
    uint32_t conn; /* low 30 bits: a number; top two bits: the law, see WEIR_PKT_CONN(). Sender-driven: number of the
                      connection at the host that sends the DATA. Receiver-driven: number of the message among those
                      from one host to another, from 0, modulo 2^30; WEIR_PKT_NO_CONN in a CONTROL about no message.
                      NOTICE: WEIR_PKT_NO_CONN = for the law of the destination, not of a connection */
    uint32_t msg;  /* the sender's handle of the message, as given to weir_host_send(). NOTICE: struct
                      weir_notice.source */
    uint32_t seq;  /* DATA: index of the packet on the connection modulo 2^32, receiver-driven: in the message. ACK:
                      seq of the DATA that it answers. CREDIT: seq of the first DATA credited. NOTICE: struct
                      weir_notice.kind. CONTROL: struct weir_own_pkt.kind */
    uint32_t ack;  /* ACK: every packet below this index has arrived. DATA: index of the first packet of its message.
                      Receiver-driven (DATA, CREDIT, CONTROL): the protocol's own number */
    uint32_t hash; /* entropy by which switches choose among equal-cost paths */
    /* Three unions of bit-fields, 32 bits each. The fields that are read most often lie at an end, so that one shift or
     * one mask extracts them. */
    union {
        struct {
            uint32_t flags : 9;  /* enum weir_pkt_flag */
            uint32_t tokens : 3; /* DATA: how often switches may still deflect the packet; 0 .. WEIR_PKT_TOKENS_MAX */
            uint32_t src : 20;   /* host number of the source; below WEIR_PKT_HOSTS_MAX */
        };
        uint32_t src_word; /* WEIR_PKT_SRC_WORD() */
        /* The low eight flags as a byte. A switch sets CE in this byte alone */
        uint8_t flags_low;
    };
    union {
        struct {
            union {
                uint8_t hops;   /* number of telemetry records of the packet in the side channel (core/telemetry.h),
                                   0 .. 8 */
                uint8_t weight; /* DATA with weighted round robin, which excludes telemetry: weight of the flow, 1 ..
                                   255 */
                uint8_t rtt;    /* DATA with WEIR_NEED_RCP, which excludes the other two: code of the sender's round
                                   trip (core/rcp_code.h); 0 = unknown */
            };
            uint32_t kind : 4; /* enum weir_pkt_kind; 4 bits on the wire, too */
            uint32_t dst : 20;
        };
        uint32_t dst_word; /* WEIR_PKT_DST_WORD() */
    };
    union {
        struct {
            uint32_t wire_bytes : 14;    /* bytes on a link, headers and gap included; <= WEIR_WIRE_MAX_BYTES */
            uint32_t class_id : 3;       /* 0 = highest priority */
            uint32_t stays : 1;          /* DATA with virtual lanes: may not leave this port in another lane; written by
                                            switches */
            uint32_t payload_bytes : 14; /* of the message */
        };
        struct {
            uint32_t : 18;
            uint32_t share_count : 14; /* ACK: number of flows that share the receiver, saturates; 0 = unknown. With
                                          WEIR_NEED_HELD: how long the receiver held the ACK, in
                                          WEIR_PKT_HELD_UNIT_PS, saturates */
        };
        uint32_t size_word; /* WEIR_PKT_SIZE_WORD() */
    };
};
_Static_assert(sizeof(struct weir_pkt) == 48, "the simulator copies three 16-byte words per hop");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "flags_low is the low byte of flags");
_Static_assert(WEIR_LAWS_MAX == 1u << (32 - WEIR_PKT_CONN_BITS), "a law is the rest of weir_pkt.conn");
_Static_assert(WEIR_PKT_SYN_ACK < 16, "weir_pkt.kind has 4 bits");
_Static_assert(WEIR_WIRE_MAX_BYTES <= WEIR_PKT_BYTES_MAX, "weir_pkt.wire_bytes has 14 bits");

/* Returns the number of the law that a packet belongs to; 0 in a run with one law. */
static inline uint32_t weir_pkt_law(const struct weir_pkt *pkt)
{
    return pkt->conn >> WEIR_PKT_CONN_BITS;
}

/* Epochs. In a run whose hosts restart, a packet on its way has in bits 26 .. 29 of conn how often its two hosts had
 * restarted when it left, modulo 16. Numbers of connections and messages are then below 2^26 - 1. A packet without a
 * number has WEIR_PKT_NO_CONN in its hosts, and all ones in its low 26 bits on its way. */
#define WEIR_PKT_EPOCH_SHIFT 26u
#define WEIR_PKT_EPOCH_MASK (15u << WEIR_PKT_EPOCH_SHIFT)
#define WEIR_PKT_EPOCH_CONNS ((1u << WEIR_PKT_EPOCH_SHIFT) - 1)

/* Writes the epoch of a packet that leaves its host. */
static inline void weir_pkt_put_epoch(struct weir_pkt *pkt, uint32_t epoch)
{
    pkt->conn = (pkt->conn & ~WEIR_PKT_EPOCH_MASK) | (epoch << WEIR_PKT_EPOCH_SHIFT & WEIR_PKT_EPOCH_MASK);
}

/* Takes the epoch, whatever it is, off a packet that has one. */
static inline void weir_pkt_drop_epoch(struct weir_pkt *pkt)
{
    uint32_t of_none = (pkt->conn & WEIR_PKT_EPOCH_CONNS) == WEIR_PKT_EPOCH_CONNS ? WEIR_PKT_EPOCH_MASK : 0;
    pkt->conn = (pkt->conn & ~WEIR_PKT_EPOCH_MASK) | of_none;
}

/* Takes the epoch off a packet that arrives at its host. @return false = the packet is of another epoch */
static inline bool weir_pkt_take_epoch(struct weir_pkt *pkt, uint32_t epoch)
{
    if ((pkt->conn & WEIR_PKT_EPOCH_MASK) != (epoch << WEIR_PKT_EPOCH_SHIFT & WEIR_PKT_EPOCH_MASK))
        return false;
    weir_pkt_drop_epoch(pkt);
    return true;
}

/* Returns the kind (enum weir_pkt_kind) of a packet if its destination is this host; else a number of 16 or more.
 * host_word: WEIR_PKT_HOST_WORD() of this host */
static inline uint32_t weir_pkt_kind_for(const struct weir_pkt *pkt, uint32_t host_word)
{
    return (pkt->dst_word - host_word) >> 8;
}
#endif
