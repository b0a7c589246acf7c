/* test/unit/raw/test_faults.c - a port of whole frames is opened and closed, and each call of the system fails once: the port is
 * refused by a sentence, and its device is as before; or it does without. */
#define _GNU_SOURCE
#include "test/unit/fault.h"
#include "raw/raw.h"
#include "test/unit/driver/veth.h"
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

enum { RING = 64 };

static struct veth v;
static enum weir_raw_kind kind;
static struct weir_raw_device first; /* as it is before each try */

/* Makes the device what it is before a try: a restore that failed has left it changed. */
static void set_device(void)
{
    struct ethtool_value on[] = { { .cmd = ETHTOOL_SGRO, .data = 1 },
                                  { .cmd = ETHTOOL_SFLAGS, .data = ETH_FLAG_RXVLAN } };
    struct ifreq request = { .ifr_name = "wv0" };
    struct weir_err err;
    int fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_true(fd >= 0);
    assert_int_equal(ioctl(fd, SIOCGIFFLAGS, &request), 0);
    request.ifr_flags = (short)(request.ifr_flags & ~IFF_UP);
    assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &request), 0);
    for (int i = 0; i < 2; i++) {
        request.ifr_data = (char *)&on[i];
        assert_int_equal(ioctl(fd, SIOCETHTOOL, &request), 0);
    }
    (void)close(fd);
    assert_int_equal(weir_raw_device_read(&first, "wv0", &err), 0);
    assert_true(first.gro && first.rx_vlan && !first.is_up);
}

static int set_up(void **state)
{
    (void)state;
    if (!veth_open(&v, 1500))
        print_message("%s: not tested\n", v.why);
    else
        assert_int_equal(veth_run("ip address flush dev wv0"), 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    veth_close(&v);
    return 0;
}

/* Asserts that a port that could not be opened has left its device as it was. */
static void assert_as_before(void)
{
    struct weir_raw_device after;
    struct weir_err err;
    assert_int_equal(weir_raw_device_read(&after, "wv0", &err), 0);
    assert_false(after.is_up || after.is_promiscuous);
    assert_int_equal(after.gro, first.gro);
    assert_int_equal(after.rx_vlan, first.rx_vlan);
}

static int open_and_close(struct weir_err *err)
{
    const struct weir_raw_options options = { .kind = kind, .ring_frames = RING };
    struct weir_raw_device device;
    struct weir_raw *raw = NULL;
    int code;
    fault_pause(true);
    set_device();
    fault_pause(false);
    code = weir_raw_device_read(&device, "wv0", err);
    if (code == 0)
        code = weir_raw_open(&raw, &device, &options, err);
    fault_pause(true);
    if (code != 0) {
        assert_null(raw);
        assert_as_before();
    }
    fault_pause(false);
    if (code != 0)
        return code;
    assert_int_equal(weir_raw_stats(raw)->rx_lost, 0);
    assert_true(weir_raw_fd(raw) >= 0);
    weir_raw_close(raw);
    return 0;
}

static void each_call_of_a_ring_of_packets_may_fail(void **state)
{
    static const struct fault_row rows[] = {
        { "socket", 1, EMFILE, WEIR_E_RUN, "wv0 cannot be read" },
        { "socket", 3, EMFILE, 0, NULL }, /* queues and offloads: as if it had none */
        { "socket", 6, EMFILE, WEIR_E_RUN, "offloads cannot be switched off" },
        { "socket", 9, EMFILE, WEIR_E_RUN, "cannot be brought up" },
        { "socket", 11, EMFILE, WEIR_E_RUN, "AF_PACKET: Too many open files" },
        { "socket", 13, EMFILE, 0, NULL }, /* when it is made what it was */
        { "ioctl", 1, EIO, WEIR_E_RUN, "wv0 cannot be read" },
        { "ioctl", 3, EIO, 0, NULL },
        { "ioctl", 6, EPERM, WEIR_E_RUN, "offloads cannot be switched off" },
        { "ioctl", 9, EPERM, WEIR_E_RUN, "cannot be brought up" },
        { "ioctl", 11, EIO, 0, NULL },
        { "setsockopt", 1, EPERM, WEIR_E_RUN, "not allowed to take all frames" },
        { "setsockopt", 2, EPERM, 0, NULL }, /* more room to send than the system's limit */
        { "setsockopt", 3, ENOPROTOOPT, WEIR_E_RUN, "AF_PACKET: Protocol not available" },
        { "getsockopt", 1, EIO, 0, NULL },
        { "mmap64", 1, ENOMEM, WEIR_E_RUN, "AF_PACKET: Cannot allocate memory" },
        { "bind", 1, EACCES, WEIR_E_RUN, "not allowed to take all frames" },
        { "calloc", 1, ENOMEM, WEIR_E_MEMORY, "memory" },
        { "calloc", 2, ENOMEM, WEIR_E_RUN, "AF_PACKET: Cannot allocate memory" },
        { "if_nametoindex", 1, ENODEV, WEIR_E_CONFLICT, "no network device wv0" },
        { "if_nametoindex", 2, ENODEV, 0, NULL }, /* it is gone when the port is closed */
        { "getifaddrs", 1, ENOMEM, 0, NULL },
        { "fopen64", 1, EMFILE, 0, NULL },
    };
    (void)state;
    if (v.why[0] != '\0')
        skip();
    kind = WEIR_RAW_TPACKET;
    assert_faults(open_and_close, rows);
}

static void each_call_of_af_xdp_may_fail(void **state)
{
    static const struct fault_row rows[] = {
        { "calloc", 1, ENOMEM, WEIR_E_MEMORY, "memory" },
        { "calloc", 2, ENOMEM, WEIR_E_RUN, "AF_XDP: Cannot allocate memory" },
        { "mmap64", 1, ENOMEM, WEIR_E_RUN, "AF_XDP: Cannot allocate memory" },
        { "bpf_map_create", 1, EPERM, WEIR_E_RUN, "not allowed to take all frames" },
        { "bpf_prog_load", 1, EACCES, WEIR_E_RUN, "not allowed to take all frames" },
        { "bpf_link_create", 1, EEXIST, WEIR_E_CONFLICT, "another XDP program" },
        { "bpf_map_update_elem", 1, E2BIG, WEIR_E_RUN, "AF_XDP: Argument list too long" },
    };
    (void)state;
    if (v.why[0] != '\0')
        skip();
    kind = WEIR_RAW_XDP;
    assert_faults(open_and_close, rows);
}

/* What AF_XDP lacks is no reason to have no port; a right that is missing, or a device that another program has, is one. */
static void without_af_xdp_a_port_has_rings_of_packets(void **state)
{
    static const struct fault_row rows[] = {
        { "bpf_map_create", 1, EINVAL, 0, NULL },
        { "bpf_prog_load", 1, EPERM, WEIR_E_RUN, "not allowed to take all frames" },
        { "bpf_link_create", 1, EBUSY, WEIR_E_CONFLICT, "another XDP program" },
        { "bpf_map_update_elem", 1, EIO, 0, NULL },
    };
    (void)state;
    if (v.why[0] != '\0')
        skip();
    kind = WEIR_RAW_AUTO;
    assert_faults(open_and_close, rows);
}

static int make_plain(struct weir_err *err)
{
    int code = weir_raw_device_plain("wv0", err);
    weir_raw_device_without_ipv6("wv0");
    return code;
}

static void offloads_of_a_host_are_switched_off_or_it_is_said(void **state)
{
    static const struct fault_row rows[] = {
        { "ioctl", 1, EOPNOTSUPP, 0, NULL }, /* what a device does not have is off */
        { "socket", 1, EMFILE, WEIR_E_RUN, "wv0: its offloads cannot be switched off: Too many open files" },
        { "fopen64", 1, EACCES, 0, NULL },
    };
    static const struct fault_row rights[] = { { "ioctl", 1, EPERM, WEIR_E_RUN, "Operation not permitted" } };
    (void)state;
    if (v.why[0] != '\0')
        skip();
    assert_faults(make_plain, rows);
    assert_faults(make_plain, rights);
}

/* Frames that the device has no room for are counted; what another error holds back leaves by the next call. */
static void what_a_device_does_not_take_is_counted(void **state)
{
    static const struct {
        int number;
        uint64_t failed;
    } rows[] = { { EAGAIN, 0 }, { ENOBUFS, 1 }, { EIO, 0 } };
    static const unsigned char bytes[60] = { 2, 0, 0, 0, 0x77, 9, 2, 0, 0, 0, 0x77, 8, 0x88, 0xb5 };
    const struct weir_raw_options options = { .kind = WEIR_RAW_TPACKET, .ring_frames = RING };
    struct weir_err err;
    struct weir_raw *raw;
    (void)state;
    if (v.why[0] != '\0')
        skip();
    set_device();
    assert_int_equal(weir_raw_open(&raw, &first, &options, &err), 0);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint64_t before = weir_raw_stats(raw)->tx_failed;
        assert_true(weir_raw_tx(raw, bytes, sizeof(bytes)));
        fault_set("send", 1, rows[i].number);
        weir_raw_kick(raw);
        assert_int_equal(fault_calls("send"), rows[i].number == EIO ? 1 : 2);
        fault_clear();
        weir_raw_kick(raw);
        assert_int_equal(fault_calls("send"), rows[i].number == EIO ? 1 : 0);
        assert_int_equal(weir_raw_stats(raw)->tx_failed - before, rows[i].failed);
    }
    weir_raw_close(raw);
}

/* Jumbo frames need larger slots, of which a block has fewer; AF_XDP has none of 3501 B and more. */
static void a_port_has_slots_for_its_longest_frames(void **state)
{
    static const struct {
        uint32_t mtu;
        enum weir_raw_kind kind;
    } rows[] = { { 3500, WEIR_RAW_XDP }, { 3501, WEIR_RAW_TPACKET }, { 9216, WEIR_RAW_TPACKET } };
    struct weir_err err;
    (void)state;
    if (v.why[0] != '\0')
        skip();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct weir_raw *raw;
        set_device();
        first.mtu_bytes = rows[i].mtu;
        assert_int_equal(weir_raw_open(&raw, &first, &(struct weir_raw_options){ .ring_frames = 1 }, &err), 0);
        assert_int_equal(weir_raw_kind(raw), rows[i].kind);
        weir_raw_close(raw);
    }
}

/* A port by AF_XDP takes 64 queues. What a port has not opened it does not close, so descriptor 0 is there as before. */
static void a_device_has_as_many_queues_as_a_port_can_take(void **state)
{
    static const struct {
        uint32_t queues;
        enum weir_raw_kind kind;
        int code;
    } rows[] = { { 64, WEIR_RAW_XDP, WEIR_E_RUN }, /* the device has fewer */
                 { 65, WEIR_RAW_XDP, WEIR_E_RUN },
                 { 65, WEIR_RAW_AUTO, 0 } };
    struct weir_err err;
    (void)state;
    if (v.why[0] != '\0')
        skip();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct weir_raw_options options = { .kind = rows[i].kind, .ring_frames = RING };
        uint32_t files = fault_open_files();
        struct weir_raw_device device;
        struct weir_raw *raw;
        set_device();
        device = first;
        device.queues = rows[i].queues;
        assert_int_equal(weir_raw_open(&raw, &device, &options, &err), rows[i].code);
        if (rows[i].code == 0)
            assert_int_equal(weir_raw_kind(raw), WEIR_RAW_TPACKET);
        else
            assert_non_null(
                strstr(err.text, rows[i].queues == 64 ? "AF_XDP: Invalid" : "AF_XDP: Operation not supported"));
        weir_raw_close(raw);
        assert_int_equal(fault_open_files(), files);
        assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_call_of_a_ring_of_packets_may_fail, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_call_of_af_xdp_may_fail, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_af_xdp_a_port_has_rings_of_packets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(offloads_of_a_host_are_switched_off_or_it_is_said, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_a_device_does_not_take_is_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_port_has_slots_for_its_longest_frames, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_device_has_as_many_queues_as_a_port_can_take, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("raw/faults", tests, NULL, NULL);
}
