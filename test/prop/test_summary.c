/* test/prop/test_summary.c - random scenarios, cut off at random: no summary claims a slowdown, or that all was delivered, without what is
 * missing. What is missing is known apart from the result: each host's source is asked what it has started, and the rows of the run say
 * what was delivered. */
#include "test/unit/weir_test.h"
#include "model/account.h"
#include "output/report.h"
#include "engine/sim.h"
#include "test/oracle/generate.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SCENARIOS = 100 };

struct known { /* by traffic item */
    uint64_t started[WEIR_TRAFFIC_MAX], delivered[WEIR_TRAFFIC_MAX];
    uint64_t started_all, missing_all, missing_counted; /* counted: of items that count in slowdown */
    uint64_t ended_counted, ended_uncounted;            /* in the measured part */
    uint64_t replies_missing;                           /* to what was delivered */
};

static struct weir_scenario scn;
static struct weir_setup setup;
static struct weir_result result;
static struct weir_findings findings;
static struct weir_report report;
static struct known known;
static char scenario[TWIN_TEXT_MAX];
static uint64_t seed;
static struct { /* how many cases showed each: a test of nothing would pass as well */
    uint32_t whole, so_far, short_, unstable, bound, left_out, overloaded, beyond, lost;
} seen;

static int take_rows(void *ctx, const struct weir_account_row *row, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++) {
        bool counts = (setup.model.measured_items >> row[i].d.item & 1) != 0;
        bool measured = row[i].d.end_ps >= setup.model.warmup_ps &&
                        (setup.model.until_done || row[i].d.end_ps < setup.model.warmup_ps + setup.model.measure_ps);
        if (row[i].d.is_reply) {
            known.replies_missing--;
            continue;
        }
        known.replies_missing += setup.workload.reply_bytes[row[i].d.item] > 0;
        known.delivered[row[i].d.item]++;
        known.ended_counted += counts && measured;
        known.ended_uncounted += !counts && measured;
    }
    return 0;
}

/* What started before the end, by the sources alone. */
static void ask_sources(void)
{
    for (uint32_t h = 0; h < setup.workload.hosts; h++) {
        struct weir_source src;
        weir_source_init(&src, &setup.workload, h);
        while (weir_source_next_ps(&src) != WEIR_NEVER &&
               (setup.model.until_done || weir_source_next_ps(&src) < result.sim_ps)) {
            struct weir_message m;
            weir_source_take(&src, &m);
            known.started[m.item]++;
        }
    }
    known.missing_all = known.replies_missing;
    for (uint32_t i = 0; i < WEIR_TRAFFIC_MAX; i++) {
        known.started_all += known.started[i];
        known.missing_all += known.started[i] - known.delivered[i];
        if ((setup.model.measured_items >> i & 1) != 0)
            known.missing_counted += known.started[i] - known.delivered[i];
    }
}

/* Runs the plain scenario of the seed, but only so much of its measured part; some with a list of flows that no run can carry. */
static void run_case(void)
{
    struct weir_rng rng = { .key = weir_rng_key(seed, 77, WEIR_RNG_TEST, 0) };
    struct weir_sim_options options = { .threads = 1, .rows = take_rows };
    struct weir_offered offered;
    struct weir_err err = { 0 };
    twin_generate(seed, scenario);
    /* messages of `none` are single packets */
    if (weir_rng_below(weir_rng_next(&rng), 10) == 0 && strstr(scenario, "name: none") == NULL)
        (void)snprintf(
            strstr(scenario, "run: {"), 200,
            "  - {kind: permutation, size: 10 GB}\nrun: {warmup: 10 us, measure: 60 us, seed: %" PRIu64 "}\n", seed);
    memset(&known, 0, sizeof(known));
    result = (struct weir_result){ 0 };
    findings = (struct weir_findings){ 0 };
    if (weir_scenario_parse(&scn, "random", scenario, strlen(scenario), NULL, 0, &err) != 0)
        fail_msg("seed %" PRIu64 ": %s", seed, err.text);
    if (!(scn.run.measure_ps == WEIR_NEVER)) {
        scn.run.measure_ps /= 4 + weir_rng_below(weir_rng_next(&rng), 40);
        scn.run.warmup_ps /= 10;
    }
    if (weir_setup_init(&setup, &scn, &err) != 0 || weir_offered_find(&offered, &setup, &err) != 0)
        fail_msg("seed %" PRIu64 ": %s", seed, err.text);
    weir_findings_offered(&findings, &offered, &setup.topo);
    if (weir_sim_run(&setup.model, &options, &result, &err) != 0)
        fail_msg("seed %" PRIu64 ": %s", seed, err.text);
    weir_report_make(&report, &setup, &result, &findings);
    ask_sources();
}

static char *print(void (*to)(FILE *out, const struct weir_report *r))
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    to(out, &report);
    assert_int_equal(fclose(out), 0);
    for (char *fold = text; (fold = strstr(fold, "\n             ")) != NULL;) /* a note goes on in the next line */
        memmove(fold, fold + 12, strlen(fold + 12) + 1);
    return text;
}

/* The sum of the numbers of notes "  note      N of M messages UNFINISHED..", NEED.. and WERE LOST.. */
static uint64_t sum_of_notes(const char *text)
{
    uint64_t sum = 0;
    for (const char *note = text; (note = strstr(note, "\n  note      ")) != NULL;) {
        uint64_t count = 0;
        note += strlen("\n  note      ");
        for (const char *c = note; *c >= '0' && *c <= '9'; c += c[1] == ',' ? 2 : 1)
            count = 10 * count + (uint64_t)(*c - '0');
        size_t number = strspn(note, "0123456789,");
        if (number > 0 && strncmp(note + number, " of ", 4) == 0) {
            const char *kind = note + number + 4 + strspn(note + number + 4, "0123456789,");
            bool tells = strncmp(kind, " messages unfinished", 20) == 0 || strncmp(kind, " messages need", 14) == 0 ||
                         strncmp(kind, " messages were lost", 19) == 0 || strncmp(kind, " messages was lost", 18) == 0;
            sum += tells ? count : 0;
        }
    }
    return sum;
}

static void holds(bool ok, const char *what, const char *text)
{
    if (ok)
        return;
    print_error("seed %" PRIu64 ": %s; missing %" PRIu64 " of %" PRIu64 " messages, %" PRIu64 " of them count\n%s\n%s",
                seed, what, known.missing_all, known.started_all, known.missing_counted, text, scenario);
    fail();
}

static void check_table(const char *text)
{
    bool yes = strstr(text, "\nstable      yes\n") != NULL, so_far = strstr(text, "\nstable      so far\n") != NULL;
    bool bound = strstr(text, "slowdown (1 = ideal), lower bound") != NULL;
    bool behind =
        setup.workload.endless && !setup.model.until_done && result.goodput_bps < result.offered_bps / 1000 * 979;
    holds(sum_of_notes(text) == known.missing_all, "the notes do not tell how many messages are missing", text);
    holds(!yes || known.missing_all == result.messages_lost, "plainly stable with messages missing", text);
    holds(!bound || (known.missing_counted > 0 && known.ended_counted > 0),
          "a slowdown is no lower bound where nothing that counts is missing", text);
    holds(bound || known.missing_counted <= result.messages_lost || known.ended_counted == 0,
          "a slowdown is a lower bound where messages that count are missing", text);
    holds(!behind || (!yes && !so_far), "stable, with less delivered than offered", text);
    holds((strstr(text, "traffic that does not count in slowdown") != NULL) ==
              (known.ended_uncounted > 0 && known.ended_counted > 0),
          "messages that do not count are not told", text);
    holds(known.ended_counted > 0 || strstr(text, "\n  note      no message ") != NULL ||
              strstr(text, "ten times this run") != NULL,
          "no slowdown, and no reason", text);
    seen.whole += yes;
    seen.so_far += so_far;
    seen.bound += bound;
    seen.short_ += strstr(text, "\nstable      not known: the run is too short\n") != NULL;
    seen.unstable += strstr(text, "\nstable      no\n") != NULL;
    seen.left_out += strstr(text, "does not count") != NULL;
    seen.overloaded += strstr(text, "headers included") != NULL;
    seen.beyond += strstr(text, "ten times this run") != NULL;
    seen.lost += strstr(text, "lost with a host") != NULL;
}

static void check_json(const char *text)
{
    char must[64];
    (void)snprintf(must, sizeof(must), "\"unfinished\": {\"messages\": %" PRIu64 ", ",
                   known.missing_all - result.messages_lost);
    holds(strstr(text, must) != NULL, "JSON has another number of messages unfinished", text);
    holds((strstr(text, "\"verdict\": \"stable\"") != NULL) <= (known.missing_all == result.messages_lost),
          "JSON is plainly stable", text);
    holds((strstr(text, "\"kind\": \"lost_with_host\"") != NULL) == (result.messages_lost > 0),
          "JSON does not tell which messages were lost with their host", text);
}

static void no_summary_claims_more_than_it_measured(void **state)
{
    (void)state;
    for (seed = 1; seed <= SCENARIOS; seed++) {
        char *text;
        run_case();
        text = print(weir_report_table);
        check_table(text);
        free(text);
        text = print(weir_report_json);
        check_json(text);
        free(text);
        weir_result_free(&result);
        weir_setup_free(&setup);
        weir_scenario_free(&scn);
    }
    print_message("%d scenarios: %u stable, %u so far, %u too short, %u unstable; %u with a lower bound, %u left out, "
                  "%u overloaded, %u beyond, %u lost\n",
                  SCENARIOS, seen.whole, seen.so_far, seen.short_, seen.unstable, seen.bound, seen.left_out,
                  seen.overloaded, seen.beyond, seen.lost);
    assert_true(seen.whole > 0 && seen.so_far > 0 && seen.short_ > 0 && seen.unstable > 0 && seen.bound > 0 &&
                seen.left_out > 0 && seen.overloaded > 0 && seen.beyond > 0 && seen.lost > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_summary_claims_more_than_it_measured) };
    return cmocka_run_group_tests_name("prop/summary", tests, NULL, NULL);
}
