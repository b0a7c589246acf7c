/* test/unit/driver/test_addr.c - addresses as text and as the kernel has them. */
#include "test/unit/weir_test.h"
#include "driver/net.h"
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

static void reads_as(const char *text, const char *want)
{
    struct weir_net_addr addr, again;
    char out[64];
    assert_int_equal(weir_net_addr_parse(text, &addr), 0);
    weir_net_addr_print(&addr, out, sizeof(out));
    assert_string_equal(out, want);
    assert_int_equal(weir_net_addr_parse(out, &again), 0);
    assert_memory_equal(&again, &addr, sizeof(addr));
}

static void text_is_read_and_printed(void **state)
{
    (void)state;
    reads_as("10.0.0.1:80", "10.0.0.1:80");
    reads_as("10.0.0.1", "10.0.0.1:0");
    reads_as(":65535", "0.0.0.0:65535");
    reads_as("[::1]:80", "[::1]:80");
    reads_as("[::]:7", "[::]:7");
    reads_as("[2001:DB8:0:0::5]", "[2001:db8::5]:0");
    reads_as("2001:db8::5", "[2001:db8::5]:0");
    reads_as("[fe80::1%4000000000]:9", "[fe80::1%4000000000]:9");
    reads_as("[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535", "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]:65535");
}

static void a_scope_may_be_a_device_name(void **state)
{
    struct weir_net_addr addr;
    (void)state;
    assert_int_equal(weir_net_addr_parse("[fe80::1%lo]:9", &addr), 0);
    assert_int_equal(addr.scope, if_nametoindex("lo"));
    assert_int_equal(addr.port, 9);
}

static void invalid_addresses_are_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "localhost:80",
        "10.0.0:80",
        "10.0.0.256:1",
        "10.0.0.1:",
        "10.0.0.1:65536",
        "10.0.0.1:-1",
        "10.0.0.1: 80",
        "10.0.0.1:8x",
        "[::1:80",
        "[::1]80",
        "[10.0.0.1]:80",
        "[::1%lo]:1",
        "[fe80::1%]:1",
        "[fe80::1%0]:1",
        "[]:80",
        "[fe80::1%nosuchdevice]:1",
        "1:2:3",
        "10.0.0.1:99999999999999999999",
        "[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0001]:80",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct weir_net_addr addr, none = { 0 };
        assert_int_equal(weir_net_addr_parse(bad[i], &addr), -EINVAL);
        assert_memory_equal(&addr, &none, sizeof(none));
    }
}

static void sockaddr_conversion_is_reversible(void **state)
{
    static const char *const texts[] = { "10.1.2.3:4567", "[2001:db8::1]:4567", "[fe80::1%3]:4567" };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct weir_net_addr addr, back;
        struct sockaddr_storage sa;
        assert_int_equal(weir_net_addr_parse(texts[i], &addr), 0);
        socklen_t length = weir_net_addr_to(&addr, &sa);
        assert_int_equal(length, i == 0 ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6));
        assert_int_equal(weir_net_addr_from(&back, (struct sockaddr *)&sa, length), 0);
        assert_memory_equal(&back, &addr, sizeof(addr));
        assert_int_equal(weir_net_addr_from(&back, (struct sockaddr *)&sa, length - 1), -EINVAL);
    }
}

static void an_ipv4_address_within_ipv6_is_that(void **state)
{
    (void)state;
    reads_as("[::ffff:10.0.0.1]:80", "10.0.0.1:80");
    reads_as("::ffff:10.0.0.1", "10.0.0.1:0");
    reads_as("[::fffe:10.0.0.1]:80", "[::fffe:a00:1]:80");
    reads_as("[1::ffff:10.0.0.1]:80", "[1::ffff:a00:1]:80");
}

static void unused_bytes_are_zero(void **state)
{
    struct weir_net_addr addr;
    struct sockaddr_in6 global = { .sin6_family = AF_INET6, .sin6_scope_id = 5 }; /* scope without meaning */
    struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(1) };
    static const uint8_t zeros[12];
    (void)state;
    memset(&in.sin_addr, 0x7f, sizeof(in.sin_addr));
    memset(&addr, 0xff, sizeof(addr));
    assert_int_equal(weir_net_addr_from(&addr, (struct sockaddr *)&in, sizeof(in)), 0);
    assert_memory_equal(addr.ip + 4, zeros, sizeof(zeros));
    assert_int_equal(addr.scope, 0);
    assert_int_equal(weir_net_addr_from(&addr, (struct sockaddr *)&global, sizeof(global)), 0);
    assert_int_equal(addr.scope, 0);
}

static void other_families_are_refused(void **state)
{
    struct weir_net_addr addr;
    struct sockaddr_storage sa = { .ss_family = AF_UNIX };
    char out[64];
    (void)state;
    assert_int_equal(weir_net_addr_from(&addr, (struct sockaddr *)&sa, sizeof(sa)), -EINVAL);
    weir_net_addr_print(&addr, out, sizeof(out));
    assert_string_equal(out, "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_read_and_printed),
        cmocka_unit_test(a_scope_may_be_a_device_name),
        cmocka_unit_test(invalid_addresses_are_refused),
        cmocka_unit_test(sockaddr_conversion_is_reversible),
        cmocka_unit_test(an_ipv4_address_within_ipv6_is_that),
        cmocka_unit_test(unused_bytes_are_zero),
        cmocka_unit_test(other_families_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
