/* tools/mark.bpf.c - the testbed's switch marks: CE on packets that may be marked (ECT) while the port's queue holds MARK_BYTES or
 * more. Runs at a port's tc egress hook, before the packet joins the queue, so the packet that crosses the threshold is not marked.
 * The queue is the qdisc's own count of bytes, as a switch has it. */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <stddef.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define IPV4 0x0800
#define ECN_BITS 3
#define HEAD_BYTES 14 /* of Ethernet */
#define TOS_AT (HEAD_BYTES + 1)
#define CHECKSUM_AT (HEAD_BYTES + 10)

/* Of the kernel's own structs only what is read here; where the fields lie is settled when the program is loaded. */
struct gnet_stats_queue {
    __u32 backlog;
} __attribute__((preserve_access_index));
struct Qdisc {
    struct gnet_stats_queue qstats;
} __attribute__((preserve_access_index));
struct net_device {
    struct Qdisc *qdisc;
} __attribute__((preserve_access_index));
struct sk_buff {
    struct net_device *dev;
} __attribute__((preserve_access_index));

extern void *bpf_cast_to_kern_ctx(void *ctx) __attribute__((section(".ksyms")));

__attribute__((section("tc"), used)) int mark(struct __sk_buff *skb)
{
    struct sk_buff *kernel = bpf_cast_to_kern_ctx(skb);
    __u8 tos;
    if (skb->protocol != bpf_htons(IPV4) || kernel->dev->qdisc->qstats.backlog < MARK_BYTES)
        return TC_ACT_OK;
    if (bpf_skb_load_bytes(skb, TOS_AT, &tos, sizeof(tos)) != 0 || (tos & ECN_BITS) == 0 || (tos & ECN_BITS) == ECN_BITS)
        return TC_ACT_OK;
    __u8 marked = tos | ECN_BITS;
    bpf_l3_csum_replace(skb, CHECKSUM_AT, bpf_htons(tos), bpf_htons(marked), 2);
    bpf_skb_store_bytes(skb, TOS_AT, &marked, sizeof(marked), 0);
    return TC_ACT_OK;
}

char terms[] __attribute__((section("license"), used)) = "Dual BSD/GPL";
