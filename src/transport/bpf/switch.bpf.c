/* src/transport/bpf/switch.bpf.c - a switch in the kernel. A frame from a host is stamped with the time, and goes into
 * the queue of the port that leads to its destination. The queue is a qdisc at one end of a pair of veth devices. At
 * the other end the frame arrives when it has left the queue; then it is known how long it waited. What features decide
 * is the text of algorithms/features, which the simulator runs. */
#include "bpf/kernel.h"
#include "bpf/switch_maps.h"
#include "core/hook.h"
#include "features/codel/codel_core.h"
#include "features/maxqd/maxqd_core.h"
#include <bpf/bpf_core_read.h>
#include <linux/pkt_cls.h>

struct gnet_stats_queue {
    uint32_t backlog;
} WEIR_RELOCATED;
struct Qdisc {
    struct gnet_stats_queue qstats;
} WEIR_RELOCATED;
struct net_device {
    struct Qdisc *qdisc;
} WEIR_RELOCATED;
struct sk_buff {
    struct net_device *dev;
} WEIR_RELOCATED;
extern void *bpf_cast_to_kern_ctx(void *ctx) __ksym;
extern void *bpf_rdonly_cast(const void *address, uint32_t type) __ksym;

/* Returns the present time as a stamp. Bit 0 is set, because 0 means: not stamped. */
static __always_inline uint32_t stamp_of(uint64_t now_ns)
{
    return (uint32_t)(now_ns >> WEIR_SWITCH_STAMP_BITS) | 1;
}

/* Puts a copy of the frame into the queue of a port. The caller drops the original, which belongs to the sender's
 * socket: TCP stops when about a millisecond's worth of its socket's frames are under way, here too. A copy belongs to
 * no socket, as a frame from a cable. */
static __always_inline void put(struct __sk_buff *skb, const struct here *h, uint32_t number)
{
    const struct weir_switch_port *to = bpf_map_lookup_elem(&ports, &number);
    if (to != NULL && bpf_clone_redirect(skb, to->queue, 0) != 0)
        h->counts->refused++;
}

static __always_inline void learn(const struct here *h, uint32_t address)
{
    const uint32_t *known = bpf_map_lookup_elem(&addresses, &address);
    if (address != 0 && (known == NULL || *known != h->number))
        (void)bpf_map_update_elem(&addresses, &address, &h->number, BPF_ANY);
}

static __always_inline void flood(struct __sk_buff *skb, const struct here *h)
{
    h->counts->flooded++;
    for (uint32_t i = 0; i < WEIR_SWITCH_PORTS_MAX; i++)
        if (i < h->keys->port_count && i != h->number)
            put(skb, h, i);
}

/* Forwards a frame from a host: at a port's device. */
SEC("tc")
int weir_sw_enter(struct __sk_buff *skb)
{
    struct here h;
    struct frame f;
    const uint32_t *to;
    uint64_t now_ns = bpf_ktime_get_ns();
    if (!find_here(skb, &h))
        return TC_ACT_SHOT;
    h.counts->in_pkts++;
    h.counts->in_bytes += skb->len;
    if (!frame_read(skb, &f)) {
        ++*(f.ether_type == FRAME_IPV6 ? &h.counts->ipv6 : &h.counts->foreign);
        return TC_ACT_SHOT;
    }
    if (h.keys->learns)
        learn(&h, f.src);
    if (h.keys->rpm && f.is_tcp && (f.tcp_flags & (FRAME_ACK | FRAME_SYN | FRAME_RST)) == FRAME_ACK)
        acknowledged(skb, &h, &f, now_ns * 1000);
    skb->mark = stamp_of(now_ns);
    to = bpf_map_lookup_elem(&addresses, &f.dst);
    if (to == NULL)
        flood(skb, &h);
    else if (*to == h.number)
        h.counts->stray++;
    else
        put(skb, &h, *to);
    return TC_ACT_SHOT;
}

/* Marks a frame by what it finds in the queue: before the queue. */
SEC("tc")
int weir_sw_join(struct __sk_buff *skb)
{
    struct here h;
    struct frame f;
    const struct sk_buff *kernels = bpf_cast_to_kern_ctx(skb);
    const struct Qdisc *qdisc = kernels->dev->qdisc;
    uint64_t queue_bytes = qdisc->qstats.backlog;
    struct weir_switch_state *state;
    if (!find_here(skb, &h) || (state = bpf_map_lookup_elem(&states, &h.number)) == NULL)
        return TC_ACT_SHOT;
    if (skb->mark == 0) {
        h.counts->unstamped++;
        return TC_ACT_SHOT;
    }
    state->qdisc = (uintptr_t)qdisc;
    if (queue_bytes > h.counts->queue_max_bytes)
        h.counts->queue_max_bytes = queue_bytes;
    if (h.keys->ecn && frame_read(skb, &f) && (f.tos & FRAME_ECN) != 0 &&
        weir_ecn_marks(&h.port->ramp, queue_bytes, (uint64_t)bpf_get_prandom_u32() << 32 | bpf_get_prandom_u32()))
        congested(skb, &h, &f, bpf_ktime_get_ns() * 1000);
    return TC_ACT_OK;
}

/* Counts a frame that waited. */
static __always_inline void count_wait(struct weir_switch_counts *c, uint64_t ns)
{
    uint32_t bucket = weir_switch_bucket(ns);
    c->sojourn_ns += ns;
    if (ns > c->sojourn_max_ns)
        c->sojourn_max_ns = ns;
    if (bucket < WEIR_SWITCH_BUCKETS)
        c->bucket[bucket]++;
}

/* Tests by CoDel whether a frame that leaves is a congestion event. What waits behind it is read from the queue. */
static __always_inline bool ask_codel(const struct here *h, struct weir_switch_state *state, struct weir_dequeue *d)
{
    const struct Qdisc *qdisc;
    if (h->keys->codel_model.variant == WEIR_CODEL_P4)
        return weir_codel_p4(&h->keys->codel_model, &state->codel, d);
    qdisc = bpf_rdonly_cast((const void *)(uintptr_t)state->qdisc, bpf_core_type_id_kernel(struct Qdisc));
    d->queue_bytes = qdisc->qstats.backlog;
    return weir_codel_rfc8289(&h->keys->codel_model, &state->codel, d);
}

/* Asks CoDel and maxQD, whose states are of one processor at a time. field: where the frame has a delay; *delay: gets
 * the delay to write there, at least the one that is there. @return true = a congestion event */
static __always_inline bool ask(const struct here *h, const struct frame *f, const struct frame_delay *field,
                                uint64_t joined_ps, uint64_t now_ps, uint32_t *delay)
{
    struct weir_switch_state *state = bpf_map_lookup_elem(&states, &h->number);
    struct weir_pkt pkt = { .kind = WEIR_PKT_DATA };
    struct weir_dequeue d = { .pkt = &pkt, .now_ps = now_ps, .joined_ps = joined_ps };
    bool event = false;
    if (state == NULL)
        return false;
    if (!__sync_bool_compare_and_swap(&state->busy, 0, 1)) {
        h->counts->skipped++;
        return false;
    }
    pkt.flags = (f->tos & FRAME_ECN) != 0 ? WEIR_PKT_ECT : 0;
    if (h->keys->codel)
        event = ask_codel(h, state, &d);
    if (h->keys->maxqd) {
        weir_maxqd_start(&h->keys->maxqd_model, &state->maxqd, &pkt, joined_ps, now_ps);
        if (field->at != 0)
            *delay = weir_maxqd_raise(field->unit_ns * WEIR_PS_PER_NS, &state->maxqd, field->delay);
    }
    __sync_lock_test_and_set(&state->busy, 0);
    return event;
}

/* Sends a frame that waited to its host: behind the queue. */
SEC("tc")
int weir_sw_leave(struct __sk_buff *skb)
{
    struct here h;
    struct frame f;
    struct frame_delay field = { 0 };
    uint64_t now_ns = bpf_ktime_get_ns(), waited_ns;
    uint32_t waited = stamp_of(now_ns) - skb->mark, delay = 0;
    if (!find_here(skb, &h))
        return TC_ACT_SHOT;
    if (skb->mark == 0 || !frame_read(skb, &f)) {
        h.counts->unstamped++;
        return TC_ACT_SHOT;
    }
    waited_ns = waited > INT32_MAX ? 0 : (uint64_t)waited << WEIR_SWITCH_STAMP_BITS;
    if (h.keys->maxqd)
        frame_find_delay(skb, &f, h.keys->udp_port, &field);
    if ((h.keys->codel || h.keys->maxqd) && ask(&h, &f, &field, (now_ns - waited_ns) * 1000, now_ns * 1000, &delay)) {
        if ((f.tos & FRAME_ECN) == 0) {
            h.counts->codel_drops++;
            return TC_ACT_SHOT;
        }
        congested(skb, &h, &f, now_ns * 1000);
    }
    h.counts->out_pkts++;
    h.counts->out_bytes += skb->len;
    count_wait(h.counts, waited_ns);
    if (field.at != 0 && delay > field.delay) {
        frame_raise(skb, &field, delay);
        ++*(f.is_tcp ? &h.counts->raised : &h.counts->raised_datagrams);
    } else if (h.keys->maxqd && field.at == 0 && f.payload_bytes > 0)
        h.counts->optionless++;
    skb->mark = 0;
    return bpf_redirect(h.port->device, 0);
}
