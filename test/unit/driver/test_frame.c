/* test/unit/driver/test_frame.c - frames byte by byte; the checksums below are added up by hand. */
#include "test/unit/weir_test.h"
#include "driver/frame.h"
#include <string.h>
#include <sys/socket.h>

static const uint8_t mac_a[6] = { 2, 0, 0, 0, 0, 1 }, mac_b[6] = { 2, 0, 0, 0, 0, 2 };
static const struct weir_net_addr a = { .ip = { 10, 0, 0, 1 }, .port = 8080, .family = AF_INET },
                                  b = { .ip = { 10, 0, 0, 2 }, .port = 9000, .family = AF_INET };

/* "a" and "bc" from a to b, class 0, ECT(0).
 * IP: 45a2 + 001f + 4000 + 4011 + 0a00 + 0001 + 0a00 + 0002 = d9d5, its complement 262a.
 * UDP: pseudo header 141f; 1f90 + 2328 + 000b + 6162 + 6300 + 141f = 11b44, folded 1b45, its complement e4ba. */
static const unsigned char abc[45] = {
    2,    0,    0,    0,    0,    2,    2,    0,    0,   0,   0,    1,    0x08, 0x00, /* Ethernet */
    0x45, 0xa2, 0x00, 0x1f, 0x00, 0x00, 0x40, 0x00, 64,  17,  0x26, 0x2a,             /* IPv4 */
    10,   0,    0,    1,    10,   0,    0,    2,                                      /* from, to */
    0x1f, 0x90, 0x23, 0x28, 0x00, 0x0b, 0xe4, 0xba, 'a', 'b', 'c',                    /* UDP */
};

static uint32_t write_abc(unsigned char *frame)
{
    struct weir_net_out out = {
        .to = &b, .head = "a", .body = "bc", .head_bytes = 1, .body_bytes = 2, .ecn = WEIR_NET_ECT0
    };
    return weir_frame_write(frame, mac_b, mac_a, &a, &out);
}

static void a_frame_matches_the_rfcs(void **state)
{
    unsigned char frame[64];
    (void)state;
    assert_int_equal(write_abc(frame), 45);
    assert_memory_equal(frame, abc, sizeof(abc));
}

static void a_written_frame_is_read_back(void **state)
{
    unsigned char frame[64] = { 0 };
    struct weir_net_in in;
    (void)state;
    uint32_t length = write_abc(frame);
    assert_int_equal(weir_frame_read(frame, length, &b, &in), WEIR_FRAME_OK);
    assert_ptr_equal(in.bytes, frame + 42);
    assert_int_equal(in.length, 3);
    assert_int_equal(in.ecn, WEIR_NET_ECT0);
    assert_memory_equal(&in.from, &a, sizeof(a));
    assert_int_equal(weir_frame_read(frame, 60, &b, &in), WEIR_FRAME_OK); /* filled up to Ethernet's 60 bytes */
    assert_int_equal(in.length, 3);
}

static void every_flipped_bit_is_detected(void **state)
{
    unsigned char frame[64];
    struct weir_net_in in;
    (void)state;
    uint32_t length = write_abc(frame);
    for (uint32_t bit = 14 * 8; bit < length * 8; bit++) { /* from the IP header on */
        frame[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_int_not_equal(weir_frame_read(frame, length, &b, &in), WEIR_FRAME_OK);
        frame[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

static void truncated_frames_are_left_to_the_kernel(void **state)
{
    unsigned char frame[64];
    struct weir_net_in in;
    (void)state;
    uint32_t length = write_abc(frame);
    for (uint32_t cut = 0; cut < length; cut++)
        assert_int_equal(weir_frame_read(frame, cut, &b, &in), WEIR_FRAME_OTHER);
    assert_int_equal(weir_frame_read(frame, length, &a, &in), WEIR_FRAME_OTHER);
}

static void a_checksum_may_be_absent_or_left_to_hardware(void **state)
{
    unsigned char frame[64];
    struct weir_net_in in;
    (void)state;
    uint32_t length = write_abc(frame);
    frame[40] = frame[41] = 0;
    assert_int_equal(weir_frame_read(frame, length, &b, &in), WEIR_FRAME_OK);
    frame[40] = 0x14; /* the sum of the pseudo header: 0a00 + 0001 + 0a00 + 0002 + 0011 + 000b */
    frame[41] = 0x1f;
    assert_int_equal(weir_frame_read(frame, length, &b, &in), WEIR_FRAME_OK);
    frame[41] = 0x20;
    assert_int_equal(weir_frame_read(frame, length, &b, &in), WEIR_FRAME_CHECKSUM);
}

/* 0000 would mean "no checksum". Pseudo header 141f - 3 + 2 = 141e (length 10), 1f90 + 2328 + 000a + 141e = 56e0; the payload
 * a91f makes it ffff, the complement 0000. */
static void a_checksum_of_zero_is_written_as_ones(void **state)
{
    static const unsigned char payload[2] = { 0xa9, 0x1f };
    struct weir_net_out out = { .to = &b, .head = payload, .head_bytes = 2 };
    unsigned char frame[64];
    struct weir_net_in in;
    (void)state;
    uint32_t length = weir_frame_write(frame, mac_b, mac_a, &a, &out);
    assert_int_equal(frame[40], 0xff);
    assert_int_equal(frame[41], 0xff);
    assert_int_equal(weir_frame_read(frame, length, &b, &in), WEIR_FRAME_OK);
}

static void every_length_is_summed_to_its_end(void **state)
{
    unsigned char data[64], frame[128];
    struct weir_net_in in;
    (void)state;
    memset(data, 0xee, sizeof(data));
    for (uint32_t head = 0; head <= 8; head++)
        for (uint32_t body = 0; body <= 40; body++) {
            struct weir_net_out out = {
                .to = &b, .head = data, .body = data, .head_bytes = (uint16_t)head, .body_bytes = (uint16_t)body
            };
            uint32_t length = weir_frame_write(frame, mac_b, mac_a, &a, &out);
            assert_int_equal(length, 42 + head + body);
            assert_int_equal(weir_frame_read(frame, length, &b, &in), WEIR_FRAME_OK);
            assert_int_equal(in.length, head + body);
            frame[length - 1] ^= 1;
            assert_int_not_equal(weir_frame_read(frame, length, &b, &in), WEIR_FRAME_OK);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_matches_the_rfcs),
        cmocka_unit_test(a_written_frame_is_read_back),
        cmocka_unit_test(every_flipped_bit_is_detected),
        cmocka_unit_test(truncated_frames_are_left_to_the_kernel),
        cmocka_unit_test(a_checksum_may_be_absent_or_left_to_hardware),
        cmocka_unit_test(a_checksum_of_zero_is_written_as_ones),
        cmocka_unit_test(every_length_is_summed_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
