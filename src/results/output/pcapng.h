/* src/results/output/pcapng.h - packets at chosen points as a capture file that Wireshark and tshark read (pcapng 1.0).
 *
 * An interface is one direction of a cable, seen from one of its ends. "leaf 0 > spine 1" has what the port of leaf 0
 * sends, and what it drops. "leaf 0 > host 3, received" has what arrives at host 3; of a switch also what it then drops
 * because no way leads on. Times are picoseconds since the run began (if_tsresol 12): of a sent packet when its first
 * bit leaves, of a received one when its last bit has arrived.
 *
 * A packet is Ethernet, IPv4 (11.(N / 256).(N % 256).1 is host N), UDP (port 7413 at the receiver of a message) and the
 * header of doc/wire.md; payload is not stored. What the wire format has no packet for (NOTICE, SYN, SYN-ACK) is an
 * empty datagram with a comment. Pause frames are those of IEEE 802.1Qbb. Comments have what the bytes cannot show:
 * size on the wire, time in the queue, why it was dropped. */
#ifndef WEIR_OUTPUT_PCAPNG_H
#define WEIR_OUTPUT_PCAPNG_H
#include "model/model.h"
#include <stdio.h>

struct weir_pcapng {
    FILE *file; /* the caller's */
    const struct weir_topology *topo;
    const struct weir_features *features; /* name causes of drops; lent */
    const uint8_t *tap;                   /* of each link: enum weir_tap; lent */
    uint32_t *interface;       /* two for each link: of what it sends, of what arrives; only where tap says so */
    uint64_t cap_bytes, bytes; /* most that may be written; written */
    uint64_t ended_ps;         /* the time of the first packet that was too much; WEIR_NEVER = there is none */
    uint64_t left_out;         /* packets from then on */
};

/**
 * Numbers the interfaces and checks that the file has room for them and one packet.
 * @param features   of the run; lent like tap
 * @param tap        as in struct weir_sim_options; lent until weir_pcapng_free()
 * @param cap_bytes  of the file
 * @return 0, or a code with err: WEIR_E_RANGE (no packet would fit below cap_bytes) or WEIR_E_MEMORY; then there is
 *         nothing to free
 */
int weir_pcapng_init(struct weir_pcapng *p, const struct weir_topology *topo, const struct weir_features *features,
                     const uint8_t *tap, uint64_t cap_bytes, struct weir_err *err);

/* Writes what comes before the packets; file is set by then. Returns 0 or WEIR_E_FILE. */
int weir_pcapng_begin(struct weir_pcapng *p);

/* Writes packets; for struct weir_sim_options.packets. ctx: a struct weir_pcapng *. A packet that would exceed the cap,
 * and all after it, are left out and counted. Returns 0 or WEIR_E_FILE. */
int weir_pcapng_rows(void *ctx, const struct weir_packet_row *row, size_t count);

/* Frees what weir_pcapng_init() made; harmless on zeros. */
void weir_pcapng_free(struct weir_pcapng *p);
#endif
