/* src/results/reproduce/comparison_jobs.c - see comparison_jobs.h. */
#include "reproduce/comparison_jobs.h"
#include "core/assert.h"
#include "reproduce/comparison_print.h"
#include "reproduce/comparison_text.h"
#include "reproduce/results_jobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 30, CELL = 48 }; /* NAME: width of the names of jobs; longer ones are cut */

static const struct {
    const char *key, *title;
} numbers[WEIR_JOB_NUMBERS] = {
    [WEIR_JOB_COMPLETION_US] = { "completion_us", "job completion (us)" },
    [WEIR_JOB_ALGBW] = { "algbw_gbytes_s", "algorithm bandwidth (GB/s)" },
    [WEIR_JOB_BUSBW] = { "busbw_gbytes_s", "bus bandwidth (GB/s)" },
};

/* --- reading --- */

static double *slot(const struct weir_comparison_jobs *jobs, uint32_t job, uint32_t what, uint32_t law)
{
    WEIR_ASSERT(job < jobs->count && law < jobs->law_count);
    return &jobs->number[(((size_t)job * WEIR_JOB_NUMBERS + what) * jobs->law_count + law) * jobs->seed_count];
}

const double *weir_comparison_jobs_of(const struct weir_comparison_jobs *jobs, uint32_t job,
                                      enum weir_comparison_job_number what, uint32_t law)
{
    return slot(jobs, job, what, law);
}

void weir_comparison_jobs_free(struct weir_comparison_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->count; i++)
        free(jobs->name[i]);
    free(jobs->name);
    free(jobs->number);
    *jobs = (struct weir_comparison_jobs){ 0 };
}

/* Allocates numbers of as many jobs as a run has, and takes their names. */
static bool allocate(struct weir_comparison_jobs *jobs, const struct weir_results_jobs *of)
{
    size_t size = (size_t)of->count * WEIR_JOB_NUMBERS * jobs->law_count * jobs->seed_count;
    jobs->name = calloc(of->count, sizeof(*jobs->name));
    jobs->number = malloc(size * sizeof(*jobs->number));
    if (jobs->name == NULL || jobs->number == NULL)
        return false;
    jobs->count = of->count;
    jobs->left_out = of->left_out;
    for (size_t i = 0; i < size; i++)
        jobs->number[i] = (double)NAN;
    for (uint32_t job = 0; job < of->count; job++)
        if ((jobs->name[job] = strdup(of->job[job].name)) == NULL)
            return false;
    return true;
}

static void take_run(struct weir_comparison_jobs *jobs, const struct weir_results_jobs *of, uint32_t law, uint32_t seed)
{
    for (uint32_t job = 0; job < of->count && job < jobs->count; job++) {
        slot(jobs, job, WEIR_JOB_COMPLETION_US, law)[seed] = of->job[job].completion_us;
        slot(jobs, job, WEIR_JOB_ALGBW, law)[seed] = of->job[job].algbw_gbytes_s;
        slot(jobs, job, WEIR_JOB_BUSBW, law)[seed] = of->job[job].busbw_gbytes_s;
    }
}

int weir_comparison_jobs_read(struct weir_comparison_jobs *jobs, const struct weir_comparison *c,
                              const struct weir_point *point, struct weir_err *err)
{
    int code = 0;
    *jobs = (struct weir_comparison_jobs){ .law_count = c->law_count, .seed_count = c->seed_count };
    for (uint32_t i = 0; i < c->law_count * c->seed_count && code == 0; i++) {
        struct weir_results_jobs of;
        code = weir_results_jobs_read(&of, &point[i], err);
        if (code == 0 && of.count > 0 && jobs->count == 0 && !allocate(jobs, &of))
            code = weir_fail_memory(err);
        if (code == 0)
            take_run(jobs, &of, i / c->seed_count, i % c->seed_count);
        weir_results_jobs_free(&of);
    }
    if (code != 0)
        weir_comparison_jobs_free(jobs);
    return code;
}

/* --- printing --- */

/* Returns the length of the name of a job without the group and the step, which follow a '/' or a '#'. */
static size_t kind_length(const char *name)
{
    return strcspn(name, "/#");
}

struct lines { /* which jobs a line of the table is of */
    const struct weir_comparison *c;
    const struct weir_comparison_jobs *jobs;
    uint32_t first[WEIR_RESULTS_JOBS_MAX]; /* number of the first job of each line */
    uint32_t count;
    bool by_kind; /* a line is of all jobs of a kind; else of one job */
};

static bool is_of_line(const struct lines *lines, uint32_t line, uint32_t job)
{
    const char *a = lines->jobs->name[lines->first[line]], *b = lines->jobs->name[job];
    if (!lines->by_kind)
        return lines->first[line] == job;
    return kind_length(a) == kind_length(b) && strncmp(a, b, kind_length(a)) == 0;
}

static void choose_lines(struct lines *lines, const struct weir_comparison *c, const struct weir_comparison_jobs *jobs,
                         uint32_t most)
{
    *lines = (struct lines){ .c = c, .jobs = jobs, .by_kind = jobs->count > most };
    for (uint32_t job = 0; job < jobs->count; job++) {
        uint32_t line = 0;
        while (line < lines->count && !is_of_line(lines, line, job))
            line++;
        if (line == lines->count)
            lines->first[lines->count++] = job;
    }
}

/* Computes the mean over seeds of the mean number of the jobs of a line. */
static struct weir_estimate estimate(const struct lines *lines, uint32_t line, enum weir_comparison_job_number what,
                                     uint32_t law)
{
    double mean[WEIR_COMPARISON_SEEDS_MAX];
    struct weir_estimate e;
    for (uint32_t s = 0; s < lines->jobs->seed_count; s++) {
        double sum = 0;
        uint32_t count = 0;
        for (uint32_t job = 0; job < lines->jobs->count; job++) {
            double number = is_of_line(lines, line, job) ? slot(lines->jobs, job, what, law)[s] : (double)NAN;
            count += !isnan(number);
            sum += isnan(number) ? 0 : number;
        }
        mean[s] = count > 0 ? sum / count : (double)NAN;
    }
    e = weir_estimate_of(mean, lines->jobs->seed_count);
    e.is_doubtful = lines->c->law[law].doubtful > 0;
    return e;
}

static void print_line(FILE *out, const struct lines *lines, uint32_t line, enum weir_comparison_job_number what)
{
    const char *name = lines->jobs->name[lines->first[line]];
    int length = lines->by_kind ? (int)kind_length(name) : (int)strlen(name);
    char text[CELL], number[WEIR_COMPARISON_NUMBER];
    uint32_t count = 0;
    for (uint32_t job = 0; job < lines->jobs->count; job++)
        count += is_of_line(lines, line, job);
    (void)snprintf(text, sizeof(text), "%.*s", length < NAME ? length : NAME, name);
    if (count > 1)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), " (%u)", (unsigned)count);
    (void)fprintf(out, "%-*s", NAME, text);
    for (uint32_t law = 0; law < lines->jobs->law_count; law++) {
        const struct weir_estimate e = estimate(lines, line, what, law);
        char cell[CELL] = "-";
        if (e.count > 0)
            (void)snprintf(cell, sizeof(cell), "%s", weir_comparison_number(number, e.mean, false));
        if (weir_estimate_has_interval(&e))
            (void)snprintf(cell + strlen(cell), sizeof(cell) - strlen(cell), " +-%s",
                           weir_comparison_number(number, e.half_width, false));
        (void)fprintf(out, "  %14s", cell);
    }
    (void)fputc('\n', out);
}

static bool has_numbers(const struct weir_comparison_jobs *jobs, enum weir_comparison_job_number what)
{
    for (uint32_t job = 0; job < jobs->count; job++)
        for (uint32_t i = 0; i < jobs->law_count * jobs->seed_count; i++)
            if (!isnan(slot(jobs, job, what, 0)[i]))
                return true;
    return false;
}

static void print_table(FILE *out, const struct lines *lines, enum weir_comparison_job_number what, uint32_t most)
{
    if (!has_numbers(lines->jobs, what))
        return;
    (void)fprintf(out, "\n%-*s", NAME, numbers[what].title);
    for (uint32_t law = 0; law < lines->c->law_count; law++)
        (void)fprintf(out, "  %14.14s", lines->c->law[law].name);
    (void)fputc('\n', out);
    for (uint32_t line = 0; line < lines->count && line < most; line++)
        print_line(out, lines, line, what);
    if (lines->count > most)
        (void)fprintf(out, "%u more with --json\n", (unsigned)(lines->count - most));
}

void weir_comparison_jobs_print(FILE *out, const struct weir_comparison *c, const struct weir_comparison_jobs *jobs,
                                uint32_t lines)
{
    struct lines chosen;
    choose_lines(&chosen, c, jobs, lines);
    print_table(out, &chosen, WEIR_JOB_COMPLETION_US, lines);
    print_table(out, &chosen, WEIR_JOB_BUSBW, lines);
    if (jobs->left_out > 0)
        (void)fprintf(out, "%u more jobs, which are not in this table\n", (unsigned)jobs->left_out);
}

void weir_comparison_jobs_json(struct weir_json *json, const struct weir_comparison *c,
                               const struct weir_comparison_jobs *jobs)
{
    weir_json_open_list(json, "jobs");
    for (uint32_t job = 0; job < jobs->count; job++) {
        weir_json_open(json, NULL);
        weir_json_string(json, "name", jobs->name[job]);
        weir_json_open(json, "laws");
        for (uint32_t law = 0; law < c->law_count; law++) {
            weir_json_open(json, c->law[law].name);
            for (uint32_t what = 0; what < WEIR_JOB_NUMBERS; what++) {
                struct weir_estimate e = weir_estimate_of(slot(jobs, job, what, law), jobs->seed_count);
                e.is_doubtful = c->law[law].doubtful > 0;
                weir_json_open(json, numbers[what].key);
                weir_comparison_put_estimate(json, &e);
                weir_json_close(json);
            }
            weir_json_close(json);
        }
        weir_json_close(json);
        weir_json_close(json);
    }
    weir_json_close_list(json);
    weir_json_u64(json, "jobs_left_out", jobs->left_out);
}
