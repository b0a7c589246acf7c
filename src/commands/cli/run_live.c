/* src/commands/cli/run_live.c - see run_live.h. */
#include "cli/run_live.h"
#include "engine/sim.h"
#include "output/inputs.h"
#include "report/bundle.h"
#include "text/version.h"
#include <stdlib.h>

/* Opens the page and its server. */
static int open_live(struct weir_watch **live, const struct weir_run_args *args, struct weir_bundle *page,
                     const struct weir_scenario *scn, struct weir_err *err)
{
    struct weir_watch_options options = {
        .port = args->live_port, .page = page->text, .page_length = page->length, .timeline = args->write_timeline
    };
    struct weir_inputs inputs;
    int code = weir_inputs_init(&inputs, args->file, scn, args->output, err);
    if (code != 0)
        return code;
    options.keep = inputs.keep;
    code = weir_watch_open(live, &options, err);
    weir_inputs_free(&inputs);
    return code;
}

int weir_cli_live_begin(struct weir_watch **live, const struct weir_run_args *args, struct weir_scenario *scn,
                        struct weir_setup *setup, struct weir_err *err)
{
    struct weir_bundle page = { 0 };
    int code;
    if (!args->live)
        return 0;
    code = weir_bundle_read(&page, &weir_bundle_watch, WEIR_DATA_DIR, err);
    if (code == 0)
        code = open_live(live, args, &page, scn, err);
    if (code == 0)
        code = weir_watch_announce(*live, scn, setup, args->file, args->set, args->set_count, err);
    weir_bundle_free(&page);
    return code;
}

int weir_cli_run_changed(struct weir_watch *live, const struct weir_timeline *timeline, struct weir_setup *setup,
                         const struct weir_sim_options *options, struct weir_result *result, struct weir_err *err)
{
    if (live != NULL)
        return weir_watch_run(live, setup, options, result, err);
    if (timeline->count > 0)
        return weir_timeline_run(timeline, setup, options, result, err);
    return weir_sim_run(&setup->model, options, result, err);
}

int weir_cli_record_end(struct weir_record *rec, const struct weir_watch *live, const struct weir_timeline *timeline,
                        const char *status, const struct weir_report *report, struct weir_err *err)
{
    char *changes = weir_timeline_text(live != NULL ? weir_watch_done(live) : timeline);
    int code = changes != NULL ? 0 : weir_fail_memory(err);
    rec->changes = changes;
    rec->scenario = live != NULL ? weir_watch_scenario(live) : NULL;
    if (code == 0)
        code = weir_record_finish(rec, status, report, err);
    rec->changes = rec->scenario = NULL;
    free(changes);
    return code;
}
