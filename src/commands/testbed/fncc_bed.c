/* src/commands/testbed/fncc_bed.c - see fncc.h: the testbed, its hosts, and its simulation. */
#include "core/assert.h"
#include "testbed/commands.h"
#include "testbed/fncc.h"
#include <math.h>
#include <stdio.h>

#define FIRST_RTT_US 500.0 /* for the calls by which the round trip is measured */

enum { TEXT = 96, HOST_DELAYS = 4 /* a round trip passes cables of hosts so often */ };

int weir_fncc_up(struct weir_figs *figs, const struct weir_fncc_bed *bed, const struct weir_fncc_law *law, bool pcap,
                 struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char hosts[12];
    (void)snprintf(hosts, sizeof(hosts), "%u", (unsigned)bed->hosts);
    weir_fig_args_add(&a, "--hosts", hosts, "--topology", bed->topology, "--limit", "1mb", "--fabric", law->fabric,
                      "--engine", "user", "--protocol", law->protocol, (const char *)NULL);
    if (pcap)
        weir_fig_args_add(&a, "--pcap", WEIR_TESTBED_FILE, "--snaplen", "64", (const char *)NULL);
    return weir_testbed_up(&figs->tb, figs->arena, a.text, err);
}

static void add_protocol(struct weir_fig_args *a, const struct weir_fncc_law *law, const char *rtt)
{
    weir_fig_args_add(a, "--transport", "weir", "--cc", law->cc, "--rate", "200 Mbps", "--rtt", rtt, "--spin", "1us",
                      (const char *)NULL);
}

static void write_peer(char *out, uint32_t host)
{
    (void)snprintf(out, WEIR_FNCC_PEER_TEXT, "10.77.0.%u" WEIR_FIG_PORT, (unsigned)host + 1);
}

static int serve(struct weir_figs *figs, const struct weir_fncc_law *law, uint32_t host, double rtt_us,
                 struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char rtt[24];
    (void)snprintf(rtt, sizeof(rtt), "%.0fus", rtt_us);
    add_protocol(&a, law, rtt);
    return weir_fig_serve(figs, host + 1, &a, err);
}

int weir_fncc_rtt(struct weir_figs *figs, const struct weir_fncc_bed *bed, const struct weir_fncc_law *law,
                  double *rtt_us, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char peer[WEIR_FNCC_PEER_TEXT], rtt[24];
    int server = serve(figs, law, bed->to[0], FIRST_RTT_US, err), job, code;
    if (server < 0)
        return (int)err->code;
    write_peer(peer, bed->to[0]);
    (void)snprintf(rtt, sizeof(rtt), "%.0fus", FIRST_RTT_US);
    weir_fig_args_add(&a, "ping", peer, "--size", "1400 B", "--reply", "8 B", "--interval", "2ms", "--count", "300",
                      "--json", (const char *)NULL);
    add_protocol(&a, law, rtt);
    job = weir_testbed_start(&figs->tb, bed->first + 1, a.text, err);
    code = job < 0 ? (int)err->code : weir_fig_number(figs, job, "$.rtt_us.p50", rtt_us, err);
    return code == 0 ? weir_fig_end(figs, server, err) : code;
}

int weir_fncc_serve(struct weir_figs *figs, const struct weir_fncc_bed *bed, const struct weir_fncc_law *law,
                    double rtt_us, int server[2], struct weir_err *err)
{
    server[1] = -1;
    server[0] = serve(figs, law, bed->to[0], rtt_us, err);
    if (server[0] >= 0 && bed->to[1] != bed->to[0])
        server[1] = serve(figs, law, bed->to[1], rtt_us, err);
    return server[0] < 0 || (bed->to[1] != bed->to[0] && server[1] < 0) ? (int)err->code : 0;
}

int weir_fncc_end(struct weir_figs *figs, const int server[2], struct weir_err *err)
{
    int code = weir_fig_end(figs, server[0], err);
    return code == 0 && server[1] >= 0 ? weir_fig_end(figs, server[1], err) : code;
}

int weir_fncc_send(struct weir_figs *figs, const struct weir_fncc_bed *bed, const struct weir_fncc_law *law,
                   double rtt_us, uint32_t which, const struct weir_fig_args *traffic, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char peer[WEIR_FNCC_PEER_TEXT], rtt[24];
    WEIR_ASSERT(which < 2);
    write_peer(peer, bed->to[which]);
    (void)snprintf(rtt, sizeof(rtt), "%.0fus", rtt_us);
    weir_fig_args_add(&a, "load", peer, "--json", (const char *)NULL);
    for (size_t i = 0; i < traffic->count; i++)
        weir_fig_args_add(&a, traffic->text[i], (const char *)NULL);
    add_protocol(&a, law, rtt);
    return weir_testbed_start(&figs->tb, (which == 0 ? bed->first : bed->second) + 1, a.text, err);
}

int weir_fncc_sent(struct weir_figs *figs, const struct weir_fncc_law *law, int job, struct weir_err *err)
{
    double failed = 0;
    int code = weir_fig_number(figs, job, "$.messages_failed", &failed, err);
    if (code == 0 && failed > 0)
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: %.0f messages failed", law->name, failed);
    return code;
}

struct weir_testbed_sim *weir_fncc_sim(const char *folder, const struct weir_fncc_bed *bed,
                                       const struct weir_fncc_law *law, double rtt_us, uint32_t seed,
                                       struct weir_err *err)
{
    char path[WEIR_SWEEP_DIR_MAX + TEXT], protocol[TEXT], delay[TEXT], seeded[TEXT];
    const char *set[8] = { protocol, delay, seeded, NULL };
    uint32_t count = 3;
    for (const char *const *key = law->set; *key != NULL; key++)
        set[count++] = *key;
    if (bed->traffic != NULL)
        set[count++] = bed->traffic;
    WEIR_ASSERT(count < sizeof(set) / sizeof(set[0]));
    (void)snprintf(path, sizeof(path), "%s/%s", folder, bed->scenario);
    (void)snprintf(protocol, sizeof(protocol), "protocol.name=%s", law->protocol);
    (void)snprintf(seeded, sizeof(seeded), "run.seed=%u", (unsigned)seed);
    (void)snprintf(delay, sizeof(delay), "topology.host_delay=%.0f ns",
                   fmax((rtt_us - bed->heads_us) / HOST_DELAYS, 1) * 1000);
    return weir_testbed_sim_open(path, set, err);
}
