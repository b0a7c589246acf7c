/* src/commands/testbed/testbed.h - a testbed for `weir reproduce sird-testbed` and the like: hosts in network
 * namespaces of this machine, on which this program runs. The script tools/testbed, which the binary contains,
 * makes and removes the namespaces. */
#ifndef WEIR_TESTBED_TESTBED_H
#define WEIR_TESTBED_TESTBED_H
#include "reproduce/sweep_dir.h"
#include "testbed/guard.h"
#include <sys/types.h>

#define WEIR_TESTBED_JOBS_MAX 32u
#define WEIR_TESTBED_SWITCH 0u  /* number of the switch; hosts are 1 .. */
#define WEIR_TESTBED_LEFT 1001u /* of a dumbbell's switches */
#define WEIR_TESTBED_RIGHT 1002u
#define WEIR_TESTBED_WIRE 1003u    /* where the delay lines are */
#define WEIR_TESTBED_FILE "@/file" /* in options: the name of weir_testbed_file() */

struct weir_testbed_job { /* a command that runs on a host of the testbed */
    pid_t pid;            /* 0 = the command has ended */
    int status;           /* from waitpid(), valid once the command has ended */
    uint32_t host;
    char out[WEIR_SWEEP_DIR_MAX + 16], complained[WEIR_SWEEP_DIR_MAX + 16]; /* names of files: out has its stdout,
                                                                               complained its stderr */
};

struct weir_testbed {
    struct weir_origin origin;
    struct weir_sweep_dir dir;
    struct weir_guard guard; /* removes the testbed after a crash */
    struct weir_testbed_job job[WEIR_TESTBED_JOBS_MAX];
    uint32_t job_count;
    char name[16];
    bool is_up;
};

/**
 * Builds the testbed. From here to weir_testbed_down() SIGINT, SIGTERM and SIGHUP are blocked; weir_testbed_ready() and
 * weir_testbed_wait() test for them.
 * @param options  options of `testbed up`, NULL-terminated, without --name; WEIR_TESTBED_FILE may be among them
 * @return 0, or a code with err; then nothing is left
 */
int weir_testbed_up(struct weir_testbed *tb, struct weir_tree_arena *arena, const char *const *options,
                    struct weir_err *err);

/* Writes the name of a file that the testbed's programs may write. weir_testbed_down() deletes it. */
void weir_testbed_file(const struct weir_testbed *tb, char *out, size_t size);

/* Ends all jobs and removes the testbed. Does nothing if the testbed is not up. */
void weir_testbed_down(struct weir_testbed *tb);

/**
 * Starts `weir ARGS..` on a host, or where host says: WEIR_TESTBED_SWITCH and the like.
 * @param args  NULL-terminated, from the command's name on
 * @return the number of the job, or -1 with err
 */
int weir_testbed_start(struct weir_testbed *tb, uint32_t host, const char *const *args, struct weir_err *err);

/* Makes a socket in the network namespace of a host, or where host says. type: SOCK_STREAM, ..; the socket is closed by
 * exec. @return a descriptor, or -1 with errno */
int weir_testbed_socket(const struct weir_testbed *tb, uint32_t host, int domain, int type);

/* Waits until a job has printed a line on stderr: then a server is ready. @return 0, or a code with err: the job ended
 * before that, 10 s have passed, or a signal has come */
int weir_testbed_ready(struct weir_testbed *tb, int number, struct weir_err *err);

/* Sends SIGTERM to a job that has not ended. */
void weir_testbed_stop(struct weir_testbed *tb, int number);

/**
 * Waits for a job to end.
 * @param text  set to its stdout, which is in the arena
 * @return 0, or a code with err: the job failed, there is no memory, or a signal has come
 */
int weir_testbed_wait(struct weir_testbed *tb, int number, struct weir_tree_arena *arena, const char **text,
                      struct weir_err *err);

/* Tests whether a signal has come. @return 0, or a code with err: it has */
int weir_testbed_interrupted(const struct weir_testbed *tb, struct weir_err *err);

/* Waits. @return 0, or a code with err: a signal has come */
int weir_testbed_rest(const struct weir_testbed *tb, uint32_t ms, struct weir_err *err);

/* Forgets all jobs and removes their files. All jobs must have ended. */
void weir_testbed_clear(struct weir_testbed *tb);

/* Reads a number from a JSON text. json_path: as in SQLite, "$.rtt_us.p50". @return 0, or WEIR_E_RUN with err if there
 * is no such number */
int weir_json_number(const char *json, const char *json_path, double *value, struct weir_err *err);

/* Reads a number of a link from what `weir switch status --json` printed of a switch in user space. link: its name,
 * "switch 0 > host 1"; of_link: "$.bytes". @return 0, or WEIR_E_RUN with err if there is no such number */
int weir_json_link(const char *json, const char *link, const char *of_link, double *value, struct weir_err *err);

/* Adds up a number of each element of a list: list_path "$.ports", of_element "$.marks". @return 0, or WEIR_E_RUN with
 * err if no element has it */
int weir_json_sum(const char *json, const char *list_path, const char *of_element, double *sum, struct weir_err *err);

/* Computes a percentile of what was counted between two JSON texts: lists of {below_ns, frames}, ascending, of which
 * the later one has no less. json_path: of the list in both; permille: 990 = p99. @return 0, or WEIR_E_RUN with err:
 * there is no such list, or nothing was counted */
int weir_json_percentile_ns(const char *before, const char *after, const char *json_path, uint32_t permille,
                            double *value_ns, struct weir_err *err);

/* Computes the mean of a column in a series file of `weir load --series`, over the rows from time from_s on. @return 0,
 * or WEIR_E_FILE with err: the file cannot be read, or has no such column or row */
int weir_csv_mean(const char *path, const char *column, double from_s, double *mean, struct weir_err *err);
#endif
