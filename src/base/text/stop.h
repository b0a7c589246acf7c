/* src/base/text/stop.h - handling of SIGINT, SIGTERM and SIGHUP: the first signal asks a run to end early and keep its
 * results; a second signal ends the program at once. */
#ifndef WEIR_TEXT_STOP_H
#define WEIR_TEXT_STOP_H
#include <stdint.h>

#define WEIR_STOP_GRACE_MS 500u /* for weir_stop_after(), of commands that only read */

/* Installs the handlers. A signal that is ignored at the time of the call stays ignored. Ignores SIGPIPE and SIGXFSZ: a
 * broken pipe, or a file that grows too large, becomes an error of the write. */
void weir_stop_install(void);

/* Makes the first signal end the program `ms` milliseconds later, if the program still runs then; 0 = the program is
 * not ended. The exit status is 128 + signal, and the files of weir_stop_unlink() are removed. For commands that keep
 * none of their results after a signal. */
void weir_stop_after(uint32_t ms);

/* Returns the address of a variable that holds the number of the first signal; 0 = no signal has come yet. For struct
 * weir_sim_options. */
const volatile int *weir_stop_flag(void);

/* Registers a file that must be removed if a signal ends the program at once. At most 16 files may be registered at a
 * time. path: must stay valid and unchanged until weir_stop_keep() */
void weir_stop_unlink(const char *path);
/* Removes a file from the list of weir_stop_unlink(). path: the pointer that weir_stop_unlink() received, not a copy */
void weir_stop_keep(const char *path);

/* Deletes all files that weir_stop_unlink() registered, and empties the list. Safe in a signal handler. */
void weir_stop_clean(void);
#endif
