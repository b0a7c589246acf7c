/* test/oracle/twin.c - builds a scenario, runs it both ways, compares. */
#include "test/oracle/twin.h"
#include "core/feature_counter.h"
#include "solve/compare.h"
#include "measure/metrics.h"
#include "output/messages_csv.h"
#include "core/rng.h"
#include "hooks/features.h"
#include "workload/jobs.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What only engine and oracle compare. The numbers that a run prints are compared by their rows (measure/metrics.h). */
#define FIELD(f)                                                                                                       \
    {                                                                                                                  \
        .name = #f, .offset = (uint32_t)offsetof(struct weir_result, f)                                                \
    }
#define ENDS(d) FIELD(d.min), FIELD(d.max)
#define GROUPS(k)                                                                                                      \
    ENDS(slowdown[k][0]), ENDS(slowdown[k][1]), ENDS(slowdown[k][2]), ENDS(slowdown[k][3]), ENDS(slowdown[k][4])

static const struct weir_metric fields[] = {
    FIELD(digest),
    FIELD(queues_digest),
    FIELD(offered_bytes),
    FIELD(arrived_bytes),
    FIELD(grown_bytes),
    FIELD(fullest_port),
    FIELD(fullest_link),
    FIELD(unfinished.late_bytes),
    FIELD(unfinished.beyond),
    FIELD(unfinished.longest_bytes),
    FIELD(unfinished.needed_ps),
    FIELD(unfinished.slowest_ppm),
    FIELD(growth.mean_bytes[0]),
    FIELD(growth.mean_bytes[1]),
    FIELD(growth.mean_bytes[2]),
    FIELD(growth.mean_bytes[3]),
    GROUPS(0),
    GROUPS(1),
    { .name = NULL },
};

/* @return how many of the rows' numbers differ. What says how a run was computed is left out. */
static uint32_t compare_rows(const char *who, const struct weir_metric *rows, const void *is, const void *must)
{
    uint32_t different = 0;
    for (; rows->name != NULL; rows++) {
        bool has = weir_metric_applies(rows, is), must_have = weir_metric_applies(rows, must);
        uint64_t a = has ? weir_metric_whole(rows, is) : 0, b = must_have ? weir_metric_whole(rows, must) : 0;
        if (rows->of_machine || (has == must_have && a == b))
            continue;
        different++;
        (void)fprintf(stderr, "    %s: %s is %" PRIu64 "%s, must be %" PRIu64 "%s\n", who, rows->name, a,
                      has ? "" : " (none)", b, must_have ? "" : " (none)");
    }
    return different;
}

/* Of a law or class. @return how many numbers differ */
static uint32_t compare_part(const char *who, const char *what, const struct weir_part_result *is,
                             const struct weir_part_result *must)
{
    uint32_t different = compare_rows(who, weir_part_metrics, is, must);
    if (different > 0 || memcmp(is, must, sizeof(*is)) == 0)
        return different;
    (void)fprintf(stderr, "    %s: the results of a %s differ\n", who, what);
    return 1;
}

/* When a run in which nothing moves is given up is no part of the model: of such a one only what was delivered is compared.
 * @return how many numbers differ */
static uint32_t compare(const char *who, const struct weir_result *is, const struct weir_result *must, uint32_t links)
{
    bool both_stalled = is->stalled && must->stalled;
    uint32_t different = 0;
    if (both_stalled)
        different += (is->messages_completed != must->messages_completed) + (is->stable != must->stable);
    else
        different += compare_rows(who, weir_result_metrics, is, must) + compare_rows(who, fields, is, must);
    if (is->feature_counts != must->feature_counts) {
        (void)fprintf(stderr, "    %s: %" PRIu32 " counters of features, must be %" PRIu32 "\n", who,
                      is->feature_counts, must->feature_counts);
        return different + 1;
    }
    for (uint32_t i = 0; !both_stalled && i < must->feature_counts; i++) {
        const struct weir_feature_count *a = &is->feature_count[i], *b = &must->feature_count[i];
        if (a->value == b->value && a->link == b->link &&
            (b->counter->how != WEIR_COUNT_SUM_PS || a->lanes == b->lanes))
            continue;
        different++;
        (void)fprintf(stderr,
                      "    %s: %s.%s is %" PRIu64 " at link %" PRId32 ", must be %" PRIu64 " at link %" PRId32 "\n",
                      who, b->feature, b->counter->name, a->value, (int32_t)a->link, b->value, (int32_t)b->link);
    }
    different += both_stalled ? 0 : twin_compare_batches(who, is->batches, must->batches);
    different += both_stalled ? 0 : twin_compare_causes(who, is, must->causes, links);
    if (is->law_count != must->law_count || is->class_count != must->class_count)
        return different + 1;
    for (uint32_t i = 0; !both_stalled && i < must->law_count; i++)
        different += compare_part(who, "law", &is->law[i], &must->law[i]);
    for (uint32_t i = 0; !both_stalled && i < must->class_count; i++)
        different += compare_part(who, "class", &is->of_class[i], &must->of_class[i]);
    return different;
}

enum { LOOKS_KEPT = 1000, LOOK_PS = 50000017 }; /* so that looks, ticks and samples seldom meet */

struct
    snapshots { /* what a run told of itself on the way: the first ones, each as one number per field, and the last */
    const struct weir_model *model;
    uint64_t value[LOOKS_KEPT + 1][15];
    uint64_t count;
};

static const char *const snapshot_fields[] = {
    "at",      "arrived", "marks",    "drops",       "retransmissions",  "unfinished",
    "tor sum", "tor max", "port max", "credit held", "credit in flight", "credit free",
    "hosts",   "ports",   "flows"
};

/* Losses are left out of drops where there are any: the engine knows of a loss when the frame joins its port. */
static int keep_snapshot(void *ctx, const struct weir_snapshot *snapshot)
{
    struct snapshots *s = ctx;
    uint64_t *v = s->value[s->count < LOOKS_KEPT ? s->count : LOOKS_KEPT], hosts = 0, ports = 0, flows = 0;
    bool loses = weir_features_find(&s->model->features, "loss") != NULL || s->model->event_count > 0;
    uint64_t all[] = { snapshot->at_ps,
                       snapshot->arrived_bytes,
                       snapshot->marks,
                       loses ? 0 : snapshot->drops,
                       snapshot->retransmissions,
                       snapshot->unfinished_bytes,
                       snapshot->tor_queue_sum_bytes,
                       snapshot->tor_queue_max_bytes,
                       snapshot->port_queue_max_bytes,
                       snapshot->credit_held_bytes,
                       snapshot->credit_in_flight_bytes,
                       snapshot->credit_free_bytes,
                       0,
                       0,
                       0 };
    for (uint32_t h = 0; snapshot->host != NULL && h < s->model->topo->host_count; h++)
        hosts = weir_mix_u64(hosts ^ snapshot->host[h].arrived_bytes ^ snapshot->host[h].credit_held_bytes << 32);
    for (uint32_t i = 0; snapshot->port_queue_bytes != NULL && i < s->model->topo->link_count; i++)
        ports = weir_mix_u64(ports ^ snapshot->port_queue_bytes[i]);
    for (uint32_t i = 0; snapshot->flow != NULL && i < s->model->workload->tag_count; i++) {
        const struct weir_host_flow *f = &snapshot->flow[i].now;
        flows = weir_mix_u64(flows ^ snapshot->flow[i].state ^ f->sent_bytes << 8 ^ f->acked_bytes << 32);
        flows = weir_mix_u64(flows ^ f->rate_bps ^ (uint64_t)f->cwnd_bytes << 32);
    }
    memcpy(v, all, sizeof(all));
    v[12] = hosts;
    v[13] = ports;
    v[14] = flows;
    s->count++;
    return 0;
}

/* @return how many numbers differ, of the first look in which one does */
static uint32_t compare_snapshots(const char *who, const struct snapshots *is, const struct snapshots *must)
{
    uint32_t different = is->count != must->count;
    if (different != 0)
        (void)fprintf(stderr, "    %s: %" PRIu64 " looks, must be %" PRIu64 "\n", who, is->count, must->count);
    for (uint32_t i = 0; i <= LOOKS_KEPT && i < is->count && different == 0; i++) {
        for (uint32_t f = 0; f < sizeof(snapshot_fields) / sizeof(snapshot_fields[0]); f++) {
            if (is->value[i][f] == must->value[i][f])
                continue;
            different++;
            (void)fprintf(stderr, "    %s: look %" PRIu32 " at %" PRIu64 ": %s is %" PRIu64 ", must be %" PRIu64 "\n",
                          who, i, must->value[i][0], snapshot_fields[f], is->value[i][f], must->value[i][f]);
        }
    }
    return different;
}

enum { TAPPED_CASES = 8, TAPPED_LINKS = 4 }; /* one in so many */

/* What taps have seen, as sums: in any order. Of what was lost only the oracle's arrivals tell, so it counts as sent. */
struct tapped {
    uint64_t hash, rows, last_ps;
    bool in_order;
};

static int keep_packets(void *ctx, const struct weir_packet_row *row, size_t count)
{
    struct tapped *t = ctx;
    for (size_t i = 0; i < count; i++) {
        const struct weir_packet_row *r = &row[i];
        bool lost = r->event == WEIR_PACKET_LOST;
        uint64_t event = lost ? WEIR_PACKET_SENT : r->event, cause = lost ? 0 : r->cause, word[6], hash;
        _Static_assert(sizeof(word) == sizeof(r->pkt), "a packet is six words");
        memcpy(word, &r->pkt, sizeof(word));
        hash = weir_mix_u64(r->at_ps ^ weir_mix_u64(r->waited_ps) ^ event << 56 ^ (uint64_t)r->is_control << 60 ^
                            (uint64_t)r->link << 32 ^ cause << 48);
        for (uint32_t w = 0; w < 6; w++)
            hash = weir_mix_u64(hash ^ word[w]);
        t->hash += hash;
        t->in_order &= r->at_ps >= t->last_ps;
        t->last_ps = r->at_ps;
    }
    t->rows += count;
    return 0;
}

/* Every so many links, from one that depends on the case; the switches of the others go their usual ways. NULL = this case goes without. */
static uint8_t *choose_taps(const struct weir_model *model, uint64_t number)
{
    uint8_t *tap = number % TAPPED_CASES == 0 ? calloc(model->topo->link_count, 1) : NULL;
    for (uint32_t i = 0; tap != NULL && i < model->topo->link_count; i++)
        if ((i + number / TAPPED_CASES) % TAPPED_LINKS == 0)
            tap[i] = WEIR_TAP_SENT | WEIR_TAP_ARRIVED;
    return tap;
}

/* All that is told of jobs, as one number; they are freed. *ended: counts their flows that did. */
static uint64_t take_jobs(struct weir_result *r, uint64_t *ended)
{
    uint64_t hash = 0;
    for (uint32_t j = 0; r->jobs != NULL && j < r->jobs->job_count; j++) {
        const struct weir_job_result *job = &r->jobs->job[j];
        hash = weir_mix_u64(hash ^ job->start_ps ^ job->end_ps << 1 ^ (uint64_t)job->ended << 40 ^ job->flows);
        *ended += job->ended;
    }
    for (uint32_t i = 0; r->jobs != NULL && i < r->jobs->coflow_count; i++) {
        const struct weir_coflow_result *c = &r->jobs->coflow[i];
        hash = weir_mix_u64(hash ^ c->start_ps ^ c->first_end_ps << 1 ^ (uint64_t)c->ended << 40 ^ c->flows);
        hash = weir_mix_u64(hash ^ c->end_ps);
    }
    weir_job_results_free(r->jobs);
    r->jobs = NULL;
    return hash;
}

static void print_error(const struct twin_case *c, const struct weir_err *err)
{
    if (c->refusals && (err->code == WEIR_E_CONFLICT || err->code == WEIR_E_RANGE)) {
        (void)printf("  %s: refused: %s\n", c->name, err->text);
        return;
    }
    (void)fprintf(stderr, "  %s: %s:%" PRIu32 ":%" PRIu32 ": %s\n    hint: %s\n%s\n    repeat: %s\n", c->name,
                  err->file, err->line, err->col, err->text, err->hint, c->text, c->repeat);
}

/* Names the run that was not at its end, and how far it was. */
static enum twin_outcome print_late(const struct twin_case *c, const char *who, const struct weir_result *r)
{
    (void)fprintf(stderr,
                  "  %s: NOT AT ITS END, %s: %" PRIu64 " packet-hops, %" PRIu64 " bytes delivered, %" PRIu64
                  " unfinished\n    repeat: %s\n",
                  c->name, who, r->packet_hops, r->arrived_bytes, r->offered_bytes - r->arrived_bytes, c->repeat);
    return TWIN_LATE;
}

/* The first message that fared differently says more than any sum: both write their files, the first line that differs is shown. */
static void show_first_difference(const struct weir_model *model, uint32_t threads, bool with_oracle)
{
    struct weir_sim_options engine = { .threads = threads, .rows = weir_messages_csv_rows };
    struct weir_sim_options other = { .threads = 1, .rows = weir_messages_csv_rows };
    struct weir_result result = { 0 };
    uint64_t ended = 0;
    struct weir_err err;
    char a[512], b[512];
    FILE *is = tmpfile(), *must = tmpfile();
    if (is == NULL || must == NULL)
        return;
    engine.rows_ctx = is;
    other.rows_ctx = must;
    (void)weir_sim_run(model, &engine, &result, &err);
    (void)take_jobs(&result, &ended);
    weir_result_free(&result);
    result = (struct weir_result){ 0 };
    (void)(with_oracle ? weir_oracle_run(model, &other, &result, &err) : weir_sim_run(model, &other, &result, &err));
    (void)take_jobs(&result, &ended);
    weir_result_free(&result);
    rewind(is);
    rewind(must);
    for (;;) {
        char *line_a = fgets(a, sizeof(a), is), *line_b = fgets(b, sizeof(b), must);
        if (line_a == NULL && line_b == NULL)
            break;
        if (line_a == NULL || line_b == NULL || strcmp(a, b) != 0) {
            (void)fprintf(
                stderr,
                "    first message that differs (id,src,dst,bytes,start,end,..):\n      is      %s      must be %s",
                line_a != NULL ? a : "(none)\n", line_b != NULL ? b : "(none)\n");
            break;
        }
    }
    (void)fclose(is);
    (void)fclose(must);
}

static uint64_t wall_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Once more with taps: they change no result, and have seen what the oracle's have. @return how much differs */
static uint32_t run_tapped(const struct weir_model *model, const uint8_t *tap, uint32_t threads,
                           const struct weir_result *must, const struct tapped *must_see, struct twin_tally *tally)
{
    struct tapped see = { .in_order = true };
    struct weir_sim_options options = { .threads = threads,
                                        .check = true,
                                        .packets = keep_packets,
                                        .packets_ctx = &see,
                                        .tap = tap,
                                        .links = true,
                                        .causes = true };
    struct weir_result is = { 0 };
    struct weir_err err;
    uint64_t ended = 0;
    uint32_t different;
    if (weir_sim_run(model, &options, &is, &err) != 0) {
        (void)fprintf(stderr, "    tapped: %s\n", err.text);
        weir_result_free(&is);
        return 1;
    }
    (void)take_jobs(&is, &ended);
    different = compare("tapped engine", &is, must, model->topo->link_count);
    weir_result_free(&is);
    tally->tapped += see.rows;
    if (is.stalled || (see.in_order && see.rows == must_see->rows && see.hash == must_see->hash))
        return different;
    (void)fprintf(stderr,
                  "    tapped, threads %" PRIu32 ": %" PRIu64 " packets%s, must be %" PRIu64 "; hash %016" PRIx64
                  ", must be %016" PRIx64 "\n",
                  threads, see.rows, see.in_order ? "" : " in no order", must_see->rows, see.hash, must_see->hash);
    return different + 1;
}

/* Tests whether the engine serves all ports of this case by the general instance of its port body: one case of four, the
 * same one when it is repeated. */
static bool is_general(const struct twin_case *c)
{
    uint32_t sum = 0;
    for (const char *p = c->text; *p != '\0'; p++)
        sum += (unsigned char)*p;
    return sum % 4 == 0;
}

/* Once more on several processes of one or two threads, with a cut at random, so that links of every kind join processes.
 * @return how much differs */
static uint32_t run_ranks(const struct twin_case *c, const struct weir_model *model,
                          const struct weir_sim_options *like, uint32_t ranks, const struct weir_result *must,
                          uint64_t must_jobs, struct snapshots snapshots[2], struct twin_tally *tally)
{
    struct weir_sim_options options = *like;
    struct weir_result is;
    struct weir_err err = { 0 };
    uint64_t ended = 0, is_jobs;
    uint32_t different = 1;
    char who[48];
    options.threads = 1 + (uint32_t)(tally->cases + ranks) % 2;
    options.cut_seed = tally->cases % 3 == 0 ? 0 : tally->cases; /* 0: neighbours stay together */
    if (options.threads * ranks > model->topo->node_count)
        return 0;
    snapshots[1] = (struct snapshots){ .model = model };
    options.snapshot = keep_snapshot;
    options.snapshot_ctx = &snapshots[1];
    (void)snprintf(who, sizeof(who), "engine, ranks %" PRIu32 ", threads %" PRIu32 "%s", ranks, options.threads,
                   options.cut_seed != 0 ? ", scattered" : "");
    if (twin_run_on_ranks(model, &options, ranks, &is, &err) != 0) {
        (void)fprintf(stderr, "    %s: %s\n", who, err.text);
    } else {
        is_jobs = take_jobs(&is, &ended);
        different = compare(who, &is, must, model->topo->link_count) + (is_jobs != must_jobs);
        if (!must->stalled)
            different += compare_snapshots(who, &snapshots[1], &snapshots[0]);
    }
    weir_result_free(&is);
    tally->ranks++;
    if (different != 0)
        (void)fprintf(stderr, "  %s DIFFERS, %s\n%s\n    repeat: %s --ranks %" PRIu32 "\n", c->name, who, c->text,
                      c->repeat, ranks);
    return different;
}

/* must: filled in with what the engine's runs are compared with; its counts are the caller's. */
static enum twin_outcome run_both(const struct twin_case *c, const struct weir_model *model, const uint8_t *tap,
                                  struct weir_result *must, struct twin_tally *tally)
{
    struct weir_err err = { 0 };
    struct weir_model skipping = *model;
    static struct snapshots snapshots[2]; /* of the first run, and of each after it */
    struct tapped must_see = { .in_order = true };
    struct weir_sim_options options = { .threads = 1,
                                        .check = true,
                                        .snapshot_ps = LOOK_PS,
                                        .snapshot = keep_snapshot,
                                        .snapshot_ctx = &snapshots[0],
                                        .snapshot_flows = model->host.track,
                                        .links = true,
                                        .causes = true,
                                        .packets = tap != NULL ? keep_packets : NULL,
                                        .packets_ctx = &must_see,
                                        .tap = tap,
                                        .general = is_general(c),
                                        .stop = c->stop };
    uint64_t began_ns = wall_ns(), must_jobs;
    int failed;
    snapshots[0] = (struct snapshots){ .model = model };
    failed = c->engine_only ? weir_sim_run(model, &options, must, &err) : weir_oracle_run(model, &options, must, &err);
    must_jobs = take_jobs(must, &tally->flows);
    options.packets = NULL;
    if (failed != 0) {
        print_error(c, &err);
        return err.code == WEIR_E_RUN ? TWIN_DIFFERENT : TWIN_REFUSED;
    }
    twin_add_to_tally(tally, must);
    tally->oracle_ns += wall_ns() - began_ns;
    if (must->interrupted)
        return print_late(c, "oracle", must);
    skipping.skip = c->skip;
    options.skip_leaves_out = c->without_times;
    for (options.threads = c->engine_only && !c->skip ? 2 : 1; options.threads <= c->threads_max; options.threads++) {
        struct weir_result is = { 0 };
        uint64_t ended = 0, is_jobs;
        uint32_t different;
        char who[32];
        int code;
        began_ns = wall_ns();
        snapshots[1] = (struct snapshots){ .model = model };
        options.snapshot =
            options.threads == 1 ? NULL : keep_snapshot; /* looks change nothing: so one run is without */
        options.snapshot_ctx = &snapshots[1];
        (void)snprintf(who, sizeof(who), "engine, threads %" PRIu32, options.threads);
        code = weir_sim_run(&skipping, &options, &is, &err);
        is_jobs = take_jobs(&is, &ended);
        tally->skipped += options.threads == 1 ? is.skipped.packet_hops : 0;
        if (code != 0) { /* what the oracle ran, set-up has let through */
            weir_result_free(&is);
            print_error(c, &err);
            return err.code == WEIR_E_RUN || c->refusals ? TWIN_DIFFERENT : TWIN_REFUSED;
        }
        tally->general += options.threads == 1 && options.general;
        tally->engine_ns += options.threads == 1 ? wall_ns() - began_ns : 0;
        tally->calm += options.threads == 1 ? is.calm_windows : 0;
        tally->exact += options.threads == 1 ? is.exact_windows : 0;
        tally->handovers += options.threads == 1 ? is.handovers : 0;
        if (is.interrupted) {
            enum twin_outcome late = print_late(c, who, &is);
            weir_result_free(&is);
            return late;
        }
        different = compare(who, &is, must, model->topo->link_count);
        weir_result_free(&is);
        if (different != 0 || is_jobs != must_jobs ||
            (options.snapshot != NULL && !must->stalled && compare_snapshots(who, &snapshots[1], &snapshots[0]) != 0)) {
            show_first_difference(model, options.threads, !c->engine_only);
            (void)fprintf(stderr, "  %s DIFFERS\n%s\n    repeat: %s\n", c->name, c->text, c->repeat);
            return TWIN_DIFFERENT;
        }
    }
    for (uint32_t ranks = 2; ranks <= c->ranks_max && !model->workload->session; ranks++)
        if (run_ranks(c, model, &options, ranks, must, must_jobs, snapshots, tally) != 0)
            return TWIN_DIFFERENT;
    if (tap != NULL && run_tapped(model, tap, 1 + (uint32_t)(tally->cases / TAPPED_CASES) % c->threads_max, must,
                                  &must_see, tally) != 0) {
        (void)fprintf(stderr, "  %s DIFFERS with taps\n%s\n    repeat: %s\n", c->name, c->text, c->repeat);
        return TWIN_DIFFERENT;
    }
    return TWIN_EQUAL;
}

static enum twin_outcome run_model(const struct twin_case *c, const struct weir_model *model, struct twin_tally *tally)
{
    uint8_t *tap = c->threads_max > 0 ? choose_taps(model, tally->cases) : NULL; /* only the engine has them */
    struct weir_result must = { 0 };
    enum twin_outcome outcome = run_both(c, model, tap, &must, tally);
    weir_result_free(&must);
    free(tap);
    return outcome;
}

/* As `weir run` does: what flows begin at (run.start) is part of the model. */
static enum twin_outcome run_set_up(const struct twin_case *c, struct weir_setup *setup, struct twin_tally *tally)
{
    struct weir_compare compare = { 0 };
    struct weir_jobs jobs = { 0 };
    struct weir_err err = { 0 };
    enum twin_outcome outcome;
    if (weir_compare_init(&compare, setup, &err) != 0) {
        print_error(c, &err);
        return TWIN_REFUSED;
    }
    /* a run to the last message takes its samples in another way if they have no averages */
    setup->model.sample_average |= !setup->model.until_done && !setup->model.sampled;
    if (!twin_switches_hold(setup)) {
        (void)fprintf(stderr, "  %s DIFFERS by switch\n%s\n    repeat: %s\n", c->name, c->text, c->repeat);
        weir_compare_free(&compare);
        return TWIN_DIFFERENT;
    }
    if (c->graph_seed != 0)
        twin_graph_events(setup, c->graph_seed);
    if (c->fabric_seed != 0)
        twin_fabric(&setup->model, c->fabric_seed);
    if (c->queues_seed != 0)
        twin_queues(setup, c->queues_seed);
    if (c->jobs_seed != 0)
        twin_jobs(setup, c->jobs_seed, &jobs);
    outcome = run_model(c, &setup->model, tally);
    weir_jobs_free(&jobs);
    weir_compare_free(&compare);
    return outcome;
}

enum twin_outcome twin_run(const struct twin_case *c, struct twin_tally *tally)
{
    struct weir_override set[TWIN_SET_MAX];
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_err err = { 0 };
    enum twin_outcome outcome = TWIN_REFUSED;
    uint64_t skipped = tally->skipped;
    uint32_t sets = 0;
    for (; c->set != NULL && c->set[sets] != NULL && sets < TWIN_SET_MAX; sets++)
        set[sets] = (struct weir_override){ .text = c->set[sets] };
    tally->cases++;
    if (weir_scenario_parse(&scn, c->name, c->text, strlen(c->text), set, sets, &err) != 0) {
        print_error(c, &err);
    } else {
        if (c->graph_seed != 0 && c->nics)
            twin_nics(&scn, c->graph_seed, c->show ? stdout : NULL);
        else if (c->graph_seed != 0)
            twin_graph(&scn, c->graph_seed, c->show ? stdout : NULL);
        if (weir_setup_init(&setup, &scn, &err) != 0) {
            print_error(c, &err);
        } else {
            outcome = run_set_up(c, &setup, tally);
            if (c->cover != NULL && outcome != TWIN_REFUSED)
                twin_cover_add(c->cover, &setup, tally->skipped > skipped);
            weir_setup_free(&setup);
        }
        weir_scenario_free(&scn);
    }
    tally->different += outcome == TWIN_DIFFERENT;
    tally->refused += outcome == TWIN_REFUSED;
    tally->late += outcome == TWIN_LATE;
    return outcome;
}
