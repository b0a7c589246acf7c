/* src/transport/endpoint/options.c - the options of weir_open(): a table of them, and the framing and path that follow
 * from rate, MTU and base RTT. */
#include "endpoint/options.h"
#include "endpoint/area.h"
#include "core/cc.h"
#include "core/err.h"
#include "endpoint/protocol_text.h"
#include "param/param.h"
#include "seal/crypto.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BDP_LEAST_PKTS 4u /* least BDP in full packets: with less a receiver would have no credit to give */
#define FRAME_BYTES 18u   /* Ethernet with its CRC */
#define GAP_BYTES 20u     /* preamble and inter-packet gap */
#define FRAME_LEAST_BYTES 84u
#define AMOUNT_MAX 64 /* bytes of a printed number with its unit */

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)
#define US_NS UINT64_C(1000)
#define MS_NS UINT64_C(1000000)
#define S_NS UINT64_C(1000000000)
#define DAY_NS (86400 * S_NS)

/* marks options whose default comes from the network device */
static const struct weir_keyword device = { "device", 0 };

#define NUMBER(field, lo, hi, def, ...)                                                                                \
    WEIR_PARAM_ROW(struct weir_opts, field,                                                                            \
                   sizeof(((struct weir_opts *)NULL)->field) == sizeof(uint32_t) ? WEIR_KIND_U32 : WEIR_KIND_U64,      \
                   .min = (lo), .max = (hi), .fallback = (def), .hint = __VA_ARGS__)
#define TEXT(field, def, ...)                                                                                          \
    WEIR_PARAM_ROW(struct weir_opts, field, WEIR_KIND_TEXT, .text_fallback = (def), .hint = __VA_ARGS__)

/* Options are checked in the order of their rows; the first one that is wrong is reported. */
const struct weir_param ep_option_rows[] = {
    TEXT(bind, ":0", "ADDRESS:PORT, [ADDRESS]:PORT or :PORT, which is any address; port 0 is a free one"),
    TEXT(driver, "udp", "the network driver, udp or xdp"),
    TEXT(device, NULL, "the network device: xdp needs it, udp takes rate and MTU from that of its address"),
    TEXT(cc, "sird", "the protocol and its keys as in a scenario, such as sird B=120KB"),
    NUMBER(rx_bytes, 64 * KIB, 64 * TIB, 256 * MIB, "most memory for messages that arrive or are lent"),
    NUMBER(tx_bytes, 1, 64 * TIB, 64 * MIB, "most memory for copies"),
    NUMBER(max_ops, 1, EP_OPS_MAX, 65536, "most operations accepted and not yet reported"),
    NUMBER(max_peers, 1, EP_PEERS_MAX, 4096, "most peers"),
    NUMBER(base_rtt_ns, 1, S_NS, 100 * US_NS,
           "round trip of the idle network; with the rate it makes the BDP that sizes credit"),
    NUMBER(peer_timeout_ns, MS_NS, DAY_NS, 20 * S_NS,
           "a peer that owes us an answer and is silent this long has failed"),
    NUMBER(spin_us, 1, UINT32_MAX, 20, "how long weir_poll() polls before it sleeps; UINT32_MAX = it never sleeps"),
    NUMBER(mtu, WEIR_NET_MTU_LEAST_IP4, EP_MTU_MAX, 1500, "largest IP packet, the same at both ends",
           .keyword = &device),
    NUMBER(rate_bps, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, UINT64_C(10000000000), "of our link, both ways",
           .keyword = &device),
    TEXT(protection, "none", "how packets are protected: none, mac (authenticated) or aead (encrypted, too)"),
    TEXT(key_file, NULL, "the file with the keys that mac and aead need, as weir key new makes it"),
    TEXT(path, NULL, "what all ports on the way to every peer do: gate = they hold credit back"),
    NUMBER(spray_ports, 1, WEIR_WIRE_PORTS_MAX, 1,
           "consecutive UDP ports that packets of messages leave from, at random, so that they take all equal paths"),
    { 0 },
};

static const struct weir_param *row_of(const char *key)
{
    const struct weir_param *row = weir_param_find(ep_option_rows, key);
    WEIR_ASSERT(row != NULL);
    return row;
}

/* --- amounts as text --- */

struct unit {
    const char *ending; /* end of the names of options in this unit */
    const char *text;
    const char *one; /* text for an amount of exactly one in a sentence; NULL = "1" and the text */
    uint64_t scale;  /* size in the unit of the option */
};

static const struct unit units[] = {
    /* units with the same ending are in ascending order */
    { "_bytes", "B", NULL, 1 },
    { "_bytes", "KiB", NULL, KIB },
    { "_bytes", "MiB", NULL, MIB },
    { "_bytes", "GiB", NULL, GIB },
    { "_bytes", "TiB", NULL, TIB },
    { "_bps", "b/s", NULL, 1 },
    { "_bps", "Mb/s", NULL, UINT64_C(1000000) },
    { "_bps", "Gb/s", NULL, UINT64_C(1000000000) },
    { "_bps", "Tb/s", NULL, UINT64_C(1000000000000) },
    { "_us", "us", NULL, 1 },
    { "_ns", "ns", NULL, 1 },
    { "_ns", "us", NULL, US_NS },
    { "_ns", "ms", "one millisecond", MS_NS },
    { "_ns", "s", "one second", S_NS },
    { "_ns", "day", "one day", DAY_NS },
};

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), end = strlen(ending);
    return length > end && strcmp(text + length - end, ending) == 0;
}

/* Returns the largest unit of which the amount is a multiple; NULL: the option has no unit. */
static const struct unit *unit_of(const struct weir_param *row, uint64_t amount)
{
    const struct unit *found = NULL;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (ends_with(row->key, units[i].ending) && amount % units[i].scale == 0)
            found = &units[i];
    }
    return found;
}

void ep_option_print(const struct weir_param *row, uint64_t amount, char *out, size_t size)
{
    const struct unit *u = unit_of(row, amount);
    if (u == NULL)
        (void)snprintf(out, size, "%" PRIu64, amount);
    else
        (void)snprintf(out, size, "%" PRIu64 " %s", amount / u->scale, u->text);
}

/* Writes an amount to out, as part of a sentence: "one second", "64 KiB". */
static void print_as_text(const struct weir_param *row, uint64_t amount, char *out, size_t size)
{
    const struct unit *u = unit_of(row, amount);
    if (u != NULL && u->one != NULL && amount == u->scale)
        (void)snprintf(out, size, "%s", u->one);
    else
        ep_option_print(row, amount, out, size);
}

static int refuse(struct weir_err *err, const char *hint, const char *text)
{
    (void)weir_fail(err, WEIR_E_RANGE, NULL, hint, "%s", text);
    return -EINVAL;
}

void ep_option_print_range(const struct weir_param *row, char *out, size_t size)
{
    char lo[AMOUNT_MAX], hi[AMOUNT_MAX], six[AMOUNT_MAX] = "";
    print_as_text(row, row->min, lo, sizeof(lo));
    print_as_text(row, row->max, hi, sizeof(hi));
    if (row == row_of("mtu"))
        (void)snprintf(six, sizeof(six), " (IPv6: %u)", WEIR_NET_MTU_LEAST_IP6);
    if (row->min <= 1)
        (void)snprintf(out, size, "at most %s", hi);
    else
        (void)snprintf(out, size, "%s%s to %s", lo, six, hi);
}

/* Checks the range of an amount: least .. row->max. @return 0, or -EINVAL with err */
static int check_range(const struct weir_param *row, uint64_t amount, uint64_t least, struct weir_err *err)
{
    char range[3 * AMOUNT_MAX];
    if (amount >= least && amount <= row->max)
        return 0;
    ep_option_print_range(row, range, sizeof(range));
    (void)weir_fail(err, WEIR_E_RANGE, NULL, NULL, "opts.%s must be %s", row->key, range);
    return -EINVAL;
}

/* --- reading --- */

/* Copies the caller's struct to out. The struct of an older weir.h is shorter: the missing fields are 0. The struct of
 * a newer weir.h is longer: fields that this version does not know must be 0. @return 0, or -EINVAL with err */
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

static uint64_t amount_of(const struct weir_param *row, const struct weir_opts *opts)
{
    uint64_t wide;
    uint32_t narrow;
    if (row->kind == WEIR_KIND_U64) {
        memcpy(&wide, (const char *)opts + row->offset, sizeof(wide));
        return wide;
    }
    memcpy(&narrow, (const char *)opts + row->offset, sizeof(narrow));
    return narrow;
}

static void read_text(const struct weir_param *row, struct weir_opts *opts)
{
    const char *text;
    memcpy(&text, (const char *)opts + row->offset, sizeof(text));
    if (text == NULL)
        memcpy((char *)opts + row->offset, &row->text_fallback, sizeof(text));
}

/* Fills in the default of an option that is not set, and checks the range of a number. Leaves numbers whose default
 * comes from the device to ep_options_limits(), because the driver is not open yet. @return 0, or -EINVAL with err */
static int read_option(const struct weir_param *row, struct weir_opts *opts, struct weir_err *err)
{
    if (row->kind == WEIR_KIND_TEXT)
        read_text(row, opts);
    if (row->kind == WEIR_KIND_TEXT || row->keyword == &device)
        return 0;
    if (amount_of(row, opts) == 0)
        weir_param_default(row, opts);
    return check_range(row, amount_of(row, opts), row->min, err);
}

int ep_options_read(struct weir_opts *out, const struct weir_opts *in, struct weir_err *err)
{
    int code = copy_sized(out, in, err);
    if (code == 0 && out->flags & ~(uint32_t)(WEIR_OPEN_SHARED | WEIR_OPEN_CHECKED | WEIR_OPEN_LEND_PEERS |
                                              WEIR_OPEN_PEER_EVENTS | WEIR_OPEN_STEERED))
        code = refuse(err, NULL, "opts.flags has a bit that means nothing");
    for (const struct weir_param *row = ep_option_rows; code == 0 && row->key != NULL; row++)
        code = read_option(row, out, err);
    if (code == 0 && out->spray_ports > 1 && (out->flags & (WEIR_OPEN_SHARED | WEIR_OPEN_STEERED)) != 0)
        code = refuse(err, "leave one of them out",
                      "opts.spray_ports takes ports that are not shared, and opts.flags has WEIR_OPEN_SHARED or "
                      "WEIR_OPEN_STEERED");
    return code;
}

_Static_assert(WEIR_WIRE_PORTS_MAX == WEIR_NET_PORTS_MAX, "a driver sends from as many ports as the format allows");

/* Notes what kind of protocol opts.cc names: the headers of packets depend on it. Others check the name. */
static void note_kind(struct weir_ep *ep)
{
    const struct weir_protocol *p = weir_protocol_named(ep->opts.cc);
    ep->stream = p != NULL && p->cc != NULL;
    struct weir_wire_reserved area = weir_wire_reserved(ep->stream ? p->cc->needs : 0, ep->stream);
    ep->area_kind = area.delay || area.tokens ? WEIR_WIRE_AREA_64NS : WEIR_WIRE_AREA_NONE;
    ep->reads_delay = area.delay;
    ep->gives_tokens = area.tokens;
    ep->slots_in_acks = area.ack_slots > 0;
    ep->slots = area.data_slots + area.ack_slots;           /* one of them is 0 */
    ep->net->one_by_one = ep->reads_delay || ep->slots > 0; /* tokens are in each datagram of a run */
}

/* Returns the length of the headers of a packet of this kind, from the IP header on. */
static uint32_t around_bytes(const struct weir_ep *ep, enum weir_pkt_kind kind)
{
    struct weir_wire_head head = { .pkt.kind = kind, .stream = ep->stream };
    ep_area_reserve(ep, &head);
    uint32_t ip = ep->net->local.family == AF_INET6 ? WEIR_WIRE_IP6_BYTES : WEIR_WIRE_IP4_BYTES;
    return ip + WEIR_WIRE_UDP_BYTES + weir_wire_head_bytes(&head) + (ep->keys != NULL ? WEIR_TAG_BYTES : 0);
}

/* Returns the bytes that a packet without payload takes on a link. around: its headers, from the IP header on */
static uint32_t least_bytes(uint32_t around)
{
    return (uint32_t)weir_max_u64(around + FRAME_BYTES + GAP_BYTES, FRAME_LEAST_BYTES);
}

int ep_options_limits(struct weir_ep *ep, struct weir_err *err)
{
    bool six = ep->net->local.family == AF_INET6;
    note_kind(ep);
    uint32_t around = around_bytes(ep, WEIR_PKT_DATA);
    const struct weir_param *mtu_row = row_of("mtu"), *rate_row = row_of("rate_bps");
    uint64_t rate = ep->opts.rate_bps != 0 ? ep->opts.rate_bps : ep->net->rate_bps;
    uint32_t mtu = ep->opts.mtu != 0 ? ep->opts.mtu : ep->net->mtu;
    struct weir_path *path = &ep->host_config.path;
    if (rate == 0)
        rate = rate_row->fallback;
    ep->host_config.adaptive = ep->opts.rate_bps == 0;
    if (ep->opts.mtu == 0 && (mtu == 0 || mtu > mtu_row->fallback))
        /* both ends need the same MTU, and the other end may not support larger frames */
        mtu = (uint32_t)mtu_row->fallback;
    if (check_range(mtu_row, mtu, six ? WEIR_NET_MTU_LEAST_IP6 : mtu_row->min, err) < 0 ||
        check_range(rate_row, rate, rate_row->min, err) < 0)
        return -EINVAL;
    if (ep->reads_delay && rate < EP_US_BELOW_BPS)
        ep->area_kind = WEIR_WIRE_AREA_US;
    ep->mtu = mtu;
    ep->mss = mtu - around;
    ep->host_config.framing = (struct weir_framing){
        .payload_bytes = ep->mss,
        .header_bytes = around + FRAME_BYTES,
        .gap_bytes = GAP_BYTES,
        .min_wire_bytes = least_bytes(around),
        .ack_wire_bytes = least_bytes(ep->stream ? around_bytes(ep, WEIR_PKT_ACK) : around),
    };
    /* 8e12 bit/s * 1e9 ns does not fit 64 bits; the quotient does */
    *path = (struct weir_path){ .base_rtt_ps = ep->opts.base_rtt_ns * WEIR_PS_PER_NS,
                                .control_rtt_ps = ep->opts.base_rtt_ns * WEIR_PS_PER_NS, /* no other value is known */
                                .rate_bps = rate,
                                .bdp_bytes = weir_mul_div_u64(rate, ep->opts.base_rtt_ns, UINT64_C(8000000000)),
                                .mss_bytes = ep->mss,
                                .wire_bytes = ep->mss + around + FRAME_BYTES + GAP_BYTES };
    if (ep->reads_delay)
        path->qdelay_most_ps = WEIR_PKT_QDELAY_MAX * ep_area_unit_ps(ep->area_kind);
    path->bdp_bytes = weir_max_u64(path->bdp_bytes, (uint64_t)BDP_LEAST_PKTS * path->wire_bytes);
    return 0;
}
