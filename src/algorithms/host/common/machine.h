/* src/algorithms/host/common/machine.h - the calls in which sender-driven and receiver-driven hosts differ, as one
 * table of pointers. */
#ifndef WEIR_HOST_COMMON_MACHINE_H
#define WEIR_HOST_COMMON_MACHINE_H
#include "host/host.h"

/* host.h describes each. NULL, where a comment or the caller allows it = the half does not have it. */
struct host_machine {
    size_t (*bytes)(const struct weir_host_config *cfg); /* behind struct weir_host */
    void (*init)(struct weir_host *h);
    int (*send)(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);
    bool (*rx)(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer);
    void (*rx_many)(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, uint32_t count);
    /* One packet of what is ready behind answers; h->ready_count > 0. @return 1, or 0 if there is none after all */
    uint32_t (*tx)(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out);
    /* With HOST_HOLD_BY_CLASS: is there a packet of an open class? As tx, of those packets */
    bool (*has_open)(const struct weir_host *h);
    uint32_t (*tx_open)(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out);
    /* With HOST_EXTENDED_HOPS or _HELD: an answer leaves, which was the first in line */
    void (*answer_leaves)(struct weir_host *h, uint64_t now_ps, struct weir_pkt *answer);
    void (*time_run)(struct weir_host *h, uint64_t now_ps);  /* timers due by now */
    void (*pause)(struct weir_host *h, uint32_t class_mask); /* for DATA; the rest host.c does */
    bool (*next_pending)(const struct weir_host *h, uint64_t *cursor, struct weir_host_pending *out);
    int (*cancel)(struct weir_host *h, uint64_t now_ps, uint32_t msg);
    void (*forget)(struct weir_host *h, uint64_t now_ps, uint32_t peer);
    enum weir_host_inbound (*inbound)(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt);
    void (*rx_prefetch)(const struct weir_host *h, const struct weir_pkt *pkt);
    void (*message_prefetch)(const struct weir_host *h, const struct weir_pkt *pkt);
    void (*send_prefetch)(const struct weir_host *h, uint32_t dst);
    /* receiver-driven only */
    void (*credit)(const struct weir_host *h, struct weir_credit_sums *out);
    /* sender-driven only, the last three not without acknowledgements */
    void (*connection_prefetch)(const struct weir_host *h, uint32_t dst);
    void (*timers_prefetch)(const struct weir_host *h, uint64_t end_ps);
    int (*weight)(struct weir_host *h, uint64_t now_ps, uint32_t msg, uint64_t weight_q20);
    int (*rate)(struct weir_host *h, uint64_t now_ps, uint32_t msg, const struct weir_allotment *allotment);
    bool (*flow)(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out);
};

/* Returns the table of the half that a configuration asks for (halves.c). */
const struct host_machine *host_machine_of(const struct weir_host_config *cfg);
#endif
