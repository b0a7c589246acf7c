/* src/commands/testbed/fncc_bed.c - see fncc.h: the testbed, its hosts, and its simulation. */
#include "core/assert.h"
#include "testbed/commands.h"
#include "testbed/fncc.h"
#include <stdio.h>

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

static int serve(struct weir_figs *figs, const struct weir_fncc_law *law, uint32_t host, double rtt_us,
                 struct weir_err *err)
{
    char rtt[24];
    (void)snprintf(rtt, sizeof(rtt), "%.0fus", rtt_us);
    return weir_fig_serve_weir(figs, host + 1, law->cc, rtt, err);
}

int weir_fncc_rtt(struct weir_figs *figs, const struct weir_fncc_bed *bed, const struct weir_fncc_law *law,
                  double *rtt_us, struct weir_err *err)
{
    return weir_fig_rtt(figs, law->cc, bed->first + 1, bed->to[0] + 1, "1400 B", rtt_us, err);
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
    char peer[WEIR_FIG_ADDRESS], rtt[24];
    WEIR_ASSERT(which < 2);
    weir_fig_server_at(bed->to[which] + 1, peer);
    (void)snprintf(rtt, sizeof(rtt), "%.0fus", rtt_us);
    weir_fig_args_add(&a, "load", peer, "--json", (const char *)NULL);
    for (size_t i = 0; i < traffic->count; i++)
        weir_fig_args_add(&a, traffic->text[i], (const char *)NULL);
    weir_fig_args_weir(&a, law->cc, rtt);
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

struct weir_testbed_sim *weir_fncc_sim(struct weir_testbed_scenario *s, const struct weir_fncc_bed *bed,
                                       const struct weir_fncc_law *law, double rtt_us, uint32_t seed,
                                       struct weir_err *err)
{
    weir_testbed_scenario_set(s, "protocol.name=%s", law->protocol);
    weir_testbed_scenario_rtt(s, rtt_us, bed->heads_us);
    weir_testbed_scenario_set(s, "run.seed=%u", (unsigned)seed);
    for (const char *const *key = law->set; *key != NULL; key++)
        weir_testbed_scenario_set(s, "%s", *key);
    if (bed->traffic != NULL)
        weir_testbed_scenario_set(s, "%s", bed->traffic);
    return weir_testbed_scenario_load(s, bed->scenario, err);
}
