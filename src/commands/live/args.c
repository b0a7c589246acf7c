/* src/commands/live/args.c - the common options of `weir serve`, `weir ping` and `weir load`. */
#include "live/live.h"
#include "core/units.h"
#include <string.h>

#define FIELD(field) (uint32_t) offsetof(struct weir_live_args, field)

const struct weir_option weir_live_options[] = {
    { .name = "--bind", .value = "ADDRESS:PORT", .offset = FIELD(bind) },
    { .name = "--cc", .value = "a protocol with its keys", .offset = FIELD(cc), .hint = "--cc 'dctcp g=0.1'" },
    { .name = "--path", .value = "what its ports do", .offset = FIELD(path), .hint = "--path gate" },
    { .name = "--protection", .value = "none, mac or aead", .offset = FIELD(protection) },
    { .name = "--key", .value = "a file of keys", .offset = FIELD(key), .hint = "weir key new FILE makes one" },
    { .name = "--tcp-cc", .value = "a congestion control of the kernel", .offset = FIELD(tcp_cc) },
    { .name = "--driver", .value = "udp or xdp", .offset = FIELD(driver) },
    { .name = "--device", .value = "the name of a network device", .offset = FIELD(device) },
    { .name = "--series", .value = "the name of a file", .offset = FIELD(series) },
    { .name = "--json", .offset = FIELD(json) },
    { .name = "--help", .offset = FIELD(help), .last = true },
    { .name = "-h", .offset = FIELD(help), .last = true },
    { 0 },
};

static const char *const transports[] = {
    [WEIR_LIVE_WEIR] = "weir", [WEIR_LIVE_TCP] = "tcp", [WEIR_LIVE_SIRD] = "sird", NULL
};
static const struct weir_keyword always = { "always", WEIR_NEVER };

#define QUANTITY(key, field, kind, lo, hi, def, text)                                                                  \
    WEIR_PARAM_NAMED(key, struct weir_live_args, field, kind, lo, hi, def, text)

const struct weir_param weir_live_params[] = {
    WEIR_PARAM_CHOICE("--transport", struct weir_live_args, transport, transports, WEIR_LIVE_WEIR,
                      "weir is over UDP, with the protocol of --cc, tcp the kernel's TCP; sird is an old name of weir"),
    QUANTITY("--rate", rate_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, 0,
             "of this host's link; by default what its device reports, else 10 Gbps"),
    QUANTITY("--rtt", rtt_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, WEIR_PS_PER_S, 100 * WEIR_PS_PER_US,
             "round trip of the idle network; with the rate it is the BDP that sizes credit"),
    QUANTITY("--mtu", mtu, WEIR_KIND_U32, 576, 9000, 0,
             "largest IP packet, the same at both ends; by default 1500, or what the device reports if that is less"),
    WEIR_PARAM_KEYWORD("--spin", struct weir_live_args, spin_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, WEIR_PS_PER_S,
                       20 * WEIR_PS_PER_US, &always, "how long to poll before sleeping; always = never sleep"),
    QUANTITY("--timeout", timeout_ps, WEIR_KIND_TIME, WEIR_PS_PER_MS, 1000 * WEIR_PS_PER_S, 5 * WEIR_PS_PER_S,
             "a peer that is silent this long has failed; also how long the end may take"),
    QUANTITY("--every", every_ps, WEIR_KIND_TIME, 100 * WEIR_PS_PER_US, 1000 * WEIR_PS_PER_S, 0,
             "between points of the series; 2 ms by default"),
    QUANTITY("--tcp-connections", tcp_connections, WEIR_KIND_U32, 1, 1000, 0,
             "to each peer; a message takes the one with the fewest under way"),
    QUANTITY("--spray-ports", spray_ports, WEIR_KIND_U32, 1, 64, 0,
             "UDP ports that packets leave from, another one for about each eight; the peer needs no such option"),
    { 0 },
};

int weir_live_args_check(const struct weir_live_args *args, struct weir_err *err)
{
    bool tcp = args->transport == WEIR_LIVE_TCP, keyed = false;
    if (args->protection != NULL)
        keyed = strcmp(args->protection, "mac") == 0 || strcmp(args->protection, "aead") == 0;
    const struct {
        const char *name;
        bool stray;
        const char *hint;
    } row[] = { { "--cc", tcp && args->cc != NULL, "--tcp-cc chooses TCP's" },
                { "--path", tcp && args->path != NULL, "leave it out" },
                { "--driver", tcp && args->driver != NULL, "leave it out" },
                { "--protection", tcp && args->protection != NULL, "leave it out" },
                { "--key", tcp && args->key != NULL, "leave it out" },
                { "--shard", tcp && args->shard, "leave it out" },
                { "--spray-ports", tcp && args->spray_ports != 0, "leave it out" },
                { "--tcp-cc", !tcp && args->tcp_cc != NULL, "--transport tcp" },
                { "--tcp-connections", !tcp && args->tcp_connections != 0, "--transport tcp" } };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        if (row[i].stray)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, row[i].hint, "%s: has no meaning for --transport %s",
                             row[i].name, transports[args->transport]);
    if (keyed && args->key == NULL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "--key FILE names them, and weir key new FILE makes one",
                         "--protection: %s needs keys", args->protection);
    if (args->every_ps != 0 && args->series == NULL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "--series FILE.csv writes one",
                         "--every: is for a series, and there is no --series");
    return 0;
}
