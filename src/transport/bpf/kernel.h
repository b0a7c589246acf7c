/* src/transport/bpf/kernel.h - the parts of the kernel's structs that our programs read, for BPF only. The loader moves
 * each access to where the running kernel has the field. So the structs leave out all other fields, and no list of the
 * kernel's types is needed to build. */
#ifndef WEIR_BPF_KERNEL_H
#define WEIR_BPF_KERNEL_H
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#define WEIR_RELOCATED __attribute__((preserve_access_index))

struct sock_common {
    unsigned short skc_family;
} WEIR_RELOCATED;

struct sock {
    struct sock_common __sk_common;
    unsigned long sk_pacing_rate, sk_max_pacing_rate; /* bytes per second */
    unsigned int sk_pacing_status;
    unsigned int sk_priority;
} WEIR_RELOCATED;

struct minmax_sample {
    uint32_t t, v;
} WEIR_RELOCATED;

struct minmax {
    struct minmax_sample s[3];
} WEIR_RELOCATED;

struct tcp_sock {
    uint32_t snd_cwnd, snd_ssthresh, mss_cache;
    uint32_t snd_una, snd_nxt, rcv_nxt, delivered, delivered_ce;
    uint32_t packets_out, sacked_out, lost_out, retrans_out;
    uint64_t bytes_acked, tcp_mstamp; /* us */
    struct minmax rtt_min;            /* us, over minutes */
    uint8_t ecn_flags;
} WEIR_RELOCATED;

struct inet_connection_sock {
    struct {
        uint8_t pending;
    } icsk_ack;
} WEIR_RELOCATED;

#define ICSK_ACK_TIMER 2u /* a delayed ACK waits */

struct rate_sample {
    long rtt_us;
    uint32_t acked_sacked;
    bool is_app_limited;
} WEIR_RELOCATED;

enum tcp_ca_event { CA_EVENT_ECN_NO_CE = 4, CA_EVENT_ECN_IS_CE = 5 };
enum tcp_ca_state { TCP_CA_Recovery = 3, TCP_CA_Loss = 4 };

#define TCP_ECN_DEMAND_CWR 4u
#define SK_PACING_NEEDED 1u
#define TCP_CONG_NON_RESTRICTED 1u
#define TCP_CONG_NEEDS_ECN 2u

struct tcp_congestion_ops {
    unsigned int flags;
    uint32_t (*ssthresh)(struct sock *sk);
    uint32_t (*undo_cwnd)(struct sock *sk);
    void (*set_state)(struct sock *sk, uint8_t state);
    void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
    void (*cong_control)(struct sock *sk, uint32_t ack, int flag, const struct rate_sample *rs);
    void (*init)(struct sock *sk);
    char name[16];
} WEIR_RELOCATED;
#endif
