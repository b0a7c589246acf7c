/* src/algorithms/host/stream/room.h - messages for which their receiver has no memory now. */
#ifndef WEIR_HOST_STREAM_ROOM_H
#define WEIR_HOST_STREAM_ROOM_H
#include "host/stream/loss.h"

int host_room_hold(struct weir_host *h, uint64_t now_ps, uint32_t msg);
int host_room_resume(struct weir_host *h, uint64_t now_ps, uint32_t msg);
int host_room_probe(struct weir_host *h, uint64_t now_ps, uint32_t msg);
bool host_room_begun(const struct weir_host *h, uint32_t msg);
void host_room_try(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);

/* Tests whether the connection's message waits until its receiver has memory for it. */
static inline bool host_room_waits(const struct weir_host *h, const struct host_flow *f)
{
    const struct host_board *b = host_board_of(h, f);
    return b != NULL && b->waits;
}
#endif
