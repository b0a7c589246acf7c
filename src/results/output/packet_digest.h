/* src/results/output/packet_digest.h - a hash of all that packets did at every port until a time, and what they did at
 * that time. Two runs with equal hashes did the same until then, so `weir bisect` finds the first packet in which two
 * runs differ.
 *
 * An event is a packet at one end of a link: it is sent, received, dropped, lost or refused, as struct weir_packet_row
 * says. The hash covers every field of these rows, in the order of (time, link, event). */
#ifndef WEIR_OUTPUT_PACKET_DIGEST_H
#define WEIR_OUTPUT_PACKET_DIGEST_H
#include "model/model.h"
#include <stdio.h>

#define WEIR_DIGEST_EVENTS_MAX 4096u /* most events that are kept; more are counted */
#define WEIR_PACKET_ID 64            /* bytes of a packet's name: KIND:SRC:DST:CONN:SEQ */

struct weir_packet_digest {
    const struct weir_topology *topo;     /* lent */
    const struct weir_features *features; /* for the names of causes; lent */
    const char *packet;                   /* keep the events of this packet alone; NULL = those at until_ps; lent */
    uint64_t until_ps;                    /* events at this time count */
    uint64_t hash, events, last_ps;       /* last_ps: time of the last event that counts */
    bool is_over;                         /* an event after until_ps was seen: the run may end */
    struct weir_packet_row *kept;         /* kept_count rows; owned */
    uint8_t *tap;                         /* both ends of every link, for a run; owned */
    uint32_t kept_count, left_out;        /* left_out: rows that were not kept, because there are too many */
};

/* Prepares a digest, whose fields topo, features, packet and until_ps are set; the others are zeros. @return 0, or
 * WEIR_E_MEMORY with err; then there is nothing to free */
int weir_packet_digest_init(struct weir_packet_digest *d, struct weir_err *err);

/* Makes a run call weir_packet_digest_rows() with the packets of all ports. */
void weir_packet_digest_options(struct weir_packet_digest *d, struct weir_sim_options *options);

/* Takes rows of packets; the callback of struct weir_sim_options.packets. ctx: a struct weir_packet_digest *.
 * @return 0; WEIR_E_ENOUGH once is_over is set */
int weir_packet_digest_rows(void *ctx, const struct weir_packet_row *row, size_t count);

/* Writes the name of a row's packet: "data:0:7:1:17", or "frame:LINK:CODE:CLASS:0" of a control frame. */
void weir_packet_id(const struct weir_packet_row *row, char out[WEIR_PACKET_ID]);

/* Tests whether a text has the form of a name of a packet. */
bool weir_packet_is_id(const char *text);

/* Prints the hash and the events that were kept, a line each; or one JSON object. */
void weir_packet_digest_print(FILE *out, const struct weir_packet_digest *d);
void weir_packet_digest_json(FILE *out, const struct weir_packet_digest *d);

void weir_packet_digest_free(struct weir_packet_digest *d);
#endif
