/* src/base/text/wait.c - see wait.h. */
#include "text/wait.h"
#include "core/utf8.h"
#include "text/clock.h"
#include "text/print.h"
#include "text/stop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

enum { LINE = 256, NAME = 80, WHO = 160 };

/* Interval between two tries, in ns. There is no call that waits for a lock, a timeout and signals together, so we
 * poll. */
#define POLL_NS 20000000l

/* Reads the command line of a process, arguments separated by blanks, cut to size; "" if it is not readable. */
static void command_of(long process, char *out, size_t size)
{
    char path[LINE];
    FILE *file;
    size_t length = 0;
    (void)snprintf(path, sizeof(path), "/proc/%ld/cmdline", process);
    file = fopen(path, "r");
    if (file != NULL) {
        length = fread(out, 1, size - 1, file);
        (void)fclose(file);
    }
    while (length > 0 && out[length - 1] == '\0')
        length--;
    for (size_t i = 0; i < length; i++)
        if (weir_is_control(out[i]))
            out[i] = ' ';
    out[length] = '\0';
}

/* Parses a line of /proc/locks: "1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF". @return the process that holds a
 * FLOCK write lock on this file; 0 = the line is about another lock or file */
static long holder_in(const char *line, const struct stat *file)
{
    static const char kind[] = " FLOCK ", mode[] = " WRITE ";
    const char *at = strstr(line, kind);
    char *end;
    long process;
    at = at != NULL ? strstr(at, mode) : NULL;
    if (at == NULL)
        return 0;
    process = strtol(at + sizeof(mode) - 1, &end, 10);
    if (strtoul(end, &end, 16) != major(file->st_dev) || *end != ':' ||
        strtoul(end + 1, &end, 16) != minor(file->st_dev) || *end != ':' || strtoull(end + 1, &end, 10) != file->st_ino)
        return 0;
    return process;
}

bool weir_wait_holder(const char *path, char *out, size_t size)
{
    struct stat file;
    char line[LINE], command[NAME];
    long process = 0;
    FILE *locks = stat(path, &file) == 0 ? fopen("/proc/locks", "r") : NULL;
    out[0] = '\0';
    while (locks != NULL && process <= 0 && fgets(line, sizeof(line), locks) != NULL)
        process = holder_in(line, &file);
    if (locks != NULL)
        (void)fclose(locks);
    if (process <= 0)
        return false;
    command_of(process, command, sizeof(command));
    (void)snprintf(out, size, command[0] != '\0' ? "process %ld (%s)" : "process %ld", process, command);
    return true;
}

bool weir_wait_busy(void *ctx, const char *path)
{
    static const struct timespec poll = { .tv_nsec = POLL_NS };
    struct weir_wait *wait = ctx;
    uint64_t most_ns = wait->most_ps / WEIR_PS_PER_NS;
    char who[WHO];
    if (!wait->has_begun) {
        wait->has_begun = true;
        wait->start_ns = weir_wall_ns();
        if (most_ns > 0)
            (void)fprintf(stderr, "weir: %s: waits up to %g s for %s, which writes to it\n", path,
                          (double)most_ns / 1e9, weir_wait_holder(path, who, sizeof(who)) ? who : "another program");
    }
    if (weir_wall_ns() - wait->start_ns >= most_ns || weir_wait_stopped(ctx))
        return false;
    (void)nanosleep(&poll, NULL);
    return true;
}

bool weir_wait_stopped(void *ctx)
{
    const struct weir_wait *wait = ctx;
    return wait != NULL && wait->stopped != NULL ? wait->stopped(wait->ctx) != 0 : *weir_stop_flag() != 0;
}

void weir_wait_ignored(void *ctx, const char *path, const char *what)
{
    (void)ctx;
    (void)fputs("weir: ", stderr);
    weir_cli_text(stderr, path);
    (void)fputs(": not weir's, and ignored: ", stderr);
    weir_cli_text(stderr, what);
    (void)fputc('\n', stderr);
}
