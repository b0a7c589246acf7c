/* src/scenario/config/jobs_read.h - one job of a file as it was read, before its tasks have hosts; for jobs_file.c,
 * jobs_read.c, jobs_build.c and jobs_cm.c only. */
#ifndef WEIR_CONFIG_JOBS_READ_H
#define WEIR_CONFIG_JOBS_READ_H
#include "config/jobs_file.h"
#include "config/tree.h"

enum { WEIR_JOB_NAME = 64, WEIR_JOB_WEIGHT = 32 }; /* bytes, with the NUL */

struct weir_job_keys { /* the rows of a job */
    char name[WEIR_JOB_NAME], sum[WEIR_JOB_WEIGHT];
    uint64_t start_ps, period_ps;
    uint32_t policy, repeat, arrival; /* policy: 0 = the file's; arrival: 0 period, 1 poisson */
};

struct weir_job_flow_keys {
    char name[WEIR_JOB_NAME], from[WEIR_JOB_NAME], to[WEIR_JOB_NAME], coflow[WEIR_JOB_NAME], weight[WEIR_JOB_WEIGHT];
    uint64_t bytes, delay_ps;
};

struct weir_job_task {
    const char *name;
    uint32_t fixed; /* host, or WEIR_TASK_RANDOM */
    uint32_t host;  /* of the copy at hand */
};
#define WEIR_TASK_RANDOM UINT32_MAX

struct weir_job_end { /* of a flow */
    uint32_t task;    /* number of the task, or UINT32_MAX: then it is the host */
    uint32_t host;
};

struct weir_job_read_flow {
    const char *name;
    const struct weir_tree *node;
    struct weir_job_end from, to;
    uint64_t bytes, delay_ps, weight_q20;
    uint32_t coflow;                /* into coflow_name */
    const uint32_t *after;          /* numbers of flows of the job */
    struct weir_job_change *change; /* counted from the job's start */
    uint32_t after_count, change_count;
};

struct weir_job_read {
    struct weir_job_keys keys;
    uint64_t sum_q20;
    struct weir_job_task *task;
    struct weir_job_read_flow *flow;
    const char **coflow_name;
    uint32_t task_count, flow_count, coflow_count;
};

struct weir_jobs_reader { /* one reading of all files */
    struct weir_jobs *jobs;
    struct weir_tree_arena *arena;
    const struct weir_workload_limits *limits;
    struct weir_tok *where; /* of each flow so far; room doubles at powers of two */
    uint32_t *last_copy;    /* per host: 1 + the last copy of a job that has a task there */
    uint32_t copies;        /* of jobs, so far */
    struct weir_err *err;
    /* of the file at hand */
    uint32_t item;
    uint64_t start_ps;    /* the item's, and `apart_ps` for each job of the file before this one */
    uint64_t apart_ps;    /* the item's */
    uint32_t policy;      /* for jobs that give none */
    uint32_t policy_said; /* the item's: 1 + policy for all; 0 = as in the file */
};

extern const char *const weir_job_policies[]; /* 0 = not given, for jobs; the others are 1 + enum weir_job_policy */

int weir_jobs_no_memory(const struct weir_jobs_reader *r);

/* Sets the defaults of the rows, then what the map has. @return 0, or a code with err */
int weir_jobs_apply(const struct weir_jobs_reader *r, const struct weir_tree *map, const struct weir_param *rows,
                    const char *const *more, const char *where, void *config);

/* Counts the entries of a list; *count is 0 where it is left out. @return 0, or WEIR_E_SYNTAX with err */
int weir_jobs_count_list(const struct weir_jobs_reader *r, const struct weir_tree *list, const char *what,
                         uint32_t *count);

/* Reads the job `node` of a list, the index-th, and adds it with its copies. @return 0, or a code with err */
int weir_jobs_read_job(struct weir_jobs_reader *r, const struct weir_tree *list, const struct weir_tree *node,
                       uint32_t index);

/* Remembers the position of flow n; in their order. @return 0, or WEIR_E_MEMORY with err */
int weir_jobs_keep_position(struct weir_jobs_reader *r, uint32_t n, const struct weir_tok *at);

/* Adds htsim's connection matrix as one job. @param unit  enum weir_start_unit, of its starts @return 0, or a code with
 * err */
int weir_jobs_read_cm(struct weir_jobs_reader *r, const char *file, const char *text, uint32_t unit);

/* Adds the job, or its copies, with hosts for its tasks. @return 0, or a code with err */
int weir_jobs_build(struct weir_jobs_reader *r, struct weir_job_read *job);
#endif
