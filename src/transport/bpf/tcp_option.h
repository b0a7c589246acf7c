/* src/transport/bpf/tcp_option.h - writes and reads the TCP option of option.h on every segment, for BPF only. Included
 * after tcp_law.h: both use the storage of sockets. */
#ifndef WEIR_BPF_TCP_OPTION_H
#define WEIR_BPF_TCP_OPTION_H
#include "bpf/tcp_law.h"

#define OPTION_CALLBACKS (BPF_SOCK_OPS_PARSE_UNKNOWN_HDR_OPT_CB_FLAG | BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG)

/* Tests whether the sockets of this namespace send the option. */
static __always_inline bool is_ours(struct bpf_sock_ops *ops)
{
    uint32_t zero = 0;
    const struct weir_tcp_keys *k = bpf_map_lookup_elem(&keys, &zero);
    return k != NULL && (k->netns_cookie == 0 || k->netns_cookie == bpf_get_netns_cookie(ops));
}

static __always_inline void option_begin(struct bpf_sock_ops *ops)
{
    struct bpf_sock *sk = ops->sk;
    if (sk == NULL)
        return;
    /* What an accepted socket has is a copy of its listener's, whose part of a budget is not its own. */
    struct tcp_flow *copy = bpf_sk_storage_get(&sockets, sk, NULL, 0);
    if (copy != NULL && ops->op == BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB) {
        copy->counted_milli = 0;
        copy->socket = bpf_get_socket_cookie(ops);
    }
    if (!is_ours(ops))
        return;
    (void)bpf_sock_ops_cb_flags_set(ops, (int)(ops->bpf_sock_ops_cb_flags | OPTION_CALLBACKS));
    (void)bpf_sk_storage_get(&sockets, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
}

static __always_inline void option_write(struct bpf_sock_ops *ops)
{
    struct bpf_sock *sk = ops->sk;
    struct weir_tcp_option option = { WEIR_TCP_OPTION_KIND, WEIR_TCP_OPTION_BYTES, bpf_htons(WEIR_TCP_OPTION_MAGIC), 0,
                                      0 };
    if (sk == NULL)
        return;
    const struct tcp_flow *f = bpf_sk_storage_get(&sockets, sk, NULL, 0);
    if (f != NULL)
        option.echo = bpf_htons(f->forward);
    if (bpf_store_hdr_opt(ops, &option, sizeof(option), 0) == 0)
        COUNT(written);
}

static __always_inline void option_read(struct bpf_sock_ops *ops)
{
    struct bpf_sock *sk = ops->sk;
    /* a kind for experiments is looked for by its identifier: then byte 1 is the length of kind, length, identifier */
    struct weir_tcp_option option = { WEIR_TCP_OPTION_KIND, 4, bpf_htons(WEIR_TCP_OPTION_MAGIC), 0, 0 };
    long bytes = bpf_load_hdr_opt(ops, &option, sizeof(option), 0);
    if (sk == NULL)
        return;
    if (bytes != WEIR_TCP_OPTION_BYTES || option.bytes != WEIR_TCP_OPTION_BYTES) {
        COUNT(foreign);
        return;
    }
    struct tcp_flow *f = bpf_sk_storage_get(&sockets, sk, NULL, 0);
    if (f == NULL)
        return;
    f->forward = bpf_ntohs(option.delay);
    f->echo = bpf_ntohs(option.echo);
    f->heard = HEARD_ACKS;
    COUNT(parsed);
}

SEC("sockops")
int law_option(struct bpf_sock_ops *ops)
{
    switch (ops->op) {
    case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
    case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
        option_begin(ops);
        break;
    case BPF_SOCK_OPS_HDR_OPT_LEN_CB:
        (void)bpf_reserve_hdr_opt(ops, WEIR_TCP_OPTION_BYTES, 0);
        break;
    case BPF_SOCK_OPS_WRITE_HDR_OPT_CB:
        option_write(ops);
        break;
    case BPF_SOCK_OPS_PARSE_HDR_OPT_CB:
        option_read(ops);
        break;
    }
    return 1;
}
#endif
