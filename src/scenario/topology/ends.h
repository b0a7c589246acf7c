/* src/scenario/topology/ends.h - what the ends of a path add to a round trip, of some hosts together: the two largest
 * parts of each kind. Two, since no host sends to itself. */
#ifndef WEIR_TOPOLOGY_ENDS_H
#define WEIR_TOPOLOGY_ENDS_H
#include "topology/topology.h"

struct weir_ends {
    uint64_t send_ps, second_send_ps;       /* it sends data: data out, an acknowledgement back */
    uint64_t receive_ps, second_receive_ps; /* it receives data: data in, an acknowledgement out */
    /* sender, receiver: whose parts are the largest; count: how many there are */
    uint32_t sender, receiver, count;
};

/* Adds the parts of one more host, or of one more group of hosts. whose: its number */
void weir_ends_add(struct weir_ends *ends, uint64_t send_ps, uint64_t receive_ps, uint32_t whose);

/* Returns the largest sum of the part of a sender and that of a receiver, which are not the same; 0 = there is one. */
uint64_t weir_ends_sum_ps(const struct weir_ends *ends);

/* Adds each host's part, of its cable, to the ends of its first-hop switch. ends: edge_count, zeros */
void weir_ends_of_hosts(struct weir_ends *ends, const struct weir_topology *topo, uint32_t data_wire_bytes,
                        uint32_t ack_wire_bytes);
#endif
