/* src/scenario/workload/jobs.c - builds and frees jobs. An array doubles whenever its count is a power of two, so its
 * capacity need not be stored. */
#include "core/math.h"
#include "workload/jobs_internal.h"
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 64 * 1024 };

struct weir_jobs_text { /* a block of names, one behind the other; full blocks are linked by `before` */
    struct weir_jobs_text *before;
    size_t used, room;
    char text[];
};

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for jobs");
}

/* Returns the array, possibly moved, with memory for one more entry behind `count` entries. @return NULL = no memory;
 * then array stays valid */
static void *grow(void *array, uint32_t count, size_t size)
{
    size_t room = count == 0 ? 1 : 2 * (size_t)count; /* 2^27 entries at most */
    return (count & (count - 1)) != 0 ? array : realloc(array, room * size);
}

static const char *keep_text(struct weir_jobs *jobs, const char *text)
{
    size_t length = strlen(text) + 1;
    struct weir_jobs_text *block = jobs->text;
    if (block == NULL || block->room - block->used < length) {
        size_t room = length > TEXT_BYTES ? length : TEXT_BYTES;
        block = malloc(sizeof(*block) + room);
        if (block == NULL)
            return NULL;
        *block = (struct weir_jobs_text){ .before = jobs->text, .room = room };
        jobs->text = block;
    }
    memcpy(block->text + block->used, text, length);
    block->used += length;
    return block->text + block->used - length;
}

int weir_jobs_add(struct weir_jobs *jobs, const struct weir_job *job, struct weir_err *err)
{
    const char *name = keep_text(jobs, job->name);
    struct weir_job *array = grow(jobs->job, jobs->job_count, sizeof(*array));
    if (array != NULL)
        jobs->job = array;
    if (name == NULL || array == NULL)
        return no_memory(err);
    array[jobs->job_count] = *job;
    array[jobs->job_count].name = name;
    array[jobs->job_count].first = jobs->flow_count;
    array[jobs->job_count++].count = 0;
    return 0;
}

int weir_jobs_add_coflow(struct weir_jobs *jobs, const char *name, struct weir_err *err)
{
    const char *copy = keep_text(jobs, name);
    struct weir_coflow *array = grow(jobs->coflow, jobs->coflow_count, sizeof(*array));
    if (array != NULL)
        jobs->coflow = array;
    if (copy == NULL || array == NULL)
        return no_memory(err);
    array[jobs->coflow_count++] = (struct weir_coflow){ .job = jobs->job_count - 1, .first = UINT32_MAX, .name = copy };
    return 0;
}

int weir_jobs_add_flow(struct weir_jobs *jobs, const struct weir_job_flow *flow, const char *name, struct weir_err *err)
{
    const char *copy = keep_text(jobs, name);
    uint32_t count = jobs->flow_count;
    struct weir_job_flow *array;
    const char **names;
    if (count == WEIR_JOB_FLOWS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "jobs: more than %u flows", WEIR_JOB_FLOWS_MAX);
    if ((array = grow(jobs->flow, count, sizeof(*array))) != NULL)
        jobs->flow = array;
    if ((names = grow(jobs->flow_name, count, sizeof(*names))) != NULL)
        jobs->flow_name = names;
    if (copy == NULL || array == NULL || names == NULL)
        return no_memory(err);
    names[count] = copy;
    array[count] = *flow;
    array[count].job = jobs->job_count - 1;
    array[count].after_first = jobs->edge_count;
    array[count].change_first = jobs->change_count;
    array[count].after_count = array[count].change_count = 0;
    jobs->job[jobs->job_count - 1].count++;
    jobs->flow_count++;
    return 0;
}

int weir_jobs_add_after(struct weir_jobs *jobs, uint32_t flow, struct weir_err *err)
{
    uint32_t *array;
    if (jobs->edge_count == WEIR_JOB_EDGES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "jobs: flows wait for more than %u others in all",
                         WEIR_JOB_EDGES_MAX);
    array = grow(jobs->edge, jobs->edge_count, sizeof(*array));
    if (array == NULL)
        return no_memory(err);
    jobs->edge = array;
    array[jobs->edge_count++] = flow;
    jobs->flow[jobs->flow_count - 1].after_count++;
    return 0;
}

int weir_jobs_add_change(struct weir_jobs *jobs, const struct weir_job_change *change, struct weir_err *err)
{
    struct weir_job_change *array;
    if (jobs->change_count == WEIR_JOB_EDGES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "jobs: more than %u changes of weights", WEIR_JOB_EDGES_MAX);
    array = grow(jobs->change, jobs->change_count, sizeof(*array));
    if (array == NULL)
        return no_memory(err);
    jobs->change = array;
    array[jobs->change_count++] = *change;
    jobs->flow[jobs->flow_count - 1].change_count++;
    return 0;
}

/* Appends all edges in the reverse direction, and sets before_first and before_count of each flow, in the order of the
 * flows that wait. @return 0, or WEIR_E_MEMORY with err */
static int draw_back(struct weir_jobs *jobs, struct weir_err *err)
{
    uint32_t forth = jobs->edge_count, next = forth;
    uint32_t *edge = realloc(jobs->edge, (2 * (size_t)forth + 1) * sizeof(*edge)); /* + 1: never of size 0 */
    if (edge == NULL)
        return no_memory(err);
    jobs->edge = edge;
    for (uint32_t i = 0; i < forth; i++)
        jobs->flow[edge[i]].before_count++;
    for (uint32_t f = 0; f < jobs->flow_count; f++) {
        jobs->flow[f].before_first = next;
        next += jobs->flow[f].before_count;
        jobs->flow[f].before_count = 0;
    }
    for (uint32_t f = 0; f < jobs->flow_count; f++)
        for (uint32_t i = 0; i < jobs->flow[f].after_count; i++) {
            struct weir_job_flow *before = &jobs->flow[edge[jobs->flow[f].after_first + i]];
            edge[before->before_first + before->before_count++] = f;
        }
    jobs->edge_count = 2 * forth;
    return 0;
}

/* Links the flows of each coflow to a chain, in the order of their indices. */
static void chain_coflows(struct weir_jobs *jobs)
{
    for (uint32_t f = jobs->flow_count; f-- > 0;) {
        struct weir_coflow *coflow = &jobs->coflow[jobs->flow[f].coflow];
        jobs->flow[f].coflow_next = coflow->first;
        coflow->first = f;
        coflow->count++;
    }
}

static void find_starts(struct weir_jobs *jobs)
{
    for (uint32_t j = 0; j < jobs->job_count; j++) {
        struct weir_job *job = &jobs->job[j];
        job->start_ps = WEIR_NEVER;
        for (uint32_t f = job->first; f < job->first + job->count; f++)
            if (jobs->flow[f].after_count == 0)
                job->start_ps = weir_min_u64(job->start_ps, jobs->flow[f].start_ps);
    }
}

/* Sets tick_ps to 0 if no policy uses progress, so that the run does not stop for ticks. */
static void drop_idle_tick(struct weir_jobs *jobs)
{
    for (uint32_t j = 0; j < jobs->job_count; j++)
        if (weir_policy_ticks(jobs->job[j].policy))
            return;
    jobs->tick_ps = 0;
}

int weir_jobs_finish(struct weir_jobs *jobs, uint32_t hosts, const struct weir_tok *where, struct weir_err *err)
{
    int code = weir_jobs_check(jobs, hosts, where, err);
    if (code == 0)
        code = draw_back(jobs, err);
    if (code != 0)
        return code;
    uint32_t *order = calloc(2 * (size_t)jobs->flow_count, sizeof(*order)); /* never of size 0: there is a flow */
    if (order == NULL)
        return no_memory(err);
    code = weir_jobs_order(jobs, order, where, err);
    if (code == 0) {
        chain_coflows(jobs);
        find_starts(jobs);
        drop_idle_tick(jobs);
        weir_jobs_set_weights(jobs, order, order + jobs->flow_count);
    }
    free(order);
    return code;
}

bool weir_jobs_weighted(const struct weir_jobs *jobs)
{
    bool weighted = jobs->change_count > 0 || jobs->tick_ps > 0;
    for (uint32_t f = 0; f < jobs->flow_count && !weighted; f++)
        weighted = jobs->flow[f].weight_q20 != WEIR_WEIGHT_ONE;
    return weighted;
}

void weir_jobs_free(struct weir_jobs *jobs)
{
    while (jobs->text != NULL) {
        struct weir_jobs_text *before = jobs->text->before;
        free(jobs->text);
        jobs->text = before;
    }
    free(jobs->flow);
    free(jobs->job);
    free(jobs->coflow);
    free(jobs->change);
    free(jobs->edge);
    free(jobs->flow_name);
    *jobs = (struct weir_jobs){ 0 };
}
