/* src/algorithms/host/stream/loss.h - the scoreboard of a connection: which packets were delivered or are lost. */
#ifndef WEIR_HOST_STREAM_LOSS_H
#define WEIR_HOST_STREAM_LOSS_H
#include "host/common/bitmap.h"
#include "host/stream/connection.h"

struct host_board {               /* scoreboard of a sending connection */
    uint32_t link;                /* used by the pool; 0 while in use */
    uint32_t high;                /* one past the highest packet known delivered */
    uint32_t scan;                /* every packet below is known delivered, recorded as lost, or retransmitted */
    uint32_t rescan;              /* value of next at the last retransmission: packets from here on were sent later */
    uint32_t lost_pkts;           /* packets recorded as lost and not retransmitted yet: bits set in lost */
    uint32_t lost_from;           /* no packet below is recorded as lost */
    bool resent;                  /* retransmissions of packets below rescan may be in flight */
    bool waits;                   /* the receiver has no memory for the message: nothing may leave (room.c) */
    bool tries;                   /* until something arrives, one packet at a time may leave: room.c, timeout.c */
    struct host_bitmap got, lost; /* got: packets delivered; lost: packets recorded as lost; none below una */
    uint64_t own[];               /* initial memory of got, then of lost */
};

struct host_board *host_board_open(struct weir_host *h, struct host_flow *f);
bool host_board_room(struct weir_host *h, const struct host_flow *f, struct host_board *b, uint32_t end);
uint32_t host_board_advance(const struct weir_host *h, struct host_flow *f, struct host_board *b, uint32_t advance);
uint32_t host_board_lose(const struct weir_host *h, struct host_flow *f, struct host_board *b, uint32_t from,
                         uint32_t to, uint32_t *lowest);
void host_board_close_if_done(struct weir_host *h, struct host_flow *f, struct host_board *b);
void host_board_drop(struct weir_host *h, struct host_flow *f);
uint32_t host_board_take(struct weir_host *h, struct host_flow *f, struct host_board *b, uint32_t from, uint32_t to);
void host_board_judge(struct weir_host *h, uint64_t now_ps, struct host_flow *f);
uint32_t host_board_resend(struct weir_host *h, struct host_flow *f);
bool host_board_rewind(struct weir_host *h, uint64_t now_ps, struct host_flow *f);

static inline struct host_board *host_board_of(const struct weir_host *h, const struct host_flow *f)
{
    return f->board == 0 ? NULL : host_at(&host_stream_of(h)->boards, 0, f->board - 1u);
}

/* Tests whether the connection's next packet is a retransmission. */
static inline bool host_flow_sends_again(const struct weir_host *h, const struct host_flow *f)
{
    const struct host_board *board = host_board_of(h, f);
    return f->flags & HOST_AGAIN || (board != NULL && board->lost_pkts > 0);
}
#endif
