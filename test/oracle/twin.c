/* test/oracle/twin.c - builds a scenario, runs it both ways, compares. */
#include "test/oracle/twin.h"
#include <inttypes.h>
#include <string.h>
#include <time.h>

struct field { /* a number of the result that is the same whoever computed it */
    const char *name;
    uint32_t offset;
};
#define FIELD(f)                                                                                                       \
    {                                                                                                                  \
#f, (uint32_t)offsetof(struct weir_result, f)                                                                  \
    }
#define DIST(d)                                                                                                        \
    FIELD(d.count), FIELD(d.mean_milli), FIELD(d.p50), FIELD(d.p95), FIELD(d.p99), FIELD(d.p999), FIELD(d.max),        \
        FIELD(d.min)
#define GROUPS(k)                                                                                                      \
    DIST(slowdown[k][0]), DIST(slowdown[k][1]), DIST(slowdown[k][2]), DIST(slowdown[k][3]), DIST(slowdown[k][4])

static const struct field fields[] = {
    FIELD(digest),
    FIELD(sim_ps),
    FIELD(measured_ps),
    FIELD(packet_hops),
    FIELD(offered_bps),
    FIELD(goodput_bps),
    FIELD(completed_bps),
    FIELD(messages_started),
    FIELD(messages_completed),
    FIELD(messages_measured),
    FIELD(drops),
    FIELD(losses),
    FIELD(marks),
    FIELD(retransmissions),
    FIELD(timeouts),
    FIELD(tor_queue.mean_millibytes),
    FIELD(tor_queue.p99_bytes),
    FIELD(tor_queue.max_bytes),
    FIELD(port_queue.mean_millibytes),
    FIELD(port_queue.p99_bytes),
    FIELD(port_queue.max_bytes),
    FIELD(jain_ppm),
    FIELD(connections),
    GROUPS(0),
    GROUPS(1),
};

static uint64_t field_of(const struct weir_result *r, const struct field *f)
{
    uint64_t value;
    memcpy(&value, (const char *)r + f->offset, sizeof(value));
    return value;
}

/* @return how many numbers differ */
static uint32_t compare(const char *who, const struct weir_result *is, const struct weir_result *must)
{
    uint32_t different = 0;
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        uint64_t a = field_of(is, &fields[i]), b = field_of(must, &fields[i]);
        if (a == b)
            continue;
        different++;
        (void)fprintf(stderr, "    %s: %s is %" PRIu64 ", must be %" PRIu64 "\n", who, fields[i].name, a, b);
    }
    if (is->stable != must->stable || is->stalled != must->stalled) {
        different++;
        (void)fprintf(stderr, "    %s: stable, stalled are %d %d, must be %d %d\n", who, is->stable, is->stalled,
                      must->stable, must->stalled);
    }
    return different;
}

static void print_error(const struct twin_case *c, const struct weir_err *err)
{
    (void)fprintf(stderr, "  %s: %s:%" PRIu32 ":%" PRIu32 ": %s\n    hint: %s\n%s\n    repeat: %s\n", c->name,
                  err->file, err->line, err->col, err->text, err->hint, c->text, c->repeat);
}

/* The first message that fared differently says more than any sum: both write their files, the first line that differs is shown. */
static void show_first_difference(const struct weir_model *model, uint32_t threads, bool with_oracle)
{
    struct weir_sim_options engine = { .threads = threads }, other = { .threads = 1 };
    struct weir_result result = { 0 };
    struct weir_err err;
    char a[512], b[512];
    engine.messages = tmpfile();
    other.messages = tmpfile();
    if (engine.messages == NULL || other.messages == NULL)
        return;
    (void)weir_sim_run(model, &engine, &result, &err);
    result = (struct weir_result){ 0 };
    (void)(with_oracle ? weir_oracle_run(model, &other, &result, &err) : weir_sim_run(model, &other, &result, &err));
    rewind(engine.messages);
    rewind(other.messages);
    for (;;) {
        char *line_a = fgets(a, sizeof(a), engine.messages), *line_b = fgets(b, sizeof(b), other.messages);
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
    (void)fclose(engine.messages);
    (void)fclose(other.messages);
}

static void add_to_tally(struct twin_tally *t, const struct weir_result *r)
{
    t->hops += r->packet_hops;
    t->drops += r->drops;
    t->losses += r->losses;
    t->marks += r->marks;
    t->retransmissions += r->retransmissions;
    t->timeouts += r->timeouts;
}

static uint64_t wall_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static enum twin_outcome run_model(const struct twin_case *c, const struct weir_model *model, struct twin_tally *tally)
{
    struct weir_result must = { 0 };
    struct weir_err err = { 0 };
    struct weir_sim_options options = { .threads = 1, .check = true };
    uint64_t began_ns = wall_ns();
    int failed =
        c->engine_only ? weir_sim_run(model, &options, &must, &err) : weir_oracle_run(model, &options, &must, &err);
    if (failed != 0) {
        print_error(c, &err);
        return err.code == WEIR_E_RUN ? TWIN_DIFFERENT : TWIN_REFUSED;
    }
    add_to_tally(tally, &must);
    tally->oracle_ns += wall_ns() - began_ns;
    for (options.threads = c->engine_only ? 2 : 1; options.threads <= c->threads_max; options.threads++) {
        struct weir_result is = { 0 };
        char who[32];
        began_ns = wall_ns();
        (void)snprintf(who, sizeof(who), "engine, threads %" PRIu32, options.threads);
        if (weir_sim_run(model, &options, &is, &err) != 0) {
            print_error(c, &err);
            return err.code == WEIR_E_RUN ? TWIN_DIFFERENT : TWIN_REFUSED;
        }
        tally->engine_ns += options.threads == 1 ? wall_ns() - began_ns : 0;
        if (compare(who, &is, &must) != 0) {
            show_first_difference(model, options.threads, !c->engine_only);
            (void)fprintf(stderr, "  %s DIFFERS\n%s\n    repeat: %s\n", c->name, c->text, c->repeat);
            return TWIN_DIFFERENT;
        }
    }
    return TWIN_EQUAL;
}

enum twin_outcome twin_run(const struct twin_case *c, struct twin_tally *tally)
{
    struct weir_override set[TWIN_SET_MAX];
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_err err = { 0 };
    enum twin_outcome outcome = TWIN_REFUSED;
    uint32_t sets = 0;
    for (; c->set != NULL && c->set[sets] != NULL && sets < TWIN_SET_MAX; sets++)
        set[sets] = (struct weir_override){ c->set[sets] };
    tally->cases++;
    if (weir_scenario_parse(&scn, c->name, c->text, strlen(c->text), set, sets, &err) != 0) {
        print_error(c, &err);
    } else {
        if (weir_setup_init(&setup, &scn, &err) != 0) {
            print_error(c, &err);
        } else {
            outcome = run_model(c, &setup.model, tally);
            weir_setup_free(&setup);
        }
        weir_scenario_free(&scn);
    }
    tally->different += outcome == TWIN_DIFFERENT;
    tally->refused += outcome == TWIN_REFUSED;
    return outcome;
}

void twin_print_tally(const char *title, const struct twin_tally *t)
{
    (void)printf("%s: %" PRIu64 " cases, %" PRIu64 " different, %" PRIu64 " refused; %" PRIu64 " packet-hops, %" PRIu64
                 " drops, %" PRIu64 " losses, %" PRIu64 " marks, %" PRIu64 " retransmissions, %" PRIu64
                 " timeouts; oracle %" PRIu64 " ms, engine %" PRIu64 " ms\n",
                 title, t->cases, t->different, t->refused, t->hops, t->drops, t->losses, t->marks, t->retransmissions,
                 t->timeouts, t->oracle_ns / 1000000, t->engine_ns / 1000000);
}
