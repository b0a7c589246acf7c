/* src/transport/bpf/dctcp.bpf.c - DCTCP in the kernel's TCP, sender and receiver: proto/dctcp, which gets TCP's
 * ACKs. */
#include "bpf/dctcp_law.h"
#include "bpf/tcp_law.h"

/* Implements the receiver's half, RFC 8257 section 3.2: the ECE flag of an ACK is the mark of what it acknowledges. So
 * a change of the mark is acknowledged at once. */
SEC("struct_ops/law_mark")
void BPF_PROG(law_mark, struct sock *sk, enum tcp_ca_event event)
{
    struct tcp_sock *tp = (struct tcp_sock *)sk;
    uint32_t ce = event == CA_EVENT_ECN_IS_CE, rcv_nxt = tp->rcv_nxt;
    struct tcp_flow *f = bpf_sk_storage_get(&sockets, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
    if (f == NULL || (event != CA_EVENT_ECN_IS_CE && event != CA_EVENT_ECN_NO_CE))
        return;
    if (f->ce != ce && (((struct inet_connection_sock *)sk)->icsk_ack.pending & ICSK_ACK_TIMER) != 0)
        bpf_tcp_send_ack(tp, f->prior_rcv_nxt != 0 ? f->prior_rcv_nxt : rcv_nxt);
    f->ce = ce;
    f->prior_rcv_nxt = rcv_nxt;
    if (ce != 0)
        tp->ecn_flags |= TCP_ECN_DEMAND_CWR;
    else
        tp->ecn_flags &= (uint8_t)~TCP_ECN_DEMAND_CWR;
}

LAW_OPS("weir_dctcp", TCP_CONG_NEEDS_ECN, .cwnd_event = (void *)law_mark);
