/* src/transport/endpoint/records.c - see records.h. The receiver of DATA does not read its records: its ACK carries the
 * bytes back as they came. */
#include "endpoint/records.h"
#include "endpoint/op.h"
#include <errno.h>
#include <string.h>

#define RATE_LEAST_100K 10u /* least rate of a link: 1 Mb/s, as in scenarios */

/* Returns the number of a link rate in the table of rates. A new one replaces the oldest: whoever writes into the area
 * may name any. */
static uint32_t rate_number(struct weir_ep *ep, uint64_t rate_bps)
{
    struct weir_telemetry_rates *rates = &ep->rates;
    for (uint32_t i = 0; i < WEIR_TELEMETRY_RATES_MAX; i++)
        if (rates->bps[i] == rate_bps)
            return i;
    ep->rate_next = (ep->rate_next + 1) % WEIR_TELEMETRY_RATES_MAX;
    rates->bps[ep->rate_next] = rate_bps;
    return ep->rate_next;
}

/* Reads records into ep->hop. Rates are at least a unit, as laws divide by them. */
static void read_records(struct weir_ep *ep, const unsigned char *bytes, uint32_t count)
{
    WEIR_ASSERT(count <= EP_SLOTS);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_wire_slot slot;
        weir_wire_get_slot(bytes + i * (size_t)WEIR_WIRE_SLOT_BYTES, &slot);
        uint64_t rate_bps = weir_max_u64(slot.rate_100k, RATE_LEAST_100K) * 100000;
        ep->hop[i] = weir_telemetry_pack(slot.time_ns * WEIR_PS_PER_NS, slot.sent_bytes, slot.queue_bytes,
                                         rate_number(ep, rate_bps));
    }
}

void ep_records_take(struct weir_ep *ep, struct weir_wire_head *head)
{
    bool in_area = (head->pkt.kind == WEIR_PKT_ACK) == ep->slots_in_acks;
    const unsigned char *bytes = in_area ? head->slots : head->echo;
    uint32_t count =
        in_area ? (uint32_t)weir_min_u64(WEIR_WIRE_SIGNAL_BYTE(head->signal), head->slot_count) : head->echo_count;
    WEIR_ASSERT(ep->slots > 0);
    if (head->pkt.kind != WEIR_PKT_ACK && (head->pkt.kind != WEIR_PKT_DATA || !in_area))
        return;
    count = (uint32_t)weir_min_u64(count, EP_SLOTS);
    if (head->pkt.kind == WEIR_PKT_ACK)
        read_records(ep, bytes, count);
    else if (count > 0)
        memcpy(ep->hop, bytes, count * (size_t)WEIR_WIRE_SLOT_BYTES);
    head->pkt.hops = (uint8_t)count;
}

void ep_records_note(struct weir_ep *ep, struct weir_peer *p, const struct weir_pkt *ack)
{
    struct ep_op *next;
    WEIR_ASSERT(ep->slots > 0 && ack->kind == WEIR_PKT_ACK);
    if (ack->hops > 0)
        p->records = EP_RECORDS_SEEN;
    if (p->records == EP_RECORDS_SEEN)
        return;
    p->records = EP_RECORDS_MISSING;
    for (struct ep_op *op = p->op_head; op != NULL; op = next) {
        next = op->next;
        if (!(op->flags & EP_OP_ENDED))
            ep_op_end(ep, op, -ENOTSUP);
    }
}
