/* src/transport/endpoint/head.c - the endpoint's header: the first 16 bytes of every message, big-endian (doc/wire.md).
 *
 *   0 u8 kind   1 u8 0   2 u16 0   4 u32 result   8 u64 rpc
 *
 * Kinds: 1 one-way, 2 call, 3 reply, 4 one-way whose release is answered by an empty reply. */
#include "endpoint/head.h"
#include <string.h>

#define EP_RESULT_MAX 4095 /* the largest error of an application; errno values are below WEIR_APP_ERROR */
_Static_assert(WEIR_APP_ERROR + WEIR_APP_ERROR_MAX == EP_RESULT_MAX, "weir.h has the same");

void ep_head_write(unsigned char *out, uint8_t kind, uint32_t result, uint64_t rpc)
{
    memset(out, 0, EP_HEAD_BYTES);
    out[0] = kind;
    for (unsigned i = 0; i < 4; i++)
        out[4 + i] = (unsigned char)(result >> (24 - 8 * i));
    for (unsigned i = 0; i < 8; i++)
        out[8 + i] = (unsigned char)(rpc >> (56 - 8 * i));
}

bool ep_head_read(const unsigned char *in, uint8_t *kind, uint32_t *result, uint64_t *rpc)
{
    *kind = in[0];
    *result = 0;
    *rpc = 0;
    for (unsigned i = 0; i < 4; i++)
        *result = *result << 8 | in[4 + i];
    for (unsigned i = 0; i < 8; i++)
        *rpc = *rpc << 8 | in[8 + i];
    if (in[1] != 0 || in[2] != 0 || in[3] != 0 || *kind < EP_SEND || *kind > EP_RELEASED)
        return false;
    if (*kind == EP_SEND && *rpc != 0)
        return false;
    return *kind == EP_REPLY ? *result <= EP_RESULT_MAX : *result == 0;
}
