/* test/net/forge.c - see forge.h. Written from the format's description, not from the encoder. */
#include "test/net/forge.h"
#include "wire/crc32c.h"

static void put(unsigned char *at, uint32_t bytes, uint64_t value)
{
    for (uint32_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
}

uint32_t forge(const struct weir_pkt *pkt, uint64_t token, unsigned char *bytes)
{
    uint32_t length = WEIR_WIRE_HEAD_BYTES + pkt->payload_bytes;
    bytes[0] = (unsigned char)(WEIR_WIRE_VERSION << 4 | pkt->class_id << 1);
    bytes[1] = pkt->kind;
    bytes[2] = bytes[3] = 0;
    put(bytes + 4, 8, token);
    put(bytes + 12, 8, 1);
    put(bytes + 20, 4, 0);
    put(bytes + 24, 4, pkt->conn);
    put(bytes + 28, 4, pkt->msg);
    put(bytes + 32, 4, pkt->seq);
    put(bytes + 36, 4, pkt->ack);
    put(bytes + 40, 8, pkt->msg_bytes);
    bytes[48] = pkt->flags_low | 0x80; /* the checksum is of the payload too */
    put(bytes + 20, 4, weir_crc32c(0, bytes, length));
    return length;
}
