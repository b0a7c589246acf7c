/* test/unit/bpf/test_law_keys.c - the keys of laws in the kernel: Soze's follow from the port, the text's win, what does not fit is refused. */
#include "test/unit/weir_test.h"
#include "bpf/law_keys.h"
#include "proto/dctcp/dctcp.h"
#include "proto/soze/soze.h"
#include "registry.h"
#include <string.h>

static struct weir_law_loaded loaded;
static struct weir_err err;

static int read_keys(const char *text, uint64_t port_bps)
{
    err = (struct weir_err){ 0 };
    return weir_law_keys_read(&(struct weir_law_options){ .text = text, .port_bps = port_bps }, &loaded, &err);
}

static const struct weir_soze_config *soze(const char *text, uint64_t port_bps)
{
    assert_int_equal(read_keys(text, port_bps), 0);
    return (const void *)loaded.keys.config;
}

/* A frame of 1514 B takes 60.56 us at 200 Mb/s, 12.112 us at 1 Gb/s. */
static void soze_s_times_are_frames_of_the_port(void **state)
{
    const struct weir_soze_config *c = soze("soze", UINT64_C(200000000));
    (void)state;
    assert_int_equal(c->k_ps, UINT64_C(605600000));
    assert_int_equal(c->p.ps, UINT64_C(3330800000));
    assert_int_equal(loaded.keys.rate_bps, UINT64_C(200000000));
    c = soze("soze", UINT64_C(1000000000));
    assert_int_equal(c->k_ps, UINT64_C(121120000));
    assert_int_equal(c->p.ps, UINT64_C(666160000));
    assert_int_equal(c->pace_ppm, 1250000);
    assert_int_equal(c->large_pkts, 4);
    assert_string_equal(loaded.name, "weir_soze");
}

static void without_a_port_they_are_the_paper_s(void **state)
{
    const struct weir_soze_config *c = soze("soze", 0);
    (void)state;
    assert_int_equal(c->k_ps, 3 * WEIR_PS_PER_US);
    assert_int_equal(c->p.ps, 20 * WEIR_PS_PER_US);
    assert_int_equal(loaded.keys.rate_bps, WEIR_SOZE_RATE_BPS);
}

static void what_the_text_says_wins(void **state)
{
    const struct weir_soze_config *c = soze("soze k=1ms m=0.5 beta=2Mbps large=9", UINT64_C(200000000));
    (void)state;
    assert_int_equal(c->k_ps, WEIR_PS_PER_MS);
    assert_int_equal(c->p.ps, UINT64_C(3330800000));
    assert_int_equal(c->m_ppm, 500000);
    assert_int_equal(c->beta_bps, 2000000);
    assert_int_equal(c->large_pkts, 9);
}

static void every_law_of_the_list_can_be_read(void **state)
{
    (void)state;
    for (size_t i = 0; weir_law_at(i) != NULL; i++) {
        assert_int_equal(read_keys(weir_law_at(i), 0), 0);
        assert_string_equal(loaded.protocol->name, weir_law_at(i));
        assert_true(loaded.protocol->config_bytes <= WEIR_TCP_CONFIG_BYTES);
        assert_int_equal(loaded.keys.least_cwnd_pkts, 2);
    }
    assert_int_equal(
        ((const struct weir_dctcp_config *)(read_keys("dctcp g=0.5", 0) == 0 ? loaded.keys.config : NULL))->g_ppm,
        500000);
}

/* A frame of 1514 B takes 258.07 us at 46.932 Mb/s, and 65 of them 16.7747 ms; the option holds 16.77696. */
static void a_port_may_be_as_slow_as_the_option_is_long(void **state)
{
    (void)state;
    assert_int_equal(read_keys("soze", UINT64_C(46932000)), 0);
    assert_int_not_equal(read_keys("soze", UINT64_C(46920000)), 0);
    assert_non_null(strstr(err.text, "the port is too slow"));
    assert_int_equal(read_keys("soze k=1ms p=9ms", UINT64_C(10000000)), 0);
    assert_int_equal(weir_law_keys_read(
                         &(struct weir_law_options){ .text = "soze k=9ms p=9ms", .port_bps = 10000000, .by_rtt = true },
                         &loaded, &err),
                     0);
}

static void what_does_not_fit_is_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } row[] = { { "", "law names no protocol" },
                { "sird", "sird does not run in the kernel's TCP" },
                { "sozee", "unknown protocol 'sozee'" },
                { "soze q=1", "unknown key 'q' in soze" },
                { "soze m", "'m' is no key=value" },
                { "soze m=5", "m = 5" },
                { "soze preset=none", "soze has no preset 'none'" },
                { "soze alpha=1Mbps beta=2Mbps", "alpha is no more than beta" },
                { "soze min_rate=300Mbps", "min_rate is more than" },
                { "soze p=3RTT", "p = 3 RTT, and the base round trip is not known here" },
                { "soze signal=phantom", "signal is phantom" } };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
        assert_int_not_equal(read_keys(row[i].text, UINT64_C(200000000)), 0);
        if (strstr(err.text, row[i].says) == NULL)
            fail_msg("%s: %s", row[i].text, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soze_s_times_are_frames_of_the_port),
        cmocka_unit_test(without_a_port_they_are_the_paper_s),
        cmocka_unit_test(what_the_text_says_wins),
        cmocka_unit_test(every_law_of_the_list_can_be_read),
        cmocka_unit_test(a_port_may_be_as_slow_as_the_option_is_long),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests_name("bpf/law_keys", tests, NULL, NULL);
}
