/* src/transport/endpoint/records.h - records that switches write into packets, for laws that read them. */
#ifndef WEIR_ENDPOINT_RECORDS_H
#define WEIR_ENDPOINT_RECORDS_H
#include "endpoint/endpoint.h"

/* Takes the records that switches have written into a packet to ep->hop, and sets their number in its struct weir_pkt.
 * Of DATA they are kept as they are, for its ACK; of an ACK they are for the law. Only for a protocol that reads
 * records. */
void ep_records_take(struct weir_ep *ep, struct weir_wire_head *head);

/* Notes by an ACK whether switches write records into packets to a peer. If none do, the law cannot run on this path:
 * all operations with the peer end with -ENOTSUP. Only for a protocol that reads records. */
void ep_records_note(struct weir_ep *ep, struct weir_peer *peer, const struct weir_pkt *ack);
#endif
