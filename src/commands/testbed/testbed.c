/* src/commands/testbed/testbed.c - see testbed.h. */
#define _GNU_SOURCE /* setns() */
#include "testbed/testbed.h"
#include "core/assert.h"
#include "text/clock.h"
#include "text/memory.h"
#include "text/spawn.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ARGS_MAX = 64, LINE = 512, STEP_NS = 5000000, READY_STEPS = 2000, WHERE = 16 };

static void step(void)
{
    (void)nanosleep(&(struct timespec){ .tv_nsec = STEP_NS }, NULL);
}

/* Copies the last line of a file that is not blank to `line`, cut to size: the reason of a failure, for a message. */
static void last_line(const char *path, char *line, size_t size)
{
    char text[LINE];
    FILE *file = fopen(path, "r");
    (void)snprintf(line, size, "it printed nothing");
    while (file != NULL && fgets(text, sizeof(text), file) != NULL)
        if (text[strspn(text, " \n")] != '\0')
            (void)snprintf(line, size, "%.*s", (int)strcspn(text, "\n"), text);
    if (file != NULL)
        (void)fclose(file);
}

/* --- the script --- */

/* Reads what the script printed. @return 0, or WEIR_E_RUN with err */
static int conclude(const struct weir_testbed *tb, bool done, struct weir_err *err)
{
    char out[WEIR_SWEEP_DIR_MAX + 16], line[LINE];
    (void)snprintf(out, sizeof(out), "%s/script", tb->dir.path);
    last_line(out, line, sizeof(line));
    (void)unlink(out);
    return done ? 0
                : weir_fail(err, WEIR_E_RUN, NULL, "it needs root, and Debian's packages iproute2 and ethtool",
                            "the testbed could not be built: %s", line);
}

static int build(struct weir_testbed *tb, const char *const *options, struct weir_err *err)
{
    const char *args[ARGS_MAX] = { NULL };
    char file[WEIR_SWEEP_DIR_MAX + 16];
    int status, code;
    weir_testbed_file(tb, file, sizeof(file));
    for (size_t i = 0; options[i] != NULL; i++) {
        WEIR_ASSERT(i < ARGS_MAX - 1);
        args[i] = strcmp(options[i], WEIR_TESTBED_FILE) == 0 ? file : options[i];
    }
    code = weir_guard_start(&tb->guard, tb->dir.path, tb->name, args, &tb->dir.outside, &status, err);
    if (code != 0)
        return code;
    code = conclude(tb, status == 0, err);
    if (code != 0)
        weir_guard_end(&tb->guard);
    return code;
}

/* Runs the script to remove the testbed. */
static void remove_all(const struct weir_testbed *tb)
{
    char path[WEIR_SWEEP_DIR_MAX + 16], out[WEIR_SWEEP_DIR_MAX + 16];
    const char *argv[] = { "sh", path, "down", "--name", tb->name, NULL };
    pid_t pid;
    (void)snprintf(path, sizeof(path), "%s/testbed", tb->dir.path);
    (void)snprintf(out, sizeof(out), "%s/script", tb->dir.path);
    if (weir_spawn(&pid, "sh", argv, out, out, &tb->dir.outside) == 0)
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    (void)unlink(out);
}

static void close_folder(struct weir_testbed *tb)
{
    char file[WEIR_SWEEP_DIR_MAX + 16];
    weir_testbed_file(tb, file, sizeof(file));
    (void)unlink(file);
    weir_sweep_dir_close(&tb->dir);
}

int weir_testbed_up(struct weir_testbed *tb, struct weir_tree_arena *arena, const char *const *options,
                    struct weir_err *err)
{
    char program[64];
    (void)snprintf(program, sizeof(program), "/proc/%u/exe", (unsigned)getpid());
    if (setenv("WEIR", program, 1) != 0)
        return weir_fail_memory(err);
    *tb = (struct weir_testbed){ .origin = { .id = "sird-testbed" } };
    int code = weir_sweep_dir_open(&tb->dir, &tb->origin, arena, err);
    if (code != 0)
        return code;
    (void)snprintf(tb->name, sizeof(tb->name), "w%u", (unsigned)getpid());
    code = build(tb, options, err);
    if (code != 0)
        close_folder(tb);
    tb->is_up = code == 0;
    return code;
}

void weir_testbed_file(const struct weir_testbed *tb, char *out, size_t size)
{
    (void)snprintf(out, size, "%s/file", tb->dir.path);
}

void weir_testbed_clear(struct weir_testbed *tb)
{
    for (uint32_t i = 0; i < tb->job_count; i++) {
        (void)unlink(tb->job[i].out);
        (void)unlink(tb->job[i].complained);
    }
    tb->job_count = 0;
}

void weir_testbed_down(struct weir_testbed *tb)
{
    if (!tb->is_up)
        return;
    if (weir_sweep_dir_signal(&tb->dir) != 0) /* which ends this process in weir_sweep_dir_close() */
        (void)fprintf(stderr, "weir: interrupted; the testbed is taken down, and what is in the result file is kept\n");
    remove_all(tb); /* the script also ends the jobs */
    for (uint32_t i = 0; i < tb->job_count; i++)
        if (tb->job[i].pid != 0)
            (void)waitpid(tb->job[i].pid, NULL, 0);
    weir_testbed_clear(tb);
    weir_guard_end(&tb->guard);
    close_folder(tb);
    tb->is_up = false;
}

/* --- jobs --- */

/* Writes how the namespace of a host, a switch or the delay lines ends. */
static void write_namespace(uint32_t host, char *out, size_t size)
{
    switch (host) {
    case WEIR_TESTBED_SWITCH:
        (void)snprintf(out, size, "switch");
        break;
    case WEIR_TESTBED_LEFT:
        (void)snprintf(out, size, "left");
        break;
    case WEIR_TESTBED_RIGHT:
        (void)snprintf(out, size, "right");
        break;
    case WEIR_TESTBED_WIRE:
        (void)snprintf(out, size, "wire");
        break;
    default:
        (void)snprintf(out, size, "%u", (unsigned)host);
    }
}

int weir_testbed_start(struct weir_testbed *tb, uint32_t host, const char *const *args, struct weir_err *err)
{
    char namespace[64], program[64], where[WHERE];
    const char *argv[ARGS_MAX] = { "nsenter", namespace, program }; /* `ip netns exec` hides cgroups and bpffs */
    size_t count = 3;
    int number = (int)tb->job_count, error;
    if (tb->job_count == WEIR_TESTBED_JOBS_MAX)
        return (void)weir_fail(err, WEIR_E_RANGE, NULL, NULL, "more than %u jobs", WEIR_TESTBED_JOBS_MAX), -1;
    struct weir_testbed_job *job = &tb->job[tb->job_count++];
    *job = (struct weir_testbed_job){ .host = host };
    write_namespace(host, where, sizeof(where));
    (void)snprintf(namespace, sizeof(namespace), "--net=/run/netns/%s-%s", tb->name, where);
    (void)snprintf(program, sizeof(program), "/proc/%u/exe", (unsigned)getpid());
    (void)snprintf(job->out, sizeof(job->out), "%s/%d.out", tb->dir.path, number);
    (void)snprintf(job->complained, sizeof(job->complained), "%s/%d.err", tb->dir.path, number);
    for (; *args != NULL && count < ARGS_MAX - 1; args++)
        argv[count++] = *args;
    error = weir_spawn(&job->pid, "nsenter", argv, job->out, job->complained, &tb->dir.outside);
    if (error == 0)
        return number;
    tb->job_count--;
    (void)weir_fail(err, WEIR_E_RUN, NULL, NULL, "a command cannot be started on host %s: %s", where, strerror(error));
    return -1;
}

int weir_testbed_socket(const struct weir_testbed *tb, uint32_t host, int domain, int type)
{
    char path[64], where[WHERE];
    int own = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC), other, made = -1, error;
    write_namespace(host, where, sizeof(where));
    (void)snprintf(path, sizeof(path), "/run/netns/%s-%s", tb->name, where);
    other = own >= 0 ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (other >= 0 && setns(other, CLONE_NEWNET) == 0) {
        made = socket(domain, type | SOCK_CLOEXEC, 0);
        error = errno;
        int back = setns(own, CLONE_NEWNET);
        WEIR_ASSERT(back == 0); /* else all that follows would be of the host */
        errno = error;
    }
    error = errno;
    if (other >= 0)
        (void)close(other);
    if (own >= 0)
        (void)close(own);
    errno = error;
    return made;
}

static int lost(const struct weir_testbed_job *job, struct weir_err *err)
{
    char line[LINE], where[WHERE];
    last_line(job->complained, line, sizeof(line));
    write_namespace(job->host, where, sizeof(where));
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "the command on host %s failed: %s", where, line);
}

static bool has_line(const char *path)
{
    char line[LINE];
    FILE *file = fopen(path, "r");
    bool found = file != NULL && fgets(line, sizeof(line), file) != NULL && strchr(line, '\n') != NULL;
    if (file != NULL)
        (void)fclose(file);
    return found;
}

/* Tests whether a job has ended; if so, sets its status and clears its pid. */
static bool has_ended(struct weir_testbed_job *job)
{
    if (job->pid != 0 && waitpid(job->pid, &job->status, WNOHANG) == job->pid)
        job->pid = 0;
    return job->pid == 0;
}

int weir_testbed_interrupted(const struct weir_testbed *tb, struct weir_err *err)
{
    if (weir_sweep_dir_signal(&tb->dir) == 0)
        return 0;
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "interrupted; the testbed is taken down");
}

int weir_testbed_rest(const struct weir_testbed *tb, uint32_t ms, struct weir_err *err)
{
    uint64_t until_ns = weir_wall_ns() + (uint64_t)ms * 1000000;
    int code = 0;
    while ((code = weir_testbed_interrupted(tb, err)) == 0 && weir_wall_ns() < until_ns)
        step();
    return code;
}

int weir_testbed_ready(struct weir_testbed *tb, int number, struct weir_err *err)
{
    struct weir_testbed_job *job = &tb->job[number];
    for (uint32_t i = 0; i < READY_STEPS; i++) {
        int code = weir_testbed_interrupted(tb, err);
        if (code != 0 || has_line(job->complained))
            return code;
        if (has_ended(job))
            return lost(job, err);
        step();
    }
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "the command on host %u does not get ready", (unsigned)job->host);
}

void weir_testbed_stop(struct weir_testbed *tb, int number)
{
    if (tb->job[number].pid != 0)
        (void)kill(tb->job[number].pid, SIGTERM);
}

static const char *file_text(const char *path, struct weir_tree_arena *arena)
{
    struct weir_memory memory;
    char part[4096];
    const char *kept = NULL;
    size_t got;
    FILE *file = fopen(path, "r"), *out = weir_memory_open(&memory);
    while (file != NULL && out != NULL && (got = fread(part, 1, sizeof(part), file)) > 0)
        (void)fwrite(part, 1, got, out);
    if (file != NULL)
        (void)fclose(file);
    if (weir_memory_close(&memory))
        kept = weir_tree_arena_text(arena, memory.bytes, memory.length);
    free(memory.bytes);
    return kept;
}

int weir_testbed_wait(struct weir_testbed *tb, int number, struct weir_tree_arena *arena, const char **text,
                      struct weir_err *err)
{
    struct weir_testbed_job *job = &tb->job[number];
    while (!has_ended(job)) {
        int code = weir_testbed_interrupted(tb, err);
        if (code != 0)
            return code;
        step();
    }
    if (!WIFEXITED(job->status) || WEXITSTATUS(job->status) != 0)
        return lost(job, err);
    *text = file_text(job->out, arena);
    return *text != NULL ? 0 : weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for what a command printed");
}

/* --- what they print --- */

/* Asks SQLite, whose functions read JSON, for one number. text: of the parameters ?1, ?2 and ?3; NULL = none.
 * @return false = it is no number */
static bool ask_number(const char *sql, const char *const text[3], double *value)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *query = NULL;
    bool found =
        sqlite3_open(":memory:", &db) == SQLITE_OK && sqlite3_prepare_v2(db, sql, -1, &query, NULL) == SQLITE_OK;
    for (int i = 0; i < 3 && found && text[i] != NULL; i++)
        found = sqlite3_bind_text(query, i + 1, text[i], -1, SQLITE_STATIC) == SQLITE_OK;
    found = found && sqlite3_step(query) == SQLITE_ROW &&
            (sqlite3_column_type(query, 0) == SQLITE_FLOAT || sqlite3_column_type(query, 0) == SQLITE_INTEGER);
    if (found)
        *value = sqlite3_column_double(query, 0);
    (void)sqlite3_finalize(query);
    (void)sqlite3_close(db);
    return found;
}

int weir_json_number(const char *json, const char *json_path, double *value, struct weir_err *err)
{
    if (ask_number("SELECT json_extract(?1, ?2)", (const char *const[]){ json, json_path, NULL }, value))
        return 0;
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "no %s in what a command printed", json_path);
}

int weir_json_link(const char *json, const char *link, const char *of_link, double *value, struct weir_err *err)
{
    static const char sql[] =
        "SELECT json_extract(value, ?3) FROM json_each(?1, '$.links') WHERE value ->> 'link' = ?2";
    if (ask_number(sql, (const char *const[]){ json, link, of_link }, value))
        return 0;
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "no %s of link %s in what a command printed", of_link, link);
}

int weir_json_sum(const char *json, const char *list_path, const char *of_element, double *sum, struct weir_err *err)
{
    static const char sql[] = "SELECT sum(json_extract(value, ?3)) FROM json_each(?1, ?2)";
    if (ask_number(sql, (const char *const[]){ json, list_path, of_element }, sum))
        return 0;
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "no %s in what a command printed", of_element);
}

int weir_json_percentile_ns(const char *before, const char *after, const char *json_path, uint32_t permille,
                            double *value_ns, struct weir_err *err)
{
    char sql[640];
    (void)snprintf(
        sql, sizeof(sql),
        "WITH old(below, frames) AS (SELECT value ->> 'below_ns', value ->> 'frames' FROM json_each(?1, ?3)),"
        " new(below, frames) AS (SELECT value ->> 'below_ns', value ->> 'frames' FROM json_each(?2, ?3)),"
        " more(below, frames) AS (SELECT new.below, new.frames - IFNULL(old.frames, 0) FROM new LEFT JOIN old"
        " ON old.below = new.below),"
        " sums(below, seen) AS (SELECT below, SUM(frames) OVER (ORDER BY below) FROM more)"
        " SELECT MIN(below) FROM sums WHERE seen > 0 AND seen * 1000 >= (SELECT SUM(frames) FROM more) * %u",
        (unsigned)permille);
    if (ask_number(sql, (const char *const[]){ before, after, json_path }, value_ns))
        return 0;
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "nothing was counted in %s of what a command printed", json_path);
}

/* Returns field `index`, from 0, of a line, which is cut behind the field; NULL = the line has fewer fields. */
static char *field(char *line, uint32_t index)
{
    for (; index > 0; index--) {
        line = strchr(line, ',');
        if (line == NULL)
            return NULL;
        line++;
    }
    line[strcspn(line, ",\n")] = '\0';
    return line;
}

/* Returns the index of the column with this name in the title line; UINT32_MAX = none. */
static uint32_t column_of(const char *title, const char *name)
{
    uint32_t index = 0;
    size_t length = strlen(name);
    for (const char *at = title; at != NULL; index++) {
        if (strncmp(at, name, length) == 0 && strchr(",\n", at[length]) != NULL)
            return index;
        at = strchr(at, ',');
        at = at != NULL ? at + 1 : NULL;
    }
    return UINT32_MAX;
}

int weir_csv_mean(const char *path, const char *column, double from_s, double *mean, struct weir_err *err)
{
    char line[LINE], copy[LINE];
    FILE *file = fopen(path, "r");
    uint32_t index = UINT32_MAX, count = 0;
    double sum = 0;
    if (file != NULL && fgets(line, sizeof(line), file) != NULL)
        index = column_of(line, column);
    while (index != UINT32_MAX && fgets(line, sizeof(line), file) != NULL) {
        memcpy(copy, line, sizeof(line));
        char *time = field(copy, 0), *value = field(line, index);
        if (time == NULL || value == NULL || strtod(time, NULL) < from_s)
            continue;
        sum += strtod(value, NULL);
        count++;
    }
    if (file != NULL)
        (void)fclose(file);
    if (count == 0)
        return weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: no %s after %.1f s", path, column, from_s);
    *mean = sum / count;
    return 0;
}
