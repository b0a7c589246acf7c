/* test/unit/wire/test_crc32c.c - known answers, and every way of computing it against the definition, bit by bit. */
#include "test/unit/weir_test.h"
#include "wire/crc32c.h"
#include "wire/wire.h"
#include <string.h>

static uint32_t by_definition(uint32_t crc, const unsigned char *p, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < 8 * size; i++) {
        uint32_t bit = (crc ^ (uint32_t)(p[i / 8] >> i % 8)) & 1;
        crc = crc >> 1 ^ (bit != 0 ? 0x82f63b78 : 0);
    }
    return ~crc;
}

/* RFC 3720, appendix B.4, and the check value every catalogue of CRCs gives. */
static void checksums_match_published_values(void **state)
{
    static const unsigned char read_command[48] = {
        [0] = 0x01, [1] = 0xc0, [16] = 0x14, [22] = 0x04, [27] = 0x14, [31] = 0x18, [32] = 0x28, [40] = 0x02
    };
    unsigned char bytes[32];
    (void)state;
    memset(bytes, 0, sizeof(bytes));
    assert_int_equal(weir_crc32c(0, bytes, 32), 0x8a9136aa);
    memset(bytes, 0xff, sizeof(bytes));
    assert_int_equal(weir_crc32c(0, bytes, 32), 0x62a8ab43);
    for (unsigned i = 0; i < 32; i++)
        bytes[i] = (unsigned char)i;
    assert_int_equal(weir_crc32c(0, bytes, 32), 0x46dd794e);
    for (unsigned i = 0; i < 32; i++)
        bytes[i] = (unsigned char)(31 - i);
    assert_int_equal(weir_crc32c(0, bytes, 32), 0x113fdb5c);
    assert_int_equal(weir_crc32c(0, read_command, sizeof(read_command)), 0xd9963a56);
    assert_int_equal(weir_crc32c(0, "123456789", 9), 0xe3069283);
    assert_int_equal(weir_crc32c(0, "", 0), 0);
    assert_int_equal(weir_crc32c(weir_crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
}

static void tables_and_instruction_agree_with_the_definition(void **state)
{
    unsigned char bytes[300];
    uint64_t x = 88172645463325252u; /* fixed: a failure repeats */
    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        bytes[i] = (unsigned char)x;
    }
    for (size_t from = 0; from < 9; from++) { /* every alignment */
        for (size_t size = 0; size <= sizeof(bytes) - from; size++) {
            uint32_t begin = (uint32_t)(size * 0x9e3779b9u), crc = by_definition(begin, bytes + from, size);
            assert_int_equal(weir_crc32c_table(begin, bytes + from, size), crc);
            if (weir_crc32c_has_hardware())
                assert_int_equal(weir_crc32c_hardware(begin, bytes + from, size), crc);
        }
    }
}

static void every_entry_of_every_table_is_right(void **state)
{
    (void)state;
    for (unsigned at = 0; at < 8; at++) { /* byte `at` of eight goes by table 7 - at */
        for (unsigned value = 0; value < 256; value++) {
            unsigned char bytes[8] = { 0 };
            bytes[at] = (unsigned char)value;
            assert_int_equal(weir_crc32c_table(UINT32_MAX, bytes, 8), by_definition(UINT32_MAX, bytes, 8));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksums_match_published_values),
        cmocka_unit_test(tables_and_instruction_agree_with_the_definition),
        cmocka_unit_test(every_entry_of_every_table_is_right),
    };
    return cmocka_run_group_tests_name("wire/crc32c", tests, NULL, NULL);
}
