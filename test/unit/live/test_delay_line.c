/* test/unit/live/test_delay_line.c - a delay line opens its two devices, in a network namespace of the test. Without
 * CAP_SYS_ADMIN nothing is tested. */
#define _GNU_SOURCE
#include "test/unit/refusal.h"
#include "core/units.h"
#include "live/delay.h"
#include "test/unit/driver/veth.h"
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/socket.h>

enum { MTU = 1400 };

static struct veth v;
static struct weir_delay_line line;
static struct weir_delay delay;
static struct weir_err err;
static bool has_veth, is_open;

static int set_up(void **state)
{
    (void)state;
    is_open = false;
    has_veth = veth_open(&v, MTU);
    if (!has_veth)
        print_message("%s: not tested\n", v.why);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (is_open)
        weir_delay_close(&delay);
    veth_close(&v);
    return 0;
}

static int open_line(const char *first, const char *second, uint64_t delay_ps)
{
    line = (struct weir_delay_line){ .delay_ps = delay_ps };
    (void)snprintf(line.device[0], IF_NAMESIZE, "%s", first);
    (void)snprintf(line.device[1], IF_NAMESIZE, "%s", second);
    delay = (struct weir_delay){ .line = &line, .line_count = 1, .rate_bps = 8000000000 };
    is_open = true;
    return weir_delay_open(&delay, &err);
}

/* Returns the number of the device that a socket is bound to. */
static uint32_t bound_to(int fd)
{
    struct sockaddr_ll here = { 0 };
    socklen_t length = sizeof(here);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&here, &length), 0);
    return (uint32_t)here.sll_ifindex;
}

static void both_devices_are_opened_and_each_sends_what_the_other_receives(void **state)
{
    (void)state;
    if (!has_veth)
        return;
    if (open_line("lo", "wv0", 5 * WEIR_PS_PER_MS) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(bound_to(line.way[0].in), if_nametoindex("lo"));
    assert_int_equal(bound_to(line.way[1].in), if_nametoindex("wv0"));
    assert_int_equal(line.way[0].out, line.way[1].in);
    assert_int_equal(line.way[1].out, line.way[0].in);
    /* the smaller MTU, with headers of 32 B of the kernel, up to 16 for alignment, 10 of virtio and 14 of Ethernet */
    for (int i = 0; i < 2; i++)
        assert_in_range(line.way[i].slot_bytes, MTU + 32 + 10 + 14, MTU + 128);
    /* 1 GB/s for 5 ms are 5 MB; two BDP and 1 MiB */
    for (int i = 0; i < 2; i++)
        assert_int_equal(line.way[i].fifo.room_bytes, (10000000 + 1048576) / WEIR_DELAY_ALIGN * WEIR_DELAY_ALIGN);
}

/* Rings are read every half of the delay, at most 500 us; the least sleep is a 200th of it. */
static void intervals_follow_from_the_delay_up_to_a_limit(void **state)
{
    static const struct {
        uint64_t delay_ns, drain_ns, gap_ns;
    } table[] = {
        { 999998, 499999, 4999 },    { 1000000, 500000, 5000 },    { 1000002, 500000, 5000 },
        { 19999800, 500000, 99999 }, { 20000000, 500000, 100000 }, { 20000200, 500000, 100000 },
    };
    (void)state;
    for (size_t i = 0; has_veth && i < sizeof(table) / sizeof(*table); i++) {
        if (open_line("lo", "wv0", table[i].delay_ns * WEIR_PS_PER_NS) != 0)
            fail_msg("%s", err.text);
        assert_int_equal(delay.drain_ns, table[i].drain_ns);
        assert_int_equal(delay.gap_ns, table[i].gap_ns);
        weir_delay_close(&delay);
        is_open = false;
    }
}

static void the_device_that_does_not_exist_is_named(void **state)
{
    (void)state;
    if (!has_veth)
        return;
    assert_int_equal(open_line("lo", "nodev", 5 * WEIR_PS_PER_MS), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, "", "nodev");
    assert_true(line.way[0].in >= 0);
    assert_int_equal(line.way[1].in, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_devices_are_opened_and_each_sends_what_the_other_receives, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(intervals_follow_from_the_delay_up_to_a_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_device_that_does_not_exist_is_named, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("live/delay_line", tests, NULL, NULL);
}
