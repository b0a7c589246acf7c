/* test/unit/hooks/test_features.c - a set of features: which exclude each other, the order of hooks, and the lists of
 * ports. */
#include "core/feature.h"
#include "test/unit/refusal.h"
#include "hooks/chain.h"
#include "hooks/features.h"
#include <string.h>

enum { PORTS = 3 };

static char asked[64]; /* names of features, in the order in which they were asked */

static uint32_t note(const char *name, uint32_t answer)
{
    (void)strcat(asked, name);
    return answer;
}

static uint32_t a_join(const struct weir_here *here, const struct weir_join *join)
{
    (void)here, (void)join;
    return note("a", 0);
}

static uint32_t b_join(const struct weir_here *here, const struct weir_join *join)
{
    (void)here, (void)join;
    return note("b", WEIR_MARK | WEIR_RULE(0));
}

static uint32_t a_dequeue(const struct weir_here *here, struct weir_dequeue *dequeue)
{
    (void)here, (void)dequeue;
    return note("a", WEIR_DROP);
}

static uint32_t b_dequeue(const struct weir_here *here, struct weir_dequeue *dequeue)
{
    (void)here, (void)dequeue;
    return note("b", WEIR_MARK | WEIR_RULE(1));
}

/* Counts starts, in the port's state, the node's and both. */
static uint32_t a_start(const struct weir_here *here, struct weir_start *start)
{
    (void)start;
    ++*(uint64_t *)here->port;
    return (uint32_t)++ * (uint64_t *)here->node << 8; /* no answer has these bits */
}

static uint32_t l_start(const struct weir_here *here, struct weir_start *start)
{
    (void)here;
    return start->begun == 0 ? WEIR_LOSE | WEIR_RULE(1) : WEIR_RECORD;
}

static uint32_t m_start(const struct weir_here *here, struct weir_start *start)
{
    (void)here, (void)start;
    return WEIR_LOSE | WEIR_RULE(0);
}

static uint32_t l_admit(const struct weir_here *here, const struct weir_admit *admit)
{
    (void)here;
    return admit->bytes > 1000 ? WEIR_DROP | WEIR_RULE(1) : 0;
}

static bool not_at_port_1(const struct weir_here *here, const struct weir_fabric_port *port)
{
    (void)here;
    return port->index != 1;
}

static bool threshold(const struct weir_here *here, uint64_t *queue_bytes)
{
    *queue_bytes = *(const uint64_t *)here->model;
    return *queue_bytes != 1; /* 1: more than a threshold */
}

static const struct weir_feature_conflict with_c[] = { { "c", "both want the last word" }, { 0 } };
static const struct weir_rule one_rule[] = { { "only", "here", WEIR_FATE_DROPPED, "why" }, { 0 } };
static const struct weir_rule two_rules[] = { { "first", "here", WEIR_FATE_LOST, "why" },
                                              { "second", "there", WEIR_FATE_LOST, "why" },
                                              { 0 } };
static const struct weir_feature l = { .name = "l", .rules = two_rules, .on_start = l_start, .admit = l_admit };
static const struct weir_feature m = { .name = "m", .rules = two_rules, .on_start = m_start };
static const struct weir_feature a = { .name = "a",
                                       .port_bytes = sizeof(uint64_t),
                                       .node_bytes = sizeof(uint64_t),
                                       .port_init = not_at_port_1,
                                       .rules = one_rule,
                                       .on_join = a_join,
                                       .on_dequeue = a_dequeue,
                                       .on_start = a_start };
static const struct weir_rule mark_rules[] = { { "join", "here", WEIR_FATE_MARKED, "why" },
                                               { "leave", "here", WEIR_FATE_MARKED, "why" },
                                               { 0 } };
static const struct weir_feature b = { .name = "b",
                                       .rules = mark_rules,
                                       .on_join = b_join,
                                       .join_threshold = threshold,
                                       .on_dequeue = b_dequeue,
                                       .conflicts = with_c };
static const struct weir_feature b_only = {
    .name = "b", .rules = mark_rules, .on_join = b_join, .join_threshold = threshold
};
static const struct weir_feature_conflict needs_b[] = { { "b", "it is nothing alone" }, { 0 } };
static const struct weir_feature d = { .name = "d", .companions = needs_b };
static const struct weir_feature c = { .name = "c", .when = WEIR_WHEN_COUPLED };
static const uint64_t level = 9000, more = 1;
static struct weir_fabric_port port[PORTS];
static struct weir_chain chain[PORTS];
static struct weir_err err;

static _Alignas(64) unsigned char pool[1 << 16]; /* given out from the front; begun anew by each test */
static size_t pool_used;

static void *grow(void *ctx, size_t size)
{
    void *memory = pool + pool_used;
    (void)ctx;
    pool_used += (size + 63) & ~(size_t)63;
    assert_true(pool_used <= sizeof(pool));
    return memory;
}
static const struct weir_mem mem = { .grow = grow };

static int setup(void **state)
{
    (void)state;
    asked[0] = '\0';
    memset(pool, 0, sizeof(pool));
    pool_used = 0;
    for (uint32_t p = 0; p < PORTS; p++)
        port[p] = (struct weir_fabric_port){ .index = p, .has_queue = true };
    return 0;
}

static struct weir_features list_of(struct weir_feature_on first, struct weir_feature_on second)
{
    static struct weir_feature_on on[2];
    on[0] = first;
    on[1] = second;
    return (struct weir_features){ .on = on, .count = second.row != NULL ? 2 : 1, .room = 2 };
}

#define ON(...) ((struct weir_feature_on){ __VA_ARGS__ })
#define NOTHING ON(.row = NULL)

static struct weir_features both(void)
{
    return list_of(ON(.row = &a), ON(.row = &b, .model = &level));
}

static void hooks_of_a_port_are_called_in_order(void **state)
{
    struct weir_features f = both();
    struct weir_start start = { 0 };
    (void)state;
    assert_true(weir_chains_init(chain, &f, port, PORTS, NULL, &mem));
    assert_int_equal(weir_chain_join(&chain[0], &(struct weir_join){ 0 }), WEIR_CAUSES_OF_WORLD + 1); /* a has one */
    assert_string_equal(asked, "ab");
    assert_int_equal(weir_chain_join(&chain[1], &(struct weir_join){ 0 }), WEIR_CAUSES_OF_WORLD + 1);
    assert_string_equal(asked, "abb"); /* a goes without port 1 */
    assert_int_equal(weir_chain_start(&chain[0], &start), 1 << 8);
    assert_int_equal(weir_chain_start(&chain[2], &start), 2 << 8);       /* one state of the node .. */
    assert_int_equal(*(const uint64_t *)chain[2].start[0].here.port, 1); /* .. and one of each port */
    assert_int_equal(weir_chain_start(&chain[1], &start), 0);
}

/* Node 1 has other keys than node 0, node 2 is without the feature. */
static void a_node_has_the_hooks_of_its_variant(void **state)
{
    static const struct weir_feature_variant variant[] = { { .model = &level, .on = true },
                                                           { .model = &more, .on = true },
                                                           { .model = &more, .on = false } };
    static const uint16_t variant_of[] = { 0, 1, 2 };
    static const struct weir_feature coupled_b = {
        .name = "b", .rules = mark_rules, .on_join = b_join, .when = WEIR_WHEN_COUPLED
    };
    struct weir_features f =
        list_of(ON(.row = &coupled_b, .model = &level, .variant = variant, .variant_of = variant_of), NOTHING);
    (void)state;
    for (uint32_t n = 0; n < 3; n++) {
        port[0].node = n;
        assert_true(weir_chains_init(chain, &f, port, 1, NULL, &mem));
        assert_int_equal(chain[0].join_count, n < 2);
        assert_true(n == 2 || chain[0].join[0].here.model == variant[n].model);
        assert_int_equal(weir_features_are_coupled_at(&f, n), n < 2);
    }
    assert_true(weir_features_are_coupled(&f));
}

/* As port_is_threshold() finds it, without a call of the hook. */
static void a_threshold_is_that_of_the_node(void **state)
{
    static const uint64_t other = 5000;
    static const struct weir_feature_variant variant[] = { { .model = &level, .on = true },
                                                           { .model = &other, .on = true },
                                                           { .model = &more, .on = false } };
    static const uint16_t variant_of[] = { 0, 1, 2 };
    static const uint64_t must[] = { 9000, 5000, UINT64_MAX };
    struct weir_features f =
        list_of(ON(.row = &b_only, .model = &level, .variant = variant, .variant_of = variant_of), NOTHING);
    (void)state;
    for (uint32_t n = 0; n < 3; n++) {
        port[0].node = n;
        assert_true(weir_chains_of_thresholds(chain, &f, port, 1));
        assert_true(chain[0].threshold_bytes == must[n]);
        assert_true(weir_chains_init(chain, &f, port, 1, NULL, &mem));
        assert_true(chain[0].threshold_bytes == must[n]);
    }
}

static void a_port_without_a_queue_calls_on_start_only(void **state)
{
    struct weir_features f = both();
    (void)state;
    port[2].has_queue = false;
    assert_true(weir_chains_init(chain, &f, port, PORTS, NULL, &mem));
    assert_int_equal(chain[2].join_count + chain[2].dequeue_count, 0);
    assert_int_equal(chain[2].start_count, 1);
}

static void no_hook_is_called_for_a_dropped_packet(void **state)
{
    struct weir_features f = both();
    struct weir_dequeue dequeue = { 0 };
    struct weir_dequeued cause;
    (void)state;
    assert_true(weir_chains_init(chain, &f, port, PORTS, NULL, &mem));
    cause = weir_chain_dequeue(&chain[0], &dequeue);
    assert_int_equal(cause.drop, WEIR_CAUSES_OF_WORLD);
    assert_int_equal(cause.mark, WEIR_CAUSE_NONE);
    assert_string_equal(asked, "a");
    assert_int_equal(weir_features_order(&f, "[b, a]", NULL, &err), 0);
    assert_true(weir_chains_init(chain, &f, port, PORTS, NULL, &mem));
    cause = weir_chain_dequeue(&chain[0], &dequeue);
    assert_int_equal(cause.mark, WEIR_CAUSES_OF_WORLD + 1); /* b is first now, and marks by its second rule */
    assert_int_equal(cause.drop, WEIR_CAUSES_OF_WORLD + 2);
    assert_string_equal(asked, "aba");
}

/* Rules are numbered in the order of the features, behind those of the world. */
static void of_several_that_lose_a_packet_the_first_is_the_cause(void **state)
{
    struct weir_feature_on on[] = { { .row = &a }, { .row = &l }, { .row = &m } };
    struct weir_features f = { .on = on, .count = 3, .room = 3 };
    uint32_t first = WEIR_CAUSES_OF_WORLD + 1; /* of l: a has one rule */
    struct weir_start start = { .begun = 0 };
    (void)state;
    assert_int_equal(weir_features_cause(&f, 1), first);
    assert_int_equal(weir_features_cause(&f, 3), first + 4);
    assert_true(weir_chains_init(chain, &f, port, PORTS, NULL, &mem));
    assert_int_equal(weir_answer_cause(weir_chain_start(&chain[1], &start)), first + 1);
    start.begun = 1; /* l writes a record, m loses */
    assert_int_equal(weir_answer_cause(weir_chain_start(&chain[1], &start)), first + 2);
    assert_int_equal(weir_chain_start(&chain[1], &start) & (WEIR_RULE(1) - 1), WEIR_LOSE | WEIR_RECORD);
}

static void the_world_refuses_what_no_feature_refuses(void **state)
{
    struct weir_features f = list_of(ON(.row = &l), NOTHING);
    struct weir_admit admit = { .memory_bytes = 1500, .used_bytes = 499, .bytes = 1000 };
    (void)state;
    assert_true(weir_chains_init(chain, &f, port, PORTS, NULL, &mem));
    assert_int_equal(weir_chain_admits(&chain[0], &admit), WEIR_CAUSE_NONE);
    admit.used_bytes = 500;
    assert_int_equal(weir_chain_admits(&chain[0], &admit), WEIR_CAUSE_NONE);
    admit.used_bytes = 501;
    assert_int_equal(weir_chain_admits(&chain[0], &admit), WEIR_CAUSE_MEMORY);
    admit.bytes = 1001; /* both: the feature decides first */
    assert_int_equal(weir_chain_admits(&chain[0], &admit), WEIR_CAUSES_OF_WORLD + 1);
}

/* A sum names the lowest link; a longest time that of its port, and of two ports the one with the lower link. */
static void a_counter_names_the_link_that_leads(void **state)
{
    static const struct weir_feature_counter sum = { .how = WEIR_COUNT_SUM }, most = { .how = WEIR_COUNT_MOST_PS };
    static const struct {
        const struct weir_feature_counter *counter;
        uint64_t value;
        uint32_t link; /* added to 50 at link 7 */
        uint64_t is;
        uint32_t leads;
    } rows[] = { { &sum, 2, 6, 52, 6 },   { &sum, 2, 7, 52, 7 },   { &sum, 2, 8, 52, 7 },
                 { &most, 49, 3, 50, 7 }, { &most, 50, 3, 50, 3 }, { &most, 51, 9, 51, 9 },
                 { &most, 50, 6, 50, 6 }, { &most, 50, 7, 50, 7 }, { &most, 50, 8, 50, 7 } };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct weir_feature_count all = { .counter = rows[i].counter, .value = 50, .link = 7, .lanes = 4 };
        const struct weir_feature_count of = {
            .counter = rows[i].counter, .value = rows[i].value, .link = rows[i].link, .lanes = 1
        };
        weir_features_add_count(&all, &of);
        assert_int_equal(all.value, rows[i].is);
        assert_int_equal(all.link, rows[i].leads);
        assert_int_equal(all.lanes, 5);
    }
}

static void a_single_threshold_needs_no_list_of_hooks(void **state)
{
    struct weir_features f = list_of(ON(.row = &b_only, .model = &level), NOTHING);
    (void)state;
    assert_true(weir_chains_of_thresholds(chain, &f, port, PORTS));
    assert_true(chain[2].is_threshold);
    assert_int_equal(chain[2].threshold_bytes, 9000);
    assert_int_equal(chain[2].join_count, 0);
    assert_true(weir_chains_init(chain, &f, port, PORTS, NULL, &mem));
    assert_true(chain[2].is_threshold);
    assert_int_equal(chain[2].threshold_bytes, 9000);
    assert_int_equal(chain[2].join_count, 1);
    f.on[0].model = &more;
    assert_false(weir_chains_of_thresholds(chain, &f, port, PORTS));
    assert_true(weir_chains_init(chain, &f, port, PORTS, NULL, &mem));
    assert_false(chain[0].is_threshold);
    f = both();
    assert_false(weir_chains_of_thresholds(chain, &f, port, PORTS));
    f.count = 0;
    assert_true(weir_chains_of_thresholds(chain, &f, port, PORTS));
    assert_int_equal(chain[0].threshold_bytes, UINT64_MAX);
}

/* Hooks need not be called below the lowest of their thresholds; a hook without one is always called. */
static void on_join_is_not_called_below_its_threshold(void **state)
{
    struct weir_features f = list_of(ON(.row = &b_only, .model = &level), ON(.row = &b_only, .model = &more));
    (void)state;
    f.count = 1;
    assert_true(weir_chains_init(chain, &f, port, PORTS, NULL, &mem));
    assert_int_equal(chain[0].join_bytes, 9000);
    f.count = 2; /* the second: from 1 B on, and more than a threshold */
    assert_true(weir_chains_init(chain, &f, port, PORTS, NULL, &mem));
    assert_int_equal(chain[0].join_bytes, 1);
    assert_false(chain[0].is_threshold);
    f = both();
    assert_true(weir_chains_init(chain, &f, port, PORTS, NULL, &mem));
    assert_int_equal(chain[0].join_bytes, 0);
    assert_int_equal(chain[1].join_bytes, 9000); /* a goes without port 1 */
    f.count = 0;
    assert_true(weir_chains_init(chain, &f, port, PORTS, NULL, &mem));
    assert_int_equal(chain[0].join_bytes, UINT64_MAX);
}

static void a_feature_without_its_companion_is_refused(void **state)
{
    struct weir_features f = list_of(ON(.row = &d), ON(.row = &b, .model = &level));
    (void)state;
    assert_int_equal(weir_features_check(&f, NULL, &err), 0);
    f.count = 1;
    assert_int_equal(weir_features_check(&f, NULL, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "d");
}

static void features_that_exclude_each_other_are_refused_by_the_rows_data(void **state)
{
    struct weir_features f = list_of(ON(.row = &b, .model = &level), ON(.row = &c));
    (void)state;
    assert_int_equal(weir_features_check(&f, NULL, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "b");
    assert_true(weir_features_are_coupled(&f));
    f.count = 1;
    assert_int_equal(weir_features_check(&f, NULL, &err), 0);
    assert_false(weir_features_are_coupled(&f));
    assert_null(weir_features_find(&f, "c"));
    assert_ptr_equal(weir_features_find(&f, "b")->row, &b);
}

static void features_that_want_the_same_part_of_a_packet_are_refused(void **state)
{
    static const uint32_t data = WEIR_PKT_KIND_BIT(WEIR_PKT_DATA), ack = WEIR_PKT_KIND_BIT(WEIR_PKT_ACK);
    struct weir_extension one = { .name = "tokens", .parts = WEIR_PART_BYTE, .kinds = data };
    struct weir_extension other = { .name = "hops", .parts = WEIR_PART_BYTE | WEIR_PART_DELAY, .kinds = data | ack };
    const struct weir_feature x = { .name = "x", .extension = &one }, y = { .name = "y", .extension = &other };
    struct weir_features f = list_of(ON(.row = &x), ON(.row = &y));
    struct weir_fabric_env env = { .protocol = "sird", .receiver_driven = true };
    (void)state;
    assert_int_equal(weir_features_check(&f, NULL, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "y");
    one.kinds = ack << 1; /* other packets */
    assert_int_equal(weir_features_check(&f, NULL, &err), 0);
    one.kinds = data;
    other.parts = WEIR_PART_DELAY; /* another part */
    assert_int_equal(weir_features_check(&f, NULL, &err), 0);
    /* fields that receiver-driven protocols have in DATA */
    assert_int_equal(weir_feature_check_hosts(&(struct weir_feature){ .name = "x", .section = "x", .extension = &one },
                                              &env, 0, &err),
                     0);
    assert_int_equal(weir_feature_check_hosts(
                         &(struct weir_feature){ .name = "y", .section = "y", .extension = &other }, &env, 0, &err),
                     WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "y");
}

static void an_order_that_is_no_permutation_is_refused(void **state)
{
    static const struct {
        const char *order, *key;
    } row[] = { { "a, d, b", "d" }, { "[b, b]", "b" }, { "b", "a" } };
    struct weir_features f = both();
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        assert_int_equal(weir_features_order(&f, row[i].order, NULL, &err), WEIR_E_CONFLICT);
        assert_refusal(&err, WEIR_E_CONFLICT, "", row[i].key);
        assert_ptr_equal(f.on[0].row, &a);
    }
    assert_int_equal(weir_features_order(&f, "", NULL, &err), 0);
    assert_ptr_equal(f.on[0].row, &a);
    assert_int_equal(weir_features_order(&f, "b a", NULL, &err), 0);
    assert_ptr_equal(f.on[0].row, &b);
    f.count = 0;
    assert_int_equal(weir_features_order(&f, "a", NULL, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "fabric.order");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(hooks_of_a_port_are_called_in_order, setup),
        cmocka_unit_test_setup(a_node_has_the_hooks_of_its_variant, setup),
        cmocka_unit_test_setup(a_threshold_is_that_of_the_node, setup),
        cmocka_unit_test_setup(a_port_without_a_queue_calls_on_start_only, setup),
        cmocka_unit_test_setup(no_hook_is_called_for_a_dropped_packet, setup),
        cmocka_unit_test_setup(of_several_that_lose_a_packet_the_first_is_the_cause, setup),
        cmocka_unit_test_setup(the_world_refuses_what_no_feature_refuses, setup),
        cmocka_unit_test(a_counter_names_the_link_that_leads),
        cmocka_unit_test_setup(a_single_threshold_needs_no_list_of_hooks, setup),
        cmocka_unit_test_setup(on_join_is_not_called_below_its_threshold, setup),
        cmocka_unit_test_setup(a_feature_without_its_companion_is_refused, setup),
        cmocka_unit_test_setup(features_that_exclude_each_other_are_refused_by_the_rows_data, setup),
        cmocka_unit_test_setup(features_that_want_the_same_part_of_a_packet_are_refused, setup),
        cmocka_unit_test_setup(an_order_that_is_no_permutation_is_refused, setup),
    };
    return cmocka_run_group_tests_name("hooks/features", tests, NULL, NULL);
}
