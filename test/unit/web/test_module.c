/* test/unit/web/test_module.c - a simulation that a page drives: it is the one of `weir run`, with frames. */
#include "test/unit/weir_test.h"
#include "core/units.h"
#include "engine/sim.h"
#include "setup/setup.h"
#include "web/module.h"
#include <stdlib.h>
#include <string.h>

#define NETWORK "topology: {kind: star, hosts: 6, host_link: 100 Gbps, host_delay: 1 us}\n"
#define TRAFFIC "traffic: [{kind: poisson, sizes: 20 KB, load: 50%}]\n"
#define RUN "run: {warmup: 20 us, measure: 180 us, seed: 3}\n"

struct seen {
    double first_ps, last_ps, every_ps, link_bytes;
    uint32_t frames, values, kept, progress;
};

static void take_frame(void *ctx, const double *value, uint32_t count)
{
    struct seen *s = ctx;
    s->first_ps = s->frames == 0 ? value[WEIR_WEB_AT_PS] : s->first_ps;
    s->kept = s->every_ps != 0 && value[WEIR_WEB_EVERY_PS] != s->every_ps ? s->kept / 2 : s->kept;
    s->last_ps = value[WEIR_WEB_AT_PS];
    s->every_ps = value[WEIR_WEB_EVERY_PS];
    s->values = count;
    s->frames++;
    s->kept++;
    for (uint32_t i = WEIR_WEB_FIRST_LINK; i < count; i++) {
        assert_true(value[i] <= value[WEIR_WEB_PORT_QUEUE_BYTES] || i < WEIR_WEB_FIRST_LINK + 6); /* NICs of hosts */
        s->link_bytes += value[i];
    }
}

static void take_progress(void *ctx, const struct weir_progress *p)
{
    struct seen *s = ctx;
    (void)p;
    s->progress++;
}

static struct weir_web *opened(const char *text, const char *law)
{
    struct weir_web *web;
    struct weir_err err;
    int code = weir_web_open(&web, &(struct weir_web_source){ text, strlen(text), law, NULL, 0 }, &err);
    if (code != 0)
        print_error("%s\n", err.text);
    assert_int_equal(code, 0);
    return web;
}

static void run(struct weir_web *web, struct seen *seen)
{
    const struct weir_web_sink sink = { .frame = take_frame, .progress = take_progress, .ctx = seen };
    struct weir_err err;
    *seen = (struct seen){ 0 };
    assert_int_equal(weir_web_run(web, &sink, &err), 0);
    assert_int_equal(weir_web_run(web, &sink, &err), WEIR_E_CONFLICT);
}

enum { TEXT = 1 << 20 };

static char *text_of(void (*write)(FILE *, const struct weir_web *), const struct weir_web *web)
{
    static char text[TEXT];
    FILE *out = fmemopen(text, sizeof(text), "w");
    assert_non_null(out);
    write(out, web);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        print_error("no %s in %.2000s\n", part, text);
    assert_non_null(strstr(text, part));
}

/* Runs a scenario as `weir run` does, without frames. */
static uint64_t plain_digest(const char *text)
{
    static struct weir_scenario scn;
    static struct weir_setup setup;
    const struct weir_sim_options options = { .threads = 1 };
    struct weir_result result;
    struct weir_err err;
    uint64_t digest;
    assert_int_equal(weir_scenario_parse(&scn, "scenario", text, strlen(text), NULL, 0, &err), 0);
    assert_int_equal(weir_setup_init(&setup, &scn, &err), 0);
    assert_int_equal(weir_sim_run(&setup.model, &options, &result, &err), 0);
    digest = result.digest;
    weir_result_free(&result);
    weir_setup_free(&setup);
    weir_scenario_free(&scn);
    return digest;
}

static void a_run_with_frames_has_the_digest_of_one_without(void **state)
{
    static const char text[] = NETWORK "protocol: sird\n" TRAFFIC RUN;
    struct weir_web *web = opened(text, "");
    char digest[64];
    struct seen seen;
    (void)state;
    run(web, &seen);
    (void)snprintf(digest, sizeof(digest), "\"digest\": \"%016llx\"", (unsigned long long)plain_digest(text));
    has(text_of(weir_web_result, web), digest);
    weir_web_close(web);
}

static void a_run_of_known_length_has_400_frames(void **state)
{
    struct weir_web *web = opened(NETWORK "protocol: dctcp\n" TRAFFIC RUN, "");
    struct seen seen;
    (void)state;
    run(web, &seen);
    assert_int_equal(seen.frames, WEIR_WEB_FRAMES);
    assert_int_equal(seen.values, WEIR_WEB_FIRST_LINK + 12);
    assert_true(seen.first_ps == 500000 && seen.last_ps == 200000000 && seen.every_ps == 500000);
    assert_true(seen.link_bytes > 0);
    weir_web_close(web);
}

static void frames_of_a_run_without_end_become_rarer(void **state)
{
    struct weir_web *web =
        opened("topology: {kind: star, hosts: 2, host_link: 10 Mbps, host_delay: 1 us}\nprotocol: dctcp\n"
               "traffic: [{kind: permutation, size: 30 KB}]\n"
               "run: {warmup: 0 us, measure: all, seed: 1}\n",
               "");
    struct seen seen;
    (void)state;
    run(web, &seen);
    assert_true(seen.every_ps == 4e7);
    assert_in_range(seen.kept, WEIR_WEB_FRAMES, 2 * WEIR_WEB_FRAMES);
    weir_web_close(web);
}

static void a_description_has_the_network_before_the_run(void **state)
{
    struct weir_web *web = opened("name: a\n" NETWORK "protocol: dctcp\n" TRAFFIC
                                  "variants: {slow: {protocol.name: dctcp, protocol.g: 0.01}}\n" RUN,
                                  "");
    const char *text = text_of(weir_web_describe, web);
    (void)state;
    has(text, "\"name\": \"a\", \"protocol\": \"dctcp\"");
    has(text, "\"hosts\": 6, \"switches\": 1, \"warmup_ps\": 20000000, \"end_ps\": 200000000");
    has(text, "\"variants\": [\"slow\"]");
    has(text, "{\"name\": \"host 5\", \"tier\": 0}");
    has(text, "\"src\": 0, \"dst\": 6, \"rate_gbps\": 100.000000000");
    weir_web_close(web);
}

static void after_a_run_there_are_links_and_slowdowns(void **state)
{
    struct weir_web *web = opened(NETWORK "protocol: dctcp\n" TRAFFIC RUN, "");
    static char links[TEXT];
    FILE *out = fmemopen(links, sizeof(links), "w");
    struct seen seen;
    (void)state;
    run(web, &seen);
    assert_int_equal(weir_web_links(out, web), 0);
    assert_int_equal(fclose(out), 0);
    has(links, "link,from,to,rate_bps,bytes,share");
    has(text_of(weir_web_slowdown, web), "\"by_size\": [{\"lo_bytes\": 17783, \"hi_bytes\": 31623, \"count\": ");
    has(text_of(weir_web_slowdown, web), "\"distribution\": [[");
    weir_web_close(web);
}

static void another_law_gets_the_settings_that_compare_gives_it(void **state)
{
    struct weir_web *web = opened(NETWORK "protocol: sird\n" TRAFFIC RUN, "dctcp");
    struct seen seen;
    char digest[64];
    (void)state;
    has(text_of(weir_web_describe, web), "\"protocol\": \"dctcp\"");
    run(web, &seen);
    /* what `weir compare --protocols dctcp,sird --list` says of dctcp */
    (void)snprintf(
        digest, sizeof(digest), "\"digest\": \"%016llx\"",
        (unsigned long long)plain_digest(NETWORK "protocol: dctcp\nfabric: {ecn: {threshold: 1 BDP}}\n" TRAFFIC RUN));
    has(text_of(weir_web_result, web), digest);
    weir_web_close(web);
}

static void a_variant_of_the_scenario_is_a_law(void **state)
{
    struct weir_web *web = opened(NETWORK "protocol: sird\n" TRAFFIC
                                          "variants: {slow: {protocol.name: dctcp, fabric.ecn.threshold: 30 KB}}\n" RUN,
                                  "slow");
    struct seen seen;
    char digest[64];
    (void)state;
    run(web, &seen);
    (void)snprintf(
        digest, sizeof(digest), "\"digest\": \"%016llx\"",
        (unsigned long long)plain_digest(NETWORK "protocol: dctcp\nfabric: {ecn: {threshold: 30 KB}}\n" TRAFFIC RUN));
    has(text_of(weir_web_result, web), digest);
    weir_web_close(web);
}

/* Opens with the seed 4, and returns what the run until a time prints. packet: NULL = at that time */
static const char *packets(uint64_t until_ps, const char *packet)
{
    static const char text[] = NETWORK "protocol: dctcp\n" TRAFFIC RUN;
    static const struct weir_override seed = { .text = "run.seed=4" };
    static char said[TEXT];
    FILE *out = fmemopen(said, sizeof(said), "w");
    struct weir_web *web;
    struct weir_err err;
    assert_int_equal(weir_web_open(&web, &(struct weir_web_source){ text, strlen(text), "", &seed, 1 }, &err), 0);
    assert_int_equal(weir_web_packets(web, until_ps, packet, out, &err), 0);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(weir_web_packets(web, until_ps, packet, stdout, &err), WEIR_E_CONFLICT);
    assert_int_equal(weir_web_run(web, &(struct weir_web_sink){ .frame = take_frame, .progress = take_progress }, &err),
                     WEIR_E_CONFLICT);
    weir_web_close(web);
    return said;
}

struct rows { /* packets of a run until a time */
    uint64_t until_ps, last_ps;
    uint32_t count, at_last;
};

static int count_rows(void *ctx, const struct weir_packet_row *row, size_t count)
{
    struct rows *r = ctx;
    for (size_t i = 0; i < count && row[i].at_ps <= r->until_ps; i++) {
        r->at_last = row[i].at_ps == r->last_ps ? r->at_last + 1 : 1;
        r->last_ps = row[i].at_ps;
        r->count++;
    }
    return 0;
}

/* Counts the packets that a run with the seed 4 has until a time, without the module. */
static struct rows counted(uint64_t until_ps)
{
    static const char text[] = NETWORK "protocol: dctcp\n" TRAFFIC "run: {warmup: 20 us, measure: 180 us, seed: 4}\n";
    static struct weir_scenario scn;
    static struct weir_setup setup;
    struct rows rows = { .until_ps = until_ps };
    uint8_t tap[12]; /* six hosts have twelve links */
    const struct weir_sim_options options = { .threads = 1, .packets = count_rows, .packets_ctx = &rows, .tap = tap };
    struct weir_result result;
    struct weir_err err;
    memset(tap, WEIR_TAP_SENT | WEIR_TAP_ARRIVED, sizeof(tap));
    assert_int_equal(weir_scenario_parse(&scn, "scenario", text, strlen(text), NULL, 0, &err), 0);
    assert_int_equal(weir_setup_init(&setup, &scn, &err), 0);
    assert_int_equal(setup.topo.link_count, sizeof(tap));
    assert_int_equal(weir_sim_run(&setup.model, &options, &result, &err), 0);
    weir_result_free(&result);
    weir_setup_free(&setup);
    weir_scenario_free(&scn);
    return rows;
}

static uint32_t lines_of(const char *text)
{
    uint32_t count = 0;
    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

static void packets_until_a_time_are_those_of_a_run_with_the_settings(void **state)
{
    const struct rows some = counted(100000000), all = counted(UINT64_MAX);
    char line[128], id[64];
    const char *text;
    (void)state;
    assert_in_range(some.count, 100, all.count - 100);
    for (int more = -1; more <= 1; more++) { /* a picosecond before its last event, at it, and after it */
        text = packets(some.last_ps + (uint64_t)more, NULL);
        (void)snprintf(line, sizeof(line), "\nevents         %u\n",
                       (unsigned)(some.count - (more < 0 ? some.at_last : 0)));
        has(text, line);
        assert_int_equal(lines_of(text), 3 + (more == 0 ? some.at_last : 0));
    }
    (void)snprintf(line, sizeof(line), "\nevents         %u\nlast event     %llu ps\n", (unsigned)all.count,
                   (unsigned long long)all.last_ps);
    has(packets(20000 * WEIR_PS_PER_S, NULL), line); /* after the end of the run */
    text = strchr(packets(some.last_ps, NULL), '\0');
    for (text--; text[-1] != '\n'; text--)
        ;
    (void)snprintf(id, sizeof(id), "%.*s", (int)strcspn(text, " "), text);
    text = packets(20000 * WEIR_PS_PER_S, id); /* sent and received on each of the two links of its path */
    assert_int_equal(lines_of(text), 3 + 4);
    (void)snprintf(line, sizeof(line), "\n%s  %llu ps  ", id, (unsigned long long)some.last_ps);
    has(text, line);
    has(text, "  sent on host ");
}

static void refused(const char *text, const char *law, const char *why, const char *hint)
{
    static char said[TEXT];
    struct weir_web *web;
    struct weir_err err;
    FILE *out = fmemopen(said, sizeof(said), "w");
    assert_int_not_equal(weir_web_open(&web, &(struct weir_web_source){ text, strlen(text), law, NULL, 0 }, &err), 0);
    assert_null(web);
    weir_web_refusal(out, &err);
    assert_int_equal(fclose(out), 0);
    has(said, why);
    has(said, hint);
}

static void what_weir_run_refuses_is_refused_with_its_place_and_hint(void **state)
{
    (void)state;
    refused(NETWORK "protocol: dctpc\n" TRAFFIC RUN, "", "\"line\": 2, \"column\": 11", "dctcp");
    refused(NETWORK "protocol: dctcp\n" TRAFFIC RUN, "dctpc", "unknown protocol 'dctpc'", "dctcp");
    refused(NETWORK "protocol: dctcp\n" TRAFFIC "run: {measure: auto}\n", "", "run.measure: auto", "3 ms");
    refused(NETWORK "protocol: dctcp\n" TRAFFIC "run: {measure: auto}\n", "sird", "run.measure: auto", "3 ms");
    refused("", "", "the file is empty", "\"hint\"");
}

static void laws_have_the_colours_of_all_pages(void **state)
{
    static char said[TEXT];
    FILE *out = fmemopen(said, sizeof(said), "w");
    (void)state;
    weir_web_laws(out);
    assert_int_equal(fclose(out), 0);
    has(said, "{\"name\": \"dctcp\", \"hint\": ");
    has(said, "\"light\": \"#0072b2\", \"dark\": \"#56b4e9\"");
}

/* What `weir run` prints on stderr before a run is in the description, such as a link that is offered more than it carries. */
static void a_description_says_what_is_to_be_known_before_the_run(void **state)
{
    struct weir_web *web =
        opened("topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 1, host_link: 100 Gbps, core_link: 100 Gbps}\n"
               "protocol: dctcp\ntraffic: [{kind: poisson, sizes: 20 KB, load: 80%}]\n" RUN,
               "");
    (void)state;
    has(text_of(weir_web_describe, web), "\"warnings\": [\"");
    weir_web_close(web);
    web = opened(NETWORK "protocol: dctcp\ntraffic: [{kind: permutation, size: 20 KB}]\n"
                         "run: {warmup: 0 us, measure: all}\n",
                 "");
    has(text_of(weir_web_describe, web), "\"warnings\": []");
    has(text_of(weir_web_describe, web), "\"end_ps\": null");
    weir_web_close(web);
}

/* A variant that names its preset has that one. */
static void a_variant_may_name_its_preset(void **state)
{
    struct weir_web *web = opened(NETWORK "protocol: dctcp\nfabric: {ecn: {threshold: 1 BDP}}\n" TRAFFIC
                                          "variants: {ns2: {protocol.name: sird, protocol.preset: ns2}}\n" RUN,
                                  "ns2");
    (void)state;
    has(text_of(weir_web_describe, web), "\"protocol\": \"sird\", \"preset\": \"ns2\"");
    weir_web_close(web);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_says_what_is_to_be_known_before_the_run),
        cmocka_unit_test(a_variant_may_name_its_preset),
        cmocka_unit_test(a_run_with_frames_has_the_digest_of_one_without),
        cmocka_unit_test(a_run_of_known_length_has_400_frames),
        cmocka_unit_test(frames_of_a_run_without_end_become_rarer),
        cmocka_unit_test(a_description_has_the_network_before_the_run),
        cmocka_unit_test(after_a_run_there_are_links_and_slowdowns),
        cmocka_unit_test(another_law_gets_the_settings_that_compare_gives_it),
        cmocka_unit_test(a_variant_of_the_scenario_is_a_law),
        cmocka_unit_test(packets_until_a_time_are_those_of_a_run_with_the_settings),
        cmocka_unit_test(what_weir_run_refuses_is_refused_with_its_place_and_hint),
        cmocka_unit_test(laws_have_the_colours_of_all_pages),
    };
    return cmocka_run_group_tests_name("web/module", tests, NULL, NULL);
}
