/* test/unit/limit_bench.h - decisions at their limits. A row calls one function three times: with what it
 * compares one below the limit, equal, and one above. Its three answers are computed by hand. */
#ifndef WEIR_TEST_LIMIT_BENCH_H
#define WEIR_TEST_LIMIT_BENCH_H
#include "test/unit/weir_test.h"
#include <inttypes.h>

#define NOW UINT64_C(77000000)

struct limit_row {
    const char *name;
    uint64_t (*call)(int at); /* at: -1, 0 and 1 */
    uint64_t answer[3];
};
#define LIMIT(function, below, equal, above)                                                                           \
    {                                                                                                                  \
#function, function,                                                                                           \
        {                                                                                                              \
            below, equal, above                                                                                        \
        }                                                                                                              \
    }

/* Returns value + by. */
static inline uint64_t limit_off(uint64_t value, int by)
{
    return value + (uint64_t)(int64_t)by;
}

static inline void limit_rows_hold(const struct limit_row *row, size_t count)
{
    uint32_t wrong = 0;
    for (size_t i = 0; i < count; i++)
        for (int at = -1; at <= 1; at++) {
            uint64_t is = row[i].call(at), wanted = row[i].answer[at + 1];
            if (is != wanted)
                print_message("%s at %+d: %" PRIu64 ", not %" PRIu64 "\n", row[i].name, at, is, wanted);
            wrong += is != wanted;
        }
    assert_int_equal(wrong, 0);
}
#endif
