/* src/results/output/jobs_print.c - see jobs_print.h. */
#include "output/jobs_print.h"
#include "core/units.h"
#include "text/format.h"
#include <inttypes.h>

#define CELL 10
#define RANGE 34
#define COUNT 12
#define LINES 30u /* most lines of jobs and coflows together, and of collective operations */

/* Prints a time in COUNT columns, or the text `instead` if `applies` is false. */
static void put_time(FILE *out, bool applies, uint64_t ps, const char *instead)
{
    struct weir_text text = weir_format_ps(applies ? ps : 0);
    (void)fprintf(out, "%*s", COUNT, applies ? text.text : instead);
}

static void put_job_line(FILE *out, const char *name, uint32_t flows, uint32_t ended, uint64_t start_ps,
                         uint64_t end_ps)
{
    (void)fprintf(out, "%-*.*s%*" PRIu32 "%*" PRIu32, RANGE, RANGE - 1, name, COUNT, flows, CELL, ended);
    put_time(out, start_ps != WEIR_NEVER, start_ps, "-");
    put_time(out, end_ps != WEIR_NEVER, end_ps - start_ps, "unfinished");
}

/* Counts results of collective operations, or else those of jobs and traces. */
static uint32_t count_jobs(const struct weir_job_results *jobs, bool collective)
{
    uint32_t count = 0;
    for (uint32_t j = 0; jobs != NULL && j < jobs->job_count; j++)
        count += (jobs->job[j].bytes != 0) == collective;
    return count;
}

/* Prints a line for each job, then one for each coflow, at most LINES lines together, and the number of those left
 * out. A coflow also has its spread: the time from the first end of a flow to the last. Prints nothing if there is no
 * job. */
static void put_jobs(FILE *out, const struct weir_job_results *jobs)
{
    uint32_t shown = 0, all = count_jobs(jobs, false);
    if (all == 0)
        return;
    all += jobs->coflow_count;
    (void)fprintf(out, "\n%-*s%*s%*s%*s%*s%*s\n", RANGE, "job, its coflows", COUNT, "flows", CELL, "ended", COUNT,
                  "start", COUNT, "completion", COUNT, "spread");
    for (uint32_t j = 0; j < jobs->job_count && shown < LINES; j++) {
        const struct weir_job_result *job = &jobs->job[j];
        if (job->bytes != 0)
            continue;
        shown++;
        put_job_line(out, job->name, job->flows, job->ended, job->start_ps, job->end_ps);
        (void)fputc('\n', out);
    }
    for (uint32_t i = 0; i < jobs->coflow_count && shown < LINES; i++, shown++) {
        const struct weir_coflow_result *c = &jobs->coflow[i];
        char name[RANGE];
        (void)snprintf(name, sizeof(name), "%s / %s", c->job, c->name);
        put_job_line(out, name, c->flows, c->ended, c->start_ps, c->end_ps);
        put_time(out, c->end_ps != WEIR_NEVER, c->end_ps - c->first_end_ps, "-");
        (void)fputc('\n', out);
    }
    if (all > shown)
        (void)fprintf(out, "%" PRIu32 " more in the result file and with --json\n", all - shown);
}

/* Prints a line for each step of collective operations, at most LINES, with the bandwidths of nccl-tests. */
static void put_collectives(FILE *out, const struct weir_job_results *jobs)
{
    uint32_t shown = 0, all = count_jobs(jobs, true);
    if (all == 0)
        return;
    (void)fprintf(out, "\n%-*s%*s%*s%*s%*s%*s%*s\n", RANGE, "collective", COUNT, "messages", CELL, "ended", COUNT,
                  "start", COUNT, "completion", COUNT, "algbw GB/s", COUNT, "busbw GB/s");
    for (uint32_t j = 0; j < jobs->job_count && shown < LINES; j++) {
        const struct weir_job_result *job = &jobs->job[j];
        bool ended = job->end_ps != WEIR_NEVER;
        if (job->bytes == 0)
            continue;
        shown++;
        put_job_line(out, job->name, job->flows, job->ended, job->start_ps, job->end_ps);
        (void)fprintf(out, "%*s%*s\n", COUNT, ended ? weir_format_rounded(weir_job_algbw(job), 9, 3).text : "-", COUNT,
                      ended ? weir_format_rounded(weir_job_busbw(job), 9, 3).text : "-");
    }
    if (all > shown)
        (void)fprintf(out, "%" PRIu32 " more in the result file and with --json\n", all - shown);
}

void weir_jobs_print(FILE *out, const struct weir_job_results *jobs)
{
    put_jobs(out, jobs);
    put_collectives(out, jobs);
}
