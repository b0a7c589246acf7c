/* test/unit/state/test_fate.c - every packet that is dropped, lost, marked or deflected, and every pause, has a cause;
 * that it is the right one in any scenario is shown by test/oracle. */
#include "core/feature.h"
#include "test/unit/sim_fixture.h"
#include "registry.h"

static struct weir_packet_row seen[64];
static size_t seen_count;

/* Keeps the packets that are dropped, and those that have arrived without a route. */
static int keep(void *ctx, const struct weir_packet_row *row, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++)
        if (row[i].cause != WEIR_CAUSE_NONE && seen_count < sizeof(seen) / sizeof(seen[0]))
            seen[seen_count++] = row[i];
    return 0;
}

static int begin(void **state)
{
    (void)fix_begin(state);
    fix_result = (struct weir_result){ 0 };
    fix_options.causes = fix_options.links = true;
    seen_count = 0;
    return 0;
}

static uint32_t number_of(const char *feature, const char *rule)
{
    const struct weir_features *f = &fix_setup.model.features;
    for (uint32_t i = 1; i < weir_features_cause(f, f->count); i++)
        if (strcmp(weir_cause_of(f, i).feature, feature) == 0 && strcmp(weir_cause_of(f, i).rule->name, rule) == 0)
            return i;
    fail_msg("the run has no cause %s.%s", feature, rule);
    return 0;
}

/* Returns the packets of one cause; 0 if by_link has another number. */
static uint64_t took(const char *feature, const char *rule)
{
    const struct weir_causes *causes = fix_result.causes;
    uint32_t number = number_of(feature, rule);
    uint64_t pkts = weir_cause_times(&causes->row[number]), at_links = 0;
    for (uint32_t i = 0; i < fix_setup.topo.link_count; i++)
        at_links += causes->of_link[i * causes->count + number];
    assert_int_equal(at_links, pkts);
    return pkts;
}

/* Two packets at one instant, and memory for one. */
static void what_is_dropped_is_counted_by_rule_kind_and_class(void **state)
{
    (void)state;
    fix_model(STAR("3") "protocol: dctcp\nhost: {data_class: 1}\nfabric: {priorities: 2}\n"
                        "traffic: [{kind: incast, fan_in: 2, size: 1460 B, period: 1 ms, stop: 1.5 ms}]\n"
                        "run: {warmup: 0 us, measure: 2 ms}\n")
        ->memory_bytes = 1538;
    assert_int_equal(fix_run_model(), 0);
    assert_int_equal(fix_result.drops, 1);
    assert_int_equal(took("switch", "memory"), 1);
    assert_int_equal(fix_result.causes->row[WEIR_CAUSE_MEMORY].pkts[WEIR_LOST_DATA][1], 1);
    assert_int_equal(took("switch", "no-route"), 0);
}

static const char six[] =
    "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 10 Gbps, core_link: 20 Gbps, "
    "host_delay: 1 us, core_delay: 2 us}\n"
    "protocol: newreno\n"
    "host: {data_class: 1}\n"
    "fabric:\n"
    "  priorities: 2\n"
    "  buffer: 90 KB\n"
    "  alpha: 1\n"
    "  port_buffer: 40 KB\n"
    "  loss: 0.1%\n"
    "  codel: {variant: rfc8289, target: 5 us, interval: 20 us}\n"
    "  reroute_delay: 20 us\n"
    "  events:\n"
    "    - {time: 600 us, cable: leaf 0 - spine 0, state: down, queue: wait}\n"
    "    - {time: 650 us, cable: leaf 0 - spine 1, state: down}\n"
    "    - {time: 900 us, cable: leaf 0 - spine 1, state: up}\n"
    "    - {time: 1240 us, cable: host 3 - leaf 0, state: down}\n"
    "    - {time: 1260 us, cable: host 3 - leaf 0, state: up}\n"
    "traffic: [{kind: poisson, sizes: wkb, load: 60%}, {kind: incast, fan_in: 6, size: 60 KB, period: 300 us}]\n"
    "run: {warmup: 0 us, measure: 2 ms, seed: 3}\n";

/* Some of them in one run, on one thread and on three. */
static void causes_add_up_to_all_drops_and_losses(void **state)
{
    (void)state;
    (void)fix_model(six);
    for (fix_options.threads = 1; fix_options.threads <= 3; fix_options.threads += 2) {
        assert_int_equal(fix_run_model(), 0);
        assert_true(took("switch", "no-route") > 0);
        assert_true(took("shared-buffer", "port") > 0);
        assert_true(took("shared-buffer", "alpha") > 0);
        assert_true(took("codel", "sojourn") > 0);
        assert_true(took("loss", "random") > 0);
        assert_true(took("cable-events", "cut") > 0);
        assert_true(took("cable-events", "flush") > 0);
        assert_true(took("cable-events", "down") > 0);
        assert_int_equal(weir_causes_times(fix_result.causes, WEIR_FATE_DROPPED), fix_result.drops);
        assert_int_equal(weir_causes_times(fix_result.causes, WEIR_FATE_LOST), fix_result.losses);
    }
}

/* Returns the sum over the rules of one fate that apply at a link. */
static uint64_t at_link(uint32_t link, enum weir_fate fate)
{
    const struct weir_causes *causes = fix_result.causes;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < causes->count; i++)
        sum += causes->row[i].cause.rule->fate == fate ? causes->of_link[link * causes->count + i] : 0;
    return sum;
}

static void assert_marks_of_links(void)
{
    for (uint32_t i = 0; i < fix_setup.topo.link_count; i++)
        assert_int_equal(at_link(i, WEIR_FATE_MARKED), fix_result.link[i].marks);
    assert_int_equal(weir_causes_times(fix_result.causes, WEIR_FATE_MARKED), fix_result.marks);
}

static uint64_t counted(const char *feature, const char *name)
{
    for (uint32_t i = 0; i < fix_result.feature_counts; i++)
        if (strcmp(fix_result.feature_count[i].feature, feature) == 0 &&
            strcmp(fix_result.feature_count[i].counter->name, name) == 0)
            return fix_result.feature_count[i].value;
    fail_msg("no counter %s.%s", feature, name);
    return 0;
}

#define POISSON "traffic: [{kind: poisson, sizes: wkb, load: 60%}, {kind: incast, fan_in: 6, size: 40 KB, load: 10%}]\n"
#define FAT                                                                                                            \
    "topology: {kind: fat-tree, k: 4, host_link: 10 Gbps, core_link: 10 Gbps, host_delay: 1 us, core_delay: 1 us}\n"

/* A port's threshold, where no hook is called, and a ramp; where frames have fractions of picoseconds the hook
 * marks. */
static void marks_are_of_the_threshold_or_of_the_ramp(void **state)
{
    static const struct {
        const char *topology, *ecn;
        bool ramp;
    } row[] = {
        { FAT, "{threshold: 20 KB}", false },
        { FAT, "{kmin: 10 KB, kmax: 60 KB, pmax: 50%}", true },
        { "topology: {kind: star, hosts: 8, host_link: 56 Gbps, host_delay: 1 us}\n", "{threshold: 20 KB}", false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char text[1024];
        (void)snprintf(text, sizeof(text), "%sprotocol: dctcp\nfabric: {ecn: %s}\n%s", row[i].topology, row[i].ecn,
                       POISSON "run: {warmup: 0 us, measure: 1 ms, seed: 5}\n");
        (void)fix_model(text);
        assert_int_equal(fix_run_model(), 0);
        assert_marks_of_links();
        assert_true(took("ecn", row[i].ramp ? "ramp" : "threshold") > 0);
        assert_int_equal(took("ecn", row[i].ramp ? "threshold" : "ramp"), 0);
        (void)fix_end(NULL);
        (void)begin(NULL);
    }
}

/* A message's first packet is deflected by one rule, the rest by another; a pause is of the link that carries it. */
static void deflections_and_pauses_are_counted_by_rule(void **state)
{
    (void)state;
    (void)fix_model(FAT "protocol: dctcp\nfabric: {ecn: {threshold: 22.5 KB}, pfc: {kind: static, xoff: 40 KB}, "
                        "deflect: {threshold: 6 KB, entries: 3, short: 40 KB, timeout: 50 us}}\n" POISSON
                        "run: {warmup: 0 us, measure: 2 ms, seed: 34}\n");
    assert_int_equal(fix_run_model(), 0);
    assert_marks_of_links();
    assert_int_equal(took("deflect", "first"), counted("deflect", "messages"));
    assert_int_equal(took("deflect", "first") + took("deflect", "follow"), counted("deflect", "packets"));
    assert_true(took("deflect", "follow") > 0);
    assert_int_equal(took("pfc", "threshold"), counted("pfc", "pause_frames"));
    assert_true(took("pfc", "threshold") > 0);
}

/* Every event of RPM is a mark that it takes, or one that stays: of the queue or of CoDel. */
static void a_mark_that_is_taken_is_a_fate_of_its_own(void **state)
{
    (void)state;
    (void)fix_model(
        "topology: {kind: leaf-spine, hosts: 16, racks: 4, spines: 2, host_link: 100 Gbps, "
        "core_link: 100 Gbps, host_delay: 1 us, core_delay: 0.5 us}\nprotocol: dctcp\n"
        "fabric: {ecn: {threshold: 60 KB}, codel: {variant: p4, target: 5 us, interval: 20 us}, "
        "rpm: {entries: 64, expiry: 50 us}, routing: symmetric}\n"
        "traffic: [{kind: poisson, sizes: wkb, load: 60%}, {kind: incast, fan_in: 10, size: 40 KB, load: 10%}]\n"
        "run: {warmup: 200 us, measure: 1 ms, seed: 89}\n");
    assert_int_equal(fix_run_model(), 0);
    assert_marks_of_links();
    assert_true(took("rpm", "event") > 0);
    assert_int_equal(took("rpm", "event") + fix_result.marks, counted("rpm", "events"));
    assert_int_equal(fix_result.marks, counted("rpm", "forward"));
}

/* Both cables of leaf 0 are down: packets of its hosts have no route, and are seen where they arrived. */
static void a_packet_without_a_route_is_seen_by_the_tap_behind_its_arrival(void **state)
{
    static uint8_t tap[64];
    (void)state;
    (void)fix_model(six);
    assert_in_range(fix_setup.topo.link_count, 1, sizeof(tap));
    memset(tap, WEIR_TAP_ARRIVED, sizeof(tap));
    fix_options.packets = keep;
    fix_options.tap = tap;
    assert_int_equal(fix_run_model(), 0);
    assert_true(seen_count > 0);
    for (size_t i = 0; i < seen_count; i++) {
        assert_int_equal(seen[i].event, WEIR_PACKET_REFUSED);
        assert_int_equal(seen[i].cause, WEIR_CAUSE_NO_ROUTE);
    }
    assert_int_equal(weir_min_u64(took("switch", "no-route"), sizeof(seen) / sizeof(seen[0])), seen_count);
}

static void a_dropped_packet_carries_its_cause(void **state)
{
    static uint8_t tap[64];
    uint32_t port;
    (void)state;
    (void)fix_model(six);
    port = number_of("shared-buffer", "port");
    memset(tap, WEIR_TAP_SENT, sizeof(tap));
    fix_options.packets = keep;
    fix_options.tap = tap;
    assert_int_equal(fix_run_model(), 0);
    assert_true(seen_count > 0);
    for (size_t i = 0; i < seen_count; i++)
        assert_int_equal(seen[i].event == WEIR_PACKET_LOST,
                         weir_cause_of(&fix_setup.model.features, seen[i].cause).rule->fate == WEIR_FATE_LOST);
    assert_true(took("shared-buffer", "port") > 0 && port != WEIR_CAUSE_NONE);
}

static void assert_in_model(const char *page, const char *paragraph)
{
    char name[64];
    (void)snprintf(name, sizeof(name), "**[%s]**", paragraph);
    if (strstr(page, name) == NULL)
        fail_msg("doc/model.md has no %s", name);
}

static void every_rule_is_a_paragraph_of_the_model(void **state)
{
    static char page[1 << 20];
    FILE *file = fopen("doc/model.md", "r");
    (void)state;
    assert_non_null(file);
    assert_in_range(fread(page, 1, sizeof(page) - 1, file), 1, sizeof(page) - 2);
    (void)fclose(file);
    for (uint32_t i = 1; i < WEIR_CAUSES_OF_WORLD; i++)
        assert_in_model(page, weir_cause_of(&(struct weir_features){ .count = 0 }, i).rule->paragraph);
    for (const struct weir_feature *const *row = weir_features; *row != NULL; row++)
        for (uint32_t i = 0; i < weir_feature_rules(*row); i++)
            assert_in_model(page, (*row)->rules[i].paragraph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_dropped_is_counted_by_rule_kind_and_class, begin, fix_end),
        cmocka_unit_test_setup_teardown(causes_add_up_to_all_drops_and_losses, begin, fix_end),
        cmocka_unit_test_setup_teardown(marks_are_of_the_threshold_or_of_the_ramp, begin, fix_end),
        cmocka_unit_test_setup_teardown(deflections_and_pauses_are_counted_by_rule, begin, fix_end),
        cmocka_unit_test_setup_teardown(a_mark_that_is_taken_is_a_fate_of_its_own, begin, fix_end),
        cmocka_unit_test_setup_teardown(a_packet_without_a_route_is_seen_by_the_tap_behind_its_arrival, begin, fix_end),
        cmocka_unit_test_setup_teardown(a_dropped_packet_carries_its_cause, begin, fix_end),
        cmocka_unit_test(every_rule_is_a_paragraph_of_the_model),
    };
    return cmocka_run_group_tests_name("sim/fate", tests, NULL, NULL);
}
