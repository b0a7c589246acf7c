/* src/term/wait.h - waiting, for so long and no longer, for another program that writes a file. For struct weir_store_wait. */
#ifndef WEIR_TERM_WAIT_H
#define WEIR_TERM_WAIT_H
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
    int (*stopped)(const void *ctx); /* a signal that ends the wait; 0 = none. NULL = none ever */
    const void *ctx;
    uint64_t start_ns; /* the rest is its own and begins as 0 */
    bool has_begun;
};

/* Says once for whom it waits, and lets some time pass. @return false: the time is over, or a signal has come */
bool weir_wait_busy(void *wait, const char *path);

/**
 * Who has a lock on the file, as text: "process 1234 (weir sweep net.yaml)".
 * @return false if the system does not tell, as for programs on other machines; then out is empty
 */
bool weir_wait_holder(const char *path, char *out, size_t size);
#endif
