/* src/transport/bpf/switch_frame.h - the headers of a frame, and the fields that a switch changes in them; for BPF. */
#ifndef WEIR_BPF_SWITCH_FRAME_H
#define WEIR_BPF_SWITCH_FRAME_H
#include "bpf/area.h"
#include "bpf/option.h"
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>
#include <stdbool.h>

#define FRAME_ETHERNET 14u
#define FRAME_IPV4 0x0800
#define FRAME_ARP 0x0806
#define FRAME_IPV6 0x86dd
#define FRAME_TCP 6u
#define FRAME_UDP 17u
#define FRAME_TCP_CHECKSUM 16u
#define FRAME_ECN 3u /* bits of the second byte of IPv4; both = CE */
#define FRAME_FLAGS 13u
#define FRAME_SYN 0x02u
#define FRAME_RST 0x04u
#define FRAME_ACK 0x10u
#define FRAME_ECE 0x40u

struct frame {         /* what a switch reads of a frame */
    uint32_t src, dst; /* IPv4 or ARP: network byte order */
    uint16_t ether_type;
    uint8_t tos;
    bool is_tcp; /* and the header is in this frame */
    uint8_t tcp_flags;
    uint32_t tcp_at, tcp_bytes; /* where TCP's header begins, and its length */
    uint32_t payload_bytes;
    uint32_t ports; /* source and destination as they stand in the header */
    /* where UDP's header begins, and the length of the datagram with it; 0 = it is not UDP, or fragmented */
    uint32_t udp_at, udp_bytes;
};

struct frame_delay {      /* the field of a frame that has the longest queueing delay of its way */
    uint32_t at;          /* 0 = the frame has none */
    uint32_t checksum_at; /* of the checksum that covers it */
    uint32_t unit_ns;
    uint32_t delay;          /* as it is there */
    uint64_t checksum_flags; /* for bpf_l4_csum_replace(), besides the length of 2 */
};

static __always_inline bool frame_read_arp(struct __sk_buff *skb, struct frame *f)
{
    return bpf_skb_load_bytes(skb, FRAME_ETHERNET + 14, &f->src, 4) == 0 &&
           bpf_skb_load_bytes(skb, FRAME_ETHERNET + 24, &f->dst, 4) == 0;
}

/* Reads TCP's header; leaves is_tcp false if it is cut off. ip_bytes: of IPv4's header; total: of the IPv4 packet */
static __always_inline void frame_read_tcp(struct __sk_buff *skb, struct frame *f, uint32_t ip_bytes, uint32_t total)
{
    uint8_t tcp[20];
    f->tcp_at = FRAME_ETHERNET + ip_bytes;
    if (bpf_skb_load_bytes(skb, f->tcp_at, tcp, sizeof(tcp)) != 0)
        return;
    f->tcp_bytes = (tcp[12] >> 4) * 4u;
    f->tcp_flags = tcp[FRAME_FLAGS];
    f->ports = (uint32_t)tcp[0] << 24 | (uint32_t)tcp[1] << 16 | (uint32_t)tcp[2] << 8 | tcp[3];
    f->payload_bytes = total > ip_bytes + f->tcp_bytes ? total - ip_bytes - f->tcp_bytes : 0;
    f->is_tcp = f->tcp_bytes >= sizeof(tcp);
}

static __always_inline bool frame_read_ipv4(struct __sk_buff *skb, struct frame *f)
{
    uint8_t ip[20];
    uint32_t ip_bytes, total;
    if (bpf_skb_load_bytes(skb, FRAME_ETHERNET, ip, sizeof(ip)) != 0 || ip[0] >> 4 != 4)
        return false;
    ip_bytes = (ip[0] & 15) * 4u;
    total = (uint32_t)ip[2] << 8 | ip[3];
    __builtin_memcpy(&f->src, ip + 12, 4);
    __builtin_memcpy(&f->dst, ip + 16, 4);
    f->tos = ip[1];
    if (ip_bytes < sizeof(ip))
        return false;
    if (ip[9] == FRAME_TCP && ((ip[6] & 0x1f) | ip[7]) == 0) /* the first fragment, or not fragmented */
        frame_read_tcp(skb, f, ip_bytes, total);
    if (ip[9] == FRAME_UDP && ((ip[6] & 0x3f) | ip[7]) == 0 && total > ip_bytes) { /* not fragmented */
        f->udp_at = FRAME_ETHERNET + ip_bytes;
        f->udp_bytes = total - ip_bytes;
    }
    return true;
}

/* Reads the headers of a frame. @return false = neither IPv4 nor ARP, or cut off; f->ether_type is set */
static __always_inline bool frame_read(struct __sk_buff *skb, struct frame *f)
{
    uint16_t type = 0;
    __builtin_memset(f, 0, sizeof(*f));
    if (bpf_skb_load_bytes(skb, 12, &type, 2) != 0 || skb->vlan_present)
        return false;
    f->ether_type = bpf_ntohs(type);
    if (f->ether_type == FRAME_ARP)
        return frame_read_arp(skb, f);
    return f->ether_type == FRAME_IPV4 && frame_read_ipv4(skb, f);
}

/* Sets CE in IPv4's header, which must have ECT. */
static __always_inline void frame_mark(struct __sk_buff *skb, struct frame *f)
{
    uint16_t from = bpf_htons((uint16_t)(0x4500 | f->tos)), to = bpf_htons((uint16_t)(0x4500 | f->tos | FRAME_ECN));
    uint8_t tos = f->tos | FRAME_ECN;
    if (f->tos == tos)
        return;
    (void)bpf_l3_csum_replace(skb, FRAME_ETHERNET + 10, from, to, 2); /* the first byte stays: any value does for it */
    (void)bpf_skb_store_bytes(skb, FRAME_ETHERNET + 1, &tos, 1, 0);
    f->tos = tos;
}

/* Sets ECE in TCP's header. */
static __always_inline void frame_echo(struct __sk_buff *skb, const struct frame *f)
{
    uint8_t flags = f->tcp_flags | FRAME_ECE;
    if (flags == f->tcp_flags)
        return;
    (void)bpf_l4_csum_replace(skb, f->tcp_at + FRAME_TCP_CHECKSUM, bpf_htons(f->tcp_flags), bpf_htons(flags), 2);
    (void)bpf_skb_store_bytes(skb, f->tcp_at + FRAME_FLAGS, &flags, 1, 0);
}

/* Finds the delay in the option of option.h, which the kernel writes behind all others. */
static __always_inline void frame_find_option(struct __sk_buff *skb, const struct frame *f, struct frame_delay *d)
{
    struct weir_tcp_option option;
    uint32_t at = f->tcp_at + f->tcp_bytes - WEIR_TCP_OPTION_BYTES;
    if (f->tcp_bytes < 20 + WEIR_TCP_OPTION_BYTES || bpf_skb_load_bytes(skb, at, &option, sizeof(option)) != 0)
        return;
    if (option.kind != WEIR_TCP_OPTION_KIND || option.bytes != WEIR_TCP_OPTION_BYTES ||
        option.magic != bpf_htons(WEIR_TCP_OPTION_MAGIC))
        return;
    d->at = at + offsetof(struct weir_tcp_option, delay);
    d->checksum_at = f->tcp_at + FRAME_TCP_CHECKSUM;
    d->unit_ns = WEIR_TCP_DELAY_UNIT_NS;
    d->delay = bpf_ntohs(option.delay);
}

/* Finds the delay in the switch area of a datagram of Weir's endpoints. A checksum of 0, which says that there is none,
 * stays 0, and none becomes 0. */
static __always_inline void frame_find_area(struct __sk_buff *skb, const struct frame *f, uint32_t port,
                                            struct frame_delay *d)
{
    uint8_t udp[WEIR_AREA_READ_BYTES];
    if (bpf_skb_load_bytes(skb, f->udp_at, udp, sizeof(udp)) != 0)
        return;
    d->unit_ns = weir_area_unit_ns(udp, f->udp_bytes, port);
    if (d->unit_ns == 0)
        return;
    d->at = f->udp_at + WEIR_AREA_DELAY_AT;
    d->checksum_at = f->udp_at + WEIR_AREA_CHECKSUM_AT;
    d->delay = weir_area_get16(udp + WEIR_AREA_DELAY_AT);
    d->checksum_flags = BPF_F_MARK_MANGLED_0;
}

/* Finds the delay that switches raise in a frame. udp_port: of Weir's endpoints, 0 = none */
static __always_inline void frame_find_delay(struct __sk_buff *skb, const struct frame *f, uint32_t udp_port,
                                             struct frame_delay *d)
{
    __builtin_memset(d, 0, sizeof(*d));
    if (f->is_tcp)
        frame_find_option(skb, f, d);
    else if (f->udp_bytes > 0)
        frame_find_area(skb, f, udp_port, d);
}

/* Writes another delay into the field. */
static __always_inline void frame_raise(struct __sk_buff *skb, const struct frame_delay *d, uint32_t delay)
{
    uint16_t from = bpf_htons((uint16_t)d->delay), to = bpf_htons((uint16_t)delay);
    (void)bpf_l4_csum_replace(skb, d->checksum_at, from, to, d->checksum_flags | 2);
    (void)bpf_skb_store_bytes(skb, d->at, &to, 2, 0);
}
#endif
