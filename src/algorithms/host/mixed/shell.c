/* src/algorithms/host/mixed/shell.c - what a shell does with all its hosts. Handles of messages are the world's and
 * unique, so a call that names a handle alone is made to each host until one knows the message. */
#include "core/credit.h"
#include "core/math.h"
#include "host/mixed/shell.h"

size_t host_shell_bytes(const struct weir_host_config *cfg, uint32_t count)
{
    size_t bytes = HOST_LINES(sizeof(struct host_shell));
    WEIR_ASSERT(count >= 2 && count <= HOST_SHELL_MAX);
    for (uint32_t i = 0; i < count; i++)
        bytes += HOST_LINES(weir_host_bytes(&cfg[i]));
    return bytes;
}

void host_shell_init(struct weir_host *h, const struct weir_host_config *cfg, uint32_t count)
{
    struct host_shell *s = host_shell_of(h);
    unsigned char *at = (unsigned char *)s + HOST_LINES(sizeof(*s));
    *s = (struct host_shell){ .count = count };
    for (uint32_t i = 0; i < count; i++) {
        s->host[i] = weir_host_init(at, &cfg[i], host_self(h), &h->mem, &h->sink);
        at += HOST_LINES(weir_host_bytes(&cfg[i]));
    }
    host_shell_show(h);
}

void host_shell_show(struct weir_host *h)
{
    const struct host_shell *s = host_shell_of(h);
    uint64_t next_ps = WEIR_NEVER;
    uint32_t ready = 0;
    WEIR_CHECK(s->count >= 2 && s->count <= HOST_SHELL_MAX);
    for (uint32_t i = 0; i < s->count; i++) {
        next_ps = weir_min_u64(next_ps, s->host[i]->next_ps);
        ready += host_can_send(s->host[i]);
    }
    h->next_ps = next_ps;
    h->ready_count = ready;
}

/* Runs the timers of all hosts. To a world, a due time that is not after now means a packet that waits for the NIC.
 * So the due time of one host would hide the timers of another. */
void host_shell_settle(struct weir_host *h, uint64_t now_ps)
{
    const struct host_shell *s = host_shell_of(h);
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->host[i]->next_ps <= now_ps)
            (void)weir_host_tx(s->host[i], now_ps, NULL, 0);
        WEIR_CHECK(s->host[i]->next_ps > now_ps);
    }
    host_shell_show(h);
}

/* ---- messages ---- */

int host_shell_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    const struct host_shell *s = host_shell_of(h);
    int code = WEIR_E_UNKNOWN;
    for (uint32_t i = 0; i < s->count && code == WEIR_E_UNKNOWN; i++)
        code = weir_host_cancel(s->host[i], now_ps, msg);
    host_shell_settle(h, now_ps);
    return code;
}

void host_shell_forget(struct weir_host *h, uint64_t now_ps, uint32_t peer)
{
    const struct host_shell *s = host_shell_of(h);
    for (uint32_t i = 0; i < s->count; i++)
        weir_host_forget(s->host[i], now_ps, peer);
    host_shell_settle(h, now_ps);
}

/* Tests whether a host keeps the weights of its messages. */
static bool host_tracks(const struct weir_host *one)
{
    return one->cfg->track && one->machine->weight != NULL;
}

/* Sets the weight of a message by the one host that knows it. A message that no host tracks has none: then the call has
 * no effect. */
int host_shell_weight(struct weir_host *h, uint64_t now_ps, uint32_t msg, uint64_t weight_q20)
{
    const struct host_shell *s = host_shell_of(h);
    int code = 0;
    WEIR_ASSERT(weight_q20 > 0);
    for (uint32_t i = 0; i < s->count; i++)
        if (host_tracks(s->host[i]) && (code = weir_host_weight(s->host[i], now_ps, msg, weight_q20)) != WEIR_E_UNKNOWN)
            break;
    host_shell_settle(h, now_ps);
    return code;
}

/* Sets the initial rate of a message, as host_shell_weight() does its weight. */
int host_shell_rate(struct weir_host *h, uint64_t now_ps, uint32_t msg, const struct weir_allotment *allotment)
{
    const struct host_shell *s = host_shell_of(h);
    int code = 0;
    WEIR_ASSERT(allotment != NULL);
    for (uint32_t i = 0; i < s->count; i++)
        if (host_tracks(s->host[i]) && (code = weir_host_rate(s->host[i], now_ps, msg, allotment)) != WEIR_E_UNKNOWN)
            break;
    host_shell_settle(h, now_ps);
    return code;
}

bool host_shell_flow(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out)
{
    const struct host_shell *s = host_shell_of(h);
    for (uint32_t i = 0; i < s->count; i++)
        if (weir_host_flow(s->host[i], msg, out))
            return true;
    return false;
}

#define CURSOR_BITS 60 /* of a cursor for a host's own cursor; above them is the host */

bool host_shell_next_pending(const struct weir_host *h, uint64_t *cursor, struct weir_host_pending *out)
{
    const struct host_shell *s = host_shell_of(h);
    uint64_t own = *cursor & ((UINT64_C(1) << CURSOR_BITS) - 1);
    for (uint64_t i = *cursor >> CURSOR_BITS; i < s->count; i++, own = 0) {
        bool more = weir_host_next_pending(s->host[i], &own, out);
        WEIR_ASSERT(own >> CURSOR_BITS == 0);
        *cursor = i << CURSOR_BITS | own;
        if (more)
            return true;
    }
    return false;
}

/* Pauses classes in each host; the shell itself holds nothing back. */
void host_shell_pause(struct weir_host *h, uint32_t class_mask)
{
    const struct host_shell *s = host_shell_of(h);
    WEIR_ASSERT(class_mask >> WEIR_CLASSES_MAX == 0);
    h->hold = 0;
    for (uint32_t i = 0; i < s->count; i++)
        weir_host_pause(s->host[i], class_mask);
    host_shell_show(h);
}

/* ---- sums ---- */

void host_shell_credit(const struct weir_host *h, struct weir_credit_sums *out)
{
    const struct host_shell *s = host_shell_of(h);
    WEIR_ASSERT(out->outstanding_bytes == 0 && out->most_bytes == INT64_MAX);
    for (uint32_t i = 0; i < s->count; i++) {
        struct weir_credit_sums own;
        weir_host_credit(s->host[i], &own);
        out->bucket_bytes += own.bucket_bytes;
        out->outstanding_bytes += own.outstanding_bytes;
        out->surplus_bytes += own.surplus_bytes;
        out->held_bytes += own.held_bytes;
        if (own.most_bytes != INT64_MAX)
            out->most_bytes = out->most_bytes == INT64_MAX ? own.most_bytes : out->most_bytes + own.most_bytes;
    }
}

const char *host_shell_check(const struct weir_host *h)
{
    const struct host_shell *s = host_shell_of(h);
    const char *broken = NULL;
    for (uint32_t i = 0; i < s->count && broken == NULL; i++)
        broken = weir_host_check(s->host[i]);
    return broken;
}

/* Sets h->stats to the sum of all counters and the shell's own. */
void host_shell_stats(struct weir_host *h)
{
    const struct host_shell *s = host_shell_of(h);
    h->stats = (struct weir_host_stats){ .refused_pkts = s->refused_pkts, .source_marked_pkts = s->source_marked_pkts };
    for (uint32_t i = 0; i < s->count; i++)
        weir_host_stats_add(&h->stats, weir_host_stats(s->host[i]));
}
