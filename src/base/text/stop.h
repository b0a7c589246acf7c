/* src/base/text/stop.h - SIGINT, SIGTERM and SIGHUP ask a run to end early with what was done; a second one ends it
 * at once. */
#ifndef WEIR_TEXT_STOP_H
#define WEIR_TEXT_STOP_H
#include <stdint.h>

#define WEIR_STOP_GRACE_MS 500u /* of commands that read and keep nothing */

/* Installs the handlers; what the caller of the program had set to be ignored stays ignored. Broken pipes and files
 * that grow too large become errors of the write that meets them. */
void weir_stop_install(void);

/* Lets the first signal, too, end the program, if it is still there `ms` later: for commands that keep nothing of what
 * they have done. Their exit status is then that of a run that was ended, and what weir_stop_unlink() knows is
 * removed. */
void weir_stop_after(uint32_t ms);

/* Returns the signal that asked to stop, 0 = none. For struct weir_sim_options. */
const volatile int *weir_stop_flag(void);

/* Notes a file to remove if the program has to end at once, one of a few. The text must stay as it is until
 * weir_stop_keep() gets it. */
void weir_stop_unlink(const char *path);
void weir_stop_keep(const char *path);

/* Removes those files. Safe in a signal handler. */
void weir_stop_clean(void);
#endif
