/* test/unit/workload/test_cdf_infos.c - every distribution that comes with Weir: present, as in its file, with the mean
 * that data/workloads/README.md states. */
#include "test/unit/weir_test.h"
#include "workload/cdf.h"
#include "workload/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct expected {
    const char *name;
    uint64_t mean_millibytes;
    uint32_t count;
};

/* The README's means, computed from the files in floating point by another program. */
static const struct expected table[] = {
    { "wka", 2889748, 843 },
    { "wkb", 121712773, 461 },
    { "wkc", 2478877684, 401 },
    { "websearch", 1711250000, 12 },
    { "fb-hadoop", 120420750, 20 },
    { "google-rpc", 2891621, 843 },
    { "alistorage", 40869800, 9 },
    { "datamining", 7470236000, 9 },
    { "datamining-abm", 5036535175, 17 },
    { "datamining-xpass", 7487883716, 7 },
    { "imc10", 195357125, 12 },
    { "websearch-packets", 1665830800, 12 },
    { "abm-hadoop", 3423728355, 17 },
    { "webserver-xpass", 66121000, 13 },
    { "cachefollower-xpass", 712573500, 23 },
    { "google-search-rpc", 423025, 156 },
    { "fb-keyvalue", 184585, 316 },
    { "fb-cachefollower", 686832958, 331 },
    { "fb-webserver", 62226221, 441 },
    { "heavy-head", 1223520, 201 },
    { "heavy-middle", 2387022, 560 },
};
enum { COUNT = sizeof(table) / sizeof(table[0]) };

static void every_distribution_has_the_mean_its_description_states(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        const char *text = NULL;
        struct weir_cdf cdf;
        struct weir_err err;
        const struct weir_cdf_info *info = weir_cdf_find(table[i].name, &text);
        assert_non_null(info);
        assert_int_equal(weir_cdf_parse(&cdf, info->file, text, info->log_linear, &err), 0);
        assert_int_equal(cdf.count, table[i].count);
        uint64_t room =
            table[i].mean_millibytes / 10000 + 60; /* 10^-4, and the last digit stated where it is coarser */
        assert_in_range(cdf.mean_millibytes, table[i].mean_millibytes - room, table[i].mean_millibytes + room);
        weir_cdf_free(&cdf);
    }
}

static void the_three_workloads_of_sird_have_their_stated_linear_means(void **state)
{
    static const uint64_t linear_millibytes[] = { 2890270, 121848960, 2479823690 };
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        const char *text = NULL;
        struct weir_cdf cdf;
        struct weir_err err;
        assert_non_null(weir_cdf_find(table[i].name, &text));
        assert_int_equal(weir_cdf_parse(&cdf, table[i].name, text, 0, &err), 0);
        assert_in_range(cdf.mean_millibytes, linear_millibytes[i] - 10, linear_millibytes[i] + 10);
        weir_cdf_free(&cdf);
    }
}

static void the_table_lists_each_once_with_a_hint(void **state)
{
    uint32_t count = 0;
    (void)state;
    for (const struct weir_cdf_info *info = weir_cdf_infos; info->name != NULL; info++, count++) {
        assert_in_range(count, 0, COUNT - 1);
        assert_string_equal(info->name, table[count].name);
        assert_in_range(strlen(info->hint), 20, 110);
    }
    assert_int_equal(count, COUNT);
}

static void the_binary_holds_the_text_of_the_files(void **state)
{
    (void)state;
    for (const struct weir_cdf_info *info = weir_cdf_infos; info->name != NULL; info++) {
        const char *text = NULL;
        char *file;
        struct weir_err err;
        assert_int_equal(weir_text_read(info->file, "data/workloads", &file, &err), 0);
        assert_ptr_equal(weir_cdf_find(info->name, &text), info);
        assert_string_equal(text, file);
        free(file);
    }
}

static void nominal_means_are_those_of_the_published_runs(void **state)
{
    const char *text;
    (void)state;
    assert_int_equal(weir_cdf_find("wka", &text)->nominal_millibytes, 2927354);
    assert_int_equal(weir_cdf_find("wkb", &text)->nominal_millibytes, 121848000);
    assert_int_equal(weir_cdf_find("wkc", &text)->nominal_millibytes, 2515857400);
    for (const struct weir_cdf_info *info = weir_cdf_infos + 3; info->name != NULL; info++)
        assert_int_equal(info->nominal_millibytes, 0);
}

static void unknown_names_are_not_found(void **state)
{
    const char *text;
    (void)state;
    assert_null(weir_cdf_find("wkd", &text));
    assert_null(weir_cdf_find("", &text));
    assert_null(weir_cdf_find("WKC", &text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_distribution_has_the_mean_its_description_states),
        cmocka_unit_test(the_three_workloads_of_sird_have_their_stated_linear_means),
        cmocka_unit_test(the_table_lists_each_once_with_a_hint),
        cmocka_unit_test(the_binary_holds_the_text_of_the_files),
        cmocka_unit_test(nominal_means_are_those_of_the_published_runs),
        cmocka_unit_test(unknown_names_are_not_found),
    };
    return cmocka_run_group_tests_name("workload/cdf_infos", tests, NULL, NULL);
}
