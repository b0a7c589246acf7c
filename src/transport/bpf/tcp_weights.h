/* src/transport/bpf/tcp_weights.h - weights of sockets, for BPF only: from setsockopt() or from the cgroup, within the
 * budget of the cgroup, and with an audit log. Included after tcp_law.h, whose storage of sockets it uses.
 *
 * In a cgroup with a budget every TCP socket that is made counts with its weight, at first 1. If the budget has no room
 * for that it weighs a thousandth; a larger weight is refused. A socket stops counting when it is closed. Sockets that
 * a server accepts have the weight of the listening socket, and do not count. */
#ifndef WEIR_BPF_TCP_WEIGHTS_H
#define WEIR_BPF_TCP_WEIGHTS_H
#include "bpf/tcp_law.h"

#define IPPROTO_OF_TCP 6
#define CGROUPS_MAX 4096

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, CGROUPS_MAX);
    __type(key, uint64_t);
    __type(value, uint32_t);
} weights SEC(".maps"); /* first weight of sockets that are made in a cgroup; thousandths */

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, CGROUPS_MAX);
    __type(key, uint64_t);
    __type(value, struct weir_tcp_budget);
} budgets SEC(".maps"); /* of cgroups */

struct {
    __uint(type, BPF_MAP_TYPE_RINGBUF);
    __uint(max_entries, 1 << 18);
} audit SEC(".maps");

/* Writes a change of a weight into the audit log. A log that nobody reads is full, and keeps its oldest entries. */
static __always_inline void log_weight(void *ctx, const struct tcp_flow *f, uint32_t asked_milli, bool refused)
{
    struct weir_tcp_weight_event *e = bpf_ringbuf_reserve(&audit, sizeof(*e), 0);
    if (e == NULL) {
        COUNT(unlogged);
        return;
    }
    e->time_ns = bpf_ktime_get_ns();
    e->cgroup = f->cgroup;
    e->socket = f->socket;
    e->pid = (uint32_t)(bpf_get_current_pid_tgid() >> 32);
    e->asked_milli = asked_milli;
    e->weight_milli = f->own_weight_milli;
    e->refused = refused;
    bpf_ringbuf_submit(e, 0);
}

/* Gives a socket a weight, if the budget of its cgroup has room for it. */
static __always_inline bool give_weight(void *ctx, struct tcp_flow *f, uint32_t weight_milli)
{
    struct weir_tcp_budget *budget = bpf_map_lookup_elem(&budgets, &f->cgroup);
    bool fits = true;
    if (budget != NULL) {
        int64_t more = (int64_t)weight_milli - f->counted_milli;
        int64_t used_milli = __sync_fetch_and_add(&budget->used_milli, more) + more;
        fits = more <= 0 || used_milli <= (int64_t)budget->limit_milli;
        if (fits) {
            f->counted_milli = weight_milli;
        } else {
            __sync_fetch_and_add(&budget->used_milli, -more);
            __sync_fetch_and_add(&budget->refused, 1);
        }
    }
    if (fits)
        f->own_weight_milli = weight_milli;
    log_weight(ctx, f, weight_milli, !fits);
    return fits;
}

/* Gives a new socket the weight of the cgroup in which it is made. */
SEC("cgroup/sock_create")
int law_socket(struct bpf_sock *sk)
{
    uint64_t cgroup = bpf_get_current_cgroup_id();
    const uint32_t *weight_milli = bpf_map_lookup_elem(&weights, &cgroup);
    bool counts = bpf_map_lookup_elem(&budgets, &cgroup) != NULL;
    barrier_var(counts); /* else clang joins both addresses to one test, which the verifier refuses */
    if (sk->protocol != IPPROTO_OF_TCP || (weight_milli == NULL && !counts))
        return 1;
    struct tcp_flow *f = bpf_sk_storage_get(&sockets, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
    if (f == NULL)
        return 1;
    f->cgroup = cgroup;
    f->socket = bpf_get_socket_cookie(sk);
    f->own_weight_milli = 1;
    (void)give_weight(sk, f, weight_milli != NULL ? *weight_milli : 1000);
    return 1;
}

/* Takes a socket that is closed out of the budget. */
SEC("cgroup/sock_release")
int law_release(struct bpf_sock *sk)
{
    struct tcp_flow *f = bpf_sk_storage_get(&sockets, sk, NULL, 0);
    if (f == NULL || f->counted_milli == 0)
        return 1;
    struct weir_tcp_budget *budget = bpf_map_lookup_elem(&budgets, &f->cgroup);
    if (budget != NULL)
        __sync_fetch_and_add(&budget->used_milli, -(int64_t)f->counted_milli);
    f->counted_milli = 0;
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
    if (ctx->optname != WEIR_SO_WEIGHT_MILLI || (void *)(value + 1) > ctx->optval_end || sk == NULL ||
        sk->protocol != IPPROTO_OF_TCP)
        return 0;
    if (*value == 0 || *value > WEIR_WEIGHT_MILLI_MAX)
        return 0;
    struct tcp_flow *f = bpf_sk_storage_get(&sockets, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
    if (f == NULL)
        return 0;
    if (f->cgroup == 0)
        f->cgroup = bpf_get_current_cgroup_id();
    if (!give_weight(ctx, f, *value))
        return 0;
    ctx->optlen = -1; /* done: the kernel does not see it */
    return 1;
}

/* Returns the weight that the socket has by setsockopt() or by its cgroup; 0 = none. */
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
