/* src/commands/watch/server.h - the server of `weir run --live`: a page, a stream of events to it, and commands from
 * it, over HTTP on the loopback alone. Whoever does not know the token in the address gets nothing. It has no thread of
 * its own: weir_server_poll() serves. */
#ifndef WEIR_WATCH_SERVER_H
#define WEIR_WATCH_SERVER_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_SERVER_ANSWER 512u /* bytes of the answer to a command, with the NUL */

struct weir_server; /* one that is open */

struct weir_server_calls {
    const char *page; /* lent */
    size_t page_length;
    /* Executes a command of the page. answer: gets a sentence. @return false = it is refused */
    bool (*command)(void *ctx, const char *text, char answer[WEIR_SERVER_ANSWER]);
    void *ctx;
};

/* Listens. port: 0 = any that is free. @return 0, or a code with err: the port is in use, or this build has no server
 */
int weir_server_open(struct weir_server **server, uint32_t port, const struct weir_server_calls *calls,
                     struct weir_err *err);
/* Returns the address of the page, with the token. */
const char *weir_server_address(const struct weir_server *server);
/* Serves what has come; waits for it so long at most. A signal ends the wait. */
void weir_server_poll(struct weir_server *server, uint32_t wait_ms);
/* Returns a number that is another one for each page that has opened its stream; 0 = none is open. */
uint32_t weir_server_viewer(const struct weir_server *server);
/* Tests whether all that was sent has gone to the kernel. */
bool weir_server_is_idle(const struct weir_server *server);
/* Sends an event. A page must be open, and the server idle. name, data: without line breaks. @return false = no
 * memory */
bool weir_server_send(struct weir_server *server, const char *name, const char *data, size_t length);
void weir_server_close(struct weir_server *server); /* server: may be NULL */
#endif
