/* src/algorithms/host/common/machine.h - the table of functions in which sender-driven and receiver-driven hosts
 * differ. */
#ifndef WEIR_HOST_COMMON_MACHINE_H
#define WEIR_HOST_COMMON_MACHINE_H
#include "host/host.h"

/* Functions of one half of the end host. A function does what weir_host_<name>() of host.h does, unless its comment
 * says more. Functions that a half lacks are NULL: those for one half only, and those for cases that the half never
 * has. */
struct host_machine {
    size_t (*bytes)(const struct weir_host_config *cfg); /* size of the half's record, which follows struct weir_host */
    void (*init)(struct weir_host *h);
    int (*send)(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);
    /* does what weir_host_rx_free() does; telemetry records are in h->rx_hop */
    bool (*rx)(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer);
    /* does what weir_host_rx() does */
    void (*rx_many)(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, uint32_t count);
    /* Writes one DATA packet; called when no control packet may leave. Needs h->ready_count > 0. @return 1; 0 = none */
    uint32_t (*tx)(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out);
    /* Both are called only while h->hold has HOST_HOLD_BY_CLASS. has_open tests whether a DATA packet of a class that
     * is not paused may leave; tx_open writes that packet, and returns what tx returns. */
    bool (*has_open)(const struct weir_host *h);
    uint32_t (*tx_open)(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out);
    /* Completes *answer, which was first in the queue and leaves now. Called only with HOST_EXTENDED_HOPS or
     * HOST_EXTENDED_HELD. */
    void (*answer_leaves)(struct weir_host *h, uint64_t now_ps, struct weir_pkt *answer);
    /* Returns the bytes of DATA that may leave now: the next packet of each connection; without the connection whose
     * turn is next if `but_first`. Sender-driven with acknowledgements only */
    uint64_t (*waiting_bytes)(const struct weir_host *h, bool but_first);
    /* do what weir_host_state() and the functions behind it do, for the half's record; NULL = it gives no state */
    void (*state)(struct weir_host *h, struct weir_state *s);
    const char *(*state_why)(const struct weir_host *h);
    uint32_t (*una)(const struct weir_host *h, uint32_t conn);
    bool (*note)(struct weir_host *h, bool on);
    uint64_t (*replay)(struct weir_host *h, uint64_t first, uint64_t last, uint64_t period_ps, bool for_good);
    void (*time_run)(struct weir_host *h, uint64_t now_ps);  /* runs the timers due by now_ps */
    void (*pause)(struct weir_host *h, uint32_t class_mask); /* of DATA only; host.c does it for all other packets */
    bool (*next_pending)(const struct weir_host *h, uint64_t *cursor, struct weir_host_pending *out);
    int (*cancel)(struct weir_host *h, uint64_t now_ps, uint32_t msg);
    void (*forget)(struct weir_host *h, uint64_t now_ps, uint32_t peer);
    enum weir_host_inbound (*inbound)(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt);
    void (*rx_prefetch)(const struct weir_host *h, const struct weir_pkt *pkt);
    void (*message_prefetch)(const struct weir_host *h, const struct weir_pkt *pkt);
    void (*send_prefetch)(const struct weir_host *h, uint32_t dst);
    bool (*flow)(const struct weir_host *h, uint32_t msg,
                 struct weir_host_flow *out); /* NULL without acknowledgements */
    int (*hold)(struct weir_host *h, uint64_t now_ps, uint32_t msg);
    int (*resume)(struct weir_host *h, uint64_t now_ps, uint32_t msg);
    int (*probe)(struct weir_host *h, uint64_t now_ps, uint32_t msg);
    int (*priority)(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint32_t priority);
    bool (*begun)(const struct weir_host *h, uint32_t msg); /* sender-driven only */
    /* sender-driven with acknowledgements only */
    uint32_t (*ranges)(const struct weir_host *h, const struct weir_pkt *ack, struct weir_ack_range *out, uint32_t max);
    /* receiver-driven only */
    bool (*owed)(const struct weir_host *h, uint32_t src);
    void (*rx_bound)(struct weir_host *h, uint64_t now_ps, uint32_t src, uint32_t conn);
    void (*tx_bound)(struct weir_host *h, uint32_t msg);
    uint32_t (*edge)(const struct weir_host *h, uint32_t src, uint32_t conn);
    void (*credit)(const struct weir_host *h, struct weir_credit_sums *out);
    bool (*measured)(const struct weir_host *h, struct weir_host_measured *out);
    void (*heard)(struct weir_host *h, uint64_t heard_ps, uint64_t late_ps);
    /* sender-driven only; weight and rate only with acknowledgements */
    void (*connection_prefetch)(const struct weir_host *h, uint32_t dst);
    void (*timers_prefetch)(const struct weir_host *h, uint64_t end_ps);
    int (*weight)(struct weir_host *h, uint64_t now_ps, uint32_t msg, uint64_t weight_q20);
    int (*rate)(struct weir_host *h, uint64_t now_ps, uint32_t msg, const struct weir_allotment *allotment);
    /* of a host with several laws only */
    int (*send_by)(struct weir_host *h, uint32_t law, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);
    void (*stats)(struct weir_host *h); /* brings h->stats up to date */
    const char *(*check)(const struct weir_host *h);
    const struct weir_host *(*law)(const struct weir_host *h, uint32_t law);
};

/* Tests whether weir_host_tx() would write a packet other than DATA now. */
bool host_has_answer(const struct weir_host *h);

/* Returns the functions of the half that cfg selects (halves.c). */
const struct host_machine *host_machine_of(const struct weir_host_config *cfg);
#endif
