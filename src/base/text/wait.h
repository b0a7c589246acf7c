/* src/base/text/wait.h - what a command does while a result file is opened and read. It waits for another program that
 * writes the file, for so long and no longer; asks for signals; names what is ignored. For struct weir_store_caller. */
#ifndef WEIR_TEXT_WAIT_H
#define WEIR_TEXT_WAIT_H
#include "core/param.h"
#include "core/units.h"
#include <stdbool.h>
#include <stdint.h>

#define WEIR_WAIT_MAX_PS (100000 * WEIR_PS_PER_S)

/* The option of every command that writes a result file: a row of struct weir_options.param. */
#define WEIR_WAIT_OPTION(type, field)                                                                                  \
    WEIR_PARAM_NAMED("--wait", type, field, WEIR_KIND_TIME, 0, WEIR_WAIT_MAX_PS, 60 * WEIR_PS_PER_S,                   \
                     "how long to wait for another program that writes the result file")

struct weir_wait {
    uint64_t most_ps;                /* how long in all, over all files */
    int (*stopped)(const void *ctx); /* a signal that ends wait and query; 0 = none. NULL = weir_stop_flag() */
    const void *ctx;
    uint64_t start_ns; /* the rest is its own and begins as 0 */
    bool has_begun;
};

/* Says once for whom it waits, and lets some time pass. @return false: the time is over, or a signal has come */
bool weir_wait_busy(void *wait, const char *path);

/* Returns true where a signal has come. */
bool weir_wait_stopped(void *wait);

/* Prints, as a note on stderr, that these parts of a result file are not read. */
void weir_wait_ignored(void *ctx, const char *path, const char *what);

/* A struct weir_store_caller that does all of this, with a struct weir_wait as ctx; and one that does not wait, without
 * ctx. */
#define WEIR_WAIT_CALLER(until)                                                                                        \
    {                                                                                                                  \
        .busy = weir_wait_busy, .stopped = weir_wait_stopped, .ignored = weir_wait_ignored, .ctx = (until)             \
    }
#define WEIR_READ_CALLER                                                                                               \
    {                                                                                                                  \
        .stopped = weir_wait_stopped, .ignored = weir_wait_ignored                                                     \
    }

/* Names who has a lock on the file: "process 1234 (weir sweep net.yaml)".
 * @return false if the system does not say, as for programs on other machines; then out is empty */
bool weir_wait_holder(const char *path, char *out, size_t size);
#endif
