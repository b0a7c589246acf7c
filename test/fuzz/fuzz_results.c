/* test/fuzz/fuzz_results.c - a result file that a stranger made (hostile.h), opened by a command. The first byte says which
 * command, the rest is the plan of the file. Whatever the file is, the command ends soon, with a status that its usage names, with
 * text that a terminal cannot execute; a command that reads leaves the file as it is, and nothing in the file has run.
 * Sweeps start this program again as `weir`. */
#define _XOPEN_SOURCE 700 /* nftw() */
#include "cli/cli.h"
#include "core/assert.h"
#include "core/utf8.h"
#include "test/fuzz/hostile.h"
#include <ftw.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

enum {
    ARGS_MAX = 17,
    CPU_SECONDS = 20, /* for one command, sanitized on a slow machine */
    TEXT_MAX = 1 << 20,
    NAME_BYTES = 128,
};

enum file_use {
    USE_READ, /* the command leaves the file as it is */
    USE_WRITE,
};

/* What is done with the file bad.db, and beside it sound.db or copy.db. */
static const struct command {
    enum file_use use;
    const char *argv[ARGS_MAX]; /* @NAME: a file of the folder */
} commands[] = {
    { USE_READ, { "report", "@bad.db", "-o", "@page.html" } },
    { USE_READ, { "report", "@sound.db", "@bad.db", "-o", "@page.html" } },
    { USE_READ, { "scoreboard", "@bad.db" } },
    { USE_READ, { "scoreboard", "@bad.db", "--json" } },
    { USE_READ, { "export", "@bad.db" } },
    { USE_READ, { "export", "@bad.db", "--table", "message", "--format", "json" } },
    { USE_READ, { "export", "@bad.db", "--table", "metric" } },
    { USE_READ, { "export", "@bad.db", "--table", "series", "--format", "json" } },
    { USE_READ, { "export", "@bad.db", "--table", "finding", "-o", "@out.csv" } },
    { USE_READ, { "diff", "@bad.db", "@sound.db" } },
    { USE_READ, { "diff", "@sound.db", "@bad.db", "--json" } },
    { USE_READ, { "status", "@net.yaml", "-o", "@bad.db" } },
    { USE_READ, { "status", "@net.yaml", "-o", "@sound.db", "@bad.db", "--json" } },
    { USE_WRITE, { "merge", "@copy.db", "@bad.db" } },
    { USE_WRITE, { "merge", "@bad.db", "@copy.db" } },
    { USE_WRITE, { "run", "@star.yaml", "-o", "@bad.db", "--wait", "0" } },
    { USE_WRITE, { "sweep", "@net.yaml", "-o", "@bad.db", "--wait", "0", "--jobs", "1" } },
    { USE_WRITE,
      { "compare", "@star.yaml", "--protocols", "dctcp,swift", "--seeds", "1", "-o", "@bad.db", "--wait", "0", "--jobs",
        "1" } },
    { USE_WRITE,
      { "tune", "@star.yaml", "--key", "protocol.g=0.06..0.07", "--for", "slowdown.all.p99", "--seeds", "1", "-o",
        "@bad.db", "--wait", "0", "--jobs", "1" } },
    { USE_WRITE, { "reproduce", "@paper/", "-o", "@bad.db", "--wait", "0", "--jobs", "1" } },
};
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const char star[] = "name: tiny\n"
                           "topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}\n"
                           "protocol: dctcp\n"
                           "traffic:\n  - {kind: poisson, sizes: 10 KB, load: 30%}\n"
                           "run: {warmup: 100 us, measure: 200 us, seed: 1}\n";
static const char net[] = "scenario: star.yaml\naxes:\n"
                          "  - {name: load, set: {\"traffic[0].load\": $}, values: [30%]}\n";
static const char paper[] = "title: A tiny paper\naxes:\n"
                            "  - {name: load, set: {\"traffic[0].load\": $%}, values: [30]}\n"
                            "figures:\n  - {name: main, title: One, sweeps: [{load: all, scenario: ../star.yaml}]}\n";
static char folder[] = "/tmp/weir_hostile_XXXXXX";

/* Writes the name of a file of the folder. @return out */
static const char *name_of(const char *file, char out[NAME_BYTES])
{
    (void)snprintf(out, NAME_BYTES, "%s/%s", folder, file);
    return out;
}

static FILE *open_file(const char *file)
{
    char path[NAME_BYTES];
    FILE *out = fopen(name_of(file, path), "wb");
    if (out == NULL)
        abort();
    return out;
}

static void put_text(const char *file, const char *text)
{
    FILE *out = open_file(file);
    if (fputs(text, out) < 0 || fclose(out) != 0)
        abort();
}

/* Reads at most TEXT_MAX bytes of a file. @return how many; 0 = it is not there, or is empty */
static size_t read_text(const char *file, char *text)
{
    char path[NAME_BYTES];
    FILE *in = fopen(name_of(file, path), "rb");
    size_t size = in != NULL ? fread(text, 1, TEXT_MAX, in) : 0;
    text[size] = '\0';
    if (in != NULL)
        (void)fclose(in);
    return size;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *at)
{
    (void)about, (void)kind, (void)at;
    return remove(path);
}

static void leave(void)
{
    (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* --- one command --- */

static void out_of_time(int number)
{
    (void)number;
    abort(); /* the fuzzer then keeps the input */
}

static void limit_cpu(bool on)
{
    struct rusage used;
    struct rlimit limit;
    (void)getrusage(RUSAGE_SELF, &used);
    (void)getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = on ? (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + CPU_SECONDS : limit.rlim_max;
    (void)signal(SIGXCPU, out_of_time);
    if (setrlimit(RLIMIT_CPU, &limit) != 0)
        abort();
}

/* Executes a command by its name. @return its status */
static int execute(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } all[] = {
        { "report", weir_cli_report }, { "scoreboard", weir_cli_scoreboard }, { "export", weir_cli_export },
        { "diff", weir_cli_diff },     { "status", weir_cli_status },         { "merge", weir_cli_merge },
        { "run", weir_cli_run },       { "sweep", weir_cli_sweep },           { "compare", weir_cli_compare },
        { "tune", weir_cli_tune },     { "reproduce", weir_cli_reproduce },
    };
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(argv[0], all[i].name) == 0)
            return all[i].run(argc, argv);
    abort();
}

static int call(const char *const *given)
{
    char *argv[ARGS_MAX + 1] = { NULL }, path[NAME_BYTES];
    int argc = 0, status;
    for (; given[argc] != NULL; argc++)
        argv[argc] = strdup(given[argc][0] == '@' ? name_of(given[argc] + 1, path) : given[argc]);
    status = execute(argc, argv);
    for (int i = 0; i < argc; i++)
        free(argv[i]);
    return status;
}

/* Calls a command with its output in the files `out` and `err`; a sanitizer's goes to the terminal. Signal handlers and the timer
 * are then as before. @return the command's status */
static int call_apart(const char *const *argv)
{
    static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM, SIGPIPE, SIGXFSZ };
    struct sigaction before[sizeof(handled) / sizeof(handled[0])];
    struct itimerval timer, none = { .it_value = { 0 } };
    FILE *out = stdout, *err = stderr;
    int status;
    for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++)
        (void)sigaction(handled[i], NULL, &before[i]);
    (void)setitimer(ITIMER_REAL, &none, &timer); /* the fuzzer's own */
    stdout = open_file("out");                   /* glibc has them as variables */
    stderr = open_file("err");
    limit_cpu(true);
    status = call(argv);
    limit_cpu(false);
    (void)fclose(stdout);
    (void)fclose(stderr);
    stdout = out;
    stderr = err;
    for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++)
        (void)sigaction(handled[i], &before[i], NULL);
    (void)setitimer(ITIMER_REAL, &timer, NULL);
    return status;
}

/* Makes the files that every input needs, once: scenarios, and a sound result file with a point of a sweep and a run. */
static void prepare(void)
{
    static const char *const sweep[] = { "sweep", "@net.yaml", "-o", "@sound.db", "--jobs", "1", NULL };
    static const char *const run[] = { "run", "@star.yaml", "-o", "@sound.db", "--series", "10us", NULL };
    char path[NAME_BYTES];
    if (mkdtemp(folder) == NULL || atexit(leave) != 0 || mkdir(name_of("paper", path), 0700) != 0)
        abort();
    (void)setenv("PATH", "/nonexistent", 1); /* no gnuplot */
    put_text("star.yaml", star);
    put_text("net.yaml", net);
    put_text("paper/experiment.yaml", paper);
    put_text("user", "a file that the user has beside it\n");
    WEIR_ASSERT(call_apart(sweep) == 0);
    WEIR_ASSERT(call_apart(run) == 0);
}

/* --- what must hold --- */

/* Fails unless a text is UTF-8 without control characters, but for ends of lines. */
static void check_clean(const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t length = weir_utf8_length((const unsigned char *)text + at);
        WEIR_ASSERT(length > 0);
        WEIR_ASSERT(text[at] == '\n' || !weir_is_control(text[at]));
        WEIR_ASSERT(length != 2 || (unsigned char)text[at] != 0xc2 || (unsigned char)text[at + 1] >= 0xa0); /* C1 */
        at += length;
    }
}

/* Computes a number of the size and the first bytes of a file. */
static uint64_t hash_file(const char *file)
{
    static char text[TEXT_MAX + 1];
    char path[NAME_BYTES];
    struct stat about;
    uint64_t hash = stat(name_of(file, path), &about) == 0 ? (uint64_t)about.st_size : 0;
    size_t size = read_text(file, text);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* Counts the rows that a trigger of the file has written. */
static int count_canaries(void)
{
    sqlite3_stmt *stmt = NULL;
    sqlite3 *db;
    char path[NAME_BYTES];
    int count = 0;
    if (sqlite3_open_v2(name_of("bad.db", path), &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
        sqlite3_prepare_v2(db, "SELECT count(*) FROM canary", -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW)
        count = sqlite3_column_int(stmt, 0);
    (void)sqlite3_finalize(stmt);
    (void)sqlite3_close(db);
    return count;
}

static bool is_refusal(int status)
{
    return status == WEIR_EXIT_USAGE || status == WEIR_EXIT_FAILURE || status == WEIR_EXIT_AGAIN;
}

static void check_said(int status)
{
    static char text[TEXT_MAX + 1];
    size_t size = read_text("err", text);
    WEIR_ASSERT(status == WEIR_EXIT_DONE || status == WEIR_EXIT_CHECK || is_refusal(status));
    WEIR_ASSERT(!is_refusal(status) || size > 0);
    check_clean(text, size);
    WEIR_ASSERT(strstr(text, "interrupted") == NULL);
    size = read_text("out", text);
    WEIR_ASSERT(memchr(text, '\x1b', size) == NULL);
    size = read_text("page.html", text);
    WEIR_ASSERT(memchr(text, '\x1b', size) == NULL && strstr(text, "<script>alert") == NULL);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    if (strcmp((*argv)[0], "weir") == 0 && *argc > 1)
        exit(execute(*argc - 1, *argv + 1)); /* a point of a sweep, or its page */
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool prepared;
    struct hostile_plan plan = { .data = data + (size > 0), .size = size > 0 ? size - 1 : 0 };
    const struct command *command = &commands[size > 0 ? data[0] % COMMANDS : 0];
    char what[256], sound[NAME_BYTES], bad[NAME_BYTES], copy[NAME_BYTES], user[NAME_BYTES];
    uint64_t of_sound, of_bad, of_user;
    if (!prepared)
        prepare();
    prepared = true;
    (void)remove(name_of("page.html", sound));
    hostile_copy(name_of("sound.db", sound), name_of("copy.db", copy));
    hostile_make(sound, name_of("bad.db", bad), name_of("user", user), &plan, what, sizeof(what));
    of_sound = hash_file("sound.db"), of_bad = hash_file("bad.db"), of_user = hash_file("user");
    int status = call_apart(command->argv);
    bool beside =
        strstr(what, "log") != NULL || strstr(what, "journal") != NULL; /* SQLite writes what they say into the file */
    check_said(status);
    WEIR_ASSERT(hash_file("sound.db") == of_sound);
    WEIR_ASSERT(hash_file("user") == of_user);
    WEIR_ASSERT(beside || (command->use == USE_WRITE && !is_refusal(status)) || hash_file("bad.db") == of_bad);
    WEIR_ASSERT(beside || count_canaries() == 0); /* what lies beside it would be obeyed here */
    return 0;
}
