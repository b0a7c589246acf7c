/* src/commands/live/metrics.h - a small HTTP server in the thread of its caller: it answers GET /metrics. */
#ifndef WEIR_LIVE_METRICS_H
#define WEIR_LIVE_METRICS_H
#include "core/err.h"
#include <stdint.h>

struct weir_metrics;

/* Returns the text of the metrics, to be freed; NULL = no memory. */
typedef char *weir_metrics_text_fn(void *ctx);

/* Opens the server. at: ADDRESS:PORT, [ADDRESS]:PORT or :PORT, port 0 = a free one. text, ctx: called for each request;
 * ctx must stay valid until weir_metrics_close(). @return 0, or a code with err: the address is not one, it is in use,
 * or this build has no HTTP server; then *metrics is NULL */
int weir_metrics_open(struct weir_metrics **metrics, const char *at, weir_metrics_text_fn *text, void *ctx,
                      struct weir_err *err);

/* Answers requests that wait, if it is time to check for some. @return when to call it next, of the clock of now_ns */
uint64_t weir_metrics_run(struct weir_metrics *metrics, uint64_t now_ns);

/* Returns where the server listens: "127.0.0.1:9000". */
const char *weir_metrics_address(const struct weir_metrics *metrics);

/* Closes the server. NULL is allowed. */
void weir_metrics_close(struct weir_metrics *metrics);
#endif
