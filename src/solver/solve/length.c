/* src/solver/solve/length.c - see length.h. */
#include "solve/length.h"
#include "solve/offered.h"
#include "text/format.h"

struct search { /* while a run of unknown length goes on */
    struct weir_run_length *found;
    const struct weir_sim_options *options; /* of the caller */
    volatile int stop;                      /* not 0: enough was seen, or the caller's stop is set */
};

static int on_batch(void *ctx, const struct weir_batches *b)
{
    struct search *search = ctx;
    struct weir_length *length = &search->found->length;
    if (length->verdict == WEIR_LENGTH_GOES_ON && weir_length_after(length, b) != WEIR_LENGTH_GOES_ON)
        search->stop = 1; /* the run goes on for a moment: what comes then is not read */
    return 0;
}

static bool is_stopped(const struct search *search)
{
    return search->options->stop != NULL && *search->options->stop != 0;
}

static void on_progress(void *ctx, const struct weir_progress *p)
{
    struct search *search = ctx;
    if (search->options->progress != NULL)
        search->options->progress(search->options->progress_ctx, p);
    if (is_stopped(search))
        search->stop = 1;
}

static void take_first_length(struct weir_run_length *found, const struct weir_setup *setup)
{
    found->warmup_ps = setup->model.warmup_ps;
    found->measure_ps = setup->model.batch_ps * WEIR_LENGTH_FIRST_BATCHES;
}

/* Simulates until the length is known. @return 0, or a code with err */
static int search_length(struct weir_run_length *found, const struct weir_setup *setup,
                         const struct weir_sim_options *options, weir_simulate *simulate, struct weir_err *err)
{
    const struct weir_model *m = &setup->model;
    struct search search = { .found = found, .options = options };
    const struct weir_sim_options own = { .threads = options->threads,
                                          .check = options->check,
                                          .batch = on_batch,
                                          .batch_ctx = &search,
                                          .progress = on_progress,
                                          .progress_ctx = &search,
                                          .stop = &search.stop };
    struct weir_result result = { 0 };
    int code = simulate(m, &own, &result, err);
    weir_result_free(&result);
    if (code != 0)
        return code;
    found->is_stopped = found->length.verdict == WEIR_LENGTH_GOES_ON && is_stopped(&search);
    if (found->length.verdict == WEIR_LENGTH_PRECISE || found->length.verdict == WEIR_LENGTH_MOST_SEEN) {
        found->warmup_ps = m->warmup_ps + found->length.warmup * m->batch_ps;
        found->measure_ps = (uint64_t)WEIR_BATCHES * found->length.width * m->batch_ps;
    } else {
        take_first_length(found, setup);
    }
    return 0;
}

int weir_run_length_find(struct weir_run_length *found, const struct weir_setup *setup,
                         const struct weir_sim_options *options, weir_simulate *simulate, struct weir_err *err)
{
    struct weir_offered offered;
    int code;
    WEIR_ASSERT(setup->scn->run.measure_ps == WEIR_MEASURE_AUTO);
    *found = (struct weir_run_length){ .length = { .precision = setup->scn->run.precision_ppm / 1e6,
                                                   .least_queue = setup->model.host.path.mss_bytes,
                                                   .has_messages = (setup->model.measured_items &
                                                                    setup->workload.endless_items) != 0 } };
    code = weir_offered_find(&offered, setup, err);
    if (code != 0)
        return code;
    found->is_offered = offered.count > 0;
    if (!found->is_offered)
        return search_length(found, setup, options, simulate, err);
    take_first_length(found, setup);
    return 0;
}

void weir_run_length_print(FILE *out, const struct weir_run_length *found, const struct weir_setup *setup)
{
    static const char *const names[WEIR_MEANS] = { "mean slowdown", "goodput", "mean ToR queue" };
    const struct weir_length *l = &found->length;
    double part;
    enum weir_mean widest = weir_length_widest(l, &part);
    (void)fprintf(out, "warm-up %s, measured for %s: ", weir_format_ps(found->warmup_ps).text,
                  weir_format_ps(found->measure_ps).text);
    if (found->is_offered)
        (void)fprintf(out, "a link is offered more than its rate, so that no length gives means");
    else if (l->verdict == WEIR_LENGTH_OVERLOAD)
        (void)fprintf(out, "what is unfinished grew all the time, so that no length would give means");
    else if (l->verdict == WEIR_LENGTH_GOES_ON)
        (void)fprintf(out, "the run stalls");
    else if (!l->keeps_up)
        (void)fprintf(out, "less arrived than was offered, so that the means are in doubt");
    else if (l->has_messages && !l->mean[WEIR_MEAN_SLOWDOWN].is_known)
        (void)fprintf(out, "too few messages ended to know the mean slowdown");
    else
        (void)fprintf(out, "%s is known to +- %.1f %%%s", names[widest], 100 * part,
                      l->verdict == WEIR_LENGTH_PRECISE ? ", others better" : "");
    if (l->verdict == WEIR_LENGTH_MOST_SEEN && l->keeps_up)
        (void)fprintf(out, ", and %.3g %% was asked for; run.most: %s ends it", 100 * l->precision,
                      weir_format_ps(setup->scn->run.most_ps).text);
}
