/* src/commands/testbed/testbed.h - hosts in network namespaces of this machine, and this same program run on them, for
 * `weir reproduce sird-testbed`. The namespaces are made and removed by experiments/sird-testbed/testbed, which
 * is in the binary too. */
#ifndef WEIR_TESTBED_TESTBED_H
#define WEIR_TESTBED_TESTBED_H
#include "reproduce/sweep_dir.h"
#include <sys/types.h>

#define WEIR_TESTBED_JOBS_MAX 32u

struct weir_testbed_job { /* a command on a host */
    pid_t pid;            /* 0 = ended, or none */
    int status;           /* of waitpid() */
    uint32_t host;
    char out[WEIR_SWEEP_DIR_MAX + 16], complained[WEIR_SWEEP_DIR_MAX + 16]; /* files: stdout, stderr */
};

struct weir_testbed {
    struct weir_origin origin;
    struct weir_sweep_dir dir;
    struct weir_testbed_job job[WEIR_TESTBED_JOBS_MAX];
    uint32_t job_count;
    char name[16];
    bool is_up;
};

/**
 * Builds it. From here to weir_testbed_down() SIGINT, SIGTERM and SIGHUP wait (weir_testbed_wait() asks for them).
 * @param options  of `testbed up`, NULL-terminated, without --name
 * @return 0, or a code with err: nothing is left then
 */
int weir_testbed_up(struct weir_testbed *tb, struct weir_tree_arena *arena, const char *const *options,
                    struct weir_err *err);

/* Ends what runs on it and removes it. Harmless when it is not up. */
void weir_testbed_down(struct weir_testbed *tb);

/**
 * Starts `weir ARGV..` on a host.
 * @param args  NULL-terminated, from the command's name on
 * @return the job's number, or -1 with err
 */
int weir_testbed_start(struct weir_testbed *tb, uint32_t host, const char *const *args, struct weir_err *err);

/* Waits until a job has printed its first line on stderr: a server is ready then. @return 0, or a code with err: it
 * ended instead */
int weir_testbed_ready(struct weir_testbed *tb, int number, struct weir_err *err);

/* Asks a job to end (SIGTERM). */
void weir_testbed_stop(struct weir_testbed *tb, int number);

/**
 * Waits for a job to end.
 * @param text  what it printed; good as long as the arena
 * @return 0, or a code with err: it failed, or a signal wants this command to end
 */
int weir_testbed_wait(struct weir_testbed *tb, int number, struct weir_tree_arena *arena, const char **text,
                      struct weir_err *err);

/* Forgets all jobs so far, which must have ended. */
void weir_testbed_clear(struct weir_testbed *tb);

/* Reads a number in a JSON text: json_path as SQLite writes it, "$.rtt_us.p50". Returns 0, or a code with err: it is
 * not there. */
int weir_json_number(const char *json, const char *json_path, double *value, struct weir_err *err);

/* Computes the mean of a column of a series that `weir load` wrote, from from_s of its time on. Returns 0, or a code
 * with err. */
int weir_csv_mean(const char *path, const char *column, double from_s, double *mean, struct weir_err *err);
#endif
