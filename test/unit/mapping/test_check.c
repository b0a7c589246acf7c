/* test/unit/mapping/test_check.c - features that need what the packets of the hosts do not carry are refused. */
#include "core/feature.h"
#include "test/unit/refusal.h"
#include "test/unit/mapping/mapping_fixture.h"
#include "core/feature_set.h"
#include "registry.h"

static struct weir_err err;

static const struct weir_feature *row_of(const char *name)
{
    for (size_t i = 0; weir_features[i] != NULL; i++)
        if (strcmp(weir_features[i]->name, name) == 0)
            return weir_features[i];
    fail_msg("no feature %s", name);
    return NULL;
}

/* Checks one feature. @return NULL = it works, else the sentence */
static const char *refusal(const char *name, uint32_t offers, struct weir_mapping_traffic traffic)
{
    struct weir_feature_on on = { .row = row_of(name), .offers = offers };
    const struct weir_features features = { .on = &on, .count = 1 };
    return weir_mapping_check(&features, &traffic, &err) == 0 ? NULL : err.text;
}

static const struct weir_mapping_traffic tcp = { .tcp = true }, option = { .tcp = true, .tcp_option = true },
                                         plain = { .weir = true }, soze = { .weir = true, .data_area = 1 },
                                         slow = { .weir = true, .data_area = 2 },
                                         hpcc = { .weir = true, .data_area = 1, .data_slots = 5 },
                                         fncc = { .weir = true, .ack_area = 1, .ack_slots = 5 },
                                         rcp = { .weir = true, .data_area = 3 },
                                         dart = { .weir = true, .data_area = 1, .tokens = true },
                                         notices = { .weir = true, .notices = true };

static void features_that_need_nothing_work_with_all(void **state)
{
    static const char *const names[] = { "ecn", "codel", "shared-buffer", "priorities", "lanes", "delay-variation",
                                         "pfc", "wrr",   "cable-events",  "failures",   "loss" };
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_null(refusal(names[i], 0, tcp));
}

static void each_refusal_names_the_feature(void **state)
{
    static const struct {
        const char *name;
        uint32_t offers;
        const struct weir_mapping_traffic *traffic;
    } rows[] = {
        { "rpm", 0, &plain },    { "int", WEIR_NEED_INT, &tcp }, { "maxqd", 0, &tcp },       { "rcp", 0, &soze },
        { "deflect", 0, &soze }, { "fair-rate", 0, &plain },     { "credit-gate", 0, &tcp },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_non_null(refusal(rows[i].name, rows[i].offers, *rows[i].traffic));
        assert_refusal(&err, WEIR_E_CONFLICT, "", rows[i].name);
    }
}

static void each_feature_works_with_what_carries_its_fields(void **state)
{
    (void)state;
    assert_null(refusal("rpm", 0, tcp));
    assert_null(refusal("rpm", 0, fncc));
    assert_non_null(refusal("rpm", 0, hpcc));
    assert_null(refusal("int", WEIR_NEED_INT, hpcc));
    assert_non_null(refusal("int", WEIR_NEED_INT, fncc));
    assert_non_null(refusal("int", WEIR_NEED_INT, soze));
    assert_null(refusal("int", WEIR_NEED_ACK_INT, fncc));
    assert_non_null(refusal("int", WEIR_NEED_ACK_INT, hpcc));
    assert_null(refusal("maxqd", 0, option));
    assert_null(refusal("maxqd", 0, soze));
    assert_null(refusal("maxqd", 0, slow));
    assert_non_null(refusal("maxqd", 0, rcp));
    assert_null(refusal("rcp", 0, rcp));
    assert_null(refusal("deflect", 0, dart));
    assert_non_null(refusal("deflect", 0, (struct weir_mapping_traffic){ .weir = true, .tokens = true }));
    assert_null(refusal("fair-rate", 0, notices));
    assert_null(refusal("credit-gate", 0, plain));
}

/* Fields of libweir say nothing where no host speaks it. */
static void traffic_without_libweir_has_none_of_its_fields(void **state)
{
    struct weir_mapping_traffic none = { .data_area = 1,
                                         .data_slots = 5,
                                         .ack_area = 1,
                                         .ack_slots = 5,
                                         .tokens = true,
                                         .notices = true,
                                         .tcp_option = true };
    static const char *const names[] = { "rpm", "int", "maxqd", "rcp", "deflect", "fair-rate", "credit-gate" };
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_non_null(refusal(names[i], WEIR_NEED_INT, none));
}

static void the_first_feature_that_does_not_work_is_named(void **state)
{
    struct weir_feature_on on[3] = { { .row = row_of("ecn") }, { .row = row_of("maxqd") }, { .row = row_of("rpm") } };
    const struct weir_features features = { .on = on, .count = 3 };
    (void)state;
    assert_int_equal(weir_mapping_check(&features, &plain, &err), WEIR_E_CONFLICT);
    assert_non_null(strstr(err.text, "maxqd"));
    assert_int_equal(weir_mapping_check(&features, &option, &err), 0);
}

/* Returns what the endpoints of a protocol send. */
static struct weir_mapping_traffic of_protocol(const char *name)
{
    struct weir_mapping_traffic traffic = { 0 };
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++)
        if (strcmp(p->name, name) == 0)
            weir_mapping_add_law(&traffic, weir_protocol_needs(p), p->cc != NULL);
    assert_true(traffic.weir);
    return traffic;
}

static void endpoints_reserve_what_their_law_reads(void **state)
{
    static const struct {
        const char *name;
        uint8_t data_area, data_slots, ack_area, ack_slots;
    } rows[] = {
        { "sird", 0, 0, 0, 0 }, { "dctcp", 0, 0, 0, 0 }, { "soze", 1, 0, 0, 0 }, { "aimd", 1, 0, 0, 0 },
        { "hpcc", 1, 5, 0, 0 }, { "fncc", 0, 0, 1, 5 },  { "dart", 1, 0, 0, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct weir_mapping_traffic t = of_protocol(rows[i].name);
        assert_int_equal(t.data_area, rows[i].data_area);
        assert_int_equal(t.data_slots, rows[i].data_slots);
        assert_int_equal(t.ack_area, rows[i].ack_area);
        assert_int_equal(t.ack_slots, rows[i].ack_slots);
    }
    assert_null(refusal("deflect", 0, of_protocol("dart")));
    assert_non_null(refusal("deflect", 0, of_protocol("soze")));
    assert_null(refusal("maxqd", 0, of_protocol("soze")));
    assert_null(refusal("int", WEIR_NEED_INT, of_protocol("hpcc")));
    assert_null(refusal("int", WEIR_NEED_ACK_INT, of_protocol("fncc")));
    assert_non_null(refusal("rpm", 0, of_protocol("dctcp")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(features_that_need_nothing_work_with_all),
        cmocka_unit_test(each_refusal_names_the_feature),
        cmocka_unit_test(each_feature_works_with_what_carries_its_fields),
        cmocka_unit_test(traffic_without_libweir_has_none_of_its_fields),
        cmocka_unit_test(endpoints_reserve_what_their_law_reads),
        cmocka_unit_test(the_first_feature_that_does_not_work_is_named),
    };
    return cmocka_run_group_tests_name("mapping/check", tests, NULL, NULL);
}
