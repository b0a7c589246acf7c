/* src/scenario/config/jobs_read.h - one job of a file as it was read, before its tasks are assigned to hosts. For
 * jobs_file.c, jobs_read.c, jobs_build.c and jobs_cm.c only. */
#ifndef WEIR_CONFIG_JOBS_READ_H
#define WEIR_CONFIG_JOBS_READ_H
#include "config/jobs_file.h"
#include "config/tree.h"

enum { WEIR_JOB_NAME = 64, WEIR_JOB_WEIGHT = 32 }; /* bytes of a name and of a weight as text, with the NUL */

struct weir_job_keys { /* values of weir_job_params */
    char name[WEIR_JOB_NAME], sum[WEIR_JOB_WEIGHT];
    uint64_t start_ps, period_ps;
    uint32_t policy, repeat, arrival; /* policy: 0 = the file's; arrival: 0 period, 1 poisson */
};

struct weir_job_flow_keys { /* values of weir_job_flow_params */
    char name[WEIR_JOB_NAME], from[WEIR_JOB_NAME], to[WEIR_JOB_NAME], coflow[WEIR_JOB_NAME], weight[WEIR_JOB_WEIGHT];
    uint64_t bytes, delay_ps;
};

struct weir_job_task { /* a task of a job: a name for a host */
    const char *name;
    uint32_t fixed; /* the host that the file names, or WEIR_TASK_RANDOM */
    uint32_t host;  /* its host in the copy that is being built */
};
#define WEIR_TASK_RANDOM UINT32_MAX

struct weir_job_end { /* sender or receiver of a flow */
    uint32_t task;    /* index of the task in the job; UINT32_MAX = `host` counts */
    uint32_t host;
};

struct weir_job_read_flow { /* a flow of a job as it was read */
    const char *name;
    const struct weir_tree *node;
    struct weir_job_end from, to;
    uint64_t bytes, delay_ps, weight_q20;
    uint32_t coflow;                /* index into coflow_name */
    const uint32_t *after;          /* after_count indices of flows of the job, for which this flow waits */
    struct weir_job_change *change; /* change_count changes of the weight; at_ps counts from the job's start */
    uint32_t after_count, change_count;
};

struct weir_job_read { /* a job as it was read; the arrays lie in the arena */
    struct weir_job_keys keys;
    uint64_t sum_q20;
    struct weir_job_task *task;
    struct weir_job_read_flow *flow;
    const char **coflow_name;
    uint32_t task_count, flow_count, coflow_count;
};

struct weir_jobs_reader { /* state while all files of jobs are read */
    struct weir_jobs *jobs;
    struct weir_tree_arena *arena;
    const struct weir_workload_limits *limits;
    struct weir_tok *where; /* position of each flow so far; the array doubles at powers of two */
    uint32_t *last_copy;    /* per host: number, from 1, of the last copy of a job that has a task there; 0 = none */
    uint32_t copies;        /* copies of jobs built so far */
    struct weir_err *err;
    /* the rest is about the file that is being read */
    uint32_t item;
    uint64_t start_ps;    /* the item's start, plus apart_ps for each job of the file before this one */
    uint64_t apart_ps;    /* the item's key `apart` */
    uint32_t policy;      /* enum weir_job_policy, for jobs that name no policy */
    uint32_t policy_said; /* the item's key `policy`, for all jobs: 1 + enum weir_job_policy; 0 = not given */
};

/* Names of policies, ended by NULL. Index 0: not given; index i: policy i - 1 of enum weir_job_policy. */
extern const char *const weir_job_policies[];

int weir_jobs_no_memory(const struct weir_jobs_reader *r);

/* Sets every field of the rows to its default, then the keys that are in the map. more, where: as for
 * weir_keys_apply(). @return 0, or a code with err */
int weir_jobs_apply(const struct weir_jobs_reader *r, const struct weir_tree *map, const struct weir_param *rows,
                    const char *const *more, const char *where, void *config);

/* Sets *count to the number of entries of a list; 0 if list is NULL or empty. what: the key, for the message. @return
 * 0, or WEIR_E_SYNTAX with err if the node is no list */
int weir_jobs_count_list(const struct weir_jobs_reader *r, const struct weir_tree *list, const char *what,
                         uint32_t *count);

/* Reads the job `node`, entry number index of the list, and adds it with its copies to r->jobs. Adds apart_ps to
 * r->start_ps, for the next job. @return 0, or a code with err */
int weir_jobs_read_job(struct weir_jobs_reader *r, const struct weir_tree *list, const struct weir_tree *node,
                       uint32_t index);

/* Stores the position of flow n in r->where. Must be called once for each flow, in order, n = 0, 1, 2 and so on.
 * @return 0, or WEIR_E_MEMORY with err */
int weir_jobs_keep_position(struct weir_jobs_reader *r, uint32_t n, const struct weir_tok *at);

/* Reads htsim's connection matrix from text, the file of item r->item, and adds it to r->jobs as one job. @return 0, or
 * a code with err */
int weir_jobs_read_cm(struct weir_jobs_reader *r, const struct weir_traffic_config *item, const char *text);

/* Adds every copy of a job (`repeat` in number) to r->jobs, and assigns its tasks to hosts for each copy. @return 0, or
 * a code with err */
int weir_jobs_build(struct weir_jobs_reader *r, struct weir_job_read *job);
#endif
