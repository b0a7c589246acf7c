/* src/transport/mapping/mapping.h - maps Ethernet frames to struct weir_pkt and back, for a switch that forwards real
 * packets by the simulator's hooks. doc/softswitch.md has the table: which field is where.
 *
 * weir_mapping_read() makes a packet of a frame. The switch decides about the packet, and its hooks write into it.
 * weir_mapping_write() then writes into the frame what has changed, corrects the checksums (RFC 1624), and changes no
 * other byte. weir_mapping_make() makes a frame of a simulated packet.
 *
 * No function does I/O or reads a clock, and none trusts a byte of a frame. Memory is taken at init alone. */
#ifndef WEIR_MAPPING_MAPPING_H
#define WEIR_MAPPING_MAPPING_H
#include "core/err.h"
#include "core/mem.h"
#include "core/pkt.h"
#include "core/telemetry.h"
#include "wire/wire.h"
#include <stdbool.h>

struct weir_features;

#define WEIR_MAPPING_ETHERNET_BYTES 14u /* Ethernet's header; a frame here has no check sequence */
#define WEIR_MAPPING_FRAME_MIN 60u      /* a shorter frame is padded to this length on a wire */
#define WEIR_MAPPING_OVERHEAD_BYTES 24u /* on a wire besides the frame: preamble, check sequence, gap */
#define WEIR_MAPPING_MTU_MIN 68u        /* RFC 791 */
#define WEIR_MAPPING_MTU_MAX (WEIR_WIRE_MAX_BYTES - WEIR_MAPPING_OVERHEAD_BYTES - WEIR_MAPPING_ETHERNET_BYTES)
#define WEIR_MAPPING_PORTS_MAX 4u /* most UDP ports of libweir's endpoints */
#define WEIR_MAPPING_PORT 7413u   /* the default one */
#define WEIR_MAPPING_ADDRESSES_MAX (1u << 20)
#define WEIR_MAPPING_ADDRESS_TEXT 40u /* room for an address as text */

struct weir_mapping_address {
    uint8_t bytes[16]; /* in network byte order; of IPv4 the first four, the others are 0 */
    uint8_t version;   /* 4 or 6; 0 = none */
};

/* The fields that the features of a run need in packets. weir_feature_plan and the protocols have these values. All 0 =
 * none of them is read or written. At most one of records_max, weights and rates is set: they share a byte. */
struct weir_mapping_fields {
    uint64_t qdelay_unit_ps; /* unit of weir_pkt.qdelay; 0 = packets carry no queueing delay */
    uint32_t records_max;    /* most telemetry records of a packet, at most WEIR_TELEMETRY_HOPS_MAX; 0 = none */
    bool weights;            /* weir_pkt.weight */
    bool rates;              /* RCP's stamp in weir_pkt.qdelay, and weir_pkt.rtt; qdelay_unit_ps is ignored */
};

struct weir_mapping_config {
    const struct weir_telemetry_rates *rates; /* link rates by number, for records; lent; NULL without records */
    struct weir_mapping_fields fields;
    uint32_t hosts;                            /* 1 .. WEIR_PKT_HOSTS_MAX */
    uint32_t addresses;                        /* most addresses in the table, 1 .. WEIR_MAPPING_ADDRESSES_MAX */
    uint32_t mtu_bytes;                        /* longest IP packet, WEIR_MAPPING_MTU_MIN .. _MAX */
    uint16_t udp_port[WEIR_MAPPING_PORTS_MAX]; /* of libweir's endpoints; 0 = no more */
    bool learns;                               /* addresses are learned by the cable that a frame came from */
};

enum weir_mapping_verdict {
    WEIR_MAPPING_PACKET, /* the frame is a packet for the switch */
    WEIR_MAPPING_FLOOD,  /* send the frame, as it is, to all other hosts */
    WEIR_MAPPING_DROP,   /* drop it */
};

/* A reason to flood or drop a frame; an index of weir_mapping_causes[] and of counts. */
enum weir_mapping_cause {
    /* flooded: */
    WEIR_MAPPING_GROUP,    /* to a group of hosts: broadcast, multicast */
    WEIR_MAPPING_NEIGHBOR, /* ARP and neighbour discovery */
    WEIR_MAPPING_UNKNOWN,  /* to an address of no known host, or neither IPv4 nor IPv6 */
    /* dropped: */
    WEIR_MAPPING_OFFLOAD,   /* longer than the MTU: hardware of the sender, or its kernel, was to cut it */
    WEIR_MAPPING_TAGGED,    /* VLAN tag */
    WEIR_MAPPING_MALFORMED, /* truncated, or a length in it is wrong */
    WEIR_MAPPING_MOVED,     /* from an address of another host */
    WEIR_MAPPING_OWN,       /* to the host that it came from */
    WEIR_MAPPING_LINK,      /* for this end of the cable alone: pauses, LLDP, spanning tree (IEEE 802.1D, 7.12.6) */
    WEIR_MAPPING_CAUSES
};

struct weir_mapping_cause_row {
    const char *name; /* as in "switch.offload" */
    const char *text; /* one sentence */
    bool floods;
};
extern const struct weir_mapping_cause_row weir_mapping_causes[WEIR_MAPPING_CAUSES];

/* A field that hooks have written in a packet, and for which its frame has no place; a bit, and by its number a
 * count. */
enum weir_mapping_lack {
    WEIR_LACK_ECE = 1u << 0,     /* an ACK without TCP header and without switch area */
    WEIR_LACK_QDELAY = 1u << 1,  /* no TCP option, no area of this kind */
    WEIR_LACK_RECORDS = 1u << 2, /* no free slot */
};
#define WEIR_MAPPING_LACKS 3u

struct weir_mapping_counts {
    uint64_t packets, bytes;             /* frames that were packets, and their wire bytes */
    uint64_t cause[WEIR_MAPPING_CAUSES]; /* frames that were flooded or dropped */
    uint64_t lack[WEIR_MAPPING_LACKS];   /* written frames */
    uint64_t completed;                  /* frames whose checksum the sender had left to hardware */
    uint64_t unlearned;                  /* frames from a new address that found the table full */
};

struct weir_mapping_entry; /* of the table of addresses */

struct weir_mapping {
    struct weir_mapping_config config;
    struct weir_mapping_entry *entry;
    uint32_t mask, used;
    struct weir_mapping_counts counts;
    /* The last frame that was dropped as MOVED: its source, whose host moved_owner is, and the host that sent it. */
    struct weir_mapping_address moved;
    uint32_t moved_owner, moved_host;
};

enum weir_mapping_shape {
    WEIR_SHAPE_OTHER, /* no law is known: other protocols, fragments, endpoints' own packets */
    WEIR_SHAPE_TCP,
    WEIR_SHAPE_WEIR, /* a message packet of libweir */
};

/* The facts about a frame that weir_mapping_write() needs; made by weir_mapping_read(). Offsets are from the first byte
 * of the frame, 0 = it has no such field. */
struct weir_mapping_at {
    uint16_t l4_at;       /* TCP's or UDP's header */
    uint16_t sum_at;      /* its checksum */
    uint16_t delay_at;    /* 16 bits of the longest delay, or RCP's stamp */
    uint16_t signal_at;   /* switch area of libweir */
    uint16_t slots_at;    /* its slots */
    uint16_t flags;       /* enum weir_pkt_flag, as read */
    uint16_t qdelay;      /* weir_pkt.qdelay, as read */
    uint8_t tokens, hops; /* as read */
    uint8_t slots;        /* of the area */
    uint8_t records;      /* slots that are in use */
    uint8_t area_kind;    /* enum weir_wire_area */
    uint8_t shape;        /* enum weir_mapping_shape */
    uint8_t cause;        /* enum weir_mapping_cause, of a frame that is flooded or dropped */
    bool is_v6;
    bool completed; /* the checksum was only begun; weir_mapping_read() has completed it */
};

/* Sets up a mapping. @return 0, or WEIR_E_MEMORY with err */
int weir_mapping_init(struct weir_mapping *m, const struct weir_mapping_config *cfg, const struct weir_mem *mem,
                      struct weir_err *err);

/* Adds an address of a host. @return 0; WEIR_E_CONFLICT with err: another host has it; WEIR_E_RANGE with err: it is no
 * address of one host, or the table is full */
int weir_mapping_add(struct weir_mapping *m, const struct weir_mapping_address *address, uint32_t host,
                     struct weir_err *err);

/* Returns the host of an address; UINT32_MAX = none is known. */
uint32_t weir_mapping_host(const struct weir_mapping *m, const struct weir_mapping_address *address);

/* Writes an address as text, "10.0.0.1" or eight groups of hexadecimal digits. @return out */
const char *weir_mapping_address_text(const struct weir_mapping_address *address, char out[WEIR_MAPPING_ADDRESS_TEXT]);

/* Writes a sentence about the last frame that was dropped as MOVED into err. @return 0 = there was none, else
 * WEIR_E_CONFLICT */
int weir_mapping_moved(const struct weir_mapping *m, struct weir_err *err);

/**
 * Reads a frame.
 * @param host    number of the host from whose cable it came
 * @param frame   length bytes, from Ethernet's header on. A checksum of TCP or UDP that was left to hardware is
 *                completed in it; no other byte is changed
 * @param pkt     PACKET: filled in; arrival_ps is 0
 * @param hop     room for WEIR_TELEMETRY_HOPS_MAX records; NULL = none are wanted (fields.records_max is 0)
 * @param at      PACKET: what weir_mapping_write() needs. FLOOD, DROP: cause
 */
enum weir_mapping_verdict weir_mapping_read(struct weir_mapping *m, uint32_t host, unsigned char *frame,
                                            uint32_t length, struct weir_pkt *pkt, struct weir_telemetry *hop,
                                            struct weir_mapping_at *at);

/**
 * Writes into a frame what hooks have changed in its packet since weir_mapping_read(): once, when it leaves.
 * @param pkt     the packet as it leaves
 * @param hop     its records, pkt->hops of them; NULL without records
 * @param now_ps  time of departure: a record has no more than 44 bits of its own
 * @return what the frame has no place for, enum weir_mapping_lack; it leaves without
 */
uint32_t weir_mapping_write(struct weir_mapping *m, const struct weir_mapping_at *at, unsigned char *frame,
                            const struct weir_pkt *pkt, const struct weir_telemetry *hop, uint64_t now_ps);

/* The frame that weir_mapping_make() makes of a packet. */
struct weir_mapping_form {
    struct weir_mapping_address from, to; /* of the same version */
    uint64_t counter;                     /* number of the datagram on its connection, from 1 */
    uint64_t now_ps;                      /* as in weir_mapping_write() */
    uint16_t udp_port;                    /* of endpoints */
    uint8_t shape;                        /* WEIR_SHAPE_TCP or WEIR_SHAPE_WEIR */
    uint8_t area_kind, slots;             /* switch area, enum weir_wire_area; slots at least pkt->hops */
    bool stream;                          /* its law is sender-driven */
    bool option;                          /* TCP: with the option of doc/linux.md */
};

/* Returns the least weir_pkt.wire_bytes for which weir_mapping_make() makes a frame: headers, and one byte of payload
 * if it is DATA. */
uint32_t weir_mapping_least_bytes(const struct weir_mapping_form *form, const struct weir_pkt *pkt);

/**
 * Makes a frame of a packet of a simulation, of pkt->wire_bytes less WEIR_MAPPING_OVERHEAD_BYTES.
 * weir_mapping_read() then returns the same packet: doc/softswitch.md lists the fields that a frame does not carry.
 * @param hop    pkt->hops records; NULL = none
 * @param frame  room for WEIR_WIRE_MAX_BYTES
 * @return bytes of the frame; 0 = pkt->wire_bytes is below weir_mapping_least_bytes(), or a field cannot be carried
 */
uint32_t weir_mapping_make(const struct weir_mapping *m, const struct weir_mapping_form *form,
                           const struct weir_pkt *pkt, const struct weir_telemetry *hop, unsigned char *frame);

/* The traffic of the hosts of a network, for weir_mapping_check(). */
struct weir_mapping_traffic {
    bool tcp;                      /* TCP .. */
    bool tcp_option;               /* .. with the option of doc/linux.md */
    bool weir;                     /* datagrams of libweir, or of weir_mapping_make() */
    bool notices;                  /* .. whose receivers take a NOTICE that a switch made */
    bool tokens;                   /* .. with tokens in DATA */
    uint8_t data_area, data_slots; /* .. the switch area of their DATA: enum weir_wire_area */
    uint8_t ack_area, ack_slots;   /* .. and of their ACKs */
};

/* Adds to traffic what endpoints of libweir send whose law has these needs (enum weir_need). stream: it is
 * sender-driven. The last law that reserves an area counts */
void weir_mapping_add_law(struct weir_mapping_traffic *traffic, uint32_t needs, bool stream);

/* Checks whether some of this traffic carries what each feature needs in packets.
 * @return 0, or WEIR_E_CONFLICT with err: names the feature, and what packets lack */
int weir_mapping_check(const struct weir_features *features, const struct weir_mapping_traffic *traffic,
                       struct weir_err *err);
#endif
