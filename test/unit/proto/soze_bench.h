/* test/unit/proto/soze_bench.h - one flow under Soze, and acknowledgements made by hand. */
#ifndef WEIR_TEST_SOZE_BENCH_H
#define WEIR_TEST_SOZE_BENCH_H
#include "test/unit/proto/law_bench.h"
#include "proto/soze/soze_core.h"
#include <math.h>

#define US WEIR_PS_PER_US
#define GBPS UINT64_C(1000000000)
#define ONE (UINT64_C(1) << 20)

static struct weir_soze_config cfg;
static struct weir_soze flow;
static uint64_t now_ps;

static inline void key(const char *name, const char *value)
{
    law_set(weir_soze_params, &cfg, name, value);
}

/* One packet comes back. @return the window afterwards, bytes */
static inline double ack(uint64_t delay_ps, uint64_t rtt_ps, uint64_t after_ps)
{
    struct weir_ack a = { .rtt_ps = rtt_ps, .acked_bytes = 1000, .qdelay_max_ps = delay_ps };
    a.now_ps = now_ps += after_ps;
    weir_soze_ops.on_ack(&flow.cc, &cfg, &a);
    return (double)flow.window_q16 / 65536;
}

static inline void set_window(double bytes)
{
    flow.window_q16 = (uint64_t)(bytes * 65536 + 0.5);
    flow.window_q32 = weir_log2_q32(flow.window_q16);
}

static inline void weigh(uint64_t weight_q20)
{
    weir_soze_ops.on_notice(&flow.cc, &cfg, &(struct weir_notice){ .kind = WEIR_NOTICE_WEIGHT, .value = weight_q20 });
}

static inline void assert_near(double is, double want, double off)
{
    if (!(fabs(is - want) <= off))
        fail_msg("%.12g is not within %g of %.12g", is, off, want);
}
#endif
