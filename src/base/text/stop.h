/* src/base/text/stop.h - handling of SIGINT, SIGTERM and SIGHUP: the first one asks a run to end early and keep its
 * results; a second one ends the program at once. */
#ifndef WEIR_TEXT_STOP_H
#define WEIR_TEXT_STOP_H
#include <stdint.h>

#define WEIR_STOP_GRACE_MS 500u /* for weir_stop_after(), of commands that only read */

/* Installs the handlers. A signal that was ignored when the program started stays ignored. Ignores SIGPIPE and SIGXFSZ:
 * a broken pipe, or a file that grows too large, becomes an error of the write. */
void weir_stop_install(void);

/* Makes the first signal end the program `ms` milliseconds later, if it still runs. For commands that keep none of
 * their results. The exit status is then 128 + signal, and the files of weir_stop_unlink() are removed. */
void weir_stop_after(uint32_t ms);

/* Returns the address of the number of the signal that came first; 0 = none yet. For struct weir_sim_options. */
const volatile int *weir_stop_flag(void);

/* Notes a file that must be removed if the program ends at once. At most 16 at a time. path: must stay valid and
 * unchanged until weir_stop_keep(). */
void weir_stop_unlink(const char *path);
void weir_stop_keep(const char *path);

/* Removes all files that weir_stop_unlink() noted, and forgets them. Safe in a signal handler. */
void weir_stop_clean(void);
#endif
