/* src/transport/driver/frame.c - converts UDP datagrams to Ethernet frames and back. */
#include "driver/frame.h"
#include "wire/internet.h"
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>

enum { /* offsets of fields in a frame */
       AT_ETHERTYPE = 12,
       AT_IP = 14,
       AT_IP_TOS = 15,
       AT_IP_LENGTH = 16,
       AT_IP_FRAGMENT = 20,
       AT_IP_TTL = 22,
       AT_IP_PROTOCOL = 23,
       AT_IP_CHECKSUM = 24,
       AT_IP_FROM = 26,
       AT_IP_TO = 30,
       AT_UDP = 34,
       AT_UDP_TO = 36,
       AT_UDP_LENGTH = 38,
       AT_UDP_CHECKSUM = 40,
};

/* Returns the sum of UDP's pseudo header: both IP addresses, the protocol and the UDP length. */
static uint64_t sum_pseudo(const unsigned char *frame)
{
    unsigned char tail[4] = { 0, IPPROTO_UDP, frame[AT_UDP_LENGTH], frame[AT_UDP_LENGTH + 1] };
    return weir_sum_add(tail, sizeof(tail), weir_sum_add(frame + AT_IP_FROM, 8, 0));
}

uint32_t weir_frame_write(unsigned char *frame, const uint8_t to_mac[6], const uint8_t from_mac[6],
                          const struct weir_net_addr *from, const struct weir_net_out *out)
{
    static const unsigned char ip[20] = {
        [0] = 0x45, [6] = 0x40, [8] = 64, [9] = IPPROTO_UDP
    }; /* no fragments; TTL 64 */
    uint32_t payload = (uint32_t)out->head_bytes + out->body_bytes, udp_bytes = 8 + payload;
    memcpy(frame, to_mac, 6);
    memcpy(frame + 6, from_mac, 6);
    put16(frame + AT_ETHERTYPE, 0x0800);
    memcpy(frame + AT_IP, ip, sizeof(ip));
    frame[AT_IP_TOS] = weir_wire_tos(out->class_id, out->ecn);
    put16(frame + AT_IP_LENGTH, 20 + udp_bytes);
    memcpy(frame + AT_IP_FROM, from->ip, 4);
    memcpy(frame + AT_IP_TO, out->to->ip, 4);
    weir_sum_put(frame + AT_IP_CHECKSUM, weir_sum_fold(weir_sum_add(frame + AT_IP, 20, 0)), false);
    put16(frame + AT_UDP, from->port);
    put16(frame + AT_UDP_TO, out->to->port);
    put16(frame + AT_UDP_LENGTH, udp_bytes);
    put16(frame + AT_UDP_CHECKSUM, 0);
    if (out->head_bytes > 0)
        memcpy(frame + WEIR_FRAME_HEAD_BYTES, out->head, out->head_bytes);
    if (out->body_bytes > 0)
        memcpy(frame + WEIR_FRAME_HEAD_BYTES + out->head_bytes, out->body, out->body_bytes);
    weir_sum_put(frame + AT_UDP_CHECKSUM, weir_sum_fold(weir_sum_add(frame + AT_UDP, udp_bytes, sum_pseudo(frame))),
                 true);
    return WEIR_FRAME_HEAD_BYTES + payload;
}

/* Tests whether a frame has a whole, unfragmented UDP datagram to the address and port `to`, in IPv4 without
 * options. */
static bool ours(const unsigned char *frame, uint32_t length, const struct weir_net_addr *to)
{
    return length >= WEIR_FRAME_HEAD_BYTES && get16(frame + AT_ETHERTYPE) == 0x0800 && frame[AT_IP] == 0x45 &&
           (get16(frame + AT_IP_FRAGMENT) & 0x3fff) == 0 && frame[AT_IP_PROTOCOL] == IPPROTO_UDP &&
           memcmp(frame + AT_IP_TO, to->ip, 4) == 0 && get16(frame + AT_UDP_TO) == to->port &&
           get16(frame + AT_IP_LENGTH) <= length - WEIR_FRAME_ETHERNET_BYTES && get16(frame + AT_UDP_LENGTH) >= 8 &&
           get16(frame + AT_UDP_LENGTH) + 20 == get16(frame + AT_IP_LENGTH);
}

/* Tests UDP's checksum. Also accepts no checksum, and the sum of the pseudo header alone (see weir_frame_read()). */
static bool udp_sum_good(const unsigned char *frame)
{
    uint64_t pseudo = sum_pseudo(frame);
    uint16_t stored;
    memcpy(&stored, frame + AT_UDP_CHECKSUM, sizeof(stored));
    return stored == 0 || stored == weir_sum_fold(pseudo) ||
           weir_sum_fold(weir_sum_add(frame + AT_UDP, get16(frame + AT_UDP_LENGTH), pseudo)) == UINT16_MAX;
}

enum weir_frame_result weir_frame_read(unsigned char *frame, uint32_t length, const struct weir_net_addr *to,
                                       struct weir_net_in *in)
{
    if (!ours(frame, length, to))
        return WEIR_FRAME_OTHER;
    if (weir_sum_fold(weir_sum_add(frame + AT_IP, 20, 0)) != UINT16_MAX || !udp_sum_good(frame))
        return WEIR_FRAME_CHECKSUM;
    *in = (struct weir_net_in){ .bytes = frame + WEIR_FRAME_HEAD_BYTES,
                                .length = get16(frame + AT_UDP_LENGTH) - 8,
                                .ecn = frame[AT_IP_TOS] & 3,
                                .from = { .port = (uint16_t)get16(frame + AT_UDP), .family = AF_INET } };
    memcpy(in->from.ip, frame + AT_IP_FROM, 4);
    return WEIR_FRAME_OK;
}
