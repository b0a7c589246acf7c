/* src/base/param/relative.c - values given as multiples of a BDP or of a base round trip: they are computed, and their
 * ranges checked, once the path is known. */
#include "core/math.h"
#include "param/param.h"
#include "param/row.h"
#include <stdbool.h>
#include <string.h>

/* Computes the values of a kind of rows that were given as multiples of `one`. */
static void resolve(const struct weir_param *rows, void *config, enum weir_param_kind kind, uint64_t one)
{
    for (; rows->key != NULL; rows++) {
        struct weir_size size;
        if (rows->kind != kind)
            continue;
        memcpy(&size, (char *)config + rows->offset, sizeof(size));
        if (size.bdp_milli != 0)
            size.bytes = weir_mul_div_u64(size.bdp_milli, one, 1000);
        memcpy((char *)config + rows->offset, &size, sizeof(size));
    }
}

void weir_param_resolve_bdp(const struct weir_param *rows, void *config, uint64_t bdp_bytes)
{
    resolve(rows, config, WEIR_KIND_BDP, bdp_bytes);
}

void weir_param_resolve_rtt(const struct weir_param *rows, void *config, uint64_t base_rtt_ps)
{
    resolve(rows, config, WEIR_KIND_RTT, base_rtt_ps);
}

int weir_param_check_relative(const struct weir_param *rows, const void *config, const struct weir_tok *where,
                              const char *section, struct weir_err *err)
{
    for (; rows->key != NULL; rows++) {
        struct weir_size size;
        char given[PARAM_PRINTED], bytes[PARAM_PRINTED], range[2 * PARAM_PRINTED + 8];
        if (!param_is_relative(rows))
            continue;
        memcpy(&size, (const char *)config + rows->offset, sizeof(size));
        if (size.bdp_milli == 0 || (size.bytes >= rows->min && size.bytes <= rows->max))
            continue;
        weir_param_print(rows, config, given, sizeof(given));
        if (rows->kind == WEIR_KIND_RTT && size.bytes == 0)
            return weir_fail(err, WEIR_E_RANGE, where, weir_unit_kind_example(WEIR_UNIT_TIME),
                             "%s: %s = %s, and the base round trip is not known here", section, rows->key, given);
        param_print_number(rows, size.bytes, false, bytes, sizeof(bytes));
        param_print_bounds(rows, false, range, sizeof(range));
        return weir_fail(err, WEIR_E_RANGE, where, rows->hint, "%s: %s = %s is %s here: must be %s", section, rows->key,
                         given, bytes, range);
    }
    return 0;
}
