/* src/transport/bpf/tcp_law.h - the programs of a law in the kernel's TCP, for BPF only. A law's file defines what is
 * listed below, and includes this header last: the law itself is the text of proto/, which the simulator runs, too.
 *
 * - struct law_state: the state of a flow. Its first member is struct weir_cc cc.
 * - struct law_config: the keys.
 * - law_begin(state, config, path, start_bytes) begins a flow with a window of start_bytes.
 * - law_base(state, base_rtt_ps) sets a new shortest round trip.
 * - law_ack(state, config, ack), law_loss(state, config, loss), law_weight(state, config, weight_q20).
 * - LAW_READS_DELAY: the law reads the path's queueing delay. */
#ifndef WEIR_BPF_TCP_LAW_H
#define WEIR_BPF_TCP_LAW_H
#include "bpf/kernel.h"
#include "bpf/option.h"
#include "bpf/tcp.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

_Static_assert(sizeof(struct law_config) <= WEIR_TCP_CONFIG_BYTES, "the map `keys` has room for the keys");

#define MSS_MAX 9216u  /* laws know no larger packets */
#define HEARD_ACKS 32u /* an option that is removed on the way for so many ACKs is not waited for */

struct tcp_flow { /* in the storage of a socket */
    struct law_state law;
    uint64_t events;  /* that were recorded, or were to be */
    uint64_t number;  /* 0 = the law has not begun */
    uint32_t version; /* of the keys with which it began */
    uint32_t mss_bytes, wire_bytes;
    uint32_t base_rtt_us;
    uint32_t delivered, delivered_ce; /* TCP's counters at the last ACK */
    uint32_t weight_milli;            /* that the law knows */
    uint32_t counted_milli;           /* its part of the budget of its cgroup */
    uint64_t cgroup, socket;          /* where it was made, and its cookie; 0 = unknown */
    uint32_t own_weight_milli;        /* set by WEIR_SO_WEIGHT_MILLI; 0 = not set */
    uint32_t heard;                   /* ACKs until the other end counts as one that sends no option; 0 = it is one */
    uint32_t forward, echo;           /* delay of the last segment received; and that of ours, as its receiver says */
    uint32_t ce, prior_rcv_nxt;       /* of a receiver that acknowledges each change of the mark, RFC 8257 */
};

struct {
    __uint(type, BPF_MAP_TYPE_SK_STORAGE);
    __uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_CLONE); /* what a listening socket was given, its children have */
    __type(key, int);
    __type(value, struct tcp_flow);
} sockets SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __type(value, struct weir_tcp_keys);
} keys SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __type(value, struct weir_tcp_counts);
} counts SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, uint32_t);
    __type(value, uint64_t);
} numbers SEC(".maps"); /* the number of the last flow */

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 1 << 22);
} events SEC(".maps");

char _license[] SEC("license") = "Dual BSD/GPL";

#define COUNT(field)                                                                                                   \
    do {                                                                                                               \
        uint32_t zero_ = 0;                                                                                            \
        struct weir_tcp_counts *counts_ = bpf_map_lookup_elem(&counts, &zero_);                                        \
        if (counts_ != NULL)                                                                                           \
            counts_->field++;                                                                                          \
    } while (0)

/* Returns the least window in packets that TCP gets. */
static __always_inline uint32_t least_pkts(const struct weir_tcp_keys *k)
{
    return k->least_cwnd_pkts > 0 ? k->least_cwnd_pkts : 1;
}

/* Gives TCP the law's answer: the window in whole packets, rounded down, and the pace. A rate of the law counts whole
 * packets as they are on a link, and TCP's counts payload. Returns the window. */
static __always_inline uint32_t give_answer(struct sock *sk, const struct tcp_flow *f, const struct weir_tcp_keys *k)
{
    uint64_t bps = f->law.cc.rate_bps;
    uint32_t mss_bytes = f->mss_bytes, cwnd_pkts = least_pkts(k);
    if (mss_bytes == 0)
        return 0;
    if (f->law.cc.cwnd_bytes / mss_bytes > cwnd_pkts)
        cwnd_pkts = f->law.cc.cwnd_bytes / mss_bytes;
    ((struct tcp_sock *)sk)->snd_cwnd = cwnd_pkts;
    uint64_t rate = bps == WEIR_RATE_OPEN ? ~0ul : weir_mul_div_u64(bps, mss_bytes, UINT64_C(8) * f->wire_bytes);
    sk->sk_pacing_rate = weir_min_u64(rate, sk->sk_max_pacing_rate);
    return cwnd_pkts;
}

/* Puts an event into the ring buffer, if the keys ask for it. */
static __always_inline struct weir_tcp_event *record(struct tcp_flow *f, const struct weir_tcp_keys *k,
                                                     enum weir_tcp_event_kind kind)
{
    struct weir_tcp_event *event;
    if (k->record == 0)
        return NULL;
    f->events++;
    event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
    if (event == NULL) {
        COUNT(unrecorded);
        return NULL;
    }
    __builtin_memset(event, 0, sizeof(*event));
    event->flow = f->number;
    event->kind = kind;
    event->sequence = f->events;
    event->version = f->version;
    event->weight_milli = f->weight_milli;
    event->base_rtt_ps = (uint64_t)f->base_rtt_us * 1000000;
    event->answer = f->law.cc;
    return event;
}

/* Begins the law on a socket whose round trip is known, with TCP's window; also when keys or packet size have
 * changed. */
static __always_inline void begin(struct tcp_flow *f, const struct weir_tcp_keys *k, uint32_t mss_bytes,
                                  uint32_t cwnd_pkts)
{
    struct weir_path path = { .base_rtt_ps = (uint64_t)f->base_rtt_us * 1000000,
                              .rate_bps = k->rate_bps,
                              .mss_bytes = mss_bytes,
                              .wire_bytes = mss_bytes + k->overhead_bytes };
    uint64_t start_bytes = (uint64_t)cwnd_pkts * mss_bytes;
    struct weir_tcp_event *event;
    f->mss_bytes = mss_bytes;
    f->wire_bytes = path.wire_bytes;
    f->version = k->version;
    f->weight_milli = 1000;
    if (f->number == 0) {
        uint32_t zero = 0;
        uint64_t *last = bpf_map_lookup_elem(&numbers, &zero);
        f->number = last != NULL ? __sync_fetch_and_add(last, 1) + 1 : 1;
        COUNT(flows);
    }
    law_begin(&f->law, (const struct law_config *)k->config, &path, start_bytes);
    event = record(f, k, WEIR_TCP_BEGIN);
    if (event == NULL)
        return;
    event->path = path;
    event->start_bytes = start_bytes;
    bpf_ringbuf_submit(event, 0);
}

/* Gives the law the socket's weight, if that has changed. */
static __always_inline void weigh(struct tcp_flow *f, const struct weir_tcp_keys *k, uint32_t priority)
{
    uint32_t weight_milli = f->own_weight_milli != 0 ? f->own_weight_milli : weir_weight_of_priority(priority);
    struct weir_tcp_event *event;
    if (weight_milli == f->weight_milli || weight_milli == 0)
        return;
    f->weight_milli = weight_milli;
    law_weight(&f->law, (const struct law_config *)k->config, ((uint64_t)weight_milli << 20) / 1000);
    event = record(f, k, WEIR_TCP_WEIGHT);
    if (event != NULL)
        bpf_ringbuf_submit(event, 0);
}

#ifdef LAW_READS_DELAY
/* Returns the queueing delay of a flow's path, as the switches wrote it. With key by_rtt, and for a receiver from which
 * no option has come, it is the round trip less the shortest. */
static __always_inline uint64_t delay_ps(struct tcp_flow *f, const struct weir_tcp_keys *k, uint32_t rtt_us)
{
    if (f->heard == 0)
        COUNT(unheard);
    else if (f->echo > 0)
        COUNT(raised);
    if (f->echo == WEIR_TCP_DELAY_MAX)
        COUNT(saturated);
    bool heard = f->heard != 0;
    f->heard -= heard;
    if (k->by_rtt == 0 && heard)
        return (uint64_t)f->echo * (WEIR_TCP_DELAY_UNIT_NS * UINT64_C(1000));
    uint64_t queued_ps = rtt_us > f->base_rtt_us ? (uint64_t)(rtt_us - f->base_rtt_us) * 1000000 : 0;
    return weir_min_u64(queued_ps, (UINT64_C(1) << 34) - 1);
}
#endif

SEC("struct_ops/law_start")
void BPF_PROG(law_start, struct sock *sk)
{
    struct tcp_flow *f = bpf_sk_storage_get(&sockets, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
    if (sk->sk_pacing_status == 0) /* else a queue of the kernel does it */
        sk->sk_pacing_status = SK_PACING_NEEDED;
    if (f != NULL)
        f->number = 0; /* also on a socket that had this law before */
}

SEC("struct_ops/law_control")
void BPF_PROG(law_control, struct sock *sk, uint32_t acked, int flag, const struct rate_sample *rs)
{
    struct tcp_sock *tp = (struct tcp_sock *)sk;
    uint32_t zero = 0;
    const struct weir_tcp_keys *k = bpf_map_lookup_elem(&keys, &zero);
    struct tcp_flow *f = bpf_sk_storage_get(&sockets, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
    struct weir_tcp_event *event;
    if (k == NULL || f == NULL)
        return;
    /* Each field is read once: the compiler may join two reads by different ways into one that the verifier refuses. */
    uint32_t mss_bytes = tp->mss_cache, cwnd_pkts = tp->snd_cwnd, base_rtt_us = tp->rtt_min.s[0].v;
    uint32_t delivered = tp->delivered, delivered_ce = tp->delivered_ce, priority = sk->sk_priority;
    uint32_t unacked_bytes = tp->snd_nxt - tp->snd_una;
    uint32_t flight_pkts = tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
    uint64_t acked_seq = tp->bytes_acked, now_us = tp->tcp_mstamp;
    long rtt_us = rs->rtt_us;
    bool limited = rs->is_app_limited;
    if (mss_bytes > MSS_MAX) /* loopback's: to the law they are packets of this size */
        mss_bytes = MSS_MAX;
    if (mss_bytes == 0 || base_rtt_us == 0 || base_rtt_us == ~0u)
        return;
    bool first = f->number == 0, anew = first || f->mss_bytes != mss_bytes || f->version != k->version;
    if (first || base_rtt_us < f->base_rtt_us) {
        f->base_rtt_us = base_rtt_us;
        law_base(&f->law, (uint64_t)base_rtt_us * 1000000);
    }
    uint32_t new_pkts = first ? 0 : delivered - f->delivered, new_ce = first ? 0 : delivered_ce - f->delivered_ce;
    f->delivered = delivered;
    f->delivered_ce = delivered_ce;
    if (anew)
        begin(f, k, mss_bytes, cwnd_pkts);
    weigh(f, k, priority);
    if (first || new_pkts == 0 || new_pkts > 65535)
        return;
    struct weir_ack ack = { .now_ps = now_us * 1000000,
                            .rtt_ps = rtt_us > 0 ? (uint64_t)rtt_us * 1000000 : 0,
                            .acked_seq = acked_seq,
                            .next_seq = acked_seq + unacked_bytes,
                            .acked_bytes = new_pkts * mss_bytes,
                            .marked_bytes = (new_ce < new_pkts ? new_ce : new_pkts) * mss_bytes,
                            .inflight_bytes = flight_pkts * mss_bytes,
                            .flags = limited ? WEIR_ACK_APP_LIMITED : 0 };
#ifdef LAW_READS_DELAY
    ack.qdelay_max_ps = delay_ps(f, k, rtt_us > 0 ? (uint32_t)rtt_us : 0);
#endif
    law_ack(&f->law, (const struct law_config *)k->config, &ack);
    COUNT(acks);
    cwnd_pkts = give_answer(sk, f, k);
    event = record(f, k, WEIR_TCP_ACK);
    if (event == NULL)
        return;
    event->ack = ack;
    event->cwnd_pkts = cwnd_pkts;
    bpf_ringbuf_submit(event, 0);
}

SEC("struct_ops/law_change")
void BPF_PROG(law_change, struct sock *sk, uint8_t state)
{
    struct tcp_sock *tp = (struct tcp_sock *)sk;
    uint32_t zero = 0;
    const struct weir_tcp_keys *k = bpf_map_lookup_elem(&keys, &zero);
    struct tcp_flow *f = bpf_sk_storage_get(&sockets, sk, NULL, 0);
    struct weir_tcp_event *event;
    if (k == NULL || f == NULL || f->number == 0 || (state != TCP_CA_Loss && state != TCP_CA_Recovery))
        return;
    uint64_t acked_seq = tp->bytes_acked;
    struct weir_loss loss = { .now_ps = tp->tcp_mstamp * 1000000,
                              .lost_seq = acked_seq,
                              .next_seq = acked_seq + (tp->snd_nxt - tp->snd_una),
                              .lost_bytes = f->mss_bytes,
                              .is_timeout = state == TCP_CA_Loss };
    law_loss(&f->law, (const struct law_config *)k->config, &loss);
    COUNT(losses);
    event = record(f, k, WEIR_TCP_LOSS);
    if (event == NULL)
        return;
    event->loss = loss;
    bpf_ringbuf_submit(event, 0);
}

SEC("struct_ops/law_ssthresh")
uint32_t BPF_PROG(law_ssthresh, struct sock *sk)
{
    return ((struct tcp_sock *)sk)->snd_ssthresh;
}

SEC("struct_ops/law_undo")
uint32_t BPF_PROG(law_undo, struct sock *sk)
{
    return ((struct tcp_sock *)sk)->snd_cwnd;
}

/* The table of a law. more: flags besides the common ones. The rest: further callbacks, such as .cwnd_event = .. */
#define LAW_OPS(law_name, more, ...)                                                                                   \
    SEC(".struct_ops")                                                                                                 \
    struct tcp_congestion_ops law = { .flags = TCP_CONG_NON_RESTRICTED | (more),                                       \
                                      .init = (void *)law_start,                                                       \
                                      .cong_control = (void *)law_control,                                             \
                                      .set_state = (void *)law_change,                                                 \
                                      .ssthresh = (void *)law_ssthresh,                                                \
                                      .undo_cwnd = (void *)law_undo,                                                   \
                                      .name = law_name,                                                                \
                                      __VA_ARGS__ }
#endif
