/* src/ep/options.c - the options of weir_open(): defaults, limits, and the protocol with its keys. */
#include "ep/options.h"
#include "ep/memory.h"
#include "core/err.h"
#include "param/param.h"
#include "param/suggest.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define RATE_DEFAULT_BPS UINT64_C(10000000000)
#define BASE_RTT_DEFAULT_NS 100000u
#define BASE_RTT_MAX_NS 1000000000u
#define RX_DEFAULT_BYTES (UINT64_C(256) << 20)
#define TX_DEFAULT_BYTES (UINT64_C(64) << 20)
#define RX_LEAST_BYTES 65536u
#define MEMORY_MOST_BYTES (UINT64_C(1) << 46)
#define TIMEOUT_DEFAULT_NS UINT64_C(20000000000)
#define TIMEOUT_LEAST_NS 1000000u
#define TIMEOUT_MOST_NS UINT64_C(86400000000000) /* a day */
#define MTU_DEFAULT 1500u
#define BDP_LEAST_PKTS 4u /* smaller ones leave nothing to hand out */
#define FRAME_BYTES 18u   /* Ethernet with its CRC */
#define GAP_BYTES 20u     /* preamble and inter-packet gap */
#define FRAME_LEAST_BYTES 84u
#define WORD_MAX 128 /* of the protocol's text */

static int refuse(struct weir_err *err, const char *hint, const char *text)
{
    (void)weir_fail(err, WEIR_E_RANGE, NULL, hint, "%s", text);
    return -EINVAL;
}

/* Structs of older callers are shorter, those of newer ones longer: what we do not know must not be set. */
static int copy_sized(struct weir_opts *out, const struct weir_opts *in, struct weir_err *err)
{
    const unsigned char *bytes = (const unsigned char *)in;
    *out = (struct weir_opts){ .size = sizeof(*out) };
    if (in == NULL)
        return 0;
    if (in->size < sizeof(in->size))
        return refuse(err, "set it to sizeof(struct weir_opts)", "opts.size is not set");
    for (size_t i = sizeof(*in); i < in->size; i++) {
        if (bytes[i] != 0)
            return refuse(err, "the program was built with a newer weir.h",
                          "opts asks for something that this library does not have");
    }
    memcpy(out, in, in->size < sizeof(*out) ? in->size : sizeof(*out));
    return 0;
}

static void set_default(uint64_t *value, uint64_t fallback)
{
    if (*value == 0)
        *value = fallback;
}

int ep_options_read(struct weir_opts *out, const struct weir_opts *in, struct weir_err *err)
{
    int code = copy_sized(out, in, err);
    if (code < 0)
        return code;
    set_default(&out->base_rtt_ns, BASE_RTT_DEFAULT_NS);
    set_default(&out->rx_bytes, RX_DEFAULT_BYTES);
    set_default(&out->tx_bytes, TX_DEFAULT_BYTES);
    set_default(&out->peer_timeout_ns, TIMEOUT_DEFAULT_NS);
    out->max_ops = out->max_ops != 0 ? out->max_ops : 65536;
    out->max_peers = out->max_peers != 0 ? out->max_peers : 4096;
    out->spin_us = out->spin_us != 0 ? out->spin_us : 20;
    if (out->flags & ~(uint32_t)(WEIR_OPEN_SHARED | WEIR_OPEN_CHECKED))
        return refuse(err, NULL, "opts.flags has a bit that means nothing");
    if (out->rx_bytes < RX_LEAST_BYTES || out->rx_bytes > MEMORY_MOST_BYTES)
        return refuse(err, NULL, "opts.rx_bytes must be 64 KiB to 64 TiB");
    if (out->tx_bytes > MEMORY_MOST_BYTES)
        return refuse(err, NULL, "opts.tx_bytes must be at most 64 TiB");
    if (out->max_ops > EP_OPS_MAX)
        return refuse(err, NULL, "opts.max_ops must be at most 16777216");
    if (out->max_peers > EP_PEERS_MAX)
        return refuse(err, NULL, "opts.max_peers must be at most 65000");
    if (out->base_rtt_ns > BASE_RTT_MAX_NS)
        return refuse(err, NULL, "opts.base_rtt_ns must be at most one second");
    if (out->peer_timeout_ns < TIMEOUT_LEAST_NS || out->peer_timeout_ns > TIMEOUT_MOST_NS)
        return refuse(err, NULL, "opts.peer_timeout_ns must be one millisecond to one day");
    return 0;
}
_Static_assert(EP_OPS_MAX == 16777216 && EP_PEERS_MAX == 65000, "sentences above say so");

/* Rate, MTU, framing and BDP, from the options and what the driver knows. */
int ep_options_limits(struct weir_ep *ep, struct weir_err *err)
{
    bool six = ep->net->local.family == AF_INET6;
    uint32_t ip = six ? WEIR_WIRE_IP6_BYTES : WEIR_WIRE_IP4_BYTES,
             around = ip + WEIR_WIRE_UDP_BYTES + WEIR_WIRE_HEAD_BYTES;
    uint64_t rate = ep->opts.rate_bps != 0 ? ep->opts.rate_bps : ep->net->rate_bps;
    uint32_t mtu = ep->opts.mtu != 0 ? ep->opts.mtu : ep->net->mtu, least = around + FRAME_BYTES + GAP_BYTES;
    struct weir_path *path = &ep->host_config.path;
    set_default(&rate, RATE_DEFAULT_BPS);
    if (ep->opts.mtu == 0 && (mtu == 0 || mtu > MTU_DEFAULT))
        mtu = MTU_DEFAULT; /* both ends must agree, and one of them may not have the larger frames */
    if (mtu < (six ? WEIR_NET_MTU_LEAST_IP6 : WEIR_NET_MTU_LEAST_IP4) || mtu > EP_MTU_MAX)
        return refuse(err, NULL, "opts.mtu must be 576 (IPv6: 1280) to 9000");
    if (rate < WEIR_RATE_MIN_BPS || rate > WEIR_RATE_MAX_BPS)
        return refuse(err, NULL, "opts.rate_bps must be 1 Mb/s to 8 Tb/s");
    ep->mtu = mtu;
    ep->mss = mtu - around;
    ep->host_config.framing = (struct weir_framing){
        .payload_bytes = ep->mss,
        .header_bytes = around + FRAME_BYTES,
        .gap_bytes = GAP_BYTES,
        .min_wire_bytes = least > FRAME_LEAST_BYTES ? least : FRAME_LEAST_BYTES,
        .ack_wire_bytes = least > FRAME_LEAST_BYTES ? least : FRAME_LEAST_BYTES,
    };
    /* 8e12 bit/s * 1e9 ns does not fit 64 bits; the quotient does */
    *path =
        (struct weir_path){ .base_rtt_ps = ep->opts.base_rtt_ns * WEIR_PS_PER_NS,
                            .control_rtt_ps = ep->opts.base_rtt_ns * WEIR_PS_PER_NS, /* of another nothing is known */
                            .rate_bps = rate,
                            .bdp_bytes = weir_mul_div_u64(rate, ep->opts.base_rtt_ns, UINT64_C(8000000000)),
                            .mss_bytes = ep->mss };
    path->bdp_bytes =
        weir_max_u64(path->bdp_bytes, (uint64_t)BDP_LEAST_PKTS * (ep->mss + around + FRAME_BYTES + GAP_BYTES));
    return 0;
}

/* --- the protocol --- */

/* The next word of the text. @return false = there is none; -1 in *length: it is too long */
static bool next_word(const char **text, char *word, size_t size, bool *too_long)
{
    size_t length;
    *text += strspn(*text, " \t");
    length = strcspn(*text, " \t");
    *too_long = length >= size;
    if (length == 0 || *too_long)
        return false;
    memcpy(word, *text, length);
    word[length] = '\0';
    *text += length;
    return true;
}

#define RUNNING "homa, ndp, sird"

/* Why a protocol does not run here. @return 0 = it does, or a code with err */
static int check_protocol(const struct weir_protocol *p, struct weir_err *err)
{
    if (p->credit == NULL)
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "receiver-driven protocols do: " RUNNING,
                        "cc: %s does not run on a real network yet", p->name);
    else if ((p->credit->needs & WEIR_NEED_ONE_CLOCK) != 0)
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "receiver-driven protocols without common instants do: " RUNNING,
                        "cc: %s needs hosts that share one clock, and those of a real network do not", p->name);
    else if ((p->credit->needs & WEIR_NEED_GATE) != 0) /* nothing would limit credit, and so data */
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "protocols that need no help of switches: " RUNNING,
                        "cc: %s needs ports that hold credit back, and those of real switches do not", p->name);
    else
        return 0;
    return -ENOTSUP;
}

static int find_protocol(const char *name, const struct weir_protocol **found, struct weir_err *err)
{
    struct weir_suggest near;
    struct weir_err why;
    char hint[512];
    weir_suggest_init(&near, name);
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++) {
        *found = p;
        if (strcmp(p->name, name) == 0)
            return check_protocol(p, err);
        if (check_protocol(p, &why) == 0)
            weir_suggest_add(&near, p->name);
    }
    weir_suggest_hint(&near, hint, sizeof(hint));
    (void)weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "cc: unknown protocol '%s'", name);
    return -EINVAL;
}

/* The preset of that name; NULL: the one for real networks, or the first. */
static int find_preset(const struct weir_protocol *p, const char *name, const struct weir_preset **found,
                       struct weir_err *err)
{
    struct weir_suggest near;
    char hint[512];
    const char *wanted = name != NULL ? name : "udp";
    weir_suggest_init(&near, wanted);
    *found = p->presets;
    for (const struct weir_preset *preset = p->presets; preset != NULL && preset->name != NULL; preset++) {
        if (strcmp(preset->name, wanted) == 0) {
            *found = preset;
            return 0;
        }
        weir_suggest_add(&near, preset->name);
    }
    if (name == NULL)
        return 0;
    weir_suggest_hint(&near, hint, sizeof(hint));
    (void)weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "cc: %s has no preset '%s'", p->name, name);
    return -EINVAL;
}

/* A preset's keys of the protocol itself; the rest (fabric, framing) is for the simulator. */
static int apply_preset(const struct weir_protocol *p, const struct weir_preset *preset, void *config,
                        struct weir_err *err)
{
    for (const char *const *line = preset != NULL ? preset->values : NULL; line != NULL && *line != NULL; line++) {
        char key[WORD_MAX];
        size_t length = strcspn(*line, ":");
        WEIR_ASSERT(length < sizeof(key));
        memcpy(key, *line, length);
        key[length] = '\0';
        const struct weir_param *row = weir_param_find(p->params, key);
        struct weir_tok tok = { .text = *line + length + 1 + strspn(*line + length + 1, " ") };
        if (row != NULL && weir_param_set(row, &tok, config, err) != 0)
            return -EINVAL;
    }
    return 0;
}

static int apply_pair(const struct weir_protocol *p, char *word, void *config, struct weir_err *err)
{
    static const char *const more[] = { "preset", NULL };
    char *value = strchr(word, '=');
    if (value == NULL) {
        (void)weir_fail(err, WEIR_E_SYNTAX, NULL, "for example \"sird B=120KB SThr=40KB\"", "cc: '%s' is no key=value",
                        word);
        return -EINVAL;
    }
    *value++ = '\0';
    if (strcmp(word, "preset") == 0)
        return 0;
    const struct weir_param *row = weir_param_find(p->params, word);
    struct weir_tok tok = { .text = row != NULL ? value : word };
    int code =
        row != NULL ? weir_param_set(row, &tok, config, err) : weir_param_unknown(p->params, more, &tok, p->name, err);
    return code != 0 ? -EINVAL : 0;
}

/* Goes through the words behind the protocol's name. config NULL: only finds the preset. */
static int each_word(const struct weir_protocol *p, const char *text, void *config, char *preset, struct weir_err *err)
{
    char word[WORD_MAX];
    bool too_long;
    while (next_word(&text, word, sizeof(word), &too_long)) {
        if (config == NULL && strncmp(word, "preset=", 7) == 0)
            memcpy(preset, word + 7, strlen(word + 7) + 1);
        int code = config != NULL ? apply_pair(p, word, config, err) : 0;
        if (code < 0)
            return code;
    }
    return too_long ? refuse(err, NULL, "cc: a word of more than 127 bytes") : 0;
}
_Static_assert(WORD_MAX == 128, "the sentence above says so");

static int read_protocol(struct weir_ep *ep, const struct weir_protocol *p, const char *text, struct weir_err *err)
{
    const struct weir_path *path = &ep->host_config.path;
    const struct weir_preset *preset = NULL;
    char named[WORD_MAX] = "";
    int code = each_word(p, text, NULL, named, err);
    if (code == 0)
        code = find_preset(p, named[0] != '\0' ? named : NULL, &preset, err);
    if (code < 0)
        return code;
    ep->cc_config = ep_calloc(ep, 1, p->config_bytes);
    if (ep->cc_config == NULL)
        return -ENOMEM;
    weir_param_defaults(p->params, ep->cc_config);
    code = apply_preset(p, preset, ep->cc_config, err);
    if (code == 0)
        code = each_word(p, text, ep->cc_config, named, err);
    if (code < 0)
        return code;
    struct weir_err wrong;
    weir_param_resolve_bdp(p->params, ep->cc_config, path->bdp_bytes);
    if (weir_param_check_bdp(p->params, ep->cc_config, NULL, p->name, &wrong) != 0)
        return refuse(err, "opts.rate_bps and opts.base_rtt_ns make the BDP", wrong.text);
    if (p->fit != NULL)
        p->fit(ep->cc_config, &(struct weir_fit){ .path = path, .framing = &ep->host_config.framing });
    if (p->check == NULL || p->check(ep->cc_config, path, &wrong) == 0)
        return 0;
    return refuse(err, "opts.rate_bps and opts.base_rtt_ns make the BDP", wrong.text);
}

int ep_options_protocol(struct weir_ep *ep, struct weir_err *err)
{
    const char *text = ep->opts.cc != NULL ? ep->opts.cc : "sird";
    const struct weir_protocol *p = NULL;
    struct weir_host_config *cfg = &ep->host_config;
    char name[WORD_MAX] = "";
    bool too_long;
    int code;
    if (!next_word(&text, name, sizeof(name), &too_long))
        return refuse(err, "for example \"sird\"", "cc names no protocol");
    code = find_protocol(name, &p, err);
    if (code == 0)
        code = read_protocol(ep, p, text, err);
    if (code < 0)
        return code;
    weir_param_defaults(weir_host_param_rows, &cfg->params);
    cfg->params.reorder_pkts = 3; /* of sender-driven laws only; the host needs it resolved */
    cfg->credit = p->credit;
    cfg->cc_config = ep->cc_config;
    cfg->hash = WEIR_HASH_FLOW;
    return 0;
}
