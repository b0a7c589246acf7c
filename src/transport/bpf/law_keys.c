/* src/transport/bpf/law_keys.c - the keys of a law in the kernel.
 * Soze's constants scale with the time of a full packet at the slowest port: k = 10 and p = 55 of them. Measurements in
 * a real kernel chose them (doc/linux.md). A flow of weight 1 alone must fill the port. Software hands packets over in
 * bunches, which queue behind each other though the port idles in between, so the flow hears of a delay below k. alpha,
 * the rate per weight for such a delay, is therefore 5/4 of the port's rate: the factor by which packets are paced. */
#include "bpf/law_keys.h"
#include "bpf/option.h"
#include "core/math.h"
#include "core/path.h"
#include "endpoint/protocol_text.h"
#include "proto/soze/soze.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MTU_BYTES 1500u
#define FRAME_BYTES                                                                                                    \
    (MTU_BYTES + 14)       /* as queues of the kernel count it: with the header of Ethernet, without CRC and gap */
#define OVERHEAD_BYTES 74u /* of it: Ethernet 14, IP 20, TCP 20, timestamps 12, Soze's option 8 */
#define LEAST_PKTS 2u      /* a receiver that waits for a second packet holds the ACK of one for 40 ms */
#define K_PKTS 10u
#define P_PKTS 55u
#define BASE_RTT_PS (20 * WEIR_PS_PER_US) /* of the path with which keys are checked; a flow's own is measured */

static const char *const laws[] = { "dctcp", "soze", "swift", "timely", NULL };

const char *weir_law_at(size_t i)
{
    return i < sizeof(laws) / sizeof(*laws) ? laws[i] : NULL;
}

static int check_protocol(const struct weir_protocol_reader *how, const struct weir_protocol *p, struct weir_err *err)
{
    (void)how;
    for (size_t i = 0; weir_law_at(i) != NULL; i++)
        if (strcmp(weir_law_at(i), p->name) == 0)
            return 0;
    (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "weir tcp --help lists those that do",
                    "%s does not run in the kernel's TCP", p->name);
    return -ENOTSUP;
}

static void settle_soze(const struct weir_protocol_reader *how, struct weir_soze_config *c)
{
    const struct weir_law_options *options = how->context;
    uint64_t pkt_ps;
    c->allow_unstable = 1; /* the theorem's bound takes the base round trip, which is not known here */
    c->pace_ppm = 1250000;
    c->large_pkts = 4;
    if (options->port_bps == 0)
        return;
    pkt_ps = weir_mul_div_u64(FRAME_BYTES * UINT64_C(8), WEIR_PS_PER_S, options->port_bps);
    c->alpha_bps = options->port_bps + options->port_bps / 4;
    c->k_ps = K_PKTS * pkt_ps;
    c->p.ps = P_PKTS * pkt_ps;
}

static void settle(const struct weir_protocol_reader *how, const struct weir_protocol *p, void *config)
{
    if (strcmp(p->name, "soze") == 0)
        settle_soze(how, config);
}

static void *allocate(void *context, size_t bytes)
{
    (void)context;
    return calloc(1, bytes);
}

/* Refuses a target delay that the option cannot carry: it would be reported too short, and the law would not slow
 * down. */
static int check_option(const struct weir_law_options *options, const struct weir_law_loaded *loaded,
                        struct weir_err *err)
{
    const struct weir_soze_config *c = (const void *)loaded->keys.config;
    uint64_t most_ps = (uint64_t)WEIR_TCP_DELAY_MAX * WEIR_TCP_DELAY_UNIT_NS * WEIR_PS_PER_NS;
    if (strcmp(loaded->protocol->name, "soze") != 0 || options->by_rtt || c->k_ps + c->p.ps <= most_ps)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "set k and p, or load it with --by-rtt",
                     "k + p is %" PRIu64 " us, and Soze's option holds %" PRIu64 " us: the port is too slow",
                     (c->k_ps + c->p.ps) / WEIR_PS_PER_US, most_ps / WEIR_PS_PER_US);
}

int weir_law_keys_read(const struct weir_law_options *options, struct weir_law_loaded *loaded, struct weir_err *err)
{
    uint64_t rate_bps = options->port_bps != 0 ? options->port_bps : WEIR_SOZE_RATE_BPS;
    const struct weir_path path = { .base_rtt_ps = BASE_RTT_PS,
                                    .rate_bps = rate_bps,
                                    .bdp_bytes = weir_mul_div_u64(rate_bps, BASE_RTT_PS, 8 * WEIR_PS_PER_S),
                                    .mss_bytes = FRAME_BYTES - OVERHEAD_BYTES,
                                    .wire_bytes = FRAME_BYTES };
    const struct weir_protocol_reader how = { .label = "law",
                                              .example = "for example \"soze m=0.25\"",
                                              .preset = "kernel",
                                              .path_hint = "--port is the rate that they must fit",
                                              .path = &path,
                                              .rtt_unknown = true, /* the kernel measures it */
                                              .check = check_protocol,
                                              .settle = settle,
                                              .allocate = allocate,
                                              .context = (void *)(uintptr_t)options };
    void *config = NULL;
    int code = weir_protocol_read(&how, options->text, &loaded->protocol, &config, err);
    if (code == 0) {
        memset(&loaded->keys, 0, sizeof(loaded->keys));
        loaded->keys.rate_bps = rate_bps;
        loaded->keys.overhead_bytes = OVERHEAD_BYTES;
        loaded->keys.least_cwnd_pkts = LEAST_PKTS;
        loaded->keys.record = options->record;
        loaded->keys.by_rtt = options->by_rtt;
        memcpy(loaded->keys.config, config, loaded->protocol->config_bytes);
        (void)snprintf(loaded->name, sizeof(loaded->name), "weir_%.10s", loaded->protocol->name);
    }
    free(config);
    if (code == 0)
        return check_option(options, loaded, err);
    return code == -ENOMEM ? weir_fail_memory(err) : (int)err->code;
}
