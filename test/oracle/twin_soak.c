/* test/oracle/twin_soak.c - random scenarios for as long as one likes: twin_soak --seed N --count N [--threads 0..3] [--ranks 0..4] [--limit SECONDS]
 * [--fabric] [--queues] [--jobs] [--graph] [--nics] [--switches] [--whole] [--lossless] [--mixed] [--shapes] [--steady] [--skip] [--show]
 * [--set key=value].. */
#include "test/oracle/twin.h"
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static const char *const kind_option[] = {
    [TWIN_PLAIN] = "",         [TWIN_WHOLE] = " --whole",   [TWIN_LOSSLESS] = " --lossless",
    [TWIN_MIXED] = " --mixed", [TWIN_SHAPES] = " --shapes", [TWIN_STEADY] = " --steady"
};

enum { COVERING = 90 }; /* so many whole scenarios have everything in them */

struct soak {
    uint64_t seed, count, threads, ranks, limit_s;
    bool show, fabric, queues, jobs, graph, nics, switches;
    bool skip;           /* the engine with run.skip: exact against itself without, not against the oracle */
    enum twin_kind kind; /* with others than TWIN_PLAIN none of these four */
    const char *set[TWIN_SET_MAX + 1];
    uint32_t sets;
};

static bool soak_parse(struct soak *s, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool last = i + 1 == argc;
        if (strcmp(argv[i], "--show") == 0)
            s->show = true;
        else if (strcmp(argv[i], "--fabric") == 0)
            s->fabric = true;
        else if (strcmp(argv[i], "--queues") == 0)
            s->queues = true;
        else if (strcmp(argv[i], "--jobs") == 0)
            s->jobs = true;
        else if (strcmp(argv[i], "--graph") == 0)
            s->graph = true;
        else if (strcmp(argv[i], "--nics") == 0)
            s->graph = s->nics = true;
        else if (strcmp(argv[i], "--switches") == 0)
            s->switches = true;
        else if (strcmp(argv[i], "--whole") == 0 && s->kind == TWIN_PLAIN)
            s->kind = TWIN_WHOLE;
        else if (strcmp(argv[i], "--lossless") == 0 && s->kind == TWIN_PLAIN)
            s->kind = TWIN_LOSSLESS;
        else if (strcmp(argv[i], "--mixed") == 0 && s->kind == TWIN_PLAIN)
            s->kind = TWIN_MIXED;
        else if (strcmp(argv[i], "--shapes") == 0 && s->kind == TWIN_PLAIN)
            s->kind = TWIN_SHAPES;
        else if (strcmp(argv[i], "--steady") == 0 && s->kind == TWIN_PLAIN)
            s->kind = TWIN_STEADY;
        else if (strcmp(argv[i], "--skip") == 0)
            s->skip = true;
        else if (!last && strcmp(argv[i], "--seed") == 0)
            s->seed = strtoull(argv[++i], NULL, 10);
        else if (!last && strcmp(argv[i], "--count") == 0)
            s->count = strtoull(argv[++i], NULL, 10);
        else if (!last && strcmp(argv[i], "--threads") == 0)
            s->threads = strtoull(argv[++i], NULL, 10);
        else if (!last && strcmp(argv[i], "--ranks") == 0)
            s->ranks = strtoull(argv[++i], NULL, 10);
        else if (!last && strcmp(argv[i], "--limit") == 0)
            s->limit_s = strtoull(argv[++i], NULL, 10);
        else if (!last && strcmp(argv[i], "--set") == 0 && s->sets < TWIN_SET_MAX)
            s->set[s->sets++] = argv[++i];
        else
            return false;
    }
    return s->kind == TWIN_PLAIN || s->kind == TWIN_SHAPES || !(s->fabric || s->queues || s->jobs || s->graph);
}

static volatile sig_atomic_t late; /* the case has used up its time */

static void on_time(int number)
{
    late = number;
}

/* Begins the time of a case: so many seconds of CPU of all threads. Children do not count, which only --ranks has. */
static void begin_time(uint64_t limit_s)
{
    struct itimerval limit = { .it_value = { .tv_sec = (time_t)limit_s } };
    (void)signal(SIGPROF, on_time);
    late = 0;
    (void)setitimer(ITIMER_PROF, &limit, NULL);
}

int main(int argc, char **argv)
{
    struct soak s = { .seed = 1, .count = 100, .threads = 3, .limit_s = 60 };
    struct twin_tally tally = { 0 };
    uint32_t missing = 0;
    struct twin_cover cover = { 0 };
    if (!soak_parse(&s, argc, argv)) {
        (void)fprintf(
            stderr,
            "usage: twin_soak [--seed N] [--count N] [--threads 0..3] [--ranks 0..4] [--limit SECONDS] [--fabric] "
            "[--queues] [--jobs] [--graph] [--nics] [--switches] [--whole] [--lossless] [--mixed] [--shapes] "
            "[--steady] [--skip] [--show] [--set key=value]..\n");
        return 2;
    }
    for (uint64_t i = 0; i < s.count; i++) {
        char text[TWIN_TEXT_MAX], name[64], repeat[128];
        struct twin_case c = { .name = name,
                               .text = text,
                               .repeat = repeat,
                               .set = s.set,
                               .threads_max = (uint32_t)s.threads,
                               .ranks_max = (uint32_t)s.ranks,
                               .fabric_seed = s.fabric ? s.seed + i : 0,
                               .jobs_seed = s.jobs ? s.seed + i : 0,
                               .queues_seed = s.queues ? s.seed + i : 0,
                               .nics = s.nics,
                               .stop = &late,
                               .engine_only = s.skip,
                               .skip = s.skip,
                               .graph_seed = s.graph ? s.seed + i : 0,
                               .refusals = (s.kind != TWIN_PLAIN && s.kind != TWIN_SHAPES) || s.graph || s.switches,
                               .cover = &cover,
                               .show = s.show };
        twin_draw(s.kind, s.seed + i, text, s.show ? stdout : NULL);
        if (s.switches && (s.kind != TWIN_MIXED || (s.seed + i) % 3 != 0)) /* there they are */
            twin_put_switches(s.seed + i, text);
        (void)snprintf(name, sizeof(name), "random scenario %" PRIu64, s.seed + i);
        (void)snprintf(repeat, sizeof(repeat), "twin_soak --seed %" PRIu64 " --count 1%s%s%s%s%s%s%s", s.seed + i,
                       s.fabric ? " --fabric" : "", s.queues ? " --queues" : "", s.jobs ? " --jobs" : "",
                       s.nics    ? " --nics"
                       : s.graph ? " --graph"
                                 : "",
                       s.switches ? " --switches" : "", s.skip ? " --skip" : "", kind_option[s.kind]);
        if (s.show)
            (void)printf("# %s\n%s", name, text);
        begin_time(s.limit_s);
        (void)twin_run(&c, &tally);
        if ((i + 1) % 100 == 0)
            twin_print_tally("so far", &tally);
    }
    twin_print_tally("soak", &tally);
    if (s.kind == TWIN_WHOLE && s.count >= COVERING && !s.skip)
        missing = twin_cover_print(&cover);
    if (s.skip) {
        (void)printf("skip: %" PRIu64 " of %" PRIu64 " packet-hops were skipped\n", tally.skipped, tally.hops);
        twin_cover_print_skipped(&cover);
    }
    twin_cover_free(&cover);
    return missing > 0 || tally.different > 0 || tally.late > 0 ||
           tally.refused > twin_refusals_max(s.switches || s.nics ? TWIN_MIXED
                                             : s.graph            ? TWIN_WHOLE
                                                                  : s.kind,
                                             s.count);
}
