/* test/net/test_warm.c - an endpoint that is warm asks the heap for nothing, whatever its protocol, with keys and
 * without: the second half of a load of random sizes, with loss and with little memory. */
#include "test/unit/weir_test.h"
#include "test/net/world.h"
#include "seal/crypto.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS_NS UINT64_C(1000000)

enum { OPERATIONS = 1000 };

static const char *const laws[] = { "sird",  "homa unsched_max=64KB window=64KB loss_timeout=10ms",
                                    "dctcp", "ndp window=64KB loss_timeout=10ms",
                                    "swift", "soze",
                                    "dart" };
static char key_file[] = "/tmp/weir-warm-XXXXXX";

/* All are connected before the load begins. */
static struct world *connected(const struct world_config *cfg)
{
    struct world_config quiet = *cfg;
    struct world *w;
    quiet.fault = (struct weir_fault_config){ .seed = cfg->fault.seed };
    w = world_new(&quiet);
    w->cfg.traffic.operations = 0;
    for (uint32_t i = 0; i < cfg->endpoints; i++)
        for (uint32_t n = 0; n < cfg->endpoints; n++)
            if (n != i)
                (void)world_start(w, i, n, WORLD_SEND, 100, 0);
    world_run_all(w, 1000 * MS_NS);
    w->cfg.traffic.operations = w->started + cfg->traffic.operations;
    for (uint32_t i = 0; i < cfg->endpoints; i++)
        weir_fault_set(w->end[i].net, &cfg->fault);
    return w;
}

static void second_half_allocates_nothing(const struct world_config *cfg, const char *what)
{
    struct world *w = connected(cfg);
    uint64_t warm;
    while (w->cfg.traffic.operations - w->started > cfg->traffic.operations / 2)
        world_run_until(w, world_now_ns(w) + MS_NS / 50);
    assert_true(w->cfg.traffic.operations - w->started > cfg->traffic.operations / 4);
    warm = world_allocations(w);
    world_run_all(w, 100000 * MS_NS);
    assert_int_equal(w->ended, w->ops);
    if (world_reserves(w) && world_allocations(w) != warm)
        fail_msg("%s: %u allocations in the second half", what, (unsigned)(world_allocations(w) - warm));
    world_check(w);
    world_free(w);
}

static void of_all_laws(const char *protection)
{
    for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
        struct world_config cfg = world_defaults(OPERATIONS, 31 + i);
        cfg.opts.cc = laws[i];
        cfg.opts.protection = protection;
        cfg.opts.key_file = protection != NULL ? key_file : NULL;
        cfg.fault.in.loss_ppm = i % 2 == 0 ? 0 : 10000;
        second_half_allocates_nothing(&cfg, laws[i]);
        cfg.opts.max_ops = 24; /* memory is short all the time, and blocks of one size make room for others */
        cfg.opts.tx_bytes = cfg.opts.rx_bytes = 256 << 10;
        cfg.traffic.bytes_max = 60000;
        cfg.traffic.under_way = 64;
        second_half_allocates_nothing(&cfg, laws[i]);
    }
}

static void without_keys(void **state)
{
    (void)state;
    of_all_laws(NULL);
}

static void with_keys(void **state)
{
    (void)state;
    if (!weir_crypto_ready())
        skip();
    of_all_laws("aead");
}

static int write_key(void **state)
{
    static const char line[] = "1 fleet AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\n";
    int fd = mkstemp(key_file);
    (void)state;
    return fd < 0 || write(fd, line, sizeof(line) - 1) != (ssize_t)sizeof(line) - 1 || close(fd) != 0;
}

static int remove_key(void **state)
{
    (void)state;
    return unlink(key_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(without_keys), cmocka_unit_test(with_keys) };
    return cmocka_run_group_tests_name("net/warm", tests, write_key, remove_key);
}
