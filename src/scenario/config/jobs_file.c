/* src/scenario/config/jobs_file.c - reads files of jobs with the keys at their top, and the traffic items that name
 * these files. jobs_read.c reads the jobs themselves. */
#include "config/jobs_file.h"
#include "config/jobs_read.h"
#include "config/yaml.h"
#include "param/suggest.h"
#include "workload/cm.h"
#include "workload/foreign.h"
#include "workload/pairs.h"
#include "workload/plan.h"
#include "workload/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HINT = 512 };

struct top_keys { /* keys at the top of a file of jobs */
    uint64_t notify_ps, tick_ps;
    uint32_t policy;
};

static const struct weir_keyword not_said = { "none", 0 };

const struct weir_param weir_jobs_params[] = {
    WEIR_PARAM_NAMED(
        "notify", struct top_keys, notify_ps, WEIR_KIND_TIME, 0, WEIR_PS_PER_S, 0,
        "a flow that ends at one host starts those behind it at another so much later, and never earlier than "
        "the shortest link allows"),
    WEIR_PARAM_KEYWORD("tick", struct top_keys, tick_ps, WEIR_KIND_TIME, WEIR_PS_PER_NS, WEIR_TRAFFIC_TIME_MAX, 0,
                       &not_said, "between steps of the policies that read progress, which need it"),
    WEIR_PARAM_CHOICE("policy", struct top_keys, policy, weir_job_policies, 0,
                      "of the jobs that have none; as-said = given"),
    { 0 },
};

/* Sets *value_ps to the key notify or tick of a file. These keys hold for the whole run, so all files that give one
 * must give the same value. *value_ps is WEIR_NEVER if no file before gave the key. @return 0, or WEIR_E_CONFLICT with
 * err */
static int agree(const struct weir_jobs_reader *r, const struct weir_tree *root, const char *key, uint64_t said_ps,
                 uint64_t *value_ps)
{
    const struct weir_tree *node = weir_tree_find(root, key);
    if (node == NULL)
        return 0;
    if (*value_ps != WEIR_NEVER && *value_ps != said_ps)
        return weir_fail(r->err, WEIR_E_CONFLICT, &node->at, "it holds for the whole run",
                         "%s = %s: another file of jobs says something else", key, node->at.text);
    *value_ps = said_ps;
    return 0;
}

static int read_top(struct weir_jobs_reader *r, const struct weir_tree *root)
{
    static const char *const more[] = { "jobs", NULL };
    const struct weir_tree *list = weir_tree_find(root, "jobs");
    struct top_keys top;
    uint32_t count, index = 0;
    int code = weir_jobs_apply(r, root, weir_jobs_params, more, "jobs", &top);
    if (code == 0)
        code = agree(r, root, "notify", top.notify_ps, &r->jobs->notify_ps);
    if (code == 0)
        code = agree(r, root, "tick", top.tick_ps, &r->jobs->tick_ps);
    if (code == 0)
        code = weir_jobs_count_list(r, list, "jobs", &count);
    if (code != 0)
        return code;
    if (count == 0)
        return weir_fail(r->err, WEIR_E_SYNTAX, &root->at, "doc/jobs.md shows a job", "there is no job in it");
    r->policy = top.policy != 0 ? top.policy - 1 : WEIR_POLICY_GIVEN;
    for (const struct weir_tree *node = list->first; code == 0 && node != NULL; node = node->next)
        code = weir_jobs_read_job(r, list, node, index++);
    return code;
}

/* Sets r->policy_said from the item's key `policy`, which overrides the policies in the file. name "" = the item has
 * none. @return 0, or WEIR_E_UNKNOWN with err */
static int find_policy(struct weir_jobs_reader *r, const char *name)
{
    struct weir_suggest near;
    char hint[HINT];
    r->policy_said = 0;
    if (name[0] == '\0')
        return 0;
    weir_suggest_init(&near, name);
    for (uint32_t i = 1; weir_job_policies[i] != NULL; i++) {
        if (strcmp(weir_job_policies[i], name) == 0)
            r->policy_said = i;
        weir_suggest_add(&near, weir_job_policies[i]);
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    return r->policy_said != 0 ? 0 : weir_fail(r->err, WEIR_E_UNKNOWN, NULL, hint, "policy = %s: no such policy", name);
}

static int read_text(struct weir_jobs_reader *r, const struct weir_traffic_config *item, const char *text)
{
    struct weir_tree *root;
    int code;
    if (weir_cm_is(text))
        return weir_jobs_read_cm(r, item, text);
    if (item->start_unit != WEIR_START_UNIT_NONE)
        return weir_fail(r->err, WEIR_E_CONFLICT, NULL, "times in a file of jobs have units",
                         "start_unit is for htsim's connection matrix");
    code = weir_yaml_read(r->arena, item->file, text, strlen(text), WEIR_TREE_CHILDREN_MAX, &root, r->err);
    return code != 0 ? code : read_top(r, root);
}

static int read_item(struct weir_jobs_reader *r, const struct weir_traffic_config *item, uint32_t index)
{
    char *text;
    if (item->file[0] == '\0')
        return weir_fail(r->err, WEIR_E_SYNTAX, NULL, NULL, "file is missing: a jobs item needs it");
    r->item = index;
    r->start_ps = item->start_ps;
    r->apart_ps = item->apart_ps;
    int code = find_policy(r, item->policy);
    if (code == 0)
        code = weir_text_read(item->file, r->limits->base_dir, &text, r->err);
    if (code != 0)
        return code;
    code = weir_foreign_name(read_text(r, item, text), item->file, text, WEIR_FOREIGN_NONE, r->err);
    free(text);
    return code;
}

/* Adds the flows of a traffic item of kind pairs; the position of each is the item's. where: may be NULL */
static int read_pairs(struct weir_jobs_reader *r, const struct weir_traffic_config *item, uint32_t index,
                      const struct weir_tok *where)
{
    uint32_t first = r->jobs->flow_count;
    int code = weir_pairs_add(r->jobs, item, index, r->limits, r->err);
    for (uint32_t f = first; code == 0 && f < r->jobs->flow_count; f++)
        code = weir_jobs_keep_position(r, f, where != NULL ? where : &(struct weir_tok){ 0 });
    return code;
}

/* Sets the position of r->err to where, the position of a traffic item, if code is an error and r->err has no position
 * or code is WEIR_E_FILE. where NULL = leaves r->err as it is. @return code, unchanged */
static int blame_item(const struct weir_jobs_reader *r, const struct weir_tok *where, int code)
{
    if (code != 0 && where != NULL && where->file != NULL && (r->err->file[0] == '\0' || code == WEIR_E_FILE)) {
        (void)snprintf(r->err->file, sizeof(r->err->file), "%s", where->file);
        r->err->line = where->line;
        r->err->col = where->col;
    }
    return code;
}

static void settle(struct weir_jobs *jobs)
{
    jobs->notify_ps = jobs->notify_ps == WEIR_NEVER ? 0 : jobs->notify_ps;
    jobs->tick_ps = jobs->tick_ps == WEIR_NEVER ? 0 : jobs->tick_ps;
}

int weir_jobs_load(struct weir_jobs *jobs, const struct weir_traffic_config *item, uint32_t item_count,
                   const struct weir_workload_limits *limits, const struct weir_tok *where, struct weir_err *err)
{
    struct weir_jobs_reader r = { .jobs = jobs, .limits = limits, .err = err };
    /* at: the item that is being read; of_jobs: the last item of kind jobs, where errors about ticks point */
    const struct weir_tok *at = NULL, *of_jobs = NULL;
    int code = 0;
    *jobs = (struct weir_jobs){ .notify_ps = WEIR_NEVER, .tick_ps = WEIR_NEVER };
    r.arena = weir_tree_arena_new();
    r.last_copy = calloc((size_t)limits->hosts + 1, sizeof(*r.last_copy));
    if (r.arena == NULL || r.last_copy == NULL)
        code = weir_jobs_no_memory(&r);
    for (uint32_t i = 0; code == 0 && i < item_count; i++) {
        at = where != NULL ? &where[i] : NULL;
        if (item[i].kind == WEIR_TRAFFIC_JOBS) {
            of_jobs = at;
            code = read_item(&r, &item[i], i);
        } else if (item[i].kind == WEIR_TRAFFIC_PAIRS) {
            code = read_pairs(&r, &item[i], i, at);
        }
    }
    code = blame_item(&r, at, code);
    settle(jobs);
    if (code == 0)
        code = blame_item(&r, of_jobs != NULL ? of_jobs : at, weir_jobs_finish(jobs, limits->hosts, r.where, err));
    free(r.where);
    free(r.last_copy);
    weir_tree_arena_free(r.arena);
    if (code != 0)
        weir_jobs_free(jobs);
    return code;
}
