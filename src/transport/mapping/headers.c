/* src/transport/mapping/headers.c - see headers.h. RFC 791 (IPv4), RFC 826 (ARP), RFC 8200 (IPv6), RFC 4861 (neighbour
 * discovery), IEEE 802.1Q. No byte is read before a test shows that the frame has it. */
#include "mapping/headers.h"
#include "wire/internet.h"

enum {
    ARP_BYTES = 28,
    ARP_FROM = 14,
    IP6_FRAGMENT_BYTES = 8,
    IP6_HEADERS_MAX = 8, /* RFC 8200 has each but one at most once: seven */
};

/* Header types of IPv6 that lie before what a packet carries. */
enum {
    HOP_BY_HOP = 0,
    ROUTING = 43,
    FRAGMENT = 44,
    AUTHENTICATION = 51,
    ICMP6 = 58,
    DESTINATION = 60,
    MOBILITY = 135,
    HIP = 139,
    SHIM6 = 140
};
#define ICMP6_ROUTER_SOLICITATION 133u /* the first of neighbour discovery .. */
#define ICMP6_REDIRECT 137u            /* .. and the last */

static bool is_tag(uint32_t type)
{
    return type == 0x8100 || type == 0x88a8 || type == 0x9100;
}

/* Tests for the 16 addresses that bridges never forward (IEEE 802.1D, table 7-10). */
static bool is_of_link(const unsigned char *frame)
{
    static const unsigned char group[5] = { 0x01, 0x80, 0xc2, 0x00, 0x00 };
    return memcmp(frame, group, sizeof(group)) == 0 && frame[5] < 16;
}

static void get_address(const unsigned char *from, uint32_t version, struct weir_mapping_address *out)
{
    *out = (struct weir_mapping_address){ .version = (uint8_t)version };
    memcpy(out->bytes, from, version == 4 ? 4 : 16);
}

/* Reads the sender of an ARP frame. */
static void read_arp(const unsigned char *frame, uint32_t length, struct mapping_headers *h)
{
    static const unsigned char kind[6] = { 0, 1, ETHER_IP4 >> 8, ETHER_IP4 & 0xff, 6, 4 };
    if (length >= AT_IP + ARP_BYTES && memcmp(frame + AT_IP, kind, sizeof(kind)) == 0)
        get_address(frame + AT_IP + ARP_FROM, 4, &h->src);
}

static bool read_ip4(const unsigned char *frame, uint32_t length, struct mapping_headers *h)
{
    const unsigned char *ip = frame + AT_IP;
    uint32_t head, total;
    if (length < AT_IP + WEIR_WIRE_IP4_BYTES || ip[0] >> 4 != 4)
        return false;
    head = (ip[0] & 15u) * 4;
    total = get16(ip + IP4_LENGTH);
    if (head < WEIR_WIRE_IP4_BYTES || total < head || total > length - AT_IP)
        return false;
    h->tos = ip[IP4_TOS];
    h->protocol = ip[IP4_PROTOCOL];
    h->is_fragment = (get16(ip + IP4_FRAGMENT) & 0x3fffu) != 0;
    h->l4_at = (uint16_t)(AT_IP + head);
    h->l4_bytes = (uint16_t)(total - head);
    get_address(ip + IP4_FROM, 4, &h->src);
    get_address(ip + IP4_TO, 4, &h->dst);
    return true;
}

/* Returns the length of an extension header of IPv6 with this second byte; 0 = the type is none of them. */
static uint32_t extension_bytes(uint32_t type, uint32_t second)
{
    switch (type) {
    case HOP_BY_HOP:
    case ROUTING:
    case DESTINATION:
    case MOBILITY:
    case HIP:
    case SHIM6:
        return (second + 1) * 8;
    case AUTHENTICATION:
        return (second + 2) * 4;
    case FRAGMENT:
        return IP6_FRAGMENT_BYTES;
    default:
        return 0;
    }
}

/* Skips extension headers: moves h->l4_at behind them. Stops at the header of a fragment that is not the whole packet,
 * and after IP6_HEADERS_MAX. @return false = one of them is truncated */
static bool skip_extensions(const unsigned char *frame, struct mapping_headers *h)
{
    for (uint32_t i = 0; i < IP6_HEADERS_MAX; i++) {
        const unsigned char *at = frame + h->l4_at;
        uint32_t bytes = extension_bytes(h->protocol, 0);
        if (bytes == 0)
            return true;
        if (h->l4_bytes < 2 || h->l4_bytes < (bytes = extension_bytes(h->protocol, at[1])))
            return false;
        if (h->protocol == FRAGMENT && (get16(at + 2) & 0xfff9u) != 0) {
            h->is_fragment = true;
            return true;
        }
        h->protocol = at[0];
        h->l4_at = (uint16_t)(h->l4_at + bytes);
        h->l4_bytes = (uint16_t)(h->l4_bytes - bytes);
    }
    return true;
}

static bool read_ip6(const unsigned char *frame, uint32_t length, struct mapping_headers *h)
{
    const unsigned char *ip = frame + AT_IP;
    uint32_t bytes;
    if (length < AT_IP + WEIR_WIRE_IP6_BYTES || ip[0] >> 4 != 6)
        return false;
    bytes = get16(ip + IP6_LENGTH);
    if (bytes > length - AT_IP - WEIR_WIRE_IP6_BYTES)
        return false;
    h->tos = (uint8_t)(get16(ip) >> 4);
    h->protocol = ip[IP6_NEXT];
    h->l4_at = AT_IP + WEIR_WIRE_IP6_BYTES;
    h->l4_bytes = (uint16_t)bytes;
    get_address(ip + IP6_FROM, 6, &h->src);
    get_address(ip + IP6_TO, 6, &h->dst);
    return skip_extensions(frame, h);
}

static bool is_neighbor_discovery(const unsigned char *frame, const struct mapping_headers *h)
{
    return h->src.version == 6 && h->protocol == ICMP6 && !h->is_fragment && h->l4_bytes > 0 &&
           frame[h->l4_at] >= ICMP6_ROUTER_SOLICITATION && frame[h->l4_at] <= ICMP6_REDIRECT;
}

/* Tests the parts of a frame before IP's header. @return PACKET = go on */
static enum weir_mapping_verdict read_ethernet(const struct weir_mapping_config *cfg, const unsigned char *frame,
                                               uint32_t length, enum weir_mapping_cause *cause)
{
    if (length < WEIR_MAPPING_ETHERNET_BYTES)
        *cause = WEIR_MAPPING_MALFORMED;
    else if (is_of_link(frame))
        *cause = WEIR_MAPPING_LINK;
    else if (is_tag(get16(frame + AT_ETHER_TYPE)))
        *cause = WEIR_MAPPING_TAGGED;
    else if (length > WEIR_MAPPING_ETHERNET_BYTES + cfg->mtu_bytes)
        *cause = WEIR_MAPPING_OFFLOAD;
    else
        return WEIR_MAPPING_PACKET;
    return WEIR_MAPPING_DROP;
}

enum weir_mapping_verdict mapping_headers_read(const struct weir_mapping_config *cfg, const unsigned char *frame,
                                               uint32_t length, struct mapping_headers *h,
                                               enum weir_mapping_cause *cause)
{
    enum weir_mapping_verdict verdict = read_ethernet(cfg, frame, length, cause);
    bool to_group;
    *h = (struct mapping_headers){ 0 };
    if (verdict != WEIR_MAPPING_PACKET)
        return verdict;
    uint32_t type = get16(frame + AT_ETHER_TYPE);
    to_group = (frame[0] & 1) != 0;
    if (type == ETHER_ARP) {
        read_arp(frame, length, h);
        *cause = WEIR_MAPPING_NEIGHBOR;
        return WEIR_MAPPING_FLOOD;
    }
    if (type != ETHER_IP4 && type != ETHER_IP6) {
        *cause = to_group ? WEIR_MAPPING_GROUP : WEIR_MAPPING_UNKNOWN;
        return WEIR_MAPPING_FLOOD;
    }
    if (!(type == ETHER_IP4 ? read_ip4 : read_ip6)(frame, length, h)) {
        *h = (struct mapping_headers){ 0 };
        *cause = WEIR_MAPPING_MALFORMED;
        return WEIR_MAPPING_DROP;
    }
    if (is_neighbor_discovery(frame, h))
        *cause = WEIR_MAPPING_NEIGHBOR;
    else if (to_group || mapping_is_group(&h->dst))
        *cause = WEIR_MAPPING_GROUP;
    else
        return WEIR_MAPPING_PACKET;
    return WEIR_MAPPING_FLOOD;
}

uint64_t mapping_pseudo_sum(const struct weir_mapping_address *src, const struct weir_mapping_address *dst,
                            uint32_t protocol, uint32_t bytes)
{
    unsigned char tail[4];
    uint32_t size = src->version == 4 ? 4 : 16;
    put32(tail, protocol << 16 | bytes); /* both below 2^16: the same sum as IPv4's 0, protocol, length and IPv6's */
    return weir_sum_add(tail, sizeof(tail), weir_sum_add(src->bytes, size, weir_sum_add(dst->bytes, size, 0)));
}
