/* src/transport/wire/wire.h - struct weir_pkt and handshake packets <-> bytes of a UDP datagram; the only code that
 * knows byte order. doc/wire.md is the format's description; the two change together, and with them WEIR_WIRE_VERSION.
 *
 * Nothing here trusts a byte: decoding checks version, type, length, checksum, reserved bits and ranges, in this
 * order, before it uses any field. What decodes is canonical: encoded again it gives the same bytes. */
#ifndef WEIR_WIRE_WIRE_H
#define WEIR_WIRE_WIRE_H
#include "core/host_params.h"
#include "core/pkt.h"
#include <stdbool.h>

#define WEIR_WIRE_VERSION 2u
#define WEIR_WIRE_HEAD_BYTES 40u    /* before the payload, in every packet of a message */
#define WEIR_WIRE_PAYLOAD_MAX 9216u /* of a DATA */
#define WEIR_WIRE_HELLO_MIN 64u     /* shortest HELLO: more than twice its answer */
#define WEIR_WIRE_UDP_BYTES 8u
#define WEIR_WIRE_IP4_BYTES 20u
#define WEIR_WIRE_IP6_BYTES 40u

/* Types on the wire: those of enum weir_pkt_kind below WEIR_WIRE_HELLO, and the endpoints' own. */
enum weir_wire_type {
    WEIR_WIRE_HELLO = 10, /* opens a connection: asks for a cookie; filled up to the MTU, so that no answer is larger */
    WEIR_WIRE_COOKIE,     /* the answer, of which nothing is remembered */
    WEIR_WIRE_OPEN,       /* the cookie back: the address is proven */
    WEIR_WIRE_READY,      /* we are connected */
    WEIR_WIRE_RESET,      /* to a packet whose token is not known: its sender talks to one that is gone */
    WEIR_WIRE_REFUSE,     /* a message will never be taken: it is too large */
};

struct weir_wire_head {  /* of a packet of a message, decoded */
    struct weir_pkt pkt; /* src, dst, hash, arrival_ps and CE are not on the wire: 0 */
    uint64_t token;      /* of this connection, towards the receiver: made of both ends' own (doc/wire.md) */
    bool checked;        /* the checksum covers the payload too */
};

/* HELLO, COOKIE, OPEN, READY, RESET and REFUSE. A field that its type does not have is 0. */
struct weir_wire_handshake {
    uint8_t type;   /* enum weir_wire_type */
    uint64_t token; /* REFUSE: as in packets; HELLO, COOKIE, OPEN, READY: the opener's own; RESET: the one not known */
    uint64_t own_token;    /* READY: the other one, of its sender */
    uint64_t cookie;       /* COOKIE, OPEN */
    uint32_t cookie_epoch; /* COOKIE, OPEN: when the cookie was made */
    uint32_t mss_bytes;    /* OPEN, READY: payload of a full packet, 1 .. WEIR_WIRE_PAYLOAD_MAX; both ends must agree */
    uint32_t number, msg;  /* REFUSE: the message; its sender's handle */
};

/* Kinds of enum weir_pkt_kind below this have a form on the wire. */
#define WEIR_WIRE_KINDS 8u
/* Returns the flags that a packet of such a kind may have on the wire, and CE, which weir_wire_encode() takes too. */
uint32_t weir_wire_flags(uint32_t kind);

enum weir_wire_result {
    WEIR_WIRE_OK,
    WEIR_WIRE_SHORT, /* no length that its type has: cut off, payload where there may be none, none in a DATA */
    WEIR_WIRE_VERSION_OTHER,
    WEIR_WIRE_TYPE, /* of no type we know, or not of those this function reads */
    WEIR_WIRE_CHECKSUM,
    WEIR_WIRE_RESERVED, /* a bit that must be 0, a flag that its type does not have, or a value out of range */
};

/* Returns the type of a datagram by its first byte, enum weir_pkt_kind or enum weir_wire_type; -1 = empty. Checks
 * nothing else. */
int weir_wire_type(const unsigned char *bytes, uint32_t length);

/**
 * Writes the header of a message packet. CE is not written: the IP header has it.
 * @param pkt      of a kind of enum weir_pkt_kind; only DATA has payload, 1 .. WEIR_WIRE_PAYLOAD_MAX; class 0 .. 7
 * @param payload  pkt->payload_bytes of them follow the header on the wire; read only if checked
 * @param out      WEIR_WIRE_HEAD_BYTES
 */
void weir_wire_encode(const struct weir_pkt *pkt, uint64_t token, bool checked, const void *payload,
                      unsigned char *out);

/**
 * Reads and checks a whole datagram that is a message packet.
 * @param framing  gives the bytes on the wire for a payload, for pkt.wire_bytes
 * @return WEIR_WIRE_OK: out is filled, the payload is bytes + WEIR_WIRE_HEAD_BYTES, out->pkt.payload_bytes long
 */
enum weir_wire_result weir_wire_decode(const unsigned char *bytes, uint32_t length, const struct weir_framing *framing,
                                       struct weir_wire_head *out);

/* Writes a handshake packet. @param room  of out; HELLO fills all of it with zeros after its fields
 * @return bytes written; 0 = room is too small (WEIR_WIRE_HELLO_MIN always do) */
uint32_t weir_wire_encode_handshake(const struct weir_wire_handshake *packet, unsigned char *out, uint32_t room);
enum weir_wire_result weir_wire_decode_handshake(const unsigned char *bytes, uint32_t length,
                                                 struct weir_wire_handshake *out);

/* Computes CRC-32C (Castagnoli, reflected, RFC 3720 appendix B.4) of data behind crc; begin with 0. */
uint32_t weir_crc32c(uint32_t crc, const void *data, size_t size);

/* Names a result, for messages to the user: "length", "checksum", .. */
const char *weir_wire_result_name(enum weir_wire_result result);
#endif
