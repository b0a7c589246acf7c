/* test/unit/cli/test_compare_args.c - the command line of `weir compare`. */
#include "test/unit/refusal.h"
#include "cli/compare_args.h"
#include "registry.h"
#include <string.h>

static struct weir_compare_args args;
static struct weir_err err;

/* Words up to the first NULL. */
static int parse(const char *const *words)
{
    static char text[32][64], *argv[33]; /* what args points to outlives the call */
    int argc = 0;
    for (; words[argc] != NULL; argc++) {
        assert_true(argc < 32 && strlen(words[argc]) < sizeof(text[0]));
        strcpy(text[argc], words[argc]);
        argv[argc] = text[argc];
    }
    return weir_compare_args_parse(&args, argc, argv, &err);
}
#define PARSE(...) parse((const char *const[]){ "compare", __VA_ARGS__, NULL })
#define TWO "a.yaml", "--protocols", "dctcp,sird"

static void refuses(int code, enum weir_err_code expected, const char *key)
{
    assert_int_equal(code, expected);
    assert_refusal(&err, expected, "", key);
}

static void defaults(void **state)
{
    (void)state;
    assert_int_equal(PARSE(TWO), 0);
    assert_string_equal(args.file, "a.yaml");
    assert_int_equal(args.laws.count, 2);
    assert_string_equal(args.laws.name[0], "dctcp");
    assert_string_equal(args.laws.name[1], "sird");
    assert_string_equal(args.laws.protocol[1]->name, "sird");
    assert_int_equal(args.seeds, 3);
    assert_int_equal(args.common.jobs, 0);
    assert_int_equal(args.set_count, 0);
    assert_int_equal(args.baseline, WEIR_COMPARISON_NONE);
    assert_null(args.common.out);
    assert_false(args.same_fabric || args.list || args.common.json || args.common.fresh || args.common.help);
}

static void settings_are_of_all_laws_or_of_one(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--protocols", "dctcp,sird,swift", "--set", "sird:protocol.B=2 BDP", "--set=run.seed=7",
                           "a.yaml", "--set", "traffic[0].name=a:b", "--baseline", "swift", "--seeds", "5", "--jobs=2",
                           "-o", "x.db"),
                     0);
    assert_int_equal(args.set_count, 3);
    assert_int_equal(args.set[0].law, 1);
    assert_string_equal(args.set[0].text, "protocol.B=2 BDP");
    assert_int_equal(args.set[1].law, WEIR_COMPARISON_NONE);
    assert_string_equal(args.set[1].text, "run.seed=7");
    assert_int_equal(args.set[2].law, WEIR_COMPARISON_NONE); /* a colon in the value */
    assert_int_equal(args.baseline, 2);
    assert_int_equal(args.seeds, 5);
    assert_int_equal(args.common.jobs, 2);
    assert_int_equal(PARSE(TWO, "--set", "dctcp:framing=ns2", "--set", "sird:host.rto_min=1ms"), 0);
}

static void variants_have_names_of_their_own(void **state)
{
    (void)state;
    assert_int_equal(PARSE("a.yaml", "--protocols", "slow=dctcp,dctcp,early", "--set", "slow:protocol.g=0.02", "--set",
                           "early:protocol.g=0.5", "--baseline", "slow"),
                     0);
    assert_int_equal(args.laws.count, 3);
    assert_string_equal(args.laws.name[0], "slow");
    assert_string_equal(args.laws.protocol[0]->name, "dctcp");
    assert_null(args.laws.protocol[2]); /* the scenario is to have it */
    assert_int_equal(args.set[0].law, 0);
    assert_int_equal(args.set[1].law, 2);
    assert_int_equal(args.baseline, 0);
}

static void variants_that_are_refused(void **state)
{
    (void)state;
    refuses(PARSE("a.yaml", "--protocols", "slow=dctcp,slow=sird"), WEIR_E_CONFLICT, "slow");
    refuses(PARSE("a.yaml", "--protocols", "slow=dctcp,slow"), WEIR_E_CONFLICT, "slow");
    refuses(PARSE("a.yaml", "--protocols", "dctcp,sird=dctcp"), WEIR_E_CONFLICT, "sird");
    refuses(PARSE("a.yaml", "--protocols", "sird,dctcp=dctcp"), WEIR_E_CONFLICT, "dctcp");
    refuses(PARSE("a.yaml", "--protocols", "dctcp,file=dctcp"), WEIR_E_CONFLICT, "file");
    refuses(PARSE("a.yaml", "--protocols", "dctcp,=dctcp"), WEIR_E_SYNTAX, "--protocols");
    refuses(PARSE("a.yaml", "--protocols", "dctcp,a:b=dctcp"), WEIR_E_SYNTAX, "a:b");
    refuses(PARSE("a.yaml", "--protocols", "dctcp,a123456789b123456789c123456789d1=dctcp"), WEIR_E_SYNTAX,
            "a123456789b123456789c123456789d1");
    refuses(PARSE("a.yaml", "--protocols", "dctcp,slow=dtcp"), WEIR_E_UNKNOWN, "dtcp");
    assert_non_null(strstr(err.hint, "'dctcp'"));
    refuses(PARSE("a.yaml", "--protocols", "dctcp,slow="), WEIR_E_UNKNOWN, "slow");
    refuses(PARSE("a.yaml", "--protocols", "dctcp,slow=dctcp", "--set", "slow:protocol=sird"), WEIR_E_CONFLICT,
            "protocol");
    refuses(PARSE("a.yaml", "--protocols", "dctcp,slow=dctcp", "--set", "slwo:protocol.g=1"), WEIR_E_UNKNOWN, "slwo");
    assert_non_null(strstr(err.hint, "'slow'"));
}

#define CURVE "a.yaml", "--background", "cubic", "--protocols", "sird"

static void a_deployment_curve_has_shares_for_laws(void **state)
{
    static const uint32_t seven[] = { 0, 100000, 250000, 500000, 750000, 900000, 1000000 };
    (void)state;
    assert_int_equal(PARSE(CURVE), 0);
    assert_string_equal(args.deployed, "sird");
    assert_string_equal(args.share_by, "messages");
    assert_true(args.same_fabric);
    assert_int_equal(args.laws.count, 7);
    assert_memory_equal(args.share_ppm, seven, sizeof(seven));
    assert_string_equal(args.laws.name[2], "25 %");
    assert_int_equal(PARSE(CURVE, "--share", "0..100"), 0);
    assert_int_equal(args.laws.count, 7);
    assert_int_equal(PARSE(CURVE, "--share", "2.5%,60", "--share-by", "hosts"), 0);
    assert_int_equal(args.laws.count, 2);
    assert_int_equal(args.share_ppm[0], 25000);
    assert_string_equal(args.laws.name[0], "2.5 %");
    assert_string_equal(args.laws.name[1], "60 %");
    assert_string_equal(args.share_by, "hosts");
}

static void deployment_curves_that_are_refused(void **state)
{
    (void)state;
    refuses(PARSE(TWO, "--share", "0..100"), WEIR_E_SYNTAX, "--background");
    refuses(PARSE(TWO, "--share-by", "hosts"), WEIR_E_SYNTAX, "--share-by");
    refuses(PARSE("a.yaml", "--background", "cubic"), WEIR_E_SYNTAX, "--background");
    refuses(PARSE(TWO, "--background", "cubic"), WEIR_E_CONFLICT, "--protocols");
    refuses(PARSE("a.yaml", "--background", "qubic", "--protocols", "sird"), WEIR_E_UNKNOWN, "qubic");
    refuses(PARSE("a.yaml", "--background", "cubic", "--protocols", "sidr"), WEIR_E_UNKNOWN, "sidr");
    refuses(PARSE("a.yaml", "--background", "cubic", "--protocols", "slow=sird"), WEIR_E_CONFLICT, "slow=sird");
    refuses(PARSE("a.yaml", "--background", "slow=cubic", "--protocols", "sird"), WEIR_E_CONFLICT, "slow=cubic");
    refuses(PARSE("a.yaml", "--background", "sird", "--protocols", "sird"), WEIR_E_CONFLICT, "sird");
    refuses(PARSE(CURVE, "--share", "0,100.1"), WEIR_E_RANGE, "--share");
    refuses(PARSE(CURVE, "--share", "-1"), WEIR_E_RANGE, "--share");
    refuses(PARSE(CURVE, "--share", "10,"), WEIR_E_RANGE, "--share");
    refuses(PARSE(CURVE, "--share", "10,20,10.0%"), WEIR_E_CONFLICT, "10.0 %");
    refuses(PARSE(CURVE, "--share", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"), WEIR_E_RANGE, "16");
    refuses(PARSE(CURVE, "--share-by", "racks"), WEIR_E_UNKNOWN, "racks");
    refuses(PARSE(CURVE, "--metrics", "goodput_gbps"), WEIR_E_CONFLICT, "--metrics");
    refuses(PARSE(CURVE, "--baseline", "sird"), WEIR_E_CONFLICT, "--baseline");
    refuses(PARSE(CURVE, "--set", "sird:protocol.B=2 BDP"), WEIR_E_CONFLICT, "--set");
}

static void laws_that_are_refused(void **state)
{
    (void)state;
    refuses(PARSE("--seeds", "3"), WEIR_E_SYNTAX, "scenario");
    refuses(PARSE("a.yaml"), WEIR_E_SYNTAX, "protocols");
    refuses(PARSE("a.yaml", "b.yaml"), WEIR_E_SYNTAX, "b.yaml");
    refuses(PARSE("a.yaml", "--protocols", "dctcp"), WEIR_E_SYNTAX, "--protocols");
    refuses(PARSE("a.yaml", "--protocols", "dctcp,sird,dctcp"), WEIR_E_CONFLICT, "dctcp");
    refuses(PARSE("a.yaml", "--protocols", "dctcp,si-rd"), WEIR_E_UNKNOWN, "si-rd"); /* no variant's name either */
    assert_non_null(strstr(err.hint, "'sird'"));
    refuses(PARSE("a.yaml", "--protocols", "dctcp,,sird"), WEIR_E_SYNTAX, "--protocols");
    refuses(PARSE("a.yaml", "--protocols", "dctcp,sird,"), WEIR_E_SYNTAX, "--protocols");
    refuses(PARSE(TWO, "--baseline", "swift"), WEIR_E_UNKNOWN, "swift");
    refuses(PARSE("a.yaml", "--protocols", "dctcp,hpcc,fncc,dcqcn,dart,timely,swift,rocc,rcp,soze,"), WEIR_E_SYNTAX,
            "--protocols");
}

static void numbers_that_are_refused(void **state)
{
    (void)state;
    refuses(PARSE(TWO, "--seeds", "0"), WEIR_E_RANGE, "--seeds");
    refuses(PARSE(TWO, "--seeds", "101"), WEIR_E_RANGE, "--seeds");
    refuses(PARSE(TWO, "--seeds", "2.5"), WEIR_E_RANGE, "--seeds");
    refuses(PARSE(TWO, "--jobs", "0"), WEIR_E_RANGE, "--jobs");
}

static void settings_that_are_refused(void **state)
{
    (void)state;
    refuses(PARSE(TWO, "--set", "dctcp"), WEIR_E_SYNTAX, "--set");
    refuses(PARSE(TWO, "--set", "swift:protocol.alpha=1"), WEIR_E_UNKNOWN, "swift");
    refuses(PARSE(TWO, "--set", "sidr:protocol.B=1 BDP"), WEIR_E_UNKNOWN, "sidr");
    assert_non_null(strstr(err.hint, "'sird'"));
    refuses(PARSE(TWO, "--set", "protocol.name=swift"), WEIR_E_CONFLICT, "protocol.name");
    refuses(PARSE(TWO, "--set", "dctcp:protocol=swift"), WEIR_E_CONFLICT, "protocol");
    refuses(PARSE(TWO, "--set", "dctcp:run.seed=2"), WEIR_E_CONFLICT, "run.seed");
    refuses(PARSE(TWO, "--set", "dctcp:traffic[0].load=1%"), WEIR_E_CONFLICT, "--set");
    refuses(PARSE(TWO, "--set", "dctcp:topology.hosts=2"), WEIR_E_CONFLICT, "topology.hosts");
}

static void more_than_fits_is_refused(void **state)
{
    char *argv[4 + 2 * WEIR_COMPARE_SETTINGS_MAX + 2] = { "compare", "a.yaml", "--protocols", "dctcp,sird" };
    int argc = 4;
    (void)state;
    for (uint32_t i = 0; i <= WEIR_COMPARE_SETTINGS_MAX; i++) {
        argv[argc++] = "--set";
        argv[argc++] = "run.sample=1us";
    }
    refuses(weir_compare_args_parse(&args, argc, argv, &err), WEIR_E_RANGE, "--set");
    assert_int_equal(weir_compare_args_parse(&args, argc - 2, argv, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(settings_are_of_all_laws_or_of_one),
        cmocka_unit_test(variants_have_names_of_their_own),
        cmocka_unit_test(variants_that_are_refused),
        cmocka_unit_test(a_deployment_curve_has_shares_for_laws),
        cmocka_unit_test(deployment_curves_that_are_refused),
        cmocka_unit_test(laws_that_are_refused),
        cmocka_unit_test(numbers_that_are_refused),
        cmocka_unit_test(settings_that_are_refused),
        cmocka_unit_test(more_than_fits_is_refused),
    };
    return cmocka_run_group_tests_name("cli/compare_args", tests, NULL, NULL);
}
