/* src/algorithms/host/mixed/shell.h - a shell around several whole hosts: one per law (mixed.c), or one per
 * transport of a host with several NICs (nics.c). They know nothing of each other. */
#ifndef WEIR_HOST_MIXED_SHELL_H
#define WEIR_HOST_MIXED_SHELL_H
#include "host/common/machine.h"
#include "host/common/state.h"

#define HOST_SHELL_MAX 16u

struct host_shell { /* follows struct weir_host; the hosts follow this record */
    uint32_t count;
    uint32_t next[2];                          /* the host that is asked first: of answers, and of DATA */
    uint64_t refused_pkts, source_marked_pkts; /* counted by the shell itself */
    struct weir_host *host[HOST_SHELL_MAX];
};

static inline struct host_shell *host_shell_of(const struct weir_host *h)
{
    return host_half(h);
}

/* Tests whether a host of the shell can send, without a call where nothing is paused and no NOTICE waits. */
static inline bool host_can_send(const struct weir_host *one)
{
    return WEIR_LIKELY(one->hold == 0) ? one->acks.count + one->ready_count > 0 : weir_host_ready(one);
}

/* Returns the bytes of a shell with these hosts. */
size_t host_shell_bytes(const struct weir_host_config *cfg, uint32_t count);
/* Initialises the hosts of a shell, one of each configuration. */
void host_shell_init(struct weir_host *h, const struct weir_host_config *cfg, uint32_t count);

/* Updates the fields of the shell that its world and host.c read: when it is due, how many of its hosts can send. */
void host_shell_show(struct weir_host *h);
/* Runs the due timers of every host, then host_shell_show(). */
void host_shell_settle(struct weir_host *h, uint64_t now_ps);

/* Functions of struct host_machine, of all hosts of the shell. */
int host_shell_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg);
void host_shell_forget(struct weir_host *h, uint64_t now_ps, uint32_t peer);
int host_shell_weight(struct weir_host *h, uint64_t now_ps, uint32_t msg, uint64_t weight_q20);
int host_shell_rate(struct weir_host *h, uint64_t now_ps, uint32_t msg, const struct weir_allotment *allotment);
bool host_shell_flow(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out);
bool host_shell_next_pending(const struct weir_host *h, uint64_t *cursor, struct weir_host_pending *out);
void host_shell_pause(struct weir_host *h, uint32_t class_mask);
void host_shell_credit(const struct weir_host *h, struct weir_credit_sums *out);
const char *host_shell_check(const struct weir_host *h);
void host_shell_stats(struct weir_host *h);
#endif
