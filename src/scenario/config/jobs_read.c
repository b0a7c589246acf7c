/* src/scenario/config/jobs_read.c - reads one job of a file, key by key, and finds the flows and tasks that names mean.
 * jobs_build.c assigns tasks to hosts. */
#include "config/jobs_read.h"
#include "config/keys.h"
#include "param/param.h"
#include "param/suggest.h"
#include "workload/cdf.h"
#include "workload/plan.h"
#include "workload/text.h"
#include <stdio.h>
#include <string.h>

enum { HINT = 512, LABEL = 160, REPEAT_MAX = 1 << 20 };

struct change_keys { /* values of weir_job_change_params */
    uint64_t at_ps;
    char weight[WEIR_JOB_WEIGHT];
};

const char *const weir_job_policies[] = { "as-said",
                                          "given",
                                          "critical-path",
                                          "equal-finish",
                                          "shortest-flow",
                                          "constant-sum",
                                          "equal-progress",
                                          "altruistic",
                                          "fair",
                                          "critical-path-squared",
                                          NULL };
static const char *const arrivals[] = { "period", "poisson", NULL };

const struct weir_param weir_job_params[] = {
    WEIR_PARAM_TEXT("name", struct weir_job_keys, name, 1, "", "how results call it; required"),
    WEIR_PARAM_NAMED("start", struct weir_job_keys, start_ps, WEIR_KIND_TIME, 0, WEIR_TRAFFIC_TIME_MAX, 0,
                     "of the job; times in it count from here"),
    WEIR_PARAM_CHOICE("policy", struct weir_job_keys, policy, weir_job_policies, 0,
                      "how the weights of its flows are set; as-said = as at the top"),
    WEIR_PARAM_TEXT("sum", struct weir_job_keys, sum, 1, "1",
                    "constant-sum: what the weights of its active flows add up to"),
    WEIR_PARAM_NAMED("repeat", struct weir_job_keys, repeat, WEIR_KIND_U32, 1, REPEAT_MAX, 1,
                     "copies of the job, each with hosts of its own"),
    WEIR_PARAM_NAMED("period", struct weir_job_keys, period_ps, WEIR_KIND_TIME, 0, WEIR_GAP_MAX_FS / 1000, 0,
                     "from the start of a copy to that of the next"),
    WEIR_PARAM_CHOICE("arrival", struct weir_job_keys, arrival, arrivals, 0,
                      "period: copies start at equal distances; poisson: period is their mean"),
    { 0 },
};

const struct weir_param weir_job_flow_params[] = {
    WEIR_PARAM_TEXT("name", struct weir_job_flow_keys, name, 1, "", "for `after` and results; required"),
    WEIR_PARAM_TEXT("from", struct weir_job_flow_keys, from, 1, "", "host number, or name of a task; required"),
    WEIR_PARAM_TEXT("to", struct weir_job_flow_keys, to, 1, "", "host number, or name of a task; required"),
    WEIR_PARAM_NAMED("size", struct weir_job_flow_keys, bytes, WEIR_KIND_SIZE, 1, WEIR_CDF_SIZE_MAX, 0,
                     "what it sends; required"),
    WEIR_PARAM_TEXT("weight", struct weir_job_flow_keys, weight, 1, "1",
                    "a factor in what the policy says: 0.001 to 1000000"),
    WEIR_PARAM_NAMED("delay", struct weir_job_flow_keys, delay_ps, WEIR_KIND_TIME, 0, WEIR_TRAFFIC_TIME_MAX, 0,
                     "after what it waits for, or after the job's start: time to compute"),
    WEIR_PARAM_TEXT("coflow", struct weir_job_flow_keys, coflow, 0, "",
                    "flows of the same name are looked at together; else all "
                    "that say none are one"),
    { 0 },
};

const struct weir_param weir_job_change_params[] = {
    WEIR_PARAM_NAMED("at", struct change_keys, at_ps, WEIR_KIND_TIME, 0, WEIR_TRAFFIC_TIME_MAX, 0,
                     "when, from the job's start; required"),
    WEIR_PARAM_TEXT("weight", struct change_keys, weight, 1, "1", "from then on; required"),
    { 0 },
};

int weir_jobs_no_memory(const struct weir_jobs_reader *r)
{
    return weir_fail(r->err, WEIR_E_MEMORY, NULL, NULL, "no memory for jobs");
}

/* --- maps of keys --- */

int weir_jobs_apply(const struct weir_jobs_reader *r, const struct weir_tree *map, const struct weir_param *rows,
                    const char *const *more, const char *where, void *config)
{
    weir_param_defaults(rows, config);
    return weir_keys_apply(map, rows, more, where, config, r->err);
}

static int need(const struct weir_jobs_reader *r, const struct weir_tree *map, const char *const *keys,
                const char *where, const char *hint)
{
    for (; *keys != NULL; keys++)
        if (weir_tree_find(map, *keys) == NULL)
            return weir_fail(r->err, WEIR_E_SYNTAX, &map->at, hint, "%s: '%s' is missing", where, *keys);
    return 0;
}

/* Sets *weight_q20 to the number in text, the value of the map's key `key`. @return 0, or WEIR_E_RANGE with err if it
 * is no number from 0.001 to 1000000 */
static int read_weight(const struct weir_jobs_reader *r, const struct weir_tree *map, const char *key, const char *text,
                       uint64_t *weight_q20)
{
    const struct weir_tree *node = weir_tree_find(map, key);
    struct weir_field field = { .text = text, .length = (uint32_t)strlen(text) };
    if (weir_text_q20(&field, weight_q20) == WEIR_TEXT_OK && *weight_q20 >= WEIR_WEIGHT_MIN &&
        *weight_q20 <= WEIR_WEIGHT_MAX)
        return 0;
    return weir_fail(r->err, WEIR_E_RANGE, node != NULL ? &node->at : NULL, NULL,
                     "%s = %s: must be a number from 0.001 to 1000000", key, text);
}

int weir_jobs_count_list(const struct weir_jobs_reader *r, const struct weir_tree *list, const char *what,
                         uint32_t *count)
{
    *count = 0;
    if (list == NULL || list->is_empty)
        return 0;
    if (list->kind != WEIR_TREE_LIST)
        return weir_keys_fail_kind(list, what, "a list", r->err);
    *count = list->count;
    return 0;
}

/* --- tasks --- */

static bool is_number(const char *text)
{
    return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static int read_host(const struct weir_jobs_reader *r, const struct weir_tok *tok, const char *text, uint32_t *host)
{
    struct weir_field field = { .text = text, .length = (uint32_t)strlen(text) };
    uint64_t value;
    if (weir_text_u64(&field, &value) == WEIR_TEXT_OK && value < r->limits->hosts) {
        *host = (uint32_t)value;
        return 0;
    }
    return weir_fail(r->err, WEIR_E_RANGE, tok, NULL, "host %.40s does not exist: the topology has %u hosts (0 to %u)",
                     text, r->limits->hosts, r->limits->hosts - 1);
}

/* Reads one entry of `tasks` into job->task. An entry of a map has a name and a host, or 'random'; an entry of a list
 * has a name and gets a random host. */
static int read_task(const struct weir_jobs_reader *r, const struct weir_tree *node, struct weir_job_read *job)
{
    const struct weir_tok *name = node->key.text != NULL ? &node->key : &node->at;
    struct weir_job_task *task = &job->task[job->task_count];
    if (node->kind != WEIR_TREE_VALUE)
        return weir_keys_fail_kind(node, "tasks", "a host, or 'random',", r->err);
    *task = (struct weir_job_task){ .name = name->text, .fixed = WEIR_TASK_RANDOM };
    if (name->text[0] == '\0' || is_number(name->text) || strlen(name->text) >= WEIR_JOB_NAME)
        return weir_fail(r->err, WEIR_E_SYNTAX, name, NULL,
                         "tasks: '%.80s' cannot be a name: it has 1 to %d characters, and is not a number", name->text,
                         WEIR_JOB_NAME - 1);
    for (uint32_t i = 0; i < job->task_count; i++)
        if (strcmp(job->task[i].name, task->name) == 0)
            return weir_fail(r->err, WEIR_E_CONFLICT, name, NULL, "tasks: '%.80s' is there twice", task->name);
    job->task_count++;
    if (node->key.text == NULL || strcmp(node->at.text, "random") == 0)
        return 0;
    if (!is_number(node->at.text))
        return weir_fail(r->err, WEIR_E_SYNTAX, &node->at, "write a host's number, or random",
                         "tasks: %.60s = %.60s: neither a host nor 'random'", task->name, node->at.text);
    return read_host(r, &node->at, node->at.text, &task->fixed);
}

static int read_tasks(const struct weir_jobs_reader *r, const struct weir_tree *tasks, struct weir_job_read *job)
{
    int code = 0;
    if (tasks == NULL || tasks->is_empty)
        return 0;
    if (tasks->kind == WEIR_TREE_VALUE)
        return weir_keys_fail_kind(tasks, "tasks", "a map", r->err);
    job->task = weir_tree_arena_take(r->arena, ((size_t)tasks->count + 1) * sizeof(*job->task));
    if (job->task == NULL)
        return weir_jobs_no_memory(r);
    for (const struct weir_tree *node = tasks->first; code == 0 && node != NULL; node = node->next)
        code = read_task(r, node, job);
    return code;
}

/* --- flows --- */

static int read_end(const struct weir_jobs_reader *r, const struct weir_tree *node, const char *key, const char *text,
                    const struct weir_job_read *job, struct weir_job_end *end)
{
    const struct weir_tok *tok = &weir_tree_find(node, key)->at;
    struct weir_suggest near;
    char hint[HINT];
    *end = (struct weir_job_end){ .task = UINT32_MAX };
    if (is_number(text))
        return read_host(r, tok, text, &end->host);
    for (uint32_t i = 0; i < job->task_count; i++)
        if (strcmp(job->task[i].name, text) == 0) {
            end->task = i;
            return 0;
        }
    weir_suggest_init(&near, text);
    for (uint32_t i = 0; i < job->task_count; i++)
        weir_suggest_add(&near, job->task[i].name);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(r->err, WEIR_E_UNKNOWN, tok, job->task_count > 0 ? hint : "name it in the job's tasks",
                     "%s = %s: neither a host's number nor a task of the job", key, text);
}

/* Returns the index of the coflow of this name; adds it if the job has none. A flow without the key `coflow` belongs to
 * the coflow that has the job's name. */
static uint32_t coflow_of(struct weir_job_read *job, const char *name)
{
    uint32_t i = 0;
    while (i < job->coflow_count && strcmp(job->coflow_name[i], name) != 0)
        i++;
    if (i == job->coflow_count)
        job->coflow_name[job->coflow_count++] = name;
    return i;
}

static int read_changes(const struct weir_jobs_reader *r, const struct weir_tree *list, struct weir_job_read_flow *flow)
{
    static const char *const required[] = { "at", "weight", NULL };
    int code = weir_jobs_count_list(r, list, "weights", &flow->change_count);
    uint32_t i = 0;
    if (code != 0 || flow->change_count == 0)
        return code;
    flow->change = weir_tree_arena_take(r->arena, flow->change_count * sizeof(*flow->change));
    if (flow->change == NULL)
        return weir_jobs_no_memory(r);
    for (const struct weir_tree *node = list->first; code == 0 && node != NULL; node = node->next, i++) {
        struct change_keys keys;
        code = weir_jobs_apply(r, node, weir_job_change_params, NULL, "weights", &keys);
        if (code == 0)
            code = need(r, node, required, "weights", "for example weights: [{at: 5 ms, weight: 2}]");
        if (code == 0)
            code = read_weight(r, node, "weight", keys.weight, &flow->change[i].weight_q20);
        flow->change[i].at_ps = code == 0 ? keys.at_ps : 0;
    }
    return code;
}

static const char *keep(const struct weir_jobs_reader *r, const char *text)
{
    return weir_tree_arena_text(r->arena, text, strlen(text));
}

/* Reads a flow into job->flow, except for its key `after`, which may name flows that come later. */
static int read_flow(const struct weir_jobs_reader *r, const struct weir_tree *node, struct weir_job_read *job)
{
    static const char *const required[] = { "name", "from", "to", "size", NULL }, *const more[] = { "after", "weights",
                                                                                                    NULL };
    struct weir_job_read_flow *flow = &job->flow[job->flow_count];
    struct weir_job_flow_keys keys;
    char where[LABEL];
    (void)snprintf(where, sizeof(where), "%s: flows[%u]", job->keys.name, job->flow_count);
    int code = weir_jobs_apply(r, node, weir_job_flow_params, more, where, &keys);
    if (code == 0)
        code = need(r, node, required, where, "for example {name: f1, from: 0, to: 1, size: 10 MB}");
    if (code == 0)
        code = read_end(r, node, "from", keys.from, job, &flow->from);
    if (code == 0)
        code = read_end(r, node, "to", keys.to, job, &flow->to);
    if (code == 0)
        code = read_weight(r, node, "weight", keys.weight, &flow->weight_q20);
    if (code == 0)
        code = read_changes(r, weir_tree_find(node, "weights"), flow);
    if (code != 0)
        return code;
    const char *coflow = keep(r, keys.coflow[0] != '\0' ? keys.coflow : job->keys.name);
    flow->node = node;
    flow->name = keep(r, keys.name);
    flow->bytes = keys.bytes;
    flow->delay_ps = keys.delay_ps;
    if (flow->name == NULL || coflow == NULL)
        return weir_jobs_no_memory(r);
    for (uint32_t i = 0; i < job->flow_count; i++)
        if (strcmp(job->flow[i].name, flow->name) == 0)
            return weir_fail(r->err, WEIR_E_CONFLICT, &weir_tree_find(node, "name")->at, NULL,
                             "%s: there is a flow '%s' already", where, flow->name);
    flow->coflow = coflow_of(job, coflow);
    job->flow_count++;
    return 0;
}

/* Sets *number to the index of the flow that the node names. @return 0, or a code with err */
static int find_flow(const struct weir_jobs_reader *r, const struct weir_job_read *job, const struct weir_tree *name,
                     uint32_t *number)
{
    struct weir_suggest near;
    char hint[HINT];
    if (name->kind != WEIR_TREE_VALUE)
        return weir_keys_fail_kind(name, "after", "a flow's name", r->err);
    for (uint32_t i = 0; i < job->flow_count; i++)
        if (strcmp(job->flow[i].name, name->at.text) == 0) {
            *number = i;
            return 0;
        }
    weir_suggest_init(&near, name->at.text);
    for (uint32_t i = 0; i < job->flow_count; i++)
        weir_suggest_add(&near, job->flow[i].name);
    weir_suggest_hint(&near, hint, sizeof(hint));
    return weir_fail(r->err, WEIR_E_UNKNOWN, &name->at, hint, "after: the job '%s' has no flow '%.80s'", job->keys.name,
                     name->at.text);
}

/* Reads a flow's key `after`, a list of names of flows or one name, into flow->after. */
static int read_after(const struct weir_jobs_reader *r, struct weir_job_read *job, struct weir_job_read_flow *flow)
{
    const struct weir_tree *after = weir_tree_find(flow->node, "after"), *node;
    uint32_t *number;
    int code = 0;
    if (after == NULL || after->is_empty)
        return 0;
    if (after->kind == WEIR_TREE_MAP)
        return weir_keys_fail_kind(after, "after", "a list of flows", r->err);
    number = weir_tree_arena_take(r->arena, ((size_t)after->count + 1) * sizeof(*number));
    if (number == NULL)
        return weir_jobs_no_memory(r);
    flow->after = number;
    if (after->kind == WEIR_TREE_VALUE) {
        flow->after_count = 1;
        return find_flow(r, job, after, number);
    }
    for (node = after->first; code == 0 && node != NULL; node = node->next)
        code = find_flow(r, job, node, &number[flow->after_count++]);
    return code;
}

static int read_flows(const struct weir_jobs_reader *r, const struct weir_tree *list, struct weir_job_read *job)
{
    uint32_t count;
    int code = weir_jobs_count_list(r, list, "flows", &count);
    if (code != 0)
        return code;
    if (count == 0)
        return weir_fail(r->err, WEIR_E_SYNTAX, list != NULL ? &list->at : NULL,
                         "for example flows: [{name: f1, from: 0, to: 1, size: 10 MB}]", "%s: it has no flows",
                         job->keys.name);
    job->flow = weir_tree_arena_take(r->arena, count * sizeof(*job->flow));
    job->coflow_name = weir_tree_arena_take(r->arena, count * sizeof(*job->coflow_name));
    if (job->flow == NULL || job->coflow_name == NULL)
        return weir_jobs_no_memory(r);
    for (const struct weir_tree *node = list->first; code == 0 && node != NULL; node = node->next)
        code = read_flow(r, node, job);
    for (uint32_t i = 0; code == 0 && i < job->flow_count; i++)
        code = read_after(r, job, &job->flow[i]);
    return code;
}

/* --- the job --- */

/* Refuses a job's name that an earlier job of the list has. Refuses '#' in a name as well: copies of a job are called
 * name#1, name#2 and so on, and no other job may have such a name. */
static int check_name(const struct weir_jobs_reader *r, const struct weir_tree *list, const struct weir_tree *node,
                      const char *name)
{
    const struct weir_tok *tok = &weir_tree_find(node, "name")->at;
    if (strchr(name, '#') != NULL)
        return weir_fail(r->err, WEIR_E_SYNTAX, tok, NULL, "name = %s: '#' is kept for copies of a job", name);
    for (const struct weir_tree *other = list->first; other != node; other = other->next)
        if (strcmp(weir_tree_find(other, "name")->at.text, name) == 0)
            return weir_fail(r->err, WEIR_E_CONFLICT, tok, NULL, "there is a job '%s' already", name);
    return 0;
}

int weir_jobs_read_job(struct weir_jobs_reader *r, const struct weir_tree *list, const struct weir_tree *node,
                       uint32_t index)
{
    static const char *const required[] = { "name", "flows", NULL }, *const more[] = { "tasks", "flows", NULL };
    struct weir_job_read job = { 0 };
    char where[LABEL];
    (void)snprintf(where, sizeof(where), "jobs[%u]", index);
    int code = weir_jobs_apply(r, node, weir_job_params, more, where, &job.keys);
    if (code == 0)
        code =
            need(r, node, required, where, "for example {name: q1, flows: [{name: f1, from: 0, to: 1, size: 10 MB}]}");
    if (code == 0)
        code = check_name(r, list, node, job.keys.name);
    if (code == 0)
        code = read_weight(r, node, "sum", job.keys.sum, &job.sum_q20);
    if (code == 0)
        code = read_tasks(r, weir_tree_find(node, "tasks"), &job);
    if (code == 0)
        code = read_flows(r, weir_tree_find(node, "flows"), &job);
    if (code == 0)
        code = weir_jobs_build(r, &job);
    /* at most three times WEIR_TRAFFIC_TIME_MAX: weir_jobs_build() refuses starts after twice that time */
    r->start_ps += r->apart_ps;
    return code;
}
