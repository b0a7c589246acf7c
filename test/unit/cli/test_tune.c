/* test/unit/cli/test_tune.c - `weir tune` that a signal ends before its first run opens no result file. The campaign's
 * functions are wrapped (see meson.build). */
#include "test/unit/weir_test.h"
#include "cli/campaign.h"
#include "cli/cli.h"

enum { SIGNALLED = 143, OPENED = 77 };

static int interrupted;
static uint32_t opened;

int __wrap_weir_campaign_interrupted(const struct weir_campaign *c);
int __wrap_weir_campaign_open(struct weir_campaign *c, const struct weir_campaign_args *args);

int __wrap_weir_campaign_interrupted(const struct weir_campaign *c)
{
    (void)c;
    return interrupted;
}

int __wrap_weir_campaign_open(struct weir_campaign *c, const struct weir_campaign_args *args)
{
    (void)c, (void)args;
    opened++;
    return OPENED;
}

static int tune(void)
{
    static char words[][64] = { "tune",  "test/golden/aimd.yaml", "--key", "fabric.ecn.threshold=10 KB..20 KB",
                                "--for", "slowdown.all.p99" };
    char *argv[] = { words[0], words[1], words[2], words[3], words[4], words[5], NULL };
    opened = 0;
    return weir_cli_tune(6, argv);
}

static void a_signal_before_the_first_run_ends_the_command(void **state)
{
    (void)state;
    interrupted = SIGNALLED;
    assert_int_equal(tune(), SIGNALLED);
    assert_int_equal(opened, 0);
}

static void without_a_signal_the_result_file_is_opened(void **state)
{
    (void)state;
    interrupted = 0;
    assert_int_equal(tune(), OPENED);
    assert_int_equal(opened, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_before_the_first_run_ends_the_command),
        cmocka_unit_test(without_a_signal_the_result_file_is_opened),
    };
    return cmocka_run_group_tests_name("cli/tune", tests, NULL, NULL);
}
