/* src/transport/wire/wire.h - encodes struct weir_pkt and the endpoint's own packets as UDP datagrams, and decodes
 * them. doc/wire.md describes the format. Change both together, and increase WEIR_WIRE_VERSION.
 *
 * Decoding trusts no byte: it checks version, type, length, checksum, reserved bits and ranges, in this order, before
 * it uses any field. A datagram that decodes is canonical: encoding the result gives the same bytes. The switch area
 * alone is not checked: switches write it, and every value of it is valid. */
#ifndef WEIR_WIRE_WIRE_H
#define WEIR_WIRE_WIRE_H
#include "core/host_params.h"
#include "core/need.h"
#include "core/pkt.h"
#include <stdbool.h>

#define WEIR_WIRE_VERSION 4u
#define WEIR_WIRE_FRONT_BYTES 24u /* what every datagram begins with, without the area: up to the checksum */
/* Headers of message packets without an area; the payload of DATA follows. */
#define WEIR_WIRE_HEAD_BYTES 49u    /* of receiver-driven protocols, DATA included; also NOTICE and ABORT */
#define WEIR_WIRE_STREAM_BYTES 55u  /* DATA of sender-driven protocols */
#define WEIR_WIRE_ACK_BYTES 64u     /* ACK, without ranges and records */
#define WEIR_WIRE_PAYLOAD_MAX 9216u /* largest payload of a DATA packet */
#define WEIR_WIRE_HELLO_MIN 64u     /* shortest HELLO; longer than its answer, COOKIE */
#define WEIR_WIRE_OPEN_BYTES 512u   /* length of OPEN; its answer, READY, is not longer */
#define WEIR_WIRE_LAW_MAX 468u      /* longest text of a law in HELLO, OPEN and READY */
/* HELLO, OPEN and READY of protections other than none: a MAC, and a message of the handshake of keys. */
#define WEIR_WIRE_KEYED_LAW_MAX 384u  /* .. with a shorter text of a law */
#define WEIR_WIRE_MAC_BYTES 16u       /* MAC under a key that both ends know */
#define WEIR_WIRE_NOISE_BYTES 48u     /* HELLO, OPEN: public key and tag */
#define WEIR_WIRE_NOISE_END_BYTES 64u /* READY: public key, WEIR_WIRE_AGREED_BYTES encrypted, and tag */
#define WEIR_WIRE_AGREED_BYTES 16u    /* what the sender of READY chose: see weir_wire_agreed() */
#define WEIR_WIRE_PORTS_MAX 64u       /* most consecutive ports that an endpoint sends from */
#define WEIR_WIRE_UDP_BYTES 8u
#define WEIR_WIRE_IP4_BYTES 20u
#define WEIR_WIRE_IP6_BYTES 40u
#define WEIR_WIRE_TAG_BYTES 16u /* at the end of a sealed datagram */

/* The switch area: a signal of 32 bits, then slots for records. */
#define WEIR_WIRE_AREA_AT 4u /* where it begins in a datagram */
#define WEIR_WIRE_SLOT_BYTES 16u
#define WEIR_WIRE_SLOTS_MAX 31u
#define WEIR_WIRE_AREA_BYTES(slots) (4u + WEIR_WIRE_SLOT_BYTES * (slots))
#define WEIR_WIRE_RANGE_BYTES 8u
#define WEIR_WIRE_RANGES_MAX 15u /* most ranges of an ACK, and most records */

/* Types of packets, byte 1 of a datagram. Types of message packets are the values of enum weir_pkt_kind below
 * WEIR_WIRE_KINDS, and WEIR_WIRE_STREAM. The other types are the endpoint's own. The token of an even one of these is
 * not the receiver's: a stranger may have sent it (driver/net.h). */
enum weir_wire_type {
    WEIR_WIRE_STREAM = 16, /* DATA of sender-driven protocols; WEIR_PKT_DATA is that of receiver-driven ones */
    WEIR_WIRE_OWN = 32,    /* types from here on are the endpoint's own */
    WEIR_WIRE_HELLO = 32,  /* begins a handshake: requests a cookie; padded to the MTU, so that no answer is larger */
    WEIR_WIRE_COOKIE = 33, /* answers HELLO with a cookie; its sender keeps no state */
    WEIR_WIRE_OPEN = 34,   /* returns the cookie, which proves the opener's address */
    WEIR_WIRE_READY = 35,  /* answers OPEN: the connection is established, or refused */
    WEIR_WIRE_RESET = 36,  /* a connection with this token does not exist; answers a packet with an unknown token */
    WEIR_WIRE_REFUSE = 37, /* refuses a message: it is larger than the receiver's memory, or comes too slowly */
    /* answers a datagram of a later version, with the versions that its sender has. In every later version, too, it is
     * a datagram of version 4 */
    WEIR_WIRE_VERSIONS = 38,
    WEIR_WIRE_PING = 39,      /* asks whether the peer is there */
    WEIR_WIRE_PONG = 41,      /* answers PING */
    WEIR_WIRE_CLOSE = 43,     /* ends the connection */
    WEIR_WIRE_CHALLENGE = 45, /* asks who has the secret of the connection whether it receives at an address */
    WEIR_WIRE_RESPONSE = 47,  /* answers CHALLENGE, from that address */
};
#define WEIR_WIRE_KINDS 11u /* number of values of enum weir_pkt_kind: each is a type, too */
_Static_assert(WEIR_PKT_SYN_ACK + 1 == WEIR_WIRE_KINDS, "every kind has a type");

/* Kinds of the switch area: what its signal says, and by that which unit the delay has. */
enum weir_wire_area { WEIR_WIRE_AREA_NONE, WEIR_WIRE_AREA_64NS, WEIR_WIRE_AREA_US, WEIR_WIRE_AREA_RCP };
#define WEIR_WIRE_AREA_KINDS 4u
/* Fields of the area's signal. DELAY: longest delay so far, in units of the kind; saturates; kind RCP: the stamp. BYTE:
 * weight of the flow, or code of RCP's round trip; with slots, how many records were written. TOKENS: how often the
 * packet may still be deflected. ECE: in an ACK, as the ACK's own flag. Four more bits are spare. */
#define WEIR_WIRE_SIGNAL(delay, byte, tokens, ece)                                                                     \
    ((uint32_t)(delay) << 16 | (uint32_t)(byte) << 8 | (uint32_t)(tokens) << 5 | (uint32_t)(ece) << 4)
#define WEIR_WIRE_SIGNAL_DELAY(signal) ((signal) >> 16)
#define WEIR_WIRE_SIGNAL_BYTE(signal) ((signal) >> 8 & 0xffu)
#define WEIR_WIRE_SIGNAL_TOKENS(signal) ((signal) >> 5 & 7u)
#define WEIR_WIRE_SIGNAL_ECE(signal) ((signal) >> 4 & 1u)

/* The parts of switch areas that endpoints reserve for their law. */
struct weir_wire_reserved {
    bool delay;         /* DATA has a delay: kind 1, or 2 where the link is slow */
    bool tokens;        /* DATA has tokens, in an area of any kind */
    uint8_t data_slots; /* of DATA, for records; 0 = none */
    uint8_t ack_slots;  /* of ACKs */
};
#define WEIR_WIRE_RESERVED_SLOTS 5u /* switches on a fat-tree's longest path */

/* Returns what endpoints reserve for a law with these needs (enum weir_need). stream: it is sender-driven */
static inline struct weir_wire_reserved weir_wire_reserved(uint32_t needs, bool stream)
{
    bool into_acks = (needs & WEIR_NEED_ACK_INT) != 0, into_data = !into_acks && (needs & WEIR_NEED_INT) != 0;
    return (struct weir_wire_reserved){
        .delay = stream && (needs & WEIR_NEED_QDELAY) != 0,
        .tokens = stream && (needs & WEIR_MAY_DEFLECT) != 0,
        .data_slots = stream && into_data ? WEIR_WIRE_RESERVED_SLOTS : 0,
        .ack_slots = stream && into_acks ? WEIR_WIRE_RESERVED_SLOTS : 0,
    };
}

struct weir_wire_slot {   /* a record that a switch writes when the packet leaves it */
    uint64_t time_ns;     /* its clock, modulo 2^40 */
    uint64_t sent_bytes;  /* bytes that the port has sent, modulo 2^40 */
    uint32_t rate_100k;   /* speed of the link in 100 kb/s; below 2^24 */
    uint32_t queue_bytes; /* that wait at the port; saturates at 2^24 - 1 */
};

/* Kinds of NOTICE that endpoints use; lower ones are a law's own (struct weir_notice). */
enum weir_wire_notice {
    WEIR_WIRE_NO_ROOM = 0xff00, /* the receiver has no memory for the message: send none of it until ROOM */
    WEIR_WIRE_ROOM = 0xff01,    /* there is memory for the message again */
    /* receiver-driven: the receiver takes the message in parts. Its value is a number of packets: none from that one on
     * may leave, until a CREDIT names it or a later one */
    WEIR_WIRE_BOUND = 0xff02,
};

/* Value of NO_ROOM and ROOM. first: sender-driven, first packet of the message, which distinguishes it from others of
 * its connection; else 0. listed: the receiver will send ROOM */
#define WEIR_WIRE_ROOM_VALUE(first, listed) ((uint64_t)(first) << 32 | (uint64_t)(listed))
#define WEIR_WIRE_ROOM_FIRST(value) ((uint32_t)((value) >> 32))
#define WEIR_WIRE_ROOM_LISTED(value) (((value)&1u) != 0)

struct weir_wire_head {  /* header of a message packet */
    struct weir_pkt pkt; /* header fields; src, dst, hash, arrival_ps and CE are not on the wire: 0 */
    /* of the connection, towards the receiver; computed from the own tokens of both ends (doc/wire.md) */
    uint64_t token;
    uint64_t counter;           /* number of the datagram among those of the connection in this direction, from 1 */
    uint64_t msg_bytes;         /* stream: length of the message, below 2^48; 0 = not known, in captures of runs */
    const unsigned char *slots; /* area: slot_count * WEIR_WIRE_SLOT_BYTES; encoding: NULL = zeros */
    /* ACK: range_count * WEIR_WIRE_RANGE_BYTES and echo_count * WEIR_WIRE_SLOT_BYTES, as they are on the wire */
    const unsigned char *ranges, *echo;
    uint32_t signal;       /* WEIR_WIRE_SIGNAL(); 0 without an area */
    uint32_t hold_ns;      /* ACK: how long the receiver held it; saturates */
    uint32_t marked_bytes; /* ACK: payload that it acknowledges for the first time and that arrived with CE */
    uint32_t window_kib;   /* ACK: payload that the receiver has memory for, in 1024 bytes; UINT32_MAX = not said */
    uint8_t area_kind, slot_count;   /* enum weir_wire_area; slots of the area */
    uint8_t range_count, echo_count; /* ACK: ranges that arrived above pkt.ack; records of the DATA it answers */
    uint8_t key_phase;               /* sealed: number of the connection's secret; else 0 */
    bool stream;                     /* of a sender-driven protocol; decides about the type of DATA */
    bool checked;                    /* the checksum covers the payload too */
    bool sealed;                     /* protected by keys: no checksum, and the sealer sets the counter */
};

/* A decoded packet of the endpoint's own. Fields that the type does not have are 0. */
struct weir_wire_handshake {
    uint8_t type; /* enum weir_wire_type, from WEIR_WIRE_OWN on */
    /* HELLO, COOKIE, OPEN, READY: the opener's own token. REFUSE and types from PING on: as in message packets. RESET:
     * the token that is not, or no longer, valid. VERSIONS: bytes 4 .. 11 of the datagram that it answers */
    uint64_t token;
    uint64_t counter;      /* REFUSE, and types from PING on: as in message packets; else 0 */
    uint64_t own_token;    /* READY: own token of the sender of READY; 0 = refused, with the sender's law */
    uint64_t cookie;       /* COOKIE, OPEN */
    uint64_t value;        /* PING, CHALLENGE; PONG and RESPONSE repeat it */
    uint32_t cookie_epoch; /* COOKIE, OPEN: period of time in which the cookie was made */
    uint32_t number, msg;  /* REFUSE: number of the message; its sender's handle for it */
    const char *law; /* HELLO, OPEN, READY: law_bytes of printable ASCII, not ended by a NUL; NULL if there are 0 */
    /* HELLO, OPEN, READY if protection is not none, NULL = zeros: WEIR_WIRE_MAC_BYTES, which encoding can leave to
     * weir_wire_put_mac(), and WEIR_WIRE_NOISE_BYTES; of READY WEIR_WIRE_NOISE_END_BYTES */
    const unsigned char *mac, *noise;
    /* HELLO, OPEN, READY: payload of a full packet, 1 .. WEIR_WIRE_PAYLOAD_MAX; must be the same at both ends */
    uint16_t mss_bytes;
    uint16_t law_bytes;          /* at most WEIR_WIRE_LAW_MAX, or WEIR_WIRE_KEYED_LAW_MAX */
    uint16_t key_number;         /* HELLO, OPEN, READY: key that the MAC is under; 0 = none */
    uint8_t version, protection; /* HELLO, OPEN, READY: version of the format; enum weir_wire_protection */
    uint8_t ports;               /* HELLO, OPEN, READY: consecutive ports that the sender sends from, from 1 */
    uint8_t cipher;              /* HELLO, OPEN, READY: 1 .. WEIR_WIRE_CIPHERS, or 0 if protection is none */
    uint8_t lowest, highest;     /* VERSIONS: versions that its sender has */
    uint8_t key_phase;           /* sealed: as in struct weir_wire_head; OPEN, READY with keys: of what they agree on */
    bool sealed;                 /* REFUSE, and types from PING on: as in struct weir_wire_head */
};
/* none: a checksum, and no secret but the tokens. Else packets of a connection are sealed (doc/protection.md). */
enum weir_wire_protection { WEIR_WIRE_NONE, WEIR_WIRE_MAC, WEIR_WIRE_AEAD };
#define WEIR_WIRE_CIPHERS 2u /* the values are those of enum weir_cipher */

enum weir_wire_result {
    WEIR_WIRE_OK,
    /* wrong length for the type: truncated, too long, payload where none is allowed, or a DATA without payload */
    WEIR_WIRE_SHORT,
    WEIR_WIRE_VERSION_OTHER,
    WEIR_WIRE_TYPE, /* unknown type, or a type that the called function does not read */
    WEIR_WIRE_CHECKSUM,
    /* a reserved bit or a byte of padding is not 0, a flag does not belong to the type, or a value is out of range */
    WEIR_WIRE_RESERVED,
};

/* Returns the type of the packet of this kind. stream: of a sender-driven protocol; decides about DATA alone */
static inline uint32_t weir_wire_type_of(uint32_t kind, bool stream)
{
    return stream && kind == WEIR_PKT_DATA ? (uint32_t)WEIR_WIRE_STREAM : kind;
}

/* Returns the flags (enum weir_pkt_flag) that weir_wire_encode() accepts in a packet of this type: those on the wire,
 * and CE, which is accepted but not written. type: of a message packet */
uint32_t weir_wire_flags(uint32_t type);

/* Returns the version of a datagram, 0 .. 15. length: at least 1 */
uint32_t weir_wire_version(const unsigned char *bytes);

/* Returns the type of a datagram, 0 .. 255: an enum weir_wire_type or a message packet's if the datagram is valid,
 * which is not checked. Returns -1 if length is below 2. */
int weir_wire_type(const unsigned char *bytes, uint32_t length);

/* Reads the token of a datagram of our version. @return false = it is too short for one */
bool weir_wire_token(const unsigned char *bytes, uint32_t length, uint64_t *token);

/* Returns the key phase of a datagram of our version; 0 if it is too short for one. */
uint32_t weir_wire_phase(const unsigned char *bytes, uint32_t length);

/* Returns the length of the header that weir_wire_encode() writes. */
uint32_t weir_wire_head_bytes(const struct weir_wire_head *head);

/**
 * Writes the header of a message packet. CE is not written: the IP header has it.
 * @param head     flags of head->pkt within weir_wire_flags(); class_id 0 .. 7; payload_bytes 1 ..
 *                 WEIR_WIRE_PAYLOAD_MAX for DATA, else 0 (of an ACK the field has share_count); counter above 0
 * @param payload  head->pkt.payload_bytes bytes, which follow the header on the wire; read only if head->checked
 * @param out      weir_wire_head_bytes() bytes
 */
void weir_wire_encode(const struct weir_wire_head *head, const void *payload, unsigned char *out);

/**
 * Reads and checks a whole datagram that is a message packet.
 * @param framing  gives out->pkt.wire_bytes for the length of the payload
 * @param out      slots, ranges and echo point into bytes; NULL where there are none
 * @return WEIR_WIRE_OK: out is filled in; the payload begins at bytes + weir_wire_head_bytes(out), and has
 * out->pkt.payload_bytes bytes if the packet is DATA, else none. Else the first check that failed; out is unchanged
 */
enum weir_wire_result weir_wire_decode(const unsigned char *bytes, uint32_t length, const struct weir_framing *framing,
                                       struct weir_wire_head *out);

struct weir_wire_parts { /* of a sealed datagram; see struct weir_seal_range */
    uint32_t area_bytes; /* of the switch area */
    uint32_t head_end;   /* where the payload begins */
};

/* Finds the parts of a sealed message packet, by bytes that are not to be believed yet. length: without the tag.
 * @return WEIR_WIRE_OK, or the check that failed: version, type, length for the type */
enum weir_wire_result weir_wire_measure(const unsigned char *bytes, uint32_t length, struct weir_wire_parts *parts);

/* Reads a datagram as weir_wire_decode() does, after its seal was opened. length: without the tag. The field of the
 * checksum must be 0. */
enum weir_wire_result weir_wire_decode_opened(const unsigned char *bytes, uint32_t length,
                                              const struct weir_framing *framing, struct weir_wire_head *out);

/**
 * Reads a message packet that passes by, as a switch does: sealed or not, since only the payload may be encrypted.
 * Neither checksum nor tag is tested. A datagram with a checksum of 0 is taken for sealed.
 * @param out    as of weir_wire_decode(), but pkt.wire_bytes is 0; what it says may be wrong
 * @return WEIR_WIRE_OK, or the first check that failed: version, type, length for the type, reserved bits and ranges
 */
enum weir_wire_result weir_wire_peek(const unsigned char *bytes, uint32_t length, struct weir_wire_head *out);

/* Writes the signal of a switch area, WEIR_WIRE_SIGNAL(), 4 bytes. */
void weir_wire_put_signal(uint32_t signal, unsigned char *out);

/* Reads and writes one record of WEIR_WIRE_SLOT_BYTES. Values to write must be in range. */
void weir_wire_get_slot(const unsigned char *bytes, struct weir_wire_slot *out);
void weir_wire_put_slot(const struct weir_wire_slot *slot, unsigned char *out);
/* Reads and writes one range of WEIR_WIRE_RANGE_BYTES: pkts packets from number start on. */
void weir_wire_get_range(const unsigned char *bytes, uint32_t *start, uint32_t *pkts);
void weir_wire_put_range(uint32_t start, uint32_t pkts, unsigned char *out);

/* Writes a packet of the endpoint's own.
 * @param packet  type is an enum weir_wire_type from WEIR_WIRE_OWN on; fields that this type does not have are ignored
 * @param room    size of out in bytes, WEIR_WIRE_OPEN_BYTES is enough; HELLO fills all of it with zeros after its law
 * @return bytes written; 0 = room is too small */
uint32_t weir_wire_encode_handshake(const struct weir_wire_handshake *packet, unsigned char *out, uint32_t room);
/* Reads and checks a whole datagram that is a packet of the endpoint's own. law points into bytes. @return
 * WEIR_WIRE_OK: out is filled in; else the first check that failed, and out is unchanged */
enum weir_wire_result weir_wire_decode_handshake(const unsigned char *bytes, uint32_t length,
                                                 struct weir_wire_handshake *out);
/* Finds the parts of a sealed REFUSE, PING or later type, as weir_wire_measure() does: it is a header alone. */
enum weir_wire_result weir_wire_measure_handshake(const unsigned char *bytes, uint32_t length,
                                                  struct weir_wire_parts *parts);
/* Reads a REFUSE, PING or later type after its seal was opened, as weir_wire_decode_opened() does message packets. */
enum weir_wire_result weir_wire_decode_opened_handshake(const unsigned char *bytes, uint32_t length,
                                                        struct weir_wire_handshake *out);

/* Takes the MAC out of a HELLO, OPEN or READY that has one: copies it to mac, and sets its bytes and the checksum to 0.
 * What is left is what the MAC is computed over. */
void weir_wire_take_mac(unsigned char *bytes, unsigned char mac[WEIR_WIRE_MAC_BYTES]);
/* Writes MAC and checksum into a datagram as weir_wire_take_mac() leaves it. */
void weir_wire_put_mac(unsigned char *bytes, uint32_t length, const unsigned char mac[WEIR_WIRE_MAC_BYTES]);
/* Writes version, protection, ports, cipher, mss and own token of a READY to out, as they are in its bytes: READY has
 * them encrypted once more. */
void weir_wire_agreed(const struct weir_wire_handshake *ready, unsigned char out[WEIR_WIRE_AGREED_BYTES]);

#endif
