/* src/commands/live/metrics.c - see metrics.h. By libmicrohttpd, without a thread of its own: the caller polls it. */
#define _GNU_SOURCE
#include "live/metrics.h"
#include "live/live.h"
#include "driver/net.h"
#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CHECK_NS UINT64_C(10000000)    /* from one check for connections to the next .. */
#define BUSY_CHECK_NS UINT64_C(500000) /* .. and while one is open */
#define CONNECTIONS_MAX 16u
#define CONNECTION_S 5u /* a connection may be silent this long */
#define BACKLOG 16
#define TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

struct weir_metrics {
    struct MHD_Daemon *daemon;
    weir_metrics_text_fn *text;
    void *ctx;
    uint64_t check_ns;
    char address[64];
};

/* Answers with a text, which is given away. Each connection serves one request: none stays open. */
static enum MHD_Result answer(struct MHD_Connection *connection, unsigned status, const char *type, char *text)
{
    struct MHD_Response *response;
    enum MHD_Result result = MHD_NO;
    if (text == NULL)
        return MHD_NO;
    response = MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE);
    if (response == NULL) {
        free(text);
        return MHD_NO;
    }
    if (MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES &&
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES)
        result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

/* Handles a request. MHD calls this first with the head alone, then with parts of the body. */
static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *data_bytes, void **request)
{
    struct weir_metrics *m = ctx;
    bool reads = strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    (void)version, (void)data;
    if (*request == NULL) {
        *request = m;
        return MHD_YES;
    }
    if (*data_bytes > 0) { /* a body, which nobody wants */
        *data_bytes = 0;
        return MHD_YES;
    }
    if (!reads)
        return answer(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain", strdup("GET /metrics\n"));
    if (strcmp(url, "/metrics") != 0)
        return answer(connection, MHD_HTTP_NOT_FOUND, "text/plain", strdup("there is /metrics, and nothing else\n"));
    return answer(connection, MHD_HTTP_OK, TYPE, m->text(m->ctx));
}

static int refuse(struct weir_err *err, const char *at, int error)
{
    return weir_fail(err, WEIR_E_CONFLICT, NULL,
                     error == EADDRINUSE ? "another program has it: choose another port, or stop that program" : NULL,
                     "--metrics: cannot listen at %.80s: %s", at,
                     error == EADDRINUSE ? "the port is in use" : strerror(error));
}

/* Opens the socket that listens, and writes its address. @return the socket; -1 with err */
static int listen_at(struct weir_metrics *m, const char *at, struct weir_err *err)
{
    struct weir_net_addr addr;
    struct sockaddr_storage sa;
    socklen_t len;
    int fd, on = 1;
    if (weir_net_addr_parse(at, &addr) != 0) {
        (void)weir_fail(err, WEIR_E_SYNTAX, NULL, "ADDRESS:PORT, [ADDRESS]:PORT or :PORT, in numbers",
                        "--metrics: '%.80s' is no address", at);
        return -1;
    }
    len = weir_net_addr_to(&addr, &sa);
    fd = socket(sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
        bind(fd, (struct sockaddr *)&sa, len) == 0 && listen(fd, BACKLOG) == 0 &&
        getsockname(fd, (struct sockaddr *)&sa, &len) == 0) {
        weir_live_address_text((struct sockaddr *)&sa, len, m->address, sizeof(m->address));
        return fd;
    }
    (void)refuse(err, at, errno);
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

int weir_metrics_open(struct weir_metrics **metrics, const char *at, weir_metrics_text_fn *text, void *ctx,
                      struct weir_err *err)
{
    struct weir_metrics *m = calloc(1, sizeof(*m));
    int fd;
    *metrics = NULL;
    if (m == NULL)
        return weir_fail_memory(err);
    m->text = text;
    m->ctx = ctx;
    fd = listen_at(m, at, err);
    if (fd < 0) {
        free(m);
        return err->code;
    }
    m->daemon = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, handle, m, MHD_OPTION_LISTEN_SOCKET, fd,
                                 MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
                                 CONNECTION_S, MHD_OPTION_END);
    if (m->daemon == NULL) {
        (void)refuse(err, at, errno != 0 ? errno : ENOMEM);
        (void)close(fd);
        free(m);
        return err->code;
    }
    *metrics = m;
    return 0;
}

uint64_t weir_metrics_run(struct weir_metrics *m, uint64_t now_ns)
{
    const union MHD_DaemonInfo *open;
    if (now_ns < m->check_ns)
        return m->check_ns;
    (void)MHD_run(m->daemon);
    open = MHD_get_daemon_info(m->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    m->check_ns = now_ns + (open != NULL && open->num_connections > 0 ? BUSY_CHECK_NS : CHECK_NS);
    return m->check_ns;
}

const char *weir_metrics_address(const struct weir_metrics *m)
{
    return m->address;
}

void weir_metrics_close(struct weir_metrics *m)
{
    if (m == NULL)
        return;
    MHD_stop_daemon(m->daemon);
    free(m);
}
