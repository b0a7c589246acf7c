/* src/commands/cli/campaign_args.c - options that all commands with a campaign share; see campaign_args.h. */
#include "cli/campaign_args.h"
#include "output/kept.h"
#include "param/number.h"
#include "reproduce/sweep.h"
#include "text/wait.h"
#include <unistd.h>

#define FIELD(field) (uint32_t) offsetof(struct weir_campaign_args, field)

const struct weir_option weir_campaign_options[] = {
    { .name = "--json", .offset = FIELD(json) },
    { .name = "-o", .value = "the name of a file", .offset = FIELD(out) },
    { .name = "--report", .value = "the name of a file", .offset = FIELD(report) },
    { .name = "--fresh", .offset = FIELD(fresh) },
    { .name = "--help", .offset = FIELD(help), .last = true },
    { .name = "-h", .offset = FIELD(help), .last = true },
    { 0 },
};

const struct weir_param weir_campaign_quantities[] = {
    WEIR_WAIT_OPTION(struct weir_campaign_args, wait_ps),
    { 0 },
};

const struct weir_param weir_campaign_keep[] = {
    WEIR_KEEP_OPTION(struct weir_campaign_args, keep_messages),
    { 0 },
};

uint32_t weir_campaign_jobs(uint32_t asked)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (asked != 0)
        return asked;
    return processors < 1 ? 1 : processors > (long)WEIR_JOBS_MAX ? WEIR_JOBS_MAX : (uint32_t)processors;
}

int weir_campaign_apply_jobs(void *args, const char *value, struct weir_err *err)
{
    struct weir_number n;
    uint64_t count;
    if (weir_number_read(&n, value) != WEIR_NUMBER_OK || n.unit[0] != '\0' ||
        weir_number_scale(&n, 1, &count) != WEIR_NUMBER_OK || count < 1 || count > WEIR_JOBS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "how many runs go on at a time; results do not depend on it",
                         "--jobs %.80s: must be a whole number, 1 to %u", value, WEIR_JOBS_MAX);
    ((struct weir_campaign_args *)args)->jobs = (uint32_t)count;
    return 0;
}
