/* src/algorithms/host/credit/credit_rx.h - inbound messages of a receiver-driven host. */
#ifndef WEIR_HOST_CREDIT_CREDIT_RX_H
#define WEIR_HOST_CREDIT_CREDIT_RX_H
#include "host/common/reassembly.h"
#include "host/credit/records.h"

void host_credit_data(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt);
void host_credit_request(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt);
void host_credit_abort(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt);
void host_credit_forget_rx(struct weir_host *h, struct credit_peer *peer);
void *host_credit_rx_of(const struct weir_host *h, const struct credit_peer *peer, const struct weir_pkt *pkt);
bool host_credit_owed(const struct weir_host *h, uint32_t src);
enum weir_host_inbound host_credit_inbound(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt);
void host_credit_rx_show(const struct weir_host *h, const struct credit_peer *peer, struct credit_rx *r);
struct credit_rx *host_credit_rx_named(const struct weir_host *h, const struct credit_peer *peer, uint32_t number);
void host_credit_rx_finish(struct weir_host *h, struct credit_peer *peer, struct credit_rx *r);

/* Returns the gap of a message: its packets beyond the edge that arrived or are recorded as lost; NULL = there are
 * none. */
static inline struct host_gap *credit_rx_gap(const struct weir_host *h, const struct credit_rx *r)
{
    return r->gap == 0 ? NULL : host_gap_at(h, r->gap);
}
#endif
