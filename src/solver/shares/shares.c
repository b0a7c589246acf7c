/* src/solver/shares/shares.c - shares of flows for other programs (include/weir/sim.h): a scenario's network and flows,
 * and each change by struct weir_allocator. */
#include "session/given.h"
#include "setup/setup.h"
#include "solve/allocator.h"
#include <stdlib.h>

struct weir_sim_shares {
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_allocate_options options;
    struct weir_allocator *allocator;
    struct weir_sim_error error;
    struct weir_sim_share *moved; /* of the last change; moved_room of them */
    uint32_t moved_room;
    bool has_scenario, has_setup;
};

/* Returns the code of the library for an error of the rooms. */
static int code_of(const struct weir_err *err)
{
    return err->code == WEIR_E_MEMORY ? WEIR_SIM_E_MEMORY : WEIR_SIM_E_ARGUMENT;
}

/* ---- opening ---- */

static int check_opts(const struct weir_sim_shares_opts *opts, struct weir_err *err)
{
    if (opts->size != sizeof(*opts))
        return weir_fail(err, WEIR_E_RANGE, NULL, "set opts.size to sizeof(struct weir_sim_shares_opts)",
                         "opts.size is %u", opts->size);
    if (opts->within != 0 &&
        !(opts->within >= WEIR_INCREMENTAL_WITHIN_MIN && opts->within <= WEIR_INCREMENTAL_WITHIN_MAX))
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "opts.within = %g: must be 0, or %g to %g", opts->within,
                         WEIR_INCREMENTAL_WITHIN_MIN, WEIR_INCREMENTAL_WITHIN_MAX);
    return 0;
}

/* Reads the scenario, and makes its network. @return 0, or a code with err */
static int read_scenario(struct weir_sim_shares *s, const char *text, size_t length,
                         const struct weir_sim_shares_opts *opts, struct weir_err *err)
{
    int code = session_parse(&s->scn, opts->name, opts->set, text, length, err);
    if (code != 0)
        return code;
    s->has_scenario = true;
    for (uint32_t i = 0; i < s->scn.traffic_count; i++)
        s->scn.is_session |= s->scn.traffic[i].kind == WEIR_TRAFFIC_SESSION;
    code = weir_setup_init_for_shares(&s->setup, &s->scn, err);
    s->has_setup = code == 0;
    return code;
}

static int open_shares(struct weir_sim_shares *s, const char *text, size_t length,
                       const struct weir_sim_shares_opts *given, struct weir_err *err)
{
    const struct weir_sim_shares_opts defaults = { .size = sizeof(defaults) };
    const struct weir_sim_shares_opts *opts = given != NULL ? given : &defaults;
    int code = check_opts(opts, err);
    if (code == 0)
        code = read_scenario(s, text, length, opts, err);
    if (code != 0)
        return code;
    s->options = (struct weir_allocate_options){
        .file = s->scn.name,
        .at_ps = WEIR_NEVER,
        .capacity = opts->wire != 0 ? WEIR_CAPACITY_WIRE : WEIR_CAPACITY_PAYLOAD,
        .may_be_empty = true,
    };
    s->allocator =
        weir_allocator_open(&s->setup, &s->options, opts->within > 0 ? opts->within : WEIR_CHANGE_WITHIN, err);
    return s->allocator != NULL ? 0 : (int)err->code;
}

struct weir_sim_shares *weir_sim_shares_open(const char *text, size_t length, const struct weir_sim_shares_opts *opts,
                                             struct weir_sim_error *error)
{
    struct weir_sim_shares *s = calloc(1, sizeof(*s));
    struct weir_err err = { .code = WEIR_E_OK };
    if (s == NULL)
        (void)weir_fail_memory(&err);
    else if (open_shares(s, text, length, opts, &err) == 0)
        return s;
    weir_sim_shares_close(s);
    if (error != NULL)
        (void)session_blame(error, err.code == WEIR_E_MEMORY ? WEIR_SIM_E_MEMORY : WEIR_SIM_E_SCENARIO, &err);
    return NULL;
}

void weir_sim_shares_close(struct weir_sim_shares *shares)
{
    if (shares == NULL)
        return;
    weir_allocator_close(shares->allocator);
    if (shares->has_setup)
        weir_setup_free(&shares->setup);
    if (shares->has_scenario)
        weir_scenario_free(&shares->scn);
    free(shares->moved);
    free(shares);
}

/* ---- changes ---- */

static int fail_argument(struct weir_sim_shares *s, const char *hint, const char *text)
{
    struct weir_err err;
    (void)weir_fail(&err, WEIR_E_RANGE, NULL, hint, "%s", text);
    return session_blame(&s->error, WEIR_SIM_E_ARGUMENT, &err);
}

static int check_change(struct weir_sim_shares *s, const struct weir_sim_change *change,
                        const struct weir_sim_changed *changed)
{
    if (change->size != sizeof(*change) || changed->size != sizeof(*changed))
        return fail_argument(s, "set size to sizeof", "change.size or changed.size is another");
    if (change->kind < WEIR_SIM_ADD || change->kind > WEIR_SIM_WEIGHT)
        return fail_argument(s, "ADD, REMOVE or WEIGHT", "change.kind is no kind of change");
    if (change->reserved != 0)
        return fail_argument(s, "set fields that are not needed to 0", "change.reserved is not 0");
    return 0;
}

/* Lists the flows that a change has moved, for the program. @return false = no memory */
static bool list_moved(struct weir_sim_shares *s, const struct weir_changed *done)
{
    if (done->flows > s->moved_room) {
        uint32_t room = done->flows + done->flows / 4;
        struct weir_sim_share *larger = realloc(s->moved, room * sizeof(*larger));
        if (larger == NULL)
            return false;
        s->moved = larger;
        s->moved_room = room;
    }
    for (uint32_t i = 0; i < done->flows; i++)
        s->moved[i] = (struct weir_sim_share){
            .flow = weir_allocator_number(s->allocator, done->moved[i].flow),
            .rate_bps = weir_incremental_rate(weir_allocator_rates(s->allocator), done->moved[i].flow),
            .before_bps = done->moved[i].before,
        };
    return true;
}

int weir_sim_shares_change(struct weir_sim_shares *shares, const struct weir_sim_change *change,
                           struct weir_sim_changed *changed)
{
    static const enum weir_change_kind kinds[] = {
        [WEIR_SIM_ADD] = WEIR_CHANGE_ADD, [WEIR_SIM_REMOVE] = WEIR_CHANGE_REMOVE, [WEIR_SIM_WEIGHT] = WEIR_CHANGE_WEIGHT
    };
    struct weir_changed done = { 0 };
    struct weir_err err;
    int code = check_change(shares, change, changed);
    if (code != 0)
        return code;
    const struct weir_change it = { .kind = kinds[change->kind],
                                    .src = change->src,
                                    .dst = change->dst,
                                    .flow = change->flow,
                                    .weight = change->weight };
    code = weir_allocator_change(shares->allocator, &it, NULL, &done, &err);
    if (code == 0 && !list_moved(shares, &done))
        code = weir_fail_memory(&err);
    if (code != 0)
        return session_blame(&shares->error, code_of(&err), &err);
    *changed = (struct weir_sim_changed){ .size = sizeof(*changed),
                                          .flow = done.flow,
                                          .share_count = done.flows,
                                          .largest = done.largest,
                                          .share = shares->moved };
    return 0;
}

int weir_sim_shares_rate(struct weir_sim_shares *shares, uint32_t flow, double *rate_bps)
{
    uint32_t index = weir_allocator_find(shares->allocator, flow);
    if (index == UINT32_MAX)
        return fail_argument(shares, NULL, "there is no flow of this number, or no longer");
    *rate_bps = weir_incremental_rate(weir_allocator_rates(shares->allocator), index);
    return 0;
}

int weir_sim_shares_compare(struct weir_sim_shares *shares, double *largest)
{
    struct weir_incremental_difference difference;
    struct weir_err err;
    if (weir_allocator_compare(shares->allocator, &difference, &err) != 0)
        return session_blame(&shares->error, code_of(&err), &err);
    *largest = difference.largest;
    return 0;
}

const struct weir_sim_error *weir_sim_shares_error(const struct weir_sim_shares *shares)
{
    return &shares->error;
}
