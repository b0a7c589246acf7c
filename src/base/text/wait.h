/* src/base/text/wait.h - callbacks of a command for opening and reading a result file, for struct weir_store_caller.
 * They wait for a limited time while another program writes the file, test for signals, and report parts that are
 * ignored. */
#ifndef WEIR_TEXT_WAIT_H
#define WEIR_TEXT_WAIT_H
#include "core/param.h"
#include "core/units.h"
#include <stdbool.h>
#include <stdint.h>

#define WEIR_WAIT_MAX_PS (100000 * WEIR_PS_PER_S)

/* The option --wait of every command that writes a result file: a row of weir_options.param. */
#define WEIR_WAIT_OPTION(type, field)                                                                                  \
    WEIR_PARAM_NAMED("--wait", type, field, WEIR_KIND_TIME, 0, WEIR_WAIT_MAX_PS, 60 * WEIR_PS_PER_S,                   \
                     "how long to wait for another program that writes the result file")

struct weir_wait {
    uint64_t most_ps; /* longest time to wait, for all files together */
    /* Returns the number of a signal that must end the wait or the query; 0 = no signal has come. NULL =
     * *weir_stop_flag() is used instead. */
    int (*stopped)(const void *ctx);
    const void *ctx;
    uint64_t start_ns; /* this field and the next one are internal; they begin zeroed */
    bool has_begun;
};

/* Waits 20 ms while another program uses the file. The first call prints which program it is, unless wait->most_ps is
 * 0. wait: a struct weir_wait. @return true = the caller should try again; false = most_ps have passed since the first
 * call, or a signal has come */
bool weir_wait_busy(void *wait, const char *path);

/* Tests whether a signal has come. wait: a struct weir_wait, whose stopped() is called; NULL, or stopped NULL =
 * *weir_stop_flag() is tested */
bool weir_wait_stopped(void *wait);

/* Prints a note on stderr: part `what` of the result file `path` is ignored, because Weir did not write that part. */
void weir_wait_ignored(void *ctx, const char *path, const char *what);

/* Initialisers of struct weir_store_caller with these callbacks. WEIR_WAIT_CALLER waits for other programs; until: a
 * struct weir_wait *. WEIR_READ_CALLER does not wait, and its ctx is NULL. */
#define WEIR_WAIT_CALLER(until)                                                                                        \
    {                                                                                                                  \
        .busy = weir_wait_busy, .stopped = weir_wait_stopped, .ignored = weir_wait_ignored, .ctx = (until)             \
    }
#define WEIR_READ_CALLER                                                                                               \
    {                                                                                                                  \
        .stopped = weir_wait_stopped, .ignored = weir_wait_ignored                                                     \
    }

/* Writes to out which process has a write lock on a file: "process 1234 (weir sweep net.yaml)", cut to `size` bytes.
 * @return false = not known, as for programs on other machines; then out is "" */
bool weir_wait_holder(const char *path, char *out, size_t size);
#endif
