/* src/transport/bpf/tcp_option.h - writes and reads the TCP option of option.h on every segment, and takes weights from
 * setsockopt(), for BPF only. Included after tcp_law.h: both use the storage of sockets. */
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
    if (sk == NULL || !is_ours(ops))
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
    f->heard = 1;
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

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1024);
    __type(key, uint64_t);
    __type(value, uint32_t);
} weights SEC(".maps"); /* of cgroups, by their number; thousandths */

/* Gives a new socket the weight of the cgroup in which it is made. */
SEC("cgroup/sock_create")
int law_socket(struct bpf_sock *sk)
{
    uint64_t cgroup = bpf_get_current_cgroup_id();
    const uint32_t *weight_milli = bpf_map_lookup_elem(&weights, &cgroup);
    if (weight_milli == NULL)
        return 1;
    struct tcp_flow *f = bpf_sk_storage_get(&sockets, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
    if (f != NULL)
        f->own_weight_milli = *weight_milli;
    return 1;
}

/* Takes WEIR_SO_WEIGHT_MILLI, which needs no privilege and has no other effect on the socket. Other options are the
 * kernel's. */
SEC("cgroup/setsockopt")
int law_setsockopt(struct bpf_sockopt *ctx)
{
    uint32_t *value = ctx->optval;
    struct bpf_sock *sk = ctx->sk;
    if (ctx->level != WEIR_SOL)
        return 1;
    if (ctx->optname != WEIR_SO_WEIGHT_MILLI || (void *)(value + 1) > ctx->optval_end || sk == NULL)
        return 0;
    if (*value == 0 || *value > WEIR_WEIGHT_MILLI_MAX)
        return 0;
    struct tcp_flow *f = bpf_sk_storage_get(&sockets, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
    if (f == NULL)
        return 0;
    f->own_weight_milli = *value;
    ctx->optlen = -1; /* done: the kernel does not see it */
    return 1;
}

SEC("cgroup/getsockopt")
int law_getsockopt(struct bpf_sockopt *ctx)
{
    uint32_t *value = ctx->optval;
    struct bpf_sock *sk = ctx->sk;
    if (ctx->level != WEIR_SOL || ctx->optname != WEIR_SO_WEIGHT_MILLI || sk == NULL)
        return 1;
    if ((void *)(value + 1) > ctx->optval_end)
        return 0;
    const struct tcp_flow *f = bpf_sk_storage_get(&sockets, sk, NULL, 0);
    *value = f != NULL && f->own_weight_milli != 0 ? f->own_weight_milli : 0;
    *(volatile int32_t *)&ctx->optlen = sizeof(*value); /* else one store for both, which the verifier refuses */
    *(volatile int32_t *)&ctx->retval = 0;
    return 1;
}
#endif
