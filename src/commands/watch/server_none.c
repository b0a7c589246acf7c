/* src/commands/watch/server_none.c - a build without libmicrohttpd: weir_server_open() says so, and no server is ever
 * open. */
#include "watch/server.h"

int weir_server_open(struct weir_server **server, uint32_t port, const struct weir_server_calls *calls,
                     struct weir_err *err)
{
    (void)port, (void)calls;
    *server = NULL;
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "build it where libmicrohttpd-dev is installed",
                     "--live: this weir was built without libmicrohttpd: it has no server for a page");
}

const char *weir_server_address(const struct weir_server *server)
{
    (void)server;
    return "";
}

void weir_server_poll(struct weir_server *server, uint32_t wait_ms)
{
    (void)server, (void)wait_ms;
}

uint32_t weir_server_viewer(const struct weir_server *server)
{
    (void)server;
    return 0;
}

bool weir_server_is_idle(const struct weir_server *server)
{
    (void)server;
    return false;
}

bool weir_server_send(struct weir_server *server, const char *name, const char *data, size_t length)
{
    (void)server, (void)name, (void)data, (void)length;
    return false;
}

void weir_server_close(struct weir_server *server)
{
    (void)server;
}
