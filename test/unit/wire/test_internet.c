/* test/unit/wire/test_internet.c - checksums of RFC 1071 and RFC 1624 with numbers computed by hand, and classes as
 * DSCPs. */
#include "test/unit/weir_test.h"
#include "wire/internet.h"
#include <string.h>

/* The example of RFC 1071, section 3: 0001 f203 f4f5 f6f7 have the sum ddf2 with the carries added. */
static void the_sum_of_the_rfc(void **state)
{
    static const unsigned char data[8] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7 };
    unsigned char sum[2];
    (void)state;
    weir_sum_put(sum, weir_sum_fold(weir_sum_add(data, 8, 0)), false);
    assert_int_equal(get16(sum), 0xffff - 0xddf2);
}

/* An odd byte counts as the high half of a number. */
static void every_length_is_summed(void **state)
{
    static const unsigned char data[7] = { 1, 2, 3, 4, 5, 6, 7 };
    static const uint16_t want[8] = { 0, 0x0100, 0x0102, 0x0402, 0x0406, 0x0906, 0x090c, 0x100c };
    (void)state;
    for (uint32_t n = 0; n <= 7; n++) {
        unsigned char sum[2];
        weir_sum_put(sum, weir_sum_fold(weir_sum_add(data, n, 0)), false);
        assert_int_equal(get16(sum), 0xffff - want[n]);
    }
}

static void a_checksum_of_zero_is_written_as_ones_for_udp_alone(void **state)
{
    unsigned char sum[2];
    (void)state;
    weir_sum_put(sum, 0xffff, false);
    assert_int_equal(get16(sum), 0);
    weir_sum_put(sum, 0xffff, true);
    assert_int_equal(get16(sum), 0xffff);
    weir_sum_put(sum, weir_sum_fold(weir_sum_add((const unsigned char[]){ 0xff, 0xfe }, 2, 0)), true);
    assert_int_equal(get16(sum), 1);
}

/* The example of RFC 1624, section 4: the checksum is dd2f, and 5555 becomes 3285. The result is 0000, not ffff. */
static void the_update_of_the_rfc(void **state)
{
    (void)state;
    assert_int_equal(weir_sum_update(0xdd2f, 0x5555, 0x3285), 0x0000);
    assert_int_equal(weir_sum_update(0x0000, 0x3285, 0x5555), 0xdd2f);
    assert_int_equal(weir_sum_update(0x1234, 0xabcd, 0xabcd), 0x1234);
}

/* RFC 4594: CS5 = 101000, CS2 = 010000; the low two bits are ECN's. */
static void classes_become_dscps(void **state)
{
    (void)state;
    assert_int_equal(weir_wire_tos(0, 2), 0xa2);
    assert_int_equal(weir_wire_tos(1, 0), 0x80);
    assert_int_equal(weir_wire_tos(3, 3), 0x43);
    assert_int_equal(weir_wire_tos(4, 1), 0x01);
    assert_int_equal(weir_wire_tos(255, 0), 0);
}

static void dscps_become_classes(void **state)
{
    static const uint32_t want[8] = { 7, 7, 3, 2, 1, 0, 0, 0 }; /* of CS0 .. CS7 */
    (void)state;
    for (uint32_t tos = 0; tos < 256; tos++)
        assert_int_equal(weir_wire_class((uint8_t)tos), (tos >> 2 & 7) == 0 ? want[tos >> 5] : 7);
    for (uint32_t c = 0; c < 8; c++)
        assert_int_equal(weir_wire_class(weir_wire_tos((uint8_t)c, 3)), c < 4 ? c : 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_of_the_rfc),
        cmocka_unit_test(every_length_is_summed),
        cmocka_unit_test(a_checksum_of_zero_is_written_as_ones_for_udp_alone),
        cmocka_unit_test(the_update_of_the_rfc),
        cmocka_unit_test(classes_become_dscps),
        cmocka_unit_test(dscps_become_classes),
    };
    return cmocka_run_group_tests_name("wire/internet", tests, NULL, NULL);
}
