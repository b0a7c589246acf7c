/* src/base/text/background.h - a process in the background that others of its network namespace can ask. It listens on
 * a socket with an abstract name: that belongs to the network namespace and ends with the process, so no file can be
 * left. Whoever connects gets an answer of two parts, JSON and a table. */
#ifndef WEIR_TEXT_BACKGROUND_H
#define WEIR_TEXT_BACKGROUND_H
#include <stdbool.h>
#include <stdio.h>

/* Binds a name. @return a descriptor that is readable when somebody asks; or a negative errno, -EADDRINUSE: another
 * process has the name */
int weir_background_listen(const char *name);

/* Answers the next one who asks, without waiting. write_json, write_table: write the two parts */
void weir_background_answer(int fd, void (*write_json)(FILE *out, void *ctx), void (*write_table)(FILE *out, void *ctx),
                            void *ctx);

/**
 * Asks the process with a name.
 * @param json  the JSON, not the table
 * @param out   gets the answer
 * @param pid   set to its process id
 * @return false = there is none
 */
bool weir_background_ask(const char *name, bool json, FILE *out, int *pid);

/* Ends a process by SIGTERM, and waits until it is gone. */
void weir_background_end(int pid);

/* Closes all descriptors but stdin, stdout and stderr: those that a caller forgot would stay open as long as a process
 * in the background. Called first. */
void weir_background_begin(void);

/* Leaves the terminal, the folder and the standard streams of whoever called; the process then is in the background. */
void weir_background_leave(void);
#endif
