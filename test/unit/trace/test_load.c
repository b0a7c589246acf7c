/* test/unit/trace/test_load.c - traces are recognised by their content, and refused by items of other kinds. */
#include "test/unit/trace/trace_fixture.h"

static const struct {
    const char *bytes;
    size_t length;
    enum weir_trace_form form;
} files[] = {
#define TEXT(text) text, sizeof(text) - 1
    { TEXT("num_ranks 2\nrank 0 {\n"), WEIR_TRACE_GOAL },
    { TEXT("// made by hand\n/* so\n */ num_ranks 2\n"), WEIR_TRACE_GOAL },
    { TEXT("\xEF\xBB\xBFnum_ranks 2\n"), WEIR_TRACE_GOAL },
    { TEXT("/* without an end num_ranks 2\n"), WEIR_TRACE_UNKNOWN },
    { TEXT("\x7f\x10\0\0\0\0\0\0"), WEIR_TRACE_GOAL_BINARY },
    { TEXT("\x7f\x10\0\0\0\0\0"), WEIR_TRACE_UNKNOWN },
    { TEXT("\x26\x09\0\0\0\0\0\0"), WEIR_TRACE_UNKNOWN }, /* 2342: LogGOPSim has used it up */
    { TEXT("\x07\x0a\x05"
           "0.0.4\x02\x18\x04"),
      WEIR_TRACE_CHAKRA },
    { TEXT("\0\x02\x18\x04"), WEIR_TRACE_CHAKRA }, /* no version */
    { TEXT("\x07\x0a\x05"
           "0.0."),
      WEIR_TRACE_UNKNOWN },
    { TEXT(" \n{\"version\": \"0.0.4\"}"), WEIR_TRACE_CHAKRA_JSON },
    { TEXT("[{\"id\": 1}]"), WEIR_TRACE_CHAKRA_JSON },
    { TEXT("HYBRID_TRANSFORMER model_parallel_NPU_group: 1\n1\n"), WEIR_TRACE_SIMAI },
    { TEXT("MICRO\n12\n"), WEIR_TRACE_SIMAI },
    { TEXT("MICRO\nx\n"), WEIR_TRACE_UNKNOWN },
    { TEXT("MICRO 12\n"), WEIR_TRACE_UNKNOWN },
    { TEXT("\x1f\x8b\x08"), WEIR_TRACE_GZIP },
    { TEXT("src,dst,bytes,start\n0,1,1 KB,0 us\n"), WEIR_TRACE_UNKNOWN },
    { TEXT("topology: {kind: star}\n"), WEIR_TRACE_UNKNOWN },
    { TEXT(""), WEIR_TRACE_UNKNOWN },
};

static void each_form_is_recognised(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (weir_trace_form_of(files[i].bytes, files[i].length) != files[i].form)
            fail_msg("file %zu is taken for form %d", i, (int)weir_trace_form_of(files[i].bytes, files[i].length));
}

/* Every form in an item of every kind that does not read it. */
static void other_forms_are_refused_by_name(void **state)
{
    static const uint32_t kinds[] = { WEIR_TRAFFIC_GOAL, WEIR_TRAFFIC_CHAKRA, WEIR_TRAFFIC_SIMAI };
    static const uint32_t reads[] = {
        [WEIR_TRACE_UNKNOWN] = UINT32_MAX,
        [WEIR_TRACE_GOAL] = WEIR_TRAFFIC_GOAL,
        [WEIR_TRACE_GOAL_BINARY] = WEIR_TRAFFIC_GOAL,
        [WEIR_TRACE_CHAKRA] = WEIR_TRAFFIC_CHAKRA,
        [WEIR_TRACE_CHAKRA_JSON] = WEIR_TRAFFIC_CHAKRA,
        [WEIR_TRACE_SIMAI] = WEIR_TRAFFIC_SIMAI,
        [WEIR_TRACE_GZIP] = UINT32_MAX,
    };
    static const char *const names[] = {
        [WEIR_TRACE_UNKNOWN] = "no trace", [WEIR_TRACE_GOAL] = "GOAL",        [WEIR_TRACE_GOAL_BINARY] = "binary",
        [WEIR_TRACE_CHAKRA] = "Chakra",    [WEIR_TRACE_CHAKRA_JSON] = "JSON", [WEIR_TRACE_SIMAI] = "SimAI",
        [WEIR_TRACE_GZIP] = "gzip",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        for (uint32_t k = 0; k < 3; k++) {
            fix_write("f", files[i].bytes, files[i].length);
            if (reads[files[i].form] != kinds[k])
                fix_refuse(kinds[k], "f", WEIR_E_SYNTAX, "f", names[files[i].form]);
        }
}

static void a_file_is_needed_and_must_exist(void **state)
{
    (void)state;
    fix_refuse(WEIR_TRAFFIC_GOAL, "", WEIR_E_SYNTAX, "", "file");
    assert_int_equal(fix_try(WEIR_TRAFFIC_SIMAI, "none"), WEIR_E_FILE); /* the sentence has the folder, which varies */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRACE_TEST(each_form_is_recognised),
        TRACE_TEST(other_forms_are_refused_by_name),
        TRACE_TEST(a_file_is_needed_and_must_exist),
    };
    return cmocka_run_group_tests_name("trace/load", tests, NULL, NULL);
}
