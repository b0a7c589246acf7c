/* src/transport/wire/wire.h - encodes struct weir_pkt and handshake packets as UDP datagrams, and decodes them.
 * doc/wire.md describes the format. Change both together, and increase WEIR_WIRE_VERSION.
 *
 * Decoding trusts no byte: it checks version, type, length, checksum, reserved bits and ranges, in this order, before
 * it uses any field. A datagram that decodes is canonical: encoding the result gives the same bytes. */
#ifndef WEIR_WIRE_WIRE_H
#define WEIR_WIRE_WIRE_H
#include "core/host_params.h"
#include "core/pkt.h"
#include <stdbool.h>

#define WEIR_WIRE_VERSION 3u
#define WEIR_WIRE_HEAD_BYTES 40u    /* header of every message packet; the payload follows */
#define WEIR_WIRE_PAYLOAD_MAX 9216u /* largest payload of a DATA packet */
#define WEIR_WIRE_HELLO_MIN 64u     /* shortest HELLO; more than twice the length of its answer, COOKIE */
#define WEIR_WIRE_TOKEN_END 16u     /* where the token of any datagram ends */
#define WEIR_WIRE_UDP_BYTES 8u
#define WEIR_WIRE_IP4_BYTES 20u
#define WEIR_WIRE_IP6_BYTES 40u

/* Types of handshake packets. The type field on the wire has one of these values, or a value of enum weir_pkt_kind
 * below WEIR_WIRE_KINDS in a message packet. */
enum weir_wire_type {
    WEIR_WIRE_HELLO = 10, /* begins a handshake: requests a cookie; padded to the MTU, so that no answer is larger */
    WEIR_WIRE_COOKIE,     /* answers HELLO with a cookie; its sender keeps no state */
    WEIR_WIRE_OPEN,       /* returns the cookie, which proves the opener's address */
    WEIR_WIRE_READY,      /* answers OPEN: the connection is established */
    /* a connection with this token does not exist, or has ended; answers a packet with an unknown token */
    WEIR_WIRE_RESET,
    WEIR_WIRE_REFUSE, /* refuses a message that is larger than the receiver's memory for messages */
};

struct weir_wire_head {  /* a decoded message packet */
    struct weir_pkt pkt; /* header fields; src, dst, hash, arrival_ps and CE are not on the wire: 0 */
    /* of the connection, towards the receiver; computed from the own tokens of both ends (doc/wire.md) */
    uint64_t token;
    bool checked; /* the checksum covers the payload too */
};

/* A decoded handshake packet: HELLO, COOKIE, OPEN, READY, RESET or REFUSE. Fields that the type does not have are 0. */
struct weir_wire_handshake {
    uint8_t type; /* enum weir_wire_type */
    /* HELLO, COOKIE, OPEN, READY: the opener's own token; REFUSE: as in message packets; RESET: the token that is not,
     * or no longer, valid */
    uint64_t token;
    uint64_t own_token;    /* READY: own token of the sender of READY; 0 = mss_bytes does not match */
    uint64_t cookie;       /* COOKIE, OPEN */
    uint32_t cookie_epoch; /* COOKIE, OPEN: period of time in which the cookie was made */
    /* OPEN, READY: payload of a full packet, 1 .. WEIR_WIRE_PAYLOAD_MAX; must be the same at both ends */
    uint32_t mss_bytes;
    uint32_t number, msg; /* REFUSE: number of the message; its sender's handle for it */
};

/* Number of kinds that can be sent on the wire: the values of enum weir_pkt_kind below this bound. */
#define WEIR_WIRE_KINDS 8u
/* Returns the flags that weir_wire_encode() accepts in a packet of this kind: those on the wire, and CE, which is
 * accepted but not written. kind: below WEIR_WIRE_KINDS */
uint32_t weir_wire_flags(uint32_t kind);

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

/* Returns the type field of a datagram, 0 .. 15: a value of enum weir_pkt_kind or enum weir_wire_type if the datagram
 * is valid, which is not checked. Returns -1 if length is 0. */
int weir_wire_type(const unsigned char *bytes, uint32_t length);

/* Returns the token of a datagram. bytes: at least WEIR_WIRE_TOKEN_END */
uint64_t weir_wire_token(const unsigned char *bytes);

/**
 * Writes the header of a message packet. CE is not written: the IP header has it.
 * @param pkt      kind below WEIR_WIRE_KINDS, flags within weir_wire_flags(kind), class_id 0 .. 7; payload_bytes
 *                 1 .. WEIR_WIRE_PAYLOAD_MAX for DATA, else 0
 * @param checked  the checksum covers the payload too
 * @param payload  pkt->payload_bytes bytes, which follow the header on the wire; read only if checked is true
 * @param out      WEIR_WIRE_HEAD_BYTES bytes
 */
void weir_wire_encode(const struct weir_pkt *pkt, uint64_t token, bool checked, const void *payload,
                      unsigned char *out);

/**
 * Reads and checks a whole datagram that is a message packet.
 * @param framing  gives out->pkt.wire_bytes for the length of the payload
 * @return WEIR_WIRE_OK: out is filled in; the payload begins at bytes + WEIR_WIRE_HEAD_BYTES and has
 * out->pkt.payload_bytes bytes. Else the first check that failed; out is unchanged
 */
enum weir_wire_result weir_wire_decode(const unsigned char *bytes, uint32_t length, const struct weir_framing *framing,
                                       struct weir_wire_head *out);

/* Writes a handshake packet.
 * @param packet  type is an enum weir_wire_type; fields that this type does not have are ignored
 * @param room    size of out in bytes, WEIR_WIRE_HELLO_MIN is enough; HELLO fills all of it with zeros after its fields
 * @return bytes written; 0 = room is too small */
uint32_t weir_wire_encode_handshake(const struct weir_wire_handshake *packet, unsigned char *out, uint32_t room);
/* Reads and checks a whole datagram that is a handshake packet. @return WEIR_WIRE_OK: out is filled in; else the first
 * check that failed, and out is unchanged */
enum weir_wire_result weir_wire_decode_handshake(const unsigned char *bytes, uint32_t length,
                                                 struct weir_wire_handshake *out);

/* Continues a CRC-32C (Castagnoli, reflected, RFC 3720 appendix B.4) over size more bytes of data, and returns it. crc:
 * the result for the bytes before them; 0 if there are none */
uint32_t weir_crc32c(uint32_t crc, const void *data, size_t size);
#endif
