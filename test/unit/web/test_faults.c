/* test/unit/web/test_faults.c - a page opens a scenario, or the same under another law, and runs it, while each allocation fails once.
 * Then the sentence is of memory, and all is freed; or the result is the same as with it, or says that samples are missing. */
#include "test/unit/fault.h"
#include "web/module.h"
#include "web/web.h"
#include <errno.h>

static const char text[] =
    "topology: {kind: leaf-spine, hosts: 4, racks: 2, spines: 1, host_link: 10 Gbps, core_link: 10 Gbps}\n"
    "protocol: sird\n"
    "traffic: [{kind: permutation, size: 20 KB}]\n"
    "variants: {slow: {protocol.name: dctcp, protocol.g: 0.01, fabric.ecn.threshold: 30 KB}}\n"
    "run: {warmup: 0 us, measure: 100 us, seed: 1}\n";

static void ignore_frame(void *ctx, const double *value, uint32_t count)
{
    (void)ctx, (void)value, (void)count;
}

static void ignore_progress(void *ctx, const struct weir_progress *p)
{
    (void)ctx, (void)p;
}

static void assert_same(const struct weir_result *result, const struct weir_result *whole)
{
    assert_int_equal(result->digest, whole->digest);
    assert_int_equal(result->jain_ppm, whole->jain_ppm);
    assert_int_equal(result->messages_completed, whole->messages_completed);
    if (!result->samples_lost)
        assert_memory_equal(result->slowdown, whole->slowdown, sizeof(whole->slowdown));
}

/* Runs the scenario under a law. whole: gets the result if it has none; else that of this run must be the same. */
static int open_and_run(const char *law, struct weir_result *whole, struct weir_err *err)
{
    const struct weir_web_sink sink = { .frame = ignore_frame, .progress = ignore_progress };
    struct weir_web *web;
    int code = weir_web_open(&web, &(struct weir_web_source){ text, sizeof(text) - 1, law, NULL, 0 }, err);
    if (code == 0)
        code = weir_web_run(web, &sink, err);
    if (code == 0 && whole->digest == 0) {
        assert_false(web->result.samples_lost);
        *whole = web->result;
    } else if (code == 0)
        assert_same(&web->result, whole);
    weir_web_close(web);
    return code;
}

static int as_it_is(struct weir_err *err)
{
    static struct weir_result whole;
    return open_and_run("", &whole, err);
}

static int as_a_variant(struct weir_err *err)
{
    static struct weir_result whole;
    return open_and_run("slow", &whole, err);
}

static void without_memory_a_run_is_refused_or_right(void **state)
{
    static const struct fault_row rows[] = {
        { "malloc", 1, ENOMEM, WEIR_E_MEMORY, "memory" },
        { "calloc", 1, ENOMEM, WEIR_E_MEMORY | FAULT_OR_DONE, "memory" },
        { "realloc", 1, ENOMEM, WEIR_E_MEMORY | FAULT_OR_DONE, "memory" },
        { "mmap64", 1, ENOMEM, WEIR_E_MEMORY, "memory" },
    };
    (void)state;
    assert_faults(as_it_is, rows);
    assert_faults(as_a_variant, rows);
}

/* Opens a variant with a setting of so many letters, its key included. @return the code */
static int open_long(int letters, struct weir_err *err)
{
    static const char head[] = "topology: {kind: star, hosts: 2, host_link: 10 Gbps, host_delay: 1 us}\n"
                               "protocol: dctcp\nfabric: {ecn: {threshold: 30 KB}}\n"
                               "traffic: [{kind: permutation, size: 20 KB}]\nrun: {warmup: 0 us, measure: 100 us}\n";
    char scenario[2048];
    struct weir_web *web;
    int length = snprintf(scenario, sizeof(scenario), "%svariants: {v: {protocol.name: dctcp, protocol.g: 0.1%0*d}}\n",
                          head, letters - (int)strlen("protocol.g=0.1"), 0);
    int code = weir_web_open(&web, &(struct weir_web_source){ scenario, (size_t)length, "v", NULL, 0 }, err);
    weir_web_close(web);
    return code;
}

static void a_setting_of_a_variant_has_511_letters_at_most(void **state)
{
    struct weir_err err;
    (void)state;
    assert_int_equal(open_long(510, &err), 0);
    assert_int_equal(open_long(511, &err), 0);
    assert_int_equal(open_long(512, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, NULL, "letters");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_a_run_is_refused_or_right),
        cmocka_unit_test(a_setting_of_a_variant_has_511_letters_at_most),
    };
    return cmocka_run_group_tests_name("web/faults", tests, NULL, NULL);
}
