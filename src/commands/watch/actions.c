/* src/commands/watch/actions.c - announces, checks and executes the actions of a timeline; see timeline.h. */
#include "watch/timeline.h"
#include "core/assert.h"
#include "core/math.h"
#include "param/number.h"
#include "session/drive.h"
#include "workload/jobs.h"
#include "workload/message_id.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TIME_TEXT = 64 };

const struct weir_action_row weir_actions[WEIR_ACTIONS] = {
    [WEIR_ACTION_CUT] = { .name = "cut", .change = weir_sim_cut },
    [WEIR_ACTION_HOLD] = { .name = "hold", .change = weir_sim_hold, .cable_alone = true },
    [WEIR_ACTION_MEND] = { .name = "mend", .change = weir_sim_mend },
    [WEIR_ACTION_WEIGHT] = { .name = "weight" },
};

static struct weir_tok position(const struct weir_timeline *timeline, const struct weir_action *action)
{
    return (struct weir_tok){ .file = timeline->file, .line = action->line, .col = action->column };
}

static const char *time_text(char out[TIME_TEXT], uint64_t ps)
{
    weir_number_print_unit(out, TIME_TEXT, ps, WEIR_UNIT_TIME);
    return out;
}

/* ---- before the run ---- */

int weir_timeline_load(const struct weir_timeline *timeline, struct weir_scenario *scn, const char *file,
                       const struct weir_override *set, uint32_t count, struct weir_err *err)
{
    struct weir_override *all = calloc((size_t)count + 1, sizeof(*all));
    uint64_t least_q20 = 0;
    bool cuts = false;
    int code;
    if (all == NULL)
        return weir_fail_memory(err);
    for (uint32_t i = 0; i < timeline->count; i++) {
        const struct weir_action *a = &timeline->action[i];
        cuts |= a->kind != WEIR_ACTION_WEIGHT;
        if (a->kind == WEIR_ACTION_WEIGHT)
            least_q20 = least_q20 == 0 ? a->weight_q20 : weir_min_u64(least_q20, a->weight_q20);
    }
    if (count > 0)
        memcpy(all, set, count * sizeof(*all));
    if (cuts)
        all[count++].text = "fabric.cuttable=all";
    code = weir_scenario_load(scn, file, all, count, err);
    if (code == 0)
        scn->weights_from_q20 = least_q20;
    free(all);
    return code;
}

/* Finds JOB/FLOW. @return its number; UINT32_MAX = there is none */
static uint32_t find_flow(const struct weir_jobs *jobs, const char *name)
{
    for (uint32_t j = 0; jobs != NULL && j < jobs->job_count; j++) {
        const struct weir_job *job = &jobs->job[j];
        size_t length = strlen(job->name);
        if (strncmp(job->name, name, length) != 0 || name[length] != '/')
            continue;
        for (uint32_t f = job->first; f < job->first + job->count; f++)
            if (strcmp(jobs->flow_name[f], name + length + 1) == 0)
                return f;
    }
    return UINT32_MAX;
}

/* Finds what an action is about. @return 0, or a code with err */
static int check_target(const struct weir_timeline *timeline, struct weir_action *a, const struct weir_setup *setup,
                        struct weir_err *err)
{
    const struct weir_topology *topo = &setup->topo;
    struct weir_tok at = position(timeline, a);
    bool is_node;
    if (a->kind == WEIR_ACTION_WEIGHT && a->message != WEIR_NEVER) {
        if (weir_message_host(a->message) < topo->host_count)
            return 0;
        return weir_fail(err, WEIR_E_RANGE, &at, NULL, "host %" PRIu64 ": the topology has hosts 0 to %" PRIu32,
                         weir_message_host(a->message), topo->host_count - 1);
    }
    if (a->kind == WEIR_ACTION_WEIGHT) {
        a->flow = find_flow(setup->workload.jobs, a->name);
        if (a->flow != UINT32_MAX)
            return 0;
        return weir_fail(err, WEIR_E_UNKNOWN, &at, "JOB/FLOW of traffic of kind jobs, or host 3 message 12",
                         "no flow of a job has the name '%.80s'", a->name);
    }
    is_node = weir_topology_find_node(topo, a->name) != UINT32_MAX;
    if (!is_node && weir_topology_find_link(topo, a->name) == UINT32_MAX)
        return weir_fail(err, WEIR_E_UNKNOWN, &at,
                         "'leaf 0 - spine 1', 'spine 1' or 'host 3'; weir topology --cables has all names",
                         "no cable, switch or host has the name '%.80s'", a->name);
    if (is_node && weir_actions[a->kind].cable_alone)
        return weir_fail(err, WEIR_E_CONFLICT, &at, "hold its cables one by one",
                         "hold: '%.80s' is no cable, and has no queue in which packets could wait", a->name);
    return 0;
}

int weir_timeline_check(struct weir_timeline *timeline, const struct weir_setup *setup, struct weir_err *err)
{
    uint64_t end_ps = setup->model.until_done ? WEIR_NEVER : setup->model.warmup_ps + setup->model.measure_ps;
    int code = 0;
    for (uint32_t i = 0; i < timeline->count && code == 0; i++) {
        struct weir_action *a = &timeline->action[i];
        struct weir_tok at = position(timeline, a);
        char text[TIME_TEXT], end[TIME_TEXT];
        code = check_target(timeline, a, setup, err);
        if (code == 0 && a->at_ps >= end_ps)
            code = weir_fail(err, WEIR_E_RANGE, &at, "run.warmup and run.measure set its end",
                             "%s is not before the end of the run, which is at %s", time_text(text, a->at_ps),
                             time_text(end, end_ps));
    }
    return code;
}

/* ---- while it runs ---- */

/* Gives a change of the network. @return 0, or a code with err */
static int execute_change(const struct weir_action *a, struct weir_sim *sim, struct weir_tok at, struct weir_err *err)
{
    uint64_t first_ps = weir_sim_floor(sim) + weir_sim_lead(sim);
    char text[TIME_TEXT], first[TIME_TEXT];
    int code;
    if (a->at_ps < first_ps)
        return weir_fail(err, WEIR_E_RANGE, &at, "frames that are on their way may not be changed any more",
                         "%s is too early: a cable of this network can change at %s", time_text(text, a->at_ps),
                         time_text(first, first_ps));
    code = weir_actions[a->kind].change(sim, a->name, a->at_ps);
    if (code == 0)
        return 0;
    return weir_fail(err, code == WEIR_SIM_E_MEMORY ? WEIR_E_MEMORY : WEIR_E_CONFLICT, &at, weir_sim_error(sim)->hint,
                     "%s", weir_sim_error(sim)->text);
}

/* Finds the message that gets another weight. *message: gets its id. @return its state */
static enum weir_drive_message find_message(const struct weir_action *a, const struct weir_sim *sim, uint64_t *message)
{
    *message = a->message;
    return a->message == WEIR_NEVER ? weir_drive_job_flow(sim, a->flow, message) : weir_drive_message(sim, a->message);
}

int weir_timeline_execute(const struct weir_timeline *timeline, const struct weir_action *a, struct weir_sim *sim,
                          struct weir_err *err)
{
    struct weir_tok at = position(timeline, a);
    uint64_t message;
    char text[TIME_TEXT];
    if (weir_timeline_is_early(a))
        return execute_change(a, sim, at, err);
    WEIR_ASSERT(weir_sim_now(sim) == a->at_ps);
    switch (find_message(a, sim, &message)) {
    case WEIR_DRIVE_TO_COME:
        return weir_fail(err, WEIR_E_RANGE, &at, "a message gets another weight after its start",
                         "at %s this message has not started", time_text(text, a->at_ps));
    case WEIR_DRIVE_OPEN:
        return weir_drive_weight(sim, message, a->weight_q20, err);
    case WEIR_DRIVE_ENDED:
        break;
    }
    return 0;
}

bool weir_timeline_is_early(const struct weir_action *action)
{
    return weir_actions[action->kind].change != NULL;
}

/* Returns when an action is executed: changes of cables a lead before their instants, or at once. */
static uint64_t due_ps(const struct weir_action *a, const struct weir_sim *sim)
{
    uint64_t lead_ps = weir_timeline_is_early(a) ? weir_sim_lead(sim) : 0;
    return a->at_ps - weir_min_u64(a->at_ps, lead_ps);
}

static int after_end(const struct weir_timeline *timeline, const struct weir_action *a, struct weir_err *err)
{
    struct weir_tok at = position(timeline, a);
    char text[TIME_TEXT];
    return weir_fail(err, WEIR_E_RANGE, &at, "leave out what comes later", "%s is after the end of the run",
                     time_text(text, a->at_ps));
}

/* Returns the first action of the kinds at or after index i that is left; count = there is none. */
static uint32_t next_of(const struct weir_timeline *timeline, uint32_t i, bool of_cables)
{
    while (i < timeline->count && weir_timeline_is_early(&timeline->action[i]) != of_cables)
        i++;
    return i;
}

/* Executes all actions. Those of cables come early, so that one after another of either kind is merged by when they are
 * due. @return 0, or a code with err */
static int execute_all(const struct weir_timeline *timeline, struct weir_sim *sim, struct weir_err *err)
{
    uint32_t cable = next_of(timeline, 0, true), weight = next_of(timeline, 0, false);
    int code = 0;
    while (code == 0 && (cable < timeline->count || weight < timeline->count)) {
        bool of_cables =
            weight == timeline->count ||
            (cable < timeline->count && due_ps(&timeline->action[cable], sim) <= timeline->action[weight].at_ps);
        uint32_t *next = of_cables ? &cable : &weight;
        const struct weir_action *a = &timeline->action[*next];
        code = weir_drive_until(sim, due_ps(a, sim), err);
        if (code != 0 || weir_drive_is_over(sim)) /* stopped by a signal, or stalled */
            return code;
        code = weir_drive_is_done(sim) ? after_end(timeline, a, err) : 0;
        if (code == 0)
            code = weir_timeline_execute(timeline, a, sim, err);
        *next = next_of(timeline, *next + 1, of_cables);
    }
    return code;
}

int weir_timeline_run(const struct weir_timeline *timeline, struct weir_setup *setup,
                      const struct weir_sim_options *options, struct weir_result *result, struct weir_err *err)
{
    struct weir_sim *sim = weir_drive_open(setup, options, err);
    const struct weir_action *last = timeline->count > 0 ? &timeline->action[timeline->count - 1] : NULL;
    int code = 0;
    *result = (struct weir_result){ .threads = options->threads, .ranks = 1 };
    if (sim == NULL)
        return err->code;
    if (options->began != NULL)
        options->began(options->began_ctx);
    code = execute_all(timeline, sim, err);
    if (code == 0)
        code = weir_drive_finish(sim, result, err);
    if (code == 0 && last != NULL && !result->interrupted && !result->stalled && last->at_ps > result->sim_ps)
        code = after_end(timeline, last, err);
    weir_drive_close(sim);
    return code;
}
