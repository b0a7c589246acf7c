/* src/commands/live/weir.c - the transport libweir, as an ops table. */
#include "live/live.h"
#include "core/units.h"
#include <errno.h>
#include <string.h>

#define RX_BYTES (UINT64_C(3) << 29)
_Static_assert(RX_BYTES - RX_BYTES / 4 >= WEIR_LIVE_MESSAGE_MAX, "a message takes up to three quarters of rx_bytes");

/* Fills err for a failure of weir_open() or weir_rekey(). result: a negative errno. @return WEIR_E_MEMORY for a lack of
 * memory; WEIR_E_CONFLICT for every other reason, because the user can change it */
static int open_failed(int result, struct weir_err *err)
{
    const char *why = weir_open_error()[0] != '\0' ? weir_open_error() : weir_strerror(result);
    if (result == -ENOMEM)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "%s", why);
    return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "%s", why);
}

static int weir_over_open(void **self, const struct weir_live_args *args, struct weir_err *err)
{
    struct weir_opts opts = {
        .size = sizeof(opts),
        .flags = args->shard ? WEIR_OPEN_STEERED : 0,
        .bind = args->bind,
        .driver = args->driver,
        .device = args->device,
        .cc = args->cc,
        .protection = args->protection,
        .key_file = args->key,
        .path = args->path,
        .rate_bps = args->rate_bps,
        .base_rtt_ns = args->rtt_ps / WEIR_PS_PER_NS,
        .rx_bytes = RX_BYTES,
        .max_ops = WEIR_LIVE_OPS_MAX,
        .mtu = args->mtu,
        .spin_us = args->spin_ps == WEIR_NEVER ? UINT32_MAX : (uint32_t)(args->spin_ps / WEIR_PS_PER_US),
        .peer_timeout_ns = args->timeout_ps / WEIR_PS_PER_NS,
        .spray_ports = args->spray_ports,
    };
    struct weir_ep *ep;
    int result = weir_open(&ep, &opts);
    *self = ep;
    return result == 0 ? 0 : open_failed(result, err);
}

static int weir_over_peer(void *self, const struct sockaddr *addr, socklen_t len, void **peer)
{
    struct weir_peer *found = NULL;
    int result = weir_peer_get(self, addr, len, &found);
    *peer = found;
    return result;
}

static int weir_over_weigh(void *self, void *peer, uint32_t weight_milli)
{
    return weir_peer_set_weight(self, peer, weight_milli);
}

static void weir_over_put(void *self, void *peer)
{
    if (peer != NULL)
        (void)weir_peer_put(self, peer);
}

static int weir_over_send(void *self, void *peer, const struct iovec *data, uint64_t user_data,
                          const struct weir_sendopt *opt)
{
    return weir_send(self, peer, data, 1, user_data, opt);
}

static int weir_over_call(void *self, void *peer, const struct iovec *data, uint64_t user_data)
{
    return weir_call(self, peer, data, 1, user_data, NULL);
}

static int weir_over_reply(void *self, uint64_t rpc, const struct iovec *data, uint64_t user_data)
{
    return weir_reply(self, rpc, data, 1, user_data, NULL);
}

static int weir_over_cancel(void *self, uint64_t user_data)
{
    return weir_cancel(self, user_data);
}

static int weir_over_poll(void *self, struct weir_event *events, int max, int64_t timeout_ns)
{
    return weir_poll(self, events, max, timeout_ns);
}

static void weir_over_release(void *self, void *lease)
{
    weir_release(self, lease);
}

static int weir_over_address(void *self, struct sockaddr *addr, socklen_t *len)
{
    return weir_address(self, addr, len);
}

static void weir_over_stats(void *self, struct weir_stats *stats)
{
    *stats = (struct weir_stats){ .size = sizeof(*stats) };
    (void)weir_stats(self, stats);
}

static void weir_over_limits(void *self, struct weir_limits_info *limits)
{
    *limits = (struct weir_limits_info){ .size = sizeof(*limits) };
    (void)weir_limits(self, limits);
}

static void weir_over_shut_down(void *self)
{
    (void)weir_shutdown(self);
}

static void weir_over_close(void *self)
{
    (void)weir_close(self);
}

static int weir_over_rekey(void *self, const char *file, struct weir_err *err)
{
    int result = weir_rekey(self, file);
    return result == 0 ? 0 : open_failed(result, err);
}

static int weir_over_metrics(void *self, char *out, size_t size)
{
    return weir_metrics_text(self, out, size);
}

static const char *weir_over_trouble(void *peer)
{
    return weir_peer_error(peer);
}

const struct weir_transport weir_live_weir = {
    .name = "weir",
    .open = weir_over_open,
    .peer = weir_over_peer,
    .weigh = weir_over_weigh,
    .put = weir_over_put,
    .send = weir_over_send,
    .call = weir_over_call,
    .reply = weir_over_reply,
    .cancel = weir_over_cancel,
    .poll = weir_over_poll,
    .release = weir_over_release,
    .address = weir_over_address,
    .stats = weir_over_stats,
    .limits = weir_over_limits,
    .shut_down = weir_over_shut_down,
    .close = weir_over_close,
    .rekey = weir_over_rekey,
    .metrics = weir_over_metrics,
    .trouble = weir_over_trouble,
};
