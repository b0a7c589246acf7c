/* src/transport/endpoint/parts.c - see parts.h. */
#include "endpoint/parts.h"
#include <string.h>

_Static_assert(EP_PARTS_LEAST > EP_MTU_MAX + EP_HEAD_BYTES, "the bound is above 0");

/* Returns how many parts may be out at once. A part ends where a packet ends, where the ring ends, or where the
 * message does; and the first packet has less of the message than others. */
static uint32_t most_leases(uint64_t bytes, uint32_t mss)
{
    return (uint32_t)weir_min_u64(bytes / mss + 4, UINT32_MAX);
}

size_t ep_parts_room(uint64_t bytes, uint32_t mss)
{
    return sizeof(struct ep_parts) + most_leases(bytes, mss) * sizeof(struct ep_lease) + bytes;
}

struct ep_parts *ep_parts_make(void *block, size_t room, uint64_t bytes, uint32_t mss)
{
    struct ep_parts *s = block;
    *s = (struct ep_parts){ .link.kind = EP_LINK_PART,
                            .lease = (struct ep_lease *)(void *)(s + 1),
                            .bytes = bytes,
                            .most = most_leases(bytes, mss),
                            .room = room };
    s->ring = (unsigned char *)(s->lease + s->most);
    return s;
}

void ep_parts_begin(struct ep_parts *s, struct ep_msg *msg)
{
    WEIR_ASSERT(s->leases == 0 && !s->queued);
    s->msg = msg;
    s->edge = s->handed = s->released = 0;
    s->first = 0;
}

uint32_t ep_parts_bound(const struct ep_parts *s, uint32_t mss)
{
    uint64_t end = EP_HEAD_BYTES + s->msg->bytes, pkts = (end + mss - 1) / mss;
    if (s->released + s->bytes >= s->msg->bytes)
        return (uint32_t)pkts;
    return (uint32_t)((EP_HEAD_BYTES + s->released + s->bytes) / mss);
}

void ep_parts_store(struct ep_parts *s, uint64_t at, const unsigned char *payload, uint32_t bytes)
{
    uint64_t to = at % s->bytes, part = weir_min_u64(bytes, s->bytes - to);
    WEIR_ASSERT(at >= s->released && at + bytes <= s->released + s->bytes); /* else it would overwrite what is lent */
    memcpy(s->ring + to, payload, part);
    memcpy(s->ring, payload + part, bytes - part);
}

void ep_parts_next(struct ep_parts *s, struct weir_event *out)
{
    uint64_t from = s->handed % s->bytes, len = weir_min_u64(s->edge - s->handed, s->bytes - from);
    struct ep_lease *lease = &s->lease[(s->first + s->leases) % s->most];
    WEIR_ASSERT(s->handed < s->edge && s->edge <= s->released + s->bytes);
    WEIR_ASSERT(s->leases < s->most); /* most_leases() */
    s->leases++;
    s->handed += len;
    *lease = (struct ep_lease){ .link.kind = EP_LINK_LEASE, .parts = s, .end = s->handed, .held = true };
    out->data = s->ring + from;
    out->len = len;
    out->lease = lease;
}

bool ep_parts_release(struct ep_lease *lease)
{
    struct ep_parts *s = lease->parts;
    uint64_t before = s->released;
    WEIR_ASSERT(lease->held); /* else it was released twice */
    lease->held = false;
    while (s->leases > 0 && !s->lease[s->first].held) {
        s->released = s->lease[s->first].end;
        s->first = (s->first + 1) % s->most;
        s->leases--;
    }
    return s->released != before;
}
