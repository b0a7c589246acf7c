/* test/prop/rig.h - a scenario from text whose messages may be listed one by one, and a run of it by engine or oracle. */
#ifndef WEIR_TEST_RIG_H
#define WEIR_TEST_RIG_H
#include "core/feature_counter.h"
#include "test/unit/weir_test.h"
#include "output/messages_csv.h"
#include "setup/setup.h"
#include "test/oracle/oracle.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LISTED_MAX = 128, HOSTS_MAX = 256 };

struct rig { /* a scenario whose messages may be listed one by one */
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_workload wl;
    struct weir_listed listed[LISTED_MAX];
    uint64_t first[HOSTS_MAX + 1];
    uint32_t listed_count;
    struct weir_feature_count **kept; /* kept_count arrays of results, to the end of the program: tests copy results */
    uint32_t kept_count;
};
static struct rig rig;

static inline void begin(const char *text)
{
    struct weir_err err = { 0 };
    if (weir_scenario_parse(&rig.scn, "test", text, strlen(text), NULL, 0, &err) != 0 ||
        weir_setup_init(&rig.setup, &rig.scn, &err) != 0)
        fail_msg("%" PRIu32 ":%" PRIu32 ": %s (%s)", err.line, err.col, err.text, err.hint);
    rig.setup.model.sample_limit = 65536; /* means are exact whatever is kept */
    rig.listed_count = 0;
}

/* Notes who owns what features counted in a run, and frees its batches. */
static inline void keep(struct weir_result *result)
{
    weir_batches_free(result->batches);
    result->batches = NULL;
    rig.kept = realloc(rig.kept, (rig.kept_count + 1) * sizeof(struct weir_feature_count *));
    assert_non_null(rig.kept);
    rig.kept[rig.kept_count++] = result->feature_count;
}

static inline void end(void)
{
    weir_setup_free(&rig.setup);
    weir_scenario_free(&rig.scn);
}

/* In order of (src, start). */
static inline void list(uint32_t src, uint32_t dst, uint64_t bytes, uint64_t start_ps)
{
    assert_true(rig.listed_count < LISTED_MAX && rig.setup.topo.host_count <= HOSTS_MAX);
    rig.listed[rig.listed_count++] = (struct weir_listed){ .start_ps = start_ps, .bytes = bytes, .dst = dst };
    for (uint32_t h = src + 1; h <= HOSTS_MAX; h++)
        rig.first[h] = rig.listed_count;
    for (uint32_t h = 0; h <= src && rig.listed_count == 1; h++)
        rig.first[h] = 0;
}

/* The listed messages instead of the scenario's traffic. */
static inline void use_list(void)
{
    rig.wl = rig.setup.workload;
    rig.wl.listed = rig.listed;
    rig.wl.listed_first = rig.first;
    rig.wl.finite_messages = rig.listed_count;
    memset(rig.wl.gap_mean_fs, 0, sizeof(rig.wl.gap_mean_fs));
    rig.wl.endless = false;
    rig.setup.model.workload = &rig.wl;
}

typedef int run_fn(const struct weir_model *, const struct weir_sim_options *, struct weir_result *, struct weir_err *);

static inline struct weir_result run(run_fn *simulate, FILE *messages)
{
    struct weir_sim_options options = {
        .threads = 1, .check = true, .rows = messages != NULL ? weir_messages_csv_rows : NULL, .rows_ctx = messages
    };
    struct weir_result result = { 0 };
    struct weir_err err = { 0 };
    if (simulate(&rig.setup.model, &options, &result, &err) != 0)
        fail_msg("%s", err.text);
    keep(&result);
    return result;
}

/* What switch features counted by this name; 0 where none did. */
static inline uint64_t feature_count(const struct weir_result *r, const char *name)
{
    for (uint32_t i = 0; i < r->feature_counts; i++)
        if (strcmp(r->feature_count[i].counter->name, name) == 0)
            return r->feature_count[i].value;
    return 0;
}

/* The list by oracle and engine, which agree and lose nothing. @return the engine's */
static inline struct weir_result run_without_loss(void)
{
    use_list();
    struct weir_result oracle = run(weir_oracle_run, NULL), engine = run(weir_sim_run, NULL);
    assert_int_equal(engine.digest, oracle.digest);
    assert_int_equal(engine.queues_digest, oracle.queues_digest);
    assert_int_equal(engine.retransmissions + engine.drops, 0);
    return engine;
}

#endif
