/* src/commands/testbed/soze_jobs.c - the application cases of Soze's paper (OSDI 2025, figures 6 to 9). They run over
 * the kernel's TCP at 100 Mb/s, and simulated at the same rates, sizes and keys. The published numbers are ratios of
 * completion times, so the rate does not matter. doc/linux.md says what was chosen. */
#include "bpf/law_loader.h"
#include "reproduce/stats.h"
#include "testbed/soze.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 3, NUMBERS = 3, LIMIT_S = 120 };

#define PUBLISHED_NOTHING (-1.0)

/* Jobs of experiments/soze-testbed. law: as doc/linux.md has it. alpha is 5/4 of the port's rate over the least weight,
 * beta a quarter of the rate over the sum of the weights at a link. */
struct jobs_case {
    const char *file;
    bool fair; /* policy: fair */
    const char *law;
};

struct end { /* when a job or a flow of a case has ended */
    uint32_t of_case;
    bool of_flow;
    uint32_t index;
};

struct ratio { /* one number of a figure */
    const char *what;
    struct end over, under;
    double published;
};

struct job_figure {
    const char *name;
    uint32_t until_job;
    struct jobs_case of_case[CASES]; /* the first has equal shares, which cubic and bbr run too */
    struct ratio number[NUMBERS];
};

static const struct job_figure fig6 = {
    "fig6",
    UINT32_MAX,
    { { "critical-path", true, "soze beta=12.5Mbps" },
      { "critical-path", false, "soze alpha=187.5Mbps beta=12.5Mbps" } },
    { { "chain, weighted over equal shares", { 1, false, 0 }, { 0, false, 0 }, 0.821 } },
};
static const struct job_figure fig7 = {
    "fig7",
    0,
    { { "straggler", true, "soze beta=6.25Mbps" }, { "straggler", false, "soze beta=4.167Mbps" } },
    { { "straggler's end over the other's", { 1, true, 1 }, { 1, true, 0 }, 1 },
      { "the same, equal shares", { 0, true, 1 }, { 0, true, 0 }, PUBLISHED_NOTHING },
      { "coflow, raised over equal shares", { 1, false, 0 }, { 0, false, 0 }, PUBLISHED_NOTHING } },
};
static const struct job_figure fig8 = {
    "fig8",
    UINT32_MAX,
    { { "shared-bottleneck", true, "soze beta=6.25Mbps" },
      { "shared-bottleneck", false, "soze alpha=157.6Mbps beta=6.25Mbps" } },
    { { "job 2, weighted over equal shares", { 1, false, 1 }, { 0, false, 1 }, 0.963 } },
};
static const struct job_figure fig9 = {
    "fig9",
    UINT32_MAX,
    { { "altruistic", true, "soze beta=12.5Mbps" },
      { "altruistic", false, "soze beta=12.5Mbps" },
      { "altruistic-first", false, "soze beta=247Kbps" } },
    { { "job 2, altruistic over equal shares", { 1, false, 1 }, { 0, false, 1 }, 0.833 },
      { "job 2, first over equal shares", { 2, false, 1 }, { 0, false, 1 }, 0.75 },
      { "f3, altruistic over equal shares", { 1, true, 2 }, { 0, true, 2 }, 0.667 } },
};

bool weir_soze_is_loaded(struct weir_err *err)
{
    static const char *const laws[] = { "soze", "timely", NULL };
    struct weir_law_loaded loaded;
    for (size_t i = 0; laws[i] != NULL; i++) {
        char hint[64];
        if (weir_law_status(laws[i], &loaded, err) != 0)
            continue;
        (void)snprintf(hint, sizeof(hint), "weir tcp unload %s", laws[i]);
        (void)weir_fail(err, WEIR_E_BUSY, NULL, hint, "%s is loaded, and this would change its keys", laws[i]);
        return true;
    }
    return false;
}

struct weir_soze_room *weir_soze_room_new(uint64_t rate_bps, struct weir_err *err)
{
    struct weir_soze_room *room;
    if (weir_soze_is_loaded(err))
        return NULL;
    room = calloc(1, sizeof(*room));
    if (room != NULL)
        room->rate_bps = rate_bps;
    else
        (void)weir_fail_memory(err);
    return room;
}

void weir_soze_room_free(struct weir_soze_room *room)
{
    if (room == NULL)
        return;
    weir_job_plan_close(&room->plan);
    free(room);
}

int weir_soze_open(struct weir_soze_room *room, struct weir_figs *figs, const char *file, bool fair, const char *law,
                   struct weir_err *err)
{
    const struct weir_law_options options = { .text = law, .port_bps = room->rate_bps };
    struct weir_law_loaded loaded;
    char name[64], rate[64];
    const char *set[] = { name, rate, fair ? "traffic[0].policy=fair" : NULL, NULL };
    int code = weir_law_keys_read(&options, &loaded, err);
    (void)snprintf(name, sizeof(name), "traffic[0].file=%s.yaml", file);
    (void)snprintf(rate, sizeof(rate), "topology.host_link=%" PRIu64 " bps", room->rate_bps);
    weir_job_plan_close(&room->plan);
    (void)snprintf(room->name, sizeof(room->name), "%s%s", file, fair ? ", equal shares" : "");
    return code != 0 ? code : weir_job_plan_open(&room->plan, figs->arena, "soze-testbed", set, &loaded.keys, err);
}

int weir_soze_run(struct weir_soze_room *room, struct weir_figs *figs, const char *law, const char *cc,
                  uint32_t until_job, struct weir_err *err)
{
    const struct weir_law_options options = { .text = law, .netns = "all", .port_bps = room->rate_bps };
    const struct weir_job_run run = { .jobs = &room->plan.setup.jobs,
                                      .cc = cc,
                                      .weighs = strcmp(cc, "weir_soze") == 0,
                                      .until_job = until_job,
                                      .limit_s = LIMIT_S };
    struct weir_law_loaded loaded;
    struct weir_err ignored;
    bool lives, ours = strncmp(cc, "weir_", 5) == 0;
    int code;
    (void)fprintf(stderr, "weir: %s under %s\n", room->name, cc);
    code = weir_soze_testbed_up(figs, room->rate_bps, err);
    if (code != 0)
        return code;
    code = ours ? weir_law_load(&options, &loaded, err) : 0; /* signals wait from up to down */
    if (code == 0) {
        code = weir_testbed_run_jobs(&figs->tb, &run, &room->trace, err);
        if (ours)
            (void)weir_law_unload(loaded.protocol->name, &lives, &ignored);
    }
    weir_testbed_down(&figs->tb);
    return code;
}

/* Runs a case under a congestion control; NULL = simulates it under Soze. Leaves the plan open. */
static int run_case(struct weir_soze_room *room, struct weir_figs *figs, const struct job_figure *fig, uint32_t number,
                    const char *cc, struct weir_err *err)
{
    const struct jobs_case *c = &fig->of_case[number];
    int code = weir_soze_open(room, figs, c->file, c->fair, c->law, err);
    if (code != 0)
        return code;
    return cc == NULL ? weir_job_plan_simulate(&room->plan, &room->trace, err)
                      : weir_soze_run(room, figs, c->law, cc, fig->until_job, err);
}

static double end_s(const struct weir_soze_room *room, const struct end *end)
{
    return end->of_flow ? room->trace.end_s[end->index]
                        : weir_trace_job_s(&room->trace, &room->plan.setup.jobs, end->index);
}

/* Runs each case of a figure once, and computes its ratios. */
static int run_ratios(struct weir_soze_room *room, struct weir_figs *figs, const struct job_figure *fig, const char *cc,
                      double *ratio, struct weir_err *err)
{
    double over[NUMBERS] = { 0 }, under[NUMBERS] = { 0 };
    for (uint32_t c = 0; c < CASES && fig->of_case[c].file != NULL; c++) {
        int code = run_case(room, figs, fig, c, cc, err);
        if (code != 0)
            return code;
        for (uint32_t n = 0; n < NUMBERS && fig->number[n].what != NULL; n++) {
            if (fig->number[n].over.of_case == c)
                over[n] = end_s(room, &fig->number[n].over);
            if (fig->number[n].under.of_case == c)
                under[n] = end_s(room, &fig->number[n].under);
        }
    }
    for (uint32_t n = 0; n < NUMBERS; n++)
        ratio[n] = over[n] / under[n];
    return 0;
}

/* Runs the case of equal shares under a congestion control of the kernel, and adds when its jobs ended. */
static int add_other(struct weir_soze_room *room, struct weir_figs *figs, const struct job_figure *fig, const char *cc,
                     struct weir_err *err)
{
    int code = run_case(room, figs, fig, 0, cc, err);
    if (code == 0)
        weir_fig_add(figs, fig->name, "s", end_s(room, &fig->number[0].under), WEIR_FIG_SHOWN, 0,
                     "equal shares, %s: end of what is compared", cc);
    return code;
}

static void add_near(struct weir_figs *figs, const char *figure, double value, double wanted, const char *what,
                     const char *against)
{
    weir_fig_add(figs, figure, "", value, WEIR_FIG_NEAR, wanted, "%s, %s", what, against);
    weir_fig_slack(figs, 0.1 * wanted);
}

static int run_figure_in(struct weir_soze_room *room, struct weir_figs *figs, const struct job_figure *fig,
                         struct weir_err *err)
{
    static const char *const others[] = { "cubic", "bbr", NULL };
    double simulated[NUMBERS], real[WEIR_SOZE_RUNS][NUMBERS];
    int code = run_ratios(room, figs, fig, NULL, simulated, err);
    for (size_t i = 0; others[i] != NULL && code == 0; i++)
        code = add_other(room, figs, fig, others[i], err);
    for (size_t i = 0; i < WEIR_SOZE_RUNS && code == 0; i++)
        code = run_ratios(room, figs, fig, "weir_soze", real[i], err);
    for (uint32_t n = 0; n < NUMBERS && fig->number[n].what != NULL && code == 0; n++) {
        double value[WEIR_SOZE_RUNS], median;
        for (size_t i = 0; i < WEIR_SOZE_RUNS; i++)
            value[i] = real[i][n];
        median = weir_median(value, WEIR_SOZE_RUNS);
        if (fig->number[n].published > 0)
            add_near(figs, fig->name, median, fig->number[n].published, fig->number[n].what, "published");
        add_near(figs, fig->name, median, simulated[n], fig->number[n].what, "simulated");
    }
    return code;
}

static int run_figure(struct weir_figs *figs, const struct job_figure *fig, struct weir_err *err)
{
    struct weir_soze_room *room = weir_soze_room_new(WEIR_SOZE_JOBS_BPS, err);
    int code = room != NULL ? run_figure_in(room, figs, fig, err) : (int)err->code;
    weir_soze_room_free(room);
    return code;
}

int weir_soze_run_fig6(struct weir_figs *figs, struct weir_err *err)
{
    return run_figure(figs, &fig6, err);
}

int weir_soze_run_fig7(struct weir_figs *figs, struct weir_err *err)
{
    return run_figure(figs, &fig7, err);
}

int weir_soze_run_fig8(struct weir_figs *figs, struct weir_err *err)
{
    return run_figure(figs, &fig8, err);
}

int weir_soze_run_fig9(struct weir_figs *figs, struct weir_err *err)
{
    return run_figure(figs, &fig9, err);
}
