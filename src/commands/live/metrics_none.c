/* src/commands/live/metrics_none.c - a build without libmicrohttpd: weir_metrics_open() says so, and no server is ever
 * open. */
#include "live/metrics.h"
#include <stddef.h>

int weir_metrics_open(struct weir_metrics **metrics, const char *at, weir_metrics_text_fn *text, void *ctx,
                      struct weir_err *err)
{
    (void)at, (void)text, (void)ctx;
    *metrics = NULL;
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "build it where libmicrohttpd-dev is installed",
                     "--metrics: this weir was built without libmicrohttpd: it has no metrics server");
}

uint64_t weir_metrics_run(struct weir_metrics *metrics, uint64_t now_ns)
{
    (void)metrics;
    return now_ns;
}

const char *weir_metrics_address(const struct weir_metrics *metrics)
{
    (void)metrics;
    return "";
}

void weir_metrics_close(struct weir_metrics *metrics)
{
    (void)metrics;
}
