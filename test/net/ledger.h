/* test/net/ledger.h - the world's book: what was accepted, what arrived, how it ended. */
#ifndef WEIR_TEST_NET_LEDGER_H
#define WEIR_TEST_NET_LEDGER_H
#include "test/net/world.h"
#include <sys/uio.h>

uint32_t draw_below(struct world *w, uint32_t n);
bool draw_hits(struct world *w, uint32_t ppm);

/* A new entry, its content drawn, and the two pieces it is sent from. In the ledger only once ledger_accept()ed. */
struct world_op *ledger_draft(struct world *w, uint32_t from, uint32_t to, enum world_kind kind, uint64_t len,
                              struct iovec iov[2]);
void ledger_accept(struct world *w, struct world_op *op);
void ledger_discard(struct world_op *op); /* it was not accepted */

/* A message that came to `to` as it should be. @return its entry; NULL = it is too short to have one */
struct world_op *ledger_deliver(struct world *w, uint32_t from, uint32_t to, enum world_kind kind, const void *data,
                                size_t len);
/* The event of an operation. */
void ledger_end(struct world *w, struct world_op *op, int32_t result);
/* All of an endpoint that is gone: no more events. */
void ledger_close(struct world *w, uint32_t end);
void ledger_check(const struct world *w);
#endif
