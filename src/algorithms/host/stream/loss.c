/* src/algorithms/host/stream/loss.c - which packets are lost, by the scoreboard. Source: RFC 6675, with the threshold
 * counted in packets of this connection. A packet is lost when the packet sent reorder_pkts later, or one after that,
 * was delivered. Retransmissions are judged together, by the packets sent after the last of them; the first such packet
 * is `rescan`. If too few packets are sent after a retransmission, the RTO finds its loss. Go-back-N uses the same
 * scoreboard, but the receiver names the first missing packet, and all packets sent from there on are lost. For NewReno
 * see newreno.c. */
#include "host/common/table.h"
#include "host/stream/law.h"
#include "host/stream/loss.h"

/* Returns the connection's scoreboard, and opens one if there is none. @return NULL = no memory, or 65535 scoreboards
 * are open: the caller ignores the report, and the RTO finds the loss later */
struct host_board *host_board_open(struct weir_host *h, struct host_flow *f)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t index;
    struct host_board *board = host_board_of(h, f);
    if (board != NULL)
        return board;
    if (s->boards.free == HOST_NONE && s->boards.count == UINT16_MAX)
        return NULL; /* the number of a board has 16 bits */
    board = host_pool_take(h, &s->boards, 0, &index);
    if (board == NULL)
        return NULL;
    WEIR_ASSERT(!f->shared); /* a shared record is not a connection, and has no packets */
    WEIR_ASSERT(index < UINT16_MAX);
    f->board = (uint16_t)(index + 1);
    board->high = board->scan = board->rescan = board->lost_from = f->una;
    board->resent = board->waits = board->tries = false;
    board->got = host_bitmap_open(h, board->own);
    board->lost = host_bitmap_open(h, board->own + h->bitmap_units);
    return board;
}

/* Makes room in the scoreboard for packets [una, end), at most a window. @return false = no memory */
bool host_board_room(struct weir_host *h, const struct host_flow *f, struct host_board *b, uint32_t end)
{
    WEIR_ASSERT(end - f->una <= h->window_pkts);
    return host_bitmap_room(h, &b->got, f->una, end - f->una) && host_bitmap_room(h, &b->lost, f->una, end - f->una);
}

/* Counts packet pkt as delivered, which was not known to be delivered. @return its payload */
static uint32_t board_deliver(const struct weir_host *h, struct host_flow *f, struct host_board *b, uint32_t pkt)
{
    uint32_t bytes = host_pkt_bytes(h, f, pkt);
    WEIR_CHECK(pkt - f->first < f->end - f->first);
    if (host_bit(&b->lost, pkt)) {
        host_bit_flip(&b->lost, pkt); /* recorded as lost too early, or its first copy came after all */
        WEIR_CHECK(b->lost_pkts > 0);
        b->lost_pkts--;
    } else {
        WEIR_CHECK(host_stream_of(h)->newreno || f->inflight_bytes >= bytes);
        f->inflight_bytes -= bytes;
    }
    return bytes;
}

/* Moves una by `advance` packets, and the scoreboard with it. @return bytes newly delivered */
uint32_t host_board_advance(const struct weir_host *h, struct host_flow *f, struct host_board *b, uint32_t advance)
{
    uint32_t bytes = 0;
    WEIR_ASSERT(advance <= f->next - f->una);
    for (; advance > 0; advance--, f->una++) {
        if (host_bit(&b->got, f->una))
            host_bit_flip(&b->got, f->una);
        else
            bytes += board_deliver(h, f, b, f->una);
    }
    if (host_before(b->high, f->una))
        b->high = f->una;
    if (host_before(b->scan, f->una))
        b->scan = f->una;
    if (host_before(b->lost_from, f->una))
        b->lost_from = f->una;
    return bytes;
}

/* Closes the connection's scoreboard, in which all bits are 0, and gives it back to the pool. */
static void board_close(struct weir_host *h, struct host_flow *f, struct host_board *b)
{
    WEIR_ASSERT(f->board <= host_stream_of(h)->boards.count);
    WEIR_ASSERT(b == host_board_of(h, f));
    WEIR_ASSERT(b->lost_pkts == 0);
    host_bitmap_close(h, &b->got);
    host_bitmap_close(h, &b->lost);
    host_pool_give(&host_stream_of(h)->boards, b, f->board - 1u);
    f->board = 0;
}

/* Closes the scoreboard if the connection needs none any more: nothing is out of order or recorded as lost, and no
 * retransmission is in flight. A message that sends one packet at a time keeps it. */
void host_board_close_if_done(struct weir_host *h, struct host_flow *f, struct host_board *b)
{
    if (b->tries || host_before(f->una, b->high) || b->lost_pkts > 0 || (b->resent && host_before(f->una, b->rescan)))
        return;
    board_close(h, f, b);
}

/* Closes the scoreboard of a connection, if it has one, and clears its bits. */
void host_board_drop(struct weir_host *h, struct host_flow *f)
{
    struct host_board *b = host_board_of(h, f);
    if (b == NULL)
        return;
    host_bitmap_clear(&b->got);
    host_bitmap_clear(&b->lost);
    b->lost_pkts = 0;
    board_close(h, f, b);
}

/* Returns how many packets from pkt on, all before `to`, are in pkt's unit of a bitmap. *bits: set to their bits */
static uint32_t board_unit(uint32_t pkt, uint32_t to, uint64_t *bits)
{
    uint32_t count = to - pkt < 64 - pkt % 64 ? to - pkt : 64 - pkt % 64;
    WEIR_CHECK(count >= 1);
    *bits = UINT64_MAX >> (64 - count) << pkt % 64;
    return count;
}

/* Records the delivery of the packets [from, to), which lie in [una, next), as an ACK reports it. @return bytes newly
 * delivered; 0 = the deliveries were known before, or no memory */
uint32_t host_board_take(struct weir_host *h, struct host_flow *f, struct host_board *b, uint32_t from, uint32_t to)
{
    uint32_t last = f->end - 1, pkts = 0, lost_pkts = 0, short_bytes = 0;
    WEIR_ASSERT(from - f->una < f->next - f->una);
    WEIR_ASSERT(to - from <= f->next - from);
    if (!host_board_room(h, f, b, to))
        return 0;
    bool has_last = last - from < to - from && !host_bit(&b->got, last),
         lost_last = has_last && host_bit(&b->lost, last);
    for (uint32_t pkt = from, count; pkt != to; pkt += count) { /* packets of one 64-bit unit at a time */
        uint64_t fresh, *got = &b->got.bits[pkt / 64 & b->got.mask], *lost = &b->lost.bits[pkt / 64 & b->lost.mask];
        count = board_unit(pkt, to, &fresh);
        fresh &= ~*got;
        *got |= fresh;
        pkts += (uint32_t)__builtin_popcountll(fresh);
        lost_pkts +=
            (uint32_t)__builtin_popcountll(fresh & *lost); /* too early, or their first copies came after all */
        *lost &= ~fresh;
    }
    if (pkts > 0 && host_before(b->high, to))
        b->high = to;
    WEIR_CHECK(b->lost_pkts >= lost_pkts);
    b->lost_pkts -= lost_pkts;
    short_bytes = h->mss_bytes - f->last_bytes; /* by so much the last packet is shorter than the others */
    f->inflight_bytes -= (pkts - lost_pkts) * h->mss_bytes - (has_last && !lost_last ? short_bytes : 0);
    return pkts * h->mss_bytes - (has_last ? short_bytes : 0); /* 2^18 * 9728 fits */
}

/* Records as lost every packet in [from, to) that is neither known delivered nor recorded as lost. *lowest: set to the
 * first of these packets, if there is one. Subtracts their payload from inflight_bytes. @return their payload */
uint32_t host_board_lose(const struct weir_host *h, struct host_flow *f, struct host_board *b, uint32_t from,
                         uint32_t to, uint32_t *lowest)
{
    uint32_t last = f->end - 1, pkts = 0;
    WEIR_ASSERT(!host_before(from, f->una));
    WEIR_ASSERT(to - from <= f->next - from); /* packets that were sent */
    bool has_last = last - from < to - from && !host_bit(&b->got, last) && !host_bit(&b->lost, last);
    for (uint32_t pkt = from, count; pkt != to; pkt += count) { /* packets of one 64-bit unit at a time */
        uint64_t fresh, *lost = &b->lost.bits[pkt / 64 & b->lost.mask];
        count = board_unit(pkt, to, &fresh);
        fresh &= ~(*lost | b->got.bits[pkt / 64 & b->got.mask]);
        if (fresh == 0)
            continue;
        if (pkts == 0)
            *lowest = (pkt & ~63u) + (uint32_t)__builtin_ctzll(fresh);
        *lost |= fresh;
        pkts += (uint32_t)__builtin_popcountll(fresh);
    }
    b->lost_pkts += pkts;
    WEIR_ASSERT(b->lost_pkts <= f->next - f->una);
    uint32_t bytes = pkts * h->mss_bytes - (has_last ? h->mss_bytes - f->last_bytes : 0); /* 2^18 * 9728 fits */
    if (bytes > 0 && host_before(*lowest, b->lost_from))
        b->lost_from = *lowest;
    f->inflight_bytes -= bytes;
    return bytes;
}

/* Decides after an ACK which packets are lost, and notifies the law of them. The connection must have a scoreboard. Not
 * used with NewReno, where duplicate ACKs decide. */
void host_board_judge(struct weir_host *h, uint64_t now_ps, struct host_flow *f)
{
    struct host_board *b = host_board_of(h, f);
    uint32_t reorder = h->cfg->params.reorder_pkts, limit = b->high - reorder, lowest = 0;
    WEIR_ASSERT(!host_stream_of(h)->newreno);
    WEIR_ASSERT(!host_before(f->next, b->high));
    if (b->resent && !host_before(b->high, b->rescan + reorder)) {
        b->resent = false; /* every retransmission so far is delivered or lost: judge all of them again */
        b->scan = f->una;
    }
    if (!host_before(b->scan, limit))
        return;
    uint32_t bytes = host_board_lose(h, f, b, b->scan, limit, &lowest);
    b->scan = limit;
    if (bytes == 0)
        return;
    if (!b->resent)
        f->flags |= HOST_REPAIR; /* RFC 6675, section 5, step 4.3 */
    host_law_loss(h, now_ps, f, lowest, bytes, false);
}

/* Returns the lowest packet recorded as lost, which is retransmitted now, and counts it as in flight again. There must
 * be one. */
uint32_t host_board_resend(struct weir_host *h, struct host_flow *f)
{
    struct host_board *b = host_board_of(h, f);
    WEIR_ASSERT(b->lost_pkts > 0);
    uint32_t pkt = host_bitmap_first(&b->lost, b->lost_from);
    WEIR_ASSERT(host_before(pkt, f->next));
    host_bit_flip(&b->lost, pkt);
    b->lost_pkts--;
    b->lost_from = pkt + 1;
    b->resent = true;
    b->rescan = f->next;
    f->flags &= (uint8_t)~HOST_REPAIR;
    f->inflight_bytes += host_pkt_bytes(h, f, pkt);
    return pkt;
}

/* Records as lost all packets sent from una on, and notifies the law; for go-back-N. @return false = none was newly
 * lost, or no memory: then the RTO finds the loss */
bool host_board_rewind(struct weir_host *h, uint64_t now_ps, struct host_flow *f)
{
    uint32_t lowest = f->una;
    WEIR_ASSERT(host_stream_of(h)->go_back);
    struct host_board *b = f->una == f->next ? NULL : host_board_open(h, f);
    if (b == NULL || !host_board_room(h, f, b, f->next))
        return false;
    uint32_t bytes = host_board_lose(h, f, b, f->una, f->next, &lowest);
    b->scan = f->next;
    b->resent = false;
    if (bytes > 0)
        host_law_loss(h, now_ps, f, lowest, bytes, false);
    return bytes > 0;
}
