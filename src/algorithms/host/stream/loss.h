/* src/algorithms/host/stream/loss.h - which packets are lost: the scoreboard of a connection. */
#ifndef WEIR_HOST_STREAM_LOSS_H
#define WEIR_HOST_STREAM_LOSS_H
#include "host/common/bitmap.h"
#include "host/stream/connection.h"

struct host_board {     /* a sender's scoreboard */
    uint32_t link;      /* of the pool; 0 while in use */
    uint32_t high;      /* one past the highest packet known delivered */
    uint32_t scan;      /* below, every packet is judged: delivered, lost or sent again */
    uint32_t rescan;    /* value of next at the last retransmission: what is delivered beyond was sent after it */
    uint32_t lost_pkts; /* held lost and not sent again */
    uint32_t lost_from; /* none of those is below */
    bool resent;        /* retransmissions may be in flight below rescan */
    struct host_bitmap got, lost; /* with una as their edge */
    uint64_t own[];               /* what they begin with, got's first */
};

struct host_board *host_board_open(struct weir_host *h, struct host_flow *f);
bool host_board_room(struct weir_host *h, const struct host_flow *f, struct host_board *b, uint32_t end);
uint32_t host_board_advance(const struct weir_host *h, struct host_flow *f, struct host_board *b, uint32_t advance);
uint32_t host_board_lose(const struct weir_host *h, struct host_flow *f, struct host_board *b, uint32_t from,
                         uint32_t to, uint32_t *lowest);
void host_board_close_if_done(struct weir_host *h, struct host_flow *f, struct host_board *b);
void host_board_drop(struct weir_host *h, struct host_flow *f);
uint32_t host_board_take(struct weir_host *h, struct host_flow *f, struct host_board *b, uint32_t pkt);
void host_board_judge(struct weir_host *h, uint64_t now_ps, struct host_flow *f);
uint32_t host_board_resend(struct weir_host *h, struct host_flow *f);
bool host_board_rewind(struct weir_host *h, uint64_t now_ps, struct host_flow *f);

static inline struct host_board *host_board_of(const struct weir_host *h, const struct host_flow *f)
{
    return f->board == 0 ? NULL : host_at(&host_stream_of(h)->boards, 0, f->board - 1u);
}

/* Tests whether the packet that the connection sends next is one that was sent before. */
static inline bool host_flow_sends_again(const struct weir_host *h, const struct host_flow *f)
{
    const struct host_board *board = host_board_of(h, f);
    return f->flags & HOST_AGAIN || (board != NULL && board->lost_pkts > 0);
}
#endif
