/* test/unit/solve/rpm_fixture.h - models with numbers that can be worked out by hand, and the six that are recomputed from the paper. */
#ifndef WEIR_TEST_RPM_FIXTURE_H
#define WEIR_TEST_RPM_FIXTURE_H
#include "test/unit/weir_test.h"
#include "solve/rpm.h"
#include <math.h>

/* Relative. */
static inline void is_near(double value, double want, double tolerance)
{
    if (!(fabs(value - want) <= tolerance * fabs(want)))
        fail_msg("%.12g is not %.12g", value, want);
}

/* gamma = 1/6; at s = -ln 2 the exponentials are 4 and 2. */
static const struct weir_rpm_model small = { .capacity_pps = 1, .rtt_s = 2, .short_rtt_s = 1, .a = 1, .b = 0.5 };

/* Forward marking, gamma = 1/3. */
static const struct weir_rpm_model forward = { .capacity_pps = 1, .rtt_s = 1, .short_rtt_s = 1, .a = 1, .b = 0.5 };

struct known { /* a = 1, b = 1/2; computed apart from this program, to the digits that are written */
    struct weir_rpm_model model;
    double gamma, printed, eta_below, right, eta_max, limit, limit_forward; /* eta_below: at 1.01 s*; 0 = not known */
};

static const struct known known[] = {
    { { 1000, 0.1, 0.02, 1, 0.5 }, 0.09998, -2101, -2.12, -0.198355, 1.979e-8, 2.0472e-5, 4.0117e-6 },
    { { 1000, 0.1, 0.05, 1, 0.5 }, 0.09998, -2681, -2.71, -0.198951, 1.979e-8, 8.0683e-6, 4.0117e-6 },
    { { 1000, 0.1, 0.09, 1, 0.5 }, 0.09998, -10540, 0, -0.199757, 1.979e-8, 4.4605e-6, 4.0117e-6 },
    { { 833333, 0.04, 0.02, 1, 0.5 }, 0.00075, -2222000, 0, -0.00149998, 1.62e-18, 2.16006e-13, 1.08e-13 },
    { { 833333, 0.1, 0.02, 1, 0.5 }, 0.00012, -1736000, 0, -0.000239998, 4.147e-20, 3.45611e-14, 6.912e-15 },
    { { 833333, 1e-4, 5e-5, 1, 0.5 }, 120, -2236000, -2.71, -238.475, 4.094e-8, 1.39635e-5, 6.9355e-6 },
};
#define KNOWN_COUNT (sizeof(known) / sizeof(known[0]))
#endif
