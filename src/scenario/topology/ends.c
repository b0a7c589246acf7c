/* src/scenario/topology/ends.c - see ends.h. */
#include "topology/ends.h"
#include "core/math.h"
#include "topology/route.h"

static void keep_two(uint64_t value, uint32_t host, uint64_t *largest, uint64_t *second, uint32_t *whose)
{
    if (value > *largest) {
        *second = *largest;
        *largest = value;
        *whose = host;
    } else {
        *second = weir_max_u64(*second, value);
    }
}

void weir_ends_add(struct weir_ends *ends, uint64_t send_ps, uint64_t receive_ps, uint32_t whose)
{
    keep_two(send_ps, whose, &ends->send_ps, &ends->second_send_ps, &ends->sender);
    keep_two(receive_ps, whose, &ends->receive_ps, &ends->second_receive_ps, &ends->receiver);
    ends->count++;
}

uint64_t weir_ends_sum_ps(const struct weir_ends *ends)
{
    if (ends->count < 2)
        return 0;
    if (ends->sender != ends->receiver)
        return ends->send_ps + ends->receive_ps;
    return weir_max_u64(ends->second_send_ps + ends->receive_ps, ends->send_ps + ends->second_receive_ps);
}

void weir_ends_of_hosts(struct weir_ends *ends, const struct weir_topology *topo, uint32_t data_wire_bytes,
                        uint32_t ack_wire_bytes)
{
    for (uint32_t h = 0; h < topo->host_count; h++) {
        const struct weir_link *up = &topo->link[topo->node[h].first_out], *down = &topo->link[up->reverse];
        weir_ends_add(&ends[topo->edge_of[h]], weir_link_ps(up, data_wire_bytes) + weir_link_ps(down, ack_wire_bytes),
                      weir_link_ps(down, data_wire_bytes) + weir_link_ps(up, ack_wire_bytes), h);
    }
}
