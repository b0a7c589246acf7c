/* src/commands/cli/campaign_report.c - makes the page of a campaign's runs, by `weir report` in a child process. */
#include "cli/campaign.h"
#include "cli/cli.h"
#include "reproduce/sweep_child.h"
#include "text/memory.h"
#include <stdlib.h>
#include <unistd.h>

/* Prints the numbers of the runs that are done, as "3,14,15". */
static void print_runs(FILE *out, const void *campaign)
{
    const struct weir_plan *plan = campaign;
    for (uint32_t i = 0, count = 0; i < plan->point_count; i++)
        if (plan->point[i].state == WEIR_POINT_DONE)
            (void)fprintf(out, "%s%lld", count++ > 0 ? "," : "", (long long)plan->point[i].run);
}

/* Writes the text into an unnamed temporary file, and sets name to a path by which another process can open it. The
 * caller closes the file. @return NULL = it could not be written */
static FILE *write_text(weir_campaign_print *print, const void *ctx, char *name, size_t size)
{
    FILE *file = tmpfile();
    if (file == NULL)
        return NULL;
    print(file, ctx);
    if (fflush(file) != 0) {
        (void)fclose(file);
        return NULL;
    }
    (void)snprintf(name, size, "/proc/%ld/fd/%d", (long)getpid(), fileno(file));
    return file;
}

/* Makes a report of the runs of this plan only: other runs in the file may have another length or version. */
int weir_campaign_report(const struct weir_campaign *c, weir_campaign_print *print, weir_campaign_print *published,
                         const void *ctx)
{
    char *only, name[64], numbers_name[64] = "";
    FILE *text, *numbers;
    int status = -1;
    if (weir_campaign_done(c) == 0)
        return WEIR_EXIT_DONE;
    if (c->report[0] == '\0') {
        (void)fprintf(stderr, "weir: results in %s\n", c->out);
        return WEIR_EXIT_DONE;
    }
    only = weir_memory_text(print_runs, &c->plan);
    text = write_text(print, ctx, name, sizeof(name));
    numbers = published != NULL ? write_text(published, ctx, numbers_name, sizeof(numbers_name)) : NULL;
    if (only != NULL && text != NULL) {
        const char *argv[] = {
            NULL, "report", c->out, "-o", c->report, "--runs", only, "--text", name, NULL, NULL, NULL
        };
        if (numbers != NULL) {
            argv[9] = "--published";
            argv[10] = numbers_name;
        }
        status = weir_child_call(argv);
    }
    free(only);
    if (text != NULL)
        (void)fclose(text);
    if (numbers != NULL)
        (void)fclose(numbers);
    if (status == WEIR_EXIT_DONE) {
        (void)fprintf(stderr, "weir: results in %s, report in %s\n", c->out, c->report);
        return WEIR_EXIT_DONE;
    }
    (void)fprintf(stderr, "weir: results in %s; the report could not be made: weir report %s -o %s\n", c->out, c->out,
                  c->report);
    return WEIR_EXIT_FAILURE;
}
