/* test/unit/testbed/test_capture.c - what a switch in user space has captured is read as it was written. */
#include "test/unit/weir_test.h"
#include "soft/capture.h"
#include "testbed/capture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 4 };
static const char text[] = "protocol: {name: none}\ntraffic: [{kind: permutation, size: 1 KB}]\n"
                           "topology: {kind: star, hosts: 3, host_link: 100 Mbps, host_delay: 1 us}\n";
static const struct weir_capture_frame written[FRAMES] = { { 1, 2, 60, true },
                                                           { 3000000000001, 0, 64, false },
                                                           { 3000000000002, 1, 65, true },
                                                           { 3000000000003, 2, 1514, false } };
static struct weir_capture_frame got[FRAMES + 1];
static uint32_t gots;
static struct weir_scenario scn;
static struct weir_setup su;
static struct weir_err err;
static char path[40];

static int take(void *ctx, const struct weir_capture_frame *frame)
{
    assert_ptr_equal(ctx, &gots);
    assert_true(gots < FRAMES);
    got[gots++] = *frame;
    return 0;
}

static int setup(void **state)
{
    int fd;
    (void)state;
    (void)snprintf(path, sizeof(path), "/tmp/weir-capture-XXXXXX");
    fd = mkstemp(path);
    return fd < 0 || close(fd) != 0 || weir_scenario_parse(&scn, "test.yaml", text, strlen(text), NULL, 0, &err) != 0 ||
           weir_setup_fabric(&su, &scn, &err) != 0;
}

static int teardown(void **state)
{
    (void)state;
    weir_setup_free(&su);
    weir_scenario_free(&scn);
    return unlink(path);
}

static void write_all(uint32_t snaplen)
{
    static const unsigned char bytes[2048];
    struct weir_soft_capture capture;
    assert_int_equal(weir_soft_capture_open(&capture, path, snaplen, &su.topo, &err), 0);
    for (uint32_t i = 0; i < FRAMES; i++)
        weir_soft_capture_frame(&capture, written[i].came ? WEIR_SOFT_CAME : WEIR_SOFT_LEFT, written[i].host,
                                written[i].at_ps, bytes, written[i].length);
    assert_true(weir_soft_capture_close(&capture));
}

static long size(void)
{
    FILE *file = fopen(path, "r");
    long at;
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    at = ftell(file);
    (void)fclose(file);
    return at;
}

static void frames_are_read_as_they_were_written_also_cut(void **state)
{
    static const uint32_t snaplen[] = { 0, 64 };
    long bytes[2];
    (void)state;
    for (uint32_t k = 0; k < 2; k++) {
        write_all(snaplen[k]);
        bytes[k] = size();
        gots = 0;
        assert_int_equal(weir_capture_read(path, take, &gots, &err), 0);
        assert_int_equal(gots, FRAMES);
        for (uint32_t i = 0; i < FRAMES; i++) {
            assert_int_equal(got[i].at_ps, written[i].at_ps);
            assert_int_equal(got[i].host, written[i].host);
            assert_int_equal(got[i].length, written[i].length);
            assert_int_equal(got[i].came, written[i].came);
        }
    }
    assert_int_equal(bytes[0] - bytes[1], (68 - 64) + (1516 - 64)); /* padded to 4 */
}

static void what_is_cut_off_or_no_capture_is_refused(void **state)
{
    FILE *file;
    (void)state;
    write_all(0);
    assert_int_equal(truncate(path, size() - 1), 0);
    gots = 0;
    assert_int_equal(weir_capture_read(path, take, &gots, &err), WEIR_E_FILE);
    assert_int_equal(gots, FRAMES - 1);
    file = fopen(path, "w");
    assert_non_null(file);
    (void)fputs("no capture, but long enough", file);
    (void)fclose(file);
    assert_int_equal(weir_capture_read(path, take, &gots, &err), WEIR_E_FILE);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(weir_capture_read(path, take, &gots, &err), WEIR_E_FILE);
    assert_int_equal(weir_capture_read("/nowhere/capture", take, &gots, &err), WEIR_E_FILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(frames_are_read_as_they_were_written_also_cut, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_cut_off_or_no_capture_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests_name("testbed/capture", tests, NULL, NULL);
}
