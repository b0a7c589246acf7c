/* src/transport/bpf/dctcp.bpf.c - DCTCP in the kernel's TCP, sender and receiver: proto/dctcp, fed by TCP's ACKs. */
#include "bpf/kernel.h"
#include "proto/dctcp/dctcp_core.h"

struct law_state {
    union {
        struct weir_cc cc;
        struct weir_dctcp dctcp;
    };
};

struct law_config {
    struct weir_dctcp_config dctcp;
};

static __always_inline void law_begin(struct law_state *s, const struct law_config *config,
                                      const struct weir_path *path, uint64_t start_bytes)
{
    weir_dctcp_init(&s->cc, &config->dctcp, path);
    s->cc.cwnd_bytes = weir_clamp_u32(start_bytes, path->mss_bytes, WEIR_CWND_MAX_BYTES);
}

static __always_inline void law_base(struct law_state *s, uint64_t base_rtt_ps)
{
    (void)s, (void)base_rtt_ps; /* marks are its only signal */
}

static __always_inline void law_ack(struct law_state *s, const struct law_config *config, const struct weir_ack *ack)
{
    weir_dctcp_on_ack(&s->cc, &config->dctcp, ack);
}

static __always_inline void law_loss(struct law_state *s, const struct law_config *config, const struct weir_loss *loss)
{
    weir_dctcp_on_loss(&s->cc, &config->dctcp, loss);
}

static __always_inline void law_weight(struct law_state *s, const struct law_config *config, uint64_t weight_q20)
{
    (void)s, (void)config, (void)weight_q20; /* all flows weigh the same */
}

#include "bpf/tcp_law.h"

/* The receiver's half, RFC 8257 section 3.2: the ECE flag of its ACKs is the mark of what they acknowledge, so a change of
 * the mark is told at once. */
SEC("struct_ops/law_mark")
void BPF_PROG(law_mark, struct sock *sk, enum tcp_ca_event event)
{
    struct tcp_sock *tp = (struct tcp_sock *)sk;
    uint32_t ce = event == CA_EVENT_ECN_IS_CE, rcv_nxt = tp->rcv_nxt;
    struct tcp_flow *f = bpf_sk_storage_get(&sockets, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
    if (f == NULL || (event != CA_EVENT_ECN_IS_CE && event != CA_EVENT_ECN_NO_CE))
        return;
    if (f->ce != ce)
        bpf_tcp_send_ack(tp, f->prior_rcv_nxt != 0 ? f->prior_rcv_nxt : rcv_nxt);
    f->ce = ce;
    f->prior_rcv_nxt = rcv_nxt;
    if (ce != 0)
        tp->ecn_flags |= TCP_ECN_DEMAND_CWR;
    else
        tp->ecn_flags &= (uint8_t)~TCP_ECN_DEMAND_CWR;
}

SEC(".struct_ops")
struct tcp_congestion_ops law = {
    .flags = TCP_CONG_NON_RESTRICTED | TCP_CONG_NEEDS_ECN,
    .init = (void *)law_start,
    .cwnd_event = (void *)law_mark,
    .cong_control = (void *)law_control,
    .set_state = (void *)law_change,
    .ssthresh = (void *)law_ssthresh,
    .undo_cwnd = (void *)law_undo,
    .name = "weir_dctcp",
};
