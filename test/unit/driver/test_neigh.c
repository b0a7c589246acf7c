/* test/unit/driver/test_neigh.c - next hops, in a namespace of our own. */
#define _GNU_SOURCE
#include "test/unit/weir_test.h"
#include "driver/neigh.h"
#include "test/unit/driver/veth.h"
#include <net/if.h>

static struct veth v;

static int set_up(void **state)
{
    (void)state;
    if (!veth_open(&v, 1500))
        print_message("%s: not tested\n", v.why);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    veth_close(&v);
    return 0;
}

static void next_hops_are_the_kernels(void **state)
{
    static const uint8_t peer[4] = { 10, 77, 0, 2 }, other[4] = { 10, 77, 0, 3 }, own[4] = { 10, 77, 0, 1 },
                         far[4] = { 10, 88, 1, 1 }, nowhere[4] = { 10, 99, 1, 1 }, broadcast[4] = { 10, 77, 0, 255 },
                         mac[6] = { 2, 0, 0, 0, 0x77, 2 };
    uint8_t got[6] = { 0 };
    (void)state;
    if (v.why[0] != '\0')
        skip();
    uint32_t device = if_nametoindex("wv0");
    int fd = weir_neigh_open();
    assert_true(fd >= 0);
    assert_int_equal(weir_neigh_find(fd, device, peer, got), -ENOENT); /* nobody has asked for it */
    assert_int_equal(veth_run("ip neigh add 10.77.0.2 lladdr 02:00:00:00:77:02 dev wv0 nud permanent"), 0);
    assert_int_equal(weir_neigh_find(fd, device, peer, got), 0);
    assert_memory_equal(got, mac, 6);
    memset(got, 0, sizeof(got));
    assert_int_equal(weir_neigh_find(fd, device, far, got), -ENETUNREACH);
    assert_int_equal(veth_run("ip route add 10.88.0.0/16 via 10.77.0.2"), 0);
    assert_int_equal(weir_neigh_find(fd, device, far, got), 0); /* the gateway's */
    assert_memory_equal(got, mac, 6);
    assert_int_equal(weir_neigh_find(fd, device + 1000, peer, got), -ENETUNREACH);
    assert_int_equal(weir_neigh_find(fd, device, own, got), -ENETUNREACH);
    assert_int_equal(weir_neigh_find(fd, device, broadcast, got), -ENETUNREACH);
    assert_int_equal(weir_neigh_find(fd, device, nowhere, got), -ENETUNREACH);
    assert_int_equal(weir_neigh_find(fd, device, other, got), -ENOENT);
    assert_int_equal(close(fd), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(next_hops_are_the_kernels, set_up, tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
