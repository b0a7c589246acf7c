/* test/prop/test_collective_time.c - how long collective operations take, against what is computed by hand, on a star of 16 hosts at
 * 100 Gb/s with cables of 1 us: all-reduce of 16 MiB by a ring and by halving and doubling, within 1.5 %. */
#include "test/unit/program/program_fixture.h"
#include <math.h>

enum { RANKS = 16, LEVELS = 4, PAYLOAD = 1460, WIRE = 1538, ACK = 84, PS_PER_BYTE = 80 };
#define S (UINT64_C(16) << 20)

/* A rank sends m bytes and receives as many, so its link to the switch also has the ACKs of what it receives. Then the last packet
 * crosses two cables and is sent by the switch. */
static double step_us(uint64_t m)
{
    uint64_t packets = (m + PAYLOAD - 1) / PAYLOAD, bytes = m + packets * (WIRE - PAYLOAD + ACK);
    return ((double)bytes * PS_PER_BYTE + WIRE * PS_PER_BYTE) / 1e6 + 2;
}

static void takes(const char *protocol, const char *algorithm, double us, double messages)
{
    char text[512];
    struct weir_result r;
    double is_us, busbw;
    (void)snprintf(text, sizeof(text),
                   STAR(16) "protocol: %s\ntraffic: [{kind: collective, algorithm: %s, bytes: 16777216 B}]\n" RUN_ALL,
                   protocol, algorithm);
    r = run_text(text, 1);
    is_us = (double)(r.jobs->job[0].end_ps - r.jobs->job[0].start_ps) / 1e6;
    busbw = (double)weir_job_busbw(&r.jobs->job[0]) / 1e9;
    (void)printf("%s, %s: %.1f us, by hand %.1f (%+.2f %%), busbw %.2f GB/s\n", algorithm, protocol, is_us, us,
                 100 * (is_us / us - 1), busbw);
    assert_true(fabs(is_us / us - 1) < 0.015);
    assert_true(fabs(busbw - (double)S / is_us * 2 * (RANKS - 1) / RANKS / 1e3) < 1e-3);
    assert_true((double)r.jobs->job[0].ended == messages);
    weir_result_free(&r);
}

static void a_ring_takes_its_steps_one_after_the_other(void **state)
{
    double us = 2 * (RANKS - 1) * step_us(S / RANKS);
    (void)state;
    takes("dctcp", "ring", us, RANKS * 2 * (RANKS - 1));
    takes("ndp", "ring", us, RANKS * 2 * (RANKS - 1));
    takes("homa", "ring", us, RANKS * 2 * (RANKS - 1));
}

static void halving_and_doubling_take_smaller_steps_then_larger_ones(void **state)
{
    double us = 0;
    (void)state;
    for (int k = 1; k <= LEVELS; k++)
        us += 2 * step_us(S >> k);
    takes("dctcp", "halving-doubling", us, RANKS * 2 * LEVELS);
    takes("ndp", "halving-doubling", us, RANKS * 2 * LEVELS);
    takes("homa", "halving-doubling", us, RANKS * 2 * LEVELS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_ring_takes_its_steps_one_after_the_other, end),
        cmocka_unit_test_teardown(halving_and_doubling_take_smaller_steps_then_larger_ones, end),
    };
    return cmocka_run_group_tests_name("prop/collective_time", tests, NULL, NULL);
}
