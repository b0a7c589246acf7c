/* src/commands/watch/server.c - see server.h. By libmicrohttpd, which the caller polls. */
#define _GNU_SOURCE
#include "watch/server.h"
#include "core/assert.h"
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TOKEN_BYTES = 16,
    TOKEN = 2 * TOKEN_BYTES + 1,
    COMMAND = 512,
    CONNECTIONS_MAX = 16,
    BACKLOG = 16,
    CHUNK = 1 << 16,
    LAST_RUNS = 16
};

struct weir_server {
    struct weir_server_calls calls;
    struct MHD_Daemon *daemon;
    struct MHD_Connection *stream; /* to the page; NULL = none is open */
    char *text;                    /* what is being sent to it: length bytes, of which sent are on their way */
    size_t length, sent, room;
    uint32_t viewers; /* so far */
    bool is_suspended;
    bool is_going; /* the stream is to end: another page has come, and its browser has left */
    char token[TOKEN], address[96];
};

struct request { /* one that is being read */
    char text[COMMAND];
    size_t length;
    bool is_too_long;
};

/* ---- answers ---- */

static enum MHD_Result queue(struct MHD_Connection *connection, unsigned status, const char *type,
                             struct MHD_Response *response)
{
    enum MHD_Result result = MHD_NO;
    if (response == NULL)
        return MHD_NO;
    if (MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES &&
        MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store") == MHD_YES &&
        MHD_add_response_header(response, "Referrer-Policy", "no-referrer") == MHD_YES &&
        MHD_add_response_header(response, "X-Content-Type-Options", "nosniff") == MHD_YES)
        result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result say(struct MHD_Connection *connection, unsigned status, const char *sentence)
{
    return queue(connection, status, "text/plain; charset=utf-8",
                 MHD_create_response_from_buffer(strlen(sentence), (void *)(uintptr_t)sentence, MHD_RESPMEM_MUST_COPY));
}

/* ---- the stream ---- */

/* Hands out what is to be sent; lets the connection wait if that is nothing. */
static ssize_t read_stream(void *ctx, uint64_t at, char *out, size_t most)
{
    struct weir_server *s = ctx;
    size_t count = s->length - s->sent;
    (void)at;
    if (s->is_going)
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (count == 0) {
        s->is_suspended = true;
        MHD_suspend_connection(s->stream);
        return 0;
    }
    count = count < most ? count : most;
    memcpy(out, s->text + s->sent, count);
    s->sent += count;
    return (ssize_t)count;
}

static void wake(struct weir_server *s)
{
    if (s->is_suspended)
        MHD_resume_connection(s->stream);
    s->is_suspended = false;
}

/* Tests whether the browser at the other end of the stream has closed it. */
static bool has_left(const struct weir_server *s)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(s->stream, MHD_CONNECTION_INFO_CONNECTION_FD);
    char byte;
    ssize_t n;
    if (info == NULL)
        return true;
    n = recv(info->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

static enum MHD_Result open_stream(struct weir_server *s, struct MHD_Connection *connection)
{
    static const char other[] =
        "event: refused\ndata: This run is shown in another tab: close that one, and load this page again.\n\n";
    static const char again[] = "retry: 50\n\n"; /* milliseconds */
    static const char type[] = "text/event-stream";
    struct MHD_Response *response;
    if (s->stream != NULL && (s->is_going || has_left(s))) { /* a page is loaded again: the old stream ends first */
        s->is_going = true;
        wake(s);
        return queue(
            connection, MHD_HTTP_OK, type,
            MHD_create_response_from_buffer(sizeof(again) - 1, (void *)(uintptr_t)again, MHD_RESPMEM_PERSISTENT));
    }
    if (s->stream != NULL)
        return queue(
            connection, MHD_HTTP_OK, type,
            MHD_create_response_from_buffer(sizeof(other) - 1, (void *)(uintptr_t)other, MHD_RESPMEM_PERSISTENT));
    response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, CHUNK, read_stream, s, NULL);
    if (queue(connection, MHD_HTTP_OK, type, response) != MHD_YES)
        return MHD_NO;
    s->stream = connection;
    s->viewers++;
    s->length = s->sent = 0;
    s->is_suspended = s->is_going = false;
    return MHD_YES;
}

/* ---- requests ---- */

static enum MHD_Result take_command(struct weir_server *s, struct MHD_Connection *connection, const struct request *r)
{
    char answer[WEIR_SERVER_ANSWER] = "";
    if (r->is_too_long)
        return say(connection, MHD_HTTP_BAD_REQUEST, "The command is too long.");
    if (s->calls.command(s->calls.ctx, r->text, answer))
        return say(connection, MHD_HTTP_OK, answer);
    return say(connection, MHD_HTTP_BAD_REQUEST, answer);
}

/* Answers a request that is complete. */
static enum MHD_Result answer(struct weir_server *s, struct MHD_Connection *connection, const char *url,
                              const char *method, const struct request *r)
{
    bool gets = strcmp(method, MHD_HTTP_METHOD_GET) == 0, posts = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    size_t length = strlen(s->token);
    const char *rest = url[0] == '/' && strncmp(url + 1, s->token, length) == 0 ? url + 1 + length : NULL;
    if (rest == NULL || (*rest != '/' && *rest != '\0'))
        return say(connection, MHD_HTTP_FORBIDDEN,
                   "The address lacks the right token: open the one that weir run --live has printed.\n");
    if (gets && strcmp(rest, "/") == 0)
        return queue(connection, MHD_HTTP_OK, "text/html; charset=utf-8",
                     MHD_create_response_from_buffer(s->calls.page_length, (void *)(uintptr_t)s->calls.page,
                                                     MHD_RESPMEM_PERSISTENT));
    if (gets && strcmp(rest, "/events") == 0)
        return open_stream(s, connection);
    if (posts && strcmp(rest, "/do") == 0)
        return take_command(s, connection, r);
    return say(connection, MHD_HTTP_NOT_FOUND, "There is a page at /, and nothing else for you.\n");
}

/* Handles a request. MHD calls this first with the head alone, then with parts of the body. */
static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *data_bytes, void **request)
{
    struct request *r = *request;
    (void)version;
    if (r == NULL) {
        *request = calloc(1, sizeof(*r));
        return *request != NULL ? MHD_YES : MHD_NO;
    }
    if (*data_bytes > 0) {
        r->is_too_long |= *data_bytes >= COMMAND - r->length;
        if (!r->is_too_long) {
            memcpy(r->text + r->length, data, *data_bytes);
            r->length += *data_bytes;
        }
        *data_bytes = 0;
        return MHD_YES;
    }
    return answer(ctx, connection, url, method, r);
}

static void completed(void *ctx, struct MHD_Connection *connection, void **request,
                      enum MHD_RequestTerminationCode code)
{
    struct weir_server *s = ctx;
    (void)code;
    free(*request);
    *request = NULL;
    if (connection == s->stream)
        s->stream = NULL;
}

/* ---- opening and closing ---- */

static int refuse(struct weir_err *err, uint32_t port, int error)
{
    if (error == EADDRINUSE)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "--live without a number takes a free one",
                         "--live: port %u is in use", port);
    return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "--live: cannot listen at port %u: %s", port, strerror(error));
}

/* Opens the socket that listens, and writes the address of the page. @return the socket; -1 with err */
static int listen_at(struct weir_server *s, uint32_t port, struct weir_err *err)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t length = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
        bind(fd, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, BACKLOG) == 0 &&
        getsockname(fd, (struct sockaddr *)&at, &length) == 0) {
        (void)snprintf(s->address, sizeof(s->address), "http://127.0.0.1:%u/%s/", (unsigned)ntohs(at.sin_port),
                       s->token);
        return fd;
    }
    (void)refuse(err, port, errno);
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

/* Draws the token. @return false = the system gives no random bytes */
static bool draw_token(char token[TOKEN])
{
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
        return false;
    for (int i = 0; i < TOKEN_BYTES; i++)
        (void)snprintf(token + 2 * (ptrdiff_t)i, 3, "%02x", bytes[i]);
    return true;
}

static int start(struct weir_server *s, uint32_t port, struct weir_err *err)
{
    int fd;
    if (!draw_token(s->token))
        return refuse(err, port, errno);
    fd = listen_at(s, port, err);
    if (fd < 0)
        return err->code;
    s->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, s,
                                 MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
                                 MHD_OPTION_NOTIFY_COMPLETED, completed, s, MHD_OPTION_END);
    if (s->daemon != NULL)
        return 0;
    (void)close(fd);
    return refuse(err, port, errno != 0 ? errno : ENOMEM);
}

int weir_server_open(struct weir_server **server, uint32_t port, const struct weir_server_calls *calls,
                     struct weir_err *err)
{
    struct weir_server *s = calloc(1, sizeof(*s));
    int code;
    *server = NULL;
    if (s == NULL)
        return weir_fail_memory(err);
    s->calls = *calls;
    code = start(s, port, err);
    if (code == 0)
        *server = s;
    else
        free(s);
    return code;
}

const char *weir_server_address(const struct weir_server *server)
{
    return server->address;
}

void weir_server_close(struct weir_server *server)
{
    if (server == NULL)
        return;
    if (server->stream != NULL) {
        server->is_going = true;
        wake(server);
        for (int i = 0; i < LAST_RUNS && server->stream != NULL; i++) /* its end goes out, unless the browser hangs */
            (void)MHD_run(server->daemon);
    }
    MHD_stop_daemon(server->daemon);
    free(server->text);
    free(server);
}

/* ---- serving ---- */

void weir_server_poll(struct weir_server *server, uint32_t wait_ms)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    MHD_UNSIGNED_LONG_LONG due_ms = 0;
    if (MHD_get_timeout(server->daemon, &due_ms) == MHD_YES && due_ms < wait_ms)
        wait_ms = (uint32_t)due_ms;
    if (info != NULL && wait_ms > 0) {
        struct pollfd fd = { .fd = info->epoll_fd, .events = POLLIN };
        (void)poll(&fd, 1, (int)wait_ms);
    }
    (void)MHD_run(server->daemon);
    if (server->stream != NULL && !server->is_going && server->is_suspended && has_left(server)) {
        server->is_going = true; /* a connection that waits does not notice by itself */
        wake(server);
        (void)MHD_run(server->daemon);
    }
}

uint32_t weir_server_viewer(const struct weir_server *server)
{
    return server->stream != NULL && !server->is_going ? server->viewers : 0;
}

bool weir_server_is_idle(const struct weir_server *server)
{
    return server->sent == server->length;
}

/* Makes room for an event. */
static bool room(struct weir_server *s, size_t bytes)
{
    char *larger;
    if (bytes <= s->room)
        return true;
    larger = realloc(s->text, bytes);
    if (larger == NULL)
        return false;
    s->text = larger;
    s->room = bytes;
    return true;
}

bool weir_server_send(struct weir_server *server, const char *name, const char *data, size_t length)
{
    size_t head;
    WEIR_ASSERT(weir_server_viewer(server) != 0 && weir_server_is_idle(server));
    if (!room(server, length + strlen(name) + 32))
        return false;
    head = (size_t)snprintf(server->text, server->room, "event: %s\ndata: ", name);
    memcpy(server->text + head, data, length);
    memcpy(server->text + head + length, "\n\n", 2);
    server->length = head + length + 2;
    server->sent = 0;
    wake(server);
    return true;
}
