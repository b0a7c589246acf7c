/* test/unit/driver/test_device.c - what is said of devices; only the loopback device is everywhere. */
#include "test/unit/weir_test.h"
#include "driver/device.h"
#include <errno.h>
#include <net/if.h>
#include <string.h>

static void loopback_is_found_by_name_and_by_address(void **state)
{
    static const char *const texts[] = { "127.0.0.1", "127.9.9.9" };
    uint32_t by_name, mtu;
    uint64_t rate_bps;
    (void)state;
    assert_int_equal(weir_net_device(&(struct weir_net_addr){ 0 }, "lo", &by_name, &rate_bps), 0);
    assert_true(by_name >= 1280);
    assert_int_equal(rate_bps, 0); /* nobody knows its speed */
    for (size_t i = 0; i < 2; i++) {
        struct weir_net_addr addr;
        assert_int_equal(weir_net_addr_parse(texts[i], &addr), 0);
        assert_int_equal(weir_net_device(&addr, NULL, &mtu, &rate_bps), 0);
        assert_int_equal(mtu, by_name);
    }
}

static void any_address_resolves_to_a_device(void **state)
{
    struct weir_net_addr addr;
    uint32_t mtu;
    uint64_t rate_bps;
    (void)state;
    assert_int_equal(weir_net_addr_parse(":1", &addr), 0);
    assert_true(weir_net_addr_is_any(&addr));
    assert_int_equal(weir_net_device(&addr, NULL, &mtu, &rate_bps), 0);
    assert_true(mtu >= 68); /* the least that IPv4 allows */
}

static void default_mtus_of_loopback_and_any_address_are_equal(void **state)
{
    struct weir_net_addr any, addr;
    (void)state;
    assert_int_equal(weir_net_addr_parse(":1", &any), 0);
    assert_int_equal(weir_net_addr_parse("127.0.0.1", &addr), 0);
    assert_int_equal(weir_net_mtu_default(&addr, NULL), weir_net_mtu_default(&any, NULL));
    assert_int_equal(weir_net_mtu_default(&addr, "lo"), weir_net_mtu_default(&any, NULL));
    assert_int_equal(weir_net_addr_parse("203.0.113.77", &addr), 0); /* nobody's */
    assert_int_equal(weir_net_mtu_default(&addr, NULL), 0);
    assert_int_equal(weir_net_mtu_default(&any, "nosuchdevice"), 0);
}

static void a_missing_device_is_reported(void **state)
{
    struct weir_net_addr addr;
    uint32_t mtu = 5;
    uint64_t rate_bps = 5;
    (void)state;
    assert_int_equal(weir_net_addr_parse("203.0.113.77", &addr), 0); /* of RFC 5737: nobody's */
    assert_false(weir_net_addr_is_any(&addr));
    assert_int_equal(weir_net_device(&addr, NULL, &mtu, &rate_bps), -ENODEV);
    assert_int_equal(mtu, 0);
    assert_int_equal(rate_bps, 0);
    assert_int_equal(weir_net_device(&addr, "nosuchdevice", &mtu, &rate_bps), -ENODEV);
    assert_int_equal(weir_net_device(&addr, "a-name-longer-than-any-device", &mtu, &rate_bps), -ENODEV);
}

static void the_list_has_the_loopback_device(void **state)
{
    char list[256], little[3];
    (void)state;
    weir_net_device_list(list, sizeof(list));
    assert_non_null(strstr(list, "lo"));
    weir_net_device_list(little, sizeof(little));
    assert_true(strlen(little) <= 2);
}

static void the_loopback_device_has_no_ethernet_address(void **state)
{
    uint8_t mac[6], ip[4];
    (void)state;
    assert_int_equal(weir_net_device_mac("lo", mac), -ENOTSUP);
    assert_int_equal(weir_net_device_mac("nosuchdevice", mac), -ENODEV);
    assert_int_equal(weir_net_device_ip4("lo", ip), 0);
    assert_int_equal(ip[0], 127);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loopback_is_found_by_name_and_by_address),
        cmocka_unit_test(any_address_resolves_to_a_device),
        cmocka_unit_test(default_mtus_of_loopback_and_any_address_are_equal),
        cmocka_unit_test(a_missing_device_is_reported),
        cmocka_unit_test(the_list_has_the_loopback_device),
        cmocka_unit_test(the_loopback_device_has_no_ethernet_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
