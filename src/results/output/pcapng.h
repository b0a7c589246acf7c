/* src/results/output/pcapng.h - writes the packets at chosen ends of links to a capture file (pcapng 1.0), which
 * Wireshark and tshark read.
 *
 * Each interface of the file is one end of a link. The interface "leaf 0 > spine 1" has the packets that the port of
 * leaf 0 sends or drops. The interface "leaf 0 > host 3, received" has the packets that arrive at host 3. If the
 * receiver is a switch, a packet that the switch drops for lack of a route has a comment with this cause. Times are
 * picoseconds since the run began (if_tsresol 12). The time of a sent packet is when its first bit leaves, also if it
 * is then lost on the wire. The time of a received packet is when its last bit has arrived.
 *
 * A packet is stored as Ethernet, IPv4, UDP and the header of doc/wire.md, without payload. Addresses are those of
 * host_address.h. The receiver of a message has UDP port 7413. The counter of a packet is its number in
 * the file, from 1. Pause frames are those of IEEE 802.1Qbb. The comment of a packet has what the frame does not show:
 * the size on the wire, the time in the queue, and the cause of a drop or loss. */
#ifndef WEIR_OUTPUT_PCAPNG_H
#define WEIR_OUTPUT_PCAPNG_H
#include "model/model.h"
#include <stdio.h>

struct weir_pcapng {
    FILE *file; /* the caller's */
    const struct weir_topology *topo;
    const struct weir_features *features; /* for the names of causes; lent */
    const uint8_t *tap;                   /* bits of enum weir_tap for each link; lent */
    uint32_t *interface;       /* two interface numbers for each link, first of its sending end; set for tapped ends */
    uint64_t cap_bytes, bytes; /* most bytes that may be written; bytes written so far */
    uint64_t ended_ps;         /* time of the first packet that did not fit under cap_bytes; WEIR_NEVER = all fit */
    uint64_t left_out;         /* rows of packets left out: that one and all after it */
    uint64_t frames;           /* packets made so far */
    uint32_t stream_laws;      /* bits of the laws, by weir_pkt_law(), that are sender-driven; set by the caller */
};

/**
 * Numbers the interfaces and checks that the file has room for them and for one packet of any size. topo, features and
 * tap are lent until weir_pcapng_free(). The caller sets p->file and p->stream_laws afterwards.
 * @param features   the features of the run
 * @param tap        as in struct weir_sim_options
 * @param cap_bytes  the most bytes that the file may have
 * @return 0, or a code with err: WEIR_E_RANGE (cap_bytes is too small for that) or WEIR_E_MEMORY; then there is nothing
 *         to free
 */
int weir_pcapng_init(struct weir_pcapng *p, const struct weir_topology *topo, const struct weir_features *features,
                     const uint8_t *tap, uint64_t cap_bytes, struct weir_err *err);

/* Writes the part of the file before the packets: the section header and the interfaces. p->file must be set. Returns 0
 * or WEIR_E_FILE. */
int weir_pcapng_begin(struct weir_pcapng *p);

/* Writes packets; the callback of struct weir_sim_options.packets. ctx: a struct weir_pcapng *. The first packet that
 * would exceed cap_bytes, and all packets after it, are left out and counted. Returns 0 or WEIR_E_FILE. */
int weir_pcapng_rows(void *ctx, const struct weir_packet_row *row, size_t count);

/* Frees the memory of weir_pcapng_init(). p may be all zeros. Does not close p->file. */
void weir_pcapng_free(struct weir_pcapng *p);
#endif
