/* src/simulator/carrier/carrier.c - what can be said to all ranks before the simulation begins. */
#include "carrier/carrier.h"

/* Exchanges messages of `bytes` bytes: value to each rank for which `to` has a bit. in: WEIR_SIM_RANKS_MAX buffers,
 * empty, which the caller frees. @return 0, or a code with err */
static int send_to(struct weir_carrier *c, const void *value, size_t bytes, uint64_t to, struct weir_buffer *in,
                   struct weir_err *err)
{
    struct weir_buffer out[WEIR_SIM_RANKS_MAX] = { 0 };
    int code = 0;
    for (uint32_t q = 0; q < c->ranks; q++) {
        if ((to >> q & 1) != 0)
            weir_buffer_put(&out[q], value, bytes);
        if (out[q].out_of_memory)
            code = weir_fail_memory(err);
    }
    if (code == 0)
        code = c->exchange(c, out, in, err);
    for (uint32_t q = 0; q < c->ranks; q++)
        weir_buffer_free(&out[q]);
    return code;
}

static void free_all(struct weir_buffer *in, uint32_t ranks)
{
    for (uint32_t q = 0; q < ranks; q++)
        weir_buffer_free(&in[q]);
}

int weir_carrier_share(struct weir_carrier *c, void *value, size_t bytes, struct weir_err *err)
{
    struct weir_buffer in[WEIR_SIM_RANKS_MAX] = { 0 };
    int code = send_to(c, value, bytes, c->rank == 0 ? ~UINT64_C(1) : 0, in, err);
    if (code == 0 && c->rank != 0) {
        struct weir_cursor from = weir_cursor_of(&in[0]);
        weir_cursor_take(&from, value, bytes);
    }
    free_all(in, c->ranks);
    return code;
}

int weir_carrier_count(struct weir_carrier *c, bool is, uint64_t *count, struct weir_err *err)
{
    struct weir_buffer in[WEIR_SIM_RANKS_MAX] = { 0 };
    int code = send_to(c, &is, sizeof(is), ~(UINT64_C(1) << c->rank), in, err);
    *count = is;
    for (uint32_t q = 0; code == 0 && q < c->ranks; q++) {
        struct weir_cursor from = weir_cursor_of(&in[q]);
        bool other = false;
        if (q != c->rank)
            weir_cursor_take(&from, &other, sizeof(other));
        *count += other;
    }
    free_all(in, c->ranks);
    return code;
}
